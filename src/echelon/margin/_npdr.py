"""NPDR: regression over pairs of neighbours, with covariates.

A pair weighs g, its outcomes lie d apart, its values of a feature D, its covariates C.  The slope
of D in a regression of d on 1, D and C is the importance of the feature; over its standard error,
as if pairs were independent, it is NPDR's score.  A feature with missing values: the pairs that
have it.

Pairs share samples, and are not independent, so that p-values come from outcomes less what
covariates explain, sample by sample.  If an outcome follows covariates, and a feature does, both go
together though neither makes the other.  What is left of the outcome knows nothing of the
covariates, and may be permuted among the samples (Freedman and Lane 1983); ``_permutation`` does so
without permuting.  Numbers, and codes of ordered classes: r = y less its least squares, and
|r_i - r_j| in place of |y_i - y_j|.  Classes without an order: r has an entry for every class, 1 or
0 less its probability by a logistic regression, in units of its deviation; and -r_i r_j in place of
0 or 1, which has mean 0 and the same variance for all pairs, however likely their classes were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import expit
from scipy.stats import norm
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_consistent_length

from echelon._core.compat import Interval, StrOptions
from echelon._core.samples import arrange
from echelon.data import Data, is_dask, read_columns
from echelon.engines import Engine, Samples
from echelon.margin._base import OutcomeMixin, ReliefSelector
from echelon.margin._evidence import Evidence
from echelon.margin._moments import NO_SECONDS, NO_THIRDS, SecondSums, ThirdSums, centred
from echelon.margin._pairs import PairGraph
from echelon.margin._permutation import Outcomes, Run, TermOutcomes, by_column, pair_gaps
from echelon.margin._sums import Sums
from echelon.margin.rules import Band, Term, rrelieff
from echelon.methods import CLASSES
from echelon.targets import Target

NEWTON_STEPS, LARGEST_STEP, SETTLED = 25, 5.0, 1e-8
"""Newton steps at most, their length, and the step that ends them."""

PENALTY, MAX_ITER, LEAST_DEVIATION = 1e4, 1000, 0.01
"""Of the classes' logistic regression: the inverse of its penalty, its steps; and a bound."""


