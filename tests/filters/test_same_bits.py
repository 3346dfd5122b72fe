"""Filters give the same bits whatever the process did before, and whatever lies on disk."""

import os
import subprocess
import sys

import pytest

FITS = """
import hashlib
import numpy as np
from sklearn.utils.validation import has_fit_parameter
from echelon import *

NAMES = ("scores_", "order_", "ranking_", "support_", "p_values_", "correlations_", "path_",
         "relevances_", "credits_", "standard_errors_", "information_values_", "chance_values_")
SELECTORS = [
    CFS(), Consistency(), InformationValue(random_state=0),
    RankCorrelation(), RankCorrelation(measure="spearman", kind="classification"),
    RankMutualInformation(random_state=0), MRMR(4), MRMR(4, measure="mutual_information"),
    MRMR(4, measure="rank_mutual_information"), ForwardLinear(n_bags=3, random_state=0),
    ForwardAdditive(n_bags=3, random_state=0), ForwardAdditive(n_bags=0, monotonic_cst="auto"),
    ForwardAdditive(n_bags=0, kind="classification"),
    ForestImportance(n_estimators=5, random_state=0),
]

def bits(n, p):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, p))
    y = np.digitize(X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n), [-1, 0, 1])
    X[rng.random(X.shape) < 0.02] = np.nan
    weights = rng.gamma(1.0, 1.0, n)
    for selector in SELECTORS:
        fits = [{}]
        if has_fit_parameter(selector, "sample_weight"):
            fits.append({"sample_weight": weights})
        for more in fits:
            digest = hashlib.sha256()
            selector.fit(X, y, **more)
            for name in NAMES:
                if hasattr(selector, name):
                    digest.update(np.ascontiguousarray(getattr(selector, name)).tobytes())
            print(type(selector).__name__, n, p, bool(more), digest.hexdigest()[:16])
"""

SMALL, LARGE = "bits(60, 5)", "bits(700, 80)"


def run(fits, cache):
    """What a new process with that cache of compiled code prints, a set of lines."""
    environ = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-c", FITS + fits], env=environ, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines())


@pytest.mark.slow
def test_the_same_bits_in_a_new_process_and_in_one_that_has_compiled_everything(tmp_path):
    cold = run(SMALL, tmp_path / "a") | run(LARGE, tmp_path / "b")
    warm = run("\n".join([LARGE, SMALL, LARGE, SMALL]), tmp_path / "a")
    assert warm == cold
    assert len(cold) == 2 * (14 + 11)
