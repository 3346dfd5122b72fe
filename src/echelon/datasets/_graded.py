"""Bundled data with an ordered outcome."""

from __future__ import annotations

from importlib.resources import files

import pandas as pd

GRADES = ("mild", "low", "medium", "high", "severe")
"""Of ``load_grades``, from lowest to highest."""


def load_wine_quality(*, drop_duplicates: bool = True) -> tuple[pd.DataFrame, pd.Series]:
    """Eleven measurements of red wines, and the quality that experts gave them.

    Red variants of the Portuguese Vinho Verde [1]_: every wine was tasted blind by at least three
    experts, and its quality is the median of their grades from 0, very bad, to 10, excellent.
    Grades from 3 to 8 occur; most wines have 5 or 6.

    Parameters
    ----------
    drop_duplicates : bool, default=True
        Drop rows that repeat an earlier one in every value, the quality included: 240 of the 1,599
        rows.  Repeated rows would be in the training and in the test rows of the same fold, and the
        score would be far too good.

    Returns
    -------
    X : DataFrame of shape (1359, 11) or (1599, 11)
        Physicochemical measurements.
    quality : Series of shape (1359,) or (1599,)
        Integers from 3 to 8.

    Notes
    -----
    The source does not say whether repeated rows are the same wine entered twice.  With them the
    cross-validated mean absolute error of `AutoSelector` is 0.32 classes, without them 0.43.

    The data set was chosen as an example because people gave the outcome, in ordered grades, and
    its licence allows bundling it; not for its result, which was known: it is one of the data sets
    of the benchmarks.

    Source: UCI Machine Learning Repository, https://doi.org/10.24432/C56S3T.  Licence: CC BY 4.0.
    Spaces in the names of columns became underscores.

    References
    ----------
    .. [1] P. Cortez, A. Cerdeira, F. Almeida, T. Matos, J. Reis, "Modeling wine preferences by data
       mining from physicochemical properties", Decision Support Systems 47(4), 2009, 547-553.

    Examples
    --------
    >>> from echelon.datasets import load_wine_quality
    >>> X, quality = load_wine_quality()
    >>> X.shape
    (1359, 11)
    >>> quality.value_counts(sort=False).sort_index().to_dict()
    {3: 10, 4: 53, 5: 577, 6: 535, 7: 167, 8: 17}
    """
    wines = _bundled("red_wine_quality.csv.gz")
    if drop_duplicates:
        wines = wines.drop_duplicates(ignore_index=True)
    quality = wines.pop("quality")
    return wines, quality


def _bundled(name: str) -> pd.DataFrame:
    with (files("echelon.datasets") / "data" / name).open("rb") as file:
        return pd.read_csv(file, compression="gzip")


def load_german_credit() -> tuple[pd.DataFrame, pd.Series]:
    """Twenty attributes of 1,000 applicants for a loan, and whether the risk was bad or good.

    The Statlog data of a German bank [1]_, collected in the 1970s; 300 bad risks were drawn more
    often than they occur.  Categories have the codes of the source.

    Returns
    -------
    X : DataFrame of shape (1000, 20)
        Seven columns of numbers and 13 of codes.
    risk : Series of shape (1000,)
        Ordered categories: bad < good.

    Notes
    -----
    The codes of some columns have an order: ``employment`` from A71, unemployed, to A75, seven
    years and more; ``savings`` from A61, less than 100 DM, to A64, 1,000 DM and more, where A65 is
    unknown or none; ``status``, the balance of the current account, from A11, negative, to A13,
    200 DM and more, where A14 is no account.  A later edition [2]_ corrects the meaning of some
    codes, among them those of ``personal_status_sex``, ``foreign_worker`` and
    ``installment_rate``.

    Source: UCI Machine Learning Repository, https://doi.org/10.24432/C5NC77.  Licence: CC BY 4.0.
    The source has no names of columns, and calls the classes 1 and 2.

    References
    ----------
    .. [1] H. Hofmann, "Statlog (German Credit Data)", UCI Machine Learning Repository, 1994.
    .. [2] U. Grömping, "South German Credit Data: correcting a widely used data set", Reports in
       Mathematics, Physics and Chemistry 4/2019, Beuth University of Applied Sciences Berlin.

    Examples
    --------
    >>> from echelon.datasets import load_german_credit
    >>> X, risk = load_german_credit()
    >>> X.shape, risk.value_counts().to_dict()
    ((1000, 20), {'good': 700, 'bad': 300})
    """
    loans = _bundled("german_credit.csv.gz")
    risk = loans.pop("risk")
    return loans, risk.astype(pd.CategoricalDtype(["bad", "good"], ordered=True))


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
