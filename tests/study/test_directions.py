"""Stated directions: models that respect them, what is said about them, and the command."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge

from cli_cases import call
from echelon import AutoSelector, RankCorrelation, ReliefF
from echelon._core.words import about_directions
from echelon.evaluation import monotonicity_violations
from echelon.report import summarize
from echelon.study import monotone_model

KINDS = ("ordinal", "classification", "regression")
MODELS = ("linear", "forest", "boosting")


def credit(n=240, seed=0):
    """Grades that rise with income and fall with debt and age; towns are categories."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "income": rng.normal(size=n),
            "debt": rng.normal(size=n).round(1),
            "age": rng.integers(20, 70, n).astype(float),
            "town": rng.choice(["A", "B", "C"], n),
        }
    )
    X.loc[X.index[::17], "debt"] = np.nan
    worth = X["income"] - X["debt"].fillna(0) - 0.04 * X["age"]
    worth += 0.7 * rng.normal(size=n)
    return X, worth


def target_of(kind, worth):
    if kind == "regression":
        return worth
    n_classes = 4 if kind == "ordinal" else 2
    return pd.Series(pd.qcut(worth, n_classes, labels=False), name="grade")


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", KINDS)
def test_predictions_respect_the_directions(kind, model):
    X, worth = credit()
    y = target_of(kind, worth)
    stated = {"income": 1, "debt": -1, "age": 1}  # the last one against the data
    fitted = monotone_model(kind, stated, model, random_state=0).fit(X, y)
    rows, rng = X.fillna({"debt": 0.0}).sample(80, random_state=1), np.random.default_rng(2)
    for name, sign in stated.items():
        better = rows.copy()
        better[name] += sign * rng.exponential(size=len(rows)) * X[name].std()
        before, after = fitted.predict(rows), fitted.predict(better)
        assert (after >= before - 1e-12).all()
        if kind != "regression":
            chances = [np.cumsum(fitted.predict_proba(each), axis=1) for each in (rows, better)]
            assert (chances[1] <= chances[0] + 1e-9).all()
            assert_allclose(chances[0][:, -1], 1)
    free = monotone_model(kind, {}, model, random_state=0).fit(X, y)
    older = rows.assign(age=rows["age"] + 20)
    assert (free.predict(older) < free.predict(rows)).any()


def test_linear_models_without_directions_are_those_of_scikit_learn(rng):
    X, noise = pd.DataFrame(rng.normal(size=(120, 3)), columns=list("abc")), rng.normal(size=120)
    worth = X["a"] - X["b"] + noise
    scaled = (X - X.mean()) / X.std(ddof=0)
    ours = monotone_model("regression", {}, "linear").fit(X, worth)
    assert_allclose(ours.predict(X), Ridge().fit(scaled, worth).predict(scaled), atol=1e-8)
    y, weights = (worth > 0).astype(int), rng.integers(1, 4, 120)
    ours = monotone_model("classification", {}, "linear").fit(X, y, weights)
    theirs = LogisticRegression(class_weight="balanced", max_iter=1000, tol=1e-8)
    theirs.fit(scaled, y, weights)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(scaled), atol=1e-4)


def test_signs_are_bounded_and_optimal(rng):
    """Coefficients against the data are 0, and the others are those without that feature."""
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc"))
    y = X["a"] - X["b"] + 0.1 * rng.normal(size=200)
    bounded = monotone_model("regression", {"b": 1}, "linear").fit(X, y)
    left_out = monotone_model("regression", {}, "linear").fit(X[["a", "c"]], y)
    assert_allclose(bounded.predict(X), left_out.predict(X[["a", "c"]]), atol=1e-8)


@pytest.fixture(scope="module")
def selected():
    X, worth = credit(300)
    stated = {"income": 1, "debt": -1, "age": 1}
    selector = AutoSelector(random_state=0, cv=3, n_features_to_select=3, monotonic_cst=stated)
    return X, target_of("ordinal", worth), selector.fit(X, target_of("ordinal", worth))


def test_facts_about_directions(selected):
    X, y, selector = selected
    found = selector.directions_.set_index("feature")
    assert found.index.tolist() == ["income", "debt", "age"]
    assert found["direction"].tolist() == [1, -1, 1]
    expected = monotonicity_violations(X[["income", "debt", "age"]].assign(debt=-X["debt"]), y)
    assert_allclose(found["broken"], expected.per_feature)
    assert found["n_pairs"].tolist() == expected.n_pairs_per_feature.tolist()
    assert found["agrees"].tolist() == [True, True, False]
    chosen = X.columns[selector.support_]
    assert found["selected"].tolist() == [name in chosen for name in found.index]
    assert found["cost"].notna().tolist() == found["selected"].tolist()


def test_costs_are_differences_of_scores_over_the_folds(selected):
    _, y, selector = selected
    study = selector._study
    cost = study.directions["cost"]
    chosen = study.directions["chosen"]
    model = study.design.models[selector.model_]
    scores = {}
    for stated in ({}, model.directions):
        each = clone(model).set_params(directions=stated)
        losses = []
        for train, test in study.design.splits.folds:
            table = study.design.X[chosen]
            fitted = clone(each).fit(table.iloc[train], y.iloc[train])
            losses.append(np.abs(fitted.predict(table.iloc[test]) - y.iloc[test]).mean())
        scores[bool(stated)] = np.mean(losses)
    assert_allclose(cost["respected"], scores[True])
    assert_allclose(cost["free"], scores[False])
    assert_allclose(cost["lost"], scores[True] - scores[False], atol=1e-12)


