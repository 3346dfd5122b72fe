"""Single columns in all rows: what they hold, and how often their values meet the target's.

What is found of parts is merged, and depends neither on their size nor on their order.  Different
values are listed up to a number; of more, hashes tell how many there are: the k-th smallest of n
hashes that are uniform from 0 to 1 is about k / n (Bar-Yossef et al., "Counting distinct elements
in a data stream", 2002), to 3 % with k = 1,024.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from echelon.data import NUMBER, kind_of, numbers_of
from echelon.large._source import Part

MOST_VALUES = 4096
"""Different values that are told apart; numbers with more are binned."""
SKETCH = 1024
"""Hashes from which the number of different values is estimated."""
SECONDS_A_DAY = 86_400


class Held(NamedTuple):
    """A column as numbers, or as labels with their codes; NaN and -1 where missing."""

    numbers: np.ndarray | None
    codes: np.ndarray | None
    labels: np.ndarray | None


def held_in(column: pd.Series) -> Held | None:
    """What a column of a part holds; None for what is neither numbers nor labels, as intervals."""
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return Held(None, column.cat.codes.to_numpy(), column.cat.categories.to_numpy(object))
    if pd.api.types.is_datetime64_any_dtype(dtype):
        dates = pd.DatetimeIndex(column).tz_localize(None)
        return Held(((dates - pd.Timestamp(0)) / pd.Timedelta(days=1)).to_numpy(float), None, None)
    if pd.api.types.is_timedelta64_dtype(dtype):
        return Held(column.dt.total_seconds().to_numpy() / SECONDS_A_DAY, None, None)
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype):
        return Held(numbers_of(column, column.name).astype(np.float64, copy=False), None, None)
    if pd.api.types.infer_dtype(column, skipna=True) in ("string", "empty"):
        codes, labels = pd.factorize(column)
        return Held(None, codes, np.asarray(labels, dtype=object))
    if kind_of(column) == NUMBER:
        return Held(numbers_of(column, column.name).astype(np.float64, copy=False), None, None)
    return None


class Column(NamedTuple):
    """What a column holds in some rows.

    Attributes
    ----------
    present, missing, infinite : int
        Rows.
    low, high : float
        The smallest and the largest number.
    whole : bool
        Whether all are whole numbers.
    numbers : bool
        Whether it holds numbers rather than labels.
    values : ndarray or None
        All different values, numbers in their order; None if they are more than ``MOST_VALUES``.
    hashes : ndarray
        The smallest hashes of the values.
    """

    present: int
    missing: int
    infinite: int
    low: float
    high: float
    whole: bool
    numbers: bool
    values: np.ndarray | None
    hashes: np.ndarray

    @property
    def distinct(self) -> int:
        """Number of different values: as listed, or estimated."""
        if self.values is not None:
            return len(self.values)
        estimate = (SKETCH - 1) / (float(self.hashes[-1]) / 2.0**64)
        return int(min(round(estimate), self.present))

    @property
    def is_identifier(self) -> bool:
        """Whether whole numbers never repeat, as they would if they were measured.

        n numbers drawn from a range of r repeat n (n - 1) / (2 r) times on average.
        """
        n = self.present
        never = self.values is None and self.whole and self.distinct > 0.9 * n
        return bool(never and n * (n - 1) / 2 >= 10 * (self.high - self.low + 1))


def look(part: Part, needed: list[Any], bounds: Mapping[Any, int]) -> dict[Any, Column | None]:
    """Every column of a part, in the rows that have all that is needed.

    ``bounds`` holds the largest hash that may still count, by column.
    """
    frame = complete(part.frame, needed)[0]
    return {
        name: column_of(held_in(frame[name]), bounds.get(name))
        for name in frame
        if name not in needed
    }


def complete(frame: pd.DataFrame, needed: list[Any]) -> tuple[pd.DataFrame, np.ndarray, list[int]]:
    """The rows in which nothing that is needed is missing, their mask, and how many lack what."""
    there, lacking = np.ones(len(frame), dtype=bool), []
    for name in needed:
        known = frame[name].notna().to_numpy()
        lacking.append(int((there & ~known).sum()))
        there &= known
    return frame if there.all() else frame[there], there, lacking


def column_of(held: Held | None, bound: int | None = None) -> Column | None:
    """What a column holds in the rows of a part."""
    if held is None:
        return None
    if held.numbers is None:
        codes, labels = np.asarray(held.codes), np.asarray(held.labels)
        n = int((codes >= 0).sum())
        values = labels[np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(labels)))]
        few = len(values) <= MOST_VALUES
        return Column(n, len(codes) - n, 0, np.nan, np.nan, False, False,
                      _sorted(values) if few else None, _hashes(values, bound))  # fmt: skip
    values = held.numbers + 0.0  # no negative zeros
    there = ~np.isnan(values)
    present = int(there.sum())
    values = values if present == len(values) else values[there]
    if not present:
        return Column(0, len(there), 0, np.nan, np.nan, True, True, values, _hashes(values, bound))
    low, high = float(values.min()), float(values.max())
    infinite = int(np.isinf(values).sum()) if np.isinf([low, high]).any() else 0
    with np.errstate(invalid="ignore"):
        whole = bool((values == np.floor(values)).all())
    few = len(pd.unique(values[: 2 * MOST_VALUES])) <= MOST_VALUES
    distinct = pd.unique(values) if few else values
    few = few and len(distinct) <= MOST_VALUES
    return Column(present, len(there) - present, infinite, low, high, whole, True,
                  np.sort(distinct) if few else None, _hashes(distinct, bound))  # fmt: skip


def _hashes(values: np.ndarray, bound: int | None) -> np.ndarray:
    """The smallest hashes of some values."""
    if not len(values):
        return np.empty(0, np.uint64)
    hashes = pd.util.hash_array(values)
    if bound is not None:
        hashes = hashes[hashes <= np.uint64(bound)]
    return np.unique(hashes)[:SKETCH]


def _sorted(labels: np.ndarray) -> np.ndarray:
    """Labels in an order that does not depend on that of the rows."""
    found = np.empty(len(labels), dtype=object)
    found[:] = sorted(labels.tolist(), key=str)
    return found


def merged(first: Column | None, second: Column | None) -> Column | None:
    """What a column holds in the rows of both; None where one of them holds something else."""
    if first is None or second is None:
        return None
    if first.numbers != second.numbers:
        empty = [each for each in (first, second) if not each.present]
        if not empty:
            return None
        one = second if empty[0] is first else first
        return one._replace(missing=first.missing + second.missing)
    values = None
    if first.values is not None and second.values is not None:
        known, new = set(first.values.tolist()), second.values.tolist()
        values = first.values
        if not known.issuperset(new):
            every = np.array([*known.union(new)], dtype=values.dtype)
            values = np.sort(every) if first.numbers else _sorted(every)
        values = values if len(values) <= MOST_VALUES else None
    return Column(
        first.present + second.present,
        first.missing + second.missing,
        first.infinite + second.infinite,
        float(np.fmin(first.low, second.low)),
        float(np.fmax(first.high, second.high)),
        first.whole and second.whole,
        first.numbers,
        values,
        np.unique(np.concatenate([first.hashes, second.hashes]))[:SKETCH],
    )


# --------------------------------------------------------------------------- values as codes


class Grid(NamedTuple):
    """How the values of a column become codes 0, 1, ...

    Numbers up to the first edge are 0, those above it up to the second 1, and so on; labels have
    their places.  ``single`` is the mask of the codes that are one value.
    """

    edges: np.ndarray | None
    labels: np.ndarray | None
    single: np.ndarray

    def codes(self, held: Held | None, n: int) -> np.ndarray:
        """The code of every row, -1 where missing."""
        if held is None or (held.numbers is None) != (self.edges is None):
            return np.full(n, -1)
        if held.numbers is not None and self.edges is not None:
            codes = np.searchsorted(self.edges, held.numbers)
            return np.where(np.isnan(held.numbers), -1, np.minimum(codes, len(self.single) - 1))
        places = pd.Index(np.asarray(self.labels)).get_indexer(pd.Index(np.asarray(held.labels)))
        return np.append(places, -1)[np.asarray(held.codes)]


def grid_of(
    column: Column, sample: np.ndarray, n_codes: int, special: Sequence[float] = ()
) -> Grid | None:
    """Codes for a column: one for every value if there are no more than ``n_codes``, else bins.

    Bins of numbers end at quantiles of the sample; a value that is several of them, or special, is
    a code of its own.  None for labels that are too many.
    """
    values = column.values
    if values is not None and len(values) <= n_codes:
        single = np.ones(len(values), dtype=bool)
        return Grid(values, None, single) if column.numbers else Grid(None, values, single)
    sample = sample[~np.isnan(sample)]
    if not column.numbers or not len(sample):
        return None
    cuts = np.quantile(sample, np.arange(1, n_codes) / n_codes, method="inverted_cdf")
    cuts, repeats = np.unique(cuts, return_counts=True)
    heavy = np.union1d(cuts[repeats > 1], np.asarray(special, dtype=float))
    edges = np.unique(np.concatenate([cuts, heavy, np.nextafter(heavy, -np.inf)]))
    return Grid(edges, None, np.append(np.isin(edges, heavy), False))


def count(
    part: Part, needed: list[Any], grids: Mapping[Any, Grid], target: Any, outcome: Grid
) -> dict[Any, np.ndarray]:
    """How many rows have every code of every column together with every code of the target."""
    frame = complete(part.frame, needed)[0]
    y = outcome.codes(held_in(frame[target]), len(frame))
    n_codes, found = len(outcome.single), {}
    for name, grid in grids.items():
        x = grid.codes(held_in(frame[name]), len(frame))
        shape = len(grid.single), n_codes
        both = (x * np.int64(n_codes) + y)[(x >= 0) & (y >= 0)]
        found[name] = np.bincount(both, minlength=shape[0] * shape[1]).reshape(shape)
    return found
