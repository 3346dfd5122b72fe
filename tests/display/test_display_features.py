"""Displays of scores, distributions and agreement: tables beside loops, and pictures."""

import base64

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot as plt

from echelon import InformationValue, OrdEval, RankOrderSelector, ReliefF, as_intervals
from echelon.datasets import make_rank_order
from echelon.display import (
    AgreementDisplay,
    BoundsDisplay,
    DistributionDisplay,
    EliminationDisplay,
    FeatureCurveDisplay,
    OrdEvalDisplay,
    ScoresDisplay,
    StabilityDisplay,
    WeightsOfEvidenceDisplay,
)
from reference_report import overlap, quantile, rank_correlation

mpl.use("Agg")
AWKWARD = "$x_{1}$ <b> & a name that goes on and on and on\nand on"


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_scores_of_a_selector(rng):
    X = pd.DataFrame(rng.random((40, 5)), columns=list("abcde"))
    y = np.arange(40) % 2
    X["c"] += y
    selector = ReliefF(2).fit(X, y)
    display = ScoresDisplay.from_estimator(selector)
    frame = display.frame()
    assert frame["feature"].tolist() == X.columns[selector.order_].tolist()
    np.testing.assert_array_equal(frame["score"], selector.scores_[selector.order_])
    assert frame["kept"].tolist() == [True, True, False, False, False]
    assert frame["rank"].tolist() == [1, 2, 3, 4, 5]
    assert display.plot() is display
    widths = [bar.get_width() for bar in display.ax_.patches]
    np.testing.assert_allclose(widths, frame["score"])
    assert display.ax_.get_yticklabels()[0].get_text() == "c"


@pytest.mark.parametrize("n_features", [1, 5, 60, 5000])
def test_scores_of_few_and_many_features(n_features, rng):
    names = np.array([AWKWARD if f % 7 == 0 else f"feature {f}" for f in range(n_features)])
    scores = rng.normal(size=n_features)
    scores[-1] = np.nan
    display = ScoresDisplay(names, scores, scores > 0, 0.5)
    assert display.frame()["score"].isna().tolist() == [False] * (n_features - 1) + [True]
    display.plot()
    display.figure_.canvas.draw()
    assert len(display.ax_.patches) == min(n_features, 30)
    texts = [tick.get_text() for tick in display.ax_.get_yticklabels()]
    if n_features > 30:
        n_kept = (scores > 0).sum() - 30 if n_features > 60 else 0
        assert texts[30].startswith(f"{n_features - 30:,} others")
        assert n_kept == 0 or texts[30].endswith(f"{n_kept:,} selected")
    assert all("\n" not in text and len(text) < 36 for text in texts)


def test_scores_need_scores():
    X, y = make_rank_order(3, 8, 3, 0, random_state=0)
    selector = RankOrderSelector(2).fit(X, y)
    with pytest.raises(TypeError, match="RankOrderSelector, which has no scores_"):
        ScoresDisplay.from_estimator(selector)


def test_distributions_of_numbers_and_labels(rng):
    grade = pd.Categorical(np.array(["low", "mid", "high"])[np.arange(90) % 3],
                           ["low", "mid", "high"], ordered=True)  # fmt: skip
    X = pd.DataFrame({"number": rng.random(90), AWKWARD: rng.choice(list("uvw"), 90)})
    X.loc[:4, "number"] = np.nan
    X.loc[:7, AWKWARD] = None
    display = DistributionDisplay.from_data(X, grade)
    frame = display.frame()
    assert frame["class"].unique().tolist() == ["low", "mid", "high"]
    for c in ("low", "mid", "high"):
        mask = np.asarray(grade == c)
        row = frame[(frame["class"] == c) & (frame["feature"] == "number")].iloc[0]
        there = X.loc[mask, "number"].dropna().tolist()
        assert row["present"] == len(there)
        for share in (0.05, 0.25, 0.5, 0.75, 0.95):
            np.testing.assert_allclose(row[f"q{round(100 * share):02d}"], quantile(there, share))
        labels = X.loc[mask, AWKWARD].dropna().tolist()
        shares = frame[(frame["class"] == c) & (frame["feature"] == AWKWARD)]
        for text, share in zip(shares["label"], shares["share"], strict=True):
            np.testing.assert_allclose(share, labels.count(text) / len(labels))
    display.plot()
    display.figure_.canvas.draw()
    colours = [patch.get_facecolor()[:3] for patch in display.ax_.patches]
    brightness = [sum(colour) for colour in dict.fromkeys(colours)]
    assert brightness == sorted(brightness), "ordered classes go from dark to light"
    assert len(brightness) == 3


