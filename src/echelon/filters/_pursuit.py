"""Forward selection in a linear model, by orthogonal least squares.

Every feature is a block of columns: one of a numeric feature, one per label of a nominal one.
With an orthonormal basis of what was chosen, the gain of every other feature follows from its
products with the residual and what is left of its length, and both are updated by its products
with the new direction: one pass over the table per step, and no column is ever changed.
(Orthogonal matching pursuit is the same, but for dividing by the length that is left.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from echelon._core.choices import Choice, read_choice
from echelon._core.differences import unit_scale
from echelon._core.sample_weights import row_counts, weighted_mid_ranks
from echelon.validation import Columns

_COLLINEAR = 1e-6
"""A column with a smaller share of its length left over is a combination of the chosen ones."""

_GRID = 2.0**30
"""Gains, as shares of the total, are compared as multiples of 1 / _GRID: copies tie."""


class Path(NamedTuple):
    """Features in the order they were taken, and R squared after each."""

    features: np.ndarray
    r_squared: np.ndarray

    @classmethod
    def of(cls, steps: list[tuple[int, float]]) -> Path:
        """From steps, which may be none."""
        return cls(np.array([f for f, _ in steps], int), np.array([r for _, r in steps], float))

    def then(self, steps: list[tuple[int, float]]) -> Path:
        """The same with some steps more."""
        return Path(*(np.append(a, b) for a, b in zip(self, Path.of(steps), strict=True)))


class Design:
    """Columns of a linear model, as rows, of mean 0 and variance 1 where present, else 0."""

    def __init__(self, columns: Columns, scale: str):
        self.n_features = len(columns.nominal)
        self.numeric = np.flatnonzero(~columns.nominal)
        values = columns.values[:, self.numeric].astype(np.float64)
        weights = columns.weights
        parts = [_standardised(_ranked(values, weights) if scale == "rank" else values, weights)]
        self.blocks: dict[int, slice] = {}
        for feature in np.flatnonzero(columns.nominal):
            indicators = _indicators(columns.values[:, feature], weights)
            start = sum(len(part) for part in parts)
            self.blocks[int(feature)] = slice(start, start + len(indicators))
            parts.append(indicators)
        self.rows = np.concatenate(parts)


def _ranked(values: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Mid-ranks of the values that are present."""
    if weights is not None:
        return (
            np.apply_along_axis(weighted_mid_ranks, 0, values, weights) if values.size else values
        )
    missing = np.isnan(values)
    ranks = rankdata(np.where(missing, np.inf, values), axis=0)
    return np.where(missing, np.nan, ranks)


