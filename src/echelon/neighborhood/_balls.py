"""Forward selection by balls around the samples: soft margin, and dependency of rough sets."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from echelon._core.compat import Interval, StrOptions
from echelon._core.samples import unit_scale
from echelon.base import ForwardSelector, number_to_keep
from echelon.data import Data
from echelon.engines import ENGINE_CONSTRAINTS, Engine, resolve_engine
from echelon.neighborhood._chosen import RANK, ChosenFeatures, Criterion
from echelon.neighborhood._loops import count_conflicts, count_errors
from echelon.neighborhood._measures import (
    LARGEST_PENALTY,
    LARGEST_RADIUS,
    LEAST_STEP,
    SLACK,
    VOTES,
    radii_for,
)
from echelon.targets import Target

PATIENCE = 10
"""Steps without a gain of one penalty after which the search by soft margin ends."""


class NeighborhoodSelector(ForwardSelector):
    """Reads the data of both selectors; a subclass writes ``_criterion``."""

    _allow_nan = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ForwardSelector._parameter_constraints,
        **ENGINE_CONSTRAINTS,
    }

    @abstractmethod
    def _criterion(self, n_features: int, n_samples: int) -> Criterion:
        """What finds the best of some candidates."""

    def _additions(self, features: Data, target: Target) -> Callable[[list[int]], Any]:
        codes = target.class_codes
        rows = np.argsort(codes, kind="stable")
        # In double precision: in single, rounding would open the closed ball.
        values = unit_scale(features.values.astype(np.float64), ~features.nominal)[rows]
        chosen = ChosenFeatures(values, features.nominal.astype(float), codes[rows])
        criterion = self._criterion(chosen.n_features, chosen.n_samples)
        engine = resolve_engine(self.engine, self.n_jobs)

        def add_best(candidates: list[int]) -> Any:
            step = criterion.best(chosen, engine, np.array(candidates))
            chosen.add(step.feature)
            return step

        return add_best


# ------------------------------------------------------------------------------- soft margin


class NeighborhoodSoftMargin(NeighborhoodSelector):
    """Forward selection by the neighborhood soft margin (NSM).

    Features are added one at a time, each time the one with the smallest soft margin: over radii,
    the minimum of 1 / (2 radius^2) + penalty * errors, where errors are the samples that the
    majority of the ball around them gets wrong [1]_.  Single wrong labels cost one penalty each.
    The errors are counted on the samples that chose the features: evaluate the result in a
    cross-validated ``Pipeline``.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: determined by the search, as described in the
        Notes.
    penalty : float, default=4.0
        Cost of a sample decided wrongly, against the size of the ball.
    step : float, default=0.01
        The radii tried are step, 2 step, ...  At least 1e-6.
    max_radius : float, default=0.25
        The largest radius tried is this times the square root of the number of features chosen.
    vote : {"leave_one_out", "inclusive"}, default="leave_one_out"
        Whether a sample votes in its own ball.  If not, an empty ball counts as an error.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.
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
    order_ : ndarray of shape (n_reached,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best; features that were never reached share the last rank.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    path_ : recarray of shape (n_reached,)
        Steps of the search: the ``feature`` added, the soft margin after it (``value``), its
        ``radius`` and the ``errors`` at that radius.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    NeighborhoodRoughSet : One radius, and pure balls instead of majorities.
    echelon.neighborhood.soft_margin : The measure itself.

    Notes
    -----
    ``n_features_to_select=None`` keeps the first features of ``order_``, as few as bring the soft
    margin within one penalty (one error) of the smallest, in a search that ends when the smallest
    has not fallen by one penalty for 10 steps; a number stops the search there.

    Features at a tie: the lowest index.  Once no errors are left in the largest ball, every
    further feature that leaves it so is as good as any other, and the lowest index is all that
    decides;
    ``n_features_to_select=None`` stops before.  Constant features come last.

    Missing values (NaN) leave the feature out of the pair, whose squared distance is scaled up to
    all features chosen; samples that share none are infinitely far apart.  Distances are computed
    in double precision.

    A step costs n_samples^2 * n_features at most; candidates that can no longer win are left
    early, which saves most of it.  Memory: n_samples^2 / 2 distances, or, where these exceed
    scikit-learn's ``working_memory``, none (they are then added up again at every step).

    References
    ----------
    .. [1] Q. Hu, X. Che, L. Zhang, D. Yu, "Feature evaluation and selection based on neighborhood
       soft margin", Neurocomputing 73, 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from echelon import NeighborhoodSoftMargin
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = NeighborhoodSoftMargin().fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['alcohol', 'ash', 'magnesium', 'flavanoids', 'color_intensity', 'hue', 'proline']
    >>> selector.path_.errors[:7].tolist()
    [35, 11, 10, 6, 4, 3, 2]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **NeighborhoodSelector._parameter_constraints,
        "penalty": [Interval(Real, 0, LARGEST_PENALTY, closed="right")],
        "step": [Interval(Real, LEAST_STEP, None, closed="left")],
        "max_radius": [Interval(Real, 0, LARGEST_RADIUS, closed="right")],
        "vote": [StrOptions(set(VOTES))],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        penalty: float = 4.0,
        step: float = 0.01,
        max_radius: float = 0.25,
        vote: str = "leave_one_out",
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        engine: str | Engine = "auto",
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.penalty = penalty
        self.step = step
        self.max_radius = max_radius
        self.vote = vote
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.engine = engine
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    def _criterion(self, n_features: int, n_samples: int) -> Criterion:
        most = number_to_keep(self.n_features_to_select, n_features) or n_features
        radii_for(most, self.step, self.max_radius)
        return SmallestSoftMargin(self, n_features, n_samples)

    def _ended(self, steps: list[SoftMarginStep]) -> bool:
        lows = np.minimum.accumulate([step.value for step in steps])
        return len(lows) > PATIENCE and lows[-1 - PATIENCE] - lows[-1] < self.penalty

    def _n_kept(self, steps: list[SoftMarginStep]) -> int:
        values = np.array([step.value for step in steps])
        return int(np.argmax(values <= values.min() + self.penalty)) + 1


class SoftMarginStep(NamedTuple):
    """A feature, the soft margin after it was added, the radius that attains it, its errors."""

    feature: int
    value: float
    radius: float
    errors: int

    @property
    def rank(self) -> tuple[float, int]:
        """Smallest soft margin, then lowest index."""
        return self.value, self.feature


class SmallestSoftMargin(Criterion):
    """Finds the candidate with the smallest soft margin.

    The errors of a candidate only grow as samples are looked at, so a radius is given up once it
    cannot beat the best candidate so far, and a candidate with its last radius.  The most
    promising candidate goes first, and samples it gets wrong at most radii are looked at first.
    """

    def __init__(self, selector: NeighborhoodSoftMargin, n_features: int, n_samples: int) -> None:
        self.penalty, self.step = float(selector.penalty), float(selector.step)
        self.max_radius, self.inclusive = selector.max_radius, selector.vote == "inclusive"
        self.promise = np.zeros(n_features, dtype=np.int64)
        self.n_samples = n_samples

    def best(
        self, chosen: ChosenFeatures, engine: Engine, candidates: np.ndarray
    ) -> SoftMarginStep:
        self.radii = radii_for(chosen.size + 1, self.step, self.max_radius)
        self.rows = np.arange(self.n_samples)
        ranked = candidates[np.argsort(-self.promise[candidates], kind="stable")]
        first, rest = ranked[:1], ranked[1:]
        best, hard, visited = self.evaluate(chosen, first, SoftMarginStep(-1, np.inf, 0.0, 0))
        self.promise[first] = visited
        self.rows = np.argsort(-hard, kind="stable")
        if (self._most_errors(best.value, np.less) < 0).all():  # nobody can do better
            rest = rest[rest < best.feature]
        for task, (found, _, visited) in self.evaluations(chosen, engine, rest, best):
            self.promise[task] = visited
            best = min(best, found, key=RANK)
        return best

    def evaluate(
        self, chosen: ChosenFeatures, features: np.ndarray, best: SoftMarginStep
    ) -> tuple[SoftMarginStep, np.ndarray, np.ndarray]:
        """The best, how hard every sample is, and how many samples each candidate got to."""
        n_radii = len(self.radii)
        allowed = np.array([self._most_errors(best.value, b) for b in (np.less, np.less_equal)])
        ties_win = (features < best.feature).astype(np.int64)
        possible = allowed[ties_win] >= 0
        alive = np.column_stack([possible.argmax(axis=1), possible.any(axis=1) * n_radii])
        errors = np.zeros((len(features), n_radii), dtype=np.int64)
        hard = np.zeros(self.n_samples, dtype=np.int64)
        how = 1 / self.step, SLACK / self.step, self.inclusive, allowed, ties_win
        visited = count_errors(chosen.state, self.rows, features, *how, alive, errors, hard)
        complete = np.flatnonzero(alive[:, 0] < alive[:, 1])
        found = (self._step(features[q], slice(*alive[q]), errors[q]) for q in complete)
        return min([best, *found], key=RANK), hard, visited

    def _soft_margins(self, errors: np.ndarray) -> np.ndarray:
        """1 / (2 radius^2) + penalty * errors, Eq. (6)."""
        return 1 / (2 * self.radii**2) + self.penalty * errors

    def _step(self, feature: int, alive: slice, errors: np.ndarray) -> SoftMarginStep:
        """The smallest soft margin over the radii that are complete."""
        margins = self._soft_margins(errors)
        k = alive.start + int(np.argmin(margins[alive]))
        return SoftMarginStep(int(feature), float(margins[k]), float(self.radii[k]), int(errors[k]))

    def _most_errors(self, bound: float, below: Callable) -> np.ndarray:
        """Most errors with which every radius stays below the bound; -1 if there are none.

        By bisection over the soft margins themselves, so that candidates which tie after rounding
        are treated alike.
        """
        low, high = np.full(len(self.radii), -1), np.full(len(self.radii), self.n_samples)
        while (low < high).any():
            middle = (low + high + 1) // 2
            good = below(self._soft_margins(middle), bound)
            low, high = np.where(good, middle, low), np.where(good, high, middle - 1)
        return low


# --------------------------------------------------------------------------------- rough sets


class NeighborhoodRoughSet(NeighborhoodSelector):
    """Forward selection by the dependency of neighborhood rough sets (NRS).

    Features are added one at a time, each time the one with the largest dependency: the share of
    samples whose ball of the given radius holds one class only [1]_.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: determined by the search, as described in the
        Notes.
    radius : float, default=0.15
        Radius of the ball, over features scaled to [0, 1].
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.
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
    order_ : ndarray of shape (n_reached,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best; features that were never reached share the last rank.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    path_ : recarray of shape (n_reached,)
        Steps of the search: the ``feature`` added, the dependency after it (``value``), the
        ``radius``, the number of samples whose ball is not pure (``errors``) and the neighbours of
        another class, added over all samples (``conflicts``).  Without a number given, the last
        step may be one that did not raise the dependency; its feature is not selected.
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
    so that a feature with many missing values leaves empty balls, which are pure.  Impute these
    first.

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

    def _criterion(self, n_features: int, n_samples: int) -> Criterion:
        return LargestDependency(float(self.radius), n_samples)

    def _ended(self, steps: list[RoughSetStep]) -> bool:
        return steps[-1].value == 1 or not _grew(steps)

    def _n_kept(self, steps: list[RoughSetStep]) -> int:
        return len(steps) if _grew(steps) else len(steps) - 1


def _grew(steps: list[RoughSetStep]) -> bool:
    """Whether the last step raised the dependency or, while it is 0, lowered the conflicts."""
    if len(steps) == 1:
        return True
    before, after = steps[-2:]
    if after.value == before.value == 0:
        return after.conflicts < before.conflicts
    return after.value > before.value


class RoughSetStep(NamedTuple):
    """A feature and what the balls are like after it was added."""

    feature: int
    value: float
    radius: float
    errors: int
    conflicts: int

    @property
    def rank(self) -> tuple[int, int, int]:
        """Fewest balls that are not pure, then fewest conflicts, then lowest index."""
        return self.errors, self.conflicts, self.feature


class LargestDependency(Criterion):
    """Finds the candidate with the fewest impure balls, then the fewest conflicts.

    Both only grow as samples are looked at, so a candidate is given up once it cannot beat the
    best so far.  Samples with most conflicts before the step are looked at first; those without
    any will have none after it, unless values are missing.
    """

    def __init__(self, radius: float, n_samples: int) -> None:
        self.radius, self.n_samples = radius, n_samples
        self.rows = np.arange(n_samples)

    def best(self, chosen: ChosenFeatures, engine: Engine, candidates: np.ndarray) -> RoughSetStep:
        worst = self._step(self.n_samples, self.n_samples**2, chosen.n_features)
        results = self.evaluations(chosen, engine, candidates, worst)
        best = min((found for _, (found, _) in results), key=RANK)
        _, hard = self.evaluate(chosen, np.array([best.feature]), best)
        self.rows = np.argsort(-hard, kind="stable")
        if not chosen.state.missing:
            self.rows = self.rows[: np.count_nonzero(hard)]
        return best

    def evaluate(
        self, chosen: ChosenFeatures, features: np.ndarray, best: RoughSetStep
    ) -> tuple[RoughSetStep, np.ndarray]:
        """The best of some features, and the conflicts of every sample.

        A candidate that was given up is worse than the best so far.
        """
        impure, conflicts = np.zeros((2, len(features)), dtype=np.int64)
        hard = np.zeros(self.n_samples, dtype=np.int64)
        limits = (self.radius + SLACK) ** 2, best.rank[:2]
        count_conflicts(chosen.state, self.rows, features, *limits, impure, conflicts, hard)
        counts = zip(impure.tolist(), conflicts.tolist(), features.tolist(), strict=True)
        return self._step(*min(counts)), hard

    def _step(self, impure: int, conflicts: int, feature: int) -> RoughSetStep:
        return RoughSetStep(feature, 1 - impure / self.n_samples, self.radius, impure, conflicts)
