"""The model that evaluates the features: the better of a linear one and a forest."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from echelon import AutoSelector, ConsensusSelector, ForwardLinear, RankCorrelation
from echelon.base import n_worthwhile
from echelon.consensus import SEARCHES, default_ranker
from echelon.study import forest
from echelon.study._models import MOST_ROWS
from echelon.study._rankers import Arranged, Prepared


def table(rng, curved, kind="ordinal", n=200):
    """Two features and noise; the first along a curve that no straight line follows, or not."""
    X = pd.DataFrame(rng.normal(size=(n, 6)), columns=list("abcdef"))
    first = 2.5 * np.cos(2.5 * X["a"]) if curved else 1.5 * X["a"]
    y = first + X["b"] + 0.5 * rng.normal(size=n)
    if kind == "regression":
        return X, y
    grades = pd.qcut(y, 4, labels=False)
    return X, grades if kind == "ordinal" else np.array(["p", "q", "r", "s"])[grades]


@pytest.mark.parametrize("kind", ["ordinal", "classification", "regression"])
@pytest.mark.parametrize("curved", [False, True])
def test_the_better_model_evaluates(kind, curved):
    X, y = table(np.random.default_rng(1), curved, kind)
    selector = AutoSelector(random_state=0).fit(X, y)
    assert selector.kind_ == kind
    assert selector.model_ == ("forest" if curved else "linear")
    assert list(selector.model_curves_) == ["linear", "forest"]
    assert selector.curves_["consensus"] is selector.model_curves_[selector.model_]
    assert "b" in selector.get_feature_names_out()
    fitted = clone(selector.estimator_).fit(X, y)  # takes the table as it is
    assert len(fitted.predict(X)) == len(X)
    summary = selector.report(n_resamples=0).summary()
    assert summary["answer"]["model"] == selector.model_
    assert selector.model_ in summary["answer"]["decided_by"]
    assert "Model" in summary["words"]["lines"]


def test_a_model_of_the_user_is_the_only_one():
    X, y = table(np.random.default_rng(0), False)
    selector = AutoSelector(estimator=GaussianNB(), random_state=0).fit(X, y)
    assert selector.model_ == "given"
    assert list(selector.model_curves_) == ["given"]
    assert isinstance(selector.estimator_, GaussianNB)
    assert set(selector.baselines_) == {"guess", "all features", "forest"}


def test_the_answer_does_not_depend_on_threads():
    X, y = table(np.random.default_rng(0), True)
    one, two = (AutoSelector(random_state=3, n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.model_ == two.model_
    for model, curve in one.model_curves_.items():
        np.testing.assert_array_equal(curve.scores, two.model_curves_[model].scores)
    np.testing.assert_array_equal(one.support_, two.support_)


def test_the_searches_limit_how_many_are_kept():
    rng = np.random.default_rng(0)
    X, y = table(rng, False)
    X = X.join(pd.DataFrame(rng.normal(size=(200, 30))).add_prefix("noise "))
    selector = AutoSelector(random_state=0).fit(X, y)
    votes = selector.ranker_.votes_
    voters = [selector.ranker_.selectors_[name] for name in SEARCHES]
    np.testing.assert_array_equal(votes, np.sum([each.get_support() for each in voters], axis=0))
    assert n_worthwhile(selector.ranker_) == (votes > 0).sum() < 36
    assert selector.support_.sum() <= (votes > 0).sum()


def test_votes_reach_through_what_is_done_around_a_ranking():
    rng = np.random.default_rng(0)
    X, y = table(rng, False)
    fused = ConsensusSelector({"s": ForwardLinear(), "r": RankCorrelation()}, voters=["s"])
    plain = fused.fit(X, y)
    assert 1 <= n_worthwhile(plain) < 6
    left = X.columns[plain.votes_ == 0][0]
    arranged = Arranged(fused, first=[left]).fit(X, y)
    assert n_worthwhile(arranged) == n_worthwhile(plain) + 1
    labels = X.assign(home=np.array(["u", "v", "w"])[rng.integers(3, size=200)])
    assert n_worthwhile(Prepared(fused).fit(labels, y)) <= 7
    assert n_worthwhile(RankCorrelation().fit(X, y)) is None
    with pytest.raises(ValueError, match=r"`voters` must hold names of selectors, got 'x'"):
        ConsensusSelector({"r": RankCorrelation()}, voters=["x"]).fit(X, y)


def test_without_weights_for_neighbours_the_other_searches_vote():
    weighted = default_ranker("ordinal", 100, weighted=True)
    assert set(weighted.voters) == set(SEARCHES) - {"neighbours"}


@pytest.mark.parametrize("kind", ["ordinal", "classification", "regression"])
def test_trees_see_a_part_of_many_rows(kind):
    for n, drawn in ((100, None), (MOST_ROWS + 1, MOST_ROWS)):
        model = forest(kind, 0, 2, n).model
        trees = getattr(model, "classifier", model)
        assert trees.max_samples == drawn
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(MOST_ROWS + 1, 2)))
    y = pd.Series(X[0] if kind == "regression" else (X[0] > 0).astype(int))
    few = forest(kind, 0, 2, len(X)).fit(X, y).model
    inner = getattr(few, "forest_", getattr(few, "classifier_", few))
    leaves = [tree.tree_.n_node_samples[0] for tree in inner.estimators_]
    assert max(leaves) <= MOST_ROWS
