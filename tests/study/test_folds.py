"""How rows are split: whole groups, along time, and what is said where that cannot be."""

import numpy as np
import pandas as pd
import pytest

import reference_report
from echelon import AutoSelector, RankCorrelation
from echelon._core.folds import forward_folds, make_splits, time_blocks
from echelon.report import summarize
from echelon.study import Rows, fewer_folds
from echelon.targets import read_target


@pytest.mark.parametrize("n_times", [2, 7, 60])
@pytest.mark.parametrize("n_groups", [None, 9])
def test_forward_folds_are_those_of_the_definition(n_times, n_groups, rng):
    time = rng.integers(0, n_times, 60)
    groups = None if n_groups is None else rng.integers(0, n_groups, 60)
    for n_folds in (1, 3, 5):
        found = forward_folds(time, n_folds, groups)
        expected = reference_report.forward_folds(time.tolist(), n_folds, groups)
        assert [(a.tolist(), b.tolist()) for a, b in found] == expected


def test_time_may_be_dates_in_any_order(rng):
    days = rng.permutation(100)
    dates = pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(days, unit="D"))
    assert time_blocks(dates, 4).tolist() == (days // 25).tolist()
    with pytest.raises(ValueError, match="`time` must not hold missing values"):
        time_blocks(dates.where(dates.index > 0), 4)
    with pytest.raises(ValueError, match="at least two different times"):
        forward_folds(np.zeros(20), 3)


@pytest.mark.parametrize("kind", ["ordinal", "classification", "regression"])
def test_groups_are_never_parted(kind, rng):
    groups = rng.integers(0, 12, 90)
    target = read_target(rng.integers(0, 3, 90) if kind != "regression" else rng.random(90), kind)
    splits = make_splits(4, target, Rows(groups), 0)
    for train, test in splits.folds:
        assert not set(groups[train]) & set(groups[test])
    assert sorted(np.concatenate([test for _, test in splits.folds])) == list(range(90))
    assert splits.groups == "groups"
    sizes = sorted(np.bincount(groups))
    assert splits.fewest == sum(sizes[:6])


def test_fewer_folds_where_groups_are_few():
    target = read_target(np.arange(40) % 2, "classification")
    assert fewer_folds(5, target) == 5
    assert fewer_folds(5, target, np.arange(40) // 10) == 4
    with pytest.raises(ValueError, match="There are 2 groups, too few"):
        fewer_folds(5, target, np.arange(40) // 20)
    nested = read_target((np.arange(40) >= 10).astype(int), "classification")
    with pytest.raises(ValueError, match="fewer than two classes of them are in two or more"):
        fewer_folds(5, nested, np.arange(40) // 10)


@pytest.mark.parametrize(
    ("rows", "cv", "message"),
    [
        (Rows(groups=[1] * 20), 5, "inconsistent numbers of samples"),
        (Rows(groups=[None, *range(39)]), 5, "`groups` must not hold missing"),
        (Rows(time=range(40)), [([0], [1])], "`cv` must be a number of folds where `time`"),
        (Rows(time=range(40)), 5, "Fold 1 would learn from one class only, 0"),
        (Rows(time=range(40), groups=[1] * 40), 5, "Fold 1 has no rows to learn from"),
    ],
)
def test_what_cannot_be_split(rows, cv, message):
    target = read_target(np.repeat([0, 1], 20), "classification")
    with pytest.raises(ValueError, match=message):
        make_splits(cv, target, rows, 0)


def repeated(rng, n_subjects=30, each=8):
    """Rows of one subject are alike, and nothing goes with the outcome of the subject."""
    subject = np.repeat(np.arange(n_subjects), each)
    values = rng.normal(size=(n_subjects, 5))[subject] + 0.05 * rng.normal(size=(len(subject), 5))
    X = pd.DataFrame(values, columns=list("abcde"))
    return X, rng.permutation(np.arange(n_subjects) % 3)[subject], pd.Series(subject, name="who")


def test_the_report_keeps_groups_together(rng):
    X, y, who = repeated(rng)
    settings = {"n_resamples": 4, "n_features": 2, "cv": 4}
    found = summarize(X, y, RankCorrelation(), groups=who, **settings).summary()
    assert found["how"]["groups"] == "who"
    assert found["how"]["folds"] == 4
    assert "rows of the same who are never split" in str(found["words"]["caveats"])
    assert not found["answer"]["helps"]
    # Half of the subjects: what is chosen must differ from one half to the next.
    alone = summarize(X, y, RankCorrelation(), **settings).summary()
    together, apart = (each["methods"][0]["stability"]["index"] for each in (found, alone))
    assert together < apart


def test_a_repeated_subject_is_named_before_the_answer(rng):
    X, y, who = repeated(rng)
    table = X.assign(who=who)
    alone = summarize(table, y, RankCorrelation(), n_resamples=0).summary()
    assert "groups=" in alone["words"]["warnings"][0]
    assert alone["profile"]["repeated"] == ["who"]
    together = summarize(table, y, RankCorrelation(), n_resamples=0, groups=who).summary()
    assert together["words"]["warnings"] == []


def test_the_past_says_nothing_of_a_turned_future(rng):
    """A trend that turns round after two thirds helps shuffled folds, and not those along time."""
    when = np.arange(300)
    x = rng.normal(size=300)
    y = np.where(when < 200, x, -x) + 0.1 * rng.normal(size=300)
    X = pd.DataFrame({"x": x, "noise": rng.normal(size=300)})
    shuffled = summarize(X, y, RankCorrelation(), n_resamples=0).summary()
    forward = summarize(X, y, RankCorrelation(), n_resamples=0, time=when).summary()
    assert shuffled["answer"]["helps"]
    assert not forward["answer"]["helps"]
    assert (forward["how"]["folds"], forward["how"]["time"]) == (5, "time")


@pytest.mark.parametrize("n_samples", [1100, 2300])
def test_folds_smaller_than_a_sample_of_neighbours(n_samples, rng):
    """The default ranking looks up 1,000 neighbours only where every part has so many rows."""
    X = rng.normal(size=(n_samples, 2))
    y = (X[:, 0] + 0.1 * rng.normal(size=n_samples) > 0).astype(int)
    time = np.arange(n_samples) if n_samples > 2000 else None
    fitted = AutoSelector(cv=3, random_state=0).fit(X, y, time=time)
    assert fitted.support_.tolist() == [True, False]
