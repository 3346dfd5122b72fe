"""How often noise passes ``null_threshold``: the realised error rates beside the nominal one.

``python -m benchmarks.error_rates --write`` writes docs/benchmarks/error_rates.md; it takes a
quarter of an hour on two idle cores.
"""

from __future__ import annotations

import argparse
from functools import partial

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import binomtest, sem
from sklearn.feature_selection import SelectKBest

from benchmarks.common import environment, note, publish
from echelon import ReliefF
from echelon.evaluation import null_threshold

RATE, DATA_SETS, PERMUTATIONS = 0.1, 1000, 39
SAMPLES, FEATURES, RELEVANT = 60, 20, 5

SELECTORS = {"ReliefF": ReliefF(n_jobs=1), "SelectKBest (F test)": SelectKBest()}


def make_noise(seed: int, *, correlation: float = 0.0, minority: float = 0.5, relevant: int = 0):
    """Normal features, some shifted by one deviation in the minority class."""
    rng = np.random.default_rng(seed)
    y = (np.arange(SAMPLES) < minority * SAMPLES).astype(int)
    shared = rng.normal(size=(SAMPLES, 1))
    X = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * rng.normal(
        size=(SAMPLES, FEATURES)
    )
    X[:, :relevant] += y[:, None]
    return X, y


KINDS = {
    "independent noise": make_noise,
    "noise, all pairs correlated 0.8": partial(make_noise, correlation=0.8),
    "independent noise, classes 10 : 90": partial(make_noise, minority=0.1),
    f"{RELEVANT} relevant, {FEATURES - RELEVANT} noise": partial(make_noise, relevant=RELEVANT),
}


def judge(selector, make, seed: int) -> tuple[bool, float]:
    """Whether any noise passed family-wise, and the share of noise among the discoveries."""
    X, y = make(seed)
    options = {"error_rate": RATE, "random_state": seed}
    family, fdr = (null_threshold(selector, X, y, PERMUTATIONS, control=control, **options).support
                   for control in ("family", "fdr"))  # fmt: skip
    relevant = make.keywords.get("relevant", 0) if isinstance(make, partial) else 0
    noise = np.arange(FEATURES) >= relevant
    return bool((family & noise).any()), float((fdr & noise).sum() / max(fdr.sum(), 1))


def make_row(name: str, kind: str) -> str:
    """One line of the table."""
    note(f"{name}, {kind}")
    jobs = (delayed(judge)(SELECTORS[name], KINDS[kind], seed) for seed in range(DATA_SETS))
    wrong, shares = np.array(Parallel(2)(jobs)).T
    found = binomtest(int(wrong.sum()), DATA_SETS)
    low, high = found.proportion_ci(method="wilson")
    family = f"{wrong.mean():.3f} ({low:.3f} to {high:.3f})"
    if set(shares) <= {0.0, 1.0}:  # nothing relevant: a share of the data sets as well
        low, high = binomtest(int(shares.sum()), DATA_SETS).proportion_ci(method="wilson")
    else:
        low, high = shares.mean() + 1.96 * sem(shares) * np.array([-1, 1])
    return f"| {kind} | {name} | {family} | {shares.mean():.3f} ({low:.3f} to {high:.3f}) |"


def make_page() -> str:
    """The page in docs."""
    rows = [make_row(name, kind) for kind in KINDS for name in SELECTORS]
    return "\n".join(
        [
            "# How often noise passes `null_threshold`",
            "",
            f"{DATA_SETS} data sets of {SAMPLES} samples and {FEATURES} features each, "
            f"{PERMUTATIONS} permutations, nominal rate {RATE}.  Family-wise: the share of data",
            "sets in which any noise feature passed.  False discovery rate: the mean share of "
            "noise among the features that passed.",
            "In brackets 95 % confidence intervals (Wilson's where nothing is relevant).",
            "",
            '| data | selector | `control="family"` | `control="fdr"` |',
            "| --- | --- | --- | --- |",
            *rows,
            "",
            f"{environment('scikit-learn')}.  `python -m benchmarks.error_rates --write` measures "
            "again.",
            "",
        ]
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the page in docs")
    publish("error_rates", make_page, parser.parse_args())
