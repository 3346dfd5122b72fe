"""The rules compared: name -> function of features, target, its kind and a seed -> indices.

Codes of classes are 0, 1, ... without gaps.  Ordered classes are codes to every rule but
AutoSelector, the ordinal model of abess and mutual information.  Rules of other packages use the
defaults of these packages, unless their docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr
from functools import partial
from importlib.util import find_spec
from io import StringIO
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_selection import (
    RFECV,
    VarianceThreshold,
    mutual_info_classif,
    mutual_info_regression,
)
from sklearn.linear_model import Lasso, LassoCV
from sklearn.metrics import mean_squared_error, zero_one_loss
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import minmax_scale

import echelon
from benchmarks.ordered.data import Table
from benchmarks.ordered.judges import JUDGES
from benchmarks.ordered.linear import sparse_logistic, standardised
from benchmarks.ordered.study import SIZES, Fold
from echelon.methods import CLASSES, CONTINUOUS, ORDERED

Selects = Callable[[np.ndarray, np.ndarray, str, int], Sequence[int] | np.ndarray]
ALL, AUTO = "all", "auto_selector"
INNER_FOLDS = 5
STRENGTHS = np.geomspace(1, 1000, 10)
"""Inverse penalties of the L1 logistic models times rows, from few features to many."""


class Rule(NamedTuple):
    """A rule: its name on the page, the kinds of target it is for, and the package it needs."""

    label: str
    select: Selects
    kinds: tuple[str, ...] = (ORDERED, CONTINUOUS, CLASSES)
    package: str | None = None

    def is_there(self) -> bool:
        """Whether the package is installed."""
        return self.package is None or find_spec(self.package) is not None


def every(X: np.ndarray, y: np.ndarray, kind: str, seed: int) -> np.ndarray:
    """All features."""
    return np.arange(X.shape[1])


def auto_selector(X: np.ndarray, y: np.ndarray, kind: str, seed: int) -> np.ndarray:
    """Echelon's default."""
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    method = echelon.AutoSelector(kind=kind, random_state=seed, n_jobs=1)
    return np.flatnonzero(method.fit(frame, y).support_)


def boruta(X: np.ndarray, y: np.ndarray, kind: str, seed: int) -> np.ndarray:
    """Confirmed in 50 rounds of forests with 100 trees of depth 5."""
    from boruta import BorutaPy

    make = RandomForestClassifier if kind == CLASSES else RandomForestRegressor
    forest = make(100, max_depth=5, random_state=seed)
    method = BorutaPy(forest, n_estimators=100, max_iter=50, random_state=seed)
    return np.flatnonzero(method.fit(X, y).support_)


def lasso(
    X: np.ndarray, y: np.ndarray, kind: str, seed: int, *, one_error: bool = False
) -> np.ndarray:
    """The penalty with the least cross-validated error, or the largest within a standard error.

    Classes: L1 logistic models of one class against the others, and the share of wrong answers.
    """
    A, splits = standardised(X), list(_splits(y, kind, seed))
    if kind == CLASSES:
        models = [OneVsRestClassifier(sparse_logistic(each / len(A), seed)) for each in STRENGTHS]
        losses = np.array([1 - cross_val_score(model, A, y, cv=splits) for model in models])
        fitted = models[_simplest(losses, one_error)].fit(A, y).estimators_
        return np.flatnonzero(np.any([each.coef_[0] for each in fitted], axis=0))
    path = LassoCV(cv=splits, random_state=seed).fit(A, y)
    penalty = path.alphas_[_simplest(path.mse_path_, one_error)]
    return np.flatnonzero(Lasso(penalty).fit(A, y).coef_)


def _simplest(losses: np.ndarray, one_error: bool) -> int:
    """The best of several models (rows; columns are folds), the simplest of them first."""
    means = losses.mean(axis=1)
    best = int(means.argmin())
    slack = losses[best].std(ddof=1) / np.sqrt(losses.shape[1]) if one_error else 0.0
    return int((means <= means[best] + slack).argmax())


