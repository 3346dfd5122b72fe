"""The sum behind every Relief-type method, for any rule on any engine."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from echelon._core.progress import track
from echelon._core.samples import without_rounding
from echelon.engines import Engine, Samples
from echelon.margin._bands import band_limits, dense_sums
from echelon.margin._evidence import Evidence, Moments, bytes_held
from echelon.margin._neighbors import Neighbors, Pairs
from echelon.margin._pairs import MAX_PAIRS, PairGraph, Piece, pair_graph, piece
from echelon.margin._permutation import (
    Outcomes,
    TermOutcomes,
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
) -> Sums:
    """The sums of all terms, and with ``keep_pairs`` (some 30 bytes each) the pairs behind them."""
    if all(term.search.n_neighbors for term in rule):
        k = max(cast(int, term.search.n_neighbors) for term in rule)
        samples, queries = engine.compact(samples, queries, metric, k)
    space = engine.prepare(samples, metric)
    limits = band_limits(engine, space, rule, queries)
    neighbors = Neighbors(engine, space, ties == "index", limits)
    show: dict[str, Any] = {"description": "Relief weights", "verbose": verbose}
    dense = [dense_sums(neighbors, rule, queries, seed)]
    if dense[0] is not None:
        return cast(Sums, next(track(dense, total=1, **show)))
    tasks = engine.tasks(space, queries)
    done = engine.map(partial(_task_sums, neighbors, rule), tasks)
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
    neighbors: Neighbors, rule: list[Term], queries: np.ndarray
) -> tuple[np.ndarray, np.ndarray, list[Piece]]:
    """Every term added over some queries, its weight there, and the pairs."""
    engine, space, samples = neighbors.engine, neighbors.space, neighbors.samples
    totals = np.zeros((len(rule), samples.values.shape[1]))
    pair_weights = np.zeros(len(rule))
    pieces = []
    for group in _same_search(rule):
        counts = np.any([_counts(rule[t], samples.classes[queries]) for t in group], axis=0)
        for pairs in neighbors.pairs(rule[group[0]], queries[counts]):
            for t in group:
                mine, coefs = _weighted(rule[t], samples, pairs)
                totals[t] += engine.accumulate(space, mine, coefs, rule[t].direction)
                pieces.append(piece(t, mine, coefs))
                pair_weights[t] += np.abs(coefs).sum()
    pairwise = np.array([term.pairwise for term in rule])
    return totals, np.where(pairwise, pair_weights, _asked(samples, queries).sum()), pieces


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
