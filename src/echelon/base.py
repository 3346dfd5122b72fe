"""The contract every selector keeps, written once; and the ranking of any selector.

A selector ranks features and selects some.  ``BaseSelector`` reads the input and answers for the
choice; ``WeightingSelector`` adds the template ``fit`` of methods that give every feature a score,
``ErrorRateMixin`` the rules of those that also give it a p-value, and ``ForwardSelector`` the
template of methods that add one feature after the other.  ``SampleWeightMixin`` gives the ``fit``
of either the weights of samples.

``fit_ranking``, ``ranks_of`` and ``scores_of`` find the order of features in any fitted selector,
ours or scikit-learn's.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectKBest, SelectorMixin
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from echelon._core.choices import (
    CHOICE_CONSTRAINTS,
    Choice,
    as_path,
    forward,
    read_choice,
    shared_ranks,
)
from echelon._core.compat import Interval, StrOptions, fit_context
from echelon._core.samples import columns_that_vary, fit_weighted, weighted_rows
from echelon._core.significance import CONTROLS
from echelon.data import Data, as_table, names_of, read_columns
from echelon.methods import CLASSES
from echelon.targets import Target, read_classes


def number_to_keep(
    wanted: int | float | None, n_features: int, what: str = "features"
) -> int | None:
    """``n_features_to_select`` as a number of features, None if a rule decides."""
    if wanted is None:
        return None
    if not isinstance(wanted, Integral):
        return max(1, int(wanted * n_features))
    if int(wanted) > n_features:
        raise ValueError(
            f"`n_features_to_select` must be at most the number of {what}, {n_features}, "
            f"got {wanted}. Ask for fewer, or for None to let the method decide."
        )
    return int(wanted)


def groups_to_keep(wanted: int | float | None, choice: Choice) -> int | None:
    """``number_to_keep``, counted in groups; not fewer than must be kept."""
    what = "features" if choice.n_groups == len(choice.groups) else "groups of features"
    n_wanted = number_to_keep(wanted, choice.n_groups, what)
    if n_wanted is not None and n_wanted < choice.n_kept:
        raise ValueError(
            f"`n_features_to_select` must be at least {choice.n_kept}, the number of {what} in "
            f"`must_keep`, got {n_wanted}. Ask for more, or keep fewer."
        )
    return n_wanted


def note_features(estimator: Any, X: Any, y: Any) -> None:
    """Set ``n_features_in_`` and, where X has names, ``feature_names_in_``."""
    if not isinstance(X, Data):
        validate_data(estimator, names_of(X), y, skip_check_array=True)
        return
    estimator.n_features_in_ = X.shape[1]
    if X.names is not None:
        estimator.feature_names_in_ = X.names


class BaseSelector(SelectorMixin, BaseEstimator):
    """A scikit-learn selector that selects the best features of a ranking.

    Attributes every subclass sets: ``order_`` (feature indices, best first), ``ranking_``
    (1 = best), ``support_`` (mask of selected features).
    """

    _allow_nan: bool = False
    _takes_dask: ClassVar[bool] = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
        **CHOICE_CONSTRAINTS,
        "verbose": ["verbose"],
        "n_features_to_select": [
            None,
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
        ],
    }

    n_features_to_select: int | float | None
    categorical_features: Any
    verbose: int

    @property
    def _reads_data(self) -> bool:
        """Whether ``fit`` takes features that were read before, as ``Data``."""
        given = getattr(self, "categorical_features", "from_dtype")
        ours = type(self)._read.__module__.partition(".")[0] == "echelon"
        return ours and isinstance(given, str) and given == "from_dtype"

    def _read(self, X: Any, y: Any) -> tuple[Any, Target]:
        """Features and target: ``Data``, or what else has ``values``, and a ``Target``."""
        features = read_columns(X, self.categorical_features, allow_nan=self._allow_nan)
        return features, self._read_target(y)

    def _read_target(self, y: Any) -> Target:
        """The target; here classes without an order."""
        self.classes_, codes = read_classes(y)
        return Target(CLASSES, self.classes_, codes, None, None, "")

    def _begin(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Any, Target, int | None]:
        """Features, target and the number of features asked for, all checked."""
        X = as_table(X, dask=self._takes_dask)
        weights = None
        if sample_weight is not None:
            X, y, weights = weighted_rows(X, y, sample_weight)
        note_features(self, X, y)
        features, target = self._read(X, y)
        check_consistent_length(features.values, target.numbers)
        if weights is not None:
            features = replace(features, weights=weights)
        self._choice = self._read_choice(features)
        return features, target, self._n_wanted()

    def _read_choice(self, features: Any) -> Choice:
        given = self.get_params(deep=False)  # not all selectors have these parameters
        wishes = given.get("must_keep"), given.get("feature_groups")
        return read_choice(*wishes, features.values.shape[1], getattr(features, "names", None))

    def _n_wanted(self) -> int | None:
        """The number of features, or of groups of them, that was asked for."""
        return groups_to_keep(self.n_features_to_select, self._choice)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = self._allow_nan
        return tags


class TemplateSelector(BaseSelector):
    """A selector whose ``fit`` may take weights of samples: the steps are those of ``_fit``."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Rank the features and select some.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        self : object
            The fitted selector.
        """
        return self._fit(X, y)

    @abstractmethod
    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Set ``order_``, ``ranking_`` and ``support_``."""


