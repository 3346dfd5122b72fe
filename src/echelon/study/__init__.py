"""The study behind an answer: curves over folds, the choice they lead to, and every feature.

``types``      the summary of a study, part by part
``_models``    the model features are judged by, what it is scored by, the guess it must beat
``_folds``     how rows are split: by chance, in whole groups, along time
``_rule``      how many features to keep, and a smaller set to offer
``_arranged``  a ranking with what is kept in any case first, and constants last
``_curves``    curves of all methods over the same folds, and the choice
``_related``   whether the target has to do with any feature, beside what the folds say
``_judge``     methods judged: their curves, the choice, and what it is compared with
``_methods``   what every method says: ranking, curve, stability
``_features``  one row per feature
``_answer``    the answer in one sentence and a few numbers
``_questions`` what is lost, which feature matters most, would a forest agree
``_caveats``   what in it calls for care
``_coherence`` what in it does not fit together: nothing, or a caveat says so
``_summary``   all of it, from data and selectors
``_auto``      ``AutoSelector``: the answer as an estimator
``_prepared``  selectors that need numbers, or no gaps, on any table
``_many_labels``  columns of many labels as mean outcomes, on other rows
``_ranker``    what ranks in the folds, for any selector and table
``_peers``     rankings of scikit-learn, to compare with
``_encoder``   ``TableEncoder``: a table as numbers, for models of every kind
"""

from echelon.study._auto import AutoSelector
from echelon.study._coherence import bounds_contradictions, contradictions
from echelon.study._encoder import TableEncoder
from echelon.study._folds import Rows, fewer_folds
from echelon.study._models import default_estimator, encoded, forest, read_scoring
from echelon.study._peers import RFE, FTest, MutualInformation, PermutationImportance
from echelon.study._prepared import Prepared, filled, with_labels_split
from echelon.study._questions import MATTERS
from echelon.study._summary import Settings, make_summary, read_for

__all__ = [
    "MATTERS",
    "RFE",
    "AutoSelector",
    "FTest",
    "MutualInformation",
    "PermutationImportance",
    "Prepared",
    "Rows",
    "Settings",
    "TableEncoder",
    "bounds_contradictions",
    "contradictions",
    "default_estimator",
    "encoded",
    "fewer_folds",
    "filled",
    "forest",
    "make_summary",
    "read_for",
    "read_scoring",
    "with_labels_split",
]
