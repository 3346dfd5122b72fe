"""Same data in another form, same answer, for AutoSelector and the command (see docs/auto.md).

Every value is a multiple of 1/8 of moderate size, so that another form of it is the same number.
"""

import contextlib
import io
import json
import tempfile
from decimal import Decimal
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from echelon import AutoSelector
from echelon.cli import main
from hostile_campaign import hostile

KINDS = ("ordinal", "classification", "regression")
TABLES = st.tuples(st.sampled_from(KINDS), st.integers(0, 2))


@cache
def table(kind, seed):
    """Two features that count, one category that does, two that do not; some values missing."""
    rng = np.random.default_rng(seed)
    n = 90
    level = rng.integers(0, 3, n)
    X = pd.DataFrame(
        {
            "dose": np.round(8 * (level + rng.normal(0, 0.6, n))) / 8,
            "noise": np.round(8 * rng.normal(size=n)) / 8,
            "answer": np.clip(level + rng.integers(0, 3, n), 0, 4),
            "home": np.array(["rent", "own", "none"])[(level + (rng.random(n) < 0.3)) % 3],
            "other": rng.integers(0, 5, n),
        }
    )
    X.loc[rng.choice(n, 5, replace=False), "dose"] = np.nan
    if kind == "regression":
        return X, pd.Series(np.round(8 * (level + rng.normal(0, 0.3, n))) / 8, name="y")
    classes = ["low", "medium", "high"] if kind == "ordinal" else ["x", "y", "z"]
    return X, pd.Series(np.array(classes)[level], name="y")


def selected(X, y, kind, **fit):
    order = ["low", "medium", "high"] if kind == "ordinal" else None
    selector = AutoSelector(kind, order, cv=3, random_state=0, n_jobs=1)
    selector.set_params(weights_are=fit.pop("weights_are", None)).fit(X, y, **fit)
    names = getattr(selector, "feature_names_in_", np.arange(selector.n_features_in_))
    return set(names[selector.support_])


@cache
def answer(kind, seed):
    found = selected(*table(kind, seed), kind)
    assert "dose" in found
    return found


# ---------------------------------------------------------------------------- another form of X


def objects(column, make):
    return pd.Series([None if pd.isna(v) else make(v) for v in column], dtype=object)


def each_number(X, make):
    return X.assign(**{c: make(X[c]) for c in ("dose", "noise", "answer", "other")})


FORMS = {
    "pyarrow": lambda X: pa.Table.from_pandas(X),
    "polars": lambda X: pl.DataFrame({c: pl.Series(X[c].astype(object).where(X[c].notna(), None))
                                      for c in X}, strict=False),
    "single precision": lambda X: X.astype({"dose": "float32", "noise": "float32"}),
    "small integers": lambda X: X.astype({"answer": "int8", "other": "uint16"}),
    "nullable": lambda X: X.convert_dtypes(),
    "of arrow": lambda X: X.convert_dtypes(dtype_backend="pyarrow"),
    "integers as floats": lambda X: X.astype({"answer": float, "other": float}),
    "decimals": lambda X: each_number(X, lambda c: objects(c, lambda v: Decimal(str(v)))),
    "texts": lambda X: each_number(X, lambda c: objects(c, str)),
    "objects": lambda X: X.astype(object),
    "categories": lambda X: X.assign(home=X["home"].astype("category")),
    "other names of categories": lambda X: X.assign(home=X["home"].map(
        {"rent": "zz", "own": "aa", "none": "mm"})),
    "other rows' labels": lambda X: X.set_axis(range(1000, 1000 + len(X))),
    "scaled": lambda X: X.assign(dose=64 * X["dose"], noise=X["noise"] / 4),
    "shifted": lambda X: X.assign(dose=X["dose"] + 16, other=X["other"] - 128),
}  # fmt: skip


@given(TABLES, st.sampled_from(sorted(FORMS)))
@hostile(0.2)
def test_another_form_gives_the_same_features(which, form):
    X, y = table(*which)
    assert selected(FORMS[form](X), y, which[0]) == answer(*which)


@given(TABLES, st.sampled_from(["equal weights", "doubled weights", "an array", "labels as codes"]))
@hostile(0.1)
def test_what_says_nothing_changes_nothing(which, what):
    X, y = table(*which)
    weights = np.ones(len(X))
    if what == "an array":
        X = X.drop(columns="home")
        named = selected(X, y, which[0])
        places = selected(X.to_numpy(dtype=float), y, which[0])
        assert {X.columns[j] for j in places} == named
    elif what == "labels as codes" and which[0] == "classification":
        assert selected(X, y.map({"x": 30, "y": 10, "z": 20}), "classification") == answer(*which)
    else:
        factor = 2 if what == "doubled weights" else 1
        once = selected(X, y, which[0], sample_weight=weights)
        assert selected(X, y, which[0], sample_weight=factor * weights) == once == answer(*which)


# docs/auto.md: forests draw columns by their places, and folds draw rows by theirs.


@given(TABLES, st.sampled_from(["dose", "answer", "noise"]))
@hostile(0.08)
def test_copies_and_constants_are_never_selected_beside_the_rest(which, copied):
    X, y = table(*which)
    found = selected(X.assign(copy=X[copied], flat=7.0), y, which[0])
    assert "flat" not in found
    assert not {copied, "copy"} <= found
    assert "dose" in found or (copied == "dose" and "copy" in found)


