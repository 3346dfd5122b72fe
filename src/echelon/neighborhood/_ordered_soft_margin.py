"""Forward selection by the errors of nearest neighbours, along the order of the classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from echelon._core.any_target import TargetReader
from echelon._core.compat import Interval, StrOptions
from echelon.base import ForwardSelector
from echelon.engines import NumbaEngine
from echelon.neighborhood._answers import AnswerErrors, ask
from echelon.targets import Target
from echelon.validation import Columns, read_columns

PATIENCE = 4
"""Steps without a gain after which the search ends."""

MOST_SAMPLES = 1000
"""``sample_size="auto"``: all samples up to so many, which take well below a second a step."""


class OrderedSoftMargin(TargetReader, ForwardSelector):
    """Forward selection by the leave-one-out errors of nearest neighbours, for ordered classes.

    Features are added one at a time, each time the one with which the k nearest other samples
    answer best.  For ordered classes the answer is their mean or median class and the error how
    many classes it is off; for numbers the same in units of y; for classes without an order the
    error is the share of neighbours of another class.  As in :class:`NeighborhoodSoftMargin` a
    set is judged by what its neighborhoods decide, wrong labels cost little, and features that
    act only together are found once the first of them is in; but a near miss costs less than a
    far one, and neighborhoods have a number of samples instead of a radius.  The errors are
    measured on the samples that chose the features: judge the result in a cross-validated
    ``Pipeline``.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number, or share, of features to keep.  None: as many as the search finds, by the rule in
        the Notes.
    n_neighbors : int, default=9
        Neighbours that answer, all others if there are fewer.
    answer : {"mean", "median"}, default="mean"
        What they answer: the mean of their classes' positions (or of their numbers), which is the
        smoother criterion, or the median.  Of no effect for classes without an order.
    min_gain : float, default=0.005
        Fall of the error that is worth more features, as a share of the error of a guess: the
        answer of all other samples.  The search ends when the smallest error has not fallen by
        that in four steps: what features say together may show only with the second or third.
        None: it never ends by itself, and all features that were reached are kept.
    max_features : int, default=None
        Most features that ``n_features_to_select=None`` keeps.
    kind : {"auto", "ordinal", "classification", "regression"}, default="auto"
        What y is: ordered classes, classes without an order, or numbers.  "auto": as
        :func:`echelon.targets.read_target` reads it; a few different numbers are ordered classes.
    class_order : sequence, default=None
        Classes from lowest to highest.  Given, y is ordinal.
    sample_size : int, "auto" or None, default="auto"
        Samples drawn at random, without replacement, to be asked and to answer.  "auto": 1000,
        and all where there are no more.  None: all.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are equal or not.  "from_dtype": the string and unordered
        categorical columns of a DataFrame; ordered categoricals count as their codes.
    random_state : int, RandomState instance or None, default=None
        Seed of every random choice.
    n_jobs : int, default=None
        Cores to use; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib says otherwise.  Results do not depend on it.
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
        Rank of every feature, 1 = best; features never reached share rank n_reached + 1.
    support_ : ndarray of shape (n_features,)
        Mask of the kept features.
    path_ : recarray of shape (n_reached,)
        Steps of the search: the ``feature`` added, the ``error`` after it, and the ``gain``: the
        fall of the error as a share of ``guess_error_``.  The last steps may be ones that were not
        kept.
    first_errors_ : ndarray of shape (n_features,)
        Error of every feature alone.
    guess_error_ : float
        Error where all other samples answer, whatever their features.
    kind_ : str
        What y was read as.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.  Not for regression.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    NeighborhoodSoftMargin : Balls with a radius; classes without an order.
    OReliefF : Scores instead of sets, for features that rise or fall with the classes.

    Notes
    -----
    Distances are Euclidean over standardised columns; two different labels of a nominal column
    are so far apart that pairs of samples differ as much in it as in a numeric one, on average.
    Samples as near as the last neighbour share its place, so the order of rows does not matter.
    Features at a tie: the lowest index.  Constant features come last.

    Without a number, features are added until the best addition gains less than ``min_gain``, and
    at least one is kept; with one the search stops there.

    Missing values (NaN) leave the feature out of the pair, whose squared distance is scaled up to
    all features chosen; samples that share none are infinitely far apart.  A sample without any
    neighbour is answered by the guess.

    A step costs n_samples^2 * n_features.  Memory: n_samples^2 / 2 distances, or, where these
    exceed scikit-learn's ``working_memory``, none (they are then added up again at every step).

    The criterion is the leave-one-out error of k-nearest-neighbour regression, searched greedily
    as in [2]_; the name comes from the soft margin of [1]_, which it carries over to an order.

    References
    ----------
    .. [1] Q. Hu, X. Che, L. Zhang, D. Yu, "Feature evaluation and selection based on neighborhood
       soft margin", Neurocomputing 73, 2010.
    .. [2] D. W. Aha, R. L. Bankert, "A comparative evaluation of sequential feature selection
       algorithms", Learning from Data: AI and Statistics V, Springer, 1996.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.datasets import load_diabetes
    >>> from echelon import OrderedSoftMargin
    >>> X, progression = load_diabetes(return_X_y=True, as_frame=True)
    >>> grade = pd.qcut(progression, 5, labels=["mild", "low", "medium", "high", "severe"])
    >>> selector = OrderedSoftMargin().fit(X, grade)
    >>> selector.get_feature_names_out().tolist()
    ['bmi', 's5', 's6']
    >>> selector.path_.error.round(3).tolist()
    [0.988, 0.901, 0.879, 0.911, 0.898, 0.896, 0.89]
    """

    _allow_nan = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ForwardSelector._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "answer": [StrOptions({"mean", "median"})],
        "min_gain": [Interval(Real, 0, 1, closed="both"), None],
        "max_features": [Interval(Integral, 1, None, closed="left"), None],
        **TargetReader._target_constraints,
        "sample_size": [Interval(Integral, 2, None, closed="left"), StrOptions({"auto"}), None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_neighbors: int = 9,
        answer: str = "mean",
        min_gain: float | None = 0.005,
        max_features: int | None = None,
        kind: str = "auto",
        class_order: Sequence[Any] | None = None,
        sample_size: int | str | None = "auto",
        categorical_features: Any = "from_dtype",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ):
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.answer = answer
        self.min_gain = min_gain
        self.max_features = max_features
        self.kind = kind
        self.class_order = class_order
        self.sample_size = sample_size
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    def _read(self, X: Any, y: Any) -> tuple[Columns, Any]:
        """Features, and the target in place of codes."""
        columns = read_columns(X, self.categorical_features, allow_nan=True)
        return columns, self._read_target(y)

    def _additions(self, features: Columns, codes: Any) -> Callable[[list[int]], Any]:
        errors = self._errors(features, codes)
        search = _Search(errors)
        self.guess_error_, self.first_errors_ = errors.guess_error, search.known.copy()
        return search.add_best

    def _errors(self, features: Columns, target: Target) -> AnswerErrors:
        rows = self._drawn(len(target))
        question = ask(target, self.answer).of(rows)
        if not question.guess_error > 0:
            raise ValueError(
                f"`sample_size` must be large enough to draw samples whose y differs, got "
                f"{self.sample_size!r}. Give a larger one, or None for all samples."
            )
        engine = NumbaEngine(self.n_jobs)
        return AnswerErrors(features, rows, question, self.n_neighbors, engine)

    def _drawn(self, n_samples: int) -> np.ndarray:
        """The samples that are asked and answer."""
        size: Any = MOST_SAMPLES if self.sample_size == "auto" else self.sample_size
        if size is None or n_samples <= size:
            return np.arange(n_samples)
        random_state = check_random_state(self.random_state)
        return np.sort(random_state.choice(n_samples, size, replace=False))

    def _ended(self, steps: list[AnswerStep]) -> bool:
        if len(steps) == self.max_features:
            return True
        if self.min_gain is None or len(steps) <= PATIENCE:
            return False
        return _fall(steps[:-PATIENCE], steps[-PATIENCE:]) < self.min_gain

    def _n_kept(self, steps: list[AnswerStep]) -> int:
        if self.min_gain is None:
            return len(steps)
        later = ((n, _fall(steps[:n], steps[n:])) for n in range(1, len(steps)))
        return next((n for n, fall in later if fall < self.min_gain), len(steps))


def _fall(before: list[AnswerStep], after: list[AnswerStep]) -> float:
    """How far the smallest error falls afterwards, as a share of the error of a guess."""
    gains = np.cumsum([step.gain for step in [*before, *after]])
    return float(gains[len(before) :].max() - gains[: len(before)].max())


class AnswerStep(NamedTuple):
    """A feature, the error after it was added, and the fall as a share of the error of a guess."""

    feature: int
    error: float
    gain: float


class _Search:
    """Adds the best feature; those that were good before are tried first."""

    def __init__(self, errors: AnswerErrors) -> None:
        self.errors = errors
        self.known = errors.of(np.arange(errors.chosen.n_features), all_of_them=True)
        self.error = errors.guess_error

    def add_best(self, candidates: list[int]) -> AnswerStep:
        left = np.array(candidates)
        if self.errors.chosen.size:
            left = left[np.argsort(self.known[left], kind="stable")]
            found = self.errors.of(left)
            self.known[left] = np.where(np.isinf(found), self.known[left], found)
        else:
            found = self.known[left]
        best = self.errors.smallest(left, found)
        return self._step(int(left[best]), float(found[best]))

    def _step(self, feature: int, error: float) -> AnswerStep:
        gain = (self.error - error) / self.errors.guess_error
        self.errors.add(feature)
        self.error = error
        return AnswerStep(feature, error, gain)
