"""What the filters share: any target, columns in order or as labels, searches over bags.

One path of a greedy search depends on a few samples.  Over many bootstrap samples ("bags", [1]_)
lucky steps average out, and the samples a bag leaves out can evaluate it.

.. [1] L. Breiman, "Bagging predictors", Machine Learning 24, 1996.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.utils import check_random_state

from echelon._core.compat import Interval, StrOptions
from echelon._core.jobs import in_threads, track
from echelon._core.samples import row_counts
from echelon.base import BaseSelector, SampleWeightMixin
from echelon.data import Data
from echelon.filters._loops import mdl_codes
from echelon.methods import CLASSES
from echelon.targets import Target, TargetReader

_CELLS = 1 << 21
"""Values sorted at a time."""

CUT_CONSTRAINTS: dict[str, list[Any]] = {
    "discretize": [StrOptions({"mdl", "quantile"})],
    "n_bins": [Interval(Integral, 2, None, closed="left")],
}
"""Constraints of the parameters that say how numeric features are cut."""

_CUT_BITS = 20
"""Cuts whose entropy (in bits, times samples) agrees to this many binary digits are equal."""


# ---------------------------------------------------------------------------------------- target


class AnyTargetMixin(TargetReader):
    """Reads y as what it is, or as ``kind`` says; missing values in X are taken."""

    _allow_nan = True


def has_order(target: Target) -> bool:
    """Whether larger means more: ordered classes, numbers, and any two classes."""
    return target.labels is None or target.kind != CLASSES or len(target.labels) == 2


def check_order(target: Target, measure: str) -> None:
    """Refuse three or more classes without an order."""
    if not has_order(target):
        raise ValueError(
            f"`y` holds labels without a known order, but {measure} needs one. Give it from lowest "
            'to highest, for example class_order=["low", "medium", "high"].'
        )


def outputs(target: Target) -> np.ndarray:
    """What a model of least squares predicts, shape (n_samples, n_outputs), each of mean 0.

    One column of codes or values; the indicators of more than two classes without an order.
    """
    # Errors count as shares of the total: a unit must not make squares overflow.
    values = target.numbers[:, None] / np.abs(target.numbers).max()
    if target.labels is not None and not has_order(target):
        values = (target.numbers[:, None] == np.arange(len(target.labels))).astype(float)
    return values - values.mean(axis=0)


def codes_of(values: np.ndarray) -> np.ndarray:
    """Values as codes 0, 1, ... in their order; -1 where missing."""
    codes = np.full(len(values), -1)
    present = ~np.isnan(values)
    codes[present] = np.unique(values[present], return_inverse=True)[1]
    return codes


# ------------------------------------------------------------------------------ columns in order


class Block(NamedTuple):
    """Some columns: their indices, their values as rows, and what sorts every row."""

    features: np.ndarray
    rows: np.ndarray
    order: np.ndarray

    def ascending(self, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Values in order, and the middle of the places that equal values take, from 0."""
        values = np.take_along_axis(self.rows, self.order, axis=1)
        counts = np.ones(values.shape[1]) if weights is None else weights[self.order]
        places = np.cumsum(counts, axis=-1)
        new = np.ones(values.shape, bool)
        new[:, 1:] = values[:, 1:] != values[:, :-1]
        last = np.roll(new, -1, axis=1)
        before = np.maximum.accumulate(np.where(new, places - counts, 0), axis=1)
        up_to = np.minimum.accumulate(np.where(last, places, np.inf)[:, ::-1], axis=1)[:, ::-1]
        return values, (before + up_to) / 2

    def in_rows(self, ascending: np.ndarray) -> np.ndarray:
        """What was found for the values in order, for the rows as they are."""
        found = np.empty_like(ascending)
        np.put_along_axis(found, self.order, ascending, axis=1)
        return found


