"""Displays and functions given what they were not made for: one sentence that says so."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from sklearn.neighbors import KNeighborsClassifier

from echelon import ReliefF, as_intervals, intervals_from_groups
from echelon.display import (
    AgreementDisplay,
    BoundsDisplay,
    DistributionDisplay,
    ScoresDisplay,
    StabilityDisplay,
)
from echelon.evaluation import feature_curve, null_threshold, selection_stability
from echelon.filters import symmetric_uncertainty
from echelon.profile import check_rank_order
from echelon.rankorder import kendall_distance
from echelon.report import Report, summarize
from echelon.targets import read_target

X = np.random.default_rng(0).normal(size=(24, 4))
Y = np.arange(24) % 3


@pytest.fixture(scope="module")
def fitted():
    return ReliefF().fit(X, Y)


def test_bounds_of_a_selector_that_has_none(fitted):
    with pytest.raises(TypeError, match="must be a fitted RelevanceBounds, got ReliefF"):
        BoundsDisplay.from_estimator(fitted)


@pytest.mark.parametrize("rankings", [{}, {"a": 1}, {"a": [[1, 2]]}, {"a": [1, 2], "b": [1]}])
def test_agreement_of_rankings_that_cannot_be_compared(rankings):
    with pytest.raises(ValueError, match="`rankings` must hold one ranking or more"):
        AgreementDisplay.from_rankings(rankings)


@pytest.mark.parametrize("ranking", [[1], [2, 2, 2]])
def test_agreement_of_rankings_that_rank_nothing(ranking):
    shown = AgreementDisplay.from_rankings({"a": ranking}).plot()
    assert np.isnan(shown.correlation).all()
    assert shown.ax_.images[0].get_clim() == (0, 1)
    plt.close("all")


@pytest.mark.parametrize("columns", [2, 5])
def test_distributions_of_other_columns(fitted, columns):
    with pytest.raises(ValueError, match="expecting 4 features"):
        DistributionDisplay.from_estimator(fitted, np.resize(X, (24, columns)), Y)


def test_parts_of_displays_that_do_not_fit_each_other():
    with pytest.raises(ValueError, match="`scores` must have one entry per name, got 2 for 1"):
        ScoresDisplay(["a"], [1, 2])
    with pytest.raises(ValueError, match="`frequency` must have one entry per name"):
        StabilityDisplay(["a"], [0.5, 1])
    with pytest.raises(ValueError, match="`relevance` must have one entry per name"):
        BoundsDisplay(["a"], [[0, 1]], ["weak", "strong"], 0.1)


def test_intervals_of_what_has_no_columns():
    with pytest.raises(TypeError, match="`df` must be a DataFrame with named columns, got nda"):
        as_intervals(X)
    with pytest.raises(TypeError, match="`df` must be a DataFrame with named columns, got nda"):
        intervals_from_groups(X, by="day")


def test_summaries_check_what_they_are_given():
    with pytest.raises(TypeError, match=r"`profile` must be what .* got 3"):
        summarize(X, Y, ReliefF(), profile=3)
    for wrong in (-1, 2.5, True):
        with pytest.raises(ValueError, match=f"`n_resamples` must be .* got {wrong}"):
            summarize(X, Y, ReliefF(), n_resamples=wrong)


def test_a_report_of_nothing():
    with pytest.raises(ValueError, match=r"`summary` must be .* it lacks 'source'"):
        Report({})


def test_functions_of_nothing_and_of_complex_numbers():
    with pytest.raises(ValueError, match="`a` and `b` have no samples"):
        symmetric_uncertainty([], [])
    with pytest.raises(ValueError, match="complex numbers have no order"):
        kendall_distance([1j, 2], [2, 1])
    with pytest.raises(ValueError, match="`b` must be the values of one sample"):
        kendall_distance([1, 2], [10**400, 1])


def test_the_order_within_a_sample_of_what_has_none():
    assert check_rank_order(X, Y) == check_rank_order(pd.DataFrame(X), pd.Series(Y))
    with pytest.raises(ValueError, match="`X` has one feature, which has no order"):
        check_rank_order(X[:, :1], Y)
    with pytest.raises(ValueError, match="`target` holds numbers"):
        check_rank_order(X, read_target(X[:, 0], "regression"))
    with pytest.raises(TypeError, match="Column 'a' of `X` holds labels, but only numbers"):
        check_rank_order(pd.DataFrame({"a": list("bc") * 12, "b": Y}), Y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        check_rank_order(X, Y[:-1])


@pytest.mark.parametrize("wrong", [[], {ReliefF}, "odd", 3])
def test_what_is_no_estimator(wrong):
    for call in (
        lambda: null_threshold(wrong, X, Y, n_permutations=3),
        lambda: selection_stability(wrong, X, Y, n_resamples=2),
        lambda: feature_curve(wrong, KNeighborsClassifier(1), X, Y, cv=2),
        lambda: feature_curve(ReliefF(), wrong, X, Y, cv=2),
    ):
        with pytest.raises(TypeError, match=r"must be (an estimator|a model with a fit)"):
            call()
