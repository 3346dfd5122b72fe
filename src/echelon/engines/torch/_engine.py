"""The engine for a GPU: tiles of pairs on the device, exact distances of the few that matter."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from echelon.engines._base import Bands, BandSums, Engine, Found, Pairs, Samples, Search, tie_factor
from echelon.engines.torch import _exact
from echelon.engines.torch._encoding import TILE
from echelon.engines.torch._exact import MeasuredPairs, measured, pieces, weighted_sum
from echelon.engines.torch._tiles import QueryTiles, Space, Tiles, TooManyPairsError, no_memory
from echelon.kernels.pairs import ANY

MAX_PAIRS = 1 << 25
"""A call hands out about this many neighbours at most (tied data), to bound its memory."""

SAMPLE = 4096
"""References from which the first limit of a query comes."""

GROWTH = 2
"""How many times the references of all passes before it a pass goes through."""


PROBE = 16
"""Tiles in which rounded encodings are tried, before they are used."""

MUCH = 16
"""How many times as many pairs as needed a rounded encoding may leave."""


class TorchEngine(Engine[Space]):
    """PyTorch on a CUDA device, or on the CPU where there is none.

    Neighbours are those the local engine finds: a fused kernel goes through all pairs in reduced
    precision and keeps those that can be among the nearest; their distances are then measured
    exactly, in double precision.  Samples that do not fit into the device's memory are streamed to
    it; when memory runs out, blocks are halved.

    Parameters
    ----------
    device : str, default=None
        A device of PyTorch, such as "cuda:1".  None: "cuda" if there is one, else "cpu".
    n_jobs : int, default=None
        Threads for what runs on the host.  None: all cores.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from echelon import ReliefF
    >>> from echelon.engines import TorchEngine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> ReliefF(3, engine=TorchEngine("cpu")).fit(X, y).get_feature_names_out().tolist()
    ['flavanoids', 'od280/od315_of_diluted_wines', 'proline']
    """

    queries_per_task = 1 << 15
    rows_per_block = 1 << 17

    def __init__(self, device: str | None = None, n_jobs: int | None = None) -> None:
        super().__init__(n_jobs)
        self.device = device

    def prepare(self, samples: Samples, metric: str) -> Space:
        device = self._device()
        tolerance = tie_factor(samples.values.dtype, metric)
        host = torch.from_numpy(np.ascontiguousarray(samples.values))
        space = Space(samples, metric, tolerance, device, host)
        while True:
            try:
                space.move_in()
                space.coarse = _tells_apart(space)
                break
            except torch.OutOfMemoryError as error:
                space.make_do(error)
        if not space.coarse:
            space.known.clear()  # of no more use
        return space

    def _device(self) -> torch.device:
        name = self.device or ("cuda" if torch.cuda.is_available() else "cpu")
        try:
            device = torch.device(name)
            torch.empty(1, device=device)
        except torch.OutOfMemoryError as error:
            raise no_memory(name) from error
        except (RuntimeError, AssertionError) as error:
            reason = str(error).splitlines()[0]
            raise ValueError(
                f"`device` must be a device PyTorch can use here, got {name!r} ({reason}). "
                "Leave it out to take what there is."
            ) from error
        return device

    def nearest(self, space: Space, queries: np.ndarray, search: Search) -> Found:
        n = min(len(queries), max(1, space.room // max(SAMPLE, 8 * space.values.shape[1])))
        with space.lock:
            while True:
                try:
                    return _found(space, queries[:n], search)
                except torch.OutOfMemoryError as error:
                    space.make_do(error)
                except TooManyPairsError:
                    pass
                n = max(1, n // 2)

    def distance_sums(self, space: Space, queries: np.ndarray) -> np.ndarray:
        if not _dense(space):
            return super().distance_sums(space, queries)
        with space.lock:
            while not space.streamed:
                try:
                    return _exact.distance_sums(space, queries)
                except torch.OutOfMemoryError as error:
                    space.make_do(error)
        return super().distance_sums(space, queries)

    def band_sums(self, space: Space, queries: np.ndarray, bands: Bands) -> BandSums | None:
        with space.lock:
            while _dense(space):
                try:
                    return _exact.band_sums(space, queries, bands)
                except torch.OutOfMemoryError as error:
                    space.make_do(error)
        return None

    def accumulate(
        self, space: Space, pairs: Pairs, coefs: np.ndarray, direction: int
    ) -> np.ndarray:
        with space.lock:
            while True:
                try:
                    return _added(space, pairs, coefs, direction)
                except torch.OutOfMemoryError as error:
                    space.make_do(error)


def _dense(space: Space) -> bool:
    """Whether all distances of some queries are made at once: all is there, and on the device."""
    return not (space.streamed or space.samples.missing or space.metric == "paired")


def _added(space: Space, pairs: Pairs, coefs: np.ndarray, direction: int) -> np.ndarray:
    total = np.zeros(space.samples.values.shape[1])
    for part, part_coefs in pieces(space, pairs, coefs):
        total += weighted_sum(space, part, part_coefs, direction).cpu().numpy()
    return total


# ---------------------------------------------------------------------------- neighbours


def _tells_apart(space: Space) -> bool:
    """Whether few pairs lie within rounding of the nearest, for some rows and their own class."""
    tiles = space.tiles(ANY)
    c = int(np.argmax(space.samples.class_sizes))
    start, end = tiles.class_tile[c], min(tiles.class_tile[c + 1], tiles.class_tile[c] + PROBE)
    rows = tiles.rows[start * TILE : end * TILE]
    rows = rows[rows >= 0].long()[:TILE]
    k = min(10, len(rows) - 1)
    if k < 1:
        return True
    tiled = QueryTiles(space, tiles, rows, ANY)
    bounds = tiled.dense(start, end)
    nearest = tiles.rows[start * TILE + bounds.topk(k, largest=False).indices.flatten()]
    owners = torch.arange(len(rows), device=space.device).repeat_interleave(k)
    exact = measured(space, tiled, owners, nearest.long()).distances
    if len(exact) < len(owners):
        return True
    limits = tiled.bounds_for(exact.view(-1, k).amax(1))
    return float((bounds <= limits[:, None]).sum()) <= MUCH * len(owners)


def _found(space: Space, queries: np.ndarray, search: Search) -> Found:
    """Neighbours of all queries, or of as many as there is room for."""
    tiles = space.tiles(search.relation)
    parts = [
        _search(space, tiles, queries, members, ranges, search)
        for members, ranges in _groups(space, tiles, queries, search)
    ]
    pairs = MeasuredPairs(*(torch.cat(part) for part in zip(*parts, strict=True)))
    pairs = pairs.take(torch.argsort(pairs.owners * len(space.values) + pairs.rows))
    owners, rows, distances = (part.cpu().numpy() for part in pairs)
    counts = np.bincount(owners, minlength=len(queries))
    n = max(1, int(np.searchsorted(np.cumsum(counts), MAX_PAIRS, side="right")))
    found = Found(counts, rows, distances)
    return found if n >= len(queries) else found.first(n)


def _groups(
    space: Space, tiles: Tiles, queries: np.ndarray, search: Search
) -> Iterator[tuple[np.ndarray, list[tuple[int, int]]]]:
    """Positions of queries that look into the same tiles, and these tiles."""
    classes = space.samples.classes[queries]
    groups: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for c in np.unique(classes).tolist():
        ranges = search.classes.ranges(c)
        wanted = tuple((int(tiles.class_tile[a]), int(tiles.class_tile[b])) for a, b in ranges)
        groups.setdefault(wanted, []).append(c)
    for wanted, members in groups.items():
        yield np.flatnonzero(np.isin(classes, members)), list(wanted)


def _search(
    space: Space,
    tiles: Tiles,
    queries: np.ndarray,
    members: np.ndarray,
    ranges: list[tuple[int, int]],
    search: Search,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Pairs of some queries with their neighbours in some tiles."""
    rows = torch.as_tensor(queries[members], device=space.device)
    tiled = QueryTiles(space, tiles, rows, search.relation)
    radius = search.radius**2 if space.metric == "euclidean" else search.radius
    limits = torch.full((len(rows),), float(radius), dtype=torch.float64, device=space.device)
    k = search.n_neighbors
    if k is not None and ranges:
        limits = torch.minimum(limits, _first_limits(space, tiled, ranges, k))
    kept = MeasuredPairs(rows[:0], rows[:0], limits[:0])
    for start, end in _passes(space, tiles, ranges, len(rows), growing=k is not None):
        owners, found = tiled.within(start, end, limits)
        new = measured(space, tiled, owners, found)
        kept, limits = _tightened(kept.plus(new), limits, k, space.tolerance)
    return torch.as_tensor(members, device=space.device)[kept.owners], kept.rows, kept.distances