@given(TABLES, st.integers(0, 99))
@hostile(0.06)
def test_another_order_finds_what_counts(which, seed):
    X, y = table(*which)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(X))
    assert "dose" in selected(X[rng.permutation(X.columns)], y, which[0])
    found = selected(X.iloc[rows].reset_index(drop=True), y.iloc[rows].reset_index(drop=True),
                     which[0])  # fmt: skip
    assert "dose" in found


@given(TABLES, st.integers(0, 99))
@hostile(0.05)
def test_counted_rows_are_rows_that_are_there_so_often(which, seed):
    X, y = table(*which)
    counts = np.random.default_rng(seed).integers(1, 3, len(X))
    rows = np.repeat(np.arange(len(X)), counts)
    counted = selected(X, y, which[0], sample_weight=counts, weights_are="frequencies")
    assert counted == selected(X.iloc[rows], y.iloc[rows], which[0])


# --------------------------------------------------------------------------- the command's files


def file_of(frame, ending, folder, name="data"):
    path = Path(folder, f"{name}.{ending.partition(' ')[0]}")
    if ending == "csv ;":
        frame.to_csv(path, index=False, sep=";", decimal=",")
    elif ending == "csv of texts":
        frame.to_csv(path, index=False, quoting=1, encoding="utf-16")
    elif ending in ("csv", "tsv", "csv.gz"):
        frame.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    elif ending == "xlsx":
        frame.to_excel(path, index=False)
    else:
        getattr(frame, f"to_{ending}")(path)
    return path


def kept(path, kind, *more):
    options = {"ordinal": ["--class-order", "low,medium,high"], "classification": ["--unordered"]}
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = main(["rank", str(path), "-t", "y", "--cv", "3", "--json", "-q", "-j", "1",
                     *options.get(kind, []), *more])  # fmt: skip
    assert code == 0
    return set(json.loads(out.getvalue())["answer"]["keep"])


FILES = ("csv", "csv ;", "csv of texts", "csv.gz", "tsv", "parquet", "feather", "xlsx")
TYPED = ("parquet", "feather", "xlsx")
"""Files that say what is a number and what a text."""


@given(TABLES, st.sampled_from(FILES))
@hostile(0.1)
def test_the_command_gives_the_same_answer_for_any_file(which, ending):
    X, y = table(*which)
    with tempfile.TemporaryDirectory() as folder:
        assert kept(file_of(X.assign(y=y), ending, folder), which[0]) == answer(*which)


@given(TABLES, st.sampled_from(TYPED), st.sampled_from(sorted({*FORMS} - {"pyarrow", "polars"})))
@hostile(0.1)
def test_the_command_gives_the_same_answer_for_any_type(which, ending, form):
    X, y = table(*which)
    frame = FORMS[form](X).reset_index(drop=True).assign(y=y)
    with tempfile.TemporaryDirectory() as folder:
        assert kept(file_of(frame, ending, folder), which[0]) == answer(*which)


BESIDE = {
    "a constant": {"more": 7.0},
    "names of rows": {"more": [f"row {k}" for k in range(90)]},
    "equal weights": {"more": 1},
    "doubled weights": {"more": 2},
    "other notes": {"more": None},
}


@given(TABLES, st.sampled_from(sorted(BESIDE)))
@hostile(0.08)
def test_columns_that_the_command_excludes_change_nothing(which, what):
    X, y = table(*which)
    options = ["--weights", "more"] if "weights" in what else []
    with tempfile.TemporaryDirectory() as folder:
        path = file_of(X.assign(**BESIDE[what], y=y), "csv", folder)
        assert kept(path, which[0], *options) == answer(*which)


@given(TABLES, st.integers(0, 99))
@hostile(0.04)
def test_the_command_counts_rows(which, seed):
    X, y = table(*which)
    counts = np.random.default_rng(seed).integers(1, 3, len(X))
    frame = X.assign(y=y)
    with tempfile.TemporaryDirectory() as folder:
        counted = file_of(frame.assign(count=counts), "csv", folder)
        rows = frame.loc[frame.index.repeat(counts)].reset_index(drop=True)
        expanded = file_of(rows, "parquet", folder, "expanded")
        asked = ("--weights", "count", "--weights-are", "frequencies")
        assert kept(counted, which[0], *asked) == kept(expanded, which[0])


DATES = {
    "iso": ("csv", "%Y-%m-%d"),
    "with a time": ("tsv", "%Y-%m-%d %H:%M:%S"),
    "of Germany": ("csv ;", "%d.%m.%Y"),
    "of America": ("csv", "%m/%d/%Y"),
    "month in words": ("csv", "%d-%b-%Y"),
    "without signs": ("csv", "%Y%m%d"),
    "times": ("parquet", None),
    "days": ("parquet", "day"),
    "cells": ("xlsx", None),
}


def dated(kind, seed, form):
    """What is selected where one feature is a date."""
    X, y = table(kind, seed)
    when = pd.Timestamp("2024-01-13") + pd.to_timedelta(X["answer"] * 9 + X["other"], "D")
    ending, written = DATES[form]
    if written is not None:
        when = when.dt.date if written == "day" else when.dt.strftime(written)
    with tempfile.TemporaryDirectory() as folder:
        frame = X.drop(columns="answer").assign(when=when, y=y)
        return kept(file_of(frame, ending, folder), kind)


@cache
def dated_as_iso(kind, seed):
    return dated(kind, seed, "iso")


@given(TABLES, st.sampled_from(sorted({*DATES} - {"iso"})))
@hostile(0.08)
def test_dates_are_the_same_in_any_file(which, form):
    assert dated(*which, form) == dated_as_iso(*which)
