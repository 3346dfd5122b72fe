"""RReliefF, the SURF family and iterated Relief once more, as plain loops from their definitions.

Nothing is imported from echelon.  An outcome is a list of numbers; ``apart`` says how far two of
them lie apart, from 0 to 1.
"""

import math

from reference import difference, distance, mean_difference, places, scale_columns


def by_range(y):
    """Distance of numbers, by their range."""
    span = max(y) - min(y)
    return lambda a, b: abs(a - b) / span


def unequal(a, b):
    """Distance of classes without an order."""
    return float(a != b)


def distances(X, i, nominal, metric):
    """Distance of sample i to every other one that shares a feature with it."""
    far = {j: distance(X[i], X[j], nominal, metric) for j in range(len(X)) if j != i}
    return {j: d for j, d in far.items() if d < math.inf}


# ------------------------------------------------------------------------------------ O-ReliefF


def trend(X, y, k, nominal, signs, tolerance=1e-9):
    """Sum over samples of how much more the nearest of higher classes have, and lower ones less."""
    X = scale_columns(X, nominal)
    scores = [0.0] * len(X[0])
    for i in range(len(X)):
        far = distances(X, i, nominal, "manhattan")
        for toward in (1, -1):
            others = {j: d for j, d in far.items() if toward * (y[j] - y[i]) > 0}
            shares = places(others, k, "share", tolerance)
            for f, sign in enumerate(signs):
                if sign:
                    scores[f] += mean_difference(X, i, shares, f, nominal, signs, toward)
    return scores


# ----------------------------------------------------------------------------------- mu-Relief


def extremes(far, k, ties, tolerance=1e-9):
    """Places of the k samples whose distances differ most from their mean: {index: share}."""
    mean = sum(far.values()) / max(len(far), 1)
    apart = {j: abs(d - mean) for j, d in far.items()}
    if len(far) <= k:
        return dict.fromkeys(far, 1.0)
    last = sorted(apart.values(), reverse=True)[k - 1]
    equal = tolerance * max(far.values())
    shares = {j: 1.0 for j, a in apart.items() if a > last + equal}
    tied = sorted(j for j, a in apart.items() if abs(a - last) <= equal)
    left = k - len(shares)
    if ties == "share":
        return shares | {j: left / len(tied) for j in tied}
    return shares | dict.fromkeys(tied[:left], 1.0)


def mu_relief(X, y, k=10, nominal=None, metric="manhattan", ties="share"):
    """ReliefF with the extreme samples of every class in place of the nearest."""
    nominal = nominal or [False] * len(X[0])
    X = scale_columns(X, nominal)
    scores = [0.0] * len(X[0])
    for i in range(len(X)):
        far = distances(X, i, nominal, metric)
        for c in set(y):
            shares = extremes({j: d for j, d in far.items() if y[j] == c}, k, ties)
            weight = -1.0 if c == y[i] else y.count(c) / (len(y) - y.count(y[i]))
            for f in range(len(scores)):
                scores[f] += weight * mean_difference(X, i, shares, f, nominal) / len(X)
    return scores


# ------------------------------------------------------------------------------------ RReliefF


def worth_of_places(far, worth, ties, tolerance=1e-9):
    """The worth of every neighbour's place; runs of equal distances share theirs."""
    order = sorted(far, key=lambda j: (far[j], j))
    runs = []
    for j in order:
        if runs and far[j] <= far[runs[-1][-1]] * (1 + tolerance):
            runs[-1].append(j)
        else:
            runs.append([j])
    shares, place = {}, 0
    for run in runs:
        values = [worth[r] if r < len(worth) else 0.0 for r in range(place, place + len(run))]
        if ties == "share":
            values = [sum(values) / len(run)] * len(run)
        shares.update(zip(sorted(run), values, strict=True))
        place += len(run)
    return {j: share for j, share in shares.items() if share > 0}


