"""The methods of the package in one table, light to import.

The table feeds ``echelon methods``, the option ``--method``, reports and tests.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple

__all__ = ["METHODS", "Method"]

ORDERED, CLASSES, CONTINUOUS = "ordinal", "classification", "regression"
"""What a target can be: ordered classes, classes without an order, numbers."""

HU_2012 = "Hu, Pan, Song, Yu 2012"


class Method(NamedTuple):
    """A selector, and what one has to know to choose it.

    Attributes
    ----------
    estimator : str
        Name of the class.
    data : str
        The data it is for.
    targets : tuple of str
        What the target may be: "ordinal", "classification", "regression".
    cost : str
        How time grows with n samples and p features.
    paper : str
        Where it comes from.
    numbers_only : bool
        Whether nominal columns must be turned into numbers first.
    takes_gaps : bool
        Whether missing values are taken as they are.
    module : str
        Where the class is.
    interactions : bool
        Whether it finds features that matter only in combination.
    redundancy : bool
        Whether a copy of a selected feature counts for little beside it.

    Examples
    --------
    >>> from echelon.methods import METHODS
    >>> method = METHODS["rrelieff"]
    >>> method.estimator, method.cost, "regression" in method.targets
    ('RReliefF', 'n² p', True)
    >>> type(method.make(n_features_to_select=3)).__name__
    'RReliefF'
    """

    estimator: str
    data: str
    targets: tuple[str, ...]
    cost: str
    paper: str
    numbers_only: bool = False
    takes_gaps: bool = True
    module: str = "echelon"
    interactions: bool = False
    redundancy: bool = False

    @property
    def name(self) -> str:
        """Name on the command line: the class in lower case."""
        return self.estimator.lower()

    def make(self, **params: Any) -> Any:
        """An unfitted selector with these parameters, where it has them."""
        estimator = getattr(import_module(self.module), self.estimator)
        known = estimator().get_params()
        return estimator(**{name: value for name, value in params.items() if name in known})


_CLASSES = (CLASSES, ORDERED)
_ANY = (ORDERED, CLASSES, CONTINUOUS)

_TABLE = (
    Method(
        "AutoSelector",
        "any data set and any target: complementary rankings, aggregated",
        _ANY,
        "n p per selected feature",
        "this library",
        interactions=True,
    ),
    Method(
        "OReliefF",
        "ordered classes: monotone effects and interactions",
        (ORDERED,),
        "n² p",
        HU_2012,
        interactions=True,
    ),
    Method(
        "OSimba",
        "ordered classes, dependent features",
        (ORDERED,),
        "n² p",
        HU_2012,
        takes_gaps=False,
        interactions=True,
    ),
    Method(
        "OrderedSoftMargin",
        "a small set with interactions; any target",
        _ANY,
        "n² p per selected feature",
        "after Hu, Che, Zhang, Yu 2010",
        interactions=True,
        redundancy=True,
    ),
    Method(
        "ReliefF", "classes without an order", _CLASSES, "n² p", "Kononenko 1994", interactions=True
    ),
    Method(
        "RReliefF",
        "continuous targets or ordered classes, with interactions",
        _ANY,
        "n² p",
        "Robnik-Sikonja, Kononenko 1997",
        interactions=True,
    ),
    Method(
        "NPDR",
        "as RReliefF, adjusted for covariates",
        _ANY,
        "n² p",
        "Le, Dawkins, McKinney 2020",
        interactions=True,
    ),
    Method(
        "MultiSURF",
        "features that matter only in combination, without a number of neighbours to set",
        _ANY,
        "n² p",
        "Urbanowicz et al. 2018",
        interactions=True,
    ),
    Method(
        "MultiSURFStar",
        "pure interactions of two features",
        _ANY,
        "n² p",
        "Granizo-Mackenzie, Moore 2013",
        interactions=True,
    ),
    Method(
        "SURF",
        "as MultiSURF, with one radius for all samples",
        _ANY,
        "n² p",
        "Greene et al. 2009",
        interactions=True,
    ),
    Method(
        "SURFStar",
        "as MultiSURFStar, with one radius for all samples",
        _ANY,
        "n² p",
        "Greene et al. 2010",
        interactions=True,
    ),
    Method(
        "SWRF",
        "as SURF, with larger weights for closer samples",
        _ANY,
        "n² p",
        "after Stokes, Visweswaran 2012",
        interactions=True,
    ),
    Method(
        "SWRFStar",
        "as SURFStar, with the largest weights for the nearest and farthest samples",
        _ANY,
        "n² p",
        "Stokes, Visweswaran 2012",
        interactions=True,
    ),
    Method(
        "MultiSWRF",
        "as SWRF, with a separate radius for every sample",
        _ANY,
        "n² p",
        "scikit-rebate 0.8.4",
        interactions=True,
    ),
    Method(
        "MultiSWRFStar",
        "as SWRFStar, with a separate radius for every sample",
        _ANY,
        "n² p",
        "scikit-rebate 0.8.4",
        interactions=True,
    ),
    Method(
        "Relief",
        "two classes, little noise",
        _CLASSES,
        "n² p",
        "Kira, Rendell 1992",
        interactions=True,
    ),
    Method(
        "Simba",
        "few samples, dependent features",
        _CLASSES,
        "n² p",
        "Gilad-Bachrach, Navot, Tishby 2004",
        takes_gaps=False,
        interactions=True,
    ),
    Method(
        "IRelief",
        "mislabelled samples, dependent features",
        _CLASSES,
        "n² p per round",
        "Sun 2007",
        takes_gaps=False,
        interactions=True,
    ),
    Method(
        "IterativeRelief",
        "very many features, of which few matter, in combination",
        _ANY,
        "n² p",
        "Moore, White 2007",
        interactions=True,
    ),
    Method(
        "RelevanceBounds",
        "redundant features, which are indispensable or replaceable; any target",
        _ANY,
        "p linear programs of n p²",
        "Pfannschmidt et al. 2019",
        numbers_only=True,
        takes_gaps=False,
        redundancy=True,
    ),
    Method(
        "NeighborhoodSoftMargin",
        "a small set of features, mislabelled samples",
        _CLASSES,
        "n² p per selected feature",
        "Hu, Che, Zhang, Yu 2010",
        interactions=True,
        redundancy=True,
    ),
    Method(
        "NeighborhoodRoughSet",
        "well-separated classes, a known radius",
        _CLASSES,
        "n² p per selected feature",
        "Hu, Yu, Liu, Wu 2008",
        redundancy=True,
    ),
    Method(
        "DominanceRoughSet",
        "ordered classes, known directions, few monotonicity violations",
        (ORDERED,),
        "n² p² / 64",
        "Greco, Matarazzo, Slowinski 2001",
        redundancy=True,
    ),
    Method(
        "IntervalRelief",
        "intervals: daily minimum and maximum, ranges, tolerances",
        _CLASSES,
        "n p",
        "Hazarika, Mishra, Mahanta",
        numbers_only=True,
    ),
    Method(
        "RankOrderSelector",
        "one kind of measurement, levels not comparable between rows",
        _CLASSES,
        "n p²",
        "Slotta et al. 2005",
        numbers_only=True,
    ),
    Method(
        "RankCorrelation",
        "monotone effects of single features on any target",
        _ANY,
        "n log n p",
        "Kendall 1938",
    ),
    Method(
        "RankMutualInformation",
        "monotone effects of single features, in bits",
        (ORDERED, CONTINUOUS),
        "n log n p",
        "Hu et al. 2012",
        numbers_only=True,
    ),
    Method(
        "MRMR",
        "many redundant features; any target",
        _ANY,
        "n log n p per selected feature",
        "Peng, Long, Ding 2005",
        redundancy=True,
    ),
    Method(
        "ForwardLinear",
        "features with additive linear effects; any target",
        _ANY,
        "n p per step and bootstrap sample",
        "Chen, Billings, Luo 1989",
        redundancy=True,
    ),
    Method(
        "ForwardAdditive",
        "features with additive nonlinear effects; any target",
        _ANY,
        "n p per round and bootstrap sample",
        "Bühlmann, Yu 2003",
    ),
    Method(
        "ForestImportance",
        "features with interactions and nonlinear effects; any target",
        _ANY,
        "n log n p per tree",
        "Geurts, Ernst, Wehenkel 2006",
        interactions=True,
    ),
    Method(
        "ConditionalEvidence",
        "features that carry information no other does, with an error rate; any target",
        _ANY,
        "n log n p per tree",
        "after Shah, Peters 2020",
        interactions=True,
        redundancy=True,
    ),
    Method(
        "KnockoffSelector",
        "features needed given all others, with a false discovery rate; 30 features or more",
        _ANY,
        "n p²",
        "Candès, Fan, Janson, Lv 2018",
        redundancy=True,
    ),
    Method(
        "InformationValue",
        "two classes and features in bins, as in credit scoring",
        _CLASSES,
        "n log n p",
        "Kullback 1959",
    ),
    Method(
        "CFS",
        "many redundant features; for comparison",
        _CLASSES,
        "n p per selected feature",
        "Hall 2000",
        redundancy=True,
    ),
    Method(
        "Consistency",
        "features with few values; for comparison",
        _CLASSES,
        "n p per selected feature",
        "Dash, Liu 2003",
        redundancy=True,
    ),
)

METHODS = MappingProxyType({method.name: method for method in _TABLE})
"""Name on the command line -> method, those for ordered classes first."""


def _peer(estimator: str, data: str, cost: str, *, any_table: bool = False) -> Method:
    """A ranking of scikit-learn."""
    return Method(
        estimator, data, _ANY, cost, "scikit-learn", not any_table, any_table, "echelon.study"
    )


_PEERS = (
    _peer("MutualInformation", "features that tell any target, one by one", "n log n p"),
    _peer("FTest", "features whose means differ, one by one", "n p"),
    _peer("PermutationImportance", "what a forest loses without the feature",
          "n log n p per tree", any_table=True),
    _peer("RFE", "features with additive linear effects, the worst removed first",
          "n p² per feature"),
)  # fmt: skip

PEERS = MappingProxyType({method.name: method for method in _PEERS})
"""Rankings of scikit-learn, to compare with."""

ALIASES = MappingProxyType({"kendall": "rankcorrelation", "forest": "forestimportance"})
"""Other names that are understood."""

COMPARED = MappingProxyType(
    {
        ORDERED: ("autoselector", "orelieff", "rankcorrelation", "mutualinformation",
                  "forestimportance"),
        CLASSES: ("autoselector", "relieff", "ftest", "mutualinformation", "forestimportance"),
        CONTINUOUS: ("autoselector", "rrelieff", "rankcorrelation", "mutualinformation",
                     "forestimportance"),
    }
)  # fmt: skip
"""What ``echelon compare`` compares unless told, by kind of target: seconds, not minutes."""


def method_named(name: str) -> Method | None:
    """The method of that name, ours or one to compare with; None if there is none."""
    known = ALIASES.get(name.lower(), name.lower())
    return METHODS.get(known) or PEERS.get(known)
