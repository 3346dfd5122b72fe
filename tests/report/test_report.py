"""Reports: what the summary holds, and what it answers."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.naive_bayes import GaussianNB

from echelon import (
    CFS,
    IntervalRelief,
    OReliefF,
    RankCorrelation,
    RankOrderSelector,
    RelevanceBounds,
    ReliefF,
    as_intervals,
)
from echelon._core.significance import clearly_positive
from echelon._core.words import LABELS
from echelon.evaluation import FeatureCurve
from echelon.report import summarize
from echelon.study._choice import (
    Limit,
    Rule,
    choices_without,
    choose,
    held_out_scores,
    size_of,
    sizes_for,
    up_to,
)
from reference_report import held_out, rank_correlation
from report_cases import classes_and_noise

KEYS = ["source", "data", "profile", "answer", "methods", "features", "groups", "agreement",
        "how", "words"]  # fmt: skip

METHOD = ["name", "label", "params", "scores", "order", "ranking", "curve", "keep", "one_se_size",
          "best_size", "stability"]  # fmt: skip
FEATURE = ["name", "rank", "score", "relevance", "kept", "stability", "group", "distribution"]


def test_the_summary_has_its_keys(hostile):
    summary = hostile.summary()
    assert set(KEYS) <= set(summary)
    for method in summary["methods"]:
        assert set(METHOD) <= set(method)
        assert {"n_features", "mean", "std"} <= set(method["curve"])
        assert {"index", "low", "high", "frequency"} <= set(method["stability"])
    for feature in summary["features"]:
        assert set(FEATURE) <= set(feature)
    assert {"keep", "n_features", "rule"} <= set(summary["answer"])
    assert {"method", "parameters", "versions", "seed", "command", "date"} <= set(summary["how"])
    assert summary["data"]["classes"] == {
        "<i>low</i>": 30,
        "mid & co": 30,
        'high"onload="alert(3)': 30,
    }
    assert summary["data"]["kind"] == "ordinal"


def test_json_holds_the_summary(hostile):
    assert json.loads(hostile.to_json()) == hostile.summary()
    assert "NaN" not in hostile.to_json()


def test_the_summary_is_a_copy(simple):
    simple.summary()["features"].clear()
    assert len(simple.summary()["features"]) == 6


def test_the_answer(simple):
    summary = simple.summary()
    answer = summary["answer"]
    assert answer["helps"] is True
    assert answer["keep"][0] in ("first", "twin")
    assert answer["n_features"] == len(answer["keep"]) == summary["methods"][0]["n_features"]
    assert summary["words"]["answer"].startswith(
        f"Selected {answer['n_features']} of 6 features; adding more gains little"
    )
    kept = [feature["name"] for feature in summary["features"] if feature["kept"]]
    assert kept == answer["keep"]
    assert [f["rank"] for f in summary["features"]] == [1, 2, 3, 4, 5, 6]
    scores = [feature["score"] for feature in summary["features"]]
    assert scores == sorted(scores, reverse=True)


def test_features_that_say_the_same(simple):
    summary = simple.summary()
    together = {"first", "twin"} <= set(summary["answer"]["keep"])
    substitutes = {f["name"]: f["substitutes"] for f in summary["features"]}
    if together:
        assert summary["groups"] == [
            [n for n in summary["answer"]["keep"] if n in ("first", "twin")]
        ]
        assert any("are highly correlated" in caveat for caveat in summary["words"]["caveats"])
    else:
        assert substitutes[summary["answer"]["keep"][0]] in (["first"], ["twin"])


def test_noise_is_not_worth_keeping(rng):
    X, y = rng.normal(size=(80, 6)), np.arange(80) % 2
    report = summarize(X, y, ReliefF(), n_resamples=0, estimator=GaussianNB())
    answer = report.summary()["answer"]
    assert answer["helps"] is False
    assert answer["keep"] == []
    assert "No features selected" in report.to_html()
    asked = summarize(X, y, ReliefF(), n_features=2, n_resamples=0, estimator=GaussianNB())
    answer = asked.summary()["answer"]
    assert len(answer["keep"]) == 2
    assert answer["helps"] is False


def test_noise_is_rarely_taken_for_more():
    """Though the best of many sizes is looked at, held-out scores are seldom wrong."""
    rng, wrong = np.random.default_rng(0), 0
    for _ in range(300):
        level = rng.normal(size=(1, 5))
        scores = level + rng.normal(scale=0.7, size=(20, 5))
        curves = {"noise": FeatureCurve(np.arange(1, 21), scores, np.zeros((5, 20), int))}
        wrong += clearly_positive(held_out_scores({"model": curves}, np.zeros(5), Rule()))
    assert wrong < 15


@pytest.mark.parametrize("wanted", [None, 5])
@pytest.mark.parametrize("limited", [False, True])
def test_the_held_out_score(rng, wanted, limited):
    """Model, method and size are chosen on the other folds: the same as by plain loops."""
    sizes, orders = [1, 2, 3, 5, 9, 40], np.zeros((6, 40), int)
    for _ in range(30):
        limits = rng.integers(1, 12, size=6) if limited else None
        level = rng.choice([0.0, 0.05, 1.0], size=(2, 3, 1, 1))  # models apart, or as good
        scores = 1 + level * rng.random((2, 1, 1, 1)) + rng.random((2, 3, 6, 6)) / 10
        models = {
            model: {
                name: FeatureCurve(np.array(sizes), each, orders, None, limits)
                for name, each in zip("abc", part, strict=True)
            }
            for model, part in zip(("linear", "forest"), scores, strict=True)
        }
        expected = held_out(scores.tolist(), sizes, wanted, limits)
        found = held_out_scores(models, np.zeros(6), Rule(wanted))
        np.testing.assert_allclose(found, expected)


def test_a_standard_error_forgives_neither_too_much_nor_too_little():
    sizes, order = np.arange(1, 4), np.zeros((4, 3), int)
    wild = np.array([[0.2, 1.0, 0.6, 0.9], [0.9, 0.6, 1.0, 0.2], [0.8, 0.9, 0.8, 0.9]])
    assert FeatureCurve(sizes, wild, order).one_se_size == 1
    assert size_of(FeatureCurve(sizes, wild, order), 0.0, Rule()) == 3
    exact = np.array([[0.5], [0.995], [1.0]]) + np.zeros((3, 4))
    assert FeatureCurve(sizes, exact, order).one_se_size == 3
    assert size_of(FeatureCurve(sizes, exact, order), 0.0, Rule()) == 2
    assert size_of(FeatureCurve(sizes, exact, order), 0.0, Rule(tolerance=0.6)) == 1


def test_no_more_than_the_ranking_finds_worth_keeping():
    noise = np.array([[0.0] * 4, [0.2, -0.2, 0.1, 0.0], [0.0] * 4, [0.1, 0.0, -0.2, 0.2]])
    means = np.array([[0.5], [0.6], [0.61], [0.614]])
    sizes, order = np.array([1, 2, 4, 8]), np.zeros((4, 8), int)
    curve = FeatureCurve(sizes, means + np.zeros((4, 4)), order)
    rough = FeatureCurve(sizes, means + noise, order)  # no size is better by a standard error
    assert size_of(curve, 0.0, Rule(), Limit(8, rough)) == 8  # 4 features lose 0.7 % of the gain
    assert size_of(curve, 0.0, Rule()) == 4
    for limit, size in ((2, 2), (3, 2), (4, 4), (7, 4)):
        assert size_of(curve, 0.0, Rule(), Limit(limit, rough)) == size
        # Twice as many may be kept where they are clearly better.
        assert size_of(curve, 0.0, Rule(), Limit(limit, curve)) == (8 if limit >= 4 else size)
    assert size_of(curve, 0.0, Rule(wanted=4), Limit(2, rough)) == 4
    assert size_of(curve, 0.0, Rule(tolerance=0.0), Limit(2, rough)) == 8
    assert up_to([1, 2, 3, 5, 9, 13, 20], [4, 5, 3], 20) == [1, 2, 3, 5, 9, 20]
    assert up_to([1, 2, 3, 5, 9, 13, 20], [4, None, 5], 20) == [1, 2, 3, 5, 9, 13, 20]


def test_among_equal_methods_the_smaller_set_is_chosen():
    flat = np.ones((3, 4))
    late = np.array([[0.0] * 4, [1.0] * 4, [1.0] * 4])
    order = np.zeros((4, 3), int)
    curves = {"late": FeatureCurve(np.arange(1, 4), late, order),
              "early": FeatureCurve(np.arange(1, 4), flat, order)}  # fmt: skip
    assert choose(curves, 0.0, Rule()) == ("early", 1)


def test_sizes_that_are_tried():
    assert sizes_for(ReliefF(), 5, Rule()) == [1, 2, 3, 4, 5]
    assert sizes_for(ReliefF(), 20_000, Rule())[-2:] == [200, 20_000]
    assert sizes_for(CFS(), 20_000, Rule(44))[-2:] == [30, 44]
    assert 37 in sizes_for(ReliefF(), 100, Rule(37))
    for n_features in (9, 60, 300):
        sizes = np.array(sizes_for(ReliefF(), n_features, Rule()))
        assert (sizes[1:-1] <= 1.4 * sizes[:-2] + 1).all(), "no gap is wide"


def test_selection_happens_within_the_folds():
    """With thousands of noise features, selection outside of the folds would look perfect."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2000)), np.arange(40) % 2
    report = summarize(X, y, ReliefF(), n_resamples=0, estimator=GaussianNB())
    assert max(report.summary()["methods"][0]["curve"]["mean"]) < 0.75
    assert report.summary()["answer"]["keep"] == []


