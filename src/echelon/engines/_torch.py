"""The engine for a GPU: tiles of pairs on the device, exact distances of the few that matter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch

from echelon.engines._base import Engine, Found, Samples, Search, tie_factor
from echelon.engines._tiles import Space, TargetTiles, Tiles, TooManyPairs
from echelon.kernels.pairs import ABOVE, ANY
from echelon.kernels.sums import LANES

ROOM = 1 << 27
"""Numbers a temporary array may hold at first: half a gigabyte in single precision."""

MAX_PAIRS = 1 << 25
"""A call hands out about this many neighbours at most (tied data), to bound its memory."""

SAMPLE = 4096
"""References from which the first limit of a target comes."""

GROWTH = 4
"""How many times the references of all passes before it a pass goes through."""


class TorchEngine(Engine):
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

    targets_per_task = 1 << 14

    def __init__(self, device: str | None = None, n_jobs: int | None = None) -> None:
        super().__init__(n_jobs)
        self.device = device

    def prepare(self, samples: Samples, metric: str) -> Space:
        device = self._device()
        tolerance = tie_factor(samples.values.dtype, metric)
        host = torch.from_numpy(np.ascontiguousarray(samples.values))
        space = Space(samples, metric, tolerance, device, host, ROOM)
        try:
            space.values = host.to(device)
            space.tiles(ANY)
        except torch.OutOfMemoryError:  # stream
            space.known.clear()
            space.values = host
            torch.cuda.empty_cache()
        return space

    def _device(self) -> torch.device:
        name = self.device or ("cuda" if torch.cuda.is_available() else "cpu")
        try:
            device = torch.device(name)
            torch.empty(1, device=device)
        except (RuntimeError, AssertionError) as error:
            reason = str(error).splitlines()[0]
            raise ValueError(
                f"`device` must be a device PyTorch can use here, got {name!r} ({reason}). "
                "Leave it out to take what there is."
            ) from error
        return device

    def nearest(self, space: Space, targets: np.ndarray, search: Search) -> Found:
        n = min(len(targets), max(1, space.room // SAMPLE))
        with space.lock:
            while True:
                try:
                    return _found(space, targets[:n], search)
                except torch.OutOfMemoryError as error:
                    if n == 1:
                        raise MemoryError(
                            f"The device {space.device} is out of memory for a single target. "
                            "Free some, or use another device."
                        ) from error
                    space.room //= 2
                except TooManyPairs:
                    pass
                n = max(1, n // 2)
                if space.device.type == "cuda":
                    torch.cuda.empty_cache()

    def accumulate(
        self,
        space: Space,
        pairs: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
        coefs: np.ndarray,
        direction: int,
    ) -> np.ndarray:
        with space.lock:
            total = np.zeros(space.samples.values.shape[1])
            for part, part_coefs in _pieces(space, pairs, coefs):
                total += _weighted_sum(space, part, part_coefs, direction).cpu().numpy()
            return total


# ---------------------------------------------------------------------------- neighbours


class _Pairs(NamedTuple):
    """Positions of targets, rows of references, exact distances."""

    owners: torch.Tensor
    rows: torch.Tensor
    distances: torch.Tensor

    def take(self, which: torch.Tensor) -> _Pairs:
        """Some of the pairs, by a mask or by positions."""
        return _Pairs(*(part[which] for part in self))

    def plus(self, other: _Pairs) -> _Pairs:
        """These pairs and others."""
        return _Pairs(*(torch.cat(both) for both in zip(self, other, strict=True)))


def _found(space: Space, targets: np.ndarray, search: Search) -> Found:
    """Neighbours of all targets, or of as many as there is room for."""
    tiles = space.tiles(search.relation)
    parts = [
        _search(space, tiles, targets, members, ranges, search)
        for members, ranges in _groups(space, tiles, targets, search)
    ]
    owners, rows, distances = (
        torch.cat(part).cpu().numpy() for part in zip(*parts, strict=True)
    )
    order = np.lexsort((rows, owners))
    counts = np.bincount(owners, minlength=len(targets))
    n = max(1, int(np.searchsorted(np.cumsum(counts), MAX_PAIRS, side="right")))
    found = Found(counts, rows[order], distances[order])
    return found if n >= len(targets) else found.first(n)


def _groups(
    space: Space, tiles: Tiles, targets: np.ndarray, search: Search
) -> Iterator[tuple[np.ndarray, list[tuple[int, int]]]]:
    """Positions of targets that look into the same tiles, and these tiles."""
    first, last, own = search.classes
    classes = space.samples.classes[targets]
    groups: dict[tuple, list[int]] = {}
    for c in np.unique(classes).tolist():
        ranges = [(int(first[c]), int(last[c]))]
        if not own and first[c] <= c < last[c]:
            ranges = [(int(first[c]), c), (c + 1, int(last[c]))]
        wanted = tuple(
            (int(tiles.class_tile[a]), int(tiles.class_tile[b])) for a, b in ranges if a < b
        )
        groups.setdefault(wanted, []).append(c)
    for wanted, members in groups.items():
        yield np.flatnonzero(np.isin(classes, members)), list(wanted)


def _search(
    space: Space,
    tiles: Tiles,
    targets: np.ndarray,
    members: np.ndarray,
    ranges: list[tuple[int, int]],
    search: Search,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Pairs of some targets with their neighbours in some tiles."""
    rows = torch.as_tensor(targets[members], device=space.device)
    tiled = TargetTiles(space, tiles, rows, search.relation)
    radius = search.radius**2 if space.metric == "euclidean" else search.radius
    limits = torch.full((len(rows),), float(radius), dtype=torch.float64, device=space.device)
    k = search.n_neighbors
    if k is not None and ranges:
        limits = torch.minimum(limits, _first_limits(space, tiled, rows, ranges, search))
    kept = _measured(space, rows, rows[:0], rows[:0], search.relation)
    for start, end in _passes(space, tiles, ranges, len(rows), growing=k is not None):
        owners, found = tiled.within(start, end, limits)
        new = _measured(space, rows, owners, found, search.relation)
        kept, limits = _tightened(kept.plus(new), limits, k, space.tolerance)
    return torch.as_tensor(members, device=space.device)[kept.owners], kept.rows, kept.distances


