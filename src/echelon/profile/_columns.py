"""What can be seen of feature columns before any method runs.

``missing_codes``: numbers that may stand for missing values, as 99 among answers from 1 to 5.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import pandas as pd

from echelon.data import (
    as_frame,
    check_kinds,
    is_nominal,
    is_number,
    nominal_columns,
    of_plain_numbers,
)
from echelon.profile._related import as_values, correlation_ratio
from echelon.targets import Target

PAIRS = (
    ("{}_min", "{}_max"),
    ("{}_lower", "{}_upper"),
    ("{}_low", "{}_high"),
    ("{}_lo", "{}_hi"),
    ("{}_from", "{}_to"),
    ("min_{}", "max_{}"),
    ("lower_{}", "upper_{}"),
    ("low_{}", "high_{}"),
    ("{} min", "{} max"),
    ("{}.min", "{}.max"),
    ("{}Min", "{}Max"),
)
"""How columns of lower and upper bounds are usually named."""

EXPECTED_REPEATS = 10
"""Whole numbers that never repeat, where chance would have repeated so many, are identifiers."""

_ID_NAME = re.compile(
    r"(^|[_\s.-])(id|ids|uuid|guid|key|index|no|nr|number|#)$|^(id|uuid)[_\s.-]|^column 1$"
)

MANY_TEXTS, ROWS_EACH = 20, 4
"""More different texts than the first, with fewer rows each than the second, are no categories."""

FEWEST_VALUES = 8
"""Fewer values are a feature with a few levels rather than subjects."""
MOST_ROWS_EACH = 60
"""Subjects that are not named so have no more rows each."""
ALIKE_WITHIN, ALIKE_IF_REGULAR = 0.8, 0.5
"""A column is shared by the rows of a subject from this corrected correlation ratio on; the second
if every subject has about as many rows."""
CELLS = 1 << 21
"""Values that are looked at at a time."""
REGULAR = 0.25
"""Numbers of rows vary by no more than this share of their mean."""
MOST_ALIKE = 0.5
"""So large a share of the columns must be shared."""
SMOOTH = 0.75
"""Of what values of a number tell, neighbouring values together tell so much if it is a quantity;
of subjects they tell about half."""
MOST_COMPARED, MOST_LOOKED_AT = 60, 2000
"""Columns that subjects are compared by, and columns beyond which none is looked for."""

_SUBJECT = re.compile(
    r"(^|[_\s.-])(patient|subject|person|participant|respondent|household|family|hh|store|shop|"
    r"school|student|pupil|customer|client|user|member|animal|donor|mother|child|twin|session|"
    r"batch|plant|site|hospital|clinic|village|farm|vehicle|machine|device|employee|player|"
    r"company|firm)s?([_\s.#-]*(id|ids|no|nr|num|number|code|key|name|#))?$"
)
_GROUP = re.compile(
    r"(^|[_\s.-])(title|job|position|profession|occupation|role|rank|department|city|town|country|"
    r"region|state|category|class|type|kind|model|brand|make|product|species|year|quarter|month|week|"
    r"day|weekday|hour)s?([_\s.#-]*(id|ids|no|nr|num|number|code|name))?$"
)
"""Names of what many subjects share, and of times: their rows may well be alike."""


def constant_columns(X: Any) -> list[Any]:
    """Columns with one value, or none; missing values apart.

    Parameters
    ----------
    X : DataFrame or array of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    names : list
        Names of the columns; of an array, their numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from echelon.profile import constant_columns
    >>> constant_columns(pd.DataFrame({"a": [1, 1, None], "b": [1, 2, 3]}))
    ['a']
    """
    return without_variation(_read(X))


def _read(X: Any) -> pd.DataFrame:
    """A table as a user passes it."""
    frame = as_frame(X)
    check_kinds(frame)
    return frame


def without_variation(X: pd.DataFrame) -> list[Any]:
    """``constant_columns`` of a table that was read, which may be empty."""
    if of_plain_numbers(X) and len(X):  # thousands of columns one by one would take seconds
        values = X.to_numpy(dtype=float)
        return X.columns[~(np.fmin.reduce(values) < np.fmax.reduce(values))].tolist()
    return [name for name, column in X.items() if not _varies(column)]


def _varies(column: pd.Series) -> bool:
    known = column.dropna()
    return len(known) > 1 and bool((known != known.iloc[0]).any())


def duplicated_columns(X: pd.DataFrame) -> list[list[Any]]:
    """Groups of columns that are the same, row by row."""
    seen: dict[bytes, list[Any]] = {}
    for name, column in X.items():
        if isinstance(column.dtype, pd.IntervalDtype):
            codes = np.column_stack([column.array.left, column.array.right])
        elif is_number(column):
            codes = column.to_numpy(dtype=float, na_value=np.nan)
        else:
            codes = pd.util.hash_array(column.astype(str).to_numpy(object), categorize=True)
        seen.setdefault(codes.tobytes(), []).append(name)
    return [names for names in seen.values() if len(names) > 1]


def identifier_columns(X: pd.DataFrame) -> list[Any]:
    """Columns that name the row: labels that never repeat, numbers that count or are called id."""
    if len(X) > 2 and of_plain_numbers(X):
        whole = [(part == np.round(part)).all(axis=0) for part in _in_parts(X.to_numpy(float))]
        X = X.loc[:, np.concatenate(whole)]
    return [name for name, column in X.items() if len(X) > 2 and _is_identifier(name, column)]


def _in_parts(values: np.ndarray) -> list[np.ndarray]:
    """Some columns at a time: what is asked of each must not take the memory of all."""
    n_parts = min(values.shape[1], values.size // CELLS)
    return np.array_split(values, max(1, n_parts), axis=1)


def _is_identifier(name: Any, column: pd.Series) -> bool:
    named = _ID_NAME.search(words_of(name)) is not None
    if isinstance(column.dtype, pd.IntervalDtype | pd.CategoricalDtype):
        return False
    if not is_number(column):
        share = column.nunique() / max(column.count(), 1)
        return share > 0.9 if named else share > 0.99 and column.count() > 10
    if pd.api.types.is_bool_dtype(column.dtype) or not column.is_unique:
        return False
    values = column.to_numpy(dtype=float, na_value=np.nan)
    whole = bool((values == np.round(values)).all())
    with _beyond_floats():
        return whole and (named or bool((np.diff(values) == 1).all()) or _given_out(values))


def _beyond_floats() -> AbstractContextManager:
    """Within, differences and sums of the largest floats are infinite, and so larger than any."""
    return np.errstate(over="ignore", invalid="ignore")


def _given_out(values: np.ndarray) -> bool:
    """Whether so many whole numbers from so small a range would repeat, had they been measured.

    n numbers drawn from r repeat n (n - 1) / (2 r) times on average; none at all has the
    probability exp of minus that (the problem of birthdays).
    """
    n, span = len(values), np.ptp(values) + 1
    return bool(n * (n - 1) / 2 >= EXPECTED_REPEATS * span)


def text_columns(X: Any) -> list[Any]:
    """Columns of so many different texts that they describe single rows, not groups of them.

    The rule by which a target of texts is no class (see ``MANY_TEXTS``, ``ROWS_EACH``).

    Parameters
    ----------
    X : DataFrame or array of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    names : list
        Names of the columns; of an array, their numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from echelon.profile import text_columns
    >>> X = pd.DataFrame({"home": ["own", "rent"] * 30, "remark": [f"no {k}" for k in range(60)]})
    >>> text_columns(X)
    ['remark']
    """
    return of_texts(_read(X))


def of_texts(X: pd.DataFrame) -> list[Any]:
    """``text_columns`` of a table that was read, which may be empty."""
    return [name for name in nominal_columns(X) if _are_texts(X[name])]


def _are_texts(column: pd.Series) -> bool:
    n_texts = column.nunique()
    return n_texts > MANY_TEXTS and n_texts * ROWS_EACH > column.count()


def words_of(name: Any) -> str:
    """A name in lower case, with CustomerID as customer_id."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(name).strip()).lower()


