"""Outcomes less what covariates explain, sample by sample, for tests that hold covariates fixed.

If an outcome follows covariates, and a feature does, both go together though neither makes the
other.  What is left of the outcome knows nothing of the covariates, and may be permuted among the
samples (Freedman and Lane 1983); ``_label_moments`` does so without permuting.  Numbers, and codes
of ordered classes: r = y less its least squares, and |r_i - r_j| in place of |y_i - y_j|.  Classes
without an order: r has an entry for every class, 1 or 0 less its probability by a logistic
regression, in units of its deviation; and -r_i r_j in place of 0 or 1, which has mean 0 and the
same variance for all pairs, however likely their classes were.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from echelon.margin._differences import NO_SUMS, ColumnSums
from echelon.margin._moments import WeightSums
from echelon.margin._third_moments import NOTHING, ThirdSums, centred

PENALTY, STEPS, LEAST = 1e4, 1000, 0.01
"""Of the logistic regression: the inverse of its penalty, its steps; and the least deviation."""


def effects(values: np.ndarray, n_numeric: int) -> np.ndarray:
    """What outcomes may depend on: numbers and their squares, and every code but one."""
    numbers, codes = np.split(values.T, [n_numeric])
    columns = [power for x in numbers for power in (x, x * x)]
    columns += [(x == c) * 1.0 for x in codes for c in np.unique(x)[1:]]
    return np.stack([np.ones(len(values)), *columns], axis=1)


def number_residuals(y: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Numbers less their least squares."""
    return y - by @ np.linalg.lstsq(by, y, rcond=None)[0]


class ClassResiduals(NamedTuple):
    """Entries of every sample, one for each class."""

    values: np.ndarray

    @classmethod
    def of(cls, classes: np.ndarray, by: np.ndarray) -> ClassResiduals:
        """From class codes, all of which occur."""
        model = LogisticRegression(C=PENALTY, max_iter=STEPS).fit(by[:, 1:], classes)
        p = model.predict_proba(by[:, 1:])
        deviation = np.sqrt(np.maximum((p * (1 - p)).sum(axis=1), LEAST**2))
        rest = (np.eye(p.shape[1])[classes] - p) / deviation[:, None]
        return cls(rest - rest.mean(axis=0))

    def of_pairs(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """-r_i r_j of pairs of rows."""
        return -np.einsum("pk,pk->p", self.values[rows], self.values[others])

    def sums(self, which: Any) -> tuple[ColumnSums, ThirdSums]:
        """Sums over all pairs of some samples, from sums over samples."""
        r = self.values[which]
        n = len(r)
        if n < 2:
            return NO_SUMS, NOTHING
        products, own = r.T @ r, (r * r).sum(axis=1)
        around = np.einsum("ik,kl,il->i", r, products, r)
        rows, squares = own - r @ r.sum(axis=0), around - own**2
        cubes = np.einsum("ik,il,im->klm", r, r, r)
        centre = rows - rows.mean()
        pulled = centre @ r
        thirds = centred(
            n,
            rows,
            squares,
            -float((cubes**2).sum() - (own**3).sum()),
            -float(pulled @ pulled - centre**2 @ own),
            -float(np.trace(products @ products @ products) - 3 * own @ around + 2 * own @ own**2),
        )
        sums = WeightSums.of(rows, float(squares.sum()))
        return ColumnSums(sums.a0, sums.a1, sums.a2, 0.0, 0.0), thirds
