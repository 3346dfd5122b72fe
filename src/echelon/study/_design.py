"""What all methods of a study are evaluated by: the data, the models, the folds and the rule.

``design`` reads data and settings once; ``Design.score`` fits a model to some of the columns in one
of the folds.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import has_fit_parameter

from echelon._core.choices import read_choice
from echelon._core.folds import Rows, Splits, make_splits, read_row_weights
from echelon._core.jobs import stepwise
from echelon._core.samples import take_rows
from echelon.data import (
    NUMBER,
    Data,
    as_frame,
    as_table,
    check_kinds,
    kind_of,
    numbers_of,
    read_columns,
)
from echelon.intervals import holds_intervals
from echelon.large import Sample
from echelon.study._choice import Rule, furthest, read_rule
from echelon.study._directions import read_directions
from echelon.study._models import (
    GIVEN,
    Encoded,
    Scoring,
    TableEncoder,
    default_estimator,
    default_models,
    many_labels,
    read_scoring,
    taking,
)
from echelon.study._monotone_models import monotone_models
from echelon.study._rankers import Arranged, Prepared
from echelon.targets import Target, read_target

MOST_BYTES_KEPT = 1 << 26
"""Encoded folds together, beyond which the last one only is held."""


class Settings(NamedTuple):
    """How features are evaluated; see ``echelon.report.summarize``.

    Examples
    --------
    >>> from echelon.study import Settings
    >>> Settings(random_state=1).cv
    5
    """

    estimator: Any = None
    n_features: Any = "auto"
    cv: Any = 5
    scoring: Any = None
    random_state: Any = 0
    n_jobs: int | None = None
    verbose: int = 0
    tolerance: Any = None
    keep: Sequence[str] = ()
    feature_groups: Any = None
    allow_none: bool = True
    rows: Rows = Rows()
    directions: Any = None
    sample: Sample | None = None


class Fitted(NamedTuple):
    """A model fitted in a fold, and what it is scored on."""

    model: Any
    scorer: Any
    X: Any
    """Test rows, as the model takes them."""
    y: pd.Series
    weights: np.ndarray | None
    sources: np.ndarray
    """The column of the table that every column of X comes from."""

    def score(self, X: Any, rows: np.ndarray) -> float:
        """The score on some of the test rows, whose features may have been changed."""
        weights = {} if self.weights is None else {"sample_weight": self.weights[rows]}
        return float(self.scorer(self.model, X, self.y.iloc[rows], **weights))


@dataclass(frozen=True, eq=False)
class Design:
    """What all methods are evaluated by."""

    X: pd.DataFrame
    """All samples, as they were read."""
    data: Data | None
    """``X`` as numbers; None for intervals."""
    target: Target
    models: Mapping[str, Any]
    """What scores sets of features, by name; the simplest first."""
    scoring: Scoring
    splits: Splits
    rule: Rule
    options: dict[str, Any]
    """``n_jobs``, ``random_state`` and ``verbose``."""
    feature_groups: np.ndarray
    """Number of the group of every column.  A group is ranked, tried and selected as a whole, and
    sizes count groups; most often each column is one."""
    weights: np.ndarray | None = None
    """What rows weigh, 1 on average."""
    directions: Mapping[str, int] = field(default_factory=dict)
    """Which features should rise (1) or fall (-1) with the target."""
    sample: Sample | None = None
    """What is known of all rows, where these are a sample of them; None: they are all."""
    kept: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=dict)
    """Folds that were encoded."""

    @property
    def samples(self) -> Data | pd.DataFrame:
        """What rankings are fitted to."""
        return self.X if self.data is None else self.data

    @property
    def seed(self) -> int | None:
        """The seed of every random choice, None if there is none."""
        seed = self.options["random_state"]
        return int(seed) if isinstance(seed, Integral) else None

    @property
    def n_groups(self) -> int:
        """How many groups of columns there are."""
        return int(self.feature_groups.max()) + 1

    @property
    def is_grouped(self) -> bool:
        """Whether some columns stand or fall together."""
        return self.n_groups < self.X.shape[1]

    def score_groups(self, model: Any, groups: np.ndarray, place: int) -> float:
        """Held-out score of a model with some of the groups of columns, in one of the folds."""
        return self.score(model, np.flatnonzero(np.isin(self.feature_groups, groups)), place)

    @cached_property
    def y(self) -> pd.Series:
        """The target as models take it."""
        return self.target.y

    def score(self, model: Any, columns: np.ndarray, place: int) -> float:
        """Held-out score of a model with some of the columns, in one of the folds."""
        part = self.fitted(model, columns, place)
        return part.score(part.X, np.arange(len(part.y)))

    def fitted(self, model: Any, columns: np.ndarray, place: int) -> Fitted:
        """A model fitted to some of the columns, in one of the folds, and its test rows.

        Columns are encoded independently of each other, so every fold is encoded once, for all
        sets of columns.  A scorer of the user's own is given the table itself.
        """
        rows, scorer = self.splits.folds[place], self.scoring.scorer
        y_train, y_test = self._labels(place)
        weights = None if self.weights is None else self.weights[rows[1]]
        if isinstance(model, Encoded) and hasattr(scorer, "_score_func"):
            *parts, sources = self._encoded(place)
            used = np.flatnonzero(np.isin(sources, columns))
            if len(used) < len(sources):  # by rows, as logistic regression would copy them again
                parts = [np.take(part, used, axis=1) for part in parts]
            train, test = parts
            sources, model = sources[used], model.model
        else:
            sources = np.sort(columns)
            train, test = (take_rows(self.X.iloc[:, sources], part) for part in rows)
        to_model = {}
        if self.weights is not None and has_fit_parameter(model, "sample_weight"):
            to_model = {"sample_weight": self.weights[rows[0]]}
        fitted = clone(model).fit(train, y_train, **to_model)
        return Fitted(fitted, scorer, test, y_test, weights, sources)

    def _labels(self, place: int) -> list[pd.Series]:
        return [self.y.iloc[part] for part in self.splits.folds[place]]

    def _encoded(self, place: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Training and test rows of a fold as numbers, and the column each number comes from."""
        found = self.kept.get(place)
        if found is None:
            train, test = self.splits.folds[place]
            n_bytes = self.X.shape[1] * 8 * len(self.X) * len(self.splits.folds)
            if n_bytes > MOST_BYTES_KEPT:
                self.kept.clear()
            encoder = TableEncoder()
            numbers = encoder.fit_transform(self.X.iloc[train], self._labels(place)[0])
            found = (numbers, encoder.transform(self.X.iloc[test]), encoder.sources_)
            self.kept[place] = found
        return found

    def scores(self, model: Any, names: Sequence[str] | None = None) -> np.ndarray:
        """Held-out scores of a model with some of the features, or all, fold by fold."""
        chosen = np.ones(self.X.shape[1], bool) if names is None else self.X.columns.isin(names)
        places = range(len(self.splits.folds))
        each = places if names is not None else stepwise(places)
        return np.array([self.score(model, np.flatnonzero(chosen), place) for place in each])