ORDERED = pd.Categorical(np.array(["low", "mid", "high"])[np.arange(60) % 3],
                         ["low", "mid", "high"], ordered=True)  # fmt: skip
TARGETS = [
    (ReliefF(), np.arange(60) % 3, "ordinal", "MAE in classes"),
    (ReliefF(), np.array(["a", "b"])[np.arange(60) % 2], "classification", "balanced accuracy"),
    (OReliefF(), np.arange(60) % 3, "ordinal", "MAE in classes"),
    (OReliefF(), ORDERED, "ordinal", "MAE in classes"),
    (OReliefF(class_order=["low", "mid", "high"]), np.asarray(ORDERED), "ordinal",
     "MAE in classes"),
    (OReliefF(), np.arange(60) % 2, "classification", "balanced accuracy"),
    (RelevanceBounds(C=0.3, false_positive_rate=0.5), np.arange(60) + 0.5, "regression", "R²"),
    (SelectKBest(f_classif), np.arange(60) % 3, "ordinal", "MAE in classes"),
]  # fmt: skip


@pytest.mark.parametrize(("selector", "y", "kind", "score"), TARGETS)
def test_kinds_of_targets(selector, y, kind, score, rng):
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    X["b"] += np.arange(60) % 3 if kind != "regression" else np.arange(60) / 10
    report = summarize(X, pd.Series(y, name="grade"), selector, n_resamples=0, cv=3)
    summary = report.summary()
    assert summary["data"]["kind"] == kind
    assert summary["answer"]["score"]["name"] == score
    assert summary["how"]["scoring"] == score
    assert summary["words"]["title"] == "Which features predict grade?"
    guess = summary["answer"]["score"]["guess"]["mean"]
    assert guess > 0.6 if kind == "ordinal" else guess < 0.6
    if kind == "regression":
        assert list(summary["data"]["classes"]) == summary["data"]["shown_classes"]
        assert summary["features"][0]["relevance"] in LABELS
        expected = rank_correlation(X["b"].tolist(), y.tolist())
        trend = next(f["trend"] for f in summary["features"] if f["name"] == "b")
        np.testing.assert_allclose(trend, expected)
    report.to_html(), report.to_markdown(), report.to_json()


