"""What the facts call for: the method that fits, and what to beware of, one sentence each."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from echelon._core.words import counted, listed, number, percent
from echelon.methods import CLASSES, CONTINUOUS, ORDERED
from echelon.profile._facts import Facts

FEW_ROWS = 5
"""A class with fewer rows says little."""
LOPSIDED = 0.9
"""A class with a larger share of the rows calls for care."""
UNDIRECTED = 0.4
"""If even the best feature breaks the order in more pairs than this, none has a direction."""


def recommended(facts: Facts) -> tuple[str, str]:
    """The method that fits, and why in one sentence."""
    name = f"'{facts.target}'" if facts.target else "The target"
    n_classes = len(facts.classes)
    if facts.kind == CONTINUOUS:
        return "autoselector", f"{name} is a number: AutoSelector fuses rankings for numbers."
    if facts.kind == ORDERED:
        return "autoselector", (
            f"{name} has {n_classes} ordered classes: AutoSelector fuses rankings that use their "
            "order."
        )
    if facts.intervals:
        return "intervalrelief", (
            f"The features are {len(facts.intervals)} intervals and the classes have no order, "
            "so IntervalRelief fits."
        )
    order = "" if n_classes == 2 else " without an order"
    return "autoselector", (
        f"{name} has {n_classes} classes{order}: AutoSelector fuses rankings for classes."
    )


def warnings(facts: Facts) -> list[str]:
    """What no answer must be read without."""
    return [
        f"{name} looks like a subject with several rows each: rows of one {name} are on both sides "
        "of the folds, so the scores may be far too good. Keep them together with --groups "
        f"{shlex.quote(str(name))} (in Python groups=)."
        for name in facts.repeated[:3]
    ]


def caveats(facts: Facts, broken: Mapping[str, float] | None = None) -> list[str]:
    """What to beware of in the data.

    Parameters
    ----------
    facts : Facts
        What ``find_facts`` found.
    broken : mapping, default=None
        What ``order_broken`` found.

    Returns
    -------
    caveats : list of str
        One sentence each.

    Examples
    --------
    >>> import pandas as pd
    >>> from echelon.profile import caveats, find_facts
    >>> from echelon.targets import read_target
    >>> X = pd.DataFrame({"a": [1.5, 2.0, 3.1, 4.2] * 20, "same": [1.5, 2.0, 3.1, 4.2] * 20})
    >>> caveats(find_facts(X, read_target(["x", "y", "x", "y"] * 20)))
    ['a and same are the same; a method may take one for the other.']
    """
    return [
        *_about_order(facts, broken),
        *_about_classes(facts),
        *_about_columns(facts),
        *_about_size(facts),
    ]


def _about_order(facts: Facts, broken: Mapping[str, float] | None) -> list[str]:
    said = []
    if facts.order_from == "assumed" and len(facts.classes) > 2:
        said.append(
            f"The classes {listed(facts.classes)} were taken to be in this order; if they are mere "
            'codes, say so: kind="classification", or --unordered on the command line.'
        )
    if facts.kind == ORDERED and broken and broken["best"] > UNDIRECTED:
        said.append(
            "No feature rises or falls clearly with the classes; relieff, which needs no "
            "direction, may see more."
        )
    return said


def _about_classes(facts: Facts) -> list[str]:
    if not facts.classes:
        return []
    said = [
        f"Class {label!r} has only {n} row{'s' * (n > 1)}, too few to say much about."
        for label, n in facts.classes.items()
        if n < FEW_ROWS
    ][:3]
    label, most = max(facts.classes.items(), key=lambda item: item[1])
    if most > LOPSIDED * facts.n_samples:
        said.append(f"{percent(most / facts.n_samples)} of the rows are of class {label!r}.")
    return said


def _about_columns(facts: Facts) -> list[str]:
    said = []
    if facts.missing:
        total = sum(facts.missing.values())
        share = 100 * total / (facts.n_samples * facts.n_features)
        said.append(
            f"{counted(total, 'value')} ({number(share, 2)} %) in "
            f"{counted(len(facts.missing), 'column')} are missing."
        )
    many_gaps = [name for name, n in facts.missing.items() if n > facts.n_samples / 2]
    if many_gaps:
        said.append(f"More than half of the values are missing in {listed(many_gaps)}.")
    if facts.giveaways:
        said.append(
            f"The class of every row can be told from one column, {listed(facts.giveaways)}: is "
            "that known before the outcome is?"
        )
    said += [
        f"{listed(group)} are the same; a method may take one for the other."
        for group in facts.duplicated[:3]
    ]
    if facts.intervals and facts.kind != CLASSES:
        said.append(
            f"{listed(facts.intervals)} look like intervals, but IntervalRelief is for classes "
            "without an order, so their bounds count as features of their own."
        )
    return said


def _about_size(facts: Facts) -> list[str]:
    if facts.n_features <= facts.n_samples:
        return []
    return [
        f"There are more features ({facts.n_features:,}) than rows ({facts.n_samples:,}): many "
        "look good by chance, and other rows may lead to others."
    ]
