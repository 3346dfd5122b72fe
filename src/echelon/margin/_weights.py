"""The sum behind every Relief-type method, for any rule on any engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from echelon._core.differences import without_rounding
from echelon._core.progress import track
from echelon.engines import ANY, Engine, Found, Samples
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
    """
    space = engine.prepare(samples, metric)
    tasks = engine.tasks(space, queries)

    def task(chunk: np.ndarray) -> np.ndarray:
        sums = [_term_sum(engine, space, samples, term, chunk, ties) for term in rule]
        return np.sum(sums, axis=0)

    done = track(
        engine.map(task, tasks), total=len(tasks), description="Relief weights", verbose=verbose
    )
    return samples.per_feature(without_rounding(sum(done) / len(queries)))


def _term_sum(
    engine: Engine, space: Any, samples: Samples, term: Term, queries: np.ndarray, ties: str
) -> np.ndarray:
    """One term added over some queries."""
    queries = queries[term.coef[samples.classes[queries]] != 0]
    total = np.zeros(samples.values.shape[1])
    for pairs in _pairs(engine, space, term, queries, by_index=ties == "index"):
        coefs = term.coef[samples.classes[pairs[0]]]
        total += engine.accumulate(space, pairs, coefs, term.direction)
    return total


def _pairs(
    engine: Engine, space: Any, term: Term, queries: np.ndarray, *, by_index: bool
) -> Iterator[Pairs]:
    """The pairs of a term, in pieces as large as the engine hands out."""
    k = term.search.n_neighbors
    while len(queries):
        found = engine.nearest(space, queries, term.search)
        others = None
        if term.prefer:
            anyone = replace(term.search, relation=ANY)
            others = engine.nearest(space, queries[: len(found.counts)], anyone)
            found = found.first(len(others.counts))
        n = len(found.counts)
        places = found.counts if k is None else np.full(n, k)
        shares = engine.share(space, found, places, by_index=by_index)
        if others is not None:
            rest = _without(others, found)
            left = np.maximum(places - found.counts, 0)
            rest_shares = engine.share(space, rest, left, by_index=by_index)
            found, shares = _joined(found, shares, rest, rest_shares)
        yield queries[:n], found.counts, found.indices, shares
        queries = queries[n:]


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
