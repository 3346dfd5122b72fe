"""Summaries: no fact contradicts another, and the sentences say what the facts call for."""

import contextlib
import io
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from benchmarks.contradictions import chosen_method, contradictions, strong_without_bound
from echelon import RankCorrelation, RelevanceBounds, ReliefF, RReliefF
from echelon._core.words import spoken
from echelon.cli import _bounds, main
from echelon.datasets import load_grades, make_relevance
from echelon.report import summarize
from report_cases import classes_and_noise


@pytest.fixture
def summary(simple):
    """A summary in which all fits together: 6 features, some of them kept."""
    summary = simple.summary()
    for feature in summary["features"]:
        feature["stability"] = 0.5
    return summary


def kept(summary, wanted=True):
    """The first feature that is kept, or not."""
    return next(feature for feature in summary["features"] if feature["kept"] is wanted)


def only(summary):
    """The one contradiction found."""
    (found,) = contradictions(summary)
    return found


def keep_all(summary):
    """The summary, as if all features were kept."""
    answer = summary["answer"]
    for feature in summary["features"]:
        feature["kept"] = True
    answer["keep"] = [feature["name"] for feature in summary["features"]]
    answer["n_features"] = chosen_method(summary)["stability"]["size"] = answer["of"]


# ------------------------------------------------------------------------------- the facts


def test_a_summary_without_any(summary, hostile):
    assert contradictions(summary) == []
    assert contradictions(hostile.summary()) == []


def test_chosen_by_another_number(summary):
    chosen_method(summary)["stability"]["size"] += 1
    assert "is about sets of" in only(summary)


def test_strong_with_a_bound_of_zero(summary):
    for feature in summary["features"]:
        feature |= {"relevance": "irrelevant", "bounds": [0.0, 0.1]}
    summary["features"][1]["relevance"] = "weak"
    assert contradictions(summary) == []
    summary["features"][0]["relevance"] = "strong"
    assert "the lower bound of its weight is 0" in only(summary)
    summary["features"][0]["bounds"] = [0.01, 0.1]
    assert contradictions(summary) == []


def test_pairs_that_are_not_alike(summary):
    names = [feature["name"] for feature in summary["features"]]
    pair = {"first": names[0], "second": names[1], "association": 0.18}
    summary["alike"], summary["groups"] = [pair], [names[:2]]
    for feature in summary["features"]:
        feature["substitutes"] = []
    assert "are associated by 0.18" in only(summary)
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
    assert "may hold the answer" in only(summary)


def test_what_is_kept_is_marked(summary):
    kept(summary)["kept"] = False
    assert any("the table marks" in said for said in contradictions(summary))


def test_nothing_helps_and_some_kept(summary):
    summary["answer"]["helps"] = False
    assert "Nothing helps" in only(summary)
    summary["answer"]["rule"]["wanted"] = summary["answer"]["n_features"]
    assert contradictions(summary) == []


def test_constants_that_are_kept(summary):
    summary["data"]["constant"] = [kept(summary)["name"]]
    assert "though constant" in only(summary)
    summary["answer"]["rule"]["wanted"] = 2
    assert contradictions(summary) == []


def test_help_that_does_not_help(summary):
    score = summary["answer"]["score"]
    score["held_out"]["mean"] = score["guess"]["mean"]
    assert "are said to help" in only(summary)


# --------------------------------------------------------------- sentences made of the facts


def added(summary, change, where="warnings"):
    """Sentences that a change of the facts adds, and how many it takes away."""
    before = spoken(summary)[where]
    change(summary)
    after = spoken(summary)[where]
    return [said for said in after if said not in before]


def test_an_unstable_answer_warns(summary):
    stability = chosen_method(summary)["stability"]
    stability["index"] = 0.9
    assert spoken(summary)["warnings"] == []
    (warning,) = added(summary, lambda _: stability.update(index=0.29))
    assert "0.29" in warning
    summary["answer"]["keep"] = []
    assert spoken(summary)["warnings"] == []


@pytest.mark.parametrize(("is_kept", "share"), [(True, 0.0), (False, 1.0)])
def test_what_halves_decide_otherwise_is_a_warning(summary, is_kept, share):
    summary["how"]["n_resamples"] = 20
    feature = kept(summary, is_kept)
    (warning,) = added(summary, lambda _: feature.update(stability=share))
    assert feature["name"] in warning
    summary["how"]["n_resamples"] = 3
    assert warning not in spoken(summary)["warnings"], "three halves may agree by chance"


def test_redundant_features_are_named_unless_all_are_needed(summary):
    names = [feature["name"] for feature in summary["features"]][:2]
    summary["groups"] = []
    (caveat,) = added(summary, lambda each: each.update(groups=[names]), "caveats")
    assert all(name in caveat for name in names)
    keep_all(summary)
    assert caveat not in spoken(summary)["caveats"]


