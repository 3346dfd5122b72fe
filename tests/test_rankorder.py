"""Rank order: the paper's figures and numbers, its algorithms as loops, and what must not work."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import rankdata
from sklearn.naive_bayes import BernoulliNB
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import reference_rankorder as reference
from echelon import BooleanOrder, RankOrderClassifier, RankOrderSelector
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
from echelon.rankorder._orders import order_codes

CRITERIA = ("spoilers", "cdv", "kl", "ks")


def from_orders(names, orders):
    """Ranks of the features, from feature orders as the paper prints them."""
    return np.array([[order.index(name) + 1.0 for name in names] for order in orders])


FIGURE_1 = np.array([[20, 40, 65, 33], [20, 40, 65, 33], [50, 25, 55, 99], [88, 76, 10, 60.0]])
FIGURE_5 = from_orders(
    "abcdef",
    ["afecbd", "afbced", "afebdc", "fdcbea", "bfceda", "fdceab", "cbefda", "ecfdba", "ecfdba"],
)
CLASSES_5 = np.repeat([1, 2, 3], 3)
FIGURE_14 = from_orders("wxyz", ["wxyz", "xwzy", "yxzw", "wzyx"])
CLASSES_14 = np.repeat([1, 2], 2)


def draw(seed, max_features=12):
    """Samples without ties, with ties, or with ties and gaps, by the seed."""
    rng = np.random.default_rng(seed)
    n, n_classes = int(rng.integers(2, max_features + 1)), int(rng.integers(2, 4))
    m = int(rng.integers(2 * n_classes, 12))
    X = rng.random((m, n)) if seed % 3 == 0 else rng.integers(0, 5, (m, n)).astype(float)
    if seed % 3 == 2:
        X[rng.random((m, n)) < 0.25] = np.nan
        X[np.isnan(X).all(axis=1), 0] = 1
    return X, rng.permutation(np.arange(m) % n_classes)


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


@pytest.mark.parametrize(("levels", "size"), [(10**6, 12), (40, 12), (10**6, 150), (3, 150)])
def test_cdv_with_many_features(levels, size):
    """Several blocks, near and tied sums, and margins beyond one byte."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [size, size // 2, 3])
    X = rng.integers(0, levels, (len(y), 140)).astype(float)
    path = RankOrderSelector(1, criterion="cdv").fit(X, y).path_
    for at in (0, 1, 40, 77, 108, 134, 137):
        check_cdv_step(X, y, path, at)


