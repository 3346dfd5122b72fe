"""The sum behind every Relief-type method, for any rule on any engine.

``margin_sums`` goes through lists of pairs or, where neighbours are told by their distance alone,
adds up all pairs within the limits of every sample (``dense_sums``).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from echelon._core.jobs import track
from echelon._core.samples import own_copies, weighted_columns, without_rounding
from echelon.engines import Bands, BandSums, Engine, Samples, Space
from echelon.kernels.pairs import distances_among
from echelon.margin._evidence import Evidence, Moments
from echelon.margin._moments import SecondSums, differences
from echelon.margin._neighbors import Limits, Neighbors, Pairs, Reach
from echelon.margin._pairs import (
    MAX_PAIRS,
    PairGraph,
    Piece,
    block_thirds,
    pair_graph,
    piece,
    some_rows,
)
from echelon.margin._permutation import (
    Outcomes,
    TermOutcomes,
    by_columns,
    column_moments,
    contrast_moments,
    permutation_moments,
)
from echelon.margin.rules import Term


def margin_weights(
    samples: Samples,
    rule: list[Term],
    queries: np.ndarray,
    engine: Engine,
    *,
    metric: str,
    ties: str,
    verbose: int = 0,
) -> np.ndarray:
    """Scores of all features: the terms of the rule added over the queries, by their number.

    Memory: the engine's copy of the samples, and the pairs of one task per thread.

    Parameters
    ----------
    samples : Samples
        The data, laid out for an engine.
    rule : list of Term
        The method.
    queries : ndarray of int
        The rows whose neighbours are sought.
    engine : Engine
        The backend that does the computing.
    metric : {"manhattan", "euclidean", "paired"}
        Distance between samples; see :meth:`echelon.engines.Engine.prepare`.
    ties : {"share", "index"}
        With "share", samples at equal distances share the remaining places, so results do not
        depend on the order of rows; with "index", the first rows are used.
    verbose : int, default=0
        Show a progress bar.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        Larger is better.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.engines import NumpyEngine, Samples
    >>> from echelon.margin import margin_weights, rules
    >>> values = np.array([[0.0, 0.2], [0.1, 0.9], [0.9, 0.8], [1.0, 0.1]])
    >>> samples = Samples(values, np.array([0, 0, 1, 1]), np.arange(4), np.arange(2), 0, 2, False)
    >>> rule = rules.relieff(samples.class_sizes, 1)
    >>> margin_weights(
    ...     samples, rule, np.arange(4), NumpyEngine(), metric="manhattan", ties="share"
    ... ).round(2).tolist()
    [0.8, -0.6]
    """
    options: dict[str, Any] = {"metric": metric, "ties": ties, "verbose": verbose}
    sums = margin_sums(samples, rule, queries, engine, keep_pairs=False, **options)
    return samples.per_feature(sums.scores(range(len(rule))))


@dataclass(frozen=True)
class Sums:
    """What the terms of a rule add up to, and the pairs behind them.

    Attributes
    ----------
    samples : Samples
        Rows of the pairs, and the order of columns.
    engine : Engine
        Where the sums came from.
    rule : list of Term
        The terms.
    totals : ndarray of shape (n_terms, n_columns)
        Every term added over the queries.
    weights : ndarray of shape (n_terms,)
        What it is divided by: the number of queries, or the weight of all pairs.
    pieces : list of Piece or None
        The pairs; None if there were too many to keep.
    seed : int, default=0
        Chooses the pairs that stand for all in the skewness of scores.
    """

    samples: Samples
    engine: Engine
    rule: list[Term]
    totals: np.ndarray
    weights: np.ndarray
    pieces: list[Piece] | None
    seed: int = 0

    def scores(self, terms: Sequence[int]) -> np.ndarray:
        """Some terms together, column by column."""
        means = self.totals / self.weights[:, None]
        return without_rounding(means[list(terms)].sum(axis=0))

    def evidence(self, terms: Sequence[int]) -> Evidence:
        """Scores and z-scores of some terms together."""
        scores = self.scores(terms)
        if self.pieces is None:
            return Evidence.unknown(scores)
        if self._is_contrast(terms):
            return Evidence.of(*self.contrast_moments(terms))._replace(scores=scores)
        return Evidence.of(scores, self.moments(terms))

    def moments(self, terms: Sequence[int]) -> Moments:
        """Moments of these scores under permutation of a column."""
        graph, scores = self.graph(terms), self.scores(terms)
        return permutation_moments(self.samples, graph, scores, self.engine.map, self.seed)

    def contrast_moments(
        self, terms: Sequence[int], outcomes: Outcomes | None = None
    ) -> tuple[np.ndarray, Moments]:
        """A contrast in other units, and its moments under permutation of the classes.

        ``outcomes`` takes the place of the outcomes that the terms compare.
        """
        outcomes = outcomes or TermOutcomes(self.samples, self.rule[terms[0]])
        graph, run = self.graph(terms), self.engine.map
        return contrast_moments(self.samples, graph, outcomes, run, self.seed)

    def _is_contrast(self, terms: Sequence[int]) -> bool:
        """Whether the terms weigh the same neighbours, of any class, by d and by d - 1."""
        far, *near = (self.rule[t] for t in terms)
        if not far.pairwise or len(near) != 1 or near[0].search is not far.search:
            return False
        by_number = bool(far.apart) and near[0].apart == -far.apart
        return by_number or np.array_equal(near[0].coef, far.coef - 1.0)

    def graph(self, terms: Sequence[int]) -> PairGraph:
        """The pairs of some terms."""
        pieces = [part for part in self.pieces or [] if part.term in terms]
        directions = np.array([term.direction for term in self.rule], np.int8)
        return pair_graph(pieces, self.weights, directions, len(self.samples.classes))


def margin_sums(
    samples: Samples,
    rule: list[Term],
    queries: np.ndarray,
    engine: Engine,
    *,
    metric: str,
    ties: str,
    verbose: int = 0,
    keep_pairs: bool = True,
    seed: int = 0,
    feature_weights: np.ndarray | None = None,
) -> Sums:
    """The sums of all terms, and with ``keep_pairs`` (some 30 bytes each) the pairs behind them.

    ``feature_weights`` are those of the features in distances; None: 1 each.
    """
    weighted = feature_weights is not None
    if not weighted and all(term.search.n_neighbors for term in rule):
        k = max(cast(int, term.search.n_neighbors) for term in rule)
        samples, queries = engine.compact(samples, queries, metric, k)
    space = near = engine.prepare(samples, metric)
    if feature_weights is not None:
        near = engine.prepare(weighted_columns(samples, feature_weights, metric), metric)
    limits = band_limits(engine, near, rule, queries)
    neighbors = Neighbors(engine, near, ties == "index", limits)
    show: dict[str, Any] = {"description": "Relief weights", "verbose": verbose}
    dense = [None if weighted else dense_sums(neighbors, rule, queries, seed)]
    if dense[0] is not None:
        return cast(Sums, next(track(dense, total=1, **show)))
    tasks = engine.tasks(near, queries)
    done = engine.map(partial(_task_sums, neighbors, space, rule), tasks)
    totals = np.zeros((len(rule), samples.values.shape[1]))
    weights = np.zeros(len(rule))
    pieces: list[Piece] = []
    n_pairs = 0
    for total, weight, found in track(done, total=len(tasks), **show):
        totals += total
        weights += weight
        n_pairs += sum(len(part.indices) for part in found)
        keep_pairs = keep_pairs and n_pairs <= MAX_PAIRS
        if keep_pairs:
            pieces += found
        else:
            pieces.clear()
    weights = np.where(weights > 0, weights, 1.0)  # no pair has a weight, and all sums are 0
    return Sums(samples, engine, rule, totals, weights, pieces if keep_pairs else None, seed)


def warn_of_copies(samples: Samples, rule: Sequence[Term]) -> None:
    """Say so where the copies of a row leave no place for others."""
    if samples.weights is None:
        return
    usual = float(np.median(samples.weights))
    places = [term.search.n_neighbors for term in rule if term.search.classes.own]
    few = min((k for k in places if k is not None), default=math.inf)
    if usual > few:
        warnings.warn(
            f"`sample_weight` is {usual:g} for the median sample, so that its {few} nearest are "
            "copies of itself. Weights count rows: divide survey weights by their mean.",
            UserWarning,
            stacklevel=2,
        )


def _task_sums(
    neighbors: Neighbors, space: Space, rule: list[Term], queries: np.ndarray
) -> tuple[np.ndarray, np.ndarray, list[Piece]]:
    """Every term added over some queries, in a space, its weight there, and the pairs."""
    engine, samples = neighbors.engine, space.samples
    totals = np.zeros((len(rule), samples.values.shape[1]))
    pair_weights = np.zeros(len(rule))
    pieces = []
    for group in _same_search(rule):
        counts = np.any([_counts(rule[t], samples.classes[queries]) for t in group], axis=0)
        for pairs in neighbors.pairs(rule[group[0]], queries[counts]):
            for t in group:
                mine, coefs = _weighted(rule[t], neighbors, pairs)
                totals[t] += engine.accumulate(space, mine, coefs, rule[t].direction)
                pieces.append(piece(t, mine, coefs))
                pair_weights[t] += np.abs(coefs).sum()
    pairwise = np.array([term.pairwise for term in rule])
    return totals, np.where(pairwise, pair_weights, _asked(samples, queries).sum()), pieces


def _asked(samples: Samples, queries: np.ndarray) -> np.ndarray:
    """Weight of each query."""
    return np.ones(len(queries)) if samples.weights is None else samples.weights[queries]


def _same_search(rule: list[Term]) -> list[list[int]]:
    """Terms that share their neighbours, to be searched once."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for t, term in enumerate(rule):
        same = id(term.search), term.prefer, term.band, id(term.worth), term.even, term.extreme
        groups.setdefault(same, []).append(t)
    return list(groups.values())


