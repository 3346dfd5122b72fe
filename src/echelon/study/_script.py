"""The code behind an answer: a scikit-learn script, or a notebook, that prints the same score.

The script reads the file, takes the selected columns, cross-validates the model that evaluated them
over the same folds, and prints the mean score.  What comes from the user, as names of columns,
stands in it as Python literals only, and in no comment.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from numbers import Integral
from textwrap import fill
from typing import Any, NamedTuple

import pandas as pd
from sklearn.utils.validation import has_fit_parameter

from echelon._core.folds import make_splitter
from echelon._core.words import is_number
from echelon.methods import CLASSES, CONTINUOUS, ORDERED
from echelon.selection import Selection
from echelon.study._design import Design
from echelon.study._expression import Code
from echelon.study._models import FOREST, Encoded

LONGEST = 92
"""Letters of a line before a list is broken into one entry per line."""


class Block(NamedTuple):
    """A comment, and the lines of code below it: a paragraph of a script, a cell of a notebook."""

    comment: str
    lines: list[str]


class Reader(NamedTuple):
    """How the script reads the table: lines that make ``table`` of ``FILE``."""

    lines: list[str]
    imports: Mapping[str, set[str]]
    raw: pd.DataFrame | None = None
    """The columns that those lines give; None: not known."""


def plain_reader(selection: Selection) -> Reader:
    """A CSV file as pandas reads it; categories and classes that look like numbers as text."""
    saved = selection.to_dict()
    chosen = [column for column in saved["columns"] if column["selected"]]
    held = {column["name"]: column.get("categories") for column in chosen}
    held[saved["target"]["name"]] = saved["target"]["classes"]
    texts = ", ".join(f"{name!r}: str" for name, labels in held.items() if _read_otherwise(labels))
    options = f", dtype={{{texts}}}" if texts else ""
    return Reader([f"table = pd.read_csv(FILE{options})"], {})


def _read_otherwise(labels: Sequence[Any] | None) -> bool:
    """Whether texts look like numbers or truth values, for which pandas takes them."""
    texts = [label for label in labels or [] if isinstance(label, str)]
    truths = {"true", "false"}
    return bool(texts) and all(is_number(text) or text.lower() in truths for text in texts)


def blocks_of(
    design: Design, selection: Selection, *, cv: Any, scoring: Any, data: str, reader: Reader
) -> list[Block]:
    """The paragraphs of the script.

    Parameters
    ----------
    design : Design
        What the features were evaluated by.
    selection : Selection
        What was selected.
    cv : int, splitter or iterable
        The folds that were asked for.
    scoring : str, callable or None
        The score that was asked for.
    data : str
        Path of the file.
    reader : Reader
        What reads it.
    """
    saved = selection.to_dict()
    chosen = [column for column in saved["columns"] if column["selected"]]
    if not chosen:
        raise ValueError("No feature was selected, so there is no pipeline to write.")
    if any(column["kind"] == "interval" for column in chosen):
        raise ValueError("Features that are intervals cannot be written as code.")
    code = Code()
    code.imports |= {module: set(names) for module, names in reader.imports.items()}
    body = [
        Block("The file, the target, and the selected columns in the order of the file.",
              _constants(saved, chosen, data)),
        Block("The table, read as in the study; rows without a target are left out.",
              _table(saved, reader)),
        *_converted(chosen, reader),
        _target(design, reader, saved),
        Block("The model that evaluated the features.",
              [f"model = {code.of(design.models[saved['model']['name']])}"]),
        _folds(design, saved, cv, code),
        _score(design, saved, scoring, code),
    ]  # fmt: skip
    return [_imports(code, body), *body]


def as_script(blocks: Sequence[Block], version: str) -> str:
    """The paragraphs as a script."""
    title = f'"""Cross-validate the selected features.  Written by echelon {version}."""\n'
    first, *rest = blocks
    parts = [title, "\n".join(first.lines) + "\n"]
    parts += ["\n".join([_comment(block.comment), *block.lines, ""]) for block in rest]
    return "\n".join(parts)


def _comment(text: str) -> str:
    return fill(text, LONGEST, initial_indent="# ", subsequent_indent="# ")


def as_notebook(blocks: Sequence[Block], version: str) -> str:
    """The paragraphs as the cells of a notebook, nbformat 4."""
    title = f"# The selected features, cross-validated\n\nWritten by echelon {version}."
    cells: list[dict[str, Any]] = [_cell("markdown", title)]
    for block in blocks:
        cells.append(_cell("markdown", block.comment))
        cells.append(_cell("code", "\n".join(block.lines)))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 4,
    }
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def _cell(kind: str, source: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {},
                            "source": source.splitlines(keepends=True)}  # fmt: skip
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


# ------------------------------------------------------------------------------ paragraphs


def _imports(code: Code, body: Sequence[Block]) -> Block:
    """Imports of what the other paragraphs use."""
    text = "\n".join(line for block in body for line in block.lines)
    lines = [f"import {full} as {short}" for full, short in (("numpy", "np"), ("pandas", "pd"))
             if f"{short}." in text]  # fmt: skip
    modules = sorted(code.imports, key=lambda name: (not name.startswith("sklearn"), name))
    lines += [f"from {name} import {', '.join(sorted(code.imports[name]))}" for name in modules]
    return Block("Imports.", lines)


def _constants(saved: Any, chosen: Sequence[Any], data: str) -> list[str]:
    return [
        f"FILE = {data!r}",
        f"TARGET = {saved['target']['name']!r}",
        *_listed("FEATURES", [column["name"] for column in chosen]),
    ]


def _listed(name: str, values: Sequence[Any]) -> list[str]:
    """An assignment of a list; a long one with one entry per line."""
    line = f"{name} = {list(values)!r}"
    if len(line) <= LONGEST:
        return [line]
    return [f"{name} = [", *(f"    {value!r}," for value in values), "]"]


def _table(saved: Any, reader: Reader) -> list[str]:
    rows = saved["rows"]
    needed = [repr(rows[role]) for role in ("groups", "time", "weights") if rows[role]]
    return [
        *reader.lines,
        f"table = table.dropna(subset=[{', '.join(['TARGET', *needed])}]).reset_index(drop=True)",
        "X = table[FEATURES].copy()",
    ]


def _converted(chosen: Sequence[Any], reader: Reader) -> list[Block]:
    lines = [line for column in chosen for line in _conversion(column, reader.raw)]
    said = "Columns that the study did not take as they stand in the file."
    return [Block(said, lines)] if lines else []


def _conversion(column: Any, raw: pd.DataFrame | None) -> list[str]:
    """What makes a column of the file what it was in the study."""
    name = repr(column["name"])
    held = None if raw is None else raw[column["name"]]
    labels = column.get("categories", [])
    texts = all(isinstance(label, str) for label in labels)
    was_ordered = bool(getattr(getattr(held, "dtype", None), "ordered", False))
    if column["kind"] == "date":
        since = f"pd.Timestamp({column['origin']!r})"
        return [f"X[{name}] = (X[{name}] - {since}).dt.total_seconds() / 86_400"]
    if column["kind"] == "duration":
        return [f"X[{name}] = X[{name}].dt.total_seconds() / 86_400"]
    if column["kind"] == "ordered" and not was_ordered:
        cells = f"X[{name}].map(str, na_action='ignore')" if texts else f"X[{name}]"
        lines = _listed("levels", labels)
        return [*lines, f"X[{name}] = pd.Categorical({cells}, levels, ordered=True)"]
    if column["kind"] == "nominal":
        if was_ordered:
            return [f"X[{name}] = X[{name}].astype(object)"]
        if held is not None and pd.api.types.is_numeric_dtype(held.dtype):
            return [f"X[{name}] = X[{name}].map(str, na_action='ignore').astype('category')"]
        if held is None and not texts:
            return [f"X[{name}] = X[{name}].astype('category')"]
    return []


def _target(design: Design, reader: Reader, saved: Any) -> Block:
    target = design.target
    if target.kind == CONTINUOUS:
        return Block("A continuous target.", ["y = table[TARGET].astype(float)"])
    labels = saved["target"]["classes"]
    ordered = target.kind == ORDERED
    comment = "Ordered classes, lowest first." if ordered else "Classes without an order."
    if ordered and design.y.dtype.kind in "iu":
        return Block(comment, ["y = table[TARGET].astype(int)", "codes = y"])
    cells = "table[TARGET]" if _are_held(labels, reader, saved) else "table[TARGET].map(str)"
    lines = [*_listed("CLASSES", labels),
             f"classes = pd.Categorical({cells}, CLASSES, ordered={ordered})",
             "codes = classes.codes"]  # fmt: skip
    if ordered:
        return Block(comment, [*lines, "y = pd.Series(classes)"])
    if saved["model"]["name"] == FOREST or design.y.dtype.kind not in "OT":
        return Block(comment, [*lines, "y = pd.Series(codes)"])
    return Block(comment, [*lines, "y = pd.Series(classes.astype(object))"])


def _are_held(labels: Sequence[Any], reader: Reader, saved: Any) -> bool:
    """Whether the column of the file holds the classes themselves, not numbers for their texts."""
    if reader.raw is None:
        return True
    held = reader.raw[saved["target"]["name"]].dropna()
    return bool(held.isin(list(labels)).all())


def _folds(design: Design, saved: Any, cv: Any, code: Code) -> Block:
    rows, target = saved["rows"], design.target
    lines = []
    if rows["groups"]:
        lines.append(f"groups = pd.factorize(table[{rows['groups']!r}])[0]")
    if rows["time"]:
        return _forward(rows, cv, lines)
    classes = target.codes is not None
    grouped = rows["groups"] is not None
    if not isinstance(cv, Integral) and not hasattr(cv, "split"):
        raise ValueError("`cv` is a list of folds, which cannot be written as code. Pass a number.")
    splitter = make_splitter(cv, target.values, classes, grouped, saved["settings"]["seed"])
    stratified = "codes" if classes else "y"
    more = ", groups" if grouped else ""
    lines.append(f"splitter = {code.of(splitter)}")
    lines.append(f"folds = list(splitter.split(X, {stratified}{more}))")
    return Block("The folds of the study.", lines)


def _forward(rows: Any, cv: Any, lines: list[str]) -> Block:
    """Folds along time: blocks of about as many rows, same times together."""
    n_blocks = int(cv) + 1
    lines += [
        f"when = table[{rows['time']!r}].rank(method='average')",
        f"middles = (2 * when - 1).round().astype(int) * {n_blocks} // (2 * len(when))",
        "blocks = np.unique(middles, return_inverse=True)[1]",
        "folds = []",
        "for block in range(1, blocks.max() + 1):",
        "    train, test = np.flatnonzero(blocks < block), np.flatnonzero(blocks == block)",
    ]
    if rows["groups"]:
        lines.append("    train = train[~np.isin(groups[train], groups[test])]")
    lines.append("    folds.append((train, test))")
    return Block("Every fold learns from earlier rows and is tested on the next ones.", lines)


def _score(design: Design, saved: Any, scoring: Any, code: Code) -> Block:
    scorer, sign = _scorer(scoring, design, code), design.scoring.sign
    if design.weights is None:
        cross = code.named("sklearn.model_selection", "cross_val_score")
        lines = [f"scores = {cross}(model, X, y, cv=folds, scoring={scorer})"]
    else:
        lines = _weighted(design, saved, scorer, code)
    name = saved["scores"]["metric"]
    value = "scores.mean()" if sign > 0 else "-scores.mean()"
    lines.append(f"print({name!r}, round({value}, 6))")
    return Block(
        "The score of these columns.  They were selected on all rows, so it may be too good; the "
        "held-out score of the whole procedure is in the report and in the saved selection.",
        lines,
    )


def _weighted(design: Design, saved: Any, scorer: str, code: Code) -> list[str]:
    """A loop over the folds in which weights go to model and score."""
    clone = code.named("sklearn.base", "clone")
    get = code.named("sklearn.metrics", "get_scorer")
    given = _weights_of(design.models[saved["model"]["name"]])
    return [
        f"weights = table[{saved['rows']['weights']!r}].to_numpy(dtype=float)",
        "weights = weights / weights.mean()",
        f"scorer = {get}({scorer})",
        "scores = []",
        "for train, test in folds:",
        f"    fitted = {clone}(model).fit(X.iloc[train], y.iloc[train]{given})",
        "    held_out = X.iloc[test], y.iloc[test]",
        "    scores.append(scorer(fitted, *held_out, sample_weight=weights[test]))",
        "scores = np.array(scores)",
    ]


def _weights_of(model: Any) -> str:
    """How the model is given weights, if it takes any."""
    if isinstance(model, Encoded):  # written as a pipeline, whose steps are named after classes
        step = model.model
        name = type(getattr(step, "classifier", step)).__name__.lower()
        return f", **{{{f'{name}__sample_weight'!r}: weights[train]}}"
    takes = has_fit_parameter(model, "sample_weight")
    return ", sample_weight=weights[train]" if takes else ""


def _scorer(scoring: Any, design: Design, code: Code) -> str:
    """The scorer as code: a name of scikit-learn, or ours for ordered classes."""
    kind = design.target.kind
    if scoring is None and kind == ORDERED:
        return code.named("echelon.evaluation", "rank_loss_scorer")
    if scoring is None:
        return repr("balanced_accuracy" if kind == CLASSES else "r2")
    if isinstance(scoring, str):
        return repr(scoring)
    raise ValueError("`scoring` is a function, which cannot be written as code. Name a score.")
