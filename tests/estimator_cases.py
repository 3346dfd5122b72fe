"""Every public estimator, found by itself, and made so that a fit takes little time."""

from inspect import Parameter, signature

from sklearn.base import BaseEstimator
from sklearn.neighbors import KNeighborsClassifier

import echelon
from echelon import CFS, ReliefF
from echelon.base import BaseSelector

ESTIMATORS = [
    each
    for each in (getattr(echelon, name) for name in echelon.__all__)
    if isinstance(each, type) and issubclass(each, BaseEstimator)
]
SELECTORS = [estimator for estimator in ESTIMATORS if issubclass(estimator, BaseSelector)]

# What a parameter without a default is given.
NEEDED = {
    "selector": lambda: ReliefF(),
    "selectors": lambda: [ReliefF(), CFS()],
    "estimator": lambda: KNeighborsClassifier(1),
}

# By parameter, for any estimator that has it: as little work as leaves the method what it is.
LITTLE = {
    "cv": 2,
    "n_restarts": 1,
    "n_epochs": 1,
    "n_bags": 2,
    "n_estimators": 5,
    "n_rounds": 5,
    "C": 0.2,
    "false_positive_rate": 0.5,
    "n_init": 1,
    "n_knockoffs": 1,
    "n_pairs": 3,
    "random_state": 0,
    "n_jobs": 1,
}


def made(estimator, /, **params):
    """An estimator with what it needs, little work to do, and every random choice fixed."""
    parameters = signature(estimator).parameters.values()
    needed = {p.name: NEEDED[p.name]() for p in parameters if p.default is Parameter.empty}
    little = {p.name: LITTLE[p.name] for p in parameters if p.name in LITTLE}
    return estimator(**{**needed, **little, **params})
