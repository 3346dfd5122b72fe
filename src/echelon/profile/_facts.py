"""What can be seen of a table and its target before any method runs: the one fact finder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from echelon.evaluation import monotonicity_violations
from echelon.methods import CONTINUOUS, ORDERED
from echelon.profile._columns import (
    constant_columns,
    duplicated_columns,
    giveaways,
    has_common_scale,
    identifier_columns,
    interval_pairs,
    nominal_columns,
)
from echelon.profile._repeated import repeated_subjects
from echelon.targets import Target

MOST_PAIRED_ROWS = 2000
"""Rows of which all pairs are compared; of more rows a sample is taken."""

MOST_SEARCHED = 2000
"""Beyond so many columns none is searched for the answer itself."""


@dataclass(frozen=True)
class Facts:
    """What a table and its target are.

    Attributes
    ----------
    n_samples, n_features : int
        Size of the table, target left out.
    target : str or None
        Name of the target.
    kind : {"ordinal", "classification", "regression"}
        What the target is.
    classes : dict
        Rows of every class, lowest class first where there is an order; empty for numbers.
    order_from : {"given", "declared", "numbers", "assumed", ""}
        Where the order is from (see ``echelon.targets.Target``).
    nominal : list
        Columns of labels.
    missing : dict
        Missing values of every column that has some.
    constant, identifiers : list
        Columns that cannot tell anything: one value only, or one for every row.
    repeated : list
        Columns that look like a subject with several rows: a patient, a household, a store.
    duplicated : list of lists
        Columns that are the same.
    giveaways : list
        Columns that alone tell the class of every row.
    intervals : list
        Features that are intervals, as columns of interval dtype or as pairs of columns.
    interval_pattern : tuple of (str, str) or None
        How the columns of such pairs are named.
    common_scale : bool
        Whether all columns look like one kind of measurement.

    Examples
    --------
    >>> from echelon.datasets import load_grades
    >>> from echelon.profile import find_facts
    >>> from echelon.targets import read_target
    >>> X, grade = load_grades()
    >>> facts = find_facts(X, read_target(grade))
    >>> facts.n_samples, facts.n_features, facts.kind, facts.order_from
    (442, 10, 'ordinal', 'declared')
    """

    n_samples: int
    n_features: int
    target: str | None
    kind: str
    classes: dict[Any, int]
    order_from: str
    nominal: list[Any]
    missing: dict[Any, int]
    constant: list[Any]
    identifiers: list[Any]
    repeated: list[Any]
    duplicated: list[list[Any]]
    giveaways: list[Any]
    intervals: list[Any]
    interval_pattern: tuple[str, str] | None
    common_scale: bool

    @property
    def useless(self) -> list[Any]:
        """Columns that cannot tell anything."""
        return [*self.constant, *self.identifiers]


def find_facts(X: pd.DataFrame, target: Target) -> Facts:
    """Look at a table and its target.

    Parameters
    ----------
    X : DataFrame of shape (n_samples, n_features)
        Samples.
    target : Target
        The target, as ``echelon.targets.read_target`` reads it.

    Returns
    -------
    facts : Facts
        What they are.

    Examples
    --------
    >>> import pandas as pd
    >>> from echelon.profile import find_facts
    >>> from echelon.targets import read_target
    >>> X = pd.DataFrame({"a": [1.5, 2.0, 3.1], "same": [1.5, 2.0, 3.1], "flat": [7] * 3})
    >>> facts = find_facts(X, read_target(["x", "y", "x"]))
    >>> facts.constant, facts.duplicated
    (['flat'], [['a', 'same']])
    """
    gaps = X.isna().sum()
    constant = constant_columns(X)
    identifiers = [name for name in identifier_columns(X) if name not in constant]
    useful = X.drop(columns=[*constant, *identifiers])
    typed = [name for name, dtype in X.dtypes.items() if isinstance(dtype, pd.IntervalDtype)]
    pairs = None if typed else interval_pairs(useful)
    outcome = target.numbers if target.codes is None else target.codes.astype(float)
    searched = target.kind != CONTINUOUS and useful.shape[1] <= MOST_SEARCHED
    return Facts(
        n_samples=X.shape[0],
        n_features=X.shape[1],
        target=target.name,
        kind=target.kind,
        classes=target.counts,
        order_from=target.order_from,
        nominal=nominal_columns(useful),
        missing={name: int(n) for name, n in gaps[gaps > 0].items()},
        constant=constant,
        identifiers=identifiers,
        repeated=repeated_subjects(useful, outcome),
        duplicated=duplicated_columns(useful),
        giveaways=giveaways(useful, target.codes) if searched else [],  # type: ignore[arg-type]
        intervals=typed or (pairs[2] if pairs else []),
        interval_pattern=pairs[:2] if pairs else None,
        common_scale=has_common_scale(useful),
    )


def order_broken(X: pd.DataFrame, target: Target, random_state: int) -> dict[str, float] | None:
    """How far features rise or fall with ordered classes; None where that makes no sense.

    Returns the share of comparable pairs of rows that break the order (``together``), their number
    (``n_pairs``), and the median and smallest share of single features (``median``, ``best``).
    """
    numbers = X.drop(columns=nominal_columns(X))
    intervals = any(isinstance(dtype, pd.IntervalDtype) for dtype in numbers.dtypes)
    if target.kind != ORDERED or numbers.shape[1] == 0 or intervals:
        return None
    y = target.y
    if len(X) > MOST_PAIRED_ROWS:
        rows = np.random.default_rng(random_state).permutation(len(X))[:MOST_PAIRED_ROWS]
        numbers, y = numbers.iloc[rows], y.iloc[rows]
    found = monotonicity_violations(numbers, y, monotonic_cst="auto")
    each = np.minimum(found.per_feature, 1 - found.per_feature)
    known = each[~np.isnan(each)]
    return {
        "together": 0.0 if found.n_pairs == 0 else float(found.together),
        "n_pairs": int(found.n_pairs),
        "median": float(np.median(known)) if len(known) else 0.5,
        "best": float(known.min()) if len(known) else 0.5,
    }
