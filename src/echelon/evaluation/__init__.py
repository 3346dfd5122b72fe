"""How many features to select, whether to trust them, and how good a result is.

``_curve``           ``feature_curve``: score against the number of features, selected in the folds
``_curve_selector``  ``CurveSelector``: keeps as many features as that curve says
``_stability``       ``selection_stability``: whether other samples would lead to the same features
``_null``            ``null_threshold``: the score that chance reaches
``_metrics``         ``rank_loss``, ``macro_mean_absolute_error``: losses for ordered classes, and
                     their scorers;  ``monotonicity_violations``: how well data fit
                     methods for order;  ``f_measure_of_support``: selected beside relevant;
                     ``clustering_accuracy``: agreement of clusters with known classes
``_ordinal``         ``OrdinalDecomposition``: any classifier, made to respect an order of classes
"""

from echelon.evaluation._curve import FeatureCurve, feature_curve
from echelon.evaluation._curve import FoldRanking as FoldRanking
from echelon.evaluation._curve import rank_folds as rank_folds
from echelon.evaluation._curve import score_folds as score_folds
from echelon.evaluation._curve_selector import CurveSelector
from echelon.evaluation._metrics import (
    MonotonicityViolations,
    clustering_accuracy,
    f_measure_of_support,
    macro_mean_absolute_error,
    macro_mean_absolute_error_scorer,
    monotonicity_violations,
    rank_loss,
    rank_loss_scorer,
)
from echelon.evaluation._null import NullThreshold, null_threshold
from echelon.evaluation._ordinal import OrdinalDecomposition, OrdinalForest
from echelon.evaluation._stability import SelectionStability, selection_stability
from echelon.evaluation._stability import stability_of as stability_of

__all__ = [
    "CurveSelector",
    "FeatureCurve",
    "MonotonicityViolations",
    "NullThreshold",
    "OrdinalDecomposition",
    "OrdinalForest",
    "SelectionStability",
    "clustering_accuracy",
    "f_measure_of_support",
    "feature_curve",
    "macro_mean_absolute_error",
    "macro_mean_absolute_error_scorer",
    "monotonicity_violations",
    "null_threshold",
    "rank_loss",
    "rank_loss_scorer",
    "selection_stability",
]
