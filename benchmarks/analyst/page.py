"""The page in docs, from the cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.analyst.data import MOST_ROWS
from benchmarks.common import environment

RIVALS = ("kept", "all", "Kendall", "mutual information", "forest")


def standard_error(scores: np.ndarray) -> float:
    """Of the mean over folds whose training sets overlap (Nadeau and Bengio)."""
    n_folds = len(scores)
    return float(scores.std(ddof=1) * np.sqrt(1 / n_folds + 1 / (n_folds - 1)))


def with_error(mean: float, error: float) -> str:
    """A mean and its standard error."""
    return f"{mean:.3f} ± {error:.3f}"


class Verdict(NamedTuple):
    """Whether the kept set keeps up, and with what."""

    best: str
    lost: float
    error: float
    within: bool
    said: str
    """What the answer itself says of it."""


def means(folds: list[dict[str, Any]]) -> dict[str, tuple[float, float]]:
    """Mean and standard error over the outer folds."""
    scores = {name: np.array([fold["scores"][name] for fold in folds])
              for name in ("guess", *RIVALS)}  # fmt: skip
    return {name: (float(each.mean()), standard_error(each))
            for name, each in scores.items()}  # fmt: skip


def verdict(command: dict[str, Any], folds: list[dict[str, Any]]) -> Verdict:
    """The best of all, what the kept set loses against it, and whether that was said."""
    sign = 1 if command["score"]["larger_is_better"] else -1
    scores = {name: sign * np.array([fold["scores"][name] for fold in folds]) for name in RIVALS}
    best = max(RIVALS, key=lambda name: scores[name].mean())
    losses = scores[best] - scores["kept"]
    lost, error = float(losses.mean()), standard_error(losses)
    within = lost <= error + 1e-12
    return Verdict(best, lost, error, within, _said(command, best) if not within else "")


def _said(command: dict[str, Any], best: str) -> str:
    """What the command said about this rival, if it did."""
    if not command["helps"]:
        return "yes: no set is significantly better than the baseline"
    everything, other = command["score"]["others"]
    if best == "forest" and other["clear"] and other["gain"] < 0:
        return "yes: a random forest with all features is significantly better"
    if best == "forest" and other["ahead"]:
        return "yes: a random forest with all features is better by more than one standard error"
    if best in ("all", "forest") and everything["gain"] < 0:
        return "yes: selecting costs something against all features"
    return "no"


def make_page(
    cells: dict[str, dict[str, Any]], timing: dict[str, float], wanted: Sequence[str]
) -> str:
    """The page of the tables that were run, naming those that were not."""
    absent = [name for name in wanted if name not in cells]
    done = {name: cell for name, cell in cells.items() if cell["folds"]}
    verdicts = {name: verdict(cell["command"], cell["folds"]) for name, cell in done.items()}
    within = sum(each.within for each in verdicts.values())
    silent = [name for name, each in verdicts.items() if each.said == "no"]
    lines = [
        "# Twelve tables, as an analyst has them",
        "",
        "What `echelon rank` answers on a whole file, how long it takes, and what its selection is "
        "worth beside all features, Kendall's best k, mutual information's best k (k as many as "
        "were selected) and a random forest on all features.  The scores are held-out: in each of "
        "five outer folds, the features and their number were selected on the other four.  ± is "
        "one standard error, corrected for overlapping training sets.  The selected set *keeps up* "
        "if it loses at most one standard error of the paired differences against the best of the "
        "five.  All but the forest are scored with the model by which `AutoSelector` evaluated the "
        "features: a linear model or a forest, whichever was better.",
        "",
        f"It keeps up on {within} of {len(done)}."
        + (f"  Where it does not, the answer says so itself, but for {', '.join(silent)}."
           if silent else "  Where it does not, the answer says so itself."),
        *(["", f"Not run yet: {', '.join(absent)}."] if absent else []),
        "",
        *_score_table(done, verdicts),
        "",
        "Survey, repeated measures and half grades are made; tables of more rows are cut to "
        f"{MOST_ROWS:,} rows for the outer folds, not for the command.  In *repeated measures* "
        "nothing is related to the stage but the patient, so nothing should be selected.",
        "",
        f"`echelon rank` on 1,000 rows of 50 columns and five ordered classes takes "
        f"{timing['cpu']:.1f} s of CPU, {timing['imports']:.1f} s of it imports.",
        "",
        "## Commands and answers",
        "",
    ]  # fmt: skip
    for name, cell in cells.items():
        lines += _answer_part(name, cell["command"])
    lines += [
        f"{environment('scikit-learn')}, shared with other work: seconds are of CPU, import and "
        "reading included.  `python -m benchmarks.analyst --data FOLDER --write` runs it again.",
        "",
    ]
    return "\n".join(lines)


def _score_table(done: dict[str, Any], verdicts: dict[str, Verdict]) -> list[str]:
    titles = ["data", "score", "baseline", "selected (how many)", "all", "Kendall's k",
              "mutual information's k", "forest", "best, and what selecting loses", "keeps up",
              "did the answer say so"]  # fmt: skip
    lines = [f"| {' | '.join(titles)} |", f"| {' | '.join(['---'] * len(titles))} |"]
    for name, cell in done.items():
        found, each = means(cell["folds"]), verdicts[name]
        sizes = [len(fold["kept"]) for fold in cell["folds"]]
        shown = {rival: with_error(*found[rival]) for rival in RIVALS}
        by = " or ".join(sorted({fold["model"] for fold in cell["folds"]}))
        shown["kept"] += f" ({min(sizes)} to {max(sizes)}; {by})"
        named, baseline = cell["command"]["score"]["name"], f"{found['guess'][0]:.3f}"
        cells = [name, named, baseline, *shown.values(),
                 f"{each.best}: {with_error(each.lost, each.error)}",
                 "yes" if each.within else "no", each.said]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _answer_part(name: str, command: dict[str, Any]) -> list[str]:
    rows, columns = command["shape"]
    said = [*command["warnings"], command["sentence"]]
    said += [f"{label}: {text}" for label, text in command["lines"].items()]
    said += command["contradictions"]
    return [
        f"### {name}: {rows:,} rows, {columns:,} features, {command['cpu']:.0f} s",
        "",
        f"    $ {command['command']}",
        "",
        *[f"> {sentence}  " for sentence in said],
        "",
    ]
