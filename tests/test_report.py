"""Reports: what the summary holds, what it answers, and that no text becomes markup."""

import json
import re
from html.parser import HTMLParser

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
    RankOrderSelector,
    RelevanceBounds,
    ReliefF,
    as_intervals,
)
from echelon.evaluation import FeatureCurve
from echelon.report import Report, summarize
from echelon.report._alike import ALIKE, associations, groups_of
from echelon.report._curves import beats, choose, held_out_scores, sizes_for
from echelon.report._layout import round_ticks
from echelon.report._plain import counted, listed, number, plain, with_error
from echelon.report._report import _as_markdown
from reference_report import groups_alike, held_out, rank_correlation
from report_cases import HOSTILE, classes_and_noise, hostile_report, wide_report


@pytest.fixture(scope="module")
def hostile():
    return hostile_report()


@pytest.fixture(scope="module")
def simple():
    X, y = classes_and_noise()
    return summarize(X, y, ReliefF(), n_resamples=4, cv=3, estimator=GaussianNB())


KEYS = ["title", "source", "data", "profile", "answer", "methods", "features", "groups",
        "agreement", "caveats", "how"]  # fmt: skip
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
    assert {"sentence", "keep", "n_features", "rule"} <= set(summary["answer"])
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
    assert answer["n_features"] == len(answer["keep"]) == summary["methods"][0]["one_se_size"]
    assert answer["sentence"].startswith(
        f"Keep these {answer['n_features']} of 6; more gain nothing"
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
        assert any("say nearly the same" in caveat for caveat in summary["caveats"])
    else:
        assert substitutes[summary["answer"]["keep"][0]] in (["first"], ["twin"])


def test_noise_is_not_worth_keeping(rng):
    X, y = rng.normal(size=(80, 6)), np.arange(80) % 2
    report = summarize(X, y, ReliefF(), n_resamples=0, estimator=GaussianNB())
    answer = report.summary()["answer"]
    assert answer["helps"] is False
    assert answer["keep"] == []
    assert answer["sentence"].startswith(
        "Keep none: no set of features tried is clearly better than"
    )
    assert "Keep none" in report.to_html()
    asked = summarize(X, y, ReliefF(), n_features=2, n_resamples=0, estimator=GaussianNB())
    answer = asked.summary()["answer"]
    assert len(answer["keep"]) == 2
    assert answer["sentence"].startswith("The best 2 features are not clearly better")


def test_noise_is_rarely_taken_for_more():
    """Though the best of many sizes is looked at, held-out scores are seldom wrong."""
    rng, wrong = np.random.default_rng(0), 0
    for _ in range(300):
        level = rng.normal(size=(1, 5))
        scores = level + rng.normal(scale=0.7, size=(20, 5))
        curves = {"noise": FeatureCurve(np.arange(1, 21), scores, np.zeros((5, 20), int))}
        wrong += beats(held_out_scores(curves, None), np.zeros(5))
    assert wrong < 30


def test_the_held_out_score(rng):
    sizes = [1, 2, 5, 9]
    for wanted in (None, 5):
        curves = {name: FeatureCurve(np.array(sizes), rng.random((4, 6)), np.zeros((6, 9), int))
                  for name in "abc"}  # fmt: skip
        expected = held_out([curve.scores.tolist() for curve in curves.values()], sizes, wanted)
        np.testing.assert_allclose(held_out_scores(curves, wanted), expected)


def test_among_equal_methods_the_smaller_set_is_chosen():
    flat = np.ones((3, 4))
    late = np.array([[0.0] * 4, [1.0] * 4, [1.0] * 4])
    order = np.zeros((4, 3), int)
    curves = {"late": FeatureCurve(np.arange(1, 4), late, order),
              "early": FeatureCurve(np.arange(1, 4), flat, order)}  # fmt: skip
    assert choose(curves, None) == ("early", 1)


def test_sizes_that_are_tried():
    assert sizes_for(ReliefF(), 5, None) == [1, 2, 3, 4, 5]
    assert sizes_for(ReliefF(), 20_000, None)[-2:] == [200, 20_000]
    assert sizes_for(CFS(), 20_000, 44)[-2:] == [30, 44]
    assert 37 in sizes_for(ReliefF(), 100, 37)
    for n_features in (9, 60, 300):
        sizes = np.array(sizes_for(ReliefF(), n_features, None))
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
    (ReliefF(), np.arange(60) % 3, "classification", "balanced accuracy"),
    (ReliefF(), np.array(["a", "b"])[np.arange(60) % 2], "classification", "balanced accuracy"),
    (OReliefF(), np.arange(60) % 3, "ordinal", "mean error in classes"),
    (OReliefF(), ORDERED, "ordinal", "mean error in classes"),
    (OReliefF(class_order=["low", "mid", "high"]), np.asarray(ORDERED), "ordinal",
     "mean error in classes"),
    (OReliefF(), np.arange(60) % 2, "classification", "balanced accuracy"),
    (RelevanceBounds(C=0.3, false_positive_rate=0.5), np.arange(60) + 0.5, "regression", "R²"),
    (SelectKBest(f_classif), np.arange(60) % 3, "classification", "balanced accuracy"),
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
    assert summary["title"] == "Which features go with grade?"
    guess = summary["answer"]["score"]["guess"]["mean"]
    assert guess > 0.6 if kind == "ordinal" else guess < 0.6
    if kind == "regression":
        assert list(summary["data"]["classes"]) == summary["data"]["shown_classes"]
        assert summary["features"][0]["relevance"] in ("strong", "weak", "irrelevant")
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
    text = " ".join(summary["caveats"])
    assert "13 values (3.1 %) in 2 columns are missing." in text
    assert "Equal columns: integer and again" in text
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
    caveats = summarize(X, y, ReliefF(), n_resamples=0, cv=3).summary()["caveats"]
    assert any("fewer samples than folds" in caveat and "'2' (2)" in caveat for caveat in caveats)


class Tags(HTMLParser):
    """Elements and attributes of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.texts = set(), set(), []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {(name, value) for name, value in attrs}

    def handle_data(self, data):
        self.texts.append(data)


def test_no_text_becomes_markup_in_html(hostile):
    page = Tags(hostile.to_html())
    assert not page.tags & {"img", "b", "s", "u", "iframe", "object", "link"}
    assert not any(name.startswith("on") for name, _ in page.attributes)
    assert not any(name in ("src", "href") for name, _ in page.attributes)
    assert HOSTILE in page.texts
    assert hostile.to_html().count("<script") == 2
    assert "\u2028" not in re.search(r'id="data">(.*?)</script>', hostile.to_html(), re.S)[1]


def test_the_page_needs_no_network(hostile):
    page = hostile.to_html()
    assert "http://" not in page
    assert "https://" not in page
    assert "default-src 'none'" in page


def test_no_text_becomes_markup_in_markdown(hostile):
    text = hostile.to_markdown()
    outside = re.sub(r"`[^`\n]*`", "", re.sub(r"\\.", "", text))
    assert "<" not in outside
    assert not re.search(r"\*d\*|_e_", outside)
    for line in text.splitlines():
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) == len(
                re.findall(r"(?<!\\)\|", _header_of(text, line))
            )


def _header_of(text, line):
    """The first line of the table that a line belongs to."""
    lines = text.splitlines()
    place = lines.index(line)
    while lines[place - 1].startswith("|"):
        place -= 1
    return lines[place]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a|b", r"a\|b"),
        ("# title", r"\# title"),
        ("1. item", r"1\. item"),
        ("0.25", "0.25"),
        ("[x](y)", r"\[x\](y)"),
        ("a\nb", "a b"),
        ("<b>&", r"\<b\>&amp;"),
        ("see http://x.org", "see http&#58;//x.org"),
        ("$a$ www.x.org a@b", r"\$a\$ www&#46;x.org a&#64;b"),
    ],
)
def test_markdown_is_escaped(text, expected):
    assert _as_markdown(text) == expected


def test_a_notebook_shows_the_page_in_a_frame(hostile):
    fragment = Tags(hostile._repr_html_())
    assert fragment.tags == {"iframe"}
    assert ("srcdoc", hostile.to_html()) in fragment.attributes


def test_twenty_thousand_features():
    report = wide_report()
    page = report.to_html()
    assert len(page.encode()) < 3_000_000
    assert page.count('<svg class="strip"') == 200
    assert len(report.summary()["features"]) == 20_000
    assert any("more features (20,000) than samples" in c for c in report.summary()["caveats"])


def test_names_without_end_do_not_blow_up_the_page(simple):
    summary = simple.summary()
    template = summary["features"][0]
    summary["features"] = [
        template | {"name": f"{k} {'x' * 5000}", "rank": k + 1} for k in range(20_000)
    ]
    page = Report(summary).to_html()
    assert len(page.encode()) < 3_000_000
    assert "features ranked last are left out of this page" in page


def test_associations(rng):
    base = rng.normal(size=200)
    X = pd.DataFrame({
        "a": base, "b": -(base**3), "c": rng.normal(size=200),
        "sign": np.where(base > 0, "plus", "minus"),
        "sign again": np.where(base > 0, "p", "m"),
        "id": [f"row {k}" for k in range(200)],
    })  # fmt: skip
    X.loc[:9, "b"] = np.nan
    found = associations(X)
    np.testing.assert_array_equal(found, found.T)
    # Ranks are taken before gaps are left out, so not to the last digit.
    np.testing.assert_allclose(found[0, 1], 1.0, atol=1e-3)
    expected = abs(rank_correlation(base.tolist(), X["c"].tolist()))
    np.testing.assert_allclose(found[0, 2], expected)
    np.testing.assert_allclose(found[3, 4], 1.0, atol=0.01)
    assert 0.8 < found[0, 3] < 0.95
    assert found[5, :5].max() == 0, "what differs in every row tells nothing"


def test_groups(rng):
    for _ in range(20):
        factors = rng.normal(size=(60, 3))
        X = pd.DataFrame(factors[:, rng.integers(0, 3, 9)] + rng.normal(scale=0.5, size=(60, 9)))
        association = associations(X)
        assert groups_of(association) == groups_alike(association.tolist(), ALIKE)


def test_plain_values():
    value = {1: np.float64("nan"), "x": [np.inf, np.int64(3), np.array([[1.5]]), None, {2}, object]}
    assert json.dumps(plain(value), allow_nan=False)
    assert plain(value)["1"] is None
    assert plain(value)["x"][:5] == [None, 3, [[1.5]], None, [2]]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (12345, "12,345"), (0.12345, "0.123"), (1234.5, "1,234"), (1e-7, "1.00e-07"),
     (-0.5, "-0.500"), (None, "-"), (float("nan"), "-")],
)  # fmt: skip
def test_numbers_as_text(value, text):
    assert number(value) == text


def test_lists_and_errors_as_text():
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed("abcdefg") == "a, b, c, d and 3 more"
    assert counted(1, "feature") == "1 feature"
    assert counted(1200, "feature") == "1,200 features"
    assert with_error(0.12345, 0.0101) == "0.123 ± 0.010"
    assert with_error(1234.5, 25.0) == "1,234 ± 25"
    assert with_error(None, 0.1) == "-"


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3.2, 0.01), (0.8412, 0.8413), (1, 30)])
def test_ticks_are_round_and_within(low, high):
    ticks = round_ticks(low, high)
    assert 2 <= len(ticks) <= 7
    assert min(ticks) >= low - 1e-9
    assert max(ticks) <= high + 1e-9
    np.testing.assert_allclose(np.diff(ticks), ticks[1] - ticks[0])


def test_real_data():
    X, y = load_wine(return_X_y=True, as_frame=True)
    selectors = {"ReliefF": ReliefF(), "CFS": CFS()}
    report = summarize(X, y, selectors, n_resamples=3, scoring="neg_log_loss", cv=3)
    score = report.summary()["answer"]["score"]
    assert score["name"] == "log loss"
    assert not score["larger_is_better"]
    assert 0 < score["held_out"]["mean"] < score["guess"]["mean"]
    assert "flavanoids" in report.summary()["answer"]["keep"]
