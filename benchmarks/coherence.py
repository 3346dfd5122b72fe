"""Does a summary ever contradict itself?  Every data set at hand, by several methods.

    python -m benchmarks.coherence [--data FOLDER] [--cells FILE] [--write]

Tables are cut to 250 rows and 20 columns, drawn at random, so that each takes seconds; hard ones
are made: noise, copies, leaks, features that act only in combination, more columns than rows.
Results are kept in ``--cells``, one line each, and not computed again.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets

from benchmarks.common import data_folder, environment, note, publish
from benchmarks.contradictions import contradictions
from echelon import AutoSelector, RankCorrelation, RelevanceBounds, ReliefF, RReliefF
from echelon.datasets import load_grades, make_relevance
from echelon.report import summarize
from echelon.targets import read_target
from papers.data import NO_FEATURES, TARGETS

MOST_ROWS, MOST_COLUMNS = 250, 20
MOST_BOUNDED = 7
"""Columns up to which relevance bounds, which take longest, are asked for on made tables, too."""
N_RESAMPLES = 20
FEWEST_ROWS = 10
"""A summary takes no fewer; some files have no target that is known."""

Table = tuple[pd.DataFrame, Any]


def tables(folder: Path | None) -> Iterator[tuple[str, Callable[[], Table]]]:
    """All data sets by name: files, those of scikit-learn, and made ones."""
    yield "demo grades", load_grades
    for seed in range(3):
        for name, make in MADE.items():
            yield f"{name} {seed}", lambda make=make, seed=seed: make(np.random.default_rng(seed))
    for name in ("iris", "wine", "breast_cancer", "diabetes", "digits"):
        yield f"sklearn {name}", lambda name=name: bundled(name)
    for file in sorted(folder.glob("*/*.csv*")) if folder else ():
        if "holdouts" not in file.name and "oils" not in file.name:
            yield file.name.split(".")[0], lambda file=file: from_file(file)


def from_file(file: Path) -> Table:
    """One file, at most so many rows and columns."""
    frame = pd.read_csv(file).dropna(subset=["target"])
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(frame))[:MOST_ROWS]
    features = [name for name in frame.columns if name not in (*TARGETS, *NO_FEATURES)]
    columns = rng.permutation(len(features))[:MOST_COLUMNS]
    frame = frame.iloc[rows]
    counts = frame["target"].value_counts()
    frame = frame[frame["target"].isin(counts.index[counts >= 5])]
    return frame[[features[k] for k in sorted(columns)]].reset_index(drop=True), frame["target"]


def bundled(name: str) -> Table:
    """A data set of scikit-learn; digits and flowers have no order."""
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True, as_frame=True)
    y = y if name == "diabetes" else y.map(str)
    return X.iloc[::3, :MOST_COLUMNS], y.iloc[::3]


def _noise(rng: np.random.Generator) -> Table:
    return pd.DataFrame(rng.normal(size=(100, 12))).add_prefix("x"), rng.integers(0, 3, 100)


def _copies(rng: np.random.Generator) -> Table:
    X = pd.DataFrame(rng.normal(size=(150, 3)), columns=["a", "b", "c"])
    y = np.digitize(X["a"] + X["b"] + 0.5 * rng.normal(size=150), [-1, 1])
    return X.assign(a_again=X["a"], b_nearly=X["b"] + 0.1 * rng.normal(size=150)), y


def _leak(rng: np.random.Generator) -> Table:
    y = np.arange(120) % 3
    X = pd.DataFrame(rng.normal(size=(120, 5))).add_prefix("x")
    return X.assign(honest=y + rng.normal(scale=0.35, size=120), leak=y + 0.01 * X["x0"]), y


def _together(rng: np.random.Generator) -> Table:
    codes = rng.integers(0, 2, size=(200, 6))
    return pd.DataFrame(codes).add_prefix("gene"), codes[:, 0] ^ codes[:, 1]


def _wide(rng: np.random.Generator) -> Table:
    y = np.arange(50) % 2
    X = pd.DataFrame(rng.normal(size=(50, 200))).add_prefix("x")
    X["x3"] += 1.5 * y
    return X, y


def _mixed(rng: np.random.Generator) -> Table:
    n = 160
    value = rng.normal(size=n)
    X = pd.DataFrame({"number": value + rng.normal(size=n), "noise": rng.normal(size=n)})
    X["label"] = np.where(value + rng.normal(size=n) > 0, "yes", "no")
    X["constant"] = 1.0
    X.loc[::7, "number"] = np.nan
    return X, value


def _bounded(rng: np.random.Generator) -> Table:
    X, y = make_relevance(120, 2, 2, 3, random_state=int(rng.integers(1000)))
    return pd.DataFrame(X).add_prefix("x"), y


MADE = {"noise": _noise, "copies": _copies, "leak": _leak, "only together": _together,
        "wide": _wide, "mixed": _mixed, "relevance": _bounded}  # fmt: skip


METHODS = ("RankCorrelation", "Relief", "RelevanceBounds", "AutoSelector")


def selector_for(method: str, X: pd.DataFrame, kind: str, *, made: bool) -> Any:
    """A method for a table; None where it would not take it, or too long."""
    if method == "Relief":
        return RReliefF() if kind == "regression" else ReliefF()
    if method == "RelevanceBounds":
        numbers = all(dtype.kind in "iufb" for dtype in X.dtypes) and not X.isna().any(axis=None)
        quick = made and numbers and X.shape[1] <= MOST_BOUNDED
        return RelevanceBounds(problem=kind, random_state=0) if quick else None
    return {"AutoSelector": AutoSelector, "RankCorrelation": RankCorrelation}[method]()


def run(folder: Path | None, cells: Path) -> list[dict[str, Any]]:
    """All cells, those that are kept and those computed now."""
    known = [json.loads(line) for line in cells.read_text().splitlines()] if cells.exists() else []
    done = {(cell["data"], cell["method"]) for cell in known}
    # The quick ones first, on all tables.
    for method in METHODS:
        for name, make in tables(folder):
            if (name, method) in done:
                continue
            X, y = make()
            if len(X) < FEWEST_ROWS:
                continue
            target = read_target(pd.Series(np.asarray(y), name="target"))
            selector = selector_for(method, X, target.kind, made=name[:-2] in MADE)
            if selector is None:
                continue
            known.append({"data": name, "method": method, **cell(X, target, selector)})
            with cells.open("a", encoding="utf-8") as file:
                file.write(json.dumps(known[-1]) + "\n")
            note(f"{name}, {method}: {known[-1]}")
    return known


def cell(X: pd.DataFrame, target: Any, selector: Any) -> dict[str, Any]:
    """One summary, and what does not fit together in it."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        summary = summarize(X, target, selector, n_resamples=N_RESAMPLES, n_jobs=1).summary()
    return {
        "kind": target.kind,
        "shape": X.shape,
        "keeps": summary["answer"]["n_features"],
        "found": contradictions(summary),
        "warned": summary["words"]["warnings"],
        "seconds": round(time.process_time() - start, 1),
    }


