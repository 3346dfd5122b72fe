"""The target, read once: ordered classes, classes without an order, or numbers.

``read_target`` says what y is, for everybody: estimators, profiles, reports and the command.  The
rule of ``kind="auto"``:

- given by ``class_order``, or an ordered categorical (a polars Enum): ordered classes;
- booleans, strings, unordered categories: classes without an order;
- two different numbers: two classes;
- few different numbers (at most 20, and at most a third of the samples), whole or not, as grades
  1, 1.5, 2: ordered classes;
- other numbers: a quantity.

Whether numbers that are classes really have an order cannot be seen in an array.  They are taken
to have one, as the methods for ordered classes always did; ``order_from`` is "assumed" unless the
order is plain (see ``has_plain_order``), and the command asks before it relies on an assumption.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from echelon._core.compat import StrOptions
from echelon.data import as_pandas
from echelon.methods import CLASSES, CONTINUOUS, ORDERED

__all__ = ["Target", "read_target"]

FEW = 20
"""At most so many different numbers are classes; beyond, they are a quantity."""

_NUMBERS = ("floating", "mixed-integer-float", "decimal", "integer", "boolean")

_SCALE_WORDS = re.compile(
    r"grade|score|rating|rank|level|stage|degree|severity|quality|satisf|agree|likert|stars?\b|risk|"
    r"pain|priority|tier|band|rated|importance|frequency|intensity|difficulty|skill|education"
)


@dataclass(frozen=True, eq=False)
class Target:
    """A target, and how it was read.

    Attributes
    ----------
    kind : {"ordinal", "classification", "regression"}
        Ordered classes, classes without an order, or numbers.
    labels : ndarray or None
        The classes, lowest first where they have an order; None for numbers.
    codes : ndarray of shape (n_samples,) or None
        Position of every sample's class in ``labels``; None for numbers.
    values : ndarray of shape (n_samples,) or None
        The numbers of a regression; None for classes.
    name : str or None
        Name of the column.
    order_from : {"given", "declared", "numbers", "assumed", ""}
        Where the order comes from: ``class_order``, the dtype, numbers whose order is plain,
        numbers that may as well be codes; "" without an order.

    Examples
    --------
    >>> from echelon.targets import read_target
    >>> target = read_target(["low", "high", "low"], class_order=["low", "high"])
    >>> target.kind, target.codes.tolist(), target.order_from
    ('ordinal', [0, 1, 0], 'given')
    >>> target.counts
    {'low': 2, 'high': 1}
    """

    kind: str
    labels: np.ndarray | None
    codes: np.ndarray | None
    values: np.ndarray | None
    name: str | None
    order_from: str

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def y(self) -> pd.Series:
        """What estimators take: numbers, labels, or an ordered categorical.

        Ordered classes are numbers only where their differences count classes, as of 1, 2, 3.
        """
        if self.labels is None or self.codes is None:
            return pd.Series(self.values, name=self.name)
        if self.kind == ORDERED and not self._counts_classes:
            ordered = pd.Categorical.from_codes(
                self.codes, pd.Index(list(self.labels)), ordered=True
            )
            return pd.Series(ordered, name=self.name)
        labels = self.labels
        if labels.dtype.kind == "f":  # models take fractions for a quantity
            labels = labels.astype(str).astype(object)
        return pd.Series(labels[self.codes], name=self.name)

    @property
    def _counts_classes(self) -> bool:
        """Whether the classes are whole numbers in their own order, without a gap."""
        if self.labels is None or self.labels.dtype.kind not in "biu":
            return False
        in_order = self.order_from in ("numbers", "assumed")
        return in_order and int(self.labels[-1]) - int(self.labels[0]) == len(self.labels) - 1

    @property
    def class_codes(self) -> np.ndarray:
        """Position of every sample's class in ``labels``, where there must be classes."""
        if self.codes is None:
            raise TypeError("The target holds numbers, not classes.")
        return self.codes

    @property
    def counts(self) -> dict[Any, int]:
        """Class -> number of samples; empty for numbers."""
        if self.labels is None or self.codes is None:
            return {}
        sizes = np.bincount(self.codes, minlength=len(self.labels)).tolist()
        return dict(zip(self.labels.tolist(), sizes, strict=True))

    @property
    def numbers(self) -> np.ndarray:
        """Codes of classes, or the values: what a correlation or a regression works on."""
        return np.asarray(self.values if self.codes is None else self.codes, dtype=float)

    def take(self, rows: np.ndarray) -> Target:
        """Some of the samples; classes that none of them has are dropped."""
        if self.codes is None or self.labels is None:
            return replace(self, values=np.asarray(self.values)[rows])
        used, codes = np.unique(self.codes[rows], return_inverse=True)
        return replace(self, labels=self.labels[used], codes=codes)

    def as_ordered(self) -> Target:
        """Two classes, or numbers taken for classes, as ordered classes."""
        return replace(self, kind=ORDERED, order_from=self.order_from or "assumed")


