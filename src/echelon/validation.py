"""User input, read once: feature columns of any kind, and targets with or without an order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

_NUMERIC_OBJECTS = {"integer", "floating", "mixed-integer-float", "boolean", "decimal", "empty"}


class Columns(NamedTuple):
    """Features as numbers: values, with codes in nominal columns and NaN where missing."""

    values: np.ndarray
    nominal: np.ndarray
    names: np.ndarray | None

    def position(self, name: Any, parameter: str) -> int:
        """Index of the column of that name."""
        if self.names is None:
            raise ValueError(
                f"`{parameter}` names the column {name!r}, but X has no column names. "
                "Pass a DataFrame, or give one entry per column."
            )
        if name not in self.names:
            raise ValueError(f"`{parameter}` names the column {name!r}, which X does not have.")
        return int(np.flatnonzero(self.names == name)[0])


# --------------------------------------------------------------------------- features


def check_column_names(X: Any) -> None:
    """Refuse a frame in which two columns share a name."""
    names = pd.Index(getattr(X, "columns", []))
    if names.has_duplicates:
        raise ValueError(
            f"Two columns of `X` are named {names[names.duplicated()][0]!r}; rename or drop one."
        )


def read_columns(X: Any, categorical_features: Any, *, allow_nan: bool) -> Columns:
    """Read X: a DataFrame or an array, numeric or with nominal columns.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
    categorical_features : "from_dtype", None, mask, indices or names
        Which columns are nominal.  "from_dtype": string and unordered categorical ones.
    allow_nan : bool
        Whether values may be missing.
    """
    if sparse.issparse(X):
        raise TypeError("Sparse `X` is not supported; convert it with X.toarray().")
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        values, nominal, names = _read_frame(X, categorical_features)
    else:
        values, nominal, names = _read_array(X, categorical_features)
    values = check_array(
        values,
        dtype=[np.float64, np.float32],
        ensure_all_finite="allow-nan" if allow_nan else True,
        ensure_min_samples=2,
        input_name="X",
    )
    return Columns(values, nominal, names)


def _read_array(X: Any, categorical_features: Any) -> tuple[Any, np.ndarray, np.ndarray | None]:
    """An array is numeric but for the columns said to be nominal."""
    if isinstance(categorical_features, str) or categorical_features is None:
        X = check_array(X, dtype=[np.float64, np.float32], ensure_all_finite=False)
        return X, np.zeros(X.shape[1], bool), None
    X = check_array(X, dtype=None, ensure_all_finite=False)
    nominal = _nominal_mask(categorical_features, X.shape[1], None)
    frame = pd.DataFrame(X)
    columns = [_codes(frame[j]) if nominal[j] else frame[j] for j in range(X.shape[1])]
    return np.column_stack(columns), nominal, None


def _read_frame(
    X: Any, categorical_features: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Every column of a pandas or polars frame by its kind."""
    names = np.asarray(X.columns, dtype=object)
    series = [_as_pandas(X[name]) if hasattr(X, "clone") else X.iloc[:, j]
              for j, name in enumerate(names)]  # fmt: skip
    if isinstance(categorical_features, str):
        nominal = np.array([_looks_nominal(column) for column in series], bool)
    else:
        nominal = _nominal_mask(categorical_features, len(names), names)
    columns = [
        _codes(column) if is_nominal else _numbers(column, name)
        for column, is_nominal, name in zip(series, nominal, names, strict=True)
    ]
    numeric = [c.dtype for c, is_nominal in zip(columns, nominal, strict=True) if not is_nominal]
    single = bool(numeric) and all(dtype == np.float32 for dtype in numeric)
    values = np.empty((len(X), len(names)), np.float32 if single else np.float64)
    for j, column in enumerate(columns):
        values[:, j] = column
    return values, nominal, names


def _as_pandas(column: Any) -> pd.Series:
    """A polars column as pandas; an Enum has an order, a Categorical has none."""
    kind = str(column.dtype)
    if kind.startswith("Enum"):
        order = column.dtype.categories.to_list()
        return pd.Series(pd.Categorical(column.to_list(), order, ordered=True))
    if column.dtype.is_numeric() or kind == "Boolean":
        return pd.Series(column.to_numpy())
    return pd.Series(column.to_list())


def _looks_nominal(column: pd.Series) -> bool:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return not column.dtype.ordered
    if pd.api.types.is_object_dtype(column.dtype):
        return pd.api.types.infer_dtype(column, skipna=True) == "string"
    return pd.api.types.is_string_dtype(column.dtype)


def _codes(column: pd.Series) -> np.ndarray:
    """Nominal values as codes 0, 1, ..., NaN where missing."""
    codes = pd.factorize(column)[0].astype(np.float64)
    codes[codes < 0] = np.nan
    return codes


