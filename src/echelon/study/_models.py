"""Models that evaluate features of any kind: a table as numbers, the defaults, their scores.

Columns of many categories become the mean outcome of every category, on other rows.  One column of
0 and 1 per category would be hundreds; codes in any order say nothing; and a mean over rows that
include the row itself tells the outcome of that row.  So every row is given the mean over the other
parts of the rows, and new rows the mean over all, both drawn towards the overall mean where rows
are few.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import check_scoring
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import check_is_fitted

from echelon._core.compat import scorer_sign
from echelon._core.samples import fit_weighted
from echelon.data import (
    INTERVAL,
    NOMINAL,
    as_frame,
    as_table,
    check_kinds,
    kind_of,
    nominal_columns,
    numbers_of,
    of_plain_numbers,
)
from echelon.evaluation import OrdinalDecomposition, OrdinalForest, rank_loss_scorer
from echelon.methods import CLASSES
from echelon.targets import read_target

MANY = 20
"""A column with more labels is encoded by outcomes."""
N_PARTS = 5
"""Parts of the rows; a row's own part takes no part in its number."""
CELLS = 1 << 21
"""Values whose means and standard deviations are taken at a time."""
SHRINKAGE = 10.0
"""Rows with the overall mean that are added to every label."""
LINEAR, FOREST, GIVEN = "linear", "forest", "given"
"""Names of the models that features are evaluated by; the last one for a model of the user's."""
FEW_TREES = 50
"""Trees of the forest that scores many sets of features."""
MOST_ROWS = 4000
"""Rows that a tree is grown on."""
MOST_COLUMNS = 200
"""Columns, at most, that a split of a tree chooses among; for classes without an order always the
square root of their number."""


def many_labels(table: pd.DataFrame, most: int = MANY) -> list[int]:
    """Places of the columns that hold more categories than that."""
    nominal = set(nominal_columns(table))
    return [
        place
        for place, (name, column) in enumerate(table.items())
        if name in nominal and column.nunique() > most
    ]


def frequent_labels(column: pd.Series, most: int) -> list[Any]:
    """The categories that occur, the most frequent first."""
    counts = column.value_counts()
    return counts[counts > 0].index[:most].tolist()


def outcomes_of(y: Any) -> np.ndarray:
    """The target as numbers whose means make sense: codes, values, or one column per class."""
    target = read_target(y)
    if target.kind == CLASSES and len(target.counts) > 2:
        return (target.codes[:, None] == np.arange(len(target.counts))).astype(float)  # type: ignore[index]
    numbers = target.codes if target.codes is not None else target.numbers
    return np.asarray(numbers, dtype=float)[:, None]


class LabelMeans:
    """Mean outcomes of the labels of one column.

    Parameters
    ----------
    column : Series of shape (n_samples,)
        Labels; missing ones are a label of their own.
    outcomes : ndarray of shape (n_samples, n_outcomes)
        What is averaged.
    """

    def __init__(self, column: pd.Series, outcomes: np.ndarray):
        self.codes, self.labels = pd.factorize(_as_text(column))
        self.outcomes = outcomes
        self.overall = outcomes.mean(axis=0)

    def of(self, column: pd.Series) -> np.ndarray:
        """The numbers of new rows; labels never seen have the overall mean."""
        means = np.vstack([self._means(np.ones(len(self.codes), dtype=bool)), self.overall])
        return means[self.labels.get_indexer(_as_text(column))]

    def own(self) -> np.ndarray:
        """The numbers of the rows themselves, each from the other parts of the rows."""
        place = pd.Series(self.codes).groupby(self.codes).cumcount().to_numpy() % N_PARTS
        numbers = np.empty(self.outcomes.shape)
        for part in range(N_PARTS):
            numbers[place == part] = self._means(place != part)[self.codes[place == part]]
        return numbers

    def _means(self, rows: np.ndarray) -> np.ndarray:
        """(sum + c overall) / (n + c) of every label over some rows, c the shrinkage."""
        shape = (len(self.labels), self.outcomes.shape[1])
        sums, counts = np.zeros(shape), np.zeros((len(self.labels), 1))
        np.add.at(sums, self.codes[rows], self.outcomes[rows])
        np.add.at(counts, self.codes[rows], 1)
        overall = self.outcomes[rows].mean(axis=0) if rows.any() else self.overall
        return (sums + SHRINKAGE * overall) / (counts + SHRINKAGE)


