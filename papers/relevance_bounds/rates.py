"""How often features are called relevant or strong: tolerances, pure noise, correlated noise."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from echelon import RelevanceBounds
from echelon.datasets import make_relevance
from papers.cells import Task
from papers.pages import Claim, table
from papers.relevance_bounds.rivals import alone

SHAPE = (300, 3, 4, 10)
"""Samples, strong, weak and irrelevant features of the sweeps."""
SWEEPS = {
    "noise": [{"noise": noise} for noise in (0.05, 0.1, 0.2, 0.5, 1.0)],
    "samples": [{"n_samples": m} for m in (100, 200, 500, 1000)],
    "classes": [{"n_classes": k} for k in (2, 3, 5, 7)],
}
TOLERANCES = ("auto", 0.001, 0.01, 0.1)
NO_SIGNAL = [(None, 0.01), (1.0, 0.01), (1.0, 0.05)]
"""C, None for cross-validated, and the rate asked for."""
CORRELATIONS = (0.0, 0.5, 0.8, 0.95)
SWEEP_REPETITIONS, REPETITIONS = 10, 30
RATES = ["strong found", "weak called strong", "noise called strong", "relevant found",
         "noise called relevant"]  # fmt: skip


def tasks(*, quick: bool) -> dict[str, Task]:
    """One cell per data set, and per tolerance in the sweeps."""
    cells: dict[str, Task] = {}
    seeds = range(2 if quick else REPETITIONS)
    for C, rate in NO_SIGNAL[: 1 if quick else None]:
        for seed in seeds:
            cells[f"no signal/C {C}/rate {rate}/{seed}"] = partial(alone, no_signal, C, rate, seed)
    for problem in ("ordinal", "regression"):
        for rho in CORRELATIONS[: 1 if quick else None]:
            for seed in seeds:
                key = f"correlated/{problem}/{rho}/{seed}"
                cells[key] = partial(alone, correlated, rho, problem, seed)
    return cells | sweep_tasks(quick=quick)


def sweep_tasks(*, quick: bool) -> dict[str, Task]:
    """The cells of the sweeps."""
    settings = [(name, each) for name, every in SWEEPS.items() for each in every]
    return {
        f"sweep/{name} {each[next(iter(each))]}/{tolerance}/{seed}": partial(
            alone, sweep, name, each, tolerance, seed
        )
        for name, each in settings[: 1 if quick else None]
        for tolerance in TOLERANCES[: 1 if quick else None]
        for seed in range(1 if quick else SWEEP_REPETITIONS)
    }


def sweep(name: str, settings: dict, tolerance: float | str, seed: int) -> dict[str, Any]:
    """One data set of a sweep at one tolerance: rates of right and wrong answers."""
    m, n_strong, n_weak, n_irrelevant = SHAPE
    params = {"n_samples": m, "noise": 0.3, **settings}
    X, y = make_relevance(
        n_strong=n_strong, n_weak=n_weak, n_irrelevant=n_irrelevant, random_state=seed, **params
    )
    selector = RelevanceBounds(probes="single", tolerance=tolerance, random_state=seed).fit(X, y)
    found = selector.relevance_
    needed, useful = found == "strong", found != "irrelevant"
    return {
        "setting": f"{name} {next(iter(settings.values())):g}",
        "tolerance": tolerance,
        "used": selector.tolerance_,
        "strong found": float(needed[:n_strong].mean()),
        "weak called strong": float(needed[n_strong : n_strong + n_weak].mean()),
        "noise called strong": float(needed[-n_irrelevant:].mean()),
        "relevant found": float(useful[:-n_irrelevant].mean()),
        "noise called relevant": float(useful[-n_irrelevant:].mean()),
    }


def no_signal(C: float | None, rate: float, seed: int) -> dict[str, Any]:
    """A data set without any relevant feature: how many are called relevant or strong."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(200, 20)), rng.integers(0, 5, 200)
    selector = RelevanceBounds(C=C, probes="single", false_positive_rate=rate, random_state=seed)
    found = selector.fit(X, y).relevance_
    return {
        "C": "cross-validated" if C is None else f"{C:g}",
        "rate": rate,
        "relevant": int((found != "irrelevant").sum()),
        "strong": int((found == "strong").sum()),
        "features": len(found),
    }


def correlated(correlation: float, problem: str, seed: int) -> dict[str, Any]:
    """One relevant feature, ten of noise that share a hidden variable: what is called relevant."""
    rng = np.random.default_rng(seed)
    shared = np.sqrt(correlation) * rng.normal(size=(100, 1))
    noise = shared + np.sqrt(1 - correlation) * rng.normal(size=(100, 10))
    x = rng.normal(size=100)
    target = 2 * x + rng.normal(size=100)
    y = target if problem == "regression" else np.digitize(target, [-1.5, 0, 1.5])
    selector = RelevanceBounds(
        problem=problem, probes="single", false_positive_rate=0.05, random_state=seed
    )
    found = selector.fit(np.column_stack([x, noise]), y).relevance_[1:]
    return {
        "problem": problem,
        "correlation": correlation,
        "relevant": float((found != "irrelevant").mean()),
        "any": bool((found != "irrelevant").any()),
    }


