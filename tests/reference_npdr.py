"""NPDR once more, as plain loops from its definition: pairs, least squares, Newton.

Nothing is imported from echelon.  ``apart`` says how far two outcomes lie apart.  A regression is a
list of rows (weight, outcome difference, [1, feature's difference, covariates' differences]).
"""

import math

from reference import difference, places, scale_columns
from reference_margin import distances, in_reach, moments


def neighbour_pairs(X, k, nominal, metric, ties):
    """(sample, neighbour, share) of all samples; k None: MultiSURF's radius."""
    found = []
    for i in range(len(X)):
        far = distances(X, i, nominal, metric)
        if k is None:
            mean, deviation = moments(list(far.values()))
            near = dict.fromkeys(in_reach(far, mean - deviation / 2, -1), 1.0)
        else:
            near = places(far, k, ties, 1e-9)
        found += [(i, j, share) for j, share in near.items()]
    return found


def fixed_part(covariates, nominal, i, j):
    """1 and the differences in the covariates."""
    return [1.0, *(difference(a, b, c) for a, b, c in zip(covariates[i], covariates[j], nominal,
                                                         strict=True))]  # fmt: skip


def regressions(X, y, k, apart, nominal, metric, ties, covariates, fixed_nominal):
    """The rows of every feature's regression, with the pair they come from."""
    X, covariates = scale_columns(X, nominal), scale_columns(covariates, fixed_nominal)
    pairs = neighbour_pairs(X, k, nominal, metric, ties)
    for f in range(len(X[0])):
        rows = []
        for i, j, share in pairs:
            d = difference(X[i][f], X[j][f], nominal[f])
            if d is not None:
                one, *others = fixed_part(covariates, fixed_nominal, i, j)
                rows.append((share, apart(y[i], y[j]), [one, d, *others], (i, j)))
        yield rows


def solved(matrix, right):
    """Gauss's elimination."""
    n = len(matrix)
    rows = [[*matrix[i], right[i]] for i in range(n)]
    for c in range(n):
        best = max(range(c, n), key=lambda r: abs(rows[r][c]))
        rows[c], rows[best] = rows[best], rows[c]
        for r in range(n):
            if r != c:
                step = rows[r][c] / rows[c][c]
                rows[r] = [a - step * b for a, b in zip(rows[r], rows[c], strict=True)]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def products(rows, weights):
    """Weighted sums of products of all entries of the design."""
    p = len(rows[0][2])
    return [[sum(w * x[a] * x[b] for w, (_, _, x, _) in zip(weights, rows, strict=True))
             for b in range(p)] for a in range(p)]  # fmt: skip


def least_squares(rows):
    """Slope of the feature, and its standard error."""
    weights = [g for g, *_ in rows]
    matrix, p = products(rows, weights), len(rows[0][2])
    slopes = solved(matrix, [sum(g * d * x[a] for g, d, x, _ in rows) for a in range(p)])
    left = sum(g * (d - sum(s * v for s, v in zip(slopes, x, strict=True))) ** 2
               for g, d, x, _ in rows)  # fmt: skip
    free = max(sum(weights) - p, 1.0)
    inverse = solved(matrix, [float(a == 1) for a in range(p)])
    return slopes[1], math.sqrt(left / free * inverse[1])


def logistic(rows, steps=60):
    """The same for outcomes 0 and 1 by Newton's method."""
    p = len(rows[0][2])
    slopes = [0.0] * p
    for _ in range(steps):
        chance = [1 / (1 + math.exp(-sum(s * v for s, v in zip(slopes, x, strict=True))))
                  for _, _, x, _ in rows]  # fmt: skip
        matrix = products(rows, [g * q * (1 - q) for q, (g, *_) in zip(chance, rows, strict=True)])
        pull = [sum(g * (d - q) * x[a] for q, (g, d, x, _) in zip(chance, rows, strict=True))
                for a in range(p)]  # fmt: skip
        slopes = [s + t for s, t in zip(slopes, solved(matrix, pull), strict=True)]
    return slopes[1], math.sqrt(solved(matrix, [float(a == 1) for a in range(p)])[1])


def less_its_fit(rows, values):
    """Values less their least squares on 1 and the covariates."""
    designs = [[x[0], *x[2:]] for _, _, x, _ in rows]
    p = len(designs[0])
    matrix = [[sum(g * x[a] * x[b] for (g, *_), x in zip(rows, designs, strict=True))
               for b in range(p)] for a in range(p)]  # fmt: skip
    right = [sum(g * v * x[a] for (g, *_), v, x in zip(rows, values, designs, strict=True))
             for a in range(p)]  # fmt: skip
    slopes = solved(matrix, right)
    return slopes, [v - sum(s * c for s, c in zip(slopes, x, strict=True))
                    for v, x in zip(values, designs, strict=True)]  # fmt: skip