class NPDR(OutcomeMixin, ReliefSelector):
    """NPDR: regression of differences in the outcome on differences in a feature.

    Over all pairs of a sample and its neighbours, the difference of outcomes is regressed on the
    difference in one feature and those in covariates; a feature is good if its slope is large for
    its standard error [1]_.  Continuous targets and ordered classes by least squares; classes
    without an order by logistic regression of whether two classes differ.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
    n_neighbors : int, "log" or "radius", default=10
        Neighbours of every sample, whatever their outcome.  "log": the natural logarithm of the
        number of samples, rounded.  "radius": all that are nearer than the mean of the sample's
        distances less half their standard deviation, as in :class:`MultiSURF`.
    kind : {"auto", "ordinal", "classification", "regression"}, default="auto"
        Type of the target: ordered classes, unordered classes, or continuous.  "auto" infers it
        (:func:`echelon.targets.read_target`); a few different numbers are ordered classes.
    class_order : sequence, default=None
        The classes from lowest to highest; the target is then ordinal.
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
        scores than the best feature of one fit to permuted y.  None: "fdr".
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
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Scores, larger is better.
    coefficients_ : ndarray of shape (n_features,)
        Slopes; the scores are these over their standard errors, pairs taken as independent.
    z_scores_ : ndarray of shape (n_features,)
        Scores minus their mean, in units of their standard deviation, both over all permutations of
        the outcomes with fixed neighbours, the scores being covariances of feature and outcome over
        the pairs, and outcomes less what the covariates explain; 0 for constant features.
    p_values_ : ndarray of shape (n_features,)
        Probability of a larger z-score if the feature were unrelated to y, from a distribution with
        the skewness of the scores over permutations; 1 for constant features.
    pair_p_values_ : ndarray of shape (n_features,)
        Upper tail of the normal distribution at the scores, as others report it.  Pairs share
        samples, and it is far too small: for comparison only.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    threshold_ : float or None
        The score that selected features exceed; None if p-values or ``n_features_to_select``
        decide.
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
    RReliefF : The same contrast among neighbours, without covariates.

    Notes
    -----
    Without covariates the z-scores are those of :class:`RReliefF` with the same neighbours, and
    for classes the score test of the logistic regression.  With covariates outcomes are first
    taken less what these explain, sample by sample [2]_: by least squares on numbers, their squares
    and categories, classes without an order by logistic regression on the same.  p-values hold as
    far as that explains them (``docs/benchmarks/margin_rates.md``).  Covariates take no part in the
    distance.  Missing values (NaN) leave the feature out of the pair; covariates must be complete.
    The cost grows with the square of the number of samples and linearly with the features; classes
    take some Newton steps over all pairs for every feature.

    References
    ----------
    .. [1] T. T. Le, B. A. Dawkins, B. A. McKinney, "Nearest-neighbor Projected-Distance Regression
       (NPDR) for detecting network interactions with adjustments for multiple tests and
       confounding", Bioinformatics 36, 2020.
    .. [2] D. Freedman, D. Lane, "A nonstochastic interpretation of reported significance levels",
       Journal of Business and Economic Statistics 1, 1983.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from echelon import NPDR
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = NPDR(n_neighbors="radius")
    >>> selector = selector.fit(X.drop(columns="bmi"), y, covariates=X[["bmi"]])
    >>> selector.get_feature_names_out().tolist()
    ['s5']
    """

    _own_threshold = "fdr"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ReliefSelector._parameter_constraints,
        **OutcomeMixin._target_constraints,
        "n_neighbors": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"log", "radius"}),
        ],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        n_neighbors: int | str = 10,
        kind: str = "auto",
        class_order: Sequence | None = None,
        metric: str = "manhattan",
        sample_size: float | None = None,
        ties: str = "share",
        threshold: float | str | None = None,
        error_rate: float = 0.05,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        engine: str | Engine = "auto",
        verbose: int = 0,
    ):
        super().__init__(
            n_features_to_select,
            metric=metric,
            sample_size=sample_size,
            ties=ties,
            threshold=threshold,
            error_rate=error_rate,
            categorical_features=categorical_features,
            random_state=random_state,
            n_jobs=n_jobs,
            engine=engine,
            verbose=verbose,
        )
        self.n_neighbors = n_neighbors
        self.kind = kind
        self.class_order = class_order

    def fit(self, X: Any, y: Any, covariates: Any = None) -> NPDR:
        """Score the features and choose which to keep.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Outcomes.
        covariates : array-like or DataFrame of shape (n_samples, n_covariates), default=None
            What to hold fixed: numbers, strings and categories, none of them missing.

        Returns
        -------
        self : object
            The fitted selector.
        """
        self._covariates = self._read_covariates(covariates, y)
        super().fit(X, y)
        del self._covariates
        return self

    def _read_covariates(self, covariates: Any, y: Any) -> Samples | None:
        """Scaled, numbers first; a single column may come without its second dimension."""
        if covariates is None:
            return None
        if not is_dask(y):
            check_consistent_length(covariates, y)
        if not hasattr(covariates, "columns"):
            covariates = np.asarray(covariates)
            covariates = covariates.reshape(len(covariates), -1)
        columns = read_columns(covariates, "from_dtype", allow_nan=False)
        columns = replace(columns, values=np.asarray(columns.values, np.float64))
        return arrange(columns, np.zeros(len(columns.values), np.int64))

    def _chance_score(self, features: Data, shuffled: Target, random_state: Any) -> float:
        copy = clone(self)
        copy._covariates, copy.kind_ = self._covariates, self.kind_
        return float(copy._scores(features, shuffled, random_state).max())

    def _rule(self, samples: Samples) -> list[Term]:
        radius = self.n_neighbors == "radius"
        terms = rrelieff(samples, None if radius else self._k(samples), None)
        band = Band(-1, 0.5, own=True) if radius else None
        return [replace(term, even=False, band=band) for term in terms]

    def _needs_z(self) -> bool:
        return True

    def _evidence(self, sums: Sums) -> Evidence:
        samples, term, graph = sums.samples, sums.rule[0], sums.graph([0, 1])
        apart = term.of_pairs(samples, graph.lower, graph.higher)
        fixed = np.ones((1, len(apart)))
        outcomes: Outcomes = TermOutcomes(samples, term)
        if self._covariates is not None:
            values, n_numeric = self._covariates.values[samples.rows], self._covariates.n_numeric
            fixed = np.stack([*fixed, *_gaps(values, n_numeric, graph)])
            outcomes = _less_covariates(samples, term, effects(values, n_numeric))
        regression = PairRegression(samples, graph, apart, fixed, self.kind_ == CLASSES)
        slopes, errors = regression.slopes(sums.engine.map)
        scores = np.divide(slopes, errors, out=np.zeros(len(slopes)), where=errors > 0)
        self.coefficients_ = samples.per_feature(slopes)
        self.pair_p_values_ = samples.per_feature(norm.sf(scores))
        found = Evidence.of(*sums.contrast_moments([0, 1], outcomes))
        return found._replace(scores=scores).only(np.isfinite(errors))


