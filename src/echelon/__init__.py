"""echelon: feature selection when order matters.

Every selector is a scikit-learn estimator: it drops into a ``Pipeline``, keeps column names and
returns the original values.

The map of the package:

``margin``       Relief, SURF, Simba and their versions for ordered classes and numbers; OrdEval
``neighborhood`` balls around samples: dependency, soft margin, and forward selection by them
``bounds``       how far the weights of good linear models can move: relevance bounds
``rankorder``    the order of features within a sample: backward elimination and classifiers
``intervals``    interval data from pairs of columns or from groups of rows: selection, k-means
``filters``      rank correlation and information, mRMR, forward selection by least squares,
                 forests; CFS, Consistency and information value
``consensus``    several rankings fused into one
``evaluation``   how many features to keep, and whether to trust them: curves, stability, chance,
                 metrics, and any classifier made to respect an order
``profile``      what the data are, what to beware of, and which method fits
``study``        the study behind an answer: methods judged over the same folds; the default answer
``report``       one dict from data and selectors, rendered as HTML, Markdown and JSON
``datasets``     generators of data whose answer is known;  ``display``  plots of what was found
``engines``      where the arithmetic of a method runs;  ``kernels``  the compiled loops behind them
``base``         the contract of a selector;  ``rankings``  orders of any selector
``data``         reading features;  ``targets``  reading the target
``methods``      the table of methods;  ``_core``  what all of these share
``cli``          the command ``echelon``;  ``__main__``  the same as ``python -m echelon``

Names are loaded when first used, so that ``import echelon`` stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from echelon.bounds import LinearOrdinalClassifier, RelevanceBounds
    from echelon.consensus import ConsensusSelector
    from echelon.evaluation import CurveSelector, OrdinalDecomposition
    from echelon.filters import (
        CFS,
        MRMR,
        Consistency,
        ForestImportance,
        ForwardAdditive,
        ForwardLinear,
        InformationValue,
        RankCorrelation,
        RankMutualInformation,
    )
    from echelon.intervals import (
        IntervalKMeans,
        IntervalRelief,
        as_intervals,
        intervals_from_groups,
    )
    from echelon.margin import (
        NPDR,
        SURF,
        IRelief,
        IterativeRelief,
        MultiSURF,
        MultiSURFStar,
        OrdEval,
        OReliefF,
        OSimba,
        Relief,
        ReliefF,
        RReliefF,
        Simba,
        SURFStar,
    )
    from echelon.neighborhood import (
        NeighborhoodRoughSet,
        NeighborhoodSoftMargin,
        OrderedSoftMargin,
    )
    from echelon.rankorder import BooleanOrder, RankOrderClassifier, RankOrderSelector
    from echelon.study import AutoSelector

__version__ = "0.2.0"

_HOMES = {
    "echelon.filters": (
        "CFS",
        "Consistency",
        "ForestImportance",
        "ForwardAdditive",
        "ForwardLinear",
        "InformationValue",
        "MRMR",
        "RankCorrelation",
        "RankMutualInformation",
    ),
    "echelon.bounds": ("LinearOrdinalClassifier", "RelevanceBounds"),
    "echelon.consensus": ("ConsensusSelector",),
    "echelon.evaluation": ("CurveSelector", "OrdinalDecomposition", "OrdinalForest"),
    "echelon.intervals": (
        "IntervalKMeans",
        "IntervalRelief",
        "as_intervals",
        "intervals_from_groups",
    ),
    "echelon.margin": (
        "NPDR",
        "SURF",
        "IRelief",
        "IterativeRelief",
        "MultiSURF",
        "MultiSURFStar",
        "OReliefF",
        "OSimba",
        "OrdEval",
        "RReliefF",
        "Relief",
        "ReliefF",
        "SURFStar",
        "Simba",
    ),
    "echelon.neighborhood": (
        "NeighborhoodRoughSet",
        "NeighborhoodSoftMargin",
        "OrderedSoftMargin",
    ),
    "echelon.study": ("AutoSelector",),
    "echelon.rankorder": ("BooleanOrder", "RankOrderClassifier", "RankOrderSelector"),
}

__all__ = [
    "CFS",
    "MRMR",
    "NPDR",
    "SURF",
    "AutoSelector",
    "BooleanOrder",
    "ConsensusSelector",
    "Consistency",
    "CurveSelector",
    "ForestImportance",
    "ForwardAdditive",
    "ForwardLinear",
    "IRelief",
    "InformationValue",
    "IntervalKMeans",
    "IntervalRelief",
    "IterativeRelief",
    "LinearOrdinalClassifier",
    "MultiSURF",
    "MultiSURFStar",
    "NeighborhoodRoughSet",
    "NeighborhoodSoftMargin",
    "OReliefF",
    "OSimba",
    "OrdEval",
    "OrderedSoftMargin",
    "OrdinalDecomposition",
    "OrdinalForest",
    "RReliefF",
    "RankCorrelation",
    "RankMutualInformation",
    "RankOrderClassifier",
    "RankOrderSelector",
    "RelevanceBounds",
    "Relief",
    "ReliefF",
    "SURFStar",
    "Simba",
    "as_intervals",
    "intervals_from_groups",
]


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'echelon' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
