"""One owner of y: the same target is the same kind to every entry point."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from echelon import OReliefF, RelevanceBounds, ReliefF
from echelon._core.samples import strata
from echelon.cli._prepare import question_about, target_of
from echelon.display import DistributionDisplay
from echelon.profile import profile
from echelon.report import summarize
from echelon.targets import Target, has_plain_order, read_target

N = 60
CODES = np.arange(N) % 3
GRADES = np.array(["low", "mid", "high"])
LEVELS = ["low", "mid", "high"]


def kinds():
    """Some thirty targets: name, y, kind, where the order is from."""
    ordered = pd.Categorical(GRADES[CODES], LEVELS, ordered=True)
    many = np.arange(N) // 2
    rng = np.random.default_rng(0)
    return [
        ("codes", CODES, "ordinal", "assumed"),
        ("codes from 1", CODES + 1, "ordinal", "assumed"),
        ("list of codes", CODES.tolist(), "ordinal", "assumed"),
        ("unsigned", CODES.astype(np.uint8), "ordinal", "assumed"),
        ("a scale by its values", CODES + 3, "ordinal", "numbers"),
        ("below and above zero", CODES - 1, "ordinal", "numbers"),
        ("a scale by its name", pd.Series(CODES + 1, name="pain score"), "ordinal", "numbers"),
        ("whole floats", CODES.astype(float), "ordinal", "assumed"),
        ("half grades", 1 + CODES / 2, "ordinal", "numbers"),
        ("float16", (1 + CODES / 2).astype(np.float16), "ordinal", "numbers"),
        ("float32", CODES.astype(np.float32), "ordinal", "assumed"),
        ("objects that are integers", CODES.astype(object), "ordinal", "assumed"),
        ("nullable integers", pd.Series(CODES, dtype="Int64"), "ordinal", "assumed"),
        ("nullable floats", pd.Series(1 + CODES / 2, dtype="Float64"), "ordinal", "numbers"),
        ("ordered categorical", ordered, "ordinal", "declared"),
        ("ordered column", pd.Series(ordered, name="g"), "ordinal", "declared"),
        ("polars Enum", pl.Series(GRADES[CODES], dtype=pl.Enum(LEVELS)), "ordinal", "declared"),
        ("polars integers", pl.Series(CODES), "ordinal", "assumed"),
        ("one-column frame", pd.DataFrame({"g": CODES + 3}), "ordinal", "numbers"),
        ("ordered one-column frame", pd.DataFrame({"g": ordered}), "ordinal", "declared"),
        ("nothing masked", np.ma.array(CODES, mask=False), "ordinal", "assumed"),
        ("two numbers", CODES % 2, "classification", ""),
        ("two fractions", 0.5 + CODES % 2, "classification", ""),
        ("booleans", CODES > 0, "classification", ""),
        ("nullable booleans", pd.Series(CODES > 0, dtype="boolean"), "classification", ""),
        ("two strings", GRADES[CODES % 2], "classification", ""),
        ("unordered categorical", pd.Series(CODES % 2).astype("category"), "classification", ""),
        ("polars strings", pl.Series(GRADES[CODES % 2]), "classification", ""),
        ("many integers", many, "regression", ""),
        ("a quantity", rng.normal(size=N), "regression", ""),
        ("a quantity in float32", rng.normal(size=N).astype(np.float32), "regression", ""),
        ("decimals as objects", rng.normal(size=N).astype(object), "regression", ""),
    ]


CASES = [pytest.param(*case[1:], id=case[0]) for case in kinds()]


def features(target):
    rng = np.random.default_rng(1)
    return pd.DataFrame({"a": target.numbers + rng.normal(size=N), "b": rng.normal(size=N)})


@pytest.mark.parametrize(("y", "kind", "order_from"), CASES)
def test_every_entry_point_sees_the_same_kind(y, kind, order_from):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "A column-vector y", UserWarning)
        target = read_target(y)
        X = features(target)
        assert (target.kind, target.order_from) == (kind, order_from)
        assert profile(X, y, monotone=False).kind == kind
        assert RelevanceBounds(C=0.5, n_probes=2, false_positive_rate=0.5, tolerance=0.1).fit(
            X, y
        ).problem_ == (kind)
        data = summarize(X, y, ReliefF() if kind != "regression" else RelevanceBounds(
            C=0.5, n_probes=2, false_positive_rate=0.5, tolerance=0.1),
            n_resamples=0, cv=2).summary()["data"]  # fmt: skip
        assert data["kind"] == kind
        shown = DistributionDisplay.from_data(X, y).classes
        assert shown.ordered == (kind != "classification")
        assert (len(strata(y)) == 1) == (kind == "regression")
        if kind == "ordinal":
            assert OReliefF().fit(X, y).classes_.tolist() == target.labels.tolist()


def test_the_order_may_be_given_or_denied():
    given = read_target(GRADES[CODES], class_order=LEVELS)
    assert (given.kind, given.order_from, given.labels.tolist()) == ("ordinal", "given", LEVELS)
    assert given.codes.tolist() == CODES.tolist()
    as_text = read_target(CODES, class_order=["2", "1", "0"])
    assert as_text.codes.tolist() == (2 - CODES).tolist()
    assert as_text.labels.tolist() == [2, 1, 0]
    assert read_target(CODES, "classification").order_from == ""
    assert read_target(CODES, "regression").values.tolist() == CODES.tolist()
    assert isinstance(read_target(given), Target)
    assert read_target(given) is given


def test_what_estimators_are_given():
    assert read_target(CODES + 1.0).y.tolist() == (CODES + 1).tolist()
    assert read_target(1 + CODES / 2).y.cat.ordered
    assert read_target(10 * CODES).y.cat.codes.tolist() == CODES.tolist()
    assert read_target(GRADES[CODES]).y.tolist() == GRADES[CODES].tolist()
    assert read_target(pd.Series(CODES, name="g")).y.name == "g"
    assert read_target(CODES).counts == {0: 20, 1: 20, 2: 20}


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        (np.ma.array(CODES, mask=CODES == 2), ValueError, "masked"),
        ([1, 2, None] * 9, ValueError, "contains NaN"),
        ([1.0, 2.0, np.inf] * 9, ValueError, "infinity"),
        (pd.Series(pd.date_range("2020", periods=9)), TypeError, "dates"),
        ([10**400, 1, 2] * 9, ValueError, "too large"),
        (["a"] * 9, ValueError, "one class only"),
    ],
)
def test_bad_targets_are_refused(y, error, message):
    with pytest.raises(error, match=message):
        read_target(y)
    if "dates" not in message:
        for selector in (OReliefF(), RelevanceBounds(C=1.0)):
            with pytest.raises(error):
                selector.fit(np.random.default_rng(0).random((len(y), 2)), y)


def test_whether_an_order_is_plain():
    assert not has_plain_order(np.arange(10), "digit")
    assert not has_plain_order(np.arange(3), "species")
    assert not has_plain_order(np.arange(3), None)
    assert has_plain_order(np.arange(1, 6), "grade")
    assert has_plain_order(np.arange(3, 9), "y")
    assert has_plain_order(np.array([1, 1.5, 2]), "y")


@pytest.mark.parametrize(
    ("column", "asked"),
    [
        (pd.Series(np.arange(60) % 10, name="digit"), True),
        (pd.Series(CODES, name="species"), True),
        (pd.Series(GRADES[CODES], name="g"), True),
        (pd.Series(CODES + 1, name="grade"), False),
        (pd.Series(CODES + 3, name="quality"), False),
        (pd.Series(1 + CODES / 2, name="stars"), False),
        (pd.Series(CODES % 2, name="ill"), False),
        (pd.Series(np.array(["oak", "elm", "ash"])[CODES], name="tree"), False),
    ],
)
def test_the_command_asks_where_the_order_is_not_plain(column, asked):
    target = target_of(column, None, unordered=False)
    assert (question_about(target, []) is not None) == asked
    denied = target_of(column, None, unordered=True)
    assert question_about(denied, [], unordered=True) is None
