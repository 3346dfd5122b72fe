"""A tree as arrays: grown on rows, pruned by the price of a leaf, read, and written as text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from echelon.monotone._tree_loops import (
    FEATURE,
    GINI,
    HIGH,
    LEFT,
    LOW,
    ORDINAL_GINI,
    RANK_INFORMATION,
    RANKING,
    RIGHT,
    SUBSET,
    TO_LEFT,
    grow,
    held_out_losses,
    leaves_of,
    weakest_links,
)
from echelon.targets import answered

CRITERIA = {
    "ranking": RANKING,
    "ordinal_gini": ORDINAL_GINI,
    "rank_information": RANK_INFORMATION,
    "gini": GINI,
}


@dataclass(frozen=True, eq=False)
class Limits:
    """How far a tree grows."""

    criterion: str
    max_depth: int | None
    min_samples_split: int
    min_samples_leaf: int


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes of a tree, the root first, children after their parents, left before right.

    Attributes
    ----------
    feature : ndarray of shape (n_nodes,)
        What a node splits; -1: it is a leaf.
    threshold : ndarray of shape (n_nodes,)
        Values up to it go left; NaN in leaves and in splits of nominal features.
    left, right : ndarray of shape (n_nodes,)
        Children; -1 in leaves.
    missing_left : ndarray of shape (n_nodes,)
        Whether missing values go left.
    counts : ndarray of shape (n_nodes, n_classes)
        Weights of the classes.
    gains : ndarray of shape (n_nodes,)
        What the split gains by the criterion; 0 in leaves.
    """

    nodes: np.ndarray
    threshold: np.ndarray
    subsets: np.ndarray
    counts: np.ndarray
    gains: np.ndarray

    @property
    def feature(self) -> np.ndarray:
        """What a node splits."""
        return self.nodes[:, FEATURE]

    @property
    def left(self) -> np.ndarray:
        """Left children."""
        return self.nodes[:, LEFT]

    @property
    def right(self) -> np.ndarray:
        """Right children."""
        return self.nodes[:, RIGHT]

    @property
    def missing_left(self) -> np.ndarray:
        """Whether missing values go left."""
        return self.nodes[:, TO_LEFT] == 1

    @property
    def shares(self) -> np.ndarray:
        """Share of every class in every node."""
        return self.counts / self.counts.sum(axis=1, keepdims=True)

    @property
    def parent(self) -> np.ndarray:
        """Parents; -1 for the root."""
        parent = np.full(len(self.nodes), -1)
        inner = np.flatnonzero(self.feature >= 0)
        parent[self.left[inner]] = parent[self.right[inner]] = inner
        return parent

    @property
    def depth(self) -> np.ndarray:
        """Splits above every node."""
        depth, parent = np.zeros(len(self.nodes), int), self.parent
        for node in range(1, len(depth)):
            depth[node] = depth[parent[node]] + 1
        return depth

    def leaves(self, values: np.ndarray) -> np.ndarray:
        """The leaf of every sample."""
        found = np.empty(len(values), np.int64)
        leaves_of(values, self.nodes, self.threshold, self.subsets, found)
        return found

    def categories_left(self, node: int, n_categories: int) -> np.ndarray:
        """Mask of the categories that go left in a split of a nominal feature."""
        start = self.nodes[node, SUBSET]
        return self.subsets[start : start + n_categories] == 1

    def prices(self, criterion: str) -> np.ndarray:
        """The cost of a leaf from which every node is one; minus infinity for leaves."""
        alphas = np.empty(len(self.nodes))
        weakest_links(self.left.copy(), self.right.copy(), self.costs(criterion), alphas)
        return alphas

    def costs(self, criterion: str) -> np.ndarray:
        """Gini or ordinal Gini impurity of every node, weighted by its share of the samples."""
        shares = self.shares if criterion == "gini" else self.shares.cumsum(axis=1)
        mass = self.counts.sum(axis=1)
        return mass / mass[0] * (shares * (1 - shares)).sum(axis=1)

    def pruned(self, is_leaf: np.ndarray) -> Tree:
        """The tree in which some nodes are leaves."""
        parent, there = self.parent, np.ones(len(self.nodes), bool)
        for node in range(1, len(there)):
            there[node] = there[parent[node]] and not is_leaf[parent[node]]
        new = np.append(there.cumsum() - 1, -1)
        nodes, threshold = self.nodes.copy(), self.threshold.copy()
        nodes[is_leaf], threshold[is_leaf] = -1, np.nan
        nodes[:, LEFT], nodes[:, RIGHT] = new[nodes[:, LEFT]], new[nodes[:, RIGHT]]
        gains = np.where(is_leaf, 0.0, self.gains)
        return Tree(nodes[there], threshold[there], self.subsets, self.counts[there], gains[there])


