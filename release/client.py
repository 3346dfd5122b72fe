"""A program of somebody else: mypy checks it strictly against the types that come with the package.

``assert_type`` fails where a type is lost on the way and becomes ``Any``, which passes all else.
"""

from typing import Any, assert_type

import numpy as np
import pandas as pd

import echelon
from echelon import (
    AutoSelector,
    CurveSelector,
    LinearOrdinalClassifier,
    OReliefF,
    RankCorrelation,
    RelevanceBounds,
    ReliefF,
)
from echelon.datasets import load_grades
from echelon.evaluation import FeatureCurve, feature_curve
from echelon.methods import METHODS
from echelon.profile import Profile, profile
from echelon.report import Report, summarize


def names_kept(X: pd.DataFrame, y: pd.Series) -> list[str]:
    """The columns that ReliefF keeps."""
    selector = ReliefF(n_features_to_select=2, random_state=0).fit(X, y)
    assert_type(selector, ReliefF)
    assert_type(selector.support_, np.ndarray[tuple[Any, ...], np.dtype[Any]])
    assert_type(selector.scores_, np.ndarray[tuple[Any, ...], np.dtype[Any]])
    return list(X.columns[selector.support_])


def scores_of(X: pd.DataFrame, y: pd.Series) -> dict[str, float]:
    """What each selector says of the first column."""
    assert_type(RankCorrelation().fit(X, y), RankCorrelation)
    selectors: list[ReliefF | OReliefF] = [ReliefF(), OReliefF(error_rate=0.1)]
    return {type(each).__name__: float(each.fit(X, y).scores_[0]) for each in selectors}


def main() -> None:
    """Use what a program would."""
    X, y = load_grades()
    assert_type(X, pd.DataFrame)
    assert_type(AutoSelector(random_state=0).fit(X, y).baselines_, dict[str, float])
    assert_type(CurveSelector(ReliefF(), LinearOrdinalClassifier(), cv=2).fit(X, y), CurveSelector)
    assert_type(RelevanceBounds(random_state=0).fit(X, y), RelevanceBounds)
    assert_type(feature_curve(ReliefF(), LinearOrdinalClassifier(), X, y), FeatureCurve)
    assert_type(profile(X, y), Profile)
    report = summarize(X, y, ReliefF(), random_state=0)
    assert_type(report, Report)
    keep: list[str] = report.summary()["answer"]["keep"]
    print(echelon.__version__, keep, names_kept(X, y), scores_of(X, y), len(METHODS))


if __name__ == "__main__":
    main()
