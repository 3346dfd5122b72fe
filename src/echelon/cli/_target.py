"""The target of a command: read as everywhere, and asked about where its order is not plain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from echelon.cli._errors import InputError
from echelon.methods import CLASSES, CONTINUOUS, ORDERED, Method
from echelon.profile import guess_order
from echelon.targets import FEW, Target, read_target


def target_of(y: pd.Series, order: list[str] | None, *, unordered: bool) -> Target:
    """The target in a column of a file."""
    if order is not None:
        _check_order(y, order)
    try:
        target = read_target(y, CLASSES if unordered else "auto", order)
    except (TypeError, ValueError) as error:
        said = str(error).replace("Input y", "`y`").replace("`y`", f"column {y.name!r}")
        raise InputError(said[:1].upper() + said[1:]) from error
    return target


def _check_order(y: pd.Series, order: list[str]) -> None:
    written = {str(label).strip() for label in y.unique().tolist()}
    repeated = [label for label in order if order.count(label) > 1]
    if repeated:
        raise InputError(f"The order must name every class once, got {repeated[0]!r} again.")
    lacking = sorted(label for label in written if label not in order)
    if lacking:
        extra = [label for label in order if label not in written]
        hint = f" ({', '.join(map(repr, extra[:5]))} does not occur.)" if extra else ""
        raise InputError(
            f"The order must name every class of column {y.name!r}; it lacks "
            f"{', '.join(map(repr, lacking[:5]))}.{hint} Write classes as in the file, lowest "
            "first, separated by commas."
        )


def doubt_about(target: Target) -> str | None:
    """Why labels are no classes; None if they are."""
    n_labels = len(target.counts)
    if target.kind != CLASSES or n_labels <= max(FEW, len(target) // 4):
        return None
    return (
        f"Column {target.name!r} holds {n_labels} different labels in {len(target)} rows, which "
        "are no classes. Is it the right column?"
    )


def question_about(
    target: Target, methods: Sequence[Method | None], *, unordered: bool = False
) -> str | None:
    """What must be known before an order is relied on; None if it is known or does not matter."""
    name, labels = target.name, list(target.counts)
    if not unordered and len(labels) > 2 and target.order_from in ("assumed", ""):
        guess = labels if target.kind == ORDERED else guess_order(labels)
        if guess is not None:
            return (
                f"Is {' < '.join(map(str, guess))} the order of {name!r}? Then pass --class-order "
                f"{as_option(guess)}, lowest first; if the classes have no order, pass --unordered."
            )
    needs_order = any(method is not None and method.targets == (ORDERED,) for method in methods)
    if needs_order and target.kind == CLASSES and not _are_numbers(labels):
        return (
            f"What is the order of {name!r}? Pass --class-order {as_option(labels)} with the "
            "lowest class first, or choose a method for classes without an order."
        )
    return None


def _are_numbers(labels: list[Any]) -> bool:
    return all(isinstance(label, int | float) for label in labels)


def as_option(labels: Sequence[Any], most: int = 30) -> str:
    """Labels as an option takes them."""
    texts = [f'"{label}"' if "," in str(label) else str(label) for label in labels[:most]]
    joined = ",".join(texts) + (",..." if len(labels) > most else "")
    return f"'{joined}'" if any(c in joined for c in " \"<>&|;$()'*?") else joined


def check_methods(methods: Sequence[Method], target: Target) -> None:
    """Refuse methods that are not for this kind of target."""
    for method in methods:
        if target.kind in method.targets:
            continue
        if target.kind == CONTINUOUS:
            n_values = len(set(target.numbers.tolist()))
            raise InputError(
                f"{target.name!r} holds {n_values} different numbers, and {method.name} is for "
                "classes. Use relevancebounds or orderedsoftmargin, or make classes of them first."
            )
        raise InputError(f"{method.name} is for ordered classes, and {target.name!r} has no order.")
