"""Samples on a device: exact values, and tiles of encoded rows to search in."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

import numpy as np
import torch

from echelon.engines._base import Samples
from echelon.engines._encoding import Bytes, Floats, Products
from echelon.kernels.pairs import ANY
from echelon.kernels.sums import LANES, TARGETS, all_sums, unrelated

Encoding = Floats | Products | Bytes


@dataclass
class Tiles:
    """Encoded references: tiles of ``LANES`` rows of one class, in random order.

    The order makes any first part of a class a fair sample of it, whatever the order of the data.
    """

    encoding: Encoding
    blocks: torch.Tensor
    """(tile, encoded column, lane), on the device or, where that is too small, on the host."""
    rows: torch.Tensor
    """Row of every lane, -1 where a tile is not full."""
    low: torch.Tensor
    class_tile: np.ndarray
    """First tile of every class, and the number of tiles."""


@dataclass
class Space:
    """Samples laid out for searches on a device."""

    samples: Samples
    metric: str
    tolerance: float
    device: torch.device
    values: torch.Tensor
    room: int
    """Numbers a temporary array may hold; halved when memory runs out."""
    lock: Any = field(default_factory=RLock)
    """One thread at a time: the device's memory is shared."""
    known: dict[type, Tiles] = field(default_factory=dict)

    @property
    def fused(self) -> bool:
        """Whether Triton's kernels run on the device (or in its interpreter)."""
        return has_triton() and (self.device.type == "cuda" or _interpreted())

    def take(self, rows: torch.Tensor) -> torch.Tensor:
        """Values of some rows, on the device."""
        return self.values[rows.to(self.values.device)].to(self.device)

    def tiles(self, relation: int) -> Tiles:
        """The encoding in which pairs in that relation are found fastest."""
        encoding = _encoding_for(self, relation)
        if type(encoding) not in self.known:
            self.known[type(encoding)] = _lay_out(self, encoding)
        return self.known[type(encoding)]


def has_triton() -> bool:
    """Whether Triton is installed."""
    try:
        import triton  # noqa: F401
    except ImportError:
        return False
    return True


def _interpreted() -> bool:
    return os.environ.get("TRITON_INTERPRET") == "1"


def _encoding_for(space: Space, relation: int) -> Encoding:
    samples = space.samples
    simple = not samples.missing and samples.n_numeric == samples.values.shape[1]
    if simple and space.metric == "euclidean":
        return Products(samples, _by_column(space, samples.values.mean(0, dtype=np.float64)))
    bytes_pay = space.device.type == "cuda" and space.fused
    if simple and space.metric == "manhattan" and relation == ANY and bytes_pay:
        return Bytes(samples, _by_column(space, samples.values.min(0)))
    return Floats(samples, space.metric)


def _by_column(space: Space, numbers: np.ndarray) -> torch.Tensor:
    return torch.as_tensor(numbers, dtype=torch.float64, device=space.device)


