"""What every selected feature is worth: the held-out loss where its values are shuffled.

In every fold the chosen model is fitted once, to the selected features.  Then the values of one
feature at a time are shuffled among the test rows; the score falls by what the model got out of
that feature:

    loss(f) = mean over folds of  score - score with f shuffled

in the units of the score (Breiman, "Random forests", Machine Learning 45, 2001).  No model is
fitted again, so that it costs little.  A feature that another one says as well loses what the model
took from it, and noise loses about 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from echelon._core.rows import take_rows
from echelon._core.significance import share_of_test, standard_error

if TYPE_CHECKING:
    from echelon.study._design import Design

MOST_SHUFFLED = 50
"""Features that are shuffled: the best ranked of those selected."""
ROWS = 1000
"""Test rows of a fold, all shuffles together: large folds are sampled, small ones shuffled more."""
MOST_SHUFFLES = 10


class Losses(NamedTuple):
    """What shuffling loses, by feature, and its standard error over the folds."""

    means: dict[str, float]
    errors: dict[str, float]


def shuffled_losses(design: Design, model: str, names: list[str]) -> Losses:
    """Held-out losses of the first of some features, in a model with all of them.

    Parameters
    ----------
    design : Design
        Samples, folds, models and scoring.
    model : str
        Which of the models.
    names : list of str
        The selected features, best first.
    """
    columns = np.flatnonzero(design.X.columns.isin(names))
    places = design.X.columns.get_indexer(pd.Index(names[:MOST_SHUFFLED])).tolist()
    draw = check_random_state(design.options["random_state"])
    folds = range(len(design.splits.folds)) if names else ()
    losses = np.array([_losses(design, model, columns, places, fold, draw) for fold in folds])
    if not len(losses):
        return Losses({}, {})
    errors = standard_error(losses.T, share_of_test(design.splits.folds))
    found = losses.mean(axis=0), errors
    return Losses(*(dict(zip(names, each.tolist(), strict=False)) for each in found))


def _losses(
    design: Design, model: str, columns: np.ndarray, places: list[int], fold: int, draw: object
) -> list[float]:
    """The loss of every feature in one fold."""
    part = design.fitted(design.models[model], columns, fold)
    n = len(part.y)
    some = draw.permutation(n)[:ROWS]  # type: ignore[attr-defined]
    if design.target.codes is not None:  # scores may need every class
        codes = design.target.codes[design.splits.folds[fold][1]]
        some = np.union1d(some, np.unique(codes, return_index=True)[1])
    times = int(np.clip(ROWS // n, 1, MOST_SHUFFLES))
    rows = np.concatenate([some] * times)
    others = np.concatenate([draw.permutation(some) for _ in range(times)])  # type: ignore[attr-defined]
    plain = part.score(take_rows(part.X, some), some)
    found = []
    for place in places:
        shuffled = _with_columns_of(take_rows(part.X, rows), take_rows(part.X, others),
                                    part.sources == place)  # fmt: skip
        found.append(plain - part.score(shuffled, rows))
    return found


def _with_columns_of(X: np.ndarray | pd.DataFrame, other: object, which: np.ndarray) -> object:
    """X with some of its columns taken from another table."""
    if isinstance(X, np.ndarray):
        return np.where(which, other, X)  # type: ignore[call-overload]
    changed = X.reset_index(drop=True)
    for j in np.flatnonzero(which).tolist():
        changed.isetitem(j, other.iloc[:, j].array)  # type: ignore[attr-defined]
    return changed
