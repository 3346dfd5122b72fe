"""The neighbours of samples, and what each gets of the places its query has to give.

``Neighbors`` asks an engine for the neighbours of a term, leaves those in its band, fills up places
that a relation leaves empty, and shares places at ties.

Samples may be weighted: as if every row were there as often as its weight says.  A row of weight w
is w rows at one place.  It fills w places of those who ask for their nearest, it asks w times
itself, and its own other copies, w - 1, are its neighbours at distance 0.  So a neighbour is a row
of mass w, and the row itself one of mass w - 1: an entry of ``Found`` whose index is the query's
own.  Nothing is repeated: engines search each row once, for as many rows as it takes to fill the
places.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from echelon._core.samples import own_copies
from echelon.engines import ANY, Classes, Engine, Found, Samples, Search, Space
from echelon.margin.rules import Band, Term

ROUNDING = 1e-9
"""Tolerance for full places."""

Pairs = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Queries, their numbers of neighbours, the neighbours, their shares of a place."""


class Reach(NamedTuple):
    """How far a band reaches, by row.

    Attributes
    ----------
    limit : ndarray of shape (n_samples,)
        Its limit, squared where distances are.
    deviation : ndarray of shape (n_samples,)
        The unit of distances in a sigmoid band; nowhere 0.
    """

    limit: np.ndarray
    deviation: np.ndarray

    def weights(self, far: np.ndarray, rows: np.ndarray, *, squared: bool) -> np.ndarray:
        """What samples at some distances of some rows weigh in a sigmoid band."""
        limit = self.limit[rows]
        if squared:
            far, limit = np.sqrt(far), np.sqrt(limit)
        return np.tanh(2.0 * np.abs(far - limit) / self.deviation[rows])


Limits = dict[Band, Reach]
"""Of all bands of a rule."""


