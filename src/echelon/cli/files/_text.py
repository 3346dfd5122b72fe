"""Text: its encoding, delimited tables and rows that do not fit, and ARFF files."""

from __future__ import annotations

import codecs
import csv
import io
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from echelon._core.words import is_number
from echelon.cli._terminal import InputError
from echelon.cli.files._around import (
    first_rows,
    n_titles,
    said_of,
    without_notes,
    without_titles,
)
from echelon.cli.files._parts import Slices, read_parts

DELIMITERS = ",;\t|"

MISSING = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "#N/A", "<NA>")
"""Texts that mean that a value is missing; "None" may be a class."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{]+))\s*(.+)$""", re.IGNORECASE
)
_LISTED = re.compile(r"""\{((?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^}])*)\}\s*(?:%.*)?$""")
_NUMERIC = ("numeric", "real", "integer")


_TRUTHS = {text: text.lower() == "true" for each in ("true", "false")
           for text in (each, each.upper(), each.title())}  # fmt: skip


class Reading(NamedTuple):
    """How to read: what was said on the command line."""

    delimiter: str | None = None
    missing: tuple[str, ...] = ()
    sheet: str | None = None
    max_memory: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    missing_in: Mapping[str, Sequence[str]] = {}
    """Texts that mean missing in single columns."""


def decoded(data: bytes, name: str) -> tuple[str, list[str], str]:
    """Text of whatever encoding, UTF-8 unless a mark or the bytes say otherwise; notes; which."""
    encoding = _encoding(data)
    if encoding is not None:
        try:
            return data.decode(encoding), [], encoding
        except UnicodeDecodeError as error:
            raise InputError(f"{name} cannot be decoded as {encoding}: {error.reason}.") from error
    if b"\x00" in data:
        raise InputError(f"{name} holds NUL bytes, so it is no text file, or a damaged one.")
    control = sum(data[:4096].count(bytes([c])) for c in (*range(1, 9), *range(14, 27), 28, 29))
    if control > 0.01 * len(data[:4096]):
        raise InputError(f"{name} is no text file, and none of the other formats that are read.")
    try:
        return data.decode("utf-8"), [], "utf-8"
    except UnicodeDecodeError:
        note = f"{name} is not UTF-8 and was read as Windows-1252."
        return data.decode("cp1252", errors="replace"), [note], "cp1252"


def _encoding(data: bytes) -> str | None:
    """What a mark says, or every other byte, which is 0 in texts of two bytes per letter."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return encoding
    for encoding, offset in (("utf-16-le", 1), ("utf-16-be", 0)) if b"\x00" in data else ():
        if len(data) % 2 == 0 and data[offset::2].count(0) > 0.8 * (len(data) // 2):
            return encoding
    return None


def read_text(text: str, name: str, delimiter: str | None, how: Reading) -> pd.DataFrame:
    """A table with one line of column names; ``delimiter`` as the ending of the file says."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\n")
    hint = re.match(r"sep=(.)\n", text)  # Excel's first line
    if hint:
        text, delimiter = text[hint.end() :], hint[1]
    delimiter = _one_character(how.delimiter) or delimiter or _sniffed(text)
    text, n_cut, above = without_titles(text, delimiter)
    rows = Slices(text)
    header = _header(rows, delimiter, name)
    text, below = without_notes(text, delimiter, len(header))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = read_parts(  # what a point or a comma means is decided for the whole file
                text,
                rows.place,
                len(header),
                sep=delimiter,
                header=None,
                names=range(len(header)),
                index_col=False,
                skipinitialspace=True,
                keep_default_na=False,
                na_values=[*MISSING, *how.missing],
            )
    except pd.errors.EmptyDataError:
        frame = pd.DataFrame(columns=range(len(header)))
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        _check_rows(text, delimiter, len(header), name, n_cut, short=False)
        reason = str(error).replace("Error tokenizing data. C error: ", "").strip().rstrip(".")
        raise InputError(
            f"{name} cannot be read: {reason}. Is a quotation mark left open?"
        ) from error
    sure = {header[j]: cell for j, cell in frame.attrs.get("sure", {}).items()}
    truths = {j: _truths(column) for j, column in frame.items()}
    frame = pd.DataFrame(truths, index=frame.index, copy=False)
    frame.columns = header
    if len(frame) and frame.iloc[:, -1].isna().any():
        _check_rows(text, delimiter, len(header), name, n_cut, short=True)
    said = said_of(name, above, below)
    frame.attrs |= {"format": "csv", "delimiter": delimiter, "sure": sure, "notes": said}
    return frame


def _truths(column: pd.Series) -> pd.Series:
    """A column of true and false as booleans; any other as it is."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column
    first = next((cell for cell in column if isinstance(cell, str)), None)
    if first not in _TRUTHS or not column.dropna().isin(_TRUTHS).all():
        return column
    return column.map(_TRUTHS).infer_objects()


def _one_character(delimiter: str | None) -> str | None:
    if delimiter is None:
        return None
    delimiter = {"tab": "\t", "\\t": "\t", "space": " "}.get(delimiter, delimiter)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise InputError(
            f"--delimiter must be one character, got {delimiter!r}. Write tab for tabs."
        )
    return delimiter


def _sniffed(text: str) -> str:
    """The delimiter that gives the first lines the same number of fields, as many as possible."""
    best, most = ",", (0.0, False, 1)
    for delimiter in DELIMITERS:
        rows = first_rows(text, delimiter)
        above = n_titles(rows)
        counts = Counter(len(row) for row in rows[above:] if row)
        if not counts:
            continue
        n_fields, n_rows = max(counts.items(), key=lambda item: (item[0] > 1, item[1]))
        share = n_rows / sum(counts.values()) if n_fields > 1 else 0.0
        quality = (share, above == 0, n_fields)
        if quality > most:
            best, most = delimiter, quality
    return best


def _header(rows: Slices, delimiter: str, name: str) -> list[str]:
    """Column names; ``rows`` is left behind them."""
    try:
        fields = next(csv.reader(rows, delimiter=delimiter), [])
    except csv.Error as error:
        raise InputError(f"{name} cannot be read: {error}.") from error
    header = [field.strip() or f"column {j + 1}" for j, field in enumerate(fields)]
    if len(header) > 1 and all(is_number(field) for field in fields):
        raise InputError(
            f"The first line of {name} holds numbers, not column names. Add a line of names."
        )
    return header


def _check_rows(
    text: str, delimiter: str, n_fields: int, name: str, n_cut: int, *, short: bool
) -> None:
    """Refuse the first row that ends early, or late: its values may belong to other columns.

    ``n_cut`` lines of the file stand before the text.
    """
    reader = csv.reader(Slices(text), delimiter=delimiter)
    hint = "" if short else ", or say what separates columns with --delimiter"
    longest = csv.field_size_limit(max(len(text), 1))  # pandas reads cells of any length
    try:
        for row in reader:
            found = len(row)
            if found and (found < n_fields if short else found > n_fields):
                line, fields = n_cut + reader.line_num, f"field{'s' * (found > 1)}"
                raise InputError(
                    f"Line {line} of {name} has {found} {fields}, but "
                    f"there are {n_fields} column names. Correct the line{hint}."
                )
    except csv.Error as error:
        line = n_cut + reader.line_num
        raise InputError(f"Line {line} of {name} cannot be read: {error}.") from error
    finally:
        csv.field_size_limit(longest)


# ------------------------------------------------------------------------------- ARFF


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
