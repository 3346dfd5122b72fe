"""What the tests of engines share."""

import fcntl

import numpy as np
import pytest

from echelon import ReliefF
from echelon.engines import NumbaEngine


@pytest.fixture(scope="session")
def searches_compiled(tmp_path_factory):
    """Both searches for every kind of codes, compiled by one process; others find them on disk."""
    rng = np.random.default_rng(0)
    y, answers, numbers = np.arange(60) % 2, rng.integers(0, 5, (60, 4)), rng.random((60, 4))
    with (tmp_path_factory.getbasetemp().parent / "compiling").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        for search in ("pairs", "leaves"):
            for dtype in (np.float64, np.float32):
                selector = ReliefF(engine=NumbaEngine(1, search=search))
                selector.fit(answers.astype(dtype), y)  # 8 bits in leaves
                selector.fit(numbers.astype(dtype), y)  # 16 bits
                selector.set_params(metric="euclidean").fit(numbers.astype(dtype), y)  # floats
