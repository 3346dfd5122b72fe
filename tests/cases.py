"""Random samples of every awkward kind, for comparisons with the reference."""

from dataclasses import dataclass

import numpy as np

KINDS = ("random", "likert", "uneven", "binary", "constant")


@dataclass
class Case:
    X: np.ndarray
    y: np.ndarray
    nominal: np.ndarray
    k: int

    @property
    def lists(self):
        """X, y and the nominal mask as the reference takes them."""
        return self.X.tolist(), self.y.tolist(), self.nominal.tolist()


def draw_case(seed, *, missing=None, nominal=None, n_classes=None, max_samples=45):
    """A small data set; its kind, size and gaps follow from the seed."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    m, p = int(rng.integers(6, max_samples)), int(rng.integers(1, 9))
    X = {
        "random": lambda: rng.normal(size=(m, p)),
        "likert": lambda: rng.integers(1, 6, (m, p)).astype(float),
        "uneven": lambda: rng.integers(0, 7, (m, p)) * 0.1,
        "binary": lambda: rng.integers(0, 2, (m, p)).astype(float),
        "constant": lambda: np.where(rng.random(p) < 0.5, 3.0, rng.random((m, p))),
    }[kind]()
    share = rng.choice([0, 0.4, 1]) if nominal is None else nominal
    is_nominal = rng.random(p) < share
    X[:, is_nominal] = rng.integers(0, 3, (m, is_nominal.sum()))
    gaps = rng.choice([0, 0.05, 0.4]) if missing is None else missing
    X[rng.random((m, p)) < gaps] = np.nan
    y = rng.integers(0, n_classes or rng.integers(2, 5), m)
    y[:2] = 0, 1
    return Case(X, y, is_nominal, int(rng.integers(1, 12)))
