"""Dates and times of day as people write them: 31.12.2024, 3/25/21 1:05 PM, Fr 26. März 2021.

A month, a quarter (2024-Q3) and a week (2024-W31) are their first days.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import pandas as pd

_CLOCK = (
    r"(?:(?:[T ]|, ?)(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:\.\d+)?))?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?(?P<zone>Z|[+-]\d{2}:?\d{2})?)?"
)
_WORD = r"(?P<word>[^\W\d_]{3,10})"
_YEAR = r"(?P<year>\d{4}|\d{2})"
_FORMS = [
    re.compile(form + _CLOCK)
    for form in (
        r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})",
        r"(?P<year>\d{4})-(?P<month>\d{2})",
        r"(?P<month>\d{2})/(?P<year>\d{4})",
        r"(?P<first>\d{1,2})[./-](?P<second_>\d{1,2})[./-]" + _YEAR,
        rf"(?P<day>\d{{1,2}})[-. ]{{1,2}}{_WORD}[-., ]{{1,2}}{_YEAR}",
        rf"{_WORD}[. ]{{1,2}}(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? {_YEAR}",
        rf"{_WORD}[-. ]{{1,2}}(?P<year>\d{{4}})",
        r"(?P<year>\d{4})-?W(?P<week>\d{2})(?:-?(?P<weekday>[1-7]))?",
        r"(?P<year>\d{4})[- ]?Q(?P<quarter>[1-4])",
        r"Q(?P<quarter>[1-4])[-/ ]?(?P<year>\d{4})",
    )
]
_TIME = re.compile(r"(\d{1,3})[:hH]([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?")

_NAMES = (
    "january february march april may june july august september october november december",
    "januar februar marz april mai juni juli august september oktober november dezember",
    "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "jan feb mrz apr mai jun jul aug sep okt nov dez",
    "jan feb mrt apr mei jun jul aug sep okt nov dec",
)
"""Months in English, German, French, Spanish, Italian and Dutch, without accents."""

_DAYS = (
    "monday tuesday wednesday thursday friday saturday sunday",
    "montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lunes martes miercoles jueves viernes sabado domingo",
    "lunedi martedi mercoledi giovedi venerdi sabato domenica",
    "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
)
"""Days of the week in the same languages, which may stand before a date: Mo, Tue, Sunday."""
_WEEKDAYS = frozenset(
    name[:n] for line in _DAYS for name in line.split() for n in range(2, len(name) + 1)
)
_AFTER_WEEKDAY = re.compile(r"([^\W\d_]{2,10})[.,]{0,2} +(?=\S)")


def _beginnings() -> dict[str, int]:
    """Months, and their first three letters or more where these say which month is meant."""
    meant: dict[str, set[int]] = {}
    for line in _NAMES:
        for month, name in enumerate(line.split(), 1):
            for n in range(3, len(name) + 1):
                meant.setdefault(name[:n], set()).add(month)
    return {text: min(months) for text, months in meant.items() if len(months) == 1}


_MONTHS = _beginnings()


class Dates(NamedTuple):
    """What the cells of a column are as dates."""

    dates: dict[str, pd.Timestamp]
    """The cells that are dates; empty where it is not known what they mean."""
    doubt: str = ""
    """Why it is not known which number is the day."""
    mixed: bool = False
    """Whether they are written in several ways."""
    day_first: bool | None = None
    """Which of two numbers is the day; None where every cell says so itself."""


def dates_in(cells: Iterable[str], known: bool | None = None) -> Dates:
    """The dates among different cells; which of two numbers is the day they decide together.

    Parameters
    ----------
    cells : iterable of str
        Different cells of a column.
    known : bool, default=None
        Whether the day comes first, where that is known from elsewhere.

    Returns
    -------
    found : Dates
        The dates.  Where no number above 12 tells the day from the month, or one cell tells the
        other way round than another, none, and why.
    """
    found = {cell: parts for cell in cells if (parts := _parts(cell)) is not None}
    open_ = {cell: parts for cell, parts in found.items() if "first" in parts}
    day_first = next((cell for cell, parts in open_.items() if int(parts["first"]) > 12), None)
    month_first = next((cell for cell, parts in open_.items() if int(parts["second_"]) > 12), None)
    if known is None and open_ and (day_first is None) == (month_first is None):
        if day_first is None:
            return Dates({}, f"{next(iter(open_))!r} may be day or month first")
        return Dates({}, f"{day_first!r} has the day first and {month_first!r} the month")
    first = day_first is not None if known is None else known
    dates = {}
    for cell, parts in found.items():
        date = _date(parts, first)
        if date is not None:
            dates[cell] = date
    mixed = len({_kind(parts) for parts in found.values()}) > 1
    return Dates(dates, mixed=mixed, day_first=first if open_ else None)


def _parts(cell: str) -> dict[str, str] | None:
    """Year, month, day and clock as they are written; None if it is no date."""
    named = _AFTER_WEEKDAY.match(cell)
    if named is not None and _plain(named[1]) in _WEEKDAYS:
        cell = cell[named.end() :]
    for form in _FORMS:
        found = form.fullmatch(cell)
        if found is not None:
            return {name: part for name, part in found.groupdict().items() if part is not None}
    return None


def _kind(parts: dict[str, str]) -> tuple[bool, ...]:
    has = parts.keys().__contains__
    return (*map(has, ("first", "word", "week", "quarter")), has("day") or has("first"))


def _date(parts: dict[str, str], day_first: bool) -> pd.Timestamp | None:
    """The date, in universal time where it names its zone; None if there is no such day."""
    if "first" in parts:
        day, month = parts["first"], parts["second_"]
        if not day_first:
            day, month = month, day
    else:
        day, month = parts.get("day", "1"), parts.get("month", "0")
    if "word" in parts:
        month = str(_MONTHS.get(_plain(parts["word"]), 0))
    if "quarter" in parts:
        month = str(3 * int(parts["quarter"]) - 2)
    try:
        if "week" in parts:
            week = int(parts["year"]), int(parts["week"]), int(parts.get("weekday", "1"))
            return pd.Timestamp(datetime.fromisocalendar(*week)) + _clock(parts)
        return pd.Timestamp(_year(parts["year"]), int(month), int(day)) + _clock(parts)
    except ValueError:
        return None


def _year(text: str) -> int:
    """Two digits mean 1969 to 2068, as in POSIX."""
    year = int(text)
    return year if len(text) == 4 else year + (1900 if year > 68 else 2000)


def _clock(parts: dict[str, str]) -> pd.Timedelta:
    """The time since midnight, less what the zone is ahead of universal time."""
    hour, minute = int(parts.get("hour", "0")), int(parts.get("minute", "0"))
    if "half" in parts:
        hour = hour % 12 + 12 * (parts["half"] in "Pp")
    if hour > 24 or minute > 59:
        raise ValueError(f"{hour}:{minute} is no time of day.")
    passed = pd.Timedelta(hours=hour, minutes=minute, seconds=float(parts.get("second", "0")))
    zone = parts.get("zone", "Z").replace(":", "")
    ahead = 0 if zone == "Z" else int(zone[:3]) * 60 + int(zone[0] + zone[3:])
    return passed - pd.Timedelta(minutes=ahead)


def _plain(word: str) -> str:
    """Lower case, without accents."""
    return "".join(
        char
        for char in unicodedata.normalize("NFKD", word.lower())
        if not unicodedata.combining(char)
    )


def hours_in(cells: Iterable[str]) -> dict[str, float]:
    """Times of day and durations, as 15:05 or 15:05:30, in hours; {} if not all cells are some."""
    hours = {}
    for cell in cells:
        found = _TIME.fullmatch(cell)
        if found is None:
            return {}
        hours[cell] = int(found[1]) + int(found[2]) / 60 + float(found[3] or 0) / 3600
    return hours if len(hours) >= 3 else {}


def hours_of(value: object) -> object:
    """A time of day, as spreadsheets have it, in hours; anything else as it is."""
    if not all(hasattr(value, part) for part in ("hour", "minute", "second")) or hasattr(
        value, "year"
    ):
        return value
    return value.hour + value.minute / 60 + value.second / 3600  # type: ignore[attr-defined]