def design(X: Any, target: Target, settings: Settings) -> Design:
    """What all methods are evaluated by, checked; here the data are read."""
    table = _read(X)
    names = table.columns.tolist()
    groups = read_choice(None, settings.feature_groups, len(names), np.array(names, object)).groups
    rule = read_rule(settings.n_features, settings.tolerance, settings.keep, names, groups)
    rule = rule._replace(allow_none=settings.allow_none)
    check_consistent_length(table, target.numbers)
    data = None
    if not holds_intervals(table):
        data = replace(read_columns(table, min_samples=1), table=table)
    if data is not None and settings.sample is not None:
        data = replace(data, known=settings.sample.associations(data, target)[0])
    given = None if settings.estimator is None else taking(settings.estimator, table)
    simplest = default_estimator(target.kind) if given is None else given
    metric = read_scoring(settings.scoring, simplest, target.kind)
    options = {key: getattr(settings, key) for key in ("n_jobs", "random_state", "verbose")}
    with without_class_warnings():
        splits = make_splits(settings.cv, target, settings.rows, settings.random_state)
    stated = dict[str, int]()
    if settings.directions is not None:
        stated = read_directions(settings.directions, data, target, names)
    models = {GIVEN: given}
    if stated and given is not None:
        raise ValueError(
            "`estimator` must be None where `monotonic_cst` is given, whose models respect it, got "
            f"{given!r}. Leave out one of them."
        )
    if stated:
        models = monotone_models(target.kind, stated, settings.random_state, splits.fewest)
    elif given is None:
        models = default_models(target.kind, settings.random_state, splits.fewest)
    weights = read_row_weights(settings.rows.weights, target)
    return Design(table, data, target, models, metric, splits, rule, options, groups, weights,
                  stated, settings.sample)  # fmt: skip


