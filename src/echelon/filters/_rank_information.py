"""Rank mutual information: how much of the order of one variable another one tells ([1]_).

For sample i, A_i are the samples with at least its value, and D_i those with at least its value of
the other variable.  The mean over samples of log2(n |A_i and D_i| / (|A_i| |D_i|)) is about 0 if
neither tells of the other, and largest if both have the same order.  This is the ascending side;
on the descending side A_i and D_i are the samples with at most these values.

.. [1] Q. Hu, X. Che, L. Zhang, D. Zhang, M. Guo, D. Yu, "Rank entropy-based decision trees for
   monotonic classification", IEEE Transactions on Knowledge and Data Engineering 24, 2012.
"""

from __future__ import annotations

import numpy as np

from echelon.filters._association import Block, blocks_of, sorted_block
from echelon.filters._logs import plain_log_table
from echelon.kernels.masses import mass_information
from echelon.kernels.ranks import rank_information
from echelon.validation import Columns

SIDES = {"ascending": (1,), "descending": (-1,), "both": (1, -1)}


def rank_informations(
    columns: Columns,
    directions: np.ndarray,
    codes: np.ndarray,
    direction: int = 1,
    *,
    side: str = "both",
) -> np.ndarray:
    """Rank mutual information of every feature with another variable, in bits.

    Parameters
    ----------
    columns : Columns
        Features, all numeric.  Samples in which one is missing do not count for it.
    directions : ndarray of shape (n_features,)
        1 for features that rise, -1 for those that fall; 0: whichever of both tells more.
    codes : ndarray of int, shape (n_samples,)
        The variable as 0, 1, ..., negative where missing.
    direction : {1, -1, 0}, default=1
        The same of the variable.
    side : {"both", "ascending", "descending"}, default="both"
        Samples with at least a value, with at most it, or the mean of both.
    """
    found = np.full(len(directions), -np.inf)
    for part in blocks_of(columns):
        tables = _tables(sorted_block(columns, part), codes, columns.weights)
        for own in _ways(direction):
            for sign in (1, -1):
                told = np.mean([_entries(tables, sign * s, own * s) for s in SIDES[side]], axis=0)
                allowed = (directions[part] == sign) | (directions[part] == 0)
                found[part] = np.where(allowed, np.maximum(found[part], told), found[part])
    return found


def _ways(direction: int) -> tuple[int, ...]:
    return (1, -1) if direction == 0 else (direction,)


def _entries(tables: np.ndarray, feature: int, variable: int) -> np.ndarray:
    """With the samples of at least (1) or at most (-1) the value of each of the two."""
    return tables[:, int(feature > 0), int(variable > 0)]


def _tables(block: Block, codes: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """All four of every feature: at most or at least its value, at most or at least the code."""
    if weights is not None:
        means = np.empty((len(block.rows), 2, 2))
        n_codes = int(codes.max(initial=0)) + 1
        mass_information(block.rows, block.order, codes, weights, n_codes, means)
        return means
    logs, bits = plain_log_table(len(codes))
    sums, counts = np.empty((len(block.rows), 2, 2), np.int64), np.empty(len(block.rows), np.int64)
    n_codes = int(codes.max(initial=0)) + 1
    rank_information(block.rows, block.order, codes, n_codes, logs, sums, counts)
    return np.ldexp(sums.astype(float), -bits) / np.maximum(counts, 1)[:, None, None]