def read_target(
    y: Any, kind: str = "auto", class_order: Sequence | None = None, name: str | None = None
) -> Target:
    """Read a target as what it is, or as the kind given.

    Parameters
    ----------
    y : array-like of shape (n_samples,), or Target
        Target, nothing missing.  A ``Target`` is returned as it is, unless another kind or an
        order is asked for.
    kind : {"auto", "ordinal", "classification", "regression"}, default="auto"
        What it is; "auto": as the rule above says.
    class_order : sequence, default=None
        Classes from lowest to highest; labels may be written as text.
    name : str, default=None
        Name of the column; None: the name y has.

    Returns
    -------
    target : Target
        What it is.

    Examples
    --------
    >>> from echelon.targets import read_target
    >>> read_target([1, 1.5, 2, 1.5, 1, 2] * 4).kind
    'ordinal'
    >>> read_target(["a", "b", "c"] * 4).kind
    'classification'
    >>> read_target([0.12, 7.3, 5.5, 9.1, 3.2]).kind
    'regression'
    """
    if isinstance(y, Target):
        if kind in ("auto", y.kind) and class_order is None:
            _check_classes(y)
            return y
        y = y.y
    column = _one_column(y)
    name = _name_of(column) if name is None else str(name)
    if kind == "auto":
        kind = ORDERED if class_order is not None else _kind_of(column)
    if kind == CONTINUOUS:
        return Target(kind, None, None, read_values(column), name, "")
    if kind == CLASSES:
        labels, codes = read_classes(column)
        return Target(kind, _whole(labels), codes, None, name, "")
    labels, codes = read_ordered_classes(column, class_order)
    labels = _whole(labels)
    source = _order_from(column, labels, class_order, name)
    return Target(ORDERED, labels, codes, None, name, source)


def _check_classes(target: Target) -> None:
    """Refuse one class alone, as in any y: samples may have been left out since it was read."""
    if target.labels is not None and target.codes is not None:
        _coded(target.labels, target.codes)


def _kind_of(y: Any) -> str:
    """The kind of a target that nothing else is said about."""
    if _declares_order(y):
        return ORDERED
    if isinstance(getattr(y, "dtype", None), pd.CategoricalDtype):
        return CLASSES
    labels = read_labels(y)
    if labels.dtype.kind in "mM":
        raise TypeError(
            f"`y` holds dates or times (dtype {labels.dtype}). Choose another column, or turn "
            "them into numbers or classes."
        )
    if labels.dtype.kind not in "iuf":
        return CLASSES
    n_values = len(np.unique(labels))
    if n_values <= 2:
        return CLASSES
    return ORDERED if is_few(n_values, len(labels)) else CONTINUOUS


