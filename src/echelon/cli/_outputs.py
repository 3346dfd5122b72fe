"""What is written: tables, reports and pictures, checked before the work and whole afterwards."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Mapping
from itertools import cycle
from pathlib import Path
from typing import Any

import pandas as pd

from echelon import __version__
from echelon._core.extras import require
from echelon._core.files import check_writable, resolved, write_whole
from echelon._core.words import is_number
from echelon.cli._options import ENDINGS, Common, Using, as_toml, outputs
from echelon.cli._terminal import InputError
from echelon.cli.files import located
from echelon.display.style import APART, legend, plain
from echelon.report import Report, Reports, draw_answer
from echelon.study.types import Summary

FORMULA_STARTS = (*"=+-@", *"\uff1d\uff0b\uff0d\uff20", "\t", "\r")
"""What a cell begins with that spreadsheets take for a formula; some of them wide signs too."""


def check_outputs(common: Common, using: Using | None = None) -> None:
    """Refuse what could not be written, before anything is computed."""
    if common.output == "-" and common.json:
        raise InputError("--json and --output - both write to standard output. Pass one of them.")
    seen: dict[Path, str] = {}
    for option, path in outputs(common, using or Using()).items():
        endings, option = ENDINGS[option], option.replace("_", "-")
        if option == "output" and path == "-":
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


def ranking_frame(summary: Summary, aside: Mapping[str, str]) -> pd.DataFrame:
    """One row per feature, best first; behind them the columns that were not ranked."""
    frame = pd.DataFrame(summary["features"]).rename(columns={"name": "feature", "kept": "keep"})
    always = ["rank", "feature", "keep"]
    known = ["score", "p_value", "p_adjusted", "loss", "loss_error", "relevance",
             "evidence", "evidence_p", "trend",
             "stability", "group", "missing"]  # fmt: skip
    columns = always + [key for key in known if key in frame and frame[key].notna().any()]
    ranks = pd.DataFrame(list(frame["ranks"])).rename(columns=lambda name: f"rank_{name.lower()}")
    found = frame[columns].join(ranks) if len(summary["methods"]) > 1 else frame[columns]
    found = found.assign(reason=summary["words"]["reasons"])
    rest = {"rank": pd.NA, "feature": list(aside), "keep": False, "reason": list(aside.values())}
    below = pd.DataFrame(rest) if aside else found.iloc[:0]
    return pd.concat([found, below], ignore_index=True).astype({"rank": "Int64"})


def save_config(common: Common, using: Using, options: dict[str, Any]) -> list[str]:
    """Write the options that were used, where asked for."""
    if not using.save_config:
        return []
    content = as_toml(options, __version__)
    write_whole(using.save_config, content, overwrite=common.force)
    return [using.save_config]


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
    return draw_answer(summary, figure_of(12 if scored else 7, 5))


def comparison_picture(summary: Summary) -> Any:
    """The curves of all methods."""
    figure = figure_of(8, 5)
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


def figure_of(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")
