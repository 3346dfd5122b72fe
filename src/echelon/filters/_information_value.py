"""InformationValue: every feature by itself, by how the classes fall into its bins.

Of class c, the weight of evidence of a bin is log(p / q): p is the share of the class in the bin, q
that of all others.  The information value is the sum over bins of (p - q) log(p / q), Jeffreys'
divergence, which is symmetric in p and q.  Half a sample is added to every cell, so that an empty
one has a logarithm.

Even if the feature is noise, p and q differ: the more bins and the fewer samples, the more.  How
much on average follows from the hypergeometric distribution, bin by bin, without an
approximation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.stats import hypergeom
from sklearn.isotonic import isotonic_regression
from sklearn.utils.validation import check_is_fitted, validate_data

from echelon._core.compat import StrOptions
from echelon._core.jobs import track
from echelon.base import WeightingSelector
from echelon.data import Data, as_pandas, as_table, names_of, numbers_that_fit
from echelon.filters._base import CUT_CONSTRAINTS, Labels, label_columns
from echelon.targets import Target

HALF = 0.5
"""What is added to every cell."""

EQUAL = 1e-12
"""Shares that differ by less are those of one bin."""


class InformationValue(WeightingSelector):
    """Information value of binned features, corrected for chance.

    A bin holds the share p of one class and q of the other; log(p / q) is its weight of evidence,
    and the sum over bins of (p - q) log(p / q) the information value of the feature ([1]_, [2]_),
    the measure of credit scoring.  The information value of noise is above 0; it increases with the
    number of bins and decreases with the number of samples.  The score is therefore the information
    value minus its mean under permutation, which is known exactly.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
    discretize : {"mdl", "quantile", "isotonic"}, default="quantile"
        How numeric features are cut: where it shortens the description of the classes ([3]_), into
        intervals of equal frequency, or into such intervals of which neighbours are merged until
        the share of the second class only rises, or only falls, whichever fits better (for two
        classes; the pool-adjacent-violators algorithm).
    n_bins : int, default=10
        Intervals of "quantile", at most, and those that "isotonic" begins with: equal values are
        never separated.
    threshold : float or "shuffle", default=None
        Selected features have larger scores than this.  "shuffle": larger scores than the best
        feature of one fit to permuted y.  None: "shuffle".  Scorecards take 0.02 ([2]_).
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices.
    must_keep : mask, indices or names, default=None
        Features that are always selected and ranked first; the others are evaluated beside them.
        They count towards ``n_features_to_select``.
    feature_groups : array-like or dict, default=None
        Features that are selected all together or not at all: a label per feature (None: not in a
        group), or a dict from labels to mask, indices or names.  ``n_features_to_select`` counts
        groups, and a group has the rank of its best feature.
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Scores, larger is better: ``information_values_`` less ``chance_values_``.
    information_values_ : ndarray of shape (n_features,)
        Information value as others print it: noise is above 0.
    chance_values_ : ndarray of shape (n_features,)
        Mean information value of the same bins when y is permuted.
    bin_counts_ : list of ndarray of shape (n_bins, n_classes)
        Samples by bin and class, for every feature: intervals in ascending order, labels as they
        first occur; the missing values last, if there are any.
    bin_starts_ : list of ndarray of shape (n_bins,)
        Smallest value in every bin; NaN for missing values.  Categories are numbered from 0, as
        in ``categories_``.
    categories_ : list of ndarray or None
        Categories of every feature: as they first occur, ordered ones lowest first; None for
        numbers.
    weights_of_evidence_ : list of ndarray of shape (n_bins, n_classes)
        Log of the share of a class in the bin over that of all others.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    threshold_ : float or None
        The score that selected features exceed; None if ``n_features_to_select`` is given.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    echelon.display.WeightsOfEvidenceDisplay : The bins as a picture.
    RankCorrelation : For features that rise or fall with the target, with p-values.
    CFS : Sets of discretised features.

    Notes
    -----
    Missing values are a bin of their own.  Half a sample is added to every cell of bin and class,
    so that bins which hold one class only have a finite weight; weights of bins with a handful of
    samples are still unreliable, and ``bin_counts_`` says which these are.  With more than two
    classes the value is the mean over classes, each against all others.  The mean under permutation
    is exact for bins that do not depend on y; "mdl" cuts where the classes differ, and "isotonic"
    merges where they do not, so that what they find in noise is more than the chance value says.
    The threshold "shuffle" allows for it: it makes the bins of permuted classes again.  Beyond its
    mean, noise with k bins still spreads by about sqrt(2 (k - 1)) (1 / n_1 + 1 / n_2) for classes
    of n_1 and n_2 samples: with few samples 0.02 is no evidence.

    References
    ----------
    .. [1] S. Kullback, "Information theory and statistics", Wiley, 1959.
    .. [2] N. Siddiqi, "Credit risk scorecards", Wiley, 2006.
    .. [3] U. M. Fayyad, K. B. Irani, "Multi-interval discretization of continuous-valued
       attributes for classification learning", IJCAI 1993.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon import InformationValue
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 4))
    >>> y = rng.random(500) < 1 / (1 + np.exp(-X[:, 0]))
    >>> selector = InformationValue(n_bins=5, random_state=0).fit(X, y)
    >>> selector.support_.tolist()
    [True, False, False, False]
    >>> selector.information_values_.round(2).tolist(), selector.scores_.round(2).tolist()
    ([0.8, 0.04, 0.06, 0.03], [0.77, 0.0, 0.03, 0.0])
    >>> selector.weights_of_evidence_[0][:, 1].round(1).tolist()
    [-1.4, -0.6, -0.1, 1.0, 1.0]
    """

    _allow_nan = True
    _own_threshold = "shuffle"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WeightingSelector._parameter_constraints,
        **CUT_CONSTRAINTS,
        "discretize": [StrOptions({"mdl", "quantile", "isotonic"})],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        discretize: str = "quantile",
        n_bins: int = 10,
        threshold: float | str | None = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ):
        self.n_features_to_select = n_features_to_select
        self.discretize = discretize
        self.n_bins = n_bins
        self.threshold = threshold
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    def _read(self, X: Any, y: Any) -> tuple[Any, Target]:
        features, target = super()._read(X, y)
        return features if isinstance(X, Data) else replace(features, table=_frame(X)), target

    def _scores(self, features: Data, target: Target, random_state: Any) -> np.ndarray:
        codes = target.class_codes
        self._nominal, frame = features.nominal, features.frame
        self.categories_ = [
            _categories(frame.iloc[:, j], nominal) for j, nominal in enumerate(self._nominal)
        ]
        labels = self._bins(features, codes)
        name = type(self).__name__
        tables = _tables(labels, codes)
        shown = track(tables, total=len(tables), description=name, verbose=self.verbose)
        self.bin_counts_ = tables
        self.bin_starts_ = _starts(features.values, labels)
        self.information_values_ = _information_values(tables)
        self.chance_values_ = _chance_values(shown, np.bincount(codes))
        return self.information_values_ - self.chance_values_

    def _bins(self, features: Data, codes: np.ndarray) -> Labels:
        if self.discretize != "isotonic":
            return label_columns(features, codes, self.discretize, self.n_bins)
        if codes.max() > 1:
            raise ValueError(
                f'`discretize` must be "quantile" or "mdl" for {int(codes.max()) + 1} classes, got '
                '"isotonic", which is for two. Choose one of these.'
            )
        return merged(features, label_columns(features, codes, "quantile", self.n_bins), codes)

    def frame(self) -> pd.DataFrame:
        """Bins of all features, one row each; with more than two classes one per bin and class.

        Returns
        -------
        frame : DataFrame
            With ``feature``; ``start``, the smallest value in the bin (NaN: missing values;
            categories are numbered as they first occur); the ``category``, or the first and last
            one of an ordered feature (None for numbers); the number of ``samples``; the ``class``,
            the second one of two; its ``share`` in the bin; its ``weight_of_evidence``; and
            ``information``, what the bin adds to the information value of that class.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", np.arange(self.n_features_in_))
        classes = range(len(self.classes_))[len(self.classes_) == 2 :]
        parts = []
        for j, (name, counts, starts) in enumerate(
            zip(names, self.bin_counts_, self.bin_starts_, strict=True)
        ):
            p, q = _shares(counts, counts.sum(axis=0), len(counts))
            samples, weights = counts.sum(axis=1), np.log(p) - np.log(q)
            parts += [
                pd.DataFrame(
                    {
                        "feature": name,
                        "start": starts,
                        "category": self._categories_of_bins(j),
                        "samples": samples,
                        "class": self.classes_[c],
                        "share": counts[:, c] / samples,
                        "weight_of_evidence": weights[:, c],
                        "information": (p[:, c] - q[:, c]) * weights[:, c],
                    }
                )
                for c in classes
            ]
        return pd.concat(parts, ignore_index=True)

    def _categories_of_bins(self, j: int) -> list[str | None]:
        """What the bins of a feature hold; None for numbers and missing values."""
        categories, starts = self.categories_[j], self.bin_starts_[j]
        if categories is None:
            return [None] * len(starts)
        names = [str(each) for each in categories]
        found: list[str | None] = []
        for start, end in zip(starts, [*starts[1:], np.nan], strict=True):
            last = len(names) if np.isnan(end) else int(end)
            if np.isnan(start):
                found.append(None)
            elif self._nominal[j] or last == int(start) + 1:
                found.append(names[int(start)])
            else:
                found.append(f"{names[int(start)]} to {names[last - 1]}")
        return found

    def to_weights_of_evidence(self, X: Any) -> pd.DataFrame:
        """Samples as the weights of evidence of their bins, for the selected features.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples, with the columns of the fit.

        Returns
        -------
        weights : DataFrame of shape (n_samples, n_selected)
            Weights of the second of two classes: what a scorecard adds up.  0 for categories that
            the fit did not see, and for missing values where there were none.
        """
        check_is_fitted(self)
        if len(self.classes_) != 2:
            raise ValueError(
                f"Samples have one weight of evidence for two classes, got {len(self.classes_)} "
                "classes. Fit to two of them."
            )
        X = as_table(X)
        validate_data(self, names_of(X), reset=False, skip_check_array=True)
        frame, weights = _frame(X), self.weights_of_evidence_
        kept = np.flatnonzero(self.support_).tolist()
        found = [self._weighed(frame.iloc[:, j], j, weights[j][:, 1]) for j in kept]
        table = np.column_stack(found) if found else np.empty((len(frame), 0))
        return pd.DataFrame(table, index=frame.index, columns=self.get_feature_names_out())

    def _weighed(self, column: pd.Series, j: int, weights: np.ndarray) -> np.ndarray:
        """The weight of the bin of every value of a feature."""
        categories, starts = self.categories_[j], self.bin_starts_[j]
        has_gaps = bool(np.isnan(starts[-1]))
        starts = starts[: len(starts) - has_gaps]
        missing = column.isna().to_numpy()
        if categories is None:
            with numbers_that_fit(f"column {column.name!r} of X"):
                values = pd.to_numeric(column).to_numpy(dtype=float, na_value=np.nan)
        else:
            values = pd.Index(categories).get_indexer(pd.Index(column)).astype(float)
        known = ~missing if categories is None else values >= 0
        bins = np.clip(np.searchsorted(starts, values, side="right") - 1, 0, None)
        found = np.where(known & (len(starts) > 0), weights[bins], 0.0)
        return np.where(missing, weights[-1] if has_gaps else 0.0, found)

    @property
    def weights_of_evidence_(self) -> list[np.ndarray]:
        """Log of the share of a class in the bin over that of all others, for every feature."""
        found = []
        for counts in self.bin_counts_:
            p, q = _shares(counts, counts.sum(axis=0), len(counts))
            found.append(np.log(p) - np.log(q))
        return found


