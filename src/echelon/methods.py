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
        "any table and any target: complementary rankings, fused and judged",
        _ANY,
        "n p per feature kept",
        "this library",
    ),
    Method(
        "OReliefF",
        "ordered classes, features that rise or fall with them",
        (ORDERED,),
        "n² p",
        HU_2012,
    ),
    Method(
        "OSimba",
        "ordered classes, features that depend on each other",
        (ORDERED,),
        "n² p",
        HU_2012,
        takes_gaps=False,
    ),
    Method(
        "OrderedSoftMargin",
        "ordered classes or numbers, a small set that acts together",
        _ANY,
        "n² p per feature kept",
        "after Hu, Che, Zhang, Yu 2010",
    ),
    Method("ReliefF", "classes without an order", _CLASSES, "n² p", "Kononenko 1994"),
    Method(
        "RReliefF",
        "numbers or ordered classes, features that matter together",
        _ANY,
        "n² p",
        "Robnik-Sikonja, Kononenko 1997",
    ),
    Method(
        "NPDR",
        "the same, beside covariates that are held fixed",
        _ANY,
        "n² p",
        "Le, Dawkins, McKinney 2020",
    ),
    Method(
        "MultiSURF",
        "features that matter only together, no number of neighbours to choose",
        _ANY,
        "n² p",
        "Urbanowicz et al. 2018",
    ),
    Method(
        "MultiSURFStar",
        "two features that matter only together, others not",
        _ANY,
        "n² p",
        "Granizo-Mackenzie, Moore 2013",
    ),
    Method("SURF", "as MultiSURF, one limit for all samples", _ANY, "n² p", "Greene et al. 2009"),
    Method(
        "SURFStar",
        "as MultiSURFStar, one limit for all samples",
        _ANY,
        "n² p",
        "Greene et al. 2010",
    ),
    Method("Relief", "two classes, little noise", _CLASSES, "n² p", "Kira, Rendell 1992"),
    Method(
        "Simba",
        "few samples, features that depend on each other",
        _CLASSES,
        "n² p",
        "Gilad-Bachrach, Navot, Tishby 2004",
        takes_gaps=False,
    ),
    Method(
        "IRelief",
        "classes, samples with wrong labels, features that depend on each other",
        _CLASSES,
        "n² p per round",
        "Sun 2007",
        takes_gaps=False,
    ),
    Method(
        "IterativeRelief",
        "very many features, few of which matter, together",
        _ANY,
        "n² p",
        "Moore, White 2007",
    ),
    Method(
        "RelevanceBounds",
        "features that may stand in for each other; any target",
        _ANY,
        "p linear programs of n p²",
        "Pfannschmidt et al. 2019",
        numbers_only=True,
        takes_gaps=False,
    ),
    Method(
        "NeighborhoodSoftMargin",
        "some labels wrong, a small set of features wanted",
        _CLASSES,
        "n² p per feature kept",
        "Hu, Che, Zhang, Yu 2010",
    ),
    Method(
        "NeighborhoodRoughSet",
        "classes well apart, a known scale of near",
        _CLASSES,
        "n² p per feature kept",
        "Hu, Yu, Liu, Wu 2008",
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
        "features that rise or fall with any target, one by one",
        _ANY,
        "n log n p",
        "Kendall 1938",
    ),
    Method(
        "RankMutualInformation",
        "features whose order tells that of the target, one by one",
        (ORDERED, CONTINUOUS),
        "n log n p",
        "Hu et al. 2012",
        numbers_only=True,
    ),
    Method(
        "MRMR",
        "many features that say the same; any target",
        _ANY,
        "n log n p per feature kept",
        "Peng, Long, Ding 2005",
    ),
    Method(
        "ForwardLinear",
        "features that add up along straight lines; any target",
        _ANY,
        "n p per step and bag",
        "Chen, Billings, Luo 1989",
    ),
    Method(
        "ForwardAdditive",
        "features that add up along curves; any target",
        _ANY,
        "n p per round and bag",
        "Bühlmann, Yu 2003",
    ),
    Method(
        "ForestImportance",
        "features that act together, along any curve; any target",
        _ANY,
        "n log n p per tree",
        "Geurts, Ernst, Wehenkel 2006",
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
        "many features that say the same; a baseline",
        _CLASSES,
        "n p per feature kept",
        "Hall 2000",
    ),
    Method(
        "Consistency",
        "features with few values; a baseline",
        _CLASSES,
        "n p per feature kept",
        "Dash, Liu 2003",
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
    _peer("RFE", "features that add up along straight lines, the worst removed first",
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
