"""Relief on interval data, with nearest neighbours or class prototypes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from echelon._core.compat import StrOptions, output_config
from echelon._core.jobs import track
from echelon._core.samples import without_rounding
from echelon.data import holds_intervals
from echelon.engines import TIE_TOLERANCE, Engine, Samples, resolve_engine
from echelon.intervals._intervals import (
    Intervals,
    Scale,
    added,
    blocks_of_rows,
    mean_intervals,
    read_intervals,
    to_frame,
)
from echelon.intervals._loops import add_absolute_margins, add_margins
from echelon.margin import MarginSelector, margin_weights
from echelon.margin.rules import nearest_intervals
from echelon.targets import Target

TURNED, PAIRED = "linf", "l2"
"""Distances that need midpoints and half widths, and the Euclidean norm of two differences."""


class IntervalRelief(MarginSelector):
    """Relief for features that are intervals.

    For every sample, the score of a feature increases by its distance to the other classes and
    decreases by its distance to the sample's own class ([1]_).  A class is represented by its
    prototype, the interval of its mean bounds, so that time grows linearly with the samples; or, as
    in Relief, by its nearest sample.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
    margin : {"prototype", "nearest", "componentwise"}, default="prototype"
        What a sample is compared with.  "prototype" (RDisM2_a): the prototype of its own class and
        the nearest prototype of another class.  "componentwise" (RDisM2_b): the same, but the
        other class is chosen feature by feature.  "nearest" (RDisM1): the nearest sample of its
        own class and the nearest of any other.
    distance : {"l2", "l1", "linf"}, default="l2"
        Distance of two intervals: Euclidean norm, sum or maximum of the absolute differences of
        their lower and of their upper bounds.
    ties : {"share", "index"}, default="share"
        With "share", samples at equal distances share the remaining places, so results do not
        depend on the order of rows; with "index", the first rows are used.
    threshold : float or "shuffle", default=0.0
        Selected features have at least this score.  "shuffle": larger scores than the best feature
        of one fit to permuted y.  None: 0, the rule of the paper.  Must not be given together with
        ``n_features_to_select``.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
    engine : {"auto", "numpy", "numba", "torch", "dask"} or Engine, default="auto"
        The backend that does the computing.
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Scores, larger is better: mean margins over the samples.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    threshold_ : float or None
        The score that selected features reach; None if ``n_features_to_select`` is given.
    prototypes_ : ndarray of shape (n_classes, n_features, 2)
        Mean lower and upper bounds of every class, in the units of X.
    ranges_ : ndarray of shape (n_features, 2)
        Smallest lower and largest upper bound of every feature, by which it is scaled.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    as_intervals : Intervals from pairs of columns.
    intervals_from_groups : Intervals from raw rows.
    ReliefF : For points.

    Notes
    -----
    ``X`` is an array of shape (n_samples, n_features, 2), a DataFrame with columns of interval
    dtype (numeric columns among them are points), or a table of points, which are intervals of
    width 0.  ``transform`` returns the same kind.

    Every feature is scaled by its smallest lower and largest upper bound.  The distance of two
    samples is the sum, over features, of the distances of their intervals, and the latter are also
    what the scores add up: with "l2" the norm is taken per feature and not over all of them.
    Points are therefore twice as far apart under "l1" as under "linf", and sqrt(2) times under
    "l2", with the same scores but for that factor.

    A sample alone in its class is its own prototype and counts by its distance to the other
    class only; with ``margin="nearest"`` it has no hit and does not count.  All means are over all
    samples.

    A missing interval (either bound NaN) leaves the feature out of the pair: the distance is
    scaled up to all features, prototypes are means over the samples that have the feature, and
    the difference of a feature is averaged over the neighbours that have it.

    ``ties="index"`` is for ``margin="nearest"``: prototypes equally far away always share.

    A feature that never varies scores 0 and is kept only where a number of features is asked for;
    the paper's rule, score >= 0, would keep it.

    References
    ----------
    .. [1] I. Hazarika, R. Mishra, A. K. Mahanta, "A dissimilarity margin based feature selection
       method for interval data".

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from echelon import IntervalRelief, as_intervals
    >>> rng = np.random.default_rng(0)
    >>> season = np.repeat(["summer", "winter"], 30)
    >>> coldest = np.where(season == "summer", 15, -5) + rng.integers(-4, 5, 60)
    >>> days = pd.DataFrame({"temp_min": coldest, "temp_max": coldest + rng.integers(5, 10, 60)})
    >>> days["wind_min"] = rng.integers(0, 5, 60)
    >>> days["wind_max"] = days["wind_min"] + rng.integers(0, 20, 60)
    >>> X = as_intervals(days)
    >>> selector = IntervalRelief(1).fit(X, season)
    >>> selector.transform(X).head(2)
               temp
    0  [18.0, 27.0]
    1  [16.0, 24.0]
    >>> selector.scores_.round(3).tolist()
    [0.715, 0.012]
    """

    _allow_nan = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MarginSelector._parameter_constraints,
        "margin": [StrOptions({"prototype", "nearest", "componentwise"})],
        "distance": [StrOptions({"l2", "l1", "linf"})],
        "ties": [StrOptions({"share", "index"})],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        margin: str = "prototype",
        distance: str = "l2",
        ties: str = "share",
        threshold: float | str | None = 0.0,
        random_state: Any = None,
        n_jobs: int | None = None,
        engine: str | Engine = "auto",
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.margin = margin
        self.distance = distance
        self.ties = ties
        self.threshold = threshold
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.engine = engine
        self.verbose = verbose

    _reads_data = False

    def _read(self, X: Any, y: Any) -> tuple[Intervals, Target]:
        run = resolve_engine(self.engine, self.n_jobs).map
        intervals = read_intervals(X, allow_nan=True, run=run)
        return intervals, self._read_target(y)

    def _has_threshold(self) -> bool:
        return self.threshold is not None and self.threshold != 0

    def _passes(self, threshold: float | None) -> np.ndarray:
        if self.threshold == "shuffle":
            return self.scores_ > threshold
        # A feature that never varies scores 0 without a say.
        return (self.scores_ >= threshold) & self._varying

    def _scores(self, features: Intervals, target: Target, random_state: Any) -> np.ndarray:
        codes = target.class_codes
        engine = resolve_engine(self.engine, self.n_jobs)
        scale, n_classes = Scale.of(features.values, features.ranges), codes.max() + 1
        centers = mean_intervals(scale, codes, n_classes, missing=features.missing, run=engine.map)
        self.prototypes_ = scale.restored(centers)
        self.ranges_ = features.ranges
        if self.margin == "nearest":
            return super()._scores(features, target, random_state)
        scores = prototype_weights(
            scale,
            codes,
            centers,
            engine,
            distance=self.distance,
            componentwise=self.margin == "componentwise",
            missing=features.missing,
            verbose=self.verbose,
        )
        return without_rounding(scores)

    def _threshold(self, features: Intervals, target: Target, random_state: Any) -> Any:
        self._varying = _varying(features.values, self.scores_)
        return super()._threshold(features, target, random_state)

    def _arrange(self, columns: Intervals, target: Target) -> Samples:
        """Scaled bounds side by side, two columns per feature, rows sorted by class."""
        codes = target.class_codes
        rows = np.argsort(codes, kind="stable")
        bounds = Scale.of(columns.values[rows], columns.ranges).scaled()
        if self.distance == TURNED:
            bounds = turned(bounds)
        n_columns = 2 * bounds.shape[1]
        return Samples(
            values=bounds.reshape(len(rows), n_columns),
            classes=codes[rows],
            rows=rows,
            columns=np.arange(n_columns),
            n_ordered=0,
            n_numeric=n_columns,
            missing=columns.missing,
        )

    def _weights(self, samples: Samples, random_state: Any) -> np.ndarray:
        weights = margin_weights(
            samples,
            nearest_intervals(samples.class_sizes),
            np.arange(len(samples.values)),
            resolve_engine(self.engine, self.n_jobs, len(samples.values) * samples.values.size),
            metric="paired" if self.distance == PAIRED else "manhattan",
            ties=self.ties,
            verbose=self.verbose,
        )
        scores = weights.reshape(-1, 2).sum(axis=1)
        return without_rounding(scores)

    def transform(self, X: Any) -> Any:
        """Reduce X to the selected features.

        Parameters
        ----------
        X : array-like or DataFrame
            Samples, of any kind that ``fit`` takes.

        Returns
        -------
        X_selected : array or DataFrame
            The selected features as they came: an array of shape (n_samples, n_selected, 2), a
            DataFrame of intervals, or points.
        """
        check_is_fitted(self)
        if not holds_intervals(X):
            return super().transform(X)
        validate_data(self, X, skip_check_array=True, reset=False)
        container = output_config("transform", self)["dense"]
        if container == "polars":
            raise TypeError(
                '`set_output` must be "default" or "pandas" for intervals, got "polars", which '
                "has no such columns. Choose one of these."
            )
        if hasattr(X, "iloc"):
            return X.iloc[:, np.flatnonzero(self.support_)]
        selected = np.asarray(X)[:, self.support_]
        if container == "default" or selected.ndim == 2:
            return selected
        return to_frame(selected, self.get_feature_names_out())

    def inverse_transform(self, X: Any) -> Any:
        """Put selected features back where they were, zeros elsewhere.

        Parameters
        ----------
        X : array of shape (n_samples, n_selected) or (n_samples, n_selected, 2)
            Selected features.

        Returns
        -------
        X_original : array of shape (n_samples, n_features) or (n_samples, n_features, 2)
            The same with intervals, or points, of zero in the place of the features left out.
        """
        if np.ndim(X) != 3:
            return super().inverse_transform(X)
        back = super().inverse_transform
        return np.stack([back(bounds) for bounds in np.moveaxis(np.asarray(X), 2, 0)], axis=2)


def _varying(values: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Mask of the features with two different intervals; only scores of 0 leave a doubt."""
    varying = scores != 0
    for feature in np.flatnonzero(~varying):
        bounds = values[:, feature]
        known = bounds[~np.isnan(bounds).any(axis=1)]
        varying[feature] = len(known) > 0 and bool((known != known[0]).any())
    return varying


