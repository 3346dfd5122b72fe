"""The study behind an answer: curves over folds, the choice they lead to, and every feature.

``types``      the summary of a study, part by part
``_design``    data and settings of a study, read and checked once
``_study``     methods run over the same folds, the choice tested
``_related``   whether any feature is related to the target: a permutation test
``_choice``    how many features to select: the rule, the sizes tried, the choice among methods
``_models``    models that evaluate features of any kind, and what they are scored by
``_monotone_models``  models that respect stated directions of features
``_directions``  stated directions: compared with the data, and what respecting them costs
``_rankers``   any selector as a ranking of any data set
``_features``  every method and every feature as facts, with evidence where it was asked for
``_questions`` what one feature more or less does
``_sampled``   a Dask DataFrame as a sample, for a study of it
``_summary``   a study as one dict of facts
``_saved``     a study as a ``Selection``
``_script``    a study as a script;  ``_expression``  its models and folds as code
``_presented`` what a fitted ``AutoSelector`` shows of itself
``_auto``      ``AutoSelector``: a study of the default ranking, as an estimator
``_peers``     rankings of scikit-learn, to compare with
"""

import warnings
from typing import Any

from echelon._core.folds import (
    FREQUENCIES,
    SURVEY,
    Rows,
    are_ambiguous,
    fewer_folds,
    read_rows_as,
    repeated_rows,
)
from echelon.study._auto import AutoSelector
from echelon.study._design import Settings, design, read_for
from echelon.study._models import (
    TableEncoder,
    default_estimator,
    encoded,
    forest,
    read_scoring,
)
from echelon.study._monotone_models import monotone_model
from echelon.study._peers import RFE, FTest, MutualInformation, PermutationImportance
from echelon.study._rankers import Prepared, filled, with_labels_split
from echelon.study._saved import selection_of
from echelon.study._script import Reader, as_notebook, as_script, blocks_of
from echelon.study._study import conduct
from echelon.study._summary import check_description, summary_of

__all__ = [
    "FREQUENCIES",
    "RFE",
    "SURVEY",
    "AutoSelector",
    "FTest",
    "MutualInformation",
    "PermutationImportance",
    "Prepared",
    "Reader",
    "Rows",
    "Settings",
    "TableEncoder",
    "are_ambiguous",
    "as_notebook",
    "as_script",
    "blocks_of",
    "check_description",
    "conduct",
    "default_estimator",
    "design",
    "encoded",
    "fewer_folds",
    "filled",
    "forest",
    "monotone_model",
    "read_for",
    "read_rows_as",
    "read_scoring",
    "repeated_rows",
    "selection_of",
    "summary_of",
    "with_labels_split",
]


def __getattr__(name: str) -> Any:
    if name == "make_summary":
        warnings.warn(
            "echelon.study.make_summary goes in 0.4: use echelon.report.summarize, or conduct and "
            "summary_of.",
            FutureWarning,
            stacklevel=2,
        )
        return _make_summary
    raise AttributeError(f"module 'echelon.study' has no attribute {name!r}")


def _make_summary(X: Any, target: Any, selectors: Any, settings: Settings, **shown: Any) -> Any:
    return summary_of(conduct(selectors, design(X, target, settings)), **shown)
