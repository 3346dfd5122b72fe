"""Whether other samples would lead to the same features: the stability of a selection."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm
from sklearn.utils import check_consistent_length, check_random_state

from echelon._core.jobs import Jobs
from echelon._core.samples import (
    draw_rows,
    draw_seeds,
    feature_names,
    fit_weighted,
    read_data,
    read_weights,
    seeded,
    take_rows,
)
from echelon.display import StabilityDisplay


@dataclass(frozen=True, eq=False)
class SelectionStability:
    """How much selections agree.

    Attributes
    ----------
    stability : float
        Nogueira's index: 1 if all selections are the same, 0 on average for random ones; NaN if
        every selection is empty, or everything.
    confidence_interval : tuple of two floats
        Of the stability.
    frequency : ndarray of shape (n_features,)
        Share of the resamples in which a feature was selected.
    selected : ndarray of shape (n_resamples, n_features)
        The selections.
    names : ndarray of shape (n_features,)
        Names of the features, or their numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon import RankCorrelation
    >>> from echelon.evaluation import selection_stability
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> result = selection_stability(RankCorrelation(1), X, X[:, 0] > 0, random_state=0)
    >>> result.stability, result.frequency.tolist()
    (1.0, [1.0, 0.0, 0.0, 0.0])
    """

    stability: float
    confidence_interval: tuple[float, float]
    frequency: np.ndarray
    selected: np.ndarray
    names: np.ndarray

    def frame(self) -> pd.DataFrame:
        """One row per feature, most frequent first."""
        return StabilityDisplay.from_stability(self).frame()

    def plot(self, ax: Any = None, *, n_features: int = 30) -> StabilityDisplay:
        """Draw the frequencies; see :class:`echelon.display.StabilityDisplay`."""
        return StabilityDisplay.from_stability(self).plot(ax, n_features=n_features)


def selection_stability(
    selector: Any,
    X: Any,
    y: Any,
    n_resamples: int = 50,
    *,
    sample_share: float = 0.5,
    confidence: float = 0.95,
    groups: Any = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
) -> SelectionStability:
    """How much the selected features depend on the rows that happened to be there.

    The selector is fitted to many random samples of the rows, and the sets of features it selects
    are compared by the index of Nogueira, Sechidis and Brown [1]_, which corrects for chance and
    for the number of features selected.

    Parameters
    ----------
    selector : selector
        With ``get_support``; ours or scikit-learn's.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Target.
    n_resamples : int, default=50
        How many samples to draw.
    sample_share : float, default=0.5
        Share of the rows of every class (of the groups, if given) in a sample.
    confidence : float, default=0.95
        Of the interval.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group are drawn together.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, which the selector is given.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices, including those of selectors and models without a seed.
    verbose : int, default=0
        Show a progress bar.

    Returns
    -------
    result : SelectionStability
        With ``stability``, ``confidence_interval``, ``frequency``, ``frame()`` and ``plot()``.

    Notes
    -----
    Samples are drawn without replacement: in a bootstrap sample a row would be its own nearest
    neighbour.  Half of the rows vary about as much as a bootstrap sample does [2]_.  What is
    measured is the stability with that many rows; with all of them it is usually higher.

    The interval says how far the index would move with other resamples of the same rows.

    References
    ----------
    .. [1] S. Nogueira, K. Sechidis, G. Brown, "On the stability of feature selection algorithms",
       Journal of Machine Learning Research 18 (2018), definition 4 and theorem 7.
    .. [2] J. Friedman, P. Hall, "On bagging and nonlinear estimation", Journal of Statistical
       Planning and Inference 137 (2007).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from echelon import ReliefF
    >>> from echelon.evaluation import selection_stability
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> result = selection_stability(ReliefF(4), X, y, random_state=0)
    >>> round(result.stability, 2)
    0.73
    >>> result.frame()["feature"].tolist()[:2]
    ['od280/od315_of_diluted_wines', 'flavanoids']
    """
    X, y = read_data(X, y, groups)
    check_number("n_resamples", n_resamples, 2)
    check_shares(sample_share=sample_share, confidence=confidence)
    weights = None if sample_weight is None else read_weights(sample_weight)
    check_consistent_length(y, weights)
    random = check_random_state(random_state)
    draws = [draw_rows(y, groups, sample_share, random) for _ in range(n_resamples)]
    seeds = draw_seeds(None if random_state is None else random, n_resamples)
    arguments = ((selector, X, y, weights, *each) for each in zip(draws, seeds, strict=True))
    jobs = Jobs(n_jobs, verbose)
    selected = np.array(jobs("selection_stability", _selection, arguments, steps=True))
    return stability_of(selected, feature_names(X), confidence)


def stability_of(
    selected: np.ndarray, names: np.ndarray, confidence: float = 0.95
) -> SelectionStability:
    """How stable a selection is, of what was selected on several samples.

    Parameters
    ----------
    selected : ndarray of shape (n_samples, n_features)
        Mask of the features selected on every sample.
    names : ndarray of shape (n_features,)
        Names of the features, or their numbers.
    confidence : float, default=0.95
        Of the interval.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.evaluation import stability_of
    >>> selected = np.array([[True, False, True], [True, False, True], [True, True, False]])
    >>> round(stability_of(selected, np.arange(3)).stability, 2)
    0.0
    """
    stability, variance = nogueira(selected)
    reach = float(norm.ppf((1 + confidence) / 2) * np.sqrt(variance))
    return SelectionStability(
        stability,
        (stability - reach, min(stability + reach, 1.0)),
        selected.mean(axis=0),
        selected,
        names,
    )


def nogueira(selected: np.ndarray) -> tuple[float, float]:
    """Stability of the sets in the rows of a mask, and its variance."""
    n_sets, n_features = selected.shape
    frequency, sizes = selected.mean(axis=0), selected.sum(axis=1) / n_features
    size = sizes.mean()
    by_chance = size * (1 - size)
    if by_chance == 0:
        warnings.warn(
            f"Every resample selected {'all' if size else 'no'} features, so stability is not "
            "defined. Give the selector a number of features to select, or another threshold.",
            UserWarning,
            stacklevel=3,
        )
        return np.nan, np.nan
    spread = n_sets / (n_sets - 1) * frequency * (1 - frequency)
    stability = 1 - spread.mean() / by_chance
    # Theorem 7: what every set contributes.
    agreement = selected @ frequency / n_features - sizes * size
    parts = agreement + stability / 2 * (2 * sizes * size - sizes - size + 1)
    variance = 4 / n_sets * np.var(parts / by_chance)
    return float(stability), float(variance)


def _selection(
    selector: Any, X: Any, y: Any, weights: Any, rows: np.ndarray, seed: int | None
) -> np.ndarray:
    copy = seeded(selector, seed)
    if not hasattr(copy, "get_support"):
        raise TypeError(
            f"`selector` must have get_support, got {type(selector).__name__}. Use a selector, for "
            "example sklearn.feature_selection.SelectFromModel around a model."
        )
    drawn = None if weights is None else weights[rows]
    return fit_weighted(copy, take_rows(X, rows), take_rows(y, rows), drawn).get_support()


def check_number(name: str, value: Any, least: int) -> None:
    if not isinstance(value, Integral) or value < least:
        raise ValueError(f"`{name}` must be a whole number from {least}, got {value!r}.")


def check_shares(**shares: Any) -> None:
    for name, value in shares.items():
        if not 0 < value < 1:
            raise ValueError(f"`{name}` must lie between 0 and 1, got {value!r}.")
