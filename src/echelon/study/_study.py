"""One study: what all methods are evaluated by, what the folds say, and the rankings of all rows.

``design`` reads data and settings once, ``conduct`` runs the methods over the same folds and makes
the choice.  ``AutoSelector`` is such a study of one method; a report describes one.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import check_consistent_length, check_random_state

from echelon._core.folds import best_guess, fold_scores
from echelon._core.jobs import Jobs
from echelon._core.progress import expect, step, stepwise
from echelon._core.rows import draw_seeds, seeded
from echelon._core.significance import LEVEL, clearly_positive, relative_gains
from echelon.data import Data, as_frame, as_table, check_kinds, read_columns
from echelon.evaluation import FeatureCurve, FoldRanking, rank_folds, score_folds
from echelon.intervals import holds_intervals
from echelon.rankings import fit_ranking, n_worthwhile
from echelon.study._choice import (
    ByModel,
    Choice,
    Limit,
    Rule,
    best_model,
    choose,
    close_models,
    held_out_scores,
    mean_curves,
    read_rule,
    size_of,
    sizes_for,
    up_to,
)
from echelon.study._folds import Rows, Splits, make_splits, read_row_weights
from echelon.study._models import (
    FOREST,
    GIVEN,
    LINEAR,
    Encoded,
    Scoring,
    TableEncoder,
    default_estimator,
    default_models,
    forest,
    read_scoring,
)
from echelon.study._rankers import as_ranker
from echelon.study._related import p_value
from echelon.targets import Target, read_target

OF_FOLDS = 0.005
"""The part of the level that the test over folds has, where features are tested as well.

Small, because that test is approximate: where features are many, all folds share the one that is
best by chance, and noise reaches twice to six times the level.  The other test is exact.
"""
MOST_BYTES_KEPT = 1 << 28
"""Encoded folds together, beyond which each is encoded again when needed."""
WITH_ALL = {LINEAR: "a linear model", FOREST: "a forest"}
"""Models in words."""


class Settings(NamedTuple):
    """How features are judged; see ``echelon.report.summarize``.

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
    allow_none: bool = True
    rows: Rows = Rows()


