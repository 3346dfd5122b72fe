"""False discovery rates and power of p-values, knockoffs and stability selection.

    make .venv-bench/.installed
    .venv-bench/bin/python -m benchmarks.false_discoveries --results results.jsonl --write

Tables are added to the file of results until there are as many as asked for, so that a run can be
stopped and continued; the page is made of what is in the file.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.linear_model import Ridge

from benchmarks.common import environment, note, publish
from echelon import ForestImportance, KnockoffSelector, RankCorrelation, StabilitySelector
from echelon.evidence._stability import q_values, within_bound

RATE = 0.1
N_RELEVANT = 15
REFEREE_SHARE = 5
"""Other packages, and slow methods, see one table of so many."""


class Design(NamedTuple):
    """Columns, and how the target follows some of them."""

    name: str
    n: int = 200
    p: int = 50
    correlation: str = "none"
    """ "none", "ar" (0.7), "all" (0.7) or "blocks" (of five, 0.8)."""
    columns: str = "normal"
    """ "normal", "mixed" (continuous, ordered and nominal in turn) or "noise" (of many kinds)."""
    effect: str = "linear"
    """ "none", "linear" or "curved"."""
    target: str = "ordinal"
    """ "ordinal", "classification" or "regression"."""
    size: float = 7.0
    """Weight of a relevant feature, divided by the square root of n."""
    missing: float = 0.0


DISCOVERIES = (
    Design("independent", size=5),
    Design("AR 0.7", correlation="ar"),
    Design("all pairs 0.7", correlation="all", size=9),
    Design("blocks of five, 0.8", correlation="blocks", size=10),
    Design("AR 0.7, n = 1000", n=1000, correlation="ar"),
    Design("mixed columns, AR 0.7", correlation="ar", columns="mixed"),
    Design("mixed columns, AR 0.7, n = 1000", n=1000, correlation="ar", columns="mixed"),
    Design("mixed columns, 10 % missing", columns="mixed", correlation="ar", missing=0.1),
    Design("curved effects, AR 0.7, n = 1000", n=1000, correlation="ar", effect="curved", size=14),
    Design("three classes without an order, AR 0.7", correlation="ar", target="classification"),
    Design("numbers, AR 0.7", correlation="ar", target="regression"),
    Design("no effect, AR 0.7", correlation="ar", effect="none"),
    Design("no effect, mixed columns", correlation="ar", columns="mixed", effect="none"),
)
NOISE = (
    Design("independent, p = 10", p=10, effect="none"),
    Design("independent, p = 50", effect="none"),
    Design("independent, p = 200", p=200, effect="none"),
    Design("AR 0.7, p = 50", correlation="ar", effect="none"),
    Design("all pairs 0.7, p = 50", correlation="all", effect="none"),
    Design("columns of six kinds, p = 50", columns="noise", effect="none"),
    Design("15 relevant of 50, independent", size=5),
    Design("15 relevant of 200, independent", p=200, size=5),
)


class Table(NamedTuple):
    """Columns, target, and which features are relevant."""

    X: pd.DataFrame
    y: Any
    relevant: np.ndarray


def draw(design: Design, seed: int) -> Table:
    """One table of a design."""
    rng = np.random.default_rng([seed, design.n, design.p, len(design.name)])
    latent = _latent(design, rng)
    relevant = np.zeros(design.p, bool)
    if design.effect != "none":
        relevant[rng.choice(design.p, N_RELEVANT, replace=False)] = True
    values, columns = _columns(design, latent)
    x = values[:, relevant]
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    x = np.abs(x) if design.effect == "curved" else x
    weights = design.size / np.sqrt(design.n) * rng.choice([-1, 1], x.shape[1])
    score = x @ weights + rng.standard_normal(design.n)
    X = columns.mask(rng.random(latent.shape) < design.missing)
    return Table(X, _target(design, score), relevant)


def _latent(design: Design, rng: np.random.Generator) -> np.ndarray:
    own = rng.standard_normal((design.n, design.p))
    if design.correlation == "ar":
        for j in range(1, design.p):
            own[:, j] = 0.7 * own[:, j - 1] + np.sqrt(1 - 0.7**2) * own[:, j]
    if design.correlation == "all":
        own = np.sqrt(0.7) * rng.standard_normal((design.n, 1)) + np.sqrt(0.3) * own
    if design.correlation == "blocks":
        shared = np.repeat(rng.standard_normal((design.n, design.p // 5)), 5, axis=1)
        own = np.sqrt(0.8) * shared + np.sqrt(0.2) * own
    return own


def _columns(design: Design, latent: np.ndarray) -> tuple[np.ndarray, pd.DataFrame]:
    """Numbers the target follows, and the columns as the table has them."""
    values = latent.copy()
    names = [f"x{j}" for j in range(design.p)]
    if design.columns == "noise":
        for j, x in enumerate(latent.T):
            values[:, j] = (x, np.exp(x), np.sinh(2 * x), x > 0, x > 1.6, np.round(x))[j % 6]
    columns = {name: values[:, j] for j, name in enumerate(names)}
    if design.columns == "mixed":
        for j in range(1, design.p, 3):
            columns[names[j]] = values[:, j] = np.digitize(latent[:, j], [-1, 0, 1])
        for j in range(2, design.p, 3):
            codes = np.digitize(latent[:, j], [-0.5, 0.5])
            values[:, j] = np.array([0.0, 1.0, -1.0])[codes]  # not in the order of the latent
            columns[names[j]] = np.array(["red", "blue", "green"])[codes]
    return values, pd.DataFrame(columns)


def _target(design: Design, score: np.ndarray) -> Any:
    if design.target == "regression":
        return score
    if design.target == "classification":
        return np.array(["b", "c", "a"])[np.digitize(score, np.quantile(score, [1 / 3, 2 / 3]))]
    return np.digitize(score, np.quantile(score, [0.2, 0.4, 0.6, 0.8]))


# ------------------------------------------------------------------------------------- methods


def _knockoffs(table: Table, seed: int, **params: Any) -> np.ndarray:
    found = KnockoffSelector(error_rate=RATE, random_state=seed, n_jobs=1, **params)
    return found.fit(table.X, table.y).support_


def _by_forest(table: Table, seed: int) -> np.ndarray:
    return _knockoffs(table, seed, selector=ForestImportance(n_jobs=1))


def _five_knockoffs(table: Table, seed: int) -> np.ndarray:
    return _knockoffs(table, seed, n_knockoffs=5)


def _p_values(table: Table, seed: int) -> np.ndarray:
    selector = RankCorrelation(threshold="fdr", error_rate=RATE)
    return selector.fit(table.X, table.y).support_


def _stability(table: Table, seed: int, ranking: Any = None) -> np.ndarray:
    ranking = RankCorrelation() if ranking is None else ranking
    found = StabilitySelector(ranking, RATE, random_state=seed, n_jobs=1)
    return found.fit(table.X, table.y).support_


def _stability_of_ridge(table: Table, seed: int) -> np.ndarray:
    return _stability(table, seed, Ridge(5.0))


def _knockpy(table: Table, seed: int) -> np.ndarray:
    from knockpy.knockoff_filter import KnockoffFilter

    np.random.seed(seed)  # noqa: NPY002 - knockpy draws from the global state
    found = KnockoffFilter(ksampler="gaussian", fstat="lasso")
    X = table.X.to_numpy(float)
    return found.forward(X, np.asarray(table.y, float), fdr=RATE).astype(bool)


def _hidimstat(table: Table, seed: int) -> np.ndarray:
    from hidimstat.knockoffs import ModelXKnockoff

    found = ModelXKnockoff(random_state=seed)
    found.fit_importance(table.X.to_numpy(float), np.asarray(table.y, float))
    return np.ravel(found.fdr_selection(fdr=RATE))


METHODS: dict[str, Callable[[Table, int], np.ndarray]] = {
    "knockoffs": _knockoffs,
    "knockoffs, forest": _by_forest,
    "five knockoffs": _five_knockoffs,
    "knockpy": _knockpy,
    "hidimstat": _hidimstat,
    "p-values": _p_values,
    "stability, tau": _stability,
    "stability, ridge": _stability_of_ridge,
}
SELDOM = set(METHODS) - {"knockoffs", "five knockoffs", "p-values"}
PACKAGES = {"knockpy", "hidimstat"}
NUMBERS_ONLY = PACKAGES | {"stability, ridge"}


def _seldom(seed: int) -> bool:
    """Whether this table is one of those that other packages and slow methods see."""
    return seed % REFEREE_SHARE == REFEREE_SHARE - 1


def _takes(method: str, design: Design, seed: int) -> bool:
    """Whether a method takes such tables, and sees this one of them."""
    if method in SELDOM and not _seldom(seed):
        return False
    plain = design.columns == "normal" and design.target != "classification"
    return plain or method not in NUMBERS_ONLY


def discoveries(design: Design, seed: int) -> Iterator[dict[str, Any]]:
    """False discovery proportion and power of every method on one table."""
    table = draw(design, seed)
    for name, method in METHODS.items():
        if not _takes(name, design, seed):
            continue
        start = process_time()
        try:
            selected = method(table, seed)
        except ValueError:
            if name not in PACKAGES:
                raise
            continue  # another package fails on this table
        seconds = process_time() - start
        false = float((selected & ~table.relevant).sum() / max(selected.sum(), 1))
        power = float(selected[table.relevant].mean()) if table.relevant.any() else np.nan
        yield {"method": name, "false": false, "power": power, "seconds": seconds}


# ---------------------------------------------------------------------------- false positives


def false_positives(design: Design, seed: int) -> Iterator[dict[str, Any]]:
    """False positives at an expected number of 1, and discoveries at a rate, by bound."""
    table = draw(design, seed)
    selector = StabilitySelector(RankCorrelation(), RATE, random_state=seed, n_jobs=1)
    selector.fit(table.X, table.y)
    found = {"gaussian": (selector.false_positives_, selector.q_values_)}
    selector.bound = "integral"
    path = selector.selection_frequencies_
    sizes = within_bound(np.arange(1, len(path) + 1), path.shape[1], selector.n_pairs, 3)
    expected = selector._judge(path[: len(sizes)])[1]
    found["integral"] = expected, q_values(expected)
    if _seldom(seed):
        found["ipss"] = _ipss(table, seed)
    if design.columns == "noise" and _seldom(seed):
        forest = StabilitySelector(
            ForestImportance(n_estimators=10, n_jobs=1), n_pairs=20, random_state=seed, n_jobs=1
        ).fit(table.X, table.y)
        found["gaussian, forest"] = forest.false_positives_, forest.q_values_
    for method, (expected, rates) in found.items():
        null, selected = ~table.relevant, rates <= RATE
        yield {
            "method": method,
            "at_one": int((expected <= 1)[null].sum()),
            "at_tenth": int((expected <= 0.1)[null].sum()),
            "false": float((selected & null).sum() / max(selected.sum(), 1)),
            "power": float(selected[~null].mean()) if (~null).any() else np.nan,
        }


def _ipss(table: Table, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The package, with the ranking by rank correlation."""
    from ipss import ipss

    def scores(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        return RankCorrelation().fit(X, y.astype(int)).scores_

    np.random.seed(seed)  # noqa: NPY002 - ipss draws from the global state
    found = ipss(table.X.to_numpy(float), table.y, selector=scores, preselect=False)
    features = range(table.X.shape[1])
    return tuple(np.array([found[k][j] for j in features]) for k in ("efp_scores", "q_values"))


# ---------------------------------------------------------------------------------------- page

PARTS = {"discoveries": (DISCOVERIES, discoveries), "false positives": (NOISE, false_positives)}


def run(file: Path, n_tables: int, seeds: slice) -> None:
    """Add the tables that are missing to the file, seed by seed."""
    there = {(row["part"], row["design"], row["seed"]) for row in read(file)}
    for seed in range(n_tables)[seeds]:
        for part, (designs, measure) in PARTS.items():
            for design in designs:
                if (part, design.name, seed) in there:
                    continue
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    rows = list(measure(design, seed))
                with file.open("a", encoding="utf-8") as out:
                    for row in rows:
                        key = {"part": part, "design": design.name, "seed": seed}
                        out.write(json.dumps({**key, **row}) + "\n")
        note(f"seed {seed}")


def read(file: Path) -> list[dict[str, Any]]:
    """The results so far."""
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def interval(values: list[float]) -> str:
    """Mean and half the width of its 95 % interval."""
    known = np.array(values, float)
    if len(known) == 1:
        return f"{known[0]:.2f}"
    return f"{known.mean():.2f} ± {1.96 * known.std(ddof=1) / np.sqrt(len(known)):.2f}"


def collected(rows: list[dict[str, Any]], part: str) -> dict[tuple[str, str], dict[str, list]]:
    """Values by design and method, and then by what they measure."""
    found: dict[tuple[str, str], dict[str, list]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["part"] == part:
            for name in ("false", "power", "at_one", "at_tenth", "seconds"):
                if name in row:
                    found[row["design"], row["method"]][name].append(row[name])
    return found


def table_of(found: dict, designs: tuple, methods: list[str], cell: Callable) -> str:
    """A table of designs by methods."""
    lines = ["| design | " + " | ".join(methods) + " |", "| --- " * (len(methods) + 1) + "|"]
    for design in designs:
        cells = [cell(found[design.name, m]) if (design.name, m) in found else "" for m in methods]
        lines.append(f"| {design.name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def page(rows: list[dict[str, Any]]) -> str:
    """The page, from the results."""
    first, second = (collected(rows, part) for part in PARTS)
    bounds = ["gaussian", "integral", "ipss", "gaussian, forest"]
    counts = [len(values["false"]) for (_, m), values in first.items() if m == "knockoffs"]
    seconds = "; ".join(
        f"{m} {np.median(first['AR 0.7', m]['seconds']):.2f} s"
        for m in METHODS
        if ("AR 0.7", m) in first
    )
    effects = tuple(d for d in DISCOVERIES if d.effect != "none")
    return f"""# False discoveries: p-values, knockoffs, stability selection

Made by `python -m benchmarks.false_discoveries --results FILE --write`.
{environment("scikit-learn", "knockpy", "hidimstat", "ipss")}.

{min(counts)} tables per design, one in {REFEREE_SHARE} of them for other packages and slow methods;
mean ± half the 95 % interval.  Nominal rate {RATE:.0%}.  15 of 50 features are relevant, unless
said otherwise: the target follows them, and no other feature carries further information.  A false
discovery is any other feature.  n = 200 and five ordered classes, unless said otherwise.
*mixed columns*: continuous, four ordered levels and three labels in turn.  *knockoffs* is
`KnockoffSelector` as it is, one knockoff of every feature and the lasso; *knockoffs, forest* uses
`ForestImportance`; *five knockoffs* draws five of every feature.  *knockpy* and *hidimstat* draw
one Gaussian knockoff and use the lasso, too.

## False discovery rate

p-values are those of Kendall's tau with Benjamini and Hochberg's procedure.  They and stability
selection of the same ranking (*stability, tau*) ask what is associated with the target; where
features are correlated, features that are only correlated with relevant ones are found, which count
as false here.  Without
an effect the rate is the share of tables in which anything is selected.

{table_of(first, DISCOVERIES, list(METHODS), lambda v: interval(v["false"]))}

## Power

Share of the relevant features found.

{table_of(first, effects, list(METHODS), lambda v: f"{np.mean(v['power']):.2f}")}

CPU time per table (AR 0.7, median): {seconds}.

## Expected false positives of stability selection

Ranking by rank correlation; features that are selected although nothing is relevant (or, in the
last two designs, beside 15 independent relevant ones).  *gaussian* and *integral* are the bounds of
`StabilitySelector`; *ipss* is the package with the same ranking.  *gaussian, forest* ranks by a
small forest, which favours features with many values: these are not exchangeable, so that no bound
applies.

Mean number of false positives where 1 is expected:

{table_of(second, NOISE, bounds, lambda v: interval(v["at_one"]))}

Mean number of false positives where 0.1 are expected:

{table_of(second, NOISE, bounds, lambda v: interval(v["at_tenth"]))}

False discovery rate at a nominal {RATE:.0%}:

{table_of(second, NOISE, bounds, lambda v: interval(v["false"]))}

Power:

{table_of(second, NOISE[-2:], bounds[:3], lambda v: f"{np.mean(v['power']):.2f}")}
"""


def main() -> None:
    """Measure what is missing, and show the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 1), help="every k-th from first")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    first, step = arguments.seeds
    run(arguments.results, arguments.tables, slice(first, None, step))
    publish("false_discoveries", lambda: page(read(arguments.results)), arguments)


if __name__ == "__main__":
    main()
