"""Linear models of ordered classes, and the programs behind relevance bounds.

``_program``           fits and budgets as one form: a sum of hinges with ordered thresholds
``_interior_point``    the solver;  ``_normal_equations``  its linear algebra
``_highs``             the same programs solved by HiGHS
``_certificates``      what a solution proves;  ``_solvers``  which solver when
``_ordinal_svm``       LinearOrdinalClassifier
"""

from echelon.bounds._ordinal_svm import LinearOrdinalClassifier

__all__ = ["LinearOrdinalClassifier"]
