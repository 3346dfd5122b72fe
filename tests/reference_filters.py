"""CFS and the inconsistency rate as plain loops straight from their definitions.

Nothing is imported from echelon.  Columns and classes are lists; missing values are NaN.  Where a
definition leaves a tie to chance rounding, values are compared on a grid, as the library says.
"""

import math

SU_GRID = 2**32
MERIT_GRID = 2**40
CUT_GRID = 2**20

# ------------------------------------------------------------------------------ discretisation


def is_missing(value):
    return value != value


def entropy(labels):
    """Entropy in bits."""
    counts = {}
    for label in labels:
        counts[label] = counts.get(label, 0) + 1
    return -math.fsum(c / len(labels) * math.log2(c / len(labels)) for c in counts.values())


def mdl_cuts(values, classes):
    """Fayyad and Irani 1993: cuts (x <= cut) that pay for their description, in order."""
    pairs = sorted(zip(values, classes, strict=True))
    everyone = [c for _, c in pairs]
    best = None
    for cut in sorted(set(values))[:-1]:
        low = [c for x, c in pairs if x <= cut]
        high = [c for x, c in pairs if x > cut]
        bits = len(low) * entropy(low) + len(high) * entropy(high)
        bits = math.floor(bits * CUT_GRID + 0.5)
        if best is None or bits < best[0]:
            best = bits, cut, low, high
    if best is None:
        return []
    _, cut, low, high = best
    n = len(pairs)
    ent, ent1, ent2 = entropy(everyone), entropy(low), entropy(high)
    k, k1, k2 = len(set(everyone)), len(set(low)), len(set(high))
    gain = ent - len(low) / n * ent1 - len(high) / n * ent2
    delta = math.log2(3**k - 2) - (k * ent - k1 * ent1 - k2 * ent2)
    if not gain > (math.log2(n - 1) + delta) / n:
        return []
    below = [(x, c) for x, c in pairs if x <= cut]
    above = [(x, c) for x, c in pairs if x > cut]
    return [
        *mdl_cuts([x for x, _ in below], [c for _, c in below]),
        cut,
        *mdl_cuts([x for x, _ in above], [c for _, c in above]),
    ]


def quantile_bin(value, present, n_bins):
    """Equal frequency: the bin of a value's mean position among all values."""
    smaller = sum(x < value for x in present)
    equal = sum(x == value for x in present)
    return n_bins * (2 * smaller + equal) // (2 * len(present))


def discretize(X, y, nominal, method, n_bins):
    """Columns of labels; a missing value is a label of its own."""
    columns = []
    for f in range(len(X[0])):
        column = [row[f] for row in X]
        present = [x for x in column if not is_missing(x)]
        classes = [c for x, c in zip(column, y, strict=True) if not is_missing(x)]
        cuts = mdl_cuts(present, classes) if method == "mdl" and not nominal[f] else []
        labels = []
        for x in column:
            if is_missing(x):
                labels.append("missing")
            elif nominal[f]:
                labels.append(x)
            elif method == "mdl":
                labels.append(sum(x > cut for cut in cuts))
            else:
                labels.append(quantile_bin(x, present, n_bins))
        columns.append(labels)
    return columns


def varies(X, f):
    """Whether a feature has two values, where missing is a value."""
    return len({"missing" if is_missing(row[f]) else row[f] for row in X}) > 1


# ------------------------------------------------------------------------------------- CFS


def symmetric_uncertainty(a, b):
    """2 I(A; B) / (H(A) + H(B)); 0 if both are constant."""
    total = entropy(a) + entropy(b)
    if total == 0:
        return 0.0
    return 2 * (total - entropy(list(zip(a, b, strict=True)))) / total


def associations(columns, y):
    """SU of features with the classes, and of every two features, as multiples of 1 / SU_GRID."""
    p = range(len(columns))
    with_class = [round(symmetric_uncertainty(c, y) * SU_GRID) for c in columns]
    between = [
        [round(symmetric_uncertainty(columns[f], columns[g]) * SU_GRID) for g in p] for f in p
    ]
    return with_class, between


def merit(subset, with_class, between):
    """k r_cf / sqrt(k + k (k - 1) r_ff), on the grid."""
    k = len(subset)
    if k == 0:
        return 0.0
    relevance = sum(with_class[f] for f in subset)
    redundancy = sum(between[f][g] for f in subset for g in subset if f != g)
    value = relevance / math.sqrt(k * SU_GRID + redundancy) / math.sqrt(SU_GRID)
    return math.floor(value * MERIT_GRID + 0.5) / MERIT_GRID


def best_next(subset, candidates, score):
    """The candidate whose addition scores highest, the lowest index among equals."""
    best = None
    for f in sorted(candidates):
        value = score([*subset, f])
        if best is None or value > best[1]:
            best = f, value
    return best


def in_order(X, n_wanted, score, first=()):
    """Forward to a number of features, after those given; constants come last."""
    steps = []
    for position in range(n_wanted):
        chosen = [f for f, _ in steps]
        left = [f for f in range(len(X[0])) if f not in chosen]
        left = [f for f in left if varies(X, f)] or left
        if position < len(first):
            left = [first[position]]
        steps.append(best_next(chosen, left, score))
    return steps


def cfs_forward(X, score):
    """The features added while the merit grows; the first in any case."""
    candidates = [f for f in range(len(X[0])) if varies(X, f)]
    chosen, value = [], 0.0
    while len(chosen) < len(candidates):
        step = best_next(chosen, [f for f in candidates if f not in chosen], score)
        if chosen and step[1] <= value:
            break
        chosen.append(step[0])
        value = step[1]
    return chosen


def cfs_best_first(X, score, patience=5):
    """The chain of the best subset found: every subset visited once, the first among equals."""
    candidates = [f for f in range(len(X[0])) if varies(X, f)]
    visited, open_list = {frozenset()}, [([], 0.0)]
    best, stale = ([], 0.0), 0
    while open_list and stale < patience:
        node = max(open_list, key=lambda entry: entry[1])  # the first of equal ones
        open_list.remove(node)
        improved = False
        for f in candidates:
            chain = [*node[0], f]
            if f in node[0] or frozenset(chain) in visited:
                continue
            visited.add(frozenset(chain))
            open_list.append((chain, score(chain)))
            if open_list[-1][1] > best[1]:
                best, improved = open_list[-1], True
        stale = 0 if improved else stale + 1
    return best[0]


# ------------------------------------------------------------------------------- consistency


def n_inconsistent(columns, y, subset):
    """Samples beyond the majority class of their pattern (Dash and Liu 2003)."""
    patterns = {}
    for i, label in enumerate(y):
        counts = patterns.setdefault(tuple(columns[f][i] for f in subset), {})
        counts[label] = counts.get(label, 0) + 1
    return sum(sum(counts.values()) - max(counts.values()) for counts in patterns.values())


def consistency(X, columns, y):
    """Greedy on the smallest rate until it is that of all features; at least one."""
    p = range(len(columns))
    goal = n_inconsistent(columns, y, p)
    chosen = []
    while not chosen or n_inconsistent(columns, y, chosen) > goal:
        left = [f for f in p if f not in chosen and varies(X, f)]
        step = best_next(chosen, left, lambda s: -n_inconsistent(columns, y, s))
        chosen.append(step[0])
    return chosen
