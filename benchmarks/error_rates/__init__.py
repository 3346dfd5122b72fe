"""All promises of error rates on one page: nominal, realised, and the power beside them.

``cells``      outcomes of single data sets, kept on disk
``rows``       one line of the page, with its interval and verdict
``null``       ``null_threshold``: family-wise and false discovery rate
``margin``     p-values of the Relief family, ``threshold="fdr"`` and ``"family"``
``keep_none``  the test by which ``AutoSelector`` and reports keep nothing
``dependent``  the same along time, and for subjects with several rows
``curve``      the standard error of a feature curve, and ``CurveSelector(allow_none=True)``
``page``       the page
"""
