"""What the tests say of one table: errors and power, each by itself and after adjustment."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype
from scipy import stats

from benchmarks.evidence.designs import Design, Table, draw
from echelon import ConditionalEvidence, RankCorrelation

LEVEL = 0.05
METHODS = ("both tests", "residual test", "importance test", "Kendall's tau", "partial correlation")
OUTCOMES = ("level", "family", "fdr", "power", "power_family", "power_fdr")


def judge(design: Design, seed: int) -> list[float]:
    """Outcomes of all methods, one after the other."""
    table = draw(design, seed)
    p_values = _p_values(table, seed)
    return [value for p in p_values for value in outcomes(p, table.needed)]


def outcomes(p_values: np.ndarray, needed: np.ndarray) -> list[float]:
    """Share of features not needed that pass by themselves, whether any passes, their share.

    Likewise for those needed; 0 where there are none.
    """
    passing = (p_values, holm(p_values), stats.false_discovery_control(p_values))
    alone, family, fdr = (p <= LEVEL for p in passing)
    wrong = [
        alone[~needed].mean(),
        family[~needed].any(),
        (fdr & ~needed).sum() / max(fdr.sum(), 1),
    ]
    right = [mask[needed].mean() if needed.any() else 0.0 for mask in (alone, family, fdr)]
    return [float(value) for value in (*wrong, *right)]


def holm(p_values: np.ndarray) -> np.ndarray:
    """Adjusted p-values."""
    order = np.argsort(p_values)
    adjusted = np.empty(len(order))
    steps = p_values[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted


def _p_values(table: Table, seed: int) -> list[np.ndarray]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"kind": table.kind, "n_jobs": 1, "random_state": seed, "clusters": False}
        found = ConditionalEvidence(**options).fit(table.X, table.y)
        marginal = RankCorrelation(kind=table.kind).fit(table.X, table.y)
    ours = [found.p_values_, found.residual_p_values_, found.importance_p_values_]
    return [*ours, marginal.p_values_, partial_p_values(table)]


def partial_p_values(table: Table) -> np.ndarray:
    """Of the correlations of ranks, all other columns held fixed; labels as the codes they get.

    Where there are not more rows than columns, none is significant.
    """
    X = table.X.apply(lambda c: c if is_numeric_dtype(c) else pd.factorize(c, sort=True)[0])
    y = pd.factorize(table.y, sort=True)[0] if table.kind != "regression" else table.y
    ranks = stats.rankdata(np.column_stack([X.fillna(X.median()), y]), axis=0)
    n, p = len(ranks), ranks.shape[1] - 1
    freedom = n - p - 1
    if freedom < 2:
        return np.ones(p)
    inverse = np.linalg.pinv(np.corrcoef(ranks.T))
    partial = -inverse[:-1, -1] / np.sqrt(np.diag(inverse)[:-1] * inverse[-1, -1])
    t = partial * np.sqrt(freedom / np.maximum(1 - partial**2, 1e-12))
    return 2 * stats.t.sf(np.abs(t), freedom)
