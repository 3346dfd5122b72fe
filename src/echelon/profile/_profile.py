"""What the data are, what to beware of, and which method fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from echelon._core.words import listed
from echelon.methods import CLASSES, CONTINUOUS, METHODS, ORDERED
from echelon.profile._columns import (
    WIDE,
    constant_columns,
    duplicated_columns,
    giveaways,
    has_common_scale,
    identifier_columns,
    interval_pairs,
    is_nominal,
)
from echelon.targets import Target, read_target

MOST_PAIRED_ROWS = 2000
"""Rows of which all pairs are compared; of more rows a sample is taken."""

MOST_SEARCHED = 2000
"""Beyond so many columns none is searched for the answer itself."""


@dataclass(frozen=True)
class Profile:
    """What a table and its target are.

    Attributes
    ----------
    n_samples, n_features : int
        Size of the table, target left out.
    target : str or None
        Name of the target.
    kind : {"ordinal", "classification", "regression"}
        What the target is.
    classes : dict or None
        Rows of every class, lowest class first where there is an order.
    order_from : str
        Where the order is from: "given", "declared" (in the file or dtype), "numbers", or "".
    nominal : list
        Columns of labels.
    missing : dict
        Missing values of every column that has some.
    constant, identifiers : list
        Columns that cannot tell anything: one value only, or one for every row.
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
    violations : dict or None
        Ordered classes: share of comparable pairs of rows that break the order
        (``together``), their number (``n_pairs``), and the median and smallest share of single
        features (``median``, ``best``).
    caveats : list of str
        What to beware of, one sentence each.
    method : str
        Name of the method that fits, as on the command line.
    reason : str
        Why, in one sentence.
    """

    n_samples: int
    n_features: int
    target: str | None
    kind: str
    classes: dict[Any, int] | None
    order_from: str
    nominal: list[Any]
    missing: dict[Any, int]
    constant: list[Any]
    identifiers: list[Any]
    duplicated: list[list[Any]]
    giveaways: list[Any]
    intervals: list[Any]
    interval_pattern: tuple[str, str] | None
    common_scale: bool
    violations: dict[str, float] | None
    caveats: list[str]
    method: str
    reason: str

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values; class labels as text."""
        plain = asdict(self)
        for name in ("classes", "missing"):
            if plain[name] is not None:
                plain[name] = {str(key): value for key, value in plain[name].items()}
        return plain

    def frame(self) -> pd.DataFrame:
        """One row per fact: ``fact`` and ``value``, in words."""
        return pd.DataFrame(self._facts(), columns=["fact", "value"])

    def selector(self, **params: Any) -> Any:
        """The method that fits, not fitted, with these parameters where it has them."""
        return METHODS[self.method].make(**params)

    def _facts(self) -> list[tuple[str, str]]:
        facts = [
            ("rows", f"{self.n_samples:,}"),
            ("features", f"{self.n_features:,}{self._kinds_of_columns()}"),
            ("target", f"{self.target or 'y'}: {self._kind_in_words()}"),
        ]
        if self.classes is not None:
            sep = " < " if self.kind == ORDERED else ", "
            facts.append(("classes", sep.join(f"{k} ({n:,})" for k, n in self.classes.items())))
        if self.violations is not None:
            facts.append(("monotone", self._monotone_in_words()))
        facts.append(("missing", self._missing_in_words()))
        facts += [
            (fact, listed(names))
            for fact, names in (
                ("constant", self.constant),
                ("like identifiers", self.identifiers),
                ("intervals", self.intervals),
                ("tell the class alone", self.giveaways),
            )
            if names
        ]
        facts += [("the same", " = ".join(map(str, group))) for group in self.duplicated[:5]]
        if self.common_scale:
            facts.append(("scale", "the same in all columns, as far as one can see"))
        return facts

    def _kinds_of_columns(self) -> str:
        return f", {len(self.nominal)} of them labels" if self.nominal else ""

    def _kind_in_words(self) -> str:
        if self.kind == CONTINUOUS:
            return "numbers"
        number = f"{len(self.classes or {})} classes"
        sources = {"given": "", "declared": " (declared)", "numbers": " (numbers)", "": ""}
        ordered = "with" if self.kind == ORDERED else "without"
        if len(self.classes or {}) == 2 and self.kind == CLASSES:
            return number
        return f"{number} {ordered} an order{sources[self.order_from]}"

    def _missing_in_words(self) -> str:
        if not self.missing:
            return "nothing"
        shares = sorted(self.missing.items(), key=lambda item: -item[1])
        return listed(f"{name} ({_percent(n / self.n_samples)})" for name, n in shares)

    def _monotone_in_words(self) -> str:
        v = self.violations or {}
        if v["n_pairs"] >= 30:
            return (
                f"{_percent(v['together'])} of {v['n_pairs']:,.0f} comparable pairs of rows "
                "break the order"
            )
        return (
            "hardly two rows are comparable in all features; the best feature alone breaks the "
            f"order in {_percent(v['best'])} of the pairs"
        )


