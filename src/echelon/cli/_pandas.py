"""How a script reads the file of a study: by pandas where that gives the same, else by echelon."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from echelon._core.files import expanded
from echelon.cli.files import MISSING, Reading, Table
from echelon.study import Reader

OURS = {"echelon.cli.files": {"Reading", "read_table"}}


def reader_for(source: str, table: Table, how: Reading, needed: list[str]) -> Reader:
    """The lines that read a file.

    Parameters
    ----------
    source : str
        Path of the file, or ``-``.
    table : Table
        The table as it was read.
    how : Reading
        How it was asked to be read.
    needed : list of str
        The columns that the script uses.
    """
    if source != "-":
        for call in _calls(table):
            if _gives(call, source, table.frame, needed):
                return Reader([f"table = pd.{_written(call)}"], {}, table.frame)
    settings = {key: value for key, value in how._asdict().items() if value}
    arguments = ", ".join(f"{key}={value!r}" for key, value in settings.items())
    return Reader([f"table = read_table(FILE, Reading({arguments})).frame"], OURS, table.frame)


def _calls(table: Table) -> list[tuple[str, dict[str, Any]]]:
    """What might read the file with pandas, the shortest first."""
    found = table.found
    if found.get("format") == "parquet":
        return [("read_parquet", {})]
    if found.get("format") == "feather":
        return [("read_feather", {})]
    if found.get("format") != "csv":
        return []
    plain: dict[str, Any] = {}
    if found["delimiter"] != ",":
        plain["sep"] = found["delimiter"]
    if found["encoding"] != "utf-8":
        plain["encoding"] = found["encoding"]
    decimal = {"decimal": ","} if found["decimal"] == "," else {}
    exact = {"keep_default_na": False, "na_values": list(MISSING), "skipinitialspace": True}
    return [("read_csv", {**plain, **decimal, **more}) for more in ({}, exact)]


def _written(call: tuple[str, dict[str, Any]]) -> str:
    function, options = call
    given = ", ".join(["FILE", *(f"{key}={value!r}" for key, value in options.items())])
    return f"{function}({given})"


def _gives(
    call: tuple[str, dict[str, Any]], source: str, frame: pd.DataFrame, needed: list[str]
) -> bool:
    """Whether pandas reads the columns that are needed as they were read."""
    function, options = call
    try:
        found = getattr(pd, function)(expanded(source), **options)
        return list(found.columns.map(str)) == list(frame.columns) and all(
            _same(found[name], frame[name]) for name in needed
        )
    except Exception:  # whatever pandas makes of it: the other reader is there
        return False


def _same(one: pd.Series, other: pd.Series) -> bool:
    """Whether two columns hold the same values, kinds and missing values."""
    if len(one) != len(other) or not one.isna().equals(other.isna()):
        return False
    if pd.api.types.is_numeric_dtype(other.dtype) != pd.api.types.is_numeric_dtype(one.dtype):
        return False
    if other.dtype.kind in "mM" or isinstance(other.dtype, pd.CategoricalDtype):
        return bool(one.dtype == other.dtype) and bool((one.dropna() == other.dropna()).all())
    known = other.notna().to_numpy()
    pairs = (np.asarray(each[known], dtype=object) for each in (one, other))
    return all(type(a) is type(b) and a == b for a, b in zip(*pairs, strict=True))
