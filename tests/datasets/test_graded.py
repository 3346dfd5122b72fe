"""Bundled data: what is in them, and what the loader does to them."""

import gzip
from pathlib import Path

import numpy as np

import echelon
from echelon.datasets import load_german_credit, load_grades, load_wine_quality
from echelon.targets import read_target

DATA = Path(echelon.__file__).parent / "datasets" / "data"


def lines(name="red_wine_quality"):
    """A bundled file, line by line."""
    with gzip.open(DATA / f"{name}.csv.gz", "rt") as file:
        return file.read().splitlines()


def test_all_wines_are_those_of_the_file():
    head, *rows = lines()
    X, quality = load_wine_quality(drop_duplicates=False)
    assert [*X.columns, quality.name] == head.split(",")
    table = np.array([[float(cell) for cell in row.split(",")] for row in rows])
    assert np.array_equal(X.to_numpy(), table[:, :-1])
    assert np.array_equal(quality, table[:, -1])
    assert X.shape == (1599, 11)
    assert quality.value_counts().sort_index().tolist() == [10, 53, 681, 638, 199, 18]


def test_repeated_wines_are_dropped():
    seen = list(dict.fromkeys(lines()[1:]))
    X, quality = load_wine_quality()
    assert len(X) == len(seen) == 1359
    assert X.index.tolist() == quality.index.tolist() == list(range(1359))
    first = [[float(cell) for cell in row.split(",")] for row in seen]
    assert np.array_equal(X.assign(quality=quality).to_numpy(), first)


def test_all_loans_are_those_of_the_file():
    head, *rows = lines("german_credit")
    X, risk = load_german_credit()
    assert X.assign(risk=risk).columns.tolist() == head.split(",")
    assert X.astype(str).assign(risk=risk).agg(",".join, axis=1).tolist() == rows
    assert X.select_dtypes("number").shape == (1000, 7)
    assert risk.cat.categories.tolist() == ["bad", "good"]


def test_outcomes_are_ordered():
    assert read_target(load_wine_quality()[1]).kind == "ordinal"
    assert read_target(load_german_credit()[1]).kind == "ordinal"
    assert read_target(load_grades()[1]).kind == "ordinal"


def test_source_and_licence_lie_beside_the_data():
    said = (DATA / "red_wine_quality.txt").read_text(encoding="utf-8")
    docstring = load_wine_quality.__doc__
    for text in ("10.24432/C56S3T", "CC BY 4.0", "Decision Support Systems 47(4), 2009, 547-553"):
        assert text in said, text
        assert text in docstring, text
    said = (DATA / "german_credit.txt").read_text(encoding="utf-8")
    for text in ("10.24432/C5NC77", "CC BY 4.0", "H. Hofmann"):
        assert text in said, text
        assert text in load_german_credit.__doc__, text