def interval_pairs(X: pd.DataFrame) -> tuple[str, str, list[str]] | None:
    """Naming pattern and features of pairs of bounds, if at least half of all columns are some."""
    numbers = {str(name): column for name, column in X.items() if is_number(column)}
    for lower, upper in PAIRS:
        head, tail = lower.split("{}")
        found = [n[len(head) : len(n) - len(tail)] for n in numbers if _like(n, head, tail)]
        features = [
            feature
            for feature in found
            if upper.format(feature) in numbers
            and _are_bounds(numbers[lower.format(feature)], numbers[upper.format(feature)])
        ]
        if features and 4 * len(features) >= X.shape[1]:
            return lower, upper, features
    return None


def _are_bounds(lower: pd.Series, upper: pd.Series) -> bool:
    """Whether nearly all are in order; a few that are not will be refused as mistakes."""
    return float((lower > upper).mean()) <= 0.05


def _like(name: str, head: str, tail: str) -> bool:
    return len(name) > len(head) + len(tail) and name.startswith(head) and name.endswith(tail)


def has_common_scale(X: pd.DataFrame) -> bool:
    """Whether columns look like one kind of measurement, comparable within a row.

    True if the middle half of nearly every column meets that of all values together, unless the
    columns were standardised, which makes any columns look alike.
    """
    if X.shape[1] < 3 or not all(map(pd.api.types.is_numeric_dtype, X.dtypes)):
        return False
    values = X.to_numpy(dtype=float, na_value=np.nan)
    missing = [np.isnan(part) for part in _in_parts(values)]
    empty = np.concatenate([part.all(axis=0) for part in missing])
    values = values[:, ~empty] if empty.any() else values
    with _beyond_floats():
        if _standardised(values):
            return False
        # Without gaps the same numbers come of sorting all columns at once.
        gaps = any(part.any() for part in missing)
        percentile = np.nanpercentile if gaps else np.percentile
        quartiles = [percentile(part, [25, 75], axis=0) for part in _in_parts(values)]
        low, high = np.hstack(quartiles)
        pooled_low, pooled_high = percentile(values, [25, 75])
        return bool(np.mean((low <= pooled_high) & (high >= pooled_low)) >= 0.9)


