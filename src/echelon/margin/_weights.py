"""The sum behind every Relief-type method, for any rule on any engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from echelon._core.differences import without_rounding
from echelon._core.progress import track
from echelon.engines import ANY, Engine, Found, Samples
from echelon.margin._bands import Limits, band_limits, bounded, dense_sums, in_band
from echelon.margin._evidence import Evidence
from echelon.margin._label_moments import contrast_moments
from echelon.margin._moments import permutation_moments
from echelon.margin._pairs import MAX_PAIRS, PairGraph, Piece, pair_graph, piece
from echelon.margin.rules import Term

Pairs = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Queries, their numbers of neighbours, the neighbours, their shares of a place."""


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
        Where the arithmetic runs.
    metric : {"manhattan", "euclidean", "paired"}
        Distance between samples; see :meth:`echelon.engines.Engine.prepare`.
    ties : {"share", "index"}
        Samples equally far away share the places left, so that the order of rows never matters;
        "index" gives them to the lowest rows.
    verbose : int, default=0
        Show a progress bar.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        Larger is better.
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
    """

    samples: Samples
    engine: Engine
    rule: list[Term]
    totals: np.ndarray
    weights: np.ndarray
    pieces: list[Piece] | None

    def scores(self, terms: Sequence[int]) -> np.ndarray:
        """Some terms together, column by column."""
        means = self.totals / self.weights[:, None]
        return without_rounding(means[list(terms)].sum(axis=0))

    def evidence(self, terms: Sequence[int]) -> Evidence:
        """The same with their z-scores."""
        scores = self.scores(terms)
        if self.pieces is None:
            return Evidence.unknown(scores)
        if self._is_contrast(terms):
            total, deviation = self.contrast_moments(terms)
            return Evidence.of(total, np.zeros_like(total), deviation)._replace(scores=scores)
        return Evidence.of(scores, *self.moments(terms))

    def moments(self, terms: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """Mean and deviation of these scores under permutation of a column."""
        return permutation_moments(self.samples, self._graph(terms), self.engine.map)

    def contrast_moments(self, terms: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """A contrast in other units, and its deviation under permutation of the classes."""
        term = self.rule[terms[0]]
        return contrast_moments(self.samples, self._graph(terms), term, self.engine.map)

    def _is_contrast(self, terms: Sequence[int]) -> bool:
        """Whether the terms weigh the same neighbours, of any class, by d and by d - 1."""
        far, *near = (self.rule[t] for t in terms)
        if not far.pairwise or len(near) != 1 or near[0].search is not far.search:
            return False
        by_number = bool(far.apart) and near[0].apart == -far.apart
        return by_number or np.array_equal(near[0].coef, far.coef - 1.0)

    def _graph(self, terms: Sequence[int]) -> PairGraph:
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
) -> Sums:
    """The sums of all terms, and with ``keep_pairs`` (some 30 bytes each) the pairs behind them."""
    if all(term.search.n_neighbors for term in rule):
        k = max(cast(int, term.search.n_neighbors) for term in rule)
        samples, queries = engine.compact(samples, queries, metric, k)
    space = engine.prepare(samples, metric)
    limits = band_limits(engine, space, rule, queries)
    show: dict[str, Any] = {"description": "Relief weights", "verbose": verbose}
    dense = [dense_sums(engine, space, rule, queries, limits)]
    if dense[0] is not None:
        return cast(Sums, next(track(dense, total=1, **show)))
    tasks = engine.tasks(space, queries)

    def task(chunk: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[Piece]]:
        return _task_sums(engine, space, samples, rule, chunk, ties, limits)

    done = track(engine.map(task, tasks), total=len(tasks), **show)
    totals = np.zeros((len(rule), samples.values.shape[1]))
    weights = np.zeros(len(rule))
    pieces: list[Piece] = []
    n_pairs = 0
    for total, weight, found in done:
        totals += total
        weights += weight
        n_pairs += sum(len(part.indices) for part in found)
        keep_pairs = keep_pairs and n_pairs <= MAX_PAIRS
        if keep_pairs:
            pieces += found
        else:
            pieces.clear()
    weights = np.where(weights > 0, weights, 1.0)  # no pair has a weight, and all sums are 0
    return Sums(samples, engine, rule, totals, weights, pieces if keep_pairs else None)


def _task_sums(
    engine: Engine,
    space: Any,
    samples: Samples,
    rule: list[Term],
    queries: np.ndarray,
    ties: str,
    limits: Limits,
) -> tuple[np.ndarray, np.ndarray, list[Piece]]:
    """Every term added over some queries, its weight there, and the pairs."""
    totals = np.zeros((len(rule), samples.values.shape[1]))
    weights = np.zeros(len(rule))
    pieces = []
    for group in _same_search(rule):
        wanted = np.any([_counts(rule[t], samples.classes[queries]) for t in group], axis=0)
        term, by_index = rule[group[0]], ties == "index"
        for pairs in _pairs(engine, space, term, queries[wanted], limits, by_index=by_index):
            for t in group:
                mine, coefs = _weighted(rule[t], samples, pairs)
                totals[t] += engine.accumulate(space, mine, coefs, rule[t].direction)
                pieces.append(piece(t, mine, coefs))
                weights[t] += np.abs(coefs).sum() if rule[t].pairwise else 0.0
    pairwise = np.array([term.pairwise for term in rule])
    return totals, np.where(pairwise, weights, len(queries)), pieces


def _same_search(rule: list[Term]) -> list[list[int]]:
    """Terms that share their neighbours, to be searched once."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for t, term in enumerate(rule):
        same = id(term.search), term.prefer, term.band, id(term.worth), term.even
        groups.setdefault(same, []).append(t)
    return list(groups.values())


