"""The methods once more, as plain loops straight from their definitions.

Nothing here is fast and nothing is imported from echelon: these functions say what the right
answer is.  Samples are lists of rows, missing values are NaN.
"""

import math

# ------------------------------------------------------------------ differences and distances


def is_missing(value):
    return value != value


def scale_columns(X, nominal):
    """Numeric columns to [0, 1] by their range; constant columns to 0."""
    rows, columns = len(X), len(X[0])
    scaled = [[float(X[i][f]) for f in range(columns)] for i in range(rows)]
    for f in range(columns):
        if nominal[f]:
            continue
        values = [X[i][f] for i in range(rows) if not is_missing(X[i][f])]
        if not values:
            continue
        low, high = min(values), max(values)
        for i in range(rows):
            scaled[i][f] = (X[i][f] - low) / (high - low) if high > low else X[i][f] * 0.0
    return scaled


def difference(a, b, nominal):
    """diff(i, x, y) of Eq. (2) and (3) for one feature; None if either value is missing."""
    if is_missing(a) or is_missing(b):
        return None
    if nominal:
        return 0.0 if a == b else 1.0
    return abs(a - b)


def distance(x, z, nominal, metric):
    """Distance over the features both have, scaled up to all features."""
    total, present = 0.0, 0
    for f in range(len(x)):
        d = difference(x[f], z[f], nominal[f])
        if d is not None:
            total += d if metric == "manhattan" else d * d
            present += 1
    if present == 0:
        return math.inf
    total *= len(x) / present
    return total if metric == "manhattan" else math.sqrt(total)


def places(distances, k, ties, tolerance):
    """Places that k nearest neighbours get: {index: share}, ties shared or by index."""
    finite = sorted((d, j) for j, d in distances.items() if d < math.inf)
    if len(finite) <= k:
        return {j: 1.0 for _, j in finite}
    if k <= 0:
        return {}
    last = finite[k - 1][0]
    nearer = [j for d, j in finite if d * (1 + tolerance) < last]
    tied = sorted(
        j for d, j in finite if d * (1 + tolerance) >= last and d <= last * (1 + tolerance)
    )
    left = k - len(nearer)
    shares = dict.fromkeys(nearer, 1.0)
    if ties == "share":
        shares.update({j: left / len(tied) for j in tied})
    else:
        shares.update(dict.fromkeys(tied[:left], 1.0))
    return shares


def mean_difference(X, i, shares, f, nominal, signs=None, toward=0):
    """Mean of diff_f over the neighbours that have f; signed if there is a direction."""
    total, weight = 0.0, 0.0
    for j, share in shares.items():
        d = difference(X[i][f], X[j][f], nominal[f])
        if d is None:
            continue
        if toward and signs[f]:
            d = toward * signs[f] * (X[j][f] - X[i][f])
        total += share * d
        weight += share
    return total / weight if weight > 0 else 0.0


# ----------------------------------------------------------------------- Relief and ReliefF


def relief(X, y, nominal=None, metric="manhattan", ties="share", queries=None, tolerance=1e-9):
    nominal = nominal or [False] * len(X[0])
    X = scale_columns(X, nominal)
    queries = range(len(X)) if queries is None else queries
    w = [0.0] * len(X[0])
    for i in queries:
        far = {j: distance(X[i], X[j], nominal, metric) for j in range(len(X)) if j != i}
        hits = places({j: d for j, d in far.items() if y[j] == y[i]}, 1, ties, tolerance)
        misses = places({j: d for j, d in far.items() if y[j] != y[i]}, 1, ties, tolerance)
        for f in range(len(w)):
            w[f] -= mean_difference(X, i, hits, f, nominal) / len(queries)
            w[f] += mean_difference(X, i, misses, f, nominal) / len(queries)
    return w


def relieff(
    X, y, k=10, nominal=None, metric="manhattan", ties="share", queries=None, tolerance=1e-9
):
    nominal = nominal or [False] * len(X[0])
    X = scale_columns(X, nominal)
    queries = range(len(X)) if queries is None else queries
    prior = {c: sum(label == c for label in y) / len(y) for c in set(y)}
    w = [0.0] * len(X[0])
    for i in queries:
        far = {j: distance(X[i], X[j], nominal, metric) for j in range(len(X)) if j != i}
        for c in sorted(prior):
            near = places({j: d for j, d in far.items() if y[j] == c}, k, ties, tolerance)
            sign = -1.0 if c == y[i] else prior[c] / (1 - prior[y[i]])
            for f in range(len(w)):
                w[f] += sign * mean_difference(X, i, near, f, nominal) / len(queries)
    return w


