"""The best guess that looks at no feature: what a model must beat to be worth anything."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor

from echelon._core.folds import fold_scores
from echelon.targets import Target


class Guess(NamedTuple):
    """What is guessed, in words, and what it scores in every fold."""

    name: str
    scores: np.ndarray


def best_guess(
    target: Target, X: Any, y: Any, folds: list[tuple], scorer: Any, weights: Any = None
) -> Guess:
    """The constant guess with the best mean score over the folds; y is what models are given."""
    tried = []
    models = guesses(target)
    for name, model in models.items():
        try:
            tried.append(Guess(name, fold_scores(model, X, y, folds, scorer, weights)))
        except ValueError:  # a fold does not know the median class: groups, or the past, lack it
            if name == [*models][-1]:
                raise
    return max(tried, key=lambda guess: guess.scores.mean())


def guesses(target: Target) -> dict[str, Any]:
    """Models that look at no feature, by what they guess."""
    if target.kind == "regression":
        return {"the mean": DummyRegressor(), "the median": DummyRegressor(strategy="median")}
    labels, codes = target.labels.tolist(), target.codes  # type: ignore[union-attr]
    frequent = labels[int(np.bincount(codes).argmax())]  # type: ignore[arg-type]
    models = {f"{frequent!r}, the most frequent class": DummyClassifier(strategy="prior")}
    if target.kind == "ordinal":
        median = labels[int(np.median(codes))]  # type: ignore[arg-type]
        constant = DummyClassifier(strategy="constant", constant=[median])
        models = {f"{median!r}, the median class": constant} | models
    return models
