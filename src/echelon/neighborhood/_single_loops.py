"""Nearest neighbours along one numeric column, which sorting finds: n log n steps instead of n^2.

In sorted order the samples within a distance lie side by side, and sums of what they say are
differences of cumulated ones.
"""

from __future__ import annotations

import numpy as np

from echelon.kernels import kernel
from echelon.neighborhood._loops import OWN_CLASS, Chosen, Question


def single_errors(state: Chosen, candidates: np.ndarray, question: Question) -> np.ndarray:
    """Sums of the errors of the answers along each of some numeric columns; no medians."""
    columns = state.columns[candidates]
    marks = question.values[None]
    if question.how == OWN_CLASS:
        marks = (question.codes == np.arange(len(question.levels))[:, None]).astype(float)
    errors = np.zeros(len(candidates))
    add_single_errors(columns, np.argsort(columns, axis=1), question, marks, errors)
    return errors


@kernel
def add_single_errors(columns, orders, question, marks, errors):
    """Add up the errors of the answers to all samples, for every column.

    ``marks`` are the values of the samples; with ``OWN_CLASS`` one row per class says who is in it.
    """
    n, places, tolerance = columns.shape[1], question.places, question.tolerance
    by_class = question.how == OWN_CLASS
    x, cumulated = np.empty(n), np.zeros((marks.shape[0], n + 1))
    for q in range(columns.shape[0]):
        order, m = orders[q], n
        while m > 0 and np.isnan(columns[q, order[m - 1]]):
            m -= 1
        for t in range(m):
            x[t] = columns[q, order[t]]
            for k in range(marks.shape[0]):
                cumulated[k, t + 1] = cumulated[k, t] + marks[k, order[t]]
        for t in range(n):
            i = order[t]
            k = question.codes[i] if by_class else 0
            said = question.guesses[i]
            if t < m and m > 1:
                said = single_answer(x[:m], t, cumulated[k], places, tolerance)
            errors[q] += abs(said - (1.0 if by_class else question.values[i]))


@kernel
def single_answer(x, t, sums, places, tolerance):
    """Mean mark of the neighbours of sample t of the sorted ones, as ``mean_answer`` has it."""
    m, own = x.shape[0], sums[t + 1] - sums[t]
    if m - 1 < places:
        return (sums[m] - own) / (m - 1)
    low, high, last = t, t + 1, 0.0  # the nearest, and the sample itself
    for _ in range(places):
        left = (x[t] - x[low - 1]) ** 2 if low > 0 else np.inf
        right = (x[high] - x[t]) ** 2 if high < m else np.inf
        last = min(left, right)
        if left <= right:
            low -= 1
        else:
            high += 1
    edge = last * tolerance
    first, beyond = 0, low  # of all that are as near as the last one, the first
    while first < beyond:
        middle = (first + beyond) // 2
        if (x[t] - x[middle]) ** 2 <= edge:
            beyond = middle
        else:
            first = middle + 1
    end, beyond = high, m
    while end < beyond:
        middle = (end + beyond) // 2
        if (x[middle] - x[t]) ** 2 <= edge:
            end = middle + 1
        else:
            beyond = middle
    while low < t and (x[t] - x[low]) ** 2 * tolerance >= last:
        low += 1
    while high > t + 1 and (x[high - 1] - x[t]) ** 2 * tolerance >= last:
        high -= 1
    n_near, near = high - low - 1, sums[high] - sums[low] - own
    n_tied, tied = end - first - 1 - n_near, sums[end] - sums[first] - own - near
    return (near + tied * ((places - n_near) / n_tied)) / places
