"""AutoSelector: one answer everywhere, on every kind of target and table."""

import contextlib
import io
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from echelon import AutoSelector
from echelon.cli import main
from echelon.datasets import load_grades
from echelon.report import summarize


@pytest.fixture(scope="module")
def grades():
    return load_grades()


@pytest.fixture(scope="module")
def selector(grades):
    return AutoSelector(random_state=0).fit(*grades)


@pytest.mark.slow
def test_one_answer_everywhere(grades, selector, tmp_path):
    """Python, the report and the command keep the same features, with the same score."""
    X, grade = grades
    kept = X.columns[selector.order_[: selector.support_.sum()]].tolist()
    page = summarize(X, grade, AutoSelector(), random_state=0, n_resamples=0).summary()
    path = tmp_path / "grades.csv"
    X.assign(grade=grade).to_csv(path, index=False)
    order = ",".join(grade.cat.categories)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["rank", str(path), "-t", "grade", "--class-order", order, "--json"]) == 0
    command = json.loads(out.getvalue())
    for found in (page, command):
        answer = found["answer"]
        assert answer["keep"] == kept
        assert answer["score"]["held_out"]["mean"] == pytest.approx(selector.score_)
        assert [f["name"] for f in found["features"]] == X.columns[selector.order_].tolist()
        others = {each["name"]: each["mean"] for each in answer["score"]["others"]}
        assert others["all features"] == pytest.approx(selector.baselines_["all features"])
    assert page["words"]["answer"] == command["words"]["answer"]


def test_what_is_fitted(grades, selector):
    X, _ = grades
    assert selector.kind_ == "ordinal"
    assert selector.scoring_ == "MAE in classes"
    assert selector.helps_
    assert set(selector.baselines_) == {"guess", "all features", "forest"}
    assert selector.score_ < selector.baselines_["guess"]
    assert {"bmi", "s5"} <= set(selector.get_feature_names_out())
    assert sorted(selector.ranking_) == list(range(1, 11))
    assert selector.transform(X).shape[1] == selector.support_.sum()
    assert selector.score_error_ > 0
    assert selector.ranker_.agreement().frame().shape[0] == 21


@pytest.mark.parametrize("kind", ["ordinal", "classification", "regression"])
def test_every_kind_of_target_and_column(kind, rng):
    n = 150
    signal = rng.normal(size=n)
    y = {
        "ordinal": pd.qcut(signal, 4, labels=False),
        "classification": np.array(["oak", "elm", "ash"])[pd.qcut(signal, 3, labels=False)],
        "regression": signal,
    }[kind]
    X = pd.DataFrame(rng.normal(size=(n, 6)), columns=list("abcdef"))
    X["strong"] = signal + 0.3 * rng.normal(size=n)
    X["label"] = np.where(signal + rng.normal(size=n) > 0, "yes", "no")
    X["likert"] = pd.Categorical.from_codes(
        np.clip(np.round(signal + 2 + rng.normal(size=n)), 0, 4).astype(int),
        ["never", "rarely", "sometimes", "often", "always"], ordered=True,
    )  # fmt: skip
    X.loc[::7, "a"] = np.nan
    X.loc[::9, "label"] = None
    X["constant"] = 1.0
    selector = AutoSelector(random_state=0).fit(X, y)
    assert selector.kind_ == kind
    assert selector.order_[0] == X.columns.get_loc("strong")
    assert set(X.columns[selector.order_[:3]]) == {"strong", "likert", "label"}
    assert X.columns[selector.order_[-1]] == "constant"
    assert selector.helps_
    assert "constant" not in selector.get_feature_names_out()


@pytest.mark.slow
def test_noise_is_not_kept(rng):
    tables = [(rng.normal(size=(80, 6)), rng.integers(0, 4, 80)) for _ in range(5)]
    fitted = [AutoSelector(random_state=0).fit(X, y) for X, y in tables]
    assert sum(each.helps_ for each in fitted) <= 1
    assert all(each.helps_ == each.support_.any() for each in fitted)
    X, y = next(table for table, each in zip(tables, fitted, strict=True) if not each.helps_)
    assert AutoSelector(allow_none=False, random_state=0).fit(X, y).support_.sum() >= 1
    asked = AutoSelector(n_features_to_select=2, cv=2, random_state=0).fit(X, y)
    assert asked.support_.sum() == 2


def test_groups_stay_together(rng):
    """Repeated measures of the same subject look like signal unless folds respect them."""
    subject = np.repeat(np.arange(30), 8)
    X = rng.normal(size=(30, 5))[subject] + 0.05 * rng.normal(size=(240, 5))
    y = rng.integers(0, 2, 30)[subject]
    fooled = AutoSelector(estimator=DecisionTreeClassifier(random_state=0), random_state=0)
    assert fooled.fit(X, y).helps_
    assert not fooled.fit(X, y, groups=subject).helps_


def test_it_is_reproducible_and_fits_a_pipeline(grades):
    X, grade = grades
    y = (grade.cat.codes > 2).astype(int)
    several = [AutoSelector(random_state=1, cv=2).fit(X, y) for _ in range(2)]
    assert several[0].score_ == several[1].score_
    pipeline = make_pipeline(AutoSelector(random_state=0, cv=2), DecisionTreeClassifier())
    assert cross_val_score(pipeline, X, y, cv=2).mean() > 0.55