def _numbers(column: pd.Series, name: Any) -> np.ndarray:
    """A numeric column, or an ordered one as the positions of its categories."""
    if isinstance(column.dtype, pd.CategoricalDtype) and column.dtype.ordered:
        return np.where(column.cat.codes < 0, np.nan, column.cat.codes.astype(np.float64))
    kind = column.dtype
    if pd.api.types.is_numeric_dtype(kind):
        dtype = np.float32 if kind == np.float32 else np.float64
        return column.to_numpy(dtype=dtype, na_value=np.nan)
    if pd.api.types.infer_dtype(column, skipna=True) in _NUMERIC_OBJECTS:
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    raise TypeError(
        f"Column {name!r} of `X` has dtype {kind}; its values must be a number or a string, the "
        "latter listed in `categorical_features`. Convert the column or drop it."
    )


def _nominal_mask(wanted: Any, n_features: int, names: np.ndarray | None) -> np.ndarray:
    """A mask from a mask, column indices or column names; none if None."""
    mask = np.zeros(n_features, bool)
    if wanted is None:
        return mask
    wanted = np.asarray(wanted)
    if wanted.dtype == bool:
        if wanted.shape != (n_features,):
            raise ValueError(
                f"`categorical_features` must have one entry per column, got {wanted.size} "
                f"for {n_features} columns."
            )
        return wanted.copy()
    if wanted.size and np.issubdtype(wanted.dtype, np.integer) and names is None:
        if wanted.min() < 0 or wanted.max() >= n_features:
            raise ValueError(
                f"`categorical_features` must hold column indices from 0 to {n_features - 1}, "
                f"got {wanted.tolist()}."
            )
        mask[wanted] = True
        return mask
    columns = Columns(np.empty((0, n_features)), mask, names)
    for name in wanted.ravel().tolist():
        mask[columns.position(name, "categorical_features")] = True
    return mask


# ---------------------------------------------------------------------------- targets


def read_classes(y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Unordered classes: labels, and the code of every sample."""
    y = _read_labels(y)
    check_classification_targets(y)
    return _coded(*np.unique(y, return_inverse=True))


def read_ordered_classes(y: Any, class_order: Sequence | None) -> tuple[np.ndarray, np.ndarray]:
    """Ordered classes, lowest first, and the code of every sample.

    The order comes from ``class_order``, from an ordered categorical, or from integers.
    Strings are refused: in alphabetical order "high" comes before "low".
    """
    if class_order is not None:
        return _in_given_order(_read_labels(y), class_order)
    dtype = getattr(y, "dtype", None)
    if isinstance(dtype, pd.CategoricalDtype) and dtype.ordered:
        return _in_given_order(_read_labels(y), dtype.categories)
    if str(dtype).startswith("Enum"):
        return _in_given_order(_read_labels(y.to_list()), y.dtype.categories.to_list())
    y = _read_labels(y)
    if pd.api.types.infer_dtype(y) in ("string", "mixed", "mixed-integer"):
        labels = ", ".join(map(repr, pd.unique(y)[:5].tolist()))
        raise ValueError(
            f"`y` holds strings ({labels}), whose order is unknown. Give it from lowest to "
            'highest, for example class_order=["low", "medium", "high"], or pass integers or '
            "an ordered pandas Categorical."
        )
    check_classification_targets(y)
    return _coded(*np.unique(y, return_inverse=True))


def _read_labels(y: Any) -> np.ndarray:
    """One label per sample, none missing."""
    if y is None:
        raise ValueError("`y` is None; this selector requires y to be passed.")
    labels = column_or_1d(y, warn=True)
    if pd.api.types.infer_dtype(labels) in ("integer", "boolean"):
        labels = labels.astype(np.int64)
    if pd.isna(labels).any():
        raise ValueError("Input y contains NaN. Drop the samples without a label.")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError("Input y contains infinity. Classes must be labels.")
    return labels


def _in_given_order(y: np.ndarray, order: Any) -> tuple[np.ndarray, np.ndarray]:
    order = list(order)
    if len(set(order)) < len(order):
        raise ValueError(f"`class_order` must not repeat a class, got {order}.")
    codes = pd.Index(order).get_indexer(y)
    if (codes < 0).any():
        unknown = pd.unique(y[codes < 0])[:5].tolist()
        raise ValueError(f"`class_order` must list every class of y; it lacks {unknown}.")
    used, codes = np.unique(codes, return_inverse=True)
    return _coded(np.asarray(order)[used], codes)


def _coded(labels: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if len(labels) < 2:
        raise ValueError(
            f"`y` has one class only ({labels[0]!r}). Pass samples of at least two classes."
        )
    return labels, codes.astype(np.int64)
