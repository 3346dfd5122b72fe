"""The command ``profile``: what the data are and which method fits, or which columns there are."""

from __future__ import annotations

from typing import Any

import pandas as pd
from rich.table import Table as Grid
from rich.text import Text

from echelon._core.words import data_caveats
from echelon.cli._options import Common
from echelon.cli._outputs import check_outputs, write_outputs
from echelon.cli._prepare import Task, prepare, reading_of
from echelon.cli._rank import warnings_of_ours
from echelon.cli._show import print_remarks, print_rest, say, shown
from echelon.cli._terminal import InputError, console, plain_table, show_json, working
from echelon.cli.files import Table, read_table
from echelon.data import NOMINAL
from echelon.methods import CLASSES, METHODS
from echelon.profile import check_rank_order, guess_order
from echelon.selection import facts_of

MOST_CHECKED, CHECK_FOLDS = 1_000_000, 5
"""Values up to which the order of columns within a row is tried out, and in how many folds."""


MOST_EXAMPLES = 4


MOST_VALUES = 30
"""Of a column with more, only examples are named."""


def profile(common: Common) -> None:
    """What the data are; without a target, which columns there are."""
    for option in ("report", "plot"):
        if getattr(common, option):
            raise InputError(f"profile makes no {option}; 'echelon rank' does.")
    check_outputs(common)
    if not common.target:
        columns(common)
        return
    task = look(common)
    written = write_outputs(common, task.profile.frame())
    if common.json:
        said = {"notes": task.notes, "doubts": task.doubts, "questions": task.questions,
                "set_aside": task.set_aside}  # fmt: skip
        show_json({"source": task.source, **task.profile.as_dict(command=True), **said})
    elif common.output != "-":
        show_profile(task, written)


def columns(common: Common) -> None:
    """The columns of a file as they were read."""
    with working(f"Reading {common.data}", common.quiet):
        found = described(read_table(common.data, reading_of(common)))
    frame = as_frame(found)
    written = write_outputs(common, frame)
    if common.json:
        show_json(found)
    elif common.output != "-":
        show_columns(found, frame, common.top, written)


def look(common: Common) -> Task:
    """The data and their profile, with nothing ranked."""
    with working(f"Looking at {common.data}", common.quiet):
        task = prepare(common, ["auto"], only_look=True)
        return task._replace(notes=[*task.notes, *_rank_order_notes(task)])


def _rank_order_notes(task: Task) -> list[str]:
    """What the order of the columns within a row is worth, where they look like one scale."""
    facts = task.profile
    fine = facts.common_scale and facts.kind == CLASSES and not facts.missing
    if not fine or task.X.size > MOST_CHECKED or min(facts.classes.values()) < CHECK_FOLDS:
        return []
    with warnings_of_ours():
        found = check_rank_order(task.X, task.target, cv=CHECK_FOLDS)
    return [f"{found.sentence}{' Try --method rankorderselector.' if found.fits else ''}"]


# --------------------------------------------------------------------- columns as they were read


def described(table: Table) -> dict[str, Any]:
    """The columns as plain values, and what had to be assumed to read them."""
    frame = table.frame
    return {
        "source": table.source,
        "n_rows": len(frame),
        "columns": [{"name": str(name), **_facts(column)} for name, column in frame.items()],
        "doubts": list(table.doubts),
        "notes": [*table.doubts, *table.notes],
    }


def _facts(column: pd.Series) -> dict[str, Any]:
    """What one column holds; the few values of one that has few, in their order."""
    facts = facts_of(column)
    distinct = column.dropna().drop_duplicates()
    found = {"kind": facts["kind"], "missing": facts["missing"], "distinct": len(distinct)}
    found["examples"] = [_text(value) for value in distinct.head(MOST_EXAMPLES)]
    if len(distinct) > MOST_VALUES:
        return found
    if "categories" in facts:
        values = [str(label) for label in facts["categories"]]
        return found | {"values": values, "looks_ordered": _looks_ordered(values, facts["kind"])}
    return found | {"values": [_text(value) for value in distinct.sort_values()]}


def _looks_ordered(values: list[str], kind: str) -> list[str] | None:
    guess = guess_order(values) if kind == NOMINAL and len(values) > 2 else None
    return None if guess is None else [str(label) for label in guess]


def _text(value: Any) -> str:
    """A value as it may be written in a file."""
    if isinstance(value, pd.Timestamp):
        return str(value).removesuffix(" 00:00:00")
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value)


def as_frame(found: dict[str, Any]) -> pd.DataFrame:
    """One row per column of the table."""
    rows = [
        {**{key: each[key] for key in ("name", "kind", "missing", "distinct")},
         "examples": ", ".join(each["examples"])}
        for each in found["columns"]
    ]  # fmt: skip
    return pd.DataFrame(rows).rename(columns={"name": "column", "distinct": "different values"})


# ------------------------------------------------------------------------------------- shown


def show_columns(found: dict[str, Any], frame: Any, top: int, written: list[str]) -> None:
    """The columns of a file as they were read."""
    out = console()
    n_rows, n_columns = found["n_rows"], len(frame)
    say(out, f"{found['source']}: {n_rows:,} rows, {n_columns:,} columns", "bold")
    table = plain_table()
    for title in frame.columns:
        left = title in ("column", "kind", "examples")
        table.add_column(title, justify="left" if left else "right", no_wrap=True,
                         overflow="ellipsis")  # fmt: skip
    for name, kind, missing, distinct, examples in frame.head(top or None).itertuples(index=False):
        table.add_row(
            shown(name), kind, f"{missing:,}" if missing else "", f"{distinct:,}", shown(examples)
        )
    out.print(table)
    print_rest(out, n_columns, table.row_count)
    say(out, "Name the column with the outcome: --target COLUMN.")
    print_remarks(out, found["notes"], written)


def show_profile(task: Task, written: list[str]) -> None:
    """What the data are, what calls for care, and which method fits."""
    out = console()
    table = Grid(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for fact, value in task.profile.frame().itertuples(index=False):
        table.add_row(fact, shown(value))
    out.print(Text.assemble((task.source, "bold")))
    out.print(table)
    print_remarks(out, [*task.notes, *data_caveats(task.profile, command=True)])
    method = METHODS[task.profile.method]
    say(out, f"{task.profile.reason} ({method.name}: {method.paper})", style="bold")
    print_remarks(out, [], written)
