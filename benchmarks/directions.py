"""What real data say of directions that are known beforehand, and what respecting them costs.

    ECHELON_DATA=FOLDER python -m benchmarks.directions --write

Directions are those of common sense, or of the source, written down before any result was seen.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks.common import data_folder, environment, note, publish
from echelon import AutoSelector, DominanceRoughSet
from echelon.monotone import relabel_monotone

N_FOLDS = 3


class Known(NamedTuple):
    """A data set, what is not a feature, and the directions of its features."""

    file: str
    rises: str
    falls: str = ""
    unused: str = ""
    reverse: bool = False
    """Whether the highest code is the worst class."""

    @property
    def name(self) -> str:
        """The file without folder and ending."""
        return Path(self.file).stem

    @property
    def directions(self) -> dict[str, int]:
        """1 or -1 by feature."""
        return dict.fromkeys(self.rises.split(), 1) | dict.fromkeys(self.falls.split(), -1)


SETS = (
    Known(
        "C_nsm/german20.csv",
        rises="",
        falls="duration credit_amount installment_rate",
        reverse=True,
    ),
    Known("B_ordinal_relieff/bankruptcyrisk.csv", " ".join(f"A{k}" for k in range(1, 13))),
    Known("F_ordinal_surveys/esl.csv", "in1 in2 in3 in4"),
    Known("F_ordinal_surveys/lev.csv", "in1 in2 in3 in4"),
    Known("F_ordinal_surveys/era.csv", "in1 in2 in3 in4"),
    Known("F_ordinal_surveys/swd.csv", " ".join(f"in{k}" for k in range(1, 11))),
    Known(
        "B_ordinal_relieff/cpu.csv", "MMIN MMAX CACH CHMIN CHMAX", "MYCT", unused="model PRP ERP"
    ),
    Known("B_ordinal_relieff/housing.csv", "RM", "CRIM NOX PTRATIO LSTAT TAX", unused="MEDV"),
    Known(
        "F_ordinal_surveys/student_math.csv",
        rises="studytime Medu Fedu",
        falls="failures absences goout Walc traveltime",
    ),
)


class Found(NamedTuple):
    """What was found on one set."""

    name: str
    n_samples: int
    n_features: int
    n_directions: int
    opposed: int
    """Features whose data significantly say the opposite."""
    contradicted: int
    changed: int
    respected: np.ndarray
    """Held-out mean absolute error in classes, by fold, where directions are respected."""
    free: np.ndarray


def read(known: Known, folder: Path) -> tuple[pd.DataFrame, pd.Series]:
    """Features and classes, lowest first."""
    table = pd.read_csv(folder / known.file).drop(columns=known.unused.split())
    y = table.pop("target")
    return table, -y if known.reverse else y


def held_out(X: pd.DataFrame, y: pd.Series, directions: dict[str, int] | None) -> np.ndarray:
    """Errors by fold of the model that evaluated the features, with those selected."""
    errors = []
    fold = np.empty(len(y), int)
    fold[np.argsort(y.to_numpy() + np.random.default_rng(0).random(len(y)) / 2)] = np.arange(len(y))
    for k in range(N_FOLDS):
        test = fold % N_FOLDS == k
        selector = AutoSelector(
            kind="ordinal", monotonic_cst=directions, allow_none=False, random_state=0
        ).fit(X[~test], y[~test])
        names = selector.get_feature_names_out()
        model = selector.estimator_.fit(X.loc[~test, names], y[~test])
        errors.append(
            np.abs(codes(model.predict(X.loc[test, names]), y) - codes(y[test], y)).mean()
        )
    return np.array(errors)


def codes(values: Any, y: pd.Series) -> np.ndarray:
    """Classes as 0, 1, ..., lowest first."""
    return np.searchsorted(np.unique(y), np.asarray(values))


def measure(known: Known, folder: Path) -> Found:
    """All figures of one set."""
    note(known.name)
    X, y = read(known, folder)
    stated = known.directions
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rough = DominanceRoughSet(monotonic_cst=stated).fit(X[list(stated)], y)
        whole = AutoSelector(kind="ordinal", monotonic_cst=stated, random_state=0).fit(X, y)
        said = whole.directions_
        opposed = (said["agrees"].eq(False) & (said["p_value"] < 0.05)).sum()
        return Found(
            known.name,
            *X.shape,
            len(stated),
            int(opposed),
            int(np.sum(rough.lowest_class_ != rough.highest_class_)),
            relabel_monotone(X[list(stated)], y, monotonic_cst=stated).n_changed,
            held_out(X, y, stated),
            held_out(X, y, None),
        )


def make_page(results: list[Found]) -> str:
    """The page of what was found."""
    rows = [
        f"| {r.name} | {r.n_samples:,} x {r.n_features} | {r.n_directions} | {r.opposed} | "
        f"{r.contradicted:,} | {r.changed:,} | {r.respected.mean():.3f} | {r.free.mean():.3f} | "
        f"{_difference(r)} |"
        for r in results
    ]
    costs = np.array([(r.respected.mean() - r.free.mean()) / r.free.mean() for r in results])
    low, high = interval(costs)
    return "\n".join(
        [
            "# What respecting directions costs",
            "",
            f"Made by `python -m benchmarks.directions --write` with "
            f"{environment('scikit-learn')}.",
            "",
            "Real data sets with ordered classes, and directions of features that are known "
            "beforehand: a larger",
            "debt must not give a better class.  *Opposed* counts the features whose data "
            "significantly say the",
            "opposite (Kendall's tau, p < 0.05).  *Contradicted* are the samples that another "
            "contradicts, among the",
            "features with a direction; *relabelled* is the least number of samples whose class "
            "must change to make",
            "the data monotone.  Errors are mean absolute errors in classes over "
            f"{N_FOLDS} outer folds, of the model and",
            "the features that `AutoSelector` chooses in the training rows, with the directions "
            "respected and without;",
            "± is one standard error of the difference over the folds.",
            "",
            f"Respecting the directions changes the error by {100 * costs.mean():+.1f} % on "
            f"average ({100 * low:+.1f} to {100 * high:+.1f} %: 95 %",
            "bootstrap interval over data sets).",
            "",
            "| data | samples x features | directions | opposed | contradicted | relabelled | "
            "error, respected | error, free | difference |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            *rows,
            "",
            "Directions: " + "; ".join(_stated(each) for each in SETS) + ".",
            "",
        ]
    )


def interval(values: np.ndarray) -> np.ndarray:
    """95 % bootstrap interval of the mean."""
    draws = np.random.default_rng(0).integers(0, len(values), (10_000, len(values)))
    return np.quantile(values[draws].mean(axis=1), [0.025, 0.975])


def _difference(found: Found) -> str:
    gaps = found.respected - found.free
    return f"{gaps.mean().round(9) + 0.0:+.3f} ± {gaps.std(ddof=1) / np.sqrt(len(gaps)):.3f}"


def _stated(known: Known) -> str:
    parts = [f"{names} {verb}" for names, verb in _by_sign(known)]
    return f"{known.name}: {', '.join(parts)}"


def _by_sign(known: Known) -> Iterator[tuple[str, str]]:
    for names, verb in ((known.rises.split(), "rises"), (known.falls.split(), "falls")):
        if names:
            yield ", ".join(names), verb if len(names) == 1 else verb[:-1]


def main() -> None:
    """Measure, and print the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.directions", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the page in docs")
    given = parser.parse_args()
    folder = data_folder()
    if folder is None:
        parser.error("ECHELON_DATA must name the folder of the data.")
    publish("directions", partial(make_page, [measure(known, folder) for known in SETS]), given)


if __name__ == "__main__":
    main()
