"""Options of the commands, written once: a field of a dataclass is an option; options in a file."""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import partial
from inspect import Parameter, signature
from typing import Annotated, Any, get_type_hints

import typer

from echelon._core.files import expanded
from echelon.cli._terminal import InputError, nearest
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
            help="CSV, TSV, JSON lines, Parquet, Feather, ARFF, Excel, SPSS, Stata, SAS file (also "
            ".gz, .bz2, .xz, .zip); a folder of Parquet or CSV files, or a pattern in quotes; a "
            "table of a database, as data.sqlite::table (DuckDB, too); - for CSV on standard "
            "input.",
        ),
    ]
    target: str = _data(
        "COLUMN",
        "Column with the outcome; for rank also several, as q1,q2 or 'q*'.",
        MISSING,
        "-t",
        "--targets",
    )
    class_order: str | None = _data(
        "LOW,...,HIGH", "Classes of the target, lowest first; 'q1:no,yes;q2:low,high' of several."
    )
    unordered: bool = _data("", "The classes have no order, even if they look like it.", False)
    categorical: str | None = _data("A,B", "Numeric columns that are codes of categories.")
    ordered: list[str] | None = _data(  # noqa: RUF009
        "A,B=LOW,...,HIGH", "Categorical columns with an order, lowest first; may be repeated."
    )
    drop: str | None = _data("A,B", "Columns to exclude.")
    keep: str | None = _data("A,B", "Columns to select always.")
    groups: str | None = _data(
        "COLUMN",
        "Rows with the same value (patient, household, store) are never split across folds.",
    )
    time: str | None = _data(
        "COLUMN",
        "Dates or numbers: folds train on the past and test on what comes next.",
    )
    intervals: str | None = _data(
        "LOWER,UPPER", 'How columns of bounds are named, as "{}_min,{}_max".'
    )
    weights: str | None = _data("COLUMN", "Weights of rows, or how often each was seen.")
    weights_are: str | None = _data(
        "survey|frequencies", "What --weights are; asked for where they are whole numbers."
    )
    missing: list[str] | None = _data(  # noqa: RUF009
        "[COLUMNS=]A,B",
        "Texts or numbers that mean missing, beside NA, ? and the like, in all columns or in some; "
        "may be repeated.",
    )
    not_missing: str | None = _data("A,B", "Columns whose 99, -9 and the like are values.")
    delimiter: str | None = _data("CHAR", "Column separator; auto-detected.")
    decimal: str | None = _data(", or .", "Decimal separator; auto-detected.")
    thousands: str | None = _data("CHAR", "Thousands separator: , or . or ' or space.")
    sheet: str | None = _data("NAME", "Sheet of an Excel file; the first one. Table of a database.")
    max_memory: str | None = _data(
        "SIZE", "Memory that the data may take, such as 8GB; of larger Parquet, samples."
    )
    output: str | None = _output("FILE", "Write the table as .csv, .tsv or .json.", None, "-o")
    report: str | None = _output("FILE", "Write a report: .html, .md or .json.")
    plot: str | None = _output("FILE", "Draw it: .png, .svg or .pdf.")
    raw: bool = _output("", "Write names to -o as they are, formulas too.", False)
    json: bool = _output("", "Print JSON instead of tables.", False)
    force: bool = _output("", "Overwrite files that exist.", False)
    top: int = _output("N", "Features to print; 0 for all.", 20, min=0)
    seed: int = _run(None, "Seed of all random choices.", 0, min=0, max=2**32 - 1)
    jobs: int | None = _run(
        None, "Folds computed at a time; -1 for one per core.", None, "-j", callback=_check_jobs
    )
    scheduler: str | None = _run("tcp://HOST:PORT", "Search on a Dask cluster.")
    quiet: bool = _run("", "No progress on standard error.", False, "-q")
    debug: bool = _run("", "Show where an error comes from.", False)


