"""RankMutualInformation against its definition, and what follows from it."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import reference_filters_ranks as reference
from cases import draw_case
from echelon.data import read_columns
from echelon.filters import RankMutualInformation
from echelon.filters._rank_mutual_information import rank_informations

SEEDS = range(150)


def case_in_order(seed):
    """A drawn case without labels, some of it going with the classes, and its target."""
    case = draw_case(seed, nominal=0)
    rng = np.random.default_rng(seed)
    y = case.y + (np.round(rng.normal(size=len(case.y)), 1) if seed % 3 == 0 else 0)
    signal = case.y * rng.choice([-1, 1]) + rng.integers(0, 3, len(y))
    return np.column_stack([case.X, signal]), y, "regression" if seed % 3 == 0 else "ordinal"


@pytest.mark.parametrize("side", ["ascending", "descending", "both"])
def test_scores(side):
    for seed in SEEDS:
        X, y, kind = case_in_order(seed)
        rng = np.random.default_rng(seed)
        given = [None, rng.integers(-1, 2, X.shape[1])][seed % 2]
        directions = np.ones(X.shape[1], int) if given is None else given
        selector = RankMutualInformation(
            side=side, monotonic_cst=given, kind=kind, random_state=0
        ).fit(X, y)
        expected = [
            reference.directed_information(X[:, f].tolist(), y.tolist(), int(d), side=side)
            for f, d in enumerate(directions)
        ]
        assert_array_equal(selector.monotonic_cst_, directions)
        assert_allclose(selector.scores_, expected, atol=1e-9, err_msg=str(seed))


def test_between_features_with_gaps():
    """The other variable may have gaps and a direction of its own, too."""
    for seed in SEEDS:
        X, _, _ = case_in_order(seed)
        rng = np.random.default_rng(seed)
        directions = rng.integers(-1, 2, X.shape[1])
        other, side = rng.integers(-1, 5, len(X)), ["both", "ascending", "descending"][seed % 3]
        columns, way = read_columns(X, None, allow_nan=True), int(rng.integers(-1, 2))
        found = rank_informations(columns, directions, other, way, side=side)
        values = np.where(other < 0, np.nan, other).tolist()
        expected = [
            reference.directed_information(X[:, f].tolist(), values, int(d), way, side)
            for f, d in enumerate(directions)
        ]
        assert_allclose(found, expected, atol=1e-9, err_msg=str(seed))


def test_the_same_order_holds_all_there_is():
    """Four ranks: the mean of log2(n / |D|) over |D| = 4, 3, 2, 1."""
    X = np.array([[1.0, 7, 2], [2, 7, 1], [3, 7, 4], [4, 7, 3]])
    selector = RankMutualInformation(3, kind="regression").fit(X, [10, 20, 30, 40])
    full = np.log2([4 / 4, 4 / 3, 4 / 2, 4 / 1]).mean()
    assert_allclose(selector.scores_[:2], [full, 0], atol=1e-12)
    assert 0 < selector.scores_[2] < full


def test_turning_everything_round_swaps_the_sides(rng):
    X, y = rng.integers(0, 6, (80, 5)).astype(float), rng.integers(0, 4, 80)
    up = RankMutualInformation(5, side="ascending", monotonic_cst=None).fit(X, y)
    down = RankMutualInformation(5, side="descending", monotonic_cst=None).fit(-X, 3 - y)
    assert_array_equal(up.scores_, down.scores_)
    fallen = RankMutualInformation(5, side="ascending", monotonic_cst=[-1] * 5).fit(-X, y)
    assert_array_equal(up.scores_, fallen.scores_)
    both = [RankMutualInformation(5).fit(X, target).scores_ for target in (y, 3 - y)]
    assert_array_equal(*both)


def test_rows_and_units_do_not_matter(rng):
    X, y = rng.normal(size=(70, 4)), rng.integers(0, 3, 70)
    X[rng.random(X.shape) < 0.1] = np.nan
    expected = RankMutualInformation(4).fit(X, y).scores_
    rows = rng.permutation(70)
    assert_array_equal(RankMutualInformation(4).fit(X[rows], y[rows]).scores_, expected)
    assert_array_equal(RankMutualInformation(4).fit(np.exp(X), y).scores_, expected)


def test_own_rule_keeps_signal_and_little_noise(rng):
    y = np.arange(200) % 4
    X = rng.normal(size=(200, 60))
    X[:, :3] += y[:, None] * [1, -1, 1]
    kept = RankMutualInformation(random_state=0).fit(X, y).support_
    assert kept[:3].all()
    assert kept[3:].sum() <= 6


def test_what_has_no_order_is_refused():
    frame = pd.DataFrame({"a": [1.0, 2, 3, 4, 5, 6], "b": list("uvwuvw")})
    with pytest.raises(TypeError, match="'b' of `X` holds labels, but rank mutual information"):
        RankMutualInformation().fit(frame, [0, 1, 2, 0, 1, 2])
    with pytest.raises(ValueError, match=r"without a known order.*class_order"):
        RankMutualInformation().fit(frame[["a"]], list("xyzxyz"))
    ordered = RankMutualInformation(1, class_order=["x", "y", "z"]).fit(
        frame[["a"]], list("xyzxyz")
    )
    assert ordered.classes_.tolist() == ["x", "y", "z"]
