"""Pfannschmidt, Jakob, Biehl, Tino, Hammer 2019: feature relevance bounds for ordinal regression.

``python -m papers.relevance_bounds`` runs Table 1 again, measures how tolerance and probes behave,
and writes docs/papers/relevance_bounds.md.  It takes about half an hour on two cores.
"""

from __future__ import annotations

import argparse
import platform
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.stats import binomtest
from sklearn.feature_selection import RFECV
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from echelon import LinearOrdinalClassifier, RelevanceBounds
from echelon.datasets import make_relevance
from echelon.evaluation import f_measure_of_support, macro_mean_absolute_error_scorer

PAGE = Path(__file__).parent.parent / "docs" / "papers" / "relevance_bounds.md"

# Samples, strong, weak, irrelevant; F-measures of elastic net, FRI, Lasso as printed.
TABLE_1 = {
    (150, 6, 0, 6): (0.91, 0.87, 0.88),
    (150, 0, 6, 6): (0.67, 0.93, 0.64),
    (150, 3, 4, 3): (0.85, 0.91, 0.83),
    (256, 6, 6, 6): (0.88, 0.97, 0.87),
    (512, 1, 2, 11): (0.81, 0.87, 0.76),
    (200, 1, 20, 0): (0.36, 1.00, 0.26),
    (200, 1, 20, 20): (0.36, 0.90, 0.41),
}
NOISES = (0.1, 0.5)
SHAPE = (300, 3, 4, 10)
SWEEPS = {
    "noise": [{"noise": noise} for noise in (0.05, 0.1, 0.2, 0.5, 1.0)],
    "samples": [{"n_samples": m} for m in (100, 200, 500, 1000)],
    "classes": [{"n_classes": k} for k in (2, 3, 5, 7)],
}
TOLERANCES = ("auto", 0.001, 0.01, 0.1)


def eliminated(X: np.ndarray, y: np.ndarray, penalty: str, seed: int) -> np.ndarray:
    """Features that cross-validated elimination keeps, as the paper does for Lasso and ElasticNet.

    C by 5-fold cross-validation, then recursive elimination with 5 folds, both on macro-averaged
    absolute error.
    """
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    costs = np.array([1, 3, 10, 30, 100, 300, 1000]) / len(X)
    search = GridSearchCV(
        LinearOrdinalClassifier(penalty),
        {"C": costs},
        scoring=macro_mean_absolute_error_scorer,
        cv=folds,
    ).fit(X, y)
    elimination = RFECV(
        search.best_estimator_,
        cv=folds,
        scoring=macro_mean_absolute_error_scorer,
        importance_getter=lambda model: np.abs(model.coef_ * model.scale_),
    )
    return elimination.fit(X, y).support_


def table_run(row: tuple[int, ...], noise: float, seed: int) -> dict:
    """One data set of Table 1: what bounds and baselines find."""
    warnings.simplefilter("ignore")
    X, y = make_relevance(*row, noise=noise, random_state=seed)
    _, n_strong, n_weak, _ = row
    position = np.arange(X.shape[1])
    relevant, strong = position < n_strong + n_weak, position < n_strong
    found = RelevanceBounds(random_state=seed).fit(X, y).relevance_
    return {
        "row": row,
        "noise": noise,
        "bounds": f_measure_of_support(relevant, found != "irrelevant"),
        "strong": f_measure_of_support(strong, found == "strong"),
        "lasso": f_measure_of_support(relevant, eliminated(X, y, "l1", seed)),
        "elasticnet": f_measure_of_support(relevant, eliminated(X, y, "elasticnet", seed)),
    }


def sweep_run(name: str, settings: dict, tolerance: float | str, seed: int) -> dict:
    """One data set of a sweep at one tolerance: rates of right and wrong answers."""
    warnings.simplefilter("ignore")
    m, n_strong, n_weak, n_irrelevant = SHAPE
    params = {"n_samples": m, "noise": 0.3, **settings}
    X, y = make_relevance(
        n_strong=n_strong, n_weak=n_weak, n_irrelevant=n_irrelevant, random_state=seed, **params
    )
    selector = RelevanceBounds(tolerance=tolerance, random_state=seed).fit(X, y)
    found = selector.relevance_
    needed, useful = found == "strong", found != "irrelevant"
    return {
        "sweep": name,
        "value": next(iter(settings.values())),
        "tolerance": tolerance,
        "used": selector.tolerance_,
        "strong found": needed[:n_strong].mean(),
        "weak called strong": needed[n_strong : n_strong + n_weak].mean(),
        "noise called strong": needed[-n_irrelevant:].mean(),
        "relevant found": useful[:-n_irrelevant].mean(),
        "noise called relevant": useful[-n_irrelevant:].mean(),
    }