def profile(
    X: pd.DataFrame,
    y: Any,
    *,
    class_order: Sequence | None = None,
    ordered: bool | None = None,
    monotone: bool = True,
    random_state: int = 0,
) -> Profile:
    """Look at a table and its target, and say which method fits.

    Parameters
    ----------
    X : DataFrame of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples,), or Target
        Target; its name is shown.
    class_order : sequence, default=None
        Classes from lowest to highest.
    ordered : bool, default=None
        False: the classes have no order, even if they are numbers.
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
    >>> from echelon.report import profile
    >>> X, progression = load_diabetes(return_X_y=True, as_frame=True)
    >>> found = profile(X, pd.qcut(progression, 4, labels=False).rename("grade"))
    >>> found.kind, found.method
    ('ordinal', 'orelieff')
    >>> print(found.reason)
    'grade' has 4 ordered classes, so OReliefF, which uses their order, fits.
    """
    X = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X)
    read = isinstance(y, Target)
    target = y if read else read_target(y, class_order=class_order, ordered=ordered)
    facts = _facts_about(X, target)
    useful = X.drop(columns=[*facts["constant"], *facts["identifiers"]])
    facts["violations"] = (
        _violations(useful, target.y, random_state) if monotone and useful.shape[1] else None
    )
    method, reason = _recommend(useful, target, facts)
    return Profile(**facts, caveats=_caveats(X, target, facts), method=method, reason=reason)


def _facts_about(X: pd.DataFrame, target: Target) -> dict[str, Any]:
    gaps = X.isna().sum()
    constant = constant_columns(X)
    identifiers = [name for name in identifier_columns(X) if name not in constant]
    useful = X.drop(columns=[*constant, *identifiers])
    typed = [name for name, dtype in X.dtypes.items() if isinstance(dtype, pd.IntervalDtype)]
    pairs = None if typed else interval_pairs(useful)
    searched = target.kind != CONTINUOUS and useful.shape[1] <= MOST_SEARCHED
    name = target.y.name
    return {
        "n_samples": X.shape[0],
        "n_features": X.shape[1],
        "target": None if name is None else str(name),
        "kind": target.kind,
        "classes": target.classes,
        "order_from": target.source,
        "nominal": [name for name, column in useful.items() if is_nominal(column)],
        "missing": {name: int(n) for name, n in gaps[gaps > 0].items()},
        "constant": constant,
        "identifiers": identifiers,
        "duplicated": duplicated_columns(useful),
        "giveaways": giveaways(useful, pd.factorize(target.y)[0]) if searched else [],
        "intervals": typed or (pairs[2] if pairs else []),
        "interval_pattern": pairs[:2] if pairs else None,
        "common_scale": has_common_scale(useful),
    }


def _violations(X: pd.DataFrame, y: pd.Series, random_state: int) -> dict[str, float] | None:
    """How far features rise or fall with ordered classes."""
    if not (y.dtype.kind in "iu" or getattr(y.dtype, "ordered", False)):
        return None
    numbers = X[[name for name, column in X.items() if not is_nominal(column)]]
    if numbers.shape[1] == 0 or any(isinstance(d, pd.IntervalDtype) for d in numbers.dtypes):
        return None
    from echelon.evaluation import monotonicity_violations

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


def _recommend(X: pd.DataFrame, target: Target, facts: dict[str, Any]) -> tuple[str, str]:
    """The method that fits, and why in one sentence."""
    name = f"'{facts['target']}'" if facts["target"] else "The target"
    if target.kind == CONTINUOUS:
        return "relevancebounds", f"{name} is a number, and RelevanceBounds is for numbers too."
    n_classes = len(target.classes or {})
    if target.kind == ORDERED:
        return "orelieff", (
            f"{name} has {n_classes} ordered classes, so OReliefF, which uses their order, fits."
        )
    if facts["intervals"]:
        return "intervalrelief", (
            f"The features are {len(facts['intervals'])} intervals and the classes have no order, "
            "so IntervalRelief fits."
        )
    order = "" if n_classes == 2 else " without an order"
    reason = f"{name} has {n_classes} classes{order}, so ReliefF fits"
    if facts["common_scale"] and X.shape[1] >= max(WIDE, X.shape[0]):
        return "relieff", (
            f"{reason}; if only the order of the values within a row counts, as with gene "
            "expression, try rankorderselector."
        )
    return "relieff", f"{reason}."


def _caveats(X: pd.DataFrame, target: Target, facts: dict[str, Any]) -> list[str]:
    """What to beware of, one sentence each."""
    n_samples, n_features = X.shape
    said = list(_about_classes(target, n_samples))
    many_gaps = [name for name, n in facts["missing"].items() if n > n_samples / 2]
    if many_gaps:
        said.append(f"More than half of the values are missing in {listed(many_gaps)}.")
    if facts["giveaways"]:
        said.append(
            f"The class of every row can be told from one column, {listed(facts['giveaways'])}: is "
            "that known before the outcome is?"
        )
    said += [f"{' and '.join(map(str, g[:5]))} are the same." for g in facts["duplicated"][:3]]
    if n_features > 2 * n_samples:
        said.append(
            f"There are {n_features:,} features and only {n_samples:,} rows, so other rows may "
            "well give another ranking."
        )
    violations = facts["violations"]
    if target.kind == ORDERED and violations and violations["best"] > 0.4:
        said.append(
            "No feature rises or falls clearly with the classes; relieff, which needs no "
            "direction, may see more."
        )
    if facts["intervals"] and target.kind != CLASSES:
        said.append(
            f"{listed(facts['intervals'])} look like intervals, but IntervalRelief is for classes "
            "without an order, so their bounds count as features of their own."
        )
    return said


def _about_classes(target: Target, n_samples: int) -> list[str]:
    if target.classes is None:
        return []
    said = [
        f"Class {label!r} has only {n} row{'s' * (n > 1)}, too few to say much about."
        for label, n in target.classes.items()
        if n < 5
    ][:3]
    label, most = max(target.classes.items(), key=lambda item: item[1])
    if most > 0.9 * n_samples:
        said.append(f"{_percent(most / n_samples)} of the rows are of class {label!r}.")
    return said


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 or share == 0 else "under 1 %"
