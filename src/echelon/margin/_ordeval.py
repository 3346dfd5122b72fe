"""OrdEval: what every value of an ordered feature does to an ordered outcome, among neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from echelon._core.compat import Interval, StrOptions, fit_context
from echelon._core.jobs import track
from echelon._core.samples import arrange
from echelon.data import Data, as_frame, as_table, names_of, read_columns
from echelon.engines import ENGINE_CONSTRAINTS, Classes, Engine, Samples, Search, resolve_engine
from echelon.margin._loops import count_steps
from echelon.margin._neighbors import Neighbors, Pairs
from echelon.margin._pairs import MAX_PAIRS
from echelon.margin.rules import Term
from echelon.targets import FEW, read_ordered_classes

FACTORS = ("upward", "downward", "anchoring")
"""What the value of a feature does: steps up, steps down, stays."""


class OrdEval(BaseEstimator):
    """Reinforcement factors: how each value of an ordered feature affects the outcome.

    For satisfaction surveys and other ordered answers.  Of all pairs of a sample and one of its
    nearest neighbours in which the feature steps up to a value, the share in which the outcome
    steps up too is the upward reinforcement of that value; downward reinforcement is the same for
    steps down, and anchoring for pairs that agree in the feature ([1]_).  Since neighbours are
    alike in the other features, a step is one of this feature, other things being equal.  The same
    factors of permuted values show what would be expected by chance.

    Parameters
    ----------
    n_neighbors : int, default=10
        Neighbours of any class.
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance between samples, over features scaled to [0, 1].
    ties : {"share", "index"}, default="share"
        With "share", samples at equal distances share the remaining places, so results do not
        depend on the order of rows; with "index", the first rows are used.
    n_shuffles : int, default=200
        How often the values of every feature are shuffled; 0: not at all.
    coverage : float, default=0.95
        Share of the shuffled factors between the lower and the upper quantile.
    class_order : sequence, default=None
        The classes from lowest to highest.  Required for classes that are neither integers nor an
        ordered categorical.
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
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    values_ : list of ndarray of shape (n_values,)
        The different values of every feature, ascending; none of a feature that is nominal or has
        more than 20, which counts in distances only.
    value_counts_ : list of ndarray of shape (n_values,)
        Samples with each value.
    factors_ : list of ndarray of shape (3, n_values)
        Upward and downward reinforcement and anchoring of every value; NaN where there is no such
        pair, as upwards to the lowest value.
    null_quantiles_ : list of ndarray of shape (3, n_values, 3)
        Lower quantile, median and upper quantile of the same factors of shuffled values.
    feature_factors_ : ndarray of shape (n_features, 3)
        The three factors over all values of a feature.
    feature_null_quantiles_ : ndarray of shape (n_features, 3, 3)
        Their quantiles when values are shuffled.
    reversed_ : ndarray of shape (n_features,)
        Mask of the features that go against the outcome: where they step up it falls, and where
        they step down it rises, both more often than the upper quantiles of shuffled values.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    echelon.display.OrdEvalDisplay : The factors as a picture.
    OReliefF : One score per feature from neighbours and ordered classes.

    Notes
    -----
    All features count in the distance, also the one evaluated, as in [1]_; all neighbours weigh
    alike.  Shuffled values are evaluated among the same neighbours.  Pairs in which the feature is
    missing do not count for it.  What stands out is a factor above the upper quantile; with the
    default coverage one in forty does so by chance.  A factor below the lower one says little:
    neighbours that differ in a feature without effect are the more alike in the others, so that
    their outcomes step less often than those of shuffled values.  So a feature that goes against
    the outcome never stands out: where ``reversed_`` is True, turn its values round (6 - x for
    grades from 1 to 5) and fit again.  Evaluate a column with more than 20
    values in grades, for example those of ``pandas.qcut``.

    References
    ----------
    .. [1] M. Robnik-Sikonja, K. Vanhoof, "Evaluation of ordinal attributes at value level", Data
       Mining and Knowledge Discovery 14, 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon import OrdEval
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(1, 6, (300, 3))
    >>> y = np.maximum(X[:, 0], 3) + (X[:, 1] > 4)               # 1 to 3 are all the same
    >>> analysis = OrdEval(random_state=0).fit(X, y)
    >>> analysis.values_[0].tolist()
    [1, 2, 3, 4, 5]
    >>> upward, downward, anchoring = analysis.factors_[0]
    >>> upward.round(1).tolist()
    [nan, 0.0, 0.0, 1.0, 1.0]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ENGINE_CONSTRAINTS,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "metric": [StrOptions({"manhattan", "euclidean"})],
        "ties": [StrOptions({"share", "index"})],
        "n_shuffles": [Interval(Integral, 0, None, closed="left")],
        "coverage": [Interval(Real, 0, 1, closed="neither")],
        "class_order": ["array-like", None],
        "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        n_neighbors: int = 10,
        metric: str = "manhattan",
        ties: str = "share",
        n_shuffles: int = 200,
        coverage: float = 0.95,
        class_order: Sequence | None = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        engine: str | Engine = "auto",
        verbose: int = 0,
    ):
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.ties = ties
        self.n_shuffles = n_shuffles
        self.coverage = coverage
        self.class_order = class_order
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.engine = engine
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> OrdEval:
        """Find the neighbours of all samples and compare steps of features and classes.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Ordered classes.

        Returns
        -------
        self : object
            The fitted analysis.
        """
        X = as_table(X)
        validate_data(self, names_of(X), y, skip_check_array=True)
        columns = read_columns(X, self.categorical_features, allow_nan=True)
        self.classes_, classes = read_ordered_classes(y, self.class_order)
        check_consistent_length(columns.values, classes)
        work = len(classes) * columns.values.size
        engine = resolve_engine(self.engine, self.n_jobs, work)
        neighbours = self._neighbours(arrange(columns, classes), engine)
        if isinstance(self.categorical_features, str):  # nobody said that all are labels
            _check_order(columns)
        judged = zip(columns.values.T, columns.nominal, strict=True)
        answers = [_Answers.of(column, nominal=nominal) for column, nominal in judged]
        self._judge(answers, neighbours, engine)
        self.values_ = _labels(X, [each.values for each in answers])
        self.value_counts_ = [each.counts for each in answers]
        return self

    def _neighbours(self, samples: Samples, engine: Engine) -> _Neighbours:
        space = engine.prepare(samples, self.metric)
        n, n_classes = len(samples.classes), len(samples.class_sizes)
        search = Search(Classes.everyone(n_classes), min(int(self.n_neighbors), n - 1))
        neighbors = Neighbors(engine, space, by_index=self.ties == "index")
        anyone = Term(np.ones(n_classes), search)

        def task(queries: np.ndarray) -> list[Pairs]:
            return list(neighbors.pairs(anyone, queries))

        parts: list[Pairs] = []
        n_pairs = 0
        for found in engine.map(task, engine.tasks(space, np.arange(n))):
            parts += found
            n_pairs += sum(len(indices) for _, _, indices, _ in found)
            if n_pairs > MAX_PAIRS:
                raise ValueError(
                    f"More than {MAX_PAIRS} pairs of samples share places at ties. Use "
                    'ties="index", or fewer samples.'
                )
        _, counts, indices, shares = map(np.concatenate, zip(*parts, strict=True))
        return _Neighbours(samples.rows, samples.classes, counts, indices, shares)

    def _judge(self, answers: list[_Answers], found: _Neighbours, engine: Engine) -> None:
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=len(answers))
        tails = (1 - self.coverage) / 2
        levels = np.array([tails, 0.5, 1 - tails])

        def judge(feature: int) -> tuple[np.ndarray, np.ndarray, bool]:
            codes, n_values = answers[feature].codes[found.rows], len(answers[feature].values)
            draw = np.random.RandomState(seeds[feature]).permutation
            factors = found.factors(codes, n_values)
            shuffled = [found.factors(draw(codes), n_values) for _ in range(self.n_shuffles)]
            quantiles = _quantiles(np.array(shuffled), levels, factors.shape)
            against = found.factors(np.where(codes < 0, -1, n_values - 1 - codes), n_values)
            # Shuffled values step up as often as down, so that their quantiles hold for both.
            beyond = against[:2, -1] > quantiles[:2, -1, 2]
            return factors, quantiles, bool(beyond.all())

        judged = engine.map(judge, range(len(answers)))
        name, total = type(self).__name__, len(answers)
        done = track(judged, total=total, description=name, verbose=self.verbose)
        factors, quantiles, turned = zip(*done, strict=True)
        self.reversed_ = np.array(turned, dtype=bool)
        self.factors_ = [each[:, :-1] for each in factors]
        self.null_quantiles_ = [each[:, :-1] for each in quantiles]
        self.feature_factors_ = np.array([each[:, -1] for each in factors])
        self.feature_null_quantiles_ = np.array([each[:, -1] for each in quantiles])

    def frame(self) -> pd.DataFrame:
        """One row per feature, value and factor, with the quantiles of shuffled values.

        ``reversed`` says whether the feature goes against the outcome.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", np.arange(self.n_features_in_))
        rows = [
            (name, value, count, kind, factors[s, v], *quantiles[s, v], turned)
            for name, values, counts, factors, quantiles, turned in zip(
                names,
                self.values_,
                self.value_counts_,
                self.factors_,
                self.null_quantiles_,
                self.reversed_.tolist(),
                strict=True,
            )
            for s, kind in enumerate(FACTORS)
            for v, (value, count) in enumerate(zip(values, counts, strict=True))
        ]
        columns = ["feature", "value", "n", "kind", "factor", "low", "median", "high", "reversed"]
        return pd.DataFrame(rows, columns=columns)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        return tags


def _check_order(columns: Data) -> None:
    """Refuse a table of categorical columns alone, which has no steps."""
    if len(columns.nominal) and columns.nominal.all():
        name = 0 if columns.names is None else columns.names[0]
        raise ValueError(
            f"`X` holds labels without an order only, as in column {name!r}, so that no value is a "
            "step up or down. Pass numbers, or ordered categories such as pandas.Categorical("
            'answers, ["low", "medium", "high"], ordered=True).'
        )


class _Answers(NamedTuple):
    """A column as codes of its values, -1 where missing."""

    values: np.ndarray
    counts: np.ndarray
    codes: np.ndarray

    @classmethod
    def of(cls, column: np.ndarray, *, nominal: bool) -> _Answers:
        """None, if the column has no order, or so many values that few samples have each."""
        codes = np.full(len(column), -1)
        present = ~np.isnan(column)
        values, found, counts = np.unique(column[present], return_inverse=True, return_counts=True)
        if nominal or len(values) > FEW:
            return cls(values[:0], counts[:0], codes)
        codes[present] = found
        return cls(values, counts, codes)


class _Neighbours(NamedTuple):
    """Neighbours of all samples, one after the other; ``rows`` are their original indices."""

    rows: np.ndarray
    classes: np.ndarray
    counts: np.ndarray
    indices: np.ndarray
    shares: np.ndarray

    def factors(self, codes: np.ndarray, n_values: int) -> np.ndarray:
        """Factors by kind of step and value, the last column over all values; NaN without pairs."""
        pairs, agreeing = np.zeros((2, n_values, 3))
        count_steps(*self[2:], codes, self.classes, pairs, agreeing)
        totals, same = (np.vstack([part, part.sum(axis=0)]).T for part in (pairs, agreeing))
        return np.divide(same, totals, out=np.full(totals.shape, np.nan), where=totals > 0)


def _quantiles(factors: np.ndarray, levels: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Quantiles over shuffles, on the last axis; NaN where no shuffle has such a pair."""
    found = np.full((*shape, len(levels)), np.nan)
    there = ~np.isnan(factors).all(axis=0) if len(factors) else np.zeros(shape, bool)
    if there.any():
        found[there] = np.nanquantile(factors[:, there], levels, axis=0).T
    return found


def _labels(X: Any, values: list[np.ndarray]) -> list[np.ndarray]:
    """Values as the user has them: labels of ordered categories, whole numbers as integers."""
    frame = as_frame(X) if hasattr(X, "columns") else None
    found = []
    for f, each in enumerate(values):
        dtype = None if frame is None else frame.dtypes.iloc[f]
        if isinstance(dtype, pd.CategoricalDtype):
            found.append(np.asarray(dtype.categories)[each.astype(int)])
        else:
            whole = (each == np.round(each)).all() and (np.abs(each) < 2**53).all()
            found.append(each.astype(np.int64) if whole else each)
    return found