def noise_run(C: float | None, rate: float, seed: int) -> dict:
    """A data set without any relevant feature: how many are called relevant or strong."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(200, 20)), rng.integers(0, 5, 200)
    found = RelevanceBounds(C=C, false_positive_rate=rate, random_state=seed).fit(X, y).relevance_
    return {
        "C": "cross-validated" if C is None else f"{C:g}",
        "rate": rate,
        "relevant": (found != "irrelevant").sum(),
        "strong": (found == "strong").sum(),
        "features": len(found),
    }


def correlated_run(correlation: float, problem: str, seed: int) -> dict:
    """One relevant feature, ten of noise that share a hidden variable: what is called relevant."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(seed)
    shared = np.sqrt(correlation) * rng.normal(size=(100, 1))
    noise = shared + np.sqrt(1 - correlation) * rng.normal(size=(100, 10))
    x = rng.normal(size=100)
    target = 2 * x + rng.normal(size=100)
    y = target if problem == "regression" else np.digitize(target, [-1.5, 0, 1.5])
    selector = RelevanceBounds(problem=problem, false_positive_rate=0.05, random_state=seed)
    found = selector.fit(np.column_stack([x, noise]), y).relevance_[1:]
    return {
        "problem": problem,
        "correlation": correlation,
        "relevant": (found != "irrelevant").mean(),
        "any": (found != "irrelevant").any(),
    }


def correlated_table(runs: pd.DataFrame) -> str:
    """Share of noise called relevant, by its correlation."""
    lines = [
        "| target | correlation of the noise | called relevant | data sets with any |",
        "| --- | ---: | ---: | ---: |",
    ]
    for (problem, correlation), group in runs.groupby(["problem", "correlation"], sort=False):
        lines.append(
            f"| {problem} | {correlation} | {group['relevant'].mean():.3f} "
            f"| {group['any'].sum()} of {len(group)} |"
        )
    return "\n".join(lines)


def table_1(runs: pd.DataFrame) -> str:
    """Means and standard errors beside the printed values."""
    lines = [
        "| samples, strong, weak, irrelevant | noise | paper: FRI | bounds | at or above | strong "
        "| paper: Lasso, EN | our Lasso | our EN |",
        "| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: |",
    ]
    for (row, noise), group in runs.groupby(["row", "noise"], sort=False):
        elastic, fri, lasso = TABLE_1[row]
        error = group["bounds"].std() / np.sqrt(len(group))
        verdict = "yes" if group["bounds"].mean() + error >= fri else "no"
        cells = [_spread(group[name]) for name in ("bounds", "strong", "lasso", "elasticnet")]
        lines.append(
            f"| {', '.join(map(str, row))} | {noise} | {fri:.2f} | {cells[0]} | {verdict} "
            f"| {cells[1]} | {lasso:.2f}, {elastic:.2f} | {cells[2]} | {cells[3]} |"
        )
    return "\n".join(lines)


def _spread(values: pd.Series) -> str:
    return f"{values.mean():.2f} ± {values.std():.2f}"


def sweeps(runs: pd.DataFrame) -> str:
    """Rates per setting and tolerance."""
    names = ["strong found", "weak called strong", "noise called strong", "relevant found",
             "noise called relevant"]  # fmt: skip
    lines = [
        "| setting | tolerance | used | " + " | ".join(names) + " |",
        "| --- | --- | ---: | " + " | ".join(["---:"] * len(names)) + " |",
    ]
    for (sweep, value, tolerance), group in runs.groupby(
        ["sweep", "value", "tolerance"], sort=False
    ):
        rates = " | ".join(f"{group[name].mean():.3f}" for name in names)
        lines.append(f"| {sweep} {value:g} | {tolerance} | {group['used'].mean():.4f} | {rates} |")
    return "\n".join(lines)


