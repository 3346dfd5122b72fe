"""What is written: tables, reports and pictures, checked before the work and whole afterwards."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

from echelon._core.files import check_writable, expanded, write_whole
from echelon._core.words import is_number
from echelon.cli._errors import InputError
from echelon.cli._options import Common

ENDINGS = {
    "output": (".csv", ".tsv", ".json"),
    "report": (".html", ".htm", ".md", ".json"),
    "plot": (".png", ".svg", ".pdf"),
}

FORMULA_STARTS = (*"=+-@", *"\uff1d\uff0b\uff0d\uff20", "\t", "\r")
"""What a cell begins with that spreadsheets take for a formula; some of them wide signs too."""


def check_outputs(common: Common) -> None:
    """Refuse what could not be written, before anything is computed."""
    if common.output == "-" and common.json:
        raise InputError("--json and --output - both write to standard output. Pass one of them.")
    seen: dict[Path, str] = {}
    for option, endings in ENDINGS.items():
        path = getattr(common, option)
        if path is None or (option == "output" and path == "-"):
            continue
        if not path.lower().endswith(endings) and not Path(path).is_char_device():
            raise InputError(f"--{option} must end in {', '.join(endings)}, got {path!r}.")
        found = check_writable(path, overwrite=common.force)
        if found in seen:
            raise InputError(f"--{seen[found]} and --{option} name the same file, {path!r}.")
        if common.data != "-" and found == expanded(common.data).resolve():
            raise InputError(f"--{option} names the data file itself, {path!r}.")
        seen[found] = option


def write_table(frame: Any, common: Common) -> list[str]:
    """Write the table to ``--output``; names what was written."""
    path = common.output
    if path is None:
        return []
    if path.lower().endswith(".json"):
        text = json.dumps(json.loads(frame.to_json(orient="records")), indent=1, ensure_ascii=False)
    else:
        table = frame if common.raw else _without_formulas(frame)
        text = table.to_csv(index=False, sep="\t" if path.lower().endswith(".tsv") else ",")
    if path == "-":
        sys.stdout.write(text)
        return []
    write_whole(path, text, overwrite=common.force)
    return [path]


def _without_formulas(frame: Any) -> Any:
    """Texts that a spreadsheet would run, with an apostrophe before them, which makes them text.

    Names come from files of anybody: ``=cmd|...`` must not become a command where the table is
    opened.
    """
    columns = {_as_text(name): column.map(_as_text) for name, column in frame.items()}
    return type(frame)(columns, index=frame.index)


def _as_text(cell: Any) -> Any:
    if not isinstance(cell, str) or not cell.startswith(FORMULA_STARTS) or is_number(cell):
        return cell
    return f"'{cell}"


def write_report(report: Any, common: Common) -> list[str]:
    """Write the report to ``--report``, in the format of its ending."""
    path = common.report
    if path is None:
        return []
    ending = Path(path).suffix.lower()
    render = {".md": report.to_markdown, ".json": report.to_json}.get(ending, report.to_html)
    write_whole(path, render(), overwrite=common.force)
    return [path]


def write_plot(figure: Any, common: Common) -> list[str]:
    """Write a figure to ``--plot``."""
    path = common.plot
    if path is None:
        return []
    buffer = io.BytesIO()
    ending = Path(path).suffix.lower().removeprefix(".") or "png"
    figure.savefig(buffer, format=ending, dpi=150)
    write_whole(path, buffer.getvalue(), overwrite=common.force)
    return [path]
