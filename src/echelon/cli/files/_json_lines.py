"""JSON lines: a table with an object of plain values in every line."""

from __future__ import annotations

import json
import math
from typing import Any

import pandas as pd

from echelon.cli._terminal import InputError
from echelon.cli.files._bytes import Limit
from echelon.cli.files._parts import Slices

ENDINGS = (".jsonl", ".ndjson")
_CELL = 8
"""Bytes of a cell, at least: lines may have different keys, each of which is a column."""


def is_json_lines(text: str) -> bool:
    """Whether the first line that is not empty is a JSON object."""
    first = next((line for line in Slices(text) if line.strip()), "")
    try:
        return first.lstrip().startswith("{") and isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def read_json_lines(text: str, limit: Limit) -> pd.DataFrame:
    """The table: a column for every key, missing where a line lacks it or has null."""
    columns: dict[str, list[Any]] = {}
    n_rows = 0
    for number, line in enumerate(Slices(text), 1):
        if not line.strip():
            continue
        for key, value in _object(line, number, limit.name).items():
            if key not in columns:
                columns[key] = []
                limit.check(_CELL * len(columns) * n_rows)
            columns[key] += [None] * (n_rows - len(columns[key]))
            columns[key].append(value)
        n_rows += 1
    limit.check(_CELL * len(columns) * n_rows)
    cells = {key: [*values, *[None] * (n_rows - len(values))] for key, values in columns.items()}
    frame = pd.DataFrame(cells, dtype=object).infer_objects()
    frame.attrs["format"] = "jsonl"
    return frame


def _object(line: str, number: int, name: str) -> dict[str, Any]:
    """The values in a line, or a sentence on what is wrong with it."""
    where = f"Line {number} of {name}"
    try:
        pairs = json.loads(line, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise InputError(f"{where} is no JSON: {reason}. Write one object in every line.") from None
    if not isinstance(pairs, _Pairs):
        raise InputError(f"{where} is no JSON object. Write one object in every line.")
    found = {}
    for key, value in pairs:
        if isinstance(value, list):  # objects are lists of pairs
            what = "an object" if isinstance(value, _Pairs) else "a list"
            raise InputError(
                f"{where} holds {what} in {key!r}, and a cell is a text, a number, true, false or "
                "null. Write its parts as values of their own, or leave it out."
            )
        if key in found:
            raise InputError(f"{where} has {key!r} twice. Rename or drop one of them.")
        found[key] = None if isinstance(value, float) and math.isnan(value) else value
    return found


class _Pairs(list):
    """The keys and values of a JSON object."""
