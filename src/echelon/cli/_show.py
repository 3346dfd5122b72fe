"""Tables and sentences for the terminal; plain text when piped, narrow ones included."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from echelon._core.words import (
    LABELS,
    MATTERS,
    MEANING,
    data_caveats,
    listed,
    number,
    percent,
    visible,
    with_error,
)
from echelon.cli._prepare import Task
from echelon.cli._terminal import console, plain_table
from echelon.cli._work import Bounded, Studied
from echelon.methods import METHODS, ORDERED
from echelon.profile import ALIKE
from echelon.study.types import Agreement, Feature, Summary

MOST_PAIRS = 3
"""Pairs of methods whose agreement is printed; of more, the extremes."""


def shown(value: Any) -> Text:
    """Text of the user's: no markup, nothing that moves the cursor."""
    text = visible(str(value))
    return Text("".join(c if c.isprintable() else "\ufffd" for c in text))


def show_ranking(found: Studied, top: int, written: list[str]) -> None:
    """The answer of one method, and the best features."""
    summary = found.report.summary()
    out = console()
    _heading(out, found)
    features = summary["features"]
    table = plain_table()
    table.add_column("rank", justify="right")
    table.add_column("feature", overflow="ellipsis", no_wrap=True)
    columns = [each for each in _COLUMNS if any(f.get(each[0]) is not None for f in features)]
    for _, title, _ in columns:
        table.add_column(title, justify="right", no_wrap=True)

    def cells(feature: Feature) -> list[Any]:
        told = [to_text(feature.get(key)) for key, _, to_text in columns]
        return [str(feature["rank"]), shown(feature["name"]), *told]

    _print_features(out, table, cells, features, top)
    _answer(out, summary)
    if any(feature["kept"] and (feature["score"] or 0) < 0 for feature in features):
        _say(out, "Scores compare features with each other; below 0 does not mean useless.")
    _remarks(out, _rest(found, summary["words"]["caveats"]), written)


def _trend(value: float | None) -> str:
    return "" if value is None else f"{'rises' if value > 0 else 'falls'} {abs(value):.2f}"


_COLUMNS: tuple[tuple[str, str, Any], ...] = (
    ("score", "score", lambda value: number(value, 3)),
    ("relevance", "relevance", lambda value: "" if value is None else value),
    ("trend", "trend", _trend),
    ("stability", "chosen", lambda value: "" if value is None else percent(value)),
)


def show_comparison(found: Studied, top: int, written: list[str]) -> None:
    """Every method with its curve in three numbers, and the features by all of them."""
    summary = found.report.summary()
    out = console()
    _heading(out, found)
    out.print(_methods_table(summary))
    features, methods = summary["features"], summary["methods"]
    table = plain_table()
    table.add_column("feature", overflow="ellipsis", no_wrap=True)
    for method in methods:
        table.add_column(_short(method["label"]), justify="right")

    def cells(feature: Feature) -> list[Any]:
        return [shown(feature["name"]), *(str(feature["ranks"][m["name"]]) for m in methods)]

    _print_features(out, table, cells, features, top)
    _agreement(out, summary["agreement"])
    _answer(out, summary)
    _remarks(out, _rest(found, summary["words"]["caveats"]), written)


def _methods_table(summary: Summary) -> Table:
    table = plain_table(
        title=f"Judged by {summary['how']['scoring']}, {summary['how']['folds']} folds"
    )
    for title in ("method", "keep", "score", "best at", "score there"):
        table.add_column(title, justify="left" if title == "method" else "right")
    for method in summary["methods"]:
        curve = method["curve"]
        scores = dict(zip(curve["n_features"], zip(curve["mean"], curve["standard_error"],
                                                   strict=True), strict=True))  # fmt: skip
        sizes = (method["n_features"], method["best_size"])
        cells = [part for size in sizes for part in (f"{size:,}", with_error(*scores[size]))]
        chosen = method["name"] == summary["answer"]["method"]
        table.add_row(method["label"], *cells, style="bold" if chosen else "")
    table.add_section()
    score = summary["answer"]["score"]
    for kept, other in zip((0, *[summary["answer"]["of"]] * 2), (score["guess"], *score["others"]),
                           strict=True):  # fmt: skip
        name = other["name"] if kept else f"guessing {other['name']}"
        reached = with_error(other["mean"], other["standard_error"])
        table.add_row(shown(name), f"{kept:,}", reached, style="dim")
    return table


def _short(label: str) -> str:
    """A heading that fits: long names in several lines."""
    return label if len(label) <= 10 else re.sub(r"(?<=[a-z])(?=[A-Z])", "\n", label)


def _agreement(out: Console, agreement: Agreement | None) -> None:
    if agreement is None:
        return
    names, taus = agreement["methods"], agreement["rank_correlation"]
    pairs = sorted(
        (-taus[i][j], i, j)
        for i in range(len(names))
        for j in range(i + 1, len(names))
        if taus[i][j] is not None
    )
    shown = pairs if len(pairs) <= MOST_PAIRS else [pairs[0], pairs[-1]]
    texts = [f"{names[i]} and {names[j]} {-tau:.2f}" for tau, i, j in shown]
    which = "" if shown is pairs else ", the most and the least alike"
    _say(out, f"Agreement of the rankings (1 = the same){which}: {'; '.join(texts)}.")