class WeightingSelector(TemplateSelector):
    """A selector that scores every feature; larger is better.

    A subclass provides ``_scores(features, target, random_state)``, and names its own rule in
    ``_own_threshold``: a number, "mean" (of the scores) or "shuffle" (the largest score after y
    was permuted).
    """

    _own_threshold: ClassVar[float | str] = 0.0

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSelector._parameter_constraints,
        "threshold": [None, Interval(Real, None, None, closed="neither"), StrOptions({"shuffle"})],
        "random_state": ["random_state"],
    }

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        features, target, n_wanted = self._begin(X, y, sample_weight)
        if n_wanted is not None and self._has_threshold():
            raise ValueError(
                f"`threshold` must be None when `n_features_to_select` is given, got "
                f"{self.threshold!r}. Choose features by number or by score, not both."
            )
        random_state = check_random_state(self.random_state)
        self.scores_ = self._scores(features, target, random_state)
        self.order_, self.ranking_ = self._choice.ranked(self._best_first())
        self.threshold_: float | None = None
        if n_wanted is None:
            self.threshold_ = self._threshold(features, target, random_state)
            self.support_ = self._choice.whole(self._passes(self.threshold_))
        else:
            self.support_ = self.ranking_ <= n_wanted
        return self

    def _best_first(self) -> np.ndarray:
        """Feature indices by falling score, the first of equals first."""
        return np.argsort(-self.scores_, kind="stable")

    def _has_threshold(self) -> bool:
        """Whether a rule other than the method's own was asked for."""
        return self.threshold is not None

    def _passes(self, threshold: Any) -> np.ndarray:
        """Mask of the features with a score that is large enough."""
        return self.scores_ > threshold

    def _threshold(self, features: Any, target: Target, random_state: Any) -> float | None:
        """The score a selected feature must exceed; None where ``_passes`` needs none."""
        rule = self._own_threshold if self.threshold is None else self.threshold
        if rule == "mean":
            return float(self.scores_.mean())
        if rule == "shuffle":
            shuffled = target.take(random_state.permutation(len(target)))
            return self._chance_score(features, shuffled, random_state)
        return float(rule)

    def _chance_score(self, features: Any, shuffled: Target, random_state: Any) -> float:
        """The largest score of one fit on a permuted target."""
        # On a copy, since a fit may leave attributes behind.
        return float(clone(self)._scores(features, shuffled, random_state).max())

    @abstractmethod
    def _scores(self, features: Any, target: Target, random_state: Any) -> np.ndarray:
        """Score the features."""


