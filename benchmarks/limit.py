"""How fast the machine can sum absolute differences at all.

The bare inner loops, on data that stay in the first-level cache, on as many threads as the
benchmark uses.  The first is the textbook's |a - b|, the limit the benchmark is judged by; the
second is the loop used here instead.
"""

from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

import numba
import numpy as np

from echelon.engines.numba._tiles import TILE, add_maxima

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


@numba.njit(nogil=True, fastmath={"reassoc", "contract", "arcp", "nsz"})
def _absolute_differences_by_four(rows, block, sums, repeats):
    """The same, four features at a time, so that sums are loaded and stored less often."""
    for _ in range(repeats):
        for f in range(0, block.shape[0], 4):
            b0, b1, b2, b3 = block[f], block[f + 1], block[f + 2], block[f + 3]
            for q in range(TILE):
                a0, a1, a2, a3 = rows[q, f], rows[q, f + 1], rows[q, f + 2], rows[q, f + 3]
                row = sums[q]
                for j in range(block.shape[1]):
                    row[j] += abs(a0 - b0[j]) + abs(a1 - b1[j]) + abs(a2 - b2[j]) + abs(a3 - b3[j])


@numba.njit(nogil=True)
def _maxima(rows, block, sums, repeats):
    for _ in range(repeats):
        add_maxima(rows, block, 0, block.shape[0], (0, block.shape[1]), sums)


def _on_cache_lines(values: np.ndarray, dtype) -> np.ndarray:
    """A copy that starts on a cache line; where it starts by chance moves the rate by a third."""
    values = values.astype(dtype)
    room = np.empty(values.nbytes + 64, np.uint8)
    start = -room.ctypes.data % 64
    aligned = room[start : start + values.nbytes].view(dtype).reshape(values.shape)
    aligned[...] = values
    return aligned


def _rate(loop, dtype, lanes: int, threads: int) -> float:
    """Terms per second, best of five, each about a fifth of a second."""

    def work(repeats: int) -> None:
        rng = np.random.default_rng(0)
        rows = _on_cache_lines(rng.random((TILE, FEATURES)) * 1000, dtype)
        block = _on_cache_lines(rng.random((FEATURES, lanes)) * 1000, dtype)
        loop(rows, block, _on_cache_lines(np.zeros((TILE, lanes)), dtype), repeats)

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
    """|a - b| in float32, terms per second: the best of several ways to write the loop."""
    return max(
        _rate(loop, np.float32, lanes, threads)
        for loop in (_absolute_differences, _absolute_differences_by_four)
        for lanes in (LANES, 2 * LANES)
    )


def maximum_rate(threads: int) -> float:
    """The whole-number loop of ``kernels.tiles``, terms per second; one term serves one |a - b|."""
    return _rate(_maxima, np.uint16, 4 * LANES, threads)
