"""Neighborhoods, rank orders and intervals: the same bits in a new process and in an old one."""

import os
import subprocess
import sys

import pytest

FITS = """
import hashlib
import numpy as np
from echelon import *

NAMES = ("path_", "order_", "ranking_", "support_", "scores_", "first_errors_", "guess_error_",
         "prototypes_", "divergence_", "cluster_centers_", "labels_", "inertia_", "centers_")
TABLES = [
    OrderedSoftMargin(4), OrderedSoftMargin(4, answer="median"),
    OrderedSoftMargin(4, kind="classification"), OrderedSoftMargin(4, kind="regression"),
    NeighborhoodSoftMargin(4), NeighborhoodRoughSet(4),
    *(RankOrderSelector(criterion=criterion) for criterion in ("spoilers", "cdv", "kl", "ks")),
    RankOrderClassifier(), RankOrderClassifier("center"), RankOrderClassifier("kernel"),
]
INTERVALS = [
    *(IntervalRelief(margin=margin, distance=distance)
      for margin in ("prototype", "componentwise", "nearest") for distance in ("l1", "l2", "linf")),
    IntervalKMeans(3, random_state=0),
]

def bits(n, p):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, p))
    y = np.digitize(X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n), [-1, 0, 1])
    for gaps in (False, True):
        if gaps:
            X[rng.random(X.shape) < 0.02] = np.nan
        for estimator in TABLES:
            say(estimator.fit(X, y), X, n, p, gaps)
    bounds = np.sort(rng.normal(size=(n, p, 2)))
    for estimator in INTERVALS:
        say(estimator.fit(bounds, y), bounds, n, p, False)

def say(fitted, X, *case):
    digest = hashlib.sha256()
    for name in NAMES:
        if hasattr(fitted, name):
            digest.update(np.ascontiguousarray(getattr(fitted, name)).tobytes())
    if hasattr(fitted, "predict"):
        digest.update(fitted.predict(X).tobytes())
    if hasattr(fitted, "predict_log_proba"):
        digest.update(fitted.predict_log_proba(X).tobytes())
    print(fitted, *case, digest.hexdigest()[:16])
"""

SMALL, LARGE = "bits(60, 7)", "bits(600, 40)"


def run(fits, cache):
    """What a new process with that cache of compiled code prints, a set of lines."""
    environ = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-c", FITS + fits], env=environ, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines())


@pytest.mark.slow
def test_the_same_bits_whatever_was_compiled_before(tmp_path):
    cold = run(SMALL, tmp_path / "a") | run(LARGE, tmp_path / "b")
    warm = run("\n".join([LARGE, SMALL, LARGE, SMALL]), tmp_path / "a")
    assert warm == cold
    assert len(cold) == 2 * (2 * 13 + 10)


def test_a_first_small_fit_compiles_nothing(tmp_path):
    code = """
import sys
import numpy as np
from echelon import OrderedSoftMargin
X = np.random.default_rng(0).normal(size=(500, 10))
OrderedSoftMargin().fit(X, np.digitize(X[:, 0], [-1, 0, 1]))
print("numba" in sys.modules)
"""
    environ = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True)
    assert done.stdout.split() == ["False"], done.stderr
