"""The code behind an answer: run, it prints the score that the selection holds."""

import ast
import io
import json
import tokenize

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from echelon import AutoSelector, Selection
from echelon.study import _design
from echelon.study._expression import Code
from use_cases import printed_score

HOSTILE = [
    "x'); import os; os.system('false') #",
    '"""\nraise SystemExit(3)\n"""',
    "{FILE}\\",
    "a\u202eb\u2028c",
    "# nothing\r\nraise SystemExit(4)",
]


def data(n=90, seed=0):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n)
    X = pd.DataFrame(
        {
            "first": z + 0.4 * rng.normal(size=n),
            "gap": np.where(rng.random(n) < 0.1, np.nan, -z + rng.normal(size=n)),
            "home": np.where(rng.random(n) < 0.4 + 0.2 * z, "own", "rent"),
            "noise": rng.normal(size=n),
        }
    )
    return X, z


def targets(z):
    """A target of every kind."""
    codes = np.digitize(z, [-0.5, 0.5])
    return {
        "ordered": pd.Series(pd.Categorical.from_codes(codes, ["low", "mid", "top"], ordered=True)),
        "integers": pd.Series(codes + 3),
        "classes": pd.Series(np.array(["c", "a", "b"])[codes]),
        "digits": pd.Series(np.array(["1", "0"])[(codes > 0).astype(int)]),
        "numbers": pd.Series(z),
    }


def saved_score(selector):
    held = Selection.from_json(selector.to_json()).to_dict()
    return held["scores"]["selected"]["mean"]


def check(selector, table, tmp_path, X, y, **fit):
    """The score that the script prints is the one that was saved."""
    path = tmp_path / "data.csv"
    table.to_csv(path, index=False)
    selector.fit(X, y, **fit)
    code = selector.to_code(str(path))
    assert printed_score(code) == pytest.approx(saved_score(selector), abs=1e-6)
    return code


@pytest.mark.parametrize("kind", list(targets(np.zeros(3))))
@pytest.mark.parametrize("model", ["linear", "forest"])
def test_the_score_is_the_same_for_every_target_and_model(kind, model, tmp_path, monkeypatch):
    X, z = data()
    y = targets(z)[kind].rename("y")
    models = _design.default_models
    monkeypatch.setattr(_design, "default_models", lambda *a: {model: models(*a)[model]})
    selector = AutoSelector(n_features_to_select=3, cv=2, random_state=0)
    code = check(selector, X.assign(y=y), tmp_path, X, y)
    assert selector.model_ == model
    assert ("ExtraTrees" in code or "OrdinalForest" in code) == (model == "forest")


def test_a_notebook_prints_the_same(tmp_path):
    X, z = data()
    selector = AutoSelector(n_features_to_select=2, cv=2, random_state=0).fit(X, z)
    X.assign(target=z).to_csv(tmp_path / "data.csv", index=False)
    book = selector.to_code(str(tmp_path / "data.csv"), notebook=True)
    assert printed_score(book) == pytest.approx(saved_score(selector), abs=1e-6)
    held = json.loads(book)
    assert (held["nbformat"], held["metadata"]["kernelspec"]["name"]) == (4, "python3")
    for cell in held["cells"]:
        code = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        assert set(cell) == {"cell_type", "metadata", "source", *code}


@pytest.mark.parametrize("rows", ["groups", "time", "both", "weights"])
@pytest.mark.parametrize("kind", ["ordered", "numbers"])
def test_groups_time_and_weights_are_in_the_script(rows, kind, tmp_path):
    X, z = data()
    y = targets(z)[kind].rename("y")
    rng = np.random.default_rng(1)
    known = {
        "groups": pd.Series(rng.integers(0, 25, len(X)), name="who"),
        "time": pd.Series(rng.integers(0, 40, len(X)), name="when"),
        "sample_weight": pd.Series(rng.integers(1, 5, len(X)), name="much"),
    }
    names = {"both": ["groups", "time"], "weights": ["sample_weight"]}.get(rows, [rows])
    given = {name: known[name] for name in names}
    table = X.assign(y=y, **{series.name: series for series in given.values()})
    selector = AutoSelector(n_features_to_select=2, cv=2, weights_are="survey", random_state=0)
    check(selector, table, tmp_path, X, y, **given)


