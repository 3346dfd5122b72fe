"""The same input gives the same bits: in a new process that compiles anew, and after many fits."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from echelon import IntervalRelief, RankOrderSelector
from estimator_cases import ESTIMATORS, made

TESTS = Path(__file__).parents[1]

SELECTORS = [estimator for estimator in ESTIMATORS if hasattr(estimator, "get_support")]

FITS = 3
"""In the process that is warm; what is counted from fit to fit would show."""

ATTRIBUTES = ("scores_", "order_", "support_", "ranking_", "intervals_")


def tables(estimator):
    """Small tables: numbers, a few levels with ties, and more rows."""
    rng = np.random.default_rng(0)
    for n, p, levels in ((40, 4, None), (150, 5, 4), (400, 8, None)):
        y = np.arange(n) % (2 if estimator is RankOrderSelector else 3)
        X = rng.normal(size=(n, p)) if levels is None else rng.integers(0, levels, (n, p)) * 1.0
        X[:, 0] += y
        if estimator is IntervalRelief:
            X = np.stack([X, X + rng.random(X.shape)], axis=2)
        yield X, y


def fitted_bits(estimator):
    """The results of one fit to every table, as bytes."""
    found = []
    for X, y in tables(estimator):
        selector = made(estimator).fit(X, y)
        values = {name: getattr(selector, name, None) for name in ATTRIBUTES}
        values["support"] = selector.get_support()
        found.append({k: np.asarray(v).tobytes() for k, v in values.items() if v is not None})
    return found


def names_that_differ(one, two):
    return sorted({name for a, b in zip(one, two, strict=True) for name in a if a[name] != b[name]})


@pytest.mark.slow
@pytest.mark.parametrize("estimator", SELECTORS, ids=lambda estimator: estimator.__name__)
@pytest.mark.filterwarnings("ignore")
def test_a_new_process_gives_the_same_bits(estimator, tmp_path):
    warm = [fitted_bits(estimator) for _ in range(FITS)]
    code = (
        f"import sys; sys.path[:0] = [{str(TESTS)!r}, {str(TESTS / 'package')!r}]\n"
        "import pickle, warnings; warnings.simplefilter('ignore')\n"
        "import echelon, test_same_bits\n"
        f"found = test_same_bits.fitted_bits(echelon.{estimator.__name__})\n"
        "sys.stdout.buffer.write(pickle.dumps(found))\n"
    )
    environ = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    cold = pickle.loads(done.stdout)
    for again in warm:
        assert names_that_differ(cold, again) == []
