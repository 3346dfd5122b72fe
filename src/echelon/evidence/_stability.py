"""StabilitySelector: any ranking, with an expected number of false positives for every feature."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.stats import norm, rankdata
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from echelon._core.choices import shared_ranks
from echelon._core.compat import HasMethods, Interval, StrOptions, fit_context
from echelon._core.jobs import Jobs
from echelon._core.samples import draw_rows, draw_seeds, fit_weighted, read_data, seeded, take_rows
from echelon.base import note_features, ranking_copies, ranks_of, scores_of
from echelon.data import as_table
from echelon.targets import read_target

LARGEST_BOUND = 0.05
"""With the integral bound, the path ends before the bound exceeds this."""

MOST_SIZES = 100
"""The path ends here at the latest: far sizes weigh little, and searches forward are costly."""

STATISTICS = np.linspace(0.0, 9.0, 901)
"""Values at which the standard normal statistic of an irrelevant feature is looked at."""


class StabilitySelector(MetaEstimatorMixin, SelectorMixin, BaseEstimator):
    """Integrated path stability selection with any ranking.

    The selector ranks the features in pairs of complementary halves of the rows.  The selection
    frequency of a feature, as a function of the number of features selected, is its stability
    path; its score is the integral of ``max(0, 2 * frequency - 1) ** exponent`` along the path
    [1]_.  The scores that irrelevant features reach tell how many of them to expect among the
    features with at least some score.

    Parameters
    ----------
    selector : selector
        Ranks the features; how many it would select does not matter.
    error_rate : float, default=0.1
        Of "fdr": the largest acceptable q-value.  Of "false_positives": the expected number of
        false positives, which may be larger than 1; a number below 1 also bounds the probability
        of any false positive.
    threshold : {"fdr", "false_positives"}, default="fdr"
        What ``error_rate`` bounds: the false discovery rate, or the expected number of false
        positives.
    bound : {"gaussian", "integral"}, default="gaussian"
        How many false positives to expect.  "gaussian": what the subsamples of a normal statistic
        reach by chance.  "integral": the bound of [1]_, which fails with many features; see Notes.
    exponent : {1, 2, 3}, default=3
        Of the score.  The larger, the more only frequencies near 1 count.
    n_pairs : int, default=50
        Pairs of complementary subsamples of half of the rows; the selector is fitted twice as
        often.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices, including those of selectors and models without a seed.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Scores, larger is better: integrals along the stability path, from 0 to 1.
    false_positives_ : ndarray of shape (n_features,)
        Expected number of irrelevant features that score at least as much as this one.
    q_values_ : ndarray of shape (n_features,)
        Smallest false discovery rate at which the feature is selected, at most 1.
    selection_frequencies_ : ndarray of shape (n_sizes, n_features)
        Share of the subsamples in which every feature is among the best 1, 2, ..., n_sizes.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    KnockoffSelector : A false discovery rate for features needed beside all others.
    echelon.evaluation.selection_stability : How much selections agree.

    Notes
    -----
    Relevant is what the selector ranks for: with a ranking of single features, such as
    :class:`~echelon.RankCorrelation`, all that goes with the target, if only by way of another
    feature.  Both bounds assume that irrelevant features are exchangeable: none is selected more
    often than a random feature.  Scores that favour some features by chance, such as those of
    forests for features with many values, break this.

    "integral" further assumes that an irrelevant feature is selected in all halves of several pairs
    no more often than if pairs were independent.  They are not: they are halves of the same rows,
    and a feature that by chance goes with the target does so in most of them.  "gaussian" takes
    that into account: the statistic of an irrelevant feature in a half is that of all rows plus
    noise of the same variance, so its frequency in all halves is known given the former.  With
    many independent rows most statistics behave like this, and those of a random search vary more,
    which makes the bound conservative.

    Of features with equal scores, or not reached by a search, none counts as selected before all
    of them are.  Halves are drawn within classes.

    References
    ----------
    .. [1] O. Melikechi, J. W. Miller, "Integrated path stability selection", Journal of the
       American Statistical Association, 2025.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon import RankCorrelation, StabilitySelector
    >>> X = np.random.default_rng(0).normal(size=(200, 30))
    >>> y = np.digitize(X[:, 3] + X[:, 7], [-1, 0, 1])
    >>> selector = StabilitySelector(RankCorrelation(), random_state=0).fit(X, y)
    >>> selector.get_support(indices=True).tolist()
    [3, 7]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "selector": [HasMethods(["fit"])],
        "error_rate": [Interval(Real, 0, None, closed="neither")],
        "threshold": [StrOptions({"fdr", "false_positives"})],
        "bound": [StrOptions({"gaussian", "integral"})],
        "exponent": [Interval(Integral, 1, 3, closed="both")],
        "n_pairs": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        selector: Any,
        error_rate: float = 0.1,
        *,
        threshold: str = "fdr",
        bound: str = "gaussian",
        exponent: int = 3,
        n_pairs: int = 50,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.selector = selector
        self.error_rate = error_rate
        self.threshold = threshold
        self.bound = bound
        self.exponent = exponent
        self.n_pairs = n_pairs
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> StabilitySelector:
        """Rank the features in halves of the rows, and choose by the error rate.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples, of any kind that the selector takes.
        y : array-like of shape (n_samples,)
            Target.

        Returns
        -------
        self : object
            The fitted selector.
        """
        X = as_table(X)
        note_features(self, X, y)
        X, y = read_data(X, y)
        self._check(y)
        sizes = np.arange(1, min(max(self.n_features_in_ // 2, 1), MOST_SIZES) + 1)
        if self.bound == "integral":
            sizes = within_bound(sizes, self.n_features_in_, self.n_pairs, self.exponent)
        places = self._places(X, y, len(sizes))
        self.selection_frequencies_ = np.array([(places <= size).mean(axis=0) for size in sizes])
        self.scores_, self.false_positives_ = self._judge(self.selection_frequencies_)
        self.q_values_ = q_values(self.false_positives_)
        self.order_ = np.lexsort([places.mean(axis=0), -self.scores_])
        self.ranking_ = shared_ranks(self.order_, len(self.order_))
        values = self.q_values_ if self.threshold == "fdr" else self.false_positives_
        self.support_ = values <= self.error_rate
        return self

    def _check(self, y: Any) -> None:
        if self.threshold == "fdr" and self.error_rate >= 1:
            raise ValueError(
                f'`error_rate` must be below 1 with threshold="fdr", got {self.error_rate}. Give a '
                'share, or threshold="false_positives" for a number of features.'
            )
        counts = read_target(y).counts.values()
        if (counts and sum(n > 1 for n in counts) < 2) or len(y) < 4:
            raise ValueError(
                "`y` must have two samples of at least two classes, or four numbers, so that "
                f"subsamples of half of the rows can be ranked, got {len(y)} samples. Pass more."
            )

    def _places(self, X: Any, y: Any, n_best: int) -> np.ndarray:
        """Places of all features in the ranking of every half, shape (n_halves, n_features)."""
        random = check_random_state(self.random_state)
        everything = np.arange(len(y))
        halves = []
        for _ in range(self.n_pairs):
            first = draw_rows(y, None, 0.5, random)
            halves += [first, np.setdiff1d(everything, first)]
        seeds = draw_seeds(None if self.random_state is None else random, len(halves))
        arguments = (
            (self.selector, X, y, n_best, rows, seed)
            for rows, seed in zip(halves, seeds, strict=True)
        )
        jobs = Jobs(self.n_jobs, self.verbose)
        return np.array(jobs(type(self).__name__, places_in, arguments, steps=True))

    def _judge(self, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Scores, and the expected number of false positives among those at least as large."""
        n_features = frequencies.shape[1]
        weights = log_weights(len(frequencies))
        scores = weights @ score_at(frequencies, self.exponent)
        n_selected = frequencies.sum(axis=1)
        if self.bound == "gaussian":
            return scores, n_features * chance_of(scores, n_selected / n_features, self.exponent)
        by_size = integrand(n_selected, n_features, self.n_pairs, self.exponent)
        bound = float(weights @ by_size)
        expected = np.full(n_features, float(n_features))
        np.divide(bound, scores, out=expected, where=scores > bound / n_features)
        return scores, expected

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = get_tags(self.selector).input_tags.allow_nan
        return tags


def places_in(
    selector: Any, X: Any, y: Any, n_best: int, rows: np.ndarray, seed: int | None
) -> np.ndarray:
    """Places 1, 2, ... of the features in the ranking of some rows; equals take the last one.

    With the order of columns as a tie-break, the first of equal features would look stable.
    """
    copy = next(ranking_copies(seeded(selector, seed), n_best))
    fitted = fit_weighted(copy, take_rows(X, rows), take_rows(y, rows), None)
    places = rankdata(ranks_of(fitted), method="max")
    scores = scores_of(fitted)
    if scores is None or len(scores) < len(places):  # RFE has those of the last features
        return places
    _, groups = np.unique(scores, return_inverse=True)
    last = np.zeros(groups.max() + 1)
    np.maximum.at(last, groups, places)
    return last[groups]


# ------------------------------------------------------------------------------------- the path


def score_at(frequencies: np.ndarray, exponent: int) -> np.ndarray:
    """What selection frequencies contribute to the score: nothing up to one half."""
    return np.maximum(2 * frequencies - 1, 0.0) ** exponent


def log_weights(n_sizes: int) -> np.ndarray:
    """Weights of the sizes 1, ..., n_sizes along the path: uniform in their logarithm."""
    weights = 1 / np.arange(1, n_sizes + 1)
    return weights / weights.sum()


def within_bound(sizes: np.ndarray, n_features: int, n_pairs: int, exponent: int) -> np.ndarray:
    """The sizes 1, 2, ... up to where the integral bound exceeds its limit, at least one."""
    bounds = np.cumsum(integrand(sizes, n_features, n_pairs, exponent) / sizes)
    bounds /= np.cumsum(1 / sizes)
    return sizes[: max(1, int(np.count_nonzero(bounds <= LARGEST_BOUND)))]


def integrand(n_selected: np.ndarray, n_features: int, n_pairs: int, exponent: int) -> np.ndarray:
    """Bound on the sum of ``score_at`` of all irrelevant features, by number of selected ones.

    ``2 * frequency - 1`` is at most the share of the pairs of which both subsamples select the
    feature.  Its m-th moment is the sum over m pairs, some of them the same, of the probability
    that all halves select it, at most (n_selected / n_features)² per different pair.
    """
    both, b = (n_selected / n_features) ** 2, n_pairs
    if exponent == 1:
        return n_features * both
    if exponent == 2:
        return n_features * (both + (b - 1) * both**2) / b
    return n_features * (both + 3 * (b - 1) * both**2 + (b - 1) * (b - 2) * both**3) / b**2


def chance_of(scores: np.ndarray, shares: np.ndarray, exponent: int) -> np.ndarray:
    """Probability that an irrelevant feature scores at least as much, where statistics are normal.

    Given the statistic z of all rows, those of the subsamples are (z + d) / √2 and (z - d) / √2
    with d standard normal.  A half selects the feature if its statistic is among the share of the
    largest, so frequencies and score are functions of z that rise with it.

    >>> chance_of(np.array([0.0, 0.1, 0.9]), np.array([0.1]), 3).round(4).tolist()
    [1.0, 0.0032, 0.0]
    """
    limits = np.sqrt(2) * norm.isf(np.clip(shares, 0, 1) / 2)[:, None]
    frequencies = norm.sf(limits - STATISTICS) + norm.sf(limits + STATISTICS)
    by_chance = log_weights(len(shares)) @ score_at(frequencies, exponent)
    reached = np.searchsorted(by_chance, scores, side="left")
    chances = 2 * norm.sf(STATISTICS)
    return np.where(scores > 0, chances[np.minimum(reached, len(chances) - 1)], 1.0)


def q_values(false_positives: np.ndarray) -> np.ndarray:
    """Smallest rate of expected false positives to selected features, with every feature selected.

    >>> q_values(np.array([0.1, 3.0, 0.1, 4.0])).tolist()
    [0.05, 1.0, 0.05, 1.0]
    """
    n_selected = rankdata(false_positives, method="max")
    order = np.argsort(-false_positives, kind="stable")
    smallest = np.minimum.accumulate((false_positives / n_selected)[order])
    values = np.empty(len(order))
    values[order] = np.minimum(smallest, 1.0)
    return values
