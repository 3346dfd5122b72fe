"""Text that says of itself what it holds: ARFF, which declares its columns, and JSON lines."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator
from typing import Any

import pandas as pd

from echelon.cli._terminal import InputError
from echelon.cli.files._bytes import Limit
from echelon.cli.files._text import Slices

ENDINGS = (".jsonl", ".ndjson")

_CELL = 8
"""Bytes of a cell, at least: lines may have different keys, each of which is a column."""

_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{]+))\s*(.+)$""", re.IGNORECASE
)

_LISTED = re.compile(r"""\{((?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^}])*)\}\s*(?:%.*)?$""")

_NUMERIC = ("numeric", "real", "integer")


def is_arff(text: str) -> bool:
    """Whether the first line that is no comment begins a relation."""
    for line in Slices(text):
        if line.strip() and not line.lstrip().startswith("%"):
            return line.lstrip().lower().startswith("@relation")
    return False


def read_arff(text: str, name: str) -> pd.DataFrame:
    """The table of an ARFF file; nominal columns as ordered categories, in declared order."""
    lines = text.splitlines()
    begin = next((n for n, line in enumerate(lines) if line.strip().lower() == "@data"), None)
    if begin is None:
        raise InputError(f"{name} is no complete ARFF file: it has no line @data.")
    declared = [
        _declared(line, n, name)
        for n, line in enumerate(lines[:begin], 1)
        if line.strip().lower().startswith("@attribute")
    ]
    if not declared:
        raise InputError(f"{name} is no complete ARFF file: it declares no @attribute.")
    rows = list(_rows(lines, begin, len(declared), name))
    columns = list(zip(*rows, strict=True)) or [()] * len(declared)
    frame = pd.DataFrame(dict(enumerate(columns)), dtype=object)
    for j, (column, kind) in enumerate(declared):
        frame[j] = _converted(frame[j], column, kind, name)
    frame.columns = [column for column, _ in declared]
    frame.attrs["format"] = "arff"
    return frame


def _declared(line: str, number: int, name: str) -> tuple[str, str]:
    found = _ATTRIBUTE.match(line.strip())
    if found is None:
        raise InputError(
            f"Line {number} of {name} declares no attribute that can be read: {line!r}."
        )
    column = next(part for part in found.groups()[:3] if part is not None)
    return re.sub(r"\\(.)", r"\1", column), found[4].strip()


def _rows(lines: list[str], begin: int, n_columns: int, name: str) -> Iterator[list[str | None]]:
    """Fields of every row after @data, None where missing."""
    for number, line in enumerate(lines[begin + 1 :], begin + 2):
        if not line.strip() or line.lstrip().startswith("%"):
            continue
        if line.lstrip().startswith("{"):
            raise InputError(f"{name} is a sparse ARFF file, which is not read. Save it as CSV.")
        fields = _fields(line)
        if len(fields) != n_columns:
            raise InputError(
                f"Line {number} of {name} has {len(fields)} fields, but {n_columns} attributes are "
                "declared. Correct the line."
            )
        yield [None if field == "?" else field for field in fields]


def _fields(text: str) -> list[str]:
    """Values separated by commas; quoted ones by the kind of quotes they are in."""
    quote = "'" if "'" in text else '"'
    parsed = csv.reader(
        io.StringIO(text), quotechar=quote, escapechar="\\", skipinitialspace=True, strict=False
    )
    return [field.strip() for field in next(parsed, [])]


def _converted(column: pd.Series, label: str, kind: str, name: str) -> pd.Series:
    if kind.startswith("{"):
        listed = _LISTED.match(kind)
        if listed is None:
            raise InputError(
                f"{name} declares values of {label!r} that cannot be read: {kind!r}. Write them "
                "as {low, medium, high}."
            )
        values = _fields(listed[1].strip())
        twice = [each for n, each in enumerate(values) if each in values[:n]]
        if twice:
            raise InputError(f"{name} declares {twice[0]!r} twice among the values of {label!r}.")
        unknown = set(column.dropna()) - set(values)
        if unknown:
            raise InputError(
                f"{name} holds {sorted(unknown)[0]!r} in {label!r}, which its declaration lacks."
            )
        return pd.Series(pd.Categorical(column, values, ordered=True))
    if kind.lower().startswith(_NUMERIC):
        try:
            return pd.to_numeric(column)
        except ValueError as error:
            raise InputError(f"{label!r} of {name} is declared numeric, but: {error}.") from error
    return column


# ------------------------------------------------------------------------------- JSON lines


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
