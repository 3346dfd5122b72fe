"""Logarithms of counts as integers, whose sums are exact.

Entropies of the same counts in another order are then equal, and copies of a feature tie.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class LogTable(NamedTuple):
    """A function of the counts 0, ..., n, as multiples of 1 / 2**bits."""

    values: np.ndarray
    bits: int


def log_table(n: int) -> LogTable:
    """Of c log2(c), as fine as sums over all samples can be held exactly."""
    products = _counts(n) * _logs(n)
    bits = _fineness(n)
    return LogTable(np.rint(np.ldexp(products, bits)).astype(np.int64), bits)


def plain_log_table(n: int) -> LogTable:
    """Of log2(c), and 0 for c = 0, equally fine."""
    bits = _fineness(n)
    return LogTable(np.rint(np.ldexp(_logs(n), bits)).astype(np.int64), bits)


def _counts(n: int) -> np.ndarray:
    return np.arange(n + 1, dtype=np.float64)


def _logs(n: int) -> np.ndarray:
    return np.log2(np.maximum(_counts(n), 1))


def _fineness(n: int) -> int:
    """Bits after the point that leave room for n log2(n) before it."""
    return 52 - int(np.ceil(np.log2(max(n * np.log2(max(n, 1)), 1))))
