"""Rows that stay on a cluster: Dask arrays and DataFrames, read block by block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from threading import local
from typing import Any, cast

import numpy as np
import pandas as pd
from distributed import Future

from echelon.engines.dask._blocks import Block
from echelon.engines.dask._cluster import Patience
from echelon.validation import Columns, looks_nominal, nominal_mask, numbers_of

VALUES_AHEAD = 1 << 24
"""Values of columns fetched together.  A pass over all blocks (which may be on the workers' disks)
costs about the same for one column as for eight."""


class RowBlocks:
    """A table of numbers whose rows are kept in blocks on the workers.

    It has the shape and dtype of an array.

    Parameters
    ----------
    patience : Patience
        The cluster.
    sources : list of Future
        A block each.
    sizes : ndarray
        Rows per block.
    n_columns : int
        Columns.
    dtype : dtype
        Of the values.
    steps : tuple
        Functions, with arguments by block, that make the blocks from their sources when these are
        first asked for: nothing in between is kept.
    """

    ndim = 2

    def __init__(
        self,
        patience: Patience,
        sources: list[Future],
        sizes: np.ndarray,
        n_columns: int,
        dtype: Any,
        steps: tuple[tuple[Callable, Sequence[tuple]], ...] = (),
    ) -> None:
        self.patience, self.sources, self.sizes, self.steps = patience, sources, sizes, steps
        self.shape = int(sizes.sum()), n_columns
        self.dtype = np.dtype(dtype)
        self._ahead = local()  # what a thread fetched last

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, number: Any) -> Any:
        """A block, or (``[:, f]``) the values of one column, fetched."""
        if not isinstance(number, tuple):
            return self.blocks[number]
        group, place = divmod(number[1], self.columns_at_once)
        ahead = self._ahead
        if getattr(ahead, "group", None) != group:
            ahead.columns, ahead.group = self._columns(group), group
        return ahead.columns[:, place]

    @property
    def columns_at_once(self) -> int:
        """Columns fetched together: whoever asks for one asks for the next ones soon."""
        return min(8, max(1, VALUES_AHEAD // max(1, len(self))))

    def _columns(self, group: int) -> np.ndarray:
        which = slice(group * self.columns_at_once, (group + 1) * self.columns_at_once)
        return np.concatenate(self.each(_columns_in, [(which,)] * len(self.sizes)))

    @cached_property
    def blocks(self) -> list[Future]:
        """The blocks on the workers."""
        if not self.steps:
            return self.sources
        # Lists, since Dask before 2025 runs a tuple that begins with a function as a task.
        made = [
            [[function, list(args[b])] for function, args in self.steps]
            for b in range(len(self.sources))
        ]
        with self.patience.saying_why():
            return [
                self.patience.client.submit(_made, source, steps, pure=False)
                for source, steps in zip(self.sources, made, strict=True)
            ]

    def then(self, function: Callable, args: Sequence[tuple] | None = None) -> RowBlocks:
        """``function(block, ...)`` of every block, to be kept on the workers."""
        # Where the blocks exist already, they are what the next step starts from.
        sources, steps = (self.blocks, ()) if "blocks" in vars(self) else (self.sources, self.steps)
        step = function, args or [()] * len(self.sizes)
        return RowBlocks(
            self.patience, sources, self.sizes, self.shape[1], self.dtype, (*steps, step)
        )

    def each(self, function: Callable, args: Sequence[tuple] | None = None) -> list[Any]:
        """``function(block, ...)`` of every block, fetched."""
        futures = self.then(function, args).blocks
        return [self.patience.result(partial(_itself, future)) for future in futures]

    def restore(self) -> None:
        """Nothing to do: the scheduler knows how every block was made, and makes it again."""

    def places(self, order: np.ndarray) -> list[np.ndarray]:
        """Where the rows of every block come in an order of all rows."""
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        return np.split(place, np.cumsum(self.sizes)[:-1])

    @cached_property
    def ranges(self) -> tuple[np.ndarray, np.ndarray, bool]:
        """Smallest and largest value of every column, and whether values are missing."""
        lows, highs, missing = zip(*self.each(_ranges), strict=True)
        return np.fmin.reduce(lows), np.fmax.reduce(highs), any(missing)


def _itself(future: Future) -> Future:
    return future


def _made(source: Any, steps: list[list]) -> Any:
    for function, args in steps:
        source = function(source, *args)
    return source


def _columns_in(values: np.ndarray, which: slice) -> np.ndarray:
    return values[:, which]


def _ranges(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    return low, high, bool(np.isnan(values).any())


def to_block(values: np.ndarray, places: np.ndarray, class_starts: np.ndarray) -> Block:
    """Rows sorted by class, given where each comes among all rows and where classes start."""
    order = np.argsort(places)
    rows = places[order]
    return Block(values[order], np.searchsorted(class_starts, rows, side="right") - 1, rows)


# ------------------------------------------------------------------------------- reading


def read_collection(
    X: Any, categorical_features: Any, patience: Patience, *, allow_nan: bool
) -> Columns:
    """Features of a Dask array or DataFrame; the rows stay on the workers."""
    parts, names, nominal, dtype = (_of_frame if hasattr(X, "columns") else _of_array)(
        X, categorical_features
    )
    n_columns = len(nominal)
    with patience.saying_why():
        futures = patience.client.compute(parts)
    sizes = np.array(RowBlocks(patience, futures, np.zeros(len(parts)), n_columns, dtype).each(len))
    futures = [block for block, size in zip(futures, sizes, strict=True) if size > 0]
    raw = RowBlocks(patience, futures, sizes[sizes > 0], n_columns, dtype)
    if len(raw) < 2 or n_columns < 1:
        raise ValueError(
            f"Found array with {len(raw)} sample(s) and {n_columns} feature(s) in `X`, while a "
            "minimum of 2 samples and 1 feature is required."
        )
    labels = _labels(raw, np.flatnonzero(nominal))
    values = raw.then(_as_numbers, [(labels, dtype)] * len(futures))
    _ = values.blocks  # made now, so that the sources can go
    low, high, missing = values.ranges
    if np.isinf(low).any() or np.isinf(high).any():
        raise ValueError("Input X contains infinity. Drop those samples, or give finite values.")
    if missing and not allow_nan:
        raise ValueError("Input X contains NaN, and this method takes no missing values.")
    return Columns(cast(Any, values), nominal, names)


def _of_array(X: Any, categorical_features: Any) -> tuple[list, None, np.ndarray, Any]:
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got a Dask array of {X.ndim} dimensions instead.")
    wanted = None if isinstance(categorical_features, str) else categorical_features
    nominal = nominal_mask(wanted, X.shape[1], None)
    dtype = np.float32 if X.dtype == np.float32 else np.float64
    return list(X.rechunk({1: -1}).to_delayed().ravel()), None, nominal, dtype


def _of_frame(X: Any, categorical_features: Any) -> tuple[list, np.ndarray, np.ndarray, Any]:
    names = np.asarray(X.columns, dtype=object)
    kinds = [X._meta_nonempty.iloc[:, j] for j in range(len(names))]
    for name, column in zip(names, kinds, strict=True):
        if isinstance(column.dtype, pd.CategoricalDtype) and not X[name].cat.known:
            raise ValueError(
                f"The categories of column {name!r} of `X` are not known to Dask. Call "
                "X.categorize() first."
            )
    if isinstance(categorical_features, str):
        nominal = np.array([looks_nominal(column) for column in kinds], bool)
    else:
        nominal = nominal_mask(categorical_features, len(names), names)
    numeric = [column.dtype for column, no in zip(kinds, nominal, strict=True) if not no]
    single = bool(numeric) and all(kind == np.float32 for kind in numeric)
    return X.to_delayed(), names, nominal, np.float32 if single else np.float64


def _labels(raw: RowBlocks, nominal: np.ndarray) -> dict[int, pd.Index]:
    """The labels of every nominal column, the same in all blocks."""
    if not len(nominal):
        return {}
    by_block = raw.each(_labels_in, [(nominal,)] * len(raw.sizes))
    return {
        f: pd.Index(pd.unique(np.concatenate([found[j] for found in by_block])))
        for j, f in enumerate(nominal.tolist())
    }


def _series(part: Any, f: int) -> pd.Series:
    return part.iloc[:, f] if hasattr(part, "iloc") else pd.Series(part[:, f])


def _labels_in(part: Any, nominal: np.ndarray) -> list[np.ndarray]:
    return [_series(part, f).dropna().astype(object).unique() for f in nominal.tolist()]


def _as_numbers(part: Any, labels: dict[int, pd.Index], dtype: Any) -> np.ndarray:
    """A block as numbers, with codes in nominal columns and NaN where missing."""
    if not labels and not hasattr(part, "iloc"):
        return np.asarray(part, dtype=dtype)
    values = np.empty(part.shape, dtype)
    for f in range(part.shape[1]):
        column = _series(part, f)
        if f in labels:
            codes = labels[f].get_indexer(pd.Index(column.astype(object)))
            values[:, f] = np.where(codes < 0, np.nan, codes)
        else:
            values[:, f] = numbers_of(column, column.name)
    return values
