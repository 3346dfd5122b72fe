"""Moments under permutation against enumeration, with the neighbours held fixed."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import reference_moments
from cases import draw_case
from echelon._core.samples import arrange
from echelon.data import Data
from echelon.engines import NumbaEngine
from echelon.margin import _permutation, rules
from echelon.margin._pairs import _numbered
from echelon.margin._sums import margin_sums

RULES = {
    "relief": lambda sizes, k: rules.relief(len(sizes)),
    "relieff": rules.relieff,
    "any": lambda sizes, k: rules.contrast(rules.class_distances(len(sizes), ordered=False), k),
    "contrast": lambda sizes, k: rules.contrast(rules.class_distances(len(sizes), ordered=True), k),
    "trend": lambda sizes, k: rules.trend(len(sizes), k),
    **{
        f"{dominance}, {contradictions}": lambda sizes, k, d=dominance, c=contradictions: (
            rules.ordinal_relieff(len(sizes), k, d, c)
        )
        for dominance in ("prefer", "require", "ignore")
        for contradictions in ("ignore", "penalize")
    },
}


@pytest.fixture(autouse=True)
def everything_in_the_tail(monkeypatch):
    """Third moments of all columns, not only of those with large scores."""
    monkeypatch.setattr(_permutation, "is_in_tail", lambda *_: True)


def sums_of(case, name, *, ties="share", size=None, seed=0):
    """The sums of a rule on a case, with directions where it uses them."""
    rng = np.random.default_rng(seed)
    signs = np.where(case.nominal, 0, rng.integers(-1, 2, len(case.nominal)))
    samples = arrange(Data(case.X, case.nominal, None), case.y, signs)
    queries = rng.choice(len(case.y), size or len(case.y), replace=False)
    rule = RULES[name](samples.class_sizes, case.k)
    return margin_sums(samples, rule, queries, NumbaEngine(1), metric="manhattan", ties=ties)


def slots_of(sums):
    """The graph as the reference takes it."""
    slots = []
    for part in sums.pieces:
        ends = np.cumsum(part.counts)
        for t, query in enumerate(part.queries.tolist()):
            near = slice(ends[t] - part.counts[t], ends[t])
            shares = dict(zip(part.indices[near].tolist(), part.shares[near].tolist(), strict=True))
            direction = sums.rule[part.term].direction
            coef = part.coefs[t] / sums.weights[part.term]
            slots.append((query, coef, direction, shares))
    return slots


def check(sums, expected, **tolerance):
    """Scores and moments of every column against the reference."""
    everything = range(len(sums.rule))
    means, deviations, skewness, _ = sums.moments(everything)
    slots, samples = slots_of(sums), sums.samples
    for f in range(samples.values.shape[1]):
        kind = {"nominal": f >= samples.n_numeric, "ordered": f < samples.n_ordered}
        column = samples.values[:, f].tolist()
        score = reference_moments.score(slots, column, **kind)
        assert_allclose(sums.scores(everything)[f], score, atol=1e-12)
        mean, variance, *third = expected(slots, column, **kind)
        assert_allclose(means[f], mean, **tolerance)
        assert_allclose(deviations[f] ** 2, variance, **tolerance)
        signed = kind["ordered"] and any(direction for _, _, direction, _ in slots)
        if third and not signed:
            assert_allclose(skewness[f] * deviations[f] ** 3, third[0], **tolerance)


@pytest.mark.parametrize("ties", ["share", "index"])
@pytest.mark.parametrize("name", RULES)
def test_moments_equal_enumeration(name, ties):
    for seed in range(8):
        case = draw_case(seed, max_samples=7)
        case.X = case.X[:, :3]
        case.nominal = case.nominal[:3]
        sums = sums_of(case, name, ties=ties, seed=seed)
        check(sums, reference_moments.exact_moments, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("name", ["relieff", "any", "prefer, penalize"])
def test_moments_of_some_queries(name):
    for seed in range(4):
        case = draw_case(seed, max_samples=7)
        case.X, case.nominal = case.X[:, :2], case.nominal[:2]
        sums = sums_of(case, name, size=3, seed=seed)
        check(sums, reference_moments.exact_moments, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("missing", [0, 0.4])
@pytest.mark.parametrize("name", ["relieff", "contrast", "ignore, penalize"])
def test_moments_equal_simulation(name, missing):
    case = draw_case(1, missing=missing, nominal=0.4, max_samples=45)

    def simulated(slots, column, **kind):
        return reference_moments.sampled_moments(slots, column, 1500, 0, **kind)

    check(sums_of(case, name), simulated, rtol=0.15, atol=0.01)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_few_samples(n, rng):
    for name in RULES:
        X = rng.random((n, 2))
        case = draw_case(0)
        case.X, case.y, case.nominal = X, np.arange(n) % 2, np.zeros(2, bool)
        check(sums_of(case, name), reference_moments.exact_moments, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("many", [0, 10**9], ids=["compiled", "arrays"])
@pytest.mark.parametrize("name", ["any", "contrast"])
def test_contrast_equals_enumeration_of_the_classes(name, many, monkeypatch):
    monkeypatch.setattr(_permutation, "MANY_PAIRS", many)
    for seed in range(8):
        case = draw_case(seed, max_samples=7)
        sums = sums_of(case, name, seed=seed)
        samples, pairs = sums.samples, {}
        for query, _, _, shares in slots_of(sums):
            for j, share in shares.items():
                pairs[query, j] = pairs.get((query, j), 0.0) + share
        totals, (_, deviations, skewness, _) = sums.contrast_moments([0, 1])
        for f in range(samples.values.shape[1]):
            column, nominal = samples.values[:, f].tolist(), f >= samples.n_numeric
            expected = reference_moments.contrast(
                pairs, column, samples.classes.tolist(), sums.rule[0].coef.tolist(), nominal
            )
            found = totals[f], deviations[f] ** 2, skewness[f] * deviations[f] ** 3
            assert_allclose(found, expected, atol=1e-12, err_msg=str(seed))


class Blocks:
    """Rows as on a cluster: in their own order, one column at a time."""

    def __init__(self, values):
        self.values, self.shape = values, values.shape

    def __getitem__(self, key):
        return self.values[key[0], key[1]]


@pytest.mark.parametrize("name", ["relieff", "any", "ignore, penalize"])
def test_columns_that_are_elsewhere(name):
    for seed in range(4):
        sums = sums_of(draw_case(seed), name, seed=seed)
        samples = sums.samples
        values = np.empty_like(samples.values)
        values[samples.rows] = samples.values
        far = replace(sums, samples=samples._replace(values=Blocks(values)))
        everything = range(len(sums.rule))
        assert_array_equal(far.evidence(everything).z, sums.evidence(everything).z)


@pytest.mark.parametrize("n", [40, 1 << 16, 100_000])
def test_pairs_of_many_rows_are_numbered_as_those_of_few(n):
    """Rows beyond 16 bits are sorted another way: the same pairs, each with one number."""
    a, b = np.random.default_rng(n).integers(n - 40, n, (2, 500)).astype(np.int32)
    lower, higher, pairs = _numbered(a, b, n)
    expected, numbers = np.unique(np.sort([a, b], axis=0), axis=1, return_inverse=True)
    assert_array_equal([lower, higher], expected)
    assert_array_equal(pairs, numbers.ravel())
