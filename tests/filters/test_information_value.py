"""InformationValue against its definition, and its mean under permutation against all of them."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import reference_filters as by_labels
import reference_filters_ranks as reference
from cases import draw_case
from echelon.filters import InformationValue


@pytest.mark.parametrize("cuts", ["mdl", "quantile"])
def test_values(cuts):
    for seed in range(150):
        case = draw_case(seed)
        n_bins = 2 + seed % 5
        selector = InformationValue(
            1.0, discretize=cuts, n_bins=n_bins, categorical_features=case.nominal
        ).fit(case.X, case.y)
        columns = by_labels.discretize(*case.lists, cuts, n_bins)
        expected = [reference.information_value(column, case.y.tolist()) for column in columns]
        assert_allclose(selector.information_values_, expected, atol=1e-9, err_msg=str(seed))


def test_the_mean_under_permutation_is_exact():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x, y = rng.integers(0, 3, 7), np.array([0, 1, rng.integers(0, 3), 1, 0, 0, 1])
        selector = InformationValue(1, categorical_features=[0]).fit(x[:, None].astype(float), y)
        assert_allclose(selector.chance_values_, [reference.chance_value(x.tolist(), y.tolist())])
        assert_allclose(selector.scores_, selector.information_values_ - selector.chance_values_)


def test_noise_scores_nothing_on_average(rng):
    """Whatever the number of bins, where the plain value grows with it."""
    y = np.arange(60) % 2
    few = InformationValue(1.0, n_bins=2).fit(rng.normal(size=(60, 2000)), y)
    many = InformationValue(1.0, n_bins=12).fit(rng.normal(size=(60, 2000)), y)
    assert many.information_values_.mean() > 5 * few.information_values_.mean()
    for selector in (few, many):
        error = selector.scores_.std() / np.sqrt(2000)
        assert abs(selector.scores_.mean()) < 4 * error


def test_weights_of_evidence_by_hand():
    """30 of 40 goods and 5 of 20 bads in bin b, the rest in a; half a sample in every cell."""
    frame = pd.DataFrame({"x": ["b"] * 35 + ["a"] * 25})
    y = np.array(["good"] * 30 + ["bad"] * 5 + ["good"] * 10 + ["bad"] * 15)
    selector = InformationValue(1).fit(frame, y)
    assert selector.classes_.tolist() == ["bad", "good"]
    assert selector.bin_counts_[0].tolist() == [[5, 30], [15, 10]]  # b came first
    good = np.log([30.5 / 41 / (5.5 / 21), 10.5 / 41 / (15.5 / 21)])
    assert_allclose(selector.weights_of_evidence_[0][:, 1], good)
    assert_allclose(selector.weights_of_evidence_[0][:, 0], -good)


def test_missing_is_a_bin_and_an_empty_cell_has_a_weight():
    y = np.arange(40) % 2
    X = np.where(y, np.nan, np.arange(40.0))[:, None]
    selector = InformationValue(1, n_bins=2).fit(X, y)
    assert selector.bin_counts_[0].tolist() == [[10, 0], [10, 0], [0, 20]]
    assert_array_equal(selector.bin_starts_[0], [0, 20, np.nan])
    assert np.isfinite(selector.weights_of_evidence_[0]).all()
    assert selector.weights_of_evidence_[0][2, 1] > 3


def test_labels_that_do_not_occur_are_no_bins(rng):
    column = pd.Categorical(rng.choice(["a", "b"], 50), categories=["a", "b", "c", "d"])
    y = np.arange(50) % 2
    with_spare = InformationValue(1).fit(pd.DataFrame({"x": column}), y)
    without = InformationValue(1).fit(pd.DataFrame({"x": np.asarray(column)}), y)
    assert_allclose(with_spare.scores_, without.scores_)
