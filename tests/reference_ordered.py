"""Forward selection by leave-one-out answers, as plain loops straight from its definition.

Nothing here is fast and nothing is imported from echelon.  Samples are lists of rows, missing
values are NaN; ``y`` holds class codes, or numbers for a regression.
"""

import math


def is_missing(value):
    return value != value


def present(X, f):
    return [row[f] for row in X if not is_missing(row[f])]


def deviation(values):
    """Standard deviation, with n in the denominator."""
    mean = sum(values) / len(values)
    return math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))


def squared_unit(X, f, nominal):
    """What one unit of difference counts, squared: 1 / variance, or for labels 2 / P(differ)."""
    values = present(X, f)
    if len(set(values)) < 2:
        return 0.0
    if not nominal:
        return 1 / deviation(values) ** 2
    equal = sum((values.count(v) / len(values)) ** 2 for v in set(values))
    return 2 / (1 - equal)


def squared_distance(x, z, features, units, nominal):
    """Over the features both have, scaled up to all of them; infinite if there are none."""
    total, n_shared = 0.0, 0
    for f in features:
        if is_missing(x[f]) or is_missing(z[f]):
            continue
        n_shared += 1
        total += units[f] * (float(x[f] != z[f]) if nominal[f] else (x[f] - z[f]) ** 2)
    return total * len(features) / n_shared if n_shared else math.inf


def shares_of_places(distances, k, tolerance):
    """{index: share} of k places; those as far as the last one share the places left."""
    finite = sorted(d for d in distances.values() if d < math.inf)
    if len(finite) <= k:
        return {j: 1.0 for j, d in distances.items() if d < math.inf}
    last = math.sqrt(finite[k - 1])
    nearer = [j for j, d in distances.items() if math.sqrt(d) * (1 + tolerance) < last]
    tied = [
        j for j, d in distances.items()
        if j not in nearer and math.sqrt(d) <= last * (1 + tolerance)
    ]  # fmt: skip
    return {**dict.fromkeys(nearer, 1.0), **dict.fromkeys(tied, (k - len(nearer)) / len(tied))}


def weighted_median(weights):
    """{value: weight}: the middle of all values with at most half the weight on either side."""
    total = sum(weights.values())
    good = [
        v for v in weights
        if sum(w for u, w in weights.items() if u < v) <= total / 2 + 1e-9
        and sum(w for u, w in weights.items() if u > v) <= total / 2 + 1e-9
    ]  # fmt: skip
    return (min(good) + max(good)) / 2


def error_of(y, i, shares, kind, answer):
    """How far the answer of these samples is off for sample i."""
    total = sum(shares.values())
    if kind == "classification":
        return 1 - sum(w for j, w in shares.items() if y[j] == y[i]) / total
    if answer == "mean":
        return abs(sum(w * y[j] for j, w in shares.items()) / total - y[i])
    weights = {}
    for j, w in shares.items():
        weights[y[j]] = weights.get(y[j], 0.0) + w
    return abs(weighted_median(weights) - y[i])


def guess_error(y, kind, answer):
    """All other samples answer."""
    return sum(guess_errors(y, kind, answer)) / len(y)


def guess_errors(y, kind, answer):
    n = len(y)
    return [error_of(y, i, {j: 1.0 for j in range(n) if j != i}, kind, answer) for i in range(n)]


def leave_one_out_error(X, y, features, k, nominal, kind, answer, tolerance=1e-9):
    """Mean error of the k nearest other samples; of all others where none is near."""
    n = len(y)
    units = [squared_unit(X, f, nominal[f]) for f in range(len(X[0]))]
    guesses = guess_errors(y, kind, answer)
    errors = []
    for i in range(n):
        distances = {
            j: squared_distance(X[i], X[j], features, units, nominal) for j in range(n) if j != i
        }
        shares = shares_of_places(distances, k, tolerance)
        errors.append(error_of(y, i, shares, kind, answer) if shares else guesses[i])
    return sum(errors) / n


def forward_answers(X, y, n_features, k, nominal, kind, answer):
    """[(feature, error)]: the smallest error, the lowest feature of equals; constants last."""
    chosen, steps = [], []
    varying = {f for f in range(len(X[0])) if len(set(present(X, f))) > 1}
    equal = 1e-9 * guess_error(y, kind, answer)
    for _ in range(n_features):
        left = [f for f in range(len(X[0])) if f not in chosen]
        left = [f for f in left if f in varying] or left
        errors = {
            f: leave_one_out_error(X, y, [*chosen, f], k, nominal, kind, answer) for f in left
        }
        best = min(f for f in left if errors[f] <= min(errors.values()) + equal)
        chosen.append(best)
        steps.append((best, errors[best]))
    return steps
