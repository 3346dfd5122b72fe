"""Data of section 4.1 of the O-ReliefF paper, whose scatter plot (Fig. 3) is all it says."""

import numpy as np


def monotone_and_not(n_per_class, seed, n_noise=50):
    """Three classes: feature 0 rises with the class, feature 1 separates them but does not.

    Class means 0.2, 0.5, 0.8 in feature 0 and 0.5, 0.8, 0.2 in feature 1, spread 0.1; the
    others are uniform on [0, 1].
    """
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], n_per_class)
    X = rng.random((len(y), 2 + n_noise))
    X[:, 0] = rng.normal(np.array([0.2, 0.5, 0.8])[y], 0.1)
    X[:, 1] = rng.normal(np.array([0.5, 0.8, 0.2])[y], 0.1)
    return X, y
