"""Forward selection by the errors of nearest neighbours, along the order of the classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from echelon._core.compat import Interval, StrOptions
from echelon._core.jobs import in_threads
from echelon._core.samples import unit_scale
from echelon.base import ForwardSelector
from echelon.data import Data
from echelon.engines import TIE_TOLERANCE
from echelon.methods import CLASSES
from echelon.neighborhood._chosen import ChosenFeatures
from echelon.neighborhood._loops import (
    MEAN,
    MEDIAN,
    OWN_CLASS,
    Chosen,
    Question,
    Shortlists,
    add_errors,
    shortlist,
)
from echelon.neighborhood._single_loops import single_errors
from echelon.targets import Target, TargetReader

PATIENCE = 4
"""Steps without a gain after which the search ends."""

MOST_SAMPLES = 1000
"""``sample_size="auto"``: all samples up to so many, which take well below a second a step."""

MOST_BY_ARRAYS = 4e6
"""Terms (samples squared times features) up to which array operations, at a third of the speed,
take less than half a second for a whole search; compiling the loops takes three seconds."""

ROOM = 2.0
"""Times as many samples as expected are in the list of near ones that is looked at first."""

FEW_CANDIDATES = 8
"""For so few, lists of near samples cost as much as they save."""

TASKS = 8
"""Parts that the lists are made in, for several threads."""

EQUAL = 1e-9
"""Errors that differ by less than this share of the baseline error are equal: sums are rounded."""


class OrderedSoftMargin(TargetReader, ForwardSelector):
    """Forward selection by the leave-one-out errors of nearest neighbours, for ordered classes.

    Features are added one at a time, each time the one with which the k nearest other samples
    answer best.  For ordered classes the answer is their mean or median class and the error how
    many classes it is off; for numbers the same in units of y; for classes without an order the
    error is the share of neighbours of another class.  As in :class:`NeighborhoodSoftMargin` a
    set is evaluated by what its neighborhoods decide, wrong labels cost little, and features that
    act only in combination are found once the first of them is in; but a near miss costs less than
    a far one, and neighborhoods have a number of samples instead of a radius.  The errors are
    measured on the samples that chose the features: evaluate the result in a cross-validated
    ``Pipeline``.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: determined by the search, as described in the
        Notes.
    n_neighbors : int, default=9
        Neighbours that answer, all others if there are fewer.
    answer : {"mean", "median"}, default="mean"
        What they answer: the mean of their classes' positions (or of their numbers), which is the
        smoother criterion, or the median.  Of no effect for classes without an order.
    min_gain : float, default=0.005
        Fall of the error that is worth more features, as a share of the baseline error: the
        answer of all other samples.  The search ends when the smallest error has not fallen by
        that in four steps: what features say together may show only with the second or third.
        None: it never ends by itself, and all features that were reached are kept.
    max_features : int, default=None
        Most features that ``n_features_to_select=None`` keeps.
    kind : {"auto", "ordinal", "classification", "regression"}, default="auto"
        Type of the target: ordered classes, unordered classes, or continuous.  "auto" infers it
        (:func:`echelon.targets.read_target`); a few different numbers are ordered classes.
    class_order : sequence, default=None
        The classes from lowest to highest; the target is then ordinal.
    sample_size : int, "auto" or None, default="auto"
        Samples drawn at random, without replacement, to be asked and to answer.  "auto": 1000,
        and all where there are no more.  None: all.
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
    order_ : ndarray of shape (n_reached,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best; features never reached share rank n_reached + 1.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    path_ : recarray of shape (n_reached,)
        Steps of the search: the ``feature`` added, the ``error`` after it, and the ``gain``: the
        fall of the error as a share of ``guess_error_``.  The last steps may be ones
        that were not selected.
    first_errors_ : ndarray of shape (n_features,)
        Error of every feature alone.
    guess_error_ : float
        Error where all other samples answer, whatever their features.
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
    neighbour is answered by the baseline.

    A step costs n_samples^2 * n_features, the first less: along one numeric column neighbours are
    found by sorting.  Memory: n_samples^2 / 2 distances, or, where these
    exceed scikit-learn's ``working_memory``, none (they are then added up again at every step).
    Small inputs (up to 4 million n_samples^2 * n_features) are computed by array operations,
    larger ones by compiled loops; only rounding differs.

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

    def _additions(self, features: Data, target: Target) -> Callable[[list[int]], Any]:
        rows = self._drawn(len(target))
        how = OWN_CLASS if target.kind == CLASSES else MEDIAN if self.answer == "median" else MEAN
        tolerance = 1 + TIE_TOLERANCE[features.values.dtype]
        question = ask(target.numbers[rows], how, self.n_neighbors, tolerance)
        if not guess_error(question) > 0:
            raise ValueError(
                f"`sample_size` must be large enough to draw samples whose y differs, got "
                f"{self.sample_size!r}. Give a larger one, or None for all samples."
            )
        values, label_gaps = standardise(features)
        search = AnswerSearch(values[rows], label_gaps, question, self.n_jobs)
        self.guess_error_, self.first_errors_ = search.guess_error, search.known.copy()
        return search.add_best

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
        return _fall(steps, len(steps) - PATIENCE) < self.min_gain

    def _n_kept(self, steps: list[AnswerStep]) -> int:
        if self.min_gain is None:
            return len(steps)
        few = (n for n in range(1, len(steps)) if _fall(steps, n) < self.min_gain)
        return next(few, len(steps))


class AnswerStep(NamedTuple):
    """A feature, the error after it was added, and the fall as a share of the baseline error."""

    feature: int
    error: float
    gain: float


def _fall(steps: list[AnswerStep], n: int) -> float:
    """How far the smallest error falls after n steps, as a share of the baseline error."""
    gains = np.cumsum([step.gain for step in steps])
    return float(gains[n:].max() - gains[:n].max())


# ------------------------------------------------------------------------ questions and scale


def ask(values: np.ndarray, how: int, n_neighbors: int, tolerance: float) -> Question:
    """The question that a target, as numbers, puts to the neighbours of every sample."""
    values = values.astype(np.float64)
    levels, codes = np.unique(values, return_inverse=True)
    n_others = len(values) - 1
    if how == OWN_CLASS:
        guesses = (np.bincount(codes)[codes] - 1) / n_others
    elif how == MEAN:
        guesses = (values.sum() - values) / n_others
    else:
        ordered = np.sort(values)
        passed = np.searchsorted(ordered, values)  # the sample itself is left out
        middle = [(n_others - 1) // 2, n_others // 2]
        guesses = np.mean([ordered[m + (m >= passed)] for m in middle], axis=0)
    places = min(n_neighbors, n_others)
    return Question(how, values, codes, levels, guesses, places, tolerance**2)


def truth(question: Question) -> Any:
    """The answers without an error."""
    return 1.0 if question.how == OWN_CLASS else question.values


def guess_error(question: Question) -> float:
    """Mean error where all other samples answer, which no feature tells apart."""
    return float(np.abs(question.guesses - truth(question)).mean())


def standardise(columns: Data) -> tuple[np.ndarray, np.ndarray]:
    """Numeric columns with standard deviation 1, and the squared difference of two labels.

    The mean squared difference of two samples is 2 in every column, nominal ones included: two
    labels count as much as the same column coded 0 and 1.  Numeric columns have no labels: 0.
    """
    nominal = columns.nominal
    values = unit_scale(columns.values.astype(np.float64), ~nominal)
    there = ~np.isnan(values)
    counts = np.maximum(there.sum(axis=0), 1)
    means = np.where(there, values, 0).sum(axis=0) / counts
    deviations = np.sqrt((np.where(there, values - means, 0) ** 2).sum(axis=0) / counts)
    values /= np.where((deviations > 0) & ~nominal, deviations, 1)
    label_gaps = np.zeros(len(nominal))
    label_gaps[nominal] = [_label_gap(labels) for labels in values.T[nominal]]
    return values, label_gaps


def _label_gap(labels: np.ndarray) -> float:
    """2 / (share of pairs that differ); 0 where none does."""
    _, counts = np.unique(labels[~np.isnan(labels)], return_counts=True)
    differing = 1 - ((counts / max(counts.sum(), 1)) ** 2).sum()
    return 2 / differing if len(counts) > 1 else 0.0


# ----------------------------------------------------------------------------------- the search


class AnswerSearch:
    """Adds the feature with which neighbours answer best; those good before are tried first."""

    def __init__(
        self, values: np.ndarray, label_gaps: np.ndarray, question: Question, n_jobs: int | None
    ) -> None:
        n_samples, n_features = values.shape
        self.chosen = ChosenFeatures(values, label_gaps, np.zeros(n_samples, np.int64))
        self.question, self.n_jobs = question, n_jobs
        self.squares: np.ndarray | None = None
        """Squared distances of all pairs over the chosen features, for array operations."""
        small = n_samples**2 * n_features <= MOST_BY_ARRAYS
        if small and question.how != MEDIAN and not self.chosen.state.missing:
            self.squares = np.diag(np.full(n_samples, np.inf))
        self.error = self.guess_error = guess_error(question)
        self.known = self._errors(np.arange(n_features), all_of_them=True)
        """Smallest errors known of every feature."""

    def add_best(self, candidates: list[int]) -> AnswerStep:
        """Add the best of some features, of those as good the lowest."""
        left = np.array(candidates)
        if self.chosen.size:
            left = left[np.argsort(self.known[left], kind="stable")]
            found = self._errors(left)
            self.known[left] = np.where(np.isinf(found), self.known[left], found)
        else:
            found = self.known[left]
        good = np.flatnonzero(found <= found.min() + EQUAL * self.guess_error)
        best = good[np.argmin(left[good])]
        feature, error, before = int(left[best]), float(found[best]), self.error
        if self.squares is not None:
            self.squares += _column_squares(self.chosen.state, feature)
        self.chosen.add(feature, distances=self.squares is None)
        self.error = error
        return AnswerStep(feature, error, (before - error) / self.guess_error)

    def _errors(self, candidates: np.ndarray, *, all_of_them: bool = False) -> np.ndarray:
        """Mean errors, one per candidate; inf for some that are not the smallest.

        The likeliest candidates should come first, since the others are given up by them.
        """
        limit = np.inf
        n_samples = self.chosen.n_samples
        slack = 2 * EQUAL * self.guess_error * n_samples
        lists = self._shortlists(len(candidates))

        def run(task: np.ndarray) -> np.ndarray:
            # Threads may overwrite each other's limit: a weaker one costs time, nothing else.
            nonlocal limit
            errors = self._sums(task, lists, limit)
            if not all_of_them:
                limit = min(limit, errors.min() + slack)
            return errors / n_samples

        return np.concatenate(list(in_threads(run, self.chosen.tasks(candidates), self.n_jobs)))

    def _sums(self, candidates: np.ndarray, lists: Shortlists, limit: float) -> np.ndarray:
        """Sums of errors over all samples; inf for those given up."""
        state = self.chosen.state
        if self.squares is not None:
            distances = (self.squares + _column_squares(state, f) for f in candidates)
            answers = np.array([_answers(far, self.question) for far in distances])
            return np.abs(answers - truth(self.question)).sum(axis=1)
        errors = np.zeros(len(candidates))
        sorts = np.full(len(candidates), not self.chosen.size and self.question.how != MEDIAN)
        sorts &= state.nominal[candidates] == 0
        if sorts.any():
            errors[sorts] = single_errors(state, candidates[sorts], self.question)
        others = np.zeros(len(candidates) - np.count_nonzero(sorts))
        add_errors(state, candidates[~sorts], self.question, lists, limit, others)
        errors[~sorts] = others
        return np.where(errors > limit, np.inf, errors)

    def _shortlists(self, n_candidates: int) -> Shortlists:
        """The samples to look at first; none where they would not save work."""
        chosen, n_samples = self.chosen, self.chosen.n_samples
        size = list_size(n_samples, self.question.places, chosen.size)
        worthwhile = n_candidates > FEW_CANDIDATES and 2 * size < n_samples
        if self.squares is not None or not worthwhile or not chosen.size or chosen.state.missing:
            n_samples = 0
        near = np.empty((n_samples, 2 * size), dtype=np.int32)
        counts = np.zeros(n_samples, dtype=np.int64)
        lists = Shortlists(near, np.empty(near.shape), counts, np.empty(n_samples))
        if n_samples:
            parts = np.array_split(np.arange(n_samples), TASKS)
            list(
                in_threads(
                    lambda rows: shortlist(chosen.state, rows, size, lists), parts, self.n_jobs
                )
            )
        return lists


def list_size(n_samples: int, n_places: int, n_chosen: int) -> int:
    """How many samples, the nearest over the chosen features, most likely hold all neighbours.

    Of n samples spread evenly over m features, about (r/n)^((m + 1)/m) n lie within the distance
    of the r-th one when one more feature counts: k of them, if r is n^(1/(m + 1)) k^(m/(m + 1)).
    """
    share = 1 / (n_chosen + 1)
    expected = n_samples**share * n_places ** (1 - share)
    return int(ROOM * expected)


def _column_squares(state: Chosen, feature: int) -> np.ndarray:
    """Squared differences of all pairs of samples in one column."""
    column, gap = state.columns[feature], state.nominal[feature]
    if gap:
        return np.where(column[:, None] != column, gap, 0.0)
    return (column[:, None] - column) ** 2


def _answers(far: np.ndarray, question: Question) -> np.ndarray:
    """The mean answer of the nearest; those as far as the last one share its place."""
    places, ties = question.places, question.tolerance
    last = np.partition(far, places - 1, axis=1)[:, places - 1, None]
    near = far * ties < last
    tied = (far <= last * ties) & ~near
    share = (places - near.sum(axis=1)) / tied.sum(axis=1)
    if question.how == OWN_CLASS:
        own = question.values[:, None] == question.values
        said = [(each & own).sum(axis=1) for each in (near, tied)]
    else:
        said = [each @ question.values for each in (near, tied)]
    return (said[0] + share * said[1]) / places