@dataclass(frozen=True, eq=False)
class Rows:
    """Training samples as a tree takes them: numbers and codes of categories, NaN where missing."""

    values: np.ndarray
    nominal: np.ndarray
    n_categories: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    n_classes: int

    def take(self, rows: np.ndarray) -> Rows:
        """Some of the samples."""
        return replace(self, values=self.values[rows], y=self.y[rows], weights=self.weights[rows])

    def grown(self, limits: Limits) -> Tree:
        """The tree of these samples, not pruned."""
        order, codes, levels = _sorted(self.values, self.nominal, self.n_categories)
        n_levels = np.array([len(each) for each in levels])
        deepest = len(self.y) if limits.max_depth is None else limits.max_depth
        # One row always has the least of one sample, whatever its weight.
        split = limits.min_samples_split if limits.min_samples_split > 2 else 0.0
        leaf = limits.min_samples_leaf if limits.min_samples_leaf > 1 else 0.0
        nodes, gains, subsets, leaf_of = grow(
            order, codes, self.nominal, n_levels, self.y, self.weights, self.n_classes,
            CRITERIA[limits.criterion], deepest, split - 1e-9, leaf - 1e-9,
        )  # fmt: skip
        counts = _counts(nodes, leaf_of, self.y, self.weights, self.n_classes)
        return Tree(nodes, _thresholds(nodes, levels), subsets, counts, gains)


