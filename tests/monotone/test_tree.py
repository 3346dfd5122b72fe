"""OrdinalTree against plain loops, scikit-learn's tree, and the definitions of its criteria."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

import reference_tree as reference
from echelon import OrdinalTree
from echelon.evaluation import rank_loss_scorer
from echelon.kernels import Kernel
from echelon.monotone._tree_loops import gain, impurity

CRITERIA = ("ranking", "ordinal_gini", "rank_information", "gini")
CODES = {
    name: code for code, name in enumerate(("ranking", "ordinal_gini", "rank_information", "gini"))
}


def problem(seed):
    """Numbers, ties, categories, missing values, weights: as the seed says."""
    rng = np.random.default_rng(seed)
    n, p, k = rng.integers(4, 45), rng.integers(1, 5), rng.integers(2, 5)
    y = rng.integers(0, k, n)
    y[:2] = 0, 1
    y = np.unique(y, return_inverse=True)[1]
    X = rng.normal(size=(n, p)) if seed % 3 == 0 else rng.integers(0, 5, (n, p)).astype(float)
    X[:, 0] += y * (seed % 2)
    nominal = rng.random(p) < (0.5 if seed % 3 == 1 else 0)
    X[:, nominal] = rng.integers(0, 6, (n, nominal.sum()))
    if seed % 4 > 1:
        X[rng.random((n, p)) < 0.2] = np.nan
    weights = rng.integers(1, 4, n).astype(float) if seed % 5 > 2 else np.ones(n)
    return X, y, weights, nominal


def plain(X):
    """Rows as the loops take them."""
    return [[None if np.isnan(v) else v for v in row] for row in X.tolist()]


def both(seed, criterion, **params):
    """A fitted tree and the one that the loops grow."""
    X, y, weights, nominal = problem(seed)
    given = {"categorical_features": np.flatnonzero(nominal)} if nominal.any() else {}
    tree = OrdinalTree(criterion, **params, **given).fit(X, y, sample_weight=weights)
    names = {"min_samples_split": "min_split", "min_samples_leaf": "min_leaf", "max_depth": None}
    limits = {names[name] or name: value for name, value in params.items() if name in names}
    columns = set(np.flatnonzero(nominal).tolist())
    k = int(y.max()) + 1
    loops = reference.grow(plain(X), y.tolist(), weights.tolist(), k, columns, criterion, **limits)
    return tree, loops, X, columns


def assert_same(tree, loops, X, columns):
    """Leaves, depth, and the answers for the samples and for others."""
    assert tree.get_n_leaves() == reference.leaves(loops)
    assert tree.get_depth() == reference.depth(loops)
    rng = np.random.default_rng(0)
    others = rng.permuted(X, axis=0)
    others[rng.random(X.shape) < 0.2] = np.nan
    for samples in (X, others):
        leaves = [reference.leaf_of(loops, row, columns) for row in plain(samples)]
        assert_array_equal(tree.predict_proba(samples), [reference.shares(each) for each in leaves])


@pytest.mark.parametrize("criterion", CRITERIA)
def test_trees_are_those_of_plain_loops(criterion):
    for seed in range(120):
        assert_same(*both(seed, criterion))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_limited_trees_are_those_of_plain_loops(criterion):
    for seed in range(30):
        assert_same(*both(seed, criterion, max_depth=1 + seed % 4))
        assert_same(*both(seed, criterion, min_samples_leaf=2 + seed % 4))
        assert_same(*both(seed, criterion, min_samples_split=3 + seed % 9))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_pruned_trees_are_those_of_plain_loops(criterion):
    for seed in range(24):
        for price in (0.001, 0.02, 0.1):
            tree, loops, X, columns = both(seed, criterion, ccp_alpha=price)
            assert_same(tree, reference.pruned(loops, price, criterion), X, columns)


# ------------------------------------------------------------------------------------- criteria


def test_criteria_are_what_they_are_called(rng):
    for _ in range(200):
        k, n = rng.integers(2, 6), rng.integers(2, 30)
        y, right = rng.integers(0, k, n), rng.random(n) < 0.5
        right[:2] = False, True
        weights = rng.integers(1, 4, n).astype(float)
        counts = np.bincount(y, weights, k)
        left = np.bincount(y[~right], weights[~right], k)
        for name, code in CODES.items():
            expected = reference.gain_of(name, right.tolist(), y.tolist(), weights.tolist(), k)
            assert_allclose(gain(code, left, left.sum(), counts, counts.sum()), expected, atol=1e-9)
            if name != "rank_information":
                expected = reference.IMPURITIES[name](counts.tolist())
                assert_allclose(impurity(code, counts, counts.sum()), expected, atol=1e-9)


def test_ranking_impurity_is_ordinal_gini_times_the_size(rng):
    """As a share of pairs: ordinal Gini, weighted by the square of the size, constant 1."""
    for _ in range(100):
        counts = [1, *rng.integers(0, 9, rng.integers(1, 6)).tolist()]
        n = sum(counts)
        share = reference.ordinal_gini(counts) / n
        assert_allclose(reference.ranking(counts), n**2 * share)


def test_ranking_prefers_halves_where_nothing_is_to_be_split():
    """So the size counts: ordinal Gini cuts noise near the ends, ranking near the middle."""
    parts = {"ranking": [], "ordinal_gini": []}
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(100, 1)), rng.integers(0, 3, 100)
        for criterion, shares in parts.items():
            tree = OrdinalTree(criterion, max_depth=1).fit(X, y).tree_
            shares.append(abs(tree.counts[1].sum() / 100 - 0.5))
    assert np.mean(parts["ranking"]) < 0.1
    assert np.mean(parts["ordinal_gini"]) > 0.25


def test_with_two_classes_gini_is_twice_ordinal_gini(rng):
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 2, 80)
    assert_allclose(reference.gini([3, 5]), 2 * reference.ordinal_gini([3, 5]))
    trees = [OrdinalTree(each).fit(X, y).export_text() for each in ("gini", "ordinal_gini")]
    assert trees[0] == trees[1]


@pytest.mark.parametrize("criterion", ["ordinal_gini", "rank_information", "gini"])
def test_no_division_of_categories_gains_more_with_two_classes(criterion, rng):
    """All subsets are tried; with more classes, and by ranking impurity, it is a heuristic."""
    for _ in range(40):
        x, y = rng.integers(0, 6, 30), rng.integers(0, 2, 30)
        y[:2] = 0, 1
        ones = [1.0] * 30
        tree = OrdinalTree(criterion, max_depth=1, categorical_features=[0])
        found = tree.fit(x[:, None], y).tree_.gains[0]
        divisions = ([bool(code >> value & 1) for value in x] for code in range(1, 2**6 - 1))
        gains = [
            reference.gain_of(criterion, right, y.tolist(), ones, 2)
            for right in divisions
            if 0 < sum(right) < 30
        ]
        assert_allclose(found, max(gains), atol=1e-9)


# ---------------------------------------------------------------------------------- scikit-learn


def first_difference(ours, theirs):
    """The first node in which two trees ask something else, and the samples' way to it; or None."""
    stack = [(0, 0)]
    while stack:
        a, b = stack.pop()
        feature = theirs.feature[b] if theirs.children_left[b] >= 0 else -1
        if feature != ours.feature[a]:
            return a, b
        if feature < 0:
            continue
        if not np.isclose(ours.threshold[a], theirs.threshold[b], rtol=1e-6, atol=1e-9):
            return a, b
        stack.append((ours.left[a], theirs.children_left[b]))
        stack.append((ours.right[a], theirs.children_right[b]))
    return None


