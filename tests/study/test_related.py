"""Whether any feature is related to the target: the test beside that of the folds."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import reference_related
from echelon import AutoSelector
from echelon.study import _related
from echelon.targets import read_target


def ordered(codes):
    """Classes a < b < c < d."""
    return pd.Series(pd.Categorical.from_codes(codes, list("abcd"), ordered=True))


TARGETS = {
    "ordinal": lambda rng, n: ordered(rng.integers(0, 4, n)),
    "classification": lambda rng, n: np.array(list("uvw"))[rng.integers(0, 3, n)],
    "regression": lambda rng, n: rng.normal(size=n).round(1),
}


def mixed(rng, n):
    """Numbers with ties and a gap, a constant, labels."""
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": rng.integers(0, 3, n), "c": 1.0})
    frame["d"] = np.array(["x", "y", "z"])[rng.integers(0, 3, n)]
    frame.loc[0, "a"] = np.nan
    return frame


def as_lists(frame, target):
    """What the reference takes: gaps as the median, a list of 0 and 1 for every label."""
    numbers = [frame["a"].fillna(frame["a"].median()), frame["b"], frame["c"]]
    labels = [(frame["d"] == label).astype(int) for label in sorted(frame["d"].unique())]
    columns = [column.tolist() for column in [*numbers, *labels]]
    if target.kind == "classification":
        return columns, [
            (target.codes == c).astype(int).tolist() for c in range(len(target.counts))
        ]
    return columns, [(target.values if target.codes is None else target.codes).tolist()]


@pytest.mark.parametrize("kind", TARGETS)
def test_equals_plain_loops(kind, monkeypatch):
    monkeypatch.setattr(_related, "PERMUTATIONS", 19)
    monkeypatch.setattr(_related, "AT_A_TIME", 100)  # in several parts
    for seed in range(10):
        rng = np.random.default_rng(seed)
        frame, target = mixed(rng, 12), read_target(TARGETS[kind](rng, 12), kind)
        draw = np.random.RandomState(seed)
        orders = [draw.permutation(12).tolist() for _ in range(19)]
        expected = reference_related.p_value(*as_lists(frame, target), orders)
        assert _related.p_value(frame, target, seed) == expected


@pytest.mark.parametrize("kind", TARGETS)
def test_rate_on_noise_of_rare_values(kind):
    """Sparse columns and classes, where approximate p-values are far too small."""
    tables, found = 150, 0
    for seed in range(tables):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame((rng.random((24, 8)) < 0.08).astype(float)).add_prefix("c")
        codes = np.minimum(rng.geometric(0.6, 24) - 1, 3)
        y = {"ordinal": ordered(codes), "classification": codes.astype(str)}.get(kind, codes**3.0)
        found += _related.p_value(X, read_target(y, kind), seed) <= 0.05
    assert found <= binom.ppf(0.9999, tables, 0.05)


@pytest.mark.parametrize("kind", TARGETS)
def test_along_time_equals_plain_loops(kind):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        frame, target = mixed(rng, 16), read_target(TARGETS[kind](rng, 16), kind)
        order = rng.permutation(16)
        expected = reference_related.p_value_along(*as_lists(frame, target), order.tolist())
        assert _related.p_value(frame, target, 0, order) == expected


def series(rng, n, slowness):
    """A series that forgets: each value a part of the one before, and chance."""
    values = np.zeros(n)
    for t in range(1, n):
        values[t] = slowness * values[t - 1] + rng.normal()
    return values


@pytest.mark.parametrize("slowness", [0.0, 0.9, 1.0])
def test_rate_on_series_that_have_nothing_to_do_with_each_other(slowness):
    tables, found = 120, 0
    for seed in range(tables):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame({name: series(rng, 90, slowness) for name in "abcd"})
        X["a"] += 0.1 * np.arange(90)
        y = series(rng, 90, slowness) + 0.1 * np.arange(90)
        found += _related.p_value(X, read_target(y, "regression"), seed, np.arange(90)) <= 0.05
    assert found <= binom.ppf(0.9999, tables, 0.05)


def test_a_signal_in_slow_noise_is_found_along_time():
    """What the folds alone hardly ever do."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(150, 4)), columns=list("abcd"))
    y = X["a"] + 1.5 * series(rng, 150, 0.9)
    order = rng.permutation(150)  # rows in any order
    selector = AutoSelector(random_state=0).fit(X.iloc[order], y[order], time=order)
    assert selector.helps_
    assert not selector._study.judged.clear
    assert "a" in selector.get_feature_names_out()


def small_table(seed=1, n=24):
    """Few rows, one feature that clearly rises with the classes, and noise."""
    rng = np.random.default_rng(seed)
    y = ordered(np.arange(n) % 4)
    X = pd.DataFrame(rng.normal(size=(n, 6)), columns=list("pqrstu"))
    X["p"] += 0.9 * y.cat.codes.to_numpy()
    return X, y


def test_a_clear_relation_is_kept_where_folds_are_too_few(monkeypatch):
    X, y = small_table()
    kept = AutoSelector(random_state=0).fit(X, y)
    assert "p" in kept.get_feature_names_out()
    monkeypatch.setattr(_related, "PERMUTATIONS", 3)  # p-values of 0.25 and more
    assert not AutoSelector(random_state=0).fit(X, y).support_.any()


@pytest.mark.slow
def test_rows_that_are_not_independent_are_left_to_the_folds(monkeypatch):
    def never(*_):
        raise AssertionError

    monkeypatch.setattr("echelon.study._study.p_value", never)
    X, y = small_table()
    fit = AutoSelector(random_state=0).fit
    with pytest.raises(AssertionError):
        fit(X, y)
    fit(X, y, groups=np.arange(24) // 2)
    fit(X, y, sample_weight=np.arange(1, 25) / 2)
    with pytest.raises(AssertionError):  # weights that are all the same say nothing
        fit(X, y, sample_weight=np.full(24, 3.0))
    folds = [(np.arange(24) % 3 != f).nonzero()[0] for f in range(3)]
    own = [(train, np.setdiff1d(np.arange(24), train)) for train in folds]
    AutoSelector(random_state=0, cv=own).fit(X, y)
