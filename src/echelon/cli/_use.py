"""From the answer to its use: save the decision, write the code behind it, apply it to a file."""

from __future__ import annotations

import io
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from echelon import __version__
from echelon._core.extras import require
from echelon._core.files import check_writable, expanded, resolved, write_whole
from echelon._core.words import excluded
from echelon.cli._options import Common, Judging, Using, names
from echelon.cli._outputs import FORMULA_STARTS, as_cell
from echelon.cli._pandas import reader_for
from echelon.cli._prepare import Task, reading_of
from echelon.cli._terminal import InputError, nearest
from echelon.cli.files import Reading, Table, dates_in, located, read_table
from echelon.selection import Reading as SavedReading
from echelon.selection import Saved, Selection
from echelon.study import Settings, as_notebook, as_script, blocks_of, design, selection_of

if TYPE_CHECKING:
    from echelon.cli._rank import Studied

MOST_BYTES = 50_000_000
"""Of a saved selection; more is another file."""

_NO_JSON = (
    "This is no JSON, hence no saved selection. Name the file that 'echelon rank --save' wrote "
    "first, then the data."
)

ENDINGS = (".csv", ".tsv", ".parquet", ".pq", ".xlsx")


# ----------------------------------------------------------------------------- saved, as code


def write_use(
    found: Studied, common: Common, judging: Judging, using: Using
) -> tuple[list[str], list[str]]:
    """Save the decision and write the code, where asked for.

    Returns the names of the files, and why there is no code where there can be none.
    """
    if not (using.save or using.code):
        return [], []
    made = _made(found, common)
    selection = selection_of(
        made,
        found.report.summary(),
        table=_table(found.task).frame,
        reading=_saved_reading(_table(found.task), common),
        excluded=reasons_aside(found.task),
        bounds=_bounds(found.task, common),
        settings=_settings(found, common, judging),
    )
    written, notes = [], []
    if using.save:
        selection.write(using.save, overwrite=common.force)
        written.append(using.save)
    if using.code:
        try:
            code = _code(found, common, made, selection, using.code)
        except ValueError as error:  # the answer is there all the same
            notes.append(f"{using.code} was not written: {error}")
        else:
            write_whole(using.code, code, overwrite=common.force)
            written.append(using.code)
    return written, notes


def _made(found: Studied, common: Common) -> Any:
    """What the features were evaluated by."""
    asked = found.settings
    settings = Settings(
        estimator=asked["estimator"],
        n_features=asked["n_features"],
        cv=asked["cv"],
        tolerance=asked["tolerance"],
        keep=asked["keep"],
        feature_groups=asked["feature_groups"],
        random_state=common.seed,
        n_jobs=common.jobs,
        rows=found.task.rows,
    )
    return design(found.task.X, found.task.target, settings)


def _table(task: Task) -> Table:
    assert task.table is not None  # prepare sets it
    return task.table


def reasons_aside(task: Task) -> dict[str, str]:
    """Why columns were not ranked, one line each."""
    frame = _table(task).frame
    said = {}
    for name, why in task.set_aside.items():
        known = frame[name].dropna() if name in frame else pd.Series(dtype=float)
        said[name] = excluded(why, known.nunique(), len(known))
    return said


def _bounds(task: Task, common: Common) -> dict[str, list[str]]:
    """The columns that hold the ends of intervals."""
    made = [name for name in task.X if isinstance(task.X[name].dtype, pd.IntervalDtype)]
    pattern = names(common.intervals) or list((task.profile.interval_pattern or ())[:2])
    return {str(name): [side.format(name) for side in pattern] for name in made}


def _settings(found: Studied, common: Common, judging: Judging) -> dict[str, Any]:
    asked = {
        "n_features": judging.n_features,
        "tolerance": judging.tolerance,
        "estimator": judging.estimator,
        "drop": names(common.drop),
        "keep": names(common.keep),
        "together": list(judging.together or []),
        "categorical": names(common.categorical),
        "ordered": list(common.ordered or []),
        "unordered": common.unordered,
    }
    return {key: value for key, value in asked.items() if value not in (None, [], False)}


def _saved_reading(table: Table, common: Common) -> SavedReading:
    """How the file was read, for files to come."""
    asked, found = reading_of(common), table.found
    return {
        "format": found.get("format", "csv"),
        "encoding": found.get("encoding"),
        "delimiter": found.get("delimiter"),
        "decimal": found.get("decimal") if "delimiter" in found else None,
        "thousands": asked.thousands,
        "sheet": asked.sheet or located(common.data)[1],
        "missing": list(asked.missing),
        "missing_in": {name: list(texts) for name, texts in asked.missing_in.items()},
        "day_first": dict(found.get("day_first", {})),
    }


