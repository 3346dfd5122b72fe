"""ConditionalEvidence: labels, error rates and facts on tables whose answer is known."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from echelon import ConditionalEvidence
from echelon.evidence import Cluster

FAST = {"n_jobs": 1, "random_state": 0}


def chain(n=300, seed=0, p=6):
    """y follows columns 0 and 3; 1 and 2 go with 0."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, 1] += 1.5 * X[:, 0]
    X[:, 2] += X[:, 0]
    score = X[:, 0] - X[:, 3] + rng.normal(size=n)
    return pd.DataFrame(X, columns=list("abcdefghijklmnop")[:p]), score


TARGETS = {
    "ordinal": lambda s: np.digitize(s, [-1.5, -0.5, 0.5, 1.5]),
    "classification": lambda s: np.array(["x", "y", "z"])[np.digitize(s, [-0.7, 0.7])],
    "regression": lambda s: np.exp(s),
}


@pytest.mark.parametrize("kind", TARGETS)
def test_needed_replaceable_and_none_for_every_kind_of_target(kind):
    X, score = chain(seed=2)
    found = ConditionalEvidence(threshold="family", **FAST).fit(X, TARGETS[kind](score))
    assert found.kind_ == kind
    assert found.labels_[[0, 3]].tolist() == ["needed", "needed"]
    assert found.labels_[[1, 2]].tolist() == ["replaceable", "replaceable"]
    assert set(found.labels_[4:]) == {"none"}
    assert found.replaced_by_ == [[], [0], [0], [], [], []]
    assert_array_equal(found.support_, found.labels_ == "needed")
    assert set(found.order_[:2]) == {0, 3}


def test_columns_of_every_kind_with_missing_values():
    rng = np.random.default_rng(1)
    n = 400
    level = rng.integers(4, size=n)
    home = rng.choice(["own", "rent", "free"], n)
    bent = rng.normal(size=n)
    score = 0.8 * level + 1.2 * (home == "own") + bent**2 + rng.normal(size=n)
    X = pd.DataFrame(
        {
            "bent": bent,
            "level": pd.Categorical.from_codes(level, ["a", "b", "c", "d"], ordered=True),
            "home": home,
            "noise": rng.normal(size=n),
            "colour": rng.choice(["red", "blue"], n),
            "grade": rng.integers(5, size=n).astype(float),
            "all_missing": np.full(n, np.nan),
            "constant": 1.0,
        }
    )
    for name in ("bent", "noise", "colour", "grade"):
        X.loc[rng.random(n) < 0.1, name] = np.nan
    found = ConditionalEvidence(threshold="family", **FAST).fit(X, np.digitize(score, [1, 2, 3, 4]))
    assert found.get_feature_names_out().tolist() == ["bent", "level", "home"]
    assert found.p_values_[-2:].tolist() == [1.0, 1.0]
    assert found.importance_p_values_[0] < 1e-4 < found.marginal_p_values_[0]


def test_of_copies_none_is_needed_and_each_replaces_the_other():
    X, score = chain()
    X["copy"] = X["a"]
    found = ConditionalEvidence(clusters=True, **FAST).fit(X, TARGETS["ordinal"](score))
    labels = dict(zip(X.columns, found.labels_, strict=True))
    assert labels["a"] == labels["copy"] == "replaceable"
    assert labels["d"] == "needed"
    assert found.replaced_by_[0] == [6]
    assert found.replaced_by_[6] == [0]
    finest = [cluster.features for cluster in found.clusters_]
    assert (0, 6) in finest
    assert all(isinstance(each, Cluster) and each.adjusted <= 0.05 for each in found.clusters_)


def test_groups_are_tested_together():
    rng = np.random.default_rng(2)
    n = 300
    answer = rng.integers(4, size=n)
    dummies = (answer[:, None] == np.arange(4)).astype(float)
    X = np.hstack([dummies, rng.normal(size=(n, 3))])
    y = np.digitize((answer == 1) + rng.normal(size=n), [-0.5, 0.5, 1.5])
    apart = ConditionalEvidence(**FAST).fit(X, y)
    assert not (apart.labels_ == "needed").any()  # three of the dummies tell the fourth
    groups = ["q"] * 4 + [None] * 3
    together = ConditionalEvidence(feature_groups=groups, **FAST).fit(X, y)
    assert_array_equal(together.labels_, ["needed"] * 4 + ["none"] * 3)
    assert len(set(together.p_values_[:4])) == 1
    assert_array_equal(together.support_, together.labels_ == "needed")


