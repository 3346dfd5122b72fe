"""Exact differences and distances of pairs of rows on a device, in double precision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch

from echelon.engines.torch._tiles import QueryTiles, Space
from echelon.kernels.pairs import ABOVE, ANY


class Pairs(NamedTuple):
    """Positions of queries, rows of references, exact distances."""

    owners: torch.Tensor
    rows: torch.Tensor
    distances: torch.Tensor

    def take(self, which: torch.Tensor) -> Pairs:
        """Some of the pairs, by a mask or by positions."""
        return Pairs(*(part[which] for part in self))

    def plus(self, other: Pairs) -> Pairs:
        """These pairs and others."""
        return Pairs(*(torch.cat(both) for both in zip(self, other, strict=True)))


def measured(space: Space, queries: QueryTiles, owners: torch.Tensor, rows: torch.Tensor) -> Pairs:
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
    return Pairs(owners, rows, distances).take(distances < torch.inf)


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


def pieces(
    space: Space, pairs: tuple[np.ndarray, ...], coefs: np.ndarray
) -> Iterator[tuple[tuple[np.ndarray, ...], np.ndarray]]:
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


def weighted_sum(
    space: Space, pairs: tuple[np.ndarray, ...], coefs: np.ndarray, direction: int
) -> torch.Tensor:
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
