"""The benchmark of trees: what it measures, and what it may say."""

import numpy as np
from sklearn.tree import DecisionTreeClassifier

import reference_tree as reference
from benchmarks import trees
from benchmarks.trees import REFERENCE, Found, consistent, held_out, interval, is_monotone
from echelon import OrdinalDecomposition, OrdinalTree


def test_trees_are_monotone_where_plain_loops_say_so():
    verdicts = set()
    for seed in range(20):
        X, y = consistent(seed)
        loops = reference.grow(X.tolist(), y.tolist(), [1.0] * len(y), 3, criterion="gini")
        expected = reference.is_monotone(loops, X.shape[1])
        assert is_monotone(OrdinalTree("gini").fit(X, y).tree_, X.shape[1]) == expected
        verdicts.add(expected)
    assert verdicts == {True, False}


def test_held_out_errors_and_leaves(rng):
    y = np.arange(40) % 2
    X = y[:, None] + 0.01 * rng.normal(size=(40, 1))
    folds = [(np.arange(20), np.arange(20, 40)), (np.arange(20, 40), np.arange(20))]
    tree = DecisionTreeClassifier()
    assert held_out(tree, X, y, folds)[:3] == (0, 0, 2)
    assert held_out(tree, X, 1 - y, folds)[:3] == (0, 0, 2)
    assert held_out(OrdinalDecomposition(tree), X, y, folds).leaves == 2
    wrong = np.where(np.arange(40) < 20, y, 1 - y)
    assert held_out(tree, X, wrong, folds)[:2] == (1, 1)


def test_a_verdict_needs_an_interval_without_zero():
    def every(apart):
        return {
            str(i): {REFERENCE: Found(1.0, 1, 1, 1), "other": Found(1.0 + a, 1, 1, 1)}
            for i, a in enumerate(apart)
        }

    assert interval(np.full(5, -0.25)) == "-0.250 (-0.250 to -0.250)"
    for apart, words in (
        ([-0.2, -0.3, -0.1], "has a smaller error than"),
        ([0.2, 0.3, 0.1], "has a larger error than"),
        ([0.2, -0.3, 0.1], "cannot be told from"),
    ):
        assert words in trees._verdict(every(apart), "other", REFERENCE)
