"""Rank correlation, forward selection and boosted bins as plain loops from their definitions.

Nothing is imported from echelon.  Columns and targets are lists; missing values are NaN.
"""

import math

TIE = 1e-9


def is_missing(value):
    return value != value


def mean(values):
    return math.fsum(values) / len(values)


# ---------------------------------------------------------------------------- rank correlation


def midrank(values, value):
    below = sum(1 for v in values if v < value)
    equal = sum(1 for v in values if v == value)
    return below + (equal + 1) / 2


def midranks(values):
    return [midrank(values, value) for value in values]


def tau(x, y):
    """Kendall's tau-b from all pairs."""
    agree = x_pairs = y_pairs = 0
    for i in range(len(x)):
        for j in range(i):
            dx = (x[i] > x[j]) - (x[i] < x[j])
            dy = (y[i] > y[j]) - (y[i] < y[j])
            agree += dx * dy
            x_pairs += dx != 0
            y_pairs += dy != 0
    return agree / math.sqrt(x_pairs * y_pairs)


def rho(x, y):
    """Spearman's rho: Pearson's correlation of mid-ranks."""
    a, b = midranks(x), midranks(y)
    ma, mb = mean(a), mean(b)
    cross = math.fsum((u - ma) * (v - mb) for u, v in zip(a, b, strict=True))
    spread = math.fsum((u - ma) ** 2 for u in a) * math.fsum((v - mb) ** 2 for v in b)
    return cross / math.sqrt(spread)


def kruskal_wallis(values, groups):
    """(n - 1) times the correlation ratio of mid-ranks over groups, and degrees of freedom."""
    ranks = midranks(values)
    middle = mean(ranks)
    total = math.fsum((r - middle) ** 2 for r in ranks)
    between = 0.0
    for group in sorted(set(groups)):
        mine = [r for r, g in zip(ranks, groups, strict=True) if g == group]
        between += len(mine) * (mean(mine) - middle) ** 2
    return (len(values) - 1) * between / total, len(set(groups)) - 1


def chi_squared(a, b):
    """Pearson's statistic of a table, its degrees of freedom, and the smaller side less one."""
    n, statistic = len(a), 0.0
    for u in set(a):
        for v in set(b):
            expected = a.count(u) * b.count(v) / n
            found = sum(1 for x, y in zip(a, b, strict=True) if (x, y) == (u, v))
            statistic += (found - expected) ** 2 / expected
    sides = len(set(a)) - 1, len(set(b)) - 1
    return statistic, sides[0] * sides[1], min(sides)


def tau_over_rho_by_chance(x, y):
    """Ratio of the standard deviations of tau-b and rho by chance, from the groups of ties."""
    n = len(x)
    sums = []
    for values in (x, y):
        sizes = [values.count(v) for v in set(values)]
        sums.append([
            sum(t * (t - 1) for t in sizes),
            sum(t * (t - 1) * (t - 2) for t in sizes),
            sum(t * (t - 1) * (2 * t + 5) for t in sizes),
        ])  # fmt: skip
    pairs = n * (n - 1)
    (x1, x2, x3), (y1, y2, y3) = sums
    variance = (pairs * (2 * n + 5) - x3 - y3) / 18 + x1 * y1 / (2 * pairs)
    variance += x2 * y2 / (9 * pairs * (n - 2))
    return math.sqrt(variance * (n - 1) / ((pairs - x1) * (pairs - y1) / 4))


def association(x, y, nominal, ordered, measure):
    """Strength of one feature with the target: a correlation without its sign."""
    rows = [i for i, value in enumerate(x) if not is_missing(value)]
    x, y = [x[i] for i in rows], [y[i] for i in rows]
    if len(rows) < 3 or len(set(x)) < 2 or len(set(y)) < 2:
        return 0.0
    if ordered and not nominal:
        return abs(tau(x, y) if measure == "kendall" else rho(x, y))
    n = len(x)
    if ordered or not nominal:
        statistic, freedom = kruskal_wallis(y, x) if nominal else kruskal_wallis(x, y)
        largest = n - 1
    else:
        statistic, freedom, side = chi_squared(x, y)
        statistic, largest = statistic * (n - 1) / n, (n - 1) * side
    squared = max(0.0, statistic - (freedom - 1)) / (largest - (freedom - 1))
    factor = tau_over_rho_by_chance(x, y) if measure == "kendall" else 1.0
    return min(1.0, factor * math.sqrt(squared))


# ------------------------------------------------------------------------------ least squares


def outputs(y, ordered):
    """Codes, or one indicator per class, around their means."""
    columns = [y] if ordered else [[float(v == c) for v in y] for c in sorted(set(y))]
    return [[v - mean(column) for v in column] for column in columns]


def model_columns(x, nominal):
    """A feature as columns of a linear model: standardised, or indicators; gaps are the mean."""
    present = [v for v in x if not is_missing(v)]
    kinds = sorted(set(present))
    if nominal:
        columns = [[math.nan if is_missing(v) else float(v == kind) for v in x] for kind in kinds]
    else:
        columns = [x] if len(kinds) > 1 else []
    filled = []
    for column in columns:
        known = [v for v in column if not is_missing(v)]
        middle = mean(known)
        size = 1.0 if nominal else math.sqrt(mean([(v - middle) ** 2 for v in known]))
        filled.append([0.0 if is_missing(v) else (v - middle) / size for v in column])
    return filled


def dot(a, b):
    return math.fsum(u * v for u, v in zip(a, b, strict=True))


