"""The twelve tables: read from a folder, from scikit-learn, or made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits

from echelon.datasets import load_grades
from papers.data import NO_FEATURES

MOST_ROWS = 2_000
"""Rows of larger tables that the outer folds are drawn from; the command reads them all."""


class Table(NamedTuple):
    """A table as in a file, and what the command has to be told."""

    frame: pd.DataFrame
    target: str
    options: tuple[str, ...] = ()
    groups: str | None = None

    @property
    def order(self) -> list[str] | None:
        """The classes from lowest to highest, if the command is told them."""
        if "--class-order" not in self.options:
            return None
        return self.options[self.options.index("--class-order") + 1].split(",")


def _file(folder: Path, name: str, target: str = "target", drop: tuple[str, ...] = ()):
    frame = pd.read_csv(folder / name)
    dropped = [*(set(NO_FEATURES) - {target}), *drop]
    return frame.drop(columns=[column for column in frame.columns if column in dropped])


def _ordered(frame: pd.DataFrame, target: str = "target") -> Table:
    labels = ",".join(str(label) for label in sorted(frame[target].unique()))
    return Table(frame, target, ("--class-order", labels))


def _wine(folder: Path) -> Table:
    return _ordered(_file(folder, "B_ordinal_relieff/winequality_red.csv"))


def _housing(folder: Path) -> Table:
    return Table(_file(folder, "B_ordinal_relieff/housing.csv", "MEDV", ("target",)), "MEDV")


def _bankruptcy(folder: Path) -> Table:
    return _ordered(_file(folder, "B_ordinal_relieff/bankruptcyrisk.csv"))


def _credit(folder: Path) -> Table:
    return Table(_file(folder, "B_ordinal_relieff/japan_credit_crx.csv"), "target")


def _adult(folder: Path) -> Table:
    return Table(_file(folder, "B_ordinal_relieff/adult.csv.gz"), "target")


def _diabetes(folder: Path) -> Table:
    return Table(load_diabetes(as_frame=True, scaled=False).frame, "target")


def _cancer(folder: Path) -> Table:
    return Table(load_breast_cancer(as_frame=True).frame, "target")


def _digits(folder: Path) -> Table:
    return Table(load_digits(as_frame=True).frame, "target", ("--unordered",))


def _expression(folder: Path) -> Table:
    file = "D_rank_order/leukemia_golub_72x7129.csv.gz"
    return Table(_file(folder, file, drop=("target",)), "target2")


def _survey(folder: Path) -> Table:
    """Answers of the customers of 60 stores; a store pleases more or less, whatever is answered."""
    rng = np.random.default_rng(0)
    store = rng.integers(0, 60, 900)
    mood = rng.normal(scale=0.7, size=60)[store]
    asked = ("staff", "price", "range", "queue", "parking", "opening_hours")
    drawn = np.clip(np.round(3 + rng.normal(size=(6, 900))), 1, 5).astype(int)
    answers = dict(zip(asked, drawn, strict=True))
    pleased = 0.7 * answers["staff"] + 0.5 * answers["price"] - 0.4 * answers["queue"] + mood
    satisfaction = pd.qcut(pleased + rng.normal(scale=0.8, size=900), 5, labels=range(1, 6))
    frame = pd.DataFrame({**answers, "store": store + 1001, "age": rng.integers(18, 80, 900),
                          "region": np.array(["north", "south", "west"])[store % 3],
                          "satisfaction": satisfaction.astype(int)})  # fmt: skip
    return Table(
        frame, "satisfaction", ("--class-order", "1,2,3,4,5", "--groups", "store"), "store"
    )


def _repeated(folder: Path) -> Table:
    """Forty patients of fifteen rows each: values go with the patient, not with the stage."""
    rng = np.random.default_rng(1)
    patient = np.repeat(np.arange(40), 15)
    values = rng.normal(size=(40, 13))[patient] + 0.3 * rng.normal(size=(600, 13))
    frame = pd.DataFrame(values.round(3)).add_prefix("lab_")
    frame.insert(0, "patient", patient + 1)
    frame["stage"] = rng.integers(1, 5, 40)[patient]
    options = ("--class-order", "1,2,3,4", "--groups", "patient")
    return Table(frame, "stage", options, "patient")


def _half_grades(folder: Path) -> Table:
    """Grades in halves, 1.0 to 5.0."""
    X, _ = load_grades()
    progression = load_diabetes().target
    grade = 1 + pd.qcut(progression, 9, labels=False) / 2
    return Table(
        X.assign(grade=grade), "grade", ("--class-order", "1.0,1.5,2.0,2.5,3.0,3.5,4.0,4.5,5.0")
    )


TABLES: dict[str, Callable[[Path], Table]] = {
    "wine red": _wine,
    "housing": _housing,
    "bankruptcy": _bankruptcy,
    "credit, gaps": _credit,
    "adult": _adult,
    "diabetes": _diabetes,
    "breast cancer": _cancer,
    "digits": _digits,
    "expression": _expression,
    "survey, stores": _survey,
    "repeated measures": _repeated,
    "half grades": _half_grades,
}
