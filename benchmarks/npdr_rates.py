"""NPDR with a covariate: noise that follows it, and an outcome that it makes.

``benchmarks.margin_rates`` has the table on its page.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import sem

from benchmarks.common import note
from echelon import NPDR

N, NOISE, RELEVANT, RATE, DATA_SETS = 200, 20, 5, 0.05, 60
FIRST_SEED = 1000
"""The seeds from 0 on decided among three ways of inference; these had no part in it."""

HEAD = f"""## With a covariate

`NPDR` on {N} samples and {NOISE} columns of noise that follow a covariate (0.7 of it, and as much
of their own), which makes the outcome together with chance; {DATA_SETS} data sets each.  Share of
noise with p < {RATE}: without the covariate, with it, and by the p-values of pairs taken as
independent (`pair_p_values_`), with it; family: share of data sets that select any noise, with it.
found: share of {RELEVANT} features selected by "family" where they act on the outcome.  The way
of inference was chosen among three by other data sets of the same kind (residuals of pairs, and
those of samples without products for classes, kept noise in a third of them).

| outcome | neighbours | without | with | by pairs | family | found |
| --- | --- | ---: | ---: | ---: | ---: | ---: |
"""


def draw(kind: str, seed: int, effect: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, outcome and covariate; the features that may matter come last."""
    rng = np.random.default_rng(seed)
    age, relevant = rng.normal(size=N), rng.normal(size=(N, RELEVANT))
    noise = 0.7 * age[:, None] + 0.7 * rng.normal(size=(N, NOISE))
    y = age + effect * relevant.sum(axis=1) + rng.normal(size=N)
    if kind != "regression":
        y = np.digitize(y, np.quantile(y, [0.5] if kind == "classification" else [0.33, 0.67]))
    return np.hstack([noise, relevant]), y, age


def judge(kind: str, n_neighbors: Any, seed: int) -> list[float]:
    """Shares of noise by the three p-values, whether any is kept, and the share found."""
    selector = NPDR(n_neighbors=n_neighbors, kind=kind, threshold="family", error_rate=RATE)
    X, y, age = draw(kind, seed, 0.0)
    alone = selector.fit(X, y).p_values_[:NOISE]
    held = selector.fit(X, y, covariates=age)
    p, by_pairs = held.p_values_[:NOISE], held.pair_p_values_[:NOISE]
    shares = [float((values < RATE).mean()) for values in (alone, p, by_pairs)]
    any_kept = float(held.support_.any())
    X, y, age = draw(kind, seed, 0.7)
    found = selector.fit(X, y, covariates=age).support_[NOISE:]
    return [*shares, any_kept, float(found.mean())]


def make_table() -> str:
    """The section of the page."""
    rows = []
    for kind in ("regression", "ordinal", "classification"):
        for n_neighbors in (10, "radius"):
            note(f"NPDR, {kind}, {n_neighbors}")
            found = np.array(
                [
                    judge(kind, n_neighbors, seed)
                    for seed in range(FIRST_SEED, FIRST_SEED + DATA_SETS)
                ]
            )
            cells = [f"{c.mean():.3f} ± {1.96 * sem(c):.3f}" for c in found.T[:4]]
            cells.append(f"{found[:, 4].mean():.2f}")
            rows.append(f"| {kind} | {n_neighbors} | {' | '.join(cells)} |")
    return HEAD + "\n".join([*rows, ""])
