"""Selection by the order within a sample, as plain loops straight from the paper's definitions.

Nothing is imported from echelon.  A sample is a list of values, NaN where the order is unknown.
Where a definition leaves a tie to chance rounding, values are compared on a grid, as the library
says.
"""

import math

DIVERGENCE_GRID = 2**32
DISTANCE_GRID = 2**40

# ---------------------------------------------------------------------------- representations


def is_missing(value):
    return value != value


def relation(row, i, j):
    """Order of features i and j in a sample: "<", ">", "=" or "?"."""
    if is_missing(row[i]) or is_missing(row[j]):
        return "?"
    return "<" if row[i] < row[j] else ">" if row[i] > row[j] else "="


def boolean_order(row, features):
    """Definition 4, with "=" and "?": the relation of every pair of features."""
    return tuple(relation(row, i, j) for i in features for j in features if i < j)


def rank_order(row, features):
    """Definition 5: ranks among some features, averaged over ties; None where unknown."""
    ranks = []
    for i in features:
        less = sum(relation(row, j, i) == "<" for j in features)
        equal = sum(relation(row, j, i) == "=" for j in features)
        ranks.append(None if is_missing(row[i]) else less + (equal + 1) / 2)
    return tuple(ranks)


# --------------------------------------------------------------------------------- divergence


def divergence(whole, part, y):
    """Definition 3: of instances ``part``, projections of ``whole``; natural logarithm."""

    def conditional(instances, f, c):
        with_f = [y[r] for r in range(len(y)) if instances[r] == f]
        return sum(label == c for label in with_f) / len(with_f)

    total = 0.0
    for f in set(whole):
        rows = [r for r in range(len(y)) if whole[r] == f]
        delta = 0.0
        for c in set(y):
            p, q = conditional(whole, f, c), conditional(part, part[rows[0]], c)
            if p > 0:
                delta += p * math.log(p / q)
        total += len(rows) / len(y) * delta
    return total


def subset_divergence(X, y, part, whole):
    """Divergence of some features with respect to more of them."""
    return divergence(
        [boolean_order(row, whole) for row in X], [boolean_order(row, part) for row in X], y
    )


def on_grid(value, grid):
    return math.floor(value * grid + 0.5)


# ------------------------------------------------------------------------------------ spoilers


def inversions(a, b, i, features):
    """inv(i, a, b): the features that a has before i and b after it, or the reverse."""
    opposite = ("<>", "><")
    return sum(relation(a, i, j) + relation(b, i, j) in opposite for j in features)


def spoiler_count(X, y, i, features):
    """Definition 9: inversions of a feature over all pairs of samples of the same class."""
    return sum(
        inversions(X[r], X[s], i, features) for r in range(len(X)) for s in range(r) if y[r] == y[s]
    )


# ------------------------------------------------------------------------------------- centers


def center(rows, features):
    """Ranks of the sums of ranks, averaged over ties; a pair of unknown order counts as tied."""
    sums = []
    for i in features:
        total = 0.0
        for row in rows:
            for j in features:
                if j != i:
                    total += {"<": 1.0, ">": 0.0, "=": 0.5, "?": 0.5}[relation(row, j, i)]
        sums.append(total)
    return [sum(t < s for t in sums) + (sum(t == s for t in sums) + 1) / 2 for s in sums]


def spearman(a, b):
    """Spearman's distance (Definition 6) normalised to rho; 1 for one feature."""
    n = len(a)
    if n == 1:
        return 1.0
    return 1 - 6 * sum((p - q) ** 2 for p, q in zip(a, b, strict=True)) / (n * (n * n - 1))


def center_distances(X, y, features):
    """The vector of CDV: rho of the centers of every pair of classes."""
    labels = sorted(set(y))
    centers = [
        center([row for row, c in zip(X, y, strict=True) if c == label], features)
        for label in labels
    ]
    return [spearman(centers[a], centers[b]) for a in range(len(labels)) for b in range(a)]


# -------------------------------------------------------------------------------- the criteria


def removals(X, y, features, criterion, blanket_size=5):
    """For every feature that may be removed: (what sorts the candidates, value)."""
    everything = list(range(len(X[0])))
    found = {}
    for k in features:
        left = [i for i in features if i != k]
        if criterion == "spoilers":
            value = spoiler_count(X, y, k, features)
            key = (-value,)
        elif criterion == "cdv":
            pairs = zip(
                center_distances(X, y, left), center_distances(X, y, everything), strict=True
            )
            value = math.sqrt(sum((a - b) ** 2 for a, b in pairs))
            key = (on_grid(value, DISTANCE_GRID),)
        elif criterion == "kl":
            value = subset_divergence(X, y, left, everything)
            key = (on_grid(value, DIVERGENCE_GRID), -spoiler_count(X, y, k, features))
        else:
            near = sorted(
                left,
                key=lambda j, k=k: (
                    on_grid(subset_divergence(X, y, [j], [j, k]), DIVERGENCE_GRID),
                    j,
                ),
            )
            blanket = near[:blanket_size]
            value = subset_divergence(X, y, sorted(blanket), sorted([*blanket, k]))
            key = (on_grid(value, DIVERGENCE_GRID),)
        found[k] = (key, value)
    return found


def eliminate(X, y, criterion, *, blanket_size=5, n_left=1, step=1):
    """Backward elimination: (feature, value, divergence) of every feature removed."""
    everything = list(range(len(X[0])))
    features, steps = list(everything), []
    while len(features) > n_left:
        found = removals(X, y, features, criterion, blanket_size)
        order = sorted(features, key=lambda k, found=found: (found[k][0], k))
        for k in order[: min(step, len(features) - n_left)]:
            features.remove(k)
            left = subset_divergence(X, y, features, everything)
            steps.append((k, found[k][1], left))
    return steps


# ------------------------------------------------------------------------------ other measures


def tau_concordance(X):
    """Figure 6; a tie counts for neither side."""
    m, n, S = len(X), len(X[0]), 0
    for i in range(n - 1):
        for j in range(i + 1, n):
            sub = 0
            for row in X:
                sub += {"<": 1, ">": -1, "=": 0, "?": 0}[relation(row, i, j)]
            S += sub**2
    return 2 * S / ((n * n - n) * (m * m - m)) - 1 / (m - 1)


def kendall_distance(a, b):
    """Pairs that two samples order oppositely; half for a pair tied in one of them only."""
    total = 0.0
    for i in range(len(a)):
        for j in range(i):
            p, q = relation(a, i, j), relation(b, i, j)
            if "?" not in (p, q) and p != q:
                total += 0.5 if "=" in (p, q) else 1.0
    return total
