"""NeighborhoodSoftMargin against a vectorised NumPy version of the same algorithm.

Lung (203 x 3312), leukemia (72 x 7129) and segmentation (2310 x 19) come from the folder
``ECHELON_DATA``; without it, random data of the same size take their place.
"""

from __future__ import annotations

import argparse
from time import perf_counter

import numpy as np
import pandas as pd

from benchmarks.common import best_of, data_folder, environment, note, publish, slopes
from echelon import NeighborhoodRoughSet, NeighborhoodSoftMargin

THREADS = 2
STEP, MAX_RADIUS, PENALTY, SLACK = 0.01, 0.25, 4.0, 1e-12
CASES = {
    "lung": ("C_nsm/lung_bhattacharjee_203x3312.csv.gz", "target", (203, 3312, 5), 50),
    "leukemia": ("D_rank_order/leukemia_golub_72x7129.csv.gz", "target2", (72, 7129, 2), 50),
    "segmentation": ("C_nsm/segmentation.csv", "target", (2310, 19, 7), 19),
}


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The features, scaled to [0, 1], and class codes of a case."""
    file, target, shape, _ = CASES[name]
    folder = data_folder()
    if folder is None:
        return make_data(*shape)
    frame = pd.read_csv(folder / file)
    y = frame[target]
    X = frame.drop(columns=["target", "target2", "sample", "split"], errors="ignore").to_numpy()
    return scaled(X), pd.factorize(y, sort=True)[0]


def make_data(m: int, p: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal samples; one feature in twenty shifts with the class."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, m)
    return scaled(rng.normal(size=(m, p)) + 0.5 * (rng.random(p) < 0.05) * y[:, None]), y


def scaled(X: np.ndarray) -> np.ndarray:
    """Columns scaled to [0, 1]; constant ones to 0."""
    span = np.ptp(X, axis=0)
    return (X - X.min(axis=0)) / np.where(span > 0, span, 1)


class VectorisedSoftMargin:
    """The same forward search in NumPy: distances kept, every pair binned once per candidate."""

    def __init__(self, X: np.ndarray, y: np.ndarray) -> None:
        self.X, self.y, self.n_classes = np.ascontiguousarray(X.T), y, y.max() + 1
        self.i, self.j = np.triu_indices(len(y), 1)
        self.sums = np.zeros(len(self.i))
        # Where a pair counts: (sample, class of the other), once for each of the two.
        self.cells = np.concatenate(
            [self.i * self.n_classes + y[self.j], self.j * self.n_classes + y[self.i]]
        )

    def soft_margin(self, candidate: int, size: int) -> float:
        """Soft margin of the chosen features and a candidate, ``size`` together."""
        n_radii = int(np.floor(MAX_RADIUS * np.sqrt(size) / STEP + 1e-9))
        column = self.X[candidate]
        far = np.sqrt(self.sums + (column[self.i] - column[self.j]) ** 2)
        bins = np.maximum(np.ceil(far / STEP - SLACK / STEP).astype(np.int64) - 1, 0)
        inside = bins < n_radii
        flat = self.cells[np.tile(inside, 2)] * n_radii + np.tile(bins[inside], 2)
        shape = len(self.y), self.n_classes, n_radii
        votes = np.bincount(flat, minlength=np.prod(shape)).reshape(shape).cumsum(axis=2)
        own = votes[np.arange(len(self.y)), self.y]
        errors = ((own < votes.max(axis=1)) | (own == 0)).sum(axis=0)
        radii = STEP * np.arange(1, n_radii + 1)
        return float((1 / (2 * radii**2) + PENALTY * errors).min())

    def fit(self, n_wanted: int) -> list[int]:
        """Features in the order they are added; constant ones last."""
        varying = np.flatnonzero(np.ptp(self.X, axis=1) > 0).tolist()
        left = [varying, [f for f in range(len(self.X)) if f not in set(varying)]]
        order: list[int] = []
        while len(order) < n_wanted:
            pool = left[0] or left[1]
            values = [self.soft_margin(f, len(order) + 1) for f in pool]
            order.append(pool.pop(int(np.argmin(values))))
            column = self.X[order[-1]]
            self.sums += (column[self.i] - column[self.j]) ** 2
        return order


def compare(name: str) -> list[str]:
    """Rows of the table for one case."""
    X, y = load(name)
    n_wanted = CASES[name][-1]
    label = f"{name} {len(X)} x {X.shape[1]}, {n_wanted} features"
    note(label)

    def fit(estimator, n_jobs):
        return estimator(n_wanted, n_jobs=n_jobs).fit(X, y)

    for estimator in (NeighborhoodSoftMargin, NeighborhoodRoughSet):
        fit(estimator, 1)  # compiled
    two = best_of(3, lambda: fit(NeighborhoodSoftMargin, THREADS))
    start = perf_counter()
    order = VectorisedSoftMargin(X, y).fit(n_wanted)
    vectorised = perf_counter() - start
    two = min(two, best_of(3, lambda: fit(NeighborhoodSoftMargin, THREADS)))
    one = best_of(2, lambda: fit(NeighborhoodSoftMargin, 1))
    rough = best_of(2, lambda: fit(NeighborhoodRoughSet, THREADS))
    assert order == fit(NeighborhoodSoftMargin, THREADS).order_.tolist(), "orders differ"
    return [
        f"| {label} | {two:.2f} | {one:.2f} | {vectorised:.1f} | {vectorised / two:.0f} "
        f"| {vectorised / one:.0f} | {rough:.2f} |"
    ]


def growth() -> list[str]:
    """Exponents of time in samples and in features, ten features chosen."""

    def seconds(m: int, p: int) -> float:
        X, y = make_data(m, p, 3)
        return best_of(2, lambda: NeighborhoodSoftMargin(10, n_jobs=THREADS).fit(X, y))

    samples, features = (250, 500, 1000, 2000, 4000), (1250, 2500, 5000, 10000, 20000)
    by_samples = [seconds(m, 100) for m in samples]
    by_features = [seconds(200, p) for p in features]
    return [
        *(f"- {m} x 100: {t:.2f} s" for m, t in zip(samples, by_samples, strict=True)),
        *(f"- 200 x {p}: {t:.2f} s" for p, t in zip(features, by_features, strict=True)),
        "",
        f"Time grows as samples^{slopes(samples, by_samples)} and "
        f"features^{slopes(features, by_features)}.",
    ]


def page() -> str:
    """The page kept in docs."""
    source = "real data" if data_folder() else "**random data of the same sizes**"
    rows = [row for name in CASES for row in compare(name)]
    lines = "\n".join(rows)
    return f"""# Neighborhood selection: speed

Forward selection by soft margin, {source}, {THREADS} threads unless said otherwise; made by
`make bench BENCH=neighborhood` with {environment("scikit-learn")}.

The NumPy version runs the same search: squared distances of the chosen features are kept, a
candidate adds one column, every pair is binned once, votes are counted for all radii together.
Both find the same features in the same order (checked in the run).  It is one run, on one thread;
echelon's times are the best of six.  echelon compiles the loops and leaves a candidate as
soon as it cannot win; NumPy's version looks at every candidate to the end.

| data | echelon, s | one thread, s | NumPy, s | ratio | ratio, one thread | rough set, s |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
{lines}

Growth, random data with three classes, ten features chosen:

{chr(10).join(growth())}
"""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--write", action="store_true", help="write docs/benchmarks/neighborhood.md"
    )
    publish("neighborhood", page, parser.parse_args())


if __name__ == "__main__":
    main()