@dataclass(frozen=True, eq=False)
class Design:
    """What all methods are evaluated by."""

    X: pd.DataFrame
    """All samples, as they were read."""
    data: Data | None
    """The same as numbers; None for intervals."""
    target: Target
    models: Mapping[str, Any]
    """What scores sets of features, by name; the simplest first."""
    scoring: Scoring
    splits: Splits
    rule: Rule
    options: dict[str, Any]
    """``n_jobs``, ``random_state`` and ``verbose``."""
    weights: np.ndarray | None = None
    """What rows weigh, 1 on average."""
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

    @cached_property
    def y(self) -> pd.Series:
        """The target as models take it."""
        return self.target.y

    def score(self, model: Any, columns: np.ndarray, place: int) -> float:
        """Held-out score of a model with some of the columns, in one of the folds.

        Columns are encoded independently of each other, so every fold is encoded once, for all
        sets of columns.  A scorer of the user's own is given the table itself.
        """
        rows, scorer = self.splits.folds[place], self.scoring.scorer
        if not (isinstance(model, Encoded) and hasattr(scorer, "_score_func")):
            X = self.X.iloc[:, np.sort(columns)]
            return float(fold_scores(model, X, self.y, [rows], scorer, self.weights)[0])
        *parts, sources = self._encoded(place)
        used = np.isin(sources, columns)
        (train, test), (y_train, y_test) = (part[:, used] for part in parts), self._labels(place)
        to_model, to_score = ({}, {}) if self.weights is None else (
            {"sample_weight": self.weights[part]} for part in rows)  # fmt: skip
        fitted = clone(model.model).fit(train, y_train, **to_model)
        return float(scorer(fitted, test, y_test, **to_score))

    def _labels(self, place: int) -> list[pd.Series]:
        return [self.y.iloc[part] for part in self.splits.folds[place]]

    def _encoded(self, place: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Training and test rows of a fold as numbers, and the column each number comes from."""
        if place not in self.kept:
            train, test = self.splits.folds[place]
            encoder = TableEncoder()
            numbers = encoder.fit_transform(self.X.iloc[train], self._labels(place)[0])
            found = (numbers, encoder.transform(self.X.iloc[test]), encoder.sources_)
            if sum(part.nbytes for part in found) * len(self.splits.folds) > MOST_BYTES_KEPT:
                return found
            self.kept[place] = found
        return self.kept[place]

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
    rule = read_rule(settings.n_features, settings.tolerance, settings.keep, names)
    rule = rule._replace(allow_none=settings.allow_none)
    check_consistent_length(table, target.numbers)
    data = None
    if not holds_intervals(table):
        data = replace(read_columns(table, min_samples=1), table=table)
    given = settings.estimator
    simplest = default_estimator(target.kind) if given is None else given
    metric = read_scoring(settings.scoring, simplest, target.kind)
    options = {key: getattr(settings, key) for key in ("n_jobs", "random_state", "verbose")}
    with without_class_warnings():
        splits = make_splits(settings.cv, target, settings.rows, settings.random_state)
    models = {GIVEN: given}
    if given is None:
        models = default_models(target.kind, settings.random_state, splits.fewest)
    weights = read_row_weights(settings.rows.weights, target)
    return Design(table, data, target, models, metric, splits, rule, options, weights)


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


# ------------------------------------------------------------------------------ what folds say


class Baseline(NamedTuple):
    """What the chosen features are compared with: a guess, all features, a forest."""

    name: str
    scores: np.ndarray
    """One per fold."""


class Ranked(NamedTuple):
    """What one method says of all rows, and of the training rows of every fold."""

    fitted: Any
    order: np.ndarray
    """The best features of all rows, best first."""
    folds: list[FoldRanking]
    seeds: list[int | None]

    @property
    def worthwhile(self) -> int | None:
        """How many features the ranking of all rows finds worth keeping; None: it does not say."""
        return n_worthwhile(self.fitted)


def rank(name: str, ranker: Any, design: Design) -> Ranked:
    """Rank the features of all rows, and of every fold."""
    random = design.options["random_state"]
    random = None if random is None else check_random_state(random)
    seeds = draw_seeds(random, len(design.splits.folds))
    sizes = sizes_for(ranker, design.X.shape[1], design.rule)
    X, y, weights = design.samples, design.target, design.weights
    try:
        with without_fold_warnings():
            rows = design.splits.folds
            folds = rank_folds(ranker, X, y, weights, sizes, rows, seeds, _jobs(design))
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from error
    fitted, order = fit_ranking(seeded(ranker, design.seed), X, y, sizes, weights)
    step()
    return Ranked(fitted, order, folds, seeds)


def curves_of(name: str, ranker: Any, ranked: Ranked, design: Design) -> dict[str, FeatureCurve]:
    """The curve of one method with every model, over the same folds."""
    n_features = design.X.shape[1]
    sizes = sizes_for(ranker, n_features, design.rule)
    if design.rule.is_default:
        limits = [*(fold.worthwhile for fold in ranked.folds), ranked.worthwhile]
        sizes = up_to(sizes, limits, n_features)
    models = [(model, sizes) for model in design.models.values()]
    given = (ranked.folds, design.splits.folds, ranked.seeds, design.score, _jobs(design))
    try:
        return dict(zip(design.models, score_folds(models, *given), strict=True))
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from error


def _jobs(design: Design) -> Jobs:
    return Jobs(design.options["n_jobs"], design.options["verbose"])


def with_all(model: str, design: Design, curves: Mapping[str, FeatureCurve]) -> np.ndarray:
    """Scores of every fold of a model with all features, taken from a curve that has them."""
    for curve in curves.values():
        if curve.sizes[-1] == design.X.shape[1]:
            return curve.scores[-1]
    return design.scores(design.models[model])


def other_baselines(model: str, design: Design, models: ByModel) -> list[Baseline]:
    """What the chosen model reaches with all features, and what every other model does."""
    found = [Baseline("all features", with_all(model, design, models[model]))]
    for other in models:
        if other != model:
            scores = with_all(other, design, models[other])
            found.append(Baseline(f"{WITH_ALL[other]} on all features", scores))
    if len(models) == 1:
        trees = forest(design.target.kind, design.options["random_state"],
                       n_samples=design.splits.fewest)  # fmt: skip
        found.append(Baseline("a forest on all features", design.scores(trees)))
    return found


class Judged(NamedTuple):
    """What the folds say."""

    models: ByModel
    """All curves."""
    limits: Mapping[str, int | None]
    """How many features the ranking of all rows finds worth keeping, by method; None: not said."""
    model: str
    """The model with the best score."""
    deciding: list[str]
    """The models whose mean score decided how many features are kept."""
    sizes: dict[str, int]
    """Number of features that every method would keep."""
    choice: Choice
    held_out: np.ndarray
    """Score of every fold with the model, method and size chosen on the other folds."""
    by_model: dict[str, np.ndarray]
    """The same where one model is given, and only method and size are chosen."""
    guess: Baseline
    others: list[Baseline]
    """The chosen model with all features, and another model with all features."""
    clear: bool
    """Whether the choice is better than the guess beyond chance, by the folds."""
    related: float | None
    """p-value of the test whether any feature is related to the target; None: not asked."""

    @property
    def curves(self) -> Mapping[str, FeatureCurve]:
        """The curve of every method with the chosen model."""
        return self.models[self.model]

    @property
    def helps(self) -> bool:
        """Whether something is gained, and the folds or the features say that it is no chance."""
        return self.gained and (self.clear or self.is_related)

    def n_kept(self, rule: Rule) -> int:
        """How many features the answer keeps."""
        asked = rule.wanted is not None or not rule.allow_none
        return self.choice.size if self.helps or asked else len(rule.always)

    @property
    def gained(self) -> bool:
        """Whether the choice improves on the baseline at all."""
        return float((self.held_out - self.guess.scores).mean()) > 0

    @property
    def is_related(self) -> bool:
        """Whether some feature is related to the target beyond chance."""
        return self.related is not None and self.related <= LEVEL - OF_FOLDS

    @property
    def test_share(self) -> float | None:
        """Test samples per training sample."""
        return self.curves[self.choice.method].test_share


def judge(models: ByModel, limits: Mapping[str, int | None], design: Design) -> Judged:
    """Choose a model, a method and a number of features by their curves, and compare.

    Parameters
    ----------
    models : dict of str to dict of str to FeatureCurve
        The curves of all models and methods.
    limits : dict of str to int or None
        How many features the ranking of all rows finds worth keeping, by method.
    design : Design
        What they are evaluated by.
    """
    rule = design.rule
    with without_class_warnings():
        given = (design.X, design.target.y, design.splits.folds, design.scoring.scorer)
        guess = Baseline(*best_guess(design.target, *given, design.weights))
        model = best_model(models, rule)
        others = other_baselines(model, design, models)
    deciding = close_models(models, model, rule)
    mean, curves = float(guess.scores.mean()), mean_curves(models, deciding)
    known = {
        name: None if size is None else Limit(size, models[model][name])
        for name, size in limits.items()
    }
    sizes = {name: size_of(curve, mean, rule, known[name]) for name, curve in curves.items()}
    choice = choose(curves, mean, rule, known)
    held_out = held_out_scores(models, guess.scores, rule)
    by_model = {
        name: held_out_scores({name: each}, guess.scores, rule) for name, each in models.items()
    }
    share = curves[choice.method].test_share
    clear, related = _evidence(held_out, guess.scores, share, design)
    return Judged(
        models=models,
        limits=limits,
        model=model,
        deciding=deciding,
        sizes=sizes,
        choice=choice,
        held_out=held_out,
        by_model=by_model,
        guess=guess,
        others=others,
        clear=clear,
        related=related,
    )


def _evidence(
    held_out: np.ndarray, guesses: np.ndarray, share: float | None, design: Design
) -> tuple[bool, float | None]:
    """Whether the folds show a gain; and, unless they do, whether any feature shows a relation.

    Both share the level.  The second test takes rows for independent: where groups, times, weights
    or folds of the user's own say otherwise, the first has all of it.
    """
    gains = relative_gains(held_out, guesses, design.scoring.sign > 0)
    gained = float((held_out - guesses).mean()) > 0
    if not design.splits.independent:
        return gained and clearly_positive(gains, share), None
    clear = gained and clearly_positive(gains, share, OF_FOLDS)
    if clear or not gained:
        return clear, None
    return clear, p_value(design.X, design.target, design.options["random_state"])


@dataclass(frozen=True, eq=False)
class Study:
    """A study that was conducted.

    Attributes
    ----------
    design : Design
        What all methods were evaluated by.
    selectors, rankers : dict of str to selector
        The methods as they were given, and as they rank any table.
    judged : Judged
        What the folds say.
    fitted : dict of str to (object, ndarray)
        The rankings of all rows, and the order of their best features.
    """

    design: Design
    selectors: Mapping[str, Any]
    rankers: Mapping[str, Any]
    judged: Judged
    fitted: Mapping[str, tuple[Any, np.ndarray]]


def conduct(
    selectors: Mapping[str, Any],
    design: Design,
    constant: Sequence[str] = (),
    n_resamples: int = 0,
) -> Study:
    """Run the methods over the same folds, choose, and rank all rows.

    Parameters
    ----------
    selectors : dict of str to selector
        The methods.
    design : Design
        What they are evaluated by.
    constant : sequence of str, default=()
        Columns that are ranked last.
    n_resamples : int, default=0
        How many resamples will follow, for whoever watches the progress.
    """
    n_folds, n_methods = len(design.splits.folds), len(selectors)
    expect(n_methods * (2 * n_folds + 1 + n_resamples))
    rankers = {name: as_ranker(each, design, constant) for name, each in selectors.items()}
    with without_class_warnings():
        ranked = {name: rank(name, ranker, design) for name, ranker in rankers.items()}
        curves = {
            name: curves_of(name, rankers[name], each, design) for name, each in ranked.items()
        }
    models = {
        model: {name: each[model] for name, each in curves.items()} for model in design.models
    }
    limits = {name: each.worthwhile for name, each in ranked.items()}
    fitted = {name: (each.fitted, each.order) for name, each in ranked.items()}
    return Study(design, selectors, rankers, judge(models, limits, design), fitted)


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