def test_mixed_tables_with_gaps(rng):
    y = np.arange(60) % 2
    X = pd.DataFrame({
        "number": rng.normal(size=60) + 2 * y,
        "label": rng.choice(["x", "y"], 60),
        "likert": pd.Categorical(rng.choice(["no", "so so", "yes"], 60), ["no", "so so", "yes"],
                                 ordered=True),
        "flag": rng.random(60) > 0.5,
        "constant": 1.0,
        "integer": rng.integers(0, 5, 60),
    })  # fmt: skip
    X["again"] = X["integer"]
    X.loc[:5, "number"] = np.nan
    X.loc[3:9, "label"] = None
    summary = summarize(X, y, ReliefF(), n_resamples=2, cv=3).summary()
    assert summary["data"]["missing"] == 13
    assert summary["data"]["nominal"] == 1
    assert summary["data"]["constant"] == ["constant"]
    assert summary["data"]["duplicated"] == [["integer", "again"]]
    text = " ".join(summary["words"]["caveats"])
    assert "13 values (3.1 %) in 2 columns are missing." in text
    assert "integer and again are the same" in text
    rows = {feature["name"]: feature for feature in summary["features"]}
    assert rows["label"]["distribution"]["kind"] == "labels"
    assert rows["likert"]["distribution"]["kind"] == "numbers"
    assert rows["number"]["missing"] == 6


def test_intervals(rng):
    y = np.arange(45) % 3
    bounds = pd.DataFrame({f"{name}_min": rng.random(45) + shift * y
                           for name, shift in (("rain", 0), ("heat", 2))})  # fmt: skip
    for name in ("rain", "heat"):
        bounds[f"{name}_max"] = bounds[f"{name}_min"] + rng.random(45)
    report = summarize(as_intervals(bounds), y, IntervalRelief(), n_resamples=2, cv=3)
    assert report.summary()["answer"]["keep"] == ["heat"]
    assert "heat" in report.to_html()


@pytest.mark.parametrize("selector", [CFS(), RankOrderSelector()])
def test_methods_without_scores(selector, rng):
    X, y = classes_and_noise()
    report = summarize(X, y, selector, n_resamples=2, cv=3, estimator=GaussianNB())
    assert report.summary()["methods"][0]["scores"] is None
    assert {feature["score"] for feature in report.summary()["features"]} == {None}
    assert ">score</button>" not in report.to_html()


