"""The columns of a table as they were read: kinds, missing values, examples."""

from __future__ import annotations

from typing import Any

import pandas as pd

from echelon.cli.files import Table
from echelon.data import NOMINAL
from echelon.profile import guess_order
from echelon.selection import facts_of

MOST_EXAMPLES = 4
MOST_VALUES = 30
"""Of a column with more, only examples are named."""


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
