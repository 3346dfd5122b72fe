"""Contradictions: every kind is found where there is one, and none is produced."""

import contextlib
import io
import json
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from cli_cases import grades
from echelon import RankCorrelation, RelevanceBounds, ReliefF, RReliefF
from echelon.cli import _show, main
from echelon.datasets import load_grades, make_relevance
from echelon.report import summarize
from echelon.study import _summary, bounds_contradictions, contradictions
from echelon.study._caveats import other_halves
from report_cases import classes_and_noise


@pytest.fixture
def summary(simple):
    """A summary in which all fits together: 6 features, some of them kept."""
    summary = simple.summary()
    for feature in summary["features"]:
        feature["stability"] = 0.5
    return summary


def chosen(summary):
    """The part of the method that made the answer."""
    return next(m for m in summary["methods"] if m["name"] == summary["answer"]["method"])


def kept(summary, wanted=True):
    """The first feature that is kept, or not."""
    return next(feature for feature in summary["features"] if feature["kept"] is wanted)


def only(summary):
    """The one contradiction found."""
    (found,) = contradictions(summary)
    return found


def test_a_summary_without_any(summary, hostile):
    assert contradictions(summary) == []
    assert contradictions(hostile.summary()) == []


def test_kept_but_never_chosen(summary):
    summary["how"]["n_resamples"] = 20
    kept(summary)["stability"] = 0.0
    assert only(summary) == f"kept, but chosen in 0 % of the halves: {kept(summary)['name']}."
    kept(summary)["stability"] = 0.05
    assert contradictions(summary) == []


def test_chosen_always_but_not_kept(summary):
    summary["how"]["n_resamples"] = 20
    kept(summary, False)["stability"] = 1.0
    assert only(summary).startswith("not kept, but chosen in 100 % of the halves")
    summary["how"]["n_resamples"] = 3
    assert contradictions(summary) == [], "three halves may agree by chance"


@pytest.mark.parametrize(("is_kept", "share", "word"), [(True, 0.0, "No"), (False, 1.0, "Every")])
def test_a_warning_explains_what_halves_decide_otherwise(summary, is_kept, share, word):
    summary["how"]["n_resamples"] = 20
    feature = kept(summary, is_kept)
    feature["stability"] = share
    assert len(contradictions(summary)) == 1
    (warning,) = other_halves(summary["features"], 20)
    assert warning.startswith(f"{word} half of the rows chooses {feature['name']}, all rows ")
    summary["answer"]["warnings"].append(warning)
    assert contradictions(summary) == []
    assert other_halves(summary["features"], 3) == []


def test_what_every_half_chooses_is_said_beside_the_answer():
    """A ranking of few rows by neighbours need not be that of all."""
    X, y = load_grades()
    answer = summarize(X, y.astype(str), ReliefF(), kind="classification").summary()["answer"]
    assert "sex" not in answer["keep"]
    assert any("Every half of the rows chooses sex" in said for said in answer["warnings"])


def test_a_constant_is_no_better_than_noise():
    """RReliefF gives noise less than nothing, and a constant nothing."""
    rng = np.random.default_rng(1)
    value = rng.normal(size=160)
    X = pd.DataFrame(rng.normal(size=(160, 5)), columns=list("abcde")).assign(constant=1.0)
    X["a"] += value
    scores = RReliefF().fit(X, value).scores_
    assert scores.min() < scores[5] == 0, "the case has gone"
    summary = summarize(X, value, RReliefF(), n_resamples=0).summary()
    assert summary["features"][-1]["name"] == "constant"
    assert "constant" not in summary["answer"]["keep"]


def test_chosen_by_another_number(summary):
    chosen(summary)["stability"]["size"] += 1
    assert "is about sets of" in only(summary)


def test_keep_all_and_one_may_do(summary):
    summary["caveats"].append("first and twin say nearly the same; one may do.")
    assert contradictions(summary) == []
    answer = summary["answer"]
    for feature in summary["features"]:
        feature["kept"] = True
    answer["keep"] = [feature["name"] for feature in summary["features"]]
    answer["n_features"] = chosen(summary)["stability"]["size"] = answer["of"]
    assert only(summary).startswith("All features are to be kept, and a caveat says: first")


def test_a_first_feature_worse_than_guessing(summary):
    guess = summary["answer"]["score"]["guess"]["mean"]
    worse = -1 if summary["answer"]["score"]["larger_is_better"] else 1
    chosen(summary)["curve"]["mean"][0] = guess + 0.01 * worse
    assert "is ranked first, and alone reaches" in only(summary)
    summary["caveats"].append("first is ranked first, yet alone no better than guessing (...)")
    assert contradictions(summary) == []


