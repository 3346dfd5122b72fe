"""Table 1: which features are found in data made with known relevance."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from echelon import RelevanceBounds
from echelon.datasets import make_relevance
from echelon.evaluation import f_measure_of_support
from papers.cells import Task
from papers.pages import Claim, spread, table
from papers.relevance_bounds.rivals import RIVALS, alone, eliminated, exceeds

# Samples, strong, weak, irrelevant; F-measures of elastic net, FRI, Lasso as printed.
PRINTED = {
    (150, 6, 0, 6): (0.91, 0.87, 0.88),
    (150, 0, 6, 6): (0.67, 0.93, 0.64),
    (150, 3, 4, 3): (0.85, 0.91, 0.83),
    (256, 6, 6, 6): (0.88, 0.97, 0.87),
    (512, 1, 2, 11): (0.81, 0.87, 0.76),
    (200, 1, 20, 0): (0.36, 1.00, 0.26),
    (200, 1, 20, 20): (0.36, 0.90, 0.41),
}
NOISES = (0.1, 0.5)
REPETITIONS = 30


def tasks(*, quick: bool) -> dict[str, Task]:
    """One cell per data set."""
    rows = list(PRINTED)[: 2 if quick else None]
    return {
        f"table 1/{name_of(row)}/noise {noise}/{seed}": partial(alone, run, row, noise, seed)
        for noise in NOISES[: 1 if quick else None]
        for row in rows
        for seed in range(2 if quick else REPETITIONS)
    }


def name_of(row: tuple[int, ...]) -> str:
    """The numbers of samples and of features of each kind."""
    return ", ".join(map(str, row))


def run(row: tuple[int, ...], noise: float, seed: int) -> dict[str, Any]:
    """One data set: what bounds and rivals find, as F-measures."""
    X, y = make_relevance(*row, noise=noise, random_state=seed)
    _, n_strong, n_weak, _ = row
    position = np.arange(X.shape[1])
    relevant, strong = position < n_strong + n_weak, position < n_strong
    found = RelevanceBounds(probes="single", random_state=seed).fit(X, y).relevance_
    rivals = {
        name: f_measure_of_support(relevant, eliminated(X, y, penalty, seed).support_)
        for name, penalty in RIVALS.items()
    }
    return {
        "row": name_of(row),
        "noise": noise,
        "bounds": f_measure_of_support(relevant, found != "irrelevant"),
        "strong": f_measure_of_support(strong, found == "strong"),
        **rivals,
    }


# -------------------------------------------------------------------------------------- writing


def claims(runs: pd.DataFrame) -> list[Claim]:
    """The F-measures of FRI, and how they compare with those of its rivals."""
    rows = [row for row in PRINTED if name_of(row) in set(runs["row"])]
    return [*(measured(runs, row) for row in rows), better(runs), without_weak(runs)]


def measured(runs: pd.DataFrame, row: tuple[int, ...]) -> Claim:
    """One printed F-measure: ours is at least as high for every level of noise."""
    sizes = "{} samples, {} strong, {} weak, {} irrelevant".format(*row)
    text = f"Table 1, {sizes}: F-measure of FRI at least as printed"
    printed = PRINTED[row][1]
    groups = by_noise(runs, row)
    holds = all(reaches(group["bounds"], printed) for _, group in groups)
    return Claim.judged(text, f"{printed:.2f}", shown(groups, "bounds"), holds)


def better(runs: pd.DataFrame) -> Claim:
    """Significantly better than both rivals wherever there are weakly relevant features."""
    settings = [g for row in PRINTED if row[2] for _, g in by_noise(runs, row)]
    wins = {name: sum(exceeds(g["bounds"], g[name]) for g in settings) for name in RIVALS}
    found = (
        f"better than elastic net in {wins['elasticnet']} and than Lasso in {wins['lasso']} of "
        f"{len(settings)} settings ({repetitions(settings)})"
    )
    text = "Table 1: FRI significantly better wherever there are weakly relevant features"
    return Claim.judged(text, "6 of 6 rows", found, min(wins.values()) == len(settings))


def without_weak(runs: pd.DataFrame) -> Claim:
    """Elastic net is ahead where every relevant feature is strongly so."""
    row = next(iter(PRINTED))
    groups = by_noise(runs, row)
    ahead = all(group["elasticnet"].mean() > group["bounds"].mean() for _, group in groups)
    elastic = " and ".join(spread(group["elasticnet"]) for _, group in groups)
    found = f"{elastic} against {shown(groups, 'bounds')}"
    printed = "{:.2f} against {:.2f}".format(*PRINTED[row])
    text = "Table 1: without weakly relevant features elastic net finds more than FRI"
    return Claim.judged(text, printed, found, ahead)


def by_noise(runs: pd.DataFrame, row: tuple[int, ...]) -> list[tuple[float, pd.DataFrame]]:
    """The data sets of a row, for every level of noise."""
    return list(runs[runs["row"] == name_of(row)].groupby("noise"))


def shown(groups: list[tuple[float, pd.DataFrame]], method: str) -> str:
    """F-measures for every level of noise."""
    means = " and ".join(spread(group[method]) for _, group in groups)
    noises = " and ".join(str(noise) for noise, _ in groups)
    return f"{means} (noise {noises}; {repetitions(group for _, group in groups)})"


def repetitions(groups: Iterable[pd.DataFrame]) -> str:
    """How many data sets there were of each kind."""
    return f"{min(map(len, groups))} data sets each"


def reaches(values: pd.Series, printed: float) -> bool:
    """Whether the mean is not below a printed value by more than one standard error."""
    return bool(values.mean() + values.sem() >= printed)


def table_1(runs: pd.DataFrame) -> str:
    """Means and standard deviations beside the printed values."""
    head = ("samples, strong, weak, irrelevant", "noise", "paper: FRI", "bounds", "at or above",
            "strong", "paper: Lasso, EN", "our Lasso", "our EN")  # fmt: skip
    printed = {name_of(row): values for row, values in PRINTED.items()}
    rows = []
    for (name, noise), group in runs.groupby(["row", "noise"], sort=False):
        elastic, fri, lasso = printed[name]
        verdict = "yes" if reaches(group["bounds"], fri) else "no"
        cells = [spread(group[each]) for each in ("bounds", "strong", "lasso", "elasticnet")]
        rows.append((name, noise, f"{fri:.2f}", cells[0], verdict, cells[1],
                     f"{lasso:.2f}, {elastic:.2f}", *cells[2:]))  # fmt: skip
    return table(head, rows)


BODY = """
## Table 1 again

F-measure of the relevant features (strong or weak), mean ± standard deviation over {n_sets}
data sets made by `make_relevance` with five classes (seeds 0 to {last}).  The paper gives no noise
level and only describes its generator, so its data are not ours; "at or above" means that our mean
is not below the printed value by more than one standard error, and "significantly better", among
the claims, that the mean difference on the same data exceeds two standard errors.  "strong" is the
F-measure of the strongly relevant features alone (1 if there are none and none is found), which the
paper does not give.  Lasso and EN (elastic net, half and half) are `LinearOrdinalClassifier` with C
by 5-fold cross-validation and 5-fold recursive elimination, on the same data.

{table}
"""


def body(runs: pd.DataFrame) -> str:
    """What the page says about Table 1."""
    n_sets = runs.groupby(["row", "noise"]).size().min()
    return BODY.format(n_sets=n_sets, last=n_sets - 1, table=table_1(runs))
