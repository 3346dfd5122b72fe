"""What the data are, and which method fits: the one fact finder, for all who look at a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import pandas as pd

from echelon._core.words import data_caveats, data_facts, data_warnings, why_method
from echelon.data import as_frame, check_kinds, nominal_columns
from echelon.evaluation import monotonicity_violations
from echelon.methods import CLASSES, METHODS, ORDERED
from echelon.profile._columns import (
    codes_of_target,
    columns_with_codes,
    duplicated_columns,
    has_common_scale,
    identifier_columns,
    interval_pairs,
    of_texts,
    repeated_subjects,
    without_variation,
)
from echelon.profile._related import giveaways
from echelon.targets import Target, read_target

MOST_PAIRED_ROWS = 2000
"""Rows of which all pairs are compared; of more rows a sample is taken."""


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
        Categorical columns.
    missing : dict
        Missing values of every column that has some.
    missing_codes : dict
        Numbers that look like codes for missing values, as 99 among answers from 1 to 5, of every
        column that has some; the target under its name.
    constant, identifiers : list
        Columns that cannot tell anything: one value only, or one for every row.
    texts : list
        Columns of more than 20 different texts with fewer than 4 rows each: remarks, names, times.
    repeated : list
        Columns that look like a subject with several rows: a patient, a household, a store.
    duplicated : list of lists
        Columns that are the same.
    giveaways : list
        Columns that alone predict the target almost perfectly: they may hold the answer itself.
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
    missing_codes: dict[Any, list[float]]
    constant: list[Any]
    identifiers: list[Any]
    texts: list[Any]
    repeated: list[Any]
    duplicated: list[list[Any]]
    giveaways: list[Any]
    intervals: list[Any]
    interval_pattern: tuple[str, str] | None
    common_scale: bool

    @property
    def useless(self) -> list[Any]:
        """Columns that cannot tell anything."""
        return [*self.constant, *self.identifiers, *self.texts]


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
    constant = without_variation(X)
    identifiers = [name for name in identifier_columns(X) if name not in constant]
    useful = X.drop(columns=[*constant, *identifiers])
    outcome = target.numbers if target.codes is None else target.codes.astype(float)
    repeated = repeated_subjects(useful, outcome)
    texts = [name for name in of_texts(useful) if name not in repeated]
    useful = useful.drop(columns=texts)
    typed = [name for name, dtype in X.dtypes.items() if isinstance(dtype, pd.IntervalDtype)]
    pairs = None if typed else interval_pairs(useful)
    return Facts(
        n_samples=X.shape[0],
        n_features=X.shape[1],
        target=target.name,
        kind=target.kind,
        classes=target.counts,
        order_from=target.order_from,
        nominal=nominal_columns(useful),
        missing={name: int(n) for name, n in gaps[gaps > 0].items()},
        missing_codes=codes_of_target(target) | columns_with_codes(useful),
        constant=constant,
        identifiers=identifiers,
        texts=texts,
        repeated=repeated,
        duplicated=duplicated_columns(useful),
        giveaways=giveaways(useful, target),
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


@dataclass(frozen=True)
class Profile(Facts):
    """What a table and its target are, and what that calls for.

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
        Categorical columns.
    missing : dict
        Missing values of every column that has some.
    missing_codes : dict
        Numbers that look like codes for missing values, as 99 among answers from 1 to 5, of every
        column that has some; the target under its name.
    constant, identifiers : list
        Columns that cannot tell anything: one value only, or one for every row.
    texts : list
        Columns of more than 20 different texts with fewer than 4 rows each: remarks, names, times.
    repeated : list
        Columns that look like a subject with several rows: a patient, a household, a store.
    duplicated : list of lists
        Columns that are the same.
    giveaways : list
        Columns that alone predict the target almost perfectly: they may hold the answer itself.
    intervals : list
        Features that are intervals, as columns of interval dtype or as pairs of columns.
    interval_pattern : tuple of (str, str) or None
        How the columns of such pairs are named.
    common_scale : bool
        Whether all columns look like one kind of measurement.
    violations : dict or None
        Ordered classes: share of comparable pairs of rows that break the order
        (``together``), their number (``n_pairs``), and the median and smallest share of single
        features (``median``, ``best``).
    method : str
        Name of the method that fits, as on the command line.

    Examples
    --------
    >>> from echelon.datasets import load_grades
    >>> from echelon.profile import profile
    >>> found = profile(*load_grades())
    >>> found.kind, found.method
    ('ordinal', 'autoselector')
    >>> round(found.violations["together"], 2)  # of the pairs that can be compared
    0.09
    """

    violations: dict[str, float] | None
    method: str

    @property
    def reason(self) -> str:
        """Why the method fits, in one sentence."""
        return why_method(self)

    @property
    def warnings(self) -> list[str]:
        """What no answer must be read without, one sentence each."""
        return data_warnings(self)

    @property
    def caveats(self) -> list[str]:
        """What to take care of in the data, one sentence each."""
        return data_caveats(self)

    def facts(self) -> dict[str, Any]:
        """The facts as plain values; names and labels as text where they are keys."""
        plain = asdict(self)
        for name in ("classes", "missing", "missing_codes"):
            plain[name] = {str(key): value for key, value in plain[name].items()}
        return plain

    def as_dict(self, *, command: bool = False) -> dict[str, Any]:
        """The facts as plain values, and the sentences about them.

        Parameters
        ----------
        command : bool, default=False
            Whether sentences name options of the command rather than parameters in Python.
        """
        said = {
            "reason": self.reason,
            "warnings": data_warnings(self, command),
            "caveats": data_caveats(self, command),
        }
        return self.facts() | said

    def frame(self) -> pd.DataFrame:
        """One row per fact: ``fact`` and ``value``, in words."""
        return pd.DataFrame(data_facts(self), columns=["fact", "value"])

    def selector(self, **params: Any) -> Any:
        """The method that fits, not fitted, with these parameters where it has them."""
        return METHODS[self.method].make(**params)


def profile(
    X: Any,
    y: Any,
    *,
    kind: str = "auto",
    class_order: Sequence | None = None,
    monotone: bool = True,
    random_state: int = 0,
) -> Profile:
    """Look at a table and its target, and say which method fits.

    Parameters
    ----------
    X : DataFrame or array of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,), or Target
        Target; its name is shown.
    kind : {"auto", "ordinal", "classification", "regression"}, default="auto"
        What the target is; "auto": see ``echelon.targets``.
    class_order : sequence, default=None
        Classes from lowest to highest.
    monotone : bool, default=True
        Compare pairs of rows to see whether features rise or fall with ordered classes.
    random_state : int, default=0
        Draws the rows compared, if there are more than 2,000.

    Returns
    -------
    profile : Profile
        With ``frame()``, ``as_dict()``, ``caveats``, ``method`` and ``reason``.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.datasets import load_diabetes
    >>> from echelon.profile import profile
    >>> X, progression = load_diabetes(return_X_y=True, as_frame=True)
    >>> found = profile(X, pd.qcut(progression, 4, labels=False).rename("grade"))
    >>> found.kind, found.method
    ('ordinal', 'autoselector')
    >>> print(found.reason)
    'grade' has 4 ordered classes; AutoSelector aggregates rankings that use their order.
    """
    table = as_frame(X)
    check_kinds(table)
    target = read_target(y, kind, class_order)
    facts = find_facts(table, target)
    broken = None
    if monotone and facts.n_features > len(facts.useless):
        broken = order_broken(table.drop(columns=facts.useless), target, random_state)
    intervals = facts.kind == CLASSES and facts.intervals
    found = {field.name: getattr(facts, field.name) for field in fields(facts)}
    method = "intervalrelief" if intervals else "autoselector"
    return Profile(**found, violations=broken, method=method)
