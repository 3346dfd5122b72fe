"""Numbers as people write them, and whether a comma or a point is the decimal sign of a file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

SPACES = " \u00a0\u2007\u2009\u202f"
APOSTROPHES = "'\u2019"
_OTHER = {".": ",", ",": "."}
_CODES = "EUR|USD|CHF|GBP|JPY|CNY|SEK|NOK|DKK|PLN|CZK|HUF|AUD|CAD|INR|BRL|ZAR|TRY"
_CURRENCY = rf"(?:[$€£¥]|US\$|Fr\.|{_CODES})"
_LETTERS = r"[°µμ]?[A-Za-zΩ]{1,4}[²³23]?(?:/[A-Za-zµμ]{1,4}[²³23]?)?"
_KNOWN = "mm|cm|m|km|kg|g|mg|µg|μg|l|ml|dl|s|ms|min|h|Hz|kHz|kWh|kW|°C|°F|°|px|pt"
_UNIT = rf"[%‰]|(?<=[{SPACES}]){_LETTERS}|{_KNOWN}"
_FREE = re.compile(rf"|[%‰]|{_CURRENCY}")
"""What may be written beside some numbers of a column and not beside others."""
_CELL = re.compile(
    rf"([+\-\u2212]?)[{SPACES}]*({_CURRENCY})?[{SPACES}]*([+\-\u2212]?)"
    rf"((?:\d[\d.,{APOSTROPHES}{SPACES}]*)?\d\.?|[.,]\d+)(?:[eE]([+\-\u2212]?\d+))?"
    rf"(-?)[{SPACES}]*({_CURRENCY}|{_UNIT})?(-?)"
)
_BEHIND = 3
"""Digits that a number with its minus behind it has at least, or a decimal sign or a unit, in one
cell of its column: 2- may be a mark."""

DOUBTFUL = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")
"""1.244 may be a number above 1000."""

LEAST_CODE = 4
"""Digits of a code that begins with 0; 01 is a month."""


class Number(NamedTuple):
    """A cell that was read as a number, and what is written beside its digits."""

    value: float
    unit: str
    """Currency, percent sign or unit; "" for none."""


class Style(NamedTuple):
    """How numbers are written: the decimal sign, and what may part thousands."""

    decimal: str = "."
    thousands: str = "," + APOSTROPHES + SPACES


class Decision(NamedTuple):
    """How the numbers of a file are written."""

    style: Style
    columns: dict[str, Style]
    """Of columns of numbers in which a point or a comma occurs."""
    guessed: dict[str, str]
    """Columns that may as well be written in the other style, each with a cell that shows it."""


def style_of(decimal: str, thousands: str | None = None) -> Style:
    """The style with this decimal sign; thousands by the other sign, an apostrophe or a space."""
    if thousands is None:
        return Style(decimal, _OTHER[decimal] + APOSTROPHES + SPACES)
    for alike in (APOSTROPHES, SPACES):
        thousands = alike if thousands in alike else thousands
    return Style(decimal, thousands)


def read_number(cell: str, style: Style) -> Number | None:
    """The number in a cell, with its currency or unit if it has one; None if it is none.

    Thousands are in groups of three by one sign, and the first group does not begin with 0.
    """
    cell = cell.strip()
    loss = len(cell) > 2 and cell[0] == "(" and cell[-1] == ")"  # in brackets, as in accounts
    found = _CELL.fullmatch(cell[1:-1] if loss else cell)
    if found is None:
        return None
    sign, currency, inner, body, exponent, behind, unit, last = found.groups()
    signs = [each for each in (sign, inner, behind, last, "-" * loss) if each]
    mark = (behind or last) and not currency and not unit and _is_short(body)
    if len(signs) > 1 or (currency and unit) or mark:
        return None
    whole, _, fraction = body.partition(style.decimal)
    plain = _ungrouped(whole, style.thousands, grouping=exponent is None)
    if plain is None or not (fraction.isdigit() or not fraction) or not (plain or fraction):
        return None
    power = (exponent or "0").replace("\u2212", "-")
    value = float(f"{plain or 0}.{fraction or 0}e{power}")
    return Number(-value if signs and signs[0] != "+" else value, currency or unit or "")


def _is_short(body: str) -> bool:
    return body.isdigit() and len(body) < _BEHIND


def _ungrouped(whole: str, thousands: str, *, grouping: bool) -> str | None:
    """The digits without what parts thousands; None if it does not part thousands."""
    if whole.isdigit() or not whole:
        return whole
    sign = next(char for char in whole if not char.isdigit())
    first, *others = whole.split(sign)
    good = grouping and sign in thousands and first.isdigit() and first[0] != "0"
    if good and len(first) <= 3 and all(len(part) == 3 and part.isdigit() for part in others):
        return first + "".join(others)
    return None


def numbers_of(text: str) -> list[float]:
    """What a text may mean as a number, with a decimal point and with a decimal comma."""
    found = (read_number(text, style_of(sign)) for sign in (".", ","))
    return [number.value for number in found if number is not None]


def plain_numbers(column: pd.Series) -> tuple[pd.Series, str] | None:
    """Numbers beyond doubt, and a cell that shows it; None if they are not plain, or may be others.

    Where one cell, as 12.5, has a decimal point, 1.244 has one as well.
    """
    cells = column.to_numpy(dtype=object)
    known = cells[~pd.isna(cells)]
    numbers = pd.to_numeric(cells, errors="coerce")
    if not len(known) or np.isnan(numbers).sum() != len(cells) - len(known):
        return None
    if not isinstance(known[0], str):
        return None
    marked = (cell for cell in known if "." in cell)
    sure = next((cell for cell in marked if not DOUBTFUL.fullmatch(cell.strip())), "")
    if not sure and any("." in cell or is_code(cell) for cell in known):
        return None
    return pd.Series(numbers, column.index), sure


def is_code(cell: str) -> bool:
    """Whether a cell of digits begins with 0, as a postal code: so are no numbers written."""
    return cell[0] == "0" and len(cell) >= LEAST_CODE and cell.isdigit()


# ------------------------------------------------------------------- the style of a file


def decide(
    columns: Mapping[str, Iterable[str]],
    delimiter: str | None,
    decimal: str | None = None,
    thousands: str | None = None,
) -> Decision:
    """How the numbers of a file are written, from all its columns and its delimiter.

    Parameters
    ----------
    columns : mapping of str to iterable of str
        Cells of every column of text.
    delimiter : str or None
        What separates columns: semicolons are used where a comma is the decimal sign.
    decimal, thousands : str or None, default=None
        The signs, where they are known.

    Returns
    -------
    decision : Decision
        A column that can be read in one style only is read in that one; all others in the style
        of most such columns.  Where there is none, columns are guessed: by whether numbers below
        1000 have no such sign, then by the delimiter.
    """
    if decimal is None and thousands in _OTHER:
        decimal = _OTHER[str(thousands)]
    styles = {sign: style_of(sign, thousands if thousands != sign else None) for sign in _OTHER}
    looked = {name: _evidence(cells, styles) for name, cells in columns.items()}
    seen = {name: evidence for name, evidence in looked.items() if evidence is not None}
    certain = Counter(each.certain for each in seen.values() if each.certain)
    likely = Counter(each.likely for each in seen.values() if each.likely)
    usual = "," if delimiter == ";" else "."
    chosen = decimal or _most(certain, usual)
    if not decimal and not certain:
        chosen = usual if delimiter == "," else _most(likely, usual)
    settled = decimal is not None or len(certain) == 1
    return Decision(
        styles[chosen],
        {name: styles[each.certain or chosen] for name, each in seen.items()},
        {
            name: each.doubtful
            for name, each in seen.items()
            if not settled and each.doubtful and not each.certain
            # Points in a file with commas between columns are decimal signs, unless...
            if not (delimiter == "," and "." in each.doubtful and not each.likely)
        },
    )


def _most(votes: Counter, usual: str) -> str:
    """The sign with the most votes; the usual one in a tie."""
    other = _OTHER[usual]
    return other if votes[other] > votes[usual] else usual


class _Evidence(NamedTuple):
    """What a column says about the decimal sign: for certain, or likely; "" for nothing."""

    certain: str
    likely: str
    doubtful: str
    """A cell that is a number in both styles, and not the same one."""


def _evidence(cells: Iterable[str], styles: dict[str, Style]) -> _Evidence | None:
    """What the cells say together; None if most are no numbers, or no point or comma occurs."""
    only: Counter = Counter()
    doubtful: list[str] = []
    bare, n_cells, n_numbers, priced = [0], 0, 0, False
    for cell in set(cells):
        point, comma = (read_number(cell, styles[sign]) for sign in (".", ","))
        number = point or comma
        n_cells += 1
        n_numbers += number is not None
        if number is None:
            continue
        if point is None or comma is None:
            only["." if comma is None else ","] += 1
        elif point.value != comma.value:
            doubtful.append(cell)
            priced = priced or re.fullmatch(_CURRENCY, number.unit) is not None
        elif number.value and not re.search(r"[eE.,]", cell):
            bare.append(len(re.sub(r"\D", "", cell)))
    if 2 * n_numbers < n_cells or not (only or doubtful):
        return None
    certain = _most(only, ".") if only else ""
    signs = {"," if "," in cell else "." for cell in doubtful}
    likely = ""
    if not certain and len(signs) == 1:
        sign = signs.pop()
        shortest = min(len(re.sub(r"\D", "", cell)) for cell in doubtful)
        if max(bare) >= shortest:  # so long a number without a sign: thousands are not parted
            certain = sign
        elif max(bare) or priced:
            likely = _OTHER[sign]
    return _Evidence(certain, likely, min(doubtful, default=""))


def _ends_with_minus(cell: str) -> bool:
    return cell.rstrip().endswith("-")


def reader(cells: Iterable[str], style: Style) -> Callable[[str], float | None]:
    """A function from a cell of a column to its number, None if it is none.

    Only numbers of one unit are comparable: those without a unit of letters, with one currency or
    percent sign at most, or those with the same letters, whichever are more.
    """
    found = {cell: read_number(cell, style) for cell in set(cells)}
    if any(number is not None and _ends_with_minus(cell) for cell, number in found.items()):
        short = [cell for cell, number in found.items() if not number and _ends_with_minus(cell)]
        for cell in short:
            number = read_number(cell.rstrip()[:-1], style)
            found[cell] = None if number is None else number._replace(value=-number.value)
    units = Counter(number.unit for number in found.values() if number is not None)
    free = [unit for unit, _ in units.most_common() if _FREE.fullmatch(unit)]
    readable = {"", next((unit for unit in free if unit), "")}
    lettered = next((unit for unit, _ in units.most_common() if unit not in free), "")
    if units[lettered] > sum(units[unit] for unit in free):
        readable = {lettered}

    def read(cell: str) -> float | None:
        """The number in a cell."""
        number = found[cell] if cell in found else read_number(cell, style)
        return None if number is None or number.unit not in readable else number.value

    return read
