"""Orders of features: the paper's figures, and random samples with and without ties and gaps."""

import numpy as np


def from_orders(names, orders):
    """Ranks of the features, from feature orders as the paper prints them."""
    return np.array([[order.index(name) + 1.0 for name in names] for order in orders])


FIGURE_1 = np.array([[20, 40, 65, 33], [20, 40, 65, 33], [50, 25, 55, 99], [88, 76, 10, 60.0]])
FIGURE_5 = from_orders(
    "abcdef",
    ["afecbd", "afbced", "afebdc", "fdcbea", "bfceda", "fdceab", "cbefda", "ecfdba", "ecfdba"],
)
CLASSES_5 = np.repeat([1, 2, 3], 3)
FIGURE_14 = from_orders("wxyz", ["wxyz", "xwzy", "yxzw", "wzyx"])
CLASSES_14 = np.repeat([1, 2], 2)


def draw(seed, max_features=12):
    """Samples without ties, with ties, or with ties and gaps, by the seed."""
    rng = np.random.default_rng(seed)
    n, n_classes = int(rng.integers(2, max_features + 1)), int(rng.integers(2, 4))
    m = int(rng.integers(2 * n_classes, 12))
    X = rng.random((m, n)) if seed % 3 == 0 else rng.integers(0, 5, (m, n)).astype(float)
    if seed % 3 == 2:
        X[rng.random((m, n)) < 0.25] = np.nan
        X[np.isnan(X).all(axis=1), 0] = 1
    return X, rng.permutation(np.arange(m) % n_classes)