def noise_table(runs: pd.DataFrame) -> str:
    """Share called relevant, with its confidence interval, beside the nominal rate."""
    lines = [
        "| C | nominal rate | called relevant | 95 % interval | called strong | features |",
        "| --- | ---: | ---: | --- | ---: | ---: |",
    ]
    for (C, rate), group in runs.groupby(["C", "rate"], sort=False):
        calls, total = int(group["relevant"].sum()), int(group["features"].sum())
        low, high = binomtest(calls, total).proportion_ci(method="wilson")
        strong = group["strong"].sum() / total
        lines.append(
            f"| {C} | {rate} | {calls / total:.4f} | {low:.4f} to {high:.4f} | {strong:.4f} "
            f"| {total} |"
        )
    return "\n".join(lines)


def page(tables: dict[str, str], n_seeds: int, n_sweep: int) -> str:
    """The page kept in docs."""
    versions = ", ".join(f"{n} {version(n)}" for n in ("echelon", "numpy", "scikit-learn"))
    m, n_strong, n_weak, n_irrelevant = SHAPE
    return f"""# Feature relevance bounds for ordinal regression

L. Pfannschmidt, J. Jakob, M. Biehl, P. Tino, B. Hammer, ESANN 2019.

Made by `python -m papers.relevance_bounds` with Python {platform.python_version()}, {versions};
seeds 0 to {n_seeds - 1}.

## Table 1 again

F-measure of the relevant features (strong or weak), mean ± standard deviation over {n_seeds} data
sets made by `make_relevance` with five classes.  The paper gives no noise level and only describes
its generator, so its data are not ours; "at or above" means that our mean is not below the printed
value by more than one standard error.  "strong" is the F-measure of the strongly relevant features
alone (1 if there are none and none is found), which the paper does not give.  Lasso and EN
(elastic net, half and half) are `LinearOrdinalClassifier` with C by 5-fold cross-validation and
5-fold recursive elimination, on the same data.

{tables["table 1"]}

## Does the tolerance follow the noise?

{m} samples, {n_strong} strong, {n_weak} weak (one group), {n_irrelevant} irrelevant features, noise
0.3 and five classes unless the setting says otherwise; means over {n_sweep} data sets each.
"auto" measures by how much an added noise column lowers the optimum; the other rows are fixed
tolerances, with the same probes.

{tables["sweeps"]}

## Data without any relevant feature

200 samples, 20 features of noise, five random classes; {n_seeds} data sets.  Where the
cross-validated model uses no feature, all are called irrelevant.

{tables["noise"]}

## Noise that is not independent

100 samples, one relevant feature, ten of noise that share a hidden variable, nominal rate 0.05,
{n_seeds} data sets each.  The rate holds for features independent of the others.  Correlated noise
features share their luck, and can trade weight with each other, which a single permuted column
cannot: if one of them is called relevant, often all are.

{tables["correlated"]}
"""


def main() -> None:
    """Run everything, in two processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--sweep-seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    seeds = range(arguments.seeds)
    parallel = Parallel(arguments.jobs, verbose=1)
    noise_settings = [(None, 0.01), (1.0, 0.01), (1.0, 0.05)]
    noise = parallel(delayed(noise_run)(*each, s) for each in noise_settings for s in seeds)
    correlated = parallel(
        delayed(correlated_run)(rho, problem, seed)
        for problem in ("ordinal", "regression")
        for rho in (0.0, 0.5, 0.8, 0.95)
        for seed in seeds
    )
    swept = parallel(
        delayed(sweep_run)(name, settings, tolerance, seed)
        for name, cells in SWEEPS.items()
        for settings in cells
        for tolerance in TOLERANCES
        for seed in range(arguments.sweep_seeds)
    )
    runs = parallel(
        delayed(table_run)(row, noise, seed)
        for noise in NOISES
        for row in TABLE_1
        for seed in seeds
    )
    tables = {
        "table 1": table_1(pd.DataFrame(runs)),
        "sweeps": sweeps(pd.DataFrame(swept)),
        "noise": noise_table(pd.DataFrame(noise)),
        "correlated": correlated_table(pd.DataFrame(correlated)),
    }
    PAGE.write_text(page(tables, arguments.seeds, arguments.sweep_seeds))
    print(PAGE.read_text())


if __name__ == "__main__":
    main()