@dataclass(frozen=True)
class Neighbors:
    """Neighbours of samples in an engine's space.

    Attributes
    ----------
    engine : Engine
        Who searches.
    space : object
        What the engine made of the samples.
    by_index : bool
        Places left at a tie go to the lowest rows, instead of being shared.
    limits : dict from Band to Reach
        How far the bands of the terms reach.
    """

    engine: Engine
    space: Space
    by_index: bool
    limits: Limits = field(default_factory=dict)

    @property
    def samples(self) -> Samples:
        """The samples as they lie in the space."""
        return self.space.samples

    def pairs(self, term: Term, queries: np.ndarray) -> Iterator[Pairs]:
        """The neighbours of a term, in pieces as large as the engine hands out."""
        search = term.search
        if term.band is not None and term.band.side < 0 and len(queries):
            largest = float(self.limits[term.band].limit[queries].max())
            radius = np.sqrt(largest) if self.space.squared else largest
            search = replace(search, radius=radius)
        if term.extreme:
            search = replace(search, n_neighbors=None)
        while len(queries):
            found = self._nearest(queries, search)
            if term.prefer:
                found, shares = self._preferred(term, queries, found)
            elif term.extreme:
                found, shares = self._farthest_from_mean(term, queries, found)
            else:
                if term.band is not None:
                    found = self._in_band(term.band, queries, found)
                shares = self._shares(term, queries, found)
            n = len(found.counts)
            yield queries[:n], found.counts, found.indices, shares
            queries = queries[n:]

    def mean_weight(self, pairs: Pairs) -> np.ndarray:
        """What a row weighs on average among the neighbours of every query; 0 without any."""
        queries, counts, indices, shares = pairs
        found = Found(counts, indices, shares)
        whole, given = (
            np.bincount(found.owners, part, len(counts))
            for part in (self._masses(queries, found), shares)
        )
        return np.divide(given, whole, out=np.zeros(len(counts)), where=whole > 0)

    def _masses(self, queries: np.ndarray, found: Found) -> np.ndarray:
        """How many rows every neighbour stands for."""
        weights = self.samples.weights
        if weights is None:
            return np.ones(len(found.indices))
        own = found.indices == queries[found.owners]
        return np.where(own, own_copies(weights)[found.indices], weights[found.indices])

    def _nearest(self, queries: np.ndarray, search: Search) -> Found:
        """The neighbours of the query rows until their mass fills the places, own copies too.

        Those tied with the last one are found too; as of ``Engine.nearest``, it may be the
        neighbours of the first queries only.
        """
        samples, k = self.samples, search.n_neighbors
        if samples.weights is None:
            return self.engine.nearest(self.space, queries, search)
        n_rows, n = k, len(samples.classes)
        if k is not None:
            n_rows = min(n, max(k, math.ceil(k / samples.weights.mean())))
        while True:
            found = self.engine.nearest(self.space, queries, replace(search, n_neighbors=n_rows))
            whole = _with_copies(found, samples, queries, search)
            if k is None or n_rows is None or n_rows >= n:
                return whole
            if _filled(found, whole, n_rows, self._masses(queries, whole), k):
                return whole
            n_rows = min(n, 2 * n_rows)

    def distance_sums(self, queries: np.ndarray) -> np.ndarray:
        """``Engine.distance_sums``, others counted by their mass, copies too."""
        everyone = Search(Classes.everyone(len(self.samples.class_sizes)))
        sums = np.zeros((3, len(self.samples.classes)))

        def task(chunk: np.ndarray) -> None:
            while len(chunk):
                found = self._nearest(chunk, everyone)
                mass = self._masses(chunk, found)
                far = np.sqrt(found.distances) if self.space.squared else found.distances
                done, chunk = np.split(chunk, [len(found.counts)])
                for power in range(3):
                    sums[power, done] = np.bincount(found.owners, mass * far**power, len(done))

        deque(self.engine.map(task, self.engine.tasks(self.space, queries)), maxlen=0)
        return sums

    def _in_band(self, band: Band, queries: np.ndarray, found: Found) -> Found:
        """The neighbours in a band; a distance equal to the limit is neither nearer nor farther."""
        limit = self.limits[band].limit[queries[found.owners]]
        if band.side < 0:
            return _kept(found, found.distances * self.space.tolerance < limit)
        return _kept(found, found.distances > limit * self.space.tolerance)

    def _shares(self, term: Term, queries: np.ndarray, found: Found) -> np.ndarray:
        """What every neighbour gets of its query's places."""
        if term.search.n_neighbors is None:
            shares = self._masses(queries, found)
            if term.band is not None and term.band.sigmoid:
                reach, rows = self.limits[term.band], queries[found.owners]
                shares *= reach.weights(found.distances, rows, squared=self.space.squared)
        elif term.worth is not None:
            shares = self._mass_worth(queries, found, term.worth)
        else:
            shares = self._share(
                queries, found, np.full(len(found.counts), term.search.n_neighbors)
            )
        if not term.even:
            return shares
        return shares / np.bincount(found.owners, shares, len(found.counts))[found.owners]

    def _share(self, queries: np.ndarray, found: Found, places: np.ndarray) -> np.ndarray:
        """Places shared by neighbours that count each by itself, or by its mass."""
        if self.samples.weights is not None:
            return self._mass_shares(queries, found, places)
        places = places.astype(np.int64)
        return self.engine.share(self.space, found, places, by_index=self.by_index)

    def _preferred(self, term: Term, queries: np.ndarray, found: Found) -> tuple[Found, np.ndarray]:
        """Neighbours in the relation first, the nearest others in the places they leave."""
        others = self._nearest(queries[: len(found.counts)], replace(term.search, relation=ANY))
        n = len(others.counts)
        found = found.first(n)
        places = np.full(n, term.search.n_neighbors)
        shares = self._share(queries, found, places)
        size = max(others.indices.max(initial=0), found.indices.max(initial=0)) + 1
        taken = found.owners * size + found.indices
        rest = _kept(others, ~np.isin(others.owners * size + others.indices, taken))
        filled = np.bincount(found.owners, self._masses(queries, found), n)
        rest_shares = self._share(queries, rest, np.maximum(places - filled, 0))
        order = np.argsort(np.concatenate([found.owners, rest.owners]), kind="stable")
        indices, distances, shares = (
            np.concatenate(both)[order]
            for both in (
                (found.indices, rest.indices),
                (found.distances, rest.distances),
                (shares, rest_shares),
            )
        )
        return Found(found.counts + rest.counts, indices, distances), shares

    def _farthest_from_mean(
        self, term: Term, queries: np.ndarray, found: Found
    ) -> tuple[Found, np.ndarray]:
        """The neighbours whose distances differ most from the mean of all that were found."""
        n, owners, mass = len(found.counts), found.owners, self._masses(queries, found)
        far = np.sqrt(found.distances) if self.space.squared else found.distances
        whole = np.bincount(owners, mass, n)
        mean = np.bincount(owners, mass * far, n) / np.where(whole > 0, whole, 1.0)
        largest = np.zeros(n)
        np.maximum.at(largest, owners, far)
        # What differs most comes first; ties are told on the scale of distances.
        last = found._replace(distances=(2 * largest)[owners] - np.abs(far - mean[owners]))
        shares = self._share(queries, last, np.full(n, term.search.n_neighbors))
        return _kept(found, shares > 0), shares[shares > 0]

    def _mass_shares(self, queries: np.ndarray, found: Found, places: np.ndarray) -> np.ndarray:
        """Mass of every neighbour that finds a place, when each query has so many to give.

        Neighbours nearer than the last place count whole.  Those tied with it share the places left
        by their mass, or, ``by_index``, the lowest rows take them.
        """
        mass, owners, tolerance = self._masses(queries, found), found.owners, self.space.tolerance
        order = np.lexsort((found.distances, owners))
        upto = _running(mass[order], owners[order])
        full = upto >= places[owners[order]] - ROUNDING
        last = np.full(len(found.counts), np.inf)
        np.minimum.at(last, owners[order][full], found.distances[order][full])
        nearer = found.distances * tolerance < last[owners]
        tied = ~nearer & (found.distances <= last[owners] * tolerance)
        left = np.maximum(places - np.bincount(owners, nearer * mass, len(last)), 0.0)[owners]
        if self.by_index:
            rows = self.samples.rows[found.indices]
            order = np.lexsort((rows, ~tied, owners))  # tied ones first, by row
            before = np.empty(len(order))
            before[order] = _running(mass[order], owners[order]) - mass[order]
            given = np.clip(left - before, 0.0, mass)
        else:
            together = np.bincount(owners, tied * mass, len(last))[owners]
            given = mass * np.minimum(left / np.where(together > 0, together, 1.0), 1.0)
        return np.where(nearer, mass, np.where(tied, given, 0.0))

    def _mass_worth(self, queries: np.ndarray, found: Found, worth: np.ndarray) -> np.ndarray:
        """What the places of every neighbour are worth; place r is worth ``worth[r - 1]``.

        A neighbour takes as many places as its mass, the first and last perhaps in part; tied ones
        share theirs, or stand by row.
        """
        mass, rows = self._masses(queries, found), self.samples.rows[found.indices]
        order = np.lexsort((rows, found.distances, found.owners))
        owner, distance = found.owners[order], found.distances[order]
        begins = np.ones(len(order), bool)
        begins[1:] = owner[1:] != owner[:-1]
        begins[1:] |= distance[1:] > distance[:-1] * self.space.tolerance
        tie = np.cumsum(begins) - 1
        if self.by_index:
            order = order[np.lexsort((rows[order], tie))]
        end = _running(mass[order], owner)
        values = _worth_upto(end, worth) - _worth_upto(end - mass[order], worth)
        if not self.by_index:
            sums = np.bincount(tie, values) / np.bincount(tie, mass[order])
            values = sums[tie] * mass[order]
        shares = np.empty(len(order))
        shares[order] = values
        return shares


