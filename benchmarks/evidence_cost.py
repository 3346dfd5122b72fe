"""What z-scores and p-values add to a fit.

``python -m benchmarks.evidence_cost --write``.  They are read right after the fit, so that other
work on the machine slows both alike.  Times are those of the processor, all threads together.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import process_time
from typing import Any

import echelon
from benchmarks.common import environment, note, publish
from benchmarks.relieff import make_data
from echelon.margin import ReliefSelector

REPEATS = 7
CASES: list[tuple[str, Callable[[], Any], int, int]] = [
    ("`ReliefF`", echelon.ReliefF, 20_000, 100),
    ('`ReliefF(neighbors="any")`', lambda: echelon.ReliefF(neighbors="any"), 20_000, 100),
    ("`RReliefF`", echelon.RReliefF, 20_000, 100),
    ("`OReliefF`", echelon.OReliefF, 20_000, 100),
    ("`ReliefF`", echelon.ReliefF, 1000, 50),
    ("`ReliefF`", echelon.ReliefF, 2000, 2000),
    ("`MultiSURF`", echelon.MultiSURF, 2000, 100),
]


class Watch:
    """Seconds spent in a function while it is watched."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.seconds = function, 0.0

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Call it."""
        start = process_time()
        try:
            return self.function(*args, **options)
        finally:
            self.seconds += process_time() - start


def measure(make: Callable[[], Any], kind: Any, X: Any, y: Any) -> tuple[float, float]:
    """Seconds of the fastest fit without its evidence, and of the evidence in or after it."""
    assert len(make().fit(X, y).p_values_) == X.shape[1]  # compiles
    evidence, fits = kind._evidence, []
    for _ in range(REPEATS):
        watch = Watch(evidence)
        kind._evidence = lambda *args, watch=watch: watch(*args)
        start = process_time()
        assert len(make().fit(X, y).p_values_) == X.shape[1]
        fits.append((process_time() - start - watch.seconds, watch.seconds))
    kind._evidence = evidence
    return min(fits)


def make_page() -> str:
    """The table, as Markdown."""
    rows = []
    for name, make, n, p in CASES:
        note(f"{name} {n:,} x {p:,}")
        kind = echelon.OReliefF if "OReliefF" in name else ReliefSelector
        rest, evidence = measure(make, kind, *make_data(n, p, None))
        times = f"{rest:.3f} | {evidence:.3f} | {evidence / rest:.0%}"
        rows.append(f"| {name} | {n:,} x {p:,} | {times} |")
    table = "\n".join(rows)
    return f"""# What z-scores and p-values cost

Every selector of the Relief family has `z_scores_` and `p_values_`: exact means, variances and
third moments over all permutations, from the pairs that the scores were summed over; those of
`ReliefF` with neighbours per class from the nearest samples of any class, which have to be found.
They are found when they are first read; within the fit for a threshold by p-values, and by
`OReliefF`, whose scores are z-scores.  Two classes, seconds of the
processor:

| method | table | fit without | added | share |
|---|---|---:|---:|---:|
{table}

Fastest of {REPEATS} fits.  A column is sorted once; the third moment is taken only for scores more
than one deviation above their mean, below which skewness makes no p-value larger.

Made by `python -m benchmarks.evidence_cost --write`; {environment("scikit-learn")}.
"""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the page in docs/benchmarks")
    publish("evidence_cost", make_page, parser.parse_args())


if __name__ == "__main__":
    main()