# --------------------------------------------------------------------------------- O-ReliefF


def dominates(a, b, signs):
    """Whether a is at least as good as b on every feature that both have and that has an order."""
    for f in range(len(a)):
        known = not is_missing(a[f]) and not is_missing(b[f])
        if signs[f] and known and signs[f] * a[f] < signs[f] * b[f]:
            return False
    return True


def ordinal_hits(X, i, same, upward, k, dominance, signs, ties, tolerance):
    """Places of the hits in one direction; ``same`` maps same-class rows to distances."""
    if dominance == "ignore":
        return places(same, k, ties, tolerance)
    good = {
        j: d
        for j, d in same.items()
        if (dominates(X[j], X[i], signs) if upward else dominates(X[i], X[j], signs))
    }
    first = places(good, k, ties, tolerance)
    if dominance == "require":
        return first
    n_good = sum(d < math.inf for d in good.values())
    others = {j: d for j, d in same.items() if j not in good}
    return {**first, **places(others, max(k - n_good, 0), ties, tolerance)}


def orelieff(
    X,
    y,
    k=10,
    nominal=None,
    metric="manhattan",
    dominance="prefer",
    contradictions="ignore",
    signs=None,
    ties="share",
    queries=None,
    tolerance=1e-9,
):
    """Eq. (10); y are ordered numbers, signs 1, -1 or 0 per feature."""
    nominal = nominal or [False] * len(X[0])
    signs = signs or [0 if n else 1 for n in nominal]
    X = scale_columns(X, nominal)
    queries = range(len(X)) if queries is None else queries
    w = [0.0] * len(X[0])
    for i in queries:
        far = {j: distance(X[i], X[j], nominal, metric) for j in range(len(X)) if j != i}
        same = {j: d for j, d in far.items() if y[j] == y[i]}
        for toward in (1, -1):
            other = {j: d for j, d in far.items() if toward * (y[j] - y[i]) > 0}
            if not other:
                continue
            misses = places(other, k, ties, tolerance)
            hits = ordinal_hits(X, i, same, toward > 0, k, dominance, signs, ties, tolerance)
            for f in range(len(w)):
                w[f] -= mean_difference(X, i, hits, f, nominal) / len(queries)
                w[f] += mean_difference(
                    X, i, misses, f, nominal, signs, toward if contradictions == "penalize" else 0
                ) / len(queries)
    return w


# ---------------------------------------------------------------------------- Simba, O-Simba


def weighted_norm(a, b, nominal, w):
    total = 0.0
    for f in range(len(w)):
        total += w[f] ** 2 * difference(a[f], b[f], nominal[f]) ** 2
    return math.sqrt(total)


def closest(i, candidates, X, nominal, w):
    """The nearest candidate (lowest row at ties, up to rounding) and its distance, or None."""
    best = None
    for j in candidates:
        d = weighted_norm(X[i], X[j], nominal, w)
        if best is None or d * d < best[1] * best[1] * (1 - 1e-9):
            best = (j, d)
    return best


def signed_neighbours(X, y, i, nominal, w, ordered, dominance, signs):
    """(+1, miss) and (-1, hit) of every direction in which sample i has a miss."""
    rows = [j for j in range(len(X)) if j != i]
    hits = [j for j in rows if y[j] == y[i]]
    if not ordered:
        found = [
            (1, closest(i, [j for j in rows if y[j] != y[i]], X, nominal, w)),
            (-1, closest(i, hits, X, nominal, w)),
        ]
        return [(sign, best) for sign, best in found if best]
    found = []
    for toward in (1, -1):
        miss = closest(i, [j for j in rows if toward * (y[j] - y[i]) > 0], X, nominal, w)
        if miss is None:
            continue
        good = [
            j
            for j in hits
            if (dominates(X[j], X[i], signs) if toward > 0 else dominates(X[i], X[j], signs))
        ]
        if dominance == "ignore" or (dominance == "prefer" and not good):
            good = hits
        found += [(1, miss), (-1, closest(i, good, X, nominal, w))]
    return [(sign, best) for sign, best in found if best]


def simba(X, y, order, nominal=None, ordered=False, dominance="prefer", signs=None):
    """Algorithm 3, or 5 if ordered; ``order`` lists the samples visited, over all epochs."""
    nominal = nominal or [False] * len(X[0])
    signs = signs or [0 if n else 1 for n in nominal]
    X = scale_columns(X, nominal)
    w = [1.0] * len(X[0])
    for i in order:
        step = [0.0] * len(w)
        for sign, (j, d) in signed_neighbours(X, y, i, nominal, w, ordered, dominance, signs):
            if d > 0:
                for f in range(len(w)):
                    gap = difference(X[i][f], X[j][f], nominal[f])
                    step[f] += 0.5 * sign * gap**2 / d * w[f]
        w = [w[f] + step[f] for f in range(len(w))]
    largest = max(v * v for v in w)
    return [v * v / (largest or 1.0) for v in w]


