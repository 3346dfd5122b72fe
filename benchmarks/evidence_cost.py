"""What z-scores and p-values add to a fit.

``python -m benchmarks.evidence_cost --write``.  The time spent on them is taken inside the fit,
against the rest of the same fit, so that other work on the machine does not count twice.  Times are
those of the processor, all threads together.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import process_time
from typing import Any

import echelon
from benchmarks.common import environment, note, publish
from benchmarks.relieff import make_data
from echelon.margin._weights import Sums

ROWS, FEATURES, REPEATS = 20_000, 100, 5
METHODS: dict[str, Callable[[], Any]] = {
    "`ReliefF`": echelon.ReliefF,
    '`ReliefF(neighbors="any")`': lambda: echelon.ReliefF(neighbors="any"),
    "`OReliefF`": echelon.OReliefF,
    "`RReliefF`": echelon.RReliefF,
}


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


def measure(make: Callable[[], Any]) -> tuple[float, float]:
    """Seconds of the fastest fit without its evidence, and of the evidence in it."""
    X, y = make_data(ROWS, FEATURES, None)
    make().fit(X, y)  # compiles
    evidence, fits = Sums.evidence, []
    for _ in range(REPEATS):
        watch = Watch(evidence)
        Sums.evidence = lambda *args, watch=watch: watch(*args)  # type: ignore[method-assign]
        start = process_time()
        make().fit(X, y)
        fits.append((process_time() - start - watch.seconds, watch.seconds))
    Sums.evidence = evidence  # type: ignore[method-assign]
    return min(fits)


def make_page() -> str:
    """The table, as Markdown."""
    rows = []
    for name, make in METHODS.items():
        note(name)
        rest, evidence = measure(make)
        rows.append(f"| {name} | {rest:.2f} | {evidence:.2f} | {evidence / rest:.0%} |")
    table = "\n".join(rows)
    return f"""# What z-scores and p-values cost

Every selector of the Relief family has `z_scores_` and `p_values_`: exact means, variances and
third moments over all permutations, from the pairs that the scores were summed over.  A fit of
{ROWS:,} x {FEATURES} (two classes), without them and what they add, in seconds of the processor:

| method | fit without | added | share |
|---|---|---|---|
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
