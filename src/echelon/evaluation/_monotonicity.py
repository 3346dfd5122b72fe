"""Whether better samples are in higher classes: how well data fit the methods for order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import check_consistent_length

from echelon._core.directions import directions, pairs_in_order
from echelon._core.jobs import in_threads
from echelon._core.progress import track
from echelon._core.rows import feature_names, read_rows
from echelon.data import read_columns
from echelon.kernels.monotone import count_dominance
from echelon.targets import read_ordered_classes

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
        Classes from lowest to highest.  Needed for labels that are neither integers nor ordered
        categories.
    n_jobs : int, default=None
        Cores to use; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib says otherwise.  Results do not depend on it.
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
