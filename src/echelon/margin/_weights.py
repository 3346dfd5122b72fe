"""The sum behind every Relief-type method, for any rule on any engine."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np

from echelon._core.differences import without_rounding
from echelon._core.progress import track
from echelon.engines import ANY, Engine, Found, Samples, Search
from echelon.margin._bands import Limits, band_limits, bounded, dense_sums, in_band
from echelon.margin._evidence import Evidence, Moments
from echelon.margin._label_moments import Outcomes, TermOutcomes, contrast_moments
from echelon.margin._mass import mass_shares, mass_worth, masses, weighted_nearest
from echelon.margin._moments import permutation_moments
from echelon.margin._on_demand import bytes_held
from echelon.margin._pairs import MAX_PAIRS, PairGraph, Piece, pair_graph, piece
from echelon.margin.rules import Term

Nearest = Callable[[np.ndarray, Search], Found]
Share = Callable[..., np.ndarray]

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

    @property
    def n_bytes(self) -> float:
        """What evidence would hold until it is asked for."""
        arrays = (array for part in self.pieces or [] for array in part[1:])
        return bytes_held(self.samples, self.engine, arrays)

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
            total, moments = self.contrast_moments(terms)
            return Evidence.of(total, moments)._replace(scores=scores)
        return Evidence.of(scores, self.moments(terms))

    def moments(self, terms: Sequence[int]) -> Moments:
        """Moments of these scores under permutation of a column."""
        draw, scores = np.random.RandomState(self.seed), self.scores(terms)
        return permutation_moments(self.samples, self.graph(terms), scores, self.engine.map, draw)

    def contrast_moments(self, terms: Sequence[int]) -> tuple[np.ndarray, Moments]:
        """A contrast in other units, and its moments under permutation of the classes."""
        outcomes = TermOutcomes(self.samples, self.rule[terms[0]])
        return self.outcome_moments(terms, outcomes)

    def outcome_moments(
        self, terms: Sequence[int], outcomes: Outcomes
    ) -> tuple[np.ndarray, Moments]:
        """The same for other outcomes of the samples than those of the terms."""
        graph, draw = self.graph(terms), np.random.RandomState(self.seed)
        return contrast_moments(self.samples, graph, outcomes, self.engine.map, draw)

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
) -> Sums:
    """The sums of all terms, and with ``keep_pairs`` (some 30 bytes each) the pairs behind them."""
    if all(term.search.n_neighbors for term in rule):
        k = max(cast(int, term.search.n_neighbors) for term in rule)
        samples, queries = engine.compact(samples, queries, metric, k)
    space = engine.prepare(samples, metric)
    limits = band_limits(engine, space, rule, queries)
    show: dict[str, Any] = {"description": "Relief weights", "verbose": verbose}
    dense = [dense_sums(engine, space, rule, queries, limits, seed)]
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
    kept = pieces if keep_pairs else None
    return Sums(samples, engine, rule, totals, weights, kept, seed)


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
    return totals, np.where(pairwise, weights, _asked(samples, queries).sum()), pieces


def _asked(samples: Samples, queries: np.ndarray) -> np.ndarray:
    """How often every query asks."""
    return np.ones(len(queries)) if samples.weights is None else samples.weights[queries]


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
    asked = _asked(samples, queries)
    if not term.pairwise:
        return pairs, asked * term.coef[samples.classes[queries]]
    owners = np.repeat(np.arange(len(queries)), counts)
    by_pair = asked[owners] * shares * term.of_pairs(samples, queries[owners], indices)
    coefs = np.bincount(owners, weights=by_pair, minlength=len(queries))
    return (queries, counts, indices, np.abs(by_pair)), coefs


def _pairs(
    engine: Engine, space: Any, term: Term, queries: np.ndarray, limits: Limits, *, by_index: bool
) -> Iterator[Pairs]:
    """The pairs of a term, in pieces as large as the engine hands out."""
    search = term.search
    if term.band is not None and len(queries):
        search = bounded(search, term.band, limits[term.band][queries], space)
    nearest, _ = _counting(engine, space)
    while len(queries):
        found = nearest(queries, search)
        if term.prefer:
            n, found, shares = _preferred(engine, space, term, queries, found, by_index=by_index)
        else:
            n = len(found.counts)
            if term.band is not None:
                found = in_band(found, queries[:n], term.band, limits, space.tolerance)
            shares = _shares(engine, space, term, queries, found, by_index=by_index)
        yield queries[:n], found.counts, found.indices, shares
        queries = queries[n:]


def _counting(engine: Engine, space: Any) -> tuple[Nearest, Share]:
    """How neighbours are sought and share places: each by itself, or by its mass."""
    by_mass = space.samples.weights is not None

    def share(queries: np.ndarray, found: Found, places: np.ndarray, *, by_index: bool) -> Any:
        if not by_mass:
            return engine.share(space, found, places.astype(np.int64), by_index=by_index)
        mass, rows = masses(space.samples, queries, found), space.samples.rows[found.indices]
        return mass_shares(found, mass, rows, places, space.tolerance, by_index=by_index)

    if by_mass:
        return partial(weighted_nearest, engine, space), share
    return partial(engine.nearest, space), share


def _shares(
    engine: Engine, space: Any, term: Term, queries: np.ndarray, found: Found, *, by_index: bool
) -> np.ndarray:
    """What every neighbour gets of its query's places."""
    if term.search.n_neighbors is None:
        shares = masses(space.samples, queries, found)
    elif term.worth is not None:
        mass, rows = masses(space.samples, queries, found), space.samples.rows[found.indices]
        shares = mass_worth(found, mass, rows, term.worth, space.tolerance, by_index=by_index)
    else:
        places = np.full(len(found.counts), term.search.n_neighbors)
        shares = _counting(engine, space)[1](queries, found, places, by_index=by_index)
    if not term.even:
        return shares
    owners = found.owners
    return shares / np.bincount(owners, shares, len(found.counts))[owners]


def _preferred(
    engine: Engine, space: Any, term: Term, queries: np.ndarray, found: Found, *, by_index: bool
) -> tuple[int, Found, np.ndarray]:
    """Neighbours in the relation first, the nearest others in the places they leave."""
    nearest, share = _counting(engine, space)
    anyone = replace(term.search, relation=ANY)
    others = nearest(queries[: len(found.counts)], anyone)
    n = len(others.counts)
    found = found.first(n)
    places = np.full(n, term.search.n_neighbors)
    shares = share(queries, found, places, by_index=by_index)
    rest = _without(others, found)
    taken = np.bincount(found.owners, masses(space.samples, queries, found), n)
    left = np.maximum(places - taken, 0)
    rest_shares = share(queries, rest, left, by_index=by_index)
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
