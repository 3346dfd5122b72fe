"""Evaluation as plain loops, importing nothing of ours."""

import math
from itertools import pairwise
from statistics import mean, stdev


def curve(rank, score, folds, sizes):
    """Scores by size and fold: rank(train) -> order, score(train, test, features) -> float."""
    rows = [[] for _ in sizes]
    for train, test in folds:
        order = rank(train)
        for row, size in zip(rows, sizes, strict=True):
            row.append(score(train, test, sorted(order[:size])))
    return rows


def best_size(sizes, scores):
    means = [mean(row) for row in scores]
    for size, value in zip(sizes, means, strict=True):
        if value >= max(means) - 1e-12:
            return size
    return None


def standard_error(values, share=None):
    """Nadeau and Bengio 2003; every sample tested once unless the share of the test is given."""
    k = len(values)
    if k < 2:
        return 0.0
    share = 1 / (k - 1) if share is None else share
    return stdev(values) * math.sqrt(1 / k + share)


def one_se_size(sizes, scores, share=None):
    """The smallest size whose loss against the best, fold by fold, is within one standard error."""
    best = scores[sizes.index(best_size(sizes, scores))]
    for size, row in zip(sizes, scores, strict=True):
        losses = [a - b for a, b in zip(best, row, strict=True)]
        if mean(losses) <= standard_error(losses, share) + 1e-12:
            return size
    return None