def test_gini_trees_are_those_of_scikit_learn_up_to_ties():
    """Where they differ, both splits lower the impurity alike."""
    same = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n, p, k = rng.integers(30, 300), rng.integers(1, 6), rng.integers(2, 5)
        X = rng.normal(size=(n, p)).astype(np.float32)
        y = np.where(rng.random(n) < 0.5, rng.integers(0, k, n), np.digitize(X[:, 0], range(k - 1)))
        y[:k] = range(k)
        params = {"max_depth": int(rng.integers(1, 9)), "min_samples_leaf": int(rng.integers(1, 9))}
        ours = OrdinalTree("gini", answer="mode", **params).fit(X, y)
        theirs = DecisionTreeClassifier(random_state=0, **params).fit(X, y)
        place = first_difference(ours.tree_, theirs.tree_)
        if place is None:
            same += 1
            assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)
            assert_allclose(
                ours.feature_importances_, theirs.feature_importances_, rtol=1e-6, atol=1e-9
            )
            assert ours.get_depth() == theirs.get_depth()
            assert ours.get_n_leaves() == theirs.get_n_leaves()
            continue
        tree, (a, b) = theirs.tree_, place
        sizes, left, right = tree.weighted_n_node_samples, tree.children_left, tree.children_right
        assert left[b] >= 0 <= ours.tree_.left[a]
        lowered = sizes[b] * tree.impurity[b] - sum(
            sizes[child] * tree.impurity[child] for child in (left[b], right[b])
        )
        assert_allclose(ours.tree_.gains[a], lowered, rtol=1e-6, atol=1e-9)
    assert same > 75