def in_blocks(columns: Data, features: np.ndarray) -> list[np.ndarray]:
    """Some columns, as many at a time as memory bears."""
    size = max(1, _CELLS // len(columns.values))
    return [features[start : start + size] for start in range(0, len(features), size)]


def sorted_blocks(
    columns: Data, features: np.ndarray, progress: tuple[str, int] = ("", 0)
) -> Iterator[Block]:
    """Some columns, sorted, as many at a time as memory bears.

    ``progress`` holds the label of the progress bar, and whether to show it.
    """
    description, verbose = progress
    parts = in_blocks(columns, features)
    for part in track(parts, total=len(parts), description=description, verbose=verbose):
        rows = np.ascontiguousarray(columns.values[:, part].T)
        yield Block(part, rows, np.argsort(rows, axis=1))  # missing values last


# ----------------------------------------------------------------------------- columns as labels


class Labels(NamedTuple):
    """Labels of every feature, shape (n_features, n_samples), and how many each has."""

    codes: np.ndarray
    n_labels: np.ndarray


def label_columns(columns: Data, classes: np.ndarray, method: str, n_bins: int) -> Labels:
    """Labels 0, 1, ... of all columns: intervals of numeric ones, nominal ones as they are.

    A missing value is a label of its own, whatever the kind of column.

    Parameters
    ----------
    columns : Data
        Features, as read.
    classes : ndarray of int, shape (n_samples,)
        Class codes, which "mdl" uses.
    method : {"mdl", "quantile"}
        The cuts of Fayyad and Irani, or bins of equal frequency.
    n_bins : int
        Number of bins of "quantile", at most.
    """
    if columns.weights is not None and method == "mdl":
        raise ValueError(
            '`discretize` must be "quantile" with `sample_weight`, got "mdl", whose cuts rest on '
            "counts of samples. Use bins of equal frequency."
        )
    n_samples, n_features = columns.values.shape
    labels = Labels(np.empty((n_features, n_samples), np.int32), np.empty(n_features, np.int64))
    for f in np.flatnonzero(columns.nominal):
        labels.codes[f], labels.n_labels[f] = _nominal_labels(columns.values[:, f])
    for block in sorted_blocks(columns, np.flatnonzero(~columns.nominal)):
        if method == "quantile":
            found = _equal_bins(block, columns.weights, n_bins)
        else:
            found = _cuts(block, classes)
        labels.codes[block.features], labels.n_labels[block.features] = found
    return labels


def some_missing(values: np.ndarray) -> np.ndarray:
    """Mask of the columns in which values are missing and others are not: two labels at least."""
    missing = np.isnan(values)
    return missing.any(axis=0) & ~missing.all(axis=0)


def _nominal_labels(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Codes as they are; missing values get the next one."""
    missing = np.isnan(values)
    n_codes = 0 if missing.all() else int(values[~missing].max()) + 1
    return np.where(missing, n_codes, values).astype(np.int32), n_codes + bool(missing.any())


def _equal_bins(block: Block, weights: np.ndarray | None, n_bins: int) -> Labels:
    """Bins of equal mass: the bin of a value is that of the middle of its copies' places."""
    counts = row_counts(weights, block.rows.shape[1])
    total = (~np.isnan(block.rows) * counts).sum(axis=1, keepdims=True)
    values, middle = block.ascending(weights)
    bins = np.floor(n_bins * middle / np.where(total > 0, total, 1.0))
    bins[np.isnan(values)] = np.inf
    numbers = np.zeros(bins.shape, np.int32)
    np.cumsum(bins[:, 1:] > bins[:, :-1], axis=1, out=numbers[:, 1:])
    return Labels(block.in_rows(numbers), numbers[:, -1] + 1)


def _cuts(block: Block, classes: np.ndarray) -> Labels:
    """Intervals by the criterion of Fayyad and Irani."""
    found = Labels(np.empty(block.rows.shape, np.int32), np.empty(len(block.rows), np.int64))
    table, bits = log_table(len(classes))
    shift = max(0, bits - _CUT_BITS)
    n_classes = int(classes.max()) + 1
    mdl_codes(block.rows, block.order, classes, n_classes, table, 2.0**bits, shift, *found)
    return found


def log_table(n: int) -> tuple[np.ndarray, int]:
    """C log2(c) of the counts 0, ..., n as integers, multiples of 1 / 2**bits, and these bits.

    Sums of integers are exact: entropies of the same counts in another order are equal, and copies
    of a feature tie.
    """
    counts, bits = np.arange(n + 1, dtype=np.float64), log_bits(n)
    products = counts * np.log2(np.maximum(counts, 1))
    return np.rint(np.ldexp(products, bits)).astype(np.int64), bits


def log_bits(n: float) -> int:
    """Bits after the point that leave room for n log2(n) before it, in a float."""
    return 52 - int(np.ceil(np.log2(max(n * np.log2(max(n, 1)), 1))))


# ------------------------------------------------------------------------------------------ bags


class BaggedSelector(SampleWeightMixin, AnyTargetMixin, BaseSelector):
    """A selector by a search on all samples (``n_bags=0``) or on many bootstrap samples.

    A subclass provides ``_search(columns, target)``, which returns what searches on the samples
    drawn, and ``_judge(found)``, which makes scores of what the searches found.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSelector._parameter_constraints,
        **AnyTargetMixin._target_constraints,
        "n_bags": [Interval(Integral, 0, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [None, Integral],
    }

    n_bags: int
    random_state: Any
    n_jobs: int | None

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        columns, target, n_wanted = self._begin(X, y, sample_weight)
        random_state = check_random_state(self.random_state)
        search = self._search(columns, target)
        drawn = np.ones((1, len(target)))
        if self.n_bags:
            drawn = bootstrap(len(target), self.n_bags, random_state)
        self.scores_, passes = self._judge(self._run(search, drawn, n_wanted))
        order = np.lexsort((-search.single_worth(), -self.scores_))
        self.order_, self.ranking_ = self._choice.ranked(order)
        passes = self._choice.whole(passes)
        self.support_ = passes if n_wanted is None else self.ranking_ <= n_wanted
        return self

    def _run(self, search: Any, drawn: np.ndarray, n_wanted: int | None) -> list[Any]:
        """One search for every bag, in threads."""
        n_steps = None if self.n_bags else n_wanted  # a bag always stops by itself
        return list(
            track(
                in_threads(lambda each: search.run(each, n_steps), drawn, self.n_jobs),
                total=len(drawn),
                description=type(self).__name__,
                verbose=self.verbose,
            )
        )

    @abstractmethod
    def _search(self, columns: Data, target: Target) -> Any:
        """An object with ``run`` and ``single_worth``.

        ``run(drawn, n_steps)`` searches on samples drawn so many times each; ``single_worth()`` is
        what every feature is worth by itself, which decides between features that score alike.
        """

    @abstractmethod
    def _judge(self, found: list[Any]) -> tuple[np.ndarray, np.ndarray]:
        """Scores from one search on all samples, or those on all bags; mask of features to select.

        Sets ``path_`` if there are no bags.
        """


def bootstrap(n_samples: int, n_bags: int, random_state: Any) -> np.ndarray:
    """How often every sample is in each bag, shape (n_bags, n_samples)."""
    counts = np.zeros((n_bags, n_samples))
    for bag in counts:
        drawn = random_state.randint(n_samples, size=n_samples)
        bag += np.bincount(drawn, minlength=n_samples)
    return counts


def path_of(features: np.ndarray, values: np.ndarray) -> np.recarray:
    """Steps of a search as a record array, which may be empty."""
    dtype = [("feature", int), ("value", float)]
    return np.array(list(zip(features, values, strict=True)), dtype=dtype).view(np.recarray)
