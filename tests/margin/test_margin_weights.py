"""Weights of samples: as if every row were there as often as its weight says."""

import itertools

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import reference_moments
import reference_weights
from cases import draw_case
from echelon import (
    SURF,
    SWRF,
    IRelief,
    IterativeRelief,
    MultiSURF,
    MultiSURFStar,
    MultiSWRF,
    OReliefF,
    OSimba,
    Relief,
    ReliefF,
    RReliefF,
    Simba,
    SURFStar,
    SWRFStar,
)
from echelon._core.samples import arrange
from echelon.data import Data
from echelon.engines import NumbaEngine, NumpyEngine
from echelon.margin import _base, rules
from echelon.margin._sums import margin_sums

ENGINES = ("numba", "numpy")
pytestmark = pytest.mark.filterwarnings("ignore:.*for the median sample:UserWarning")
SEEDS = range(24)


@pytest.fixture(autouse=True)
def rows_repeated_stay_so(monkeypatch):
    """Else equal rows would be weighted ones, and compared with themselves."""
    monkeypatch.setattr(_base, "equal_rows_once", lambda samples: None)


def paper(**params):
    return OReliefF(rule="paper", **params)


SCORERS = {
    "Relief": Relief,
    "ReliefF": ReliefF,
    "ReliefF any": lambda **params: ReliefF(neighbors="any", **params),
    "ReliefF extreme": lambda **params: ReliefF(neighbors="extreme", **params),
    "ReliefF log": lambda **params: ReliefF(n_neighbors="log", **params),
    "RReliefF": RReliefF,
    "RReliefF classes": lambda **params: RReliefF(kind="classification", **params),
    "RReliefF rank": lambda **params: RReliefF(neighbor_weights="rank", decay=3.0, **params),
    "OReliefF paper": paper,
    "OReliefF require": lambda **params: paper(dominance="require", **params),
    "OReliefF ranks": lambda **params: paper(dominance="ignore", scale="rank", **params),
    "SURF": lambda **params: SURF(kind="classification", **params),
    "SURF ordered": SURF,
    "SURFStar": lambda **params: SURFStar(kind="classification", **params),
    "MultiSURF": lambda **params: MultiSURF(kind="classification", **params),
    "MultiSURFStar": MultiSURFStar,
    "SWRF": lambda **params: SWRF(kind="classification", **params),
    "SWRFStar ordered": SWRFStar,
    "MultiSWRF": lambda **params: MultiSWRF(kind="classification", **params),
}


def made(name, case, **params):
    """A scorer for a case, with few neighbours and no second fit."""
    scorer = SCORERS[name](threshold=0.0, categorical_features=case.nominal, **params)
    if hasattr(scorer, "n_neighbors") and scorer.n_neighbors != "log":
        scorer.set_params(n_neighbors=case.k)
    return scorer


def whole_weights(case, seed):
    """From 0 to 4, with every class there still."""
    weights = np.random.default_rng(seed + 1000).integers(0, 5, len(case.y))
    weights[:2] = 1, 3
    return weights


def repeated(case, weights):
    return case.X.repeat(weights, axis=0), case.y.repeat(weights)


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize("name", SCORERS)
def test_whole_weights_are_repeated_rows(name, metric):
    for seed in SEEDS:
        case = draw_case(seed)
        weights = whole_weights(case, seed)
        scorer = made(name, case, metric=metric, engine=ENGINES[seed % 2])
        expected = scorer.fit(*repeated(case, weights)).scores_
        found = scorer.fit(case.X, case.y, sample_weight=weights).scores_
        assert_allclose(found, expected, atol=1e-10, err_msg=str(seed))


@pytest.mark.parametrize(
    "name",
    [
        "Relief",
        "ReliefF",
        "ReliefF any",
        "ReliefF extreme",
        "RReliefF",
        "RReliefF rank",
        "OReliefF paper",
    ],
)
def test_ties_by_index_are_those_of_repeated_rows(name):
    for seed in SEEDS:
        case = draw_case(seed)
        weights = whole_weights(case, seed)
        scorer = made(name, case, ties="index", engine=ENGINES[seed % 2])
        expected = scorer.fit(*repeated(case, weights)).scores_
        found = scorer.fit(case.X, case.y, sample_weight=weights).scores_
        assert_allclose(found, expected, atol=1e-10, err_msg=str(seed))


