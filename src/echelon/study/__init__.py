"""The study behind an answer: curves over folds, the choice they lead to, and every feature.

``_models``    the model features are judged by, what it is scored by, the guess it must beat
``_curves``    curves of all methods over the same folds, and the choice
``_methods``   what every method says: ranking, curve, stability
``_features``  one row per feature
``_answer``    the answer in one sentence and a few numbers
``_caveats``   what in it calls for care
``_encoder``   ``TableEncoder``: a table as numbers, for models of every kind
``_outcome``   what the selectors take the target for
"""

from echelon.study._answer import answer
from echelon.study._caveats import result_caveats
from echelon.study._curves import Baseline, all_curves, best_guess, choose, make_folds
from echelon.study._encoder import TableEncoder
from echelon.study._features import feature_rows, same_message, sort_by_rank
from echelon.study._methods import agreement_of, method_part
from echelon.study._models import Study, default_estimator, describe_model, read_scoring
from echelon.study._outcome import read_outcome

__all__ = [
    "Baseline",
    "Study",
    "TableEncoder",
    "agreement_of",
    "all_curves",
    "answer",
    "best_guess",
    "choose",
    "default_estimator",
    "describe_model",
    "feature_rows",
    "make_folds",
    "method_part",
    "read_outcome",
    "read_scoring",
    "result_caveats",
    "same_message",
    "sort_by_rank",
]
