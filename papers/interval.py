"""Hazarika, Mishra, Mahanta: a dissimilarity margin based feature selection method for intervals.

``python -m papers.interval`` reads the folder ``ECHELON_DATA``, runs Tables 1 to 3 for Delhi and
the same on other interval data, and writes docs/papers/interval.md.
"""

from __future__ import annotations

import os
import platform
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

from echelon import IntervalKMeans, IntervalRelief, as_intervals
from echelon.evaluation import clustering_accuracy

PAGE = Path(__file__).parent.parent / "docs" / "papers" / "interval.md"
DISTANCES = {"l1": "Table 1, L1", "l2": "Table 2, L2", "linf": "Table 3, L∞"}
METHODS = {"nearest": "RDisM1", "prototype": "RDisM2_a", "componentwise": "RDisM2_b"}
CLUSTERS = range(2, 11)

# Delhi as printed: features, then minimum, average and maximum accuracy.
PRINTED = {
    ("l1", "nearest"): ([1, 2, 3, 4, 5], (0.56, 0.57, 0.59)),
    ("l1", "prototype"): ([3], (0.59, 0.60, 0.62)),
    ("l1", "componentwise"): ([1, 2, 3], (0.59, 0.64, 0.69)),
    ("l2", "nearest"): ([1, 2, 3, 4, 5], (0.56, 0.57, 0.59)),
    ("l2", "prototype"): ([1, 2, 4, 5], (0.59, 0.66, 0.74)),
    ("l2", "componentwise"): ([4, 5], (0.59, 0.69, 0.72)),
    ("linf", "nearest"): ([1, 2, 3, 4, 5], (0.56, 0.57, 0.59)),
    ("linf", "prototype"): ([3, 4], (0.59, 0.64, 0.71)),
    ("linf", "componentwise"): ([1, 2, 3], (0.59, 0.64, 0.69)),
}
OTHERS = {
    "Hong Kong weather 2005-2007": "hongkong_weather_2005_2007.csv",
    "cars": "cars_27x4.csv",
    "car models": "car_models_33x8.csv",
    "freshwater fish": "freshwater_fish_12x13.csv",
    "fungi": "fungi_55x5.csv",
    "water flow": "water_flow_316x47.csv",
}


def load(file: str) -> tuple[pd.DataFrame, pd.Series]:
    """Intervals and classes of a file in the data folder."""
    data = pd.read_csv(Path(os.environ["ECHELON_DATA"]) / "E_interval" / file)
    return as_intervals(data), data["target"]


def chosen(X: pd.DataFrame, y: pd.Series, distance: str, margin: str) -> IntervalRelief:
    """The selector of one cell."""
    return IntervalRelief(margin=margin, distance=distance).fit(X, y)


def accuracies(X: pd.DataFrame, y: pd.Series, *, scale: bool = True) -> np.ndarray:
    """Accuracy of k-means for every number of clusters that the samples allow."""
    found = []
    for k in CLUSTERS:
        if k <= len(X):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # fewer different samples than clusters
                labels = IntervalKMeans(k, scale=scale, random_state=0).fit(X).labels_
            found.append(clustering_accuracy(y, labels))
    return np.array(found)


def range_of(values: np.ndarray) -> str:
    """Minimum, average and maximum."""
    return f"{values.min():.2f} {values.mean():.2f} {values.max():.2f}" if len(values) else "-"


def numbers(positions: np.ndarray | list[int]) -> str:
    """Features as the paper numbers them, from 1; long lists by their length."""
    positions = [int(f) for f in positions]
    if len(positions) > 13:
        return f"{len(positions)} features"
    return "{" + ",".join(map(str, positions)) + "}"