@pytest.mark.parametrize("name", [*SCORERS, "OReliefF"])
def test_a_weight_of_zero_is_a_row_removed_and_of_one_is_none(name):
    scorers = {**SCORERS, "OReliefF": OReliefF}
    for seed in range(8):
        case = draw_case(seed, missing=0.1 * (seed % 2))
        scorer = scorers[name](threshold=0.0, categorical_features=case.nominal)
        rng = np.random.default_rng(seed)
        weights = rng.choice([0.0, 0.4, 1.0, 2.5], len(case.y))
        weights[:2] = 1.0, 0.4
        there = weights > 0
        found = scorer.fit(case.X, case.y, sample_weight=weights)
        removed = SCORERS.get(name, OReliefF)(threshold=0.0, categorical_features=case.nominal)
        removed.fit(case.X[there], case.y[there], sample_weight=weights[there])
        for attribute in ("scores_", "z_scores_", "p_values_"):
            assert_array_equal(getattr(found, attribute), getattr(removed, attribute))
        plain = scorers[name](threshold=0.0, categorical_features=case.nominal)
        plain.fit(case.X, case.y)
        found.fit(case.X, case.y, sample_weight=np.ones(len(case.y)))
        for attribute in ("scores_", "z_scores_", "p_values_"):
            assert_array_equal(getattr(found, attribute), getattr(plain, attribute))


@pytest.mark.parametrize("ties", ["share", "index"])
@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
def test_any_weights_equal_reference(metric, ties):
    for seed in SEEDS:
        case = draw_case(seed)
        weights = np.random.default_rng(seed).gamma(1.0, 1.0, len(case.y))
        X, y, nominal = case.lists
        expected = reference_weights.relieff(X, y, weights.tolist(), case.k, nominal, metric, ties)
        selector = ReliefF(
            n_neighbors=case.k,
            metric=metric,
            ties=ties,
            categorical_features=case.nominal,
            engine=ENGINES[seed % 2],
        ).fit(case.X, case.y, sample_weight=weights)
        assert_allclose(selector.scores_, expected, atol=1e-9, err_msg=str(seed))


@pytest.mark.parametrize("estimator", [SURF, MultiSURF])
@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
def test_any_weights_of_bands_equal_reference(metric, estimator):
    for seed in SEEDS:
        case = draw_case(seed, max_samples=25)
        weights = np.random.default_rng(seed).gamma(1.0, 1.0, len(case.y))
        X, y, nominal = case.lists
        own = estimator is MultiSURF
        expected = reference_weights.surf(X, y, weights.tolist(), own, nominal, metric)
        selector = estimator(
            metric=metric,
            kind="classification",
            categorical_features=case.nominal,
            engine=ENGINES[seed % 2],
        ).fit(case.X, case.y, sample_weight=weights)
        assert_allclose(selector.scores_, expected, atol=1e-9, err_msg=str(seed))


def test_the_reference_repeats_rows():
    for seed in SEEDS:
        case = draw_case(seed, max_samples=20)
        weights = whole_weights(case, seed)
        there = weights > 0
        X, y, nominal = case.X[there].tolist(), case.y[there].tolist(), case.nominal.tolist()
        found = reference_weights.relieff(X, y, weights[there].tolist(), case.k, nominal)
        rows = reference_weights.repeated(X, y, weights[there].tolist())
        expected = reference_weights.relieff(*rows, [1] * len(rows[0]), case.k, nominal)
        assert_allclose(found, expected, atol=1e-9)


