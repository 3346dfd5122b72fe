"""Tables and columns of other libraries (polars, pyarrow, DuckDB, ...) as pandas has them."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import pandas as pd


def to_pandas(data: Any) -> Any:
    """A table or column as pandas has it; anything else as it is.

    pyarrow goes its own way: narwhals drops the order of its ordered dictionaries.
    """
    if type(data).__module__.startswith("pyarrow"):
        return data.to_pandas()
    native = nw.from_native(data, pass_through=True, allow_series=True)
    if isinstance(native, nw.LazyFrame):
        return native.collect().to_pandas()
    if isinstance(native, nw.DataFrame):
        return pd.DataFrame({name: _of_narwhals(native[name]) for name in native.columns})
    if isinstance(native, nw.Series):
        return _of_narwhals(native)
    if hasattr(data, "__arrow_c_stream__"):
        return _by_arrow(data)
    return pd.api.interchange.from_dataframe(data) if hasattr(data, "__dataframe__") else data


def _of_narwhals(column: nw.Series) -> pd.Series:
    """A column, without pyarrow, which polars itself would need; an Enum keeps its order."""
    dtype = column.dtype
    if isinstance(dtype, nw.Enum):
        levels = list(dtype.categories)
        return pd.Series(
            pd.Categorical(column.to_list(), levels, ordered=True), name=column.name or None
        )
    plain = dtype.is_numeric() and not isinstance(dtype, nw.Decimal)
    if plain or (dtype == nw.Boolean and not column.is_null().any()):
        return pd.Series(column.to_numpy(), name=column.name or None)
    return pd.Series(column.to_list(), name=column.name or None)


def _by_arrow(data: Any) -> Any:
    """A table of a library that speaks Arrow only."""
    try:
        import pyarrow as pa
    except ImportError:
        raise TypeError(
            f"`X` is a {type(data).__name__}; pass a pandas or polars DataFrame, or install "
            "pyarrow."
        ) from None
    return pa.table(data).to_pandas()
