"""Rank mutual information: how much of the order of one variable another one tells ([1]_).

For sample i, A_i are the samples with at least its value, and D_i those with at least its value of
the other variable.  The mean over samples of log2(n |A_i and D_i| / (|A_i| |D_i|)) is about 0 if
neither tells of the other, and largest if both have the same order.

.. [1] Q. Hu, X. Che, L. Zhang, D. Zhang, M. Guo, D. Yu, "Rank entropy-based decision trees for
   monotonic classification", IEEE Transactions on Knowledge and Data Engineering 24, 2012.
"""

from __future__ import annotations

import numpy as np

from echelon.filters._association import Block, blocks_of, sorted_block
from echelon.filters._logs import plain_log_table
from echelon.kernels.ranks import rank_information
from echelon.validation import Columns


def turned(codes: np.ndarray) -> np.ndarray:
    """Codes in the opposite order; missing ones, which are negative, stay so."""
    return np.where(codes < 0, codes, codes.max(initial=0) - codes)


class RankInformation:
    """Rank mutual information of every feature with another variable.

    Parameters
    ----------
    columns : Columns
        Features, all numeric.  Samples in which one is missing do not count for it.
    directions : ndarray of shape (n_features,)
        1 for features that rise with the variable, -1 for those that fall; 0: the larger of both.
    descending : bool
        Whether A and D are the samples with at most a value instead of at least.
    """

    def __init__(self, columns: Columns, directions: np.ndarray, *, descending: bool):
        self._descending = descending
        self._n_features = len(directions)
        signs = np.where(directions == 0, 1, directions) * (-1 if descending else 1)
        everything = np.arange(len(directions))
        self._upright = _blocks(columns, everything, signs)
        self._reversed = _blocks(columns, everything[directions == 0], -signs)

    def of(self, codes: np.ndarray, direction: int = 1) -> np.ndarray:
        """With a variable, in bits.

        Parameters
        ----------
        codes : ndarray of int, shape (n_samples,)
            The variable as 0, 1, ..., negative where missing.
        direction : {1, -1, 0}, default=1
            As ``directions``, of the variable.
        """
        ways = (1, -1) if direction == 0 else (direction,)
        rising = -1 if self._descending else 1
        found = [self._with(codes if way == rising else turned(codes)) for way in ways]
        return np.max(found, axis=0)

    def _with(self, codes: np.ndarray) -> np.ndarray:
        found = np.full(self._n_features, -np.inf)
        for block in (*self._upright, *self._reversed):
            better = np.maximum(found[block.features], _information(block, codes))
            found[block.features] = better
        return found


def _blocks(columns: Columns, features: np.ndarray, signs: np.ndarray) -> list[Block]:
    """Some columns times their signs, sorted."""
    chosen = Columns(columns.values[:, features] * signs[features], columns.nominal[features], None)
    parts = [sorted_block(chosen, part) for part in blocks_of(chosen)]
    return [part._replace(features=features[part.features]) for part in parts]


def _information(block: Block, codes: np.ndarray) -> np.ndarray:
    logs, bits = plain_log_table(len(codes))
    sums, counts = np.empty(len(block.rows), np.int64), np.empty(len(block.rows), np.int64)
    n_codes = int(codes.max(initial=0)) + 1
    rank_information(block.rows, block.order, codes, n_codes, logs, sums, counts)
    return np.ldexp(sums.astype(float), -bits) / np.maximum(counts, 1)
