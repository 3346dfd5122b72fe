"""k-means for intervals."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from echelon._core.compat import Interval, fit_context
from echelon.data import as_table
from echelon.intervals._intervals import Intervals, Scale, mean_intervals, read_intervals
from echelon.intervals._loops import assign


class _Run(NamedTuple):
    """One run from one start; centres are scaled."""

    inertia: float
    labels: np.ndarray
    centers: np.ndarray
    n_iter: int


class IntervalKMeans(ClusterMixin, BaseEstimator):
    """k-means whose samples and centres are intervals.

    A sample belongs to the nearest centre, and a centre is the interval of the mean bounds of its
    samples (section 2 of [1]_).  The distance is the sum over features of the L2 norm
    of the differences of lower and of upper bounds.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    n_init : int, default=10
        Starts; the result with the smallest inertia is kept.
    max_iter : int, default=300
        Largest number of steps from one start.
    scale : bool, default=True
        Scale every feature by its smallest lower and largest upper bound, so that features of
        different units compare.  False: use them as they are.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features, 2)
        Mean lower and upper bounds of the clusters, in the units of X.
    labels_ : ndarray of shape (n_samples,)
        Cluster of every sample.
    inertia_ : float
        Sum of the distances of the samples to their centres, scaled.
    ranges_ : ndarray of shape (n_features, 2)
        Smallest lower and largest upper bound of every feature, by which it is scaled.
    n_iter_ : int
        Steps taken from the best start.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    echelon.evaluation.clustering_accuracy : How well clusters agree with known classes.

    Notes
    -----
    ``X`` is whatever :class:`echelon.IntervalRelief` takes, without missing values.

    The first centre is a random sample; each further one is drawn with a probability in
    proportion to its distance from the nearest centre so far (k-means++, for a sum of distances
    rather than of their squares).  An empty cluster takes the sample farthest from its centre.
    The mean does not minimise a sum of distances that are not squared, so a step may make the
    inertia larger; a run ends when no sample moves.

    References
    ----------
    .. [1] I. Hazarika, R. Mishra, A. K. Mahanta, "A dissimilarity margin based feature selection
       method for interval data".
    .. [2] D. Arthur, S. Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon import IntervalKMeans
    >>> X = np.array([[[0, 1]], [[0, 2]], [[8, 9]], [[7, 9]]])  # four samples, one feature
    >>> kmeans = IntervalKMeans(n_clusters=2, random_state=0).fit(X)
    >>> kmeans.labels_.tolist()
    [0, 0, 1, 1]
    >>> kmeans.cluster_centers_[:, 0].round(3).tolist()
    [[0.0, 1.5], [7.5, 9.0]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "scale": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_init: int = 10,
        max_iter: int = 300,
        scale: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.scale = scale
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> IntervalKMeans:
        """Find the clusters.

        Parameters
        ----------
        X : array-like or DataFrame
            Samples: intervals or points.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The fitted clusterer.
        """
        intervals = self._read(X, fitting=True)
        n_samples = len(intervals.values)
        if n_samples < self.n_clusters:
            raise ValueError(
                f"`n_clusters` must be at most the number of samples, n_samples={n_samples}, got "
                f"{self.n_clusters}. Ask for fewer clusters."
            )
        self.ranges_ = intervals.ranges
        scale = self._scale(intervals.values)
        rng = check_random_state(self.random_state)
        best = min((self._run(scale, rng) for _ in range(self.n_init)), key=lambda run: run.inertia)
        self.cluster_centers_ = scale.restored(best.centers)
        self.labels_, self.inertia_, self.n_iter_ = best.labels, best.inertia, best.n_iter
        self._warn_if_empty(len(np.unique(best.labels)))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The nearest cluster of every sample.

        Parameters
        ----------
        X : array-like or DataFrame
            Samples: intervals or points.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Index of the cluster.
        """
        check_is_fitted(self)
        intervals = self._read(X, fitting=False)
        centers = self._scale(self.cluster_centers_).scaled()
        return _assigned(self._scale(intervals.values), centers)[0]

    def _read(self, X: Any, *, fitting: bool) -> Intervals:
        X = as_table(X)
        intervals = read_intervals(X, allow_nan=False, min_samples=1)
        validate_data(self, X, skip_check_array=True, reset=fitting)
        return intervals

    def _scale(self, values: np.ndarray) -> Scale:
        return Scale.of(values, self.ranges_) if self.scale else Scale.none(values)

    def _run(self, scale: Scale, rng: np.random.RandomState) -> _Run:
        """Steps 1 to 4 of the paper from one start."""
        centers = self._start(scale, rng)
        labels, n_iter, moved = np.full(len(scale.values), -1), 0, True
        while moved and n_iter < self.max_iter:
            before = labels
            labels = _without_empty(*_assigned(scale, centers), self.n_clusters)
            centers = mean_intervals(scale, labels, self.n_clusters)
            moved = not np.array_equal(labels, before)
            n_iter += 1
        labels, distances = _assigned(scale, centers)
        return _Run(float(distances.sum()), labels, centers, n_iter)

    def _start(self, scale: Scale, rng: np.random.RandomState) -> np.ndarray:
        """Samples far from each other, by k-means++."""
        chosen = [rng.randint(len(scale.values))]
        distances = np.full(len(scale.values), np.inf)
        while len(chosen) < self.n_clusters:
            newest = scale._replace(values=scale.values[chosen[-1:]]).scaled()
            distances = np.minimum(distances, _assigned(scale, newest)[1])
            total = distances.sum()
            chances = distances / total if total > 0 else None
            chosen.append(rng.choice(len(distances), p=chances))
        return scale._replace(values=scale.values[chosen]).scaled()

    def _warn_if_empty(self, n_found: int) -> None:
        if n_found < self.n_clusters:
            warnings.warn(
                f"Only {n_found} of {self.n_clusters} clusters hold samples: X has too few "
                "different ones. Ask for fewer clusters.",
                ConvergenceWarning,
                stacklevel=3,
            )


def _assigned(scale: Scale, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest centre of every sample, and its distance."""
    n_samples = len(scale.values)
    labels, distances = np.empty(n_samples, np.int32), np.empty(n_samples)
    runs = np.ascontiguousarray(centers.transpose(0, 2, 1)).astype(scale.values.dtype)
    assign(scale.values, scale.low, scale.inverse, runs, labels, distances)
    return labels, distances


def _without_empty(labels: np.ndarray, distances: np.ndarray, n_clusters: int) -> np.ndarray:
    """Every empty cluster takes the sample farthest from its centre, of a cluster with others."""
    sizes = np.bincount(labels, minlength=n_clusters)
    for empty in np.flatnonzero(sizes == 0):
        farthest = np.argmax(np.where(sizes[labels] > 1, distances, -1.0))
        sizes[labels[farthest]] -= 1
        labels[farthest], distances[farthest] = empty, 0.0
        sizes[empty] = 1
    return labels
