"""Losses for ordered classes, and the agreement of selections and clusters with the truth.

``monotonicity_violations``: whether better samples are in higher classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import make_scorer
from sklearn.metrics.cluster import contingency_matrix
from sklearn.utils import check_consistent_length, column_or_1d

from echelon._core.directions import directions, pairs_in_order
from echelon._core.jobs import in_threads, track
from echelon._core.samples import feature_names, read_rows
from echelon.data import read_columns
from echelon.kernels.monotone import count_dominance
from echelon.targets import read_labels, read_ordered_classes


def rank_loss(
    y_true: Any,
    y_pred: Any,
    *,
    p: float = 1,
    class_order: Sequence | None = None,
    sample_weight: Any = None,
) -> float:
    """Mean of ``|y - k|**p`` over the samples, y the true and k the predicted class [1]_.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Known and predicted classes: numbers, which are taken as they are (10 and 20 are 10 apart),
        or labels whose order is known from ``class_order`` or from y_true being an ordered
        categorical, and which count by their positions in it.  Predicted fractions between classes
        that are numbers count as positions between theirs.
    p : float, default=1
        0: the share of wrong predictions.  1: the mean absolute error.  2: the squared one.
    class_order : sequence, default=None
        Classes from lowest to highest; they count as 0, 1, 2, ...
    sample_weight : array-like of shape (n_samples,), default=None
        What every sample counts for in the mean.

    Returns
    -------
    loss : float
        0 if all is right.

    References
    ----------
    .. [1] Q. Hu, W. Pan, Y. Song, D. Yu, "Large-margin feature selection for monotonic
       classification", Knowledge-Based Systems 31 (2012), equation (13).

    Examples
    --------
    >>> from echelon.evaluation import rank_loss
    >>> rank_loss([1, 2, 3, 3], [1, 2, 2, 1])
    0.75
    >>> order = ["low", "medium", "high"]
    >>> rank_loss(["low", "high"], ["low", "low"], p=2, class_order=order)
    2.0
    """
    if not p >= 0:
        raise ValueError(f"`p` must be 0 or larger, got {p!r}. Use 1 for the absolute error.")
    distances = _distances(y_true, y_pred, class_order)[1]
    with np.errstate(over="ignore"):  # infinity says what it is
        return float(np.average((distances > 0) * distances**p, weights=sample_weight))


def macro_mean_absolute_error(
    y_true: Any, y_pred: Any, *, class_order: Sequence | None = None
) -> float:
    """Mean absolute error of every class that occurs in y_true, averaged over these classes.

    A rare class counts as much as a frequent one [1]_.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Known and predicted classes, as in :func:`rank_loss`.
    class_order : sequence, default=None
        Classes from lowest to highest; they count as 0, 1, 2, ...

    Returns
    -------
    error : float
        0 if all is right.

    References
    ----------
    .. [1] S. Baccianella, A. Esuli, F. Sebastiani, "Evaluation measures for ordinal regression",
       ISDA 2009, 283-287.

    Examples
    --------
    >>> from echelon.evaluation import macro_mean_absolute_error, rank_loss
    >>> known, predicted = [1, 1, 1, 1, 3], [1, 1, 1, 1, 1]
    >>> rank_loss(known, predicted), macro_mean_absolute_error(known, predicted)
    (0.4, 1.0)
    """
    classes, distances = _distances(y_true, y_pred, class_order)
    return float(np.mean([distances[classes == c].mean() for c in np.unique(classes)]))


rank_loss_scorer = make_scorer(rank_loss, greater_is_better=False)
"""Minus the MAE in classes, for ``scoring``; with another p: ``make_scorer(rank_loss,
p=2, ...)``."""

macro_mean_absolute_error_scorer = make_scorer(macro_mean_absolute_error, greater_is_better=False)
"""Minus the macro-averaged mean absolute error, for ``scoring``."""


def f_measure_of_support(relevant: Any, support: Any) -> float:
    """Harmonic mean of precision and recall of the selected features.

    Parameters
    ----------
    relevant : array-like of shape (n_features,)
        Mask of the features that matter.
    support : array-like of shape (n_features,)
        Mask of the features selected, for example ``selector.support_``.

    Returns
    -------
    f_measure : float
        1 if both are the same, 0 if they have nothing in common.

    Examples
    --------
    >>> from echelon.evaluation import f_measure_of_support
    >>> f_measure_of_support([True, True, False, False], [True, False, True, False])
    0.5
    """
    masks = [np.asarray(mask) for mask in (relevant, support)]
    if any(mask.dtype != bool or mask.ndim != 1 for mask in masks):
        raise ValueError(
            "`relevant` and `support` must be masks of True and False, one entry per feature. Make "
            "one from indices with numpy.isin(numpy.arange(n_features), indices)."
        )
    check_consistent_length(*masks)
    n_named = int(masks[0].sum() + masks[1].sum())
    # Nothing to find and nothing found: all is right.
    return 1.0 if n_named == 0 else float(2 * (masks[0] & masks[1]).sum() / n_named)


def clustering_accuracy(y: Any, clusters: Any, *, match: str = "majority") -> float:
    """Share of samples whose class is the one their cluster stands for.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Known classes.
    clusters : array-like of shape (n_samples,)
        Cluster of every sample.
    match : {"majority", "optimal"}, default="majority"
        "majority": a cluster stands for its most frequent class, so that several may stand for
        one class, and more clusters never do worse.  "optimal": each class belongs to one cluster
        at most, matched so that most samples agree; those of the other clusters are wrong.

    Returns
    -------
    accuracy : float
        From 0 to 1.

    Notes
    -----
    "majority", also called purity, is never below the share of the largest class.

    References
    ----------
    .. [1] I. Hazarika, R. Mishra, A. K. Mahanta, "A dissimilarity margin based feature selection
       method for interval data".

    Examples
    --------
    >>> from echelon.evaluation import clustering_accuracy
    >>> classes, clusters = ["a", "a", "a", "b"], [0, 0, 1, 2]
    >>> clustering_accuracy(classes, clusters)
    1.0
    >>> clustering_accuracy(classes, clusters, match="optimal")
    0.75
    """
    y, clusters = column_or_1d(y), column_or_1d(clusters)
    check_consistent_length(y, clusters)
    if len(y) == 0:
        raise ValueError("`y` must hold at least one class, got none. Pass the class of samples.")
    counts = contingency_matrix(y, clusters)
    if match == "majority":
        return float(counts.max(axis=0).sum() / len(y))
    if match == "optimal":
        return float(counts[linear_sum_assignment(counts, maximize=True)].sum() / len(y))
    raise ValueError(
        f'`match` must be "majority" or "optimal", got {match!r}. Use "majority" for the accuracy '
        "of the paper."
    )


def _distances(y_true: Any, y_pred: Any, class_order: Any) -> tuple[np.ndarray, np.ndarray]:
    """The true class of every sample as a number, and how far off the prediction is."""
    check_consistent_length(y_true, y_pred)
    dtype: Any = getattr(y_true, "dtype", None)
    declared = getattr(dtype, "ordered", False) or str(dtype).startswith("Enum")
    if class_order is None and declared:
        class_order = list(dtype.categories)
    known = _as_numbers(y_true, class_order)
    predicted = _between(y_pred, class_order)
    if predicted is None:
        predicted = _as_numbers(y_pred, class_order)
    if len(known) == 0:
        raise ValueError("`y_true` must hold at least one class, got none.")
    return known, np.abs(known - predicted)


def _between(y_pred: Any, class_order: Any) -> np.ndarray | None:
    """Positions of predicted fractions among classes that are numbers; None: there are none."""
    labels, order = read_labels(y_pred), np.asarray(() if class_order is None else class_order)
    numeric = labels.dtype.kind == "f" and order.dtype.kind in "iuf" and len(order) > 0
    if not numeric or (np.diff(order) <= 0).any() or (labels == np.round(labels)).all():
        return None
    return np.interp(labels, order, np.arange(len(order)))


def _as_numbers(y: Any, class_order: Any) -> np.ndarray:
    labels = read_labels(y)
    if class_order is not None:
        codes = pd.Index(class_order).get_indexer(pd.Index(labels))
        if (codes < 0).any():
            raise ValueError(
                f"`class_order` must list every class, got {list(class_order)}, which lacks "
                f"{labels[codes < 0][0]!r}."
            )
        return codes.astype(np.float64)
    if labels.dtype.kind not in "biuf":
        raise ValueError(
            f"`y_true` and `y_pred` hold labels without a known order ({labels[0]!r}). Give it "
            'from lowest to highest, for example class_order=["low", "medium", "high"], or pass '
            "numbers."
        )
    return labels.astype(np.float64)


BLOCK = 256
"""Rows compared with all others at a time."""


@dataclass(frozen=True, eq=False)
class MonotonicityViolations:
    """Shares of comparable pairs of samples that break the order.

    Attributes
    ----------
    per_feature : ndarray of shape (n_features,)
        For every feature by itself: 0 for one that always rises with the class, 0.5 for one that
        has nothing to do with it, 1 for one that always falls; NaN where no pair is comparable.
    n_pairs_per_feature : ndarray of shape (n_features,)
        Pairs of different classes with different values.
    together : float
        For all features with a direction at once; NaN if no pair is comparable.
    n_pairs : int
        Pairs of different classes in which one sample is at least as good in all features, and
        better in one.
    n_conflicts : int
        Pairs of different classes that are equal in all features; in no share.
    monotonic_cst : ndarray of shape (n_features,)
        1 or -1 for features expected to rise or fall with the class, 0 for those left out of
        ``together``.
    names : ndarray of shape (n_features,)
        Names of the features, or their numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.evaluation import monotonicity_violations
    >>> found = monotonicity_violations(np.array([[1.0, 4.0], [2.0, 3.0], [3.0, 2.0]]), [0, 1, 2])
    >>> found.per_feature.tolist()  # one that always rises, one that always falls
    [0.0, 1.0]
    """

    per_feature: np.ndarray
    n_pairs_per_feature: np.ndarray
    together: float
    n_pairs: int
    n_conflicts: int
    monotonic_cst: np.ndarray
    names: np.ndarray

    def frame(self) -> pd.DataFrame:
        """One row per feature, fewest violations first."""
        frame = pd.DataFrame(
            {
                "feature": self.names,
                "violations": self.per_feature,
                "n_pairs": self.n_pairs_per_feature,
                "monotonic_cst": self.monotonic_cst,
            }
        )
        return frame.sort_values("violations", kind="stable").reset_index(drop=True)


def monotonicity_violations(
    X: Any,
    y: Any,
    *,
    monotonic_cst: Any = None,
    class_order: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> MonotonicityViolations:
    """How often a sample of a higher class has a smaller value, or is dominated.

    Two samples of different classes are comparable in a feature if they differ in it, and all in
    all if one is at least as good in every feature and better in one.  They break the order if the
    better one has the lower class.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples.  A value missing in either sample leaves the feature out of the pair.
    y : array-like of shape (n_samples,)
        Ordered classes.
    monotonic_cst : array-like, dict, "auto" or None, default=None
        For every feature 1 (larger is better), -1 (smaller is better) or 0 (no order), as an array,
        or a dict or Series by feature name (those not named: 0).  "auto": the sign of Kendall's tau
        with y.  None: larger is better throughout.
    class_order : sequence, default=None
        The classes from lowest to highest.  Required for classes that are neither integers nor an
        ordered categorical.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
    verbose : int, default=0
        Show a progress bar.

    Returns
    -------
    violations : MonotonicityViolations
        With ``per_feature``, ``together``, ``n_pairs`` and ``frame()``.

    Notes
    -----
    A feature takes ``m log m`` steps for m samples.  All together compares every pair of different
    classes, but ends with the first two features that disagree.

    With many features hardly any pair is comparable; look at ``n_pairs`` before ``together``.

    Examples
    --------
    >>> from echelon.evaluation import monotonicity_violations
    >>> X = [[1, 5], [2, 4], [2, 6], [3, 7]]
    >>> found = monotonicity_violations(X, [0, 0, 1, 1])
    >>> found.per_feature.tolist()
    [0.0, 0.0]
    >>> found.n_pairs, found.together
    (4, 0.0)
    """
    X = read_rows(X)
    columns = read_columns(X, "from_dtype", allow_nan=True)
    codes = read_ordered_classes(y, class_order)[1]
    check_consistent_length(columns.values, codes)
    direction = directions(monotonic_cst, columns, codes)
    values = columns.values * np.where(direction < 0, -1, 1)
    single = np.array(
        [
            (0, 0) if nominal else pairs_in_order(values[:, f], codes)
            for f, nominal in enumerate(columns.nominal)
        ]
    )
    agree, oppose, equal = _joint(values[:, direction != 0], codes, n_jobs, verbose)
    return MonotonicityViolations(
        _share(single[:, 1], single.sum(axis=1)),
        single.sum(axis=1),
        float(_share(np.array(oppose), np.array(agree + oppose))),
        agree + oppose,
        equal,
        direction,
        feature_names(X),
    )


def _joint(
    values: np.ndarray, codes: np.ndarray, n_jobs: int | None, verbose: int
) -> tuple[int, int, int]:
    """Pairs in order, against it and equal, in all features."""
    rows = np.argsort(codes, kind="stable")
    values, codes = np.ascontiguousarray(values[rows]), codes[rows]
    ends = np.searchsorted(codes, codes, side="right")
    starts = range(0, len(codes), BLOCK)

    def compare(first: int) -> tuple[int, int, int]:
        return count_dominance(values, ends, first, min(first + BLOCK, len(codes)))

    blocks = in_threads(compare, starts, n_jobs)
    shown = track(blocks, total=len(starts), description="pairs", verbose=verbose)
    agree, oppose, equal = np.sum(list(shown), axis=0).tolist()
    return agree, oppose, equal


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.where(whole > 0, part / np.maximum(whole, 1), np.nan)
