"""Features as the user has them, read once: arrays and frames, columns of any kind.

The target is read in ``targets``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.utils import check_array

_NUMERIC_OBJECTS = {"integer", "floating", "mixed-integer-float", "boolean", "decimal", "empty"}

_ENCODE = "Encode the column, for example with sklearn.preprocessing.OneHotEncoder, or drop it"


class Columns(NamedTuple):
    """Features as numbers: values, with codes in nominal columns and NaN where missing."""

    values: np.ndarray
    nominal: np.ndarray
    names: np.ndarray | None
    weights: np.ndarray | None = None
    """How many rows every row stands for; None: each for itself."""

    def some(self, features: Any) -> Columns:
        """Some of the columns, without their names."""
        return self._replace(
            values=self.values[:, features], nominal=self.nominal[features], names=None
        )

    def position(self, name: Any, parameter: str) -> int:
        """Index of the column of that name."""
        if self.names is None:
            raise ValueError(
                f"`{parameter}` names the column {name!r}, but X has no column names. "
                "Pass a DataFrame, or give one entry per column."
            )
        names = self.names.tolist()
        if name not in names:
            raise ValueError(f"`{parameter}` names the column {name!r}, which X does not have.")
        return names.index(name)


# --------------------------------------------------------------------------- features


def is_dask(X: Any) -> bool:
    """Whether X is a Dask array or DataFrame."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr")


def names_of(X: Any) -> Any:
    """X, or what of it scikit-learn takes column names from."""
    return X._meta if is_dask(X) and hasattr(X, "columns") else X


def as_table(X: Any, *, dask: bool = False) -> Any:
    """X in a container that is read here, or what to do with one that is no clear table.

    Tables of other libraries (pyarrow, DuckDB, ...) become pandas frames; NumPy arrays, pandas,
    polars and, where it is taken, Dask stay as they are.
    """
    if is_dask(X) and not dask:
        raise TypeError(
            "`X` is a Dask collection, which only selectors of the Relief family with "
            'engine="dask" take; pass X.compute() if it fits into memory.'
        )
    if sparse.issparse(X):
        raise TypeError("Sparse `X` is not supported; convert it with X.toarray().")
    if isinstance(X, dict):
        raise TypeError("`X` is a dict; pass a table, for example pandas.DataFrame(X).")
    if type(X).__name__ == "LazyFrame":
        raise TypeError("`X` is a LazyFrame; pass X.collect().")
    if getattr(getattr(X, "dtype", None), "kind", "f") in "mM":
        raise TypeError(f"`X` has dtype {X.dtype}; convert dates and times to numbers first.")
    X = to_pandas(X) if _is_foreign_table(X) else X
    names = pd.Index(getattr(X, "columns", []))
    if names.has_duplicates:
        raise ValueError(
            f"Two columns of `X` are named {names[names.duplicated()][0]!r}; rename or drop one."
        )
    return X


def _is_foreign_table(X: Any) -> bool:
    """Whether X is a table by a protocol of frames, and none of pandas, polars or Dask."""
    if isinstance(X, pd.DataFrame | pd.Series) or hasattr(X, "clone") or is_dask(X):
        return False
    streams = hasattr(X, "__arrow_c_stream__") and hasattr(X, "columns")
    return streams or hasattr(X, "__dataframe__")


def to_pandas(data: Any) -> Any:
    """A table or column of another library, by its own method or by a protocol of frames."""
    if hasattr(data, "to_pandas"):
        return data.to_pandas()
    if hasattr(data, "__arrow_c_stream__"):
        try:
            import pyarrow as pa
        except ImportError:
            raise TypeError(
                f"`X` is a {type(data).__name__}; pass a pandas or polars DataFrame, or install "
                "pyarrow."
            ) from None
        return pa.table(data).to_pandas()
    return pd.api.interchange.from_dataframe(data)


def check_shape(X: Any) -> None:
    """Refuse what has no rows, or no columns."""
    if len(X.shape) < 2:
        raise ValueError(
            f"`X` must have rows and columns, got shape {X.shape}. Reshape your data: "
            "X.reshape(-1, 1) for one feature, X.reshape(1, -1) for one sample."
        )
    for n, what in zip(X.shape, ("sample(s)", "feature(s)"), strict=False):
        if n == 0:
            raise ValueError(
                f"`X` has 0 {what} (shape={X.shape}) while a minimum of 1 is required."
            )


def is_interval_column(column: pd.Series) -> bool:
    """Whether a column holds intervals, by its dtype or as objects."""
    if isinstance(column.dtype, pd.IntervalDtype):
        return True
    if not pd.api.types.is_object_dtype(column.dtype):
        return False
    return pd.api.types.infer_dtype(column, skipna=True) == "interval"