def delhi() -> str:
    """All nine cells beside the paper's."""
    X, y = load("delhi_weather_2005_2007.csv")
    lines = [
        "| table | method | paper's subset | ours | same | scores of features 1 to 5 "
        "| paper's accuracy | ours | of the paper's subset |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for (distance, margin), (subset, printed) in PRINTED.items():
        selector = chosen(X, y, distance, margin)
        features = np.flatnonzero(selector.support_) + 1
        same = "yes" if features.tolist() == subset else "**no**"
        scores = " ".join(f"{score:+.4f}" for score in selector.scores_)
        lines.append(
            f"| {DISTANCES[distance]} | {METHODS[margin]} | {numbers(subset)} "
            f"| {numbers(features)} | {same} | {scores} | {' '.join(f'{a:.2f}' for a in printed)} "
            f"| {range_of(accuracies(selector.transform(X), y))} "
            f"| {range_of(accuracies(X.iloc[:, np.array(subset) - 1], y))} |"
        )
    return "\n".join(lines)


def elsewhere() -> str:
    """The nine cells of the other data."""
    lines = [
        "| data | distance | " + " | ".join(METHODS.values()) + " | accuracy, in the same order |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, file in OTHERS.items():
        X, y = load(file)
        size = f"{len(X)} x {X.shape[1]} x {y.nunique()}"
        everything = range_of(accuracies(X, y))
        lines.append(f"| {name}, {size} | all features | | | | {everything} |")
        for distance in DISTANCES:
            selectors = [chosen(X, y, distance, margin) for margin in METHODS]
            subsets = [numbers(np.flatnonzero(each.support_) + 1) for each in selectors]
            found = [
                range_of(accuracies(each.transform(X), y)) if each.support_.any() else "-"
                for each in selectors
            ]
            lines.append(f"| | {distance} | {' | '.join(subsets)} | {'; '.join(found)} |")
    return "\n".join(lines)


def ratios() -> str:
    """Mean distance to the other class by mean distance to the own class, without scaling."""
    X, y = load("delhi_weather_2005_2007.csv")
    bounds = np.stack([np.column_stack([X[n].array.left, X[n].array.right]) for n in X], axis=1)
    classes, codes = np.unique(y, return_inverse=True)
    prototypes = np.array([bounds[codes == c].mean(axis=0) for c in range(len(classes))])
    gaps = np.abs(bounds[:, None] - prototypes)
    lines = ["| distance | " + " | ".join(X.columns) + " |", "| --- |" + " ---: |" * X.shape[1]]
    for distance, order in (("l1", 1), ("l2", 2), ("linf", np.inf)):
        far = np.linalg.norm(gaps, ord=order, axis=3)
        own = far[np.arange(len(y)), codes].mean(axis=0)
        far[np.arange(len(y)), codes] = np.inf
        ratio = far.min(axis=1).mean(axis=0) / own
        lines.append(f"| {distance} | " + " | ".join(f"{r:.3f}" for r in ratio) + " |")
    return "\n".join(lines)


def page() -> str:
    """The page kept in docs."""
    versions = ", ".join(f"{n} {version(n)}" for n in ("echelon", "numpy", "scikit-learn"))
    _, y = load("delhi_weather_2005_2007.csv")
    raw = range_of(accuracies(*load("delhi_weather_2005_2007.csv"), scale=False))
    largest = y.value_counts(normalize=True).iloc[0]
    return f"""# A dissimilarity margin based feature selection method for interval data

I. Hazarika, R. Mishra, A. K. Mahanta.

Made by `python -m papers.interval` with Python {platform.python_version()}, {versions}.

## Delhi 2005-2007, Tables 1 to 3

{len(y)} days with an event, 6 classes (the paper has 444 days).  Features: 1 temperature,
2 dew point, 3 humidity, 4 sea level pressure, 5 visibility.  Kept are the features with a score of
at least 0.  Accuracy is that of interval k-means on the kept features, a cluster standing for its
most frequent class: minimum, average and maximum over k = 2 to 10, best of 10 starts each.

{delhi()}

The three subsets of Table 2 come out exactly, and RDisM1 keeps everything in all three tables, as
printed.  The four subsets printed for prototypes with L1 and L∞ do not follow from the formulas.

**Why.**  In RDisM2_b a feature stands alone: its score is positive if and only if the mean
distance to the nearest other prototype exceeds that to the own prototype, and no scaling changes
this ratio:

{ratios()}

For any two intervals L∞ <= L2 <= sqrt(2) L∞ and L2 <= L1 <= sqrt(2) L2, and the same holds for
minima and means of such distances.  From one distance to the next the ratio therefore changes by
a factor of sqrt(2) at most, and here by far less: features 4 and 5 stay above 1 and features 1 to
3 below it, so {{4,5}} is the answer under all three.  The {{1,2,3}} printed under L1 and L∞ is
its exact complement, what a reversed sign would select.  In RDisM2_a the nearest prototype
depends on all features, and signs near 0 do change: L1 is twice L∞ where both bounds differ alike
and equal to it where only one bound differs, so a feature gains from L1 to L∞ if samples differ
from their own prototype in both bounds and from the other one mostly in one.  Temperature and dew
point do, which gives {{4,5}} under L1 and {{1,2,4,5}} under L2 and L∞.  The {{3}} and {{3,4}}
printed would need humidity to gain and visibility, the largest score under every distance, to
become negative; unscaled data give {{4,5}} throughout.

**Accuracy.**  Accuracy by majority is never below the share of the largest class, {largest:.2f}
here; the paper prints 0.56 for its 444 days.  Our clusters are at least as pure as the printed
ones in every cell, with all features too (also unscaled: {raw}), so that the paper's conclusion,
selected features cluster better than all of them, does not show.

## Other interval data

Samples x features x classes behind each name; "-" where nothing is kept.  Numbers count the
features in the order of the file.

{elsewhere()}
"""


def main() -> None:
    """Write the page."""
    if "ECHELON_DATA" not in os.environ:
        sys.exit("Set ECHELON_DATA to the folder of the data; it is not part of this project.")
    PAGE.write_text(page())
    print(PAGE.read_text())


if __name__ == "__main__":
    main()