def test_pruning_is_that_of_scikit_learn():
    """On one feature without ties, so that both grow one tree."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(120, 1)).astype(np.float32)
        y = np.digitize(X[:, 0] + rng.normal(size=120), [-0.5, 0.5])
        params = {"min_samples_leaf": 7}
        theirs = DecisionTreeClassifier(**params).fit(X, y)
        if first_difference(OrdinalTree("gini", **params).fit(X, y).tree_, theirs.tree_):
            continue
        path = theirs.cost_complexity_pruning_path(X, y).ccp_alphas
        for price in (path[1:] + path[:-1]) / 2:
            ours = OrdinalTree("gini", ccp_alpha=price, **params).fit(X, y)
            pruned = DecisionTreeClassifier(ccp_alpha=price, **params).fit(X, y)
            assert_allclose(ours.predict_proba(X), pruned.predict_proba(X), atol=1e-12)


# ------------------------------------------------------------------------------------- monotone


def consistent(seed, n=25, p=2, k=3):
    """Samples of which none is at least as good in all features and of a lower class."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).round(2)
    score = X.sum(axis=1) + 0.5 * np.abs(X).prod(axis=1) * (X > 0).all(axis=1)
    y = np.digitize(score, np.quantile(score, np.arange(1, k) / k))
    assert not violations(X, y)
    return X, y


def violations(X, y):
    """Pairs of which the better sample is of the lower class."""
    better = (X[:, None] >= X[None]).all(axis=2)
    return int((better & (y[:, None] < y[None])).sum())


@pytest.mark.parametrize("criterion", CRITERIA)
def test_pure_trees_keep_the_order_of_consistent_training_samples(criterion):
    for seed in range(40):
        X, y = consistent(seed, p=1 + seed % 4)
        tree = OrdinalTree(criterion).fit(X, y)
        if (tree.tree_.counts[tree.tree_.feature < 0] > 0).sum(axis=1).max() == 1:
            assert violations(X, tree.predict(X)) == 0
        else:
            assert criterion == "rank_information"  # which stops where nothing is gained


def test_rank_information_may_stop_at_leaves_of_several_classes():
    """Consistent samples, both classes alike in every feature: no cut gains anything."""
    X = np.array([[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]])
    y = np.array([1, 1, 1, 0, 0, 0])
    assert violations(X, y) == 0
    assert OrdinalTree("rank_information").fit(X, y).get_n_leaves() == 1
    assert violations(X, OrdinalTree("gini").fit(X, y).predict(X)) == 0


@pytest.mark.parametrize("criterion", CRITERIA)
def test_one_feature_makes_the_whole_tree_monotone(criterion):
    for seed in range(30):
        X, y = consistent(seed, p=1)
        loops = reference.grow(plain(X), y.tolist(), [1.0] * len(y), 3, criterion=criterion)
        assert reference.is_monotone(loops, 1)
        grid = np.linspace(-4, 4, 300)[:, None]
        assert (np.diff(OrdinalTree(criterion).fit(X, y).predict(grid)) >= 0).all()


def test_no_criterion_makes_every_tree_monotone_between_its_samples():
    """A counterexample each, so that nothing is promised that does not hold."""
    for criterion in CRITERIA:
        broken = [
            not reference.is_monotone(
                reference.grow(plain(X), y.tolist(), [1.0] * len(y), 3, criterion=criterion), 2
            )
            for X, y in map(consistent, range(40))
        ]
        assert any(broken)
        assert not all(broken)


def test_rank_information_makes_no_split_that_puts_lower_classes_to_the_right(rng):
    for _ in range(60):
        X, y = rng.integers(0, 6, (40, 3)).astype(float), rng.integers(0, 3, 40)
        y[:3] = range(3)
        tree = OrdinalTree("rank_information").fit(X, y).tree_
        for node in np.flatnonzero(tree.feature >= 0):
            above = [1 - tree.shares[each].cumsum() for each in (tree.right[node], node)]
            assert (above[0] > above[1] + 1e-12).any()
    falling = -np.arange(30.0)[:, None]
    y = np.arange(30) // 10
    assert OrdinalTree("rank_information").fit(falling, y).get_n_leaves() == 1
    assert OrdinalTree("rank_information").fit(-falling, y).get_n_leaves() == 3


