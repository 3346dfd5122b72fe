"""The methods paragraph says what was done, and nothing else."""

import copy
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB

import echelon
from echelon import AutoSelector, OReliefF, RankCorrelation
from echelon._core.words import listed, number, with_error
from echelon._core.words._methods import methods_text
from echelon.datasets import load_grades
from echelon.report import summarize


@pytest.fixture(scope="module")
def fitted():
    return AutoSelector(random_state=0).fit(*load_grades())


def sentence(text, beginning):
    """The one sentence of a paragraph that begins so."""
    (found,) = re.findall(rf"(?:^|(?<=\. )){re.escape(beginning)}.*?\.(?= [A-Z]|$)", text)
    return found


def test_it_holds_the_facts_of_the_fit(fitted):
    text = fitted.methods_text().splitlines()[0]
    assert f"echelon {echelon.__version__} (Python " in text
    assert "5 ordered classes (mild < low < medium < high < severe)" in text
    assert "10 candidate features in 442 rows" in text
    members = [type(each).__name__ for each in fitted.ranker_.selectors_.values()]
    ranked = sentence(text, f"Features were ranked by {len(members)} methods")
    assert all(name in ranked for name in members)
    assert f"ForwardLinear ({members.count('ForwardLinear')} variants)" in ranked
    best_first = fitted.feature_names_in_[fitted.order_][: fitted.support_.sum()]
    assert f"{len(best_first)} were selected: {listed(best_first, 99)}." in text
    scores = sentence(text, "The cross-validated MAE in classes")
    assert f"was {with_error(fitted.score_, fitted.score_error_)} (" in scores
    assert f"'medium', the median class, was {fitted.baselines_['guess']:.3f}," in scores
    assert scores.endswith(f"all features {number(fitted.baselines_['all features'])}.")
    assert "with the model and the number of features chosen on the other folds" in scores
    assert f"the {'random forest' if fitted.model_ == 'forest' else 'linear model'} with" in scores
    assert text.endswith("The random seed was 0.")


def test_it_cites_what_it_lists(fitted):
    text, empty, *references = fitted.methods_text().splitlines()
    assert empty == ""
    cited = re.findall(r"(\w+) (?:et al\.|and Bengio), (\d{4})", text)
    assert len(cited) == len(references) == 2
    for (author, year), reference in zip(cited, references, strict=True):
        assert author in reference
        assert f"({year})" in reference


def test_stability_is_said_once_it_was_measured(fitted):
    assert "stability" not in fitted.methods_text()
    report = fitted.report(n_resamples=3)
    stability = report.summary()["methods"][0]["stability"]
    said = sentence(fitted.methods_text().splitlines()[0], "The stability")
    assert f"over 3 subsamples of half of the rows was {number(stability['index'], 2)} (" in said
    assert "Sechidis" in fitted.methods_text().splitlines()[-1]
    page, _, paragraph = report.to_markdown().partition("### Methods paragraph")
    assert said in paragraph
    assert said not in page
    assert "Methods paragraph</h3>" in report.to_html()
    assert said in report.to_html()


def test_settings_change_it(rng):
    """A given model, features and their number; groups, weights, missing values, categories."""
    X, y = load_grades()
    X = X.assign(sex=X["sex"].map({1.0: "a", 2.0: "b"}))
    X.loc[:6, "bmi"] = np.nan
    asked = AutoSelector(n_features_to_select=3, must_keep=["age"], random_state=None, cv=3)
    family = pd.Series(np.arange(len(X)) // 2, name="family")
    weight = pd.Series(rng.uniform(1, 2, len(X)), name="weight")
    text = asked.fit(X, y, groups=family, sample_weight=weight).methods_text()
    assert "Rows were weighted by weight." in text
    assert "In 3-fold cross-validation in which rows of the same family are never split, " in text
    assert "stratified" not in text
    assert "missing values imputed by the mean (7 missing values of the data set)" in text
    assert "categories one-hot encoded" in text
    assert "The number of features was set to 3 in advance. Selected in any case: age." in text
    assert "with the model chosen on the other folds" in text
    given = AutoSelector(estimator=Ridge(alpha=2.0), random_state=0)
    text = given.fit(X[["age", "s5"]], np.arange(len(X)) / 7.0).methods_text()
    assert "a continuous outcome" in text
    assert "the model Ridge(alpha=2.0) was fitted" in text
    assert "For these models" not in text


def test_nothing_selected(rng):
    X, y = pd.DataFrame(rng.normal(size=(80, 3)), columns=list("abc")), np.arange(80) % 2
    text = AutoSelector(random_state=0).fit(X, y.astype(str)).methods_text()
    assert "2 unordered classes (0, 1)" in text
    assert "No features were selected: none of the sets evaluated predicts significantly" in text
    best = AutoSelector(random_state=0, allow_none=False).fit(X, y.astype(str))
    assert "selected as requested, but none of the sets" in best.methods_text()


def test_of_one_method_and_of_several():
    X, y = load_grades()
    settings = {"n_resamples": 0, "cv": 3, "n_features": 2, "random_state": 0}
    settings["estimator"] = GaussianNB()
    one = summarize(X, y, RankCorrelation(), **settings).summary()["words"]["methods_text"]
    assert "Features were ranked by RankCorrelation." in one[0]
    assert "chosen on the other folds" not in one[0]
    several = {"margins": OReliefF(), "RankCorrelation": RankCorrelation()}
    said = summarize(X, y, several, **settings).summary()["words"]["methods_text"]
    assert "Rankings by margins (OReliefF) and RankCorrelation were compared" in said[0]
    assert "with the method chosen on the other folds" in said[0]
    assert len(said) == 2


def test_a_long_answer_is_cut_short(fitted):
    summary = copy.deepcopy(fitted.report(n_resamples=0).summary())
    summary["answer"] |= {"keep": [f"f{i}" for i in range(40)], "of": 60}
    text = methods_text(summary, "a rule", "a model")[0]
    assert re.search(r"Of 60 features, 40 were selected: (f\d+, ){28}f28 and 11 more\.", text)