def _first_limits(
    space: Space,
    tiled: TargetTiles,
    rows: torch.Tensor,
    ranges: list[tuple[int, int]],
    search: Search,
) -> torch.Tensor:
    """The exact distance of the k-th nearest in a sample; inf if it holds too few."""
    k = search.n_neighbors
    start, end = max(ranges, key=lambda tiles: tiles[1] - tiles[0])
    end = min(end, start + -(-max(SAMPLE, 4 * k) // LANES))
    limits = torch.full((len(rows),), torch.inf, dtype=torch.float64, device=space.device)
    if (end - start) * LANES < k:
        return limits
    bounds, lanes = tiled.dense(start, end).topk(k, largest=False)
    owners = torch.arange(len(rows), device=space.device).repeat_interleave(k)
    found = tiled.tiles.rows[start * LANES + lanes.flatten()].long()
    known = bounds.flatten() < torch.inf
    pairs = _measured(space, rows, owners[known], found[known], search.relation)
    counts = torch.bincount(pairs.owners, minlength=len(rows))
    farthest = torch.zeros_like(limits).scatter_reduce_(
        0, pairs.owners, pairs.distances, "amax", include_self=True
    )
    return torch.where(counts == k, farthest * space.tolerance, limits)


def _passes(
    space: Space, tiles: Tiles, ranges: list[tuple[int, int]], n_targets: int, *, growing: bool
) -> Iterator[tuple[int, int]]:
    """Tiles to go through between two looks at the limits."""
    most = 1 << 15
    if space.values.device != space.device:  # they travel
        most = min(most, max(1, space.room // (LANES * tiles.encoding.width)))
    if not space.fused:
        most = min(most, max(1, space.room // (LANES * n_targets)))
    done = SAMPLE // LANES
    for start, end in ranges:
        while start < end:
            size = min(end - start, most, GROWTH * done if growing else most)
            yield start, start + size
            start, done = start + size, done + size


def _tightened(
    pairs: _Pairs, limits: torch.Tensor, k: int | None, tolerance: float
) -> tuple[_Pairs, torch.Tensor]:
    """The pairs within the distance of the k-th nearest, which is the new limit."""
    if k is not None and len(pairs.owners):
        pairs = pairs.take(torch.argsort(pairs.distances))
        pairs = pairs.take(torch.argsort(pairs.owners, stable=True))
        counts = torch.bincount(pairs.owners, minlength=len(limits))
        last = torch.cumsum(counts, 0) - counts + k - 1
        kth = pairs.distances[last.clamp(max=len(pairs.owners) - 1)]
        limits = torch.where(counts >= k, torch.minimum(limits, kth * tolerance), limits)
    return pairs.take(pairs.distances <= limits[pairs.owners]), limits


# ------------------------------------------------------------------------ exact differences


def _measured(
    space: Space, targets: torch.Tensor, owners: torch.Tensor, rows: torch.Tensor, relation: int
) -> _Pairs:
    """Pairs with their exact distances; without those that share nothing or are not related."""
    distances = torch.empty(len(owners), dtype=torch.float64, device=space.device)
    step = max(1, space.room // (8 * space.values.shape[1]))
    for start in range(0, len(owners), step):
        part = slice(start, start + step)
        a, b = space.take(targets[owners[part]]), space.take(rows[part])
        distances[part] = _distances(space, a.double(), b.double())
        if relation != ANY:
            n = space.samples.n_ordered
            worse = b[:, :n] < a[:, :n] if relation == ABOVE else b[:, :n] > a[:, :n]
            distances[part][worse.any(1)] = torch.inf
    return _Pairs(owners, rows, distances).take(distances < torch.inf)


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


def _pieces(
    space: Space, pairs: tuple[np.ndarray, ...], coefs: np.ndarray
) -> Iterator[tuple[tuple[np.ndarray, ...], np.ndarray]]:
    """Pairs of whole targets, as many as there is room for."""
    targets, counts, indices, shares = pairs
    most = max(1, space.room // (8 * space.values.shape[1]))
    ends = np.cumsum(counts)
    start = 0
    while start < len(targets):
        begin = ends[start] - counts[start]
        end = max(start + 1, int(np.searchsorted(ends, begin + most, side="right")))
        part = slice(begin, ends[end - 1])
        yield (
            (targets[start:end], counts[start:end], indices[part], shares[part]),
            coefs[start:end],
        )
        start = end


def _weighted_sum(
    space: Space, pairs: tuple[np.ndarray, ...], coefs: np.ndarray, direction: int
) -> torch.Tensor:
    """``coef_i * mean_j diff_f`` added over targets, the means weighted by the shares."""
    targets, counts, indices, shares, weights = (
        torch.as_tensor(part, device=space.device) for part in (*pairs, coefs)
    )
    owners = torch.repeat_interleave(torch.arange(len(targets), device=space.device), counts)
    a, b = space.take(targets[owners]), space.take(indices.long())
    gaps = _differences(space, a.double(), b.double(), direction)
    if space.samples.missing:
        there = ~gaps.isnan()
        present = _per_target(shares[:, None] * there, counts)
        total = _per_target(shares[:, None] * gaps.nan_to_num_(nan=0.0), counts)
        means = torch.where(present > 0, total / present, 0.0)
        sums = weights.double() @ means
    else:
        whole = _per_target(shares[:, None], counts)[:, 0]
        per_pair = torch.where(whole > 0, weights.double() / whole, 0.0)[owners] * shares
        sums = per_pair @ gaps
    if space.metric != "paired":
        return sums
    return torch.stack([sums, torch.zeros_like(sums)], dim=1).flatten()


def _per_target(values: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """Sums over the neighbours of every target; in a fixed order, so that results repeat."""
    return torch.segment_reduce(values, "sum", lengths=counts, axis=0)
