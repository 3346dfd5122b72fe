"""Columns that look like a repeated subject: a patient, a household, a store with several rows."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from echelon.profile._alike import as_values, correlation_ratio
from echelon.profile._columns import is_nominal, is_number, words_of

FEWEST_VALUES = 8
"""Fewer values are a feature with a few levels rather than subjects."""
MOST_ROWS_EACH = 60
"""Subjects that are not named so have no more rows each."""
ALIKE_WITHIN, ALIKE_IF_REGULAR = 0.8, 0.5
"""A column is shared by the rows of a subject from this corrected correlation ratio on; the second
if every subject has about as many rows."""
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


def repeated_subjects(X: pd.DataFrame, outcome: np.ndarray) -> list[Any]:
    """Columns whose rows of one value belong together.

    Labels and whole numbers with at least ``FEWEST_VALUES`` values that repeat; either named like
    a subject, or rows of one value are far more alike than others in most columns (see
    ``_belong_together``).  What a number tells along its own order makes it a quantity.

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
        return not quantity or any(shared) or not _rises_with(codes, others)
    return len(shared) > 1 and float(np.mean(shared)) >= MOST_ALIKE


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
