"""Samples on a device: exact values, and tiles of encoded rows to search in."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

import numpy as np
import torch
from torch.nn.functional import pad

from echelon.engines._base import Samples
from echelon.engines.torch._encoding import (
    TILE,
    Bytes,
    Encoding,
    Floats,
    Products,
    all_sums,
    unrelated,
)
from echelon.kernels.pairs import ANY

ROOM = 1 << 27
"""Numbers a temporary array may hold at first: half a gigabyte in single precision."""

LEAST_ROOM = 1 << 23
"""With less, samples had better stay on the host."""

CAPACITY = 256
"""Pairs per query and pass there is room for at first."""


@dataclass
class Tiles:
    """Encoded references: tiles of ``TILE`` rows of one class, in random order.

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
    host: torch.Tensor
    """Values on the host."""
    values: torch.Tensor = field(init=False)
    """Values where they are taken from: the device, if it has room for them."""
    room: int = field(init=False)
    """Numbers a temporary array may hold; halved when memory runs out."""
    streamed: bool = False
    """Whether samples stay on the host, since the device has no room for them."""
    lock: Any = field(default_factory=RLock)
    """One thread at a time: the device's memory is shared."""
    known: dict[type, Tiles] = field(default_factory=dict)
    coarse: bool = True
    """Whether rounded encodings tell pairs apart well enough to pay."""

    @property
    def squared(self) -> bool:
        """Whether distances are squared."""
        return self.metric == "euclidean"

    @property
    def fused(self) -> bool:
        """Whether Triton's kernels run on the device (or in its interpreter)."""
        interpreted = os.environ.get("TRITON_INTERPRET") == "1"
        return has_triton() and (self.device.type == "cuda" or interpreted)

    def __post_init__(self) -> None:
        self.values, self.room = self.host, ROOM

    def move_in(self) -> None:
        """Copy the samples to the device, once, unless they are streamed."""
        if not self.streamed and self.values is self.host:
            self.values = self.host.to(self.device)

    def make_do(self, error: Exception) -> None:
        """After memory ran out: smaller blocks, then samples that stay on the host."""
        if self.streamed and self.room < self.host.shape[1]:
            raise no_memory(self.device) from error
        self.room //= 2
        if not self.streamed and self.room < LEAST_ROOM:
            self.streamed, self.values, self.room = True, self.host, ROOM
            self.known.clear()

    def take(self, rows: torch.Tensor) -> torch.Tensor:
        """Values of some rows, on the device."""
        if not self.streamed:
            return self.values[rows]
        wanted, places = torch.unique(rows, return_inverse=True)  # each travels once
        return self.values[wanted.to(self.values.device)].to(self.device)[places]

    def tiles(self, relation: int) -> Tiles:
        """The encoding in which pairs in that relation are found fastest."""
        kind = _encoding_for(self, relation)
        if kind not in self.known:
            self.known[kind] = lay_out(self, encoded_as(self, kind))
        return self.known[kind]


def no_memory(device: object) -> MemoryError:
    """What to say when nothing smaller is left to try."""
    return MemoryError(
        f"The device {device} is out of memory even for a single query. Free some of it, or use "
        "another device."
    )


def has_triton() -> bool:
    """Whether Triton is installed."""
    try:
        import triton  # noqa: F401
    except ImportError:
        return False
    return True


def _encoding_for(space: Space, relation: int) -> type[Encoding]:
    """Rounded numbers where they are fast, which leave out missing values and labels."""
    samples = space.samples
    simple = not samples.missing and samples.n_numeric == samples.values.shape[1]
    if simple and space.coarse and space.metric == "euclidean":
        return Products
    bytes_pay = space.metric == "manhattan" and relation == ANY and space.device.type == "cuda"
    return Bytes if simple and space.coarse and bytes_pay else Floats


def encoded_as(space: Space, kind: type[Encoding]) -> Encoding:
    """An encoding of that kind for the samples of a space."""
    if kind is Products:
        mean = space.values.sum(0, dtype=torch.float64) / len(space.values)
        return Products(space.samples, mean.to(space.device))
    if kind is Bytes:
        return Bytes(space.samples, space.values.amin(0).double().to(space.device))
    return Floats(space.samples, space.metric)