def test_cdv_with_sums_far_apart():
    """Blocks whose sums span more than 16 bits."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 600)
    X = np.arange(100) + rng.normal(size=(1200, 100)) * (1 + 2 * y[:, None])
    path = RankOrderSelector(1, criterion="cdv").fit(X, y).path_
    for at in (0, 1, 30, 95):
        check_cdv_step(X, y, path, at)


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


# -------------------------------------------------------------------------- where to stop


def test_own_rule_keeps_the_smallest_set_that_loses_nothing():
    selector = RankOrderSelector().fit(FIGURE_5, CLASSES_5)
    assert selector.get_support(indices=True).tolist() == [0, 4, 5]
    assert selector.divergence_ == 0
    assert sorted(selector.ranking_) == [1, 2, 3, 4, 5, 6]
    assert selector.order_[::-1][:5].tolist() == selector.path_.feature.tolist()
    assert_array_equal(selector.ranking_[selector.order_], np.arange(1, 7))


def test_stopping_early_leaves_survivors_that_share_rank_1():
    selector = RankOrderSelector(4).fit(FIGURE_5, CLASSES_5)
    assert selector.path_.feature.tolist() == [1, 2]
    assert selector.ranking_.tolist() == [1, 3, 2, 1, 1, 1]
    assert selector.order_.tolist() == [0, 3, 4, 5, 2, 1]
    assert len(RankOrderSelector(6).fit(FIGURE_5, CLASSES_5).path_) == 0


def test_max_divergence():
    whole = RankOrderSelector(1).fit(FIGURE_5, CLASSES_5).path_
    assert whole.divergence.round(3).tolist() == [0, 0, 0, 0.462, 1.099]
    for limit, n_left in ((0, 3), (0.4, 3), (0.4620981203732969, 2), (1, 2), (2, 1)):
        selector = RankOrderSelector(max_divergence=limit).fit(FIGURE_5, CLASSES_5)
        assert selector.support_.sum() == n_left
        assert_array_equal(selector.path_, whole[: 6 - n_left])
    both = RankOrderSelector(5, max_divergence=1).fit(FIGURE_5, CLASSES_5)
    assert both.support_.sum() == 5


def test_step_as_in_rfe():
    rng = np.random.default_rng(0)
    X, y = rng.random((20, 30)), np.arange(20) % 2
    steps = RankOrderSelector(4, criterion="cdv", step=0.25).fit(X, y)  # seven at a time
    assert_array_equal(steps.path_, RankOrderSelector(4, criterion="cdv", step=7).fit(X, y).path_)
    assert (np.diff(steps.path_.value[:7]) >= 0).all()
    assert len(steps.path_) == 26
    one = RankOrderSelector(4, criterion="cdv").fit(X, y)
    assert_array_equal(RankOrderSelector(4, criterion="cdv", step=0.01).fit(X, y).path_, one.path_)


# ---------------------------------------------------------- the other estimators, and errors


def test_naive_bayes_equals_scikit_learn_on_the_columns():
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 9)), rng.choice(["a", "b", "c"], 40, p=[0.5, 0.3, 0.2])
    for alpha in (1.0, 0.3):
        ours = RankOrderClassifier(alpha=alpha).fit(X[:30], y[:30])
        other = BernoulliNB(alpha=alpha).fit(boolean_order(X[:30]), y[:30])
        assert_allclose(
            ours.predict_log_proba(X), other.predict_log_proba(boolean_order(X)), atol=1e-9
        )
        assert_array_equal(ours.predict(X), other.predict(boolean_order(X)))
        assert_allclose(ours.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize("seed", [1, 2, 4, 5])
def test_naive_bayes_with_ties_and_gaps(seed):
    X, y = draw(seed)
    columns = boolean_order(X)
    scores = np.zeros((len(X), len(np.unique(y))))
    for c in range(scores.shape[1]):
        known = ~np.isnan(columns[y == c])
        p = (np.where(known, columns[y == c], 0).sum(axis=0) + 1) / (known.sum(axis=0) + 2)
        terms = columns * np.log(p) + (1 - columns) * np.log(1 - p)
        scores[:, c] = np.log((y == c).mean()) + np.nansum(terms, axis=1)
    scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
    assert_allclose(RankOrderClassifier().fit(X, y).predict_log_proba(X), scores, atol=1e-9)


def test_nearest_center():
    X, y = draw(2)
    model = RankOrderClassifier("center").fit(X, y)
    assert_array_equal(model.centers_, class_centers(X, y))
    distances = [[kendall_distance(row, center) for center in model.centers_] for row in X]
    assert_array_equal(model.predict(X), np.argmin(distances, axis=1))
    assert not hasattr(model, "predict_proba")


@pytest.mark.parametrize("seed", [0, 1, 2, 5])
def test_kendall_kernel_machine(seed):
    X, y = draw(seed)
    model = RankOrderClassifier("kernel", C=3.0).fit(X, y)
    signs = np.nan_to_num(2 * boolean_order(X) - 1)
    norms = np.sqrt(np.maximum((signs**2).sum(axis=1), 1))
    kernel = signs @ signs.T / norms / norms[:, None]
    expected = SVC(kernel="precomputed", C=3.0).fit(kernel, y)
    assert_allclose(model._kernel(order_codes(X)), kernel[:, np.argsort(y, kind="stable")])
    assert (model.predict(X) == expected.predict(kernel)).mean() >= 0.9  # rows in another order
    assert not hasattr(model, "predict_proba")


@parametrize_with_checks(
    [
        RankOrderClassifier("center"),
        RankOrderClassifier("kernel"),
        *(RankOrderSelector(criterion=criterion) for criterion in ("cdv", "kl", "ks")),
        RankOrderSelector(max_divergence=0.1),
    ]
)
def test_scikit_learn(estimator, check):
    check(estimator)


def test_boolean_order_sparse_and_named():
    X, _ = draw(5)
    dense = BooleanOrder().fit_transform(X)
    assert_array_equal(dense, boolean_order(X))
    thin = BooleanOrder(sparse_output=True).fit_transform(X)
    assert thin.format == "csr"
    assert thin.nnz == np.count_nonzero(dense)
    assert_array_equal(thin.toarray(), dense)
    frame = pd.DataFrame([[1, 2, 2]], columns=["a", "b", "c"])
    out = BooleanOrder().set_output(transform="pandas").fit_transform(frame)
    assert out.columns.tolist() == ["a<b", "a<c", "b<c"]
    assert out.to_numpy().tolist() == [[1, 1, 0.5]]
    with pytest.raises(ValueError, match="input_features should have length"):
        BooleanOrder().fit(X).get_feature_names_out(["a"])


GOOD = np.random.default_rng(0).random((8, 3))
LABELS = np.arange(8) % 2
GAP = np.where(np.arange(8)[:, None] == 3, np.nan, GOOD)
TAKING = [
    lambda X, y: RankOrderSelector().fit(X, y),
    lambda X, y: RankOrderClassifier().fit(X, y),
    lambda X, y: BooleanOrder().fit(X),
    lambda X, y: rank_order(X),
    lambda X, y: boolean_order(X),
    lambda X, y: tau_concordance(X),
    class_centers,
    spoiler_counts,
    lambda X, y: subset_divergence(X, y, [0]),
]


@pytest.mark.parametrize("function", TAKING)
def test_orders_that_are_none(function):
    with pytest.raises(ValueError, match="must have at least 2 features, got 1 feature"):
        function(GOOD[:, :1], LABELS)
    with pytest.raises(ValueError, match=r"known value in every row, got only NaN in row 3\."):
        function(GAP, LABELS)
    with pytest.raises(TypeError, match="Column 'b' of `X` holds labels"):
        function(pd.DataFrame({"a": GOOD[:, 0], "b": "x"}), LABELS)
    with pytest.raises(ValueError, match="infinity"):
        function(np.where(GOOD[0, 0] == GOOD, np.inf, GOOD), LABELS)


def test_a_class_of_one_sample():
    with pytest.raises(ValueError, match="at least 2 samples of every class, got 1 of 'lone'"):
        RankOrderSelector().fit(GOOD, ["a"] * 7 + ["lone"])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"criterion": "gini"}, "'criterion'.*'gini'"),
        ({"blanket_size": 0}, "'blanket_size'.*Got 0"),
        ({"max_divergence": -1}, "'max_divergence'.*Got -1"),
        ({"step": 0}, "'step'.*Got 0"),
        ({"step": 1.5}, r"'step'.*Got 1\.5"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        RankOrderSelector(**params).fit(GOOD, LABELS)


def test_bad_arguments():
    with pytest.raises(ValueError, match="must order the same features, got 2 and 3 values"):
        kendall_distance([1, 2], [1, 2, 3])
    frame = pd.DataFrame(GOOD, columns=list("abc"))
    assert subset_divergence(frame, LABELS, ["a", "b"]) == subset_divergence(
        GOOD, LABELS, [True, True, False]
    )
    for features in ([3], [-1], ["z"], [True]):
        with pytest.raises(ValueError, match="`features` must be a mask, indices or names"):
            subset_divergence(frame, LABELS, features)
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        tau_concordance(GOOD[:1])


# ------------------------------------------------------------------------------ real data


@pytest.fixture(scope="module")
def leukemia():
    folder = os.environ.get("ECHELON_DATA")
    if folder is None:
        pytest.skip("needs the papers' data: set ECHELON_DATA to their folder")
    frame = pd.read_csv(Path(folder) / "D_rank_order" / "leukemia_golub_72x7129.csv.gz")
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