def as_frame(X: Any) -> pd.DataFrame:
    """Samples as a pandas frame: ordered labels keep their order, bounds become intervals."""
    X = as_table(X)
    if not hasattr(X, "shape"):
        X = np.asarray(X)
    check_shape(X)
    if isinstance(X, pd.DataFrame):
        return X
    if hasattr(X, "clone") and hasattr(X, "columns"):
        return pd.DataFrame({name: as_pandas(X[name]) for name in X.columns})
    values = np.asarray(X)
    if values.ndim == 3 and values.shape[2] == 2:
        make = pd.arrays.IntervalArray.from_arrays
        bounds = [make(low, high, closed="both") for low, high in values.transpose(1, 2, 0)]
        return pd.DataFrame(dict(enumerate(bounds)))
    if values.ndim > 2:
        raise ValueError(
            f"`X` must have rows and columns, got shape {values.shape}. Pass a table of samples, "
            "or bounds of intervals of shape (n_samples, n_features, 2)."
        )
    return pd.DataFrame(values)


def read_columns(
    X: Any, categorical_features: Any, *, allow_nan: bool, min_samples: int = 2
) -> Columns:
    """Read X: a DataFrame or an array, numeric or with nominal columns.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
    categorical_features : "from_dtype", None, mask, indices or names
        Which columns are nominal.  "from_dtype": string and unordered categorical ones.
    allow_nan : bool
        Whether values may be missing.
    min_samples : int
        How many samples there must be.
    """
    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(np.result_type(X.dtype, np.float32)), np.nan)
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        values, nominal, names = _read_frame(X, categorical_features)
    else:
        values, nominal, names = _read_array(X, categorical_features)
    if not allow_nan and np.isnan(values).any():
        raise ValueError(
            "Input X contains NaN, and this method takes no missing values. Impute them, or use "
            "ReliefF or OReliefF, which do."
        )
    with np.errstate(invalid="ignore"):  # it sums, and the largest floats add up to no number
        values = check_array(
            values,
            dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan" if allow_nan else True,
            ensure_min_samples=min_samples,
            input_name="X",
        )
    return Columns(values, nominal, names)


def read_numbers(
    X: Any, *, allow_nan: bool, reason: str, remedy: str = _ENCODE, min_samples: int = 2
) -> Columns:
    """Read X where nominal columns make no sense, for the reason given."""
    X = as_table(X)
    columns = read_columns(X, "from_dtype", allow_nan=allow_nan, min_samples=min_samples)
    if columns.nominal.any() and columns.names is not None:
        name = columns.names[columns.nominal][0]
        raise TypeError(f"Column {name!r} of `X` holds labels, but {reason}. {remedy}.")
    return columns


def _read_array(X: Any, categorical_features: Any) -> tuple[Any, np.ndarray, np.ndarray | None]:
    """An array is numeric but for the columns said to be nominal."""
    X = _with_gaps(X)
    if isinstance(categorical_features, str) or categorical_features is None:
        with numbers_that_fit("X"):
            X = check_array(X, dtype=[np.float64, np.float32], ensure_all_finite=False)
        return X, np.zeros(X.shape[1], bool), None
    X = check_array(X, dtype=None, ensure_all_finite=False)
    nominal = nominal_mask(categorical_features, X.shape[1], None)
    values = np.empty(X.shape, np.float32 if X.dtype == np.float32 else np.float64)
    for j, is_nominal in enumerate(nominal):
        with numbers_that_fit(f"column {j} of X"):
            values[:, j] = _codes(pd.Series(X[:, j]), j) if is_nominal else X[:, j]
    return values, nominal, None


def _with_gaps(X: Any) -> Any:
    """Objects of an array with NaN for whatever means missing: None, NA, NaT."""
    if getattr(X, "ndim", 0) != 2 or X.dtype.kind != "O":
        return X
    return np.where(pd.isna(X), np.nan, X)


@contextmanager
def numbers_that_fit(what: str) -> Iterator[None]:
    """Say so where a number is beyond what a float can hold."""
    try:
        yield
    except OverflowError as error:
        raise ValueError(
            f"Input {what} contains numbers too large for a float. Rescale it."
        ) from error