def test_strong_with_a_bound_of_zero(summary):
    for feature in summary["features"]:
        feature |= {"relevance": "irrelevant", "bounds": [0.0, 0.1]}
    summary["features"][1]["relevance"] = "weak"
    assert contradictions(summary) == []
    summary["features"][0]["relevance"] = "strong"
    assert "the lower bound of the weight is 0" in only(summary)
    summary["features"][0]["bounds"] = [0.01, 0.1]
    assert contradictions(summary) == []


def test_relevant_features_of_a_model_that_uses_none(summary):
    summary["features"][0]["relevance"] = "strong"
    summary["caveats"].append("The best model at C = 1 uses no feature at all, so every ...")
    assert only(summary).startswith("1 features are called relevant, and a caveat says")


def test_pairs_that_are_not_alike(summary):
    names = [feature["name"] for feature in summary["features"]]
    pair = {"first": names[0], "second": names[1], "association": 0.18}
    summary["alike"], summary["groups"] = [pair], [names[:2]]
    for feature in summary["features"]:
        feature["substitutes"] = []
    assert "go together by 0.18 only" in only(summary)
    pair["association"] = 0.93
    assert contradictions(summary) == []
    summary["alike"] = []
    assert "without a measure" in only(summary)


def test_a_leak_as_a_substitute(summary):
    first, other = kept(summary), kept(summary, False)
    first["substitutes"] = [other["name"]]
    summary["alike"].append({"first": first["name"], "second": other["name"], "association": 0.95})
    assert contradictions(summary) == []
    summary["profile"]["giveaways"] = [other["name"]]
    assert "may hold the answer itself" in only(summary)


def test_an_unstable_answer_without_a_warning(summary):
    chosen(summary)["stability"]["index"] = 0.29
    summary["answer"]["warnings"] = ["Rows of one patient repeat."]
    assert "while its stability is 0.29" in only(summary)
    summary["answer"]["warnings"].append("The choice is not stable (0.29).")
    assert contradictions(summary) == []


def test_what_is_kept_is_marked(summary):
    kept(summary)["kept"] = False
    assert any("the table marks" in said for said in contradictions(summary))


def test_none_kept_and_some_kept(summary):
    summary["answer"]["sentence"] = "Keep none: nothing helps."
    assert "The answer is to keep none" in only(summary)


def test_constants_that_are_kept(summary):
    summary["data"]["constant"] = [kept(summary)["name"]]
    assert "of no use" in only(summary)
    summary["answer"]["rule"] = "as asked for"
    assert contradictions(summary) == []


def test_help_that_does_not_help(summary):
    score = summary["answer"]["score"]
    score["held_out"]["mean"] = score["guess"]["mean"]
    assert "are said to help" in only(summary)


# ------------------------------------------------------------------ what produces them


def test_several_methods_speak_of_the_number_that_was_chosen():
    """The answer is measured against the best of all methods, and so is what it is made of."""
    X, y = classes_and_noise()
    selectors = {"bad": RankCorrelation(), "good": ReliefF(), "other": ReliefF(n_neighbors=3)}
    summary = summarize(X, y, selectors, n_resamples=3, cv=3).summary()
    assert chosen(summary)["n_features"] == summary["answer"]["n_features"]
    assert chosen(summary)["keep"] == summary["answer"]["keep"]
    assert contradictions(summary) == []


def test_chosen_is_about_the_rule_of_the_answer():
    """Bounds keep by a rule of their own; how often they are chosen is about the answer's."""
    X, y = classes_and_noise()
    selector = RelevanceBounds(random_state=0, n_probes=20, false_positive_rate=0.1, C=0.1)
    summary = summarize(X, y, selector, n_features=2, n_resamples=10, cv=3).summary()
    frequency = chosen(summary)["stability"]["frequency"]
    assert sum(frequency) == pytest.approx(2)
    assert contradictions(summary) == []


class Despairing(ReliefF):
    """Says of every fit that nothing is relevant, as bounds do of hard parts of the rows."""

    def fit(self, X, y):
        reason = (
            f"The best of {len(X)} uses no feature at all, so every feature is called irrelevant."
        )
        warnings.warn(reason, UserWarning, stacklevel=2)
        return super().fit(X, y)


def test_what_a_part_of_the_rows_says_is_not_said_of_all():
    X, y = classes_and_noise()
    with pytest.warns(UserWarning, match="called irrelevant") as caught:
        summarize(X, y, Despairing(), n_resamples=3, cv=3, n_features=2)
    assert {str(each.message).split()[3] for each in caught} == {"90"}


