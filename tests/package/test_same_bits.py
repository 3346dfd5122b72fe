"""Every estimator gives the same bits in a new process with an empty cache and in an old one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

FITS = """
import hashlib, sys, warnings
import numpy as np
warnings.simplefilter("ignore")
sys.path.insert(0, TESTS)
from echelon import *
from echelon.base import BaseSelector
from estimator_cases import ESTIMATORS, made
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

VARIANTS = [
    RankCorrelation(measure="spearman", kind="classification"),
    MRMR(4, measure="mutual_information"), MRMR(4, measure="rank_mutual_information"),
    ForwardAdditive(n_bags=0, monotonic_cst="auto"), ForwardAdditive(n_bags=0, kind="regression"),
    OrderedSoftMargin(4, answer="median"), OrderedSoftMargin(4, kind="classification"),
    *(RankOrderSelector(criterion=criterion) for criterion in ("spoilers", "cdv", "kl", "ks")),
    RankOrderClassifier("center"), RankOrderClassifier("kernel"),
    *(IntervalRelief(margin=margin, distance=distance)
      for margin in ("prototype", "componentwise", "nearest") for distance in ("l1", "l2", "linf")),
]

def digest(fitted):
    found = hashlib.sha256()
    for name in sorted(vars(fitted) | vars(type(fitted))):
        if name.endswith("_") and not name.startswith("_"):
            value = getattr(fitted, name)
            for part in value if isinstance(value, list | tuple) else [value]:
                if isinstance(part, np.ndarray | float | int | np.generic):
                    found.update(name.encode() + np.ascontiguousarray(part).tobytes())
    return found.hexdigest()[:16]

def bits(n, p):
    rng = np.random.default_rng(n)
    y = np.arange(n) % 3
    X = rng.normal(size=(n, p)) + 0.4 * y[:, None]
    gappy = np.where(rng.random(X.shape) < 0.02, np.nan, X)
    weights = rng.gamma(1.0, 1.0, n)
    for each in [*map(made, ESTIMATORS), *map(clone, VARIANTS)]:
        intervals = "Interval" in type(each).__name__
        table = np.sort(X.reshape(n, -1, 2)) if intervals else X
        print(each, n, digest(each.fit(table, y)))
        if "engine" in each.get_params():
            print(each, n, "numba", digest(each.set_params(engine="numba").fit(table, y)))
        if has_fit_parameter(each, "sample_weight") and isinstance(each, BaseSelector):
            print(each, n, "weighted", digest(each.fit(table, y, sample_weight=weights)))
        if getattr(each, "_allow_nan", False) and not intervals:
            print(each, n, "missing", digest(each.fit(gappy, y)))
"""
SMALL, LARGE = "bits(60, 6)", "bits(320, 42)"


def run(fits, cache):
    """What a new process with that cache of compiled code prints."""
    environ = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    code = FITS.replace("TESTS", repr(str(TESTS))) + fits
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_history_does_not_matter(tmp_path):
    """Code just compiled, code from disk, fits after other fits: the same bits of everything."""
    new = run(SMALL, tmp_path / "a") + run(LARGE, tmp_path / "b")
    old = run("\n".join([LARGE, SMALL, LARGE]), tmp_path / "a")
    assert len(new) > 200
    assert set(old) == set(new)
