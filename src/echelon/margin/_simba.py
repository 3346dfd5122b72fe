"""Simba and O-Simba: feature weights that climb the margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import clone

from echelon._core.compat import Interval
from echelon._core.jobs import track
from echelon.data import Data
from echelon.engines import Engine, Samples, resolve_engine
from echelon.margin import _loops
from echelon.margin._base import MarginSelector, OrderedClassesMixin
from echelon.targets import Target

_TERMS_PER_CALL = 10**8
"""Differences computed before looking whether to stop: a fraction of a second."""


class Climb(NamedTuple):
    """The runs of one fit, which differ in their seeds; may be pickled.

    Attributes
    ----------
    data : tuple
        The samples, as ``_loops.ascend`` takes them.
    rule : int
        Whether classes have an order, and hits must dominate.
    n_epochs : int
        Visits to every sample.
    compared : bool
        Whether there are several runs, of which one is kept.
    stopped : list
        Whoever puts something into it stops the runs of this process.
    """

    data: tuple[Any, ...]
    rule: int
    n_epochs: int
    compared: bool
    stopped: list[bool]

    def run(self, seed: int) -> tuple[float, np.ndarray]:
        """One run: its sum of margins (if there are others to compare with) and its weights."""
        values = self.data[0]
        rng = np.random.default_rng(seed)
        weights = np.ones(values.shape[1])
        part_size = max(1, _TERMS_PER_CALL // values.size)
        for _ in range(self.n_epochs):
            order = rng.permutation(len(values))
            for part in np.array_split(order, np.arange(part_size, len(order), part_size)):
                if not self.stopped:
                    _loops.ascend(self.data, part, self.rule, weights)
        if not self.compared:
            return 0.0, weights
        # e(aw) = |a| e(w), so only weights of one size compare.
        unit = weights / (np.abs(weights).max() or 1.0)
        return _loops.margin_sum(self.data, self.rule, unit), weights


class AscentSelector(MarginSelector):
    """Gradient ascent on the margin of a weighted Euclidean distance, from equal weights."""

    _own_threshold = "mean"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MarginSelector._parameter_constraints,
        "n_epochs": [Interval(Integral, 1, None, closed="left")],
        "n_restarts": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        n_epochs: int = 1,
        n_restarts: int = 1,
        threshold: float | str | None = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        engine: str | Engine = "auto",
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_epochs = n_epochs
        self.n_restarts = n_restarts
        self.threshold = threshold
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.engine = engine
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    def _arrange(self, columns: Data, target: Target) -> Samples:
        # In double precision, so that equal distances are equal whatever the numbers came in.
        values = columns.values.astype(np.float64, copy=False)
        return super()._arrange(replace(columns, values=values), target)

    def _weights(self, samples: Samples, random_state: Any) -> np.ndarray:
        seeds = random_state.randint(2**31, size=self.n_restarts)
        data = tuple(getattr(samples, name) for name in _loops.FIELDS)
        rule = _loops.RULES[getattr(self, "dominance", None)]
        climb = Climb(data, rule, self.n_epochs, self.n_restarts > 1, [])
        climbs = track(
            resolve_engine(self.engine, self.n_jobs).spread(Climb.run, climb, seeds),
            total=self.n_restarts,
            description="Simba restarts",
            verbose=self.verbose,
        )
        try:
            _, best = max(climbs, key=lambda climbed: climbed[0])
        finally:
            climb.stopped.append(True)  # after an interruption, no climb goes on in the background
        self.largest_weight_ = float((best**2).max())
        return samples.per_feature(best**2 / (self.largest_weight_ or 1.0))

    def _chance_score(self, features: Data, shuffled: Target, random_state: Any) -> float:
        """The largest weight after permuting, on the scale of ours (either is 1 on its own)."""
        chance = clone(self)
        chance._scores(features, shuffled, random_state)
        return chance.largest_weight_ / (self.largest_weight_ or 1.0)


class Simba(AscentSelector):
    """Simba: weights that maximise the margin of the nearest-neighbour rule.

    Samples are visited in random order.  Each moves the weights up the gradient of its margin, the
    weighted Euclidean distance to its nearest miss less that to its nearest hit, searched again
    under the weights of the moment (Algorithm 3 of [1]_).  The result is w^2 / max(w^2).

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
    n_epochs : int, default=1
        Visits to every sample.
    n_restarts : int, default=1
        Independent runs in other random orders, in parallel; the one with the largest sum of
        margins, for weights scaled to a maximum of 1, is kept.
    threshold : float or "shuffle", default=None
        Selected features have larger scores than this.  "shuffle": larger scores than the best
        feature of one fit to permuted y.  None: scores above the mean.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
    engine : {"auto", "numpy", "numba", "torch", "dask"} or Engine, default="auto"
        The backend that does the computing.
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
        Scores, larger is better: from 0 to 1.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    threshold_ : float or None
        The score that selected features exceed; None if ``n_features_to_select`` is given.
    largest_weight_ : float
        max(w^2), by which the scores were divided.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    OSimba : For classes with an order.

    Notes
    -----
    Equally near neighbours, to nine digits: the lowest row, whatever the dtype and the order of
    columns.  A neighbour at distance 0 has no gradient and is skipped.
    Missing values are not supported.  The cost of an epoch grows with the square of the number of
    samples.

    References
    ----------
    .. [1] Q. Hu, W. Pan, Y. Song, D. Yu, "Large-margin feature selection for monotonic
       classification", Knowledge-Based Systems 31, 2012.
    .. [2] R. Gilad-Bachrach, A. Navot, N. Tishby, "Margin based feature selection - theory and
       algorithms", ICML 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from echelon import Simba
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> Simba(2, random_state=0).fit(X, y).get_feature_names_out().tolist()
    ['color_intensity', 'proline']
    """


class OSimba(OrderedClassesMixin, AscentSelector):
    """O-Simba: Simba for ordered classes.

    The margin of a sample has two parts, upward and downward: the distance to the nearest sample
    of the classes above less that to the nearest hit that is no worse on any feature, and the
    mirror image of it (Equation 12 of [1]_).

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
    n_epochs : int, default=1
        Visits to every sample.
    n_restarts : int, default=1
        Independent runs in other random orders, in parallel; the one with the largest sum of
        margins, for weights scaled to a maximum of 1, is kept.
    dominance : {"prefer", "require", "ignore"}, default="prefer"
        Must an upward hit be at least as good on all features (and a downward hit at most)?
        "require" is the paper's rule, but in many dimensions such hits hardly exist; "prefer"
        takes the nearest sample of the class where there is none, "ignore" always does.
    monotonic_cst : array-like, dict, "auto" or None, default="auto"
        For every feature 1 (larger is better), -1 (smaller is better) or 0 (no order), as an
        array, or a dict or Series by feature name (those not named: 0).  "auto": the
        sign of Kendall's tau with y.  None: larger is better throughout.
    class_order : sequence, default=None
        The classes from lowest to highest.  Required for classes that are neither integers nor an
        ordered categorical.
    threshold : float or "shuffle", default=None
        Selected features have larger scores than this.  "shuffle": larger scores than the best
        feature of one fit to permuted y.  None: scores above the mean.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
    engine : {"auto", "numpy", "numba", "torch", "dask"} or Engine, default="auto"
        The backend that does the computing.
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
        Scores, larger is better: from 0 to 1.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    threshold_ : float or None
        The score that selected features exceed; None if ``n_features_to_select`` is given.
    largest_weight_ : float
        max(w^2), by which the scores were divided.
    monotonic_cst_ : ndarray of shape (n_features,)
        Direction of every feature, as used.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    Simba : For classes without an order.

    Notes
    -----
    Equally near neighbours, to nine digits: the lowest row, whatever the dtype and the order of
    columns.  A neighbour at distance 0 has no gradient and is skipped; so is
    a direction without a miss, its hit included.  Missing values are not supported.

    References
    ----------
    .. [1] Q. Hu, W. Pan, Y. Song, D. Yu, "Large-margin feature selection for monotonic
       classification", Knowledge-Based Systems 31, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from echelon import OSimba
    >>> X, y = load_iris(return_X_y=True, as_frame=True)  # 0, 1, 2: from small to large flowers
    >>> OSimba(random_state=0).fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **AscentSelector._parameter_constraints,
        **OrderedClassesMixin._order_constraints,
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        n_epochs: int = 1,
        n_restarts: int = 1,
        dominance: str = "prefer",
        monotonic_cst: Any = "auto",
        class_order: Sequence | None = None,
        threshold: float | str | None = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        engine: str | Engine = "auto",
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_features_to_select,
            n_epochs=n_epochs,
            n_restarts=n_restarts,
            threshold=threshold,
            categorical_features=categorical_features,
            random_state=random_state,
            n_jobs=n_jobs,
            engine=engine,
            must_keep=must_keep,
            feature_groups=feature_groups,
            verbose=verbose,
        )
        self.dominance = dominance
        self.monotonic_cst = monotonic_cst
        self.class_order = class_order
