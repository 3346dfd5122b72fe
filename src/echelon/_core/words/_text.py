"""Plain values, and numbers, lists and names as text in which nothing acts unseen."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def plain(value: Any) -> Any:
    """Dicts, lists, strings, numbers, booleans and None only; NaN and infinity become None."""
    if value is None or isinstance(value, bool | str):
        return value
    if hasattr(value, "tolist"):  # of NumPy
        return plain(value.tolist())
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, Sequence | set | frozenset):
        return [plain(entry) for entry in value]
    return str(value)


def is_number(text: str) -> bool:
    """Whether a text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def number(value: float | None, digits: int = 3) -> str:
    """A number to read: some significant digits, thousands parted; a dash for none."""
    if value is None or not math.isfinite(value):
        return "-"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    size = abs(value)
    if size >= 10**digits:
        return f"{value:,.0f}"
    if size < 1e-4:
        return f"{value:.{digits - 1}e}"
    return f"{value:.{max(0, digits - 1 - math.floor(math.log10(size)))}f}"


def with_error(mean: float | None, standard_error: float | None) -> str:
    """A mean and its standard error, to the digits that the error leaves."""
    said = to_error(mean, standard_error)
    if mean is None or standard_error is None:
        return said
    return f"{said} ± {standard_error:,.{_places(standard_error)}f}"


def to_error(mean: float | None, standard_error: float | None) -> str:
    """A mean alone, to the digits that its standard error leaves."""
    if mean is None or standard_error is None:
        return number(mean)
    return unsigned(f"{mean:,.{_places(standard_error)}f}")


def _places(standard_error: float) -> int:
    if standard_error < 0.1:
        return 3
    return max(0, 1 - math.floor(math.log10(standard_error)))


def unsigned(text: str) -> str:
    """A number without the minus of a zero.

    Examples
    --------
    >>> from echelon._core.words import unsigned
    >>> unsigned("-0.000"), unsigned("-0.010")
    ('0.000', '-0.010')
    """
    return text[1:] if re.fullmatch(r"-0(\.0+)?", text) else text


def ended(sentence: str) -> str:
    """A sentence with one full stop, where it ends with a name that has one.

    Examples
    --------
    >>> from echelon._core.words import ended
    >>> ended("Excluded: Nr..")
    'Excluded: Nr.'
    """
    return re.sub(r"(?<=[^.\s])\.\.(?=\s|$)", ".", sentence)


def listed(names: Iterable[Any], most: int = 5) -> str:
    """Names in a row: ``a, b and c``, or ``a, b and 7 more``."""
    texts = [str(name) for name in names]
    if len(texts) > most:
        texts = [*texts[: most - 1], f"{len(texts) - most + 1:,} more"]
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def counted(n: int, noun: str) -> str:
    """``1 feature``, ``2 features``."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def percent(share: float) -> str:
    """A share to read: ``12 %``, ``under 1 %``."""
    return f"{100 * share:.0f} %" if share >= 0.01 or share == 0 else "under 1 %"


def moves(change: Any) -> str:
    """How the score changes, in words."""
    size = with_error(abs(change["change"]), change["standard_error"])
    return f"{'rises' if change['change'] > 0 else 'falls'} by {size}"


def if_not(significant: bool) -> str:
    """Of a change that is not significant, that it is not."""
    return "" if significant else " (not significant)"


_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff]"
)
"""Control characters but tab and line feed; marks of direction; invisible ones; half characters."""


def visible(text: str) -> str:
    """Text in which nothing acts unseen: control characters and turns of direction as symbols.

    A name with NUL, ESC or U+202E would else end a string, colour a terminal, or read backwards.
    """
    return _UNSEEN.sub(lambda found: _symbol(ord(found.group())), text)


def all_visible(value: Any) -> Any:
    """Plain values, as of :func:`plain`, with every text in them made visible."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {all_visible(key): all_visible(entry) for key, entry in value.items()}
    if isinstance(value, Sequence):
        return [all_visible(entry) for entry in value]
    return value


def _symbol(code: int) -> str:
    """The picture Unicode has of a control character, or its number."""
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"<U+{code:04X}>"