def test_distributions_of_many_labels_classes_and_features(rng):
    X = pd.DataFrame(rng.random((400, 50)))
    X[50] = [f"label {k % 20}" for k in range(400)]
    X[51] = 7.0
    X[52] = np.nan
    display = DistributionDisplay.from_data(
        X, np.arange(400) % 20, features=[50, 51, 52, *range(20)]
    )
    labels = display.frame().query("feature == 50")["label"].unique().tolist()
    assert len(labels) == 6
    assert labels[-1] == "other"
    display.plot(n_features=4)
    display.figure_.canvas.draw()
    assert len(display.ax_.get_legend().get_texts()) == 12
    assert display.ax_.get_title(loc="right") == "not shown: 49 features"
    with pytest.raises(ValueError, match="`features` must be columns of `X`, got 'age'"):
        DistributionDisplay.from_data(X, np.arange(400) % 20, features=["age"])


def test_distributions_of_other_containers(rng):
    values = rng.random((40, 2))
    quarters = DistributionDisplay.from_data(values, values[:, 0]).frame()
    assert quarters["class"].unique().tolist()[0] == "lowest quarter"
    assert (quarters.query("feature == 0")["q50"].diff().dropna() > 0).all()
    table = pl.DataFrame(
        {"a": values[:, 0], "b": pl.Series(["x", "y"] * 20, dtype=pl.Enum(["y", "x"]))}
    )
    frame = DistributionDisplay.from_data(table, ["no", "yes"] * 20).frame()
    assert frame.query("feature == 'b'")["q50"].tolist() == [1, 0]
    bounds = pd.DataFrame({"t_min": values[:, 0], "t_max": values[:, 0] + 2})
    frame = DistributionDisplay.from_data(as_intervals(bounds), [0, 1] * 20).frame()
    np.testing.assert_allclose(frame["q50"][0], quantile((values[::2, 0] + 1).tolist(), 0.5))
    few = DistributionDisplay.from_data(values, np.r_[np.zeros(26), np.arange(1, 15)] + 0.5).frame()
    assert few["class"].unique().tolist() == ["part 1 of 3", "part 2 of 3", "part 3 of 3"]


def test_the_best_features_of_a_selector(rng):
    X = rng.random((60, 6))
    y = np.array(["low", "mid", "high"])[np.arange(60) % 3]
    X[:, 4] += np.arange(60) % 3
    display = DistributionDisplay.from_estimator(ReliefF().fit(X, y), X, y, n_features=2)
    assert display.names[0] == 4
    assert display.plot().ax_.get_title(loc="right") == "not shown: 4 features"


def test_agreement(rng):
    rankings = {"a": rng.permutation(30) + 1, "b": rng.permutation(30) + 1, "c": np.arange(30)}
    rankings["c"][20:] = 20
    display = AgreementDisplay.from_rankings(rankings, n_best=7)
    frame = display.frame()
    assert frame[["method", "other"]].to_numpy().tolist() == [["a", "b"], ["a", "c"], ["b", "c"]]
    for _, row in frame.iterrows():
        first, second = rankings[row["method"]].tolist(), rankings[row["other"]].tolist()
        np.testing.assert_allclose(row["rank_correlation"], rank_correlation(first, second))
        np.testing.assert_allclose(row["overlap"], overlap(first, second, 7))
    display.plot()
    display.figure_.canvas.draw()
    written = [text.get_text() for text in display.ax_.texts]
    assert written[0] == f"{display.correlation[0, 1]:.2f}"
    assert written[2] == f"{display.overlap[1, 0]:.2f}"


def test_agreement_at_the_limits():
    rankings = {AWKWARD: [1, 2, 3], "constant": [1, 1, 1]}
    display = AgreementDisplay.from_rankings(rankings, n_best=10)
    assert display.n_best == 1
    assert np.isnan(display.correlation[0, 1])
    display.plot()
    display.figure_.canvas.draw()


DISPLAYS = [
    lambda: ScoresDisplay(["a", AWKWARD], [1, 2]),
    lambda: StabilityDisplay(["a", AWKWARD], [1, 0.5]),
    lambda: FeatureCurveDisplay([1, 2], [[0.5, 0.6], [0.7, 0.8]], 2, 1),
    lambda: EliminationDisplay(3, [0, 1.0], n_kept=2),
    lambda: BoundsDisplay(["a", AWKWARD], [[0, 1], [0, 0.1]], ["weak", "irrelevant"], 0.2),
    lambda: AgreementDisplay.from_rankings({"a": [1, 2, 3], "b": [3, 2, 1]}),
]


@pytest.mark.parametrize("make", DISPLAYS)
def test_a_notebook_shows_a_display_once(make):
    display = make()
    html = display._repr_html_()
    start, image = html.split("base64,")
    assert start.startswith("<img")
    assert base64.b64decode(image.removesuffix('">')).startswith(b"\x89PNG")
    assert plt.get_fignums() == [], "no figure is left open"
    display.plot()
    assert "<img" not in display._repr_html_(), "the notebook shows an open figure by itself"