def _frame(X: Any) -> pd.DataFrame:
    """The columns as they are, whatever holds them."""
    X = as_pandas(X)
    return X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X))


def _categories(column: pd.Series, nominal: bool) -> np.ndarray | None:
    """The categories of a feature; None for numbers."""
    if nominal:
        return np.asarray(pd.unique(column.dropna()), dtype=object)
    if isinstance(column.dtype, pd.CategoricalDtype):
        return np.asarray(column.cat.categories, dtype=object)
    return None


def _tables(labels: Labels, classes: np.ndarray) -> list[np.ndarray]:
    """Samples by label and class, for every feature; labels that do not occur are left out."""
    n_classes = int(classes.max()) + 1
    cells = labels.codes.astype(np.int64) * n_classes + classes
    counted = [
        np.bincount(row, minlength=n * n_classes).reshape(n, n_classes)
        for row, n in zip(cells, labels.n_labels, strict=True)
    ]
    return [table[table.any(axis=1)] for table in counted]


def merged(features: Data, labels: Labels, classes: np.ndarray) -> Labels:
    """Intervals merged until the share of the second class goes one way only."""
    codes, n_labels = labels.codes.copy(), labels.n_labels.copy()
    for f in np.flatnonzero(~features.nominal):
        present = ~np.isnan(features.values[:, f])
        if not present.any():
            continue
        sizes = np.bincount(codes[f, present])
        shares = np.bincount(codes[f, present], classes[present]) / sizes
        ways = [isotonic_regression(shares, sample_weight=sizes, increasing=up)
                for up in (True, False)]  # fmt: skip
        # Equal but for rounding: bins rise.
        losses = [round(float(sizes @ (shares - way) ** 2), 9) for way in ways]
        levels = ways[losses.index(min(losses))]
        merged_codes = np.concatenate([[0], np.cumsum(np.abs(np.diff(levels)) > EQUAL)])
        codes[f, present] = merged_codes[codes[f, present]]
        codes[f, ~present] = merged_codes[-1] + 1
        n_labels[f] = merged_codes[-1] + 1 + (not present.all())
    return Labels(codes, n_labels)


