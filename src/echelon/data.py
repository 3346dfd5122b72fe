"""Data as the user has them, read once: containers, columns of any kind, features as numbers.

Every entry point reads its input here.  ``as_table`` turns the tables of other libraries into
pandas frames, ``kind_of`` is the one definition of what a column holds, ``as_frame`` gives a frame
in which the dtype of every column says its kind, and ``read_columns`` gives features as numbers: a
``Data``, which all methods work on.  The target is read in ``targets``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.utils import check_array

from echelon._core.foreign import to_pandas
from echelon._core.named import nominal_mask, position_of

NUMBER, ORDERED, NOMINAL, INTERVAL = "number", "ordered", "nominal", "interval"
"""What a column holds: numbers, categories with an order, categories without one, intervals."""

_NUMERIC_OBJECTS = {"integer", "floating", "mixed-integer-float", "boolean", "decimal", "empty"}

_NUMBER_AS_TEXT = re.compile(r"\s*[+-]?(?!0\d)(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*")
"""A number, and no code such as 007."""

_ENCODE = "Encode the column, for example with sklearn.preprocessing.OneHotEncoder, or drop it"


@dataclass(frozen=True, eq=False)
class Data:
    """Features as numbers: what every method works on.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_features)
        Numbers, positions of ordered categories, codes of nominal ones; NaN where missing.
    nominal : ndarray of shape (n_features,)
        Mask of the nominal columns.
    names : ndarray of shape (n_features,) or None
        Names of the columns, where the table has some.
    weights : ndarray of shape (n_samples,) or None
        How many rows every row stands for; None: each for itself.
    table : DataFrame or None
        All rows as they were read; ``rows`` are those of them that are meant, None: all.
    known : object or None
        Association of every column with the target in all rows of a larger table, where these are
        a sample of its rows.  Some of these rows, or columns, have none.

    Examples
    --------
    >>> import pandas as pd
    >>> from echelon.data import read_columns
    >>> X = pd.DataFrame({"age": [20, 35, 50], "home": ["own", "rent", "own"]})
    >>> data = read_columns(X)
    >>> data.nominal.tolist(), data.values[:, 1].tolist()
    ([False, True], [0.0, 1.0, 0.0])
    """

    values: np.ndarray
    nominal: np.ndarray
    names: np.ndarray | None
    weights: np.ndarray | None = None
    table: pd.DataFrame | None = None
    rows: np.ndarray | None = None
    known: Any = None

    @property
    def frame(self) -> pd.DataFrame:
        """The columns as they were read, for models and selectors that take frames."""
        if self.table is None:
            return pd.DataFrame(self.values, columns=self.names)
        return self.table if self.rows is None else self.table.iloc[self.rows]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of samples and of features."""
        return self.values.shape[0], self.values.shape[1]

    def __len__(self) -> int:
        return self.values.shape[0]

    def some(self, features: Any) -> Data:
        """Some of the columns, without their names."""
        values, nominal = self.values[:, features], self.nominal[features]
        gone: dict[str, Any] = dict.fromkeys(("names", "table", "rows", "known"))
        return replace(self, values=values, nominal=nominal, **gone)

    def take(self, rows: np.ndarray) -> Data:
        """Some of the rows; codes of nominal columns in the order in which they now appear."""
        values = self.values[rows]
        for j in np.flatnonzero(self.nominal):
            values[:, j] = _codes(pd.Series(values[:, j]), j)
        taken = np.arange(len(self))[rows] if self.rows is None else self.rows[rows]
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, values=values, weights=weights, rows=taken, known=None)

    def position(self, name: Any, parameter: str) -> int:
        """Index of the column of that name."""
        return position_of(name, self.names, parameter)


# ---------------------------------------------------------------------------- kinds of columns


def kind_of(column: pd.Series) -> str | None:
    """What a column holds: "number", "ordered", "nominal" or "interval"; None: none of these.

    Decimals, booleans and numbers held as objects are numbers, and so is text that consists of
    numbers only (codes such as "007" are not).  Other text and unordered categories are nominal.
    Dates, complex numbers and mixtures are none of these.

    Examples
    --------
    >>> import pandas as pd
    >>> from echelon.data import kind_of
    >>> kind_of(pd.Series([1.5, 2.0])), kind_of(pd.Series(["1.5", "2"])), kind_of(pd.Series(["a"]))
    ('number', 'number', 'nominal')
    """
    if not isinstance(column, pd.Series):
        raise TypeError(
            f"`column` must be a pandas Series, got {type(column).__name__}. Pass "
            "pandas.Series(column)."
        )
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return ORDERED if dtype.ordered else NOMINAL
    if isinstance(dtype, pd.IntervalDtype):
        return INTERVAL
    if pd.api.types.is_numeric_dtype(dtype):
        return None if pd.api.types.is_complex_dtype(dtype) else NUMBER
    if str(dtype).startswith("dictionary"):  # pandas categories as Arrow holds them
        return NOMINAL
    held = pd.api.types.infer_dtype(column, skipna=True)
    if held in _NUMERIC_OBJECTS:
        return NUMBER
    if held == "interval":
        return INTERVAL
    if held != "string":
        return None
    return NUMBER if _reads_as_numbers(column) else NOMINAL


