"""Rank mutual information: how much of the order of one variable another one tells.

For sample i, A_i are the samples with at least its value and D_i those with at least its value of
the other variable.  The mean over samples of log2(n |A_i and D_i| / (|A_i| |D_i|)) is 0 if each
says nothing of the other, and largest if both have the same order.

.. [1] Q. Hu, X. Che, L. Zhang, D. Zhang, M. Guo, D. Yu, "Rank entropy-based decision trees for
   monotonic classification", IEEE Transactions on Knowledge and Data Engineering 24, 2012.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from echelon.filters._association import Block
from echelon.filters._logs import plain_log_table
from echelon.kernels.ranks import rank_information


def turned(codes: np.ndarray) -> np.ndarray:
    """Codes in the opposite order; missing ones stay missing."""
    return np.where(codes < 0, codes, codes.max(initial=0) - codes)


class RankInformation:
    """Rank mutual information of every feature with another variable.

    Parameters
    ----------
    blocks : iterable of Block
        The features, all numeric, sorted by value: more is better where ``directions`` are 1.
    directions : ndarray of shape (n_features,)
        1 rising, -1 falling; 0 whichever of both says more.
    descending : bool
        Whether A and D are the samples with at most a value, instead of at least.
    """

    def __init__(self, blocks: Iterable[Block], directions: np.ndarray, *, descending: bool):
        self._blocks, self._directions = blocks, directions
        self._sign = -1 if descending else 1

    def of(self, codes: np.ndarray, direction: int = 1) -> np.ndarray:
        """With a variable of codes 0, 1, ..., negative where missing, as bits per sample.

        A feature whose direction is not known, or any if that of the variable is not, counts by
        the larger of both ways.
        """
        found = np.empty(len(self._directions))
        upright = codes if direction * self._sign >= 0 and self._sign > 0 else codes
        for block in self._blocks:
            signs = self._directions[block.features] * (direction != 0)
            found[block.features] = self._part(block, upright, signs)
        return found

    def _part(self, block: Block, codes: np.ndarray, signs: np.ndarray) -> np.ndarray:
        raise NotImplementedError
