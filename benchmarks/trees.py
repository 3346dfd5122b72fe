"""Trees for ordered classes: ``OrdinalTree`` by each criterion, beside others, on the 24 sets.

``ECHELON_DATA=FOLDER python -m benchmarks.trees --write``.  The classifiers of skordinal take part
where it is installed.
"""

from __future__ import annotations

import argparse
import warnings
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from benchmarks.common import data_folder, environment, publish, slopes
from benchmarks.ordered.data import NAMES, find, load
from echelon import OrdinalDecomposition, OrdinalForest, OrdinalTree, RankCorrelation
from echelon.evaluation import macro_mean_absolute_error, rank_loss
from papers.cells import Cells, Task
from papers.pages import table

MOST_ROWS = 600
CRITERIA = ("ordinal_gini", "ranking", "rank_information", "gini")
REFERENCE = "scikit-learn's tree, pruned"
SIZES = ((1000, 10), (10_000, 10), (100_000, 10), (1000, 50), (10_000, 50), (100_000, 50))
CELLS = Path(__file__).parent.parent / "papers" / "results" / "trees.json"
"""Finished parts, so that a stopped run goes on where it stopped."""

N_CONSISTENT = 100


class Negated(ClassifierMixin, BaseEstimator):
    """A classifier on features negated where they fall with the class in the training rows."""

    def __init__(self, tree: Any):
        self.tree = tree

    def fit(self, X: np.ndarray, y: np.ndarray) -> Negated:
        """Find the signs by Kendall's tau, and fit the classifier."""
        found = RankCorrelation(1, kind="ordinal").fit(X, y)
        self.signs_ = np.where(found.correlations_ < 0, -1, 1)
        self.tree_ = clone(self.tree).fit(X * self.signs_, y)
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """What the classifier answers."""
        return self.tree_.predict(X * self.signs_)


def methods() -> dict[str, Any]:
    """What is compared, by name."""
    trees = {
        f"OrdinalTree, {each}{', pruned' if price else ''}": _tree(each, price)
        for price in ("cv", 0.0)
        for each in CRITERIA
    }
    plain = DecisionTreeClassifier(random_state=0)
    return {
        **trees,
        REFERENCE: OrdinalTree("gini", ccp_alpha="cv", answer="mode", random_state=0),
        "scikit-learn's tree": plain,
        "OrdinalDecomposition of scikit-learn's tree": OrdinalDecomposition(plain),
        "OrdinalForest": OrdinalForest(random_state=0, n_jobs=1),
        **_of_skordinal(),
    }


def _tree(criterion: str, price: Any) -> Any:
    tree = OrdinalTree(criterion, ccp_alpha=price, random_state=0)
    return Negated(tree) if criterion == "rank_information" else tree


def _of_skordinal() -> dict[str, Any]:
    """Its linear, kernel and boosted classifiers for ordered classes, on standardised features."""
    if find_spec("skordinal") is None:
        return {}
    room = import_module("skordinal.classifiers")
    names = ("LogisticAT", "LogisticIT", "KDLOR", "REDSVM", "SVOR", "ORBoost")
    return {
        f"skordinal {name}": make_pipeline(StandardScaler(), getattr(room, name)())
        for name in names
    }


# ----------------------------------------------------------------------------------- 24 data sets


class Found(NamedTuple):
    """Means over the folds: held-out errors in classes, leaves, processor seconds of a fit."""

    error: float
    macro: float
    leaves: float
    seconds: float


def held_out(model: Any, X: np.ndarray, y: np.ndarray, folds: list[tuple]) -> Found:
    """One method on one data set."""
    rows = []
    for train, test in folds:
        start = process_time()
        fitted = clone(model).fit(X[train], y[train])
        seconds = process_time() - start
        answers = np.clip(np.rint(fitted.predict(X[test])), 0, y.max()).astype(int)
        macro = macro_mean_absolute_error(y[test], answers)
        rows.append((rank_loss(y[test], answers), macro, _leaves(fitted), seconds))
    return Found(*np.mean(rows, axis=0).tolist())


