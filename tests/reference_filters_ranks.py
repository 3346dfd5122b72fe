"""Rank mutual information, mRMR and information value as plain loops over their definitions.

Nothing is imported from echelon.  Columns are lists; missing values are NaN.
"""

import math
from itertools import permutations

# ------------------------------------------------------------------------ rank information


def is_missing(value):
    return value != value


def rank_information(x, y, descending=False):
    """Hu et al. 2012: - (1/n) sum of log2(|A| |D| / (n |A and D|)), over samples with both."""
    rows = [i for i in range(len(x)) if not is_missing(x[i]) and not is_missing(y[i])]
    total = 0.0
    for i in rows:
        if descending:
            a = {j for j in rows if x[j] <= x[i]}
            d = {j for j in rows if y[j] <= y[i]}
        else:
            a = {j for j in rows if x[j] >= x[i]}
            d = {j for j in rows if y[j] >= y[i]}
        total -= math.log2(len(a) * len(d) / (len(rows) * len(a & d)))
    return total / len(rows) if rows else 0.0


def directed_information(x, y, direction, other=1, side="both"):
    """The larger of both ways where a direction is not known; "both" sides: their mean."""
    found = []
    for sign in (1, -1) if direction == 0 else (direction,):
        for other_sign in (1, -1) if other == 0 else (other,):
            signed = [sign * v for v in x], [other_sign * v for v in y]
            sides = ["ascending", "descending"] if side == "both" else [side]
            told = [rank_information(*signed, each == "descending") for each in sides]
            found.append(sum(told) / len(told))
    return max(found)


# -------------------------------------------------------------------------------- mRMR


def mutual_information(a, b):
    """In bits."""
    n = len(a)
    joint, of_a, of_b = {}, {}, {}
    for u, v in zip(a, b, strict=True):
        joint[u, v] = joint.get((u, v), 0) + 1
        of_a[u] = of_a.get(u, 0) + 1
        of_b[v] = of_b.get(v, 0) + 1
    return sum(c / n * math.log2(n * c / (of_a[u] * of_b[v])) for (u, v), c in joint.items())


def mrmr(relevance, between, n_steps, quotient=False, candidates=None):
    """Steps (feature, value, relevance, redundancy), the lowest index among equals."""
    left = list(range(len(relevance)) if candidates is None else candidates)
    steps, chosen = [], []
    while left and len(steps) < n_steps:
        best = None
        for f in left:
            redundancy = sum(between(g, f) for g in chosen) / max(len(chosen), 1)
            value = relevance[f]
            if chosen:
                value = value / max(redundancy, 1e-3) if quotient else value - redundancy
            if best is None or round(value, 9) > round(best[1], 9):
                best = f, value, relevance[f], redundancy
        steps.append(best)
        chosen.append(best[0])
        left.remove(best[0])
    return steps


# ------------------------------------------------------------------------ information value


def information_value(labels, classes):
    """Mean over classes of the sum over bins of (p - q) log(p / q), half a sample in every cell."""
    bins, values = set(labels), []
    for c in sorted(set(classes)):
        n_own = sum(each == c for each in classes)
        n_other = len(classes) - n_own
        total = 0.0
        for b in bins:
            own = sum(u == b and v == c for u, v in zip(labels, classes, strict=True))
            other = sum(u == b and v != c for u, v in zip(labels, classes, strict=True))
            p = (own + 0.5) / (n_own + 0.5 * len(bins))
            q = (other + 0.5) / (n_other + 0.5 * len(bins))
            total += (p - q) * math.log(p / q)
        values.append(total)
    return sum(values) / len(values)


def chance_value(labels, classes):
    """The mean over all permutations of the classes."""
    found = [information_value(labels, order) for order in permutations(classes)]
    return sum(found) / len(found)


def pooled_bins(values, labels, classes):
    """Samples of both classes by bin, after neighbours are merged until shares go one way.

    Of rising and falling shares those with the smaller sum of squares; missing values apart.
    """
    missing = [[0, 0]]
    bins = {}
    for value, label, c in zip(values, labels, classes, strict=True):
        if is_missing(value):
            missing[0][c] += 1
        else:
            bins.setdefault(label, [0, 0])[c] += 1
    bins = [bins[label] for label in sorted(bins)]
    found = []
    for sign in (1, -1):
        pools = []
        for one in bins:
            pools.append([one])
            while len(pools) > 1 and sign * share(pools[-1]) <= sign * share(pools[-2]) + 1e-12:
                pools[-2:] = [pools[-2] + pools[-1]]
        loss = sum(
            sum(each) * (each[1] / sum(each) - share(pool)) ** 2 for pool in pools for each in pool
        )
        found.append((round(loss, 9), -sign, pools))
    best = min(found, key=lambda each: each[:2])[2] if bins else []
    counts = [[sum(each[c] for each in pool) for c in (0, 1)] for pool in best]
    return counts + (missing if sum(missing[0]) else [])


def share(pool):
    return sum(each[1] for each in pool) / sum(sum(each) for each in pool)
