"""ForwardLinear: features that add to each other in a linear model, by orthogonal least squares.

Every feature is a block of columns: one of a numeric feature, one per label of a nominal one.
With an orthonormal basis of what was chosen, the gain of every other feature follows from its
products with the residual and what is left of its length, and both are updated by its products
with the new direction: one pass over the table per step, and no column is ever changed.
(Orthogonal matching pursuit differs in that it does not divide by the length that is left.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from echelon._core.choices import Choice, read_choice
from echelon._core.compat import Interval, StrOptions
from echelon._core.samples import row_counts, unit_scale
from echelon.data import Data
from echelon.filters._base import BaggedSelector, in_blocks, outputs, path_of, sorted_blocks
from echelon.targets import Target

_COLLINEAR = 1e-6
"""A column with a smaller share of its length left over is a combination of the chosen ones."""

_GRID = 2.0**30
"""Gains, as shares of the total, are compared as multiples of 1 / _GRID: copies tie."""


class ForwardLinear(BaggedSelector):
    """Forward selection in a linear model, repeated over bootstrap samples.

    The feature that reduces the squared error of a linear model most is added, until Akaike's
    criterion no longer improves: stepwise regression by orthogonal least squares ([1]_).  A single
    path can depend on few samples, so the search is repeated on bootstrap samples, and the score of
    a feature is the mean of 1 / rank over them ([2]_).

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those selected in more than half of the
        bootstrap samples;
        with ``n_bags=0`` those taken.
    scale : {"standard", "rank"}, default="standard"
        Numeric features as they are, or as mid-ranks, which skew columns do not mislead.
    criterion : {"aic", "bic"} or float, default="aic"
        A step pays if it lowers the sum of squares by more than so many mean squared errors per
        column: 2, the logarithm of the number of samples, or the number given.  Samples that a
        bag repeats let noise gain about twice as much there, so twice as much is asked for.
    max_steps : int, default=30
        Most steps of a path.  With more features than samples no criterion may end it before
        the model is perfect.
    n_bags : int, default=20
        Bootstrap samples.  0: none, one fit to all samples.
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
    scores_ : ndarray of shape (n_features,)
        Scores, larger is better: mean over the bags of 1 / place, 0 where a feature is not taken.
    frequencies_ : ndarray of shape (n_features,)
        Share of the bags that take the feature.
    path_ : recarray
        Steps of the search: the ``feature`` added, and ``value``, R squared after it.  Only with
        ``n_bags=0``.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
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
    ForwardAdditive : For nonlinear effects.
    RankCorrelation : Every feature by itself.

    Notes
    -----
    The model predicts the codes of ordered classes and of two classes, numbers as they are, and
    the indicators of more classes without an order, whose errors are added.  Missing values are
    the mean of the column.  All labels of a nominal feature enter together.  Features that score
    alike are ordered by their gain alone, on all samples.  Nominal features with more
    labels than half the samples are never taken.  Gains that agree in 30 binary digits tie, and the
    lowest index wins.  With a number given, ``n_bags=0`` goes on to that number, whether steps pay
    or not; bags always stop.  The cost of a step is samples times columns.

    References
    ----------
    .. [1] S. Chen, S. A. Billings, W. Luo, "Orthogonal least squares methods and their
       application to non-linear system identification", International Journal of Control 50, 1989.
    .. [2] N. Meinshausen, P. Bühlmann, "Stability selection", Journal of the Royal Statistical
       Society B 72, 2010.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.datasets import load_diabetes
    >>> from echelon import ForwardLinear
    >>> X, progression = load_diabetes(return_X_y=True, as_frame=True)
    >>> grade = pd.qcut(progression, 5, labels=["mild", "low", "medium", "high", "severe"])
    >>> selector = ForwardLinear(random_state=0).fit(X, grade)
    >>> X.columns[selector.order_[:4]].tolist()
    ['s5', 'bmi', 'bp', 'sex']
    >>> path = ForwardLinear(n_bags=0).fit(X, grade).path_
    >>> X.columns[path.feature].tolist(), path.value.round(2).tolist()
    (['s5', 'bmi', 'bp', 's3', 'sex'], [0.32, 0.44, 0.46, 0.47, 0.49])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaggedSelector._parameter_constraints,
        "scale": [StrOptions({"standard", "rank"})],
        "criterion": [StrOptions({"aic", "bic"}), Interval(Real, 0, None, closed="left")],
        "max_steps": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        scale: str = "standard",
        criterion: str | float = "aic",
        max_steps: int = 30,
        n_bags: int = 20,
        kind: str = "auto",
        class_order: Sequence | None = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ):
        self.n_features_to_select = n_features_to_select
        self.scale = scale
        self.criterion = criterion
        self.max_steps = max_steps
        self.n_bags = n_bags
        self.kind = kind
        self.class_order = class_order
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    def _search(self, columns: Data, target: Target) -> Pursuit:
        prices = {"aic": 2.0, "bic": float(np.log(row_counts(columns.weights, len(target)).sum()))}
        price = prices[self.criterion] if isinstance(self.criterion, str) else self.criterion
        design = Design(columns, self.scale)
        how = float(price), self.max_steps, columns.weights, self._choice
        return Pursuit(design, outputs(target), *how)

    def _judge(self, found: list[Path]) -> tuple[np.ndarray, np.ndarray]:
        if not self.n_bags:
            self.path_ = path_of(*found[0])
        places = np.zeros((len(found), self.n_features_in_))
        for reciprocals, path in zip(places, found, strict=True):
            reciprocals[path.features] = 1 / np.arange(1, len(path.features) + 1)
        self.frequencies_ = (places > 0).mean(axis=0)
        return places.mean(axis=0), self.frequencies_ > 0.5


