"""The Kendall kernel: how many more pairs of features two samples order alike than oppositely."""

from __future__ import annotations

import numpy as np


def kendall_kernel(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Pairs of features ordered alike less those ordered oppositely, for every two samples.

    Parameters
    ----------
    a, b : ndarray of int, shape (n_samples, n_features)
        Codes as of :func:`~echelon.rankorder._orders.order_codes`.

    Notes
    -----
    The inner product of the orders of all pairs, as 1, -1 and 0 (tied or unknown); feature after
    feature, so that these columns are never held.
    """
    kernel = np.zeros((len(a), len(b)))
    for i in range(a.shape[1] - 1):
        # Sums of at most n_features ones: exact in single precision.
        kernel += _signs(a, i) @ _signs(b, i).T
    return kernel


def squared_norms(codes: np.ndarray) -> np.ndarray:
    """The kernel of every sample with itself: its pairs whose order is known and no tie."""
    m, n = codes.shape
    cells = np.arange(m)[:, None] * n + codes
    tied = np.bincount(cells[codes >= 0], minlength=m * n).reshape(m, n)
    known = (codes >= 0).sum(axis=1)
    return (known * (known - 1) - (tied * (tied - 1)).sum(axis=1)) / 2


def normalised(kernel: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Kendall's tau-b, from the kernel and squared norms; 0 for samples without any order."""
    return kernel / np.sqrt(np.maximum(a, 1)[:, None] * np.maximum(b, 1))


def _signs(codes: np.ndarray, i: int) -> np.ndarray:
    one, others = codes[:, [i]].astype(np.float32), codes[:, i + 1 :]
    return np.sign(others - one) * ((others >= 0) & (one >= 0))