def contrast(X, near, y, apart, nominal):
    """N_CA / N_C - (N_A - N_CA) / (m - N_C); ``near`` maps queries to weights that add up to 1.

    A neighbour that lacks the feature counts as the mean of the query's others.
    """
    scores = []
    for f in range(len(X[0])):
        result = 0.0
        for sign, weigh in ((1, lambda d: d), (-1, lambda d: 1 - d)):
            total = whole = 0.0
            for i, weights in near.items():
                by_pair = {j: w * weigh(apart(y[i], y[j])) for j, w in weights.items()}
                total += sum(by_pair.values()) * mean_difference(X, i, by_pair, f, nominal)
                whole += sum(by_pair.values())
            result += sign * total / whole if whole > 0 else 0.0
        scores.append(result)
    return scores


def even(weights):
    """Weights that add up to 1."""
    total = sum(weights.values())
    return {j: w / total for j, w in weights.items()}


def rrelieff(
    X, y, k=10, nominal=None, metric="manhattan", ties="share", apart=None, decay=None, queries=None
):
    nominal = nominal or [False] * len(X[0])
    X = scale_columns(X, nominal)
    near = {}
    for i in range(len(X)) if queries is None else queries:
        far = distances(X, i, nominal, metric)
        if decay is None:
            near[i] = even(places(far, k, ties, 1e-9))
        else:
            worth = [math.exp(-((r / decay) ** 2)) for r in range(1, k + 1)]
            near[i] = even(worth_of_places(far, worth, ties))
    return contrast(X, near, y, apart or by_range(y), nominal)


# --------------------------------------------------------------------------------- SURF family


def moments(row):
    """Mean and deviation of some distances."""
    mean = sum(row) / max(len(row), 1)
    return mean, math.sqrt(sum((d - mean) ** 2 for d in row) / max(len(row), 1))


def moments_of_distances(X, nominal, metric, own):
    """Mean and deviation of the distances of every sample, or those of all pairs for each."""
    far = [list(distances(X, i, nominal, metric).values()) for i in range(len(X))]
    if not own:
        return [moments([d for row in far for d in row])] * len(X)
    return [moments(row) for row in far]


def in_reach(far, limit, side, tolerance=1e-9):
    """Samples nearer than the limit (side -1), or farther."""
    if side < 0:
        return [j for j, d in far.items() if d * (1 + tolerance) < limit]
    return [j for j, d in far.items() if d > limit * (1 + tolerance)]


def radius(X, y, own, star, nominal=None, metric="manhattan", apart=None, queries=None):
    """SURF (own=False) and MultiSURF (own=True), without and with far samples.

    Classes if ``apart`` is None, else a contrast of outcomes.
    """

    def weigh(far, mean, deviation, side):
        limit = mean + side * (deviation / 2 if own else 0.0)
        return dict.fromkeys(in_reach(far, limit, side), 1.0)

    return in_bands(X, y, own, star, weigh, nominal, metric, apart, queries)


def sigmoid(
    X, y, own, star, dead_band=0.0, nominal=None, metric="manhattan", apart=None, queries=None
):
    """SWRF (own=False) and MultiSWRF (own=True), without and with far samples."""

    def weigh(far, mean, deviation, side):
        limit = mean + side * dead_band * deviation
        return {j: 2 / (1 + math.exp(-4 * abs(far[j] - limit) / deviation)) - 1
                for j in in_reach(far, limit, side)}  # fmt: skip

    return in_bands(X, y, own, star, weigh, nominal, metric, apart, queries)


def in_bands(X, y, own, star, weigh, nominal, metric, apart, queries):
    """Near samples, and with ``star`` less the far ones, each with its weight."""
    nominal = nominal or [False] * len(X[0])
    X = scale_columns(X, nominal)
    queries = range(len(X)) if queries is None else queries
    spread = moments_of_distances(X, nominal, metric, own)
    scores = [0.0] * len(X[0])
    for side in (-1, 1) if star else (-1,):
        reach = {i: weigh(distances(X, i, nominal, metric), *spread[i], side) for i in queries}
        if apart is None:
            found = hits_and_misses(X, y, reach, nominal)
        else:
            found = contrast(X, {i: even(near) for i, near in reach.items()}, y, apart, nominal)
        scores = [s - side * part for s, part in zip(scores, found, strict=True)]
    return scores


