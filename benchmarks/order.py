"""What the order of the classes is worth: the same forest, and selectors, with and without it.

``ECHELON_DATA=FOLDER python -m benchmarks.order --fresh FOLDER --write`` writes the page and its
picture.  The fresh sets are written by ``python -m benchmarks.ordered.fresh --to FOLDER``.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.model_selection import RepeatedStratifiedKFold

from benchmarks.common import environment, publish
from benchmarks.kept.data import LEAST_ROWS, PERMUTED, Source, rows_of, sources, table
from benchmarks.kept.rules import auto_selector
from benchmarks.ordered.data import LEAST_NOISE
from benchmarks.ordered.orders import kendall, mutual_information
from benchmarks.ordered.results import Interval, ratios
from echelon import OrdinalForest
from echelon.methods import CLASSES, ORDERED
from papers.cells import Cells, Task
from papers.pages import table as markdown

CELLS = Path(__file__).parent.parent / "papers" / "results" / "order.json"
"""Finished sets, so that a stopped run goes on where it stopped."""
FORMAT = "order 1"
PICTURE = Path(__file__).parent.parent / "docs" / "images" / "order.png"

FOREST_ROWS, N_FOLDS, N_REPEATS = 500, 5, 2
SELECTOR_ROWS, N_SELECTOR_FOLDS = 300, 3
N_BEST = 5
TREES = {"n_estimators": 100, "min_samples_leaf": 2, "max_features": 1.0, "random_state": 0}

CUMULATIVE, CODES = "cumulative indicators", "codes"
UNORDERED, MEDIAN, NARROW = (
    "unordered classes",
    "unordered classes, median class predicted",
    "unordered classes, sqrt(features) per split",
)
KENDALL, MUTUAL = "rank correlation (Kendall)", "mutual information"
AUTO, AUTO_UNORDERED = "AutoSelector, ordered classes", "AutoSelector, unordered classes"
SMALL = 0.01
"""Ratios so close to 1 count as no difference."""


class Found(NamedTuple):
    """What one method did in one fold: its error, and how much of what it selected is noise."""

    method: str
    fold: int
    error: float
    n_selected: int = 0
    n_noise: int = 0


class Pair(NamedTuple):
    """The same thing with and without the order, and how both are called on the picture."""

    title: str
    ordered: str
    other: str


PAIRS = (
    Pair("Forest: cumulative indicators against unordered classes", CUMULATIVE, UNORDERED),
    Pair("Forest: codes 1, 2, 3, ... against unordered classes", CODES, UNORDERED),
    Pair("Best 5 features: Kendall's tau against mutual information", KENDALL, MUTUAL),
    Pair("AutoSelector: ordered against unordered classes", AUTO, AUTO_UNORDERED),
)
"""With and without the order."""
WAYS = (Pair("", CUMULATIVE, CODES), Pair("", CUMULATIVE, MEDIAN))
"""Ways of using the order."""


# --------------------------------------------------------------------------------------- measured


def cumulative(X: np.ndarray, y: np.ndarray, unseen: np.ndarray) -> np.ndarray:
    """Trees on the cumulative indicators; the median class."""
    return OrdinalForest(**TREES, n_jobs=1).fit(X, y).predict(unseen)


def on_codes(X: np.ndarray, y: np.ndarray, unseen: np.ndarray) -> np.ndarray:
    """Trees on the codes as numbers; the mean, rounded."""
    return np.rint(ExtraTreesRegressor(**TREES).fit(X, y).predict(unseen))


def unordered(X: np.ndarray, y: np.ndarray, unseen: np.ndarray) -> np.ndarray:
    """Trees on the classes without their order; the most probable class."""
    return ExtraTreesClassifier(**TREES).fit(X, y).predict(unseen)


def unordered_median(X: np.ndarray, y: np.ndarray, unseen: np.ndarray) -> np.ndarray:
    """The order is used for the answer only: the median class."""
    forest = ExtraTreesClassifier(**TREES).fit(X, y)
    up_to = forest.predict_proba(unseen).cumsum(axis=1)
    return forest.classes_[(up_to >= 0.5 - 1e-12).argmax(axis=1)]


def unordered_narrow(X: np.ndarray, y: np.ndarray, unseen: np.ndarray) -> np.ndarray:
    """As many features per split as scikit-learn's classifier tries by default."""
    trees = TREES | {"max_features": "sqrt"}
    return ExtraTreesClassifier(**trees).fit(X, y).predict(unseen)