def turned(bounds: np.ndarray) -> np.ndarray:
    """Midpoints and half widths in place of lower and upper bounds, along the last axis.

    max(|a|, |b|) = |a + b| / 2 + |a - b| / 2, so the largest difference of two bounds is the
    difference of midpoints plus that of half widths.
    """
    lower, upper = bounds[..., 0], bounds[..., 1]
    return np.stack([(lower + upper) / 2, (upper - lower) / 2], axis=-1)


def prototype_weights(
    scale: Scale,
    classes: np.ndarray,
    prototypes: np.ndarray,
    engine: Engine,
    *,
    distance: str,
    componentwise: bool,
    missing: bool,
    verbose: int = 0,
) -> np.ndarray:
    """Mean over the samples of the difference to other prototypes less that to their own.

    One pass over the rows has found the prototypes, the mean intervals of the classes; a second one
    adds up the margins.
    """
    dtype = scale.values.dtype
    centers = turned(prototypes) if distance == TURNED else prototypes
    centers = np.ascontiguousarray(centers.transpose(0, 2, 1)).astype(dtype)
    turn, paired = distance == TURNED, distance == PAIRED
    tolerance = 1.0 + TIE_TOLERANCE[dtype]

    def task(rows: slice) -> tuple[np.ndarray]:
        scores = np.zeros(len(scale.low))
        data = scale.values[rows], classes[rows], scale.low, scale.inverse, centers, turn
        if componentwise or missing or paired:
            add_margins(*data, paired, componentwise, tolerance, scores)
        else:
            add_absolute_margins(*data, tolerance, scores)
        return (scores,)

    blocks = blocks_of_rows(len(classes))
    done = track(
        engine.map(task, blocks),
        total=len(blocks),
        description="Interval margins",
        verbose=verbose,
    )
    (scores,) = added(done)
    return scores / len(classes)