# -------------------------------------------------------------------------------------- writing


def claim(no_signal: pd.DataFrame, correlated: pd.DataFrame) -> Claim:
    """The rate of false positives that the threshold accepts."""
    group = no_signal[(no_signal["C"] == "cross-validated") & (no_signal["rate"] == 0.01)]
    rate, low, high, total = called(group)
    found = f"{rate:.4f}, 95 % interval {low:.4f} to {high:.4f} ({total} features of noise)"
    worst = correlated.groupby(["problem", "correlation"])["relevant"].mean().max()
    why = f"features independent of each other only; if correlated, up to {worst:.2f} at rate 0.05"
    text = "Section 3: the threshold accepts a rate of 0.01 false positives"
    return Claim.judged(text, "0.01", found, low <= 0.01, why)


def called(group: pd.DataFrame) -> tuple[float, float, float, int]:
    """Share called relevant, its 95 % interval, and of how many features."""
    calls, total = int(group["relevant"].sum()), int(group["features"].sum())
    low, high = binomtest(calls, total).proportion_ci(method="wilson")
    return calls / total, float(low), float(high), total


def sweep_table(runs: pd.DataFrame) -> str:
    """Rates per setting and tolerance."""
    rows = []
    for (setting, tolerance), group in runs.groupby(["setting", "tolerance"], sort=False):
        rates = (f"{group[name].mean():.3f}" for name in RATES)
        rows.append((setting, tolerance, f"{group['used'].mean():.4f}", *rates))
    return table(("setting", "tolerance", "used", *RATES), rows)


def no_signal_table(runs: pd.DataFrame) -> str:
    """Share called relevant, with its confidence interval, beside the nominal rate."""
    head = ("C", "nominal rate", "called relevant", "95 % interval", "called strong", "features")
    rows = []
    for (C, nominal), group in runs.groupby(["C", "rate"], sort=False):
        rate, low, high, total = called(group)
        strong = f"{group['strong'].sum() / total:.4f}"
        rows.append((C, nominal, f"{rate:.4f}", f"{low:.4f} to {high:.4f}", strong, total))
    return table(head, rows)


def correlated_table(runs: pd.DataFrame) -> str:
    """Share of noise called relevant, by its correlation."""
    head = ("target", "correlation of the noise", "called relevant", "data sets with any")
    rows = [
        (problem, rho, f"{group['relevant'].mean():.3f}", f"{group['any'].sum()} of {len(group)}")
        for (problem, rho), group in runs.groupby(["problem", "correlation"], sort=False)
    ]
    return table(head, rows)


def body(sweeps: pd.DataFrame, no_signal: pd.DataFrame, correlated: pd.DataFrame) -> str:
    """What the page says about tolerance, pure noise and correlated noise."""
    m, n_strong, n_weak, n_irrelevant = SHAPE
    return BODY.format(
        m=m,
        n_strong=n_strong,
        n_weak=n_weak,
        n_irrelevant=n_irrelevant,
        n_sweep=sweeps.groupby(["setting", "tolerance"]).size().min(),
        n_sets=no_signal.groupby(["C", "rate"]).size().min(),
        sweeps=sweep_table(sweeps),
        no_signal=no_signal_table(no_signal),
        correlated=correlated_table(correlated),
    )


BODY = """
## Does the tolerance follow the noise?

{m} samples, {n_strong} strong, {n_weak} weak (one group), {n_irrelevant} irrelevant features, noise
0.3 and five classes unless the setting says otherwise; means over {n_sweep} data sets each.
"auto" measures by how much an added noise column lowers the optimum; the other rows are fixed
tolerances, with the same probes.

{sweeps}

## Data without any relevant feature

200 samples, 20 features of noise, five random classes; {n_sets} data sets.  Where the
cross-validated model uses no feature, all are called irrelevant.

{no_signal}

## Noise that is not independent

100 samples, one relevant feature, ten of noise that share a hidden variable, nominal rate 0.05,
{n_sets} data sets each.  The rate holds for features independent of the others.  Correlated noise
features share their luck, and can trade weight with each other, which a single permuted column
cannot: if one of them is called relevant, often all are.  The probes here are single columns, as in
the paper (`probes="single"`, as everywhere on this page); the library's default permutes correlated
columns together: [what that changes](../benchmarks/bounds_rates.md).

{correlated}
"""