Answers = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
FORESTS: dict[str, Answers] = {
    CUMULATIVE: cumulative,
    CODES: on_codes,
    UNORDERED: unordered,
    MEDIAN: unordered_median,
    NARROW: unordered_narrow,
}
Selects = Callable[[np.ndarray, np.ndarray], Sequence[int] | np.ndarray]
CHEAP: dict[str, Selects] = {
    KENDALL: lambda X, y: kendall(X, y, 0).order[:N_BEST],
    MUTUAL: lambda X, y: mutual_information(X, y, 0).order[:N_BEST],
}
DEFAULT: dict[str, Selects] = {
    AUTO: lambda X, y: auto_selector(X, y, ORDERED, 0),
    AUTO_UNORDERED: lambda X, y: auto_selector(X, y, CLASSES, 0),
}


def splits(y: np.ndarray, n_folds: int, n_repeats: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Stratified folds; classes may be smaller than the number of folds."""
    make = RepeatedStratifiedKFold(n_splits=n_folds, n_repeats=n_repeats, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(make.split(np.zeros((len(y), 1)), y))


def error(truth: np.ndarray, answers: np.ndarray) -> float:
    """Mean absolute error in classes."""
    return float(np.abs(truth - answers).mean())


def forests_on(source: Source) -> list[Found]:
    """Every forest in every fold of a set."""
    X, y = with_codes(*rows_of(source, FOREST_ROWS))
    return [
        Found(name, number, error(y[test], answers(X[train], y[train], X[test])))
        for number, (train, test) in enumerate(splits(y, N_FOLDS, N_REPEATS))
        for name, answers in FORESTS.items()
    ]


def selectors_on(source: Source, selectors: dict[str, Selects]) -> list[Found]:
    """Every selector in every fold of a set with noise; the ordered forest evaluates them."""
    data = table(source, PERMUTED, rows=SELECTOR_ROWS)
    X, y = with_codes(data.X, data.y)
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of small classes
        for number, (train, test) in enumerate(splits(y, N_SELECTOR_FOLDS, 1)):
            varying = np.flatnonzero(np.ptp(X[train], axis=0) > 0)
            for name, select in selectors.items():
                codes = np.unique(y[train], return_inverse=True)[1]
                chosen = varying[np.asarray(select(X[train][:, varying], codes), int)]
                answers = answers_with(X[:, chosen], y, train, test)
                n_noise = int((~data.real[chosen]).sum())
                found.append(Found(name, number, error(y[test], answers), len(chosen), n_noise))
    return found


def answers_with(
    X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray
) -> np.ndarray | float:
    """What the ordered forest answers with the features selected; without any, the median."""
    return cumulative(X[train], y[train], X[test]) if X.shape[1] else np.median(y[train])


def with_codes(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Codes without gaps: a class may be missing among the rows drawn."""
    return X, np.unique(y, return_inverse=True)[1]


def used(found: Sequence[Source]) -> list[Source]:
    """Sets with enough rows and at least three classes: two have no order that matters."""
    sized = [(source, rows_of(source, FOREST_ROWS)[1]) for source in found]
    return [source for source, y in sized if len(y) >= LEAST_ROWS and len(np.unique(y)) > 2]


def tasks(found: Sequence[Source]) -> dict[str, Task]:
    """Every part of the page; the default on the sets that had no part in its design only."""
    made: dict[str, Task] = {}
    for source in found:
        made[f"forests/{source.name}"] = partial(forests_on, source)
        made[f"cheap/{source.name}"] = partial(selectors_on, source, CHEAP)
    for source in (source for source in found if source.group == "fresh"):
        made[f"default/{source.name}"] = partial(selectors_on, source, DEFAULT)
    return made


# -------------------------------------------------------------------------------------------- said


def frame_of(cells: dict[str, Any]) -> pd.DataFrame:
    """One row for every method, set and fold."""
    rows = [(name.split("/")[1], *Found(*each)) for name, found in cells.items() for each in found]
    return pd.DataFrame(rows, columns=["data", *Found._fields])


def relative(frame: pd.DataFrame, method: str, reference: str) -> pd.Series:
    """Error of a method on every set, divided by that of another, the least first."""
    values = ratios(frame, reference, ["error"], ["data", "fold"])
    return values[method].dropna().sort_values()


def _counts(values: pd.Series) -> tuple[int, int]:
    """On how many sets the error is smaller, and on how many it is larger."""
    return int((values < 1 - SMALL).sum()), int((values > 1 + SMALL).sum())


def sentence(frame: pd.DataFrame, pair: Pair) -> str:
    """What the order is worth, with the sets where it costs."""
    values = relative(frame, pair.ordered, pair.other)
    smaller, larger = _counts(values)
    worst = ", ".join(f"{name} {value:.2f}" for name, value in values[::-1][:3].items())
    verdict = "no significant difference"
    interval = Interval.over(values)
    if interval.high < 1:
        verdict = "the order helps"
    elif interval.low > 1:
        verdict = "the order costs"
    return (
        f"- **{pair.ordered}** against **{pair.other}**: error ratio {interval}, {verdict}.  "
        f"Smaller on {smaller} of {len(values)} sets, larger on {larger}; the largest ratios: "
        f"{worst}."
    )


def noise_sentence(frame: pd.DataFrame, pair: Pair) -> str:
    """How much of what is selected is noise, with and without the order."""
    ordered, other = (noise_shares(frame, name) for name in (pair.ordered, pair.other))
    apart = Interval.over(ordered - other)
    verdict = "no significant difference"
    if apart.high < 0:
        verdict = "less with the order"
    elif apart.low > 0:
        verdict = "more with the order"
    return (
        f"- **{pair.ordered}**: {ordered.mean():.0%} of the selected features are noise, of "
        f"**{pair.other}** {other.mean():.0%}; difference {apart}, {verdict}."
    )


def noise_shares(frame: pd.DataFrame, method: str) -> pd.Series:
    """The share of noise among the features selected on every set; without any there is none."""
    part = frame[frame.method == method]
    return (part.n_noise / part.n_selected.replace(0, np.nan)).groupby(part.data).mean()


def forest_table(frame: pd.DataFrame) -> str:
    """Every forest, relative to the one on codes."""
    rows = []
    for name in FORESTS:
        values = relative(frame, name, CODES)
        mean = frame[frame.method == name].groupby("data").error.mean().mean()
        smaller, larger = ("-", "-") if name == CODES else _counts(values)
        rows.append((name, f"{mean:.3f}", Interval.over(values), smaller, larger))
    head = ("100 extremely randomised trees on", "MAE in classes", "relative to codes",
            "smaller on", "larger on")  # fmt: skip
    return markdown(head, rows)


def selector_table(frame: pd.DataFrame) -> str:
    """Every selector: errors, how many features, and how many of them are noise."""
    rows = []
    for name in (*CHEAP, *DEFAULT):
        part = frame[frame.method == name]
        rows.append((
            name,
            part.data.nunique(),
            f"{part.groupby('data').error.mean().mean():.3f}",
            f"{part.groupby('data').n_selected.mean().mean():.1f}",
            Interval.over(noise_shares(frame, name)),
        ))  # fmt: skip
    return markdown(("selector", "sets", "MAE in classes", "selected", "share of noise"), rows)


def set_table(frame: pd.DataFrame) -> str:
    """The ratio of every pair on every set."""
    pairs = [relative(frame, pair.ordered, pair.other) for pair in PAIRS]
    sets = pd.concat(pairs, axis=1, keys=range(len(PAIRS))).sort_values(0)
    rows = [
        (name, *("-" if np.isnan(value) else f"{value:.2f}" for value in row))
        for name, row in zip(sets.index, sets.to_numpy(), strict=True)
    ]
    return markdown(("data", *(pair.title for pair in PAIRS)), rows)


def picture(frame: pd.DataFrame) -> Any:
    """A row for every pair: a dot for each set, the mean, and its interval."""
    from matplotlib.figure import Figure

    blue, orange, grey = "#1f5fa8", "#c4500f", "#595959"
    figure = Figure(figsize=(5, 4.7), layout="constrained")  # readable as wide as a phone
    axes = figure.add_subplot()
    axes.axvline(1, color=grey, linewidth=1)
    for place, pair in enumerate(reversed(PAIRS)):
        values = relative(frame, pair.ordered, pair.other)
        shift = 0.16 * np.sin(2.4 * np.arange(len(values)))  # equal values side by side
        colours = np.where(values.to_numpy() > 1, orange, blue)
        axes.scatter(values, place + shift, s=16, c=colours, alpha=0.55, linewidths=0)
        mean, low, high = Interval.over(values)
        axes.plot([low, high], [place - 0.33] * 2, color="black", linewidth=2.5)
        axes.plot(mean, place - 0.33, "o", color="black", markersize=6)
        text = f"{mean:.3f} ({low:.3f} to {high:.3f})"
        axes.annotate(text, (high, place - 0.33), (6, 0), textcoords="offset points",
                      va="center", fontsize=8.5,
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})  # fmt: skip
        largest = (values.iloc[-1], place + shift[-1])
        axes.annotate(values.index[-1], largest, (6, 0), textcoords="offset points",
                      va="center", fontsize=7.5, color=orange)  # fmt: skip
    axes.set_xscale("log")
    ticks = [0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_yticks([])
    for place, pair in enumerate(reversed(PAIRS)):
        axes.text(0, place + 0.26, pair.title, fontsize=9.5, va="bottom",
                  transform=axes.get_yaxis_transform(),
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})  # fmt: skip
    axes.set_ylim(-0.5, len(PAIRS) - 0.3)
    axes.set_xlabel("error with the order / error without it (MAE, held-out)")
    axes.spines[["top", "right", "left"]].set_visible(False)
    for x, words, colour in ((0.985, "order helps", blue), (1.015, "order costs", orange)):
        axes.text(x, len(PAIRS) - 0.38, words, color=colour, fontsize=9, fontweight="bold",
                  ha="right" if x < 1 else "left", va="bottom")  # fmt: skip
    return figure


