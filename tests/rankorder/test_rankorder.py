"""Rank order: the paper's figures and numbers, and its algorithms against plain loops."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import rankdata

import reference_rankorder as reference
from echelon import RankOrderSelector
from echelon.rankorder import (
    boolean_order,
    class_centers,
    kendall_distance,
    rank_order,
    spearman_distance,
    spoiler_counts,
    subset_divergence,
    tau_concordance,
)
from echelon.rankorder._centers_loops import BLOCK, center_distances, reaches
from rankorder_cases import CLASSES_5, CLASSES_14, FIGURE_1, FIGURE_5, FIGURE_14, draw, from_orders

CRITERIA = ("spoilers", "cdv", "kl", "ks")


# ---------------------------------------------------------------------- the paper, as printed


def test_figure_1():
    assert_array_equal(
        rank_order(FIGURE_1), [[1, 3, 4, 2], [1, 3, 4, 2], [2, 1, 3, 4], [4, 3, 1, 2]]
    )
    first = [1, 1, 1, 1, 0, 0]
    expected = [first, first, [0, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1]]
    assert_array_equal(boolean_order(FIGURE_1), expected)
    assert_array_equal(boolean_order(rank_order(FIGURE_1)), expected)


def test_projection_of_section_2():
    assert_array_equal(rank_order([[3, 1, 4, 2]]), [[3, 1, 4, 2]])
    assert_array_equal(rank_order([[3, 1, 4]]), [[2, 1, 3]])


def test_figure_2():
    pair = from_orders("123456", ["324516", "352146"])
    assert kendall_distance(*pair) == 3
    # Two samples of one class; the other class has one order only.
    counts = spoiler_counts(np.vstack([pair, pair[[0, 0]]]), [0, 0, 1, 1])
    assert counts.tolist() == [1, 1, 0, 2, 2, 0]
    assert spearman_distance([1, 2, 3, 4, 5, 6], [1, 3, 2, 4, 6, 5]) == 4


def values_divergence(X, y, features):
    """Divergence in the space of values, not of orders."""
    return reference.divergence(
        [tuple(row) for row in X.tolist()], [tuple(row) for row in X[:, features].tolist()], y
    )


def test_figure_3_a_removable_feature_whose_order_is_needed():
    X, y = np.array([[3, 4, 5], [3, 4, 1], [3, 1, 2], [3, 2, 5]]), list("abcd")
    assert_array_equal(rank_order(X), [[1, 2, 3], [2, 3, 1], [3, 1, 2], [2, 1, 3]])
    assert values_divergence(X, y, [1, 2]) == 0
    assert subset_divergence(X, y, [1, 2]) > 0


def test_figure_4_a_removable_order_whose_value_is_needed():
    X, y = np.array([[1, 4, 5], [2, 4, 5]]), ["a", "b"]
    for k in range(3):
        assert subset_divergence(X, y, np.delete(np.arange(3), k)) == 0
    assert values_divergence(X, y, [1, 2]) > 0


def removed(criterion, X, y, names):
    path = RankOrderSelector(1, criterion=criterion).fit(X, y).path_
    return "".join(names[k] for k in path.feature), path


def test_figure_5_ranks():
    assert_array_equal(FIGURE_5[0], [1, 5, 4, 6, 3, 2])
    assert_array_equal(FIGURE_5[4], [6, 1, 3, 5, 4, 2])
    assert_array_equal(FIGURE_5[7:], [[6, 5, 2, 4, 1, 3]] * 2)


@pytest.mark.parametrize(
    ("criterion", "features", "divergence"),
    # Spoilers: d and e tie at the third step; the paper took e, the lowest index is d.
    [("spoilers", "bcd", 0.0), ("cdv", "cbf", 0.250), ("kl", "bcd", 0.0), ("ks", "acb", 0.250)],
)
def test_figure_5_choices(criterion, features, divergence):
    order, path = removed(criterion, FIGURE_5, CLASSES_5, "abcdef")
    assert order[:3] == features
    assert round(path.divergence[2], 3) == divergence


def test_figure_5_spoilers_ties_after_two_removals():
    counts = spoiler_counts(FIGURE_5[:, [0, 3, 4, 5]], CLASSES_5)
    assert counts[1] == counts[2] == counts.max()


def without(names):
    return [i for i, name in enumerate("abcdef") if name not in names]


def test_section_5_3_divergences():
    def lost(names):
        return round(subset_divergence(FIGURE_5, CLASSES_5, without(names)), 3)

    assert all(lost(name) == 0 for name in "abcdef")
    triples = {a + b + c for a in "abcdef" for b in "abcdef" for c in "abcdef" if a < b < c}
    assert {triple for triple in triples if lost(triple) == 0} == {"bcd", "bde"}
    # {a, b, c, e} removed is the worst; the printed values count a duplicated sample twice.
    assert [lost(names) for names in ("abce", "abc", "bcf", "bce")] == [1.099, 0.25, 0.25, 0.462]
    every = [a + b + c + d for a in "abcdef" for b in "abcdef" for c in "abcdef" for d in "abcdef"
             if a < b < c < d]  # fmt: skip
    assert max(map(lost, every)) == lost("abce")


def test_section_5_3_as_printed_when_duplicates_count_twice():
    rows, labels = FIGURE_5.tolist(), CLASSES_5.tolist()
    whole = [reference.boolean_order(row, range(6)) for row in rows]

    def printed(names):
        part = [reference.boolean_order(row, without(names)) for row in rows]
        total = 0.0
        for r, label in enumerate(labels):  # every sample is its own instance, and of one class
            same = [labels[s] for s in range(9) if part[s] == part[r]]
            total += whole.count(whole[r]) / 9 * np.log(len(same) / same.count(label))
        return total

    found = [printed(names) for names in ("abce", "abc", "bcf", "bce")]
    assert_allclose(found, [1.343, 0.249, 0.313, 0.616], atol=0.001)


def test_figure_14():
    lost = [subset_divergence(FIGURE_14, CLASSES_14, np.delete(np.arange(4), k)) for k in range(4)]
    assert [value == 0 for value in lost] == [True, False, True, True]  # all but x
    for criterion in ("cdv", "spoilers"):
        order, path = removed(criterion, FIGURE_14, CLASSES_14, "wxyz")
        assert set(order[:2]) == {"w", "z"}  # x and y, consistent in both classes, are kept
        assert path.divergence[1] == 0


# ------------------------------------------------------------------------------- Lemma 1


@given(
    st.integers(2, 6).flatmap(
        lambda n: st.tuples(
            st.lists(st.lists(st.integers(0, 4), min_size=n, max_size=n), min_size=2, max_size=9),
            st.sets(st.integers(0, n - 1), min_size=1),
        )
    ),
    st.randoms(use_true_random=False),
)
def test_lemma_1(case, random):
    """Ranks and boolean orders have the same divergence."""
    X, features = case
    y = [0, 1] + [random.randrange(3) for _ in X[2:]]
    features = sorted(features)
    ranks = [reference.rank_order(row, range(len(row))) for row in X]
    part = [reference.rank_order(row, features) for row in X]
    expected = reference.divergence(ranks, part, y)
    assert_allclose(subset_divergence(X, y, features), expected, atol=1e-12)
    whole = [reference.boolean_order(row, range(len(row))) for row in X]
    pairs = [reference.boolean_order(row, features) for row in X]
    assert_allclose(reference.divergence(whole, pairs, y), expected, atol=1e-12)


# --------------------------------------------------------------------- against naive loops


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(12))
def test_elimination(criterion, seed):
    X, y = draw(seed)
    blanket, step = 1 + seed % 6, 1 + (seed > 8)
    found = RankOrderSelector(1, criterion=criterion, blanket_size=blanket, step=step).fit(X, y)
    features, values, divergences = zip(
        *reference.eliminate(X.tolist(), y.tolist(), criterion, blanket_size=blanket, step=step),
        strict=True,
    )
    assert found.path_.feature.tolist() == list(features)
    assert_allclose(found.path_.value, values, atol=1e-12)
    assert_allclose(found.path_.divergence, divergences, atol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_functions(seed):
    X, y = draw(seed)
    rows, labels, n = X.tolist(), y.tolist(), X.shape[1]
    expected = [reference.spoiler_count(rows, labels, i, range(n)) for i in range(n)]
    assert_array_equal(spoiler_counts(X, y), expected)
    for c, center in enumerate(class_centers(X, y)):
        assert_array_equal(center, reference.center(X[y == c].tolist(), range(n)))
    assert_allclose(tau_concordance(X), reference.tau_concordance(rows))
    assert kendall_distance(X[0], X[1]) == reference.kendall_distance(rows[0], rows[1])
    ranks = [[np.nan if r is None else r for r in reference.rank_order(row, range(n))]
             for row in rows]  # fmt: skip
    assert_array_equal(rank_order(X), ranks)
    signs = {"<": 1, ">": 0, "=": 0.5, "?": np.nan}
    booleans = [[signs[r] for r in reference.boolean_order(row, range(n))] for row in rows]
    assert_array_equal(boolean_order(X), booleans)


@pytest.mark.parametrize("seed", range(12))
def test_divergence_never_falls(seed):
    X, y = draw(seed)
    for criterion in CRITERIA:
        path = RankOrderSelector(1, criterion=criterion).fit(X, y).path_
        assert (np.diff(path.divergence) > -1e-12).all()


def test_equal_orders_have_concordance_1():
    assert all(tau_concordance(np.tile([1, 2, 3], (m, 1))) == 1 for m in range(2, 60))


def cdv_values(X, y, left, everything):
    """CDV for every candidate, ranking anew."""

    def rho(features):
        sums = [rankdata(X[np.ix_(y == c, features)], axis=1).sum(axis=0) for c in np.unique(y)]
        ranks, n = rankdata(np.round(sums, 6), axis=1), len(features)
        first, second = np.triu_indices(len(ranks), 1)
        return 1 - 6 * ((ranks[first] - ranks[second]) ** 2).sum(axis=1) / (n * (n**2 - 1))

    original = rho(everything)
    return np.array([np.linalg.norm(rho(left[left != k]) - original) for k in left])


def check_cdv_step(X, y, path, at):
    everything = np.arange(X.shape[1])
    left = np.setdiff1d(everything, path.feature[:at])
    values = cdv_values(X, y, left, everything)
    assert_allclose(path.value[at], values.min(), rtol=1e-9, atol=1e-12)
    assert_allclose(values[left == path.feature[at]], values.min(), atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("levels", "size"), [(10**6, 12), (40, 12), (10**6, 150), (3, 150)])
def test_cdv_with_many_features(levels, size):
    """Several blocks, near and tied sums, margins beyond one byte; sorted anew or some time ago."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [size, size // 2, 3])
    X = rng.integers(0, levels, (len(y), 140)).astype(float)
    path = RankOrderSelector(1, criterion="cdv").fit(X, y).path_
    for at in (0, 1, 7, 15, 16, 40, 77, 108, 134, 137):
        check_cdv_step(X, y, path, at)


