"""Forward selection by the neighborhood soft margin."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from echelon.compat import Interval, StrOptions
from echelon.engines import Engine
from echelon.kernels.candidates import count_errors
from echelon.neighborhood._base import NeighborhoodSelector
from echelon.neighborhood._chosen import ChosenFeatures
from echelon.neighborhood._measures import VOTES, radii_for
from echelon.neighborhood._relation import SLACK

PATIENCE = 10
"""Steps without a gain of one penalty after which the search of the own rule ends."""


class NeighborhoodSoftMargin(NeighborhoodSelector):
    """Forward selection by the neighborhood soft margin (NSM).

    Features are added one at a time, each time the one with the smallest soft margin
    min over radii of 1 / (2 radius^2) + penalty * errors, where errors are the samples that the
    majority of the ball around them gets wrong [1]_.  Few features, robust to wrong labels.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number, or share, of features to keep; the search stops there.  None: the shortest prefix
        whose soft margin is within one penalty (one error) of the smallest, in a search that ends
        when the smallest has not fallen by one penalty for 10 steps.
    penalty : float, default=4.0
        Cost of a sample decided wrongly, against the size of the ball.
    step : float, default=0.01
        Radii tried are its multiples,
    max_radius : float, default=0.25
        up to this times the square root of the number of features.
    vote : {"leave_one_out", "inclusive"}, default="leave_one_out"
        Whether a sample has a vote in its own ball.  If not, an empty ball is an error.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, which differ by 0 or 1.  "from_dtype": the string and unordered
        categorical columns of a DataFrame; ordered categoricals count as their codes.
    n_jobs : int, default=None
        Threads; None: all cores, or ``NUMBA_NUM_THREADS``.  Results do not depend on it.
    engine : {"auto", "numba"} or Engine, default="auto"
        Where the arithmetic runs.
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    order_ : ndarray of shape (n_reached,)
        Feature indices in the order they were added.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 = best; features never reached share rank n_reached + 1.
    support_ : ndarray of shape (n_features,)
        Mask of the kept features.
    path_ : recarray of shape (n_reached,)
        For every step the ``feature`` added, the soft margin (``value``), its ``radius`` and the
        ``errors`` at that radius.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
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
    Features at a tie: the lowest index.  Once no errors are left in the largest ball, every further
    feature that keeps it so is as good as any other, and the lowest index is all that decides; the
    own rule stops before.  Constant features come last.  Missing values (NaN) leave
    the feature out of the pair, whose squared distance is scaled up to all features chosen.

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

    _path_fields: ClassVar[dict[str, Any]] = {
        "feature": np.int64,
        "value": np.float64,
        "radius": np.float64,
        "errors": np.int64,
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **NeighborhoodSelector._parameter_constraints,
        "penalty": [Interval(Real, 0, None, closed="neither")],
        "step": [Interval(Real, 0, None, closed="neither")],
        "max_radius": [Interval(Real, 0, None, closed="neither")],
        "vote": [StrOptions(set(VOTES))],
    }

    def __init__(
        self,
        n_features_to_select=None,
        *,
        penalty=4.0,
        step=0.01,
        max_radius=0.25,
        vote="leave_one_out",
        categorical_features="from_dtype",
        n_jobs=None,
        engine="auto",
        verbose=0,
    ):
        self.n_features_to_select = n_features_to_select
        self.penalty = penalty
        self.step = step
        self.max_radius = max_radius
        self.vote = vote
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.engine = engine
        self.verbose = verbose

    def _criterion(self, chosen: ChosenFeatures, engine: Engine) -> Callable[[list[int]], tuple]:
        return SmallestSoftMargin(chosen, engine, self)

    def _ended(self, steps: list[tuple]) -> bool:
        lows = np.minimum.accumulate([value for _, value, *_ in steps])
        return len(lows) > PATIENCE and lows[-1 - PATIENCE] - lows[-1] < self.penalty

    def _n_kept(self, steps: list[tuple]) -> int:
        values = np.array([value for _, value, *_ in steps])
        return int(np.argmax(values <= values.min() + self.penalty)) + 1