def _kept(found: Found, keep: np.ndarray) -> Found:
    """The neighbours in a mask."""
    counts = np.bincount(found.owners[keep], minlength=len(found.counts))
    return Found(counts, found.indices[keep], found.distances[keep])


def _with_copies(found: Found, samples: Samples, queries: np.ndarray, search: Search) -> Found:
    """The neighbours, and the other copies of every query that lies where it looks."""
    queries = queries[: len(found.counts)]
    classes = samples.classes[queries]
    looks = search.classes.first[classes] <= classes
    looks &= (classes < search.classes.last[classes]) & search.classes.own
    looks &= samples.weights[queries] > 1  # type: ignore[index]
    if samples.missing:  # a row without a value is near to nothing
        if not isinstance(samples.values, np.ndarray):
            raise ValueError(
                "`sample_weight` above 1 and missing values do not go together in a Dask "
                "collection. Impute them, or pass X.compute() if it fits into memory."
            )
        looks[looks] = ~np.isnan(samples.values[queries[looks]]).all(axis=1)
    places = np.cumsum(found.counts)[looks]
    return Found(
        found.counts + looks,
        np.insert(found.indices, places, queries[looks]),
        np.insert(found.distances, places, 0.0),
    )


def _filled(found: Found, whole: Found, n_rows: int, mass: np.ndarray, k: int) -> bool:
    """Whether the mass up to the last row asked for fills the places of every query.

    A query that found fewer rows has found all there are.
    """
    asked = np.full(len(found.counts), np.inf)
    many = np.flatnonzero(found.counts >= n_rows)
    starts = np.cumsum(found.counts) - found.counts
    for q in many.tolist():
        mine = found.distances[starts[q] : starts[q] + found.counts[q]]
        asked[q] = np.partition(mine, n_rows - 1)[n_rows - 1]
    near = whole.distances <= asked[whole.owners]
    filled = np.bincount(whole.owners[near], mass[near], len(asked))
    return bool((filled[many] >= k - ROUNDING).all())


def _worth_upto(places: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """What the first places are worth together, the last of them in part."""
    return np.interp(places, np.arange(len(worth) + 1), np.append(0.0, np.cumsum(worth)))


def _running(values: np.ndarray, owners: np.ndarray) -> np.ndarray:
    """Sums up to every entry, within the entries of one owner, which stand together."""
    sums = np.cumsum(values)
    begins = np.ones(len(owners), bool)
    begins[1:] = owners[1:] != owners[:-1]
    before = np.where(begins, sums - values, 0.0)
    return sums - np.maximum.accumulate(before) if len(sums) else sums
