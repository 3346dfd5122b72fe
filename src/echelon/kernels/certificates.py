"""What a model and a set of multipliers prove about the optimum (see ``bounds._certificates``)."""

import numpy as np

from echelon.kernels._jit import kernel


@kernel
def total_slack(X, sample, sign, threshold, offset, w, b):
    """The sum of the smallest slacks under which a model satisfies the constraints (2)."""
    values = np.dot(X, w)
    total = 0.0
    for r in range(offset.shape[0]):
        total += max(0.0, offset[r] + sign[r] * (values[sample[r]] - b[threshold[r]]))
    return total


@kernel
def smallest_terms(slope, l1, l2, low, high, largest):
    """Sum of the minima of ``slope * w + l1 * |w| + l2 / 2 * w^2`` over every weight's limits."""
    total = 0.0
    for f in range(slope.shape[0]):
        excess = max(abs(slope[f]) - l1, 0.0)
        size = 0.0
        if excess > 0.0:
            size = excess / l2 if l2 > 0.0 else largest
        w = -size if slope[f] > 0.0 else size
        w = min(max(w, max(low[f], -largest)), min(high[f], largest))
        total += slope[f] * w + l1 * abs(w) + l2 / 2 * w * w
    return total


@kernel
def dual_bound(X, sample, sign, threshold, offset, direction, hinges, order, l1, l2, loss, low,
               high, largest, reach):  # fmt: skip
    """The dual function at hinge multipliers moved into their range, without budgets.

    For multipliers between 0 and the cost of slack, the Lagrangian is linear in the thresholds and
    a sum over the weights.  Its minimum is taken over a box around an optimum: weights up to
    ``largest``, thresholds up to ``reach``.
    """
    per_sample = np.zeros(X.shape[0])
    level = np.zeros(order.shape[0] + 1)
    value = 0.0
    for r in range(offset.shape[0]):
        pull = min(max(hinges[r], 0.0), loss)
        value += offset[r] * pull
        per_sample[sample[r]] += sign[r] * pull
        level[threshold[r]] -= sign[r] * pull
    for j in range(order.shape[0]):
        pull = max(order[j], 0.0)
        level[j] += pull
        level[j + 1] -= pull
    slope = np.dot(per_sample, X) + direction
    value += smallest_terms(slope, l1, l2, low, high, largest)
    for j in range(level.shape[0]):
        value -= abs(level[j]) * reach
    return value