def _standardised(values: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Columns, as rows, with mean 0 and variance 1; missing values are the mean."""
    scaled = np.ascontiguousarray(unit_scale(values, np.ones(values.shape[1], bool)).T)
    present = ~np.isnan(scaled)
    counts = present if weights is None else present * weights
    total = counts.sum(axis=1, keepdims=True)
    total = np.where(total > 0, total, 1)
    scaled -= (counts * np.where(present, scaled, 0)).sum(axis=1, keepdims=True) / total
    scaled[~present] = 0
    deviation = np.sqrt((counts * scaled**2).sum(axis=1, keepdims=True) / total)
    return np.divide(scaled, deviation, out=np.zeros_like(scaled), where=deviation > 1e-12)


def _indicators(labels: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """One row per label, of mean 0; where the label is missing, the mean."""
    present = ~np.isnan(labels)
    kinds = np.unique(labels[present])
    rows = (labels == kinds[:, None]).astype(float)
    if present.any():
        counts = None if weights is None else weights[present]
        rows[:, present] -= np.average(rows[:, present], axis=1, weights=counts)[:, None]
    return rows


class Pursuit:
    """Forward selection in linear models of the same columns and outputs.

    Parameters
    ----------
    design : Design
        Columns of the model.
    outputs : ndarray of shape (n_samples, n_outputs)
        What it predicts; errors are summed over the outputs.
    price : float
        A step must lower the sum of squares by this many mean squares per degree of freedom.
    max_steps : int
        Steps after which a search ends that is not told how many to take.
    counts : ndarray of shape (n_samples,), default=None
        How many samples every row stands for; None: each for itself.
    choice : Choice, default=None
        Features that are taken first, and groups that are taken whole, as one step.
    """

    def __init__(
        self,
        design: Design,
        outputs: np.ndarray,
        price: float,
        max_steps: int,
        counts: np.ndarray | None = None,
        choice: Choice | None = None,
    ):
        self.design, self.outputs = design, outputs
        self.counts = row_counts(counts, len(outputs))
        self.choice = choice or read_choice(None, None, design.n_features, None)
        self.price, self.max_steps = price, max_steps

    def run(self, drawn: np.ndarray, n_steps: int | None = None) -> Path:
        """Search on the samples drawn: while steps pay, or so many steps if any are left."""
        fit = _Fit(self, drawn)
        found = Path.of([(f, fit.take(f)) for f in self.choice.first])
        n_taken, most = self.choice.n_kept, self.max_steps if n_steps is None else n_steps
        while n_taken < most:
            worth = fit.worth()
            best = int(np.argmax(worth))
            if worth[best] == -np.inf or (n_steps is None and worth[best] <= 0):
                break
            found = found.then([(best, fit.take(best))])
            others = self.choice.mates([best], np.flatnonzero(fit.open).tolist())
            found = found.then([(f, fit.take(f)) for f in others])
            n_taken += 1
        return found

    def single_worth(self) -> np.ndarray:
        """What every feature is worth by itself, on all samples."""
        return _Fit(self, np.ones(len(self.outputs))).worth()


class _Fit:
    """A linear model that grows by one feature at a time, by weighted least squares."""

    def __init__(self, problem: Pursuit, drawn: np.ndarray):
        weights = problem.counts * drawn
        self.rows, self.design, self.weights = problem.design.rows, problem.design, weights
        self.total_weight = weights.sum()
        # Samples drawn w times: noise gains sum(w^2) / sum(w) mean squares, not one.
        self.price = problem.price * (weights * drawn).sum() / self.total_weight
        self.means = np.einsum("fi,i->f", self.rows, weights) / self.total_weight
        mean = (weights[:, None] * problem.outputs).sum(axis=0) / self.total_weight
        self.residual = problem.outputs - mean
        self.total = self.rss()
        self.basis: list[np.ndarray] = []
        self.open = np.ones(self.design.n_features, bool)
        self._begin()

    def _begin(self) -> None:
        """Lengths of the columns, and their products with the outputs."""
        squares = np.einsum("fi,fi,i->f", self.rows, self.rows, self.weights)
        self.lengths = squares - self.total_weight * self.means**2
        self.least = np.maximum(_COLLINEAR * self.lengths, 1e-9)
        weighted = self.weights[:, None] * self.residual
        self.products = np.stack(
            [np.einsum("fi,i->f", self.rows, column) for column in weighted.T.copy()], axis=1
        )
        self.grams = {f: self._gram(block) for f, block in self.design.blocks.items()}

    def _gram(self, block: slice) -> np.ndarray:
        centred = self.rows[block] - self.means[block, None]
        return np.einsum("ai,bi,i->ab", centred, centred, self.weights)

    def rss(self) -> float:
        """Weighted sum of squared errors."""
        return float((self.weights[:, None] * self.residual**2).sum())

    def r_squared(self) -> float:
        """Share of the sum of squares that is explained."""
        return 1 - self.rss() / self.total if self.total > 0 else 0.0

    def worth(self) -> np.ndarray:
        """Gain of every feature, less its price, as a share of the total; -inf if none is left."""
        worth = np.full(self.design.n_features, -np.inf)
        rss = self.rss()
        if rss <= 1e-12 * self.total or self.total <= 0:
            return worth
        price = self.price * rss / self.total_weight
        worth[self.design.numeric] = self._numeric_gains() - price
        for feature, block in self.design.blocks.items():
            if self.open[feature]:
                values, vectors = self._directions(feature, block)
                gain = ((vectors.T @ self.products[block]) ** 2 / values[:, None]).sum()
                worth[feature] = gain - price * len(values) if len(values) else -np.inf
        worth[~self.open] = -np.inf
        return np.floor(worth / self.total * _GRID + 0.5) / _GRID

    def _numeric_gains(self) -> np.ndarray:
        numeric = slice(0, len(self.design.numeric))
        left = self.lengths[numeric] > self.least[numeric]
        lengths = np.where(left, self.lengths[numeric], 1)
        return np.where(left, (self.products[numeric] ** 2).sum(axis=1) / lengths, -np.inf)

    def _directions(self, feature: int, block: slice) -> tuple[np.ndarray, np.ndarray]:
        """Orthogonal directions of a block that are left over, and their squared lengths."""
        if block.stop - block.start > self.total_weight / 2:  # as good as an identifier
            return np.empty(0), np.empty((block.stop - block.start, 0))
        values, vectors = np.linalg.eigh(self.grams[feature])
        left = values > self.least[block].max(initial=0)
        return values[left], vectors[:, left]

    def take(self, feature: int) -> float:
        """Add to the model what a feature adds to it; returns R squared."""
        self.open[feature] = False
        if feature in self.design.blocks:
            block = self.design.blocks[feature]
            combinations = self._directions(feature, block)[1].T
            for each in combinations @ (self.rows[block] - self.means[block, None]):
                self._add(each)
        else:
            row = int(np.searchsorted(self.design.numeric, feature))
            if self.lengths[row] > self.least[row]:
                self._add(self.rows[row] - self.means[row])
        return self.r_squared()

    def _add(self, direction: np.ndarray) -> None:
        """Add the part of a direction that is orthogonal to the basis."""
        for known in self.basis * 2:  # twice, so that rounding leaves nothing behind
            direction = direction - (self.weights * known * direction).sum() * known
        direction = direction / np.sqrt((self.weights * direction**2).sum())
        self.basis.append(direction)
        along = self.weights * direction
        slopes = (along[:, None] * self.residual).sum(axis=0)
        self.residual = self.residual - direction[:, None] * slopes
        shares = np.einsum("fi,i->f", self.rows, along)
        self.lengths -= shares**2
        self.products -= shares[:, None] * slopes
        for feature, block in self.design.blocks.items():
            self.grams[feature] -= np.outer(shares[block], shares[block])
