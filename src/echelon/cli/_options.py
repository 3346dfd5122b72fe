"""The options that every command on data shares, written once."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, NamedTuple, get_type_hints

import typer

from echelon.methods import METHODS, PEERS

DATA_PANEL, OUTPUT_PANEL, RUN_PANEL = "Data", "Output", "Run"


def _data(*names: str, **settings: Any) -> Any:
    return typer.Option(*names, rich_help_panel=DATA_PANEL, show_default=False, **settings)


def _output(*names: str, **settings: Any) -> Any:
    return typer.Option(*names, rich_help_panel=OUTPUT_PANEL, show_default=False, **settings)


def complete_methods(incomplete: str) -> list[tuple[str, str]]:
    """Names of methods for the shell, after the last comma, each with the data it is for."""
    done, _, begun = incomplete.rpartition(",")
    head = f"{done}," if done else ""
    return [
        (f"{head}{name}", method.data)
        for name, method in {**METHODS, **PEERS}.items()
        if name.startswith(begun.lower())
    ]


def _check_jobs(jobs: int | None) -> int | None:
    if jobs == 0:
        raise typer.BadParameter("0 means nothing; give a number of cores, or -1 for all.")
    return jobs


@dataclass
class Common:
    """What was asked for, by the options every command has."""

    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            show_default=False,
            help="CSV or TSV (also .gz, .bz2, .xz, .zip), Parquet, Feather, ARFF or Excel file; - "
            "for CSV on standard input.",
        ),
    ]
    target: Annotated[
        str, _data("--target", "-t", metavar="COLUMN", help="Column with the outcome.")
    ]
    class_order: Annotated[
        str | None,
        _data("--class-order", metavar="LOW,...,HIGH", help="Classes of the target, lowest first."),
    ] = None
    unordered: Annotated[
        bool,
        _data(
            "--unordered", metavar="", help="The classes have no order, even if they look like it."
        ),
    ] = False
    categorical: Annotated[
        str | None,
        _data("--categorical", metavar="A,B", help="Columns of numbers that are codes of labels."),
    ] = None
    ordered: Annotated[
        list[str] | None,
        _data(
            "--ordered",
            metavar="A,B=LOW,...,HIGH",
            help="Columns of labels with an order, lowest first; may be repeated.",
        ),
    ] = None
    drop: Annotated[str | None, _data("--drop", metavar="A,B", help="Columns to leave out.")] = None
    keep: Annotated[
        str | None,
        _data(
            "--keep", metavar="A,B", help="Columns to keep in any case, whatever they look like."
        ),
    ] = None
    groups: Annotated[
        str | None,
        _data(
            "--groups",
            metavar="COLUMN",
            help="Whose rows belong together (patient, household, store): never parted by folds.",
        ),
    ] = None
    time: Annotated[
        str | None,
        _data(
            "--time",
            metavar="COLUMN",
            help="Dates or numbers: folds learn from the past and are judged by what comes next.",
        ),
    ] = None
    intervals: Annotated[
        str | None,
        _data(
            "--intervals",
            metavar="LOWER,UPPER",
            help='How columns of bounds are named, as "{}_min,{}_max".',
        ),
    ] = None
    weights: Annotated[
        str | None,
        _data("--weights", metavar="COLUMN", help="How much every row counts, as in surveys."),
    ] = None
    missing: Annotated[
        str | None,
        _data(
            "--missing", metavar="A,B", help="Texts that mean missing, beside NA, ? and the like."
        ),
    ] = None
    delimiter: Annotated[
        str | None, _data("--delimiter", metavar="CHAR", help="Between columns; found by itself.")
    ] = None
    sheet: Annotated[
        str | None, _data("--sheet", metavar="NAME", help="Sheet of an Excel file; the first one.")
    ] = None
    output: Annotated[
        str | None,
        _output("--output", "-o", metavar="FILE", help="Write the table as .csv, .tsv or .json."),
    ] = None
    report: Annotated[
        str | None,
        _output("--report", metavar="FILE", help="Write a report: .html, .md or .json."),
    ] = None
    plot: Annotated[
        str | None, _output("--plot", metavar="FILE", help="Draw it: .png, .svg or .pdf.")
    ] = None
    raw: Annotated[
        bool,
        _output("--raw", metavar="", help="Write names to -o as they are, formulas too."),
    ] = False
    json: Annotated[bool, _output("--json", metavar="", help="Print JSON instead of tables.")] = (
        False
    )
    force: Annotated[bool, _output("--force", metavar="", help="Overwrite files that exist.")] = (
        False
    )
    top: Annotated[
        int,
        typer.Option(
            "--top", min=0, metavar="N", rich_help_panel=OUTPUT_PANEL,
            help="Features to print; 0 for all.",
        ),
    ] = 20  # fmt: skip
    seed: Annotated[
        int,
        typer.Option("--seed", min=0, max=2**32 - 1, rich_help_panel=RUN_PANEL,
                     help="Of every random choice."),
    ] = 0  # fmt: skip
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", rich_help_panel=RUN_PANEL, show_default=False,
                     callback=_check_jobs,
                     help="Folds computed at a time; -1 for one per core."),
    ] = None  # fmt: skip
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", metavar="tcp://HOST:PORT", rich_help_panel=RUN_PANEL,
                     show_default=False, help="Search on a Dask cluster."),
    ] = None  # fmt: skip
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", metavar="", rich_help_panel=RUN_PANEL, show_default=False,
                     help="No progress on standard error."),
    ] = False  # fmt: skip
    debug: Annotated[
        bool,
        typer.Option("--debug", metavar="", rich_help_panel=RUN_PANEL, show_default=False,
                     help="Show where an error comes from."),
    ] = False  # fmt: skip

    def command_line(self) -> str:
        """What was typed, for the report."""
        return shlex.join(["echelon", *ARGUMENTS])


class Judging(NamedTuple):
    """How features are judged, as asked for."""

    n_features: str = "auto"
    tolerance: str | None = None
    estimator: str = "linear"
    cv: int = 5


ARGUMENTS: list[str] = []
"""What the command was called with."""


def with_common(function: Callable[..., None]) -> Callable[..., None]:
    """A command whose first argument is ``Common``, as one with all those options."""
    own = list(signature(function).parameters.values())[1:]
    hints = get_type_hints(function, include_extras=True)
    shared = get_type_hints(Common, include_extras=True)
    names = [field.name for field in fields(Common)]

    @wraps(function)
    def command(**values: Any) -> None:
        common = Common(**{name: values.pop(name) for name in names})
        function(common, **values)

    parameters = [
        Parameter(f.name, Parameter.KEYWORD_ONLY, annotation=shared[f.name],
                  default=getattr(Common, f.name, Parameter.empty))
        for f in fields(Common)
    ]  # fmt: skip
    mine = [p.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[p.name]) for p in own]
    # DATA and the target first, then what is special about the command, then the rest.
    ordered = [*parameters[:2], *mine, *parameters[2:]]
    command.__signature__ = signature(command).replace(parameters=ordered)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in ordered}
    del command.__wrapped__
    return command


def names(text: str | None) -> list[str]:
    """A list separated by commas; names with commas in double quotes."""
    if not text:
        return []
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True))]
