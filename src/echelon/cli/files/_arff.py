"""ARFF files: declared columns, whose nominal values have the order of their declaration."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

import pandas as pd

from echelon.cli._errors import InputError

_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{]+))\s*(.+)$""", re.IGNORECASE
)
_NUMERIC = ("numeric", "real", "integer")


def is_arff(text: str) -> bool:
    """Whether the first line that is no comment begins a relation."""
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("%"):
            return line.lstrip().lower().startswith("@relation")
    return False


def read_arff(text: str, name: str) -> pd.DataFrame:
    """The table of an ARFF file; nominal columns as ordered categories, in declared order."""
    lines = text.splitlines()
    begin = next((n for n, line in enumerate(lines) if line.strip().lower() == "@data"), None)
    if begin is None:
        raise InputError(f"{name} is no complete ARFF file: it has no line @data.")
    declared = [_declared(line, n + 1, name) for n, line in enumerate(lines[:begin])
                if line.strip().lower().startswith("@attribute")]  # fmt: skip
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
        values = _fields(kind.strip("{} \t"))
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