def _code(found: Studied, common: Common, made: Any, selection: Selection, path: str) -> str:
    if found.task.sample is not None or not expanded(located(common.data)[0]).is_file():
        raise ValueError("a script reads one file, which fits into memory.")
    saved = selection.to_dict()
    roles = [saved["rows"][role] for role in ("groups", "time", "weights")]
    chosen = [column for column in saved["columns"] if column["selected"]]
    needed = [saved["target"]["name"], *filter(None, roles), *(c["name"] for c in chosen)]
    table = _table(found.task)
    blocks = blocks_of(
        made,
        selection,
        cv=found.settings["cv"],
        scoring=None,
        data=common.data,
        reader=reader_for(common.data, table, reading_of(common), needed),
    )
    write = as_notebook if path.lower().endswith(".ipynb") else as_script
    return write(blocks, __version__)


# ------------------------------------------------------------------------------------- applied


@dataclass
class Applied:
    """What was asked for, by the options of ``echelon select``."""

    selection: str
    data: str
    output: str
    with_target: bool = False
    keep: str | None = None
    sheet: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    max_memory: str | None = None
    raw: bool = False
    force: bool = False


def apply(asked: Applied) -> list[str]:
    """Write the selected columns of a file, read as the first one was; returns what to say."""
    _check_output(asked)
    selection = read_selection(asked.selection)
    saved = selection.to_dict()
    table = read_table(asked.data, _reading(saved, asked))
    frame, doubts = _dated(table, saved)
    extra = _extra_columns(asked, selection, table, frame)
    notes = [*doubts, *table.notes]
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            reduced = selection.transform(frame)
    except ValueError as error:
        raise InputError(f"{table.source}: {_lowered(str(error))}") from error
    notes += [str(warning.message) for warning in caught]
    columns = [*(name for name in extra if name != selection.target_), *selection.columns_]
    columns += [name for name in extra if name == selection.target_]
    others = tuple(f"{name}: " for name in frame if name not in columns)
    notes = [note for note in notes if not note.startswith(others)]
    reduced = pd.concat([reduced, frame[extra]], axis=1)[list(dict.fromkeys(columns))]
    content, more = _content(reduced, asked)
    if asked.output == "-":
        sys.stdout.write(str(content))
        return []
    write_whole(asked.output, content, overwrite=asked.force)
    n_rows, n_columns = reduced.shape
    said = f"{table.source}: {n_rows:,} rows, {n_columns:,} of {frame.shape[1]:,} columns."
    return [said, *(f"- {note}" for note in [*notes, *more]), f"Wrote {asked.output}"]