def _splits(y: np.ndarray, kind: str, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Five folds inside the training rows."""
    make = KFold if kind == CONTINUOUS else StratifiedKFold
    splitter = make(INNER_FOLDS, shuffle=True, random_state=seed)
    return splitter.split(np.zeros((len(y), 1)), y)


def rfecv(X: np.ndarray, y: np.ndarray, kind: str, seed: int) -> np.ndarray:
    """Recursive elimination by 50 extra trees, a fifth of the features in a step."""
    make = ExtraTreesClassifier if kind == CLASSES else ExtraTreesRegressor
    scoring = "accuracy" if kind == CLASSES else "neg_mean_absolute_error"
    cv = list(_splits(y, kind, seed))
    method = RFECV(make(50, random_state=seed), step=0.2, cv=cv, scoring=scoring)
    return np.flatnonzero(method.fit(X, y).support_)


def abess(X: np.ndarray, y: np.ndarray, kind: str, seed: int, *, model: str = "") -> np.ndarray:
    """Best subset by splicing, its size by EBIC."""
    from abess import linear

    wanted = model or ("MultinomialRegression" if kind == CLASSES else "LinearRegression")
    target = y if wanted != "LinearRegression" else y.astype(float)
    weights = getattr(linear, wanted)().fit(X, target).coef_
    return np.flatnonzero(np.reshape(weights, (X.shape[1], -1)).any(axis=1))


def ipss(X: np.ndarray, y: np.ndarray, kind: str, seed: int, *, rate: float) -> list[int]:
    """Integrated path stability selection with boosting, at a target false discovery rate."""
    from ipss.main import ipss as select

    boosting = {"max_depth": 1, "colsample_bynode": 1 / 3, "n_estimators": 100}
    named = {"importance_type": "gain", "n_jobs": 1}  # its defaults, but one thread
    np.random.seed(seed)  # noqa: NPY002 - it draws subsamples from the global generator
    found = select(X, y, selector_args=boosting | named, target_fdr=rate, n_jobs=1)
    return sorted(found["selected_features"])


def conditional_importance(X: np.ndarray, y: np.ndarray, kind: str, seed: int) -> np.ndarray:
    """Conditional permutation of a forest, five folds; Benjamini-Hochberg at 0.1.

    Every column is predicted from the others by ridge regression, columns of 0 and 1 too.
    """
    from hidimstat import CFICV

    classes = kind == CLASSES
    forest = (RandomForestClassifier if classes else RandomForestRegressor)(random_state=seed)
    loss = zero_one_loss if classes else mean_squared_error
    make = KFold if kind == CONTINUOUS else StratifiedKFold
    cv = make(INNER_FOLDS, shuffle=True, random_state=seed)
    method = CFICV(forest, cv, loss=loss, feature_types="continuous", random_state=seed)
    with redirect_stderr(StringIO()):  # bars of progress
        method.fit_importance(X, y)
    return np.flatnonzero(method.fdr_selection(0.1))


def mutual_information(X: np.ndarray, y: np.ndarray, kind: str, seed: int) -> np.ndarray:
    """The features with most of it; how many, by the linear model in five folds."""
    judge = JUDGES[kind]._replace(models=lambda: JUDGES[kind].models()[:1])
    table = Table(X, y, np.ones(X.shape[1], bool), kind)
    sizes = [size for size in SIZES if size < X.shape[1]] + [X.shape[1]]
    losses = []
    for train, test in _splits(y, kind, seed):
        fold = Fold(table, train, test, judge)
        order = _by_information(fold.X, fold.y, kind, seed)
        losses.append([fold.errors(order[:size])[0] for size in sizes])
    best = sizes[_simplest(np.transpose(losses), one_error=False)]
    return _by_information(X, y, kind, seed)[:best]


def _by_information(X: np.ndarray, y: np.ndarray, kind: str, seed: int) -> np.ndarray:
    measure = mutual_info_regression if kind == CONTINUOUS else mutual_info_classif
    return np.argsort(-measure(X, y, random_state=seed), kind="stable")


def variance(X: np.ndarray, y: np.ndarray, kind: str, seed: int) -> np.ndarray:
    """Columns, scaled to 0 to 1, with a variance above the median of all columns."""
    scaled = minmax_scale(X)
    method = VarianceThreshold(float(np.median(scaled.var(axis=0))))
    return np.flatnonzero(method.fit(scaled).get_support())


RULES: dict[str, Rule] = {
    ALL: Rule("all features", every),
    AUTO: Rule("**AutoSelector**", auto_selector),
    "boruta": Rule("Boruta", boruta, package="boruta"),
    "lasso": Rule("LassoCV", lasso),
    "lasso_one_error": Rule("lasso, one standard error", partial(lasso, one_error=True)),
    "rfecv": Rule("RFECV, trees", rfecv),
    "abess": Rule("abess", abess, package="abess"),
    "abess_ordinal": Rule(
        "abess, ordinal", partial(abess, model="OrdinalRegression"), (ORDERED,), "abess"
    ),
    "ipss_10": Rule("ipss, FDR 0.1", partial(ipss, rate=0.1), (ORDERED, CONTINUOUS), "ipss"),
    "ipss_40": Rule("ipss, FDR 0.4", partial(ipss, rate=0.4), (ORDERED, CONTINUOUS), "ipss"),
    "conditional_importance": Rule(
        "conditional importance", conditional_importance, package="hidimstat"
    ),
    "mutual_information": Rule("mutual information, best k", mutual_information),
    "variance": Rule("variance filter", variance),
}
"""All rules, by name on the command line."""


def label(name: str) -> str:
    """The name on the page, also of a rule that is not there any more."""
    return RULES[name].label if name in RULES else name
