"""Dominance-based rough sets and least relabellings as plain loops over their definitions.

Nothing is imported from echelon.  Rows are lists of numbers; missing values are NaN.
"""

from itertools import combinations, product


def dominates(a, b, features, nominal):
    """Whether a is at least as good as b in all features, equal in nominal ones."""
    for f in features:
        if a[f] != a[f] or b[f] != b[f]:
            continue
        if a[f] != b[f] if nominal[f] else a[f] < b[f]:
            return False
    return True


def cones(rows, features, nominal):
    """For every row the rows that dominate it, and those it dominates."""
    n = range(len(rows))
    up = [[i for i in n if dominates(rows[i], rows[j], features, nominal)] for j in n]
    down = [[i for i in n if dominates(rows[j], rows[i], features, nominal)] for j in n]
    return up, down


def approximations(rows, codes, features, nominal, weights=None, consistency=1.0):
    """By union of classes, ("at least", t) and ("at most", t): lower and upper approximation.

    Lower: members whose cone lies in the union by the share asked for.  Upper: what is not in the
    lower approximation of the complement.
    """
    weights = [1.0] * len(rows) if weights is None else weights
    up, down = cones(rows, features, nominal)
    n, top = range(len(rows)), max(codes)
    lower = {}
    for t in range(top + 1):
        for union, cone in (("at least", up), ("at most", down)):
            inside = {i for i in n if (codes[i] >= t if union == "at least" else codes[i] <= t)}
            lower[union, t] = set()
            for i in inside:
                mass = sum(weights[k] for k in cone[i])
                agree = sum(weights[k] for k in cone[i] if k in inside)
                if agree >= consistency * mass - 1e-9:
                    lower[union, t].add(i)
    upper = {}
    for t in range(top + 1):
        upper["at least", t] = set(n) - (lower["at most", t - 1] if t else set())
        upper["at most", t] = set(n) - (lower["at least", t + 1] if t < top else set())
    return lower, upper


def boundary(rows, codes, features, nominal, weights=None, consistency=1.0):
    """Rows in the boundary of some union."""
    lower, upper = approximations(rows, codes, features, nominal, weights, consistency)
    return set().union(*(upper[key] - lower[key] for key in lower))


def quality(rows, codes, features, nominal, weights=None, consistency=1.0):
    weights = [1.0] * len(rows) if weights is None else weights
    inside = boundary(rows, codes, features, nominal, weights, consistency)
    return 1 - sum(weights[i] for i in inside) / sum(weights)


def conflicts(rows, codes, features, nominal, weights=None):
    """Mass of the pairs in which the lower class dominates."""
    weights = [1.0] * len(rows) if weights is None else weights
    n = range(len(rows))
    return sum(
        weights[i] * weights[j]
        for i in n
        for j in n
        if codes[i] < codes[j] and dominates(rows[i], rows[j], features, nominal)
    )


def reducts(rows, codes, nominal, weights=None, consistency=1.0, able=None):
    """All sets with at least the quality of all features, none of whose subsets has it."""
    p = len(nominal)
    everything = quality(rows, codes, range(p), nominal, weights, consistency)
    found = []
    for size in range(p + 1):
        for each in combinations(range(p), size):
            if any(set(other) <= set(each) for other in found):
                continue
            if quality(rows, codes, each, nominal, weights, consistency) >= everything - 1e-9:
                found.append(each)
    return found


def greedy(rows, codes, nominal, n_steps, weights=None, consistency=1.0):
    """Steps (feature, quality, conflicts): the smallest boundary, then conflicts, then index."""
    chosen, steps = [], []
    for _ in range(n_steps):
        options = []
        for f in range(len(nominal)):
            if f not in chosen:
                q = quality(rows, codes, [*chosen, f], nominal, weights, consistency)
                c = conflicts(rows, codes, [*chosen, f], nominal, weights)
                options.append((round(-q, 9), round(c, 9), f))
        q, c, f = min(options)
        chosen.append(f)
        steps.append((f, -q, c))
    return steps


def is_monotone(rows, codes, nominal):
    features = range(len(nominal))
    n = range(len(rows))
    return all(
        codes[i] >= codes[j] for i in n for j in n if dominates(rows[i], rows[j], features, nominal)
    )


def least_relabelling(rows, codes, nominal, weights=None, absolute=False):
    """Smallest cost of monotone labels, and the smallest distance among those of that cost."""
    weights = [1.0] * len(rows) if weights is None else weights
    best = None
    for labels in product(range(max(codes) + 1), repeat=len(rows)):
        distance = sum(w * abs(a - b) for w, a, b in zip(weights, labels, codes, strict=True))
        changed = sum(w * (a != b) for w, a, b in zip(weights, labels, codes, strict=True))
        cost = (distance, changed) if absolute else (changed, distance)
        if (best is None or cost < best) and is_monotone(rows, labels, nominal):
            best = cost
    return best