def test_the_tolerance_decides_how_many(grades):
    X, grade = grades
    sizes = [
        AutoSelector(tolerance=tolerance, cv=2, random_state=0).fit(X, grade).support_.sum()
        for tolerance in (0.5, 0.02, 0.0)
    ]
    assert sizes[0] == 1
    assert sizes == sorted(sizes)


@pytest.mark.parametrize(
    ("params", "rows", "message"),
    [
        ({}, 8, "8 samples, too few"),
        ({"kind": "ranking"}, 40, "'kind'"),
        ({"n_features_to_select": 9}, 40, "`n_features_to_select` must be at most"),
        ({"tolerance": -1}, 40, "'tolerance'"),
    ],
)
def test_errors(params, rows, message, rng):
    with pytest.raises(ValueError, match=message):
        AutoSelector(**params).fit(rng.random((rows, 3)), np.arange(rows) % 2)


def test_labels_may_be_digits(rng):
    """Forests of scikit-learn take the text "1" for a number, and then do not know it."""
    X = rng.normal(size=(90, 3))
    labels = np.array(["0", "1", "2"])[np.arange(90) % 3]
    X[:, 0] += np.arange(90) % 3
    selector = AutoSelector("classification", cv=2, random_state=0)
    digits = clone(selector).fit(X, labels)
    letters = clone(selector).fit(X, np.char.add("c", labels))
    assert digits.baselines_ == letters.baselines_
    assert digits.support_.tolist() == letters.support_.tolist()


@pytest.mark.parametrize("estimator", [None, DecisionTreeClassifier(max_depth=2, random_state=0)])
def test_errors_are_counted_in_classes(estimator, rng, tmp_path, capsys):
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=["a", "b", "c"])
    codes = np.clip(np.round(X["a"] + rng.normal(0, 0.5, 120) + 2), 0, 4).astype(int)
    selector = AutoSelector(estimator=estimator, random_state=0)
    expected = clone(selector).fit(X, codes)
    found = selector.fit(X, np.array([10, 20, 30, 40, 95])[codes])
    assert found.score_ == expected.score_
    assert found.baselines_ == expected.baselines_
    assert found.support_.tolist() == expected.support_.tolist()
    page = summarize(X, 10 * (codes + 1), selector, random_state=0, n_resamples=0).summary()
    path = tmp_path / "t.csv"
    X.assign(y=10 * (codes + 1)).to_csv(path, index=False)
    assert main(["rank", str(path), "-t", "y", "--json", "-q"]) == 0
    command = json.loads(capsys.readouterr().out)
    for answer in (page["answer"], command["answer"]):
        assert 0 < answer["score"]["held_out"]["mean"] < 1


def test_nothing_kept_is_said_where_it_matters(rng):
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    pipeline = make_pipeline(AutoSelector(cv=2, random_state=0), DecisionTreeClassifier())
    assert not clone(pipeline[0]).fit(X, y).support_.any()
    with (
        pytest.warns(UserWarning, match=r"No features were selected.*`allow_none=False`"),
        pytest.raises(ValueError, match="0 feature"),
    ):
        pipeline.fit(X, y)
    selector = clone(pipeline[0]).fit(X, y)
    for table in (X, pd.DataFrame(X)):
        with pytest.warns(UserWarning, match="No features were selected") as said:
            assert selector.transform(table).shape == (60, 0)
        assert len(said) == 1
    assert pipeline.set_params(autoselector__allow_none=False).fit(X, y)[0].support_.any()


@pytest.mark.parametrize("n_copies", [1, 2])
def test_one_of_several_copies_is_kept(n_copies, rng, tmp_path, capsys):
    X = pd.DataFrame(rng.normal(size=(150, 4)), columns=["noise", "a", "b", "more"])
    X["label"] = np.where(rng.random(150) > 0.5, "u", "v")
    signal = X["a"] + X["b"] + 2 * (X["label"] == "u") + 0.3 * rng.normal(size=150)
    y = pd.qcut(signal, 3, labels=False)
    for place in range(n_copies):
        X[f"a copy {place}"] = X["a"].astype(object if place else float)
        X[f"label copy {place}"] = X["label"].astype("category")
        X[f"b copy {place}"] = X["b"]
    selector = AutoSelector(cv=3, random_state=0).fit(X, y)
    assert {"a", "b", "label"} <= set(selector.get_feature_names_out())
    assert not any("copy" in name for name in selector.get_feature_names_out())
    path = tmp_path / "t.csv"
    X.assign(grade=y).to_csv(path, index=False)
    assert main(["rank", str(path), "-t", "grade", "--json", "-q"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert not any("copy" in name for name in found["answer"]["keep"])
    instead = next(each["substitutes"] for each in found["features"] if each["name"] == "a")
    assert "a copy 0" in instead


def test_the_copy_that_must_stay_is_kept(rng):
    X = pd.DataFrame(rng.normal(size=(90, 3)), columns=["a", "b", "c"])
    X["twin"] = X["a"]
    selector = AutoSelector(cv=2, must_keep=["twin"], random_state=0).fit(X, X["a"] > 0)
    assert selector.get_feature_names_out().tolist() == ["twin"]
