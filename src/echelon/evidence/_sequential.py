"""Knockoffs of a table of mixed columns, drawn one feature after the other.

A knockoff of a feature is drawn from what the other features *and the knockoffs drawn before* say
of it, as if it were not known (sequential conditional independent pairs, [1]_).  Exchanging a
feature with its knockoff then leaves the distribution of all columns what it is.

The conditional models are those of ``_conditional``; their ridge regressions grow by one column at
a time.

.. [1] E. Candès, Y. Fan, L. Janson, J. Lv, "Panning for gold: model-X knockoffs for high
   dimensional controlled variable selection", Journal of the Royal Statistical Society B 80, 2018,
   algorithm 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from echelon.data import Data
from echelon.evidence._conditional import (
    NOMINAL,
    PENALTIES,
    Conditionals,
    Encoded,
    Feature,
    encode,
)


class SequentialKnockoffs:
    """Draws knockoffs of a table.

    Parameters
    ----------
    data : Data
        Features of any kind.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.data import read_columns
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> X[:, 1] += X[:, 0]
    >>> sampler = SequentialKnockoffs(read_columns(X))
    >>> rows = sampler.draw(np.random.RandomState(0))
    >>> knockoffs = np.take_along_axis(X, rows, axis=0)
    >>> both = np.corrcoef(np.hstack([X, knockoffs]).T).round(1)
    >>> both[0, 1], both[0, 4], both[3, 1], both[3, 4]  # features and knockoffs change places
    (np.float64(0.7), np.float64(0.7), np.float64(0.7), np.float64(0.7))
    """

    def __init__(self, data: Data) -> None:
        self.encoded: Encoded = encode(data)

    def draw(self, random_state: Any) -> np.ndarray:
        """Row of the table from which every value of the knockoffs is taken.

        Values are those of the feature in other rows, so knockoffs have its kind and its unit; a
        missing value is missing in the knockoff, too.
        """
        matrix, features = self.encoded.matrix, self.encoded.features
        rows = np.tile(np.arange(len(matrix))[:, None], len(features))
        models = GrowingConditionals(matrix)
        for f in random_state.permutation(len(features)):
            feature = features[f]
            here = np.flatnonzero(self.encoded.present[:, f])
            given = np.setdiff1d(np.arange(models.train.shape[1]), feature.block)
            drawn = models.model(feature, given).draw(models.train, random_state)[here]
            wanted, keys = _key(feature, drawn), _key(feature, matrix[here][:, feature.columns])
            rows[here, f] = here[_rows_with(wanted, keys, random_state)]
            models.append(matrix[np.ix_(rows[:, f], feature.columns)])
        return rows

    def columns(self, rows: np.ndarray) -> np.ndarray:
        """The encoded columns of features, and behind them those of knockoffs."""
        matrix = self.encoded.matrix
        copies = matrix.copy()  # of columns that mark missing values
        for f, feature in enumerate(self.encoded.features):
            copies[:, feature.columns] = matrix[np.ix_(rows[:, f], feature.columns)]
        return np.hstack([matrix, copies])


class GrowingConditionals(Conditionals):
    """Models of columns given others, of a matrix to which columns are appended."""

    def append(self, columns: np.ndarray) -> None:
        """Add columns, one by one, to the matrix and to the inverses of its Gram matrix."""
        for column in columns.T:
            self._grow(column - column.mean())
            self.train = np.column_stack([self.train, column])
            self._means = np.append(self._means, column.mean())
            self._centred = np.column_stack([self._centred, column - column.mean()])

    def _grow(self, column: np.ndarray) -> None:
        """By the inverse of a partitioned matrix: what the column adds to those before it."""
        across = self._centred.T @ column
        for k, (inverse, leverages) in enumerate(self._inverses):
            weights = inverse @ across
            left = column - self._centred @ weights
            size = column @ column + PENALTIES[k] * len(column) - across @ weights
            signed = np.append(-weights, 1.0)
            grown = np.zeros((len(signed), len(signed)))
            grown[:-1, :-1] = inverse
            grown += np.outer(signed, signed) / size
            self._inverses[k] = grown, leverages + left**2 / size


# ------------------------------------------------------------------------------ values that occur


def _key(feature: Feature, columns: np.ndarray) -> np.ndarray:
    """One number per value: its score, or its label."""
    return columns.argmax(axis=1) if feature.kind == NOMINAL else columns[:, 0]


def _rows_with(wanted: np.ndarray, keys: np.ndarray, random_state: Any) -> np.ndarray:
    """For every key a random one of those equal to it, or else the nearest."""
    order = np.argsort(keys, kind="stable")
    along = keys[order]
    low = np.searchsorted(along, wanted, side="left")
    n_equal = np.searchsorted(along, wanted, side="right") - low
    low = low + (random_state.uniform(size=len(wanted)) * n_equal).astype(int)
    low = np.clip(low, 0, len(along) - 1)
    below = np.maximum(low - 1, 0)
    nearer = (n_equal == 0) & (wanted - along[below] < along[low] - wanted)
    return order[np.where(nearer, below, low)]
