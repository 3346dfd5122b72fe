"""Fusion of rankings as plain loops; imports nothing of ours."""

from statistics import median


def places(ranks):
    """Place of every feature, 0 = first; equal ranks share the mean of their places."""
    result = []
    for rank in ranks:
        before = sum(other < rank for other in ranks)
        same = sum(other == rank for other in ranks)
        result.append(before + (same - 1) / 2)
    return result


def completed(ranks, taken, others):
    """The features taken in their order, behind them the rest in the order of others."""
    chosen = [f for f in range(len(ranks)) if taken[f]]
    rest = [f for f in range(len(ranks)) if not taken[f]]
    result = [0.0] * len(ranks)
    for group, by, first in ((chosen, ranks, 0), (rest, others, len(chosen))):
        for f, place in zip(group, places([by[f] for f in group]), strict=True):
            result[f] = first + place
    return result


def fused(each, weights, fusion, constant):
    """Scores of the features, larger is better."""
    total = sum(weights)
    scores = []
    for f in range(len(each[0])):
        column = [row[f] for row in each]
        if fusion == "reciprocal":
            scores.append(
                sum(w / (p + constant) for w, p in zip(weights, column, strict=True)) / total
            )
        elif fusion == "mean":
            scores.append(-sum(w * p for w, p in zip(weights, column, strict=True)) / total)
        else:
            repeated = [p for w, p in zip(weights, column, strict=True) for _ in range(int(w))]
            scores.append(-median(repeated) - 1e-6 * sum(repeated) / len(repeated))
    return scores
