"""Which features can stand in for each other.

Two features of one group compete for the same weight: once one has taken its share, the other can
take hardly more than noise could.  So one feature is forced in, and the upper bounds of all others
that are not yet in a group are computed again; those that collapse belong to it.  This takes about
two programs per feature and group, not two per pair of features.
"""

from __future__ import annotations

import numpy as np

from echelon._core.jobs import Jobs
from echelon._core.relevance import WEAK
from echelon.bounds._probes import limits_of
from echelon.bounds._program import Program
from echelon.bounds._solvers import solver_for
from echelon.bounds._study import Study

SHARE_OF_TOLERANCE = 0.5
"""The forced feature may use this part of the tolerance; the rest is left to the others."""


def replaceable_groups(study: Study, jobs: Jobs) -> list[list[int]]:
    """Groups of at least two weakly relevant features, each in ascending order."""
    weak = np.flatnonzero(study.relevance == WEAK)
    left = weak[np.argsort(-study.scores[weak], kind="stable")].tolist()
    groups = []
    while len(left) > 1:
        first, rest = left[0], left[1:]
        group = [first, *_collapsing(study, first, rest, jobs)]
        left = [f for f in rest if f not in group]
        if len(group) > 1:
            groups.append(sorted(int(f) for f in group))
    return sorted(groups)


def _collapsing(study: Study, forced: int, others: list[int], jobs: Jobs) -> list[int]:
    """The features whose upper bound falls more than half way to that of noise."""
    after = study.bounds_of(_forcing(study, forced), others, "Feature groups", jobs)[:, 1]
    before = study.intervals[others, 1]
    noise = np.minimum(study.probe_thresholds[others], before)
    return [f for f, low in zip(others, after < (before + noise) / 2, strict=True) if low]


def _forcing(study: Study, feature: int) -> Program:
    """The models in which a feature has the weight it can have with part of the tolerance."""
    settings = study.settings
    tight = study.task.program(study.C).within(
        study.fit, SHARE_OF_TOLERANCE * study.tolerance, settings.budget
    )
    models = solver_for(tight.fixing(limits_of(study.models)), settings.solver)
    # The side on which the feature reaches furthest, as in its upper bound.
    found = [models.extreme(feature, sign).weights[feature] for sign in (-1, 1)]
    value = max(found, key=abs)
    return study.models.fixing({feature: value})