def _counts(term: Term, classes: np.ndarray) -> np.ndarray:
    """Which queries the term counts, by their classes."""
    return (term.coef.reshape(len(term.coef), -1) != 0).any(axis=1)[classes]


def _weighted(term: Term, samples: Samples, pairs: Pairs) -> tuple[Pairs, np.ndarray]:
    """The pairs as a term counts them: shares weighted by pair, and a coefficient per query."""
    queries, counts, indices, shares = pairs
    if not term.pairwise:
        return pairs, term.coef[samples.classes[queries]]
    owners = np.repeat(np.arange(len(queries)), counts)
    by_pair = shares * term.of_pairs(samples, queries[owners], indices)
    coefs = np.bincount(owners, weights=by_pair, minlength=len(queries))
    return (queries, counts, indices, np.abs(by_pair)), coefs


def _pairs(
    engine: Engine, space: Any, term: Term, queries: np.ndarray, limits: Limits, *, by_index: bool
) -> Iterator[Pairs]:
    """The pairs of a term, in pieces as large as the engine hands out."""
    search = term.search
    if term.band is not None and len(queries):
        search = bounded(search, term.band, limits[term.band][queries], space)
    while len(queries):
        found = engine.nearest(space, queries, search)
        if term.prefer:
            n, found, shares = _preferred(engine, space, term, queries, found, by_index=by_index)
        else:
            n = len(found.counts)
            if term.band is not None:
                found = in_band(found, queries[:n], term.band, limits, space.tolerance)
            shares = _shares(engine, space, term, found, by_index=by_index)
        yield queries[:n], found.counts, found.indices, shares
        queries = queries[n:]


def _shares(engine: Engine, space: Any, term: Term, found: Found, *, by_index: bool) -> np.ndarray:
    """What every neighbour gets of its query's places."""
    if term.search.n_neighbors is None:
        shares = np.ones(len(found.indices))
    elif term.worth is not None:
        rows = space.samples.rows[found.indices]
        shares = worth_by_rank(found, rows, term.worth, space.tolerance, by_index=by_index)
    else:
        places = np.full(len(found.counts), term.search.n_neighbors)
        shares = engine.share(space, found, places, by_index=by_index)
    if not term.even:
        return shares
    owners = found.owners
    return shares / np.bincount(owners, shares, len(found.counts))[owners]


def worth_by_rank(
    found: Found, rows: np.ndarray, worth: np.ndarray, tolerance: float, *, by_index: bool
) -> np.ndarray:
    """The worth of the place of every neighbour; tied ones share theirs, or stand by row."""
    owners = found.owners
    order = np.lexsort((rows, found.distances, owners))
    owner, distance = owners[order], found.distances[order]
    begins = np.ones(len(order), bool)
    begins[1:] = (owner[1:] != owner[:-1]) | (distance[1:] > distance[:-1] * tolerance)
    tie = np.cumsum(begins) - 1
    place = np.arange(len(order)) - (np.cumsum(found.counts) - found.counts)[owner]
    values = np.append(worth, 0.0)[np.minimum(place, len(worth))]
    if by_index:
        order = order[np.lexsort((rows[order], tie))]
    else:
        values = (np.bincount(tie, values) / np.bincount(tie))[tie]
    shares = np.empty(len(order))
    shares[order] = values
    return shares


def _preferred(
    engine: Engine, space: Any, term: Term, queries: np.ndarray, found: Found, *, by_index: bool
) -> tuple[int, Found, np.ndarray]:
    """Neighbours in the relation first, the nearest others in the places they leave."""
    anyone = replace(term.search, relation=ANY)
    others = engine.nearest(space, queries[: len(found.counts)], anyone)
    n = len(others.counts)
    found = found.first(n)
    places = np.full(n, term.search.n_neighbors)
    shares = engine.share(space, found, places, by_index=by_index)
    rest = _without(others, found)
    left = np.maximum(places - found.counts, 0)
    rest_shares = engine.share(space, rest, left, by_index=by_index)
    return n, *_joined(found, shares, rest, rest_shares)


def _without(others: Found, taken: Found) -> Found:
    """The neighbours in ``others`` that are not in ``taken``."""
    size = max(others.indices.max(initial=0), taken.indices.max(initial=0)) + 1
    owners = others.owners
    keep = ~np.isin(owners * size + others.indices, taken.owners * size + taken.indices)
    counts = np.bincount(owners[keep], minlength=len(others.counts))
    return Found(counts, others.indices[keep], others.distances[keep])


def _joined(
    a: Found, a_shares: np.ndarray, b: Found, b_shares: np.ndarray
) -> tuple[Found, np.ndarray]:
    """The neighbours of both, query by query."""
    order = np.argsort(np.concatenate([a.owners, b.owners]), kind="stable")
    indices = np.concatenate([a.indices, b.indices])[order]
    distances = np.concatenate([a.distances, b.distances])[order]
    shares = np.concatenate([a_shares, b_shares])[order]
    return Found(a.counts + b.counts, indices, distances), shares