def _read_frame(
    X: Any, categorical_features: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Every column of a pandas or polars frame by its kind."""
    names = np.asarray(X.columns, dtype=object)
    if isinstance(categorical_features, str | None) and of_plain_numbers(X):
        # Thousands of columns one by one would take seconds.
        single = all(dtype == np.float32 for dtype in X.dtypes)
        values = X.to_numpy(dtype=np.float32 if single else np.float64)
        return values, np.zeros(len(names), bool), names
    series = [as_pandas(X[name]) if hasattr(X, "clone") else X.iloc[:, j]
              for j, name in enumerate(names)]  # fmt: skip
    if isinstance(categorical_features, str):
        nominal = np.array([looks_nominal(column) for column in series], bool)
    else:
        nominal = nominal_mask(categorical_features, len(names), names)
    columns = [
        _codes(column, name) if is_nominal else numbers_of(column, name)
        for column, is_nominal, name in zip(series, nominal, names, strict=True)
    ]
    numeric = [c.dtype for c, is_nominal in zip(columns, nominal, strict=True) if not is_nominal]
    single = bool(numeric) and all(dtype == np.float32 for dtype in numeric)
    values = np.empty((len(X), len(names)), np.float32 if single else np.float64)
    for j, column in enumerate(columns):
        values[:, j] = column
    return values, nominal, names


def of_plain_numbers(X: Any) -> bool:
    """Whether every column of a pandas frame holds integers or floats as NumPy has them."""
    return isinstance(X, pd.DataFrame) and all(
        isinstance(dtype, np.dtype) and dtype.kind in "iuf" for dtype in X.dtypes
    )


def as_pandas(column: Any) -> pd.Series:
    """A polars column as pandas; an Enum has an order, a Categorical has none."""
    kind = str(column.dtype)
    if kind.startswith("Enum"):
        order = column.dtype.categories.to_list()
        return pd.Series(pd.Categorical(column.to_list(), order, ordered=True))
    if column.dtype.is_numeric() or kind == "Boolean":
        return pd.Series(column.to_numpy())
    return pd.Series(column.to_list())


def looks_nominal(column: pd.Series) -> bool:
    """Whether a column holds labels without an order, by its dtype."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return not column.dtype.ordered
    if pd.api.types.is_object_dtype(column.dtype):
        return pd.api.types.infer_dtype(column, skipna=True) == "string"
    return pd.api.types.is_string_dtype(column.dtype)


def _codes(column: pd.Series, name: Any) -> np.ndarray:
    """Nominal values as codes 0, 1, ..., NaN where missing."""
    try:
        codes = pd.factorize(column)[0].astype(np.float64)
    except TypeError as error:
        raise TypeError(
            f"Column {name!r} of `X` is nominal, but holds values that are no labels ({error}). "
            "Convert the column or drop it."
        ) from error
    codes[codes < 0] = np.nan
    return codes


def numbers_of(column: pd.Series, name: Any) -> np.ndarray:
    """A numeric column, or an ordered one as the positions of its categories."""
    if isinstance(column.dtype, pd.CategoricalDtype) and column.dtype.ordered:
        return np.where(column.cat.codes < 0, np.nan, column.cat.codes.astype(np.float64))
    kind = column.dtype
    if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_complex_dtype(kind):
        dtype = np.float32 if kind == np.float32 else np.float64
        return column.to_numpy(dtype=dtype, na_value=np.nan)
    if pd.api.types.infer_dtype(column, skipna=True) in _NUMERIC_OBJECTS:
        with numbers_that_fit(f"column {name!r} of X"):
            return column.to_numpy(dtype=np.float64, na_value=np.nan)
    raise TypeError(
        f"Column {name!r} of `X` has dtype {kind}; every value must be a number, or a string in a "
        "column that `categorical_features` says is nominal. Convert the column or drop it."
    )


def nominal_mask(wanted: Any, n_features: int, names: np.ndarray | None) -> np.ndarray:
    """A mask of the nominal columns, none if None."""
    if wanted is None:
        return np.zeros(n_features, bool)
    return feature_mask(wanted, n_features, names, "categorical_features", repeated=True)


def feature_mask(
    wanted: Any,
    n_features: int,
    names: np.ndarray | None,
    parameter: str,
    *,
    repeated: bool = False,
) -> np.ndarray:
    """A mask from a mask, column indices or column names, each once unless ``repeated``."""
    mask = np.zeros(n_features, bool)
    wanted = wanted.tolist() if hasattr(wanted, "tolist") else list(wanted)
    if wanted and all(isinstance(entry, bool | np.bool_) for entry in wanted):
        if len(wanted) != n_features:
            raise ValueError(
                f"`{parameter}` must have one entry per column, got {len(wanted)} "
                f"for {n_features} columns."
            )
        return np.array(wanted, dtype=bool)
    columns = Columns(np.empty((0, n_features)), mask, names)
    for entry in wanted:
        column = _column_of(entry, columns, parameter)
        if mask[column] and not repeated:
            raise ValueError(f"`{parameter}` has column {entry!r} twice. Name it once.")
        mask[column] = True
    return mask


def _column_of(entry: Any, columns: Columns, parameter: str) -> int:
    """The column that a name or an index stands for."""
    n_features = len(columns.nominal)
    named = columns.names is not None and entry in columns.names.tolist()
    if named or not isinstance(entry, Integral):
        return columns.position(entry, parameter)
    if not 0 <= int(entry) < n_features:
        raise ValueError(
            f"`{parameter}` must hold column indices from 0 to {n_features - 1}, got {entry}."
        )
    return int(entry)
