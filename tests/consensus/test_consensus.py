"""ConsensusSelector: fusion against plain loops, and what it takes, shows and refuses."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, f_classif

import reference_consensus as reference
from echelon import CFS, ConsensusSelector, NeighborhoodSoftMargin, RankCorrelation, ReliefF
from echelon.consensus import completed, fused, places


@pytest.mark.parametrize("seed", range(60))
def test_fusion_equals_loops(seed):
    rng = np.random.default_rng(seed)
    n_rankings, n_features = rng.integers(1, 6), rng.integers(1, 12)
    ranks = rng.integers(1, n_features + 1, (n_rankings, n_features))
    each = np.array([places(row) for row in ranks])
    assert_allclose(each, [reference.places(row) for row in ranks.tolist()])
    taken = rng.random(n_features) < 0.5
    others = rng.permutation(n_features)
    assert_allclose(
        completed(ranks[0], taken, others),
        reference.completed(ranks[0].tolist(), taken.tolist(), others.tolist()),
    )
    weights = rng.integers(1, 4, n_rankings)
    constant = float(rng.uniform(0.5, 60))
    for fusion in ("reciprocal", "mean", "median"):
        expected = reference.fused(each.tolist(), weights.tolist(), fusion, constant)
        assert_allclose(fused(each, weights.astype(float), fusion, constant), expected)


@pytest.fixture
def data(rng):
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 8))
    X[:, 2] += y
    X[:, 5] -= 0.7 * y
    return pd.DataFrame(X, columns=list("abcdefgh")), y


def test_the_order_equals_loops(data):
    X, y = data
    members = {"cfs": CFS(), "nsm": NeighborhoodSoftMargin(), "tau": RankCorrelation()}
    relief = ReliefF()
    selector = ConsensusSelector(members, weights=[1, 1, 2], completed_by=["tau", relief]).fit(X, y)
    fitted = {name: each.fit(X, y) for name, each in members.items()}
    tau = reference.places(fitted["tau"].ranking_.tolist())
    mean = [a + b for a, b in zip(tau, reference.places(relief.fit(X, y).ranking_.tolist()),
                                  strict=True)]  # fmt: skip
    each = [
        reference.completed(fitted[name].ranking_.tolist(), fitted[name].support_.tolist(), mean)
        for name in ("cfs", "nsm")
    ] + [tau]
    assert_allclose(selector.places_, each)
    scores = reference.fused(each, [1, 1, 2], "reciprocal", 3.0)
    assert_allclose(selector.scores_, scores)
    assert (np.diff(selector.scores_[selector.order_]) <= 0).all()
    assert sorted(selector.ranking_) == list(range(1, 9))


def test_rankers_of_any_kind(data):
    X, y = data
    rankers = [
        ReliefF(),
        ReliefF(n_neighbors=3),
        ("F test", SelectKBest(f_classif, k=2)),
        RandomForestClassifier(20, random_state=0),
    ]
    selector = ConsensusSelector(rankers, 2).fit(X, y)
    assert list(selector.selectors_) == ["ReliefF", "ReliefF 2", "F test", "RandomForestClassifier"]
    assert selector.get_feature_names_out().tolist() == ["c", "f"]
    frame = selector.agreement().frame()
    assert len(frame) == 6
    assert ConsensusSelector(dict(enumerate(rankers[:2])), 1).fit(X, y).support_.sum() == 1


def test_its_own_rule_is_a_majority(data):
    X, y = data
    selector = ConsensusSelector([ReliefF(), CFS(), NeighborhoodSoftMargin()]).fit(X, y)
    votes = np.sum([each.support_ for each in selector.selectors_.values()], axis=0)
    assert_array_equal(selector.votes_, votes)
    assert selector.support_.sum() == max(1, (votes > 1.5).sum())


def test_rows_are_drawn_where_there_are_many(data):
    X, y = data
    members = {"tau": RankCorrelation(), "relief": ReliefF()}
    few = ConsensusSelector(members, completed_by=["tau"], max_samples=30, random_state=0).fit(X, y)
    full = ConsensusSelector(members, completed_by=["tau"]).fit(X, y)
    assert_array_equal(few.selectors_["tau"].scores_, full.selectors_["tau"].scores_)
    assert not np.array_equal(few.selectors_["relief"].scores_, full.selectors_["relief"].scores_)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"selectors": []}, "`selectors` must be selectors"),
        ({"selectors": [("a", ReliefF()), ("a", CFS())]}, "a name of its own"),
        ({"selectors": [ReliefF()], "weights": [1, 2]}, "`weights` must hold one positive number"),
        ({"selectors": [ReliefF()], "completed_by": ["CFS"]}, "`completed_by` must hold selectors"),
        ({"selectors": [ReliefF()], "n_features_to_select": 99}, "at most the number of features"),
    ],
)
def test_errors(data, params, message):
    with pytest.raises(ValueError, match=message):
        ConsensusSelector(**params).fit(*data)