def _reads_as_numbers(column: pd.Series) -> bool:
    """Whether every text that is there is a number."""
    texts = column.dropna()
    return len(texts) > 0 and all(_NUMBER_AS_TEXT.fullmatch(text) for text in texts.unique())


def is_nominal(column: pd.Series) -> bool:
    """Whether a column holds categories without an order.

    Examples
    --------
    >>> import pandas as pd
    >>> from echelon.data import is_nominal
    >>> is_nominal(pd.Series(["red", "blue"])), is_nominal(pd.Series([1, 2]))
    (True, False)
    """
    return kind_of(column) == NOMINAL


def is_number(column: pd.Series) -> bool:
    """Whether a column holds numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from echelon.data import is_number
    >>> is_number(pd.Series([1.5, 2.0])), is_number(pd.Series(["red", "blue"]))
    (True, False)
    """
    return kind_of(column) == NUMBER


def nominal_columns(X: pd.DataFrame) -> list[Any]:
    """Names of the columns that hold categories without an order."""
    if of_plain_numbers(X):
        return []
    return [name for name, column in X.items() if is_nominal(column)]


def of_plain_numbers(X: Any) -> bool:
    """Whether every column of a pandas frame holds integers or floats as NumPy has them."""
    return isinstance(X, pd.DataFrame) and all(
        isinstance(dtype, np.dtype) and dtype.kind in "iuf" for dtype in X.dtypes
    )


def holds_intervals(X: Any) -> bool:
    """Whether X is an array of bounds or has interval columns; otherwise it holds points.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.data import holds_intervals
    >>> holds_intervals(np.zeros((5, 3, 2))), holds_intervals(np.zeros((5, 3)))
    (True, False)
    """
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        return (
            not of_plain_numbers(X)
            and hasattr(X, "iloc")
            and any(kind_of(X.iloc[:, j]) == INTERVAL for j in range(X.shape[1]))
        )
    return _n_dimensions(X) >= 3 or of_interval_objects(X)


def _n_dimensions(X: Any) -> int:
    try:
        return int(np.asarray(X).ndim)
    except ValueError:  # rows of several lengths
        return 0


def of_interval_objects(X: Any) -> bool:
    """Whether X is an array of interval objects, as ``DataFrame.to_numpy`` makes."""
    return (
        getattr(X, "ndim", 0) == 2
        and np.asarray(X).dtype.kind == "O"
        and any(isinstance(value, pd.Interval) for value in np.asarray(X)[:, :1].flat)
    )


# ---------------------------------------------------------------------------------- containers


