"""Characters that act without being seen, shown as symbols; light to import.

Names come from files of anybody, and enter pages, pictures and terminals here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

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