class SampleWeightMixin:
    """``fit`` with weights of samples, for selectors that count with ``Data.weights``."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Score the features and choose which to keep.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Target.
        sample_weight : array-like of shape (n_samples,), default=None
            Number of rows that every sample represents: 2 for a repeated row, 0 for a row to
            ignore.  None: 1.  Divide survey weights by their mean.

        Returns
        -------
        self : object
            The fitted selector.
        """
        return self._fit(X, y, sample_weight)  # type: ignore[attr-defined]


class ErrorRateMixin:
    """Thresholds "fdr" and "family", for weighting selectors whose fit leaves ``p_values_``.

    The parameters are ``threshold`` and ``error_rate``.
    """

    _error_rate_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": [
            None,
            Interval(Real, None, None, closed="neither"),
            StrOptions({"shuffle", *CONTROLS}),
        ],
        "error_rate": [Interval(Real, 0, 1, closed="neither")],
    }

    _own_threshold: ClassVar[float | str]
    threshold: float | str | None
    error_rate: float
    _choice: Choice

    def _control(self) -> Any:
        """The rule by which features are selected."""
        return self._own_threshold if self.threshold is None else self.threshold

    def _threshold(self, features: Any, target: Target, random_state: Any) -> float | None:
        if self._control() in CONTROLS:
            return None
        return super()._threshold(features, target, random_state)  # type: ignore[misc]

    def _passes(self, threshold: float | None) -> np.ndarray:
        if threshold is None:
            control = CONTROLS[self._control()]
            p_values = self.p_values_  # type: ignore[attr-defined]
            return self._choice.passing(p_values, lambda p: control(p, self.error_rate))
        return super()._passes(threshold)  # type: ignore[misc]


class ForwardSelector(TemplateSelector):
    """A selector that adds one feature at a time, the best of those left.

    A subclass provides ``_additions(features, target)``, which returns the function that adds the
    best of some features (see :func:`echelon._core.choices.forward`), and its own rule:
    ``_ended(steps)`` and ``_n_kept(steps)``.
    One that finds its set in another way overrides ``_search``, and passes what it found to
    ``_forward`` as the features to begin with.

    A constant feature (``_varying``) tells nothing: it is added only after all others, and only
    on demand.
    """

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        features, target, n_wanted = self._begin(X, y, sample_weight)
        n_features = features.values.shape[1]
        varying = self._varying(features.values)
        if not varying.any():
            raise ValueError(
                "Every feature of `X` is constant, so nothing can be selected. Pass features "
                "with at least two values."
            )
        steps = self._search(features, target, varying, n_wanted)
        self.path_ = as_path(steps)
        order = np.array(self.path_["feature"], dtype=int)
        self.order_, self.ranking_ = self._choice.ranked(order)
        if n_wanted is None:
            chosen = np.isin(np.arange(n_features), order[: self._n_kept(steps)])
            self.support_ = self._choice.whole(chosen)
        else:
            self.support_ = self.ranking_ <= n_wanted
        return self

    def _search(
        self, features: Data, target: Target, varying: np.ndarray, n_wanted: int | None
    ) -> list[Any]:
        """The steps of the search, by the method's own rule or to a number of features."""
        return self._forward(self._additions(features, target), varying, n_wanted)

    def _forward(
        self,
        add_best: Callable[[list[int]], Any],
        varying: np.ndarray,
        n_wanted: int | None,
        first: Sequence[int] = (),
    ) -> list[Any]:
        return forward(
            np.flatnonzero(varying) if n_wanted is None else range(len(varying)),
            lambda left: add_best([f for f in left if varying[f]] or left),
            self._ended,
            n_wanted=n_wanted,
            first=[*self._choice.first, *first],
            mates=self._choice.mates,
            description=type(self).__name__,
            verbose=self.verbose,
        )

    def _varying(self, values: np.ndarray) -> np.ndarray:
        """Mask of the features with at least two values."""
        return columns_that_vary(values)

    @abstractmethod
    def _additions(self, features: Data, target: Target) -> Callable[[list[int]], Any]:
        """The function that adds the best of some features to the set, and returns the step."""

    @abstractmethod
    def _ended(self, steps: list[Any]) -> bool:
        """Whether the search of the method's own rule ends here."""

    @abstractmethod
    def _n_kept(self, steps: list[Any]) -> int:
        """How many of the added features the method's own rule keeps."""


