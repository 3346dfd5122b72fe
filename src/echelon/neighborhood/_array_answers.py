"""Answers of nearest neighbours by array operations, which need no compiler.

Small work is done so: as ``kernels.answers``, for complete data and all but the median.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from echelon.kernels.answers import MEDIAN, OWN_CLASS, add_errors

MOST_SAMPLES = 1500
"""Matrices of all pairs of more samples take longer than the loops do to compile."""
PAIRS_PER_STEP = 200
"""Pairs of samples that arrays look at in the time of one step (see ``kernels``)."""
LIKELY_STEPS = 6
"""Features that a search adds, about."""


def arrays_do(state: Any, how: int) -> bool:
    """Whether a search over these columns is so small that nothing need be compiled."""
    n_features, n_samples = state.columns.shape
    if state.missing or not state.stored or how == MEDIAN or n_samples > MOST_SAMPLES:
        return False
    return not add_errors.pays(LIKELY_STEPS * n_features * n_samples**2 / PAIRS_PER_STEP)


def column_squares(state: Any, feature: int) -> np.ndarray:
    """Squared differences of all pairs of samples in one column."""
    column, gap = state.columns[feature], state.nominal[feature]
    if gap:
        return np.where(column[:, None] != column, gap, 0.0)
    return (column[:, None] - column) ** 2


def chosen_squares(state: Any) -> np.ndarray:
    """Squared distances of all samples over the chosen features; infinite to themselves."""
    squares = np.zeros((state.columns.shape[1],) * 2)
    for feature in state.features:
        squares += column_squares(state, feature)
    np.fill_diagonal(squares, np.inf)
    return squares


def sums_by_arrays(
    state: Any, squares: np.ndarray, candidates: np.ndarray, question: Any, places: int, ties: float
) -> np.ndarray:
    """Sums of the errors over all samples, one per candidate."""
    errors = np.empty(len(candidates))
    for place, feature in enumerate(candidates):
        far = squares + column_squares(state, feature)
        answers = _answers(far, question, places, ties)
        errors[place] = np.abs(answers - question.truth).sum()
    return errors


def _answers(far: np.ndarray, question: Any, places: int, ties: float) -> np.ndarray:
    """The mean answer of the nearest; those as far as the last one share its place."""
    last = np.partition(far, places - 1, axis=1)[:, places - 1, None]
    near = far * ties < last
    tied = (far <= last * ties) & ~near
    share = (places - near.sum(axis=1)) / tied.sum(axis=1)
    if question.how == OWN_CLASS:
        own = question.codes[:, None] == question.codes
        said = [(each & own).sum(axis=1) for each in (near, tied)]
    else:
        said = [each @ question.levels[question.codes] for each in (near, tied)]
    return (said[0] + share * said[1]) / places
