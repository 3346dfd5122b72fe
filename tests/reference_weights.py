"""Weighted samples once more: every row there as often as its weight says, as plain loops.

Nothing is imported from echelon.  ``repeated`` is the definition for whole weights; the loops
below it say what lies between.
"""

import math

from reference import distance, mean_difference, scale_columns


def repeated(X, y, weights):
    """Every row as often as its weight, copies one after the other."""
    rows = [i for i, w in enumerate(weights) for _ in range(int(w))]
    return [X[i] for i in rows], [y[i] for i in rows]


def masses(i, far, weights):
    """How many rows every neighbour of row i stands for, itself one less; {index: mass}."""
    return {j: (weights[j] - 1 if j == i else weights[j]) for j in far}


def near_copies(X, i, weights, nominal, metric):
    """Distances to all rows with a mass at a finite distance, own copies at 0."""
    far = {j: distance(X[i], X[j], nominal, metric) for j in range(len(X)) if j != i}
    if weights[i] > 1:
        far[i] = distance(X[i], X[i], nominal, metric)
    return {j: d for j, d in far.items() if d < math.inf}


def places(far, mass, k, ties, tolerance=1e-9):
    """How much of every neighbour's mass the k places hold: {index: mass}."""
    order = sorted(far, key=lambda j: (far[j], j))
    total, last = 0.0, math.inf
    for j in order:
        total += mass[j]
        if total >= k - 1e-9:
            last = far[j]
            break
    held = {j: mass[j] for j in order if far[j] * (1 + tolerance) < last}
    left = k - sum(held.values())
    tied = sorted(j for j in order if j not in held and far[j] <= last * (1 + tolerance))
    if last == math.inf or not tied:
        return held
    if ties == "share":
        together = sum(mass[j] for j in tied)
        held.update({j: mass[j] * left / together for j in tied})
    else:
        for j in tied:
            held[j] = min(mass[j], left)
            left -= held[j]
    return {j: m for j, m in held.items() if m > 0}


def relieff(X, y, weights, k=10, nominal=None, metric="manhattan", ties="share"):
    nominal = nominal or [False] * len(X[0])
    X = scale_columns(X, nominal)
    total = sum(weights)
    prior = {c: sum(w for w, label in zip(weights, y, strict=True) if label == c) / total
             for c in set(y)}  # fmt: skip
    scores = [0.0] * len(X[0])
    for i in range(len(X)):
        far = near_copies(X, i, weights, nominal, metric)
        mass = masses(i, far, weights)
        for c in sorted(prior):
            near = places({j: d for j, d in far.items() if y[j] == c}, mass, k, ties)
            sign = -1.0 if c == y[i] else prior[c] / (1 - prior[y[i]])
            for f in range(len(scores)):
                part = mean_difference(X, i, near, f, nominal)
                scores[f] += weights[i] * sign * part / total
    return scores


def surf(X, y, weights, own, nominal=None, metric="manhattan"):
    """SURF, or MultiSURF (own): classes, and samples nearer than a limit."""

    def weigh(d, mean, deviation):
        return float(d * (1 + 1e-9) < mean - (deviation / 2 if own else 0.0))

    return near_ones(X, y, weights, own, weigh, nominal, metric)


def swrf(X, y, weights, own, nominal=None, metric="manhattan"):
    """SWRF, or MultiSWRF (own): the nearer the more."""

    def weigh(d, mean, deviation):
        near = d * (1 + 1e-9) < mean
        return 2 / (1 + math.exp(-4 * (mean - d) / deviation)) - 1 if near else 0.0

    return near_ones(X, y, weights, own, weigh, nominal, metric)


def near_ones(X, y, weights, own, weigh, nominal, metric):
    """Mean of weight times difference over the rows that have a weight, by mass."""
    nominal = nominal or [False] * len(X[0])
    X = scale_columns(X, nominal)
    total, n = sum(weights), len(X)
    prior = {c: sum(w for w, label in zip(weights, y, strict=True) if label == c) / total
             for c in set(y)}  # fmt: skip
    far = [near_copies(X, i, weights, nominal, metric) for i in range(n)]
    mass = [masses(i, far[i], weights) for i in range(n)]
    scores = [0.0] * len(X[0])
    for i in range(n):
        rows = [i] if own else range(n)
        asked = [1.0] if own else weights
        pairs = [
            (a * mass[r][j], far[r][j]) for a, r in zip(asked, rows, strict=True) for j in far[r]
        ]
        size = sum(m for m, _ in pairs)
        mean = sum(m * d for m, d in pairs) / (size or 1)
        deviation = math.sqrt(sum(m * (d - mean) ** 2 for m, d in pairs) / (size or 1))
        weight = {j: weigh(d, mean, deviation) for j, d in far[i].items()}
        for c in sorted(prior):
            near = {j: mass[i][j] * w for j, w in weight.items() if y[j] == c and w > 0}
            given, there = sum(near.values()), sum(mass[i][j] for j in near)
            sign = -1.0 if c == y[i] else prior[c] / (1 - prior[y[i]])
            sign *= given / there if there > 0 else 0.0
            for f in range(len(scores)):
                part = mean_difference(X, i, near, f, nominal)
                scores[f] += weights[i] * sign * part / total
    return scores


# --------------------------------------------------------------------------------- correlations


def kendall(x, y, weights):
    """Tau-b over pairs of rows, each pair as often as the product of its weights."""
    rows = [i for i in range(len(x)) if x[i] == x[i]]
    score = in_x = in_y = 0.0
    for i in rows:
        for j in rows:
            w = weights[i] * weights[j]
            a, b = (x[i] > x[j]) - (x[i] < x[j]), (y[i] > y[j]) - (y[i] < y[j])
            score += w * a * b
            in_x += w * abs(a)
            in_y += w * abs(b)
    return score / math.sqrt(in_x * in_y) if in_x * in_y > 0 else 0.0


def spearman(x, y, weights):
    """Pearson's correlation of mid-ranks: half the mass below less half that above."""
    rows = [i for i in range(len(x)) if x[i] == x[i]]

    def rank(v, i):
        return sum(weights[j] * ((v[j] < v[i]) - (v[j] > v[i])) for j in rows) / 2

    a, b = [rank(x, i) for i in rows], [rank(y, i) for i in rows]
    w = [weights[i] for i in rows]
    product = sum(c * r * s for c, r, s in zip(w, a, b, strict=True))
    spread = sum(c * r * r for c, r in zip(w, a, strict=True))
    spread *= sum(c * s * s for c, s in zip(w, b, strict=True))
    return product / math.sqrt(spread) if spread > 0 else 0.0