def _first_limits(
    space: Space,
    tiled: QueryTiles,
    ranges: list[tuple[int, int]],
    k: int,
) -> torch.Tensor:
    """The exact distance of the k-th nearest in a sample; inf if it holds too few."""
    start, end = max(ranges, key=lambda tiles: tiles[1] - tiles[0])
    end = min(end, start + -(-max(SAMPLE, 4 * k) // TILE))
    limits = torch.full((tiled.n,), torch.inf, dtype=torch.float64, device=space.device)
    if (end - start) * TILE < k:
        return limits
    bounds, lanes = tiled.dense(start, end).topk(k, largest=False)
    owners = torch.arange(tiled.n, device=space.device).repeat_interleave(k)
    found = tiled.tiles.rows[start * TILE + lanes.flatten()].long()
    known = bounds.flatten() < torch.inf
    pairs = measured(space, tiled, owners[known], found[known])
    counts = torch.bincount(pairs.owners, minlength=tiled.n)
    farthest = torch.zeros_like(limits).scatter_reduce_(
        0, pairs.owners, pairs.distances, "amax", include_self=True
    )
    return torch.where(counts == k, farthest * space.tolerance, limits)


def _passes(
    space: Space, tiles: Tiles, ranges: list[tuple[int, int]], n_queries: int, *, growing: bool
) -> Iterator[tuple[int, int]]:
    """Tiles to go through between two looks at the limits."""
    most = 1 << 15
    if space.streamed:
        most = min(most, max(1, space.room // (TILE * tiles.encoding.width)))
    if not space.fused:
        most = min(most, max(1, space.room // (TILE * n_queries)))
    done = SAMPLE // TILE
    for start, end in ranges:
        while start < end:
            size = min(end - start, most, GROWTH * done if growing else most)
            yield start, start + size
            start, done = start + size, done + size


def _tightened(
    pairs: MeasuredPairs, limits: torch.Tensor, k: int | None, tolerance: float
) -> tuple[MeasuredPairs, torch.Tensor]:
    """The pairs within the distance of the k-th nearest, which is the new limit."""
    if k is not None and len(pairs.owners):
        pairs = pairs.take(torch.argsort(pairs.distances))
        pairs = pairs.take(torch.argsort(pairs.owners, stable=True))
        counts = torch.bincount(pairs.owners, minlength=len(limits))
        last = torch.cumsum(counts, 0) - counts + k - 1
        kth = pairs.distances[last.clamp(max=len(pairs.owners) - 1)]
        limits = torch.where(counts >= k, torch.minimum(limits, kth * tolerance), limits)
    return pairs.take(pairs.distances <= limits[pairs.owners]), limits