def make_page(found: list[dict[str, Any]]) -> str:
    """The page in docs."""
    bad = [(cell, said) for cell in found for said in cell["found"]]
    by_method = Counter(cell["method"] for cell in found)
    rows = [
        f"| {method} | {count} | {sum(cell['method'] == method for cell, _ in bad)} |"
        for method, count in by_method.items()
    ]
    lines = [
        "# Does a summary contradict itself?",
        "",
        f"`benchmarks.contradictions` read {len(found)} summaries of "
        f"{len({cell['data'] for cell in found})} data sets and found {len(bad)} contradictions. "
        "Tables are cut to 250 rows and 20 columns; hard ones (noise, copies, leaks, features that "
        "act only together, more columns than rows) are made.  The rules: "
        "[what cannot stand side by side](../report.md#facts-and-sentences).",
        "",
        "| method | summaries | contradictions |",
        "| --- | ---: | ---: |",
        *rows,
        "",
        *(f"- {cell['data']}, {cell['method']}: {said}" for cell, said in bad),
        *([""] if bad else []),
        f"{environment('scikit-learn')}.  `python -m benchmarks.coherence --write` runs it again.",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the page in docs")
    parser.add_argument("--data", type=Path, default=data_folder(), help="folder of data sets")
    parser.add_argument("--cells", type=Path, default=Path("coherence.jsonl"), help="results kept")
    chosen = parser.parse_args()
    publish("coherence", lambda: make_page(run(chosen.data, chosen.cells)), chosen)
