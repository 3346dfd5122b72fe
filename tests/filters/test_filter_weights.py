"""Weights of samples in the filters: as if every row were there as often as its weight says."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import reference_weights
from cases import draw_case
from echelon import (
    CFS,
    MRMR,
    Consistency,
    ForestImportance,
    ForwardAdditive,
    ForwardLinear,
    InformationValue,
    RankCorrelation,
    RankMutualInformation,
)

SEEDS = range(20)

BY_NUMBER = {
    "kendall": lambda **params: RankCorrelation(threshold=0.0, **params),
    "spearman": lambda **params: RankCorrelation(measure="spearman", threshold=0.0, **params),
    "line": lambda **params: ForwardLinear(n_bags=0, **params),
    "line of ranks": lambda **params: ForwardLinear(n_bags=0, scale="rank", **params),
    "line by bic": lambda **params: ForwardLinear(n_bags=0, criterion="bic", **params),
    "curve": lambda **params: ForwardAdditive(n_bags=0, n_rounds=12, **params),
    "bins": lambda **params: ForwardAdditive(n_bags=0, n_rounds=12, n_bins=3, **params),
}

KINDS = ("ordinal", "classification", "regression")


def whole_weights(case, seed):
    weights = np.random.default_rng(seed + 500).integers(0, 5, len(case.y))
    weights[:2] = 1, 3
    return weights


def repeated(case, weights):
    return case.X.repeat(weights, axis=0), case.y.repeat(weights)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", BY_NUMBER)
def test_whole_weights_are_repeated_rows(name, kind):
    for seed in SEEDS:
        case = draw_case(seed)
        weights = whole_weights(case, seed)
        selector = BY_NUMBER[name](kind=kind, categorical_features=case.nominal)
        copied = selector.fit(*repeated(case, weights))
        expected, ranking = copied.scores_, copied.ranking_
        selector.fit(case.X, case.y, sample_weight=weights)
        assert_allclose(selector.scores_, expected, atol=1e-9, err_msg=str(seed))
        assert_array_equal(selector.support_, copied.support_)
        if (np.diff(np.sort(expected)) > 1e-9).all():
            assert_array_equal(selector.ranking_, ranking)


@pytest.mark.parametrize("side", ["both", "ascending", "descending"])
def test_whole_weights_of_rank_information_are_repeated_rows(side):
    for seed in SEEDS:
        case = draw_case(seed, nominal=0)
        weights = whole_weights(case, seed)
        selector = RankMutualInformation(side=side, kind="ordinal", threshold=0.0)
        expected = selector.fit(*repeated(case, weights)).scores_
        found = selector.fit(case.X, case.y, sample_weight=weights).scores_
        assert_allclose(found, expected, atol=1e-9, err_msg=str(seed))
        assert_allclose(
            selector.fit(case.X, case.y, sample_weight=0.01 * weights).scores_, found, atol=1e-9
        )


@pytest.mark.parametrize("scheme", ["difference", "quotient"])
@pytest.mark.parametrize(
    "measure",
    [
        "kendall",
        "spearman",
        "mutual_information",
        "symmetric_uncertainty",
        "rank_mutual_information",
    ],
)
def test_whole_weights_of_mrmr_are_repeated_rows(measure, scheme):
    for seed in SEEDS:
        ordered = measure == "rank_mutual_information"
        case = draw_case(seed, nominal=0 if ordered else None)
        weights = whole_weights(case, seed)
        kind = "regression" if seed % 3 == 0 else "ordinal"
        selector = MRMR(1.0, measure=measure, scheme=scheme, kind=kind, n_bins=4)
        selector.set_params(categorical_features=case.nominal)
        rows = repeated(case, weights)
        if not (np.nanmin(rows[0], axis=0) < np.nanmax(rows[0], axis=0)).any():
            continue
        expected = selector.fit(*rows).relevances_, selector.path_["value"].copy()
        selector.fit(case.X, case.y, sample_weight=weights)
        assert_allclose(selector.relevances_, expected[0], atol=1e-9, err_msg=str(seed))
        assert_allclose(selector.path_["value"], expected[1], atol=1e-8, err_msg=str(seed))


@pytest.mark.parametrize("min_samples_leaf", [1, 4])
def test_weights_of_a_forest_are_repeated_rows_but_for_its_random_cuts(min_samples_leaf):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 3, 60)
    X[:, 0] += y
    weights = np.where(y == 1, rng.integers(0, 4, 60), 9)
    selector = ForestImportance(
        n_estimators=400, min_samples_leaf=min_samples_leaf, random_state=0, kind="ordinal"
    )
    plain = selector.fit(X, y).scores_
    expected = selector.fit(X.repeat(weights, axis=0), y.repeat(weights)).scores_
    found = selector.fit(X, y, sample_weight=weights).scores_
    assert_allclose(found, expected, atol=0.02)
    assert np.abs(plain - expected).max() > 0.03


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "selector",
    [
        RankCorrelation(),
        RankMutualInformation(monotonic_cst=None, threshold=0.0),
        MRMR(2),
        ForestImportance(n_estimators=5, random_state=0),
        ForwardLinear(n_bags=3, random_state=0),
        ForwardAdditive(n_bags=3, n_rounds=5, random_state=0),
    ],
    ids=lambda selector: type(selector).__name__,
)
def test_a_weight_of_zero_is_a_row_removed_and_of_one_is_none(selector, kind):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(50, 4)), rng.integers(0, 2, 50)
    selector.set_params(kind=kind)
    weights = rng.choice([0.0, 0.4, 1.0, 2.5], 50)
    there = weights > 0
    names = [n for n in ("scores_", "ranking_", "support_", "p_values_") if hasattr(
        selector.fit(X, y), n)]  # fmt: skip
    plain = [getattr(selector, name) for name in names]
    selector.fit(X, y, sample_weight=np.ones(50))
    for name, value in zip(names, plain, strict=True):
        assert_array_equal(getattr(selector, name), value)
    removed = selector.fit(X[there], y[there], sample_weight=weights[there])
    kept = [getattr(removed, name) for name in names]
    selector.fit(X, y, sample_weight=weights)
    for name, value in zip(names, kept, strict=True):
        assert_array_equal(getattr(selector, name), value)


@pytest.mark.parametrize("measure", ["kendall", "spearman"])
def test_any_weights_of_rank_correlation_equal_reference(measure):
    for seed in SEEDS:
        case = draw_case(seed, nominal=0)
        weights = np.random.default_rng(seed).gamma(1.0, 1.0, len(case.y))
        selector = RankCorrelation(measure=measure, kind="ordinal")
        found = selector.fit(case.X, case.y, sample_weight=weights).correlations_
        expected = [
            getattr(reference_weights, measure)(column, case.y.tolist(), weights.tolist())
            for column in case.X.T.tolist()
        ]
        assert_allclose(found, expected, atol=1e-9, err_msg=str(seed))


def test_p_values_are_those_of_fewer_samples():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    X[:, 0] += y
    copies = RankCorrelation().fit(X.repeat(9, axis=0), y.repeat(9))
    plain, heavy = RankCorrelation().fit(X, y), RankCorrelation()
    heavy.fit(X, y, sample_weight=np.full(60, 9.0))
    assert_allclose(heavy.scores_, copies.scores_, atol=1e-12)
    assert_allclose(heavy.p_values_, plain.p_values_, atol=1e-12)
    assert (heavy.p_values_ > copies.p_values_).all()


def test_noise_with_uneven_weights_keeps_its_error_rate():
    passed = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 20)), rng.integers(0, 4, 60)
        weights = rng.lognormal(0, 0.8, 60)
        for measure in ("kendall", "spearman"):
            selector = RankCorrelation(measure=measure).fit(X, y, sample_weight=weights)
            passed.append(selector.p_values_ < 0.05)
    # 8,000 p-values in tables of 20: five standard errors are some 0.02.
    assert abs(np.mean(passed) - 0.05) < 0.02


@pytest.mark.parametrize("estimator", [CFS, Consistency, InformationValue])
def test_methods_without_a_weighted_definition_have_no_parameter(estimator):
    with pytest.raises(TypeError, match="sample_weight"):
        estimator().fit(np.eye(4), [0, 1, 0, 1], sample_weight=[1, 1, 1, 1])


def test_cuts_by_counts_are_refused():
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    selector = MRMR(measure="mutual_information", discretize="mdl")
    with pytest.raises(ValueError, match=r"`discretize` must be \"quantile\" with"):
        selector.fit(X, y, sample_weight=np.arange(20))
