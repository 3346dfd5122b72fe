"""``Selection``: which columns of which table, saved as JSON and applied to later data."""

from __future__ import annotations

import difflib
import json
import warnings
from os import PathLike
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd

from echelon._core.files import check_writable, expanded, write_whole
from echelon._core.words import counted, listed, with_error
from echelon.data import as_table
from echelon.selection._columns import Drift, check_kind, drift_in_words, drift_of
from echelon.selection._schema import Column, Saved, checked, loads


class Selection:
    """A selection that can be saved as JSON and applied to later data.

    Made by ``AutoSelector.to_json`` and by ``echelon rank --save``.  It holds a description of the
    data, the ranking, the scores and the settings, but no rows and no fitted model.

    Parameters
    ----------
    saved : dict
        Plain values with the keys of ``echelon.selection.Saved``; they are checked.

    Attributes
    ----------
    features_ : list of str
        The selected features, best first.
    columns_ : list of str
        The columns that ``transform`` returns, in the order of the table they were selected from.
    target_ : str
        Name of the target.

    See Also
    --------
    echelon.AutoSelector : Selects features.

    Notes
    -----
    A selection is data.  Reading one imports nothing and runs nothing, whoever wrote it.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from echelon import AutoSelector, Selection
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> saved = AutoSelector(n_features_to_select=3, cv=3, random_state=0).fit(X, y).to_json()
    >>> selection = Selection.from_json(saved)
    >>> selection.transform(X.head()).columns.tolist() == selection.columns_
    True
    >>> len(selection.features_)
    3
    """

    def __init__(self, saved: Saved):
        self._saved = checked(json.loads(json.dumps(saved, allow_nan=False)))
        ranked = [column for column in self._chosen() if column["rank"] is not None]
        self.features_ = [c["name"] for c in sorted(ranked, key=lambda column: column["rank"] or 0)]
        self.columns_ = [name for column in self._chosen() for name in _held_in(column)]
        self.target_ = self._saved["target"]["name"]

    @classmethod
    def from_json(cls, text: str | bytes) -> Selection:
        """Read a selection, and check that it is one.

        Parameters
        ----------
        text : str or bytes
            What ``to_json`` returned.

        Returns
        -------
        selection : Selection
            The selection.
        """
        return cls(loads(text))

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Selection:
        """Read a selection from a file.

        Parameters
        ----------
        path : str or path
            A JSON file.

        Returns
        -------
        selection : Selection
            The selection.
        """
        return cls.from_json(expanded(str(path)).read_bytes())

    def to_json(self) -> str:
        """The selection as JSON."""
        return json.dumps(self._saved, ensure_ascii=False, allow_nan=False, indent=1) + "\n"

    def to_dict(self) -> Saved:
        """The selection as plain values, a copy."""
        return cast(Saved, json.loads(self.to_json()))

    def write(self, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the selection to a JSON file, whole or not at all.

        Parameters
        ----------
        path : str or path
            A file whose name ends in ``.json``.
        overwrite : bool, default=False
            Whether an existing file may be replaced.

        Returns
        -------
        path : Path
            The file.
        """
        if Path(path).suffix.lower() != ".json":
            raise ValueError(f"`path` must end in .json, got {str(path)!r}. Rename it.")
        check_writable(Path(path), overwrite=overwrite)
        return write_whole(Path(path), self.to_json(), overwrite=overwrite)

    def transform(self, X: Any) -> Any:
        """The selected columns of a table, with their values as they are.

        A column that is missing, or that holds something else than it did, is an error; values
        outside what was seen are a warning.

        Parameters
        ----------
        X : DataFrame or array of shape (n_samples, n_columns)
            A table with the selected columns, among others; of an array, all columns that were
            ranked, in their order.

        Returns
        -------
        reduced : DataFrame or array of shape (n_samples, n_selected)
            The columns of ``columns_``.
        """
        table = as_table(X)
        frame = self._framed(table)
        self._check_columns(frame)
        found = self._compared(frame)
        if found:
            warnings.warn(drift_in_words(found), UserWarning, stacklevel=2)
        if isinstance(table, pd.DataFrame):
            return table[self.columns_]
        return np.asarray(table)[:, frame.columns.get_indexer(pd.Index(self.columns_))]

    def drift(self, X: Any) -> pd.DataFrame:
        """What the selected columns of a table hold that was not seen.

        Parameters
        ----------
        X : DataFrame or array of shape (n_samples, n_columns)
            A table as ``transform`` takes it.

        Returns
        -------
        drift : DataFrame
            One row per difference: ``column``, ``change`` in words, and the number and share of
            ``rows`` that it is about.
        """
        frame = self._framed(as_table(X))
        self._check_columns(frame)
        return pd.DataFrame(self._compared(frame), columns=list(Drift._fields))

    def _chosen(self) -> list[Column]:
        return [column for column in self._saved["columns"] if column["selected"]]

    def _framed(self, table: Any) -> pd.DataFrame:
        """The table with names; those of an array are its positions among what was ranked."""
        if isinstance(table, pd.DataFrame):
            names = [str(name) for name in table.columns]
            if len(set(names)) < len(names):
                raise ValueError("Two columns of `X` have the same name as text. Rename one.")
            return table.set_axis(names, axis=1)
        values = np.asarray(table)
        names = [name for column in self._saved["columns"] for name in _held_in(column)]
        if values.ndim != 2 or values.shape[1] != len(names):
            raise ValueError(
                f"`X` must have the {len(names)} columns that the features were selected from, got "
                f"shape {values.shape}. Pass a DataFrame to find them by name."
            )
        return pd.DataFrame(values, columns=names).infer_objects()

    def _check_columns(self, frame: pd.DataFrame) -> None:
        lacking = [name for name in self.columns_ if name not in frame.columns]
        if lacking:
            close = difflib.get_close_matches(lacking[0], frame.columns, n=1)
            hint = f" Is {lacking[0]!r} now {close[0]!r}?" if close else ""
            raise ValueError(
                f"The table lacks {listed(map(repr, lacking))}, {len(lacking)} of "
                f"{counted(len(self.columns_), 'selected column')}.{hint}"
            )

    def _compared(self, frame: pd.DataFrame) -> list[Drift]:
        """The differences of all selected columns, whose kinds are checked first."""
        found = []
        for seen in self._chosen():
            for name in _held_in(seen):
                check_kind(frame[name], _as_held(seen, name))
            for name in _held_in(seen):
                found += drift_of(frame[name], _as_held(seen, name))
        return found

    def __repr__(self) -> str:
        saved, scores = self._saved, self._saved["scores"]
        reached = with_error(scores["held_out"]["mean"], scores["held_out"]["standard_error"])
        ranked = sum(column["rank"] is not None for column in saved["columns"])
        return (
            f"Selection({len(self.features_)} of {counted(ranked, 'feature')} for "
            f"{self.target_!r}: {listed(self.features_)}; {scores['metric']} {reached})"
        )


def _held_in(column: Column) -> list[str]:
    """The columns of the table that hold a feature: itself, or the bounds of its intervals."""
    return column.get("bounds") or [column["name"]]


def _as_held(column: Column, name: str) -> Column:
    """What was seen of one column of the table."""
    if "bounds" not in column:
        return column
    return cast(Column, {**column, "name": name, "kind": "number"})
