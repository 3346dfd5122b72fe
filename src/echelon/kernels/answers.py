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

HALF = 1e-9
"""Weights this close to one half are one half: shares of places are rounded."""


@kernel
def last_distance(far, places, nearest):
    """The distance of the last place."""
    if places > FEW:
        for j in range(far.shape[0]):  # assigning the array would take seconds to compile
            nearest[j] = far[j]
        return kth_smallest(nearest, places)
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
def add_errors(chosen, candidates, how, places, tolerance, codes, levels, guesses, limit, errors):
    """Add up the errors of the answers to all samples, for every candidate.

    ``levels[codes]`` is what is to be answered, ``guesses`` the answers where nobody is near.  A
    candidate is left behind once its errors exceed the limit.
    """
    n = codes.shape[0]
    sums, far, nearest, marks = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    shared, counts = np.zeros(n, chosen.shared.dtype), np.zeros(n, chosen.shared.dtype)
    votes = np.empty((levels.shape[0] if how == MEDIAN else 0, 2))
    for i in range(n):
        chosen_row(chosen, i, sums, shared)
        truth = 1.0 if how == OWN_CLASS else levels[codes[i]]
        for j in range(n):
            marks[j] = np.float64(codes[j] == codes[i]) if how == OWN_CLASS else levels[codes[j]]
        for q in range(candidates.shape[0]):
            if errors[q] > limit:
                continue
            with_candidate(chosen, i, candidates[q], sums, shared, far, counts)
            far[i] = np.inf
            last = last_distance(far, places, nearest)
            if how == MEDIAN:
                answer = median_answer(
                    far, last, tolerance, places, codes, levels, guesses[i], votes
                )
            else:
                answer = mean_answer(far, last, tolerance, places, marks, guesses[i])
            errors[q] += abs(answer - truth)