def orthonormal(columns, basis, least):
    """Columns made orthogonal to a basis and each other, the longest left over first."""
    added = []
    left = [list(column) for column in columns]
    while left:
        for _ in range(2):
            for i, column in enumerate(left):
                for known in basis + added:
                    share = dot(column, known)
                    column = [v - share * k for v, k in zip(column, known, strict=True)]
                left[i] = column
        longest = max(range(len(left)), key=lambda i: dot(left[i], left[i]))
        length = dot(left[longest], left[longest])
        if length <= least:
            break
        added.append([v / math.sqrt(length) for v in left.pop(longest)])
    return added


def forward_linear(features, targets, price, n_steps=None, max_steps=30):
    """Forward selection by full least squares: (feature, R squared) for every step.

    ``features`` are lists of columns.  The gain of a feature is what its columns, made orthogonal
    to the model, explain of the residual; each costs ``price`` mean squared errors.
    """
    n = len(targets[0])
    ones = [1 / math.sqrt(n)] * n
    least = [max([1e-6 * dot(c, c) for c in cols] + [1e-9]) for cols in features]
    basis, residual, path = [ones], [list(t) for t in targets], []
    total = math.fsum(dot(t, t) for t in targets)
    while len(path) < (max_steps if n_steps is None else n_steps):
        rss = math.fsum(dot(r, r) for r in residual)
        if rss <= 1e-12 * total:
            break
        best = None
        for f, columns in enumerate(features):
            if f in [step[0] for step in path] or len(columns) > n / 2:
                continue
            added = orthonormal(columns, basis, least[f])
            if not added:
                continue
            gain = math.fsum(dot(a, r) ** 2 for a in added for r in residual)
            worth = math.floor((gain - price * len(added) * rss / n) / total * 2**30 + 0.5)
            if best is None or worth > best[0]:
                best = worth, f, added
        if best is None or (n_steps is None and best[0] <= 0):
            break
        _, f, added = best
        basis += added
        for j, r in enumerate(residual):
            for a in added:
                share = dot(a, r)
                r = [v - share * u for v, u in zip(r, a, strict=True)]
            residual[j] = r
        path.append((f, 1 - math.fsum(dot(r, r) for r in residual) / total))
    return path


# ------------------------------------------------------------------------------ boosted bins


def bins_of(x, nominal, n_bins):
    """Labels of one feature, and whether each label has a place in the order."""
    present = sorted(v for v in x if not is_missing(v))
    if nominal or len(set(present)) <= n_bins:
        labels = [math.inf if is_missing(v) else v for v in x]
    else:
        n = len(present)
        labels = []
        for v in x:
            low, high = sum(1 for u in present if u < v), sum(1 for u in present if u <= v)
            labels.append(math.inf if is_missing(v) else n_bins * (low + high) // (2 * n))
    return labels


def isotonic(means, weights):
    """Rising values nearest to some means: the largest of smallest averages (min-max formula)."""
    n, values = len(means), []
    for b in range(n):
        best = -math.inf
        for low in range(b + 1):
            smallest = math.inf
            for high in range(b, n):
                w = weights[low : high + 1]
                smallest = min(smallest, dot(means[low : high + 1], w) / math.fsum(w))
            best = max(best, smallest)
        values.append(best)
    return values


def bin_fit(labels, residual, weights, shrinkage, direction):
    """Shrunken mean of every label, and what they lower the squared error by."""
    kinds = sorted(set(labels))
    sizes = [math.fsum(w for w, b in zip(weights, labels, strict=True) if b == k) for k in kinds]
    sums = [
        math.fsum(w * r for w, r, b in zip(weights, residual, labels, strict=True) if b == kind)
        for kind in kinds
    ]
    means = [s / (c + shrinkage) for s, c in zip(sums, sizes, strict=True)]
    if direction:
        n = len([kind for kind in kinds if kind != math.inf])
        signed = isotonic([direction * m for m in means[:n]], [c + shrinkage for c in sizes[:n]])
        means[:n] = [direction * m for m in signed]
    gain = math.fsum(m * (2 * s - c * m) for m, s, c in zip(means, sums, sizes, strict=True))
    return dict(zip(kinds, means, strict=True)), gain


def boost(labels, targets, weights, rounds, rate, shrinkage, directions):
    """Features by round, R squared inside after each, credit outside by feature."""
    n = len(weights)
    heavy = math.fsum(weights)
    residual = [[v - dot(weights, t) / heavy for v in t] for t in targets]

    def error(inside):
        parts = [(weights[i] if inside else weights[i] == 0) * r[i] ** 2
                 for r in residual for i in range(n)]  # fmt: skip
        return math.fsum(parts)

    before, unseen = error(True), error(False)
    taken, r_squared, credit = [], [], [0.0] * len(labels)
    for _ in range(rounds):
        best, best_gain, best_fit = None, 1e-12 * before, None
        for f in range(len(labels)):
            fits = [bin_fit(labels[f], r, weights, shrinkage, directions[f]) for r in residual]
            gain = math.fsum(g for _, g in fits)
            if gain > best_gain * (1 + TIE):
                best, best_gain, best_fit = f, gain, [fit for fit, _ in fits]
        if best is None:
            break
        outside = error(False)
        residual = [
            [v - rate * fit[b] for v, b in zip(r, labels[best], strict=True)]
            for r, fit in zip(residual, best_fit, strict=True)
        ]
        taken.append(best)
        r_squared.append(1 - error(True) / before)
        credit[best] += (outside - error(False)) / unseen if unseen else 0.0
    return taken, r_squared, credit