def _starts(values: np.ndarray, labels: Labels) -> list[np.ndarray]:
    """The smallest value of every label that occurs; NaN is that of missing values."""
    found = []
    for column, codes, n in zip(values.T, *labels, strict=True):
        starts = np.full(n, np.inf)
        with np.errstate(invalid="ignore"):
            np.minimum.at(starts, codes, column)
        found.append(starts[~np.isinf(starts)])
    return found


def _shares(counts: np.ndarray, sizes: np.ndarray, n_bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Shares in bins of every class and of all others, from samples by (..., bin, class).

    ``sizes`` are the samples of the classes.
    """
    others = counts.sum(axis=-1, keepdims=True) - counts
    n_others = sizes.sum() - sizes
    total = HALF * n_bins
    return (counts + HALF) / (sizes + total), (others + HALF) / (n_others + total)


def _information_values(tables: list[np.ndarray]) -> np.ndarray:
    """The information value of every table of samples by bin and class, a mean over classes."""
    found = np.empty(len(tables))
    n_bins = np.array([len(table) for table in tables])
    for k in np.unique(n_bins):
        alike = np.flatnonzero(n_bins == k)
        counts = np.stack([tables[f] for f in alike])
        p, q = _shares(counts, counts[0].sum(axis=0), int(k))
        found[alike] = ((p - q) * (np.log(p) - np.log(q))).sum(axis=1).mean(axis=1)
    return found


def _chance_values(tables: Iterable[np.ndarray], sizes: np.ndarray) -> np.ndarray:
    """The mean information value of features that are permuted, by the sizes of their bins.

    ``sizes`` are the samples of the classes.
    """
    n = int(sizes.sum())

    @cache  # bins of equal frequency have one size or two
    def expected(size: int, n_bins: int) -> float:
        """The mean term of one bin, over classes and permutations."""
        return float(np.mean([of_class(size, n_bins, int(own)) for own in sizes]))

    def of_class(size: int, n_bins: int, own: int) -> float:
        """With ``own`` samples of the class, drawn without replacement into the bin."""
        drawn = np.arange(max(0, size - (n - own)), min(size, own) + 1)
        cells = np.stack([drawn, size - drawn], axis=1)
        p, q = (part[:, 0] for part in _shares(cells, np.array([own, n - own]), n_bins))
        return float(hypergeom.pmf(drawn, n, own, size) @ ((p - q) * (np.log(p) - np.log(q))))

    @cache
    def of_bins(sizes_of_bins: tuple[int, ...]) -> float:
        return sum(expected(size, len(sizes_of_bins)) for size in sizes_of_bins)

    return np.array([of_bins(tuple(np.sort(table.sum(axis=1)).tolist())) for table in tables])