def show_bounds(found: Bounded, frame: Any, top: int, written: list[str]) -> None:
    """Bounds of all features, the best first, and which can replace each other."""
    out = console()
    _heading(out, found)
    table = plain_table()
    for title in frame.columns:
        left = title in ("feature", "relevance", "class")
        table.add_column(title, justify="left" if left else "right", no_wrap=True,
                         overflow="ellipsis")  # fmt: skip
    rows = frame.to_dict("records")
    for row in rows[: top or None]:
        cells = [shown(v if isinstance(v, str) else number(v)) for v in row.values()]
        table.add_row(*cells, style="bold" if row["relevance"] == "strong" else "")
    out.print(table)
    _more(out, len(rows), table.row_count)
    kinds = frame["relevance"].value_counts()
    # A label that is seldom met is explained where it is.
    met = [label for label in reversed(LABELS) if label != "explained" or label in kinds]
    counts = [f"{kinds.get(label, 0)} {label}" for label in met]
    _say(out, f"{len(frame):,} features: {', '.join(counts)}.", style="bold")
    _say(out, f"{'; '.join(f'{label}: {MEANING[label]}' for label in met)}.")
    for group, how in list(zip(found.groups, found.association, strict=True))[:5]:
        _say(out, _of_group(group, how))
    _remarks(out, _rest(found, data_caveats(found.task.profile, command=True)), written)


def _of_group(group: list[str], association: float) -> str:
    """What features have to do with each other that compete for one weight."""
    if association >= ALIKE:
        return f"One of these may do: {listed(group, 8)}."
    return (
        f"{listed(group, 8)} compete for one weight, but are not alike (two of them go together by "
        f"{number(association, 2)} only): look at the score before one is dropped."
    )


def show_profile(task: Task, written: list[str]) -> None:
    """What the data are, what to beware of, and which method fits."""
    out = console()
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for fact, value in task.profile.frame().itertuples(index=False):
        table.add_row(fact, shown(value))
    out.print(Text.assemble((task.source, "bold")))
    out.print(table)
    _remarks(out, [*task.notes, *data_caveats(task.profile, command=True)])
    method = METHODS[task.profile.method]
    _say(out, f"{task.profile.reason} ({method.name}: {method.paper})", style="bold")
    _remarks(out, [], written)


# ----------------------------------------------------------------------------- parts


def _say(out: Console, sentence: str, style: str = "") -> None:
    text = shown(sentence)
    text.stylize(style)
    out.print(text, soft_wrap=not sys.stdout.isatty())


def _heading(out: Console, found: Studied | Bounded) -> None:
    task = found.task
    n, p = task.X.shape
    counts = task.target.counts
    order = " < ".join(map(str, counts)) if task.target.kind == ORDERED else ""
    classes = order if order and len(order) < 60 else f"{len(counts)} classes"
    kind = classes if counts else "numbers"
    _say(out, f"{task.source}: {n:,} rows, {p:,} features; {task.profile.target}: {kind}", "bold")
    if isinstance(found, Studied) and len(task.methods) == 1:
        chosen = task.methods[0]
        fits = chosen.name == task.profile.method
        _say(out, task.profile.reason if fits else f"Method: {chosen.estimator} ({chosen.paper})")
    for doubt in task.doubts:
        _say(out, f"Beware: {doubt}", style="bold red")


def _print_features(
    out: Console,
    table: Table,
    cells: Callable[[Feature], list[Any]],
    features: list[Feature],
    top: int,
) -> None:
    """The table with as many rows as asked for (0: all), and what is kept."""
    table.add_column("keep")
    for feature in features[: top or None]:
        kept = feature["kept"]
        table.add_row(*cells(feature), "yes" if kept else "", style="bold" if kept else "")
    out.print(table)
    _more(out, len(features), table.row_count)


def _more(out: Console, n_all: int, n_printed: int) -> None:
    if n_printed < n_all:
        _say(out, f"... and {n_all - n_printed:,} more; --top 0 prints, -o FILE writes all.", "dim")


def _answer(out: Console, summary: Summary) -> None:
    answer, words = summary["answer"], summary["words"]
    for warning in words["warnings"]:
        _say(out, f"Beware: {warning}", style="bold red")
    _say(out, words["answer"], style="bold green" if answer["helps"] else "bold yellow")
    if answer["keep"]:
        _say(out, f"Keep: {listed(answer['keep'], 30)}")
    if answer["always"]:
        _say(out, f"Kept in any case, as asked for: {listed(answer['always'])}.")
    if words["offer"]:
        _say(out, words["offer"])
    _say(out, words["evidence"])
    if answer["helps"]:
        _say(out, words["comparison"])
    if MATTERS in words["questions"]:
        _say(out, f"{MATTERS} {words['questions'][MATTERS]}")
    for feature in summary["features"][: answer["n_features"]]:
        if feature["kept"] and feature["substitutes"]:
            _say(out, f"Instead of {feature['name']}: {listed(feature['substitutes'])}.")


def _rest(found: Studied | Bounded, caveats: Iterable[str]) -> list[str]:
    """Caveats and notes that the heading has not said."""
    return [said for said in [*caveats, *found.notes] if said not in found.task.doubts]


def _remarks(out: Console, remarks: Iterable[str], written: Iterable[str] = ()) -> None:
    """What else there is to know, each once, and which files were written."""
    for remark in dict.fromkeys(remarks):
        _say(out, f"- {remark}")
    for path in written:
        _say(out, f"Wrote {path}", style="green")