def test_cdv_with_sums_far_apart():
    """Blocks whose sums span more than 16 bits."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 600)
    X = np.arange(100) + rng.normal(size=(1200, 100)) * (1 + 2 * y[:, None])
    path = RankOrderSelector(1, criterion="cdv").fit(X, y).path_
    for at in (0, 1, 30, 95):
        check_cdv_step(X, y, path, at)


def test_centers_with_more_ties_than_16_bits_count():
    """Removing feature 0 moves feature 1 from before to behind thousands of tied ones."""
    n = 17_000
    columns = np.arange(n)
    sums = np.stack([columns > 1, 1000 * columns]).astype(np.int32)
    margins = np.zeros((2, 1, n), np.int8)
    margins[0, 0, 1] = -5
    widest, places = np.array([9, 9]), np.stack([columns] * 2)
    reach = np.empty((2, (n - 1) // BLOCK + 1), np.int64)
    fits = np.empty(reach.shape, bool)
    for c in range(2):
        reaches(sums[c], widest[c], reach[c], fits[c])
    assert not fits[0].any()
    assert not fits[1].all()
    found = np.empty((1, 1), np.int64)
    runs = np.array([[0, n]] * 2), np.zeros((2, 1), np.int64)
    center_distances(
        np.array([0]), margins, widest, sums, sums.astype(np.int16), *runs, places, reach, fits,
        places.astype(np.uint32), found,
    )  # fmt: skip
    ranks = [rankdata(sums[c, 1:] - margins[c, 0, 1:]) for c in range(2)]
    assert found[0, 0] == 4 * ((ranks[0] - ranks[1]) ** 2).sum()


def test_spoilers_of_large_classes():
    """Terms beyond 32 bits."""
    X = np.resize([[1, 2, 3], [3, 1, 2], [2, 3, 1], [1, 3, 2]], (200_000, 3))
    y = np.arange(200_000) // 100_000
    for criterion in ("spoilers", "kl"):
        path = RankOrderSelector(1, criterion=criterion).fit(X, y).path_
        assert sorted([*path.feature, 3 - path.feature.sum()]) == [0, 1, 2]
    # Of 100,000 samples of a class three quarters have 0 before 1, half 0 before 2 and 1 before 2.
    terms = 2 * np.array([[0, 3, 4], [3, 0, 4], [4, 4, 0]]) * 25_000**2
    assert spoiler_counts(X, y).tolist() == terms.sum(axis=1).tolist()
    assert RankOrderSelector(1).fit(X, y).path_.value[0] == terms.sum(axis=1).max()


@pytest.mark.parametrize("size", [10, 40, 700])
def test_spoilers_in_every_integer_type(size):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [size, 5])
    X = rng.integers(0, 9, (len(y), 70))
    path = RankOrderSelector(1).fit(X, y).path_
    for at in (0, 30, 66):
        left = np.setdiff1d(np.arange(70), path.feature[:at])
        counts = spoiler_counts(X[:, left], y)
        assert path.value[at] == counts.max()
        assert path.feature[at] == left[counts.argmax()]
    below = (X[:, :, None] < X[:, None, :]).astype(int)
    C = [below[y == c].sum(axis=0) for c in (0, 1)]
    assert_array_equal(spoiler_counts(X, y), sum((c * c.T).sum(axis=1) for c in C))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_threads_and_monotone_transformations_change_nothing(criterion):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 60, (24, 300)).astype(float), np.arange(24) % 3
    fit = RankOrderSelector(250, criterion=criterion, n_jobs=1).fit
    path = fit(X, y).path_
    two = RankOrderSelector(250, criterion=criterion, n_jobs=2).fit(X, y).path_
    assert_array_equal(path, two)
    assert_array_equal(path, fit(np.exp(X / 10) * rng.uniform(1, 9, (24, 1)), y).path_)
    rows = rng.permutation(24)
    assert_array_equal(path, fit(X[rows], y[rows]).path_)


# ------------------------------------------------------------------------------ real data


@pytest.fixture(scope="module")
def leukemia(paper_data):
    frame = pd.read_csv(paper_data / "D_rank_order" / "leukemia_golub_72x7129.csv.gz")
    X = frame.drop(columns=["target", "target2", "sample", "split"]).to_numpy(float)
    return X, frame["target"].to_numpy(str)


@pytest.mark.slow
def test_leukemia_spoilers_to_the_end(leukemia):
    X, y = leukemia
    path = RankOrderSelector(1).fit(X, y).path_
    assert len(path) == 7128
    for at in (0, 3000, 7000, 7100):
        left = np.setdiff1d(np.arange(7129), path.feature[:at])
        counts = spoiler_counts(X[:, left], y)
        assert (path.value[at], path.feature[at]) == (counts.max(), left[counts.argmax()])
        kept = left[left != path.feature[at]]
        assert path.divergence[at] == subset_divergence(X, y, kept)


@pytest.mark.slow
def test_leukemia_cdv_in_large_steps(leukemia):
    X, y = leukemia
    path = RankOrderSelector(1, criterion="cdv", step=0.02).fit(X, y).path_
    check_cdv_step(X, y, path, 142 * 49)