@pytest.mark.parametrize("make", DISPLAYS)
def test_text_survives_a_slide(make):
    display = make().plot()
    ticks = [*display.ax_.get_xticklabels(), *display.ax_.get_yticklabels()]
    assert min(text.get_fontsize() for text in ticks) >= 12
    assert display.ax_.xaxis.label.get_fontsize() >= 12 or not display.ax_.get_xlabel()


def test_ordeval(rng):
    X = pd.DataFrame(rng.integers(1, 6, (200, 3)), columns=["staff", "price", "noise"])
    y = X["staff"] + 2 * (X["price"] == 5)
    analysis = OrdEval(random_state=0).fit(X, y)
    display = OrdEvalDisplay.from_estimator(analysis)
    pd.testing.assert_frame_equal(display.frame(), analysis.frame())
    assert display.plot() is display
    # Five values, of which the lowest has no way up and the highest no way down.
    assert len(display.ax_.patches) == 3 * (4 + 4 + 5)
    assert [text.get_text() for text in display.ax_.texts] == [
        "downward", "upward", "anchoring", "staff", "price", "noise",
    ]  # fmt: skip
    full = [bar for bar in display.ax_.patches if bar.get_alpha() == 1]
    frame = display.frame()
    assert len(full) == (frame["factor"] > frame["high"]).sum()
    chosen = OrdEvalDisplay.from_estimator(analysis, ["price", "staff"])
    assert chosen.frame()["feature"].unique().tolist() == ["price", "staff"]
    assert chosen.plot(n_features=1).ax_.get_title(loc="right") == "not shown: 1 features"
    with pytest.raises(ValueError, match=r"`features` must name.*'parking'.*staff, price, noise"):
        OrdEvalDisplay.from_estimator(analysis, ["parking"])


def test_weights_of_evidence(rng):
    X = pd.DataFrame({"age": rng.integers(20, 60, 200).astype(float),
                      AWKWARD: rng.choice(["a", "b"], 200)})  # fmt: skip
    X.loc[:9, "age"] = np.nan
    y = np.where(X["age"].fillna(0) + rng.normal(0, 5, 200) > 40, "yes", "no")
    fitted = InformationValue(2, n_bins=3).fit(X, y)
    display = WeightsOfEvidenceDisplay.from_estimator(fitted)
    frame = display.frame()
    assert frame["bin"].tolist()[3:] == ["missing", *pd.unique(X[AWKWARD])]
    assert frame["bin"][0] == f"below {frame['start'][1]:g}"
    assert display.plot() is display
    display.figure_.canvas.draw()
    widths = [bar.get_width() for bar in display.ax_.patches]
    np.testing.assert_allclose(widths, frame["weight_of_evidence"])
    ticks = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert ticks[3] == "missing  (n=10)"
    assert display.ax_.get_xlabel() == "weight of evidence of yes"
    chosen = WeightsOfEvidenceDisplay.from_estimator(fitted, [AWKWARD]).plot(n_features=1)
    assert len(chosen.ax_.patches) == 2
    with pytest.raises(ValueError, match=r"`features` must name.*'x'"):
        WeightsOfEvidenceDisplay.from_estimator(fitted, ["x"])
    with pytest.raises(TypeError, match="must be a fitted InformationValue"):
        WeightsOfEvidenceDisplay.from_estimator(OrdEval())
    three = InformationValue(2).fit(X, np.arange(200) % 3)
    with pytest.raises(ValueError, match="two classes, got weights of 3"):
        WeightsOfEvidenceDisplay.from_estimator(three)


def test_reversed_features_are_marked(rng):
    X = rng.integers(1, 6, (200, 2))
    display = OrdEvalDisplay.from_estimator(OrdEval(random_state=0).fit(X, -X[:, 0]))
    assert display.plot().ax_.texts[3].get_text() == "0 (reversed)"
    assert (
        OrdEvalDisplay(display.frame().drop(columns="reversed")).plot().ax_.texts[3].get_text()
        == "0"
    )


def test_ordeval_without_shuffles_or_factors(rng):
    X = rng.integers(1, 4, (60, 2))
    display = OrdEvalDisplay.from_estimator(OrdEval(n_shuffles=0).fit(X, X[:, 0])).plot()
    assert len(display.ax_.patches) == 2 * (2 + 2 + 3)
    nothing = OrdEvalDisplay.from_estimator(OrdEval().fit(rng.random((60, 2)), X[:, 0]))
    assert nothing.frame().empty
    assert len(nothing.plot().ax_.patches) == 0
