"""The options of the commands, written once: a field of a dataclass is an option."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from functools import partial
from inspect import Parameter, signature
from typing import Annotated, Any, get_type_hints

import typer

from echelon.methods import METHODS, PEERS

ARGUMENTS: list[str] = []
"""What the command was called with, for the report."""


def _option(metavar: str | None, text: str, default: Any = None, *flags: str, **more: Any) -> Any:
    """A field whose option is named after it; other flags, such as a letter, may be added."""
    shown = isinstance(default, str | int) and default is not False
    settings = {"metavar": metavar, "help": text, "show_default": shown, **more}
    return field(default=default, metadata={"flags": flags, "settings": settings})


_data, _output, _run = (
    partial(_option, rich_help_panel=panel) for panel in ("Data", "Output", "Run")
)


def _check_jobs(jobs: int | None) -> int | None:
    if jobs == 0:
        raise typer.BadParameter("0 means nothing; give a number of cores, or -1 for all.")
    return jobs


@dataclass
class Common:
    """What was asked for, by the options that every command on data has."""

    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            show_default=False,
            help="CSV or TSV (also .gz, .bz2, .xz, .zip), Parquet, Feather, ARFF or Excel file; - "
            "for CSV on standard input.",
        ),
    ]
    target: str = _data("COLUMN", "Column with the outcome.", MISSING, "-t")
    class_order: str | None = _data("LOW,...,HIGH", "Classes of the target, lowest first.")
    unordered: bool = _data("", "The classes have no order, even if they look like it.", False)
    categorical: str | None = _data("A,B", "Columns of numbers that are codes of labels.")
    ordered: list[str] | None = _data(  # noqa: RUF009
        "A,B=LOW,...,HIGH", "Columns of labels with an order, lowest first; may be repeated."
    )
    drop: str | None = _data("A,B", "Columns to leave out.")
    keep: str | None = _data("A,B", "Columns to keep in any case, whatever they look like.")
    groups: str | None = _data(
        "COLUMN",
        "Whose rows belong together (patient, household, store): never parted by folds.",
    )
    time: str | None = _data(
        "COLUMN",
        "Dates or numbers: folds learn from the past and are judged by what comes next.",
    )
    intervals: str | None = _data(
        "LOWER,UPPER", 'How columns of bounds are named, as "{}_min,{}_max".'
    )
    weights: str | None = _data("COLUMN", "How much every row counts, as in surveys.")
    missing: list[str] | None = _data(  # noqa: RUF009
        "[COLUMNS=]A,B",
        "Texts or numbers that mean missing, beside NA, ? and the like, in all columns or in some; "
        "may be repeated.",
    )
    delimiter: str | None = _data("CHAR", "Between columns; found by itself.")
    decimal: str | None = _data(", or .", "Decimal sign of numbers; found by itself.")
    thousands: str | None = _data("CHAR", "What parts thousands: , or . or ' or space.")
    sheet: str | None = _data("NAME", "Sheet of an Excel file; the first one.")
    max_memory: str | None = _data("SIZE", "That data may take, as 8GB; half of what is free.")
    output: str | None = _output("FILE", "Write the table as .csv, .tsv or .json.", None, "-o")
    report: str | None = _output("FILE", "Write a report: .html, .md or .json.")
    plot: str | None = _output("FILE", "Draw it: .png, .svg or .pdf.")
    raw: bool = _output("", "Write names to -o as they are, formulas too.", False)
    json: bool = _output("", "Print JSON instead of tables.", False)
    force: bool = _output("", "Overwrite files that exist.", False)
    top: int = _output("N", "Features to print; 0 for all.", 20, min=0)
    seed: int = _run(None, "Of every random choice.", 0, min=0, max=2**32 - 1)
    jobs: int | None = _run(
        None, "Folds computed at a time; -1 for one per core.", None, "-j", callback=_check_jobs
    )
    scheduler: str | None = _run("tcp://HOST:PORT", "Search on a Dask cluster.")
    quiet: bool = _run("", "No progress on standard error.", False, "-q")
    debug: bool = _run("", "Show where an error comes from.", False)


@dataclass
class Judging:
    """How features are judged, as asked for."""

    n_features: str = _option(
        "N|auto", "How many to keep; auto: the fewest that lose next to nothing.", "auto", "-n"
    )
    tolerance: str | None = _option(
        "LOSS",
        "What may be lost for fewer features: in units of the score, or as 2% of the gain over "
        "guessing.",
    )
    estimator: str = _run(
        "NAME", "Model that judges features: linear, knn, tree, forest, bayes or svm.", "linear"
    )
    cv: int = _run("N", "Folds.", 5, min=2)


def _parameters(options: type) -> list[Parameter]:
    """The fields of a dataclass of options, as typer reads them."""
    hints = get_type_hints(options, include_extras=True)
    found = []
    for each in fields(options):
        hint = hints[each.name]
        if each.metadata:
            name = f"--{each.name.replace('_', '-')}"
            option = typer.Option(name, *each.metadata["flags"], **each.metadata["settings"])
            hint = Annotated[hint, option]
        default = Parameter.empty if each.default is MISSING else each.default
        found.append(Parameter(each.name, Parameter.KEYWORD_ONLY, annotation=hint, default=default))
    return found


def with_options(function: Callable[..., None]) -> Callable[..., None]:
    """A command with an option for every field of the dataclasses it takes.

    ``Common`` comes first in the command; in its help the data and the target come first, then
    what is special about the command, then the rest.
    """
    hints = get_type_hints(function, include_extras=True)
    made = {name: hint for name, hint in hints.items() if hint in (Common, Judging)}

    def command(**values: Any) -> None:
        for name, kind in made.items():
            values[name] = kind(**{each.name: values.pop(each.name) for each in fields(kind)})
        function(**values)

    mine = [
        each.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[name])
        for name, each in signature(function).parameters.items()
        if name not in made
    ]
    shared = _parameters(Common)
    judged = _parameters(Judging) if Judging in made.values() else []
    ordered = [*shared[:2], *mine, *judged, *shared[2:]]
    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__signature__ = signature(command).replace(parameters=ordered)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in ordered}
    return command


def complete_methods(incomplete: str) -> list[tuple[str, str]]:
    """Names of methods for the shell, after the last comma, each with the data it is for."""
    done, _, begun = incomplete.rpartition(",")
    head = f"{done}," if done else ""
    return [
        (f"{head}{name}", method.data)
        for name, method in {**METHODS, **PEERS}.items()
        if name.startswith(begun.lower())
    ]


def names(text: str | None) -> list[str]:
    """A list separated by commas; names with commas in double quotes."""
    if not text:
        return []
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True))]


def missing_texts(given: list[str] | None) -> tuple[list[str], dict[str, list[str]]]:
    """``--missing``: what means missing in all columns, and in single ones."""
    everywhere: list[str] = []
    single: dict[str, list[str]] = {}
    for text in given or []:
        named, _, texts = text.rpartition("=")
        if not named:
            everywhere += names(text)
        for name in names(named):
            single.setdefault(name, []).extend(names(texts))
    return everywhere, single
