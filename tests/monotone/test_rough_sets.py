"""Dominance-based rough sets against textbook examples and plain loops."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import echelon.monotone._reducts as searches
import reference_dominance as reference
from echelon import DominanceRoughSet

GRADES = {"bad": 0, "medium": 1, "good": 2}

# Greco, Matarazzo, Slowinski 2002: mathematics, physics, literature, and the overall grade.
STUDENTS = pd.DataFrame(
    [
        ["good", "medium", "bad", "bad"],
        ["medium", "medium", "bad", "medium"],
        ["medium", "medium", "medium", "medium"],
        ["good", "good", "medium", "good"],
        ["good", "medium", "good", "good"],
        ["good", "good", "good", "good"],
        ["bad", "bad", "bad", "bad"],
        ["bad", "bad", "medium", "bad"],
    ],
    columns=["mathematics", "physics", "literature", "overall"],
).replace(GRADES)  # fmt: skip


def drawn(seed, n=14, p=4, weighted=False):
    """Random rows with ties, missing values and nominal, constant or continuous columns."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, rng.integers(2, 5), n)
    codes[:2] = 0, 1
    codes = np.unique(codes, return_inverse=True)[1]
    levels = rng.integers(1, 6, p)
    X = np.floor(levels * rng.random((n, p)) + 0.8 * (rng.random(p) < 0.5) * codes[:, None])
    nominal = rng.random(p) < 0.25
    if seed % 3 == 0:
        X[:, 0] = rng.normal(size=n) + codes
        nominal[0] = False
    if seed % 2:
        X[rng.random((n, p)) < 0.1] = np.nan
    weights = rng.integers(1, 4, n) * (0.7 if seed % 5 == 0 else 1.0) if weighted else None
    X[:2, 1] = 0, 1  # some column varies
    signs = np.where(nominal, 0, rng.choice([1, -1], p))
    return X, codes, nominal, signs, weights


def fitted(seed, n_features=None, consistency=1.0, weighted=False, n=14, p=4):
    X, codes, nominal, signs, weights = drawn(seed, n, p, weighted)
    selector = DominanceRoughSet(
        n_features, monotonic_cst=signs, consistency=consistency,
        categorical_features=np.flatnonzero(nominal).tolist(), n_jobs=1,
    ).fit(X, codes, weights)  # fmt: skip
    rows = np.where(signs < 0, -X, X).tolist()
    return selector, rows, codes.tolist(), nominal.tolist(), weights


LEVELS = pytest.mark.parametrize("consistency", [1.0, 0.8, 0.6])
WEIGHTED = pytest.mark.parametrize("weighted", [False, True])


@LEVELS
@WEIGHTED
def test_approximations_are_those_of_plain_loops(consistency, weighted):
    for seed in range(60):
        selector, rows, codes, nominal, weights = fitted(seed, None, consistency, weighted)
        lower, upper = reference.approximations(
            rows, codes, range(len(nominal)), nominal, weights, consistency
        )
        for union, t in lower:
            label = selector.classes_[t]
            found = selector.approximation(label, union)
            assert set(np.flatnonzero(found)) == lower[union, t]
            found = selector.approximation(label, union, "upper")
            assert set(np.flatnonzero(found)) == upper[union, t]
        expected = reference.quality(
            rows, codes, range(len(nominal)), nominal, weights, consistency
        )
        assert_allclose(selector.quality_, expected, atol=1e-12)


@LEVELS
@WEIGHTED
def test_paths_are_those_of_plain_loops(consistency, weighted):
    for seed in range(40):
        p = 4
        selector, rows, codes, nominal, weights = fitted(seed, None, consistency, weighted)
        steps = reference.greedy(rows, codes, nominal, p, weights, consistency)
        constant = {f for f in range(p) if len({r[f] for r in rows if r[f] == r[f]}) < 2}
        found = selector.path_
        if not constant:
            assert found.feature.tolist() == [f for f, _, _ in steps[: len(found)]]
            assert_allclose(found.value, [q for _, q, _ in steps[: len(found)]], atol=1e-9)
            assert_allclose(found.conflicts, [c for _, _, c in steps[: len(found)]], atol=1e-9)
        assert found.value[-1] >= selector.quality_ - 1e-9
        assert not set(found.feature) & constant


@LEVELS
def test_reducts_and_core_are_those_of_plain_loops(consistency):
    several = 0
    for seed in range(60):
        selector, rows, codes, nominal, weights = fitted(seed, None, consistency, seed % 2 == 0)
        expected = reference.reducts(rows, codes, nominal, weights, consistency)
        found = selector.reducts()
        assert found.exact
        assert found.sets == sorted(expected, key=lambda each: (len(each), each))
        assert found.n_found == len(expected)
        several += len(expected) > 1
        smallest = min(map(len, expected))
        few = selector.reducts(max_size=max(1, smallest), limit=1)
        assert len(few.sets) <= 1
        if smallest:
            assert few.n_found == sum(len(each) == smallest for each in expected)
        if consistency == 1:
            assert set(selector.core_) == set.intersection(*map(set, expected))
        else:
            p = range(len(nominal))
            everything = reference.quality(rows, codes, p, nominal, weights, consistency)
            needed = [
                f for f in p
                if reference.quality(
                    rows, codes, [g for g in p if g != f], nominal, weights, consistency
                ) < everything - 1e-9
            ]  # fmt: skip
            assert selector.core_.tolist() == needed
    assert several > 1