@pytest.mark.parametrize(
    "params",
    [
        {"estimator": make_pipeline(StandardScaler(), Ridge(alpha=0.5)), "scoring": "r2"},
        {"estimator": ExtraTreesRegressor(10, max_features=0.5, random_state=1)},
        {"cv": KFold(4, shuffle=True, random_state=5)},
        {"scoring": "neg_mean_absolute_error", "must_keep": ["noise"]},
    ],
    ids=["pipeline", "forest", "splitter", "scoring"],
)
def test_models_folds_and_scores_of_the_users(params, tmp_path):
    X, z = data()
    X = X[["first", "noise"]]
    selector = AutoSelector(**{"cv": 2, "random_state": 0, **params})
    check(selector, X.assign(target=z), tmp_path, X, z)


def test_hostile_names_are_names_only(tmp_path):
    """Names, classes and paths stand in the code as literals, in no comment and no docstring."""
    X, z = data()
    X.columns = HOSTILE[:4]
    name = HOSTILE[4]
    y = pd.Series(pd.Categorical.from_codes((z > 0).astype(int), HOSTILE[:2], ordered=True))
    selector = AutoSelector(n_features_to_select=4, cv=2, random_state=0).fit(X, y.rename(name))
    path = tmp_path / 'it\'s "data".csv'
    X.assign(**{name: y}).to_csv(path, index=False)
    code = selector.to_code(str(path))
    found = tokenize.generate_tokens(io.StringIO(code).readline)
    texts = [token.string for token in found if token.type == tokenize.COMMENT]
    texts.append(ast.get_docstring(ast.parse(code)))
    assert not any(part in line for line in texts for part in ("os.system", "SystemExit"))
    assert "\u202e" not in code
    assert "\u2028" not in code
    assert compile(code, "script", "exec")
    namespace = {}
    reading = code.replace("table = pd.read_csv(FILE)", "raise KeyError")
    with pytest.raises(KeyError):
        exec(reading, namespace)
    assert namespace["FEATURES"] == HOSTILE[:4]
    assert namespace["TARGET"] == name
    assert namespace["FILE"] == str(path)
    for cell in json.loads(selector.to_code(str(path), notebook=True))["cells"]:
        if cell["cell_type"] == "markdown":
            assert "os.system" not in "".join(cell["source"])


class Own(DummyClassifier):
    """A model whose module cannot be imported by others, as of a notebook."""

    __module__ = "__main__"


@pytest.mark.parametrize(
    "value",
    [lambda: 0, Own(), LogisticRegression(class_weight={0: object()}), object(), KFold, open],
)
def test_what_cannot_be_written_is_refused(value):
    with pytest.raises(ValueError, match="cannot be written as code"):
        Code().of(value)


def test_values_are_made_again():
    value = [(1,), (2, 3), {"a": [None, True, -1.5, "x'\n"]}, float("inf")]
    assert eval(Code().of(value)) == value


def test_nothing_selected_leaves_nothing_to_write():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    selector = AutoSelector(cv=2, random_state=0).fit(X, y)
    assert not selector.support_.any()
    with pytest.raises(ValueError, match="No feature was selected, so there is no pipeline"):
        selector.to_code()
    assert Selection.from_json(selector.to_json()).features_ == []


def test_folds_of_the_users_own_rows_are_refused(tmp_path):
    X, z = data(60)
    folds = [(np.arange(30), np.arange(30, 60)), (np.arange(30, 60), np.arange(30))]
    selector = AutoSelector(n_features_to_select=1, cv=folds, random_state=0).fit(X, z)
    with pytest.raises(ValueError, match="list of folds, which cannot be written"):
        selector.to_code()
    selector = AutoSelector(
        n_features_to_select=1, cv=2, random_state=0, scoring=lambda m, X, y: m.score(X, y)
    )
    with pytest.raises(ValueError, match="`scoring` is a function"):
        selector.fit(X, z).to_code()
