"""RelevanceBounds against the package fri: speed, and whether the intervals are the same.

fri needs an environment of its own (``.venv-fri``, made by ``make bench``).  Both get the same
standardised data, as many probes and as many values of C to try, and one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import warnings
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.common import best_of, environment, note, publish, slopes
from echelon import RelevanceBounds
from echelon.bounds import COSTS
from echelon.datasets import make_relevance

FRI = Path(__file__).parent.parent / ".venv-fri" / "bin" / "python"
N_PROBES = 20
TOLERANCE = 0.01
CAP = 1200
"""Seconds after which fri is stopped."""

CASES = {
    "150 x 12": (150, 3, 4, 5),
    "300 x 12": (300, 3, 4, 5),
    "500 x 30": (500, 6, 6, 18),
    "500 x 100": (500, 10, 20, 70),
}
GROUPED = ("150 x 12", "300 x 12")
"""fri's grouping takes minutes beyond these."""


def make_data(shape: tuple[int, int, int, int], noise: float = 0.1) -> tuple:
    """Standardised samples of five ordered classes."""
    X, y = make_relevance(*shape, noise=noise, random_state=0)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def bounds(**params) -> RelevanceBounds:
    """The selector as it is compared: as many probes as fri, one job."""
    # Probes as in the paper, and as in fri.
    return RelevanceBounds(probes="single", n_probes=N_PROBES, n_jobs=1, random_state=0, **params)


def run_fri(X: np.ndarray, y: np.ndarray, *, groups: bool) -> dict | None:
    """What fri finds and how long it takes; None if it takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.npz"
        np.savez(data, X=X, y=y)
        worker = Path(__file__).parent / "fri_worker.py"
        command = [FRI, worker, data, N_PROBES, len(COSTS), TOLERANCE, int(groups)]
        try:
            done = subprocess.run(
                [str(part) for part in command],
                env=dict(os.environ, OMP_NUM_THREADS="1"),
                capture_output=True,
                text=True,
                timeout=CAP,
                check=True,
            )
        except subprocess.TimeoutExpired:
            return None
    return json.loads(done.stdout.rsplit("RESULT", 1)[1])


def difference(X: np.ndarray, y: np.ndarray, theirs: dict) -> float:
    """Largest difference of the intervals under fri's rule and C, as shares of the L1 norm."""
    ours = bounds(C=theirs["C"], tolerance=TOLERANCE, budget="separate").fit(X, y)
    norm = np.abs(ours.model_.coef_ * ours.model_.scale_).sum()
    return float(np.abs(ours.intervals_ - np.array(theirs["intervals"]) / norm).max())


def compare(name: str) -> str:
    """A row of the table."""
    X, y = make_data(CASES[name])
    note(f"{name}: echelon")
    ours = bounds().fit(X, y)
    seconds = best_of(3, lambda: bounds().fit(X, y))
    grouping = best_of(3, ours.feature_groups)
    note(f"{name}: HiGHS")
    highs = best_of(1, lambda: bounds(solver="highs").fit(X, y))
    note(f"{name}: fri")
    theirs = run_fri(X, y, groups=name in GROUPED)
    seconds = min(seconds, best_of(3, lambda: bounds().fit(X, y)))
    programs = f"{ours.n_programs_}, {ours.n_settled_}"
    cells = [name, f"{seconds:.2f}", f"{highs:.1f}", programs]
    if theirs is None:
        cells += [f"> {CAP}", f"> {CAP / seconds:.0f}", "", f"{grouping:.3f}", "", ""]
    else:
        cells += [f"{theirs['seconds']:.1f}", f"{theirs['seconds'] / seconds:.0f}"]
        cells += [f"{difference(X, y, theirs):.0e}", f"{grouping:.3f}"]
        slow = theirs["grouping"]
        cells += ["", ""] if slow is None else [f"{slow:.1f}", f"{slow / grouping:.0f}"]
    return "| " + " | ".join(cells) + " |"


def growth() -> str:
    """Exponents of time in samples and in features."""

    def seconds(m: int, p: int) -> float:
        X, y = make_data((m, p // 5, p // 5, p - 2 * (p // 5)), noise=0.3)
        start = perf_counter()
        bounds(C=30 / m).fit(X, y)
        return perf_counter() - start

    samples, features = (250, 500, 1000, 2000, 4000), (10, 20, 40, 80, 160)
    by_samples = [min(seconds(m, 20) for _ in range(2)) for m in samples]
    by_features = [min(seconds(500, p) for _ in range(2)) for p in features]
    lines = [f"- {m} x 20: {t:.2f} s" for m, t in zip(samples, by_samples, strict=True)]
    lines += [f"- 500 x {p}: {t:.2f} s" for p, t in zip(features, by_features, strict=True)]
    lines += [
        "",
        f"Time grows as samples^{slopes(samples, by_samples)} and "
        f"features^{slopes(features, by_features)}.",
    ]
    return "\n".join(lines)


def page() -> str:
    """The page kept in docs."""
    warnings.simplefilter("ignore")  # 20 probes cannot resolve a rate of 1 %
    rows = "\n".join(compare(name) for name in CASES)
    return f"""# Relevance bounds: speed

`RelevanceBounds` beside the package fri 9.0.0 on the same standardised data (five ordered classes,
noise 0.1), {N_PROBES} probes (`probes="single"`), {len(COSTS)} values of C, one thread; made by
`make bench BENCH=bounds` with {environment("highspy", "scikit-learn")}.

All times in seconds; echelon's are the best of six fits, fri's and HiGHS's one fit (fri is stopped
after {CAP} s).
"HiGHS" is `RelevanceBounds(solver="highs")`.  "difference" is the largest difference between the
intervals of both, as shares of the L1 norm, under fri's rule (`budget="separate"`, tolerance
{TOLERANCE}) with the C it chose.  Its grouping was timed on the two smallest data sets only.

| data | echelon | HiGHS | programs, cut short | fri | ratio | difference | groups | fri | ratio |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
{rows}

Programs are fits and bounds solved: {len(COSTS)} values of C times 5 folds, the fit, one fit and
two bounds per probe, two bounds per feature, and five permutations of each feature that may be
strong.  The second number counts bounds left early: once the dual bound shows that the other side
reaches further, the exact value does not matter.

## Growth

C fixed, a fifth of the features strong, a fifth weak:

{growth()}
"""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the page in docs/benchmarks")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    publish("bounds", page, parser.parse_args())


if __name__ == "__main__":
    main()
