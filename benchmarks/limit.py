"""How fast the machine can sum absolute differences at all.

The bare inner loops, on data that stay in the first-level cache, on as many threads as the
benchmark uses.  The first is the textbook's |a - b|, the limit the benchmark is judged by; the
second is the loop used here instead.
"""

from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

import numba
import numpy as np

from echelon.kernels.tiles import TILE, add_maxima

LANES, FEATURES = 64, 64  # 16 KB as float32


@numba.njit(nogil=True, fastmath={"reassoc", "contract", "arcp", "nsz"})
def _absolute_differences(rows, block, sums, repeats):
    for _ in range(repeats):
        for f in range(block.shape[0]):
            a, b, c, d = rows[0, f], rows[1, f], rows[2, f], rows[3, f]
            lanes = block[f]
            for j in range(block.shape[1]):
                v = lanes[j]
                sums[0, j] += abs(a - v)
                sums[1, j] += abs(b - v)
                sums[2, j] += abs(c - v)
                sums[3, j] += abs(d - v)


@numba.njit(nogil=True)
def _maxima(rows, block, sums, repeats):
    for _ in range(repeats):
        add_maxima(rows, block, 0, block.shape[0], sums)


def _rate(loop, dtype, lanes: int, threads: int) -> float:
    """Terms per second, best of five, each about a fifth of a second."""

    def work(repeats: int) -> None:
        rng = np.random.default_rng(0)
        rows = (rng.random((TILE, FEATURES)) * 1000).astype(dtype)
        block = (rng.random((FEATURES, lanes)) * 1000).astype(dtype)
        loop(rows, block, np.zeros((TILE, lanes), dtype), repeats)

    repeats = 40_000
    work(1)
    best = np.inf
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(5):
            start = perf_counter()
            list(pool.map(work, [repeats] * threads))
            best = min(best, perf_counter() - start)
    return threads * repeats * TILE * FEATURES * lanes / best


def absolute_difference_rate(threads: int) -> float:
    """|a - b| in float32, terms per second."""
    return _rate(_absolute_differences, np.float32, LANES, threads)


def maximum_rate(threads: int) -> float:
    """The whole-number loop of ``kernels.tiles``, terms per second; one term serves one |a - b|."""
    return _rate(_maxima, np.uint16, 4 * LANES, threads)
