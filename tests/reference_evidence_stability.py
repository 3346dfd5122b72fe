"""Integrated path stability selection as plain loops, from the definitions of Melikechi and Miller.

Frequencies are those of the best 1, 2, ... features; sizes weigh by 1 / size.
"""


def path_score(frequencies, exponent):
    """The integral of (2 f - 1) ** exponent, where f is above one half."""
    total = weight = 0.0
    for size, frequency in enumerate(frequencies, start=1):
        if frequency > 0.5:
            total += (2 * frequency - 1) ** exponent / size
        weight += 1 / size
    return total / weight


def integral_bound(frequencies, n_pairs, exponent):
    """Theorem 1: the expected sum of scores of irrelevant features, for the three exponents."""
    total = weight = 0.0
    b = n_pairs
    for size, row in enumerate(frequencies, start=1):
        p, q = len(row), sum(row)
        bound = {
            1: q**2 / p,
            2: q**2 / (p * b) + (b - 1) * q**4 / (b * p**3),
            3: (
                q**2 / (p * b**2)
                + 3 * (b - 1) * q**4 / (p**3 * b**2)
                + (b - 1) * (b - 2) * q**6 / (p**5 * b**2)
            ),
        }[exponent]
        total += bound / size
        weight += 1 / size
    return total / weight


def expected_false_positives(bound, score, n_features):
    """Markov's inequality; at most all features."""
    return min(bound / score, n_features) if score > 0 else n_features


def q_value(false_positives, feature):
    """The smallest ratio of expected false positives to features selected, with this one in."""
    possible = [limit for limit in false_positives if limit >= false_positives[feature]]
    ratios = [limit / sum(each <= limit for each in false_positives) for limit in possible]
    return min(1.0, *ratios)
