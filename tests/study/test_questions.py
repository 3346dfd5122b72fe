"""What is asked next: single features left out and added, all features, a forest."""

from html import unescape

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score, r2_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeRegressor

from echelon import RankCorrelation, ReliefF
from echelon._core.words import HARDEST
from echelon.report import summarize
from echelon.study import _questions
from reference_report import change_of
from report_cases import classes_and_noise


def folds(n_samples, n_folds=4):
    """Folds without any shuffling."""
    rows = np.arange(n_samples)
    return [(rows[rows % n_folds != k], rows[rows % n_folds == k]) for k in range(n_folds)]


def by_hand(X, y, model, metric):
    """Scores of every fold for some columns, a constant guess for none."""

    def fold_score(names):
        scores = []
        for train, test in folds(len(y)):
            columns = [name for name in X.columns if name in names]
            fitted = clone(model).fit(X[columns].iloc[train], y[train])
            scores.append(metric(y[test], fitted.predict(X[columns].iloc[test])))
        return scores

    return fold_score


@pytest.mark.parametrize("kind", ["classification", "regression"])
def test_changes_are_those_of_the_definition(kind, rng):
    X, codes = classes_and_noise(80)
    if kind == "classification":
        y, model, metric = np.array(["a", "b", "c"])[codes], GaussianNB(), balanced_accuracy_score
    else:
        y, model = codes + rng.normal(scale=0.1, size=80), DecisionTreeRegressor(random_state=0)
        metric = r2_score
    found = summarize(X, y, RankCorrelation(), estimator=model, cv=folds(80), n_resamples=2,
                      n_features=3).summary()  # fmt: skip
    keep, asked = found["answer"]["keep"], found["questions"]
    assert {each["name"] for each in asked["dropped"]} == set(keep)
    assert {each["name"] for each in asked["added"]} == set(X.columns) - set(keep)
    score = by_hand(X, y, model, metric)
    for each in [*asked["dropped"], *asked["added"]]:
        np.testing.assert_allclose(
            (each["change"], each["standard_error"]),
            change_of(score, keep, each["name"]),
            atol=1e-12,
        )
    worths = [each["worth"] for each in asked["dropped"]]
    assert worths == sorted(worths, reverse=True)


def test_errors_have_the_other_sign(simple):
    """Where smaller is better, what is missed makes the score rise."""
    asked = simple.summary()["questions"]
    for each in asked["dropped"]:
        assert each["worth"] == each["change"]
    for each in asked["added"]:
        assert each["worth"] == -each["change"]


def test_the_one_kept_feature_is_missed_against_the_guess(rng):
    y = np.arange(80) % 2
    X = pd.DataFrame({"tells": y + 0.2 * rng.normal(size=80), "noise": rng.normal(size=80)})
    found = summarize(X, y, ReliefF(), estimator=GaussianNB(), n_resamples=2).summary()
    assert found["answer"]["keep"] == ["tells"]
    (only,) = found["questions"]["dropped"]
    score = found["answer"]["score"]
    assert only["change"] == pytest.approx(score["guess"]["mean"] - score["at_this_size"]["mean"])
    assert only["clear"]
    assert found["words"]["questions"][HARDEST].startswith(
        "tells: without it balanced accuracy falls by 0."
    )


def test_copies_are_not_missed(rng):
    y = np.arange(90) % 3
    X = pd.DataFrame({"a": y + 0.3 * rng.normal(size=90), "noise": rng.normal(size=90)})
    X.insert(1, "again", X["a"])
    both = ["a", "again"]  # one of them would be left out
    found = summarize(X, y, ReliefF(), n_features=2, keep=both, n_resamples=2).summary()
    assert set(found["answer"]["keep"]) == {"a", "again"}
    assert all(abs(each["change"]) < 0.02 for each in found["questions"]["dropped"])
    said = found["words"]["questions"][HARDEST]
    assert said.startswith("None:") or "but not clearly" in said


def test_large_tables_are_asked_less(simple, monkeypatch):
    monkeypatch.setattr(_questions, "MOST_CELLS", 1)
    monkeypatch.setattr(_questions, "LEAST", 1)
    X, y = classes_and_noise()
    found = summarize(X, y, ReliefF(), n_features=3, n_resamples=2, estimator=GaussianNB())
    asked = found.summary()["questions"]
    assert (len(asked["dropped"]), len(asked["added"])) == (1, 1)
    assert (asked["n_not_dropped"], asked["n_not_added"]) == (2, 2)


def test_nothing_kept_nothing_asked(rng):
    X, y = rng.normal(size=(80, 4)), np.arange(80) % 2
    report = summarize(X, y, ReliefF(), estimator=GaussianNB(), n_resamples=2)
    asked = report.summary()["questions"]
    assert report.summary()["answer"]["keep"] == []
    assert asked["dropped"] == []
    assert report.summary()["words"]["questions"] == {}
    assert "Contribution of single features" not in report.to_html()
    assert "Contribution of single features" not in report.to_markdown()


def test_not_without_resamples(rng):
    X, y = classes_and_noise()
    report = summarize(X, y, ReliefF(), n_resamples=0, estimator=GaussianNB())
    assert report.summary()["questions"] is None
    assert report.summary()["words"]["lines"]["Baseline"] in unescape(report.to_html())


def test_a_forest_that_sees_more_evaluates(rng):
    """Two genes that act together: a forest is better, so it evaluates, and the answer says so."""
    codes = rng.integers(0, 2, size=(300, 2))
    X = pd.DataFrame(codes, columns=["a", "b"]).astype(float)
    X["weak"] = (codes[:, 0] ^ codes[:, 1]) + rng.normal(scale=1.2, size=300)
    y = np.array(["no", "yes"])[codes[:, 0] ^ codes[:, 1]]
    found = summarize(X, y, RankCorrelation(), n_resamples=2).summary()
    answer = found["answer"]
    assert answer["model"] == "forest"
    assert set(answer["keep"]) >= {"a", "b"}
    assert answer["score"]["models"][0]["name"] == "linear"
    assert answer["score"]["models"][0]["clear"]
    assert found["words"]["lines"]["Model"].startswith(
        "random forest, better than a linear model by"
    )
    said = found["words"]["questions"]["Would another model agree?"]
    assert said.startswith("A linear model reaches")
    assert ", significantly worse" in said
    assert found["questions"]["in_common"] in (None, 2, 3)


def test_questions_stand_in_every_rendering(simple):
    asked = simple.summary()["words"]["questions"]
    assert list(asked)[:3] == [
        "What does selecting cost?",
        "Which feature is hardest to replace?",
        "Would another model agree?",
    ]
    page, text = simple.to_html(), simple.to_markdown()
    for question, reply in asked.items():
        assert question in page
        assert reply in page
        assert f"- {question} {reply}" in text
    assert page.index(HARDEST) < page.index("The data"), "in the first screen"