def hits_and_misses(X, y, reach, nominal):
    """Mean of weight times difference over misses, class by class, less that over hits.

    Classes of misses weigh by their share among the other classes.  A neighbour that lacks the
    feature counts as the weighted mean of the query's others.
    """
    prior = {c: sum(label == c for label in y) / len(y) for c in set(y)}
    scores = []
    for f in range(len(X[0])):
        total = 0.0
        for i, weights in reach.items():
            for c in sorted(prior):
                sign = -1.0 if c == y[i] else prior[c] / (1 - prior[y[i]])
                members = {j: w for j, w in weights.items() if y[j] == c}
                weight = sum(members.values()) / max(len(members), 1)
                total += sign * weight * mean_difference(X, i, members, f, nominal)
        scores.append(total / len(reach))
    return scores


# ------------------------------------------------------------------------------------- I-Relief


def weighted_relieff(X, y, k, w, nominal, metric):
    """ReliefF whose neighbours are near by weighted differences, squared ones if Euclidean."""
    n, p = len(X), len(X[0])
    power = 1 if metric == "manhattan" else 2
    scores = [0.0] * p
    for i in range(n):
        far = {}
        for j in set(range(n)) - {i}:
            gaps = [difference(X[i][f], X[j][f], nominal[f]) for f in range(p)]
            far[j] = sum(w[f] * gaps[f] ** power for f in range(p)) ** (1 / power)
        for c in set(y):
            shares = places({j: d for j, d in far.items() if y[j] == c}, k, "share", 1e-9)
            weight = -1.0 if c == y[i] else y.count(c) / (n - y.count(y[i]))
            for f in range(p):
                scores[f] += weight * mean_difference(X, i, shares, f, nominal) / n
    return scores


def iterative_relieff(X, y, k, n_rounds=10, rate=0.1, nominal=None, metric="manhattan"):
    """ReliefF again and again, by distances that its positive scores weigh; and the rounds."""
    nominal = nominal or [False] * len(X[0])
    X = scale_columns(X, nominal)
    w = [1.0] * len(X[0])
    for r in range(n_rounds):
        scores = weighted_relieff(X, y, k, w, nominal, metric)
        best = max(scores)
        if best <= 1e-13:
            return scores, r + 1
        aim = [max(s, 0.0) / best for s in scores]
        w = aim if r == 0 else [old + rate * (new - old) for old, new in zip(w, aim, strict=True)]
    return scores, n_rounds


def soft_relief(X, y, sigma, nominal=None, tolerance=1e-4, max_iter=100):
    """I-Relief-1: expected margins under distances weighted by the last ones, until still.

    ``sigma`` is the width of the kernel exp(-D / sigma); D is the distance weighted by feature.
    """
    nominal = nominal or [False] * len(X[0])
    X = scale_columns(X, nominal)
    n, p = len(X), len(X[0])
    gaps = [[[difference(X[i][f], X[j][f], nominal[f]) for f in range(p)] for j in range(n)]
            for i in range(n)]  # fmt: skip
    w = [1 / math.sqrt(p)] * p
    for _ in range(max_iter):
        kernel = [[math.exp(-sum(w[f] * gaps[i][j][f] for f in range(p)) / sigma)
                   for j in range(n)] for i in range(n)]  # fmt: skip
        margin = [0.0] * p
        for i in range(n):
            hits = [j for j in range(n) if j != i and y[j] == y[i]]
            misses = [j for j in range(n) if y[j] != y[i]]
            near = sum(kernel[i][j] for j in misses)
            every = near + sum(kernel[i][j] for j in hits)
            inlier = 1 - near / every
            for f in range(p):
                for members, sign in ((misses, 1), (hits, -1)):
                    total = sum(kernel[i][j] for j in members)
                    if members:
                        margin[f] += sign * inlier * sum(
                            kernel[i][j] * gaps[i][j][f] for j in members
                        ) / total / n  # fmt: skip
        positive = [max(m, 0.0) for m in margin]
        norm = math.sqrt(sum(m * m for m in positive))
        if norm == 0:
            return margin
        after = [m / norm for m in positive]
        change = math.sqrt(sum((a - b) ** 2 for a, b in zip(after, w, strict=True)))
        w = after
        if change < tolerance:
            break
    return margin
