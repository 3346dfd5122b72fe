"""Exact differences and distances on a device, in double precision: of pairs found, and of all.

Pairs that tiles left over are measured one by one.  For sums over all pairs within bands of
distance, some queries meet all rows at a time: their distances fill one array, and are made again
rather than kept.  Two passes over all pairs: how many samples are in a band, then sums.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch

from echelon.engines._base import Bands, BandSums, Pairs
from echelon.engines.torch._tiles import QueryTiles, Space
from echelon.kernels.pairs import ABOVE, ANY

# ------------------------------------------------------------------------------- pairs found


class MeasuredPairs(NamedTuple):
    """Positions of queries, rows of references, exact distances."""

    owners: torch.Tensor
    rows: torch.Tensor
    distances: torch.Tensor

    def take(self, which: torch.Tensor) -> MeasuredPairs:
        """Some of the pairs, by a mask or by positions."""
        return MeasuredPairs(*(part[which] for part in self))

    def plus(self, other: MeasuredPairs) -> MeasuredPairs:
        """These pairs and others."""
        return MeasuredPairs(*(torch.cat(both) for both in zip(self, other, strict=True)))


def measured(
    space: Space, queries: QueryTiles, owners: torch.Tensor, rows: torch.Tensor
) -> MeasuredPairs:
    """Pairs with their exact distances; without those that share nothing or are not related."""
    order = torch.argsort(rows) if space.streamed else None  # few rows travel more than once
    distances = torch.empty(len(owners), dtype=torch.float64, device=space.device)
    step = max(1, space.room // (8 * space.values.shape[1]))
    for start in range(0, len(owners), step):
        part = slice(start, start + step) if order is None else order[start : start + step]
        a, b = queries.values[owners[part]], space.take(rows[part])
        exact = _distances(space, a.double(), b.double())
        if queries.relation != ANY:
            n = space.samples.n_ordered
            worse = b[:, :n] < a[:, :n] if queries.relation == ABOVE else b[:, :n] > a[:, :n]
            exact[worse.any(1)] = torch.inf
        distances[part] = exact
    return MeasuredPairs(owners, rows, distances).take(distances < torch.inf)


def _distances(space: Space, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    gaps = _differences(space, a, b)
    if space.metric == "euclidean":
        gaps = gaps.square_()
    if not space.samples.missing:
        return gaps.sum(1)
    shared = gaps.isfinite().sum(1).double()
    n_features = gaps.shape[1]
    total = gaps.nan_to_num_(nan=0.0).sum(1)
    return torch.where(shared > 0, total * (n_features / shared), torch.inf)


def _differences(
    space: Space, a: torch.Tensor, b: torch.Tensor, direction: int = 0
) -> torch.Tensor:
    """Differences by feature; NaN where missing, norms of pairs if the metric says so."""
    n_numeric = space.samples.n_numeric
    n_signed = space.samples.n_ordered if direction != 0 else 0
    gaps = b - a
    if space.metric == "paired":
        return torch.hypot(gaps[:, ::2], gaps[:, 1::2])
    gaps[:, :n_signed] *= direction
    gaps[:, n_signed:].abs_()
    gaps[:, n_numeric:] = torch.where(gaps[:, n_numeric:] > 0, 1.0, gaps[:, n_numeric:])
    return gaps


def pieces(space: Space, pairs: Pairs, coefs: np.ndarray) -> Iterator[tuple[Pairs, np.ndarray]]:
    """Pairs of whole queries, as many as there is room for."""
    queries, counts, indices, shares = pairs
    most = max(1, space.room // (8 * space.values.shape[1]))
    ends = np.cumsum(counts)
    start = 0
    while start < len(queries):
        begin = ends[start] - counts[start]
        end = max(start + 1, int(np.searchsorted(ends, begin + most, side="right")))
        part = slice(begin, ends[end - 1])
        yield (
            (queries[start:end], counts[start:end], indices[part], shares[part]),
            coefs[start:end],
        )
        start = end


def weighted_sum(space: Space, pairs: Pairs, coefs: np.ndarray, direction: int) -> torch.Tensor:
    """``coef_i * mean_j diff_f`` added over queries, the means weighted by the shares.

    Without matrix products: their library would keep 32 MB of the device for every thread.
    """
    queries, counts, indices, shares, weights = (
        torch.as_tensor(part, device=space.device) for part in (*pairs, coefs)
    )
    owners = torch.repeat_interleave(torch.arange(len(queries), device=space.device), counts)
    a, b = space.take(queries[owners]), space.take(indices.long())
    gaps = _differences(space, a.double(), b.double(), direction)
    if space.samples.missing:
        there = ~gaps.isnan()
        present = _per_query(shares[:, None] * there, counts)
        total = _per_query(shares[:, None] * gaps.nan_to_num_(nan=0.0), counts)
        means = torch.where(present > 0, total / present, 0.0)
        sums = (weights.double()[:, None] * means).sum(0)
    else:
        whole = _per_query(shares[:, None], counts)[:, 0]
        per_pair = torch.where(whole > 0, weights.double() / whole, 0.0)[owners] * shares
        sums = gaps.mul_(per_pair[:, None]).sum(0)
    if space.metric != "paired":
        return sums
    return torch.stack([sums, torch.zeros_like(sums)], dim=1).flatten()


def _per_query(values: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """Sums over the neighbours of every query; in a fixed order, so that results repeat."""
    return torch.segment_reduce(values, "sum", lengths=counts, axis=0)


# --------------------------------------------------------------------------------- all pairs


def distance_sums(space: Space, queries: np.ndarray) -> np.ndarray:
    """Other rows, sums of distances and of their squares; 0 for rows that are no queries."""
    n = len(space.values)
    found = np.zeros((3, n))
    found[0, queries] = n - 1
    for rows, far in _blocks(space, _all_pairs(space), queries):
        far = far.nan_to_num_(nan=0.0)  # a row has no distance to itself
        far = far.sqrt_() if space.squared else far
        found[1, rows] = far.sum(1).cpu().numpy()
        found[2, rows] = far.square_().sum(1).cpu().numpy()
    return found


def band_sums(space: Space, queries: np.ndarray, bands: Bands) -> BandSums:
    """What :class:`BandSums` holds."""
    asks = np.zeros(len(space.values), dtype=bool)
    asks[queries] = True
    limits = np.where(asks, bands.limits, [[-np.inf], [np.inf]])
    classes = space.samples.classes
    pairs = _all_pairs(space)
    gives = bands.gives(classes, _counts(space, pairs, queries, bands, limits))
    return _sums(space, pairs, queries, bands._replace(limits=limits), gives)


class _PlainPairs:
    """All pairs of some rows with all rows, by plain array operations."""

    def __init__(self, space: Space) -> None:
        self.space = space

    def distances(self, block: torch.Tensor) -> torch.Tensor:
        """Of some rows to all rows."""
        n_numeric, squared = self.space.samples.n_numeric, self.space.squared
        far = block.new_zeros((len(block), len(self.space.values)), dtype=torch.float64)
        for f in range(block.shape[1]):
            gaps = self._gaps(block, f)
            far += gaps.square_() if squared and f < n_numeric else gaps
        return far

    def weighted_gaps(self, block: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        """Differences times the weights of the pairs, added up for every feature."""
        each = range(block.shape[1])
        return torch.stack([self._gaps(block, f).mul_(weights).sum() for f in each])

    def _gaps(self, block: torch.Tensor, f: int) -> torch.Tensor:
        own, column = block[:, f, None].double(), self.space.values[:, f].double()
        if f < self.space.samples.n_numeric:
            return (own - column).abs_()
        return (own != column).double()


class _FusedPairs:
    """Exact distances by kernels that go through the features of a pair in registers."""

    def __init__(self, space: Space) -> None:
        from echelon.engines.torch import _gpu  # needs Triton

        self.space, self.gpu = space, _gpu
        self.rows = _gpu.by_feature(space.values)

    def distances(self, block: torch.Tensor) -> torch.Tensor:
        """As above."""
        samples, n_rows = self.space.samples, len(self.space.values)
        x, squared = self.gpu.by_feature(block), self.space.squared
        shape = len(block), n_rows, samples.n_numeric
        return self.gpu.distances(x, self.rows, *shape, squared=squared)

    def weighted_gaps(self, block: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        """As above."""
        x = self.gpu.by_feature(block)
        return self.gpu.weighted_gaps(x, self.rows, weights, self.space.samples.n_numeric)


AllPairs = _PlainPairs | _FusedPairs


def _all_pairs(space: Space) -> AllPairs:
    return _FusedPairs(space) if space.fused else _PlainPairs(space)


def _blocks(
    space: Space, pairs: AllPairs, queries: np.ndarray
) -> Iterator[tuple[np.ndarray, torch.Tensor]]:
    """Some queries at a time and their distances to all rows, NaN to themselves."""
    size = max(1, space.room // (2 * len(space.values)))
    for start in range(0, len(queries), size):
        rows = queries[start : start + size]
        own = torch.as_tensor(rows, device=space.device)
        far = pairs.distances(space.values[own])
        far[torch.arange(len(rows), device=space.device), own] = torch.nan
        yield rows, far


def _inside(far: torch.Tensor, limits: torch.Tensor, side: int, tolerance: float) -> torch.Tensor:
    """Who lies nearer (side 0) or farther (1) than the limit; a distance equal to it does not."""
    return far * tolerance < limits if side == 0 else far > limits * tolerance


def _share(
    space: Space, far: torch.Tensor, limits: torch.Tensor, unit: torch.Tensor | None, side: int
) -> torch.Tensor:
    """What pairs weigh in a band: nothing outside, and inside 1, or by their distance in units."""
    inside = _inside(far, limits, side, space.tolerance)
    if unit is None:
        return inside
    if space.squared:
        far, limits = far.sqrt(), limits.sqrt()
    weight = (far - limits).abs_().mul_(2.0 / unit).tanh_()
    return torch.where(inside, weight, 0.0)  # no number where a limit is none


def _counts(
    space: Space,
    pairs: AllPairs,
    queries: np.ndarray,
    bands: Bands,
    limits: np.ndarray,
) -> np.ndarray:
    """Samples of every group in the bands of every row: (side, group, row)."""
    classes = space.samples.classes
    n_classes = len(bands.coefs[0])
    counts = np.zeros((2, int(bands.groups.max()) + 1, len(classes)), np.int64)
    of_class = torch.as_tensor(classes == np.arange(n_classes)[:, None], device=space.device)
    for rows, far in _blocks(space, pairs, queries):
        for side in range(2):
            own = torch.as_tensor(limits[side, rows], device=space.device)[:, None]
            inside = _inside(far, own, side, space.tolerance)
            for c in range(n_classes):
                n_inside = (inside & of_class[c]).sum(1).cpu().numpy()
                group = bands.groups[side, classes[rows], c]
                counted = group >= 0
                counts[side, group[counted], rows[counted]] += n_inside[counted]
    return counts


def _sums(
    space: Space,
    pairs: AllPairs,
    queries: np.ndarray,
    bands: Bands,
    gives: np.ndarray,
) -> BandSums:
    """Differences times what is given, and row sums and squares of the mean of both directions."""
    device = space.device
    edges, given = (torch.as_tensor(part, device=device) for part in (bands.limits, gives))
    units = None if bands.deviations is None else torch.as_tensor(bands.deviations, device=device)
    of = torch.as_tensor(space.samples.classes, device=device)
    totals = torch.zeros(space.values.shape[1], dtype=torch.float64, device=device)
    by_row = torch.zeros(len(of), dtype=torch.float64, device=device)
    squares = torch.zeros((), dtype=torch.float64, device=device)
    for rows, far in _blocks(space, pairs, queries):
        own = torch.as_tensor(rows, device=device)
        there, back = torch.zeros_like(far), torch.zeros_like(far)
        for side in range(2):
            unit = None if units is None else units[side]
            of_own = None if unit is None else unit[own, None]
            share = _share(space, far, edges[side, own, None], of_own, side)
            there += share * given[side][:, own].T[:, of]
            share = _share(space, far, edges[side], unit, side)
            back += share * given[side][of[own]]
        del far, share
        by_row[own] += 0.5 * there.sum(1)
        by_row += 0.5 * there.sum(0)
        # (a + b)^2 / 2 over unordered pairs is a^2 / 2 + a b / 2 over ordered ones.
        squares += 0.5 * (there * (there + back)).sum()
        del back
        totals += pairs.weighted_gaps(space.values[own], there)
    return BandSums(totals.cpu().numpy(), by_row.cpu().numpy(), float(squares), gives)