def test_small_weights_take_many_rows_to_fill_the_places():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 4)), rng.integers(0, 2, 120)
    weights = np.full(120, 0.1).tolist()
    expected = reference_weights.relieff(X.tolist(), y.tolist(), weights, 1)
    found = ReliefF(n_neighbors=1).fit(X, y, sample_weight=weights)
    assert_allclose(found.scores_, expected, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("width", [0.1, 0.5])
def test_soft_neighbours_of_repeated_rows(width):
    for seed in SEEDS:
        case = draw_case(seed, missing=0)
        weights = whole_weights(case, seed)
        scorer = IRelief(width=width, threshold=0.0, categorical_features=case.nominal)
        expected = scorer.fit(*repeated(case, weights)).scores_
        found = scorer.fit(case.X, case.y, sample_weight=weights).scores_
        assert_allclose(found, expected, atol=1e-8, err_msg=str(seed))


# ---------------------------------------------------------------------------------------- moments


def sums_of(case, weights, rule):
    columns = Data(case.X, case.nominal, None, weights)
    signs = np.where(case.nominal, 0, 1)
    samples = arrange(columns, case.y, signs)
    queries = np.arange(len(case.y))
    options = {"metric": "manhattan", "ties": "share"}
    return margin_sums(samples, rule(samples), queries, NumbaEngine(1), **options)


def slots_of(sums):
    """The graph as the reference takes it; own copies are neighbours that never differ."""
    for part in sums.pieces:
        ends = np.cumsum(part.counts)
        for t, query in enumerate(part.queries.tolist()):
            near = slice(ends[t] - part.counts[t], ends[t])
            shares = dict(zip(part.indices[near].tolist(), part.shares[near].tolist(), strict=True))
            coef = part.coefs[t] / sums.weights[part.term]
            yield query, coef, sums.rule[part.term].direction, shares


@pytest.mark.parametrize("name", ["relieff", "trend"])
def test_moments_are_those_of_rows_permuted_with_their_weights_in_place(name):
    rule = {
        "relieff": lambda s: rules.relieff(s.class_masses, 2),
        "trend": lambda s: rules.trend(len(s.class_sizes), 2),
    }[name]
    for seed in range(6):
        case = draw_case(seed, max_samples=7)
        weights = np.random.default_rng(seed).choice([0.5, 1.0, 2.0, 3.5], len(case.y))
        sums = sums_of(case, weights, rule)
        slots = list(slots_of(sums))
        means, deviations = sums.moments(range(len(sums.rule)))[:2]
        for f in range(len(means)):
            kind = {"nominal": f >= sums.samples.n_numeric, "ordered": f < sums.samples.n_ordered}
            column = sums.samples.values[:, f].tolist()
            mean, variance, _ = reference_moments.exact_moments(slots, column, **kind)
            assert_allclose(means[f], mean, atol=1e-10)
            assert_allclose(deviations[f] ** 2, variance, atol=1e-10)


def test_moments_of_a_contrast_are_those_of_classes_permuted():
    apart = rules.class_distances(3, ordered=True)
    for seed in range(6):
        case = draw_case(seed, max_samples=7, n_classes=3, missing=0)
        case.y[2] = 2
        weights = np.random.default_rng(seed).choice([0.5, 1.0, 2.0, 3.5], len(case.y))
        sums = sums_of(case, weights, lambda s: rules.contrast(apart, 4))
        given = np.zeros((len(case.y),) * 2)
        for query, _, _, shares in slots_of(sums):
            for j, share in shares.items():
                given[query, j] += share
        values, nominal = (
            sums.samples.values,
            np.arange(len(case.nominal)) >= sums.samples.n_numeric,
        )
        centred, (_, deviations, *_) = sums.contrast_moments([0, 1])
        for f, column in enumerate(values.T):
            gaps = np.abs(column[:, None] - column)
            gaps = (gaps > 0).astype(float) if nominal[f] else gaps
            weighed = given * (gaps - (given * gaps).sum() / given.sum())
            orders = itertools.permutations(sums.samples.classes.tolist())
            found = np.array([(weighed * apart[np.ix_(c, c)]).sum() for c in orders])
            classes = sums.samples.classes
            actual = (weighed * apart[np.ix_(classes, classes)]).sum()
            assert_allclose(centred[f], actual - found.mean(), atol=1e-10)
            assert_allclose(deviations[f], found.std(), atol=1e-10)


def test_copies_are_no_further_evidence():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 2, 80)
    X[:, 0] += 2 * y
    weights = rng.integers(1, 4, 80)
    weighted = ReliefF(neighbors="any").fit(X, y, sample_weight=weights)
    copied = ReliefF(neighbors="any").fit(X.repeat(weights, axis=0), y.repeat(weights))
    assert_allclose(weighted.scores_, copied.scores_, atol=1e-12)
    assert 0 < weighted.z_scores_[0] < 0.8 * copied.z_scores_[0]