def _sorted(
    values: np.ndarray, nominal: np.ndarray, n_categories: np.ndarray
) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Rows sorted by every feature, the place of every value among the different ones, these."""
    n, p = values.shape
    order, codes = np.empty((p, n), np.int32), np.empty((p, n), np.int32)
    levels = []
    for f in range(p):
        column = np.ascontiguousarray(values[:, f])
        order[f] = np.argsort(column, kind="stable")  # missing values last
        known = column[order[f][: n - np.isnan(column).sum()]]
        if nominal[f]:
            levels.append(np.arange(n_categories[f], dtype=float))
            place = known.astype(np.int32)
        else:
            new = np.append(True, known[1:] != known[:-1])[: len(known)]
            levels.append(known[new])
            place = new.cumsum() - 1
        codes[f, order[f][: len(known)]] = place
        codes[f, order[f][len(known) :]] = len(levels[f])
    return order, codes, levels


def _thresholds(nodes: np.ndarray, levels: list[np.ndarray]) -> np.ndarray:
    """The middle between the values on both sides of a cut, infinite where one side has none."""
    thresholds = np.full(len(nodes), np.nan)
    for node in np.flatnonzero((nodes[:, FEATURE] >= 0) & (nodes[:, SUBSET] < 0)):
        known, low, high = levels[nodes[node, FEATURE]], nodes[node, LOW], nodes[node, HIGH]
        if low < 0 or high < 0:
            thresholds[node] = np.inf if high < 0 else -np.inf
            continue
        middle = known[low] / 2 + known[high] / 2
        thresholds[node] = middle if middle < known[high] else known[low]
    return thresholds


def _counts(
    nodes: np.ndarray, leaf_of: np.ndarray, y: np.ndarray, weights: np.ndarray, n_classes: int
) -> np.ndarray:
    """Weights of the classes in every node: those of leaves, added up."""
    places = leaf_of * n_classes + y
    counts = np.bincount(places, weights, len(nodes) * n_classes).reshape(-1, n_classes)
    for node in np.flatnonzero(nodes[:, FEATURE] >= 0)[::-1]:
        counts[node] = counts[nodes[node, LEFT]] + counts[nodes[node, RIGHT]]
    return counts


# ---------------------------------------------------------------------------- the price of a leaf


def best_price(
    rows: Rows,
    prices: np.ndarray,
    limits: Limits,
    answer: str,
    cv: Any,
    rng: np.random.RandomState,
) -> float:
    """The price with the smallest held-out loss, the largest among equals.

    The prices of the whole tree cut it back step by step; those of the folds' trees differ, so
    that each step stands for the geometric mean of its ends [Breiman et al. 1984, 3.4].
    """
    steps = np.append(0.0, np.unique(prices[prices > 0]))
    candidates = np.append(np.sqrt(steps[:-1] * steps[1:]), np.inf)
    changes = np.zeros(len(candidates) + 1)
    for train, test in folds(rows.y, cv, rng):
        tree = rows.take(train).grown(limits)
        held_out_losses(
            tree.leaves(rows.values[test]), rows.y[test], rows.weights[test], tree.parent,
            tree.prices(limits.criterion), node_losses(tree, answer), candidates, changes,
        )  # fmt: skip
    losses = changes[:-1].cumsum()
    best = np.flatnonzero(losses <= losses.min() + 1e-9 * rows.weights.sum())[-1]
    return float(steps[best])


def node_losses(tree: Tree, answer: str) -> np.ndarray:
    """The loss of every class in every node: in classes for the median, of 1 for the mode."""
    codes = np.arange(tree.counts.shape[1])
    apart = np.abs(answered(tree.shares, answer)[:, None] - codes)
    return apart.astype(float) if answer == "median" else (apart > 0).astype(float)


def folds(y: np.ndarray, cv: Any, rng: np.random.RandomState) -> list[tuple]:
    """Training and held-out rows; for a number every class is dealt out in turn, at random."""
    if not isinstance(cv, Integral):
        return list(check_cv(cv, y, classifier=True).split(np.zeros((len(y), 1)), y))
    dealt = np.empty(len(y), int)
    dealt[np.lexsort((rng.permutation(len(y)), y))] = np.arange(len(y)) % int(cv)
    held_out = [dealt == fold for fold in range(min(int(cv), len(y)))]
    return [(np.flatnonzero(~each), np.flatnonzero(each)) for each in held_out]


# ------------------------------------------------------------------------------------------ text


def as_text(
    tree: Tree,
    name_of: Callable[[int], str],
    levels: dict[int, Any],
    gappy: np.ndarray,
    leaf: Callable[[int], str],
) -> str:
    """One line per split and side, indented by depth; ``gappy`` features had missing values."""
    lines: list[str] = []
    stack = [(0, 0, "")]
    while stack:
        node, depth, question = stack.pop()
        indent = "|   " * (depth - 1) + "|--- " if depth else ""
        inner = tree.feature[node] >= 0
        if question:
            lines.append(indent + question + ("" if inner else f": {leaf(node)}"))
        elif not inner:
            lines.append(leaf(node))
        if inner:
            low, high = _questions(tree, node, name_of, levels, gappy)
            stack.append((int(tree.right[node]), depth + 1, high))
            stack.append((int(tree.left[node]), depth + 1, low))
    return "\n".join(lines)


def _questions(
    tree: Tree,
    node: int,
    name_of: Callable[[int], str],
    levels: dict[int, Any],
    gappy: np.ndarray,
) -> tuple[str, str]:
    """What holds on the left and on the right."""
    feature = int(tree.feature[node])
    name, missing = name_of(feature), " or missing" if gappy[feature] else ""
    left, right = (missing, "") if tree.missing_left[node] else ("", missing)
    if tree.nodes[node, SUBSET] >= 0:
        known = levels[feature]
        mask = tree.categories_left(node, len(known))
        low, high = (f"{name} in {known[side].tolist()}" for side in (mask, ~mask))
        return low + left, high + right
    threshold = tree.threshold[node]
    if np.isinf(threshold):
        sides = f"{name} not missing", f"{name} missing"
        return sides if threshold > 0 else sides[::-1]
    return f"{name} <= {threshold:.6g}{left}", f"{name} > {threshold:.6g}{right}"