def margin_sum(X, y, weights, nominal=None, ordered=False, dominance="prefer", signs=None):
    """e(w), Eq. (7) or (11)."""
    nominal = nominal or [False] * len(X[0])
    signs = signs or [0 if n else 1 for n in nominal]
    X = scale_columns(X, nominal)
    return sum(
        0.5 * sign * d
        for i in range(len(X))
        for sign, (_, d) in signed_neighbours(X, y, i, nominal, weights, ordered, dominance, signs)
    )


# ------------------------------------------------------------------------------ neighborhoods


def balls(X, radius, nominal=None):
    """For every sample the samples within the radius, itself included."""
    nominal = nominal or [False] * len(X[0])
    X = scale_columns(X, nominal)
    near = []
    for i in range(len(X)):
        far = [distance(X[i], X[j], nominal, "euclidean") for j in range(len(X))]
        near.append([j for j in range(len(X)) if j == i or far[j] <= radius + 1e-12])
    return near


def lower_approximation(X, y, radius, label=None, nominal=None):
    return [
        any(all(y[j] == c for j in ball) for c in ([label] if label is not None else set(y)))
        for ball in balls(X, radius, nominal)
    ]


def upper_approximation(X, y, radius, label=None, nominal=None):
    return [
        any(y[j] == c for j in ball for c in ([label] if label is not None else set(y)))
        for ball in balls(X, radius, nominal)
    ]


def neighborhood_margin(X, y, nominal=None):
    nominal = nominal or [False] * len(X[0])
    X = scale_columns(X, nominal)
    return min(
        distance(X[i], X[j], nominal, "euclidean")
        for i in range(len(X))
        for j in range(len(X))
        if y[i] != y[j]
    )


def decision_errors(X, y, radius, vote="leave_one_out", nominal=None):
    errors = 0
    for i, ball in enumerate(balls(X, radius, nominal)):
        voters = [j for j in ball if j != i or vote == "inclusive"]
        votes = {c: sum(y[j] == c for j in voters) for c in set(y)}
        errors += not voters or votes[y[i]] < max(votes.values())
    return errors


def soft_margin(X, y, penalty=4.0, step=0.01, max_radius=0.25, vote="leave_one_out", nominal=None):
    best = None
    for k in range(1, int(max_radius * math.sqrt(len(X[0])) / step + 1e-9) + 1):
        radius = k * step
        errors = decision_errors(X, y, radius, vote, nominal)
        value = 1 / (2 * radius**2) + penalty * errors
        if best is None or value < best[0]:
            best = (value, radius, errors)
    return best


def forward(X, n, criterion):
    """Add the feature with the smallest criterion, n times; constant ones after all others.

    ``criterion`` takes a list of columns and returns a tuple.
    """
    chosen, steps = [], []
    while len(chosen) < n:
        best = None
        left = [f for f in range(len(X[0])) if f not in chosen]
        varying = [f for f in left if len({row[f] for row in X if row[f] == row[f]}) > 1]
        for f in varying or left:
            value = criterion([*chosen, f])
            if best is None or value < best[0]:
                best = (value, f)
        chosen.append(best[1])
        steps.append((best[1], *best[0]))
    return steps


def pick(X, columns):
    return [[row[f] for f in columns] for row in X]


def forward_soft_margin(X, y, n, nominal, **params):
    """(feature, soft margin, radius, errors) of every step."""

    def criterion(columns):
        kinds = [nominal[f] for f in columns]
        value, radius, errors = soft_margin(pick(X, columns), y, nominal=kinds, **params)
        return Margin((value, radius, errors))

    class Margin(tuple):  # compared by value only, so that ties go to the lowest index
        def __lt__(self, other):
            return self[0] < other[0]

    return forward(X, n, criterion)


def forward_rough_set(X, y, n, radius, nominal):
    """(feature, impure balls, conflicts) of every step."""

    def criterion(columns):
        near = balls(pick(X, columns), radius, [nominal[f] for f in columns])
        conflicts = [sum(y[j] != y[i] for j in ball) for i, ball in enumerate(near)]
        return sum(c > 0 for c in conflicts), sum(conflicts)

    return forward(X, n, criterion)
