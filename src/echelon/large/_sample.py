"""Rows that were drawn, and the samples that become of them once they are read.

A table of counts holds values as they are stored.  How they were read, what means missing and how
labels are ordered, is told from the rows drawn, which are known both ways.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from echelon.data import NOMINAL, NUMBER, ORDERED, Data, kind_of, numbers_of
from echelon.filters import Association, Counts, associations_with, counted_association
from echelon.large._columns import MOST_VALUES, Column, Grid, held_in
from echelon.methods import CLASSES, CONTINUOUS
from echelon.targets import Target

RAISED = 1.5
"""A class with so many times its share of the sample is named."""


class AllRows(NamedTuple):
    """What is known of all rows.

    Attributes
    ----------
    n_rows : int
        Rows that have a target, and a group and a time where these are asked for.
    lacking : dict
        How many rows lack which of them.
    sizes : ndarray or None
        Rows with every value of the target; None where these are many.
    columns : dict of str to Column
        What the columns hold.
    grids : dict of str to Grid
        How their values become codes.
    tables : dict of str to ndarray
        How often every code goes with every one of the target.
    outcome : Grid
        How values of the target become codes.
    """

    n_rows: int
    lacking: dict[Any, int]
    sizes: np.ndarray | None
    columns: dict[Any, Column]
    grids: dict[Any, Grid]
    tables: dict[Any, np.ndarray]
    outcome: Grid


@dataclass(frozen=True, eq=False)
class Drawn:
    """Rows that were drawn, as they are stored, and what is known of all rows.

    Attributes
    ----------
    frame : DataFrame
        The rows, those of the first sample before those of the second, in their order.
    part : ndarray of shape (n_drawn,)
        The sample of every row, 0 the first.
    target : object
        Name of the target.
    known : AllRows
        What is known of all rows.
    """

    frame: pd.DataFrame
    part: np.ndarray
    target: Any
    known: AllRows

    @property
    def identifiers(self) -> list[Any]:
        """Columns that count the rows."""
        return [name for name, column in self.known.columns.items() if column.is_identifier]

    def sample(self, X: pd.DataFrame, target: Target) -> Sample:
        """The samples with features and target as they were read from ``frame``, row by row."""
        every = {name: self._counts(name, X[name], target) for name in X if name in self.frame}
        main = self.part == 0
        others = [self.part == number for number in range(1, int(self.part.max()) + 1)]
        return Sample(
            X[main].reset_index(drop=True),
            target.take(np.flatnonzero(main)),
            [
                (X[rows].reset_index(drop=True), target.take(np.flatnonzero(rows)))
                for rows in others
            ],
            self.known,
            {str(name): found for name, found in every.items() if found is not None},
            self._classes(target),
        )

    def _classes(self, target: Target) -> dict[Any, int]:
        found = self._of_target(target)
        if target.labels is None or found is None or self.known.sizes is None:
            return {}
        sizes = np.bincount(found[0], self.known.sizes, len(target.labels)).astype(int)
        return dict(zip(target.labels.tolist(), sizes.tolist(), strict=True))

    def _counts(self, name: Any, x: pd.Series, target: Target) -> Counts | None:
        """The table of a column, its codes as they are read; None where that cannot be told."""
        known = self.known
        outcome = self._of_target(target)
        if name not in known.tables or outcome is None:
            return None
        codes, n_codes = outcome
        cells = np.zeros((len(known.tables[name]), n_codes), np.int64)
        there = codes >= 0
        np.add.at(cells.T, codes[there], known.tables[name].T[there])
        single = known.outcome.single if not known.outcome.single.all() else np.ones(n_codes, bool)
        values = _values_read(known.grids[name], self.frame[name], x)
        if values is None:
            return None
        read = np.zeros((int(values.max(initial=-1)) + 1, n_codes), np.int64)
        alone = np.ones(len(read), dtype=bool)
        used = values >= 0
        np.add.at(read, values[used], cells[used])
        np.logical_and.at(alone, values[used], known.grids[name].single[used])
        return Counts(read, kind_of(x) == NOMINAL, alone, single)

    def _of_target(self, target: Target) -> tuple[np.ndarray, int] | None:
        """The code in the target of every code of its values, and how many there are."""
        known = self.known.outcome
        if not known.single.all():
            return (np.arange(len(known.single)), len(known.single)) if (
                target.kind == CONTINUOUS
            ) else None  # fmt: skip
        own = known.codes(held_in(self.frame[self.target]), len(self.frame))
        values = target.numbers if target.codes is None else target.codes
        read = np.unique(values, return_inverse=True)[1]
        codes = np.full(len(known.single), -1)
        codes[own] = read
        return codes, int(read.max()) + 1


def _values_read(grid: Grid, raw: pd.Series, x: pd.Series) -> np.ndarray | None:
    """The place of every code among the values of a column as it was read, -1 for missing.

    Values are told from the rows drawn, and those of labels that were not drawn from their text.
    """
    codes, missing = grid.codes(held_in(raw), len(raw)), x.isna().to_numpy()
    n_codes, kind = len(grid.single), kind_of(x)
    rows, gone = (
        np.bincount(codes[mask], minlength=n_codes) for mask in (codes >= 0, (codes >= 0) & missing)
    )
    if ((gone > 0) & (gone < rows)).any() or kind not in (NUMBER, ORDERED, NOMINAL):
        return None
    lost = (rows > 0) & (gone == rows)
    if kind == NUMBER and grid.edges is not None:
        return np.where(lost, -1, np.arange(n_codes))
    if not grid.single.all():
        return None
    first = np.full(n_codes, -1)
    first[codes[codes >= 0][::-1]] = np.flatnonzero(codes >= 0)[::-1]
    texts = grid.labels if grid.labels is not None else grid.edges
    assert texts is not None
    if kind == NOMINAL:
        keys = [
            str(x.iloc[row] if row >= 0 else text) for row, text in zip(first, texts, strict=True)
        ]
        places = pd.factorize(np.asarray(keys, dtype=object))[0]
        return np.where(lost, -1, places)
    if kind == ORDERED:
        order = [str(each) for each in x.cat.categories]
        values = np.array([order.index(str(t)) if str(t) in order else -1 for t in texts], float)
        values[values < 0] = np.nan
    else:
        values = pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce").to_numpy(float)
    drawn = (first >= 0) & ~lost
    values[drawn] = numbers_of(x, x.name)[first[drawn]]
    if np.isnan(values[~lost]).any():
        return None
    values[lost] = np.inf
    return np.where(lost, -1, np.unique(values, return_inverse=True)[1])


@dataclass(frozen=True, eq=False)
class Sample:
    """Samples of a table that is larger than memory, as a study takes them.

    Attributes
    ----------
    frame : DataFrame
        Features of the sample that is evaluated.
    target : Target
        Its target.
    others : list of (DataFrame, Target)
        Further samples of the same size, disjoint from it and each other.
    known : AllRows
        What is known of all rows.
    counts : dict of str to Counts
        How often values of a feature go with those of the target in all rows, by its name.
    classes : dict
        Rows of every class among all rows; empty for numbers.
    """

    frame: pd.DataFrame
    target: Target
    others: list[tuple[pd.DataFrame, Target]]
    known: AllRows
    counts: dict[str, Counts]
    classes: dict[Any, int]

    @property
    def is_whole(self) -> bool:
        """Whether the sample holds all rows."""
        return len(self.frame) == self.known.n_rows

    def associations(self, data: Data, target: Target) -> tuple[Association, dict[str, float]]:
        """Rank correlations with the target: of all rows, where counted, else of the sample.

        Returns those of all features, and how much binning may change those of all rows, by name.
        """
        ordered = target.kind != CLASSES or len(target.counts) == 2
        found = [np.array(each) for each in associations_with(target, data)]
        errors: dict[str, float] = {}
        for place, name in enumerate(map(str, self.frame.columns)):
            if name in self.counts:
                *each, errors[name] = counted_association(self.counts[name], ordered)
                for column, value in zip(found, each, strict=True):
                    column[place] = value
        return Association(*found), errors

    def of_all_rows(self, name: str) -> tuple[int | None, float | None]:
        """Missing values, and Spearman's correlation with an ordered target; None if not known."""
        missing = self._missing(name)
        if name not in self.counts:
            return missing, None
        rho = counted_association(self.counts[name], True, "spearman").correlation
        return missing, None if np.isnan(rho) else rho

    def _missing(self, name: str) -> int | None:
        """Missing values in all rows; where counted, also what was read as missing."""
        if name in self.counts:
            return self.known.n_rows - int(self.counts[name].cells.sum())
        return self.known.columns[name].missing if name in self.known.columns else None

    def described(self, found: Any) -> Any:
        """What a profile of the sample found, with what is known of all rows in its place."""
        known = {name: self._missing(str(name)) for name in self.frame}
        missing = found.missing | {name: n for name, n in known.items() if n is not None}
        return replace(
            found,
            n_samples=self.known.n_rows,
            missing={name: n for name, n in missing.items() if n},
            classes=self.classes or found.classes,
        )

    def facts(self) -> dict[str, Any]:
        """What a summary says of the sample, as plain values."""
        columns, names = self.known.columns, list(map(str, self.frame.columns))
        ordered = self.target.kind != CLASSES or len(self.target.counts) == 2
        found = {name: each for name, each in self.counts.items() if name in names}
        binned = {
            name: counted_association(each, ordered).error
            for name, each in found.items()
            if not each.exact
        }
        constant = [
            str(name)
            for name, x in self.frame.items()
            if name in columns and columns[name].distinct > 1 and x.nunique() < 2
        ]
        drawn = self.target.counts
        return {
            "rows": self.known.n_rows,
            "sampled": len(self.frame),
            "samples": len(self.others) + 1,
            "classes": bool(drawn),
            "raised": {
                str(label): [drawn[label], n]
                for label, n in self.classes.items()
                if drawn[label] > RAISED * n / self.known.n_rows * len(self.frame)
            },
            "binned": len(binned),
            "most_values": MOST_VALUES,
            "error": max(binned.values(), default=0.0),
            "from_sample": [name for name in names if name not in found],
            "constant": constant,
            "distinct": {str(n): columns[n].distinct for n in self.frame if n in columns},
        }
