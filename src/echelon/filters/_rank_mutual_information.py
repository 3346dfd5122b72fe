"""RankMutualInformation: every feature by itself, by the samples no worse than each.

Rank mutual information is how much of the order of one variable another one tells ([1]_).

For sample i, A_i are the samples with at least its value, and D_i those with at least its value of
the other variable.  The mean over samples of log2(n |A_i and D_i| / (|A_i| |D_i|)) is about 0 if
neither tells of the other, and largest if both have the same order.  This is the ascending side;
on the descending side A_i and D_i are the samples with at most these values.

.. [1] Q. Hu, X. Che, L. Zhang, D. Zhang, M. Guo, D. Yu, "Rank entropy-based decision trees for
   monotonic classification", IEEE Transactions on Knowledge and Data Engineering 24, 2012.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from echelon._core.compat import StrOptions
from echelon._core.directions import directions
from echelon._core.samples import row_counts
from echelon.base import SampleWeightMixin, WeightingSelector
from echelon.data import Data, read_numbers
from echelon.filters._base import (
    AnyTargetMixin,
    Block,
    check_order,
    codes_of,
    log_bits,
    sorted_blocks,
)
from echelon.filters._loops import rank_information
from echelon.targets import Target

NUMBERS_ONLY = "rank mutual information needs values with an order"

SIDES = {"ascending": (1,), "descending": (-1,), "both": (1, -1)}


class RankMutualInformation(SampleWeightMixin, AnyTargetMixin, WeightingSelector):
    """Rank mutual information of every feature with the target.

    A sample's A are the samples with at least its value of a feature, its D those with at least
    its class.  The mean over all samples of ``log2(n |A and D| / (|A| |D|))`` is the information
    the order of values holds on the order of classes ([1]_); so it is with the samples that have
    at most these values.  As Shannon's information it knows no units; unlike it, values and classes
    have an order and need not be cut into bins.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
    side : {"both", "ascending", "descending"}, default="both"
        "ascending": samples with at least a value, so that the highest classes count most.
        "descending": at most a value, so that the lowest do.  "both": the mean, which changes
        nothing if y is turned round.
    monotonic_cst : array-like, dict, "auto" or None, default="auto"
        For every feature 1 (larger is better), -1 (smaller is better) or 0 (no order), as an array,
        or a dict or Series by feature name (those not named: 0).  "auto": the sign of Kendall's tau
        with y.  None: larger is better throughout.
    threshold : float or "shuffle", default=None
        Selected features have larger scores than this.  "shuffle": larger scores than the best
        feature of one fit to permuted y.  None: "shuffle", since noise scores more than 0.
    kind : {"auto", "ordinal", "classification", "regression"}, default="auto"
        Type of the target: ordered classes, unordered classes, or continuous.  "auto" infers it
        (:func:`echelon.targets.read_target`); a few different numbers are ordered classes.
    class_order : sequence, default=None
        The classes from lowest to highest; the target is then ordinal.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices.
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
    scores_ : ndarray of shape (n_features,)
        Scores, larger is better: rank mutual information in bits; 0 for a constant feature.
    monotonic_cst_ : ndarray of shape (n_features,)
        Direction of every feature, as used.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    threshold_ : float or None
        The score that selected features exceed; None if ``n_features_to_select`` is given.
    kind_ : str
        Type of the target, as given or inferred.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.  Not for regression.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    RankCorrelation : Pairs in order and against it, with p-values.
    MRMR : The same measure, less what the chosen features explain.

    Notes
    -----
    Samples in which a feature is missing do not count for it.  A feature of direction 0 scores the
    larger of both ways.  Three or more classes without an order, and categorical columns, are
    refused.  Sums are exact, so that copies of a feature tie whatever their units.  The cost is
    n log n per feature; the paper's, over pairs of samples, is n squared.

    References
    ----------
    .. [1] Q. Hu, X. Che, L. Zhang, D. Zhang, M. Guo, D. Yu, "Rank entropy-based decision trees for
       monotonic classification", IEEE Transactions on Knowledge and Data Engineering 24, 2012.

    Examples
    --------
    >>> from echelon import RankMutualInformation
    >>> from echelon.datasets import load_grades
    >>> X, grade = load_grades()
    >>> selector = RankMutualInformation(3).fit(X, grade)
    >>> selector.get_feature_names_out().tolist()
    ['bmi', 'bp', 's5']
    """

    _own_threshold = "shuffle"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WeightingSelector._parameter_constraints,
        **AnyTargetMixin._target_constraints,
        "side": [StrOptions(set(SIDES))],
        "monotonic_cst": [StrOptions({"auto"}), "array-like", dict, None],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        side: str = "both",
        monotonic_cst: Any = "auto",
        threshold: float | str | None = None,
        kind: str = "auto",
        class_order: Sequence | None = None,
        random_state: Any = None,
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ):
        self.n_features_to_select = n_features_to_select
        self.side = side
        self.monotonic_cst = monotonic_cst
        self.threshold = threshold
        self.kind = kind
        self.class_order = class_order
        self.random_state = random_state
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    def _read(self, X: Any, y: Any) -> tuple[Data, Target]:
        columns = read_numbers(X, allow_nan=True, reason=NUMBERS_ONLY)
        target = self._read_target(y)
        check_order(target, "rank mutual information")
        return columns, target

    def _scores(self, features: Data, target: Target, random_state: Any) -> np.ndarray:
        codes = codes_of(target.numbers)
        self.monotonic_cst_ = directions(self.monotonic_cst, features, codes)
        progress = type(self).__name__, self.verbose
        signs = self.monotonic_cst_
        return rank_informations(features, signs, codes, side=self.side, progress=progress)


def rank_informations(
    columns: Data,
    directions: np.ndarray,
    codes: np.ndarray,
    direction: int = 1,
    *,
    side: str = "both",
    progress: tuple[str, int] = ("", 0),
) -> np.ndarray:
    """Rank mutual information of every feature with another variable, in bits.

    Parameters
    ----------
    columns : Data
        Features, all numeric.  Samples in which one is missing do not count for it.
    directions : ndarray of shape (n_features,)
        1 for features that rise, -1 for those that fall; 0: whichever of both tells more.
    codes : ndarray of int, shape (n_samples,)
        The variable as 0, 1, ..., negative where missing.
    direction : {1, -1, 0}, default=1
        Whether the variable rises, falls, or may do either.
    side : {"both", "ascending", "descending"}, default="both"
        Samples with at least a value, with at most it, or the mean of both.
    progress : tuple of str and int, default=("", 0)
        Label of the progress bar, and whether to show it.
    """
    found = np.full(len(directions), -np.inf)
    for block in sorted_blocks(columns, np.arange(len(directions)), progress):
        allowed = directions[block.features]
        tables = _tables(block, codes, columns.weights, direction * allowed)
        best = found[block.features]
        for own in (1, -1) if direction == 0 else (direction,):
            for sign in (1, -1):
                # Samples of at least (1) or at most (0) the value of each of the two.
                entries = [(int(sign * s > 0), int(own * s > 0)) for s in SIDES[side]]
                told = np.mean([tables[:, a, d] for a, d in entries], axis=0)
                best = np.where(sign * allowed >= 0, np.maximum(best, told), best)
        found[block.features] = best
    return found


def _tables(
    block: Block, codes: np.ndarray, weights: np.ndarray | None, ways: np.ndarray
) -> np.ndarray:
    """All four of every feature: at most or at least its value, at most or at least the code."""
    n_samples = len(codes)
    unit = 2.0 ** log_bits(n_samples if weights is None else weights.sum())
    logs = np.log2(np.maximum(np.arange(n_samples + 1 if weights is None else 0), 1))
    sums, masses = np.empty((len(ways), 2, 2)), np.empty(len(ways))
    rank_information(
        block.rows, block.order, codes, row_counts(weights, n_samples),
        int(codes.max(initial=0)) + 1, ways, unit, np.rint(unit * logs), sums, masses,
    )  # fmt: skip
    return sums / unit / np.where(masses > 0, masses, 1.0)[:, None, None]