def is_few(n_values: int, n_samples: int) -> bool:
    """Whether so many different numbers are classes rather than a quantity."""
    return n_values <= min(FEW, max(2, n_samples // 3))


def has_plain_order(labels: np.ndarray, name: str | None) -> bool:
    """Whether numbers as classes have an order beyond doubt.

    Codes that software gives to labels are 0, 1, 2, ... or 1, 2, 3, ...: these have an order only
    if the column is named like a scale (grade, score, rating, stage, ...).  Other numbers, as
    quality from 3 to 8, half grades, or -2 to 2, are no codes.
    """
    codes = np.arange(len(labels))
    if any(np.array_equal(labels, codes + first) for first in (0, 1)):
        return name is not None and _SCALE_WORDS.search(name.lower()) is not None
    return True


def _order_from(y: Any, labels: np.ndarray, class_order: Any, name: str | None) -> str:
    if class_order is not None:
        return "given"
    if _declares_order(y):
        return "declared"
    return "numbers" if has_plain_order(labels, name) else "assumed"


def _declares_order(y: Any) -> bool:
    dtype = getattr(y, "dtype", None)
    return isinstance(dtype, pd.CategoricalDtype) and bool(dtype.ordered)


def _name_of(y: Any) -> str | None:
    name = getattr(y, "name", None)
    return None if name is None or name == "" else str(name)


def _whole(labels: np.ndarray) -> np.ndarray:
    """Whole numbers as integers, so that they read as 1, 2, 3."""
    if labels.dtype.kind != "f" or (labels != np.round(labels)).any():
        return labels
    return labels if np.abs(labels).max() >= 2**53 else labels.astype(np.int64)


# ------------------------------------------------------------------- labels and numbers


def read_labels(y: Any) -> np.ndarray:
    """One label per sample, none missing; numbers held as objects unpacked."""
    if isinstance(y, Target):
        return np.asarray(y.values if y.labels is None else y.labels[y.codes])
    y = _one_column(y)
    if np.ma.is_masked(y):
        raise ValueError(
            "Input y is masked, so that some labels are hidden. Drop these samples: X[~y.mask], "
            "y.compressed()."
        )
    labels = column_or_1d(y, warn=True)
    if pd.isna(labels).any():
        raise ValueError("Input y contains NaN. Drop the samples without a label.")
    if labels.dtype.kind == "O":
        labels = _unpacked(labels)
    if labels.dtype == np.float16:  # which pandas cannot index
        labels = labels.astype(np.float64)
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError("Input y contains infinity. Correct or drop these samples.")
    return labels


def _unpacked(labels: np.ndarray) -> np.ndarray:
    """Objects that are all numbers or booleans as an array of those."""
    kind = pd.api.types.infer_dtype(labels)
    if kind not in _NUMBERS:
        return labels
    if kind in ("integer", "boolean"):
        unpacked = np.array(labels.tolist())
        if unpacked.dtype.kind != "O":
            return unpacked
    try:
        return labels.astype(np.float64)
    except OverflowError as error:
        raise ValueError("Input y contains numbers too large for a float. Rescale it.") from error


def read_values(y: Any) -> np.ndarray:
    """Finite numbers, not all the same."""
    labels = read_labels(y)
    values = check_array(labels, ensure_2d=False, dtype=np.float64, input_name="y")
    if values.max(initial=-np.inf) == values.min(initial=np.inf):
        raise ValueError(f"`y` is constant ({values[0]:g}). Pass a target that varies.")
    return values


def read_classes(y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Unordered classes: labels of any kind, and the code of every sample."""
    if isinstance(y, Target) and y.labels is not None and y.codes is not None:
        return _coded(y.labels, y.codes)
    labels = read_labels(y)
    if labels.dtype.kind in "OT":
        codes, classes = _factorized(labels)
        return _coded(classes, codes)
    return _numbers_as_classes(labels)


def read_ordered_classes(
    y: Any, class_order: Sequence | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Ordered classes, lowest first, and the code of every sample.

    The order comes from ``class_order``, from an ordered categorical, or from numbers.
    Strings are refused: in alphabetical order "high" comes before "low".
    """
    if isinstance(y, Target) and y.kind == ORDERED and class_order is None:
        return read_classes(y)
    y = _one_column(y)
    if class_order is not None:
        return _in_given_order(read_labels(y), class_order)
    if _declares_order(y):
        return _in_order_of_codes(y.cat.codes.to_numpy(), y.cat.categories)
    labels = read_labels(y)
    if labels.dtype.kind not in "biuf":
        shown = ", ".join(map(repr, pd.unique(pd.Series(labels))[:5].tolist()))
        raise ValueError(
            f"`y` holds labels without a known order ({shown}). Give it from lowest to highest, "
            'for example class_order=["low", "medium", "high"], or pass integers or an ordered '
            "pandas Categorical."
        )
    return _numbers_as_classes(labels)


def _numbers_as_classes(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    classes, codes = np.unique(labels, return_inverse=True)
    if not is_few(len(classes), len(labels)):
        check_classification_targets(labels)  # refuses fractions, which are a quantity
    return _coded(classes, codes)


def _one_column(y: Any) -> Any:
    """A frame of one column as that column, with scikit-learn's warning; categories as a column."""
    if isinstance(y, pd.Categorical):
        return pd.Series(y)
    y = as_pandas(y)
    if hasattr(y, "columns") and hasattr(y, "shape") and len(y.shape) == 2 and y.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected.",
            DataConversionWarning,
            stacklevel=2,
        )
        return y[y.columns[0]]
    return y


def _factorized(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Codes and labels of objects, sorted where they can be."""
    try:
        return pd.factorize(y, sort=True)
    except TypeError:
        return pd.factorize(y)


def _in_given_order(y: np.ndarray, order: Any) -> tuple[np.ndarray, np.ndarray]:
    order = list(order)
    try:
        repeats = len(set(order)) < len(order)
    except TypeError as error:
        raise ValueError(f"`class_order` must be a flat list of classes, got {order}.") from error
    if repeats:
        raise ValueError(f"`class_order` must not repeat a class, got {order}.")
    codes = pd.Index(order).get_indexer(pd.Index(y))
    if (codes < 0).any():
        codes = _by_their_text(y, order)
    if (codes < 0).any():
        unknown = pd.unique(pd.Series(y[codes < 0]))[:5].tolist()
        raise ValueError(f"`class_order` must list every class of y; it lacks {unknown}.")
    _, first, codes = np.unique(codes, return_index=True, return_inverse=True)
    return _coded(y[first], codes)


def _by_their_text(y: np.ndarray, order: list[Any]) -> np.ndarray:
    """Positions in an order that is written as text, as on a command line."""
    written = [str(label).strip() for label in order]
    if len(set(written)) < len(written):
        return np.full(len(y), -1)
    return pd.Index(written).get_indexer(pd.Index([str(label).strip() for label in y.tolist()]))


def _in_order_of_codes(codes: np.ndarray, labels: pd.Index) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the labels in use, which are renumbered."""
    if (codes < 0).any():
        raise ValueError("Input y contains NaN. Drop the samples without a label.")
    used, codes = np.unique(codes, return_inverse=True)
    return _coded(labels[used].to_numpy(), codes)


def _coded(labels: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if len(labels) == 0:
        raise ValueError("`y` has no samples. Pass samples of two or more classes.")
    if len(labels) < 2:
        raise ValueError(
            f"`y` has one class only ({labels.tolist()[0]!r}). Pass samples of two or more classes."
        )
    return labels, codes.astype(np.int64)


# ------------------------------------------------------------------------ for selectors


class TargetReader:
    """Reads y as what it is, or as ``kind`` says."""

    _target_constraints: ClassVar[dict[str, list[Any]]] = {
        "kind": [StrOptions({"auto", ORDERED, CLASSES, CONTINUOUS})],
        "class_order": ["array-like", None],
    }

    kind: str
    class_order: Sequence | None

    def _read_target(self, y: Any) -> Target:
        """The target; its kind and classes are kept as attributes."""
        target = read_target(y, self.kind, self.class_order)
        self.kind_ = target.kind
        if target.labels is not None:
            self.classes_ = target.labels
        elif hasattr(self, "classes_"):
            del self.classes_  # of an earlier fit
        return target


def answered(shares: np.ndarray, answer: str) -> np.ndarray:
    """The median or the most probable class, as a code; the lowest one among equals.

    Examples
    --------
    >>> shares = np.array([[0.4, 0.1, 0.3, 0.2]])
    >>> answered(shares, "median").tolist(), answered(shares, "mode").tolist()
    ([1], [0])
    """
    if answer == "median":
        # Half of the probability, but for rounding.
        return (shares.cumsum(axis=1) >= 0.5 - 1e-12).argmax(axis=1)
    return shares.argmax(axis=1)
