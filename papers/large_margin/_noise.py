"""Figures 8 to 11: weights when 50 features of noise are added, and 10 % of the classes changed."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from echelon import OReliefF
from papers.cells import Task
from papers.data import Data
from papers.large_margin._methods import METHODS, OURS, unit
from papers.large_margin._real import read
from papers.pages import Claim, spread, table

FIGURES = {
    ("bankruptcyrisk", 0.0): "Figure 8",
    ("german", 0.0): "Figure 9",
    ("bankruptcyrisk", 0.1): "Figure 10",
    ("german", 0.1): "Figure 11",
}
N_NOISE = 50
N_RUNS = 10
STRICT = "O-ReliefF, dominating hits only"
ENOUGH = 0.95
"""Share of pairs in the right order from which features count as told from noise."""

SHOWN = ("ReliefF (2)", "O-ReliefF (2)", STRICT, OURS, "Simba", "O-Simba")


def tasks(data: Data, *, quick: bool) -> dict[str, Task]:
    """One cell per figure and run."""
    return {
        f"noise/{name}/{share}/{seed}": partial(weights, data, name, share, seed)
        for name, share in FIGURES
        for seed in range(1 if quick else N_RUNS)
    }


def weights(data: Data, name: str, share: float, seed: int) -> dict[str, dict[str, list[float]]]:
    """Weights of all methods in [0, 1], the last 50 those of noise; the same by chance."""
    X, _, y = read(data, name)
    rng = np.random.default_rng(seed)
    X = np.hstack([X, rng.random((len(y), N_NOISE))])
    y = with_class_noise(y, share, rng)
    selectors = {method: METHODS[method](None, seed) for method in SHOWN if method != STRICT}
    selectors[STRICT] = OReliefF(
        1, n_neighbors="log", rule="paper", monotonic_cst=None, dominance="require"
    )
    return {
        kind: {m: unit(selectors[m].fit(X, each).scores_).round(5).tolist() for m in SHOWN}
        for kind, each in (("given", y), ("shuffled", rng.permutation(y)))
    }


def with_class_noise(y: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """A share of the samples, drawn at random, get one of the other classes."""
    y = y.copy()
    n_classes = y.max() + 1
    changed = rng.choice(len(y), round(share * len(y)), replace=False)
    y[changed] = (y[changed] + rng.integers(1, n_classes, len(changed))) % n_classes
    return y


def runs(
    found: dict[str, Any], name: str, share: float, method: str, kind: str = "given"
) -> np.ndarray:
    """Weights of a method with the classes given or shuffled: one row per run."""
    prefix = f"noise/{name}/{share}/"
    return np.array([each[kind][method] for key, each in found.items() if key.startswith(prefix)])


def in_order(weights: np.ndarray) -> np.ndarray:
    """Share of pairs of a feature and a noise feature in which the feature weighs more."""
    real, noise = weights[:, :-N_NOISE, None], weights[:, None, -N_NOISE:]
    return ((real > noise) + 0.5 * (real == noise)).mean(axis=(1, 2))


def on_top(weights: np.ndarray) -> np.ndarray:
    """Share of the first p features that are not noise, p being their number."""
    p = weights.shape[1] - N_NOISE
    return (np.argsort(-weights, axis=1, kind="stable")[:, :p] < p).mean(axis=1)


# -------------------------------------------------------------------------------------- writing


def claims(found: dict[str, Any]) -> list[Claim]:
    """The ordered methods tell features from noise, the others do not."""
    rows = []
    for (name, share), figure in FIGURES.items():
        rows.append(_claim(found, name, share, figure, ("O-ReliefF (2)", "O-Simba"), tells=True))
        if not share:
            rows.append(_claim(found, name, share, figure, ("ReliefF (2)", "Simba"), tells=False))
    return rows


def _claim(
    found: dict[str, Any],
    name: str,
    share: float,
    figure: str,
    methods: tuple[str, str],
    *,
    tells: bool,
) -> Claim:
    shares = [in_order(runs(found, name, share, method)) for method in methods]
    values = [f"{m} {spread(100 * s, 0)} %" for m, s in zip(methods, shares, strict=True)]
    verb = "tell" if tells else "fail to tell"
    noise = ", 10 % of the classes wrong" if share else ""
    text = f"{figure}, {name}{noise}: {methods[0]} and {methods[1]} {verb} the features from noise"
    holds = all((s.mean() >= ENOUGH) == tells for s in shares)
    return Claim.judged(text, "yes", "pairs in order: " + ", ".join(values), holds)


def section(found: dict[str, Any]) -> str:
    """How well features and noise are told apart."""
    head = ("figure", "data", "method", "pairs in order, %", "first p not noise, %",
            "pairs in order, classes shuffled, %")  # fmt: skip
    rows = []
    for (name, share), figure in FIGURES.items():
        for method in SHOWN:
            given, shuffled = (
                runs(found, name, share, method, kind) for kind in ("given", "shuffled")
            )
            columns = (in_order(given), on_top(given), in_order(shuffled))
            rows.append((figure, name, method, *(spread(100 * column, 0) for column in columns)))
    n_runs = len(runs(found, "german", 0.0, "Simba"))
    return BODY.format(n_runs=n_runs, enough=f"{100 * ENOUGH:.0f}", table=table(head, rows))


BODY = """
## Figures 8 to 11: 50 features of noise

50 uniform features are added to the p features of bankruptcyrisk (12) and german (24); in Figures
10 and 11 a tenth of the samples, drawn at random, also get a wrong class.  k = ln m; mean ±
standard deviation over {n_runs} runs.  "Pairs in order": how often a feature of the data weighs
more than one of the noise.  The claims call a method able to tell them apart from {enough} %.  Not
every feature of the data need be of use, so that 100 % is more than can be asked for.

{table}

The last column is a control: once all classes are shuffled no feature is of use, and 50 % is right.
A method well above that prefers the features of the data for their shape, not for what they say
about the classes.  Penalised contradictions do: hits always count in full while misses cancel out,
so that a feature with a wide spread, as uniform noise has, loses more.  What they gain over the
control is the part to believe.

"Dominating hits only" is the paper's wording (`dominance="require"`): an upward hit must be at
least as good on every feature.  With 50 columns of noise no such sample exists, so hits count
nothing and what is left is the mean difference to the misses, in which noise is as large as
anything.  The other rows fill up with the nearest hits (`dominance="prefer"`, the default).

With two classes, as in german, a sample has misses in one direction only.  Without dominating hits
O-ReliefF is then ReliefF and O-Simba is Simba, to the last digit: the order of the classes has
nothing left to say.

![Weights on bankruptcyrisk](../images/papers/large_margin_bankruptcyrisk.png)

![Weights on german](../images/papers/large_margin_german.png)

Mean weights over the runs: features of the data in blue, noise in grey; above as they are, below
with 10 % of the classes wrong.
"""
