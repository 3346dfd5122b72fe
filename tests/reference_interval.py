"""Interval methods as plain loops straight from their definitions.

Nothing here is fast and nothing is imported from echelon.  A sample is a list of (lower, upper)
pairs, a missing interval is (NaN, NaN).
"""

import math


def is_missing(interval):
    return interval[0] != interval[0] or interval[1] != interval[1]


def scale_intervals(X):
    """Bounds to [0, 1] by the smallest lower and the largest upper bound of each feature."""
    scaled = [[tuple(map(float, interval)) for interval in row] for row in X]
    for f in range(len(X[0])):
        there = [row[f] for row in X if not is_missing(row[f])]
        if not there:
            continue
        low, high = min(a for a, _ in there), max(b for _, b in there)
        for row in scaled:
            if is_missing(row[f]):
                row[f] = (math.nan, math.nan)
            elif high > low:
                row[f] = tuple((bound - low) / (high - low) for bound in row[f])
            else:
                row[f] = (0.0, 0.0)
    return scaled


def difference(a, b, distance):
    """Distance of two intervals (section 2); None if either is missing."""
    if is_missing(a) or is_missing(b):
        return None
    lower, upper = abs(a[0] - b[0]), abs(a[1] - b[1])
    if distance == "l1":
        return lower + upper
    if distance == "l2":
        return math.sqrt(lower**2 + upper**2)
    return max(lower, upper)


def pattern_distance(x, z, distance):
    """D(x, z): the differences added over the features both have, scaled up to all features."""
    terms = [difference(a, b, distance) for a, b in zip(x, z, strict=True)]
    there = [d for d in terms if d is not None]
    return sum(there) * len(x) / len(there) if there else math.inf


def prototypes(X, y):
    """Means of the bounds per class, over the samples that have the feature."""
    found = {}
    for c in sorted(set(y)):
        rows = [x for x, label in zip(X, y, strict=True) if label == c]
        found[c] = []
        for f in range(len(X[0])):
            there = [row[f] for row in rows if not is_missing(row[f])]
            n = len(there)
            mean = [sum(interval[end] for interval in there) / n if n else math.nan
                    for end in (0, 1)]  # fmt: skip
            found[c].append(tuple(mean))
    return found


def nearest_shares(distances, tolerance, ties="share"):
    """The nearest of {key: distance}: {key: share}, those tied with it sharing the place."""
    best = min(distances.values(), default=math.inf)
    if best == math.inf:
        return {}
    tied = sorted(key for key, d in distances.items() if d <= best * (1 + tolerance))
    tied = tied if ties == "share" else tied[:1]
    return {key: 1 / len(tied) for key in tied}


def mean_difference(x, references, shares, f, distance):
    """Mean difference in f to the references that have it; 0 if none has."""
    total, weight = 0.0, 0.0
    for key, share in shares.items():
        d = difference(x[f], references[key][f], distance)
        if d is not None:
            total += share * d
            weight += share
    return total / weight if weight else 0.0


def nearest_margin(X, y, i, distance, ties, tolerance):
    """DisM1 of sample i, feature by feature; 0 for a sample alone in its class."""
    if sum(label == y[i] for label in y) == 1:
        return [0.0] * len(X[i])
    far = {j: pattern_distance(X[i], X[j], distance) for j in range(len(X)) if j != i}
    hits = nearest_shares({j: d for j, d in far.items() if y[j] == y[i]}, tolerance, ties)
    misses = nearest_shares({j: d for j, d in far.items() if y[j] != y[i]}, tolerance, ties)
    return [
        mean_difference(X[i], X, misses, f, distance) - mean_difference(X[i], X, hits, f, distance)
        for f in range(len(X[i]))
    ]


def prototype_margin(x, label, centers, distance, tolerance):
    """DisM2_a: the nearest prototype of another class, over all features."""
    others = {c: pattern_distance(x, p, distance) for c, p in centers.items() if c != label}
    misses = nearest_shares(others, tolerance)
    return [
        mean_difference(x, centers, misses, f, distance)
        - mean_difference(x, centers, {label: 1.0}, f, distance)
        for f in range(len(x))
    ]


def componentwise_margin(x, label, centers, distance):
    """DisM2_b: the nearest prototype of another class, feature by feature."""
    margin = []
    for f in range(len(x)):
        others = [difference(x[f], p[f], distance) for c, p in centers.items() if c != label]
        miss = min((d for d in others if d is not None), default=0.0)
        margin.append(miss - (difference(x[f], centers[label][f], distance) or 0.0))
    return margin


def interval_relief(X, y, margin="prototype", distance="l2", ties="share", tolerance=1e-9):
    """Mean margin of every feature over all samples."""
    X = scale_intervals(X)
    centers = prototypes(X, y)
    scores = [0.0] * len(X[0])
    for i, x in enumerate(X):
        if margin == "nearest":
            terms = nearest_margin(X, y, i, distance, ties, tolerance)
        elif margin == "prototype":
            terms = prototype_margin(x, y[i], centers, distance, tolerance)
        else:
            terms = componentwise_margin(x, y[i], centers, distance)
        scores = [score + term / len(X) for score, term in zip(scores, terms, strict=True)]
    return scores


def nearest_centers(X, centers):
    """The nearest centre of every sample under the L2 norm, the lowest at ties."""
    labels = []
    for x in X:
        far = [pattern_distance(x, center, "l2") for center in centers]
        labels.append(far.index(min(far)))
    return labels


def kmeans_steps(X, centers, n_steps):
    """Steps 2 and 3 of k-means so many times: centres and labels; empty clusters stay put."""
    for _ in range(n_steps):
        labels = nearest_centers(X, centers)
        means = prototypes(X, labels)
        centers = [means.get(c, center) for c, center in enumerate(centers)]
    return centers, nearest_centers(X, centers)


def majority_accuracy(y, clusters):
    """Share of samples whose label is the most frequent one of their cluster."""
    right = 0
    for c in set(clusters):
        labels = [label for label, cluster in zip(y, clusters, strict=True) if cluster == c]
        right += max(labels.count(label) for label in set(labels))
    return right / len(y)
