"""Componentwise boosting on bins: one feature per round, by its shrunken bin means.

``bins`` are features by samples, bins numbered from 0; ``residual`` is outputs by samples.

The bin means of a feature are a linear map of the residuals that makes no vector longer, so the
square root of its gain changes by no more than the residuals do (with a direction: by no more
than sqrt(2) times that).  A feature whose gain, at the last look and with all changes since,
cannot reach the best of the round is not looked at.
"""

import numpy as np

from echelon.kernels import kernel

TIE = 1e-9
"""Gains that differ by less than this share are equal: copies of a feature, but for rounding."""


@kernel
def boost(bins, n_bins, ordered, directions, residual, weights, rate, shrinkage, features, curves):
    """Lower the squared error of weighted samples round by round.

    ``residual`` is changed in place.  Round t takes ``features[t]`` and moves by
    ``curves[t, output, bin]``.  Returns the number of rounds, fewer if nothing is left to gain.
    The means of the first ``ordered`` bins of a feature rise or fall if it has a direction.
    """
    p, n, k, most = bins.shape[0], bins.shape[1], residual.shape[0], curves.shape[2]
    weighted, fit, sizes = np.empty((k, n)), np.empty((k, most)), np.empty(most)
    bounds, promising, moved, least = np.empty(p), 0, 0.0, 0.0
    bounds[:] = np.inf
    for t in range(features.shape[0]):
        total = 0.0
        for j in range(k):
            for i in range(n):
                weighted[j, i] = weights[i] * residual[j, i]
                total += weighted[j, i] * residual[j, i]
        least = 1e-12 * total if t == 0 else least
        best, best_gain = -1, least
        for look in range(-1, p):
            # First the one that was best, so that most others need no look.
            f = promising if look < 0 else look
            reach = moved if directions[f] == 0 else 1.4142136 * moved
            if (bounds[f] + reach) ** 2 < best_gain * (1 - 2 * TIE):
                continue
            gain = fit_bins(
                bins[f], n_bins[f], weighted, weights, ordered[f], directions[f], shrinkage,
                sizes, fit,
            )  # fmt: skip
            bounds[f] = np.sqrt(gain) - reach
            if gain > best_gain * (1 + TIE) or (f < best and gain > best_gain * (1 - TIE)):
                best, best_gain = f, gain
                for j in range(k):
                    for b in range(n_bins[f]):
                        curves[t, j, b] = fit[j, b]
        if best < 0:
            return t
        features[t] = best
        step = 0.0
        promising = best
        for j in range(k):
            for i in range(n):
                change = rate * curves[t, j, bins[best, i]]
                residual[j, i] -= change
                step += weights[i] * change**2
        moved += np.sqrt(step)
    return features.shape[0]


@kernel
def fit_bins(bins, n_bins, weighted, weights, ordered, direction, shrinkage, sizes, fit):
    """Bin means of one feature by ridge regression, and what they lower the squared error by."""
    gain = 0.0
    sizes[:n_bins] = 0
    for i in range(bins.shape[0]):
        sizes[bins[i]] += weights[i]
    for j in range(fit.shape[0]):
        sums = fit[j]
        sums[:n_bins] = 0
        for i in range(bins.shape[0]):
            sums[bins[i]] += weighted[j, i]
        if direction != 0:
            gain += pool(sums, sizes, ordered, direction, shrinkage)
        for b in range(ordered if direction != 0 else 0, n_bins):
            mean = sums[b] / (sizes[b] + shrinkage)
            gain += mean * (2 * sums[b] - sizes[b] * mean)
            sums[b] = mean
    return gain


@kernel
def pool(sums, sizes, ordered, direction, shrinkage):
    """Sums of ordered bins become means that rise or fall; returns what they gain.

    Adjacent violators are pooled: the same ridge regression, under that condition.
    """
    start, total, weight = np.empty(ordered, np.int64), np.empty(ordered), np.empty(ordered)
    last = -1
    for b in range(ordered):
        last += 1
        start[last], total[last], weight[last] = b, sums[b], sizes[b] + shrinkage
        while (
            last > 0
            and direction * (total[last - 1] * weight[last] - total[last] * weight[last - 1]) > 0
        ):
            last -= 1
            total[last] += total[last + 1]
            weight[last] += weight[last + 1]
    gain, end = 0.0, ordered
    for group in range(last, -1, -1):
        mean = total[group] / weight[group]
        for b in range(start[group], end):
            gain += mean * (2 * sums[b] - sizes[b] * mean)
            sums[b] = mean
        end = start[group]
    return gain