def test_classes_that_nothing_tells_apart_are_named(rng):
    """One idle model among several does not make every feature irrelevant."""
    X = pd.DataFrame(rng.normal(size=(90, 2)), columns=["a", "b"])
    y = np.array(["x", "y", "z"])[np.arange(90) % 3]
    X["a"] += 4 * (y == "x")
    selector = RelevanceBounds(problem="classification", C=0.05, random_state=0)
    with pytest.warns(
        UserWarning, match="No feature tells 'y' and 'z' from the rest; other classes"
    ):
        selector.fit(X, y)
    assert selector.relevance_[0] != "irrelevant"
    lower = selector.intervals_[..., 0].max(axis=0)
    assert bounds_contradictions(selector.relevance_, lower, ["a", "b"], []) == []


def test_bounds_that_contradict_each_other():
    said = ["The best model at C = 1 uses no feature at all, so every feature is irrelevant."]
    found = bounds_contradictions(["strong", "weak"], [0.0, 0.0], ["a", "b"], said)
    assert [sentence.split(",")[0] for sentence in found] == [
        "No good model does without a",
        "2 features are called relevant",
    ]
    assert bounds_contradictions(["strong", "weak"], [0.1, 0.0], ["a", "b"], []) == []


def test_a_leak_is_no_substitute(rng):
    """A column that tells every class stands in for nothing, however close it is."""
    y = np.arange(60) % 3
    X = pd.DataFrame({"honest": y + rng.normal(scale=0.35, size=60), "noise": rng.normal(size=60)})
    X["leak"] = y + rng.normal(scale=0.02, size=60)
    summary = summarize(X, y, ReliefF(), n_resamples=0).summary()
    assert "leak" in summary["profile"]["giveaways"]
    assert all("leak" not in feature["substitutes"] for feature in summary["features"])
    assert contradictions(summary) == []


def test_a_poor_start_is_said():
    """The caveat that the rule looks for is written where it is due: two that act together."""
    codes = np.tile([[0, 0], [0, 1], [1, 0], [1, 1]], (30, 1))
    X = pd.DataFrame(codes, columns=["a", "b"]).astype(float)
    y = np.array(["no", "yes"])[codes[:, 0] ^ codes[:, 1]]
    # What is in the majority in one part of a balanced table is not in the other.
    model = DecisionTreeClassifier(random_state=0)
    found = summarize(X, y, ReliefF(), estimator=model, n_resamples=0).summary()
    assert found["answer"]["helps"]
    assert any("is ranked first, yet alone no better than guessing" in c for c in found["caveats"])
    assert contradictions(found) == []


def test_the_warning_stands_beside_the_answer(rng):
    X, y = rng.normal(size=(60, 30)), np.arange(60) % 2
    X[:, 0] += 2 * y
    report = summarize(X, y, ReliefF(), n_features=12, n_resamples=10)
    (warning,) = report.summary()["answer"]["warnings"]
    assert warning.startswith("The choice is not stable (0.")
    assert not any("not stable" in caveat for caveat in report.summary()["caveats"])
    page, text = report.to_html(), report.to_markdown()
    assert page.index(warning) < page.index("on samples that had no say")
    assert text.index(warning.split(" (")[0]) < text.index("on samples that had no say")


def test_what_the_command_prints_is_checked(tmp_path, monkeypatch):
    """A contradiction becomes a caveat, before all others; nothing breaks."""
    monkeypatch.setattr(_summary, "contradictions", lambda summary: ["up is down."])
    grades().to_csv(tmp_path / "a.csv", index=False)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = main(["rank", str(tmp_path / "a.csv"), "-t", "grade", "--method", "relieff",
                     "--json", "--class-order", "0,1,2"])  # fmt: skip
    assert code == 0
    assert json.loads(out.getvalue())["caveats"][0] == (
        "Two statements do not fit together: up is down."
    )


@pytest.mark.parametrize(("association", "said"), [(0.93, True), (0.8, True), (0.18, False)])
def test_bounds_call_only_interchangeable_what_goes_together(association, said):
    sentence = _show._of_group(["income", "debt"], association)
    assert sentence.startswith("One of these may do: income and debt") == said
    assert ("0.18 only" in sentence) == (not said)


def test_the_command_measures_how_alike_interchangeable_features_are(tmp_path):
    """Two that matter alone, two that say the same, two of noise."""
    X, y = make_relevance(150, 2, 2, 2, random_state=0)
    frame = pd.DataFrame(X).add_prefix("x").assign(y=y)
    frame.to_csv(tmp_path / "same.csv", index=False)
    order = ",".join(map(str, np.unique(y)))
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["bounds", str(tmp_path / "same.csv"), "-t", "y", "--class-order", order]) == 0
    assert "One of these may do: x2 and x3." in out.getvalue()
    assert "do not fit together" not in out.getvalue()
