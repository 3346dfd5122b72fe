"""How far the weights of good linear models can move, and the programs behind it.

``_relevance``         RelevanceBounds, the selector;  ``_groups``  interchangeable features
``_study``             from data to bounds, step by step
``_probes``            what chance can do;  ``_blocks``  what it can do with correlated features
``_task``              samples and target;  ``_target``  reading y
``_ordinal_svm``       LinearOrdinalClassifier;  ``_regressor``  the same for values
``_program``           fits and budgets as one form: a sum of hinges with ordered thresholds
``_interior_point``    the solver;  ``_constraints``  the layout its compiled steps work on
``_array_steps``       the same steps by array operations;  ``_tier``  when compiled ones pay
``_highs``             the same programs solved by HiGHS
``_certificates``      what a solution proves;  ``_solvers``  which solver when
"""

from echelon.bounds._ordinal_svm import LinearOrdinalClassifier
from echelon.bounds._relevance import RelevanceBounds
from echelon.bounds._study import COSTS

__all__ = ["COSTS", "LinearOrdinalClassifier", "RelevanceBounds"]
