"""One study: methods run over the same folds, what the folds say, and the choice.

``conduct`` runs the methods of a design and chooses.  ``AutoSelector`` is such a study of one
method; a report describes one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from echelon._core.folds import best_guess
from echelon._core.jobs import Jobs, expect, one_step
from echelon._core.samples import draw_seeds, seeded, take_rows
from echelon._core.significance import (
    LEVEL,
    clearly_positive,
    relative_gains,
    share_of_test,
    standard_error,
)
from echelon.base import fit_ranking, n_worthwhile, ranks_of
from echelon.evaluation import FeatureCurve, FoldRanking, rank_folds, score_folds
from echelon.profile import constant_columns
from echelon.study._choice import (
    ByModel,
    Choice,
    Limit,
    Rule,
    best_model,
    choices_without,
    choose,
    close_models,
    held_out_scores,
    mean_curves,
    size_of,
    sizes_for,
    up_to,
)
from echelon.study._design import (
    Design,
    as_ranker,
    best_columns,
    without_class_warnings,
    without_fold_warnings,
)
from echelon.study._directions import directions_of
from echelon.study._models import (
    FOREST,
    LINEAR,
    forest,
)
from echelon.study._rankers import OfGroups
from echelon.study._related import p_value
from echelon.study.types import Directions

OF_FOLDS = 0.005
"""The part of the level spent on the test over folds, where features are tested as well.

