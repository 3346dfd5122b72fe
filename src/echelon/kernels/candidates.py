"""One more feature: what the neighborhoods become when a candidate joins the chosen features.

Squared distances over the chosen features are kept (one triangle, row after row) or, where that
is too large, added up again row by row.  A candidate adds one column to them.  Rows are visited
in any order; a candidate that can no longer win is left behind.
"""

from typing import NamedTuple

import numpy as np

from echelon.kernels._jit import kernel


class Chosen(NamedTuple):
    """Columns (features x samples, samples sorted by class) and what is known of the chosen."""

    columns: np.ndarray
    nominal: np.ndarray
    """Squared difference of two labels in a nominal column; 0 in a numeric one."""
    missing: bool
    class_starts: np.ndarray
    """First sample of every class, and the number of samples."""
    features: np.ndarray
    """The chosen ones, in the order they were added."""
    stored: bool
    sums: np.ndarray
    """If stored: squared distances of row i to rows 0 ... i - 1, all rows one after the other."""
    shared: np.ndarray
    """If stored and values are missing: number of features both rows have."""


@kernel
def add_squares(value, column, nominal, missing, sums, shared):
    """Add the squared differences of one row in one column, and count where both are there."""
    if nominal:
        for j in range(sums.shape[0]):
            differs = (column[j] < value) | (column[j] > value)  # neither if one is missing
            sums[j] += nominal if differs else 0.0
    elif missing:
        for j in range(sums.shape[0]):
            gap = value - column[j]
            sums[j] += gap * gap if gap == gap else 0.0
    else:
        for j in range(sums.shape[0]):
            gap = value - column[j]
            sums[j] += gap * gap
    if missing:
        for j in range(sums.shape[0]):
            there = (value == value) & (column[j] == column[j])
            shared[j] += 1 if there else 0


@kernel
def add_column(columns, nominal, missing, feature, sums, shared):
    """Add one feature to the stored triangle."""
    column = columns[feature]
    for i in range(1, column.shape[0]):
        start = i * (i - 1) // 2
        add_squares(
            column[i],
            column[:i],
            nominal[feature],
            missing,
            sums[start : start + i],
            shared[start : start + i] if missing else shared,
        )


