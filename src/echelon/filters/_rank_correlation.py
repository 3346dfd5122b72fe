"""RankCorrelation: every feature by itself, by the ranks of its values.

The association of every feature with another variable, by ranks, and its p-value.  The
other is the target, or one more feature.  Both with an order: Kendall's tau-b or Spearman's
rho.  Where one of the two has no order: the Kruskal-Wallis statistic of the ranks of the other over
its groups.  Where neither has: Pearson's chi-squared.

The last two grow with the number of groups, also by chance.  To compare with a correlation, a
statistic T with d degrees of freedom and largest value M becomes (T - (d - 1)) / (M - (d - 1)):
noise is then as large as noise in a column with two labels.  Its square root is on the scale of
rho; times the ratio of the standard deviations of tau and rho by chance, on the scale of tau.
Both equal the correlation itself, without its sign, if there are two groups.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import special, stats

from echelon._core.compat import StrOptions
from echelon._core.samples import row_counts
from echelon.base import ErrorRateMixin, SampleWeightMixin, WeightingSelector
from echelon.data import Data
from echelon.filters._base import AnyTargetMixin, codes_of, has_order, sorted_blocks
from echelon.filters._loops import N_MASSES, rank_masses
from echelon.targets import Target


class RankCorrelation(SampleWeightMixin, ErrorRateMixin, AnyTargetMixin, WeightingSelector):
    """Rank correlation of every feature with the target, with p-values.

    Kendall's tau-b between feature and target counts the pairs of samples that both put in the
    same order less those they put in opposite ones; for ordered classes it is the test of
    Jonckheere and Terpstra for a trend over the classes ([1]_).  Nothing but the order of values
    matters, so neither units nor outliers do.  p-values say which correlations are significant.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
    measure : {"kendall", "spearman"}, default="kendall"
        Tau-b, or the correlation of mid-ranks.  They rank features nearly alike.
    threshold : float, "fdr", "family" or "shuffle", default=None
        Selected features have larger scores than this.  "fdr", "family": p-values that pass the
        procedure of Benjamini and Hochberg, or of Holm, at ``error_rate``.  "shuffle": larger
        scores than the best feature of one fit to permuted y.  None: "fdr" ([2]_).
    error_rate : float, default=0.05
        With "fdr": the expected share of noise among the selected features.  With "family": the
        probability of selecting any noise.
    kind : {"auto", "ordinal", "classification", "regression"}, default="auto"
        Type of the target: ordered classes, unordered classes, or continuous.  "auto" infers it
        (:func:`echelon.targets.read_target`); a few different numbers are ordered classes.
    class_order : sequence, default=None
        The classes from lowest to highest; the target is then ordinal.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices.
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
    scores_ : ndarray of shape (n_features,)
        Scores, larger is better: tau or rho without its sign, or what corresponds to it (see
        Notes).  0 for a constant feature.
    correlations_ : ndarray of shape (n_features,)
        Tau or rho, positive if the feature rises with the target; NaN where feature or target
        has no order.
    p_values_ : ndarray of shape (n_features,)
        Probability of so strong an association by chance, from tie-corrected approximations.
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
    ForwardLinear : Features that add to each other in a linear model.
    ForwardAdditive : Nonlinear effects.

    Notes
    -----
    Samples in which a feature is missing do not count for it.  Between a nominal feature and a
    target with an order, or a numeric feature and three or more classes without one, the measure
    comes from the Kruskal-Wallis statistic; between a nominal feature and such classes, from
    Pearson's chi-squared (a squared correlation ratio and Cramer's V).  What more labels gain by
    chance is taken off ([3]_), so that noise scores alike in all columns; with two labels the
    score is the correlation of the column coded 0 and 1.  The cost is n log n per feature.
    A feature that acts only in combination with others, or rises and falls, has no
    rank correlation, and copies of one feature all score alike.

    References
    ----------
    .. [1] M. G. Kendall, "Rank correlation methods", 4th edition, Griffin, 1970.
    .. [2] Y. Benjamini, Y. Hochberg, "Controlling the false discovery rate", Journal of the Royal
       Statistical Society B 57, 1995.
    .. [3] W. Bergsma, "A bias-correction for Cramer's V and Tschuprow's T", Journal of the Korean
       Statistical Society 42, 2013.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.datasets import load_diabetes
    >>> from echelon import RankCorrelation
    >>> X, progression = load_diabetes(return_X_y=True, as_frame=True)
    >>> grade = pd.qcut(progression, 5, labels=["mild", "low", "medium", "high", "severe"])
    >>> selector = RankCorrelation().fit(X, grade)
    >>> selector.get_feature_names_out().tolist()
    ['age', 'bmi', 'bp', 's1', 's2', 's3', 's4', 's5', 's6']
    >>> dict(zip(X.columns, selector.correlations_.round(2).tolist()))["s3"]
    -0.3
    """

    _own_threshold = "fdr"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WeightingSelector._parameter_constraints,
        **AnyTargetMixin._target_constraints,
        "measure": [StrOptions({"kendall", "spearman"})],
        **ErrorRateMixin._error_rate_constraints,
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        measure: str = "kendall",
        threshold: float | str | None = None,
        error_rate: float = 0.05,
        kind: str = "auto",
        class_order: Sequence | None = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ):
        self.n_features_to_select = n_features_to_select
        self.measure = measure
        self.threshold = threshold
        self.error_rate = error_rate
        self.kind = kind
        self.class_order = class_order
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    def _scores(self, features: Data, target: Target, random_state: Any) -> np.ndarray:
        found: Association | None = features.known if self.measure == "kendall" else None
        if found is None:
            progress = type(self).__name__, self.verbose
            found = associations_with(target, features, self.measure, progress)
        self.correlations_, scores, self.p_values_ = found
        return scores

    def _chance_score(self, features: Data, shuffled: Target, random_state: Any) -> float:
        # What is known of all rows is known of y as it is.
        return super()._chance_score(replace(features, known=None), shuffled, random_state)


class Association(NamedTuple):
    """Signed correlation (NaN where there is no sign), strength and p-value of features."""

    correlations: np.ndarray
    strengths: np.ndarray
    p_values: np.ndarray


def associations_with(
    target: Target, features: Data, measure: str = "kendall", progress: tuple[str, int] = ("", 0)
) -> Association:
    """Association of all features with the target.

    Parameters
    ----------
    target : Target
        What they may go with.
    features : Data
        Features, as read.
    measure : {"kendall", "spearman"}, default="kendall"
        Scale of the strengths.
    progress : tuple of str and int, default=("", 0)
        Label of the progress bar, and whether to show it.

    Examples
    --------
    >>> from echelon.data import read_columns
    >>> from echelon.filters import associations_with
    >>> from echelon.targets import read_target
    >>> X = read_columns(np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 0.0]]))
    >>> associations_with(read_target([0, 1, 2], "ordinal"), X).correlations.tolist()
    [1.0, -1.0]
    """
    codes, ordered = codes_of(target.numbers), has_order(target)
    return Associations(features, measure).of(codes, ordered, progress=progress)


class Associations:
    """Association of the columns of a table with other variables.

    Parameters
    ----------
    columns : Data
        Features, as read.  Samples in which one is missing do not count for it.
    measure : {"kendall", "spearman"}
        Scale of the strengths.
    frequencies : bool, default=False
        Whether weights count rows that were seen, each of which is evidence of its own.
    """

    def __init__(self, columns: Data, measure: str, *, frequencies: bool = False):
        self._columns, self._measure, self._frequencies = columns, measure, frequencies
        self._counts = row_counts(columns.weights, len(columns.values))

    def of(
        self,
        codes: np.ndarray,
        ordered: bool,
        features: np.ndarray | None = None,
        progress: tuple[str, int] = ("", 0),
    ) -> Association:
        """Association of some features, or all, with another variable.

        Parameters
        ----------
        codes : ndarray of int, shape (n_samples,)
            The other variable as 0, 1, ..., negative where missing.
        ordered : bool
            Whether its codes have an order.
        features : ndarray of int, default=None
            Features; None: all.
        progress : tuple of str and int, default=("", 0)
            Label of the progress bar, and whether to show it.
        """
        columns = self._columns if features is None else self._columns.some(features)
        numeric, nominal = np.flatnonzero(~columns.nominal), np.flatnonzero(columns.nominal)
        found = np.empty((3, len(columns.nominal)))
        for block in sorted_blocks(columns, numeric, progress):
            masses = self._masses(block.rows, block.order, codes[None])
            found[:, block.features] = self._judged(masses, lambda sums: self._rank(sums, ordered))
        if len(nominal):
            found[:, nominal] = self._of_labels(columns.values[:, nominal], codes, ordered)
        return Association(*found)

    def _rank(self, sums: _RankSums, ordered: bool) -> Association:
        if not ordered:
            return sums.between_groups(self._measure)
        return sums.tau() if self._measure == "kendall" else sums.rho()

    def _of_labels(self, values: np.ndarray, codes: np.ndarray, ordered: bool) -> Association:
        """Nominal columns: their labels are groups of samples, whose ranks of the other differ."""
        labels = np.ascontiguousarray(np.where(np.isnan(values), -1, values).astype(np.int64).T)
        other = np.where(codes < 0, np.nan, codes)[None]
        masses = self._masses(other, np.argsort(other, axis=1), labels)
        if ordered:
            return self._judged(masses, lambda sums: sums.between_groups(self._measure))
        tables = [_table(codes, row, self._counts) for row in labels]
        return self._judged(masses, lambda sums: sums.between_tables(tables, self._measure))

    def _masses(self, values: np.ndarray, order: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Rank sums of features, as ``_loops.rank_masses`` writes them."""
        masses = np.empty((max(len(values), len(codes)), N_MASSES))
        n_codes = int(codes.max(initial=0)) + 1
        rank_masses(values, order, codes, self._counts, n_codes, masses)
        return masses

    def _judged(self, masses: np.ndarray, judge: Callable[[_RankSums], Association]) -> Association:
        """Strengths of samples as counted; p-values by the evidence there is."""
        found = judge(_RankSums(masses, np.ones(len(masses))))
        if self._columns.weights is None or self._frequencies:
            return found
        # Kish: so many samples of equal weight vary as little.
        size = masses[:, 0] / np.where(masses[:, 1] > 0, masses[:, 1], 1.0)
        return found._replace(p_values=judge(_RankSums(masses, size)).p_values)


