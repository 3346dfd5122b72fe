"""Whether the order of the features within a sample says something, and no less than their values.

Columns of one scale invite `RankOrderSelector`.  It is made for samples whose level is not
comparable; where levels are, their order throws away most of what the values say.  So it is tried:
in folds, beside as many features drawn at random, and beside as many of ReliefF's best.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_consistent_length

from echelon._core.folds import make_splitter
from echelon._core.significance import clearly_positive, share_of_test
from echelon._core.words import listed, number
from echelon.base import ranks_of
from echelon.data import read_numbers
from echelon.methods import CLASSES
from echelon.targets import Target, read_target

N_DRAWS = 5
"""Sets of features drawn at random in every fold."""
FEWEST = 2
"""One feature alone has no order."""


@dataclass(frozen=True)
class RankOrderCheck:
    """Held-out balanced accuracy, means over the folds.

    Attributes
    ----------
    rank_order : float
        Features and classifier by the order within a sample.
    random : float
        As many features drawn at random, the same classifier.
    relieff : float
        As many of ReliefF's best, their values in a linear model.
    guess : float
        One class for all.
    n_features : int
        Most features selected in a fold.
    fits : bool
        Clearly better than random features, and not clearly worse than ReliefF (5 %).

    Examples
    --------
    >>> from echelon.profile import RankOrderCheck
    >>> check = RankOrderCheck(0.9, 0.6, 0.88, 0.5, n_features=12, fits=True)
    >>> check.rank_order > check.random > check.guess
    True
    """

    rank_order: float
    random: float
    relieff: float
    guess: float
    n_features: int
    fits: bool

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        figures = [f"random features {number(self.random, 2)}",
                   f"ReliefF {number(self.relieff, 2)}",
                   f"baseline {number(self.guess, 2)}"]  # fmt: skip
        verdict = "RankOrderSelector fits" if self.fits else "RankOrderSelector does not fit"
        return (
            "All columns look like one scale. Their order within a row reaches a balanced accuracy "
            f"of {number(self.rank_order, 2)}; {listed(figures)}: {verdict}."
        )


def check_rank_order(X: Any, target: Any, *, cv: int = 5, random_state: int = 0) -> RankOrderCheck:
    """Try the order within a sample, in folds.

    Parameters
    ----------
    X : DataFrame or array of shape (n_samples, n_features)
        Numbers of one scale, none missing.
    target : array-like of shape (n_samples,), or Target
        Classes.
    cv : int, default=5
        Folds, stratified by class.
    random_state : int, default=0
        Seed of all random choices.

    Returns
    -------
    found : RankOrderCheck
        Scores, and whether ``RankOrderSelector`` fits.

    Examples
    --------
    >>> from echelon.datasets import make_rank_order
    >>> from echelon.profile import check_rank_order
    >>> X, y = make_rank_order(3, 20, 4, 0, random_state=0)
    >>> check_rank_order(X, y).fits
    True
    """
    kind = target.kind if isinstance(target, Target) else CLASSES
    values, codes = _read(X, read_target(target, kind))
    folds = list(make_splitter(cv, codes, True, False, random_state).split(values, codes))
    rng = np.random.default_rng(random_state)
    scores = np.array([_scores(values, codes, train, test, rng) for train, test in folds])
    rank_order, chance, relieff, sizes = scores.T
    share = share_of_test(folds)
    fits = clearly_positive(rank_order - chance, share)
    fits = fits and not clearly_positive(relieff - rank_order, share)
    guess = 1 / len(np.unique(codes))
    means = [float(each.mean()) for each in (rank_order, chance, relieff)]
    return RankOrderCheck(means[0], means[1], means[2], guess, int(sizes.max()), fits)


def _read(X: Any, target: Target) -> tuple[np.ndarray, np.ndarray]:
    """Numbers that have an order, and the codes of classes."""
    values = read_numbers(X, allow_nan=False, reason="only numbers have an order").values
    if values.shape[1] < FEWEST:
        raise ValueError("`X` has one feature, which has no order. Pass two or more.")
    if target.codes is None:
        raise ValueError("`target` holds numbers, but samples have to be in classes. Bin it first.")
    check_consistent_length(values, target.codes)
    return values.astype(float), target.codes


def _scores(
    X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray, rng: np.random.Generator
) -> tuple[float, float, float, int]:
    """One fold: the order, random features, ReliefF, and how many features were selected."""
    # Here, since a profile is made without them most of the time.
    from echelon.margin import ReliefF
    from echelon.rankorder import RankOrderClassifier

    def score(model: Any, columns: np.ndarray) -> float:
        fitted = clone(model).fit(X[np.ix_(train, columns)], y[train])
        return float(balanced_accuracy_score(y[test], fitted.predict(X[np.ix_(test, columns)])))

    kept = _kept(X[train], y[train])
    draws = [rng.choice(X.shape[1], len(kept), replace=False) for _ in range(N_DRAWS)]
    by_order = RankOrderClassifier()
    chance = float(np.mean([score(by_order, columns) for columns in draws]))
    ranks = ranks_of(ReliefF(n_features_to_select=len(kept)).fit(X[train], y[train]))
    best = np.argsort(ranks, kind="stable")[: len(kept)]
    linear = make_pipeline(
        StandardScaler(), LogisticRegression(max_iter=1000, class_weight="balanced")
    )
    return score(by_order, kept), chance, score(linear, best), len(kept)


def _kept(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """What the selector keeps; the last ones it had, if fewer than have an order."""
    from echelon.rankorder import RankOrderSelector

    selector = RankOrderSelector().fit(X, y)
    order = np.argsort(ranks_of(selector), kind="stable")
    return order[: max(int(selector.support_.sum()), FEWEST)]
