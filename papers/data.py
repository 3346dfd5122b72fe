"""The papers' data: which file, where it comes from, and small stand-ins for quick runs.

No data set is part of this project.  They are read from a folder that holds one CSV file each (an
empty cell is missing, the class is the column ``target``).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from echelon import as_intervals

NO_FEATURES = ["MEDV", "model", "PRP", "ERP", "part", "sample", "split", "timepoint", "date"]
TARGETS = ["target", "target2"]
ENDS = ((0.0, "_min"), (1.0, "_max"))


class Source(NamedTuple):
    """One data set: its file, number of features and of classes, and where it comes from."""

    file: str
    n_features: int
    n_classes: int
    origin: str
    target: str = "target"

    @property
    def is_interval(self) -> bool:
        """Whether every feature is a pair of columns."""
        return self.file.startswith("E_interval/")


ORCA = "ORCA ordinal benchmark (Gutierrez et al. 2016)"
SOURCES = {
    # paper 000
    "housing": Source("B_ordinal_relieff/housing.csv", 13, 4, "UCI Boston Housing"),
    "pasture": Source("B_ordinal_relieff/pasture22.csv", 22, 3, "OpenML, Weka agricultural data"),
    "cpu": Source("B_ordinal_relieff/cpu.csv", 7, 4, "UCI Computer Hardware"),
    "bankruptcyrisk": Source(
        "B_ordinal_relieff/bankruptcyrisk.csv", 12, 3, "Slowinski and Zopounidis 1995"
    ),
    "australian": Source("B_ordinal_relieff/australian.csv", 14, 2, "UCI Statlog Australian"),
    "japan": Source("B_ordinal_relieff/japan_credit_crx.csv", 15, 2, "UCI Credit Approval"),
    "german": Source("B_ordinal_relieff/german_numeric24.csv", 24, 2, "UCI Statlog German"),
    "winequality": Source("B_ordinal_relieff/winequality_red.csv", 11, 6, "UCI Wine Quality, red"),
    "adult": Source("B_ordinal_relieff/adult.csv.gz", 14, 2, "UCI Adult"),
    "wdbc": Source("B_ordinal_relieff/wdbc.csv", 30, 2, "UCI Breast Cancer Wisconsin"),
    # paper 001
    "german20": Source("C_nsm/german20.csv", 20, 2, "UCI Statlog German"),
    "heart": Source("C_nsm/heart_statlog.csv", 13, 2, "UCI Statlog Heart"),
    "hepatitis": Source("C_nsm/hepatitis.csv", 19, 2, "UCI Hepatitis"),
    "horse": Source("C_nsm/horse_colic.csv", 22, 2, "UCI Horse Colic"),
    "ionosphere": Source("C_nsm/ionosphere.csv", 34, 2, "UCI Ionosphere"),
    "segmentation": Source("C_nsm/segmentation.csv", 19, 7, "UCI Image Segmentation"),
    "wine": Source("C_nsm/wine.csv", 13, 3, "UCI Wine"),
    "lymphoma": Source("C_nsm/lymphoma_alizadeh_96x4026.csv.gz", 4026, 9, "Alizadeh et al. 2000"),
    "lung": Source(
        "C_nsm/lung_bhattacharjee_203x3312.csv.gz", 3312, 5, "Bhattacharjee et al. 2001"
    ),
    # paper 002
    "automobile": Source("A_ordinal_orca/automobile.csv", 71, 6, ORCA),
    "bondrate": Source("A_ordinal_orca/bondrate.csv", 37, 5, ORCA),
    "contact-lenses": Source("A_ordinal_orca/contact-lenses.csv", 6, 3, ORCA),
    "eucalyptus": Source("A_ordinal_orca/eucalyptus.csv", 91, 5, ORCA),
    "newthyroid": Source("A_ordinal_orca/newthyroid.csv", 5, 3, ORCA),
    "pasture25": Source("A_ordinal_orca/pasture.csv", 25, 3, ORCA),
    "squash-stored": Source("A_ordinal_orca/squash-stored.csv", 51, 3, ORCA),
    "squash-unstored": Source("A_ordinal_orca/squash-unstored.csv", 52, 3, ORCA),
    "tae": Source("A_ordinal_orca/tae.csv", 54, 3, ORCA),
    "winequality-red": Source("A_ordinal_orca/winequality-red.csv", 11, 6, ORCA),
    # paper 003
    "delhi": Source(
        "E_interval/delhi_weather_2005_2007.csv", 5, 6, "Weather Underground, Delhi airport"
    ),
    "hongkong": Source(
        "E_interval/hongkong_weather_2005_2007.csv", 5, 6, "Weather Underground, Hong Kong airport"
    ),
    "cars": Source("E_interval/cars_27x4.csv", 4, 4, "R package dataSDA"),
    "car models": Source("E_interval/car_models_33x8.csv", 8, 4, "R package dataSDA"),
    "freshwater fish": Source("E_interval/freshwater_fish_12x13.csv", 13, 4, "R package dataSDA"),
    "fungi": Source("E_interval/fungi_55x5.csv", 5, 3, "kernel clustering for interval data"),
    "water flow": Source("E_interval/water_flow_316x47.csv", 47, 2, "R package dataSDA"),
    # paper 004
    "leukemia": Source("D_rank_order/leukemia_golub_72x7129.csv.gz", 7129, 3, "Golub et al. 1999"),
    "leukemia, 2 classes": Source(
        "D_rank_order/leukemia_golub_72x7129.csv.gz", 7129, 2, "Golub et al. 1999", "target2"
    ),
    "drosophila": Source(
        "D_rank_order/drosophila_arbeitman_67x4028.csv.gz", 4028, 4, "Arbeitman et al. 2002"
    ),
}


@dataclass(frozen=True)
class Data:
    """Where data come from: a folder, or None for small made-up tables of the same kinds."""

    path: Path | None

    @classmethod
    def stand_ins(cls) -> Data:
        """Made-up tables, so that an experiment can be tried without the data."""
        return cls(None)

    @classmethod
    def folder(cls, path: Path | str | None) -> Data:
        """The folder, if it holds every file; otherwise what is missing and where it is from."""
        if path is None:
            raise SystemExit("Pass --data FOLDER or set ECHELON_DATA; --quick needs no data.")
        missing = {s.file: s.origin for s in SOURCES.values() if not (Path(path) / s.file).exists()}
        if missing:
            lines = [f"  {file}  ({origin})" for file, origin in missing.items()]
            raise SystemExit("\n".join([f"`--data` {path} does not hold:", *lines]))
        return cls(Path(path))

    def load(self, name: str) -> tuple[pd.DataFrame, pd.Series]:
        """Features and classes of a data set."""
        source = SOURCES[name]
        frame = _stand_in(source) if self.path is None else pd.read_csv(self.path / source.file)
        y = frame[source.target]
        if source.is_interval:
            return as_intervals(frame), y
        return frame.drop(columns=TARGETS + NO_FEATURES, errors="ignore"), y

    def holdouts(self, name: str) -> np.ndarray:
        """Published test parts of a data set of the ORCA benchmark: a column of 0 and 1 each."""
        if self.path is None:
            return np.empty((len(self.load(name)[1]), 0), int)
        file = SOURCES[name].file.replace(".csv", "_holdouts.csv")
        return pd.read_csv(self.path / file).to_numpy()


def _stand_in(source: Source) -> pd.DataFrame:
    """Ordered classes of ten samples each; half of at most six features rise with the class."""
    rng = np.random.default_rng(len(source.file))
    y = np.repeat(np.arange(1, source.n_classes + 1), 10)
    p = min(source.n_features, 6)
    values = rng.normal(size=(len(y), p)) + np.where(np.arange(p) % 2, 0.0, 1.0) * y[:, None]
    if source.is_interval:
        ends = [pd.DataFrame(values + w).add_prefix("v").add_suffix(end) for w, end in ENDS]
        return pd.concat(ends, axis=1).assign(target=y)
    frame = pd.DataFrame(values, columns=[f"v{f}" for f in range(p)])
    return frame.assign(**{source.target: y})
