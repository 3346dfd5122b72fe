"""Permutation moments of Relief scores once more, as plain loops over pairs and permutations.

Nothing is imported from echelon.  A graph is a list of slots: (query, coefficient, direction,
{neighbour: share}); the weights of a feature with gaps follow from the samples that have it.
"""

import itertools
import random

from reference import difference, is_missing


def score(slots, column, *, nominal=False, ordered=False):
    """The score of a column, from the definition: coefficients times means over neighbours."""
    total = 0.0
    for query, coef, direction, shares in slots:
        weight = there = 0.0
        for j, share in shares.items():
            d = difference(column[query], column[j], nominal)
            if d is not None:
                if direction and ordered:
                    d = direction * (column[j] - column[query])
                weight += share * d
                there += share
        total += coef * weight / there if there > 0 else 0.0
    return total


def permuted(column, order):
    """The column with the values of the samples that have it in another order."""
    places = [i for i, x in enumerate(column) if not is_missing(x)]
    result = list(column)
    for i, j in zip(places, order, strict=True):
        result[i] = column[places[j]]
    return result


def exact_moments(slots, column, **kind):
    """Mean, variance and third central moment over all permutations, one after the other."""
    n = sum(not is_missing(x) for x in column)
    found = [score(slots, permuted(column, o), **kind) for o in itertools.permutations(range(n))]
    mean = sum(found) / len(found)
    return mean, *(sum((s - mean) ** power for s in found) / len(found) for power in (2, 3))


def sampled_moments(slots, column, n_permutations, seed, **kind):
    """The same over some permutations."""
    n = sum(not is_missing(x) for x in column)
    draw = random.Random(seed)
    found = [
        score(slots, permuted(column, draw.sample(range(n), n)), **kind)
        for _ in range(n_permutations)
    ]
    mean = sum(found) / len(found)
    return mean, sum((s - mean) ** 2 for s in found) / (len(found) - 1)


def contrast(pairs, column, classes, apart, nominal):
    """Class distance times difference less its mean, over pairs; its variance and third moment.

    Classes are permuted among the samples that have the feature, in all ways; the mean is 0.
    """
    gaps = {
        (i, j): difference(column[i], column[j], nominal)
        for i, j in pairs
        if not is_missing(column[i]) and not is_missing(column[j])
    }
    weight = sum(pairs[pair] for pair in gaps)
    if not weight:
        return 0.0, 0.0, 0.0
    mean = sum(pairs[pair] * gap for pair, gap in gaps.items()) / weight
    there = [i for i, x in enumerate(column) if not is_missing(x)]
    found = []
    for order in itertools.permutations(there):
        label = {i: classes[k] for i, k in zip(there, order, strict=True)}
        found.append(
            sum(pairs[i, j] * apart[label[i]][label[j]] * (d - mean) for (i, j), d in gaps.items())
        )
    assert abs(sum(found)) < 1e-9 * len(found)
    return found[0], *(sum(total**power for total in found) / len(found) for power in (2, 3))
