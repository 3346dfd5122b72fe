"""The estimators shared by all margin-based selectors, and what those of one kind of target share.

A new method adds a rule and a small class.  Data take one way through a fit: ``_read`` (features
and ``_read_target``), ``_arrange`` (samples as engines take them), ``_weights`` (scores).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from echelon._core.compat import Interval, StrOptions
from echelon._core.directions import directions
from echelon._core.jobs import blas_in_one_thread
from echelon._core.samples import arrange, columns_that_vary, equal_rows_once, unit_scale
from echelon._core.significance import CONTROLS
from echelon.base import ErrorRateMixin, SampleWeightMixin, WeightingSelector
from echelon.data import Data, is_dask, read_columns
from echelon.engines import ENGINE_CONSTRAINTS, Engine, Samples, resolve_engine
from echelon.margin._evidence import ByFeature, Evidence
from echelon.margin._pairs import MAX_PAIRS
from echelon.margin._sums import Sums, margin_sums, warn_of_copies
from echelon.margin.rules import Term, class_distances, contrast
from echelon.methods import CLASSES, ORDERED
from echelon.targets import Target, TargetReader, read_ordered_classes

N_NEIGHBORS: dict[str, list[Any]] = {
    "n_neighbors": [Interval(Integral, 1, None, closed="left"), StrOptions({"log"})]
}
"""Constraints of the parameter, for selectors that have it."""

NUMBER_OR_SHARE = [
    Interval(Integral, 1, None, closed="left"),
    Interval(Real, 0, 1, closed="right"),
]
"""Constraints of parameters that count samples or features, or are a share of them."""

MOST_CLASSES = 10
"""With more classes, neighbours of any class grow no more: pairs cost time and memory."""

TIMES_AS_MANY, MOST_QUERIES = 2, 4000
"""For the evidence, so many times the neighbours of a fit are taken, a third of the rows at most,
and so many queries at most.  With as many neighbours as in a fit it finds less than the score, with
half of the rows no exclusive or."""


class MarginSelector(WeightingSelector):
    """Arranges the data of the margin family; a subclass writes ``_weights``.

    Examples
    --------
    >>> from echelon import OSimba, ReliefF
    >>> from echelon.margin import MarginSelector
    >>> issubclass(ReliefF, MarginSelector), issubclass(OSimba, MarginSelector)
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WeightingSelector._parameter_constraints,
        **ENGINE_CONSTRAINTS,
    }

    @abstractmethod
    def _weights(self, samples: Samples, random_state: Any) -> np.ndarray:
        """Scores of all features."""

    def _scores(self, features: Any, target: Target, random_state: Any) -> np.ndarray:
        # Threads of BLAS wait in a loop after every product of vectors: on cores the search needs.
        with blas_in_one_thread():
            return self._weights(self._arrange(features, target), random_state)

    def _arrange(self, columns: Any, target: Target) -> Samples:
        """Samples with their classes."""
        codes = target.class_codes
        return arrange(columns, codes, self._directions(columns, codes))

    def _directions(self, columns: Data, codes: np.ndarray) -> np.ndarray | None:
        """Which features rise, or fall, with the classes; None: no matter."""
        return None


class OrderedClassesMixin:
    """For selectors whose classes, and so their features, have an order."""

    _order_constraints: ClassVar[dict[str, list[Any]]] = {
        "dominance": [StrOptions({"prefer", "require", "ignore"})],
        "monotonic_cst": [StrOptions({"auto"}), "array-like", dict, None],
        "class_order": ["array-like", None],
    }

    class_order: Any
    monotonic_cst: Any

    def _read_target(self, y: Any) -> Target:
        self.classes_, codes = read_ordered_classes(y, self.class_order)
        return Target(ORDERED, self.classes_, codes, None, None, "")

    def _directions(self, columns: Data, codes: np.ndarray) -> np.ndarray:
        self.monotonic_cst_ = directions(self.monotonic_cst, columns, codes)
        return self.monotonic_cst_


class OutcomeMixin(TargetReader):
    """For Relief selectors of any target: continuous and ordered ones are scaled to [0, 1]."""

    def _arrange(self, columns: Any, target: Target) -> Samples:
        if target.kind == CLASSES:
            return super()._arrange(columns, target)  # type: ignore[misc]
        outcome = unit_scale(target.numbers[:, None], np.array([True]))[:, 0]
        return arrange(columns, np.zeros(len(target), np.int64), outcome=outcome)


