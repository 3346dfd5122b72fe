"""What one would ask next of a study: what one feature more or less does, and another model.

Changes are in the units of the score, over the folds of the curves, with a standard error of the
paired differences.  One feature is left out of the kept set, or added to it, at a time:

    change(f) = mean over folds of  score(kept without f) - score(kept)      f kept
    change(f) = mean over folds of  score(kept with f) - score(kept)         f left out

The kept set was found on all rows, so its own level here is a little too good; that of a change
much less so, since both sides share it.  The cost is bounded: ``MOST_DROPPED`` and ``MOST_ADDED``
features are tried, the best ranked ones, and fewer on large tables.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from echelon._core.jobs import expect, stepwise
from echelon._core.samples import fit_weighted
from echelon._core.significance import clearly_positive, standard_error
from echelon.base import ranks_of
from echelon.filters import ForestImportance
from echelon.study._design import Design, without_class_warnings
from echelon.study._study import Study
from echelon.study.types import Change, Questions

MOST_DROPPED, MOST_ADDED = 20, 10

MOST_CELLS = 3e7
"""Rows times columns times folds of all models that are fitted, unless fewer than ``LEAST``."""

LEAST = 3


class Asked(NamedTuple):
    """What the changes are counted from."""

    study: Study
    keep: list[str]
    base: np.ndarray
    """Score of every fold with the selected features; the baseline, if there are none."""

    def scores(self, names: list[str]) -> np.ndarray:
        """Scores of every fold with these features; the baseline, if there are none."""
        if not names:
            return self.study.judged.guess.scores
        design = self.study.design
        return design.scores(design.models[self.study.judged.model], names)


def questions(study: Study, keep: list[str], order: list[str]) -> Questions:
    """What one would ask next, in numbers.

    Parameters
    ----------
    study : Study
        What was found.
    keep : list of str
        The selected features.
    order : list of str
        All features, best first.
    """
    with without_class_warnings():
        asked = Asked(study, keep, study.judged.guess.scores)
        asked = asked._replace(base=asked.scores(keep))
        kept = [name for name in order if name in set(keep)]
        rest = [name for name in order if name not in set(keep)]
        less, more = kept[: _afford(asked, MOST_DROPPED)], rest[: _afford(asked, MOST_ADDED)]
        expect(len(less) + len(more))
        dropped = [
            _change(asked, name, [other for other in keep if other != name], -1)
            for name in stepwise(less)
        ]
        added = [_change(asked, name, [*keep, name], 1) for name in stepwise(more)]
        common = _in_common(study.design, keep)
    return Questions(
        dropped=sorted(dropped, key=lambda change: change["worth"], reverse=True),
        added=sorted(added, key=lambda change: change["worth"], reverse=True),
        n_not_dropped=len(kept) - len(dropped),
        n_not_added=len(rest) - len(added),
        in_common=common,
    )


def _afford(asked: Asked, most: int) -> int:
    """How many changes may be tried on a table of this size."""
    design = asked.study.design
    cells = len(design.X) * max(len(asked.keep), 1) * len(design.splits.folds)
    return int(np.clip(MOST_CELLS / (2 * cells), LEAST, most))


def _change(asked: Asked, name: str, names: list[str], towards: int) -> Change:
    """What one feature more or less does; worth is positive if the feature is of use."""
    gains = asked.scores(names) - asked.base
    share = asked.study.judged.test_share
    return Change(
        name=name,
        change=float(asked.study.design.scoring.sign * gains.mean()),
        standard_error=float(standard_error(gains, share)),
        worth=float(towards * gains.mean()),
        clear=clearly_positive(towards * gains, share),
    )


def _in_common(design: Design, keep: list[str]) -> int | None:
    """How many of the kept are among as many that a forest ranks best; None if it cannot."""
    forest = ForestImportance(random_state=design.options["random_state"])
    try:
        fitted = fit_weighted(forest, design.samples, design.target, design.weights)
    except (TypeError, ValueError):
        return None
    best = np.argsort(ranks_of(fitted), kind="stable")[: len(keep)]
    return len(set(design.X.columns[best]) & set(keep))