@dataclass
class Judging:
    """How features are evaluated, as requested."""

    n_features: str = _option(
        "N|auto",
        "How many to select; auto: the smallest set that loses almost nothing.",
        "auto",
        "-n",
    )
    tolerance: str | None = _option(
        "LOSS",
        "What a smaller set may lose: in units of the score, or as 2% of the improvement over "
        "the baseline.",
    )
    rises: str | None = _option(
        "A,B",
        "Columns with which the target must not fall: features are evaluated by models that "
        "respect it, and the report says whether the data agree.",
    )
    falls: str | None = _option("A,B", "Columns with which the target must not rise.")
    together: list[str] | None = _option(  # noqa: RUF009
        "A,B", "Columns that are selected only as a whole, as one group; may be repeated."
    )
    evidence: bool = _option(
        "", "Test every column given all others: needed, replaceable, or no evidence.", False
    )
    estimator: str = _run(
        "NAME",
        "Model that evaluates features: auto (the better of linear and forest), linear, forest, "
        "knn, tree, bayes or svm.",
        "auto",
    )
    cv: int = _run("N", "Number of folds.", 5, min=2)


def _read_config(ctx: typer.Context, path: str | None) -> str | None:
    """The options of a file become the defaults of the command."""
    if path is not None:
        known = {each.name: each for each in ctx.command.params if each.name}
        ctx.default_map = {**(ctx.default_map or {}), **read_config(path, known)}
    return path


@dataclass
class Using:
    """What becomes of the answer, as asked for."""

    save: str | None = _output("FILE", "Save the decision as .json, for 'echelon select'.")
    code: str | None = _output(
        "FILE", "Write a script (.py) or notebook (.ipynb) that evaluates the selected columns."
    )
    reasons: bool = _output("", "Print why every column was selected, or was not.", False)
    config: str | None = _run(
        "FILE.toml",
        "Take options from this file; the command line takes precedence.",
        is_eager=True,
        callback=_read_config,
    )
    save_config: str | None = _run("FILE.toml", "Write the options that were used.")


ENDINGS = {
    "output": (".csv", ".tsv", ".json"),
    "report": (".html", ".htm", ".md", ".json"),
    "plot": (".png", ".svg", ".pdf"),
    "save": (".json",),
    "code": (".py", ".ipynb"),
    "save_config": (".toml",),
}
"""Options that name a file to write, and how it may end."""


def outputs(common: Common, using: Using) -> dict[str, str]:
    """The files to write, by option."""
    asked = {**vars(common), **vars(using)}
    return {option: asked[option] for option in ENDINGS if asked[option] is not None}


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


def with_options(
    function: Callable[..., None], *, needs_target: bool = True
) -> Callable[..., None]:
    """A command with an option for every field of the dataclasses it takes.

    ``Common`` comes first in the command; in its help the data and the target come first, then
    what is special about the command, then the rest.  A target that is not needed is "".
    """
    hints = get_type_hints(function, include_extras=True)
    made = {name: hint for name, hint in hints.items() if hint in (Common, Judging, Using)}

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
    if not needs_target:
        shared[1] = shared[1].replace(default="")
    judged = _parameters(Judging) if Judging in made.values() else []
    used = _parameters(Using) if Using in made.values() else []
    ordered = [*shared[:2], *mine, *judged, *shared[2:], *used]
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


def as_name(name: str) -> str:
    """A name as ``names`` and ``halves`` read it."""
    return '"' + name.replace('"', '""') + '"' if set(name) & set(',"=\n\r') else name


def as_list(given: Iterable[str]) -> str:
    """Names as one text, which :func:`names` reads."""
    return ",".join(map(as_name, given))


def halves(text: str, *, at_last: bool = False) -> tuple[str, str, str]:
    """A text before and after its first or last ``=`` that is not in double quotes.

    Between them is ``=``, or nothing where there is none and all of the text comes first.
    """
    places = [found.start() for found in re.finditer(r'"(?:[^"]|"")*"|(=)', text) if found[1]]
    if not places:
        return text, "", ""
    place = places[-1 if at_last else 0]
    return text[:place], "=", text[place + 1 :]


def missing_texts(given: list[str] | None) -> tuple[list[str], dict[str, list[str]]]:
    """``--missing``: what means missing in all columns, and in single ones."""
    everywhere: list[str] = []
    single: dict[str, list[str]] = {}
    for text in given or []:
        named, equals, texts = halves(text, at_last=True)
        if not (equals and named):
            everywhere += names(text)
            continue
        for name in names(named):
            single.setdefault(name, []).extend(names(texts))
    return everywhere, single


# ------------------------------------------------------------------------- options in a file

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
