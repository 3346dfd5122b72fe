"""Models by which features can be judged, by the name ``--estimator`` takes."""

from __future__ import annotations

from typing import Any

from echelon.cli._errors import InputError, nearest
from echelon.methods import CONTINUOUS, ORDERED

ESTIMATORS = {
    "linear": "logistic or ridge regression (the default)",
    "knn": "15 nearest neighbours",
    "tree": "one decision tree",
    "forest": "random forest of 100 trees",
    "bayes": "naive Bayes; classes only",
    "svm": "support vector machine with a Gaussian kernel",
}


def make_estimator(name: str, kind: str, seed: int, *, weighted: bool = False) -> Any:
    """The model of that name for a kind of target; None for the default of reports."""
    if name not in ESTIMATORS:
        raise InputError(f"There is no estimator {name!r}. {nearest(name, ESTIMATORS)}")
    if name == "linear":
        return None
    if name == "bayes" and kind == CONTINUOUS:
        raise InputError("The estimator bayes is for classes, and the target holds numbers.")
    if name == "knn" and weighted:
        raise InputError("The estimator knn takes no weights of rows. Leave out --weights, or it.")
    from echelon.evaluation import OrdinalDecomposition
    from echelon.study import encoded

    model = _model(name, kind == CONTINUOUS, seed)
    return encoded(OrdinalDecomposition(model) if kind == ORDERED else model)


def _model(name: str, numbers: bool, seed: int) -> Any:
    from sklearn import ensemble, naive_bayes, neighbors, svm, tree

    kind = "Regressor" if numbers else "Classifier"
    if name == "knn":
        return getattr(neighbors, f"KNeighbors{kind}")(15)
    if name == "tree":
        return getattr(tree, f"DecisionTree{kind}")(min_samples_leaf=5, random_state=seed)
    if name == "forest":
        return getattr(ensemble, f"RandomForest{kind}")(min_samples_leaf=2, random_state=seed)
    if name == "bayes":
        return naive_bayes.GaussianNB()
    return svm.SVR() if numbers else svm.SVC(random_state=seed)
