"""What the data are, what to beware of, and which method fits, to read and to show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import pandas as pd

from echelon._core.words import listed, percent
from echelon.methods import CLASSES, CONTINUOUS, METHODS, ORDERED
from echelon.profile._advice import caveats, recommended, warnings
from echelon.profile._facts import Facts, find_facts, order_broken
from echelon.targets import read_target
from echelon.data import as_frame

ENOUGH_PAIRS = 30
"""Fewer comparable pairs of rows say nothing about the order."""


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
    violations : dict or None
        Ordered classes: share of comparable pairs of rows that break the order
        (``together``), their number (``n_pairs``), and the median and smallest share of single
        features (``median``, ``best``).
    warnings : list of str
        What no answer must be read without, one sentence each.
    caveats : list of str
        What to beware of, one sentence each.
    method : str
        Name of the method that fits, as on the command line.
    reason : str
        Why, in one sentence.

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
    warnings: list[str]
    caveats: list[str]
    method: str
    reason: str

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values; names and labels as text where they are keys."""
        plain = asdict(self)
        for name in ("classes", "missing"):
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
        if self.classes:
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
                ("like subjects", self.repeated),
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
        number = f"{len(self.classes)} classes"
        if len(self.classes) == 2 and self.kind == CLASSES:
            return number
        sources = {"declared": " (declared)", "numbers": " (numbers)", "assumed": " (assumed)"}
        ordered = "with" if self.kind == ORDERED else "without"
        return f"{number} {ordered} an order{sources.get(self.order_from, '')}"

    def _missing_in_words(self) -> str:
        if not self.missing:
            return "nothing"
        shares = sorted(self.missing.items(), key=lambda item: -item[1])
        return listed(f"{name} ({percent(n / self.n_samples)})" for name, n in shares)

    def _monotone_in_words(self) -> str:
        broken = self.violations or {}
        if broken["n_pairs"] >= ENOUGH_PAIRS:
            return (
                f"{percent(broken['together'])} of {broken['n_pairs']:,.0f} comparable pairs of "
                "rows break the order"
            )
        return (
            "hardly two rows are comparable in all features; the best feature alone breaks the "
            f"order in {percent(broken['best'])} of the pairs"
        )


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
    'grade' has 4 ordered classes: AutoSelector fuses rankings that use their order.
    """
    table = as_frame(X)
    target = read_target(y, kind, class_order)
    facts = find_facts(table, target)
    broken = None
    if monotone and facts.n_features > len(facts.useless):
        broken = order_broken(table.drop(columns=facts.useless), target, random_state)
    method, reason = recommended(facts)
    found = {field.name: getattr(facts, field.name) for field in fields(facts)}
    return Profile(**found, violations=broken, warnings=warnings(facts),
                   caveats=caveats(facts, broken), method=method, reason=reason)  # fmt: skip
