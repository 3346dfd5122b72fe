"""Files of SPSS, Stata and SAS: codes with labels, and codes that are declared missing."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

from echelon._core.extras import require
from echelon._core.words import counted, is_number, listed
from echelon.cli._terminal import InputError, brief
from echelon.cli.files._bytes import Limit
from echelon.cli.files._text import Reading
from echelon.profile import guess_order
from echelon.targets import FEW

_DECLARING = ("read_sav", "read_dta", "read_sas7bdat")
"""Readers that tell codes that are declared missing from no value."""

_NO_ANSWER = re.compile(
    r"\b(don.?t know|dk|refused?|no answer|not applicable|n/a|missing|unknown|not stated|"
    r"not asked|keine angabe|wei(ß|ss) nicht|verweigert|trifft nicht zu|ne sait pas|sans réponse|"
    r"no sabe|no contesta)\b",
    re.IGNORECASE,
)
"""Labels of codes that mean missing, where nobody declared them so."""

MOST_SAID = 4
"""Sets of labels that are named one by one."""

_Labels = tuple[tuple[str, str], ...]


def read_labelled(
    data: bytes, program: str, reader: str, limit: Limit, how: Reading
) -> tuple[pd.DataFrame, list[str]]:
    """The table of a file of SPSS, Stata or SAS, and notes.

    Codes that are declared missing are missing.  A column all of whose values have labels holds
    these labels, in the order of their codes.
    """
    require(f"Files of {program} need", "io", "pyreadstat")
    columns, facts, notes = _parsed(data, program, reader, limit)
    gone: dict[str, list[Any]] = {}
    orders, nominal, unlabelled, answers = _Said(), _Said(), _Said(), _Said()
    for name, column in columns.items():
        declared = _declared(column, name, facts)
        gone |= {name: column[declared].tolist()} if declared.any() else {}
        column = column.mask(declared) if declared.any() else column
        if facts.missing_user_values.get(name):
            column = pd.to_numeric(column)
        asked = _asked(name, how)
        column = column.mask(column.isin(asked)) if asked else column
        known = set(column.dropna().unique().tolist())
        labels = _labels(column, name, facts, known)
        used = [code for code in labels if code in known]
        lacking = sorted(known - set(labels)) if used else []
        doubtful = [code for code in used if _NO_ANSWER.search(labels[code])]
        if doubtful:
            answers.add(name, [(code, labels[code]) for code in doubtful])
        if used and not lacking:
            column, ordered = _as_labels(column, labels, facts.variable_measure.get(name))
            (orders if ordered else nominal).add(name, labels.items())
        elif len(used) > len(lacking) > 0:
            unlabelled.add(name, [(code, "") for code in lacking])
        columns[name] = column
    notes += [*_about_missing(gone), *orders.sentences(_ordered), *nominal.sentences(_unordered)]
    notes += unlabelled.sentences(_unlabelled)
    frame = pd.DataFrame(columns, copy=False)
    frame.attrs["format"] = reader.removeprefix("read_")
    frame.attrs["doubts"] = answers.sentences(_undeclared)
    return frame, notes


# ---------------------------------------------------------------------------------- the file


def _parsed(
    data: bytes, program: str, reader: str, limit: Limit
) -> tuple[dict[str, pd.Series], Any, list[str]]:
    """Columns as they stand in the file, what it says of them, and a note on its encoding."""
    name = limit.name
    if _is_cut(data, reader) or not _survives(data, reader, limit):
        raise InputError(f"{name} cannot be read as a file of {program}: it is damaged.")
    try:
        try:
            frame, facts = _read(data, reader, limit)
            notes = []
        except Exception as error:  # of the reader, or of Python
            if "convert string" not in str(error) and not isinstance(error, UnicodeDecodeError):
                raise
            frame, facts = _read(data, reader, limit, encoding="WINDOWS-1252")
            notes = [f"{name} is not in the encoding it states and was read as Windows-1252."]
    except (InputError, MemoryError):
        raise
    except Exception as error:  # of texts or dates, too: whatever the damage leads to
        raise InputError(
            f"{name} cannot be read as a file of {program}: {brief(error)}."
        ) from error
    names = facts.column_names
    twice = [each for j, each in enumerate(names) if each in names[:j]]
    if not names:
        raise InputError(f"{name} cannot be read as a file of {program}: it has no columns.")
    if twice:
        raise InputError(f"{name} has two columns named {twice[0]!r}. Rename one of them.")
    return {str(each): column for each, column in frame.items()}, facts, notes


def _read(data: bytes, reader: str, limit: Limit, **how: Any) -> tuple[pd.DataFrame, Any]:
    """No more rows than memory is allowed for, whatever the file says of their number."""
    import pyreadstat

    function = getattr(pyreadstat, reader)
    facts = function(io.BytesIO(data), metadataonly=True, **how)[1]
    width = sum(max(8, each) for each in facts.variable_storage_width.values())
    limit.check((facts.number_rows or 0) * width)
    most = min(int(limit.n_bytes // max(width, 1)) + 1, 2**31 - 1)
    declared = {"user_missing": True} if reader in _DECLARING else {}
    frame, facts = function(
        io.BytesIO(data), row_limit=most, dates_as_pandas_datetime=True, **declared, **how
    )
    limit.check(len(frame) * width)
    return frame, facts


_TRIAL = """
import io, sys, pyreadstat
data, function, most = sys.stdin.buffer.read(), getattr(pyreadstat, sys.argv[1]), float(sys.argv[2])
for how in ({}, {"encoding": "WINDOWS-1252"}):
    try:
        facts = function(io.BytesIO(data), metadataonly=True, **how)[1]
        width = sum(max(8, each) for each in facts.variable_storage_width.values())
        if (facts.number_rows or 0) * width <= most:
            rows = min(int(most // max(width, 1)) + 1, 2**31 - 1)
            function(io.BytesIO(data), row_limit=rows, output_format="dict", **how)
        break
    except Exception:
        pass
"""
"""Reads a file as ``_read`` does, in a process of its own."""


def _is_cut(data: bytes, reader: str) -> bool:
    """Whether the end of a file is missing, where the reader does not see it."""
    if reader == "read_xport":
        return len(data) % 80 != 0
    return data.startswith(b"<stata_dta>") and not data.rstrip().endswith(b"</stata_dta>")


def _survives(data: bytes, reader: str, limit: Limit) -> bool:
    """Whether the reader, which is compiled, comes back from a file: damaged ones may end it."""
    command = [sys.executable, "-P", "-c", _TRIAL, reader, str(limit.n_bytes)]
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    return done.returncode in (0, 1)


# ------------------------------------------------------------------------------ what is missing


def _declared(column: pd.Series, name: str, facts: Any) -> pd.Series:
    """Which cells hold codes that are declared missing."""
    letters = facts.missing_user_values.get(name)  # .a to .z of Stata and SAS
    gone = column.isin(letters or [])
    for part in facts.missing_ranges.get(name, ()):
        if isinstance(part["lo"], str):
            gone |= column.astype(object).map(str).str.rstrip() == part["lo"].rstrip()
        elif column.dtype.kind in "iuf":
            gone |= column.between(part["lo"], part["hi"])
    return gone


def _about_missing(gone: Mapping[str, list[Any]]) -> list[str]:
    """Which codes were declared missing, in one sentence for all columns."""
    if not gone:
        return []
    each = [
        f"{name} ({listed(sorted({_short(code) for code in codes}), 4)}: "
        f"{counted(len(codes), 'row')})"
        for name, codes in gone.items()
    ]
    return [f"Codes that the file declares missing were read as missing: {listed(each, 5)}."]


def _asked(name: str, how: Reading) -> list[float]:
    """The codes that ``--missing`` names."""
    asked = {*how.missing, *how.missing_in.get(name, ())}
    return [float(text) for text in asked if is_number(text)]


# ------------------------------------------------------------------------------------- labels


def _labels(column: pd.Series, name: str, facts: Any, known: set[Any]) -> dict[Any, str]:
    """Labels in the order of their codes; those that several codes have with the code.

    Codes that mean missing and do not occur any more are not among them.
    """
    given = facts.variable_value_labels.get(name, {})
    numbers = column.dtype.kind in "iuf"
    codes = sorted(code for code in given if isinstance(code, str) != numbers and code == code)
    absent = _declared(pd.Series(codes, dtype=float if numbers else object), name, facts).tolist()
    texts = {code: " ".join(str(given[code]).split()) or _short(code) for code in codes}
    texts = {
        code: text
        for (code, text), declared in zip(texts.items(), absent, strict=True)
        if code in known or not (declared or _NO_ANSWER.search(text))
    }
    counts = Counter(texts.values())
    return {
        code: text if counts[text] == 1 else f"{text} ({_short(code)})"
        for code, text in texts.items()
    }


def _as_labels(
    column: pd.Series, labels: Mapping[Any, str], measure: str | None
) -> tuple[pd.Series, bool]:
    """The labels of a column, and whether they have an order.

    Codes are numbers in an order.  It means nothing where the file says so, unless the labels look
    ordered in this way, and where there are very many labels, unless the file says that it does.
    """
    texts = list(labels.values())
    plain = guess_order(texts) == texts
    ordered = measure == "ordinal" or plain or (measure != "nominal" and len(texts) <= FEW)
    if column.dtype.kind not in "iuf" or not ordered:
        found = column.map(dict(labels)).astype(object)
        return found.where(found.notna(), None), False
    made = pd.Categorical(column.map(dict(labels)), texts, ordered=True)
    return pd.Series(made, column.index), True


def _short(code: Any) -> str:
    return f"{code:.15g}" if isinstance(code, int | float) else str(code)


class _Said(dict[_Labels, list[str]]):
    """Columns of which the same is to be said, by their codes and labels."""

    def add(self, name: str, labels: Iterable[tuple[Any, str]]) -> None:
        self.setdefault(tuple((_short(code), text) for code, text in labels), []).append(name)

    def sentences(self, sentence: Callable[[list[str], _Labels], str]) -> list[str]:
        """One for all columns alike, the first few of them."""
        said = [sentence(names, labels) for labels, names in list(self.items())[:MOST_SAID]]
        rest = [name for names in list(self.values())[MOST_SAID:] for name in names]
        return [*said, *([f"The same is true of {listed(rest, 8)}."] if rest else [])]


def _ordered(names: list[str], labels: _Labels) -> str:
    order = " < ".join(f"{text} ({code})" for code, text in labels[:7])
    more = " < ..." if len(labels) > 7 else ""
    return (
        f"{listed(names, 5)}: read as ordered categories in the order of the codes, {order}{more}; "
        "pass --categorical (for the target: --unordered) if that is no order."
    )


def _unordered(names: list[str], labels: _Labels) -> str:
    return f"{listed(names, 5)}: the labels of the codes were read as categories without an order."


def _unlabelled(names: list[str], codes: _Labels) -> str:
    has = "has" if len(codes) == 1 else "have"
    return (
        f"{listed(names, 5)}: {listed((code for code, _ in codes), 5)} {has} no label, so "
        "the codes were read as numbers; pass --categorical if they are none."
    )


def _undeclared(names: list[str], labels: _Labels) -> str:
    columns = ",".join(f'"{name}"' if "," in name else name for name in names)
    asked = shlex.quote(f"{columns}={','.join(code for code, _ in labels)}")
    shown = listed(f"{code} is labelled {text!r}" for code, text in labels)
    return f"{listed(names, 5)}: {shown}; pass --missing {asked} if that means missing."