@LEVELS
def test_greedy_reducts_are_reducts(consistency, monkeypatch):
    monkeypatch.setattr(searches, "MOST_IN_TABLE", 0)
    monkeypatch.setattr(searches, "MOST_TRIED", 0)
    for seed in range(40):
        selector, rows, codes, nominal, weights = fitted(seed, None, consistency, seed % 2 == 0)
        found = selector.reducts()
        if found.exact:  # the core is all there is
            continue
        everything = selector.quality_
        for each in found.sets:
            q = reference.quality(rows, codes, each, nominal, weights, consistency)
            assert q >= everything - 1e-9
            for left_out in each:
                fewer = [f for f in each if f != left_out]
                q = reference.quality(rows, codes, fewer, nominal, weights, consistency)
                assert q < everything - 1e-9


def test_explanations_name_all_contradictions():
    for seed in range(40):
        selector, rows, codes, nominal, _ = fitted(seed)
        features = range(len(nominal))
        for i in range(len(rows)):
            found = selector.explain(i)
            expected = {
                (k, "dominates") for k in range(len(rows))
                if codes[k] < codes[i] and reference.dominates(rows[k], rows[i], features, nominal)
            } | {
                (k, "is dominated") for k in range(len(rows))
                if codes[k] > codes[i] and reference.dominates(rows[i], rows[k], features, nominal)
            }  # fmt: skip
            assert set(zip(found["sample"], found["relation"], strict=True)) == expected
            assert bool(len(found)) == bool(selector.lowest_class_[i] < selector.highest_class_[i])


def test_shares_of_comparable_pairs():
    for seed in range(40):
        selector, rows, codes, nominal, weights = fitted(seed, weighted=seed % 2 == 0)
        weights = [1.0] * len(rows) if weights is None else weights
        features, comparable, pairs = range(len(nominal)), 0.0, 0.0
        for i in range(len(rows)):
            for j in range(i):
                if codes[i] != codes[j]:
                    mass = weights[i] * weights[j]
                    pairs += mass
                    either = reference.dominates(rows[i], rows[j], features, nominal)
                    either |= reference.dominates(rows[j], rows[i], features, nominal)
                    comparable += mass * either
        assert_allclose(selector.comparable_, comparable / pairs, atol=1e-12)


@pytest.mark.parametrize("n", [63, 64, 65, 130, 300])
def test_words_of_bits_hold_every_row(n):
    selector, rows, codes, nominal, _ = fitted(n, 1.0, n=n)
    for step, chosen in zip(selector.path_, range(1, 5), strict=True):
        features = selector.path_.feature[:chosen].tolist()
        expected = reference.quality(rows, codes, features, nominal)
        assert_allclose(step.value, expected, atol=1e-12)
        assert_allclose(selector.quality_of(features), expected, atol=1e-12)
        assert step.conflicts == reference.conflicts(rows, codes, features, nominal)


def test_weights_are_copies():
    for consistency in (1.0, 0.7):
        for seed in range(20):
            X, codes, _, _, weights = drawn(seed + 1000 * (seed % 5 == 0) + 1, weighted=True)
            weights = np.round(weights).astype(int)
            copies = np.repeat(np.arange(len(X)), weights)
            made = DominanceRoughSet(monotonic_cst=None, consistency=consistency)
            weighted = made.fit(X, codes, weights)
            path, core = weighted.path_, weighted.core_
            repeated = made.fit(X[copies], codes[copies])
            assert_array_equal(path, repeated.path_)
            assert_array_equal(core, repeated.core_)


# -------------------------------------------------------------------------------- textbooks


def test_students():
    """Students 1 and 2 contradict each other: better in mathematics, and worse overall."""
    X, y = STUDENTS.drop(columns="overall"), STUDENTS["overall"]
    selector = DominanceRoughSet(monotonic_cst=None).fit(X, y)
    assert selector.quality_ == 0.75
    assert X.columns[selector.core_].tolist() == ["literature"]
    assert [X.columns[list(each)].tolist() for each in selector.reducts().sets] == [
        ["mathematics", "literature"],
        ["physics", "literature"],
    ]
    assert np.flatnonzero(selector.approximation(1)).tolist() == [2, 3, 4, 5]
    assert np.flatnonzero(selector.approximation(1, kind="upper")).tolist() == [0, 1, 2, 3, 4, 5]
    assert np.flatnonzero(selector.approximation(0, "at most")).tolist() == [6, 7]
    assert selector.explain(0).values.tolist() == [[1, 1, "is dominated"]]
    assert selector.explain(1).values.tolist() == [[0, 0, "dominates"]]
    frame = selector.frame().set_index("union")
    assert frame.loc["at least 1", ["lower", "upper", "boundary"]].tolist() == [4, 6, 2]
    assert frame.loc["at least 2", "accuracy"] == 1
    looser = DominanceRoughSet(monotonic_cst=None, consistency=0.8).fit(X, y)
    assert looser.quality_ == 0.875  # four of the five that dominate student 2 agree