def _counts(term: Term, classes: np.ndarray) -> np.ndarray:
    """Which queries the term counts, by their classes."""
    return (term.coef.reshape(len(term.coef), -1) != 0).any(axis=1)[classes]


def _weighted(term: Term, neighbors: Neighbors, pairs: Pairs) -> tuple[Pairs, np.ndarray]:
    """The pairs as a term counts them: shares weighted by pair, and a coefficient per query."""
    samples, (queries, counts, indices, shares) = neighbors.samples, pairs
    asked = _asked(samples, queries)
    if not term.pairwise:
        coefs = asked * term.coef[samples.classes[queries]]
        if term.band is not None and term.band.sigmoid:
            coefs *= neighbors.mean_weight(pairs)
        return pairs, coefs
    owners = np.repeat(np.arange(len(queries)), counts)
    by_pair = asked[owners] * shares * term.of_pairs(samples, queries[owners], indices)
    coefs = np.bincount(owners, weights=by_pair, minlength=len(queries))
    return (queries, counts, indices, np.abs(by_pair)), coefs


def band_limits(engine: Engine, space: Space, rule: Sequence[Term], queries: np.ndarray) -> Limits:
    """The limits of all bands of a rule."""
    bands = {term.band for term in rule if term.band is not None}
    limits: Limits = {}
    for own in {band.own for band in bands}:
        mine = [band for band in bands if band.own == own]
        if own:
            mean, deviation = _own_moments(engine, space, queries)
        else:
            spread = any(band.width or band.sigmoid for band in mine)
            mean, deviation = _moments(engine, space, spread=spread)
        for band in mine:
            limit = mean + (band.side * band.width * deviation if band.width else 0.0)
            limit = np.where(limit > 0, limit, 0.0) ** (2 if space.squared else 1)
            limits[band] = Reach(limit, np.where(deviation > 0, deviation, 1.0))
    return limits


