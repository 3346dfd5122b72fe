"""How often ``RelevanceBounds`` calls noise relevant, and what it finds, by kind of probes.

``python -m benchmarks.bounds_rates --write`` writes docs/benchmarks/bounds_rates.md; it takes ten
minutes of one core.  ``--data-sets 5`` is a look.  ``measured`` gives the rows to others.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from time import process_time
from typing import NamedTuple

import numpy as np

from benchmarks.common import environment, note, publish
from echelon import RelevanceBounds
from echelon.datasets import make_relevance

RATE, DATA_SETS = 0.05, 30
PROBES = ("single", "joint")

Data = tuple[np.ndarray, np.ndarray, list[str]]
"""Features, target, and what every feature is."""


class Design(NamedTuple):
    """Data of one kind, and the rate asked for."""

    name: str
    draw: Callable[[np.random.Generator, int], Data]
    problem: str
    rate: float = RATE


class Row(NamedTuple):
    """What features of one kind were called, over all data sets of a design."""

    design: str
    feature: str
    rate: float
    probes: str
    n_features: int
    relevant: float
    """Share called weak or strong."""
    low: float
    high: float
    strong: float
    explained: float


class Cost(NamedTuple):
    """What a fit took on average."""

    design: str
    probes: str
    programs: float
    seconds: float


# ---------------------------------------------------------------------------------------- data


def block(rng: np.random.Generator, n: int, p: int, correlation: float) -> np.ndarray:
    """Columns with one correlation between all pairs."""
    shared = np.sqrt(correlation) * rng.normal(size=(n, 1))
    return shared + np.sqrt(1 - correlation) * rng.normal(size=(n, p))


def graded(values: np.ndarray, problem: str, shares: tuple[float, ...]) -> np.ndarray:
    """The values, or classes cut at these shares of them."""
    return values if problem == "regression" else np.digitize(values, np.quantile(values, shares))


def beside_one(correlation: float, problem: str, shares=(0.25, 0.5, 0.75), n: int = 100):
    """One relevant feature and ten of noise, as correlated with each other."""

    def draw(rng: np.random.Generator, seed: int) -> Data:
        x = rng.normal(size=(n, 1))
        y = graded(2 * x[:, 0] + rng.normal(size=n), problem, shares)
        what = "independent noise" if correlation == 0 else f"noise, block of {correlation}"
        return np.hstack([x, block(rng, n, 10, correlation)]), y, ["strong", *[what] * 10]

    return draw


def nothing(rng: np.random.Generator, seed: int) -> Data:
    """Noise only: independent, and a block."""
    X = np.hstack([rng.normal(size=(100, 6)), block(rng, 100, 6, 0.9)])
    return X, np.arange(100) % 2, ["independent noise"] * 6 + ["noise, block of 0.9"] * 6


def mixed(n: int, problem: str, shares=(1 / 3, 2 / 3)):
    """Everything at once: what matters, and noise of five kinds."""

    def draw(rng: np.random.Generator, seed: int) -> Data:
        strong, hidden = rng.normal(size=(n, 3)), rng.normal(size=(n, 1))
        near = 0.9 * strong[:, :1] + np.sqrt(0.19) * rng.normal(size=(n, 3))
        parts = {
            "strong": strong,
            "noisy copy (0.2)": hidden + 0.2 * rng.normal(size=(n, 2)),
            "independent noise": rng.normal(size=(n, 4)),
            "noise, block of 0.9": block(rng, n, 5, 0.9),
            "noise, 0.9 with a strong one": near,
            "noise, heavy tails": rng.standard_t(2, (n, 3)),
        }
        values = strong.sum(axis=1) + hidden[:, 0] + rng.normal(size=n)
        what = [name for name, part in parts.items() for _ in range(part.shape[1])]
        return np.hstack(list(parts.values())), graded(values, problem, shares), what

    return draw


def rare(problem: str):
    """Indicators that are seldom 1, columns with an outlier, two strong features."""

    def draw(rng: np.random.Generator, seed: int) -> Data:
        n = 150
        strong, outliers = rng.normal(size=(n, 2)), rng.normal(size=(n, 3))
        outliers[rng.integers(n, size=3), np.arange(3)] = 30.0
        ones = np.zeros((n, 4))
        for f in range(4):
            ones[rng.choice(n, 4, replace=False), f] = 1.0
        y = graded(strong.sum(axis=1) + rng.normal(size=n), problem, (0.5,))
        what = ["strong"] * 2 + ["noise, one outlier"] * 3 + ["noise, 4 of 150 are 1"] * 4
        return np.hstack([strong, outliers, ones]), y, what

    return draw


def copies(noise: float, problem: str):
    """Two strong features, two pairs of copies of a hidden one, and noise."""

    def draw(rng: np.random.Generator, seed: int) -> Data:
        X, y = make_relevance(
            150, 2, 4, 6, problem, 0.5, weak_groups=[2, 2], weak_noise=noise, random_state=seed
        )
        copy = f"noisy copy ({noise})" if noise else "exact copy"
        return X, y, ["strong"] * 2 + [copy] * 4 + ["independent noise"] * 6

    return draw


TENTH = (0.9,)
DESIGNS = [
    Design("independent, 4 classes", beside_one(0, "ordinal"), "ordinal"),
    Design("independent, numbers", beside_one(0, "regression"), "regression"),
    Design("independent, classes 10:90", beside_one(0, "two", TENTH), "classification"),
    Design("block, 4 classes", beside_one(0.95, "ordinal"), "ordinal"),
    Design("block, numbers", beside_one(0.95, "regression"), "regression"),
    Design("block of 0.5, numbers", beside_one(0.5, "regression"), "regression"),
    Design("block, classes 10:90", beside_one(0.95, "two", TENTH), "classification"),
    Design("nothing relevant, 2 classes", nothing, "classification"),
    Design("mixed, 3 classes, n = 200", mixed(200, "ordinal"), "ordinal"),
    Design("mixed, numbers, n = 200", mixed(200, "regression"), "regression"),
    Design("mixed, 5 classes, n = 500", mixed(500, "ordinal", (0.2, 0.4, 0.6, 0.8)), "ordinal"),
    Design("rare values, 2 classes", rare("two"), "classification"),
    Design("rare values, numbers", rare("regression"), "regression"),
    Design("exact copies, 5 classes", copies(0, "ordinal"), "ordinal"),
    Design("noisy copies, 5 classes", copies(0.1, "ordinal"), "ordinal"),
    Design("noisier copies, 5 classes", copies(0.3, "ordinal"), "ordinal"),
    Design("noisy copies, numbers", copies(0.1, "regression"), "regression"),
    Design("block, 4 classes, rate 0.01", beside_one(0.95, "ordinal"), "ordinal", 0.01),
    Design("block, numbers, rate 0.01", beside_one(0.95, "regression"), "regression", 0.01),
    Design("noisy copies, 5 classes, rate 0.01", copies(0.1, "ordinal"), "ordinal", 0.01),
]


# ----------------------------------------------------------------------------------- measuring


def judge(design: Design, probes: str, seed: int) -> tuple[list[str], np.ndarray, int, float]:
    """What the features of one data set are, what they are called, programs and seconds."""
    X, y, what = design.draw(np.random.default_rng([seed, len(design.name)]), seed)
    selector = RelevanceBounds(
        problem=design.problem, probes=probes, false_positive_rate=design.rate,
        random_state=seed, n_jobs=1,
    )  # fmt: skip
    start = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that no feature is used at all
        selector.fit(X, y)
    return what, selector.relevance_, selector.n_programs_, process_time() - start


def measured(designs: list[Design], data_sets: int) -> Iterator[tuple[list[Row], Cost]]:
    """Rows and cost of every design and kind of probes, one after the other."""
    for design in designs:
        for probes in PROBES:
            found = [judge(design, probes, seed) for seed in range(data_sets)]
            cost = Cost(design.name, probes, *np.mean([each[2:] for each in found], axis=0))
            what = np.array(found[0][0])
            labels = np.array([each[1] for each in found])
            names = dict.fromkeys(found[0][0])
            rows = [summary(design, probes, name, labels[:, what == name]) for name in names]
            note(f"{design.name}, {probes}: {cost.programs:.0f} programs, {cost.seconds:.2f} s")
            yield rows, cost


def summary(design: Design, probes: str, feature: str, labels: np.ndarray) -> Row:
    """One row, from labels of shape (data sets, features of the kind)."""
    relevant = np.isin(labels, ["weak", "strong"])
    low, high = wilson(relevant.mean(axis=1), labels.shape[1])
    shares = ((labels == kind).mean() for kind in ("strong", "explained"))
    return Row(design.name, feature, design.rate, probes, labels.size, relevant.mean(), low, high,
               *shares)  # fmt: skip


def wilson(shares: np.ndarray, n_features: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's 95 % interval for the mean of shares, each among so many features.

    Features of a data set share their luck, so they do not count in full: as many as would have
    given the variance seen between data sets, but no fewer than the data sets.
    """
    mean, spread = shares.mean(), shares.var(ddof=1)
    per_set = n_features if spread == 0 else mean * (1 - mean) / spread
    if mean in (0, 1):  # nothing seen of how they depend on each other
        per_set = 1
    n = len(shares) * float(np.clip(per_set, 1, n_features))
    middle = (mean + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(mean * (1 - mean) / n + z**2 / (4 * n**2))
    return max(0.0, middle - half), min(1.0, middle + half)


# ------------------------------------------------------------------------------------- writing

HEAD = """# Relevance bounds: how often noise is called relevant, and what is found

{data_sets} data sets each; nominal rate {rate} unless the first column says otherwise.  `single`:
one permuted column is a probe, as in the paper.  `joint`, the default: a feature also has to beat
probes of its own, permuted with the features it is correlated with.  Relevant: share called weak or
strong, with Wilson's 95 % interval, in which features of one data set count only as far as they
differ from data set to data set.  For noise it should be at most the nominal rate, for others 1.
Strong, explained: shares called so with joint probes.

{reading}
"""

READING = """How to read it.  Lone probes hold the rate where noise is independent, indicators
that are seldom 1 perhaps not; in blocks they do not.  Joint probes hold it for blocks as well (each
interval includes the rate), with one exception: ten noise features correlated 0.95 where one class
has ten of 100 samples; twice as many as asked for are called relevant there, by lone probes most.
Noise that is correlated with a strong feature is told from it only as far as that feature is known
to be strong: an eighth to a fifth still passes with 200 samples, the nominal share with 500; most
of it is explained. The price is paid by noisy copies: of two that show the same hidden feature
often only the better one is kept and the other explained, and with 150 samples a ninth to a fifth
are called irrelevant, since noise that is as correlated reaches as far. Strong features and exact
copies lose next to nothing.
"""


def make_page(designs: list[Design], data_sets: int) -> str:
    """The page in docs."""
    rows, costs = [], []
    for found, cost in measured(designs, data_sets):
        rows += found
        costs.append(cost)
    return "\n".join(
        [
            HEAD.format(data_sets=data_sets, rate=RATE, reading=READING),
            *table(rows, noise=True),
            "",
            "## What is found",
            "",
            *table(rows, noise=False),
            "",
            "## What it costs",
            "",
            "Linear programs and seconds of one core per fit, choice of C included.",
            "",
            *cost_table(costs),
            "",
            f"{environment('scikit-learn', 'highspy')}.  `python -m benchmarks.bounds_rates "
            "--write` measures again.",
            "",
        ]
    )


def table(rows: list[Row], *, noise: bool) -> list[str]:
    """Lone probes and joint ones side by side, for noise or for what matters."""
    lines = ["| data | features | single: relevant | joint: relevant | strong | explained |",
             "| --- | --- | ---: | ---: | ---: | ---: |"]  # fmt: skip
    pairs = {(row.design, row.feature): {} for row in rows}
    for row in rows:
        pairs[row.design, row.feature][row.probes] = row
    for (design, feature), pair in pairs.items():
        if ("noise" in feature) != noise:
            continue
        single, joint = (pair[probes] for probes in PROBES)
        cells = [design, feature, shown(single), shown(joint), f"{joint.strong:.3f}",
                 f"{joint.explained:.3f}"]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def shown(row: Row) -> str:
    """A share and its interval."""
    return f"{row.relevant:.3f} ({row.low:.3f} to {row.high:.3f})"


def cost_table(costs: list[Cost]) -> list[str]:
    """Programs and seconds of both, and how many times as many."""
    lines = ["| data | single: programs | joint | ratio | single: seconds | joint | ratio |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]  # fmt: skip
    for single, joint in zip(costs[::2], costs[1::2], strict=True):
        cells = [single.design, f"{single.programs:.0f}", f"{joint.programs:.0f}",
                 f"{joint.programs / single.programs:.1f}", f"{single.seconds:.2f}",
                 f"{joint.seconds:.2f}", f"{joint.seconds / single.seconds:.1f}"]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return lines


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the page in docs")
    parser.add_argument("--data-sets", type=int, default=DATA_SETS, help="of every design")
    chosen = parser.parse_args()
    publish("bounds_rates", lambda: make_page(DESIGNS, chosen.data_sets), chosen)
