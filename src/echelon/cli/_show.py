"""Tables and sentences for the terminal; plain text when piped, narrow ones included."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from echelon._core.words import (
    HARDEST,
    LOSS,
    counted,
    listed,
    number,
    percent,
    visible,
    with_error,
)
from echelon.cli._prepare import Task
from echelon.cli._terminal import console, plain_table
from echelon.methods import CLASSES, ORDERED
from echelon.report import Reports
from echelon.study.types import Agreement, Feature, Summary

if TYPE_CHECKING:
    from echelon.cli._bounds import Bounded
    from echelon.cli._rank import Studied

FREQUENCY = "frequency: the share of subsamples of half of the rows that select the feature"
"""What the column says."""

MOST_PAIRS = 3
"""Pairs of methods whose agreement is printed; of more, the extremes."""


def shown(value: Any) -> Text:
    """Text of the user's: no markup, nothing that moves the cursor."""
    text = visible(re.sub(r"\s", " ", str(value)))
    return Text("".join(c if c.isprintable() else "\ufffd" for c in text))


def show_ranking(
    found: Studied, top: int, written: list[str], *, with_reasons: bool = False
) -> None:
    """The answer of one method, and the best features."""
    summary = found.report.summary()
    out = console()
    heading(out, found.task)
    features = summary["features"]
    table = plain_table()
    table.add_column("rank", justify="right")
    table.add_column("feature", overflow="ellipsis", no_wrap=True)
    columns = [each for each in _COLUMNS if any(f.get(each[0]) is not None for f in features)]
    titles = [title for _, title, _ in columns]
    for title in titles:
        table.add_column(title, justify="right", no_wrap=True)

    def cells(feature: Feature) -> list[Any]:
        told = [to_text(feature.get(key)) for key, _, to_text in columns]
        error = feature.get("loss_error")
        if error is not None:
            told[titles.index("loss")] = with_error(feature["loss"], error)
        return [str(feature["rank"]), shown(feature["name"]), *told]

    _print_features(out, table, cells, features, top, _reasons(summary, with_reasons))
    _direction(out, summary)
    if "loss" in titles:
        say(out, f"loss: {LOSS.format(summary['answer']['score']['name'])}.")
    if "frequency" in titles:
        say(out, f"{FREQUENCY}.")
    _answer(out, summary)
    if any(feature["kept"] and (feature["score"] or 0) < 0 for feature in features):
        say(out, "Scores compare features with each other; below 0 does not mean uninformative.")
    print_remarks(out, rest_of(found, summary["words"]["caveats"]), written)


def _trend(value: float | None) -> str:
    return "" if value is None else f"{'rises' if value > 0 else 'falls'} {abs(value):.2f}"


_COLUMNS: tuple[tuple[str, str, Any], ...] = (
    ("score", "score", lambda value: number(value, 3)),
    ("p_value", "p", lambda value: number(value, 2)),
    ("p_adjusted", "p adjusted", lambda value: number(value, 2)),
    ("loss", "loss", lambda value: "" if value is None else number(value, 3)),
    ("relevance", "relevance", lambda value: "" if value is None else value),
    ("trend", "trend", _trend),
    ("evidence", "evidence", lambda value: "" if value is None else value),
    ("evidence_p", "p given others", lambda value: number(value, 2)),
    ("stability", "frequency", lambda value: "" if value is None else percent(value)),
)


def show_comparison(
    found: Studied, top: int, written: list[str], *, with_reasons: bool = False
) -> None:
    """Every method with its curve in three numbers, and the features by all of them."""
    summary = found.report.summary()
    out = console()
    heading(out, found.task)
    out.print(_methods_table(summary))
    features, methods = summary["features"], summary["methods"]
    table = plain_table()
    table.add_column("feature", overflow="ellipsis", no_wrap=True)
    for method in methods:
        table.add_column(_short(method["label"]), justify="right")

    def cells(feature: Feature) -> list[Any]:
        return [shown(feature["name"]), *(str(feature["ranks"][m["name"]]) for m in methods)]

    _print_features(out, table, cells, features, top, _reasons(summary, with_reasons))
    _agreement(out, summary["agreement"])
    _answer(out, summary)
    print_remarks(out, rest_of(found, summary["words"]["caveats"]), written)


def show_targets(
    reports: Reports,
    found: Mapping[str, Studied],
    top: int,
    written: list[str],
    *,
    with_reasons: bool = False,
) -> None:
    """The features by targets, and then the answer for each of them."""
    summary = reports.summary()
    out = console()
    table = plain_table()
    table.add_column("feature", overflow="ellipsis", no_wrap=True)
    for name in found:
        table.add_column(shown(name), justify="right")
    table.add_column("selected for", justify="right")
    for feature in summary["features"][: top or None]:
        ranks = [
            f"{feature['ranks'].get(name, '')}{'*' if name in feature['selected'] else ' '}"
            for name in found
        ]
        n_selected = feature["n_selected"]
        style = "bold" if n_selected else ""
        table.add_row(shown(feature["feature"]), *ranks, str(n_selected), style=style)
    source = next(iter(found.values())).task.source
    say(out, f"{source}: ranks of the features for {len(found)} targets; *: selected", "bold")
    out.print(table)
    print_rest(out, len(summary["features"]), table.row_count)
    for each in found.values():
        told = each.report.summary()
        say(out, "")
        heading(out, each.task)
        _answer(out, told)
        for feature, why in zip(told["features"], _reasons(told, with_reasons), strict=False):
            say(out, f"- {feature['name']}: {why}")
    say(out, "")
    print_remarks(out, [*summary["notes"], *_by_target(found)], written)