def test_agreement_between_methods(hostile, simple):
    assert simple.summary()["agreement"] is None
    agreement = hostile.summary()["agreement"]
    first, second = (method["ranking"] for method in hostile.summary()["methods"])
    np.testing.assert_allclose(agreement["rank_correlation"][0][1], rank_correlation(first, second))


def test_two_reports_differ_by_the_date_only():
    X, y = classes_and_noise()
    reports = [summarize(X, y, {"a": ReliefF(sample_size=30)}, n_resamples=3, cv=3, n_jobs=n_jobs)
               for n_jobs in (1, 2)]  # fmt: skip
    summaries = [report.summary() for report in reports]
    for report, summary in zip(reports, summaries, strict=True):
        date = summary["how"].pop("date")
        assert date in report.to_html()
    assert summaries[0] == summaries[1]
    assert "0x" not in json.dumps(summaries[0])


WRONG = [
    ({"n_features": 0}, "`n_features` must be 'auto' or a whole number from 1 .* 6, got 0"),
    ({"n_features": "six"}, "`n_features` must be .* got 'six'"),
    ({"cv": 1}, "`cv` must be at least 2 folds"),
    ({"scoring": "nonsense"}, "scoring"),
    ({"selectors": {}}, "`selectors` must be a selector or a dict"),
    ({"selectors": "relieff"}, "`selectors` must be a selector or a dict"),
    ({"y": np.arange(5)}, "inconsistent numbers of samples"),
    ({"y": np.where(np.arange(90) > 3, 1.0, np.nan)}, "y contains NaN"),
    ({"X": np.ones((90, 3, 2, 1))}, "must have rows and columns"),
    ({"selectors": {"mine": ReliefF(n_neighbors=0)}}, "mine: .*n_neighbors"),
]


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_wrong_input(change, message):
    X, y = classes_and_noise()
    arguments = {"X": X, "y": y, "selectors": ReliefF(), "n_resamples": 0, "cv": 3} | change
    with pytest.raises((TypeError, ValueError), match=message):
        summarize(arguments.pop("X"), arguments.pop("y"), arguments.pop("selectors"), **arguments)


def test_small_classes_are_said_not_warned_of(rng):
    y = np.array([0] * 20 + [1] * 20 + [2] * 2)
    X = rng.normal(size=(42, 2)) + y[:, None]
    caveats = summarize(X, y, ReliefF(), n_resamples=0, cv=3).summary()["words"]["caveats"]
    assert any("fewer samples than folds" in caveat and "2 (2)" in caveat for caveat in caveats)


def test_real_data():
    X, y = load_wine(return_X_y=True, as_frame=True)
    selectors = {"ReliefF": ReliefF(), "CFS": CFS()}
    report = summarize(X, y, selectors, n_resamples=3, scoring="neg_log_loss", cv=3)
    score = report.summary()["answer"]["score"]
    assert score["name"] == "log loss"
    assert not score["larger_is_better"]
    assert 0 < score["held_out"]["mean"] < score["guess"]["mean"]
    assert "flavanoids" in report.summary()["answer"]["keep"]


def test_a_number_of_features_that_folds_decide_is_said_to_be_uncertain(rng):
    """The range is that of the choices without one fold each; it is said where it is wide."""
    X = pd.DataFrame(rng.normal(size=(90, 8))).add_prefix("x")
    y = X.sum(axis=1) + 3 * rng.normal(size=90)
    found = summarize(X, y, RankCorrelation(), n_resamples=0, random_state=0)
    answer = found.summary()["answer"]
    said = [each for each in found.summary()["words"]["caveats"] if "How many is uncertain" in each]
    low, high = answer["sizes"]
    assert 1 <= low <= high <= 8
    assert bool(said) == (answer["helps"] and high >= 1.5 * low)
    assert all(f"{low} to {high} features" in each for each in said)
    fixed = summarize(X, y, RankCorrelation(), n_resamples=0, n_features=3).summary()
    assert fixed["answer"]["sizes"] == [3, 3]


def test_sizes_without_a_fold_are_those_of_the_other_folds(rng):
    scores = rng.random((6, 6)) / 10 + 1
    scores[5, 0] += 1  # six features are far better in one of the folds
    curves = {"m": FeatureCurve(np.arange(1, 7), scores, np.zeros((6, 6), int))}
    chosen = choices_without({"model": curves}, np.zeros(6), Rule())
    assert len({choice.size for _, choice in chosen}) > 1
    for fold, (model, choice) in enumerate(chosen):
        alone = {"m": curves["m"].without(fold)}
        assert model == "model"
        assert choice == choose(alone, 0.0, Rule())