class EvidenceOnDemand:
    """``z_scores_`` and ``p_values_``, computed when they are first read.

    A fit leaves in ``_by_feature`` the two arrays, or a function that finds them from data it
    holds.  It is replaced by what it found, in one assignment: threads that ask at the same time
    find the same numbers.  Copies and pickles hold the numbers, not the data behind them.  Until
    then a fitted selector holds a copy of the data, scaled, and the pairs behind its scores.
    """

    _by_feature: ByFeature | Callable[[], ByFeature]

    @property
    def z_scores_(self) -> np.ndarray:
        """Scores minus their mean, in units of their deviation, both over permutations."""
        return self._found("z_scores_")[0]

    @property
    def p_values_(self) -> np.ndarray:
        """Probabilities of larger z-scores for features that have nothing to do with y."""
        return self._found("p_values_")[1]

    def _found(self, name: str) -> ByFeature:
        found = vars(self).get("_by_feature")
        if found is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if callable(found):
            with blas_in_one_thread():
                found = self._by_feature = found()
        return found

    def __getstate__(self) -> dict[str, Any]:
        if "_by_feature" in vars(self):
            self._found("p_values_")
        state: Any = super().__getstate__()
        return state


def can_wait(samples: Samples, engine: Engine) -> bool:
    """Whether the data will still be there later: in this process, not on other machines."""
    return engine.shares_memory and isinstance(samples.values, np.ndarray)