def _lowered(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"


def read_selection(path: str) -> Selection:
    """A saved selection, or one sentence on what is wrong with it."""
    place = expanded(path)
    try:
        if place.is_file() and place.stat().st_size > MOST_BYTES:
            raise ValueError("The file is too large to be a selection.")
        content = place.read_bytes()
        if b"{" not in content[:8]:  # a data file, most likely
            raise ValueError(_NO_JSON)
        return Selection.from_json(content)
    except ValueError as error:
        raise InputError(f"{Path(path).name}: {error}") from error


def _check_output(asked: Applied) -> None:
    if asked.output == "-":
        return
    if not asked.output.lower().endswith(ENDINGS):
        raise InputError(f"--output must end in {', '.join(ENDINGS)}, got {asked.output!r}.")
    found = check_writable(asked.output, overwrite=asked.force)
    for other, what in ((asked.data, "data"), (asked.selection, "selection")):
        if other != "-" and found == resolved(located(other)[0]):
            raise InputError(f"--output names the {what} file itself, {asked.output!r}.")
    ending = Path(asked.output).suffix.lower()
    if ending == ".xlsx":
        require("Excel files need", "io", "openpyxl")
    if ending in (".parquet", ".pq"):
        require("Parquet files need", "io", "pyarrow")


def _reading(saved: Saved, asked: Applied) -> Reading:
    """How to read a file: as the first one, unless an option says otherwise."""
    read = saved["reading"]
    if read is None:
        return Reading(asked.delimiter, (), asked.sheet, asked.max_memory, asked.decimal)
    return Reading(
        delimiter=asked.delimiter or read["delimiter"],
        missing=tuple(read["missing"]),
        sheet=asked.sheet or located(asked.data)[1] or read["sheet"],
        max_memory=asked.max_memory,
        decimal=asked.decimal or read["decimal"],
        thousands=read["thousands"],
        missing_in=read["missing_in"],
    )


def _dated(table: Table, saved: Saved) -> tuple[pd.DataFrame, list[str]]:
    """The table with dates as the first file had them, day or month first; doubts that are left."""
    frame, doubts = table.frame, list(table.doubts)
    first = saved["reading"]["day_first"] if saved["reading"] else {}
    made = {}
    for column in saved["columns"]:
        name = column["name"]
        if column["kind"] == "date" and name in first and name in frame:
            dates = _as_dates(frame[name], first[name])
            if dates is not None:
                made[name] = dates
                doubts = [doubt for doubt in doubts if not doubt.startswith(f"{name}: ")]
    return frame.assign(**made), doubts


def _as_dates(column: pd.Series, day_first: bool) -> pd.Series | None:
    """Texts as dates; None where some are none, or there are no texts."""
    known = column.dropna()
    if column.dtype.kind == "M" or not known.map(lambda cell: isinstance(cell, str)).all():
        return None
    dates = dates_in(known.unique(), day_first).dates
    read = column.map(dates)
    return pd.to_datetime(read) if len(known) and read.notna().equals(column.notna()) else None


def _extra_columns(
    asked: Applied, selection: Selection, table: Table, frame: pd.DataFrame
) -> list[str]:
    """Columns beside the selected ones: those to keep, and the target."""
    wanted = [(name, "--keep") for name in names(asked.keep)]
    wanted += [(selection.target_, "--with-target")] if asked.with_target else []
    for name, option in wanted:
        if name not in frame.columns:
            hint = nearest(name, frame.columns)
            raise InputError(f"{table.source} has no column {name!r} ({option}). {hint}")
    selected = set(selection.columns_)
    return [name for name in dict.fromkeys(name for name, _ in wanted) if name not in selected]


def _content(frame: pd.DataFrame, asked: Applied) -> tuple[str | bytes, list[str]]:
    """The table in the format of the ending, and what had to be done to it."""
    ending = Path(asked.output).suffix.lower()
    if ending in (".parquet", ".pq"):
        stream = io.BytesIO()
        frame.to_parquet(stream, index=False)
        return stream.getvalue(), []
    frame = frame.apply(_whole)
    if ending == ".xlsx":
        return _as_excel(frame), []
    said = []
    if not asked.raw:
        guarded = pd.DataFrame(
            {as_cell(name): column.map(as_cell) for name, column in frame.items()}, frame.index
        )
        if not guarded.equals(frame):
            said = [
                "Texts that a spreadsheet would run were written with an apostrophe before them; "
                "--raw writes them as they are."
            ] * _holds_formulas(frame)
            frame = guarded if said else frame
    return frame.to_csv(index=False, sep="\t" if ending == ".tsv" else ","), said


def _holds_formulas(frame: pd.DataFrame) -> bool:
    texts = [*frame.columns, *(value for _, column in frame.items() for value in column)]
    return any(isinstance(t, str) and t.startswith(FORMULA_STARTS) and as_cell(t) != t
               for t in texts)  # fmt: skip


def _whole(column: pd.Series) -> pd.Series:
    """Numbers that are all whole as such: missing values had made them fractions."""
    if column.dtype.kind != "f":
        return column
    known = column[np.isfinite(column)]
    whole = len(known) and bool((known == known.round()).all()) and known.abs().max() < 2**53
    return column.astype("Int64") if whole and not np.isinf(column).any() else column


def _as_excel(frame: pd.DataFrame) -> bytes:
    """A workbook in which every text is text, also one that looks like a formula."""
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    rows = [list(frame.columns), *frame.astype(object).itertuples(index=False)]
    for i, row in enumerate(rows, 1):
        for j, value in enumerate(row, 1):
            if value is None or value is pd.NaT or value is pd.NA or value != value:
                continue
            cell = sheet.cell(i, j)
            if isinstance(value, str):
                cell.value = openpyxl.cell.cell.ILLEGAL_CHARACTERS_RE.sub("\ufffd", value)
                cell.data_type = "s"
            else:
                cell.value = value.item() if isinstance(value, np.generic) else value
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()
