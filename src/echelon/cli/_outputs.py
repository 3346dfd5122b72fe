"""What is written: tables, reports and pictures, checked before the work and whole afterwards."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pandas as pd

from echelon._core.extras import require
from echelon._core.files import check_writable, resolved, write_whole
from echelon._core.words import is_number
from echelon.cli._options import Common, Using
from echelon.cli._terminal import InputError
from echelon.cli.files import located
from echelon.display import BoundsDisplay
from echelon.display.style import APART, legend, plain
from echelon.report import Report, Reports, draw_answer
from echelon.study.types import Summary

ENDINGS = {
    "output": (".csv", ".tsv", ".json"),
    "report": (".html", ".htm", ".md", ".json"),
    "plot": (".png", ".svg", ".pdf"),
    "save": (".json",),
    "code": (".py", ".ipynb"),
    "save_config": (".toml",),
}

FORMULA_STARTS = (*"=+-@", *"\uff1d\uff0b\uff0d\uff20", "\t", "\r")
"""What a cell begins with that spreadsheets take for a formula; some of them wide signs too."""


def check_outputs(common: Common, using: Using | None = None) -> None:
    """Refuse what could not be written, before anything is computed."""
    asked = {**vars(common), **vars(using or Using())}
    if common.output == "-" and common.json:
        raise InputError("--json and --output - both write to standard output. Pass one of them.")
    seen: dict[Path, str] = {}
    for option, endings in ENDINGS.items():
        path = asked[option]
        option = option.replace("_", "-")
        if path is None or (option == "output" and path == "-"):
            continue
        if not path.lower().endswith(endings) and not Path(path).is_char_device():
            raise InputError(f"--{option} must end in {', '.join(endings)}, got {path!r}.")
        found = check_writable(path, overwrite=common.force)
        if found in seen:
            raise InputError(f"--{seen[found]} and --{option} name the same file, {path!r}.")
        if common.data != "-" and found == resolved(located(common.data)[0]):
            raise InputError(f"--{option} names the data file itself, {path!r}.")
        seen[found] = option
    if common.report and not common.report.lower().endswith(".json"):
        require("--report needs", "report", "jinja2")
    if common.plot:
        require("--plot needs", "plot", "matplotlib")


def write_outputs(
    common: Common,
    table: pd.DataFrame,
    report: Callable[[], Report | Reports] | None = None,
    picture: Callable[[], Any] | None = None,
) -> list[str]:
    """Write what was asked for, made only then; returns the names of the files."""
    written = []

    def write(path: str, content: str | bytes) -> None:
        write_whole(path, content, overwrite=common.force)
        written.append(path)

    if common.output == "-":
        sys.stdout.write(_as_text(table, common))
    elif common.output:
        write(common.output, _as_text(table, common))
    if common.report and report is not None:
        write(common.report, _rendered(report(), common.report))
    if common.plot and picture is not None:
        write(common.plot, _drawn(picture(), common.plot))
    return written


def _as_text(table: pd.DataFrame, common: Common) -> str:
    """The table in the format that the ending of ``--output`` says."""
    path = str(common.output).lower()
    if path.endswith(".json"):
        return json.dumps(json.loads(table.to_json(orient="records")), indent=1, ensure_ascii=False)
    if not common.raw:
        # Names come from files of anybody: ``=cmd|...`` must not become a command where the table
        # is opened.
        columns = {as_cell(name): column.map(as_cell) for name, column in table.items()}
        table = pd.DataFrame(columns, index=table.index)
    return table.to_csv(index=False, sep="\t" if path.endswith(".tsv") else ",")


def as_cell(cell: Any) -> Any:
    """A text that a spreadsheet would run, with an apostrophe before it, which makes it text."""
    if not isinstance(cell, str) or not cell.startswith(FORMULA_STARTS) or is_number(cell):
        return cell
    return f"'{cell}"


def _rendered(report: Report | Reports, path: str) -> str:
    """The report in the format that the ending says."""
    ending = Path(path).suffix.lower()
    return {".md": report.to_markdown, ".json": report.to_json}.get(ending, report.to_html)()


def _drawn(figure: Any, path: str) -> bytes:
    """The figure in the format that the ending says."""
    stream = io.BytesIO()
    ending = Path(path).suffix.lower().removeprefix(".") or "png"
    figure.savefig(stream, format=ending, dpi=150)
    return stream.getvalue()


# --------------------------------------------------------------------------- pictures


def ranking_picture(summary: Summary) -> Any:
    """Scores of the best features, and the curve that says how many to select."""
    features = summary["features"]
    scored = any(f[key] is not None for f in features for key in ("score", "loss"))
    return draw_answer(summary, _figure(12 if scored else 7, 5))


def comparison_picture(summary: Summary) -> Any:
    """The curves of all methods."""
    figure = _figure(8, 5)
    ax = figure.subplots()
    for colour, method in zip(cycle(APART), summary["methods"], strict=False):
        curve = method["curve"]
        ax.errorbar(curve["n_features"], curve["mean"], curve["standard_error"], color=colour,
                    marker=".", capsize=2, label=method["label"])  # fmt: skip
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.xaxis.set_minor_formatter("")
    ax.set_xlabel("features selected")
    ax.set_ylabel(summary["how"]["scoring"])
    legend(ax)
    plain(ax)
    return figure


def bounds_picture(display: BoundsDisplay) -> Any:
    """Bounds of the weights of every feature."""
    figure = _figure(8, max(4.0, 1.5 + 0.3 * min(len(display.names), 40)))
    display.plot(figure.subplots())
    return figure


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")