def test_more_features_than_rows_and_clusters_of_them():
    rng = np.random.default_rng(3)
    n = 60
    shared = rng.normal(size=(n, 30))
    X = np.repeat(shared, 3, axis=1) + 0.2 * rng.normal(size=(n, 90))
    y = np.digitize(2 * shared[:, 0] + rng.normal(size=n), [-1.5, 0, 1.5])
    found = ConditionalEvidence(threshold="family", **FAST).fit(X, y)
    assert [cluster.features for cluster in found.clusters_] == [(0, 1, 2)]
    assert_array_equal(found.labels_[:3], ["replaceable"] * 3)
    assert not (found.labels_ == "needed").any()
    assert ConditionalEvidence(clusters=False, **FAST).fit(X, y).clusters_ == []


def test_results_do_not_depend_on_threads():
    X, score = chain(120)
    y = TARGETS["ordinal"](score)
    one = ConditionalEvidence(n_jobs=1, random_state=0).fit(X, y)
    two = ConditionalEvidence(n_jobs=2, random_state=0).fit(X, y)
    assert_array_equal(one.p_values_, two.p_values_)


def test_p_values_are_twice_the_smaller_one():
    X, score = chain(120)
    found = ConditionalEvidence(**FAST).fit(X, score)
    smaller = np.minimum(found.residual_p_values_, found.importance_p_values_)
    assert_array_equal(found.p_values_, np.minimum(2 * smaller, 1))
    assert_array_equal(found.scores_, 0 - np.log10(np.maximum(found.p_values_, 1e-300)))


def test_the_facts_of_every_feature():
    X, score = chain()
    found = ConditionalEvidence(**FAST).fit(X, TARGETS["ordinal"](score))
    frame = found.frame()
    assert frame["feature"].tolist() == X.columns[found.order_].tolist()
    facts = frame.set_index("feature")
    assert facts.loc["b", "replaced_by"] == ["a"]
    assert facts.loc["a", "selected"]
    assert (facts["p_fdr"] <= facts["p_holm"]).all()
    assert (facts["p_fdr"] <= facts["p_fdr_any"]).all()
    expected = dict(zip(X.columns, found.adjusted_p_values_, strict=True))
    assert facts["p_fdr"].to_dict() == expected


def test_units_outliers_and_names_do_not_matter():
    X, score = chain(150)
    y = TARGETS["ordinal"](score)
    expected = ConditionalEvidence(**FAST).fit(X, y).p_values_
    stretched = np.exp(X.to_numpy()) * 1e6
    np.testing.assert_allclose(ConditionalEvidence(**FAST).fit(stretched, y).p_values_, expected)
    coarse = ConditionalEvidence(kind="ordinal", **FAST).fit(X, y * 10)
    np.testing.assert_allclose(coarse.p_values_, expected)


@pytest.mark.parametrize("n", [2, 3, 5, 9])
def test_few_rows_give_no_error(n):
    rng = np.random.default_rng(n)
    X = pd.DataFrame(rng.normal(size=(n, 3))).assign(label=list("ab" * n)[:n])
    found = ConditionalEvidence(**FAST).fit(X.rename(columns=str), np.arange(n) % 2)
    assert ((found.p_values_ >= 0) & (found.p_values_ <= 1)).all()


def test_numbers_of_features_and_thresholds_by_score():
    X, score = chain(150)
    assert ConditionalEvidence(2, **FAST).fit(X, score).support_.sum() == 2
    strict = ConditionalEvidence(threshold=3.0, **FAST).fit(X, score)
    assert_array_equal(strict.support_, strict.p_values_ < 1e-3)
    kept = ConditionalEvidence(must_keep=["f"], **FAST).fit(X, score)
    assert kept.support_[5]
    assert kept.order_[0] == 5
    with pytest.raises(ValueError, match="n_draws"):
        ConditionalEvidence(n_draws=1).fit(X, score)


@pytest.mark.slow
@pytest.mark.parametrize("kind", TARGETS)
def test_the_level_holds_under_correlation(kind):
    """Features 1 and 2, correlated with a needed one, pass about as often as the level says."""
    passed = []
    for seed in range(40):
        X, score = chain(150, seed)
        found = ConditionalEvidence(**FAST).fit(X, TARGETS[kind](score))
        passed.append(found.p_values_[[1, 2, 4, 5]] <= 0.05)
    assert np.mean(passed) < 0.09  # three standard errors above 0.05