# ------------------------------------------------------------------------------ weights and input


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_weight_of_two_is_a_row_that_is_there_twice(criterion):
    for seed in range(60):
        X, y, _, nominal = problem(seed)
        weights = np.random.default_rng(seed).integers(0, 4, len(y))
        weights[[0, 1, *np.unique(y, return_index=True)[1]]] += 1
        params = {"categorical_features": np.flatnonzero(nominal)} if nominal.any() else {}
        limits = {"min_samples_leaf": 1 + seed % 5, "min_samples_split": 2 + seed % 7}
        tree = OrdinalTree(criterion, ccp_alpha=0.01 * (seed % 3), **limits, **params)
        weighted = pickle.dumps(tree.fit(X, y, sample_weight=weights).tree_)
        rows = np.repeat(np.arange(len(y)), weights)
        repeated = tree.fit(X[rows], y[rows]).tree_
        for one, other in zip(
            vars(pickle.loads(weighted)).values(), vars(repeated).values(), strict=True
        ):
            assert_array_equal(one, other)


def test_weights_of_any_size(rng):
    """Weights that add up to 1, as boosting gives them, leave no tree without splits."""
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    weights = rng.gamma(1.0, 1.0, 60)
    tree = OrdinalTree().fit(X, y, sample_weight=weights / weights.sum())
    assert tree.get_n_leaves() > 10
    boosted = AdaBoostClassifier(OrdinalTree(max_depth=2, answer="mode"), n_estimators=5)
    assert boosted.fit(X, y).score(X, y) > 0.5


def test_the_order_of_rows_does_not_matter(rng):
    for seed in range(20):
        X, y, weights, nominal = problem(seed)
        params = {"categorical_features": np.flatnonzero(nominal)} if nominal.any() else {}
        rows = rng.permutation(len(y))
        texts = [
            OrdinalTree(**params).fit(X[each], y[each], weights[each]).export_text()
            for each in (np.arange(len(y)), rows)
        ]
        assert texts[0] == texts[1]


def frame(rng, n=60):
    grade = rng.integers(0, 3, n)
    return (
        pd.DataFrame({
            "income": grade + rng.normal(size=n),
            "home": np.where(grade + rng.normal(size=n) > 1, "own", "rent"),
            "school": pd.Categorical.from_codes(
                np.minimum(grade, 1), ["basic", "higher"], ordered=True
            ),
        }),
        pd.Categorical.from_codes(grade, ["low", "mid", "high"], ordered=True),
    )  # fmt: skip


def test_columns_of_any_kind(rng):
    X, y = frame(rng)
    X.loc[3, "home"], X.loc[4, "income"] = None, np.nan
    tree = OrdinalTree(min_samples_leaf=3).fit(X, y)
    assert tree.classes_.tolist() == ["low", "mid", "high"]
    assert set(tree.predict(X)) <= {"low", "mid", "high"}
    assert_allclose(tree.predict_proba(X).sum(axis=1), 1)
    assert_allclose(tree.feature_importances_.sum(), 1)
    assert_array_equal(tree.predict(X), pickle.loads(pickle.dumps(tree)).predict(X))
    # Categories in another order, or declared otherwise, are the same categories.
    again = X.assign(
        home=pd.Categorical(X["home"], ["own", "rent", "none"]),
        school=pd.Categorical(X["school"].astype(str), ["none", "basic", "higher"], ordered=True),
    )
    assert_array_equal(tree.predict_proba(again), tree.predict_proba(X))
    assert_array_equal(tree.predict_proba(X[20:]), tree.predict_proba(X)[20:])


def test_unknown_categories_go_with_the_missing_ones(rng):
    X, y = frame(rng)
    X = X[["home"]]
    X.loc[:9, "home"] = None
    tree = OrdinalTree().fit(X, y)
    unknown, missing = (tree.predict_proba(pd.DataFrame({"home": [v]})) for v in ("tent", None))
    assert_array_equal(unknown, missing)
    assert "or missing" in tree.export_text() or "home missing" in tree.export_text()


def test_missing_values_tell_something(rng):
    """Where the values are missing in one class only, one split against all others is enough."""
    y = np.arange(40) % 2
    X = np.where(y[:, None] == 1, np.nan, rng.normal(size=(40, 1)))
    tree = OrdinalTree().fit(X, y)
    assert tree.export_text().splitlines() == [
        "|--- feature_0 not missing: 0 (20, 0)",
        "|--- feature_0 missing: 1 (0, 20)",
    ]
    assert tree.predict([[np.nan], [0.0]]).tolist() == [1, 0]


def test_the_text_says_what_the_tree_does(rng):
    X, y = frame(rng)
    tree = OrdinalTree(max_depth=2).fit(X, y)
    lines = tree.export_text().splitlines()
    assert len(lines) == len(tree.tree_.feature) - 1
    assert sum(": " in line for line in lines) == tree.get_n_leaves()
    one = OrdinalTree(min_samples_leaf=40).fit(X, y)
    assert one.get_depth() == 0
    assert one.export_text().startswith(str(one.predict(X)[0]))
    assert_array_equal(one.feature_importances_, 0)


