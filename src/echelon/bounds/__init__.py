"""How far the weights of good linear models can move, and the programs behind it.

``_relevance``       RelevanceBounds, the selector
``_analysis``        from data to bounds and relevance, step by step; interchangeable features
``_probes``          what chance can do, also with correlated features
``_data``            samples and target, and how well models predict it
``_models``          LinearOrdinalClassifier, and a regression
``_program``         fits and budgets as one form: a sum of hinges with ordered thresholds
``_solvers``         which solver when; bounds of a weight; HiGHS
``_interior_point``  the solver of several programs at a time;  ``_newton``  its steps
``_certificates``    what a solution proves
``_batch``           programs of one form, stacked into arrays
"""

from echelon.bounds._analysis import COSTS
from echelon.bounds._models import LinearOrdinalClassifier
from echelon.bounds._relevance import RelevanceBounds

__all__ = ["COSTS", "LinearOrdinalClassifier", "RelevanceBounds"]
