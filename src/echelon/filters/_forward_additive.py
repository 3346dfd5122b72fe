"""ForwardAdditive: features that add to each other in an additive model of any curves.

Features are put into bins, and models are boosted on these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from echelon._core.compat import Interval, StrOptions
from echelon._core.directions import directions
from echelon._core.samples import row_counts
from echelon.data import Data
from echelon.filters._base import BaggedSelector, has_order, label_columns, outputs, path_of
from echelon.filters._loops import TIE, boost
from echelon.targets import Target

_OUTSIDE = 1 / (np.e - 1)
"""Samples outside a bag for each one inside: exp(-1) and 1 - exp(-1) of all."""

SMALL = 200_000
"""Up to so many samples times features times outputs, a model is boosted by arrays.

Without conditions on curves, a fit by arrays then takes at most some 0.1 s longer than by compiled
loops, and compiling takes seconds.
"""


class ForwardAdditive(BaggedSelector):
    """Boosting of an additive model, one feature at a time, with out-of-bag evaluation.

    Every round chooses the feature whose bin means reduce the squared error of the target most, and
    takes a small step: componentwise boosting ([1]_) of an additive model with effects of any
    shape.  A separate model is boosted on each bootstrap sample, and every step is credited to its
    feature by how much it reduces the error of the samples *outside* ([2]_), where noise gains
    nothing, however many bins it has.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those whose score exceeds 0 by more than its
        standard error; with ``n_bags=0`` those taken.
    n_bins : int, default=16
        Bins of equal frequency of a numeric feature, at most; a feature with no more different
        values keeps them all.  Equal values are never separated.
    learning_rate : float, default=0.1
        Share of a round's bin means that is added to the model.
    n_rounds : int, default=100
        Rounds of boosting, at most.
    shrinkage : float, default=1.0
        Bin means are shrunk as if so many more samples of mean 0 were in the bin.
    monotonic_cst : array-like, dict, "auto" or None, default=None
        1, -1 or 0 for features whose curve must rise, fall or do neither, by name or for all;
        "auto": the sign of Kendall's tau.  None: no conditions.
    n_bags : int, default=10
        Bootstrap samples.  0: none, one fit to all samples.
    kind : {"auto", "ordinal", "classification", "regression"}, default="auto"
        Type of the target: ordered classes, unordered classes, or continuous.  "auto" infers it
        (:func:`echelon.targets.read_target`); a few different numbers are ordered classes.
    class_order : sequence, default=None
        The classes from lowest to highest; the target is then ordinal.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
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
        Scores, larger is better: ``credits_``, or 0 where they are negative: that noise was taken
        says no more of it than that it was not.
    credits_ : ndarray of shape (n_features,)
        Mean over the bags of the share by which the feature lowers the squared error of the
        samples outside (``n_bags=0``: of all samples).
    standard_errors_ : ndarray of shape (n_features,)
        Of the credits, from their spread over the bags, corrected for the overlap of bags ([3]_);
        0 with fewer than two bags.
    path_ : recarray
        Steps of the search: the ``feature`` taken for the first time, and ``value``, R squared
        after that round.  Only with ``n_bags=0``.
    monotonic_cst_ : ndarray of shape (n_features,)
        Direction of every feature, as used.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    kind_ : str
        Type of the target, as given or inferred.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.  Not for regression.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    ForwardLinear : Straight lines instead of curves, for fewer samples.
    RankCorrelation : Every feature by itself.

    Notes
    -----
    The model predicts the codes of ordered classes and of two classes, numbers as they are, and
    the indicators of more classes without an order, whose errors are added.  Missing values are a
    bin of their own, and so is every label of a nominal feature.  Features that score alike are
    ordered by the gain of their bins alone, on all samples, less what bins gain by chance.  Among
    features that gain alike in a round the lowest index is taken.  The cost of a round is samples
    times features.

    References
    ----------
    .. [1] P. Bühlmann, B. Yu, "Boosting with the L2 loss: regression and classification", Journal
       of the American Statistical Association 98, 2003.
    .. [2] L. Breiman, "Out-of-bag estimation", technical report, University of California,
       Berkeley, 1996.
    .. [3] C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine Learning 52,
       2003.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon import ForwardAdditive
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 6))
    >>> y = np.digitize(X[:, 0] ** 2 + X[:, 1], [0, 1, 2])
    >>> selector = ForwardAdditive(random_state=0).fit(X, y)
    >>> selector.support_.tolist()
    [True, True, False, False, False, False]
    >>> ForwardAdditive(n_bags=0, n_rounds=30).fit(X, y).path_.feature[:2].tolist()
    [1, 0]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaggedSelector._parameter_constraints,
        "n_bins": [Interval(Integral, 2, None, closed="left")],
        "learning_rate": [Interval(Real, 0, 1, closed="right")],
        "n_rounds": [Interval(Integral, 1, None, closed="left")],
        "shrinkage": [Interval(Real, 0, None, closed="neither")],
        "monotonic_cst": [StrOptions({"auto"}), "array-like", dict, None],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_bins: int = 16,
        learning_rate: float = 0.1,
        n_rounds: int = 100,
        shrinkage: float = 1.0,
        monotonic_cst: Any = None,
        n_bags: int = 10,
        kind: str = "auto",
        class_order: Sequence | None = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ):
        self.n_features_to_select = n_features_to_select
        self.n_bins = n_bins
        self.learning_rate = learning_rate
        self.n_rounds = n_rounds
        self.shrinkage = shrinkage
        self.monotonic_cst = monotonic_cst
        self.n_bags = n_bags
        self.kind = kind
        self.class_order = class_order
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    def _search(self, columns: Data, target: Target) -> Additive:
        self.monotonic_cst_ = self._directions(columns, target)
        return Additive(
            bin_columns(columns, self.n_bins),
            self.monotonic_cst_,
            outputs(target),
            n_rounds=self.n_rounds,
            rate=float(self.learning_rate),
            shrinkage=float(self.shrinkage),
            counts=columns.weights,
            first=self._choice.first,
        )

    def _directions(self, columns: Data, target: Target) -> np.ndarray:
        if self.monotonic_cst is None:
            return np.zeros(len(columns.nominal), dtype=int)
        if not has_order(target):
            raise ValueError(
                f"`monotonic_cst` must be None for classes without an order, got "
                f"{self.monotonic_cst!r}. Give their order in `class_order`, if they have one."
            )
        codes = np.unique(target.numbers, return_inverse=True)[1]
        return directions(self.monotonic_cst, columns, codes)

    def _judge(self, found: list[Boosted]) -> tuple[np.ndarray, np.ndarray]:
        by_bag = np.array([each.credit for each in found])
        if not self.n_bags:
            (alone,) = found
            features, rounds = np.unique(alone.features, return_index=True)
            order = np.argsort(rounds)
            self.path_ = path_of(features[order], alone.r_squared[rounds[order]])
            gains = np.diff(alone.r_squared, prepend=0.0)
            by_bag = np.bincount(alone.features, gains, self.n_features_in_)[None]
        self.credits_ = by_bag.mean(axis=0)
        self.standard_errors_ = np.zeros(self.n_features_in_)
        if len(found) > 1:
            # Bags overlap: their spread alone would understate the error, the more bags the more.
            spread = by_bag.std(axis=0, ddof=1)
            self.standard_errors_ = spread * np.sqrt(1 / len(found) + _OUTSIDE)
        scores = np.maximum(self.credits_, 0)
        return scores, scores > self.standard_errors_