class _Radii(NamedTuple):
    """The radii of one step and what each costs before any error."""

    values: np.ndarray
    costs: np.ndarray
    penalty: float

    def soft_margins(self, errors: np.ndarray) -> np.ndarray:
        """1 / (2 radius^2) + penalty * errors, Eq. (6)."""
        return self.costs + self.penalty * errors

    def allowed(self, bound: float, n_samples: int) -> np.ndarray:
        """Most errors with which a radius stays below the bound, and at or below it; -1 if none."""
        if np.isinf(bound):
            return np.full((2, len(self.costs)), n_samples)
        with np.errstate(over="ignore"):  # a tiny penalty allows everything
            most = np.floor((bound - self.costs) / self.penalty) + 1
        below = most - (self.soft_margins(most) >= bound)
        below -= self.soft_margins(below) >= bound
        within = most - (self.soft_margins(most) > bound)
        within -= self.soft_margins(within) > bound
        return np.clip([below, within], -1, n_samples).astype(np.int64)


class SmallestSoftMargin:
    """Finds the candidate with the smallest soft margin.

    The errors of a candidate only grow as samples are looked at, so a radius is given up once it
    cannot beat the best candidate so far, and a candidate with its last radius.  The most
    promising candidate goes first, and samples it gets wrong at most radii are looked at first.
    What is left out depends on the order of events; the result does not.
    """

    def __init__(self, chosen: ChosenFeatures, engine: Engine, selector: Any) -> None:
        self.chosen = chosen
        self.engine = engine
        self.penalty, self.step = selector.penalty, selector.step
        self.max_radius, self.vote = selector.max_radius, selector.vote
        self.promise = np.zeros(len(chosen.state.columns), dtype=np.int64)

    def __call__(self, candidates: list[int]) -> tuple[int, float, float, int]:
        """The best candidate, its soft margin, radius and errors."""
        values = radii_for(self.chosen.size + 1, self.step, self.max_radius)
        radii = _Radii(values, 1 / (2 * values**2), self.penalty)
        ranked = np.array(candidates)[np.argsort(-self.promise[candidates], kind="stable")]
        rows = np.arange(len(self.chosen.classes))
        best, hard = self._evaluate(ranked[:1], rows, radii, (np.inf, -1))
        rows = np.argsort(-hard, kind="stable")
        rest, hint = ranked[1:], best
        if (radii.allowed(best[0], len(rows))[0] < 0).all():  # nobody can do better
            rest = rest[rest < best[1]]

        def task(chunk: np.ndarray) -> tuple:
            # Threads may overwrite each other's hint: a weaker one costs time, nothing else.
            nonlocal hint
            found, _ = self._evaluate(chunk, rows, radii, hint)
            hint = min(hint, found)
            return found

        best = min(self.engine.map(task, self.chosen.tasks(rest)), default=best)
        value, feature, radius, errors = best
        return feature, value, radius, errors

    def _evaluate(
        self, features: np.ndarray, rows: np.ndarray, radii: _Radii, best: tuple
    ) -> tuple[tuple, np.ndarray]:
        """The best of some features, if it is at least as good as the best so far."""
        allowed = radii.allowed(best[0], len(rows))
        ties_win = (features < best[1]).astype(np.int64)
        possible = allowed[ties_win] >= 0
        alive = np.column_stack([possible.argmax(axis=1), possible.any(axis=1) * len(radii.costs)])
        errors = np.zeros((len(features), len(radii.costs)), dtype=np.int64)
        hard = np.zeros(len(rows), dtype=np.int64)
        visited = np.zeros(len(features), dtype=np.int64)
        count_errors(
            self.chosen.state,
            rows,
            self.chosen.classes,
            features,
            1 / self.step,
            SLACK / self.step,
            self.vote == "inclusive",
            allowed,
            ties_win,
            alive,
            errors,
            hard,
            visited,
        )
        self.promise[features] = visited
        found = best
        for q in np.flatnonzero(alive[:, 0] < alive[:, 1]):
            span = slice(*alive[q])
            values = radii.soft_margins(errors[q])[span]
            k = int(np.argmin(values))
            n_errors = int(errors[q, span][k])
            entry = float(values[k]), int(features[q]), float(radii.values[span][k]), n_errors
            found = min(found, entry)
        return found, hard
