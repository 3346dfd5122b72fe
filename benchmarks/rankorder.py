"""RankOrderSelector against the paper's algorithms as printed, compiled with numba as well.

Spoiler counts by merge sort over all pairs of samples of a class, and centers anew for every
candidate of CDV: so only the algorithm differs.  Both must remove the same features.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter

import numpy as np
from numba import njit

from benchmarks.common import best_of, environment, note, publish, slopes
from echelon import RankOrderSelector

THREADS = 2
FEATURES, SAMPLES = (50, 100, 200, 400), 70
GRID = 2.0**40


def make_data(n: int, m: int, n_classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Orders without ties; one feature in ten shifts with the class."""
    rng = np.random.default_rng(0)
    y = np.sort(np.arange(m) % n_classes)
    return rng.normal(size=(m, n)) + (rng.random(n) < 0.1) * y[:, None], y


# ------------------------------------------------------------------- the paper's algorithms


@njit(cache=True, nogil=True)
def merge_counts(sequence, features, spoilers, spare, spare_features):
    """Sort by merging; every feature counts the inversions it is in (Section 4 of the paper)."""
    n = sequence.shape[0]
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            middle, end = min(start + width, n), min(start + 2 * width, n)
            i, j = start, middle
            for at in range(start, end):
                if j >= end or (i < middle and sequence[i] <= sequence[j]):
                    spoilers[features[i]] += j - middle  # those of the right that went before it
                    spare[at], spare_features[at] = sequence[i], features[i]
                    i += 1
                else:
                    spoilers[features[j]] += middle - i  # those of the left that are still there
                    spare[at], spare_features[at] = sequence[j], features[j]
                    j += 1
            for at in range(start, end):
                sequence[at], features[at] = spare[at], spare_features[at]
        width *= 2


@njit(cache=True, nogil=True)
def printed_spoilers(ranks, y):
    """Features in the order they are removed, counting anew in every step."""
    m, n = ranks.shape
    orders = np.empty((m, n), np.int64)
    for r in range(m):
        orders[r] = np.argsort(ranks[r])
    left, removed = np.ones(n, np.bool_), np.empty(n - 1, np.int64)
    sequence, features = np.empty(n, np.int64), np.empty(n, np.int64)
    spare, spare_features = np.empty(n, np.int64), np.empty(n, np.int64)
    for step in range(n - 1):
        size = n - step
        spoilers = np.zeros(n, np.int64)
        for a in range(m):
            for b in range(a):
                if y[a] != y[b]:
                    continue
                at = 0
                for p in range(n):
                    f = orders[a, p]
                    if left[f]:
                        sequence[at], features[at] = ranks[b, f], f
                        at += 1
                merge_counts(sequence[:size], features[:size], spoilers, spare, spare_features)
        best = -1
        for f in range(n):
            if left[f] and (best < 0 or spoilers[f] > spoilers[best]):
                best = f
        left[best] = False
        removed[step] = best
    return removed


@njit(cache=True, nogil=True)
def center_rho(ranks, starts, left, without, rho, sums, centers):
    """Rho of the centers of every pair of classes, features ranked anew in every sample."""
    n = ranks.shape[1]
    size = left.shape[0] - (1 if without >= 0 else 0)
    for c in range(starts.shape[0] - 1):
        sums[:] = 0
        for r in range(starts[c], starts[c + 1]):
            gone = ranks[r, without] if without >= 0 else n + 1
            for i in range(left.shape[0]):
                rank = ranks[r, left[i]]
                sums[i] += rank - (rank > gone)
        if without >= 0:
            for i in range(left.shape[0]):
                if left[i] == without:
                    sums[i] = 2**62
        order = np.argsort(sums[: left.shape[0]])
        p = 0
        while p < size:
            q = p
            while q + 1 < size and sums[order[q + 1]] == sums[order[p]]:
                q += 1
            for at in range(p, q + 1):
                centers[c, order[at]] = p + q + 2  # twice the average rank
            p = q + 1
    pair = 0
    for a in range(starts.shape[0] - 1):
        for b in range(a + 1, starts.shape[0] - 1):
            total = 0
            for i in range(left.shape[0]):
                if left[i] != without:
                    total += (centers[a, i] - centers[b, i]) ** 2
            rho[pair] = 1 - 1.5 * total / max(size * (size**2 - 1), 1)
            pair += 1


@njit(cache=True, nogil=True)
def printed_cdv(ranks, starts):
    """Features in the order they are removed, centers anew for every candidate."""
    n, n_classes = ranks.shape[1], starts.shape[0] - 1
    ranks = ranks.copy()
    left, removed = np.arange(n), np.empty(n - 1, np.int64)
    n_pairs = n_classes * (n_classes - 1) // 2
    original, rho = np.empty(n_pairs), np.empty(n_pairs)
    sums, centers = np.empty(n, np.int64), np.empty((n_classes, n), np.int64)
    center_rho(ranks, starts, left, -1, original, sums, centers)
    for step in range(n - 1):
        best, least = -1, np.inf
        for k in left:
            center_rho(ranks, starts, left, k, rho, sums, centers)
            value = np.floor(np.sqrt(((rho - original) ** 2).sum()) * GRID + 0.5)
            if value < least:
                best, least = k, value
        for r in range(ranks.shape[0]):
            gone = ranks[r, best]
            for f in left:
                ranks[r, f] -= ranks[r, f] > gone
        left = left[left != best]
        removed[step] = best
    return removed