Small, because that test is approximate: where features are many, all folds share the one that is
best by chance, and noise reaches twice to six times the level.  The other test is exact.
"""
WITH_ALL = {LINEAR: "linear model", FOREST: "random forest"}
"""Models in words."""

MOST_SHUFFLED = 50
"""Features that are shuffled: the best ranked of those selected."""

ROWS = 1000
"""Test rows of a fold, all shuffles together: large folds are sampled, small ones shuffled more."""

MOST_SHUFFLES = 10


# ------------------------------------------------------------------------------ what folds say


class Baseline(NamedTuple):
    """What the chosen features are compared with: the baseline, all features, a forest."""

    name: str
    scores: np.ndarray
    """One per fold."""


class Ranked(NamedTuple):
    """What one method says of all rows, and of the training rows of every fold."""

    fitted: Any
    order: np.ndarray
    """The best features of all rows, best first."""
    folds: list[FoldRanking]
    """These rank groups of features."""
    seeds: list[int | None]
    worthwhile: int | None
    """How many groups the ranking of all rows finds worth keeping; None: it does not say."""


def rank(name: str, ranker: Any, design: Design) -> Ranked:
    """Rank the features of all rows, and of every fold."""
    random = design.options["random_state"]
    random = None if random is None else check_random_state(random)
    seeds = draw_seeds(random, len(design.splits.folds))
    sizes = sizes_for(ranker, design.n_groups, design.rule)
    counted = OfGroups(ranker, design.feature_groups) if design.is_grouped else ranker
    X, y, weights = design.samples, design.target, design.weights
    try:
        with without_fold_warnings():
            rows = design.splits.folds
            folds = rank_folds(counted, X, y, weights, sizes, rows, seeds, _jobs(design))
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from error
    with one_step():
        fitted, order = fit_ranking(seeded(counted, design.seed), X, y, sizes, weights)
    worthwhile = n_worthwhile(fitted)
    if design.is_grouped:
        fitted = fitted.selector_
        order = best_columns(ranks_of(fitted), len(order), design.feature_groups)
    return Ranked(fitted, order, folds, seeds, worthwhile)


def curves_of(name: str, ranker: Any, ranked: Ranked, design: Design) -> dict[str, FeatureCurve]:
    """The curve of one method with every model, over the same folds."""
    sizes = sizes_for(ranker, design.n_groups, design.rule)
    if design.rule.is_default:
        limits = [*(fold.worthwhile for fold in ranked.folds), ranked.worthwhile]
        sizes = up_to(sizes, limits, design.n_groups)
    if design.rule.wanted is None:
        most = max(design.n_groups - _n_saying_nothing(ranker, design), 1)
        sizes = sorted({min(size, most) for size in sizes})
    models = [(model, sizes) for model in design.models.values()]
    given = (ranked.folds, design.splits.folds, ranked.seeds, design.score_groups, _jobs(design))
    try:
        return dict(zip(design.models, score_folds(models, *given), strict=True))
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from error


def _n_saying_nothing(ranker: Any, design: Design) -> int:
    """Groups of constant columns and copies of others: no more of them are ever selected."""
    last = {*constant_columns(design.X), *getattr(ranker, "last", ())}
    tells = ~design.X.columns.isin(last) | design.X.columns.isin(design.rule.always)
    return design.n_groups - len(np.unique(design.feature_groups[tells]))


def _jobs(design: Design) -> Jobs:
    return Jobs(design.options["n_jobs"], design.options["verbose"])


def with_all(model: str, design: Design, curves: Mapping[str, FeatureCurve]) -> np.ndarray:
    """Scores of every fold of a model with all features, taken from a curve that has them."""
    for curve in curves.values():
        if curve.sizes[-1] == design.n_groups:
            return curve.scores[-1]
    return design.scores(design.models[model])


def other_baselines(model: str, design: Design, models: ByModel) -> list[Baseline]:
    """What the chosen model reaches with all features, and what every other model does."""
    found = [Baseline("all features", with_all(model, design, models[model]))]
    for other in models:
        if other != model:
            scores = with_all(other, design, models[other])
            found.append(Baseline(f"{WITH_ALL[other]}, all features", scores))
    if len(models) == 1:
        trees = forest(design.target.kind, design.options["random_state"],
                       n_samples=design.splits.fewest)  # fmt: skip
        found.append(Baseline("random forest, all features", design.scores(trees)))
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
    """The models whose mean score decided how many features are selected."""
    sizes: dict[str, int]
    """Number of features that every method would keep."""
    choice: Choice
    held_out: np.ndarray
    """Score of every fold with the model, method and size chosen on the other folds."""
    sizes_without: list[int]
    """The numbers of features that are chosen where one fold each is left out."""
    by_model: dict[str, np.ndarray]
    """The scores where one model is given, and only method and size are chosen."""
    guess: Baseline
    others: list[Baseline]
    """The chosen model with all features, and another model with all features."""
    clear: bool
    """Whether the choice is significantly better than the baseline, by the folds."""
    related: float | None
    """p-value of the test whether any feature is related to the target; None: not asked."""

    @property
    def curves(self) -> Mapping[str, FeatureCurve]:
        """The curve of every method with the chosen model."""
        return self.models[self.model]

    @property
    def helps(self) -> bool:
        """Whether something is gained, and the folds or the features say that it is significant."""
        return self.gained and (self.clear or self.is_related)

    def n_kept(self, rule: Rule) -> int:
        """How many features, or groups of them, the answer keeps."""
        asked = rule.wanted is not None or not rule.allow_none
        return self.choice.size if self.helps or asked else rule.n_always

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
        sizes_without=[each.size for _, each in choices_without(models, guess.scores, rule)],
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

    Both share the level, but along time, where the first is so cautious that hardly any noise
    passes (``docs/benchmarks/error_rates.md``), and sees what the second leaves out.  Where groups,
    weights or folds of the user's own say that rows depend on each other, the first stands alone.
    """
    splits = design.splits
    gains = relative_gains(held_out, guesses, design.scoring.sign > 0)
    gained = float((held_out - guesses).mean()) > 0
    clear = gained and clearly_positive(gains, share, OF_FOLDS if splits.independent else LEVEL)
    if clear or not gained or not (splits.independent or splits.along is not None):
        return clear, None
    seed = design.options["random_state"]
    return clear, p_value(design.X, design.target, seed, splits.along)


