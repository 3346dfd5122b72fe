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


def held_out(models, sizes, wanted=None, limits=None):
    """Score of every fold with the model, method and size chosen on the other folds; guess 0.

    ``models[e][m][s][k]`` is the score of model e and method m with ``sizes[s]`` features in fold
    k; ``limits[k]`` is how many features the ranking of fold k finds worth keeping.
    """
    result = []
    for fold in range(len(models[0][0][0])):
        others = [
            [[[v for k, v in enumerate(row) if k != fold] for row in curve] for curve in curves]
            for curves in models
        ]
        model = best_model(others, sizes, wanted)
        limit = None if limits is None else limits[fold]
        if wanted is None:
            method, place = chosen_place(deciding(others, model), sizes, limit, others[model])
        else:
            place = sizes.index(wanted)
            means = [average(curve[place]) for curve in others[model]]
            method = means.index(max(means))
        result.append(models[model][method][place][fold])
    return result


def average(values):
    return sum(values) / len(values)


def best_row(curves, sizes, wanted=None):
    """Scores of the folds with the best method and size."""
    rows = [row for curve in curves for row in curve]
    if wanted is not None:
        rows = [curve[sizes.index(wanted)] for curve in curves]
    means = [average(row) for row in rows]
    return rows[means.index(max(means))]


def best_model(models, sizes, wanted=None):
    means = [average(best_row(curves, sizes, wanted)) for curves in models]
    return means.index(max(means))


def deciding(models, model):
    """Mean curves over the models whose best is within one standard error of the best of all."""
    best = best_row(models[model], None)
    close = []
    for number, curves in enumerate(models):
        losses = [a - b for a, b in zip(best, best_row(curves, None), strict=True)]
        if number == model or average(losses) <= standard_error(losses) + 1e-12:
            close.append(curves)
    return [
        [
            [average([curves[m][s][k] for curves in close]) for k in range(len(row))]
            for s, row in enumerate(curve)
        ]
        for m, curve in enumerate(models[model])
    ]


def own_place(curve, sizes, limit, scored):
    """Where one method stops: the fewest that lose little, and no more than the limit.

    Little is one standard error, between 1 and 2 % of the best.  With a limit it is 0.5 %; more
    than the limit, up to twice, are kept if better by one standard error with the best model.
    """
    least, most = (0.01, 0.02) if limit is None else (0.005, 0.005)
    means = [average(row) for row in curve]
    best = next(row for row, mean in zip(curve, means, strict=True) if mean >= max(means) - 1e-12)
    place = 0
    while True:
        losses = [a - b for a, b in zip(best, curve[place], strict=True)]
        gain = max(average(best), 0)
        if average(losses) <= min(max(standard_error(losses), least * gain), most * gain) + 1e-12:
            break
        place += 1
    if limit is None or sizes[place] <= limit:
        return place
    smaller = max([s for s, size in enumerate(sizes) if size <= limit], default=0)
    if sizes[place] > 2 * limit:
        return smaller
    gains = [a - b for a, b in zip(scored[place], scored[smaller], strict=True)]
    return place if average(gains) > standard_error(gains) + 1e-12 else smaller


def chosen_place(curves, sizes, limit, scored):
    """Method and place of the answer.

    The first method that loses at most 1 % of the best, or not clearly (t test, 5 %), against the
    best of all; and the smallest choice that is no worse than it.
    """
    places = [
        own_place(curve, sizes, limit, row) for curve, row in zip(curves, scored, strict=True)
    ]
    rows = [curve[place] for curve, place in zip(curves, places, strict=True)]
    means = [average(row) for row in rows]
    top = max(means)
    reference = rows[min((p, m) for m, p in enumerate(places) if means[m] == top)[1]]
    first = None
    for method, row in enumerate(rows):
        losses = [a - b for a, b in zip(reference, row, strict=True)]
        gain = max(average(reference), 0)
        error = standard_error(losses)
        allowed = min(max(error, 0.01 * gain), 0.02 * gain)
        student = {4: 2.131846786}[len(losses) - 1]  # 95 %
        clear = average(losses) > student * error + 1e-12
        if first is None and (average(losses) <= allowed + 1e-12 or not clear):
            first = method
    best = first
    for method in range(len(curves)):
        if places[method] < places[best] and means[method] >= means[first]:
            best = method
    return best, places[best]


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
