"""The rankings compared, by kind of target."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.feature_selection import f_regression, mutual_info_regression
from sklearn.multiclass import OneVsRestClassifier

import echelon
from benchmarks.ordered import linear, orders, relief, trees
from benchmarks.ordered.orders import Ranking, by
from benchmarks.ordered.rankers import AUTO_RANKING, REFERENCES, Ranker
from echelon.methods import CLASSES, CONTINUOUS

REFERENCE = "f_test"
"""Errors are divided by those of this ranking, scikit-learn's default."""


def default(X: np.ndarray, y: np.ndarray, seed: int, kind: str) -> Ranking:
    """The ranking of AutoSelector, without its judgement of how many to keep."""
    ranker = echelon.AutoSelector().ranker(kind, len(y))
    fitted = ranker.set_params(random_state=seed, n_jobs=1).fit(X, y)
    return Ranking(fitted.order_.tolist())


def by_scores(X: np.ndarray, y: np.ndarray, seed: int, name: str, **params: object) -> Ranking:
    """Scores of a selector of the library."""
    return by(getattr(echelon, name)(n_jobs=1, **params).fit(X, y).scores_)


def f_regress(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """F of the linear regression on one feature."""
    return by(np.nan_to_num(f_regression(X, y)[0], posinf=1e300))


def information(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """Mutual information with a number (nearest neighbours)."""
    return by(mutual_info_regression(X, y, random_state=seed))


def boosting(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """Impurity, in gradient boosting of the classes."""
    model = GradientBoostingClassifier(n_estimators=50, random_state=seed)
    return by(model.fit(X, y).feature_importances_)


def logistic_l1(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """One class against the others with an L1 penalty: first to enter, then largest."""
    A, enters, sizes = linear.standardised(X), np.full(X.shape[1], np.inf), np.zeros(X.shape[1])
    for strength in np.geomspace(2, 1000, 20):
        model = linear.sparse_logistic(strength / len(A), seed)
        fitted = OneVsRestClassifier(model).fit(A, y).estimators_
        weights = np.sum([np.abs(each.coef_[0]) for each in fitted], axis=0)
        new = (weights > 0) & np.isinf(enters)
        enters[new], sizes[new] = strength, weights[new]
        if np.isfinite(enters).sum() >= linear.MOST:
            break
    return by(-enters, sizes, orders.f_scores(X, y))


AUTO = "**AutoSelector's ranking**"
RANKERS: dict[str, dict[str, Ranker]] = {
    CONTINUOUS: {
        **REFERENCES,
        AUTO_RANKING: Ranker(AUTO, partial(default, kind=CONTINUOUS)),
        REFERENCE: Ranker("F test", f_regress),
        "random": Ranker("random", orders.random),
        "kendall": Ranker("Kendall's tau", orders.kendall),
        "mutual_information": Ranker("mutual information", information),
        "stepwise": Ranker("stepwise, linear", linear.stepwise),
        "lasso": Ranker("lasso, order of entry", linear.lasso),
        "forest": Ranker("forest, impurity", trees.forest_on_codes),
        "permutation": Ranker("forest, permutation", trees.forest_permutation),
        "boosting": Ranker("gradient boosting", trees.gradient_boosting),
        "rrelieff": Ranker("RReliefF", partial(by_scores, name="RReliefF", kind=CONTINUOUS)),
    },
    CLASSES: {
        **REFERENCES,
        AUTO_RANKING: Ranker(AUTO, partial(default, kind=CLASSES)),
        REFERENCE: Ranker("F test", orders.f_test),
        "random": Ranker("random", orders.random),
        "mutual_information": Ranker("mutual information", orders.mutual_information),
        "logistic_l1": Ranker("logistic L1, order of entry", logistic_l1),
        "forest": Ranker("forest, impurity", trees.forest),
        "boosting": Ranker("gradient boosting", boosting),
        "relieff": Ranker("ReliefF", relief.relieff),
        "multisurf": Ranker("MultiSURF", partial(by_scores, name="MultiSURF", kind=CLASSES)),
    },
}