def _read(X: Any) -> pd.DataFrame:
    """The samples, with names that are text."""
    table = as_frame(X)
    check_kinds(table)
    table = table.set_axis([str(name) for name in table.columns], axis=1).reset_index(drop=True)
    as_table(table)  # names that became equal
    return table


def read_for(
    y: Any, selectors: Mapping[str, Any], kind: str = "auto", class_order: Any = None
) -> Target:
    """The target, where selectors may have been told what it is or how its classes are ordered.

    Examples
    --------
    >>> from echelon import OReliefF
    >>> from echelon.study import read_for
    >>> selector = OReliefF(class_order=["low", "high"])
    >>> read_for(["high", "low", "low"], {"margins": selector}).labels.tolist()
    ['low', 'high']
    """
    if class_order is None:
        class_order = _first_given(selectors, "class_order")
    problem = _first_given(selectors, "problem")
    if kind == "auto" and class_order is None and problem is not None:
        kind = problem
    return read_target(y, kind, class_order)


def _first_given(selectors: Mapping[str, Any], parameter: str) -> Any:
    """The first value of a parameter that is not None."""
    for selector in selectors.values():
        params = selector.get_params(deep=False) if hasattr(selector, "get_params") else {}
        if params.get(parameter) is not None:
            return params[parameter]
    return None


# -------------------------------------------------------------------- rankings of its columns


def as_ranker(selector: Any, design: Design, constant: Sequence[str] = ()) -> Any:
    """A selector wrapped for the folds: samples bounded, many categories encoded, some first.

    AutoSelector, which evaluates too, hands over its ranking.  Constant columns come last: a method
    that gives noise less than nothing (Relief) ranks them before it.  So do exact copies of a
    column, which add nothing to it.
    """
    if hasattr(selector, "ranker"):
        selector = selector.ranker(
            design.target.kind, design.splits.fewest, design.weights is not None
        )
        constant = ()  # its rankings end with them
    elif (selector.get_params(deep=False).get("sample_size") or 0) > design.splits.fewest:
        selector = clone(selector).set_params(sample_size=design.splits.fewest)
    n_best = furthest(design.rule, design.feature_groups)
    if many_labels(design.X) and not isinstance(selector, Prepared):
        selector = Prepared(selector, split_labels=False, fill_gaps=False, n_best=n_best)
    last = [*constant, *copies(design.X, design.rule.always)]
    groups = design.feature_groups if design.is_grouped else None
    if not design.rule.always and not last and groups is None:
        return selector
    return Arranged(selector, design.rule.always, last, feature_groups=groups, n_best=n_best)


def best_columns(ranks: np.ndarray, size: int, groups: np.ndarray) -> np.ndarray:
    """The columns of the best ``size`` groups, best first."""
    order = np.argsort(ranks, kind="stable")
    return order[np.isin(groups[order], pd.unique(groups[order])[:size])]


def copies(table: pd.DataFrame, first: Sequence[str] = ()) -> list[str]:
    """Columns that hold in every row what an earlier one holds, or one of those named."""
    seen: set[bytes] = set()
    found = []
    for name in sorted(table.columns, key=lambda name: name not in first):
        held = _digest(table[name])
        if held in seen:
            found.append(name)
        seen.add(held)
    return found


def _digest(column: pd.Series) -> bytes:
    """A short name of what a column holds; numbers are the same whatever their dtype."""
    kind = kind_of(column)
    if kind == NUMBER:
        values = numbers_of(column, column.name).astype(float) + 0.0  # without negative zeros
        return blake2b(np.where(np.isnan(values), np.nan, values).tobytes()).digest()
    codes, labels = pd.factorize(column.astype(object))
    return blake2b(repr((kind, labels.tolist())).encode() + codes.tobytes()).digest()


# ------------------------------------------------------------------------ warnings of parts


@contextmanager
def without_class_warnings() -> Iterator[None]:
    """Without warnings about folds that lack some of the classes: the summary has this fact."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        warnings.filterwarnings("ignore", "y_pred contains classes not in y_true", UserWarning)
        yield


@contextmanager
def without_fold_warnings() -> Iterator[None]:
    """Without what a method says of a fit to a part of the rows: the answer is about all."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*every feature is called irrelevant", UserWarning)
        warnings.filterwarnings("ignore", "No feature tells .* from the rest", UserWarning)
        yield
