"""DominanceRoughSet: features by the contradictions that they resolve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from echelon._core.compat import Interval, StrOptions
from echelon._core.directions import directions
from echelon._core.named import feature_mask
from echelon._core.samples import columns_that_vary
from echelon.base import ForwardSelector, SampleWeightMixin
from echelon.data import Data
from echelon.methods import ORDERED
from echelon.monotone._dominance import ROUNDING, Bounds, Counts, Dominance
from echelon.monotone._reducts import Reducts, core_of, indispensable, reducts_of
from echelon.targets import Target, read_ordered_classes


class DominanceStep(NamedTuple):
    """A feature, and the quality, boundary and contradictions after it was added."""

    feature: int
    value: float
    boundary: float
    conflicts: float


class DominanceRoughSet(SampleWeightMixin, ForwardSelector):
    """Forward selection by the quality of dominance-based rough sets (DRSA).

    A sample dominates another if it is at least as good in every feature.  If it is in a lower
    class nevertheless, the two contradict each other, and neither class is certain: they are in
    the boundary.  The quality of a set of features is the share of samples outside all boundaries
    ([1]_, [2]_).  Features are added one at a time, each time the one with the largest quality.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: determined by the search, as described in the
        Notes.
    monotonic_cst : array-like, dict, "auto" or None, default="auto"
        For every feature 1 (larger is better), -1 (smaller is better) or 0 (left out), as an array,
        or a dict or Series by feature name (those not named: 0).  "auto": the sign of Kendall's tau
        with y.  None: larger is better throughout.  Nominal features count in any case: samples
        are comparable only if they are equal in them.
    consistency : float, default=1.0
        Share of the samples that dominate a sample, and of those it dominates, that must agree
        with its class (variable consistency, [3]_).  1: all of them.
    class_order : sequence, default=None
        The classes from lowest to highest.  Required for classes that are neither integers nor an
        ordered categorical.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
    must_keep : mask, indices or names, default=None
        Features that are always selected and ranked first; the others are evaluated beside them.
        They count towards ``n_features_to_select``.
    feature_groups : array-like or dict, default=None
        Features that are selected all together or not at all: a label per feature (None: not in a
        group), or a dict from labels to mask, indices or names.  ``n_features_to_select`` counts
        groups, and a group has the rank of its best feature.
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    quality_ : float
        Share of the samples outside all boundaries, with all features.
    comparable_ : float
        Share of the pairs of different classes in which one sample dominates the other.  Where it
        is small, the quality is large whatever the classes are.
    core_ : ndarray of shape (n_core,)
        Features without which the quality is lower; with full consistency, those in every reduct.
    lowest_class_, highest_class_ : ndarray of shape (n_samples,)
        The classes that a sample may have: the highest one whose upward union it certainly belongs
        to, and the lowest one whose downward union it certainly belongs to.  They differ for
        samples in a boundary.
    monotonic_cst_ : ndarray of shape (n_features,)
        Direction of every feature, as used.
    order_ : ndarray of shape (n_reached,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best; features that were never reached share the last rank.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    path_ : recarray of shape (n_reached,)
        Steps of the search: the ``feature`` added, the quality after it (``value``), the samples
        left in a ``boundary`` and the pairs that contradict each other (``conflicts``), both
        weighted.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    NeighborhoodRoughSet : For classes without an order.
    OReliefF : Scores for features that rise or fall with the classes.
    echelon.evaluation.monotonicity_violations : How often single features break the order.

    Notes
    -----
    The search ends at the quality of all features or, where that is 0, when no fewer pairs
    contradict each other.  Of features with equal quality, the one that leaves the fewest
    contradicting pairs is added, then the lowest index.  The set that the search selects may hold
    features that a reduct does without: see :meth:`reducts`.

    Quality is measured on the samples that chose the features, and every further feature, noise
    included, makes fewer pairs comparable.  Look at ``comparable_``, and evaluate the result in a
    cross-validated ``Pipeline``.

    A feature in which one of two samples has a missing value does not separate them, so missing
    values never resolve a contradiction.  Equal samples of different classes contradict each other.

    With a consistency below 1 a further feature may lower the quality; reducts are then sets with
    at least the quality of all features, none of whose proper subsets has it.

    A step costs n_samples^2 / 64 operations per feature.  Memory: n_samples^2 / 4 bytes.

    References
    ----------
    .. [1] S. Greco, B. Matarazzo, R. Slowinski, "Rough sets theory for multicriteria decision
       analysis", European Journal of Operational Research 129, 2001.
    .. [2] S. Greco, B. Matarazzo, R. Slowinski, "Rough approximation by dominance relations",
       International Journal of Intelligent Systems 17, 2002.
    .. [3] S. Greco, B. Matarazzo, R. Slowinski, J. Stefanowski, "Variable consistency model of
       dominance-based rough sets approach", RSCTC 2000, LNAI 2005, Springer, 2001.

    Examples
    --------
    >>> import pandas as pd
    >>> from echelon import DominanceRoughSet
    >>> X = pd.DataFrame({"mathematics": [3, 2, 2, 1, 2, 3], "physics": [2, 2, 2, 1, 1, 3],
    ...                   "literature": [1, 1, 2, 2, 1, 2]})
    >>> result = [2, 0, 1, 1, 0, 2]  # bad, medium, good
    >>> selector = DominanceRoughSet(monotonic_cst=[1, 1, 1]).fit(X, result)
    >>> selector.quality_
    1.0
    >>> X.columns[selector.core_].tolist()
    ['mathematics', 'literature']
    >>> selector.reducts().sets
    [(0, 2)]
    """

    _allow_nan = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ForwardSelector._parameter_constraints,
        "monotonic_cst": [StrOptions({"auto"}), "array-like", dict, None],
        "consistency": [Interval(Real, 0.5, 1, closed="right")],
        "class_order": ["array-like", None],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        monotonic_cst: Any = "auto",
        consistency: float = 1.0,
        class_order: Sequence | None = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ):
        self.n_features_to_select = n_features_to_select
        self.monotonic_cst = monotonic_cst
        self.consistency = consistency
        self.class_order = class_order
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    def _read_target(self, y: Any) -> Target:
        self.classes_, codes = read_ordered_classes(y, self.class_order)
        return Target(ORDERED, self.classes_, codes, None, None, "")

    def _additions(self, features: Data, target: Target) -> Callable[[list[int]], Any]:
        signs = directions(self.monotonic_cst, features, target.class_codes)
        self.monotonic_cst_ = signs
        # A column of one value separates nothing, as one without a direction must.
        values = np.where(signs | features.nominal, features.values, 0.0)
        values = np.where(signs < 0, -values, values)
        given = features.nominal, target.class_codes, features.weights
        self._data = Dominance(values, *given, float(self.consistency), self.n_jobs)
        self._able = np.flatnonzero(columns_that_vary(values))
        self._describe(self._data)
        relation = self._data.relation()

        def add_best(candidates: list[int]) -> DominanceStep:
            counts, feature = relation.best(candidates)
            relation.add(feature)
            return DominanceStep(feature, 1 - counts.boundary / self._data.total, *counts)

        return add_best

    def _describe(self, data: Dominance) -> None:
        """What all features say together."""
        masses = data.masses(np.arange(data.values.shape[1]))
        bounds = data.bounds(masses)
        boundary = data.in_boundary(bounds)
        self._all = Counts(float(data.weights[boundary].sum()), data.conflicts(masses))
        self._most = self._all.boundary + ROUNDING * data.total
        self.quality_ = 1 - self._all.boundary / data.total
        self.comparable_ = data.comparable(masses)
        self.lowest_class_ = self.classes_[data.in_rows(bounds.low)]
        self.highest_class_ = self.classes_[data.in_rows(bounds.high)]
        self._bounds = Bounds(*map(data.in_rows, bounds))
        if data.level == 1:
            self.core_ = core_of(data, self._able, boundary)
        else:
            self.core_ = indispensable(data, self._able, self._most)

    def _ended(self, steps: list[DominanceStep]) -> bool:
        last = steps[-1]
        if last.boundary > self._most:
            return False
        return self.quality_ > 0 or last.conflicts <= self._all.conflicts * (1 + ROUNDING)

    def _n_kept(self, steps: list[DominanceStep]) -> int:
        return len(steps)

    # ------------------------------------------------------------------ what was found

    def reducts(self, max_size: int | None = None, limit: int = 1000) -> Reducts:
        """Smallest sets of features with the quality of all features.

        Parameters
        ----------
        max_size : int, default=None
            Features of a reduct, at most.  None: any number.
        limit : int, default=1000
            Reducts to list, at most, the smallest first.

        Returns
        -------
        reducts : Reducts
            All of them for up to 25 features beside the core (12 in all where consistency is below
            1); else those that greedy searches from every feature find.
        """
        check_is_fitted(self)
        _check_positive(max_size=max_size, limit=limit)
        boundary = (self._bounds.low < self._bounds.high)[self._data.rows]
        most = self.n_features_in_ if max_size is None else int(max_size)
        return reducts_of(
            self._data, self._able, self.core_, boundary, self._most, most, int(limit)
        )

    def quality_of(self, features: Any) -> float:
        """Quality of a set of features: the share of samples outside all boundaries.

        Parameters
        ----------
        features : mask, indices or names
            Features.

        Returns
        -------
        quality : float
            Between 0 and 1.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        mask = feature_mask(features, self.n_features_in_, names, "features")
        bounds = self._data.bounds(self._data.masses(np.flatnonzero(mask)))
        boundary = self._data.in_boundary(bounds)
        return 1 - float(self._data.weights[boundary].sum()) / self._data.total

    def approximation(self, label: Any, union: str = "at least", kind: str = "lower") -> np.ndarray:
        """The samples that certainly, or possibly, belong to a union of classes.

        Parameters
        ----------
        label : label of a class
            Where the union begins or ends.
        union : {"at least", "at most"}, default="at least"
            The class and all higher ones, or all lower ones.
        kind : {"lower", "upper"}, default="lower"
            Those that certainly belong to it, or those that possibly do.

        Returns
        -------
        members : ndarray of shape (n_samples,)
            Mask of the samples.
        """
        check_is_fitted(self)
        code = self._code_of(label)
        ways = {("at least", "lower"), ("at least", "upper"), ("at most", "lower"),
                ("at most", "upper")}  # fmt: skip
        if (union, kind) not in ways:
            raise ValueError(
                '`union` must be "at least" or "at most" and `kind` "lower" or "upper", got '
                f"{union!r} and {kind!r}. Pass one of these."
            )
        low, high = self._bounds
        if union == "at least":
            return (low if kind == "lower" else high) >= code
        return (high if kind == "lower" else low) <= code

    def frame(self) -> pd.DataFrame:
        """Unions of classes and their approximations, one row each.

        Returns
        -------
        frame : DataFrame
            With ``union``, the number of ``samples`` in it, those that certainly (``lower``) and
            possibly (``upper``) belong to it, those in its ``boundary``, and the ``accuracy``:
            lower over upper.
        """
        check_is_fitted(self)
        codes = self._data.in_rows(self._data.classes)
        rows = []
        for union, labels in (("at least", self.classes_[1:]), ("at most", self.classes_[:-1])):
            for label in labels:
                code = self._code_of(label)
                members = codes >= code if union == "at least" else codes <= code
                lower, upper = (
                    int(self.approximation(label, union, kind).sum()) for kind in ("lower", "upper")
                )
                counts = int(members.sum()), lower, upper, upper - lower, lower / upper
                rows.append((f"{union} {label}", *counts))
        return pd.DataFrame(
            rows, columns=["union", "samples", "lower", "upper", "boundary", "accuracy"]
        )

    def explain(self, i: int) -> pd.DataFrame:
        """The samples that contradict a sample, by all features with a direction.

        Parameters
        ----------
        i : int
            Position of the sample among those of ``fit`` (of weight above 0).

        Returns
        -------
        frame : DataFrame
            One row per sample: its position (``sample``), its ``class``, and the ``relation``: it
            "dominates" the sample from a lower class, or "is dominated" in a higher one.  Empty if
            nothing contradicts it.
        """
        check_is_fitted(self)
        n = len(self._data)
        if not isinstance(i, Integral) or not 0 <= i < n:
            raise ValueError(
                f"`i` must be the position of a sample, from 0 to {n - 1}, got {i!r}. Count the "
                "rows that were fitted."
            )
        sample = int(np.flatnonzero(self._data.rows == i)[0])
        worse, better = self._data.against(sample)
        found = [(row, "dominates") for row in worse] + [(row, "is dominated") for row in better]
        rows = [(int(self._data.rows[row]), self._data.classes[row], how) for row, how in found]
        frame = pd.DataFrame(rows, columns=["sample", "class", "relation"])
        frame["class"] = self.classes_[frame["class"].to_numpy(dtype=int)]
        return frame.sort_values("sample").reset_index(drop=True)

    def _code_of(self, label: Any) -> int:
        found = [code for code, each in enumerate(self.classes_.tolist()) if each == label]
        if not found:
            raise ValueError(
                f"`label` must be one of the classes {self.classes_.tolist()}, got {label!r}. Pass "
                "one of these."
            )
        return found[0]


def _check_positive(**given: Any) -> None:
    """Refuse numbers below 1."""
    for name, value in given.items():
        if value is not None and (not isinstance(value, Integral) or value < 1):
            raise ValueError(
                f"`{name}` must be a whole number of at least 1, got {value!r}. Give a larger one."
            )
