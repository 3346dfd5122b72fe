"""Cells as one frame, and the figures made of it, with intervals over data sets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks.ordered.judges import MODELS
from benchmarks.ordered.rankers import REFERENCE

KEYS = ["data", "noise", "seed", "fold"]
KEPT = [f"kept, {model}" for model in MODELS]
SMALL = 1e-9
"""Added to both errors of a ratio: no error at all is as good as another."""


def read(folder: Path) -> pd.DataFrame:
    """One row for every cell: errors (mean along the curve), ROC area, seconds, the kept set."""
    rows = [row for file in sorted(folder.glob("*/*.json")) for row in _rows(file)]
    columns = ["method", *KEYS, "skipped", "seconds", "area", "three", *MODELS, *KEPT]
    return pd.DataFrame(rows, columns=[*columns, "n_kept", "n_real"])


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    name, _, seed = file.stem.rpartition("-")
    data = name.removesuffix("+noise")
    unit = {"method": file.parent.name, "data": data, "noise": data != name, "seed": int(seed)}
    for fold, cell in json.loads(file.read_text())["cells"].items():
        yield {**unit, "fold": int(fold), **_figures(cell)}


def _figures(cell: dict[str, Any]) -> dict[str, Any]:
    """The numbers of one cell; the curve of a reference is its one error."""
    if "skipped" in cell:
        return {"skipped": cell["skipped"]}
    curve = list(cell["errors"].values()) or [cell["kept errors"]]
    found = {"seconds": cell["seconds"], "area": cell.get("area", np.nan)}
    found["three"] = curve[: min(3, len(curve))][-1][0]  # sizes begin 1, 2, 3
    found |= dict(zip(MODELS, np.mean(curve, axis=0), strict=True))
    if cell["kept"] is not None:
        found |= dict(zip(KEPT, cell["kept errors"], strict=True))
        found |= {"n_kept": len(cell["kept"]), "n_real": cell["kept real"]}
    return found


def finished(
    frame: pd.DataFrame, keys: Sequence[str] = ("method", "data", "noise")
) -> pd.DataFrame:
    """Cells of the methods that were skipped nowhere on a version of a set."""
    skipped = frame.groupby(list(keys)).skipped.transform(lambda reasons: reasons.notna().any())
    return frame[~skipped.astype(bool)]


def ratios(
    frame: pd.DataFrame,
    reference: str,
    columns: Sequence[str] = MODELS,
    keys: Sequence[str] = KEYS,
) -> pd.DataFrame:
    """Errors of every method (columns) on every set (rows), relative to those of one of them.

    Means over the seeds and folds both have, divided; then the mean over the models.
    """
    index, below = list(keys), [f"{name} below" for name in columns]
    base = frame[frame.method == reference].set_index(index)[list(columns)].add_suffix(" below")
    both = frame.set_index(index).join(base, how="inner")
    means = both.groupby(["data", "method"])[[*columns, *below]].mean()
    over, under = means[list(columns)].to_numpy(), means[below].to_numpy()
    means["ratio"] = ((over + SMALL) / (under + SMALL)).mean(axis=1)
    return means.pivot_table("ratio", index="data", columns="method")


def relative_errors(
    frame: pd.DataFrame, *, noise: bool, reference: str = REFERENCE
) -> pd.DataFrame:
    """Errors along the curve, relative to one ranking; skipped pairs are missing."""
    return ratios(finished(frame[frame.noise == noise]), reference)


def by_set(frame: pd.DataFrame, column: str, *, noise: bool) -> pd.DataFrame:
    """Means of one column for every method (columns) on every set (rows)."""
    part = finished(frame[frame.noise == noise])
    return part.pivot_table(column, index="data", columns="method")


class Interval(NamedTuple):
    """A mean over data sets, with a 95 % interval from resampled sets."""

    mean: float
    low: float
    high: float

    @classmethod
    def over(cls, values: Sequence[float] | pd.Series, draws: int = 4000) -> Interval:
        """The percentile bootstrap; the sets drawn are the same for all methods."""
        known = np.asarray(values, float)
        known = known[~np.isnan(known)]
        if not len(known):
            return cls(np.nan, np.nan, np.nan)
        drawn = np.random.default_rng(0).integers(len(known), size=(draws, len(known)))
        low, high = np.quantile(known[drawn].mean(axis=1), [0.025, 0.975])
        return cls(float(known.mean()), float(low), float(high))

    def __str__(self) -> str:
        if np.isnan(self.mean):
            return "-"
        return f"{self.mean:.3f} ({self.low:.3f} to {self.high:.3f})"


def corrected_gain(gains: np.ndarray, n_folds: int) -> float:
    """A mean over folds in standard errors, corrected for shared training samples.

    s^2 (1 / folds + test / training samples), Nadeau and Bengio 2003.
    """
    error = gains.std(ddof=1) * np.sqrt(1 / len(gains) + 1 / (n_folds - 1))
    return float(gains.mean() / error) if error > 0 else float(np.sign(gains.mean()) * np.inf)
