"""The command ``bounds``: relevance bounds of all features, shown and written."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from echelon._core.jobs import every_job_a_step
from echelon._core.words import LABELS, MEANING, WEAK, counted, data_caveats, listed, number
from echelon.cli._options import Common
from echelon.cli._outputs import check_outputs, figure_of, write_outputs
from echelon.cli._prepare import Task, prepare
from echelon.cli._rank import (
    N_RESAMPLES,
    RAN_HERE,
    cluster_of,
    n_folds,
    remarks,
    summarized,
    warnings_of_ours,
)
from echelon.cli._show import heading, print_remarks, print_rest, rest_of, say, shown
from echelon.cli._terminal import InputError, console, plain_table, show_json, working
from echelon.display import BoundsDisplay
from echelon.methods import METHODS
from echelon.profile import ALIKE, associations
from echelon.report import Report
from echelon.study import filled, with_labels_split


class Bounded(NamedTuple):
    """The data as they were used, and the bounds of all weights."""

    task: Task
    display: BoundsDisplay
    """One row for every column; of labels that of its most relevant label."""
    groups: list[list[str]]
    """Columns that can replace each other."""
    association: list[float]
    """How closely the two least alike of every group go together."""
    notes: list[str]


def bounds(common: Common) -> None:
    """Relevance bounds of all features."""
    for option in ("groups", "time", "weights"):
        if getattr(common, option):
            raise InputError(f"bounds takes no --{option}; rank and compare do.")
    check_outputs(common)
    found = bounded(common)
    frame = found.display.frame()  # with several classes, the one furthest above its noise
    written = write_outputs(
        common,
        frame,
        lambda: bounds_report(found, common),
        lambda: bounds_picture(found.display),
    )
    if common.json:
        show_json(
            {
                "source": found.task.source,
                "features": frame.to_dict("records"),
                "groups": found.groups,
                "set_aside": found.task.set_aside,
                "caveats": [*found.notes, *data_caveats(found.task.profile, command=True)],
            }
        )
    elif common.output != "-":
        show_bounds(found, frame, common.top, written)


def bounded(common: Common) -> Bounded:
    """Relevance bounds of all features, and the groups that can replace each other."""
    with working(f"Reading {common.data}", common.quiet) as tell:
        notes = [] if cluster_of(common) is None else [RAN_HERE.format("RelevanceBounds")]
        task = prepare(common, ["relevancebounds"])
        n_folds(task, 5)  # the one rule of how few rows are too few
        selector = METHODS["relevancebounds"].make(
            random_state=common.seed, problem=task.target.kind, n_jobs=common.jobs
        )
        whole = filled(task.X)
        table, owners = with_labels_split(whole, reference=True)
        tell(f"Bounding {counted(table.shape[1], 'feature')}")
        with every_job_a_step(), warnings_of_ours() as caught:
            selector.fit(table, task.target.y)
            names = dict(zip(table.columns, whole.columns[owners].map(str), strict=True))
            groups = _of_columns(selector.feature_groups(), names)
        display = _by_column(BoundsDisplay.from_estimator(selector), names)
        whole = whole.set_axis(whole.columns.map(str), axis=1)
        association = [float(associations(whole[group]).min()) for group in groups]
    return Bounded(task, display, groups, association, [*remarks(task, notes), *caught])


def _of_columns(groups: list[list[str]], names: dict[str, str]) -> list[list[str]]:
    """Groups of encoded columns as groups of columns: a column does not replace itself."""
    found = [list(dict.fromkeys(names[part] for part in group)) for group in groups]
    return [group for group in map(list, dict.fromkeys(map(tuple, found))) if len(group) > 1]


def _by_column(display: BoundsDisplay, names: dict[str, str]) -> BoundsDisplay:
    """Bounds of columns: of labels those of the label that is most relevant."""
    upper = display.intervals[:, 1]
    above = upper / np.where(display.threshold > 0, display.threshold, 1.0)
    places = np.array([LABELS.index(kind) for kind in display.relevance])
    order = np.lexsort([-above, -places])
    columns = np.array([names[str(name)] for name in display.names])
    first = [order[columns[order] == column][0] for column in dict.fromkeys(columns.tolist())]
    shown = display.intervals[first], display.relevance[first], display.threshold[first]
    return BoundsDisplay(columns[first], *shown)


def bounds_report(found: Bounded, common: Common) -> Report:
    """A report that keeps the relevant features."""
    places = [LABELS.index(kind) for kind in found.display.relevance]
    settings = {
        "n_features": sum(place >= WEAK for place in places) or "auto",
        "cv": n_folds(found.task, 5),
        "n_resamples": N_RESAMPLES,
    }
    with working("Evaluating the relevant features", common.quiet):
        return summarized(found.task, common, settings, cluster_of(common)).report


def show_bounds(found: Bounded, frame: Any, top: int, written: list[str]) -> None:
    """Bounds of all features, the best first, and which can replace each other."""
    out = console()
    heading(out, found.task, ranked=False)
    table = plain_table()
    for title in frame.columns:
        left = title in ("feature", "relevance", "class")
        table.add_column(title, justify="left" if left else "right", no_wrap=True,
                         overflow="ellipsis")  # fmt: skip
    rows = frame.to_dict("records")
    for row in rows[: top or None]:
        cells = [shown(v if isinstance(v, str) else number(v)) for v in row.values()]
        table.add_row(*cells, style="bold" if row["relevance"] == "strong" else "")
    out.print(table)
    print_rest(out, len(rows), table.row_count)
    kinds = frame["relevance"].value_counts()
    # A label that is seldom met is explained where it is.
    met = [label for label in reversed(LABELS) if label != "explained" or label in kinds]
    counts = [f"{kinds.get(label, 0)} {label}" for label in met]
    say(out, f"{counted(len(frame), 'feature')}: {', '.join(counts)}.", style="bold")
    say(out, f"{'; '.join(f'{label}: {MEANING[label]}' for label in met)}.")
    for group, how in list(zip(found.groups, found.association, strict=True))[:5]:
        say(out, _of_group(group, how))
    print_remarks(out, rest_of(found, data_caveats(found.task.profile, command=True)), written)


def _of_group(group: list[str], association: float) -> str:
    """What features have to do with each other that compete for one weight."""
    if association >= ALIKE:
        return f"One of these may be enough: {listed(group, 8)}."
    return (
        f"{listed(group, 8)} compete for one weight, but are not redundant (association at most "
        f"{number(association, 2)}): check the score before dropping one."
    )


def bounds_picture(display: BoundsDisplay) -> Any:
    """Bounds of the weights of every feature."""
    figure = figure_of(8, max(4.0, 1.5 + 0.3 * min(len(display.names), 40)))
    display.plot(figure.subplots())
    return figure
