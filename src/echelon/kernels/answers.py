"""What the nearest neighbours of every sample answer when a candidate joins the chosen features.

The places left at the last distance are shared by all who lie there, so that the order of the
rows does not matter.  Distances come from ``candidates``.
"""

import numpy as np

from echelon.kernels._jit import kernel
from echelon.kernels.candidates import chosen_row, with_candidate
from echelon.kernels.order import kth_smallest

MEAN, MEDIAN, OWN_CLASS = 0, 1, 2
"""How neighbours answer; with OWN_CLASS the answer is the share of them in the sample's class."""

FEW = 32
"""Up to so many places a sorted list is quicker than selection."""

SHORTLIST = 8
"""One in so many samples, the nearest over the chosen features, is looked at first."""

HALF = 1e-9
"""Weights this close to one half are one half: shares of places are rounded."""


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
def mean_answer(far, last, tolerance, places, marks, nobody):
    """Mean mark of the neighbours; ``nobody`` if there are none."""
    n_near, n_tied, near, tied = 0, 0, 0.0, 0.0
    edge = last * tolerance
    for j in range(far.shape[0]):
        d = far[j]
        if d <= edge and d < np.inf:
            if d * tolerance < last:
                n_near += 1
                near += marks[j]
            else:
                n_tied += 1
                tied += marks[j]
    if n_tied > 0:
        return (near + tied * ((places - n_near) / n_tied)) / places
    return near / n_near if n_near > 0 else nobody


@kernel
def median_answer(far, last, tolerance, places, codes, levels, nobody, votes):
    """Median level of the neighbours, the middle of two where both are."""
    n_near, n_tied = 0, 0
    edge = last * tolerance
    votes[:] = 0.0
    for j in range(far.shape[0]):
        d = far[j]
        if d <= edge and d < np.inf:
            near = d * tolerance < last
            n_near += near
            n_tied += not near
            votes[codes[j], 0 if near else 1] += 1.0
    share = (places - n_near) / n_tied if n_tied > 0 else 0.0
    half = 0.5 * (n_near + n_tied * share)
    if half == 0.0:
        return nobody
    below, lower = 0.0, -1
    for c in range(levels.shape[0]):
        below += votes[c, 0] + votes[c, 1] * share
        if lower < 0 and below >= half - HALF:
            lower = c
        if below > half + HALF:
            return 0.5 * (levels[lower] + levels[c])
    return levels[lower]


@kernel
def shortlist(chosen, rows, size, near, sums_near, counts, radii):
    """The samples nearest to some rows over the chosen features, and how far they reach.

    All that are as near as the one of rank ``size`` belong to it, the row itself does not.  Where
    that are too many for ``near`` the count is 0.
    """
    n, room = chosen.columns.shape[1], near.shape[1]
    sums, scratch = np.empty(n), np.empty(n)
    shared = np.zeros(n, chosen.shared.dtype)
    for i in rows:
        chosen_row(chosen, i, sums, shared)
        for j in range(n):
            scratch[j] = sums[j]
        radii[i] = kth_smallest(scratch, size + 1)  # the row itself is the first
        count = 0
        for j in range(n):
            if sums[j] <= radii[i] and j != i:
                if count < room:
                    near[i, count], sums_near[i, count] = j, sums[j]
                count += 1
        counts[i] = count if count <= room else 0


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
def mark(how, i, codes, levels, others, marks):
    """What the samples at ``others`` answer to row i."""
    for t in range(others.shape[0]):
        code = codes[others[t]]
        marks[t] = np.float64(code == codes[i]) if how == OWN_CLASS else levels[code]


@kernel
def answer_of(how, far, last, tolerance, places, marks, codes, levels, nobody, votes):
    """What the neighbours answer, in the way asked for."""
    if how == MEDIAN:
        return median_answer(far, last, tolerance, places, codes, levels, nobody, votes)
    return mean_answer(far, last, tolerance, places, marks, nobody)


@kernel
def add_errors(
    chosen,
    candidates,
    how,
    places,
    tolerance,
    codes,
    levels,
    guesses,
    near,
    sums_near,
    n_near,
    radii,
    limit,
    errors,
):
    """Add up the errors of the answers to all samples, for every candidate.

    ``levels[codes]`` is what is to be answered, ``guesses`` the answers where nobody is near.  A
    candidate is left behind once its errors exceed the limit.

    No candidate makes a distance smaller.  So if the last place is nearer than the radius of the
    shortlist, all samples that have a place are in it; only otherwise all samples are looked at.
    """
    n = codes.shape[0]
    everyone = np.arange(n).astype(near.dtype)
    sums, far, nearest, marks = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    shared, counts = np.zeros(n, chosen.shared.dtype), np.zeros(n, chosen.shared.dtype)
    marks_near, codes_near = np.empty(near.shape[1]), np.empty(near.shape[1], np.int64)
    votes = np.empty((levels.shape[0] if how == MEDIAN else 0, 2))
    for i in range(n):
        truth = 1.0 if how == OWN_CLASS else levels[codes[i]]
        size = n_near[i] if n_near.shape[0] > 0 else 0
        if size > 0:
            mark(how, i, codes, levels, near[i, :size], marks_near)
            for t in range(size):
                codes_near[t] = codes[near[i, t]]
        looked_up = False
        for q in range(candidates.shape[0]):
            if errors[q] > limit:
                continue
            last = np.inf
            if size > 0:
                column, nominal = chosen.columns[candidates[q]], chosen.nominal[candidates[q]]
                near_i, sums_i = near[i, :size], sums_near[i, :size]
                with_candidate_near(sums_i, near_i, column[i], column, nominal, far)
                last = last_distance(far[:size], places, nearest)
            if size > 0 and last * tolerance <= radii[i]:
                answer = answer_of(
                    how, far[:size], last, tolerance, places, marks_near, codes_near, levels,
                    guesses[i], votes,
                )  # fmt: skip
            else:
                if not looked_up:
                    chosen_row(chosen, i, sums, shared)
                    mark(how, i, codes, levels, everyone, marks)
                    looked_up = True
                with_candidate(chosen, i, candidates[q], sums, shared, far, counts)
                far[i] = np.inf
                last = last_distance(far, places, nearest)
                answer = answer_of(
                    how, far, last, tolerance, places, marks, codes, levels, guesses[i], votes
                )
            errors[q] += abs(answer - truth)
