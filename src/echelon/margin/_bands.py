"""Neighbours by distance alone: the limits of every sample, and sums over all pairs within them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from echelon._core.rows import own_copies
from echelon._core.samples import without_rounding
from echelon.engines import Bands, BandSums, Engine, Samples
from echelon.kernels.pairs import distances_among
from echelon.margin._evidence import Evidence, Moments, bytes_held
from echelon.margin._moments import SecondSums, differences
from echelon.margin._neighbors import Limits, Neighbors
from echelon.margin._pairs import block_thirds, some_rows
from echelon.margin._permutation import by_columns, column_moments
from echelon.margin.rules import Term


def band_limits(engine: Engine, space: Any, rule: Sequence[Term], queries: np.ndarray) -> Limits:
    """The limits of all bands of a rule."""
    bands = {term.band for term in rule if term.band is not None}
    limits: Limits = {}
    for own in {band.own for band in bands}:
        mean, deviation = _own_moments(engine, space, queries) if own else _moments(engine, space)
        for band in bands:
            if band.own == own:
                limit = mean + (band.side * band.width * deviation if band.width else 0.0)
                limits[band] = np.where(limit > 0, limit, 0.0) ** (2 if space.squared else 1)
    return limits


def _own_moments(engine: Engine, space: Any, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and deviation of the distances of every query to all others."""
    counts, sums, squares = _distance_sums(engine, space, queries)
    counts = np.where(counts > 0, counts, 1)
    mean = sums / counts
    variance = np.maximum(squares / counts - mean**2, 0.0)
    equal = variance <= ((space.tolerance - 1) * mean) ** 2  # but for rounding
    return mean, np.where(equal, 0.0, np.sqrt(variance))


def _moments(engine: Engine, space: Any) -> tuple[np.ndarray, np.ndarray]:
    """Mean of the distances of all pairs, for every row; no rule asks for their deviation."""
    samples: Samples = space.samples
    n, local = len(samples.classes), isinstance(samples.values, np.ndarray)
    if local and not samples.missing and not space.squared:
        # Manhattan distances add up feature by feature, by sorting: O(p n log n).
        total, pairs = column_totals(samples, engine).sum(), n_pairs(samples)
    else:
        pairs, total, _ = _distance_sums(engine, space, np.arange(n)) @ samples.mass
    return np.full(n, total / (pairs or 1)), np.full(n, np.nan)


def _distance_sums(engine: Engine, space: Any, queries: np.ndarray) -> np.ndarray:
    """How many rows lie at a finite distance of a query, the sum and the sum of squares."""
    samples: Samples = space.samples
    if not _sums_all_pairs(engine, samples):
        return Neighbors(engine, space, by_index=False).distance_sums(queries)
    sums = engine.distance_sums(space, queries)
    if samples.weights is not None:
        sums[0, queries] += own_copies(samples.weights)[queries]
    return sums


def _sums_all_pairs(engine: Engine, samples: Samples) -> bool:
    """Whether the engine's sums over all pairs are those of these samples: complete if weighted."""
    return samples.weights is None or (engine.weighs_pairs and not samples.missing)


def n_pairs(samples: Samples) -> float:
    """Ordered pairs of rows, those of copies of one row among them: n (n - 1) if all weigh 1."""
    mass = samples.mass
    return float(mass @ (mass.sum() - mass + own_copies(mass)))


def column_totals(samples: Samples, engine: Engine) -> np.ndarray:
    """Differences of all ordered pairs of samples added up, by column; nothing may be missing."""

    def totals(columns: np.ndarray, which: slice) -> np.ndarray:
        nominal = which.start >= samples.n_numeric
        if samples.weights is None:
            return np.atleast_1d(differences(columns, nominal=nominal).total())
        return np.array([_weighted_total(x, samples.weights, nominal=nominal) for x in columns])

    return by_columns(samples, totals, engine.map)


def _weighted_total(column: np.ndarray, weights: np.ndarray, *, nominal: bool) -> float:
    """Differences of all ordered pairs of weighted rows added up."""
    if nominal:
        sizes = np.bincount(np.unique(column, return_inverse=True)[1], weights)
        return float(sizes.sum() ** 2 - sizes @ sizes)
    order = np.argsort(column, kind="stable")
    x, w = column[order].astype(float), weights[order]
    return 2.0 * float((w * x) @ (2 * np.cumsum(w) - w - w.sum()))