@kernel
def chosen_row(chosen, i, sums, shared):
    """Squared distances of row i to all rows over the chosen features."""
    n = sums.shape[0]
    if not chosen.stored:
        for j in range(n):
            sums[j] = 0.0
            shared[j] = 0
        for feature in chosen.features:
            column = chosen.columns[feature]
            add_squares(column[i], column, chosen.nominal[feature], chosen.missing, sums, shared)
        return
    start = i * (i - 1) // 2
    for j in range(i):
        sums[j] = chosen.sums[start + j]
    sums[i] = 0.0
    for j in range(i + 1, n):
        sums[j] = chosen.sums[j * (j - 1) // 2 + i]
    if chosen.missing:
        for j in range(i):
            shared[j] = chosen.shared[start + j]
        shared[i] = chosen.features.shape[0]
        for j in range(i + 1, n):
            shared[j] = chosen.shared[j * (j - 1) // 2 + i]


@kernel
def with_candidate(chosen, i, feature, sums, shared, far, counts):
    """Squared distances of row i when the candidate has joined; inf where nothing is shared."""
    for j in range(far.shape[0]):
        far[j] = sums[j]
    if chosen.missing:
        for j in range(far.shape[0]):
            counts[j] = shared[j]
    column = chosen.columns[feature]
    add_squares(column[i], column, chosen.nominal[feature], chosen.missing, far, counts)
    if not chosen.missing:
        return
    size = chosen.features.shape[0] + 1
    for j in range(far.shape[0]):
        far[j] = far[j] * (size / counts[j]) if counts[j] > 0 else np.inf


@kernel
def fill_bins(far, per_step, slack, first, n_bins, bins):
    """Which of the balls of radius step, 2 step, ... is the smallest that holds a sample.

    Balls up to ``first`` share bin 0; what lies outside the following ``n_bins - 1`` too gets
    bin ``n_bins``.
    """
    for j in range(far.shape[0]):
        ball = np.ceil(np.sqrt(far[j]) * per_step - slack) - (first + 1.0)
        bins[j] = np.int32(min(max(ball, 0.0), np.float64(n_bins)))


@kernel
def vote(bins, class_starts, own_class, inclusive, own, most, histogram):
    """Votes for the own class, and the most for any other, in balls of growing size."""
    n_bins = own.shape[0]
    for k in range(n_bins):
        most[k] = 0
    for c in range(class_starts.shape[0] - 1):
        for k in range(n_bins + 1):
            histogram[k] = 0
        for b in bins[class_starts[c] : class_starts[c + 1]]:
            histogram[b] += 1
        votes = 0
        if c == own_class:
            votes = 0 if inclusive else -1  # the sample itself lies in every ball
            for k in range(n_bins):
                votes += histogram[k]
                own[k] = votes
        else:
            for k in range(n_bins):
                votes += histogram[k]
                most[k] = max(most[k], votes)


@kernel
def count_errors(
    chosen,
    rows,
    classes,
    candidates,
    per_step,
    slack,
    inclusive,
    allowed,
    ties_win,
    alive,
    errors,
    hard,
    visited,
):
    """Count the samples their balls decide wrongly, for every candidate and radius.

    Radius k of candidate q is given up once its errors exceed ``allowed[ties_win[q], k]``; those
    from ``alive[q, 0]`` up to ``alive[q, 1]`` are complete at the end.  ``hard`` counts, for every
    sample, at how many radii it was decided wrongly, ``visited`` the samples a candidate got to.
    """
    n = classes.shape[0]
    sums, far = np.empty(n), np.empty(n)
    shared, counts = np.zeros(n, chosen.shared.dtype), np.zeros(n, chosen.shared.dtype)
    bins = np.empty(n, np.int32)
    n_radii = allowed.shape[1]
    own, most = np.empty(n_radii, np.int32), np.empty(n_radii, np.int32)
    histogram = np.empty(n_radii + 1, np.int32)
    for i in rows:
        chosen_row(chosen, i, sums, shared)
        n_alive = 0
        for q in range(candidates.shape[0]):
            first, last = alive[q]
            if first >= last:
                continue
            n_alive += 1
            visited[q] += 1
            with_candidate(chosen, i, candidates[q], sums, shared, far, counts)
            fill_bins(far, per_step, slack, first, last - first, bins)
            bins[i] = 0
            mine, others = own[: last - first], most[: last - first]
            vote(bins, chosen.class_starts, classes[i], inclusive, mine, others, histogram)
            row_errors = errors[q, first:last]
            n_wrong = 0
            for k in range(last - first):
                wrong = (mine[k] < others[k]) | (mine[k] <= 0)
                row_errors[k] += wrong
                n_wrong += wrong
            hard[i] += n_wrong
            limits = allowed[ties_win[q]]
            while first < last and errors[q, first] > limits[first]:
                first += 1
            while first < last and errors[q, last - 1] > limits[last - 1]:
                last -= 1
            alive[q, 0], alive[q, 1] = first, last
        if n_alive == 0:
            return


@kernel
def count_conflicts(chosen, rows, classes, candidates, limit, best, impure, conflicts, hard):
    """Count samples with another class in their ball, and such pairs, for every candidate.

    A candidate with more than ``best`` (samples, then pairs) is left behind.  ``hard`` counts the
    pairs of every sample.
    """
    n = classes.shape[0]
    sums, far = np.empty(n), np.empty(n)
    shared, counts = np.zeros(n, chosen.shared.dtype), np.zeros(n, chosen.shared.dtype)
    for i in rows:
        chosen_row(chosen, i, sums, shared)
        first, last = chosen.class_starts[classes[i]], chosen.class_starts[classes[i] + 1]
        for q in range(candidates.shape[0]):
            if impure[q] > best[0] or (impure[q] == best[0] and conflicts[q] > best[1]):
                continue
            with_candidate(chosen, i, candidates[q], sums, shared, far, counts)
            near = 0
            for d in far:
                near += d <= limit
            for d in far[first:last]:
                near -= d <= limit
            conflicts[q] += near
            impure[q] += near > 0
            hard[i] += near
