"""Displays: what they draw and what they tabulate."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from echelon import IntervalRelief, RankOrderSelector, RelevanceBounds, ReliefF
from echelon.datasets import make_rank_order, make_relevance
from echelon.display import (
    BoundsDisplay,
    EliminationDisplay,
    FeatureCurveDisplay,
    IntervalDisplay,
    NullDisplay,
    StabilityDisplay,
)
from echelon.evaluation import feature_curve, null_threshold, selection_stability

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_bounds():
    X, y = make_relevance(100, 2, 2, 2, noise=0.2, random_state=0)
    selector = RelevanceBounds(C=0.3, false_positive_rate=0.1, random_state=0).fit(X, y)
    display = BoundsDisplay.from_estimator(selector)
    frame = display.frame()
    assert frame["feature"].tolist() == selector.order_.tolist()
    np.testing.assert_array_equal(frame[["lower", "upper"]], selector.intervals_[selector.order_])
    assert display.plot() is display
    assert len(display.ax_.patches) == 6
    first = display.ax_.get_yticklabels()[0].get_text()
    assert first == str(selector.order_[0])
    _, ax = plt.subplots()
    assert display.plot(ax, n_features=4).ax_ is ax
    assert len(ax.patches) == 4
    assert ax.get_title(loc="right").startswith("not shown:")


def test_bounds_with_awkward_names_and_many_features():
    names = np.array([f"$x_{j}$ <b>" + "y" * 50 for j in range(2000)])
    intervals = np.column_stack([np.zeros(2000), np.linspace(1, 0, 2000)])
    relevance = np.where(np.arange(2000) < 3, "weak", "irrelevant")
    display = BoundsDisplay(names, intervals, relevance, 0.2).plot()
    display.figure_.canvas.draw()
    assert len(display.ax_.patches) == 30
    assert display.ax_.get_title(loc="right") == "not shown: 0 weak, 1970 irrelevant"


def test_bounds_with_noise_of_two_kinds():
    intervals = np.array([[0.2, 0.4], [0, 0.9], [0, 0.1]])
    display = BoundsDisplay("abc", intervals, ["strong", "irrelevant", "irrelevant"], [0.3, 5, 0.3])
    assert display.frame()["feature"].tolist() == ["a", "c", "b"]  # above, and below their noise
    assert display.frame()["noise"].tolist() == [0.3, 0.3, 5]
    display.plot()
    assert display.ax_.get_xlim()[1] < 1
    assert display.ax_.get_title(loc="right") == "no dash: noise like it reaches further"


def test_bounds_of_several_classes():
    X, y = load_iris(return_X_y=True)
    selector = RelevanceBounds(
        problem="classification", C=0.5, false_positive_rate=0.5, random_state=0
    ).fit(X, y)
    every = BoundsDisplay.from_estimator(selector)
    assert (every.threshold == 1).all()
    one = BoundsDisplay.from_estimator(selector, label=2)
    expected = selector.intervals_[2, :, 1] / selector.probe_threshold_[2]
    np.testing.assert_allclose(np.sort(one.frame()["upper"]), np.sort(expected))
    assert set(zip(one.frame()["feature"], one.frame()["relevance"], strict=True)) == set(
        enumerate(selector.relevance_by_class_[2])
    )
    with pytest.raises(ValueError, match=r"`label` must be one of \[0, 1, 2\], got 7"):
        BoundsDisplay.from_estimator(selector, label=7)


def test_a_strong_feature_is_shown_in_a_class_that_needs_it():
    """Its bounds in another class may reach further, from 0."""
    X, y = load_iris(return_X_y=True)
    selector = RelevanceBounds(
        problem="classification", C=0.5, false_positive_rate=0.5, random_state=0
    ).fit(X, y)
    selector.intervals_ = np.array([[[0.1, 0.3]] * 4, [[0, 0.9]] * 4, [[0, 0.1]] * 4])
    selector.probe_thresholds_ = np.full((3, 4), 0.2)
    selector.relevance_ = np.full(4, "strong")
    selector.relevance_by_class_ = np.array([["strong"] * 4, ["weak"] * 4, ["irrelevant"] * 4])
    frame = BoundsDisplay.from_estimator(selector).frame()
    assert (frame["lower"] > 0).all()
    np.testing.assert_allclose(frame["upper"], 1.5)


def test_explained_features_come_after_those_kept():
    intervals = np.array([[0, 0.9], [0.1, 0.4], [0, 0.5], [0, 0.6]])
    relevance = ["explained", "strong", "weak", "irrelevant"]
    display = BoundsDisplay("abcd", intervals, relevance, 0.2)
    assert display.frame()["feature"].tolist() == ["c", "b", "a", "d"]
    display.plot(n_features=2)
    assert display.ax_.get_title(loc="right") == (
        "not shown: 0 strong, 0 weak, 1 explained, 1 irrelevant"
    )
    shown = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert shown == ["strong", "weak", "explained", "irrelevant", "reached by noise"]


def test_intervals():
    rng = np.random.default_rng(0)
    y = np.array(["a", "b", "c"])[np.arange(60) % 3]
    lower = rng.random((60, 4)) + np.outer(np.arange(60) % 3, [0, 3, 0, 1])
    X = np.stack([lower, lower + rng.random((60, 4))], axis=2)
    X[0, 0] = np.nan
    selector = IntervalRelief().fit(X, y)
    display = IntervalDisplay.from_estimator(selector, X, y)
    frame = display.frame()
    assert frame["feature"].tolist() == np.repeat(selector.order_, 3).tolist()
    assert frame["class"].tolist() == ["a", "b", "c"] * 4
    best = frame[frame["feature"] == 1]
    np.testing.assert_allclose(best[["lower", "upper"]], selector.prototypes_[:, 1])
    np.testing.assert_allclose(
        best["spread_lower"], [np.quantile(X[y == c, 1, 0], 0.05) for c in "abc"]
    )
    assert display.plot() is display
    assert len(display.ax_.patches) == 12
    assert display.ax_.get_yticklabels()[0].get_text().startswith("1\n")
    display.figure_.canvas.draw()
    _, ax = plt.subplots()
    assert display.plot(ax, n_features=3).ax_ is ax
    assert ax.get_title(loc="right") == "not shown: 1 features"


def test_intervals_of_points_with_many_classes_and_gaps():
    X = np.random.default_rng(0).random((60, 2))
    X[:3, 0], X[:, 1] = np.nan, 5.0
    y = np.arange(60) % 20
    display = IntervalDisplay.from_estimator(IntervalRelief().fit(X, y), X, y).plot()
    display.figure_.canvas.draw()
    assert len(display.ax_.patches) == 40


def test_elimination():
    X, y = make_rank_order(3, 10, 4, 3, random_state=0)
    selector = RankOrderSelector().fit(X, y)
    display = EliminationDisplay.from_estimator(selector, X, y, last=6)
    frame = display.frame()
    assert frame["left"].tolist() == list(range(10, 0, -1))
    np.testing.assert_array_equal(frame["divergence"], [0, *selector.path_.divergence])
    assert frame["accuracy"].notna().tolist() == [False] * 4 + [True] * 5 + [False]
    assert display.plot() is display
    assert display.ax_accuracy_.get_ylabel().startswith("accuracy")
    assert display.ax_.lines[0].get_xdata().min() == 4
    assert display.ax_.get_title(loc="right").startswith(f"dashed: {selector.support_.sum()}")


def test_elimination_without_accuracy():
    X, y = make_rank_order(3, 10, 4, 3, random_state=0)
    display = EliminationDisplay.from_estimator(RankOrderSelector(4).fit(X, y))
    _, ax = plt.subplots()
    assert display.plot(ax).ax_ is ax
    assert display.ax_accuracy_ is None
    assert display.frame().columns.tolist() == ["removed", "left", "divergence"]
    assert len(display.frame()) == 7


def test_elimination_shows_what_guessing_reaches():
    X, y = make_rank_order(3, 10, 4, 0, random_state=0)
    selector = RankOrderSelector().fit(X, y)
    kept = np.r_[0:10, 10:14, 20:24]  # ten of the first class, four of each other
    display = EliminationDisplay.from_estimator(selector, X[kept], y[kept], cv=2).plot()
    assert display.guess == 10 / 18
    line = display.ax_accuracy_.lines[1]
    np.testing.assert_allclose(line.get_ydata(), 10 / 18)
    assert [text.get_text() for text in display.ax_accuracy_.texts] == ["baseline"]
    assert EliminationDisplay.from_estimator(selector).guess is None


def test_elimination_where_no_accuracy_can_be_measured():
    X, y = make_rank_order(3, 10, 4, 3, random_state=0)
    selector = RankOrderSelector(8).fit(X, y)
    display = EliminationDisplay.from_estimator(selector, X, y, last=6).plot()
    assert display.frame()["accuracy"].isna().all()
    assert len(display.ax_.lines[0].get_xdata()) == 3
    # A sample whose known features are all removed.
    X = np.where(np.arange(30)[:, None] == 4, np.nan, X)
    X[4, selector.path_.feature[:2]] = [1, 2]
    selector = RankOrderSelector(2).fit(X, y)
    accuracy = EliminationDisplay.from_estimator(selector, X, y).frame()["accuracy"]
    known = [~np.isnan(np.delete(X[4], selector.path_.feature[:i])).all() for i in range(9)]
    assert accuracy.notna().tolist() == known
    assert not all(known)


def test_elimination_of_other_samples():
    X, y = make_rank_order(3, 10, 4, 3, random_state=0)
    frame = pd.DataFrame(X, columns=list("abcdefghij"))
    selector = RankOrderSelector(4).fit(frame, y)
    with pytest.raises(ValueError, match="feature names should match"):
        EliminationDisplay.from_estimator(selector, frame.iloc[:, ::-1], y)
    with pytest.raises(ValueError, match="`y` must be given with `X`"):
        EliminationDisplay.from_estimator(selector, frame)
    gaps = frame.astype("Float64")
    gaps.iloc[0, 0] = pd.NA
    assert EliminationDisplay.from_estimator(selector, gaps, y).frame()["accuracy"].notna().all()


def test_feature_curve():
    X, y = load_iris(return_X_y=True)
    curve = feature_curve(ReliefF(), GaussianNB(), X, y, random_state=0)
    display = curve.plot()
    line = display.ax_.lines[0]
    np.testing.assert_array_equal(line.get_xdata(), [1, 2, 3, 4])
    np.testing.assert_allclose(line.get_ydata(), curve.mean_scores)
    np.testing.assert_allclose(display.frame()["standard_error"], curve.standard_errors)
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == [
        f"best mean: {curve.best_size}",
        f"within one standard error: {curve.one_se_size}",
    ]
    assert display.ax_.get_xscale() == "linear"
    _, ax = plt.subplots()
    assert curve.plot(ax).ax_ is ax


@pytest.mark.parametrize("size", [np.nan, np.inf, 1e300])
def test_feature_curve_without_a_size_is_refused(size):
    with pytest.raises(ValueError, match="`sizes` must hold numbers of features, got"):
        FeatureCurveDisplay([size], [[1.0]])


def test_feature_curve_of_many_features():
    display = FeatureCurveDisplay([1, 10, 100, 7000], np.random.default_rng(0).random((4, 3)))
    assert display.plot().ax_.get_xscale() == "log"
    assert display.ax_.get_legend() is None
    display.figure_.canvas.draw()
    ticks = [tick.get_text() for tick in display.ax_.get_xticklabels()]
    assert {"1", "10", "100", "1000"} <= set(ticks)


def test_stability():
    X, y = load_iris(return_X_y=True, as_frame=True)
    result = selection_stability(ReliefF(2), X, y, 10, random_state=0)
    display = result.plot()
    assert isinstance(display, StabilityDisplay)
    widths = [bar.get_width() for bar in display.ax_.patches]
    np.testing.assert_allclose(widths, result.frame()["frequency"])
    assert display.ax_.get_yticklabels()[0].get_text() == result.frame()["feature"][0]
    assert display.ax_.get_title(loc="right").startswith(f"stability {result.stability:.2f}")
    _, ax = plt.subplots()
    assert result.plot(ax, n_features=3).ax_ is ax
    assert ax.get_title(loc="right").endswith("not shown: 1 features")


def test_null():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X["noise"] = np.random.default_rng(0).normal(size=len(X))
    X["constant"] = 1.0
    result = null_threshold(ReliefF(), X, y, 19, random_state=0)
    display = result.plot()
    assert isinstance(display, NullDisplay)
    frame = display.frame()
    assert frame["feature"].tolist()[-2:] == ["noise", "constant"]
    assert frame["passes"].tolist() == [True] * 4 + [False] * 2
    np.testing.assert_array_equal(
        frame["null_largest"], result.z_null.max(axis=0)[display._order()]
    )
    passing, others, threshold = display.ax_.lines
    np.testing.assert_array_equal(passing.get_xdata(), frame["z_score"][:4])
    np.testing.assert_array_equal(np.sort(result.z_scores)[:5], frame["z_score"][4::-1])
    assert display.ax_.get_xscale() == "symlog"  # the smallest of four is 45 deviations away
    assert others.get_ydata().tolist() == [4, 5]
    assert threshold.get_xdata() == [result.z_threshold] * 2
    display.figure_.canvas.draw()
    _, ax = plt.subplots()
    assert result.plot(ax, n_features=3).ax_ is ax
    assert ax.get_xlabel().endswith("\nnot shown: 3 features, 1 of them pass")


def test_null_without_a_threshold():
    """Too few permutations for the rate: nothing passes, and no line is drawn."""
    null = np.random.default_rng(0).normal(size=(9, 3))
    display = NullDisplay(["$a$", "b", "c"], [5.0, 1.0, np.nan], null, [False] * 3, np.inf).plot()
    assert len(display.ax_.lines) == 2
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert "threshold" not in texts
    assert display.ax_.get_xscale() == "linear"
    display.figure_.canvas.draw()