# ------------------------------------------------------------------------- without a list of pairs


@dataclass(frozen=True)
class DenseSums:
    """What :class:`Sums` is, for all terms together, without the pairs."""

    samples: Samples
    engine: Engine
    rule: list[Term]
    bands: Bands
    found: BandSums
    n_queries: float
    squared: bool
    tolerance: float
    seed: int
    pieces: tuple = ()

    @property
    def n_bytes(self) -> float:
        """What evidence would hold until it is asked for."""
        return bytes_held(self.samples, self.engine, [self.found.gives, self.bands.limits])

    def scores(self, _terms: Sequence[int]) -> np.ndarray:
        """All terms together, column by column."""
        return without_rounding(self.found.totals / self.n_queries)

    def evidence(self, terms: Sequence[int]) -> Evidence:
        """Scores and z-scores of all terms together."""
        scores = self.scores(terms)
        return Evidence.of(scores, self.moments(scores))

    def moments(self, scores: np.ndarray) -> Moments:
        """Moments of the scores under permutation of a column."""
        rows = self.found.rows / self.n_queries
        which = some_rows(len(rows), self.seed)
        weights = (
            SecondSums.of(rows, self.found.squares / self.n_queries**2),
            block_thirds(self.weights_among(which), which, rows),
        )

        def of_columns(columns: np.ndarray, which: slice) -> np.ndarray:
            nominal = which.start >= self.samples.n_numeric
            return column_moments(len(rows), weights, columns, scores[which], nominal=nominal)

        return Moments.of(by_columns(self.samples, of_columns, self.engine.map))

    def weights_among(self, which: np.ndarray) -> np.ndarray:
        """The weights M among some rows."""
        samples, classes = self.samples, self.samples.classes[which]
        far = distances_among(samples.values[which], samples.n_numeric, self.squared)
        limits, tolerance = self.bands.limits[:, which, None], self.tolerance
        given = np.zeros_like(far)
        for side, gives in enumerate(self.found.gives[:, :, which]):
            if gives.any():
                inside = far > limits[1] * tolerance if side else far * tolerance < limits[0]
                given += np.where(inside, gives[classes].T, 0.0)
        np.fill_diagonal(given, 0.0)
        mass = samples.mass[which]
        return (given + given.T) * (mass[:, None] * (0.5 / self.n_queries * mass))


def dense_sums(
    neighbors: Neighbors, rule: list[Term], queries: np.ndarray, seed: int
) -> DenseSums | None:
    """The sums of a rule of bands, if the engine has a way without lists of pairs."""
    engine, space, samples = neighbors.engine, neighbors.space, neighbors.samples
    plain = all(term.band is not None and not term.pairwise and not term.even for term in rule)
    if not plain or samples.missing or not _sums_all_pairs(engine, samples):
        return None
    bands = _as_bands(samples, rule, neighbors.limits)
    found = engine.band_sums(space, queries, bands)
    if found is None:
        return None
    asked = float(samples.mass[queries].sum())
    measure = space.squared, space.tolerance
    return DenseSums(samples, engine, rule, bands, found, asked, *measure, seed)


def _as_bands(samples: Samples, rule: list[Term], limits: Limits) -> Bands:
    """The rule as tables by class."""
    n_classes = len(samples.class_sizes)
    by_row = np.tile([[-np.inf], [np.inf]], len(samples.classes))
    groups = np.full((2, n_classes, n_classes), -1)
    coefs = np.zeros((2, n_classes, n_classes))
    for t, term in enumerate(rule):
        side = int(term.band.side > 0)  # type: ignore[union-attr]
        by_row[side] = limits[term.band]  # type: ignore[index]
        for c in np.flatnonzero(term.coef).tolist():
            for first, last in term.search.classes.ranges(c):
                groups[side, c, first:last], coefs[side, c, first:last] = t, term.coef[c]
    copies = None if samples.weights is None else own_copies(samples.weights)
    return Bands(by_row, groups, coefs, copies)
