"""Rankings of scikit-learn under one interface: what they score is what scikit-learn scores."""

import numpy as np
import pandas as pd
import pytest
from sklearn import feature_selection
from sklearn.linear_model import LogisticRegression, Ridge

from echelon.base import ranks_of
from echelon.methods import PEERS
from echelon.report import summarize
from echelon.study import RFE, FTest, MutualInformation, PermutationImportance, Prepared

KINDS = ("ordinal", "classification", "regression")


@pytest.fixture
def table(rng):
    """A column that decides, one that follows it, two that do not matter, one that is constant."""
    signal = rng.normal(size=120)
    X = pd.DataFrame({"noise": rng.normal(size=120), "best": signal})
    X["next"] = signal + rng.normal(size=120)
    X["three"] = rng.integers(0, 3, 120)
    X["same"] = 1.0
    return X


def target(table, kind, rng):
    y = table["best"] + 0.2 * rng.normal(size=len(table))
    if kind == "regression":
        return y.to_numpy()
    codes = pd.qcut(y, 3, labels=False).to_numpy()
    return codes if kind == "ordinal" else np.array(["b", "c", "a"])[codes]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PEERS)
def test_they_find_what_decides(name, kind, table, rng):
    y = target(table, kind, rng)
    ranking = PEERS[name].make(kind=kind, random_state=0).fit(table, y)
    assert ranks_of(ranking).tolist()[1] == 1
    assert ranks_of(ranking).tolist()[4] > 2
    again = PEERS[name].make(kind=kind, random_state=0).fit(table, y)
    assert again.scores_.tolist() == ranking.scores_.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_those_of_scikit_learn(kind, table, rng):
    y = target(table, kind, rng)
    codes = pd.factorize(y, sort=True)[0]
    varying = table.drop(columns="same")
    numbers = kind == "regression"
    test = feature_selection.f_regression if numbers else feature_selection.f_classif
    expected = test(varying, y if numbers else codes)[0]
    np.testing.assert_allclose(FTest(kind).fit(table, y).scores_, [*expected, 0])
    measure = getattr(feature_selection, f"mutual_info_{'regression' if numbers else 'classif'}")
    expected = measure(table, y if numbers else codes, random_state=0,
                       discrete_features=[False, False, False, True, True])  # fmt: skip
    found = MutualInformation(kind, random_state=0).fit(table, y).scores_
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("kind", KINDS)
def test_elimination_is_that_of_scikit_learn(kind, table, rng):
    y = target(table, kind, rng)
    scaled = ((table - table.mean()) / table.std(ddof=0)).fillna(0)
    model = LogisticRegression(max_iter=1000) if kind == "classification" else Ridge()
    expected = feature_selection.RFE(model, n_features_to_select=1).fit(scaled, y).ranking_
    found = RFE(kind).fit(table, y).scores_
    assert np.argsort(-found).tolist() == np.argsort(expected, kind="stable").tolist()


def test_many_features_are_removed_several_at_a_time(rng):
    X = pd.DataFrame(rng.normal(size=(60, 130)))
    y = X[7] + 0.1 * rng.normal(size=60)
    scores = RFE("regression").fit(X, y).scores_
    assert len(set(scores)) == 130
    assert scores.argmax() == 7


@pytest.mark.slow
@pytest.mark.parametrize("ranking", [FTest(), MutualInformation(), PermutationImportance(), RFE()])
def test_they_take_any_table_in_a_report(ranking, table, rng):
    table["label"] = np.where(table["best"] > 0, "yes", "no")
    table["likert"] = pd.Categorical(rng.integers(0, 4, 120), ordered=True)
    table.loc[::9, "next"] = np.nan
    y = target(table, "ordinal", rng)
    selector = ranking if isinstance(ranking, PermutationImportance) else Prepared(ranking)
    found = summarize(table, y, {"peer": selector}, n_resamples=3, cv=3).summary()
    assert found["features"][0]["name"] == "best"
    assert found["methods"][0]["stability"]["frequency"][1] == 1.0
    assert found["methods"][0]["label"] == type(ranking).__name__