def not_run(wanted: Mapping[str, Task], done: Mapping[str, Any]) -> str:
    """What a page of unfinished cells lacks, in a sentence."""
    missing = ", ".join(name for name in wanted if name not in done)
    return f"**Unfinished; not run: {missing}.**\n\n" if missing else ""


def make_page(
    found: Sequence[Source], cells: Path, write: bool = False, measure: bool = True
) -> str:
    """The page; its picture is drawn where it is kept."""
    chosen = used(found)
    wanted, kept = tasks(chosen), Cells(cells, made=FORMAT)
    done = kept.run(wanted, 1) if measure else kept.values
    frame = frame_of({name: done[name] for name in wanted if name in done})
    if write:
        picture(frame).savefig(PICTURE, dpi=120)
    groups = [source.group for source in chosen]
    return BODY.format(
        unfinished=not_run(wanted, done),
        sentences="\n".join(sentence(frame, pair) for pair in PAIRS),
        ways="\n".join(sentence(frame, pair) for pair in WAYS),
        noisy="\n".join(noise_sentence(frame, pair) for pair in PAIRS[2:]),
        forests=forest_table(frame),
        selectors=selector_table(frame),
        sets=set_table(frame),
        n_sets=len(chosen),
        n_tuning=groups.count("tuning"),
        n_fresh=groups.count("fresh"),
        least_rows=LEAST_ROWS,
        forest_rows=FOREST_ROWS,
        n_folds=N_FOLDS,
        n_repeats=N_REPEATS,
        selector_rows=SELECTOR_ROWS,
        n_selector_folds=N_SELECTOR_FOLDS,
        n_best=N_BEST,
        noise=LEAST_NOISE,
        small=f"{SMALL:.0%}",
        environment=environment("scikit-learn"),
    )