def _standardised(values: np.ndarray) -> bool:
    parts = _in_parts(values)
    mean, spread, low, high = (
        np.concatenate([each(part, axis=0) for part in parts])
        for each in (np.nanmean, np.nanstd, np.nanmin, np.nanmax)
    )
    scaled = high - low
    unit = np.abs(spread - 1) < 0.05
    return bool((np.abs(mean) < 0.05)[unit].all() and unit.mean() > 0.9) or bool(
        (np.abs(scaled - 1) < 1e-9).mean() > 0.9
    )


# ------------------------------------------------------- subjects with several rows each


def repeated_subjects(X: pd.DataFrame, outcome: np.ndarray) -> list[Any]:
    """Columns whose rows of one value belong together.

    Labels and whole numbers with at least ``FEWEST_VALUES`` values that repeat; either named like
    a subject, or rows of one value are far more alike than others in most columns (see
    ``_belong_together``) and it is not named like a group of subjects, such as a job.  What a
    number tells along its own order makes it a quantity, unless every value has about as many
    rows, which stand together and share a column of their own: visits of subjects 1, 2, 3, ...

    Parameters
    ----------
    X : DataFrame of shape (n_samples, n_features)
        Samples.
    outcome : ndarray of shape (n_samples,)
        The target as numbers, which subjects are compared by as well.
    """
    if X.shape[1] > MOST_LOOKED_AT:
        return []
    candidates = [name for name, column in X.items() if _may_be(name, column)]
    if not candidates:
        return []
    step = max(1, X.shape[1] // MOST_COMPARED)
    others = X.iloc[:, ::step]
    values, nominal = as_values(others)
    ranks = pd.DataFrame(values).rank().to_numpy()
    compared = {name: ranks[:, j] for j, name in enumerate(others) if not nominal[j]}
    compared[None] = outcome
    return [name for name in candidates if _is_subject(name, X[name], compared)]


def _may_be(name: Any, column: pd.Series) -> bool:
    """Whether values repeat, and are labels or whole numbers."""
    if isinstance(column.dtype, pd.IntervalDtype) or pd.api.types.is_bool_dtype(column.dtype):
        return False
    if not is_nominal(column):
        if not is_number(column):  # an ordered category
            return False
        values = column.to_numpy(dtype=float, na_value=np.nan)
        if not (values == np.round(values)).all():
            return False
    n_values, n_rows = column.nunique(), column.count()
    few = _is_named(name) or n_rows <= MOST_ROWS_EACH * n_values
    return n_values >= FEWEST_VALUES and 2 * n_values <= n_rows and few


def _is_named(name: Any) -> bool:
    return _SUBJECT.search(words_of(name)) is not None


def _is_subject(name: Any, column: pd.Series, compared: dict[Any, np.ndarray]) -> bool:
    others = [values for other, values in compared.items() if other != name]
    quantity = not is_nominal(column)
    codes = pd.factorize(column, sort=quantity)[0].astype(float)
    codes[codes < 0] = np.nan
    least = ALIKE_IF_REGULAR if _is_regular(codes) or _is_named(name) else ALIKE_WITHIN
    shared = [_belong_together(codes, values, quantity, least) for values in others]
    if _is_named(name):
        # A number of customers is a quantity: its neighbours are alike, or nothing is.
        alike = any(shared) or not _rises_with(codes, others)
        return not quantity or alike or _are_visits(codes, others)
    if _GROUP.search(words_of(name)) is not None:
        return False
    alike = len(shared) > 1 and float(np.mean(shared)) >= MOST_ALIKE
    return alike or (quantity and _are_visits(codes, others))


def _are_visits(codes: np.ndarray, others: list[np.ndarray]) -> bool:
    """Whether each value has about as many rows, in one block, and a column is constant in each."""
    if np.isnan(codes).any() or not _is_regular(codes):
        return False
    values = codes.astype(int)
    n_blocks = 1 + np.count_nonzero(np.diff(values))
    return n_blocks == values.max() + 1 and any(_constant_in(values, other) for other in others)


def _constant_in(values: np.ndarray, other: np.ndarray) -> bool:
    """Whether another column differs between blocks of rows and never within, and repeats."""
    if np.isnan(other).any():
        return False
    begins = np.flatnonzero(np.diff(values, prepend=-1))
    firsts = other[begins]
    return bool(
        (np.repeat(firsts, np.diff(begins, append=len(values))) == other).all()
        and len(np.unique(firsts)) > 1
    )


def _is_regular(codes: np.ndarray) -> bool:
    counts = np.bincount(codes[~np.isnan(codes)].astype(int))
    return bool(counts.std() <= REGULAR * counts.mean())


def _belong_together(codes: np.ndarray, values: np.ndarray, quantity: bool, least: float) -> bool:
    """Whether rows of one value share this column, and not because neighbouring values do."""
    ratio = correlation_ratio(codes, values)
    if ratio < least:
        return False
    if not quantity:
        return True
    return correlation_ratio(np.floor(codes / 2), values) ** 2 < SMOOTH * ratio**2


def _rises_with(codes: np.ndarray, others: list[np.ndarray]) -> bool:
    """Whether the numbers themselves say something: a clear rank correlation with some column."""
    ranks = pd.Series(codes).rank()
    return any(abs(ranks.corr(pd.Series(values).rank())) > 0.3 for values in others)


CODES = np.array(
    [-99999, -9999, -999, -888, -777, -99, -98, -97, -88, -77, -66, -9, -8, -7, 66, 77, 88, 97, 98,
     99, 666, 777, 888, 997, 998, 999, 9997, 9998, 9999, 99999],
    dtype=float,
)  # fmt: skip
"""Numbers that are commonly used as codes."""

LEAST_REPEATS = 2
"""A code occurs at least so often, unless two other columns have it."""

ISOLATED = 2.0
"""A code is farther from other values than so many times the largest gap between those; at 1, one
in fifty columns of a few whole numbers would be suspected."""


def columns_with_codes(X: pd.DataFrame) -> dict[Any, list[float]]:
    """Codes of every column that seems to hold some (see ``missing_codes``)."""
    if of_plain_numbers(X) and len(X):  # thousands of columns one by one would take seconds
        values = X.to_numpy(dtype=float)
        ends = np.isin(np.fmin.reduce(values), CODES) | np.isin(np.fmax.reduce(values), CODES)
        X = X.loc[:, ends]
    numbers = {
        name: column.to_numpy(dtype=float, na_value=np.nan)
        for name, column in X.items()
        if is_number(column) and not pd.api.types.is_bool_dtype(column.dtype)
    }
    found = {name: missing_codes(values) for name, values in numbers.items()}
    columns = Counter(code for codes in found.values() for code in codes)
    elsewhere = [code for code, n_columns in columns.items() if n_columns > 1]
    if elsewhere:
        found = {name: missing_codes(values, elsewhere) for name, values in numbers.items()}
    return {name: codes for name, codes in found.items() if codes}


def codes_of_target(target: Target) -> dict[Any, list[float]]:
    """Codes among numbers of the target, by its name; classes that are texts have none."""
    values = target.values
    if target.labels is not None and target.labels.dtype.kind in "iuf":
        values = target.labels[target.class_codes]
    codes = [] if values is None else missing_codes(np.asarray(values, dtype=float))
    return {target.name or "y": codes} if codes else {}


def missing_codes(values: np.ndarray, elsewhere: Sequence[float] = ()) -> list[float]:
    """Repeated values that look like codes for missing values, lowest first.

    They are among ``CODES``, lie below or above all other values, and are separated from them by
    a gap far larger than any gap between those; or they are the only negative values.

    Parameters
    ----------
    values : ndarray of shape (n_samples,)
        Numbers; NaN where they are missing already.
    elsewhere : sequence of float, default=()
        Codes of other columns, which need not be repeated in this one.
    """
    levels, counts = np.unique(values[np.isfinite(values)], return_counts=True)
    if len(levels) < 3:
        return []
    repeated = (counts >= LEAST_REPEATS) | np.isin(levels, elsewhere)
    may_be = np.isin(levels, CODES) & repeated
    inner = np.flatnonzero(~may_be)
    if len(inner) < 2:
        return []
    first, last = int(inner[0]), int(inner[-1])
    while True:  # give back what is not isolated, the innermost first
        gap = ISOLATED * float(np.diff(levels[first : last + 1]).max())
        if first and not _isolated(levels, first, gap):
            first -= 1
        elif last + 1 < len(levels) and levels[last + 1] - levels[last] <= gap:
            last += 1
        else:
            break
    core = levels[first : last + 1]
    if np.mean(core % 10 == 9) >= 0.5:  # prices such as 199 and 499
        last = len(levels) - 1
    return [*levels[:first].tolist(), *levels[last + 1 :].tolist()]


def _isolated(levels: np.ndarray, first: int, gap: float) -> bool:
    """Whether the level below ``first`` is far from it, or no other number below 0 is a value."""
    below, lowest = levels[first - 1], levels[first]
    return bool(lowest - below > gap or (below <= -99 and lowest >= 0))
