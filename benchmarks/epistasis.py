"""Two features that matter only in combination: how often does each method rank both first?

Prints the tables and (``--write``) keeps them in docs/benchmarks/epistasis.md.  ``--gametes FILE``
adds data made by another program: GAMETES-test.csv.gz, in the source package of ReliefF 0.1.2.
"""

from __future__ import annotations

import argparse
import itertools
from time import process_time

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import mutual_info_classif

from benchmarks.common import environment, note, publish
from echelon import (
    SURF,
    SWRF,
    IRelief,
    IterativeRelief,
    MultiSURF,
    MultiSURFStar,
    MultiSWRF,
    MultiSWRFStar,
    Relief,
    ReliefF,
    RReliefF,
    SURFStar,
    SWRFStar,
)
from echelon.base import scores_of
from echelon.datasets import make_epistasis

RUNS = 20
SAMPLES, FEATURES, HERITABILITIES = (400, 1600), (20, 200), (0.1, 0.4)
FREQUENCY = 0.3

METHODS = {
    "Relief": Relief(),
    "ReliefF, k = 10": ReliefF(),
    "ReliefF, k = 100": ReliefF(n_neighbors=100),
    "mu-Relief, k = 10": ReliefF(neighbors="extreme"),
    "mu-Relief, k = 100": ReliefF(n_neighbors=100, neighbors="extreme"),
    "RReliefF, k = 100": RReliefF(n_neighbors=100),
    "SURF": SURF(),
    "SURF*": SURFStar(),
    "MultiSURF": MultiSURF(),
    "MultiSURF*": MultiSURFStar(),
    "SWRF": SWRF(),
    "SWRF*": SWRFStar(),
    "MultiSWRF": MultiSWRF(),
    "MultiSWRF*": MultiSWRFStar(),
    "MultiSWRF, dead_band = 0.5": MultiSWRF(dead_band=0.5),
    "MultiSWRF*, dead_band = 0.5": MultiSWRFStar(dead_band=0.5),
    "TuRF of MultiSURF": IterativeRelief(MultiSURF(), 2),
    "TuRF of MultiSURF, drop = 0.2": IterativeRelief(MultiSURF(), 2, drop=0.2),
    "TuRF of MultiSURF*": IterativeRelief(MultiSURFStar(), 2),
    "TuRF of MultiSWRF*": IterativeRelief(MultiSWRFStar(), 2),
    "Iter of MultiSURF": IterativeRelief(MultiSURF(), 2, strategy="iter"),
    "Iter of MultiSURF*": IterativeRelief(MultiSURFStar(), 2, strategy="iter"),
    "VLS of MultiSURF": IterativeRelief(MultiSURF(), 2, strategy="vls", random_state=0),
    "I-Relief": IRelief(max_iter=20),
    "forest": ExtraTreesClassifier(300, random_state=0, n_jobs=-1),
    "mutual information": None,
}
"""Selectors and models; None: mutual information of every feature with the class."""

MOST_VALUES = {"I-Relief": 40_000, "VLS of MultiSURF": 200_000}
"""Samples times features up to which slow methods take part."""


def places(method: str, X: np.ndarray, y: np.ndarray, relevant: list[int]) -> int:
    """The place of the worst of the relevant features."""
    if METHODS[method] is None:
        scores = mutual_info_classif(X, y, discrete_features=True)
    else:
        fitted = METHODS[method].fit(X, y)
        if hasattr(fitted, "ranking_"):
            return int(fitted.ranking_[relevant].max())
        scores = scores_of(fitted)
    return int((scores[:, None] >= scores[relevant]).sum(axis=0).max())


def study(runs: int) -> tuple[pd.DataFrame, pd.Series]:
    """Share of runs in which both interacting features come first; seconds of the largest case."""
    cases = list(itertools.product(SAMPLES, FEATURES, HERITABILITIES))
    shares, seconds = {}, {}
    for method in METHODS:
        note(method)
        for n, p, h in cases:
            if n * p > MOST_VALUES.get(method, np.inf):
                continue
            first = []
            start = process_time()
            for seed in range(runs):
                X, y = make_epistasis(n, p, heritability=h, minor_allele_frequency=FREQUENCY,
                                      random_state=seed)  # fmt: skip
                first.append(places(method, X.astype(np.float32), y, [0, 1]) == 2)
            shares[method, n, p, h] = np.mean(first)
            seconds[method] = (process_time() - start) / runs
    return pd.Series(shares).unstack([1, 2, 3])[cases], pd.Series(seconds)  # noqa: PD010


def table(shares: pd.DataFrame, seconds: pd.Series) -> str:
    """All shares as Markdown, one row per method."""
    head = [f"{n} x {p}<br>{h:g}" for n, p, h in shares.columns]
    lines = [f"| method | {' | '.join(head)} | s |", "| --- |" + " ---: |" * (len(head) + 1)]
    for method in METHODS:
        cells = ["" if np.isnan(v) else f"{v:.0%}" for v in shares.loc[method]]
        lines.append(f"| {method} | {' | '.join(cells)} | {seconds[method]:.2f} |")
    return "\n".join(lines)


def outside(file: str) -> str:
    """The place of the worst interacting feature in data another program made."""
    frame = pd.read_csv(file, sep=None, engine="python")
    y, X = frame.iloc[:, -1].to_numpy(), frame.iloc[:, :-1]
    relevant = [f for f, name in enumerate(X.columns) if not str(name).startswith("N")]
    values = X.to_numpy(np.float32)
    rows = [f"| {m} | {places(m, values, y, relevant)} |" for m in METHODS]
    return "\n".join(
        [
            "",
            f"GAMETES-test of the package ReliefF 0.1.2 ({len(y)} x {X.shape[1]}; interacting: "
            f"{', '.join(map(str, X.columns[relevant]))}), place of the worst of them:",
            "",
            "| method | place |",
            "| --- | ---: |",
            *rows,
            "",
        ]
    )


def page(runs: int, gametes: str | None) -> str:
    """The page kept in docs."""
    shares, seconds = study(runs)
    return f"""# Two features that matter only in combination

`datasets.make_epistasis`: two genes with minor allele frequency {FREQUENCY} and a random penetrance
table without an effect of either alone, among noise; as many cases as controls.  Share of {runs}
runs in which the two come first and second, by samples x features and heritability, and the seconds
of processor time of a run of the last case measured.  Made by
`python -m benchmarks.epistasis --write` with {environment()}.

{table(shares, seconds)}
{outside(gametes) if gametes else ""}"""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--gametes", help="GAMETES-test.csv.gz of the package ReliefF 0.1.2")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/epistasis.md")
    arguments = parser.parse_args()
    publish("epistasis", lambda: page(arguments.runs, arguments.gametes), arguments)


if __name__ == "__main__":
    main()