class Bins(NamedTuple):
    """Bins of every feature, shape (n_features, n_samples); how many, and how many in order."""

    codes: np.ndarray
    n_bins: np.ndarray
    n_ordered: np.ndarray


def bin_columns(columns: Data, n_bins: int) -> Bins:
    """Bins of equal frequency, or all values of features that have no more than ``n_bins``."""
    n_samples = len(columns.values)
    unused = np.zeros(n_samples, int)
    coarse = label_columns(columns, unused, "quantile", n_bins)
    # Twice as many bins as samples separate all values.
    fine = label_columns(replace(columns, weights=None), unused, "quantile", 2 * n_samples)
    gaps = np.isnan(columns.values).any(axis=0)
    few = fine.n_labels - gaps <= n_bins
    codes = np.where(few[:, None], fine.codes, coarse.codes)
    n_labels = np.where(few, fine.n_labels, coarse.n_labels)
    return Bins(codes, n_labels, np.where(columns.nominal, 0, n_labels - gaps))


class Boosted(NamedTuple):
    """Features by round, R squared after each, and the credit of every feature outside."""

    features: np.ndarray
    r_squared: np.ndarray
    credit: np.ndarray


class Additive(NamedTuple):
    """Additive models of the same bins and outputs, boosted one feature at a time.

    Parameters
    ----------
    bins : Bins
        Bins of every feature.
    directions : ndarray of shape (n_features,)
        1, -1 or 0 for features whose values must rise, fall or do neither.
    outputs : ndarray of shape (n_samples, n_outputs)
        What the model predicts; errors are summed over the outputs.
    n_rounds, rate, shrinkage
        As in :class:`ForwardAdditive`.
    counts : ndarray of shape (n_samples,), default=None
        How many samples every row stands for; None: each for itself.
    first : sequence of int, default=()
        Features that are boosted by themselves, before all are.
    """

    bins: Bins
    directions: np.ndarray
    outputs: np.ndarray
    n_rounds: int
    rate: float
    shrinkage: float
    counts: np.ndarray | None = None
    first: Sequence[int] = ()

    def run(self, drawn: np.ndarray, n_steps: int | None = None) -> Boosted:
        """Boost a model of the samples drawn; ``n_steps`` is not used: all rounds count."""
        counts = row_counts(self.counts, len(drawn))
        weights, first = counts * drawn, np.array(self.first, dtype=np.int64)
        residual = self._centred(weights)
        rounds = self._rounds(first, residual, weights) if len(first) else []
        left = residual - sum((self._step(*each) for each in rounds), np.zeros_like(residual))
        others = np.setdiff1d(np.arange(len(self.bins.codes)), first)
        everything = np.concatenate([first, others])  # of copies, the first one is taken
        rounds += self._rounds(everything, left, weights)
        return self._judged(rounds, residual, weights, np.where(drawn == 0, counts, 0.0))

    def _centred(self, weights: np.ndarray) -> np.ndarray:
        """Outputs of mean 0, as rows."""
        outputs = np.ascontiguousarray(self.outputs.T)
        return outputs - (weights * outputs).sum(axis=1, keepdims=True) / weights.sum()

    def _rounds(
        self, some: np.ndarray, residual: np.ndarray, weights: np.ndarray
    ) -> list[tuple[int, np.ndarray]]:
        """The feature of every round on some features, and its curve."""
        inside = np.flatnonzero(weights)
        features = np.empty(self.n_rounds, np.int64)
        curves = np.empty((self.n_rounds, len(residual), self.bins.n_bins.max()))
        codes, n_bins, n_ordered = (part[some] for part in self.bins)
        shape = n_bins, n_ordered, self.directions[some]
        how = weights[inside], self.rate, self.shrinkage, features, curves
        if self.bins.codes.size * len(residual) <= SMALL and not self.directions.any():
            done = boost_by_arrays(codes[:, inside], residual[:, inside], *how)
        else:
            done = boost(codes[:, inside], *shape, residual[:, inside], *how)
        return list(zip(some[features[:done]].tolist(), curves[:done], strict=True))

    def _step(self, feature: int, curve: np.ndarray) -> np.ndarray:
        """What a round takes from the residual."""
        return self.rate * curve[:, self.bins.codes[feature]]

    def _judged(
        self,
        rounds: list[tuple[int, np.ndarray]],
        residual: np.ndarray,
        weights: np.ndarray,
        outside: np.ndarray,
    ) -> Boosted:
        """What the rounds lower the squared error of the samples inside and outside by."""
        before, unseen = (weights * residual**2).sum(), (outside * residual**2).sum()
        errors, credit = np.empty(len(rounds)), np.zeros(len(self.bins.codes))
        for t, (feature, curve) in enumerate(rounds):
            new = residual - self._step(feature, curve)
            credit[feature] += (outside * (residual**2 - new**2)).sum()
            residual = new
            errors[t] = (weights * residual**2).sum()
        features = np.array([feature for feature, _ in rounds], np.int64)
        return Boosted(
            features, 1 - errors / before if before > 0 else errors, credit / (unseen or 1)
        )

    def single_worth(self) -> np.ndarray:
        """Gain of every feature's bin means by itself, less what bins gain by chance."""
        counts = row_counts(self.counts, len(self.outputs))
        outputs = self._centred(counts)
        chance = (counts * outputs**2).sum() / counts.sum()
        worth = np.empty(len(self.bins.codes))
        for f, (codes, n_bins) in enumerate(zip(self.bins.codes, self.bins.n_bins, strict=True)):
            sizes = np.bincount(codes, counts, n_bins)
            sums = np.array([np.bincount(codes, counts * y, n_bins) for y in outputs])
            worth[f] = (sums**2 / np.where(sizes > 0, sizes, 1.0)).sum() - (n_bins - 1) * chance
        return worth


def boost_by_arrays(
    bins: np.ndarray,
    residual: np.ndarray,
    weights: np.ndarray,
    rate: float,
    shrinkage: float,
    features: np.ndarray,
    curves: np.ndarray,
) -> int:
    """``_loops.boost`` for features without direction: all features in every round."""
    (p, n), (k, most) = bins.shape, curves.shape[1:]
    cells = (bins + most * np.arange(p)[:, None]).ravel()
    where = cells, np.tile(np.arange(n), p)
    membership = csr_array((np.ones(p * n), where), shape=(p * most, n))
    sizes = (membership @ weights)[:, None]
    least = 1e-12 * float((weights * residual**2).sum())
    for t in range(len(features)):
        sums = membership @ (weights * residual).T
        means = sums / (sizes + shrinkage)
        gains = (means * (2 * sums - sizes * means)).reshape(p, -1).sum(axis=1)
        best = int(np.argmax(gains >= gains.max() * (1 - TIE)))
        if not gains[best] > least:
            return t
        features[t] = best
        curves[t] = means.reshape(p, most, k)[best].T
        residual -= rate * curves[t][:, bins[best]]
    return len(features)
