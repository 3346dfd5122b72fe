"""Several rankings as one: what complementary methods agree on.

``ConsensusSelector``  any selectors, ours or scikit-learn's, aggregated
``default_ranker``     what takes part by default, by kind of target and size of data
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from echelon._core.choices import shared_ranks
from echelon._core.compat import Interval, StrOptions, fit_context
from echelon._core.jobs import Jobs
from echelon._core.samples import (
    draw_seeds,
    fit_weighted,
    read_data,
    seeded,
    take_columns,
    take_rows,
)
from echelon.base import note_features, number_to_keep, ranks_of
from echelon.data import Data, as_table
from echelon.display import AgreementDisplay
from echelon.filters import ForestImportance, ForwardAdditive, ForwardLinear, RankCorrelation
from echelon.margin import ReliefF
from echelon.methods import CONTINUOUS
from echelon.neighborhood import OrderedSoftMargin

__all__ = ["ConsensusSelector", "default_ranker"]

MOST_ROWS = 4000
"""Rows that all but rank correlation look at; more change their order hardly, and cost."""
MOST_QUERIES = 1000
"""Rows whose neighbours ReliefF looks up."""
LONG_PATH, SHORT_PATH = 45, 8
"""Steps of the search in a linear model that does not stop by itself; most steps by neighbours."""
MOST_COLUMNS = 200
"""Columns that the search by neighbours and the forest look at, whose cost grows most with them."""
NEIGHBOURS, FOREST, CORRELATION = "neighbours", "forest", "rank correlation"
SEARCHES = ("linear", "linear in ranks", "additive", NEIGHBOURS)
"""Searches that stop by themselves: what none of them selects is hardly worth keeping."""


class ConsensusSelector(MetaEstimatorMixin, SelectorMixin, BaseEstimator):
    """Several rankings, aggregated into one.

    No single score finds all effects: correlations miss interactions, forward searches follow a
    single path, and forests favour features with many values.  Reciprocal rank fusion [1]_ of
    complementary rankings is better than each of them on most data
    (``docs/benchmarks/ordered_default.md``).

    Parameters
    ----------
    selectors : list of selectors, list of (str, selector), or dict
        What ranks the features: anything that has ``order_``, ``ranking_``, ``scores_``,
        ``feature_importances_`` or ``coef_`` after its fit.
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: as many as more than half of the voters
        select, at least one.
    fusion : {"reciprocal", "mean", "median"}, default="reciprocal"
        Sum of weight / (place + ``constant``), or mean or median of the places.
    constant : float, default=3.0
        The smaller, the more the first places count.
    weights : sequence of float, default=None
        One per selector; None: all the same.
    completed_by : list of str or selectors, default=None
        Rankings of all features: names of ``selectors``, or further ones.  The other selectors
        then only vouch for the features they select; what one of them does not keep is ranked,
        behind what it selects, by the mean place in these rankings.  None: every selector ranks as
        far as it can.
    voters : list of str, default=None
        Names of the ``selectors`` whose own choice of features counts as a vote.  None: all that
        have one.
    max_samples : int, default=None
        Rows drawn at random for all selectors but those named in ``completed_by``, where there
        are more.
    max_features : dict of str to int, default=None
        Most features that a selector is fitted to, by its name, for those that cost much.  Where
        there are more, they are the first in the reciprocal fusion of all other rankings, those of
        ``completed_by`` included.
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
        Scores, larger is better: those of the aggregated ranking.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    selectors_ : dict of str to object
        The fitted selectors.
    places_ : ndarray of shape (n_selectors, n_features)
        Place of every feature in every ranking, 0 = first, as they were aggregated.
    votes_ : ndarray of shape (n_features,)
        Number of voters that select the feature by their own rule.
    columns_ : dict of str to ndarray
        Indices of the features that a selector of ``max_features`` was fitted to, ascending; only
        of those that were not fitted to all.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    References
    ----------
    .. [1] G. V. Cormack, C. L. A. Clarke, S. Buettcher, "Reciprocal rank fusion outperforms
       Condorcet and individual rank learning methods", SIGIR 2009, 758-759.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from echelon import CFS, ConsensusSelector, ReliefF
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(random_state=0)
    >>> selector = ConsensusSelector([ReliefF(), CFS(), forest], 3).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['flavanoids', 'od280/od315_of_diluted_wines', 'proline']
    >>> selector.agreement().frame().round(2)["rank_correlation"].tolist()
    [0.81, 0.84, 0.9]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "selectors": [list, tuple, dict],
        "n_features_to_select": [
            None,
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
        ],
        "fusion": [StrOptions({"reciprocal", "mean", "median"})],
        "constant": [Interval(Real, 0, None, closed="neither")],
        "weights": ["array-like", None],
        "completed_by": [list, tuple, None],
        "voters": [list, tuple, None],
        "max_samples": [Interval(Integral, 2, None, closed="left"), None],
        "max_features": [dict, None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        selectors: Sequence[Any] | Mapping[str, Any],
        n_features_to_select: int | float | None = None,
        *,
        fusion: str = "reciprocal",
        constant: float = 3.0,
        weights: Sequence[float] | None = None,
        completed_by: Sequence[Any] | None = None,
        voters: Sequence[str] | None = None,
        max_samples: int | None = None,
        max_features: Mapping[str, int] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.selectors = selectors
        self.n_features_to_select = n_features_to_select
        self.fusion = fusion
        self.constant = constant
        self.weights = weights
        self.completed_by = completed_by
        self.voters = voters
        self.max_samples = max_samples
        self.max_features = max_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    _reads_data = True

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ConsensusSelector:
        """Fit all selectors and aggregate their rankings.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples, of any kind that the selectors take.
        y : array-like of shape (n_samples,)
            Target.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, which every selector is given.

        Returns
        -------
        self : object
            The fitted selector.
        """
        X = as_table(X)
        note_features(self, X, y)
        X, y = read_data(X, y, sample_weight)
        named, further, weights = self._read()
        self.columns_: dict[str, np.ndarray] = {}
        fitted = self._fit_all(named, further, X, y, sample_weight)
        self.selectors_ = {name: fitted[name] for name in named}
        votes = self._votes()
        self.votes_ = np.sum(votes, axis=0)
        self.places_ = self._places(fitted, further)
        self.scores_ = fused(self.places_, weights, self.fusion, self.constant)
        self.order_ = np.argsort(-self.scores_, kind="stable")
        self.ranking_ = shared_ranks(self.order_, len(self.order_))
        self.support_ = self.ranking_ <= self._n_kept(len(votes))
        return self

    @property
    def vouched_(self) -> np.ndarray:
        """The old name of ``votes_``; it goes in 0.4."""
        return self.votes_

    def _read(self) -> tuple[dict[str, Any], dict[str, Any], np.ndarray]:
        """Selectors by name, further rankings that only complete theirs, and the weights."""
        named = _by_name(self.selectors)
        weights = np.ones(len(named)) if self.weights is None else np.asarray(self.weights, float)
        if weights.shape != (len(named),) or not (weights > 0).all():
            raise ValueError(
                f"`weights` must hold one positive number per selector, {len(named)}, got "
                f"{self.weights!r}."
            )
        further = {}
        for place, each in enumerate(self.completed_by or ()):
            if not isinstance(each, str):
                further[f"further {place + 1}"] = each
            elif each not in named:
                raise ValueError(
                    "`completed_by` must hold selectors, or names of some of them, got "
                    f"{each!r}. There are: {', '.join(named)}."
                )
        unknown = [name for name in self.voters or () if name not in named]
        if unknown:
            raise ValueError(
                f"`voters` must hold names of selectors, got {unknown[0]!r}. There are: "
                f"{', '.join(named)}."
            )
        self._check_limits(named)
        return named, further, weights

    def _check_limits(self, named: Mapping[str, Any]) -> None:
        """``max_features`` names selectors, and leaves others to say which features are best."""
        for name, most in (self.max_features or {}).items():
            if name not in named or name in (self.completed_by or ()):
                raise ValueError(
                    "`max_features` must hold names of selectors that are not in `completed_by`, "
                    f"got {name!r}. There are: {', '.join(named)}."
                )
            if isinstance(most, bool) or not isinstance(most, Integral) or most < 1:
                raise ValueError(
                    f"`max_features` must hold whole numbers from 1, got {most!r} for {name!r}."
                )
        if self.max_features and set(named) <= set(self.max_features):
            raise ValueError(
                "`max_features` must leave out at least one of the selectors, whose rankings say "
                f"which features are best, got all: {', '.join(named)}."
            )

    def _fit_all(
        self,
        named: Mapping[str, Any],
        further: Mapping[str, Any],
        X: Any,
        y: Any,
        sample_weight: Any,
    ) -> dict[str, Any]:
        selectors = {**named, **further}
        random = None if self.random_state is None else check_random_state(self.random_state)
        seeds = draw_seeds(random, len(selectors))
        drawn = every = (X, y, sample_weight)
        if self.max_samples is not None and X.shape[0] > self.max_samples:
            draw = check_random_state(0) if random is None else random
            rows = np.sort(draw.choice(X.shape[0], self.max_samples, replace=False))
            weights = None if sample_weight is None else take_rows(sample_weight, rows)
            drawn = (take_rows(X, rows), take_rows(y, rows), weights)
        arguments = {
            name: (seeded(each, seed), *(every if name in (self.completed_by or ()) else drawn))
            for (name, each), seed in zip(selectors.items(), seeds, strict=True)
        }
        jobs, limits = Jobs(self.n_jobs, self.verbose), self._limits(X.shape[1])

        def fit(names: Sequence[str]) -> dict[str, Any]:
            done = jobs("selectors", fit_weighted, [arguments[name] for name in names])
            return dict(zip(names, done, strict=True))

        fitted = fit([name for name in selectors if name not in limits])
        if limits:
            order = self._agreed(fitted, further)
            for name, most in limits.items():
                self.columns_[name] = np.sort(order[:most])
                each, table, *rest = arguments[name]
                arguments[name] = (each, _some_columns(table, self.columns_[name], each), *rest)
            fitted |= fit(list(limits))
        return {name: fitted[name] for name in selectors}

    def _agreed(self, fitted: Mapping[str, Any], further: Mapping[str, Any]) -> np.ndarray:
        """All features, in the order of the selectors fitted so far."""
        whole = [places(ranks_of(fitted[name])) for name in further]
        each = np.vstack([self._places(fitted, further), *whole])
        scores = fused(each, np.ones(len(each)), "reciprocal", self.constant)
        return np.argsort(-scores, kind="stable")

    def _limits(self, n_features: int) -> dict[str, int]:
        """How many features selectors are fitted to, where these are not all."""
        return {name: most for name, most in (self.max_features or {}).items() if most < n_features}

    def _ranks(self, name: str, fitted: Any) -> np.ndarray:
        """Ranks of all features; those a selector was not fitted to share the last one."""
        ranks = ranks_of(fitted)
        if name not in self.columns_:
            return ranks
        return self._in_all(name, ranks, ranks.max() + 1)

    def _in_all(self, name: str, found: np.ndarray, other: Any) -> np.ndarray:
        """What was found of the columns of a selector, among all features."""
        every = np.full(self.n_features_in_, other)
        every[self.columns_.get(name, slice(None))] = found
        return every

    def _places(self, fitted: Mapping[str, Any], further: Mapping[str, Any]) -> np.ndarray:
        """Places in the rankings of the selectors, completed by those that rank all features."""
        ranks = {name: self._ranks(name, each) for name, each in fitted.items()}
        whole = [name for name in self.completed_by or () if isinstance(name, str)]
        others = np.sum([places(ranks[name]) for name in [*whole, *further]], axis=0)
        return np.array(
            [
                places(ranks[name]) if name in whole or not self.completed_by
                else completed(ranks[name], self._in_all(name, _kept(each), False), others)
                for name, each in fitted.items() if name not in further
            ]
        )  # fmt: skip

    def _votes(self) -> list[np.ndarray]:
        """What every voter selects; all features, where nobody has a rule of its own."""
        voters = self.selectors_ if self.voters is None else self.voters
        fitted = {name: self.selectors_[name] for name in voters}
        votes = [
            self._in_all(name, each.get_support(), False)
            for name, each in fitted.items()
            if hasattr(each, "get_support")
        ]
        return votes or [np.ones(self.n_features_in_, dtype=bool)]

    def _n_kept(self, n_voters: int) -> int:
        wanted = number_to_keep(self.n_features_to_select, len(self.order_))
        return max(1, int((self.votes_ > n_voters / 2).sum())) if wanted is None else wanted

    def agreement(self) -> AgreementDisplay:
        """How far the rankings agree; see :class:`echelon.display.AgreementDisplay`."""
        check_is_fitted(self)
        rankings = dict(zip(self.selectors_, self.places_ + 1, strict=True))
        return AgreementDisplay.from_rankings(rankings, n_best=max(1, int(self.support_.sum())))

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = False
        parts = [get_tags(part).input_tags for part in _by_name(self.selectors).values()]
        tags.input_tags.allow_nan = all(part.allow_nan for part in parts)
        return tags


def _by_name(selectors: Any) -> dict[str, Any]:
    """Selectors by name: as given, or by their class, numbered where one repeats."""
    pairs: list[tuple[str, Any]] = []
    for each in selectors.items() if isinstance(selectors, Mapping) else selectors:
        if isinstance(each, tuple) and len(each) == 2:
            pairs.append((str(each[0]), each[1]))
        else:
            alike = sum(type(other) is type(each) for _, other in pairs)
            pairs.append((type(each).__name__ + (f" {alike + 1}" if alike else ""), each))
    named = dict(pairs)
    if not named or len(named) < len(pairs) or not all(hasattr(s, "fit") for s in named.values()):
        raise ValueError(
            "`selectors` must be selectors, each with a name of its own if named, got "
            f"{selectors!r}. Pass for example [ReliefF(), CFS()]."
        )
    return named


def _kept(fitted: Any) -> np.ndarray:
    """The features a selector keeps by its rule; all, for a model, which has none."""
    if hasattr(fitted, "get_support"):
        return np.asarray(fitted.get_support(), dtype=bool)
    return np.ones(len(ranks_of(fitted)), dtype=bool)


def _some_columns(X: Any, columns: np.ndarray, selector: Any) -> Any:
    """Some features, as the selector reads them."""
    if not isinstance(X, Data) or not getattr(selector, "_reads_data", False):
        return take_columns(X, columns)
    return replace(X.some(columns), names=None if X.names is None else X.names[columns])


# ------------------------------------------------------------------------------------- fusion


def places(ranks: np.ndarray) -> np.ndarray:
    """Places 0, 1, ... from ranks; features of one rank share the mean of their places."""
    return rankdata(ranks, method="average") - 1


def completed(ranks: np.ndarray, taken: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Places of the features taken, in their order; behind them the rest, in another order."""
    result = np.empty(len(ranks))
    result[taken] = places(ranks[taken])
    result[~taken] = taken.sum() + places(others[~taken])
    return result


def fused(placed: np.ndarray, weights: np.ndarray, fusion: str, constant: float) -> np.ndarray:
    """One score per feature, larger is better, from places of shape (n_rankings, n_features).

    "reciprocal" adds weight / (place + constant) (Cormack et al. 2009): the head of every ranking
    counts most.  "mean" and "median" are those of the places.
    """
    share = weights / weights.sum()
    if fusion == "reciprocal":
        return share @ (1 / (placed + constant))
    if fusion == "mean":
        return -(share @ placed)
    # Among equal medians the better mean decides.
    return -(_weighted_median(placed, share) + 1e-6 * (share @ placed))


def _weighted_median(placed: np.ndarray, share: np.ndarray) -> np.ndarray:
    order = np.argsort(placed, axis=0, kind="stable")
    along = np.cumsum(share[order], axis=0)
    below = (along >= 0.5 - 1e-12).argmax(axis=0)
    above = (along > 0.5 + 1e-12).argmax(axis=0)
    ordered = np.take_along_axis(placed, order, axis=0)
    columns = np.arange(placed.shape[1])
    return (ordered[below, columns] + ordered[above, columns]) / 2


# ------------------------------------------------------------------------------------ the default


def default_ranker(kind: str, n_samples: int, weighted: bool = False) -> ConsensusSelector:
    """Complementary rankings, aggregated (measured in ``docs/benchmarks/ordered_default.md``).

    Four searches forward, each of which stops by itself (in a linear model of the values, in one
    of their ranks, in an additive model of bins, and by leave-one-out neighbours); the first once
    more, on all samples and to a fixed length; a forest; and rank correlation.  What a search does
    not take follows by the mean place of rank correlation and ReliefF.  The four that stop by
    themselves have a vote in which features are worth keeping.  Of more than 200 features, the
    search by neighbours and the forest are fitted to the 200 that the other rankings agree on.

    Parameters
    ----------
    kind : {"ordinal", "classification", "regression"}
        What y is.
    n_samples : int
        How many samples it is fitted to at least.
    weighted : bool, default=False
        Only rankings that take weights of samples.

    Returns
    -------
    ranker : ConsensusSelector
        Not fitted.

    Examples
    --------
    >>> from echelon.consensus import default_ranker
    >>> ranker = default_ranker("ordinal", n_samples=400)
    >>> len(ranker.selectors), ranker.fusion
    (7, 'reciprocal')
    """
    selectors: dict[str, Any] = {
        "linear": ForwardLinear(kind=kind),
        "linear in ranks": ForwardLinear(scale="rank", kind=kind),
        "additive": ForwardAdditive(kind=kind),
        NEIGHBOURS: OrderedSoftMargin(max_features=SHORT_PATH, kind=kind),
        "linear, long path": ForwardLinear(n_bags=0, criterion=0.0, max_steps=LONG_PATH, kind=kind),
        FOREST: ForestImportance(1.0, kind=kind),
        CORRELATION: RankCorrelation(kind=kind),
    }
    if weighted:
        selectors = {
            name: each
            for name, each in selectors.items()
            if has_fit_parameter(each, "sample_weight")
        }
    completed_by: list[Any] = [CORRELATION]
    if kind != CONTINUOUS:
        queries = MOST_QUERIES if min(n_samples, MOST_ROWS) > MOST_QUERIES else None
        completed_by.append(ReliefF(1, sample_size=queries))
    voters = [name for name in SEARCHES if name in selectors]
    return ConsensusSelector(
        selectors,
        completed_by=completed_by,
        voters=voters,
        max_samples=MOST_ROWS,
        max_features={name: MOST_COLUMNS for name in (NEIGHBOURS, FOREST) if name in selectors},
    )