# ------------------------------------------------------------------------------- comparison


def printed(criterion: str, X: np.ndarray, y: np.ndarray) -> Callable[[], np.ndarray]:
    """The paper's algorithm on these samples, ready to run."""
    ranks = np.argsort(np.argsort(X, axis=1), axis=1) + 1
    if criterion == "spoilers":
        return lambda: printed_spoilers(ranks, y)
    return lambda: printed_cdv(ranks, np.concatenate([[0], np.cumsum(np.bincount(y))]))


def ours(criterion: str, X: np.ndarray, y: np.ndarray, n_jobs: int = THREADS):
    """The whole path."""
    return RankOrderSelector(1, criterion=criterion, n_jobs=n_jobs).fit(X, y).path_.feature


def compare(criterion: str, sizes: tuple[int, ...]) -> list[str]:
    """Rows of the table for one criterion."""
    rows = []
    for n in sizes:
        note(f"{criterion} {SAMPLES} x {n}")
        X, y = make_data(n, SAMPLES)
        paper = printed(criterion, X, y)
        if n == sizes[0]:
            paper()  # compiled
        two = best_of(3, lambda X=X, y=y: ours(criterion, X, y))
        start = perf_counter()
        removed = paper()
        slow = perf_counter() - start
        two = min(two, best_of(3, lambda X=X, y=y: ours(criterion, X, y)))
        one = best_of(3, lambda X=X, y=y: ours(criterion, X, y, 1))
        assert removed.tolist() == ours(criterion, X, y).tolist(), "paths differ"
        rows.append(
            f"| {criterion} | {n} | {two * 1e3:.1f} | {one * 1e3:.1f} | {slow * 1e3:.0f} "
            f"| {slow / two:.0f} | {slow / one:.0f} |"
        )
    return rows


def growth(criterion: str, largest: int) -> list[str]:
    """Exponents of time in features, samples and classes, of both."""
    features = tuple(n for n in (50, 100, 200, 400, 800, 1600, 3200) if n <= largest)
    lines = []
    sweeps = {
        "features": [(n, SAMPLES, 2) for n in features if n >= 200 or largest < 200],
        "samples": [(min(200, largest), m, 2) for m in (35, 70, 140, 280)],
        "classes": [(min(200, largest), 140, c) for c in (2, 4, 8)],
    }
    for name, cases in sweeps.items():
        note(f"growth of {criterion} in {name}")
        sizes = [case[("features", "samples", "classes").index(name)] for case in cases]
        times: dict[str, list[float]] = {"echelon": [], "printed": []}
        for n, m, c in cases:
            X, y = make_data(n, m, c)
            times["echelon"].append(best_of(3, lambda X=X, y=y: ours(criterion, X, y)))
            if n <= FEATURES[-1]:
                times["printed"].append(best_of(1, printed(criterion, X, y)))
        for who, values in times.items():
            if len(values) > 1:
                seconds = ", ".join(f"{t:.3f}" for t in values)
                over = ", ".join(map(str, sizes[: len(values)]))
                lines.append(
                    f"| {criterion} | {name} {over} | {who} | {seconds} "
                    f"| {slopes(sizes[: len(values)], values)} |"
                )
    return lines


def page(sizes: tuple[int, ...], largest: int) -> str:
    """The page kept in docs."""
    criteria = ("spoilers", "cdv")
    rows = "\n".join(row for criterion in criteria for row in compare(criterion, sizes))
    grown = "\n".join(line for criterion in criteria for line in growth(criterion, largest))
    return f"""# Rank-order selection: speed

The whole path, from all features to one; made by `make bench BENCH=rankorder` with
{environment("scikit-learn")}.

"printed" are the algorithms as the paper (Slotta, Vergara, Ramakrishnan, Heath 2005) prints them:
spoiler counts by merge sort over all pairs of samples of a class in every step; for CDV the centers
anew for every candidate.  They are compiled with numba too and run on one thread, so that only the
algorithm differs.  Both remove the same features in the same order (checked in the run).  The data
are {SAMPLES} random orders of two classes.  echelon's times are the best of three or six, on
{THREADS} threads unless said otherwise.

| criterion | features | echelon, ms | one thread, ms | printed, ms | ratio | ratio, one thread |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
{rows}

Growth of the time of the whole path: in features with {SAMPLES} samples and two classes, in samples
with 200 features and two classes, in classes with 200 features and 140 samples.

| criterion | over | who | seconds | exponent |
| --- | --- | --- | --- | --- |
{grown}
"""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/rankorder.md")
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    arguments = parser.parse_args()
    sizes = FEATURES[:2] if arguments.quick else FEATURES
    publish("rankorder", lambda: page(sizes, 100 if arguments.quick else 3200), arguments)


if __name__ == "__main__":
    main()
