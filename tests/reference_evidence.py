"""Evidence for features as plain loops, from the definitions; imports nothing of ours."""

from math import erf, exp, log, sqrt

import numpy as np


def ridge(rows, outputs, penalty):
    """Coefficients and intercept of ridge regression; the intercept is not penalised."""
    n, p = len(rows), len(rows[0])
    mean_x = [sum(row[j] for row in rows) / n for j in range(p)]
    mean_y = sum(outputs) / n
    gram = np.zeros((p, p))
    moment = np.zeros(p)
    for row, y in zip(rows, outputs, strict=True):
        for j in range(p):
            moment[j] += (row[j] - mean_x[j]) * (y - mean_y)
            for k in range(p):
                gram[j, k] += (row[j] - mean_x[j]) * (row[k] - mean_x[k])
    weights = np.linalg.solve(gram + penalty * np.eye(p), moment)
    return weights, mean_y - sum(w * m for w, m in zip(weights, mean_x, strict=True))


def ridge_left_out(rows, outputs, penalty):
    """What ridge regression on all other rows predicts for every row; columns centred by all."""
    n, p = len(rows), len(rows[0])
    x = np.hstack([np.array(rows, float) - np.mean(rows, axis=0), np.ones((n, 1))])
    y = np.array(outputs, float)
    penalties = np.diag([penalty] * p + [0.0])  # none on the intercept
    predicted = []
    for i in range(n):
        rest = [k for k in range(n) if k != i]
        beta = np.linalg.solve(x[rest].T @ x[rest] + penalties, x[rest].T @ y[rest])
        predicted.append(x[i] @ beta)
    return np.array(predicted)


def log_likelihood(index, outcomes, intercepts, slope, penalty):
    """Of logits with one slope, less the penalty on it; the index as it is."""
    total = -0.5 * penalty * slope**2
    for x, row in zip(index, outcomes, strict=True):
        for a, is_one in zip(intercepts, row, strict=True):
            chance = 1 / (1 + exp(-(a + slope * x)))
            total += log(chance) if is_one else log(1 - chance)
    return total


def residual_statistic(own, others):
    """Sum of squared t values of all pairs of residuals, mean square, degrees of freedom."""
    rows = [i for i in range(len(own)) if any(own[i])]
    products = [
        [own[i][a] * others[i][b] for i in rows]
        for a in range(len(own[0]))
        for b in range(len(others[0]))
    ]
    n, standard, total = len(rows), [], 0.0
    for values in products:
        mean = sum(values) / n
        spread = sqrt(sum((v - mean) ** 2 for v in values) / (n - 1))
        if spread < 1e-12:
            continue
        total += n * (mean / spread) ** 2
        standard.append([(v - mean) / spread for v in values])
    squares = 0.0
    for one in standard:
        for two in standard:
            squares += (sum(v * w for v, w in zip(one, two, strict=True)) / (n - 1)) ** 2
    d = len(standard)
    return total / d, d**2 / squares, n - 1


def importance_statistic(observed, predicted, drawn):
    """Rise of the squared error with draws over its standard deviation, and the p-value."""
    rise, variance, n_draws = 0.0, 0.0, len(drawn)
    for i, outcome in enumerate(observed):
        loss = sum((y - e) ** 2 for y, e in zip(outcome, predicted[i], strict=True))
        losses = [
            sum((y - e) ** 2 for y, e in zip(outcome, draw[i], strict=True)) for draw in drawn
        ]
        mean = sum(losses) / n_draws
        rise += mean - loss
        variance += sum((each - mean) ** 2 for each in losses) / (n_draws - 1)
    z = rise / sqrt(variance * (1 + 1 / n_draws))
    return z, min(1.0, 1 - erf(z / sqrt(2)))


def wide_importance_statistic(observed, predicted, drawn):
    """Rise of the squared error over the larger of the two standard deviations, and of t."""
    z, _ = importance_statistic(observed, predicted, drawn)
    rises = []
    for i, outcome in enumerate(observed):
        loss = sum((y - e) ** 2 for y, e in zip(outcome, predicted[i], strict=True))
        losses = [
            sum((y - e) ** 2 for y, e in zip(outcome, draw[i], strict=True)) for draw in drawn
        ]
        rises.append(sum(losses) / len(losses) - loss)
    n, mean = len(rises), sum(rises) / len(rises)
    seen = sqrt(n * sum((rise - mean) ** 2 for rise in rises) / (n - 1))
    total = sum(rises)
    return min(z, total / seen, key=abs), n - 1


def as_wide_as_chance(z_scores, n_alone):
    """Normal scores over the spread of the middle one of the first, if that is larger than 1."""
    middle = sorted(abs(z) for z in z_scores[:n_alone])
    half = n_alone // 2
    square = middle[half] ** 2 if n_alone % 2 else (middle[half - 1] ** 2 + middle[half] ** 2) / 2
    ratio = max(1.0, sqrt(square) / 0.6744897501960817)  # half of normal scores are smaller
    return [z / ratio for z in z_scores]


def probability_scale_residual(above, code):
    """P(Y < y) - P(Y > y) from the probabilities of lying above each class but the highest."""
    chances = [1.0, *(min(max(p, 0.0), 1.0) for p in above), 0.0]
    shares = [chances[k] - chances[k + 1] for k in range(len(chances) - 1)]
    return sum(shares[:code]) - sum(shares[code + 1 :])


def adjusted(p_values, method):
    """Adjusted p-values from their definitions: the smallest rate at which each passes."""
    m = len(p_values)
    ranked = sorted(p_values)
    found = []
    for p in p_values:
        if method == "holm":
            value = max((m - k) * ranked[k] for k in range(m) if ranked[k] <= p)
        else:
            value = min(m * ranked[k] / (k + 1) for k in range(m) if ranked[k] >= p)
        if method == "yekutieli":
            value *= sum(1 / k for k in range(1, m + 1))
        found.append(min(value, 1.0))
    return found


def adjusted_clusters(clusters, p_values, n_units):
    """Hierarchical adjustment: every set is as large as the largest of the sets that hold it."""
    found = []
    for own in clusters:
        around = [
            min(p * n_units / len(other), 1.0)
            for other, p in zip(clusters, p_values, strict=True)
            if set(own) <= set(other)
        ]
        found.append(max(around))
    return found