def _lay_out(space: Space, encoding: Encoding) -> Tiles:
    """Encode all rows, tile by tile."""
    sizes = space.samples.class_sizes
    n_tiles = -(-sizes // LANES)
    rng = np.random.default_rng(0)
    rows = np.full(n_tiles.sum() * LANES, -1, np.int32)
    first_lane, first_row = 0, 0
    for size, n in zip(sizes.tolist(), n_tiles.tolist(), strict=True):
        rows[first_lane : first_lane + size] = first_row + rng.permutation(size)
        first_lane, first_row = first_lane + n * LANES, first_row + size
    lanes = torch.as_tensor(rows, device=space.device)
    shape = len(rows) // LANES, encoding.width, LANES
    blocks = torch.empty(shape, dtype=encoding.dtype, device=space.values.device)
    low = torch.empty(len(rows), dtype=torch.float32, device=space.device)
    step = max(1, space.room // (8 * LANES * encoding.width))
    for start in range(0, len(blocks), step):
        part = lanes[start * LANES : (start + step) * LANES]
        encoded, part_low = encoding.encode(space.take(part.clamp(min=0).long()))
        low[start * LANES : (start + step) * LANES] = part_low
        blocks[start : start + step] = encoded.view(-1, LANES, encoding.width).mT
    return Tiles(encoding, blocks, lanes, low, np.concatenate([[0], np.cumsum(n_tiles)]))


class TargetTiles:
    """Some targets, encoded, against tiles of references."""

    def __init__(self, space: Space, tiles: Tiles, targets: torch.Tensor, relation: int) -> None:
        self.space, self.tiles, self.relation = space, tiles, relation
        self.n = len(targets)
        self.encoded, self.low = tiles.encoding.encode(space.take(targets))
        spare = -self.n % TARGETS
        self.rows = torch.nn.functional.pad(targets.int(), (0, spare), value=-2)
        padded = torch.nn.functional.pad(self.encoded, (0, 0, 0, spare))
        if space.fused:
            width = tiles.encoding.width
            self.tiled = padded.view(-1, TARGETS, width).mT.contiguous()

    def dense(self, first: int, last: int) -> torch.Tensor:
        """Lower bounds of all pairs with the references of some tiles; inf if unrelated."""
        if self.space.fused:
            bounds = self.low.new_empty((len(self.rows), (last - first) * LANES))
            self._launch(first, last, dense=bounds)
            return bounds[: self.n]
        encoding, lanes = self.tiles.encoding, slice(first * LANES, last * LANES)
        blocks = self.tiles.blocks[first:last].to(self.low.device)
        references = blocks.mT.reshape(-1, encoding.width)
        bounds = all_sums(encoding, self.encoded, references)
        bounds += self.tiles.low[lanes]
        rows = self.tiles.rows[lanes]
        bounds[(rows < 0) | (rows == self.rows[: self.n, None])] = torch.inf
        if self.relation != ANY:
            n_ordered = self.space.samples.n_ordered
            fails = unrelated(self.encoded, references, n_ordered, self.relation)
            bounds[fails] = torch.inf
        return bounds

    def within(self, first: int, last: int, limits: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Positions of targets and rows of references of the pairs within the limits."""
        encoding = self.tiles.encoding
        limits = limits.clamp(max=1e30) * encoding.scale * (1 + encoding.relative)
        limits = (limits + encoding.slack - self.low.double()).float()
        limits = torch.nextafter(limits, torch.full_like(limits, torch.inf))
        if not self.space.fused:
            owners, lanes = torch.nonzero(
                self.dense(first, last) <= limits[:, None], as_tuple=True
            )
            return owners, self.tiles.rows[first * LANES + lanes].long()
        return self._collect(first, last, limits)

    def _collect(
        self, first: int, last: int, limits: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        limits = torch.nn.functional.pad(limits, (0, len(self.rows) - self.n), value=-torch.inf)
        capacity = 64 * len(self.rows)
        while True:
            owners, found = self.rows.new_empty((2, capacity))
            count = torch.zeros(1, dtype=torch.int64, device=owners.device)
            self._launch(first, last, limits=limits, owners=owners, found=found, count=count)
            n = int(count)
            if n <= capacity:
                return owners[:n].long(), found[:n].long()
            if n > self.space.room and self.n > 1:
                raise TooManyPairs
            capacity = n

    def _launch(
        self,
        first: int,
        last: int,
        *,
        limits: torch.Tensor | None = None,
        owners: torch.Tensor | None = None,
        found: torch.Tensor | None = None,
        count: torch.Tensor | None = None,
        dense: torch.Tensor | None = None,
    ) -> None:
        from echelon.kernels import gpu

        tiles, encoding = self.tiles, self.tiles.encoding
        lanes = slice(first * LANES, last * LANES)
        unused = self.rows
        gpu.launch(
            (len(self.rows) // TARGETS, last - first),
            self.tiled,
            tiles.blocks[first:last].to(self.tiled.device),
            tiles.low[lanes],
            self.rows,
            tiles.rows[lanes],
            encoding.width,
            *encoding.sections,
            encoding.n_features,
            encoding.n_padded,
            limits if limits is not None else unused,
            owners if owners is not None else unused,
            found if found is not None else unused,
            count if count is not None else unused,
            0 if owners is None else len(owners),
            dense if dense is not None else unused,
            0 if dense is None else dense.shape[1],
            kind=encoding.kind,
            missing=encoding.missing,
            relation=self.relation,
            dense=dense is not None,
        )


class TooManyPairs(Exception):
    """More pairs within the limits than there is room for; fewer targets at a time will do."""
