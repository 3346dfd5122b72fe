"""The model that features are judged by, and what it is scored by."""

from __future__ import annotations

from typing import Any, NamedTuple

from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import check_scoring
from sklearn.pipeline import make_pipeline

from echelon.evaluation import OrdinalDecomposition, rank_loss_scorer
from echelon.report._encoder import TableEncoder


class Scoring(NamedTuple):
    """A scorer, and how to speak of its values."""

    scorer: Any
    name: str
    sign: int
    """-1 where a smaller value is better; scores times sign are the values shown."""


def default_estimator(kind: str) -> Any:
    """A linear model over numbers and labels alike."""
    if kind == "ordinal":
        return make_pipeline(TableEncoder(), OrdinalDecomposition(LogisticRegression(max_iter=1000)))
    if kind == "classification":
        model = LogisticRegression(max_iter=1000, class_weight="balanced")
        return make_pipeline(TableEncoder(), model)
    return make_pipeline(TableEncoder(), Ridge())


def read_scoring(scoring: Any, estimator: Any, kind: str) -> Scoring:
    """The scorer asked for, or the default for this kind of target."""
    scorer, name = {
        "ordinal": (rank_loss_scorer, "mean error in classes"),
        "classification": ("balanced_accuracy", "balanced accuracy"),
        "regression": ("r2", "R²"),
    }[kind]
    return Scoring(check_scoring(estimator, scorer), name, -1 if kind == "ordinal" else 1)
