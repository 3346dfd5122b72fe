"""Disjoint samples of a table, stratified by the target, and what is known of all its rows.

The target is read twice: to count its values, and to draw rows.  Every row has a number from 0 to 1
that only the seed and its place among all rows decide, and the rows with the smallest ones of every
class are drawn: so the sample does not depend on how the rows come in parts.  Then all columns are
read twice: what they hold, together with the rows drawn; and how often their values meet those of
the target, where quantiles of the sample are the bins of columns with many values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from echelon._core.jobs import expect, step
from echelon.large._columns import (
    MOST_VALUES,
    SKETCH,
    Column,
    Grid,
    column_of,
    complete,
    count,
    grid_of,
    held_in,
    look,
    merged,
)
from echelon.large._sample import AllRows, Drawn
from echelon.large._source import Part, Source
from echelon.targets import FEW

ROWS, SAMPLES = 20_000, 5
"""Rows of a sample, and how many samples are drawn: the first is evaluated, all show how stable the
answer is."""
FEWEST_ROWS = 1000
MOST_DRAWN = 40_000_000
"""Cells of all samples together, unless they are the fewest rows."""
MOST_STRATA = 1000
"""Different values of the target that are strata; numbers with more are drawn as they come."""
RARE_CLASS = 25
"""Rows of every class in the sample, if there are so many."""
MOST_TABLE, MOST_TABLES = 1 << 18, 1 << 24
"""Counts of one column with the target, and of all together."""


def draw(
    source: Source,
    target: Any,
    needed: Sequence[Any] = (),
    special: Mapping[Any, Sequence[float]] | None = None,
    random_state: int = 0,
) -> Drawn:
    """Draw samples, and find out what all rows say.

    Parameters
    ----------
    source : Source
        The rows.
    target : str
        Name of the target.
    needed : sequence of str
        Further columns that must not be missing, which are no features.
    special : dict of str to sequence of float
        Numbers of a column that are told apart from all others.
    random_state : int, default=0
        Seed of the draw.

    Returns
    -------
    drawn : Drawn
        Samples, and what is known of all rows.
    """
    roles = [target, *(name for name in needed if name != target)]
    features = [name for name in source.names if name not in roles]
    expect(4)
    outcome = _outcome_of(source, roles)
    step()
    rows, part = _rows_drawn(source, roles, outcome, len(features), random_state)
    step()
    frame, columns = _looked_at(source, roles, features, rows)
    order = np.lexsort((rows, part))
    frame, part = frame.iloc[order].reset_index(drop=True), part[order]
    step()
    grids, grid = _grids(columns, frame, outcome.column, target, special or {})
    tables = _tables(source, roles, grids, grid)
    step()
    sizes = outcome.sizes if grid.single.all() else None
    lacking = dict(zip(roles, outcome.lacking, strict=True))
    known = AllRows(outcome.n_rows, lacking, sizes, columns, grids, tables, grid)
    return Drawn(frame, part, target, known)


class Outcome(NamedTuple):
    """The target in all rows: how many, how many lack what is needed, its values and their rows."""

    n_rows: int
    lacking: list[int]
    column: Column
    sizes: np.ndarray | None


def _outcome_of(source: Source, roles: list[Any]) -> Outcome:
    lacking = np.zeros(len(roles), np.int64)
    column: Column | None = None
    sizes: dict[Any, int] = {}
    for own_lacking, own, counts in source.each(_target_in, roles, roles):
        lacking += own_lacking
        if own is None:
            raise TypeError(
                f"Column {roles[0]!r} holds neither numbers nor categories. Choose another target."
            )
        column = own if column is None else merged(column, own)
        if column is None:
            raise TypeError(f"Column {roles[0]!r} holds numbers and categories. Make it one kind.")
        for value, n in counts if len(sizes) <= MOST_STRATA else ():
            sizes[value] = sizes.get(value, 0) + n
    if column is None or not column.present:
        raise ValueError(f"Column {roles[0]!r} is empty. Choose another target.")
    if column.infinite:
        raise ValueError(f"Column {roles[0]!r} holds infinity. Correct or drop these rows.")
    few = column.values is not None and len(column.values) <= MOST_STRATA
    if not few and not column.numbers:
        raise ValueError(
            f"Column {roles[0]!r} has more than {MOST_STRATA} different categories, too many for "
            "classes. Is it the right column?"
        )
    own_sizes = np.array([sizes[value] for value in column.values.tolist()]) if (
        few and column.values is not None) else None  # fmt: skip
    return Outcome(column.present, lacking.tolist(), column, own_sizes)


def _target_in(part: Part, roles: list[Any]) -> tuple[list[int], Column | None, list]:
    """The target in the rows of a part, and how many have each of its values, if they are few."""
    frame, _, lacking = complete(part.frame, roles)
    held = held_in(frame[roles[0]])
    column = column_of(held)
    if held is None or column is None or column.values is None:
        return lacking, column, []
    grid = Grid(column.values, None, np.ones(len(column.values), bool)) if column.numbers else (
        Grid(None, column.values, np.ones(len(column.values), bool)))  # fmt: skip
    if not len(column.values):
        return lacking, column, []
    sizes = np.bincount(grid.codes(held, len(frame)), minlength=len(column.values))
    return lacking, column, list(zip(column.values.tolist(), sizes.tolist(), strict=True))


def _rows_drawn(
    source: Source, roles: list[Any], outcome: Outcome, n_features: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the rows drawn, in their order, and the sample of each."""
    n_rows = outcome.n_rows
    size = int(np.clip(MOST_DRAWN // (SAMPLES * (n_features + 1)), FEWEST_ROWS, ROWS))
    n_samples = int(np.clip(n_rows // size, 1, SAMPLES))
    sizes = np.array([n_rows]) if outcome.sizes is None else outcome.sizes
    least = int(np.clip(size // (4 * len(sizes)), 1, RARE_CLASS))
    wanted = np.maximum(np.rint(size * sizes / n_rows), np.minimum(sizes, least)).astype(np.int64)
    if n_rows <= size:
        wanted = sizes
    drawn = n_samples * wanted
    # So many standard deviations that the rows wanted are among those below the threshold.
    thresholds = (drawn + 8 * np.sqrt(drawn) + 50) / sizes
    strata = None
    if outcome.sizes is not None:
        strata = grid_of(outcome.column, np.empty(0), MOST_STRATA)
    found = [*source.each(_rows_below, roles, roles, strata, thresholds, seed)]
    rows, codes, numbers = (np.concatenate(each) for each in zip(*found, strict=True))
    order = np.lexsort((numbers, codes))
    rows, codes = rows[order], codes[order]
    starts = np.searchsorted(codes, np.arange(len(sizes)))
    part = (np.arange(len(rows)) - starts[codes]) // wanted[codes]
    rows, part = rows[part < n_samples], part[part < n_samples]
    order = np.argsort(rows)
    return rows[order], part[order]


def _rows_below(
    part: Part, roles: list[Any], strata: Grid | None, thresholds: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows whose number is below that of their class; their classes, and these numbers."""
    _, there, _ = complete(part.frame, roles)
    codes = np.zeros(len(there), np.int64)
    if strata is not None:
        codes = strata.codes(held_in(part.frame[roles[0]]), len(there))
    rows = part.start + np.arange(len(there))
    numbers = uniform(rows, seed)
    chosen = there & (codes >= 0) & (numbers < thresholds[codes])
    return rows[chosen], codes[chosen], numbers[chosen]


def uniform(rows: np.ndarray, seed: int) -> np.ndarray:
    """A number from 0 to 1 for every number of a row: the generator splitmix64 at that place.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.large._draw import uniform
    >>> uniform(np.arange(3), 0).round(4).tolist()
    [0.8833, 0.4315, 0.0264]
    """
    with np.errstate(over="ignore"):
        mixed = (rows.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed += np.uint64(seed) * np.uint64(0xD1B54A32D192ED03)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(11)) / 2.0**53


# --------------------------------------------------------------------------------- all columns


def _looked_at(
    source: Source, roles: list[Any], features: list[Any], rows: np.ndarray
) -> tuple[pd.DataFrame, dict[Any, Column]]:
    """The rows drawn, and what the features hold in all rows."""
    found: dict[Any, Column | None] = {}
    taken, bounds = [], dict[Any, int]()
    for own, cut in source.each(_look_and_take, [*features, *roles], roles, bounds, rows):
        for name, column in own.items():
            column = column if name not in found else merged(found[name], column)
            found[name] = column
            if column is not None and len(column.hashes) == SKETCH:
                bounds[name] = int(column.hashes[-1])
        if cut is not None:
            taken.append(cut)
    columns = {name: column for name, column in found.items() if column is not None}
    for name, column in columns.items():
        if column.infinite:
            raise ValueError(
                f"Column {name!r} holds infinity in {column.infinite:,} of the rows. Correct it, "
                "leave it empty, or drop the column."
            )
    return source.joined(taken), columns


def _look_and_take(
    part: Part, roles: list[Any], bounds: dict[Any, int], rows: np.ndarray
) -> tuple[dict[Any, Column | None], Any]:
    begin, end = np.searchsorted(rows, [part.start, part.start + len(part.frame)])
    cut = part.take(rows[begin:end] - part.start) if begin < end else None
    return look(part, roles, bounds), cut


def _grids(
    columns: Mapping[Any, Column],
    frame: pd.DataFrame,
    outcome: Column,
    target: Any,
    special: Mapping[Any, Sequence[float]],
) -> tuple[dict[Any, Grid], Grid]:
    """How values of the features, and of the target, become codes; bins by the rows drawn."""
    size = min(MOST_TABLE, MOST_TABLES // max(len(columns), 1))

    def numbers(name: Any) -> np.ndarray:
        held = held_in(frame[name])
        return np.empty(0) if held is None or held.numbers is None else held.numbers

    n_codes = max(isqrt(size), FEW) if outcome.numbers else MOST_STRATA
    of_target = grid_of(outcome, numbers(target), n_codes)
    assert of_target is not None  # labels that are too many were refused
    n_codes = int(np.clip(size // len(of_target.single), FEW, MOST_VALUES))
    found = {
        name: grid_of(column, numbers(name), n_codes, special.get(name, ()))
        for name, column in columns.items()
        if column.present
    }
    return {name: grid for name, grid in found.items() if grid is not None}, of_target


def _tables(
    source: Source, roles: list[Any], grids: Mapping[Any, Grid], outcome: Grid
) -> dict[Any, np.ndarray]:
    """How often every code of every feature goes with every one of the target."""
    found: dict[Any, np.ndarray] = {}
    names = [*grids, *(name for name in roles if name not in grids)]
    for own in source.each(count, names, roles, grids, roles[0], outcome):
        for name, table in own.items():
            if name in found:
                found[name] += table
            else:
                found[name] = table
    return found