class ReliefSelector(SampleWeightMixin, EvidenceOnDemand, ErrorRateMixin, MarginSelector):
    """A margin selector defined by a rule: a subclass writes ``_rule``.

    ``docs/extending.md`` adds a method; parameters beyond these are its own.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance between samples, over features scaled to [0, 1].
    sample_size : int or float, default=None
        Number or share of samples, drawn at random without replacement, whose neighbours are
        searched.  None: all samples.
    ties : {"share", "index"}, default="share"
        With "share", samples at equal distances share the remaining places, so results do not
        depend on the order of rows; with "index", the first rows are used.
    threshold : float, "fdr", "family" or "shuffle", default=None
        Selected features have larger scores than this.  "fdr", "family": p-values that pass the
        procedure of Benjamini and Hochberg, or of Holm, at ``error_rate``.  "shuffle": larger
        scores than the best feature of one fit to permuted y.  None: scores above 0.
    error_rate : float, default=0.05
        With "fdr": the expected share of noise among the selected features.  With "family": the
        probability of selecting any noise.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices.
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

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from echelon.margin import ReliefSelector, rules
    >>> class FiveNearest(ReliefSelector):
    ...     def _rule(self, samples):
    ...         return rules.relieff(samples.class_sizes, 5)
    >>> X, y = load_iris(return_X_y=True)
    >>> FiveNearest(2).fit(X, y).get_support(indices=True).tolist()
    [2, 3]
    """

    _allow_nan = True
    _takes_dask = True
    _feature_weights: np.ndarray | None = None
    """Of the features in distances, set by IterativeRelief; None: 1 each."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MarginSelector._parameter_constraints,
        "metric": [StrOptions({"manhattan", "euclidean"})],
        "sample_size": [None, *NUMBER_OR_SHARE],
        "ties": [StrOptions({"share", "index"})],
        **ErrorRateMixin._error_rate_constraints,
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        metric: str = "manhattan",
        sample_size: float | None = None,
        ties: str = "share",
        threshold: float | str | None = None,
        error_rate: float = 0.05,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        engine: str | Engine = "auto",
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ):
        self.n_features_to_select = n_features_to_select
        self.metric = metric
        self.sample_size = sample_size
        self.ties = ties
        self.threshold = threshold
        self.error_rate = error_rate
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.engine = engine
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    def _read(self, X: Any, y: Any) -> tuple[Any, Target]:
        how = {"categorical_features": self.categorical_features, "allow_nan": self._allow_nan}
        if is_dask(X):  # rows stay where they are
            columns = resolve_engine(self.engine, self.n_jobs).read(X, **how)
        else:
            columns = read_columns(X, **how)
        return columns, self._read_target(y.compute() if is_dask(y) else y)

    @abstractmethod
    def _rule(self, samples: Samples) -> list[Term]:
        """The terms of the method."""

    def _weights(self, samples: Samples, random_state: Any) -> np.ndarray:
        queries = self._queries(len(samples.classes), random_state)
        work = len(queries) * math.prod(samples.values.shape)
        warn_of_copies(samples, self._rule(samples))
        engine = resolve_engine(self.engine, self.n_jobs, work)
        self.__dict__.pop("_by_feature", None)
        later = copy(self)  # parameters may change until then, and a cycle would hold data longer
        seed = _fixed_seed(self.random_state)
        find = partial(later._sums, engine=engine, seed=seed)
        contrast, here = self._by_contrast(), can_wait(samples, engine)
        waits = here and not self._needs_z()
        plain = here and self.sample_size is None and self.ties == "share"
        once = equal_rows_once(samples) if plain and (contrast or waits) else None
        if once is None:
            sums = find(samples, queries, keep_pairs=not contrast, verbose=self.verbose)
        else:  # for scores; evidence is that of all rows
            rows = np.arange(len(once.classes))
            sums = find(once, rows, keep_pairs=False, verbose=self.verbose)
        if contrast:  # which draws rows of its own: those of the engine may be others
            sums = replace(sums, samples=samples)
        if waits:
            scores = sums.scores(range(len(sums.rule)))
            again = once is not None and not contrast
            of = partial(find, samples, queries) if again else lambda: sums
            self._by_feature = partial(_find_evidence, later, of)
        else:
            found = self._evidence(sums)
            if self._needs_z() and np.isnan(found.z).any():
                raise ValueError(
                    "z-scores need the pairs of samples behind the scores, and more than "
                    f'{MAX_PAIRS} share places at ties. Use ties="index", a smaller '
                    "`sample_size`, or scores and a `threshold` that do without."
                )
            scores, self._by_feature = found.scores, found.by_feature(samples)
        self._constant = samples.per_feature(_is_constant(sums.samples, scores))
        return samples.per_feature(scores)

    def _sums(self, samples: Samples, queries: np.ndarray, engine: Engine, **options: Any) -> Sums:
        """The sums of the rule over the queries."""
        options |= {"metric": self.metric, "ties": self.ties}
        options["feature_weights"] = self._feature_weights
        return margin_sums(samples, self._rule(samples), queries, engine, **options)

    def _evidence(self, sums: Sums) -> Evidence:
        """Scores and z-scores by column; scores are those of all terms, unless z is needed."""
        if self._by_contrast():
            return self._contrast(sums)._replace(scores=sums.scores(range(len(sums.rule))))
        return sums.evidence(range(len(sums.rule)))

    def _by_contrast(self) -> bool:
        """Whether the evidence is that of a contrast, since the score itself allows for none.

        With the nearest of every class, hits and misses lie as far away as classes are large, and
        what noise scores depends on how much it has to do with the distances.
        """
        return False

    def _contrast(self, sums: Sums) -> Evidence:
        """Whether, among the nearest samples of any class, a feature differs where classes do."""
        samples = sums.samples
        n = len(samples.classes)
        draw = np.random.RandomState(sums.seed)
        queries = self._queries(n, draw)
        if len(queries) > MOST_QUERIES:
            queries = draw.choice(queries, MOST_QUERIES, replace=False)
        n_classes = len(samples.class_sizes)
        wanted = TIMES_AS_MANY * min(n_classes, MOST_CLASSES) * self._k(samples)
        k = max(1, min(wanted, math.ceil(self._n_rows(samples) / 3)))
        rule = contrast(class_distances(n_classes, ordered=False), k)
        options: dict[str, Any] = {"metric": self.metric, "ties": self.ties, "seed": sums.seed}
        return margin_sums(samples, rule, queries, sums.engine, **options).evidence(range(2))

    def _needs_z(self) -> bool:
        """Whether the answer depends on z-scores."""
        return self._control() in CONTROLS

    def _best_first(self) -> np.ndarray:
        # Of equal scores, that of a constant feature comes last.
        return np.lexsort((self._constant, -self.scores_))

    def _queries(self, n_samples: int, random_state: Any) -> np.ndarray:
        """All samples, or a random sample of them without replacement."""
        size = self.sample_size
        if size is None:
            return np.arange(n_samples)
        if not isinstance(size, Integral):
            size = max(1, int(size * n_samples))
        if size > n_samples:
            raise ValueError(
                f"`sample_size` must be at most the number of samples, {n_samples}, got {size}. "
                "Use None for all samples."
            )
        return random_state.choice(n_samples, size, replace=False)

    def _k(self, samples: Samples) -> int:
        """``n_neighbors`` as a number."""
        if self.n_neighbors == "log":
            return max(1, round(np.log(self._n_rows(samples))))
        return min(int(self.n_neighbors), math.ceil(self._n_rows(samples)))

    def _k_any(self, samples: Samples) -> int:
        """Nearest samples of any class: k per class, at most ten classes."""
        n_classes = min(len(samples.class_sizes), MOST_CLASSES)
        return min(self._k(samples) * n_classes, math.ceil(self._n_rows(samples)))

    def _n_rows(self, samples: Samples) -> float:
        return float(samples.mass.sum())


def _find_evidence(selector: ReliefSelector, find: Callable[[], Sums]) -> ByFeature:
    sums = find()
    return selector._evidence(sums).by_feature(sums.samples)


def _is_constant(samples: Samples, scores: np.ndarray) -> np.ndarray:
    """Which columns have no two values; these score 0, as others hardly ever do."""
    constant = scores == 0
    for f in np.flatnonzero(constant).tolist():
        constant[f] = not columns_that_vary(samples.values[:, f][:, None])[0]
    return constant


def _fixed_seed(random_state: Any) -> int:
    """Of what chooses wedges and rows; unless told otherwise always 0, for equal p-values.

    Drawn in the fit: they may be chosen later.
    """
    if random_state is None or isinstance(random_state, Integral):
        return int(random_state or 0)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