@pytest.mark.skipif("ECHELON_DATA" not in os.environ, reason="needs the folder ECHELON_DATA")
def test_firms_at_risk_of_bankruptcy():
    """39 firms, 12 criteria: three firms contradict each other, by a look at the table."""
    path = Path(os.environ["ECHELON_DATA"]) / "B_ordinal_relieff" / "bankruptcyrisk.csv"
    firms = pd.read_csv(path)
    X, y = firms.drop(columns="target"), firms["target"]
    selector = DominanceRoughSet(monotonic_cst=None).fit(X, y)
    assert_allclose(selector.quality_, 36 / 39)
    certain = selector.lowest_class_ == selector.highest_class_
    assert np.flatnonzero(~certain).tolist() == [23, 30, 32]
    for worse in (30, 32):
        assert (X.loc[worse] >= X.loc[23]).all()
        assert y[worse] < y[23]
    rows, codes = X.to_numpy(float).tolist(), (y - 1).tolist()
    found = [tuple(each) for each in selector.reducts().sets]
    assert set(selector.core_) == set.intersection(*map(set, found))
    for each in found:
        assert_allclose(reference.quality(rows, codes, each, [False] * 12), 36 / 39)


# -------------------------------------------------------------------------------- behaviour


def test_features_without_a_direction_are_left_out(rng):
    X = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
    y = (X["a"] > 0).astype(int)
    selector = DominanceRoughSet(monotonic_cst={"a": 1}).fit(X, y)
    assert selector.quality_ == selector.quality_of(["a"]) == 1
    assert selector.quality_of(["b", "c"]) == 0
    assert selector.support_.tolist() == [True, False, False]
    assert selector.reducts().sets == [(0,)]


def test_nominal_features_compare_by_equality():
    X = pd.DataFrame({"size": [1, 2, 1, 2], "town": ["A", "A", "B", "B"]})
    selector = DominanceRoughSet(monotonic_cst={"size": 1}).fit(X, [0, 1, 1, 2])
    assert selector.quality_ == 1
    assert DominanceRoughSet(monotonic_cst={"size": 1}).fit(X[["size"]], [0, 1, 1, 2]).quality_ == 0


def test_missing_values_resolve_nothing():
    X = np.array([[3.0, 1.0], [1.0, np.nan], [2.0, 2.0]])
    selector = DominanceRoughSet(monotonic_cst=None).fit(X, [0, 1, 2])
    assert selector.explain(0)["sample"].tolist() == [1]
    X[1, 1] = 2
    assert DominanceRoughSet(monotonic_cst=None).fit(X, [0, 1, 2]).quality_ == 1


def test_nothing_to_gain(rng):
    """Where every sample is in a boundary the search goes on while contradictions become fewer."""
    X = rng.normal(size=(60, 3))
    X = np.vstack([X, X])
    y = np.repeat([0, 1], 60)
    selector = DominanceRoughSet(monotonic_cst=None).fit(X, y)
    assert selector.quality_ == 0
    assert selector.reducts().sets == [()]
    assert selector.support_.all()
    assert (np.diff(selector.path_.conflicts) < 0).all()


@pytest.mark.parametrize("n_jobs", [2, None])
def test_threads_change_nothing(n_jobs, rng):
    X, y = rng.normal(size=(700, 6)).round(1), rng.integers(0, 4, 700)
    one = DominanceRoughSet(1.0, n_jobs=1).fit(X, y)
    more = DominanceRoughSet(1.0, n_jobs=n_jobs).fit(X, y)
    assert_array_equal(one.path_, more.path_)
    assert one.reducts() == more.reducts()


def test_bad_arguments_say_what_to_do():
    X, y = STUDENTS.drop(columns="overall"), STUDENTS["overall"]
    selector = DominanceRoughSet().fit(X, y)
    for call, message in (
        (lambda: selector.explain(8), r"`i` must be .* from 0 to 7, got 8"),
        (lambda: selector.approximation(5), r"`label` must be one of .*\[0, 1, 2\], got 5"),
        (lambda: selector.approximation(1, "above"), r"`union` must be .*'above'"),
        (lambda: selector.reducts(max_size=0), r"`max_size` must be .* got 0"),
        (lambda: selector.reducts(limit=0.5), r"`limit` must be .* got 0.5"),
        (lambda: selector.quality_of(["art"]), r"`features` names the column 'art'"),
        (lambda: DominanceRoughSet(consistency=0.3).fit(X, y), "'consistency'"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
