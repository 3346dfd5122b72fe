"""ConsensusSelector on wide tables: selectors that cost much look at what the others agree on."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import reference_consensus as reference
from echelon import CFS, ConsensusSelector, ForestImportance, RankCorrelation, ReliefF
from echelon.consensus import default_ranker


@pytest.fixture
def data(rng):
    y = np.arange(90) % 3
    X = pd.DataFrame(rng.normal(size=(90, 12)), columns=list("abcdefghijkl"))
    X["c"] += y
    X["f"] -= 0.7 * y
    X["k"] = np.where(rng.random(90) < 0.7, y, rng.integers(0, 3, 90)).astype(str)
    return X, y


def test_they_are_the_first_of_the_other_rankings(data):
    X, y = data
    members = {"cfs": CFS(), "forest": ForestImportance(random_state=1), "tau": RankCorrelation()}
    relief = ReliefF()
    params = {"completed_by": ["tau", relief], "max_features": {"forest": 4}}
    selector = ConsensusSelector(members, **params).fit(X, y)
    cfs, tau, near = (each.fit(X, y) for each in (CFS(), RankCorrelation(), relief))
    tau, near = (reference.places(each.ranking_.tolist()) for each in (tau, near))
    mean = [a + b for a, b in zip(tau, near, strict=True)]
    taken = reference.completed(cfs.ranking_.tolist(), cfs.support_.tolist(), mean)
    scores = reference.fused([taken, tau, near], [1, 1, 1], "reciprocal", 3.0)
    best = sorted(range(12), key=lambda f: -scores[f])[:4]
    assert_array_equal(selector.columns_["forest"], sorted(best))
    assert list(selector.columns_) == ["forest"]
    assert {X.columns.get_loc(name) for name in "cfk"} <= set(best)
    # The forest is one of these columns alone, labels and all.
    forest = ForestImportance(random_state=1).fit(X.iloc[:, sorted(best)], y)
    assert_array_equal(selector.selectors_["forest"].scores_, forest.scores_)
    # What it was not fitted to comes behind, by the rankings of all features, and has no vote.
    ranks = np.full(12, 5)
    ranks[sorted(best)] = forest.ranking_
    kept = np.zeros(12, bool)
    kept[np.sort(best)[forest.support_]] = True
    expected = reference.completed(ranks.tolist(), kept.tolist(), mean)
    assert_allclose(selector.places_[1], expected)
    votes = cfs.support_.astype(int) + kept + RankCorrelation().fit(X, y).support_
    assert_array_equal(selector.votes_, votes)


def test_without_rankings_of_all_features_what_was_not_seen_comes_last(data):
    X, y = data
    members = {"relief": ReliefF(categorical_features=["k"]), "tau": RankCorrelation()}
    selector = ConsensusSelector(members, max_features={"relief": 3}).fit(X, y)
    seen = np.isin(np.arange(12), selector.columns_["relief"])
    assert seen.sum() == 3
    assert selector.places_[0][seen].max() < selector.places_[0][~seen].min()
    assert len(set(selector.places_[0][~seen])) == 1


def test_a_limit_above_the_number_of_features_changes_nothing(data):
    members = {"forest": ForestImportance(random_state=1), "tau": RankCorrelation()}
    plain = ConsensusSelector(members, random_state=0).fit(*data)
    limited = ConsensusSelector(members, max_features={"forest": 12}, random_state=0).fit(*data)
    assert_array_equal(limited.places_, plain.places_)
    assert limited.columns_ == {}


def test_the_default_of_a_wide_table(rng):
    """Found among many by the cheap rankings; threads do not matter."""
    X = rng.normal(size=(120, 260))
    y = np.digitize(X[:, 250] - X[:, 3] + 0.3 * rng.normal(size=120), [-1, 0, 1])
    ranker = default_ranker("ordinal", 120).set_params(random_state=0)
    one, two = (ranker.set_params(n_jobs=n).fit(X, y) for n in (1, 2))
    assert_array_equal(one.places_, two.places_)
    assert {name: len(each) for name, each in one.columns_.items()} == {
        "neighbours": 200, "forest": 200
    }  # fmt: skip
    assert set(one.order_[:2].tolist()) == {3, 250}
    assert one.selectors_["additive"].n_features_in_ == 260


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"forst": 5}, "must hold names of selectors that are not in `completed_by`, got 'forst'"),
        ({"tau": 5}, "must hold names of selectors that are not in `completed_by`, got 'tau'"),
        ({"forest": 0}, "must hold whole numbers from 1, got 0 for 'forest'"),
        ({"forest": 2.5}, "must hold whole numbers from 1, got 2.5 for 'forest'"),
    ],
)
def test_errors(data, limits, message):
    members = {"forest": ForestImportance(), "tau": RankCorrelation()}
    with pytest.raises(ValueError, match=message):
        ConsensusSelector(members, completed_by=["tau"], max_features=limits).fit(*data)
    with pytest.raises(ValueError, match="must leave out at least one of the selectors"):
        ConsensusSelector({"forest": ForestImportance()}, max_features={"forest": 3}).fit(*data)
