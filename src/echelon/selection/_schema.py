"""What a saved selection holds: JSON whose parts are the types below, checked against them.

A selection may come from anybody.  It is data: nothing in it is imported, executed or taken for a
path.  Keys that a later version of the same schema adds are left alone.
"""

import json
import math
from collections import Counter
from datetime import date
from types import UnionType
from typing import (
    Any,
    Literal,
    NotRequired,
    TypedDict,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

FORMAT = "echelon selection"
SCHEMA = 1
"""The version written.  It rises only where an earlier version could not read a file rightly."""

Label = str | int | float | bool
"""A class or a category."""


class Target(TypedDict):
    """What was to be predicted."""

    name: str
    kind: Literal["ordinal", "classification", "regression"]
    classes: list[Label] | None
    """Lowest first where they have an order; None: numbers."""


class Column(TypedDict):
    """A column of the table, in the order of the table; the target is not among them."""

    name: str
    kind: Literal["number", "date", "duration", "ordered", "nominal", "interval"]
    selected: bool
    rank: int | None
    """1 is the best; None: excluded before the ranking."""
    score: float | None
    reason: str
    """Why it was selected, or was not."""
    missing: int
    """Rows without a value."""
    minimum: NotRequired[float]
    maximum: NotRequired[float]
    """Of numbers; days since ``origin`` for dates, days for durations."""
    categories: NotRequired[list[Label]]
    """Lowest first where they have an order; absent where there are very many."""
    origin: NotRequired[str]
    """The day from which the days of a date are counted, as 2024-12-31."""
    bounds: NotRequired[list[str]]
    """The columns of the table that hold the lower and the upper ends of intervals."""


class Reading(TypedDict):
    """How the file was read."""

    format: str
    encoding: str | None
    delimiter: str | None
    decimal: str | None
    thousands: str | None
    sheet: str | None
    missing: list[str]
    """Texts that mean missing in all columns, beside the usual ones."""
    missing_in: dict[str, list[str]]
    """Texts that mean missing in single columns."""
    day_first: dict[str, bool]
    """Columns of dates such as 03/04/2024: whether the day is first."""


class Reached(TypedDict):
    """A mean over the folds and its standard error."""

    mean: float
    standard_error: float | None


class Score(TypedDict):
    """What was reached, in the units of the metric."""

    metric: str
    larger_is_better: bool
    held_out: Reached
    """Of the procedure: features ranked, and their number chosen, without the rows tested on."""
    selected: Reached
    """Of the selected columns with the model, over the same folds: perhaps too good, since they
    were selected on all rows."""
    baseline: Reached
    """Of the best constant prediction."""


class Rows(TypedDict):
    """The rows, and the columns that say something of them."""

    n: int
    groups: str | None
    time: str | None
    weights: str | None


class Model(TypedDict):
    """What evaluated the features."""

    name: str
    """"linear", "forest" or "given"."""
    description: str


class Saved(TypedDict):
    """A selection as JSON, schema 1."""

    format: Literal["echelon selection"]
    schema: int
    created: str
    versions: dict[str, str]
    source: str | None
    target: Target
    columns: list[Column]
    reading: Reading | None
    """None: the table did not come from a file."""
    rows: Rows
    method: str
    model: Model
    scores: Score
    settings: dict[str, str | int | float | bool | list[str] | None]


def loads(text: str | bytes) -> Saved:
    """The checked content of a saved selection, or one sentence on what is wrong with it."""
    try:
        held = json.loads(text, parse_constant=_no_number, object_pairs_hook=_without_repeats)
    except RecursionError:
        raise ValueError("The selection is nested too deeply to be one of echelon's.") from None
    except (ValueError, UnicodeDecodeError) as error:
        raise ValueError(f"The selection is no JSON that can be read: {error}.") from error
    return checked(held)


def checked(held: Any) -> Saved:
    """The value given, if it is a selection of a schema that is known."""
    if not isinstance(held, dict) or held.get("format") != FORMAT:
        raise ValueError(
            f'A selection is a JSON object with "format": "{FORMAT}"; this is another file.'
        )
    schema = held.get("schema")
    if not isinstance(schema, int) or isinstance(schema, bool) or schema < 1:
        raise ValueError(f"The selection has no schema number, got {_brief(schema)}.")
    if schema > SCHEMA:
        raise ValueError(
            f"The selection has schema {schema}, and this version of echelon reads up to {SCHEMA}. "
            "Install a later version."
        )
    trouble = _trouble(held, Saved, "selection")
    if trouble is None:
        trouble = _incoherence(held)
    if trouble is not None:
        raise ValueError(f"The selection cannot be used: {trouble}.")
    return held  # type: ignore[return-value]


def _no_number(name: str) -> float:
    raise ValueError(f"it holds {name}, which is no JSON number")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("it holds the same key twice")
    return found


def _trouble(value: Any, hint: Any, where: str) -> str | None:
    """Where a value is not of its type, in words; None if it is."""
    if is_typeddict(hint):
        return _trouble_in_part(value, hint, where)
    if not _conforms(value, hint):
        return f"{where} must be {_named(hint)}, got {_brief(value)}"
    if isinstance(value, list) and get_origin(hint) is list:
        entries = enumerate(value)
        entry = get_args(hint)[0]
        return next(filter(None, (_trouble(v, entry, f"{where}[{k}]") for k, v in entries)), None)
    if isinstance(hint, UnionType):
        part = next(part for part in get_args(hint) if _conforms(value, part))
        return _trouble(value, part, where)
    if isinstance(value, dict) and get_origin(hint) is dict:
        entry = get_args(hint)[1]
        found = (_trouble(each, entry, f"{where}.{_brief(key)}") for key, each in value.items())
        return next(filter(None, found), None)
    return None


def _trouble_in_part(value: Any, hint: Any, where: str) -> str | None:
    if not isinstance(value, dict):
        return f"{where} must be an object, got {_brief(value)}"
    for key, kind in get_type_hints(hint).items():
        if key not in value:
            if key in hint.__required_keys__:
                return f"{where} lacks {key!r}"
            continue
        trouble = _trouble(value[key], kind, f"{where}.{key}")
        if trouble is not None:
            return trouble
    return None


def _conforms(value: Any, hint: Any) -> bool:
    """Whether a value is of a type, its own entries left aside."""
    if is_typeddict(hint):
        return isinstance(value, dict)
    if isinstance(hint, UnionType):
        return any(_conforms(value, part) for part in get_args(hint))
    origin = get_origin(hint)
    if origin is Literal:
        return isinstance(value, str) and value in get_args(hint)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and _finite(value)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
    return isinstance(value, origin or hint)


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond floats
        return False


def _named(hint: Any) -> str:
    """A type in words."""
    names = {str: "text", int: "a whole number", float: "a number", bool: "true or false",
             type(None): "null", list: "a list", dict: "an object"}  # fmt: skip
    if isinstance(hint, UnionType):
        return " or ".join(_named(part) for part in get_args(hint))
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(map(repr, get_args(hint)))
    return names.get(get_origin(hint) or hint, "an object")


def _brief(value: Any) -> str:
    """A value as a few letters."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**30 else "a huge number"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _incoherence(held: Any) -> str | None:
    """What its parts say against each other; None: nothing."""
    names = [column["name"] for column in held["columns"]]
    name, count = Counter(names).most_common(1)[0] if names else ("", 0)
    if count > 1:
        return f"two columns are named {_brief(name)}"
    if held["target"]["name"] in names and held["reading"] is not None:
        return f"the target {_brief(held['target']['name'])} is one of the columns"
    for column in held["columns"]:
        trouble = _incoherent_column(column)
        if trouble is not None:
            return f"column {_brief(column['name'])} {trouble}"
    return None


def _incoherent_column(column: Any) -> str | None:
    if column["selected"] and column["rank"] is None:
        return "is selected and has no rank"
    if column["kind"] == "date" and "origin" not in column:
        return "holds dates and has no origin"
    if "origin" in column and not _is_day(column["origin"]):
        return "has an origin that is no day such as 2024-12-31"
    if column["kind"] == "ordered" and not column.get("categories"):
        return "is ordered and has no categories"
    if "bounds" in column and len(column["bounds"]) != 2:
        return "has bounds that are not two columns"
    return None


def _is_day(text: str) -> bool:
    try:
        return len(text) == 10 and bool(date.fromisoformat(text))
    except ValueError:
        return False