def test_iterated_scores_are_those_of_repeated_rows():
    case = draw_case(0, missing=0)
    weights = whole_weights(case, 0)
    for strategy in ("turf", "vls", "iter"):
        base = ReliefF(n_neighbors=3)
        iterated = IterativeRelief(base, strategy=strategy, min_features=1, random_state=0)
        found = iterated.fit(case.X, case.y, sample_weight=weights).scores_
        assert_allclose(found, iterated.fit(*repeated(case, weights)).scores_, atol=1e-12)
    with pytest.raises(TypeError, match="Simba takes no weights"):
        IterativeRelief(Simba()).fit(case.X, case.y, sample_weight=weights)


def test_weights_that_leave_no_place_for_others_are_reported():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    with pytest.warns(UserWarning, match="divide survey weights by their mean"):
        ReliefF(n_neighbors=5).fit(X, y, sample_weight=np.full(30, 40.0))
    SURF().fit(X, y, sample_weight=np.full(30, 40.0))  # takes no places


# ----------------------------------------------------------------------------------- what is read


def test_weights_go_with_frames_labels_and_missing_values():
    rng = np.random.default_rng(2)
    X = pd.DataFrame(
        {"a": rng.normal(size=40), "b": rng.choice(["u", "v", None], 40), "c": rng.normal(size=40)}
    )
    y = pd.Series(pd.Categorical(rng.choice(["low", "mid", "high"], 40)))
    weights = pd.Series(rng.integers(0, 3, 40), index=range(100, 140))
    rows = np.repeat(np.arange(40), weights)
    for selector in (ReliefF(), RReliefF(class_order=["low", "mid", "high"])):
        found = selector.fit(X, y, sample_weight=weights).scores_
        copied = selector.fit(X.iloc[rows], y.iloc[rows]).scores_
        assert_allclose(found, copied, atol=1e-12)


def test_a_class_without_weight_is_no_class():
    X, y = np.random.default_rng(0).normal(size=(9, 2)), np.repeat([0, 1, 2], 3)
    selector = ReliefF().fit(X, y, sample_weight=np.where(y == 1, 0, 2))
    assert_array_equal(selector.classes_, [0, 2])


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, 1, np.nan, 1], "at least 0, got nan for sample 2"),
        ([1, -2, 1, 1], "at least 0, got -2.0 for sample 1"),
        ([1, np.inf, 1, 1], "finite"),
        ([0, 0, 0, 0], "zero weights throughout"),
        ([1, 1, 1], "inconsistent numbers of samples"),
        ([[1, 1, 1, 1]], "got shape .1, 4."),
        (["a", "b", "c", "d"], "must hold numbers"),
    ],
)
def test_odd_weights_are_refused(weights, words):
    X, y = np.arange(8.0).reshape(4, 2), [0, 1, 0, 1]
    with pytest.raises(ValueError, match=words):
        ReliefF().fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("estimator", [Simba, OSimba])
def test_methods_without_a_weighted_definition_have_no_parameter(estimator):
    with pytest.raises(TypeError, match="sample_weight"):
        estimator().fit(np.eye(4), [0, 1, 0, 1], sample_weight=[1, 1, 1, 1])


@pytest.mark.parametrize("engine", [NumpyEngine(1), NumpyEngine(2), NumbaEngine(2)])
def test_weighted_scores_do_not_depend_on_threads(engine):
    rng = np.random.default_rng(3)
    X, y, weights = rng.normal(size=(600, 3)), rng.integers(0, 3, 600), rng.gamma(1, 1, 600)
    one = ReliefF(engine=type(engine)(1)).fit(X, y, sample_weight=weights)
    assert_array_equal(ReliefF(engine=engine).fit(X, y, sample_weight=weights).scores_, one.scores_)
