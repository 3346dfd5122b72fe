"""ForwardLinear: features that add to each other in a linear model."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from echelon._core.compat import Interval, StrOptions
from echelon._core.sample_weights import total_of
from echelon.filters._bags import BaggedSelector, Verdict, path_of, reciprocal_places
from echelon.filters._outcome import outputs
from echelon.filters._pursuit import Design, Path, Pursuit
from echelon.targets import Target
from echelon.validation import Columns


class ForwardLinear(BaggedSelector):
    """Forward selection in a linear model, repeated over bootstrap samples.

    The feature that lowers the squared error of a linear model of the target most is added, until
    a step no longer pays by Akaike's criterion: stepwise regression by orthogonal least squares
    ([1]_).  One such path hangs on a few samples; here every bootstrap sample goes its own, and a
    feature scores by the mean of 1 / place over all of them ([2]_).

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number, or share, of features to keep.  None: those taken in more than half of the bags;
        with ``n_bags=0`` those taken.
    scale : {"standard", "rank"}, default="standard"
        Numeric features as they are, or as mid-ranks, which skew columns do not mislead.
    criterion : {"aic", "bic"} or float, default="aic"
        A step pays if it lowers the sum of squares by more than so many mean squared errors per
        column: 2, the logarithm of the number of samples, or the number given.  Samples that a
        bag repeats let noise gain about twice as much there, so twice as much is asked for.
    max_steps : int, default=30
        Most steps of a path.  With more features than samples no criterion may end it before
        the model is perfect.
    n_bags : int, default=20
        Bootstrap samples.  0: none, one fit to all samples.
    kind : {"auto", "ordinal", "classification", "regression"}, default="auto"
        What y is: ordered classes, classes without an order, or numbers.  "auto": as
        :func:`echelon.targets.read_target` reads it; a few different numbers are ordered classes.
    class_order : sequence, default=None
        Classes from lowest to highest.  Given, y is ordinal.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are equal or not.  "from_dtype": the string and unordered
        categorical columns of a DataFrame; ordered categoricals count as their codes.
    random_state : int, RandomState instance or None, default=None
        Seed of every random choice.
    n_jobs : int, default=None
        Cores to use; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib says otherwise.  Results do not depend on it.
    must_keep : mask, indices or names, default=None
        Features that are kept in any case and ranked first; others are chosen beside them.  They
        count in ``n_features_to_select``.
    feature_groups : array-like or dict, default=None
        Features that stand or fall together: a label for every feature (None: on its own), or a
        dict from labels to mask, indices or names.  ``n_features_to_select`` counts groups, and
        ``ranking_`` is that of groups, as good as their best feature.
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Scores, larger is better: mean over the bags of 1 / place, 0 where a feature is not taken.
    frequencies_ : ndarray of shape (n_features,)
        Share of the bags that take the feature.
    path_ : recarray
        Steps of the search: the ``feature`` added, and ``value``, R squared after it.  Only with
        ``n_bags=0``.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 = best.
    support_ : ndarray of shape (n_features,)
        Mask of the kept features.
    kind_ : str
        What y was read as.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.  Not for regression.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    ForwardAdditive : The same idea for features that act along any curve.
    RankCorrelation : Every feature by itself.

    Notes
    -----
    The model predicts the codes of ordered classes and of two classes, numbers as they are, and
    the indicators of more classes without an order, whose errors are added.  Missing values are
    the mean of the column.  All labels of a nominal feature enter together.  Features that score
    alike are ordered by their gain alone, on all samples.  Nominal features with more
    labels than half the samples are never taken.  Gains that agree in 30 binary digits tie, and the
    lowest index wins.  With a number given, ``n_bags=0`` goes on to that number, whether steps pay
    or not; bags always stop.  The cost of a step is samples times columns.

    References
    ----------
    .. [1] S. Chen, S. A. Billings, W. Luo, "Orthogonal least squares methods and their
       application to non-linear system identification", International Journal of Control 50, 1989.
    .. [2] N. Meinshausen, P. Bühlmann, "Stability selection", Journal of the Royal Statistical
       Society B 72, 2010.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.datasets import load_diabetes
    >>> from echelon import ForwardLinear
    >>> X, progression = load_diabetes(return_X_y=True, as_frame=True)
    >>> grade = pd.qcut(progression, 5, labels=["mild", "low", "medium", "high", "severe"])
    >>> selector = ForwardLinear(random_state=0).fit(X, grade)
    >>> X.columns[selector.order_[:4]].tolist()
    ['s5', 'bmi', 'bp', 'sex']
    >>> path = ForwardLinear(n_bags=0).fit(X, grade).path_
    >>> X.columns[path.feature].tolist(), path.value.round(2).tolist()
    (['s5', 'bmi', 'bp', 's3', 'sex'], [0.32, 0.44, 0.46, 0.47, 0.49])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaggedSelector._parameter_constraints,
        "scale": [StrOptions({"standard", "rank"})],
        "criterion": [StrOptions({"aic", "bic"}), Interval(Real, 0, None, closed="left")],
        "max_steps": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        scale: str = "standard",
        criterion: str | float = "aic",
        max_steps: int = 30,
        n_bags: int = 20,
        kind: str = "auto",
        class_order: Sequence | None = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ):
        self.n_features_to_select = n_features_to_select
        self.scale = scale
        self.criterion = criterion
        self.max_steps = max_steps
        self.n_bags = n_bags
        self.kind = kind
        self.class_order = class_order
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    def _search(self, columns: Columns, target: Target) -> Pursuit:
        prices = {"aic": 2.0, "bic": float(np.log(total_of(columns.weights, len(target))))}
        price = prices[self.criterion] if isinstance(self.criterion, str) else self.criterion
        design = Design(columns, self.scale)
        how = float(price), self.max_steps, columns.weights, self._choice
        return Pursuit(design, outputs(target), *how)

    def _alone(self, search: Pursuit, found: Path) -> Verdict:
        self.path_ = path_of(found.features, found.r_squared)
        scores = reciprocal_places(found.features, self.n_features_in_)
        self.frequencies_ = (scores > 0).astype(float)
        return Verdict(scores, search.single_worth(), scores > 0)

    def _together(self, search: Pursuit, found: list[Path]) -> Verdict:
        places = np.array([reciprocal_places(path.features, self.n_features_in_) for path in found])
        self.frequencies_ = (places > 0).mean(axis=0)
        return Verdict(places.mean(axis=0), search.single_worth(), self.frequencies_ > 0.5)