class _RankSums:
    """Rank statistics of features, with all weights so many times as large."""

    def __init__(self, masses: np.ndarray, scale: np.ndarray):
        n, _, score, x2, x3, c2, c3, product, between, self.n_groups = masses.T
        self.scale, self.n, self.score = scale, scale * n, scale**2 * score
        self.product, self.between = scale**3 * product, scale**3 * between
        self.ties = _ties(self.n, scale**2 * x2, scale**3 * x3)
        self.code_ties = _ties(self.n, scale**2 * c2, scale**3 * c3)
        self.n_pairs = self.n * (self.n - 1)
        # Two samples always agree or disagree: nothing can be said about chance.
        least = 1e-12 * self.n**2  # but for rounding, where weights are no whole numbers
        self.varies = self.n_pairs - self.ties[0] > least
        self.varies &= (self.n_pairs - self.code_ties[0] > least) & (self.n > 2)

    def tau(self) -> Association:
        """Kendall's tau-b, and its normal approximation with ties in both variables."""
        with np.errstate(invalid="ignore", divide="ignore"):
            tau = self.score / self._largest_score()
            z = np.abs(self.score) / np.sqrt(self._score_variance())
            return self._checked(tau, np.abs(tau), 2 * special.ndtr(-z))

    def rho(self) -> Association:
        """Spearman's rho, and the t distribution with n - 2 degrees of freedom."""
        with np.errstate(invalid="ignore", divide="ignore"):
            spread = self._rank_spread(self.ties) * self._rank_spread(self.code_ties)
            rho = np.clip(self.product / np.sqrt(spread), -1, 1)
            t = np.abs(rho) * np.sqrt((self.n - 2) / (1 - rho**2))
            return self._checked(rho, np.abs(rho), 2 * stats.t.sf(t, np.maximum(self.n - 2, 1)))

    def between_groups(self, measure: str) -> Association:
        """Kruskal-Wallis: ranks over the groups that the codes are."""
        with np.errstate(invalid="ignore", divide="ignore"):
            statistic = (self.n - 1) * self.between / self._rank_spread(self.ties)
            freedom = self.n_groups - 1
            strength = self._strength(statistic, freedom, self.n - 1, measure)
            return self._checked(None, strength, special.chdtrc(freedom, statistic))

    def between_tables(self, tables: list[np.ndarray], measure: str) -> Association:
        """Pearson's chi-squared of two variables without an order, from tables of counts."""
        with np.errstate(invalid="ignore", divide="ignore"):
            statistic = self.scale * np.array([_chi_squared(table) for table in tables])
            shapes = np.array([table.shape for table in tables])
            freedom = (shapes - 1.0).prod(axis=1)
            largest = (self.n - 1) * (shapes.min(axis=1) - 1)
            shrunk = statistic * (self.n - 1) / self.n
            strength = self._strength(shrunk, freedom, largest, measure)
            return self._checked(None, strength, special.chdtrc(freedom, statistic))

    def _strength(
        self, statistic: np.ndarray, freedom: np.ndarray, largest: np.ndarray, measure: str
    ) -> np.ndarray:
        """A statistic with some degrees of freedom on the scale of a correlation."""
        by_chance = freedom - 1
        squared = np.maximum(statistic - by_chance, 0) / (largest - by_chance)
        if measure == "kendall":
            squared *= (self.n - 1) * self._score_variance() / self._largest_score() ** 2
        # The root would make much of what only rounding left.
        return np.sqrt(np.where(squared < 1e-12, 0, np.minimum(squared, 1)))

    def _largest_score(self) -> np.ndarray:
        """The denominator of tau-b, as twice the pairs that count."""
        return np.sqrt((self.n_pairs - self.ties[0]) * (self.n_pairs - self.code_ties[0])) / 2

    def _score_variance(self) -> np.ndarray:
        """Variance of pairs in order minus pairs against it, by chance (Kendall 1970, ch. 5)."""
        n, x, y = self.n, self.ties, self.code_ties
        plain = (self.n_pairs * (2 * n + 5) - x[2] - y[2]) / 18
        pairs = x[0] * y[0] / (2 * self.n_pairs)
        return plain + pairs + x[1] * y[1] / (9 * self.n_pairs * np.maximum(n - 2, 1))

    def _rank_spread(self, ties: tuple[np.ndarray, ...]) -> np.ndarray:
        """Sum of squares of mid-ranks around their mean: (n^3 - n - sum of (t^3 - t)) / 12."""
        return (self.n_pairs * (self.n + 1) - ties[1] - 3 * ties[0]) / 12

    def _checked(
        self, signed: np.ndarray | None, strength: np.ndarray, p: np.ndarray
    ) -> Association:
        """A feature that is constant where it is present says nothing."""
        correlation = np.where(self.varies, np.nan if signed is None else signed, 0.0)
        return Association(
            correlation, np.where(self.varies, strength, 0.0), np.where(self.varies, p, 1.0)
        )


def _ties(n: np.ndarray, squares: np.ndarray, cubes: np.ndarray) -> tuple[np.ndarray, ...]:
    """Sums of t (t - 1), t (t - 1) (t - 2), t (t - 1) (2 t + 5) from those of t, t^2 and t^3."""
    return squares - n, cubes - 3 * squares + 2 * n, 2 * cubes + 3 * squares - 5 * n


def _table(rows: np.ndarray, columns: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mass of the samples by two codes that occur; without samples where either is missing."""
    present = (rows >= 0) & (columns >= 0)
    shape = int(rows.max(initial=0)) + 1, int(columns.max(initial=0)) + 1
    flat = np.ravel_multi_index((rows[present], columns[present]), shape)
    cells = np.bincount(flat, weights[present], shape[0] * shape[1]).reshape(shape)
    return cells[cells.any(axis=1)][:, cells.any(axis=0)]


def _chi_squared(cells: np.ndarray) -> float:
    """Pearson's statistic of a table of counts."""
    expected = cells.sum(axis=1)[:, None] * cells.sum(axis=0) / (cells.sum() or 1)
    return float(((cells - expected) ** 2 / expected).sum())
