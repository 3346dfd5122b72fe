"""The command on a whole table, and its choice beside others in folds that had no say."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression
from sklearn.model_selection import KFold, StratifiedGroupKFold, StratifiedKFold

from benchmarks.analyst.data import MOST_ROWS, Table
from benchmarks.contradictions import contradictions
from echelon import AutoSelector, RankCorrelation
from echelon.base import ranks_of
from echelon.study import filled, forest, read_scoring
from echelon.targets import read_target

OUTER_FOLDS = 5


def command_line(name: str, table: Table) -> list[str]:
    """What one types, without the folder."""
    file = f"{name.replace(', ', '_').replace(' ', '_')}.csv"
    return ["echelon", "rank", file, "--target", table.target, *table.options]


def run_command(name: str, table: Table) -> dict[str, Any]:
    """What the command answers on the whole table, and what it takes."""
    line = command_line(name, table)
    with tempfile.TemporaryDirectory() as folder:
        table.frame.to_csv(Path(folder) / line[2], index=False)
        before, start = _seconds_of_children(), time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "echelon", *line[1:], "--json"],
            cwd=folder, capture_output=True, text=True, check=False, env=os.environ,
        )  # fmt: skip
        wall, cpu = time.perf_counter() - start, _seconds_of_children() - before
    if done.returncode:
        raise SystemExit(f"{' '.join(line)}: {done.stderr}")
    summary = json.loads(done.stdout)
    answer, words = summary["answer"], summary["words"]
    return {
        "command": " ".join(line),
        "shape": [summary["data"]["n_samples"], summary["data"]["n_features"]],
        "cpu": round(cpu, 1),
        "wall": round(wall, 1),
        "sentence": words["answer"],
        "warnings": words["warnings"],
        "lines": words["lines"],
        "score": {key: answer["score"][key] for key in ("name", "larger_is_better", "others")},
        "helps": answer["helps"],
        "keep": answer["keep"],
        "contradictions": contradictions(summary),
    }


def run_timing() -> dict[str, Any]:
    """CPU seconds of the command on 1,000 rows of 50 columns, and of its imports alone."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(1000, 50))).add_prefix("x")
    signal = frame["x0"] + frame["x1"] - frame["x2"] + rng.normal(size=1000)
    frame["grade"] = pd.qcut(signal, 5, labels=False) + 1
    found = run_command("grades", Table(frame, "grade", ("--class-order", "1,2,3,4,5")))
    before = _seconds_of_children()
    subprocess.run([sys.executable, "-c", "import echelon.cli, echelon.report"], check=True)
    return {"cpu": found["cpu"], "imports": round(_seconds_of_children() - before, 1)}


def _seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read_table(table: Table) -> tuple[pd.DataFrame, Any, Any]:
    """Features, target and groups of the rows that the outer folds are drawn from."""
    frame = table.frame
    if len(frame) > MOST_ROWS:
        rows = np.random.default_rng(0).permutation(len(frame))[:MOST_ROWS]
        frame = frame.iloc[np.sort(rows)]
    frame = frame.reset_index(drop=True)
    y, kind = frame[table.target], "auto"
    if table.order is not None:
        order = [type(y.iloc[0])(label) for label in table.order]
        y = pd.Series(pd.Categorical(y, order, ordered=True))
    elif "--unordered" in table.options:
        kind = "classification"
    groups = None if table.groups is None else frame[table.groups]
    dropped = [table.target] if table.groups is None else [table.target, table.groups]
    return frame.drop(columns=dropped), read_target(y, kind), groups


def outer_folds(target: Any, groups: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """Folds around everything, whole groups in one of them."""
    options = {"n_splits": OUTER_FOLDS, "shuffle": True, "random_state": 2026}
    if target.codes is None:
        return list(KFold(**options).split(target.values))
    splitter = StratifiedKFold if groups is None else StratifiedGroupKFold
    return list(splitter(**options).split(np.zeros((len(target), 1)), target.codes, groups))


def guesses(kind: str, y: Any) -> list[Any]:
    """Models that look at no feature; the better one counts."""
    if kind == "regression":
        return [DummyRegressor(), DummyRegressor(strategy="median")]
    found = [DummyClassifier(strategy="prior")]
    if kind == "ordinal":
        target = read_target(y, kind)
        median = target.labels[int(np.median(target.codes))]
        found.append(DummyClassifier(strategy="constant", constant=[median]))
    return found


def run_fold(table: Table, fold: int) -> dict[str, Any]:
    """Scores on one outer fold of what was chosen without it."""
    X, target, groups = read_table(table)
    train, test = outer_folds(target, groups)[fold]
    start = time.process_time()
    parts = (X.iloc[train].reset_index(drop=True), target.y.iloc[train].reset_index(drop=True))
    inside = None if groups is None else groups.iloc[train].to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = AutoSelector(kind=target.kind, random_state=0).fit(*parts, groups=inside)
        kept = X.columns[selector.order_[: selector.support_.sum()]].tolist()
        scores = _scores(X, target, (train, test), kept, parts, selector.estimator_)
    return {
        "kept": kept,
        "model": selector.model_,
        "scores": scores,
        "cpu": round(time.process_time() - start, 1),
    }


def _scores(
    X: Any, target: Any, fold: Any, kept: list[str], parts: Any, model: Any
) -> dict[str, float]:
    """The score of the fold for the kept set and its rivals, in the units of the metric.

    All but the forest are scored with the model by which the selector evaluated the features.
    """
    kind, k = target.kind, max(len(kept), 1)
    scoring = read_scoring(None, model, kind)

    def score(names: list[str], with_model: Any = model) -> float:
        columns = X[[name for name in X.columns if name in set(names)]]
        train, test = fold
        fitted = clone(with_model).fit(columns.iloc[train], target.y.iloc[train])
        value = scoring.scorer(fitted, columns.iloc[test], target.y.iloc[test])
        return float(scoring.sign * value)

    tried = [score(list(X.columns), guess) for guess in guesses(kind, parts[1])]
    found = {"guess": max(tried, key=lambda value: scoring.sign * value)}
    found["kept"] = score(kept) if kept else found["guess"]
    found["all"] = score(list(X.columns))
    found["Kendall"] = score(by_kendall(*parts, kind)[:k])
    found["mutual information"] = score(by_information(*parts, kind)[:k])
    found["forest"] = score(list(X.columns), forest(kind, 0))
    return found


def by_kendall(X: pd.DataFrame, y: Any, kind: str) -> list[str]:
    """Features by Kendall's tau."""
    return _in_order(X, ranks_of(RankCorrelation(kind=kind).fit(X, y)))


def by_information(X: pd.DataFrame, y: Any, kind: str) -> list[str]:
    """Features by scikit-learn's mutual information; labels as codes, gaps filled."""
    table = filled(X)
    labels = [not pd.api.types.is_numeric_dtype(dtype) for dtype in table.dtypes]
    columns = [pd.factorize(table[name])[0] if label else table[name].to_numpy(float)
               for name, label in zip(table, labels, strict=True)]  # fmt: skip
    values = np.column_stack(columns)
    target = read_target(y, kind)
    if target.codes is None:
        found = mutual_info_regression(
            values, target.values, discrete_features=labels, random_state=0
        )
    else:
        found = mutual_info_classif(values, target.codes, discrete_features=labels, random_state=0)
    return _in_order(X, -found)


def _in_order(X: pd.DataFrame, ranks: np.ndarray) -> list[str]:
    return X.columns[np.argsort(ranks, kind="stable")].tolist()