# -------------------------------------------------------------------------------- cross-validation


def test_cross_validation_prunes_noise_and_keeps_what_is_there(rng):
    X = rng.normal(size=(200, 3))
    noise = rng.integers(0, 3, 200)
    tree = OrdinalTree(ccp_alpha="cv", random_state=0).fit(X, noise)
    assert tree.get_n_leaves() <= 5
    assert tree.ccp_alpha_ > 0
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    tree = OrdinalTree(ccp_alpha="cv", random_state=0).fit(X, y)
    assert tree.get_n_leaves() == 3
    y = np.where(rng.random(200) < 0.2, noise, y)
    tree, again = (OrdinalTree(ccp_alpha="cv", random_state=0).fit(X, y) for _ in range(2))
    assert again.ccp_alpha_ == tree.ccp_alpha_
    given = OrdinalTree(ccp_alpha=tree.ccp_alpha_).fit(X, y)
    assert given.export_text() == tree.export_text()


@pytest.mark.parametrize("answer", ["median", "mode"])
def test_the_price_has_the_smallest_held_out_loss(answer, rng):
    """Found again with pruned trees, fold by fold and price by price."""
    from echelon.monotone._grown import folds

    X = rng.normal(size=(90, 2))
    y = np.digitize(X[:, 0] + rng.normal(size=90), [-0.7, 0.7])
    tree = OrdinalTree(ccp_alpha="cv", answer=answer, random_state=3).fit(X, y)
    whole = OrdinalTree().fit(X, y).tree_.prices("ordinal_gini")
    steps = [0.0, *np.unique(whole[whole > 0])]
    middles = [*np.sqrt(np.multiply(steps[:-1], steps[1:])), 1e9]
    losses = np.zeros(len(steps))
    for train, test in folds(y, 5, np.random.RandomState(3)):
        for place, price in enumerate(middles):
            part = OrdinalTree(ccp_alpha=max(price, 1e-300), answer=answer).fit(X[train], y[train])
            apart = np.abs(part.predict(X[test]) - y[test])
            losses[place] += (apart if answer == "median" else apart > 0).sum()
    best = np.flatnonzero(losses == losses.min())[-1]
    assert tree.ccp_alpha_ == steps[best]


def test_folds_deal_every_class_out():
    from echelon.monotone._grown import folds

    y = np.repeat([0, 1, 2], [11, 3, 7])
    dealt = [test for _, test in folds(y, 5, np.random.RandomState(0))]
    assert sorted(np.concatenate(dealt).tolist()) == list(range(21))
    assert all(2 <= (y[fold] == 0).sum() <= 3 for fold in dealt)
    assert len(folds(y[:3], 5, np.random.RandomState(0))) == 3
    given = [(np.arange(9), np.arange(9, 21))]
    assert folds(y, given, np.random.RandomState(0)) == given


def test_the_order_helps():
    """Ordinal Gini has a smaller error in classes than Gini on graded data, pruned alike."""
    gains = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(300, 6))
        y = np.digitize(X[:, 0] + X[:, 1] + rng.normal(size=300), [-2, -1, 0, 1, 2])
        ours, theirs = (
            -cross_val_score(
                OrdinalTree(each, min_samples_leaf=10), X, y, scoring=rank_loss_scorer
            ).mean()
            for each in ("ordinal_gini", "gini")
        )
        gains.append(theirs - ours)
    assert np.mean(gains) > 0


def test_python_and_compiled_loops_grow_the_same_trees(monkeypatch):
    expected = [OrdinalTree(c).fit(*problem(s)[:2]).export_text() for c in CRITERIA for s in (3, 6)]
    monkeypatch.setattr(Kernel, "__call__", lambda self, *args: self.py_func(*args))
    found = [OrdinalTree(c).fit(*problem(s)[:2]).export_text() for c in CRITERIA for s in (3, 6)]
    assert found == expected


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"criterion": "entropy"}, "'criterion'.*'entropy'"),
        ({"max_depth": 0}, "'max_depth'.*0"),
        ({"ccp_alpha": -1.0}, "'ccp_alpha'.*-1"),
        ({"ccp_alpha": "best"}, "'ccp_alpha'.*'best'"),
        ({"answer": "mean"}, "'answer'.*'mean'"),
    ],
)
def test_wrong_parameters(params, message, rng):
    with pytest.raises(ValueError, match=message):
        OrdinalTree(**params).fit(rng.normal(size=(9, 2)), np.arange(9) % 3)