def with_means(table: pd.DataFrame, y: Any) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns of many labels as numbers, and the column of the table that each comes from."""
    places = set(many_labels(table))
    if not places:
        return table, np.arange(table.shape[1])
    outcomes = outcomes_of(y)
    columns: dict[str, Any] = {}
    owners = []
    for place, (name, column) in enumerate(table.items()):
        parts = {str(name): column}
        if place in places:
            numbers = LabelMeans(column, outcomes).own().T
            parts = {f"{name} ({part})": each for part, each in enumerate(numbers)}
        columns |= parts
        owners += [place] * len(parts)
    return pd.DataFrame(columns, index=table.index), np.array(owners)


def _as_text(column: pd.Series) -> pd.Index:
    """Labels as texts, whatever they are kept as, so that those of two tables can be compared."""
    return pd.Index(column.astype(object).where(column.notna(), "(missing)").map(str))


class TableEncoder(TransformerMixin, BaseEstimator):
    """A table as standardised numbers, for linear models.

    Numbers and the positions of ordered categories are standardised, missing values become the
    mean. Labels become one column each.  A column of more labels becomes the mean outcome of each,
    taken for the rows of the fit from other rows than the row itself; without a target, the most
    frequent labels become columns.  Intervals become their middle and their width.

    Parameters
    ----------
    max_labels : int, default=20
        The most labels of a nominal column that get a column of their own.

    Attributes
    ----------
    sources_ : ndarray of shape (n_encoded,)
        The column of X that every encoded column comes from.
    n_features_in_ : int
        Number of features seen in fit.

    Examples
    --------
    >>> import pandas as pd
    >>> from echelon.report import TableEncoder
    >>> X = pd.DataFrame({"age": [20, None, 40], "home": ["own", "rent", "own"]})
    >>> TableEncoder().fit_transform(X).round(2).tolist()
    [[-1.0, 0.71, -0.71], [0.0, -1.41, 1.41], [1.0, 0.71, -0.71]]
    """

    def __init__(self, max_labels: int = 20):
        self.max_labels = max_labels

    def fit(self, X: Any, y: Any = None) -> TableEncoder:
        """Learn labels, means and scales.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), default=None
            Target, for columns of many labels.

        Returns
        -------
        self : object
            The fitted encoder.
        """
        self._learn(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Learn, and encode the same rows, none of which takes part in its own numbers.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), default=None
            Target, for columns of many labels.

        Returns
        -------
        encoded : ndarray of shape (n_samples, n_encoded)
            Numbers, none missing.
        """
        return self._scaled(self._learn(X, y))

    def _learn(self, X: Any, y: Any) -> np.ndarray:
        """Labels, means and scales; returns the numbers they were learnt from."""
        X = _typed(X)
        self.n_features_in_ = X.shape[1]
        many = [] if y is None else many_labels(X, self.max_labels)
        outcomes = outcomes_of(y) if many else np.empty((len(X), 0))
        self.means_ = {j: LabelMeans(X.iloc[:, j], outcomes) for j in many}
        self.labels_ = {
            j: frequent_labels(column, self.max_labels)
            for j, column in _columns(X, NOMINAL)
            if j not in self.means_
        }
        numbers = self._numbers(X, {j: means.own() for j, means in self.means_.items()})
        found = [_mean_and_scale(part) for part in _in_parts(numbers)]
        self.mean_, self.scale_ = (np.concatenate(each) for each in zip(*found, strict=True))
        return numbers

    def transform(self, X: Any) -> np.ndarray:
        """Encode.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        encoded : ndarray of shape (n_samples, n_encoded)
            Numbers, none missing.
        """
        check_is_fitted(self)
        X = _typed(X, [*self.labels_, *self.means_])
        means = {j: means.of(X.iloc[:, j]) for j, means in self.means_.items()}
        return self._scaled(self._numbers(X, means))

    def _scaled(self, numbers: np.ndarray) -> np.ndarray:
        """In place: of a large table there is no room for copies."""
        numbers -= self.mean_
        numbers /= self.scale_
        numbers[np.isnan(numbers)] = 0.0
        return numbers

    def _numbers(self, X: pd.DataFrame, means: dict[int, np.ndarray]) -> np.ndarray:
        """All columns as numbers, NaN where missing: numeric ones first.

        ``sources_`` holds the column of X that every one of them comes from.
        """
        known = {*self.labels_, *means}
        rest = [*self.labels_, *means, *(j for j, _ in _columns(X, INTERVAL) if j not in known)]
        numeric = np.setdiff1d(np.arange(X.shape[1]), rest)
        plain = X if len(numeric) == X.shape[1] else X.iloc[:, numeric]
        parts = [_plain_numbers(plain)] if len(numeric) else []
        sources = [*numeric]
        for j in rest:
            column = X.iloc[:, j]
            if j in self.labels_:
                made = [
                    (column == label).to_numpy(bool, na_value=False) for label in self.labels_[j]
                ]
            elif j in means:
                made = [*means[j].T]
            else:
                made = [column.array.mid, column.array.length]
            parts += made
            sources += [j] * len(made)
        self.sources_ = np.array(sources, dtype=int)
        if len(parts) == 1 and len(numeric):
            return parts[0]
        stacked = np.column_stack(parts) if parts else np.empty((len(X), 0))
        return stacked.astype(float, copy=False)  # of categories alone: True and False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _in_parts(numbers: np.ndarray) -> list[np.ndarray]:
    """Some columns at a time, since what is done to all at once takes as much memory again.

    At least two at a time, whose sums are those among all columns to the last bit.
    """
    n_rows, n_columns = numbers.shape
    width = max(8, CELLS // max(n_rows, 1))
    return np.array_split(numbers, max(1, n_columns // width), axis=1)


def _mean_and_scale(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of the columns, 1 where it is 0; missing values apart."""
    missing = np.isnan(numbers)
    counts = np.maximum(len(numbers) - missing.sum(axis=0), 1)
    mean = numbers.sum(axis=0, where=~missing) / counts
    spread = numbers - mean
    spread[missing] = 0.0
    scale = np.sqrt(np.square(spread, out=spread).sum(axis=0) / counts)
    return mean, np.where(scale > 0, scale, 1.0)


def _typed(X: Any, nominal: Iterable[int] = ()) -> pd.DataFrame:
    """A frame whose dtypes say the kinds; columns known as nominal hold what they held."""
    given, X = as_table(X), as_frame(X)
    check_kinds(X)
    if isinstance(given, pd.DataFrame) and given is not X:
        X = X.copy(deep=False)
        for j in nominal:  # a few rows of text may look like numbers
            X.isetitem(j, given.iloc[:, j])
    return X


def _columns(X: pd.DataFrame, kind: str) -> list[tuple[int, pd.Series]]:
    """Columns of a kind that is not plain numbers, with their places."""
    if of_plain_numbers(X):
        return []
    columns = ((j, X.iloc[:, j]) for j in range(X.shape[1]))
    return [(j, column) for j, column in columns if kind_of(column) == kind]


def _plain_numbers(X: pd.DataFrame) -> np.ndarray:
    """Numeric columns, and the positions of ordered categories; never those of X themselves."""
    if of_plain_numbers(X):
        return X.to_numpy(dtype=float, copy=True)
    return np.column_stack([numbers_of(column, name) for name, column in X.items()])


class Scoring(NamedTuple):
    """A scorer, and how to speak of its values."""

    scorer: Any
    name: str
    sign: int
    """-1 where a smaller value is better; scores times sign are the values shown."""


class Encoded(Pipeline):
    """A model behind the encoder of tables, which passes weights of samples on to the model."""

    @property
    def encoder(self) -> TableEncoder:
        """What turns a table into numbers."""
        return self.steps[0][1]

    @property
    def model(self) -> Any:
        """What is fitted to the numbers."""
        return self.steps[-1][1]

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Encoded:
        """Fit encoder and model, with or without metadata routing of scikit-learn."""
        fit_weighted(self.model, self.encoder.fit_transform(X, y), y, sample_weight)
        return self


def encoded(model: Any) -> Encoded:
    """The model behind the encoder, named as ``make_pipeline`` names its steps."""
    return Encoded(make_pipeline(TableEncoder(), model).steps)


def taking(model: Any, table: pd.DataFrame) -> Any:
    """The model, behind the encoder where the table has categories; pipelines as they are."""
    params = model.get_params().values() if hasattr(model, "get_params") else []
    if any(isinstance(each, Pipeline) for each in (model, *params)) or not nominal_columns(table):
        return model
    return encoded(model)


def default_estimator(kind: str) -> Any:
    """A linear model over continuous and categorical columns."""
    if kind == "ordinal":
        model = OrdinalDecomposition(LogisticRegression(max_iter=1000))
        return encoded(model)
    if kind == "classification":
        model = LogisticRegression(max_iter=1000, class_weight="balanced")
        return encoded(model)
    return encoded(Ridge())


def forest(kind: str, random_state: Any = None, n_trees: int = 100, n_samples: int = 0) -> Any:
    """A forest of extremely randomised trees for a kind of target.

    Parameters
    ----------
    kind : {"ordinal", "classification", "regression"}
        What the target is.
    random_state : int, RandomState instance or None, default=None
        Seed.
    n_trees : int, default=100
        Trees.
    n_samples : int, default=0
        Rows of the smallest part that it will be fitted to.  Beyond ``MOST_ROWS``, every tree is
        grown on so many, drawn at random.
    """
    trees = {"n_estimators": n_trees, "min_samples_leaf": 2, "random_state": random_state}
    if n_samples > MOST_ROWS:
        trees |= {"max_samples": MOST_ROWS}
    if kind == "ordinal":
        return encoded(OrdinalForest(max_features=MOST_COLUMNS, **trees))
    trees |= {"bootstrap": n_samples > MOST_ROWS}
    if kind == "classification":
        return encoded(ClassifierOnCodes(ExtraTreesClassifier(class_weight="balanced", **trees)))
    return encoded(ExtraTreesRegressor(max_features=MOST_COLUMNS, **trees))


def default_models(kind: str, random_state: Any, n_samples: int) -> dict[str, Any]:
    """The models that features are evaluated by, the simplest first; see ``forest``."""
    trees = forest(kind, random_state, FEW_TREES, n_samples)
    return {LINEAR: default_estimator(kind), FOREST: trees}


class ClassifierOnCodes(ClassifierMixin, BaseEstimator):
    """A classifier of the codes 0, 1, ... of classes, which answers classes.

    Balanced forests of scikit-learn 1.9 fail on labels such as "0" and "1", which they take for
    numbers.
    """

    def __init__(self, classifier: Any):
        self.classifier = classifier

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ClassifierOnCodes:
        """Fit the classifier to the codes of y."""
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.classifier_ = fit_weighted(clone(self.classifier), X, codes, sample_weight)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class of the predicted code."""
        return self.classes_[self.classifier_.predict(X)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, in the order of ``classes_``."""
        return self.classifier_.predict_proba(X)


def read_scoring(scoring: Any, estimator: Any, kind: str) -> Scoring:
    """The scorer asked for, or the default for this kind of target."""
    defaults = {
        "ordinal": (rank_loss_scorer, "MAE in classes"),
        "classification": ("balanced_accuracy", "balanced accuracy"),
        "regression": ("r2", "R²"),
    }
    scorer, name = defaults[kind] if scoring is None else (scoring, _scorer_name(scoring))
    scorer = check_scoring(estimator, scorer)
    return Scoring(scorer, name, scorer_sign(scorer))


def _scorer_name(scoring: Any) -> str:
    if isinstance(scoring, str):
        return scoring.removeprefix("neg_").replace("_", " ")
    function = getattr(scoring, "_score_func", scoring)
    return getattr(function, "__name__", type(function).__name__).replace("_", " ")