def test_a_first_feature_worse_than_guessing_is_a_caveat(summary):
    guess = summary["answer"]["score"]["guess"]["mean"]
    worse = -1 if summary["answer"]["score"]["larger_is_better"] else 1

    def poor(each):
        chosen_method(each)["curve"]["mean"][0] = guess + 0.01 * worse

    (caveat,) = added(summary, poor, "caveats")
    assert chosen_method(summary)["order"][0] in caveat


@pytest.mark.parametrize(("share", "much"), [(0.5, False), (2.0, True)])
def test_a_loss_that_the_rule_forgives_is_little(summary, share, much):
    """With very many samples every difference is more than a standard error."""
    answer, score = summary["answer"], summary["answer"]["score"]
    improvement = abs(score["held_out"]["mean"] - score["guess"]["mean"])
    lost = share * answer["rule"]["most_lost"] * improvement
    score["others"][0].update(ahead=True, gain=-lost)
    assert answer["n_features"] < answer["of"]
    said = (
        "all 6 are better by more than one standard error" if much else "adding more gains little"
    )
    assert said in spoken(summary)["answer"]


def test_a_report_made_in_python_names_no_options_of_the_command(summary):
    summary["answer"]["offer"] = {
        "n_features": 1, "keep": ["first"], "loss": 0.1, "share": 0.04, "tolerance": 0.05,
    }  # fmt: skip
    summary["profile"] |= {"order_from": "assumed", "repeated": ["patient"]}
    said = str(spoken(summary))
    assert "--" not in said
    assert all(name in said for name in ('tolerance="5%"', "groups=", 'kind="classification"'))
    summary["how"]["command"] = "echelon rank a.csv"
    said = str(spoken(summary))
    assert all(name in said for name in ("--tolerance 5%", "--groups patient", "--unordered"))


# ------------------------------------------------------------------ what produces them


def test_what_every_half_chooses_is_said_beside_the_answer():
    """A ranking of few rows by neighbours need not be that of all."""
    X, y = load_grades()
    summary = summarize(X, y.astype(str), ReliefF(), kind="classification").summary()
    assert "sex" not in summary["answer"]["keep"]
    assert any("sex" in said for said in summary["words"]["warnings"])


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


def test_several_methods_speak_of_the_number_that_was_chosen():
    """The answer is measured against the best of all methods, and so is what it is made of."""
    X, y = classes_and_noise()
    selectors = {"bad": RankCorrelation(), "good": ReliefF(), "other": ReliefF(n_neighbors=3)}
    summary = summarize(X, y, selectors, n_resamples=3, cv=3).summary()
    assert chosen_method(summary)["n_features"] == summary["answer"]["n_features"]
    assert chosen_method(summary)["keep"] == summary["answer"]["keep"]
    assert contradictions(summary) == []


def test_chosen_is_about_the_rule_of_the_answer():
    """Bounds keep by a rule of their own; how often they are chosen is about the answer's."""
    X, y = classes_and_noise()
    selector = RelevanceBounds(random_state=0, n_probes=20, false_positive_rate=0.1, C=0.1)
    summary = summarize(X, y, selector, n_features=2, n_resamples=10, cv=3).summary()
    frequency = chosen_method(summary)["stability"]["frequency"]
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
    assert list(strong_without_bound(["a", "b"], selector.relevance_, lower)) == []


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
    assert any("is ranked first" in caveat for caveat in found["words"]["caveats"])
    assert contradictions(found) == []


def test_the_warning_stands_beside_the_answer(rng):
    X, y = rng.normal(size=(60, 30)), np.arange(60) % 2
    X[:, 0] += 2 * y
    report = summarize(X, y, ReliefF(), n_features=12, n_resamples=10)
    (warning,) = report.summary()["words"]["warnings"]
    assert warning.startswith("The selection is not stable (0.")
    assert not any("not stable" in caveat for caveat in report.summary()["words"]["caveats"])
    page, text = report.to_html(), report.to_markdown()
    assert page.index(warning) < page.index("cross-validated")
    assert text.index(warning.split(" (")[0]) < text.index("cross-validated")


@pytest.mark.parametrize(("association", "said"), [(0.93, True), (0.8, True), (0.18, False)])
def test_bounds_call_only_interchangeable_what_goes_together(association, said):
    sentence = _bounds._of_group(["income", "debt"], association)
    assert sentence.startswith("One of these may be enough: income and debt") == said
    assert ("at most 0.18" in sentence) == (not said)


def test_the_command_measures_how_alike_interchangeable_features_are(tmp_path):
    """Two that matter alone, two that say the same, two of noise."""
    X, y = make_relevance(150, 2, 2, 2, random_state=0)
    frame = pd.DataFrame(X).add_prefix("x").assign(y=y)
    frame.to_csv(tmp_path / "same.csv", index=False)
    order = ",".join(map(str, np.unique(y)))
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["bounds", str(tmp_path / "same.csv"), "-t", "y", "--class-order", order]) == 0
    assert "One of these may be enough: x2 and x3." in out.getvalue()
    assert "do not fit together" not in out.getvalue()
