"""Compiled loops: neighborhoods and nearest neighbours when a candidate joins the chosen features.

Squared distances over the chosen features are stored (one triangle, row after row) or, where that
is too large, added up again row by row.  A candidate adds one column to them.  Rows are visited
in any order; a candidate that can no longer win is left behind.
"""

from typing import NamedTuple

import numpy as np

from echelon.kernels import kernel
from echelon.kernels.accumulate import kth_smallest

MEAN, MEDIAN, OWN_CLASS = 0, 1, 2
"""How neighbours answer; with OWN_CLASS the answer is the share of them in the sample's class."""

FEW = 32
"""Up to so many places a sorted list is quicker than selection."""

LARGEST = np.finfo(np.float64).max
"""Samples farther away than this, at an infinite distance, are no neighbours."""

HALF = 1e-9
"""Weights this close to one half are one half: shares of places are rounded."""


class Chosen(NamedTuple):
    """Columns (features x samples, samples sorted by class) and what is known of the chosen."""

    columns: np.ndarray
    nominal: np.ndarray
    """Squared difference of two labels in a nominal column; 0 in a numeric one."""
    missing: bool
    classes: np.ndarray
    """Class code of every sample."""
    class_starts: np.ndarray
    """First sample of every class, and the number of samples."""
    features: np.ndarray
    """The chosen ones, in the order they were added."""
    stored: bool
    sums: np.ndarray
    """If stored: squared distances of row i to rows 0 ... i - 1, all rows one after the other."""
    shared: np.ndarray
    """If stored and values are missing: number of features both rows have."""


class Question(NamedTuple):
    """What the neighbours of every sample are asked: their values, in the way ``how``."""

    how: int
    values: np.ndarray
    codes: np.ndarray
    """Position of every value among the ``levels``, which are all values, ascending."""
    levels: np.ndarray
    guesses: np.ndarray
    """The answers of all other samples, for those that have no neighbour."""
    places: int
    """Neighbours that answer."""
    tolerance: float
    """Squared distances within this factor are equal."""


class Shortlists(NamedTuple):
    """For every sample: those nearest over the chosen features, if lists were made."""

    near: np.ndarray
    sums: np.ndarray
    """Squared distances of these."""
    counts: np.ndarray
    radii: np.ndarray
    """How far the lists reach."""


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


# ------------------------------------------------------------------------------------- balls


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
    chosen, rows, candidates, per_step, slack, inclusive, allowed, ties_win, alive, errors, hard
):
    """Count the samples their balls decide wrongly, for every candidate and radius.

    Radius k of candidate q is given up once its errors exceed ``allowed[ties_win[q], k]``; those
    from ``alive[q, 0]`` up to ``alive[q, 1]`` are complete at the end.  ``hard`` counts, for every
    sample, at how many radii it was decided wrongly.  Returns how many samples each candidate got
    to.
    """
    n = chosen.classes.shape[0]
    visited = np.zeros(candidates.shape[0], np.int64)
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
            vote(bins, chosen.class_starts, chosen.classes[i], inclusive, mine, others, histogram)
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
            break
    return visited


@kernel
def count_conflicts(chosen, rows, candidates, limit, best, impure, conflicts, hard):
    """Count samples with another class in their ball, and such pairs, for every candidate.

    A candidate with more than ``best`` (samples, then pairs) is left behind.  ``hard`` counts the
    pairs of every sample.
    """
    n = chosen.classes.shape[0]
    sums, far = np.empty(n), np.empty(n)
    shared, counts = np.zeros(n, chosen.shared.dtype), np.zeros(n, chosen.shared.dtype)
    for i in rows:
        chosen_row(chosen, i, sums, shared)
        own = chosen.classes[i]
        first, last = chosen.class_starts[own], chosen.class_starts[own + 1]
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


# ------------------------------------------------------------------------- nearest neighbours


@kernel
def shortlist(chosen, rows, size, lists):
    """The samples nearest to some rows over the chosen features, and how far they reach.

    All that are as near as the one of rank ``size`` belong to it, the row itself does not.  Where
    that are too many for the room there is, the count is 0.
    """
    n, room = chosen.columns.shape[1], lists.near.shape[1]
    sums, scratch = np.empty(n), np.empty(n)
    shared = np.zeros(n, chosen.shared.dtype)
    for i in rows:
        chosen_row(chosen, i, sums, shared)
        for j in range(n):
            scratch[j] = sums[j]
        lists.radii[i] = kth_smallest(scratch, size + 1)  # the row itself is the first
        count = 0
        for j in range(n):
            if sums[j] <= lists.radii[i] and j != i:
                if count < room:
                    lists.near[i, count], lists.sums[i, count] = j, sums[j]
                count += 1
        lists.counts[i] = count if count <= room else 0


@kernel
def with_candidate_near(sums, near, value, column, nominal, far):
    """Squared distances to the samples of a shortlist when the candidate has joined."""
    if nominal:
        for t in range(near.shape[0]):
            far[t] = sums[t] + (nominal if value != column[near[t]] else 0.0)
    else:
        for t in range(near.shape[0]):
            gap = value - column[near[t]]
            far[t] = sums[t] + gap * gap


