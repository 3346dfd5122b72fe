"""Measures of how well the classes are told apart, after Hu, Che, Zhang, Yu 2010.

The ball of radius delta around a sample is its neighborhood.  The *lower approximation* of the
classification holds the samples whose neighborhood is pure; its share is the *dependency*, the
rest is the *boundary*.  The *neighborhood margin* is the smallest distance between two classes, the
*soft margin* trades the size of the ball against the samples it decides wrongly.

Distances are Euclidean over features scaled to [0, 1]; nominal features differ by 0 or 1.  Where
values are missing, the squared distance over the features two samples share is scaled up to all
features.  No distance matrix is held: every question goes to the engine's exact search.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_consistent_length, gen_batches

from echelon._core.samples import arrange
from echelon.data import as_table, read_columns
from echelon.engines import Classes, Engine, Found, Samples, Search, Space, resolve_engine
from echelon.targets import read_classes

SLACK = 1e-12
"""A ball is closed, and rounding must not open it: a distance up to radius + SLACK is inside."""

VOTES = ("leave_one_out", "inclusive")

MAX_RADII = 100_000

LEAST_STEP, LARGEST_RADIUS, LARGEST_PENALTY = 1e-6, 1e6, 1e100
"""Features lie in [0, 1]: beyond these limits numbers are lost in rounding, nothing is gained."""

_MAX_COUNTS = 1 << 22
"""Counts (sample, class, radius) held at a time."""


def lower_approximation(
    X: Any, y: Any, radius: float, *, label: Any = None, categorical_features: Any = "from_dtype"
) -> np.ndarray:
    """Samples whose neighborhood lies within one class (Definitions 2 and 3 of [1]_).

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples; numeric features are scaled to [0, 1].
    y : array-like of shape (n_samples,)
        Classes.
    radius : float
        Radius of the closed Euclidean ball, above 0.
    label : object, default=None
        The class; None for the union over all classes.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.

    Returns
    -------
    inside : ndarray of bool, shape (n_samples,)

    References
    ----------
    .. [1] Q. Hu, X. Che, L. Zhang, D. Yu, "Feature evaluation and selection based on neighborhood
       soft margin", Neurocomputing 73, 2010.

    Examples
    --------
    >>> from echelon.neighborhood import lower_approximation
    >>> lower_approximation([[0.0], [0.1], [0.3], [1.0]], ["a", "a", "b", "b"], 0.2)
    array([ True, False, False,  True])
    """
    _check_positive("radius", radius)
    relation = relate(X, y, categorical_features)
    return relation.in_rows(_lower(relation, radius, label))


def upper_approximation(
    X: Any, y: Any, radius: float, *, label: Any = None, categorical_features: Any = "from_dtype"
) -> np.ndarray:
    """Samples whose neighborhood meets a class (Definitions 2 and 3).

    Over all classes (label=None) these are all samples, since a sample lies in its own
    neighborhood.  References as in :func:`lower_approximation`.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples; numeric features are scaled to [0, 1].
    y : array-like of shape (n_samples,)
        Classes.
    radius : float
        Radius of the closed Euclidean ball, above 0.
    label : object, default=None
        The class; None for the union over all classes.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.

    Returns
    -------
    inside : ndarray of bool, shape (n_samples,)

    Examples
    --------
    >>> from echelon.neighborhood import upper_approximation
    >>> upper_approximation([[0.0], [0.1], [0.3], [1.0]], ["a", "a", "b", "b"], 0.2, label="a")
    array([ True,  True,  True, False])
    """
    _check_positive("radius", radius)
    relation = relate(X, y, categorical_features)
    return relation.in_rows(_upper(relation, radius, label))


def boundary(
    X: Any, y: Any, radius: float, *, label: Any = None, categorical_features: Any = "from_dtype"
) -> np.ndarray:
    """Samples in the upper but not in the lower approximation (Definition 3).

    References as in :func:`lower_approximation`.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples; numeric features are scaled to [0, 1].
    y : array-like of shape (n_samples,)
        Classes.
    radius : float
        Radius of the closed Euclidean ball, above 0.
    label : object, default=None
        The class; None for the union over all classes.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.

    Returns
    -------
    inside : ndarray of bool, shape (n_samples,)

    Examples
    --------
    >>> from echelon.neighborhood import boundary
    >>> boundary([[0.0], [0.1], [0.3], [1.0]], ["a", "a", "b", "b"], 0.2)
    array([False,  True,  True, False])
    """
    _check_positive("radius", radius)
    relation = relate(X, y, categorical_features)
    edge = _upper(relation, radius, label) & ~_lower(relation, radius, label)
    return relation.in_rows(edge)


def dependency(X: Any, y: Any, radius: float, *, categorical_features: Any = "from_dtype") -> float:
    """Share of samples whose neighborhood is pure (Definition 4).

    References as in :func:`lower_approximation`.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples; numeric features are scaled to [0, 1].
    y : array-like of shape (n_samples,)
        Classes.
    radius : float
        Radius of the closed Euclidean ball, above 0.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.

    Returns
    -------
    share : float
        From 0 to 1.

    Examples
    --------
    >>> from echelon.neighborhood import dependency
    >>> dependency([[0.0], [0.1], [0.3], [1.0]], ["a", "a", "b", "b"], 0.2)
    0.5
    """
    pure = lower_approximation(X, y, radius, categorical_features=categorical_features)
    return float(pure.mean())


def neighborhood_margin(X: Any, y: Any, *, categorical_features: Any = "from_dtype") -> float:
    """Smallest distance between samples of different classes (Definition 6).

    References as in :func:`lower_approximation`.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples; numeric features are scaled to [0, 1].
    y : array-like of shape (n_samples,)
        Classes.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.

    Returns
    -------
    margin : float

    Examples
    --------
    >>> from echelon.neighborhood import neighborhood_margin
    >>> round(neighborhood_margin([[0.0], [0.1], [0.3], [1.0]], ["a", "a", "b", "b"]), 12)
    0.2
    """
    relation = relate(X, y, categorical_features)
    return float(relation.nearest(Classes.others(len(relation.labels))).min())


def decision_errors(
    X: Any,
    y: Any,
    radius: float,
    vote: str = "leave_one_out",
    *,
    categorical_features: Any = "from_dtype",
) -> int:
    """Samples that the majority of their neighborhood gets wrong (Definitions 8 and 9).

    Where the sample's own class is among the tied winners, it is recognised.  References as in
    :func:`lower_approximation`.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples; numeric features are scaled to [0, 1].
    y : array-like of shape (n_samples,)
        Classes.
    radius : float
        Radius of the closed Euclidean ball, above 0.
    vote : {"leave_one_out", "inclusive"}, default="leave_one_out"
        Whether a sample votes in its own ball.  If not, an empty ball counts as an error.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.

    Returns
    -------
    errors : int

    Examples
    --------
    >>> from echelon.neighborhood import decision_errors
    >>> X, y = [[0.0], [0.1], [0.3], [1.0]], ["a", "a", "b", "b"]
    >>> decision_errors(X, y, 0.2), decision_errors(X, y, 0.2, "inclusive")
    (2, 0)
    """
    _check_positive("radius", radius)
    relation = relate(X, y, categorical_features)
    return int(_errors(relation, np.array([radius]), vote)[0])


def soft_margin(
    X: Any,
    y: Any,
    penalty: float = 4.0,
    step: float = 0.01,
    max_radius: float = 0.25,
    vote: str = "leave_one_out",
    *,
    categorical_features: Any = "from_dtype",
) -> tuple[float, float, int]:
    """Neighborhood soft margin: smallest 1 / (2 radius^2) + penalty * errors over the radii.

    Equation (6) of [1]_ with the decision errors in place of the boundary.  Small is good.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples; numeric features are scaled to [0, 1].
    y : array-like of shape (n_samples,)
        Classes.
    penalty : float, default=4.0
        Cost of a sample decided wrongly.
    step : float, default=0.01
        The radii tried are step, 2 step, ...  At least 1e-6.
    max_radius : float, default=0.25
        The largest radius tried is this times the square root of the number of features.
    vote : {"leave_one_out", "inclusive"}, default="leave_one_out"
        Whether a sample votes in its own ball.  If not, an empty ball counts as an error.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.

    Returns
    -------
    value : float
        The soft margin.
    radius : float
        The radius that attains it, the smallest at ties.
    errors : int
        Decision errors at that radius.

    References
    ----------
    .. [1] Q. Hu, X. Che, L. Zhang, D. Yu, "Feature evaluation and selection based on neighborhood
       soft margin", Neurocomputing 73, 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from echelon.neighborhood import soft_margin
    >>> X, y = load_wine(return_X_y=True)
    >>> value, radius, errors = soft_margin(X[:, [6, 9, 12]], y)
    >>> round(value, 2), round(radius, 2), errors
    (40.68, 0.24, 8)
    """
    _check_positive("step", step, least=LEAST_STEP)
    _check_positive("max_radius", max_radius)
    if not isinstance(penalty, Real) or not 0 <= penalty <= LARGEST_PENALTY:
        raise ValueError(
            f"`penalty` must be a number from 0 to {LARGEST_PENALTY:g}, got {penalty!r}."
        )
    step, penalty = float(step), float(penalty)
    relation = relate(X, y, categorical_features)
    radii = radii_for(relation.samples.values.shape[1], step, max_radius)
    errors = _errors(relation, radii, vote)
    values = 1 / (2 * radii**2) + penalty * errors
    best = int(np.argmin(values))
    return float(values[best]), float(radii[best]), int(errors[best])


def radii_for(n_features: int, step: float, max_radius: float) -> np.ndarray:
    """Multiples of the step up to max_radius * sqrt(n_features)."""
    largest = float(max_radius) * np.sqrt(n_features)
    if largest / step > MAX_RADII:
        raise ValueError(
            f"`step` must leave at most {MAX_RADII} radii up to max_radius times the square root "
            f"of the number of features, {largest:.6g}, got {step}. Use a larger step."
        )
    n_radii = int(np.floor(largest / step + 1e-9))
    if n_radii < 1:
        raise ValueError(
            f"`step` must be at most max_radius times the square root of the number of features, "
            f"{largest:.6g}, got {step}. Use a smaller step."
        )
    return step * np.arange(1, n_radii + 1)


def _lower(relation: Relation, radius: float, label: Any) -> np.ndarray:
    """Samples with a pure ball, in the order of the relation."""
    pure = relation.nearest(Classes.others(len(relation.labels))) > radius + SLACK
    return pure if label is None else pure & (relation.samples.classes == _code_of(relation, label))


def _upper(relation: Relation, radius: float, label: Any) -> np.ndarray:
    """Samples whose ball meets a class; a sample lies in its own ball."""
    if label is None:
        return np.ones(len(relation.samples.classes), dtype=bool)
    code = _code_of(relation, label)
    distance = relation.nearest(Classes.only(code, len(relation.labels)))
    return (relation.samples.classes == code) | (distance <= radius + SLACK)


def _errors(relation: Relation, radii: np.ndarray, vote: str) -> np.ndarray:
    """Decision errors at every radius, from one pass over the pairs of the largest ball."""
    if vote not in VOTES:
        raise ValueError(f"`vote` must be one of {VOTES}, got {vote!r}.")
    shape = len(relation.labels), len(radii)
    classes = relation.samples.classes
    errors = np.zeros(len(radii), dtype=np.int64)
    for queries, found in relation.within(radii[-1] + SLACK):
        # Pairs fall into the bin of the smallest ball that holds them.
        bins = np.searchsorted(radii + SLACK, np.sqrt(found.distances))
        cells = found.owners, classes[found.indices], np.minimum(bins, len(radii) - 1)
        flat = np.ravel_multi_index(cells, (len(queries), *shape))
        ends = np.concatenate([[0], np.cumsum(found.counts)])
        for part in gen_batches(len(queries), max(1, _MAX_COUNTS // (shape[0] * shape[1]))):
            here = classes[queries[part]]
            pairs = flat[ends[part.start] : ends[part.stop]] - part.start * shape[0] * shape[1]
            counts = np.bincount(pairs, minlength=len(here) * shape[0] * shape[1])
            balls = counts.reshape(len(here), *shape).cumsum(axis=2)
            errors += _wrong(balls, here, vote)
    return errors


def _wrong(counts: np.ndarray, classes: np.ndarray, vote: str) -> np.ndarray:
    """Samples whose class does not win (or tie) the vote, at every radius."""
    rows = np.arange(len(classes))
    if vote == "inclusive":
        counts[rows, classes] += 1
    own = counts[rows, classes]
    recognised = (own == counts.max(axis=1)) & (own > 0)
    return (~recognised).sum(axis=0)


def _code_of(relation: Relation, label: Any) -> int:
    matches = np.flatnonzero(relation.labels == label)
    if len(matches) == 0:
        raise ValueError(f"`label` must be one of {relation.labels.tolist()}, got {label!r}.")
    return int(matches[0])


def _check_positive(
    name: str, value: Any, least: float = 0.0, most: float = LARGEST_RADIUS
) -> None:
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not (0 < value <= most) or value < least:
        limits = f"above 0, up to {most:g}" if least == 0 else f"from {least:g} to {most:g}"
        raise ValueError(f"`{name}` must be a number {limits}, got {value!r}.")


class Relation(NamedTuple):
    """Samples (rows sorted by class) ready for questions about their neighborhoods."""

    labels: np.ndarray
    samples: Samples
    engine: Engine
    space: Space

    def nearest(self, classes: Classes) -> np.ndarray:
        """Distance of every sample to the nearest of the classes; inf if there is none."""
        nearest = np.full(len(self.samples.classes), np.inf)
        for queries, found in self._pieces(Search(classes, 1)):
            with_any = found.counts > 0
            if with_any.any():
                first = np.concatenate([[0], np.cumsum(found.counts)[:-1]])[with_any]
                nearest[queries[with_any]] = np.sqrt(np.minimum.reduceat(found.distances, first))
        return nearest

    def within(self, radius: float) -> Iterator[tuple[np.ndarray, Found]]:
        """Samples and all others in their balls, piece by piece."""
        return self._pieces(Search(Classes.everyone(len(self.labels)), radius=radius))

    def in_rows(self, values: np.ndarray) -> np.ndarray:
        """Values of the samples in the order of the rows of X."""
        restored = np.empty_like(values)
        restored[self.samples.rows] = values
        return restored

    def _pieces(self, search: Search) -> Iterator[tuple[np.ndarray, Found]]:
        queries = np.arange(len(self.samples.classes))
        while len(queries):
            found = self.engine.nearest(self.space, queries, search)
            yield queries[: len(found.counts)], found
            queries = queries[len(found.counts) :]


def relate(X: Any, y: Any, categorical_features: Any) -> Relation:
    """Read samples and unordered classes."""
    X = as_table(X)
    columns = read_columns(X, categorical_features, allow_nan=True)
    labels, codes = read_classes(y)
    check_consistent_length(columns.values, codes)
    # In double precision: in single, rounding would open the closed ball.
    double = replace(columns, values=columns.values.astype(np.float64, copy=False))
    samples = arrange(double, codes)
    engine = resolve_engine("auto", None, len(samples.values) * samples.values.size)
    return Relation(labels, samples, engine, engine.prepare(samples, "euclidean"))