def lay_out(space: Space, encoding: Encoding) -> Tiles:
    """Encode all rows, tile by tile."""
    sizes = space.samples.class_sizes
    n_tiles = -(-sizes // TILE)
    rng = np.random.default_rng(0)
    rows = np.full(n_tiles.sum() * TILE, -1, np.int32)
    first_lane, first_row = 0, 0
    for size, n in zip(sizes.tolist(), n_tiles.tolist(), strict=True):
        rows[first_lane : first_lane + size] = first_row + rng.permutation(size)
        first_lane, first_row = first_lane + n * TILE, first_row + size
    lanes = torch.as_tensor(rows, device=space.device)
    shape = len(rows) // TILE, encoding.width, TILE
    blocks = torch.empty(shape, dtype=encoding.dtype, device=space.values.device)
    low = torch.empty(len(rows), dtype=torch.float32, device=space.device)
    step = max(1, space.room // (8 * TILE * space.values.shape[1]))
    for start in range(0, len(blocks), step):
        part = lanes[start * TILE : (start + step) * TILE]
        encoded, part_low = encoding.encode(space.take(part.clamp(min=0).long()))
        low[start * TILE : (start + step) * TILE] = part_low.masked_fill(part < 0, torch.inf)
        blocks[start : start + step] = encoded.view(-1, TILE, encoding.width).mT
    return Tiles(encoding, blocks, lanes, low, np.concatenate([[0], np.cumsum(n_tiles)]))


class QueryTiles:
    """Some queries, encoded, against tiles of references."""

    def __init__(self, space: Space, tiles: Tiles, queries: torch.Tensor, relation: int) -> None:
        self.space, self.tiles, self.relation = space, tiles, relation
        self.n = len(queries)
        self.spare = -self.n % TILE
        self.values = space.take(queries)
        self.encoded, self.low = tiles.encoding.encode(self.values)
        self.rows = pad(queries.int(), (0, self.spare), value=-2)
        if space.fused:
            padded = pad(self.encoded, (0, 0, 0, self.spare))
            self.tiled = padded.view(-1, TILE, tiles.encoding.width).mT.contiguous()

    def dense(self, first: int, last: int) -> torch.Tensor:
        """Lower bounds of all pairs with the references of some tiles; inf if unrelated."""
        if self.space.fused:
            bounds = self.low.new_empty((len(self.rows), (last - first) * TILE))
            self._launch(first, last, dense=bounds)
            return bounds[: self.n]
        lanes = slice(first * TILE, last * TILE)
        blocks = self.tiles.blocks[first:last].to(self.low.device)
        references = blocks.mT.reshape(-1, self.tiles.encoding.width)
        bounds = all_sums(self.tiles.encoding, self.encoded, references)
        bounds += self.tiles.low[lanes]
        rows = self.tiles.rows[lanes]
        bounds[(rows < 0) | (rows == self.rows[: self.n, None])] = torch.inf
        if self.relation != ANY:
            n_ordered = self.space.samples.n_ordered
            bounds[unrelated(self.encoded, references, n_ordered, self.relation)] = torch.inf
        return bounds

    def within(
        self, first: int, last: int, limits: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Positions of queries, ascending, and rows of references within the limits."""
        bounds = self.bounds_for(limits)
        if self.space.fused:
            return self._collect(first, last, bounds)
        near = self.dense(first, last) <= bounds[:, None]
        owners, lanes = torch.nonzero(near, as_tuple=True)
        return owners, self.tiles.rows[first * TILE + lanes].long()

    def bounds_for(self, limits: torch.Tensor) -> torch.Tensor:
        """What a lower bound is at most if the distance is at most the limit."""
        encoding = self.tiles.encoding
        bounds = limits.clamp(max=1e30) * encoding.scale * (1 + encoding.relative)
        bounds = (bounds + encoding.slack - self.low.double()).float()
        return torch.nextafter(bounds, torch.full_like(bounds, torch.inf))

    def _collect(
        self, first: int, last: int, limits: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        limits = pad(limits, (0, self.spare), value=-torch.inf)
        capacity = CAPACITY
        while True:
            found = self.rows.new_empty((len(self.rows), capacity))
            counts = torch.zeros_like(self.rows)
            self._launch(first, last, limits=limits, found=found, counts=counts)
            most = int(counts.max())
            if most <= capacity:
                there = torch.arange(most, device=found.device) < counts[:, None]
                there &= found[:, :most] != self.rows[:, None]  # a row is near itself
                owners, lanes = torch.nonzero(there, as_tuple=True)
                return owners, found[owners, lanes].long()
            if most * len(self.rows) > self.space.room and self.n > 1:
                raise TooManyPairsError
            capacity = most

    def _launch(
        self,
        first: int,
        last: int,
        *,
        limits: torch.Tensor | None = None,
        found: torch.Tensor | None = None,
        counts: torch.Tensor | None = None,
        dense: torch.Tensor | None = None,
    ) -> None:
        from echelon.engines.torch import _gpu  # needs Triton

        tiles, encoding = self.tiles, self.tiles.encoding
        lanes = slice(first * TILE, last * TILE)
        unused = self.low
        _gpu.launch(
            len(self.rows) // TILE,
            last - first,
            self.tiled,
            tiles.blocks[first:last].to(self.tiled.device),
            tiles.low[lanes],
            self.rows,
            tiles.rows[lanes],
            encoding.width,
            *encoding.sections,
            encoding.n_features,
            encoding.n_padded,
            unused if limits is None else limits,
            self.rows if found is None else found,
            self.rows if counts is None else counts,
            0 if found is None else found.shape[1],
            unused if dense is None else dense,
            kind=encoding.kind,
            missing=encoding.missing,
            relation=self.relation,
            dense=dense is not None,
        )


class TooManyPairsError(Exception):
    """More pairs within the limits than there is room for; fewer queries at a time will do."""
