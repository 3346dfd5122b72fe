"""Where results go, and what needs no data to be shown; light to import."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from echelon.methods import METHODS, PEERS

UNCUT = 10_000
"""Columns assumed where nobody looks: a pipe or a file cuts nothing off."""

NARROW = 90
"""Columns below which the table of methods becomes a list."""


class _Output(Console):
    """A console that leaves a closed pipe to the one who called it."""

    def on_broken_pipe(self) -> None:
        """Say nothing, and end as any other reader that has seen enough."""
        raise BrokenPipeError


def console() -> Console:
    """Standard output, without colours unless it is a terminal."""
    return _Output(highlight=False, width=None if sys.stdout.isatty() else UNCUT)


def plain_table(**settings: Any) -> Table:
    """A table with one line, below its headings."""
    return Table(box=SIMPLE_HEAD, padding=(0, 1), title_justify="left", title_style="", **settings)


def show_json(value: Any) -> None:
    """Plain JSON."""
    sys.stdout.write(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def show_methods(as_json: bool) -> None:
    """The table of methods."""
    known = {**METHODS, **PEERS}
    if as_json:
        show_json({name: method._asdict() for name, method in known.items()})
        return
    out = console()
    if out.width < NARROW:
        for name, method in known.items():
            out.print(Text.assemble((name, "bold"), f"  {method.cost}"))
            out.print(Text(f"    {method.data}"))
            out.print(Text(f"    {method.paper}", style="dim"))
        return
    table = plain_table()
    for title in ("method", "for", "time grows with", "paper"):
        table.add_column(title)
    for name, method in known.items():
        table.add_row(name, method.data, method.cost, method.paper)
    out.print(table)
    out.print("n rows, p features.  auto: what 'echelon profile' finds to fit.", soft_wrap=True)