def is_dask(X: Any) -> bool:
    """Whether X is a Dask array or DataFrame."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr")


def names_of(X: Any) -> Any:
    """X, or what of it scikit-learn takes column names from."""
    return X._meta if is_dask(X) and hasattr(X, "columns") else X


def as_table(X: Any, *, dask: bool = False) -> Any:
    """X as an array or a pandas frame, or an error that says what to do.

    Tables of other libraries (polars, pyarrow, DuckDB, ...) become pandas frames; Dask stays as it
    is where it is taken, and so does ``Data``.
    """
    if is_dask(X) and not dask:
        raise TypeError(
            "`X` is a Dask collection, which only AutoSelector and the Relief family with "
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
    if not isinstance(X, pd.DataFrame | pd.Series | np.ndarray | Data) and not is_dask(X):
        X = as_pandas(X)
    names = pd.Index(getattr(X, "columns", []))
    if names.has_duplicates:
        raise ValueError(
            f"Two columns of `X` are named {names[names.duplicated()][0]!r}; rename or drop one."
        )
    return X


def as_pandas(data: Any) -> Any:
    """A table or column of another library as pandas has it; anything else as it is."""
    known = isinstance(data, pd.DataFrame | pd.Series | np.ndarray | list)
    return data if known else to_pandas(data)


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


def as_frame(X: Any) -> pd.DataFrame:
    """Samples as a pandas frame in which dtypes say the kinds: numbers are never objects.

    Ordered categories keep their order, bounds become intervals.
    """
    X = as_table(X)
    if not hasattr(X, "shape"):
        X = np.asarray(X)
    check_shape(X)
    if isinstance(X, pd.DataFrame):
        return _with_plain_dtypes(X)
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
    return _with_plain_dtypes(pd.DataFrame(values))


def _with_plain_dtypes(X: pd.DataFrame) -> pd.DataFrame:
    """The frame, with numbers and intervals that are held as objects or text as what they are.

    Text of which a part looks like numbers becomes categories, so that some of its rows are read
    as all of them are.
    """
    made: dict[int, Any] = {}
    for j, dtype in enumerate(X.dtypes):
        if pd.api.types.is_numeric_dtype(dtype) or isinstance(
            dtype, pd.CategoricalDtype | pd.IntervalDtype
        ):
            continue
        column = X.iloc[:, j]
        kind = kind_of(column)
        if kind == NUMBER:
            made[j] = numbers_of(column, X.columns[j])
        elif kind == INTERVAL:
            made[j] = pd.arrays.IntervalArray(column)
        elif kind == NOMINAL and any(map(_NUMBER_AS_TEXT.fullmatch, column.dropna().unique())):
            made[j] = column.astype("category")
    if not made:
        return X
    columns = [pd.Series(made.get(j, X.iloc[:, j]), index=X.index) for j in range(X.shape[1])]
    return pd.concat(columns, axis=1).set_axis(X.columns, axis=1)


def check_kinds(X: pd.DataFrame) -> None:
    """Refuse columns that hold neither numbers nor categories nor intervals: dates, mixtures."""
    if of_plain_numbers(X):
        return
    for name, column in X.items():
        if kind_of(column) is None:
            raise _no_kind(column, name)


# ---------------------------------------------------------------------------- features as numbers


def read_columns(
    X: Any,
    categorical_features: Any = "from_dtype",
    *,
    allow_nan: bool = True,
    min_samples: int = 2,
) -> Data:
    """Features as numbers, from a DataFrame, an array, or data that were read before.

    Parameters
    ----------
    X : array-like, DataFrame or Data of shape (n_samples, n_features)
        Samples.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Which columns are nominal.  "from_dtype": see ``kind_of``.
    allow_nan : bool, default=True
        Whether values may be missing.
    min_samples : int, default=2
        How many samples there must be.
    """
    if isinstance(X, Data):
        data = X
    else:
        X = as_pandas(X)
        if isinstance(X, np.ma.MaskedArray):
            X = np.ma.filled(X.astype(np.result_type(X.dtype, np.float32)), np.nan)
        read = _read_frame if isinstance(X, pd.DataFrame) else _read_array
        data = Data(*read(X, categorical_features))
    if not allow_nan and np.isnan(data.values).any():
        raise ValueError(
            "Input X contains NaN, and this method takes no missing values. Impute them, or use "
            "ReliefF or OReliefF, which do."
        )
    with np.errstate(invalid="ignore"):  # it sums, and the largest floats add up to no number
        values = check_array(
            data.values,
            dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan" if allow_nan else True,
            ensure_min_samples=min_samples,
            input_name="X",
        )
    return replace(data, values=values)


def read_numbers(
    X: Any, *, allow_nan: bool, reason: str, remedy: str = _ENCODE, min_samples: int = 2
) -> Data:
    """Read X where nominal columns make no sense, for the reason given."""
    data = read_columns(as_table(X), allow_nan=allow_nan, min_samples=min_samples)
    if data.nominal.any() and data.names is not None:
        name = data.names[data.nominal][0]
        raise TypeError(f"Column {name!r} of `X` holds labels, but {reason}. {remedy}.")
    return data


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
    for j, is_label in enumerate(nominal):
        with numbers_that_fit(f"column {j} of X"):
            values[:, j] = _codes(pd.Series(X[:, j]), j) if is_label else X[:, j]
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
    X: pd.DataFrame, categorical_features: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Every column of a frame by its kind."""
    names = np.asarray(X.columns, dtype=object)
    if isinstance(categorical_features, str | None) and of_plain_numbers(X):
        # Thousands of columns one by one would take seconds.
        single = all(dtype == np.float32 for dtype in X.dtypes)
        values = X.to_numpy(dtype=np.float32 if single else np.float64)
        return values, np.zeros(len(names), bool), names
    columns = [X.iloc[:, j] for j in range(len(names))]
    if isinstance(categorical_features, str):
        nominal = np.array([is_nominal(column) for column in columns], bool)
    else:
        nominal = nominal_mask(categorical_features, len(names), names)
    read = [
        _codes(column, name) if is_label else numbers_of(column, name)
        for column, is_label, name in zip(columns, nominal, names, strict=True)
    ]
    numeric = [c.dtype for c, is_label in zip(read, nominal, strict=True) if not is_label]
    single = bool(numeric) and all(dtype == np.float32 for dtype in numeric)
    values = np.empty((len(X), len(names)), np.float32 if single else np.float64)
    for j, column in enumerate(read):
        values[:, j] = column
    return values, nominal, names


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
    kind = kind_of(column)
    if kind == ORDERED:
        return np.where(column.cat.codes < 0, np.nan, column.cat.codes.astype(np.float64))
    if kind != NUMBER:
        raise _no_kind(column, name)
    dtype = np.float32 if column.dtype == np.float32 else np.float64
    with numbers_that_fit(f"column {name!r} of X"):
        return column.to_numpy(dtype=dtype, na_value=np.nan)


def _no_kind(column: pd.Series, name: Any) -> TypeError:
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return TypeError(
            f"Column {name!r} of `X` has dtype {column.dtype}; pass dates as numbers of days, "
            f"as in (X[{name!r}] - X[{name!r}].min()).dt.days, or drop it."
        )
    return TypeError(
        f"Column {name!r} of `X` has dtype {column.dtype}; every value must be a number, or a "
        "string in a column that `categorical_features` says is nominal. Convert the column or "
        "drop it."
    )
