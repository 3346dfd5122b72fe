"""The benchmark of selected sets: its noise is what it claims, it goes on, its page is right."""

from __future__ import annotations

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.base import is_classifier
from sklearn.linear_model import Ridge

from benchmarks.kept import data, page, rules, study
from benchmarks.kept.__main__ import main
from benchmarks.kept.study import referee
from benchmarks.ordered import data as ordered_data
from benchmarks.ordered import judges
from benchmarks.ordered.results import Interval
from benchmarks.targets import data as targets
from echelon.methods import CLASSES, CONTINUOUS, ORDERED

NAMES = ("hitters", "college")


def _frame(seed: int, n: int = 80) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    target = rng.permutation(np.resize([0, 1, 2, 3], n))
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc")).assign(target=target)
    frame["a"] += target
    return frame


def _first(X, y, kind, seed):
    """Selects whatever column correlates most, to stand for AutoSelector."""
    return [int(np.argmax(np.abs(np.corrcoef(X.T, y)[-1, :-1])))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two fresh sets and one that is too small, quick models, a quick AutoSelector."""
    made = tmp_path_factory.mktemp("sets")
    for number, name in enumerate(NAMES):
        _frame(number).to_csv(made / f"{name}.csv", index=False)
    _frame(9, 40).to_csv(made / "gpa1.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        quick = judges.JUDGES[ORDERED]._replace(models=lambda: [Ridge(s) for s in (1, 3, 9, 27)])
        patch.setattr(study, "referee", lambda kind: quick)
        patch.setattr(page, "LEAST_SETS", 2)
        patch.setitem(rules.RULES, rules.AUTO, rules.Rule("**AutoSelector**", _first))
        yield made


def _run(folder, *more: str) -> tuple[str, str]:
    """What the command prints: the page, and progress."""
    chosen = ["--rules", "all", "auto_selector", "variance", "--sets", *NAMES, "gpa1"]
    with redirect_stdout(StringIO()) as text, redirect_stderr(StringIO()) as progress:
        main(["--fresh", str(folder), "--cells", str(folder / "cells"), *chosen, *more])
    return text.getvalue(), progress.getvalue()


@pytest.fixture(scope="module")
def first(folder):
    return _run(folder)


def _source(folder, name: str = "hitters", group: str = "fresh") -> data.Source:
    return data.Source(group, name, folder / f"{name}.csv")


def _noise(made) -> np.ndarray:
    return made.X[:, ~made.real]


@pytest.mark.parametrize("version", data.VERSIONS)
def test_real_columns_are_there_and_the_noise_is_the_same_every_time(folder, version):
    made = data.table(_source(folder), version, rows=400)
    again = data.table(_source(folder), version, rows=400)
    X, y = data.rows_of(_source(folder), 400)
    assert_allclose(made.X, again.X)
    assert_allclose(np.sort(made.X[:, made.real], axis=1), np.sort(X, axis=1))
    assert_allclose(made.y, y)
    assert _noise(made).shape == (80, 0 if version == data.ORIGINAL else 30)
    if version != data.ORIGINAL:
        other = data.table(_source(folder), version, rows=400, seed=1)
        assert not np.allclose(np.sort(made.X[0]), np.sort(other.X[0]))


def test_permuted_columns_keep_their_values(folder):
    made = data.table(_source(folder), data.PERMUTED, rows=400)
    real = {tuple(np.sort(column)) for column in made.X[:, made.real].T}
    assert {tuple(np.sort(column)) for column in _noise(made).T} == real
    assert not np.any([np.allclose(a, b) for a in made.X[:, made.real].T for b in _noise(made).T])


def test_corrupted_columns_correlate_with_a_real_one():
    X = np.random.default_rng(0).normal(size=(4000, 3))
    wide = data.with_corrupted(X, np.random.default_rng(1))
    found = np.corrcoef(wide.T)[3:, :3]
    assert_allclose(found[np.arange(30), np.arange(30) % 3], 1 / np.sqrt(5), atol=0.05)
    assert_allclose(found[np.arange(30), (np.arange(30) + 1) % 3], 0, atol=0.07)


def test_products_are_products_of_two_standardised_columns(folder):
    made = data.table(_source(folder), data.PRODUCTS, rows=400)
    A = made.X[:, made.real]
    A = (A - A.mean(axis=0)) / A.std(axis=0)
    products = [A[:, i] * A[:, j] for i, j in combinations(range(3), 2)]
    for column in _noise(made).T:
        assert any(np.allclose(column, product) for product in products)


def test_rows_are_drawn_the_same_for_every_version(folder):
    drawn = [data.table(_source(folder), version, rows=50).y for version in data.VERSIONS]
    assert len(drawn[0]) == 50
    for y in drawn[1:]:
        assert_allclose(y, drawn[0])


def test_sets_are_found_in_the_folders_given(folder, monkeypatch):
    found = data.sources(None, folder, None, NAMES)
    assert [source[:2] for source in found] == [("fresh", name) for name in sorted(NAMES)]
    monkeypatch.setitem(targets.SETS, CONTINUOUS, {"hitters": ("", "", [])})
    both = data.sources(None, folder, folder, ["hitters"])
    assert [(source.group, source.kind) for source in both] == [
        ("fresh", ORDERED),
        ("numbers", CONTINUOUS),
    ]
    with pytest.raises(SystemExit, match="Pass the folder that holds adult"):
        data.sources(None, folder, None, ["adult", "hitters"])
    with pytest.raises(SystemExit, match="Pass --data, --fresh or --targets"):
        data.sources(None, None, None)
    with pytest.raises(SystemExit, match="`--targets` must hold wine"):
        data.sources(None, None, folder, ["wine"])


def test_a_run_fills_all_cells_and_says_what_is_left_out(first, folder):
    text, progress = first
    assert "Left out, fewer than 60 rows: gpa1 (40 rows)" in text
    assert "hitters (80 x 3)" in text
    assert progress.splitlines()[-1].startswith("8 of 8: fresh-")
    for version in data.VERSIONS:
        assert f"### {version.capitalize()}\n" in text
    frame = study.read(folder / "cells" / "400 rows")
    assert len(frame) == 2 * 4 * 3 * 3
    assert (frame[frame.method == "auto_selector"].n_kept == 1).all()


def test_finished_cells_are_taken_over(folder, first, monkeypatch):
    monkeypatch.setattr(study.Part, "select", None)  # cannot be called any more
    assert _run(folder) == (first[0], "")
    assert _run(folder, "--page", "--fresh", "nowhere") == (first[0], "")


def test_versions_are_on_two_pages(folder, first):
    cells = folder / "cells"
    noisy, others = [data.CORRUPTED, data.PRODUCTS], [data.ORIGINAL, data.PERMUTED]
    assert page.page_of(noisy) == "kept_noise"
    assert page.page_of(others) == page.page_of(tuple(data.VERSIONS)) == "kept"
    text = page.make_page(cells, 400, noisy)
    assert "original and permuted are on [another page](kept.md)" in text
    assert "| rule | corrupted | products | folds" in text
    for version in data.VERSIONS:
        assert (f"### {version.capitalize()}\n" in text) == (version in noisy)
    assert "on [another page](kept_noise.md)" in page.make_page(cells, 400, others)
    assert "another page" not in first[0]


def test_the_page_holds_the_figures(folder, first):
    """Plain loops over the cells of one version."""
    cells = study.Study(rules.RULES, 400, folder / "cells")
    means, bests, overlaps, shares = [], [], [], []
    for name in sorted(NAMES):
        unit = study.Unit(_source(folder, name), data.PERMUTED)
        real = data.table(unit.source, unit.version, rows=400).real
        own, whole = (
            [cells.of(rule, unit).values[str(fold)] for fold in range(3)]
            for rule in ("variance", "all")
        )
        above = [np.mean([cell["errors"][m] for cell in own]) for m in range(4)]
        below = [np.mean([cell["errors"][m] for cell in whole]) for m in range(4)]
        means.append(np.mean([above[m] / below[m] for m in range(4)]))
        bests.append(min(above) / min(below))
        kept = [set(cell["kept"]) for cell in own]
        pairs = [(kept[0], kept[1]), (kept[0], kept[2]), (kept[1], kept[2])]
        overlaps.append(np.mean([len(one & two) / len(one | two) for one, two in pairs]))
        shares.append(np.mean([np.mean([not real[i] for i in each]) for each in kept]))
    part = first[0].partition("### Permuted")[2].partition("###")[0]
    row = next(line for line in part.splitlines() if line.startswith("| variance filter"))
    entries = [entry.strip() for entry in row.strip("|").split("|")]
    assert entries[1] == "2"
    assert entries[2] == str(Interval.over(means))
    assert entries[4] == str(Interval.over(bests))
    assert entries[7] == f"{np.mean(shares):.0%}"
    assert entries[8] == f"{np.mean(overlaps):.2f}"
    assert entries[9] == f"{max(means):.2f} {sorted(NAMES)[int(np.argmax(means))]}"


def _column(ours: list[float], theirs: list[float]) -> page.Column:
    values = pd.DataFrame({rules.AUTO: ours, "lasso": theirs}, index=[f"s{i}" for i in range(6)])
    return page.Column("fresh", data.ORIGINAL, page.MEAN, values)


def test_the_reading_is_made_from_the_columns(monkeypatch):
    monkeypatch.setattr(page, "LEAST_SETS", 5)
    level = _column([1, 1, 1, 1, 1, 1], [0.9, 1.1, 0.9, 1.1, 0.9, 1.1])
    behind = _column([1, 1, 1, 1, 1, 1], [0.8, 0.9, 0.8, 0.9, 0.8, 0.9])
    few = _column([1, 1, 1, 1, np.nan, np.nan], [0.5] * 6)
    text = page.reading([level, behind, few])
    assert "first or level with the first in 1 of 2 columns" in text
    assert "fresh sets, original, mean of models: LassoCV (-0.150 (" in text
    assert "| LassoCV | 2 | 0 | 1 | 1 |" in text
    assert "In none is another rule clearly ahead" in page.reading([level])
    assert page.reading([few]).startswith("No rule has 5 sets")


def test_a_rule_that_fails_or_takes_too_long_is_skipped_with_a_reason(folder, tmp_path):
    def fails(X, y, kind, seed):
        raise ValueError("no\nsense")

    def slow(X, y, kind, seed):
        while len(y) > 40:
            np.sort(X, axis=0)

    known = {name: rules.RULES[name] for name in ("all", "auto_selector")}
    known |= {"fails": rules.Rule("fails", fails), "slow": rules.Rule("slow", slow)}
    made = study.Study(known, 400, tmp_path)
    study.run(made, [_source(folder)], [data.ORIGINAL], limit=0.05)
    text = page.make_page(tmp_path, 400)
    assert "- fails, ValueError: no: hitters (fresh, original)" in text
    assert "- slow, more than 0.05 s: hitters (fresh, original)" in text
    assert "| fails |" not in text


def test_classes_that_are_missing_in_training_leave_no_gap():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2, 3], [30, 1, 30, 30])
    X = np.column_stack([rng.normal(size=91), y == 1])  # a column that may be constant
    real = np.ones(2, bool)
    with pytest.warns(UserWarning, match="least populated class"):
        found = list(study.parts(ordered_data.Table(X, y, real)))
    lacking = [part for part in found if len(part.columns) == 1]
    assert len(lacking) == 1
    assert set(lacking[0].target) == {0, 1, 2}
    assert lacking[0].cell([0], 0.0)["kept"] == [0]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (ORDERED, "lasso"),
        (CONTINUOUS, "lasso_one_error"),
        (CLASSES, "lasso_one_error"),
        (CONTINUOUS, "mutual_information"),
        (ORDERED, "mutual_information"),
    ],
)
def test_rules_find_the_feature_that_matters(kind, name):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    X = rng.normal(size=(90, 4))
    X[:, 2] += 2 * y
    target = y + 0.01 * rng.normal(size=90) if kind == CONTINUOUS else y
    assert 2 in rules.RULES[name].select(X, target, kind, 0)


def test_one_column_has_more_than_the_median_variance():
    X = np.column_stack([np.resize([0, 1], 20), np.eye(20)[0], 5 * np.eye(20)[1]])
    assert list(rules.variance(X, X[:, 0], ORDERED, 0)) == [0]


def test_errors_of_zero_can_be_divided():
    frame = pd.DataFrame({"group": ["fresh", "numbers"], "data": ["a", "b"]})
    frame = frame.assign(**dict.fromkeys(study.MODELS, 0.0))
    sets = pd.DataFrame({"group": ["fresh", "numbers"], "data": ["a", "b"], "rows": [50, 50]})
    assert_allclose(page.floored(frame, sets)[list(study.MODELS)], [[0.02] * 4, [0.0] * 4])


def test_two_empty_sets_are_equal():
    assert page.overlap([[], [], [1]]) == pytest.approx(1 / 3)


def test_referees_are_four_models_of_the_right_kind():
    for kind in (ORDERED, CONTINUOUS, CLASSES):
        found = referee(kind).models()
        assert len(found) == len(study.MODELS)
        assert all(is_classifier(model) == (kind == CLASSES) for model in found)
