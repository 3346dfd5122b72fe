"""Data sets to try things on, which need no file: those of ``demo`` and of the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pandas as pd

CULTIVARS = ("Barolo", "Grignolino", "Barbera")
"""Of scikit-learn's wines, which numbers them."""


class Bundled(NamedTuple):
    """A table that is made when it is wanted."""

    text: str
    make: Callable[[], pd.DataFrame]
    target: str
    class_order: tuple[str, ...] = ()


def _diabetes() -> pd.DataFrame:
    from echelon.datasets import load_grades

    X, grade = load_grades()
    X.insert(0, "patient", range(1, len(X) + 1))
    return X.assign(grade=grade)


def _progression() -> pd.DataFrame:
    from sklearn.datasets import load_diabetes

    X, progression = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    return X.assign(progression=progression)


def _wine() -> pd.DataFrame:
    from echelon.datasets import load_wine_quality

    X, quality = load_wine_quality()
    return X.assign(quality=quality)


def _cultivars() -> pd.DataFrame:
    from sklearn.datasets import load_wine

    X, cultivar = load_wine(return_X_y=True, as_frame=True)
    return X.assign(cultivar=cultivar.map(dict(enumerate(CULTIVARS))))


BUNDLED = {
    "wine": Bundled("1,359 red wines, eleven measurements, quality by experts", _wine, "quality"),
    "diabetes": Bundled(
        "442 patients, ten measurements, progression in five ordered grades",
        _diabetes,
        "grade",
        ("mild", "low", "medium", "high", "severe"),
    ),
    "progression": Bundled(
        "the same patients, progression as a number", _progression, "progression"
    ),
    "cultivars": Bundled("178 wines, 13 measurements, three cultivars", _cultivars, "cultivar"),
}