def _by_target(found: Mapping[str, Studied]) -> list[str]:
    """Remarks on the targets; what is said of all of them once."""
    said: dict[str, list[str]] = {}
    for name, each in found.items():
        for remark in dict.fromkeys(rest_of(each, each.report.summary()["words"]["caveats"])):
            said.setdefault(remark, []).append(name)
    return [
        remark if len(who) == len(found) or _names(remark, who) else f"{listed(who)}: {remark}"
        for remark, who in said.items()
    ]


def _names(remark: str, who: list[str]) -> bool:
    """Whether a remark begins with the one target that it is about."""
    return len(who) == 1 and remark.startswith((f"{who[0]} ", f"{who[0]}:"))


def _methods_table(summary: Summary) -> Table:
    table = plain_table(
        title=f"Evaluated by {summary['how']['scoring']}, {summary['how']['folds']} folds"
    )
    for title in ("method", "selects", "score", "best size", "its score"):
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
        name = other["name"] if kept else f"baseline: {other['name']}"
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
    which = "" if shown is pairs else ", the most and the least similar"
    say(out, f"Rank correlation of the rankings{which}: {'; '.join(texts)}.")


# ----------------------------------------------------------------------------- parts


def say(out: Console, sentence: str, style: str = "") -> None:
    text = shown(sentence)
    text.stylize(style)
    out.print(text, soft_wrap=not sys.stdout.isatty())


def heading(out: Console, task: Task, *, ranked: bool = True) -> None:
    """The data, the method that ranked them, and what may have been read wrong."""
    n, p = task.X.shape
    rows = counted(n if task.sample is None else task.sample.known.n_rows, "row")
    counts = task.target.counts
    order = " < ".join(map(str, counts)) if task.target.kind == ORDERED else ""
    classes = order if order and len(order) < 60 else f"{len(counts)} classes"
    kind = classes if counts else "continuous"
    size = f"{rows}, {counted(p, 'feature')}"
    say(out, f"{task.source}: {size}; {task.profile.target}: {kind}", "bold")
    if ranked and len(task.methods) == 1:
        chosen = task.methods[0]
        fits = chosen.name == task.profile.method
        say(out, task.profile.reason if fits else f"Method: {chosen.estimator} ({chosen.paper})")
    for doubt in task.doubts:
        say(out, f"Warning: {doubt}", style="bold red")


def _print_features(
    out: Console,
    table: Table,
    cells: Callable[[Feature], list[Any]],
    features: list[Feature],
    top: int,
    reasons: list[str],
) -> None:
    """The table with as many rows as asked for (0: all), and what is selected."""
    table.add_column("selected")
    if reasons:
        table.add_column("reason")
    for place, feature in enumerate(features[: top or None]):
        kept, why = feature["kept"], map(shown, reasons[place : place + 1])
        table.add_row(*cells(feature), "yes" if kept else "", *why, style="bold" if kept else "")
    out.print(table)
    print_rest(out, len(features), table.row_count)


def _reasons(summary: Summary, wanted: bool) -> list[str]:
    return summary["words"]["reasons"] if wanted else []


def _direction(out: Console, summary: Summary) -> None:
    """Which of two classes a trend is towards."""
    if summary["data"]["kind"] != CLASSES or all(
        feature.get("trend") is None for feature in summary["features"]
    ):
        return
    say(out, f"trend: towards {[*summary['data']['classes']][-1]!r}.")


def print_rest(out: Console, n_all: int, n_printed: int) -> None:
    if n_printed < n_all:
        say(out, f"... and {n_all - n_printed:,} more; --top 0 prints, -o FILE writes all.", "dim")


def _answer(out: Console, summary: Summary) -> None:
    answer, words = summary["answer"], summary["words"]
    for warning in words["warnings"]:
        say(out, f"Warning: {warning}", style="bold red")
    say(out, words["answer"], style="bold green" if answer["helps"] else "bold yellow")
    lines = {"Selected": listed(answer["keep"], 30)} if answer["keep"] else {}
    if answer["always"]:
        lines["As requested"] = listed(answer["always"])
    lines |= words["lines"]
    if HARDEST in words["questions"]:
        lines["Hard to replace"] = words["questions"][HARDEST].removesuffix(".")
    replaceable = [
        f"{feature['name']}: {listed(feature['substitutes'])}"
        for feature in summary["features"][: answer["n_features"]]
        if feature["kept"] and feature["substitutes"]
    ]
    if replaceable:
        lines["Could replace"] = "; ".join(replaceable)
    _labelled(out, lines)
    for said in words.get("directions", []):
        say(out, said)


def _labelled(out: Console, lines: Mapping[str, str]) -> None:
    """One line per label; long ones go on under their beginning, if somebody looks."""
    width = max(map(len, lines)) + 2
    for label, text in lines.items():
        if not sys.stdout.isatty():
            say(out, f"{label:{width}}{text}")
            continue
        parts = textwrap.wrap(text, max(min(out.width, 100) - width, 20)) or [""]
        for place, part in enumerate(parts):
            say(out, f"{label if place == 0 else '':{width}}{part}")


def rest_of(found: Studied | Bounded, caveats: Iterable[str]) -> list[str]:
    """Caveats and notes that the heading has not said."""
    return [said for said in [*caveats, *found.notes] if said not in found.task.doubts]


def print_remarks(out: Console, remarks: Iterable[str], written: Iterable[str] = ()) -> None:
    """What else there is to know, each once, and which files were written."""
    for place, remark in enumerate(dict.fromkeys(remarks)):
        if place == 0:
            say(out, "Notes")
        say(out, f"- {remark}")
    for path in written:
        say(out, f"Wrote {path}", style="green")