def test_reports_say_it(selected):
    _, _, selector = selected
    report = selector.report(n_resamples=0)
    said = report.summary()["words"]["directions"]
    assert said[0] == (
        "Features are evaluated by models that respect 3 directions: all else equal, the predicted "
        "grade never moves towards 0 with increasing income and age, and never moves towards 3 "
        "with increasing debt."
    )
    assert said[1].startswith("income, stated to rise: the data agree, ")
    assert said[2].startswith("debt, stated to fall: the data agree, ")
    for page in (report.to_html(), report.to_markdown()):
        assert "Stated directions" in page
        assert "income, stated to rise" in page
    assert "respecting the stated directions" in report.summary()["words"]["model"]


def test_nothing_is_said_where_nothing_was_stated():
    X, worth = credit(60)
    selector = AutoSelector(random_state=0, cv=2).fit(X, worth)
    assert selector.directions_ is None
    report = selector.report(n_resamples=0)
    assert report.summary()["words"]["directions"] == []
    assert "Stated directions" not in report.to_html()


@pytest.mark.parametrize("changed", [0.0, 0.5])
def test_directions_that_change_nothing_are_said_to_in_one_sentence(selected, changed):
    found = selected[2].report(n_resamples=0).summary()["answer"]["directions"]
    costs = [each["cost"] for each in found["features"] if each["cost"] is not None]
    assert len(costs) > 1
    for cost in [found["cost"], *costs]:
        cost |= {"free": cost["respected"], "lost": 0.0, "standard_error": 0.0}
    costs[0]["free"] += changed
    said = " ".join(about_directions(found, "grade", "MAE in classes"))
    assert ("without any or all of them, it does not change" in said) == (changed == 0)
    assert ("Without its direction" in said) == (changed > 0)


def test_directions_for_any_method():
    X, worth = credit(80)
    y = target_of("classification", worth)
    report = summarize(
        X, y, ReliefF(2), kind="classification", n_resamples=0, cv=2, monotonic_cst={"debt": 1}
    )
    found = report.summary()["answer"]["directions"]
    assert found["features"][0]["agrees"] is False
    assert "the data say the opposite" in report.summary()["words"]["directions"][1]


def test_a_feature_that_its_direction_makes_useless_is_named():
    X, worth = credit(120)
    report = summarize(
        X,
        target_of("ordinal", worth),
        RankCorrelation(),
        n_features=2,
        n_resamples=0,
        cv=2,
        monotonic_cst={"income": -1},
        random_state=0,
    )
    facts = report.summary()
    rows = zip(facts["features"], facts["words"]["reasons"], strict=True)
    why = {row["name"]: reason for row, reason in rows if row["kept"]}
    assert "makes no use of it: the data contradict its stated direction" in why.pop("income")
    assert "makes no use" not in "".join(why.values())


def test_bad_directions_say_what_to_do():
    X, worth = credit(60)
    y = target_of("ordinal", worth)
    labels = worth.rank().astype(int).mod(3).map({0: "x", 1: "y", 2: "z"})
    for params, target, message in (
        ({"monotonic_cst": {"wage": 1}}, y, "names the column 'wage'"),
        ({"monotonic_cst": {"town": 1}}, y, "must be 0 for nominal features"),
        ({"monotonic_cst": {"age": 2}}, y, "1, -1 and 0 only"),
        ({"monotonic_cst": {"age": 1}}, labels, "3 classes without an order. Give `class_order`"),
        ({"monotonic_cst": {"age": 1}, "estimator": Ridge()}, y, "`estimator` must be None"),
    ):
        with pytest.raises(ValueError, match=message):
            AutoSelector(cv=2, **params).fit(X, target)
    with pytest.raises(ValueError, match="`model` must be one of linear, forest, boosting"):
        monotone_model("ordinal", {}, "tree")


def test_the_command_takes_directions(capsys, tmp_path):
    X, worth = credit(120)
    path = tmp_path / "credit.csv"
    X.assign(grade=target_of("ordinal", worth) + 3).to_csv(path, index=False)
    asked = ("rank", str(path), "-t", "grade", "--cv", "2", "-n", "2")
    done = call(capsys, *asked, "--rises", "income", "--falls", "debt,age")
    assert done.code == 0
    words = " ".join(done.out.split())
    assert "models that respect 3 directions" in words
    assert "income, stated to rise: the data agree" in words
    for more, message in (
        (("--rises", "wage"), "has no feature 'wage' (--rises)"),
        (("--falls", "town"), "--falls names 'town', whose categories have no order"),
        (("--rises", "age", "--falls", "age"), "--rises and --falls both name 'age'"),
        (("--rises", "age", "--estimator", "tree"), "Leave out --estimator"),
    ):
        failed = call(capsys, *asked, *more)
        assert failed.code == 2
        assert message in " ".join(failed.err.split())