@kernel
def last_distance(far, places, nearest):
    """The distance of the last place."""
    if places > FEW:
        for j in range(far.shape[0]):  # assigning the array would take seconds to compile
            nearest[j] = far[j]
        return kth_smallest(nearest[: far.shape[0]], places)
    for t in range(places):
        nearest[t] = np.inf
    last = np.inf
    for d in far:
        if d < last:
            t = places - 1
            while t > 0 and nearest[t - 1] > d:
                nearest[t] = nearest[t - 1]
                t -= 1
            nearest[t] = d
            last = nearest[places - 1]
    return last


@kernel
def mark(question, i, others, marks):
    """What the samples ``others`` say to row i: their value, or whether it is that of the row."""
    values = question.values
    for t in range(others.shape[0]):
        said = values[others[t]]
        marks[t] = np.float64(said == values[i]) if question.how == OWN_CLASS else said


@kernel
def mean_answer(far, last, tolerance, places, marks, nobody):
    """Mean mark of the neighbours; ``nobody`` if there are none.

    The places left at the last distance are shared by all who lie there, so that the order of the
    rows does not matter.
    """
    edge = last * tolerance
    n_within, within = 0, 0.0
    for t in range(far.shape[0]):
        there = far[t] <= edge
        n_within += there
        within += marks[t] if there else 0.0
    if n_within == places and edge < np.inf:
        return within / places  # every place is one sample's
    n_near, n_tied, near, tied = 0, 0, 0.0, 0.0
    for t in range(far.shape[0]):
        d = far[t]
        if d <= edge and d < np.inf:
            if d * tolerance < last:
                n_near += 1
                near += marks[t]
            else:
                n_tied += 1
                tied += marks[t]
    if n_tied > 0:
        return (near + tied * ((places - n_near) / n_tied)) / places
    return near / n_near if n_near > 0 else nobody


@kernel
def median_answer(question, i, others, far, last, votes):
    """Median value of the neighbours of row i, the middle of two where both are."""
    codes, levels, tolerance = question.codes, question.levels, question.tolerance
    n_near, n_tied = 0, 0
    edge = min(last * tolerance, LARGEST)
    votes[:] = 0.0
    for t in range(far.shape[0]):
        if far[t] <= edge:
            near = far[t] * tolerance < last
            n_near += near
            n_tied += not near
            votes[codes[others[t]], 0 if near else 1] += 1.0
    share = (question.places - n_near) / n_tied if n_tied > 0 else 0.0
    half = 0.5 * (n_near + n_tied * share)
    if half == 0.0:
        return question.guesses[i]
    below, lower = 0.0, -1
    for c in range(levels.shape[0]):
        below += votes[c, 0] + votes[c, 1] * share
        if lower < 0 and below >= half - HALF:
            lower = c
        if below > half + HALF:
            return 0.5 * (levels[lower] + levels[c])
    return levels[lower]


@kernel
def answer(question, i, others, marks, far, last, votes):
    """What the neighbours of row i, of the samples ``others``, answer."""
    if question.how == MEDIAN:
        return median_answer(question, i, others, far, last, votes)
    nobody = question.guesses[i]
    return mean_answer(far, last, question.tolerance, question.places, marks, nobody)


@kernel
def add_errors(chosen, candidates, question, lists, limit, errors):
    """Add up the errors of the answers to all samples, for every candidate.

    A candidate is left behind once its errors exceed the limit.

    No candidate makes a distance smaller.  So if the last place is nearer than the radius of the
    shortlist, all samples that have a place are in it; only otherwise all samples are looked at.
    """
    n, places, tolerance = chosen.columns.shape[1], question.places, question.tolerance
    near, near_sums, near_counts, radii = lists
    everyone = np.arange(n).astype(near.dtype)
    sums, far, nearest, marks = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    shared, counts = np.zeros(n, chosen.shared.dtype), np.zeros(n, chosen.shared.dtype)
    near_marks = np.empty(near.shape[1])
    votes = np.empty((question.levels.shape[0] if question.how == MEDIAN else 0, 2))
    for i in range(n):
        truth = 1.0 if question.how == OWN_CLASS else question.values[i]
        size = near_counts[i] if near_counts.shape[0] > 0 else 0
        mark(question, i, near[i, :size] if size > 0 else everyone[:0], near_marks)
        looked_up = False
        for q in range(candidates.shape[0]):
            if errors[q] > limit:
                continue
            last = np.inf
            if size > 0:
                column, nominal = chosen.columns[candidates[q]], chosen.nominal[candidates[q]]
                listed, known = near[i, :size], near_sums[i, :size]
                with_candidate_near(known, listed, column[i], column, nominal, far)
                last = last_distance(far[:size], places, nearest)
            if size > 0 and last * tolerance <= radii[i]:
                said = answer(question, i, near[i], near_marks, far[:size], last, votes)
            else:
                if not looked_up:
                    chosen_row(chosen, i, sums, shared)
                    mark(question, i, everyone, marks)
                    looked_up = True
                with_candidate(chosen, i, candidates[q], sums, shared, far, counts)
                far[i] = np.inf
                last = last_distance(far, places, nearest)
                said = answer(question, i, everyone, marks, far, last, votes)
            errors[q] += abs(said - truth)
