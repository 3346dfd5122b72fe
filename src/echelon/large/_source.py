"""Rows part by part, from files that pyarrow reads or from a Dask DataFrame.

A pass applies a function to every part and yields what it returns, in the order of the rows: small
things, so memory holds one part at a time.  With a Dask cluster the function runs on its workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd

from echelon._core.extras import require

FEWEST_ROWS, MOST_ROWS, MOST_CELLS = 1 << 12, 1 << 18, 1 << 22
"""Rows and cells of a part of a file."""
BUFFER = 1 << 20
"""Bytes of a column that are read at a time."""


class Part(NamedTuple):
    """Some rows that follow each other.

    Attributes
    ----------
    start : int
        Number of the first one among all rows.
    frame : DataFrame
        The columns that were asked for; texts may be categories.
    rows : object
        The same as they are stored; ``take`` cuts some out.
    """

    start: int
    frame: pd.DataFrame
    rows: Any

    def take(self, places: np.ndarray) -> Any:
        """Some rows, as they are stored."""
        return self.rows.iloc[places] if hasattr(self.rows, "iloc") else self.rows.take(places)


class Source(Protocol):
    """A table that is read part by part."""

    names: list[Any]

    def each(self, function: Callable[..., Any], names: Sequence[Any], *args: Any) -> Iterator[Any]:
        """``function(part, *args)`` of every part, with these columns."""

    def joined(self, taken: Sequence[Any]) -> pd.DataFrame:
        """Rows that were taken from parts, as one frame."""


class Files:
    """Parquet files with the same columns.

    Parameters
    ----------
    dataset : pyarrow.dataset.Dataset
        The files.
    """

    def __init__(self, dataset: Any):
        self._dataset = dataset
        self.names = [name for name in dataset.schema.names if not name.startswith("__index_level")]

    def each(self, function: Callable[..., Any], names: Sequence[Any], *args: Any) -> Iterator[Any]:
        """``function(part, *args)`` of every part, with these columns."""
        start = 0
        for batch in self._batches(list(names)):
            frame = batch.to_pandas(strings_to_categorical=True)
            yield function(Part(start, frame, batch), *args)
            start += batch.num_rows

    def _batches(self, names: list[str]) -> Iterator[Any]:
        """Batches of all files; a scanner of the dataset would hold whole groups of rows."""
        from pyarrow.dataset import get_partition_keys
        from pyarrow.parquet import ParquetFile

        n_rows = int(np.clip(MOST_CELLS // max(len(names), 1), FEWEST_ROWS, MOST_ROWS))
        for fragment in self._dataset.get_fragments():
            named = get_partition_keys(fragment.partition_expression)
            stored = [name for name in names if name not in named]
            with fragment.open() as file:
                parts = ParquetFile(file, buffer_size=BUFFER, pre_buffer=False)
                for batch in parts.iter_batches(n_rows, columns=stored, use_threads=False):
                    if batch.num_rows:
                        yield self._whole(batch, names, named)

    def _whole(self, batch: Any, names: list[str], named: Mapping[str, Any]) -> Any:
        """A batch with the columns that the names of folders hold, in the order asked for."""
        import pyarrow as pa

        columns = [
            pa.repeat(pa.scalar(named[name], self._dataset.schema.field(name).type), batch.num_rows)
            if name in named
            else batch.column(name)
            for name in names
        ]
        return pa.RecordBatch.from_arrays(columns, names)

    def joined(self, taken: Sequence[Any]) -> pd.DataFrame:
        """Rows that were taken from parts, as one frame."""
        import pyarrow as pa

        return pa.Table.from_batches(taken).to_pandas()


class Frames:
    """A Dask DataFrame, and columns beside it.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        The table.
    beside : dict
        Further columns by name: Dask series with the same parts, or one value per row.
    """

    def __init__(self, frame: Any, beside: Mapping[str, Any] | None = None):
        require("Dask collections need", "dask", "dask", "dask.dataframe")
        self._frame, self._beside = frame, dict(beside or {})
        self.names = list(frame.columns)
        lengths = self._computed(self._lengths(frame[self.names[:1]]))
        self._starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        for name, values in self._beside.items():
            self._check(name, values, lengths)
        _check_categories(frame)

    def _lengths(self, collection: Any) -> list[Any]:
        from dask import delayed

        return [delayed(len)(part) for part in collection.to_delayed()]

    def _check(self, name: str, values: Any, lengths: list[int]) -> None:
        if hasattr(values, "to_delayed"):
            own = self._computed(self._lengths(values))
            if own != lengths:
                raise ValueError(
                    f"`{name}` and `X` must have the same rows in every partition, and `{name}` "
                    f"has {sum(own):,} in {len(own)} partitions, `X` {sum(lengths):,} in "
                    f"{len(lengths)}. Pass the name of a column of `X` instead."
                )
        elif len(values) != sum(lengths):
            raise ValueError(
                f"`{name}` must have one value for every row of `X`, which has {sum(lengths):,} "
                f"rows, got {len(values):,} values."
            )

    def each(self, function: Callable[..., Any], names: Sequence[Any], *args: Any) -> Iterator[Any]:
        """``function(part, *args)`` of every part, with these columns."""
        from dask import delayed

        mine = [name for name in names if name not in self._beside]
        parts = self._frame[mine].to_delayed()
        beside = {name: self._parts_of(self._beside[name]) for name in names if name not in mine}
        tasks = [
            delayed(_applied)(function, int(start), part, {n: b[k] for n, b in beside.items()},
                              list(names), args)
            for k, (start, part) in enumerate(zip(self._starts, parts, strict=False))
        ]  # fmt: skip
        yield from (done for done in self._computed(tasks, lazily=True) if done is not None)

    def _parts_of(self, values: Any) -> list[Any]:
        if hasattr(values, "to_delayed"):
            return list(values.to_delayed())
        values = values if hasattr(values, "iloc") else np.asarray(values)
        ends = zip(self._starts, self._starts[1:], strict=False)
        return [values[a:b] if not hasattr(values, "iloc") else values.iloc[a:b] for a, b in ends]

    def _computed(self, tasks: list[Any], *, lazily: bool = False) -> Any:
        """Results in order, as many at a time as there are threads on a cluster, here one."""
        found = _in_turns(tasks)
        return found if lazily else list(found)

    def joined(self, taken: Sequence[Any]) -> pd.DataFrame:
        """Rows that were taken from parts, as one frame."""
        return pd.concat(taken, ignore_index=True)


def _in_turns(tasks: list[Any]) -> Iterator[Any]:
    import dask

    at_once = _threads_of_cluster()
    for begin in range(0, len(tasks), at_once):
        yield from dask.compute(*tasks[begin : begin + at_once])


def _threads_of_cluster() -> int:
    """Threads of the cluster of the client that is in use, 1 without any."""
    try:
        from distributed import get_client

        return max(1, sum(get_client().nthreads().values()))
    except (ImportError, ValueError):
        return 1


def _applied(
    function: Callable[..., Any],
    start: int,
    frame: pd.DataFrame,
    beside: dict[str, Any],
    names: list[Any],
    args: tuple[Any, ...],
) -> Any:
    if not len(frame):
        return None
    for name, values in beside.items():
        values = values.array if hasattr(values, "array") else values
        frame = frame.assign(**{name: values})
    frame = frame[names]
    return function(Part(start, frame, frame), *args)


def _check_categories(frame: Any) -> None:
    for name, dtype in frame.dtypes.items():
        if isinstance(dtype, pd.CategoricalDtype) and dtype.ordered and not frame[name].cat.known:
            raise ValueError(
                f"The categories of column {name!r} of `X` are not known to Dask, and so their "
                "order is not. Call X.categorize() first."
            )