# --------------------------------------------------------------------------- regression over pairs


def _gaps(values: np.ndarray, n_numeric: int, graph: PairGraph) -> list[np.ndarray]:
    """Differences of all pairs in all columns, numbers first, then codes."""
    ends = graph.lower, graph.higher
    return [pair_gaps(*ends, x, f >= n_numeric) for f, x in enumerate(values.T)]


class PairRegression(NamedTuple):
    """What the regressions of all features share.

    Attributes
    ----------
    samples : Samples
        Rows of the pairs.
    graph : PairGraph
        The pairs.
    apart : ndarray of shape (n_pairs,)
        d.
    fixed : ndarray of shape (1 + n_covariates, n_pairs)
        1 and C.
    logistic : bool
        d is 0 or 1, and its log-odds are what is linear in D.
    """

    samples: Samples
    graph: PairGraph
    apart: np.ndarray
    fixed: np.ndarray
    logistic: bool

    def slopes(self, run: Run) -> tuple[np.ndarray, np.ndarray]:
        """Slopes of all columns and their standard errors."""
        graph, weights = self.graph, self.graph.total_shares()

        def of_column(column: np.ndarray, f: int) -> tuple[float, float]:
            gaps = pair_gaps(graph.lower, graph.higher, column, f >= self.samples.n_numeric)
            there = ~np.isnan(gaps)
            return self._slope(np.where(there, weights, 0.0), np.where(there, gaps, 0.0))

        found = by_column(self.samples, of_column, run)
        return found[:, 0], found[:, 1]

    def _slope(self, g: np.ndarray, gaps: np.ndarray) -> tuple[float, float]:
        """Slope and standard error of one column; (0, inf) where the covariates say it all."""
        rest = gaps - fit_by(self.fixed, g, gaps) @ self.fixed
        spread = float(g @ rest**2)
        if spread <= SETTLED**2 * max(float(g @ gaps**2), SETTLED):
            return 0.0, np.inf
        if self.logistic:
            return self._logistic(g, gaps)
        unfit = self.apart - fit_by(self.fixed, g, self.apart) @ self.fixed
        slope = float((g * rest) @ unfit) / spread
        free = max(float(g.sum()) - len(self.fixed) - 1, 1.0)
        return slope, float(np.sqrt(g @ (unfit - slope * rest) ** 2 / free / spread))

    def _logistic(self, g: np.ndarray, gaps: np.ndarray) -> tuple[float, float]:
        """Slope and standard error of one column in a logistic regression, by Newton's steps."""
        design = np.stack([gaps, *self.fixed])
        scale = np.maximum(np.abs(design).max(axis=1), SETTLED)
        design /= scale[:, None]
        slopes = np.zeros(len(design))
        for _ in range(NEWTON_STEPS):
            p = expit(slopes @ design)
            inverse = np.linalg.pinv((design * (g * p * (1 - p))) @ design.T, hermitian=True)
            step = inverse @ (design @ (g * (self.apart - p)))
            longest = float(np.abs(step).max())
            slopes += step * min(1.0, LARGEST_STEP / max(longest, SETTLED))
            if longest < SETTLED:
                break
        return slopes[0] / scale[0], float(np.sqrt(max(inverse[0, 0], 0.0))) / scale[0]


