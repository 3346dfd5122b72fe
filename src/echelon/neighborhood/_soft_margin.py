"""Forward selection by the neighborhood soft margin."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from echelon._core.compat import Interval, StrOptions
from echelon.base import number_to_keep
from echelon.engines import Engine
from echelon.kernels.candidates import count_errors
from echelon.neighborhood._base import NeighborhoodSelector
from echelon.neighborhood._chosen import ChosenFeatures, smallest
from echelon.neighborhood._measures import (
    LARGEST_PENALTY,
    LARGEST_RADIUS,
    LEAST_STEP,
    VOTES,
    radii_for,
)
from echelon.neighborhood._relation import SLACK

PATIENCE = 10
"""Steps without a gain of one penalty after which the search of the own rule ends."""


class NeighborhoodSoftMargin(NeighborhoodSelector):
    """Forward selection by the neighborhood soft margin (NSM).

    Features are added one at a time, each time the one with the smallest soft margin: over radii,
    the minimum of 1 / (2 radius^2) + penalty * errors, where errors are the samples that the
    majority of the ball around them gets wrong [1]_.  Single wrong labels cost one penalty each.
    The errors are counted on the samples that chose the features: judge the result in a
    cross-validated ``Pipeline``.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number, or share, of features to keep.  None: as many as the search finds, by the rule in
        the Notes.
    penalty : float, default=4.0
        Cost of a sample decided wrongly, against the size of the ball.
    step : float, default=0.01
        The radii tried are step, 2 step, ...  At least 1e-6.
    max_radius : float, default=0.25
        The largest radius tried is this times the square root of the number of features chosen.
    vote : {"leave_one_out", "inclusive"}, default="leave_one_out"
        Whether a sample has a vote in its own ball.  If not, an empty ball is an error.
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

    Features at a tie: the lowest index.  Once no errors are left in the largest ball, every further
    feature that keeps it so is as good as any other, and the lowest index is all that decides;
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

    def _criterion(self, chosen: ChosenFeatures, engine: Engine) -> Callable[[list[int]], Any]:
        n_features = len(chosen.state.columns)
        most = number_to_keep(self.n_features_to_select, n_features) or n_features
        radii_for(most, self.step, self.max_radius)
        return SmallestSoftMargin(chosen, engine, self)

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


class _Found(NamedTuple):
    """The same, in the order by which candidates compare."""

    value: float
    feature: int
    radius: float
    errors: int


class _Radii:
    """The radii of one step and what each costs before any error."""

    def __init__(self, values: np.ndarray, penalty: float, n_samples: int) -> None:
        self.values = values
        self.costs = 1 / (2 * values**2)
        self.penalty = penalty
        self.n_samples = n_samples
        self._known: dict[float, np.ndarray] = {}

    def soft_margins(self, errors: np.ndarray) -> np.ndarray:
        """1 / (2 radius^2) + penalty * errors, Eq. (6)."""
        return self.costs + self.penalty * errors

    def allowed(self, bound: float) -> np.ndarray:
        """Most errors with which every radius stays below the bound, and at or below it.

        -1 if there are none.  By bisection over the soft margins themselves, so that candidates
        which tie after rounding are treated alike.
        """
        if bound not in self._known:
            limits = [self._most(bound, holds) for holds in (np.less, np.less_equal)]
            self._known[bound] = np.array(limits)
        return self._known[bound]

    def _most(self, bound: float, holds: Any) -> np.ndarray:
        low = np.full(len(self.costs), -1)
        high = np.full(len(self.costs), self.n_samples)
        while (low < high).any():
            middle = (low + high + 1) // 2
            good = holds(self.soft_margins(middle), bound)
            low, high = np.where(good, middle, low), np.where(good, high, middle - 1)
        return low


class _SoftMargins:
    """Soft margins of candidates at the radii of one step (``_chosen.Work``)."""

    def __init__(self, rows: np.ndarray, radii: _Radii, step: float, *, inclusive: bool) -> None:
        self.rows, self.radii, self.step, self.inclusive = rows, radii, step, inclusive

    def evaluate(
        self, chosen: ChosenFeatures, features: np.ndarray, best: _Found
    ) -> tuple[_Found, np.ndarray, np.ndarray]:
        """The best, how hard every sample is, and how many samples each candidate got to."""
        radii = self.radii
        allowed = radii.allowed(best.value)
        ties_win = (features < best.feature).astype(np.int64)
        possible = allowed[ties_win] >= 0
        alive = np.column_stack([possible.argmax(axis=1), possible.any(axis=1) * len(radii.costs)])
        errors = np.zeros((len(features), len(radii.costs)), dtype=np.int64)
        hard = np.zeros(len(self.rows), dtype=np.int64)
        visited = np.zeros(len(features), dtype=np.int64)
        count_errors(
            chosen.state,
            self.rows,
            chosen.classes,
            features,
            1 / self.step,
            SLACK / self.step,
            self.inclusive,
            allowed,
            ties_win,
            alive,
            errors,
            hard,
            visited,
        )
        complete = np.flatnonzero(alive[:, 0] < alive[:, 1])
        found = (self._found(features[q], slice(*alive[q]), errors[q]) for q in complete)
        return min([best, *found]), hard, visited

    def _found(self, feature: int, alive: slice, errors: np.ndarray) -> _Found:
        """The smallest soft margin over the radii that are complete."""
        margins = self.radii.soft_margins(errors)
        k = alive.start + int(np.argmin(margins[alive]))
        return _Found(float(margins[k]), int(feature), float(self.radii.values[k]), int(errors[k]))


class SmallestSoftMargin:
    """Finds the candidate with the smallest soft margin.

    The errors of a candidate only grow as samples are looked at, so a radius is given up once it
    cannot beat the best candidate so far, and a candidate with its last radius.  The most
    promising candidate goes first, and samples it gets wrong at most radii are looked at first.
    """

    def __init__(
        self, chosen: ChosenFeatures, engine: Engine, selector: NeighborhoodSoftMargin
    ) -> None:
        self.chosen = chosen
        self.engine = engine
        self.penalty, self.step = float(selector.penalty), float(selector.step)
        self.max_radius, self.inclusive = selector.max_radius, selector.vote == "inclusive"
        self.promise = np.zeros(len(chosen.state.columns), dtype=np.int64)

    def __call__(self, candidates: list[int]) -> SoftMarginStep:
        """The step to the best candidate."""
        values = radii_for(self.chosen.size + 1, self.step, self.max_radius)
        radii = _Radii(values, self.penalty, len(self.chosen.classes))
        ranked = np.array(candidates)[np.argsort(-self.promise[candidates], kind="stable")]
        work = _SoftMargins(
            np.arange(len(self.chosen.classes)), radii, self.step, inclusive=self.inclusive
        )
        best, hard, visited = work.evaluate(self.chosen, ranked[:1], _Found(np.inf, -1, 0.0, 0))
        self.promise[ranked[:1]] = visited
        work.rows = np.argsort(-hard, kind="stable")
        rest = ranked[1:]
        if (radii.allowed(best.value)[0] < 0).all():  # nobody can do better
            rest = rest[rest < best.feature]
        tasks = self.chosen.tasks(rest)
        for task, (found, _, visited) in smallest(self.engine, self.chosen, work, tasks, best):
            self.promise[task] = visited
            best = min(best, found)
        return SoftMarginStep(best.feature, best.value, best.radius, best.errors)
