"""What is said when the input is wrong."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class InputError(ValueError):
    """Wrong input: the command ends with exit code 2 and this line."""


def nearest(name: str, known: Iterable[object]) -> str:
    """A hint at the name that was perhaps meant, or at the first few there are."""
    names = [str(each) for each in known]
    lower = {each.lower(): each for each in reversed(names)}
    close = difflib.get_close_matches(name.lower(), lower, n=1)
    if close:
        return f"Did you mean {lower[close[0]]!r}?"
    shown = ", ".join(names[:8])
    return f"There are: {shown}{', ...' if len(names) > 8 else '.'}"


def brief(error: object) -> str:
    """The first line of an error of another package, without a full stop."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:200].rstrip(". ")