def _own_moments(
    engine: Engine, space: Space, queries: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and deviation of the distances of every query to all others."""
    return _mean_and_deviation(space, *_distance_sums(engine, space, queries))


def _mean_and_deviation(
    space: Space, counts: np.ndarray, sums: np.ndarray, squares: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """From numbers, sums and sums of squares of distances."""
    counts = np.where(counts > 0, counts, 1)
    mean = sums / counts
    variance = np.maximum(squares / counts - mean**2, 0.0)
    equal = variance <= ((space.tolerance - 1) * mean) ** 2  # but for rounding
    return mean, np.where(equal, 0.0, np.sqrt(variance))


def _moments(engine: Engine, space: Space, *, spread: bool) -> tuple[np.ndarray, np.ndarray]:
    """Mean of the distances of all pairs, for every row, and with ``spread`` their deviation."""
    samples: Samples = space.samples
    n, local = len(samples.classes), isinstance(samples.values, np.ndarray)
    if local and not (samples.missing or space.squared or spread):
        # Manhattan distances add up feature by feature, by sorting: O(p n log n).
        mean = column_totals(samples, engine).sum() / (n_pairs(samples) or 1)
        return np.full(n, mean), np.full(n, np.nan)
    sums = _distance_sums(engine, space, np.arange(n)) @ samples.mass
    mean, deviation = _mean_and_deviation(space, *sums)
    return np.full(n, mean), np.full(n, deviation)


def _distance_sums(engine: Engine, space: Space, queries: np.ndarray) -> np.ndarray:
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
                given += np.where(inside, gives[classes].T, 0.0) * self._shares(far, which, side)
        np.fill_diagonal(given, 0.0)
        mass = samples.mass[which]
        return (given + given.T) * (mass[:, None] * (0.5 / self.n_queries * mass))

    def _shares(self, far: np.ndarray, which: np.ndarray, side: int) -> np.ndarray | float:
        """What samples at these distances of some rows weigh."""
        if self.bands.deviations is None:
            return 1.0
        reach = Reach(self.bands.limits[side], self.bands.deviations[side])
        return reach.weights(far, which[:, None], squared=self.squared)


def dense_sums(
    neighbors: Neighbors, rule: list[Term], queries: np.ndarray, seed: int
) -> DenseSums | None:
    """The sums of a rule of bands, if the engine has a way without lists of pairs."""
    engine, space, samples = neighbors.engine, neighbors.space, neighbors.space.samples
    plain = all(term.band is not None and not term.pairwise and not term.even for term in rule)
    plain &= len({term.band.sigmoid for term in rule if term.band is not None}) == 1
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
    deviations = np.ones_like(by_row)
    groups = np.full((2, n_classes, n_classes), -1)
    coefs = np.zeros((2, n_classes, n_classes))
    for t, term in enumerate(rule):
        side = int(term.band.side > 0)  # type: ignore[union-attr]
        by_row[side], deviations[side] = limits[term.band]  # type: ignore[index]
        for c in np.flatnonzero(term.coef).tolist():
            for first, last in term.search.classes.ranges(c):
                groups[side, c, first:last], coefs[side, c, first:last] = t, term.coef[c]
    copies = None if samples.weights is None else own_copies(samples.weights)
    sigmoid = any(term.band is not None and term.band.sigmoid for term in rule)
    return Bands(by_row, groups, coefs, copies, deviations if sigmoid else None)
