"""Ordered grades that come along: what the demo, README and docs are about."""

from __future__ import annotations

import pandas as pd

GRADES = ("mild", "low", "medium", "high", "severe")
"""From lowest to highest."""


def load_grades() -> tuple[pd.DataFrame, pd.Series]:
    """Ten measurements of 442 patients, and the progression of their diabetes in five grades.

    scikit-learn's diabetes data [1]_ in their own units; the progression one year later is cut
    into five grades of equal size.

    Returns
    -------
    X : DataFrame of shape (442, 10)
        Age, sex, body mass index, blood pressure and six blood serum measurements.
    grade : Series of shape (442,)
        Ordered categories: mild < low < medium < high < severe.

    References
    ----------
    .. [1] B. Efron, T. Hastie, I. Johnstone, R. Tibshirani, "Least angle regression", Annals of
       Statistics 32, 2004, 407-499.

    Examples
    --------
    >>> from echelon.datasets import load_grades
    >>> X, grade = load_grades()
    >>> X.shape, grade.cat.categories.tolist()
    ((442, 10), ['mild', 'low', 'medium', 'high', 'severe'])
    """
    from sklearn.datasets import load_diabetes

    X, progression = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    return X, pd.qcut(progression, 5, labels=list(GRADES)).rename("grade")