# ------------------------------------------------------------------------ rankings of any selector


def fit_ranking(
    selector: Any, X: Any, y: Any, sizes: Sequence[int], sample_weight: Any = None
) -> tuple[Any, np.ndarray]:
    """Fit a copy so that the best ``size`` features are known for every size.

    Returns
    -------
    fitted : object
        The fitted copy.
    order : ndarray of shape (max(sizes),)
        Features, best first.
    """
    possible: list[int] = []
    for copy in ranking_copies(selector, max(sizes)):
        fitted = fit_weighted(copy, X, y, sample_weight)
        ranks = ranks_of(fitted)
        order = np.argsort(ranks, kind="stable")
        along = np.append(ranks[order], np.inf)
        # Sizes that leave features of the same rank together.
        whole = (np.flatnonzero(along[:-1] < along[1:]) + 1).tolist()
        if set(sizes) <= set(whole):
            return fitted, order[: max(sizes)]
        possible = possible or whole
    raise ValueError(
        f"`sizes` must not part features of the same rank, got {min(set(sizes) - set(possible))}, "
        f"where {type(selector).__name__} ranks several alike. Let it rank them one by one, or "
        f"choose among the sizes {possible[:20]}."
    )


def ranking_copies(selector: Any, n_best: int | float) -> Iterator[Any]:
    """Copies that rank as much as needed, the likeliest first."""
    params = clone(selector).get_params(deep=False)
    if params.get("feature_groups") is not None:
        n_best = 1.0  # whole groups are ranked, however many features they have
    if isinstance(selector, WeightingSelector):
        # They rank all; a number spares them the fit that finds a threshold.
        yield clone(selector).set_params(n_features_to_select=n_best, threshold=None)
    elif isinstance(selector, ForwardSelector):
        yield clone(selector).set_params(n_features_to_select=n_best)
    elif "n_features_to_select" in params:
        # A search backwards ranks what it removes, so it has to go on to the end.
        for n_features in dict.fromkeys([1, n_best]):
            yield clone(selector).set_params(n_features_to_select=n_features)
    elif isinstance(selector, SelectKBest):
        yield clone(selector).set_params(k="all")
    else:
        yield clone(selector)


def ranks_of(fitted: Any) -> np.ndarray:
    """Ranks of the features of a fitted selector, 1 = best."""
    if hasattr(fitted, "ranking_"):
        return np.asarray(fitted.ranking_)
    if hasattr(fitted, "order_"):
        return shared_ranks(fitted.order_, fitted.n_features_in_)
    scores = scores_of(fitted)
    if scores is None:
        raise TypeError(
            f"`selector` must rank features, got {type(fitted).__name__}, which has none of "
            "order_, ranking_, scores_, feature_importances_ and coef_ after its fit. Use one that "
            "does."
        )
    # Undefined scores, as of constant features, come last.
    order = np.argsort(-np.where(np.isnan(scores), -np.inf, scores), kind="stable")
    return shared_ranks(order, len(order))


def scores_of(fitted: Any) -> np.ndarray | None:
    """Scores of the features of a fitted selector or model, larger is better; None if none."""
    source: Any
    for source in (fitted, getattr(fitted, "estimator_", None)):
        for name in ("scores_", "feature_importances_"):
            if hasattr(source, name):
                return np.asarray(getattr(source, name), dtype=float)
        if hasattr(source, "coef_"):
            return np.abs(np.atleast_2d(source.coef_)).sum(axis=0)
    return None


def n_worthwhile(fitted: Any) -> int | None:
    """How many features have the vote of a fitted consensus, at least one; None: nobody votes."""
    votes = getattr(fitted, "votes_", None)
    return None if votes is None else max(1, int(np.count_nonzero(votes)))
