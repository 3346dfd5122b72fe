"""The price of a leaf, chosen by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from echelon._core.answers import answered
from echelon.monotone._grown import Limits, Tree, grown
from echelon.monotone._prune_loops import held_out_losses


@dataclass(frozen=True, eq=False)
class Rows:
    """Training samples as a tree takes them."""

    values: np.ndarray
    nominal: np.ndarray
    n_categories: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    n_classes: int

    def take(self, rows: np.ndarray) -> Rows:
        """Some of the samples."""
        return Rows(
            self.values[rows], self.nominal, self.n_categories, self.y[rows], self.weights[rows],
            self.n_classes,
        )  # fmt: skip

    def grown(self, limits: Limits) -> Tree:
        """The tree of these samples, not pruned."""
        return grown(
            self.values, self.nominal, self.n_categories, self.y, self.weights, self.n_classes,
            limits,
        )  # fmt: skip


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
