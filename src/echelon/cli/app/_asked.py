"""What was chosen in the page as a command line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from echelon.cli._options import as_list
from echelon.cli._terminal import InputError

READING = ("delimiter", "decimal", "thousands", "sheet", "missing")
"""Options that say how to read a file."""

DATA = (*READING, "target", "class_order", "unordered", "categorical", "ordered", "drop", "keep",
        "groups", "time", "weights", "weights_are", "not_missing")  # fmt: skip
"""Options that say what the columns are."""

RANKING = ("method", "n_features", "tolerance", "rises", "falls", "evidence", "estimator", "cv",
           "seed")  # fmt: skip
"""Options of the evaluation.  None of all these names a file or an address."""

REPEATED = ("missing", "ordered")
"""Options that may be given several times."""

COLUMNS, CHECK, RUN = "columns", "check", "run"

TAKEN = {COLUMNS: READING, CHECK: DATA, RUN: (*DATA, *RANKING)}
"""What may be asked for, and the options it takes."""

ENDINGS = {"report": "-report.html", "ranking": "-ranking.csv", "selection": "-selection.json",
           "code": "-pipeline.py", "reduced": "-reduced"}  # fmt: skip
"""What a run writes, named after the data."""

WRITTEN = {"report": "report", "output": "ranking", "save": "selection", "code": "code"}
"""By which option of ``rank``; the reduced file is made of the selection."""

AS_READ = (".tsv", ".parquet", ".xlsx")
"""Formats in which the reduced file is written, if the data came in them; else as CSV."""


def outputs(name: str) -> dict[str, str]:
    """Names of the files of a run."""
    path = PurePath(name)
    ending = path.suffix.lower() if path.suffix.lower() in AS_READ else ".csv"
    made = {what: f"{path.stem}{end}" for what, end in ENDINGS.items()}
    return made | {"reduced": made["reduced"] + ending}


def commands(kind: str, name: str, asked: Mapping[str, Any]) -> list[list[str]]:
    """The commands of a job, one after the other.

    Parameters
    ----------
    kind : {"columns", "check", "run"}
        What is asked for.
    name : str
        The data, in the folder of the job.
    asked : mapping of str to object
        Options by their names; those that this kind of job does not take are left out.
    """
    unknown = sorted(set(asked) - set(TAKEN[RUN]))
    if unknown:
        raise InputError(f"There is no option {unknown[0]!r} in the page.")
    options = [text for key in TAKEN[kind] if key in asked for text in _option(key, asked[key])]
    if kind != RUN:
        return [["profile", name, *options, "--json"]]
    made = outputs(name)
    written = [f"--{option}={made[what]}" for option, what in WRITTEN.items()]
    return [
        ["rank", name, *options, *written, "--json"],
        ["select", made["selection"], name, f"--output={made['reduced']}", "--with-target"],
    ]


def _option(key: str, value: Any) -> list[str]:
    """An option as a command line has it; nothing where nothing was chosen."""
    flag = f"--{key.replace('_', '-')}"
    if value is None or value is False or value in ("", []):
        return []
    if value is True:
        return [flag]
    if isinstance(value, str | int):
        return [f"{flag}={value}"]
    if key in REPEATED and _are_texts(value):
        return [f"{flag}={text}" for text in value]
    if _are_texts(value):
        return [f"{flag}={as_list(value)}"]
    if isinstance(value, list) and all(map(_is_pair, value)):
        return [
            f"{flag}={as_list(each['columns'])}{'=' if each['columns'] else ''}"
            f"{as_list(each['values'])}"
            for each in value
        ]
    raise InputError(f"{flag} got something that is no option.")


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_pair(value: Any) -> bool:
    """Whether it is columns with values, as of ``--ordered`` and ``--missing``."""
    keys = ("columns", "values")
    return isinstance(value, dict) and all(_are_texts(value.get(key)) for key in keys)
