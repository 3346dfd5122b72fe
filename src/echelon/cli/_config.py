"""A study that can be repeated: options in a TOML file, read by ``--config``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from echelon._core.files import expanded
from echelon.cli._options import as_list
from echelon.cli._terminal import InputError, nearest

LEFT_OUT = ("output", "report", "plot", "raw", "json", "force", "top", "save", "code", "config",
            "save_config", "reasons", "quiet", "debug")  # fmt: skip
"""Options that say what to write or print: they do not change the answer, and are not saved."""


def read_config(path: str, known: Mapping[str, Any]) -> dict[str, Any]:
    """The options in a file, by the names of parameters.

    Parameters
    ----------
    path : str
        A TOML file; keys are options without the dashes before them.
    known : mapping of str to object
        The parameters of the command, by name.
    """
    try:
        held = tomllib.loads(expanded(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is no TOML that can be read: {error}.") from error
    return {key.replace("-", "_"): _value(key, each, path, known) for key, each in held.items()}


def _value(key: str, value: Any, path: str, known: Mapping[str, Any]) -> Any:
    """An option as the command line would give it."""
    name = key.replace("-", "_")
    if name not in known or name in ("config", "debug"):
        options = [each.replace("_", "-") for each in known]
        raise InputError(f"{path} has an option {key!r} that is not known. {nearest(key, options)}")
    if isinstance(value, list) and all(isinstance(each, str | int | float) for each in value):
        texts = [str(each) for each in value]
        return texts if known[name].multiple else as_list(texts)
    if not isinstance(value, str | int | float | bool):
        raise InputError(f"{key!r} in {path} must be a text, a number, true, false or a list.")
    return [str(value)] if known[name].multiple else value


def options_used(*groups: Any, **more: Any) -> dict[str, Any]:
    """The options of a study that have a value, by their names on the command line."""
    held = {each.name: getattr(group, each.name) for group in groups for each in fields(group)}
    return {
        name.replace("_", "-"): value
        for name, value in {**held, **more}.items()
        if name not in LEFT_OUT and value is not False and value not in (None, [], "")
    }


def as_toml(options: Mapping[str, Any], version: str) -> str:
    """Options as a TOML file."""
    lines = [f"# Options of a study by echelon {version}: echelon rank --config THIS_FILE"]
    return "\n".join([*lines, *(f"{key} = {_toml(value)}" for key, value in options.items()), ""])


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return _text(str(value))


def _text(text: str) -> str:
    """A basic string of TOML: nothing in it can end it."""
    escapes = {'"': '\\"', "\\": "\\\\"}
    return '"' + "".join(escapes.get(c, c if c.isprintable() else _escaped(c)) for c in text) + '"'


def _escaped(character: str) -> str:
    code = ord(character)
    if 0xD800 <= code < 0xE000:
        raise InputError("A text with half a character cannot be written to a TOML file.")
    return f"\\U{code:08X}"
