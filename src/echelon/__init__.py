"""echelon: feature selection when order matters.

Every selector is a scikit-learn estimator: it drops into a ``Pipeline``, keeps column names and
returns the original values.

The map of the package:

``margin``       Relief, SURF, Simba and their versions for ordered classes and continuous targets;
OrdEval
``neighborhood`` balls around samples: dependency, soft margin, and forward selection by them
``bounds``       how far the weights of good linear models can move: relevance bounds
``monotone``     monotone classification: trees for ordered classes, dominance-based rough sets
``rankorder``    the order of features within a sample: backward elimination and classifiers
``intervals``    interval data from pairs of columns or from groups of rows: selection, k-means
``filters``      rank correlation and information, mRMR, forward selection by least squares,
                 forests; CFS, Consistency and information value
``evidence``     features that carry information no other does, with error rates
``consensus``    several rankings aggregated into one
``evaluation``   how many features to select, and whether to trust them: curves, stability, chance,
                 metrics, and any classifier made to respect an order
``profile``      what the data are, warnings, and which method fits
``large``        tables larger than memory: what all rows say, and stratified samples of them
``study``        the study behind an answer: methods evaluated over the same folds; the default
                 answer
``selection``    a selection as JSON, and applied to later data
``report``       one dict from data and selectors, rendered as HTML, Markdown and JSON
``datasets``     generators of data whose answer is known;  ``display``  plots of what was found
``engines``      where the arithmetic of a method runs;  ``kernels``  the compiled loops behind them
``base``         the contract of a selector, and the ranking of any selector
``data``         reading features;  ``targets``  reading the target
``methods``      the table of methods;  ``_core``  what all of these share
``cli``          the command ``echelon``;  ``__main__``  for ``python -m echelon``

Names are loaded when first used, so that ``import echelon`` stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from echelon.bounds import LinearOrdinalClassifier, RelevanceBounds
    from echelon.consensus import ConsensusSelector
    from echelon.evaluation import CurveSelector, OrdinalDecomposition
    from echelon.evidence import ConditionalEvidence, KnockoffSelector, StabilitySelector
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
        SWRF,
        IRelief,
        IterativeRelief,
        MultiSURF,
        MultiSURFStar,
        MultiSWRF,
        MultiSWRFStar,
        OrdEval,
        OReliefF,
        OSimba,
        Relief,
        ReliefF,
        RReliefF,
        Simba,
        SURFStar,
        SWRFStar,
    )
    from echelon.monotone import DominanceRoughSet, OrdinalTree
    from echelon.neighborhood import (
        NeighborhoodRoughSet,
        NeighborhoodSoftMargin,
        OrderedSoftMargin,
    )
    from echelon.rankorder import BooleanOrder, RankOrderClassifier, RankOrderSelector
    from echelon.selection import Selection
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
    "echelon.evidence": ("ConditionalEvidence", "KnockoffSelector", "StabilitySelector"),
    "echelon.intervals": (
        "IntervalKMeans",
        "IntervalRelief",
        "as_intervals",
        "intervals_from_groups",
    ),
    "echelon.margin": (
        "NPDR",
        "SURF",
        "SWRF",
        "IRelief",
        "IterativeRelief",
        "MultiSURF",
        "MultiSURFStar",
        "MultiSWRF",
        "MultiSWRFStar",
        "OReliefF",
        "OSimba",
        "OrdEval",
        "RReliefF",
        "Relief",
        "ReliefF",
        "SURFStar",
        "SWRFStar",
        "Simba",
    ),
    "echelon.monotone": ("DominanceRoughSet", "OrdinalTree"),
    "echelon.neighborhood": (
        "NeighborhoodRoughSet",
        "NeighborhoodSoftMargin",
        "OrderedSoftMargin",
    ),
    "echelon.selection": ("Selection",),
    "echelon.study": ("AutoSelector",),
    "echelon.rankorder": ("BooleanOrder", "RankOrderClassifier", "RankOrderSelector"),
}

__all__ = [
    "CFS",
    "MRMR",
    "NPDR",
    "SURF",
    "SWRF",
    "AutoSelector",
    "BooleanOrder",
    "ConditionalEvidence",
    "ConsensusSelector",
    "Consistency",
    "CurveSelector",
    "DominanceRoughSet",
    "ForestImportance",
    "ForwardAdditive",
    "ForwardLinear",
    "IRelief",
    "InformationValue",
    "IntervalKMeans",
    "IntervalRelief",
    "IterativeRelief",
    "KnockoffSelector",
    "LinearOrdinalClassifier",
    "MultiSURF",
    "MultiSURFStar",
    "MultiSWRF",
    "MultiSWRFStar",
    "NeighborhoodRoughSet",
    "NeighborhoodSoftMargin",
    "OReliefF",
    "OSimba",
    "OrdEval",
    "OrderedSoftMargin",
    "OrdinalDecomposition",
    "OrdinalForest",
    "OrdinalTree",
    "RReliefF",
    "RankCorrelation",
    "RankMutualInformation",
    "RankOrderClassifier",
    "RankOrderSelector",
    "RelevanceBounds",
    "Relief",
    "ReliefF",
    "SURFStar",
    "SWRFStar",
    "Selection",
    "Simba",
    "StabilitySelector",
    "as_intervals",
    "intervals_from_groups",
]


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            globals()[name] = found = getattr(import_module(module), name)
            return found
    raise AttributeError(f"module 'echelon' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