def fit_by(fixed: np.ndarray, g: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Coefficients of the least squares of values on the rows of ``fixed``, pairs weighing g."""
    weighted = fixed * g
    return np.linalg.pinv(weighted @ fixed.T, hermitian=True) @ (weighted @ values)


# ------------------------------------------------------------------ outcomes less their covariates


def _less_covariates(samples: Samples, term: Term, by: np.ndarray) -> Outcomes:
    """What is left of the outcomes."""
    if samples.outcome is None:
        return ClassResiduals.of(samples.classes, by)
    rest = number_residuals(samples.outcome, by)
    return TermOutcomes(samples._replace(outcome=rest), term)


def effects(values: np.ndarray, n_numeric: int) -> np.ndarray:
    """What outcomes may depend on: numbers and their squares, and every code but one."""
    numbers, codes = np.split(values.T, [n_numeric])
    columns = [power for x in numbers for power in (x, x * x)]
    columns += [(x == c) * 1.0 for x in codes for c in np.unique(x)[1:]]
    return np.stack([np.ones(len(values)), *columns], axis=1)


def number_residuals(y: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Numbers less their least squares."""
    return y - by @ np.linalg.lstsq(by, y, rcond=None)[0]


class ClassResiduals(NamedTuple):
    """Entries of every sample, one for each class."""

    values: np.ndarray

    @classmethod
    def of(cls, classes: np.ndarray, by: np.ndarray) -> ClassResiduals:
        """From class codes, all of which occur."""
        model = LogisticRegression(C=PENALTY, max_iter=MAX_ITER).fit(by[:, 1:], classes)
        p = model.predict_proba(by[:, 1:])
        deviation = np.sqrt(np.maximum((p * (1 - p)).sum(axis=1), LEAST_DEVIATION**2))
        rest = (np.eye(p.shape[1])[classes] - p) / deviation[:, None]
        return cls(rest - rest.mean(axis=0))

    def of_pairs(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """-r_i r_j of pairs of rows."""
        return -np.einsum("pk,pk->p", self.values[rows], self.values[others])

    def sums(self, present: np.ndarray) -> tuple[SecondSums, ThirdSums]:
        """Sums over all pairs of the samples in a mask, from sums over samples."""
        r = self.values[present]
        n = len(r)
        if n < 2:
            return NO_SECONDS, NO_THIRDS
        products, own = r.T @ r, (r * r).sum(axis=1)
        around = np.einsum("ik,kl,il->i", r, products, r)
        rows, squares = own - r @ r.sum(axis=0), around - own**2
        cubes = np.einsum("ik,il,im->klm", r, r, r)
        centre = rows - rows.mean()
        pulled = centre @ r
        thirds = centred(
            n,
            rows,
            squares,
            -float((cubes**2).sum() - (own**3).sum()),
            -float(pulled @ pulled - centre**2 @ own),
            -float(np.trace(products @ products @ products) - 3 * own @ around + 2 * own @ own**2),
        )
        return SecondSums.of(rows, float(squares.sum())), thirds