def _leaves(fitted: Any) -> float:
    tree = getattr(fitted, "tree_", fitted) if isinstance(fitted, Negated) else fitted
    if isinstance(tree, OrdinalDecomposition):
        return float(sum(each.get_n_leaves() for each in tree.estimators_))
    return float(tree.get_n_leaves()) if hasattr(tree, "get_n_leaves") else np.nan


def on_set(file: Path) -> dict[str, Found]:
    """Every method on one data set, the same rows and folds for all."""
    X, y = load(file)
    drawn = np.random.default_rng(0).permutation(len(y))[:MOST_ROWS]
    X, y = X[drawn], np.unique(y[drawn], return_inverse=True)[1]
    n_folds = int(np.clip(np.bincount(y).min(), 2, 5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes with one sample, solvers that stop early
        folds = list(StratifiedKFold(n_folds, shuffle=True, random_state=0).split(X, y))
        return {name: held_out(model, X, y, folds) for name, model in methods().items()}


def interval(differences: np.ndarray) -> str:
    """Mean and 95 % interval from resampled data sets."""
    drawn = np.random.default_rng(0).choice(differences, (10_000, len(differences)))
    low, high = np.quantile(drawn.mean(axis=1), [0.025, 0.975])
    return f"{differences.mean():+.3f} ({low:+.3f} to {high:+.3f})"


def by_method(every: dict[str, dict[str, Found]]) -> str:
    """Averages over the data sets, and differences from the reference."""
    head = ("classifier", "MAE in classes", "less that of the reference", "better, worse on",
            "macro-averaged error", "less that of the reference", "leaves", "seconds")  # fmt: skip
    rows = []
    for name in next(iter(every.values())):
        ours, theirs = (np.array([each[m] for each in every.values()]) for m in (name, REFERENCE))
        apart = ours - theirs
        counts = f"{(apart[:, 0] < -1e-9).sum()}, {(apart[:, 0] > 1e-9).sum()}"
        error, macro, leaves, seconds = ours.mean(axis=0)
        less = ("-", "-") if name == REFERENCE else (interval(apart[:, 0]), interval(apart[:, 1]))
        size = "-" if np.isnan(leaves) else f"{leaves:.0f}"
        rows.append((name, f"{error:.3f}", less[0], counts, f"{macro:.3f}", less[1], size,
                     f"{seconds:.3f}"))  # fmt: skip
    return table(head, rows)


def by_set(every: dict[str, dict[str, Found]]) -> str:
    """The errors in classes of some classifiers, set by set."""
    shown = (f"OrdinalTree, {CRITERIA[0]}, pruned", f"OrdinalTree, {CRITERIA[1]}, pruned",
             REFERENCE, "OrdinalForest")  # fmt: skip
    rows = [
        (name, *(f"{found[each].error:.3f}" for each in shown)) for name, found in every.items()
    ]
    return table(("data", *shown), rows)


# --------------------------------------------------------------------------------------- verdicts


def verdicts(every: dict[str, dict[str, Found]]) -> str:
    """What the intervals allow to say, sentence by sentence."""
    compared = [
        ("OrdinalTree, ordinal_gini, pruned", REFERENCE),
        ("OrdinalTree, gini, pruned", REFERENCE),
        ("scikit-learn's tree", REFERENCE),
        ("OrdinalForest", REFERENCE),
        ("OrdinalTree, ordinal_gini, pruned", "OrdinalTree, gini, pruned"),
        ("OrdinalTree, ranking, pruned", "OrdinalTree, ordinal_gini, pruned"),
        ("OrdinalTree, rank_information, pruned", "OrdinalTree, ordinal_gini, pruned"),
        ("OrdinalTree, ordinal_gini", "OrdinalTree, ordinal_gini, pruned"),
        ("OrdinalForest", "OrdinalTree, ordinal_gini, pruned"),
        ("skordinal REDSVM", "OrdinalTree, ordinal_gini, pruned"),
    ]
    known = next(iter(every.values()))
    return "\n".join(f"- {_verdict(every, *pair)}" for pair in compared if set(pair) <= set(known))


def _verdict(every: dict[str, dict[str, Found]], one: str, other: str) -> str:
    apart = np.array([found[one].error - found[other].error for found in every.values()])
    text = interval(apart)
    low, high = (float(each) for each in text.split("(")[1].rstrip(")").split(" to "))
    found = "has a smaller error than" if high < 0 else "has a larger error than"
    if low <= 0 <= high:
        found = "cannot be told from"
    return f"**{one}** {found} **{other}**: {text} classes."


# ------------------------------------------------------------------------------------ monotone data


def consistent(seed: int, n: int = 40, k: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Normal samples in two or three features, classes by a sum that rises in each."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2 + seed % 2))
    score = (X**3 + X).sum(axis=1)
    return X, np.digitize(score, np.quantile(score, np.arange(1, k) / k))


def is_monotone(tree: Any, p: int) -> bool:
    """Whether no leaf holds a point above one of another leaf that has a higher answer."""
    n = len(tree.feature)
    low, high = np.full((n, p), -np.inf), np.full((n, p), np.inf)
    for node in np.flatnonzero(tree.feature >= 0):
        left, right, f = tree.left[node], tree.right[node], tree.feature[node]
        for child in (left, right):
            low[child], high[child] = low[node], high[node]
        high[left, f] = min(high[left, f], tree.threshold[node])
        low[right, f] = max(low[right, f], tree.threshold[node])
    leaves = np.flatnonzero(tree.feature < 0)
    answers = (tree.shares[leaves].cumsum(axis=1) >= 0.5 - 1e-12).argmax(axis=1)
    reach = (low[leaves][:, None] < high[leaves][None]).all(axis=2)
    return not (reach & (answers[:, None] > answers[None])).any()


def monotone(criterion: str) -> list[float]:
    """How often trees grown on consistent data respect the order, in training and everywhere."""
    found = []
    for seed in range(N_CONSISTENT):
        X, y = consistent(seed)
        tree = OrdinalTree(criterion).fit(X, y)
        answers = tree.predict(X)
        better = (X[:, None] >= X[None]).all(axis=2)
        kept = not (better & (answers[:, None] < answers[None])).any()
        found.append((kept, is_monotone(tree.tree_, X.shape[1]), tree.get_n_leaves()))
    return np.mean(found, axis=0).tolist()


def by_criterion(found: dict[str, list[float]]) -> str:
    """The same as a table."""
    head = ("criterion", "order of the training rows kept", "monotone everywhere", "leaves")
    return table(head, [
        (criterion, f"{100 * kept:.0f} %", f"{100 * whole:.0f} %", f"{leaves:.1f}")
        for criterion, (kept, whole, leaves) in found.items()
    ])  # fmt: skip


# --------------------------------------------------------------------------------------------- time


def timed() -> dict[str, Any]:
    """What is timed, by name."""
    ours = {each: OrdinalTree(each) for each in CRITERIA}
    plain = DecisionTreeClassifier(random_state=0)
    return {**ours, "scikit-learn, gini": plain}


def seconds(name: str, n: int, p: int) -> float:
    """Processor time of a fit on normal features, two of which say something about five classes."""
    model = timed()[name]
    model.fit(np.eye(4), [0, 1, 0, 1])  # compiled before the clock starts
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    y = np.digitize(X[:, 0] + X[:, 1] + rng.normal(size=n), [-1.5, -0.5, 0.5, 1.5])
    times = []
    for _ in range(3 if n < 100_000 else 1):
        start = process_time()
        model.fit(X, y)
        times.append(process_time() - start)
    return min(times)


def times(found: dict[str, float]) -> str:
    """Seconds beside those of scikit-learn, and how they grow with the rows."""
    rows = []
    for name in timed():
        every = [found[f"time/{name}/{n}/{p}"] for n, p in SIZES]
        growth = [
            slopes(*zip(*((n, t) for (n, width), t in zip(SIZES, every, strict=True) if width == p),
                        strict=True))
            for p in (10, 50)
        ]  # fmt: skip
        rows.append((name, *(f"{t:.3f}" for t in every), *growth))
    head = [f"{n:,} x {p}" for n, p in SIZES]
    return table(("tree", *head, "exponent of the rows, 10 features", "50 features"), rows)


# --------------------------------------------------------------------------------------------- page


def tasks(names: tuple[str, ...], folder: Path | None) -> dict[str, Task]:
    """Every part of the page."""
    return {
        **{f"set/{name}": partial(on_set, file) for name, file in find(folder, names).items()},
        **{f"monotone/{each}": partial(monotone, each) for each in CRITERIA},
        **{
            f"time/{name}/{n}/{p}": partial(seconds, name, n, p)
            for n, p in SIZES
            for name in timed()
        },
    }


def page(names: tuple[str, ...], folder: Path | None, cells: Path) -> str:
    """The page kept in docs."""
    found = Cells(cells).run(tasks(names, folder), 1)
    every = {
        name: {method: Found(*values) for method, values in found[f"set/{name}"].items()}
        for name in names
    }
    return BODY.format(
        environment=environment("scikit-learn"),
        n_sets=len(every),
        most_rows=MOST_ROWS,
        reference=REFERENCE,
        verdicts=verdicts(every),
        methods=by_method(every),
        sets=by_set(every),
        n_consistent=N_CONSISTENT,
        monotone=by_criterion({each: found[f"monotone/{each}"] for each in CRITERIA}),
        times=times(found),
    )


BODY = """# Trees for ordered classes

Made by `python -m benchmarks.trees --write` with {environment}.

`OrdinalTree` by each of its criteria, unpruned and with `ccp_alpha="cv"`, beside scikit-learn's
tree, one such tree per threshold, `OrdinalForest`, and classifiers of skordinal with their own
parameters on standardised features.  {n_sets} data sets with ordered classes, at most {most_rows}
rows each, five stratified folds (two to four where a class has fewer samples), the same for all;
nominal columns became one column per category, missing values the median.  All answer the median
class but scikit-learn's trees, which answer the most frequent one.  The reference, "{reference}",
is `OrdinalTree("gini", answer="mode", ccp_alpha="cv")`: the splits and the pruning of
scikit-learn's tree, with the price of a leaf chosen as for the other pruned trees, but by the error
rate.  For "rank_information" features that fall with the class in the training rows (Kendall's
tau) are negated.

Errors are held out, in classes, averaged over folds and sets.  Intervals are of the mean over the
sets, from resampled sets: what another choice of sets could have given, not what other rows could.
Leaves of one tree per threshold are added up.  Seconds are processor time of one fit.

## Verdict

By the MAE in classes (that of "OrdinalTree, gini, pruned" differs from the reference by the
median answer alone, that of "scikit-learn's tree" by the pruning):

{verdicts}

## All classifiers

{methods}

## MAE in classes by data set

{sets}

## Monotone data

{n_consistent} sets of 40 samples in two or three features, three classes that rise with every
feature, so that no sample contradicts another; trees without limits.  "Monotone everywhere": no
leaf with a higher answer lies below one with a lower answer, anywhere between the samples.

{monotone}

Leaves that are pure keep the order of consistent training rows, whatever the criterion.  Between
the samples no criterion promises it.

## Time

Processor seconds of one fit on normal features, two of which say something about five classes;
unpruned, so that every tree has thousands of leaves.

{times}
"""


def main(arguments: list[str] | None = None) -> None:
    """Compare and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trees", description=__doc__)
    parser.add_argument("--data", type=Path, default=data_folder(), help="folder of the data sets")
    parser.add_argument("--sets", nargs="+", choices=NAMES, default=NAMES, help="some of them")
    parser.add_argument("--cells", type=Path, default=CELLS, help="file of finished parts")
    parser.add_argument("--write", action="store_true", help="keep the page in docs")
    given = parser.parse_args(arguments)
    publish("trees", lambda: page(tuple(given.sets), given.data, given.cells), given)


if __name__ == "__main__":
    main()
