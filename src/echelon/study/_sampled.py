"""A Dask DataFrame as a sample, for a study of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from echelon._core.folds import Rows
from echelon.data import is_dask
from echelon.large import Drawn, Frames, Sample, draw
from echelon.targets import read_target

BESIDE = {"y": "(y)", "groups": "(groups)", "time": "(time)"}
"""Names of columns that are passed beside the table."""


def sample_of(
    X: Any, y: Any, rows: Rows, kind: str, class_order: Any, seed: int
) -> tuple[Sample, Rows]:
    """Samples of a Dask DataFrame, and what is known of the rows of the first one.

    Parameters
    ----------
    X : dask.dataframe.DataFrame
        Features, and perhaps other columns.
    y : object
        Target: Dask series, one value per row, or the name of a column.
    rows : Rows
        Groups and times, given likewise.
    kind : str
        What y is, or "auto".
    class_order : sequence or None
        Classes from lowest to highest.
    seed : int
        Of the draw.
    """
    if not hasattr(X, "columns"):
        raise TypeError(
            "`X` is a Dask array; pass a Dask DataFrame, for example "
            "dask.dataframe.from_dask_array(X, columns=names)."
        )
    if rows.weights is not None:
        raise ValueError(
            "`sample_weight` must be None for a Dask DataFrame, whose samples are drawn without "
            "weights. Pass X.compute() if it fits into memory."
        )
    if not all(isinstance(name, str) for name in X.columns):
        raise TypeError("`X` is a Dask DataFrame whose columns must be named by text. Rename them.")
    given = {"y": y, "groups": rows.groups, "time": rows.time}
    given = {role: values for role, values in given.items() if values is not None}
    names, beside = {}, {}
    for role, values in given.items():
        if isinstance(values, str):
            _check_name(role, values, X)
            names[role] = values
        else:
            names[role] = BESIDE[role]
            beside[BESIDE[role]] = values if hasattr(values, "iloc") or is_dask(values) else (
                np.asarray(values))  # fmt: skip
    drawn = draw(Frames(X, beside), names["y"], [*names.values()], random_state=seed)
    for role, key in names.items():
        if drawn.known.lacking[key]:
            raise ValueError(
                f"`{role}` is missing in {drawn.known.lacking[key]:,} rows. Drop these rows, for "
                "example with X.dropna(subset=[name])."
            )
    column = drawn.frame[names["y"]]
    name = y if isinstance(y, str) else getattr(y, "name", None)
    target = read_target(column.rename(name), kind, class_order)
    features = drawn.frame.drop(columns=[*names.values()])
    return drawn.sample(features, target), _rows_of(drawn, names, given)


def _rows_of(drawn: Drawn, names: dict[str, str], given: dict[str, Any]) -> Rows:
    main = drawn.frame[drawn.part == 0].reset_index(drop=True)
    known = {
        role: main[names[role]].rename(values if isinstance(values, str) else
                                       getattr(values, "name", None))
        for role, values in given.items()
        if role != "y"
    }  # fmt: skip
    return Rows(**known)


def _check_name(role: str, name: str, X: Any) -> None:
    if name not in X.columns:
        raise ValueError(f"`{role}` names the column {name!r}, which X does not have.")