class Path(NamedTuple):
    """Features in the order they were taken, and R squared after each."""

    features: np.ndarray
    r_squared: np.ndarray


class Design:
    """Columns of a linear model, as rows, of mean 0 and variance 1 where present, else 0."""

    def __init__(self, columns: Data, scale: str):
        self.n_features = len(columns.nominal)
        self.numeric = np.flatnonzero(~columns.nominal)
        weights, n = columns.weights, len(self.numeric)
        labels = {
            int(feature): _indicators(columns.values[:, feature], weights)
            for feature in np.flatnonzero(columns.nominal)
        }
        self.rows = np.empty((n + sum(map(len, labels.values())), len(columns.values)))
        start = 0
        for values in _numbers(columns, self.numeric, scale):  # a copy of all would be too much
            self.rows[start : start + values.shape[1]] = _standardised(values, weights)
            start += values.shape[1]
        self.blocks: dict[int, slice] = {}
        for feature, indicators in labels.items():
            self.blocks[feature] = slice(start, start + len(indicators))
            self.rows[self.blocks[feature]] = indicators
            start += len(indicators)


def _numbers(columns: Data, features: np.ndarray, scale: str) -> Iterator[np.ndarray]:
    """Values of some columns, or their ranks, as many columns at a time as memory bears."""
    if scale == "rank":
        for block in sorted_blocks(columns, features):
            ordered, middle = block.ascending(columns.weights)
            ranks = np.where(np.isnan(ordered), np.nan, middle)
            yield block.in_rows(ranks).T
        return
    for part in in_blocks(columns, features):
        yield columns.values[:, part].astype(np.float64)