@dataclass(frozen=True, eq=False)
class Study:
    """A study that was conducted.

    Attributes
    ----------
    design : Design
        What all methods were evaluated by.
    selectors, rankers : dict of str to selector
        The methods as they were given, and as they rank any data set.
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

    def best(self, method: str, size: int) -> list[str]:
        """The features that one method ranks best in all rows; of groups, all their features."""
        ranks = ranks_of(self.fitted[method][0])
        return self.design.X.columns[best_columns(ranks, size, self.design.feature_groups)].tolist()

    @property
    def selected(self) -> list[str]:
        """The selected features, best first."""
        judged = self.judged
        return self.best(judged.choice.method, judged.n_kept(self.design.rule))

    @cached_property
    def losses(self) -> Losses:
        """What every selected feature is worth to the chosen model."""
        with without_class_warnings():
            return shuffled_losses(self.design, self.judged.model, self.selected)

    @cached_property
    def directions(self) -> Directions | None:
        """What the data say of stated directions, and what respecting them costs; None without."""
        if not self.design.directions:
            return None
        with without_class_warnings():
            return directions_of(self)


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


# ------------------------------------------------------------- what selected features are worth


class Losses(NamedTuple):
    """What shuffling loses, by feature, and its standard error over the folds."""

    means: dict[str, float]
    errors: dict[str, float]


def shuffled_losses(design: Design, model: str, names: list[str]) -> Losses:
    """What every selected feature is worth: the held-out loss where its values are shuffled.

    In every fold the model is fitted once, to the selected features.  Then the values of one
    feature at a time are shuffled among the test rows; the score falls by what the model got out of
    that feature (Breiman, "Random forests", Machine Learning 45, 2001).  A feature that another one
    says as well loses what the model took from it, and noise loses about 0.

    Parameters
    ----------
    design : Design
        Samples, folds, models and scoring.
    model : str
        Which of the models.
    names : list of str
        The selected features, best first.
    """
    columns = np.flatnonzero(design.X.columns.isin(names))
    places = design.X.columns.get_indexer(pd.Index(names[:MOST_SHUFFLED])).tolist()
    draw = check_random_state(design.options["random_state"])
    folds = range(len(design.splits.folds)) if names else ()
    losses = np.array([_losses(design, model, columns, places, fold, draw) for fold in folds])
    if not len(losses):
        return Losses({}, {})
    errors = standard_error(losses.T, share_of_test(design.splits.folds))
    found = losses.mean(axis=0), errors
    return Losses(*(dict(zip(names, each.tolist(), strict=False)) for each in found))


def _losses(
    design: Design, model: str, columns: np.ndarray, places: list[int], fold: int, draw: object
) -> list[float]:
    """The loss of every feature in one fold."""
    part = design.fitted(design.models[model], columns, fold)
    n = len(part.y)
    some = draw.permutation(n)[:ROWS]  # type: ignore[attr-defined]
    if design.target.codes is not None:  # scores may need every class
        codes = design.target.codes[design.splits.folds[fold][1]]
        some = np.union1d(some, np.unique(codes, return_index=True)[1])
    times = int(np.clip(ROWS // n, 1, MOST_SHUFFLES))
    rows = np.concatenate([some] * times)
    others = np.concatenate([draw.permutation(some) for _ in range(times)])  # type: ignore[attr-defined]
    plain = part.score(take_rows(part.X, some), some)
    found = []
    for place in places:
        shuffled = _with_columns_of(take_rows(part.X, rows), take_rows(part.X, others),
                                    part.sources == place)  # fmt: skip
        found.append(plain - part.score(shuffled, rows))
    return found


def _with_columns_of(X: np.ndarray | pd.DataFrame, other: object, which: np.ndarray) -> object:
    """X with some of its columns taken from another table."""
    if isinstance(X, np.ndarray):
        return np.where(which, other, X)  # type: ignore[call-overload]
    changed = X.reset_index(drop=True)
    for j in np.flatnonzero(which).tolist():
        changed.isetitem(j, other.iloc[:, j].array)  # type: ignore[attr-defined]
    return changed