def beats_guessing(sizes, scores, codes, folds, rule):
    """Whether every fold, at the size the others choose, gains over the best constant class.

    Scores are mean absolute errors of codes, negated; one-sided t test of 5 %.
    """
    quantiles = {1: 6.314, 2: 2.920, 3: 2.353, 4: 2.132}  # Student's t, 95 %
    share = mean(len(test) / len(train) for train, test in folds)
    choose = best_size if rule == "best" else lambda *given: one_se_size(*given, share)
    held_out = []
    for fold in range(len(folds)):
        others = [row[:fold] + row[fold + 1 :] for row in scores]
        held_out.append(scores[sizes.index(choose(sizes, others))][fold])
    median = sorted(codes)[len(codes) // 2]
    guesses = [
        [-rank_loss([codes[i] for i in test], [guess] * len(test), 1) for _, test in folds]
        for guess in {median, max(sorted(set(codes)), key=codes.count)}
    ]
    best = max(guesses, key=mean)
    gains = [a - b for a, b in zip(held_out, best, strict=True)]
    return mean(gains) > quantiles[len(gains) - 1] * standard_error(gains, share)


def rank_loss(known, predicted, p):
    total = 0.0
    for y, k in zip(known, predicted, strict=True):
        total += 0 if y == k else abs(y - k) ** p
    return total / len(known)


def macro_mean_absolute_error(known, predicted):
    errors = {}
    for y, k in zip(known, predicted, strict=True):
        errors.setdefault(y, []).append(abs(y - k))
    return mean(mean(each) for each in errors.values())


def f_measure(relevant, support):
    both = sum(r and s for r, s in zip(relevant, support, strict=True))
    if sum(relevant) == sum(support) == 0:
        return 1.0
    if both == 0:
        return 0.0
    precision, recall = both / sum(support), both / sum(relevant)
    return 2 * precision * recall / (precision + recall)


def class_probabilities(above):
    """Of every sample, from its probabilities of being above each threshold."""
    rows = []
    for answers in above:
        edges = [1.0, *answers, 0.0]
        shares = [max(0.0, high - low) for high, low in pairwise(edges)]
        rows.append([share / sum(shares) for share in shares])
    return rows


def stability(sets):
    """Nogueira, Sechidis and Brown (2018), definition 4 and theorem 7: index and variance."""
    m, d = len(sets), len(sets[0])
    frequency = [sum(row[f] for row in sets) / m for f in range(d)]
    sizes = [sum(row) for row in sets]
    k = sum(sizes) / m
    spread = sum(m / (m - 1) * p * (1 - p) for p in frequency) / d
    chance = k / d * (1 - k / d)
    index = 1 - spread / chance
    parts = []
    for row, size in zip(sets, sizes, strict=True):
        agreement = sum(z * p for z, p in zip(row, frequency, strict=True)) / d
        correction = 2 * size * k / d**2 - size / d - k / d + 1
        parts.append((agreement - size * k / d**2 + index / 2 * correction) / chance)
    centre = sum(parts) / m
    return index, 4 / m**2 * sum((part - centre) ** 2 for part in parts)


def standardised(scores, null):
    """Observed and permuted rows as z-scores.

    Mean and deviation are those of a column over all rows but its largest value, or over all rows
    if only the largest differs.
    """
    rows = [list(scores), *(list(row) for row in null)]
    units = []
    for f in range(len(scores)):
        column = sorted(row[f] for row in rows)
        kept = column if column[0] == column[-2] else column[:-1]
        units.append((mean(kept), stdev(kept)))
    return [[(value - units[f][0]) / units[f][1] for f, value in enumerate(row)] for row in rows]


def family_p_values(scores, null):
    """(1 + permutations whose largest z-score reaches the feature's) / (1 + permutations)."""
    observed, *permuted = standardised(scores, null)
    largest = [max(row) + 1e-9 for row in permuted]
    return [(1 + sum(top >= z for top in largest)) / (1 + len(null)) for z in observed]


def pooled_p_values(scores, null):
    """The same with the z-scores of all features of all permutations."""
    observed, *permuted = standardised(scores, null)
    pool = [z + 1e-9 for row in permuted for z in row]
    return [(1 + sum(other >= z for other in pool)) / (1 + len(pool)) for z in observed]


def benjamini_hochberg(p_values, rate):
    """Mask of the rejected hypotheses."""
    ordered, n = sorted(p_values), len(p_values)
    limit = -1.0
    for k, p in enumerate(ordered, start=1):
        if p <= k * rate / n:
            limit = p
    return [p <= limit for p in p_values]


def violations(X, y):
    """Counts of (pairs in order, against it) per feature and together, and of equal rows.

    Rows with a higher class should be at least as large; NaN leaves a feature out of a pair.
    """
    p = len(X[0])
    features, together, equal = [[0, 0] for _ in range(p)], [0, 0], 0
    for i in range(len(X)):
        for j in range(len(X)):
            if y[i] >= y[j]:
                continue
            gaps = [b - a for a, b in zip(X[i], X[j], strict=True)]
            for f, gap in enumerate(gaps):
                features[f][0] += gap > 0
                features[f][1] += gap < 0
            there = [gap for gap in gaps if gap == gap]
            if not there:
                continue
            rises, falls = any(gap > 0 for gap in there), any(gap < 0 for gap in there)
            together[0] += rises and not falls
            together[1] += falls and not rises
            equal += not rises and not falls
    return features, together, equal


def wilson(successes, n, z=1.959963984540054):
    """Wilson's confidence interval of a share."""
    share = successes / n
    centre = share + z * z / (2 * n)
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (centre - spread) / (1 + z * z / n), (centre + spread) / (1 + z * z / n)


# ----------------------------------------------------------------------- forests of ordered classes


def ordinal_gini(classes, n_classes):
    """Sum over thresholds of C (1 - C), C the share of samples up to a class."""
    total = 0.0
    for q in range(n_classes - 1):
        share = sum(c <= q for c in classes) / len(classes)
        total += share * (1 - share)
    return total


def forest_shares(leaves, classes, weights, n_classes):
    """Mean over trees of the weighted shares of the classes in the leaf of every sample."""
    n = len(classes)
    result = [[0.0] * n_classes for _ in range(n)]
    for tree in leaves:
        for i in range(n):
            mates = [j for j in range(n) if tree[j] == tree[i]]
            total = sum(weights[j] for j in mates)
            for j in mates:
                result[i][classes[j]] += weights[j] / total / len(leaves)
    return result


def median_class(shares):
    """The lowest class up to which the shares add up to one half."""
    below = 0.0
    for c, share in enumerate(shares):
        below += share
        if below >= 0.5 - 1e-12:
            return c
    return len(shares) - 1


def group_order(ranks, groups, first=(), last=()):
    """Groups by their best feature; those of ``first`` before, those all in ``last`` behind."""

    def place(group):
        members = [f for f in range(len(ranks)) if groups[f] == group]
        kept = any(f in first for f in members)
        return not kept, min((f in last and not kept, ranks[f]) for f in members)

    return sorted(set(groups), key=place)
