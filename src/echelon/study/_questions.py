"""The questions asked first: what is lost, which feature matters most, would a forest agree?

All changes are in the units of the score, over the folds of the curves, with a standard error of
the paired differences.  One feature is left out of the kept set, or added to it, at a time:

    change(f) = mean over folds of  score(kept without f) - score(kept)      f kept
    change(f) = mean over folds of  score(kept with f) - score(kept)         f left out

The kept set was found on all rows, so its own level here is a little too good; that of a change
much less so, since both sides share it.  The cost is bounded: ``MOST_DROPPED`` and ``MOST_ADDED``
features are tried, the best ranked ones, and fewer on large tables.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from echelon._core.errors import clearly_positive, standard_error
from echelon._core.folds import fold_scores
from echelon._core.progress import expect, stepwise
from echelon._core.words import counted, number, with_error
from echelon.filters import ForestImportance
from echelon.rankings import ranks_of
from echelon.study._judge import Judged, said_in_caveats
from echelon.study._models import Scoring, Study
from echelon.study.types import Change, Questions

MOST_DROPPED, MOST_ADDED = 20, 10
MOST_CELLS = 3e7
"""Rows times columns times folds of all models that are fitted, unless fewer than ``LEAST``."""
LEAST = 3
MATTERS = "Which single feature matters most?"


class Asked(NamedTuple):
    """What the changes are counted from."""

    study: Study
    keep: list[str]
    base: np.ndarray
    """Score of every fold with the kept features; the guess, if there are none."""
    share: float | None


def questions(study: Study, judged: Judged, keep: list[str], order: list[str]) -> Questions:
    """What one would ask next, in numbers and in sentences.

    Parameters
    ----------
    study : Study
        What all is judged by.
    judged : Judged
        What the folds say.
    keep : list of str
        The kept features.
    order : list of str
        All features, best first.
    """
    with said_in_caveats():
        asked = _asked(study, judged, keep)
        kept = [name for name in order if name in set(keep)]
        rest = [name for name in order if name not in set(keep)]
        less, more = kept[: _afford(asked, MOST_DROPPED)], rest[: _afford(asked, MOST_ADDED)]
        expect(len(less) + len(more))
        dropped = [_dropped(asked, judged, name) for name in stepwise(less)]
        added = [_added(asked, name) for name in stepwise(more)]
        common = _in_common(study, keep)
    against = [_against(judged, other, study.scoring) for other in judged.others]
    return Questions(
        dropped=sorted(dropped, key=lambda change: change["worth"], reverse=True),
        added=sorted(added, key=lambda change: change["worth"], reverse=True),
        n_not_dropped=len(kept) - len(dropped),
        n_not_added=len(rest) - len(added),
        all_features=against[0],
        forest=against[1],
        in_common=common,
        sentences=_sentences(study, judged, keep, dropped, added, against, common),
    )


def _asked(study: Study, judged: Judged, keep: list[str]) -> Asked:
    asked = Asked(study, keep, judged.guess.scores, judged.test_share)
    return asked._replace(base=_scores(asked, keep)) if keep else asked


def _scores(asked: Asked, names: list[str]) -> np.ndarray:
    study = asked.study
    # In the order of the table, as in the curves.
    columns = study.X.columns[study.X.columns.isin(names)]
    scorer = study.scoring.scorer
    return fold_scores(
        study.estimator,
        study.X[columns],
        study.target.y,
        study.splits.folds,
        scorer,
        study.weights,
    )


def _afford(asked: Asked, most: int) -> int:
    """How many changes may be tried on a table of this size."""
    study = asked.study
    cells = len(study.X) * max(len(asked.keep), 1) * len(study.splits.folds)
    return int(np.clip(MOST_CELLS / (2 * cells), LEAST, most))


def _dropped(asked: Asked, judged: Judged, name: str) -> Change:
    left = [other for other in asked.keep if other != name]
    return _change(asked, name, _scores(asked, left) if left else judged.guess.scores, -1)


def _added(asked: Asked, name: str) -> Change:
    return _change(asked, name, _scores(asked, [*asked.keep, name]), 1)


def _change(asked: Asked, name: str, scores: np.ndarray, towards: int) -> Change:
    """What one feature more or less does; worth is positive if the feature is of use."""
    gains = scores - asked.base
    return Change(
        name=name,
        change=float(asked.study.scoring.sign * gains.mean()),
        standard_error=float(standard_error(gains, asked.share)),
        worth=float(towards * gains.mean()),
        clear=clearly_positive(towards * gains, asked.share),
    )


def _against(judged: Judged, other: Any, scoring: Scoring) -> Change:
    """What the kept features gain, or lose, against something else; clear either way."""
    gains = judged.held_out - other.scores
    clear = clearly_positive(gains, judged.test_share) or clearly_positive(
        -gains, judged.test_share
    )
    return Change(
        name=other.name,
        change=float(scoring.sign * gains.mean()),
        standard_error=float(standard_error(gains, judged.test_share)),
        worth=float(gains.mean()),
        clear=clear,
    )


def _in_common(study: Study, keep: list[str]) -> int | None:
    """How many of the kept are among as many that a forest ranks best; None if it cannot."""
    seed = study.options["random_state"]
    try:
        fitted = ForestImportance(random_state=seed).fit(
            study.X, study.target.y, sample_weight=study.weights
        )
    except (TypeError, ValueError):
        return None
    best = np.argsort(ranks_of(fitted), kind="stable")[: len(keep)]
    return len(set(study.X.columns[best]) & set(keep))


# -------------------------------------------------------------------------- in words


def _sentences(
    study: Study,
    judged: Judged,
    keep: list[str],
    dropped: list[Change],
    added: list[Change],
    against: list[Change],
    common: int | None,
) -> dict[str, str]:
    """Questions and their answers."""
    if not keep:
        return {}
    name, n_all = study.scoring.name, study.X.shape[1]
    said = {
        "What do we lose against all?": _lost(against[0], name, len(keep), n_all),
        MATTERS: _matters(dropped, name),
        "Would a forest agree?": _forest(against[1], judged, study, len(keep), common),
    }
    if added:
        said["Is anything missed that was left out?"] = _missed(added, name)
    return said


def _lost(change: Change, name: str, n_kept: int, n_all: int) -> str:
    if n_kept == n_all:
        return f"Nothing: all {counted(n_all, 'feature')} were kept."
    if _size(change).startswith("0.000 "):
        return f"Nothing: {name} is that of all {counted(n_all, 'feature')}."
    verb = "We gain" if change["worth"] > 0 else "We lose"
    chance = "" if change["clear"] else ", which may be chance"
    return f"{verb} {_size(change)} in {name} against all {n_all:,}{chance}."


def _size(change: Change) -> str:
    return with_error(abs(change["change"]), change["standard_error"])


def _moves(change: Change) -> str:
    """How the score changes, in words."""
    return f"{'rises' if change['change'] > 0 else 'falls'} by {_size(change)}"


def _matters(dropped: list[Change], name: str) -> str:
    most = max(dropped, key=lambda change: change["worth"])
    if most["worth"] <= 0:
        return f"None: without any one of those kept, {name} gets no worse."
    moves = f"without it {name} {_moves(most)}"
    if most["clear"]:
        return f"{most['name']}: {moves}."
    return f"{most['name']}, but not clearly: {moves}, which may be chance."


def _missed(added: list[Change], name: str) -> str:
    most = max(added, key=lambda change: change["worth"])
    if most["worth"] <= 0:
        tried = counted(len(added), "feature")
        return f"No: {name} gets no better with any of the best {tried} left out."
    chance = "" if most["clear"] else ", which may be chance"
    answer = "Perhaps" if most["clear"] else "Hardly"
    return f"{answer}: with {most['name']} {name} {_moves(most)}{chance}."


def _forest(change: Change, judged: Judged, study: Study, n_kept: int, common: int | None) -> str:
    """Whether a forest is better, and whether it would have chosen the same."""
    scores = judged.others[1].scores
    reached = number(float(study.scoring.sign * scores.mean()))
    verdict = "no clear difference"
    if change["clear"]:
        verdict = "worse" if change["worth"] > 0 else "better: consider one"
    said = f"On all features it reaches {reached}, {verdict}"
    if common is None or n_kept == study.X.shape[1]:
        return f"{said}."
    of = "the kept one is" if n_kept == 1 and common else f"{common} of the {n_kept:,} kept are"
    return f"{said}; {of} among the {n_kept:,} it ranks best."
