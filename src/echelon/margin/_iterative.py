"""Relief among many irrelevant features: scores again without the worst, or in random subsets."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from echelon._core.compat import Interval, StrOptions, fit_context
from echelon._core.progress import track
from echelon._core.rows import draw_seeds, read_data, seeded, take_columns
from echelon._core.sample_weights import fit_weighted
from echelon._core.search import shared_ranks
from echelon.base import number_to_keep
from echelon.margin._multisurf import MultiSURF
from echelon.rankings import scores_of
from echelon.validation import as_table


class IterativeRelief(MetaEstimatorMixin, SelectorMixin, BaseEstimator):
    """A selector asked again and again, for tables in which most features are irrelevant.

    Irrelevant features hide, in the distance of samples, which of them are near by the relevant
    ones.  TuRF [1]_ drops the worst share of the features and scores the rest again, until few are
    left; the distance then rests on better and better features, and costs less and less.  VLS [2]_
    scores random parts of the features, in which two that matter together are among few others, and
    takes the largest score of each.

    Parameters
    ----------
    selector : selector, default=None
        What scores the features: anything that has ``scores_``, ``feature_importances_`` or
        ``coef_`` after its fit.  None: :class:`MultiSURF`.
    n_features_to_select : int or float, default=None
        Number, or share, of features to keep.  None: those that the selector keeps by its rule, in
        the last round or in more than half of the parts.
    strategy : {"turf", "vls"}, default="turf"
        "turf": drop the worst, score again.  "vls": score random parts.
    drop : float, default=0.5
        Share of the features left that a round of "turf" drops; the rounds together cost 1 / drop
        times the first.
    min_features : int, default=10
        No more is dropped when so many features are left.
    subset_size : int or float, default=0.5
        Number, or share, of features in a part of "vls".
    n_deals : int, default=10
        How often "vls" deals all features out to parts.
    random_state : int, RandomState instance or None, default=None
        Seed of every random choice, also of selectors and models whose own was left open.
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Scores, larger is better: in the last round in which the feature took part, or the largest
        of all parts.
    rounds_ : ndarray of shape (n_features,)
        How many fits the feature took part in.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 = best.
    support_ : ndarray of shape (n_features,)
        Mask of the kept features.
    selector_ : object
        The selector as fitted last.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    IRelief : Soft neighbours under weighted distances, until the weights settle.

    Notes
    -----
    "turf" ranks features dropped later before those dropped earlier, whatever their scores, which
    come from different rounds.  The selector sees some columns of X only: name categorical features
    by dtype, not by position.

    References
    ----------
    .. [1] J. H. Moore, B. C. White, "Tuning ReliefF for genome-wide genetic analysis", EvoBIO 2007.
    .. [2] M. J. Eppstein, P. Haake, "Very large scale ReliefF for genome-wide association
       analysis", CIBCB 2008.

    Examples
    --------
    >>> from echelon import IterativeRelief, MultiSURF
    >>> from echelon.datasets import make_epistasis
    >>> X, y = make_epistasis(400, 200, heritability=0.4, random_state=0)
    >>> selector = IterativeRelief(MultiSURF(), 2, random_state=0).fit(X, y)
    >>> selector.get_support(indices=True).tolist()
    [0, 1]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "selector": [None, BaseEstimator],
        "n_features_to_select": [
            None,
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
        ],
        "strategy": [StrOptions({"turf", "vls"})],
        "drop": [Interval(Real, 0, 1, closed="neither")],
        "min_features": [Interval(Integral, 1, None, closed="left")],
        "subset_size": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
        ],
        "n_deals": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        selector: Any = None,
        n_features_to_select: int | float | None = None,
        *,
        strategy: str = "turf",
        drop: float = 0.5,
        min_features: int = 10,
        subset_size: int | float = 0.5,
        n_deals: int = 10,
        random_state: Any = None,
        verbose: int = 0,
    ):
        self.selector = selector
        self.n_features_to_select = n_features_to_select
        self.strategy = strategy
        self.drop = drop
        self.min_features = min_features
        self.subset_size = subset_size
        self.n_deals = n_deals
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> IterativeRelief:
        """Score the features again and again, and choose which to keep.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples, of any kind that the selector takes.
        y : array-like of shape (n_samples,)
            Target.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, which every fit of the selector is given.

        Returns
        -------
        self : object
            The fitted selector.
        """
        X = as_table(X)
        validate_data(self, X, y, skip_check_array=True)
        X, y = read_data(X, y, sample_weight)
        n_features = X.shape[1]
        wanted = number_to_keep(self.n_features_to_select, n_features)
        random_state = check_random_state(self.random_state)
        self.scores_ = np.full(n_features, -np.inf)
        self.rounds_ = np.zeros(n_features, dtype=int)
        kept = np.zeros(n_features, dtype=int)
        parts = self._falling(n_features) if self.strategy == "turf" else self._dealt(
            n_features, random_state
        )  # fmt: skip
        total = None if self.strategy == "turf" else self.n_deals * self._n_parts(n_features)
        for part in track(parts, total=total, description="Iterated scores", verbose=self.verbose):
            scores, chosen = self._score(X, y, sample_weight, part, random_state)
            if self.strategy == "turf":
                self.scores_[part], kept[:] = scores, 0
            else:
                self.scores_[part] = np.maximum(self.scores_[part], scores)
            self.rounds_[part] += 1
            kept[part] += chosen
        survival = self.rounds_ if self.strategy == "turf" else np.zeros(n_features)
        self.order_ = np.lexsort((-self.scores_, -survival))
        self.ranking_ = shared_ranks(self.order_, n_features)
        least = 0.5 * (self.rounds_ if self.strategy == "vls" else 1)
        self.support_ = kept > least if wanted is None else self.ranking_ <= wanted
        return self

    def _score(
        self, X: Any, y: Any, sample_weight: Any, part: np.ndarray, random_state: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """Scores of some features, and which of them the selector keeps."""
        base = MultiSURF() if self.selector is None else self.selector
        seed = draw_seeds(None if self.random_state is None else random_state, 1)[0]
        copy = clone(seeded(base, seed))
        fitted = fit_weighted(copy, take_columns(X, part), y, sample_weight)
        scores = scores_of(fitted)
        if scores is None:
            raise TypeError(
                f"`selector` must score features, got {type(base).__name__}, which has none of "
                "scores_, feature_importances_ and coef_ after its fit. Use one that does."
            )
        self.selector_ = fitted
        ruled = hasattr(fitted, "get_support")
        return scores, fitted.get_support() if ruled else np.ones(len(part), bool)

    def _falling(self, n_features: int) -> Iterator[np.ndarray]:
        """All features, then those left, ascending, until few are."""
        left = np.arange(n_features)
        yield left
        while len(left) > self.min_features:
            n = max(self.min_features, min(len(left) - 1, round(len(left) * (1 - self.drop))))
            best = np.argsort(-self.scores_[left], kind="stable")[:n]
            left = left[np.sort(best)]
            yield left

    def _n_parts(self, n_features: int) -> int:
        size = number_to_keep(self.subset_size, n_features)
        return -(-n_features // size)  # type: ignore[operator]

    def _dealt(self, n_features: int, random_state: Any) -> Iterator[np.ndarray]:
        """All features dealt out at random, to parts of about the same size, several times."""
        for _ in range(self.n_deals):
            order = random_state.permutation(n_features)
            for part in np.array_split(order, self._n_parts(n_features)):
                yield np.sort(part)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = False
        base = MultiSURF() if self.selector is None else self.selector
        tags.input_tags.allow_nan = get_tags(base).input_tags.allow_nan
        return tags