BODY = """# What the order is worth

The same forest, and selectors, with and without the order of the classes: does using it lower the
error?

![A dot for each data set: error with the order divided by error without it](../images/order.png)

## Results

{unfinished}{sentences}

How much of what is selected is noise:

{noisy}

Between ways of using the order; here a ratio below 1 favours the first of the two:

{ways}

A ratio below 1 means that the order helps, where the interval is below 1 as well.  Smaller and
larger count differences of more than {small}.  In brackets are 95 % bootstrap intervals over data
sets: what another choice of sets could have given.  They are not corrected for the number of
comparisons.

## The same forest

{forests}

All are 100 extremely randomised trees with at least two rows in a leaf, which try all features at
every split (`sqrt(features)` is the default of scikit-learn's classifier).  They differ in the
target: the cumulative indicators of the classes (`OrdinalForest`, which predicts the median class);
the codes 0, 1, 2, ... as numbers (the mean, rounded); the classes without their order (the most
probable one).  "Median class predicted" uses the order for the prediction only, not for the splits.
Codes use the order as well, and assume equal distances between the classes.

## Selectors

{selectors}

Each set has at least {noise} more columns, copies of its features with their values permuted.
Features are selected on the training rows of {n_selector_folds} folds and evaluated on the held-out
rows by the same `OrdinalForest`, whichever way they were selected.  Kendall's tau and mutual
information (`mutual_info_classif`) select the best {n_best}.  `AutoSelector` determines the number
of features itself: with `kind="ordinal"`, by the mean absolute error, or with
`kind="classification"`, by the balanced accuracy.  It is run on the {n_fresh} sets that had no part
in the design of its default.

## By data set

{sets}

## The data

{n_sets} data sets with at least three classes and {least_rows} rows: {n_tuning} of the [24 sets of
the papers](ordered.md), and {n_fresh} of the 27 that were added later.  In sets with two classes
the order cannot matter.  Forests: at most {forest_rows} rows, {n_folds} stratified folds,
{n_repeats} times.  Selectors: at most {selector_rows} rows.  Categories became one column each,
missing values the median.  Many outcomes are continuous ones cut into grades of equal size, where
codes are close to the truth.

{environment}.  `python -m benchmarks.order --fresh FOLDER --write` measures again, with the papers'
data in `ECHELON_DATA` and the other sets written by
`python -m benchmarks.ordered.fresh --to FOLDER`.
"""


def main(arguments: list[str] | None = None) -> None:
    """Measure what is missing and print the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.order", description=__doc__)
    parser.add_argument("--data", default=os.environ.get("ECHELON_DATA"), help="the papers' data")
    parser.add_argument("--fresh", type=Path, help="folder of the sets added later")
    parser.add_argument("--sets", nargs="+", metavar="SET", help="default: all in the folders")
    parser.add_argument("--cells", type=Path, default=CELLS, help="file of finished sets")
    parser.add_argument("--page", action="store_true", help="only the page of what is there")
    parser.add_argument("--write", action="store_true", help="write the page and the picture")
    given = parser.parse_args(arguments)
    found = sources(given.data, given.fresh, None, given.sets)
    publish("order", partial(make_page, found, given.cells, given.write, not given.page), given)


if __name__ == "__main__":
    main()
