"""What displays and reports tabulate, as plain loops that import nothing of ours."""

import math

from reference_evaluation import standard_error


def mean_ranks(values):
    """Ranks 1, 2, ...; equal values share their mean rank."""
    ranks = []
    for value in values:
        below = sum(other < value for other in values)
        equal = sum(other == value for other in values)
        ranks.append(below + (equal + 1) / 2)
    return ranks


def rank_correlation(first, second):
    """Spearman's rho."""
    a, b = mean_ranks(first), mean_ranks(second)
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    shared = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True))
    spread_a = sum((x - mean_a) ** 2 for x in a)
    spread_b = sum((y - mean_b) ** 2 for y in b)
    return shared / math.sqrt(spread_a * spread_b)


def overlap(first, second, n_best):
    """Common features of two sets of best ones, as a share of those in either; 1 = best rank."""
    sets = []
    for ranking in (first, second):
        order = sorted(range(len(ranking)), key=lambda f: (ranking[f], f))
        sets.append(set(order[:n_best]))
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


def quantile(values, share):
    """Between order statistics, as NumPy does by default."""
    values = sorted(values)
    place = share * (len(values) - 1)
    below = math.floor(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])


def held_out(curves, sizes, wanted=None):
    """Score of every fold at the method and size chosen on the other folds.

    ``curves[m][s][k]`` is the score of method m with ``sizes[s]`` features in fold k.
    """
    result = []
    for fold in range(len(curves[0][0])):
        others = [
            [[v for k, v in enumerate(scores) if k != fold] for scores in curve] for curve in curves
        ]
        method, place = chosen_place(others) if wanted is None else best_at(others, wanted, sizes)
        result.append(curves[method][place][fold])
    return result


def best_at(curves, wanted, sizes):
    """The method with the best mean at a number of features, and the place of that number."""
    place = sizes.index(wanted)
    means = [sum(curve[place]) / len(curve[place]) for curve in curves]
    return means.index(max(means)), place


def chosen_place(curves):
    """Method and place of the smallest set that loses little against the best of all.

    Little is one standard error, between 1 and 2 % of the best; of equally small sets the one with
    the best mean.
    """
    means = [[sum(row) / len(row) for row in curve] for curve in curves]
    top = max(max(row) for row in means)
    best = next(
        row
        for curve, each in zip(curves, means, strict=True)
        for row, mean in zip(curve, each, strict=True)
        if mean == top
    )
    found = []
    for method, curve in enumerate(curves):
        for place, row in enumerate(curve):
            losses = [a - b for a, b in zip(best, row, strict=True)]
            allowed = min(max(standard_error(losses), 0.01 * top), 0.02 * top)
            if sum(losses) / len(losses) <= allowed + 1e-12:
                found.append((place, -means[method][place], method))
    place, _, method = min(found)
    return method, place


def groups_alike(association, least):
    """Merge the two closest groups while every two of their members go together."""
    groups = [[f] for f in range(len(association))]
    while True:
        best, pair = least, None
        for a in range(len(groups)):
            for b in range(a + 1, len(groups)):
                weakest = min(association[f][g] for f in groups[a] for g in groups[b])
                if weakest > best:
                    best, pair = weakest, (a, b)
        if pair is None:
            return sorted(sorted(group) for group in groups if len(group) > 1)
        a, b = pair
        groups[a] += groups.pop(b)


def change_of(fold_score, names, name):
    """What one feature does to the mean score over the folds, and the standard error of it.

    ``fold_score(names)`` gives one score per fold.  A feature among the names is left out, another
    one is added.
    """
    other = [n for n in names if n != name] if name in names else [*names, name]
    differences = [a - b for a, b in zip(fold_score(other), fold_score(names), strict=True)]
    return sum(differences) / len(differences), standard_error(differences)


def forward_folds(time, n_folds, groups=None):
    """Rows sorted by time, cut into ``n_folds + 1`` parts; a part is judged after those before.

    A row belongs to the part in which the middle of the rows of its time lies; parts without rows
    do not count.
    """
    n = len(time)
    twice = [2 * sum(other < t for other in time) + sum(other == t for other in time) for t in time]
    part = [place * (n_folds + 1) // (2 * n) for place in twice]
    folds = []
    for judged in sorted(set(part))[1:]:
        test = [i for i in range(n) if part[i] == judged]
        train = [i for i in range(n) if part[i] < judged]
        if groups is not None:
            seen = {groups[i] for i in test}
            train = [i for i in train if groups[i] not in seen]
        folds.append((train, test))
    return folds


def own_label_means(labels, outcomes, n_parts=5, shrinkage=10.0):
    """The k-th row of a label is in part k modulo ``n_parts``; its number is the mean outcome of
    the label over rows of other parts, with ``shrinkage`` rows of their overall mean added."""
    part = [labels[:i].count(label) % n_parts for i, label in enumerate(labels)]
    numbers = []
    for i, label in enumerate(labels):
        others = [j for j in range(len(labels)) if part[j] != part[i]]
        overall = sum(outcomes[j] for j in others) / len(others)
        same = [outcomes[j] for j in others if labels[j] == label]
        numbers.append((sum(same) + shrinkage * overall) / (len(same) + shrinkage))
    return numbers
