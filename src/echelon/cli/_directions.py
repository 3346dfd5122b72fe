"""What is known of features: their directions (``--rises``, ``--falls``), and ``--together``."""

from __future__ import annotations

from echelon.cli._options import Judging, names
from echelon.cli._prepare import Task
from echelon.cli._terminal import InputError, nearest
from echelon.methods import CLASSES
from echelon.profile import is_nominal


def stated_directions(judging: Judging, task: Task) -> dict[str, int] | None:
    """1 or -1 by name of the column; None if nothing was stated."""
    rises, falls = names(judging.rises), names(judging.falls)
    if not rises and not falls:
        return None
    both = [name for name in rises if name in falls]
    if both:
        raise InputError(f"--rises and --falls both name {both[0]!r}. Pass it to one of them.")
    if judging.estimator != "auto":
        raise InputError(
            "--rises and --falls choose models that respect them, and --estimator another one. "
            "Leave out --estimator."
        )
    if task.target.kind == CLASSES and len(task.target.counts) > 2:
        raise InputError(
            f"--rises and --falls need an order: {task.target.name!r} has "
            f"{len(task.target.counts)} classes without one. Give it with --class-order."
        )
    for option, wanted in (("--rises", rises), ("--falls", falls)):
        for name in wanted:
            _check_has_direction(name, option, task)
    return dict.fromkeys(rises, 1) | dict.fromkeys(falls, -1)


def stated_groups(judging: Judging, task: Task) -> dict[str, list[str]] | None:
    """The columns of every ``--together`` that are features; None if nothing was stated."""
    found: dict[str, list[str]] = {}
    seen: set[str] = set()
    for text in judging.together or []:
        for name in names(text):
            if name not in task.X.columns and name not in task.set_aside:
                raise InputError(
                    f"{task.source} has no feature {name!r} (--together). "
                    f"{nearest(name, task.X.columns)}"
                )
            if name in seen:
                raise InputError(f"--together names {name!r} twice. Leave it in one group, once.")
            seen.add(name)
        found[text] = [name for name in names(text) if name in task.X.columns]
    return found or None


def _check_has_direction(name: str, option: str, task: Task) -> None:
    """Refuse columns that are not there, were excluded, or have no order."""
    if name in task.set_aside:
        raise InputError(
            f"{option} names {name!r}, which is excluded: {task.set_aside[name]}. Leave it out"
            + ("." if task.set_aside[name] == "constant" else ", or --keep the column.")
        )
    if name not in task.X.columns:
        raise InputError(
            f"{task.source} has no feature {name!r} ({option}). {nearest(name, task.X.columns)}"
        )
    if is_nominal(task.X[name]):
        raise InputError(
            f"{option} names {name!r}, whose categories have no order. Give one, lowest first, "
            f'with --ordered "{name}=LOW,...,HIGH".'
        )
