"""Forward selection by the dependency of neighborhood rough sets."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from echelon._core.compat import Interval
from echelon.engines import Engine
from echelon.kernels.candidates import count_conflicts
from echelon.neighborhood._base import NeighborhoodSelector
from echelon.neighborhood._chosen import ChosenFeatures, smallest
from echelon.neighborhood._measures import LARGEST_RADIUS
from echelon.neighborhood._relation import SLACK


class NeighborhoodRoughSet(NeighborhoodSelector):
    """Forward selection by the dependency of neighborhood rough sets (NRS).

    Features are added one at a time, each time the one with the largest dependency: the share of
    samples whose ball of the given radius holds one class only [1]_.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number, or share, of features to keep.  None: as many as the search finds, by the rule in
        the Notes.
    radius : float, default=0.15
        Radius of the ball, over features scaled to [0, 1].
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are equal or not.  "from_dtype": the string and unordered
        categorical columns of a DataFrame; ordered categoricals count as their codes.
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
    order_ : ndarray of shape (n_reached,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 = best; those never reached share the last.
    support_ : ndarray of shape (n_features,)
        Mask of the kept features.
    path_ : recarray of shape (n_reached,)
        Steps of the search: the ``feature`` added, the dependency after it (``value``), the
        ``radius``, the number of samples whose ball is not pure (``errors``) and the neighbours of
        another class, added over all samples (``conflicts``).  Without a number given, the last
        step may be one that did not raise the dependency; its feature is not kept.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    NeighborhoodSoftMargin : The radius is chosen, and single outliers do not spoil a ball.
    echelon.neighborhood.dependency : The measure itself.

    Notes
    -----
    With ``n_features_to_select=None`` the search stops when the dependency no longer grows, or
    equals 1; a number stops it there.

    Features of equal dependency, which on large or noisy data is 0 for all of them at first: the
    one with fewer neighbours of another class, then the lowest index: put features you prefer
    first.  While the dependency is 0 the search goes on as long as these become fewer.  Constant
    features come last.  Missing values (NaN) leave the feature out of the pair, whose squared
    distance is scaled up to all features chosen; samples that share none are infinitely far apart,
    so that a feature with many gaps leaves empty balls, which are pure.  Fill such gaps first.

    A step costs n_samples^2 * n_features at most.

    References
    ----------
    .. [1] Q. Hu, D. Yu, J. Liu, C. Wu, "Neighborhood rough set based heterogeneous feature subset
       selection", Information Sciences 178, 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from echelon import NeighborhoodRoughSet
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = NeighborhoodRoughSet().fit(X, y)
    >>> X.columns[selector.order_].tolist()
    ['proline', 'color_intensity', 'flavanoids', 'nonflavanoid_phenols', 'ash', 'alcohol']
    >>> selector.path_.value.round(3).tolist()
    [0.112, 0.449, 0.753, 0.91, 0.983, 1.0]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **NeighborhoodSelector._parameter_constraints,
        "radius": [Interval(Real, 0, LARGEST_RADIUS, closed="right")],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        radius: float = 0.15,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        engine: str | Engine = "auto",
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.radius = radius
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.engine = engine
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    def _criterion(self, chosen: ChosenFeatures, engine: Engine) -> Callable[[list[int]], Any]:
        return LargestDependency(chosen, engine, float(self.radius))

    def _ended(self, steps: list[RoughSetStep]) -> bool:
        return steps[-1].value == 1 or not _grew(steps)

    def _n_kept(self, steps: list[RoughSetStep]) -> int:
        return len(steps) if _grew(steps) else len(steps) - 1


class RoughSetStep(NamedTuple):
    """A feature and what the balls are like after it was added."""

    feature: int
    value: float
    radius: float
    errors: int
    conflicts: int


def _grew(steps: list[RoughSetStep]) -> bool:
    """Whether the last step raised the dependency or, while it is 0, lowered the conflicts."""
    if len(steps) == 1:
        return True
    before, after = steps[-2:]
    if after.value == before.value == 0:
        return after.conflicts < before.conflicts
    return after.value > before.value


class _Found(NamedTuple):
    """Candidates compare by impure balls, then conflicts, then index."""

    impure: int
    conflicts: int
    feature: int


class _Dependencies:
    """Impure balls and conflicts of candidates (``_chosen.Work``)."""

    def __init__(self, rows: np.ndarray, radius: float) -> None:
        self.rows, self.radius = rows, radius

    def evaluate(
        self, chosen: ChosenFeatures, features: np.ndarray, best: _Found
    ) -> tuple[_Found, np.ndarray]:
        """The best of some features; one that was given up is worse than the best so far."""
        impure, conflicts = np.zeros((2, len(features)), dtype=np.int64)
        hard = np.zeros(len(chosen.classes), dtype=np.int64)
        count_conflicts(
            chosen.state,
            self.rows,
            chosen.classes,
            features,
            (self.radius + SLACK) ** 2,
            best[:2],
            impure,
            conflicts,
            hard,
        )
        counts = zip(impure.tolist(), conflicts.tolist(), features.tolist(), strict=True)
        return _Found(*min(counts)), hard


class LargestDependency:
    """Finds the candidate with the fewest impure balls, then the fewest conflicts.

    Both only grow as samples are looked at, so a candidate is given up once it cannot beat the
    best so far.  Samples with most conflicts before the step are looked at first; those without
    any will have none after it, unless values are missing.
    """

    def __init__(self, chosen: ChosenFeatures, engine: Engine, radius: float) -> None:
        self.chosen = chosen
        self.engine = engine
        self.work = _Dependencies(np.arange(len(chosen.classes)), radius)

    def __call__(self, candidates: list[int]) -> RoughSetStep:
        """The step to the best candidate."""
        n_samples, n_features = len(self.chosen.classes), len(self.chosen.state.columns)
        worst = _Found(n_samples, n_samples**2, n_features)
        tasks = self.chosen.tasks(np.array(candidates))
        results = smallest(self.engine, self.chosen, self.work, tasks, worst)
        best = min(found for _, (found, _) in results)
        self.work.rows = self._rows_after(best)
        value = 1 - best.impure / n_samples
        return RoughSetStep(best.feature, value, self.work.radius, best.impure, best.conflicts)

    def _rows_after(self, best: _Found) -> np.ndarray:
        """The samples worth a look in the next step, those with most conflicts first."""
        _, hard = self.work.evaluate(self.chosen, np.array([best.feature]), best)
        rows = np.argsort(-hard, kind="stable")
        return rows if self.chosen.state.missing else rows[: np.count_nonzero(hard)]
