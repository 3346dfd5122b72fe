"""Reinforcement factors as plain loops over pairs of neighbours (Robnik-Sikonja, Vanhoof 2007).

Nothing is imported from echelon.
"""

import reference


def neighbours(X, nominal, k, metric, ties):
    """{neighbour: share} for every sample, of any class."""
    scaled = reference.scale_columns(X, nominal)
    found = []
    for i in range(len(X)):
        distances = {
            j: reference.distance(scaled[i], scaled[j], nominal, metric)
            for j in range(len(X))
            if j != i
        }
        found.append(reference.places(distances, k, ties, 1e-9))
    return found


def step(origin, to):
    return (to > origin) - (to < origin)


def factors(column, y, found, wanted):
    """Of the steps up (1), down (-1) or none (0) to a value, the share the outcome takes too."""
    pairs, agreeing = {}, {}
    for i, shares in enumerate(found):
        for j, share in shares.items():
            if column[i] != column[i] or column[j] != column[j]:
                continue
            if step(column[j], column[i]) == wanted:
                for value in (column[i], "all"):
                    pairs[value] = pairs.get(value, 0) + share
                    if step(y[j], y[i]) == wanted:
                        agreeing[value] = agreeing.get(value, 0) + share
    return {value: agreeing.get(value, 0) / total for value, total in pairs.items() if total > 0}
