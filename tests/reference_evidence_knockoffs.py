"""The knockoff filter, its e-values and the e-BH procedure as plain loops."""

import math


def knockoff_threshold(statistics, rate):
    """The smallest threshold at which the estimated false discovery proportion is at most the rate.

    Barber and Candès 2015, definition of knockoff+.
    """
    for threshold in sorted({abs(w) for w in statistics if w != 0}):
        against = sum(w <= -threshold for w in statistics)
        chosen = sum(w >= threshold for w in statistics)
        if chosen and (1 + against) / chosen <= rate + 1e-12:
            return threshold
    return math.inf


def knockoff_e_values(statistics, rate):
    """Ren and Barber 2024, equation 5: features above the threshold share what knockoffs allow."""
    threshold = knockoff_threshold(statistics, rate)
    against = sum(w <= -threshold for w in statistics)
    return [len(statistics) / (1 + against) if w >= threshold else 0.0 for w in statistics]


def e_bh(e_values, rate):
    """The k largest e-values, for the largest k of which all are at least n / (rate k)."""
    n = len(e_values)
    best = None
    for k in range(1, n + 1):
        limit = n / (rate * k) * (1 - 1e-9)
        if sum(e >= limit for e in e_values) >= k:
            best = limit
    return [best is not None and e >= best for e in e_values]