def _standardised(values: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Data, as rows, with mean 0 and variance 1; missing values are the mean."""
    scaled = np.ascontiguousarray(unit_scale(values, np.ones(values.shape[1], bool)).T)
    present = ~np.isnan(scaled)
    counts = present if weights is None else present * weights
    total = counts.sum(axis=1, keepdims=True)
    total = np.where(total > 0, total, 1)
    scaled -= (counts * np.where(present, scaled, 0)).sum(axis=1, keepdims=True) / total
    scaled[~present] = 0
    deviation = np.sqrt((counts * scaled**2).sum(axis=1, keepdims=True) / total)
    return np.divide(scaled, deviation, out=np.zeros_like(scaled), where=deviation > 1e-12)


def _indicators(labels: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """One row per label, of mean 0; where the label is missing, the mean."""
    present = ~np.isnan(labels)
    kinds = np.unique(labels[present])
    rows = (labels == kinds[:, None]).astype(float)
    if present.any():
        counts = None if weights is None else weights[present]
        rows[:, present] -= np.average(rows[:, present], axis=1, weights=counts)[:, None]
    return rows


class Pursuit(NamedTuple):
    """Forward selection in linear models of the same columns and outputs.

    Parameters
    ----------
    design : Design
        Columns of the model.
    outputs : ndarray of shape (n_samples, n_outputs)
        What it predicts; errors are summed over the outputs.
    price : float
        A step must lower the sum of squares by this many mean squares per degree of freedom.
    max_steps : int
        Steps after which a search ends that is not told how many to take.
    counts : ndarray of shape (n_samples,), default=None
        How many samples every row stands for; None: each for itself.
    choice : Choice, default=None
        Features that are taken first, and groups that are taken whole, as one step.
    """

    design: Design
    outputs: np.ndarray
    price: float
    max_steps: int
    counts: np.ndarray | None = None
    choice: Choice | None = None

    def run(self, drawn: np.ndarray, n_steps: int | None = None) -> Path:
        """Search on the samples drawn: while steps pay, or so many steps if any are left."""
        fit = _Fit(self, drawn)
        choice = self.choice or read_choice(None, None, self.design.n_features, None)
        for feature in choice.first:
            fit.take(feature)
        n_taken, most = choice.n_kept, self.max_steps if n_steps is None else n_steps
        while n_taken < most:
            worth = fit.worth()
            best = int(np.argmax(worth))
            if worth[best] == -np.inf or (n_steps is None and worth[best] <= 0):
                break
            fit.take(best)
            for feature in choice.mates([best], np.flatnonzero(fit.open).tolist()):
                fit.take(feature)
            n_taken += 1
        return Path(np.array(fit.taken, int), np.array(fit.r_squared, float))

    def single_worth(self) -> np.ndarray:
        """What every feature is worth by itself, on all samples."""
        return _Fit(self, np.ones(len(self.outputs))).worth()


class _Fit:
    """A linear model that grows by one feature at a time, by weighted least squares."""

    def __init__(self, problem: Pursuit, drawn: np.ndarray):
        weights = row_counts(problem.counts, len(drawn)) * drawn
        self.rows, self.design, self.weights = problem.design.rows, problem.design, weights
        self.total_weight = weights.sum()
        # Samples drawn w times: noise gains sum(w^2) / sum(w) mean squares, not one.
        self.price = problem.price * (weights * drawn).sum() / self.total_weight
        self.means = np.einsum("fi,i->f", self.rows, weights) / self.total_weight
        mean = (weights[:, None] * problem.outputs).sum(axis=0) / self.total_weight
        self.residual = problem.outputs - mean
        self.total = self.rss()
        self.basis: list[np.ndarray] = []
        self.open = np.ones(self.design.n_features, bool)
        self.taken: list[int] = []
        self.r_squared: list[float] = []
        # Lengths of the columns, and their products with the outputs.
        squares = np.einsum("fi,fi,i->f", self.rows, self.rows, weights)
        self.lengths = squares - self.total_weight * self.means**2
        self.least = np.maximum(_COLLINEAR * self.lengths, 1e-9)
        weighted = weights[:, None] * self.residual
        self.products = np.stack(
            [np.einsum("fi,i->f", self.rows, column) for column in weighted.T.copy()], axis=1
        )
        self.grams = {f: self._gram(block) for f, block in self.design.blocks.items()}

    def _gram(self, block: slice) -> np.ndarray:
        centred = self.rows[block] - self.means[block, None]
        return np.einsum("ai,bi,i->ab", centred, centred, self.weights)

    def rss(self) -> float:
        """Weighted sum of squared errors."""
        return float((self.weights[:, None] * self.residual**2).sum())

    def worth(self) -> np.ndarray:
        """Gain of every feature, less its price, as a share of the total; -inf if none is left."""
        worth = np.full(self.design.n_features, -np.inf)
        rss = self.rss()
        if rss <= 1e-12 * self.total or self.total <= 0:
            return worth
        price = self.price * rss / self.total_weight
        worth[self.design.numeric] = self._numeric_gains() - price
        for feature, block in self.design.blocks.items():
            if self.open[feature]:
                values, vectors = self._directions(feature, block)
                gain = ((vectors.T @ self.products[block]) ** 2 / values[:, None]).sum()
                worth[feature] = gain - price * len(values) if len(values) else -np.inf
        worth[~self.open] = -np.inf
        return np.floor(worth / self.total * _GRID + 0.5) / _GRID

    def _numeric_gains(self) -> np.ndarray:
        numeric = slice(0, len(self.design.numeric))
        left = self.lengths[numeric] > self.least[numeric]
        lengths = np.where(left, self.lengths[numeric], 1)
        return np.where(left, (self.products[numeric] ** 2).sum(axis=1) / lengths, -np.inf)

    def _directions(self, feature: int, block: slice) -> tuple[np.ndarray, np.ndarray]:
        """Orthogonal directions of a block that are left over, and their squared lengths."""
        if block.stop - block.start > self.total_weight / 2:  # as good as an identifier
            return np.empty(0), np.empty((block.stop - block.start, 0))
        values, vectors = np.linalg.eigh(self.grams[feature])
        left = values > self.least[block].max(initial=0)
        return values[left], vectors[:, left]

    def take(self, feature: int) -> None:
        """Add to the model what a feature adds to it."""
        self.open[feature] = False
        if feature in self.design.blocks:
            block = self.design.blocks[feature]
            combinations = self._directions(feature, block)[1].T
            for each in combinations @ (self.rows[block] - self.means[block, None]):
                self._add(each)
        else:
            row = int(np.searchsorted(self.design.numeric, feature))
            if self.lengths[row] > self.least[row]:
                self._add(self.rows[row] - self.means[row])
        self.taken.append(feature)
        self.r_squared.append(1 - self.rss() / self.total if self.total > 0 else 0.0)

    def _add(self, direction: np.ndarray) -> None:
        """Add the part of a direction that is orthogonal to the basis."""
        for known in self.basis * 2:  # twice, so that rounding leaves nothing behind
            direction = direction - (self.weights * known * direction).sum() * known
        direction = direction / np.sqrt((self.weights * direction**2).sum())
        self.basis.append(direction)
        along = self.weights * direction
        slopes = (along[:, None] * self.residual).sum(axis=0)
        self.residual = self.residual - direction[:, None] * slopes
        shares = np.einsum("fi,i->f", self.rows, along)
        self.lengths -= shares**2
        self.products -= shares[:, None] * slopes
        for feature, block in self.design.blocks.items():
            self.grams[feature] -= np.outer(shares[block], shares[block])
