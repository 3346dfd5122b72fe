"""Least relabellings against all labellings of small sets, and against known cases."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import reference_dominance as reference
from echelon.monotone import relabel_monotone

SEEDS = range(60)


def drawn(seed, weighted):
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(2, 5))
    n = {2: 9, 3: 7, 4: 6}[n_classes]
    codes = rng.integers(0, n_classes, n)
    codes[:n_classes] = np.arange(n_classes)
    X = rng.integers(0, 4, (n, int(rng.integers(1, 3)))).astype(float)
    nominal = np.zeros(X.shape[1], bool)
    if seed % 4 == 0:
        X = np.column_stack([X, rng.integers(0, 2, n)])
        nominal = np.append(nominal, True)
    weights = rng.choice([1.0, 2.0, 0.5, 3.25], n) if weighted else None
    return X, codes, nominal, weights


def relabelled(seed, weighted, loss):
    X, codes, nominal, weights = drawn(seed, weighted)
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    signs = {name: 1 for name, each in zip(frame, nominal, strict=True) if not each}
    for name, each in zip(frame, nominal, strict=True):
        if each:
            frame[name] = frame[name].map({0: "a", 1: "b"})
    found = relabel_monotone(frame, codes, monotonic_cst=signs, loss=loss, sample_weight=weights)
    return found, X.tolist(), codes.tolist(), nominal.tolist(), weights


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", ["zero_one", "absolute"])
def test_costs_are_the_smallest_of_all_monotone_labellings(loss, weighted):
    changed = 0
    for seed in SEEDS:
        found, rows, codes, nominal, weights = relabelled(seed, weighted, loss)
        assert reference.is_monotone(rows, found.codes.tolist(), nominal)
        absolute = loss == "absolute"
        cost, _ = reference.least_relabelling(rows, codes, nominal, weights, absolute)
        assert_allclose(found.cost, cost, rtol=1e-9)
        steps = np.abs(found.codes - codes) if absolute else found.changed
        assert_allclose(
            found.cost, np.dot(np.ones(len(rows)) if weights is None else weights, steps)
        )
        assert not (found.changed & ~found.contradicted).any()
        changed += found.n_changed > 1
    assert changed > 10


def test_both_losses_agree_for_two_classes(rng):
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)
    few, near = (relabel_monotone(X, y, loss=loss) for loss in ("zero_one", "absolute"))
    assert few.cost == near.cost == few.n_changed == near.distance


def test_monotone_data_stay_as_they_are(rng):
    X = rng.normal(size=(50, 2))
    y = (X.sum(axis=1) > 0).astype(int)
    found = relabel_monotone(X, y)
    assert found.n_changed == found.cost == found.n_pairs == 0
    assert_array_equal(found.labels, y)
    assert found.sentence() == "None of 50 samples contradicts another."
    assert found.frame().empty


def test_labels_directions_and_words():
    X = pd.DataFrame({"income": [10, 20, 30, 40], "debt": [4, 3, 2, 1]})
    y = pd.Categorical(["bad", "good", "bad", "good"], ["bad", "good"], ordered=True)
    found = relabel_monotone(X, y, monotonic_cst={"income": 1, "debt": -1})
    assert found.sentence() == (
        "2 of 4 samples contradict others; changing 1 of them makes the classes monotone."
    )
    assert found.frame().index.tolist() == found.contradicted.nonzero()[0].tolist()
    assert set(found.labels) == {"bad", "good"}
    automatic = relabel_monotone(X, y, monotonic_cst="auto")
    assert_array_equal(automatic.codes, found.codes)


def test_what_is_left_of_contradictions_after_relabelling(rng):
    from echelon.evaluation import monotonicity_violations

    X = rng.normal(size=(300, 3)).round(1)
    y = np.clip(np.round(X.sum(axis=1) + rng.normal(size=300)), -2, 2).astype(int) + 2
    for loss in ("zero_one", "absolute"):
        found = relabel_monotone(X, y, loss=loss)
        after = monotonicity_violations(X, found.labels)
        assert after.together == 0
        assert after.n_conflicts == 0
    assert found.distance <= relabel_monotone(X, y).distance
    assert found.n_changed >= relabel_monotone(X, y).n_changed


def test_bad_arguments_say_what_to_do():
    with pytest.raises(ValueError, match=r"`loss` must be .* got 'squared'"):
        relabel_monotone([[1], [2]], [0, 1], loss="squared")
    with pytest.raises(ValueError, match="contains NaN"):
        relabel_monotone([[1], [np.nan]], [0, 1])
