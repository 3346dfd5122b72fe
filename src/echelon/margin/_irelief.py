"""I-Relief: soft neighbours under the weights of the moment, until the weights settle."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from echelon._core.compat import Interval
from echelon._core.progress import track
from echelon._core.sample_weights import row_counts
from echelon.base import SampleWeightMixin
from echelon.engines import Engine, Samples, resolve_engine
from echelon.kernels.soft import soft_margins
from echelon.margin._bands import column_totals
from echelon.margin._base import MarginSelector
from echelon.margin._mass import pair_mass

QUERIES_PER_TASK = 128
"""Fixed, so that results do not depend on the number of threads."""


class IRelief(SampleWeightMixin, MarginSelector):
    """I-Relief: every sample is a neighbour by its distance, which the weights so far measure.

    In the place of the nearest hit and the nearest miss stand all hits, and all misses, each with
    a probability that falls with its distance; samples that lie among misses count less.  The
    features' expected margins, cut at 0 and scaled to norm 1, are the next weights of the
    distance, and so on until they settle [1]_.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number, or share, of features to keep.  None: those that ``threshold`` keeps.
    width : float, default=0.2
        Width of the kernel exp(-distance / width), as a share of the mean distance under equal
        weights: the smaller, the fewer samples count as neighbours.
    max_iter : int, default=100
        Rounds at most.
    tol : float, default=0.0001
        Weights have settled when they move less than this, in Euclidean norm.
    threshold : float or "shuffle", default=None
        A kept feature scores more than this.  "shuffle": more than the best feature of one fit on
        permuted y.  None: more than the mean score.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are equal or not.  "from_dtype": the string and unordered
        categorical columns of a DataFrame; ordered categoricals count as their codes.
    random_state : int, RandomState instance or None, default=None
        Seed of every random choice.
    n_jobs : int, default=None
        Cores to use; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib says otherwise.  Results do not depend on it.
    engine : {"auto", "numpy", "numba", "torch", "dask"} or Engine, default="auto"
        Where the arithmetic runs.
    must_keep : mask, indices or names, default=None
        Features that are kept in any case and ranked first; others are chosen beside them.  They
        count in ``n_features_to_select``.
    feature_groups : array-like or dict, default=None
        Features that stand or fall together: a label for every feature (None: on its own), or a
        dict from labels to mask, indices or names.  ``n_features_to_select`` counts groups, and
        ``ranking_`` is that of groups, as good as their best feature.
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Scores, larger is better: expected margins, of which the weights are the positive part.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 = best.
    support_ : ndarray of shape (n_features,)
        Mask of the kept features.
    threshold_ : float or None
        The score a kept feature exceeds; None if ``n_features_to_select`` is given.
    n_iter_ : int
        Rounds until the weights settled.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    Simba : One sample at a time, by gradient steps.
    IterativeRelief : Another selector, asked again without the worst features.

    Notes
    -----
    There are no z-scores: a feature's weight is part of the distance from which it comes, so that
    its moments under permutation are not those of a sum over given pairs.  Missing values are not
    supported.  The cost of a round grows with the square of the number of samples.

    References
    ----------
    .. [1] Y. Sun, "Iterative RELIEF for feature weighting: algorithms, theories, and applications",
       IEEE Transactions on Pattern Analysis and Machine Intelligence 29, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from echelon import IRelief
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> IRelief(3).fit(X, y).get_feature_names_out().tolist()
    ['alcohol', 'color_intensity', 'proline']
    """

    _own_threshold = "mean"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MarginSelector._parameter_constraints,
        "width": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        width: float = 0.2,
        max_iter: int = 100,
        tol: float = 1e-4,
        threshold: float | str | None = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        engine: str | Engine = "auto",
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ):
        self.n_features_to_select = n_features_to_select
        self.width = width
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.engine = engine
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    def _weights(self, samples: Samples, random_state: Any) -> np.ndarray:
        engine = resolve_engine(self.engine, self.n_jobs)
        p = samples.values.shape[1]
        weights = np.full(p, p**-0.5)
        width = self.width * _mean_distance(samples, weights, engine)
        rounds = track(
            range(self.max_iter), total=self.max_iter, description="I-Relief", verbose=self.verbose
        )
        self.n_iter_, settled = 0, False
        for _ in rounds:
            if settled:
                continue
            margins = _margins(samples, weights, width, engine)
            self.n_iter_ += 1
            positive = np.maximum(margins, 0.0)
            norm = np.linalg.norm(positive)
            after = positive / norm if norm > 0 else weights
            settled = bool(np.linalg.norm(after - weights) < self.tol) or norm == 0
            weights = after
        return samples.per_feature(margins)


def _mean_distance(samples: Samples, weights: np.ndarray, engine: Engine) -> float:
    """Mean distance of all pairs under the weights; 1 if no samples differ."""
    return (
        float(weights @ column_totals(samples, engine))
        / pair_mass(row_counts(samples.weights, len(samples.classes)))
        or 1.0
    )


def _margins(samples: Samples, weights: np.ndarray, width: float, engine: Engine) -> np.ndarray:
    """Mean margin of every column under soft neighbours."""
    n, counts = len(samples.classes), row_counts(samples.weights, len(samples.classes))

    def task(queries: np.ndarray) -> np.ndarray:
        return soft_margins(
            samples.values, samples.classes, counts, samples.n_numeric, weights, width, queries
        )

    tasks = np.array_split(np.arange(n), range(QUERIES_PER_TASK, n, QUERIES_PER_TASK))
    return sum(engine.map(task, tasks), np.zeros(len(weights))) / counts.sum()
