"""The methods of the package in one table, light to import.

The table feeds ``echelon methods``, the option ``--method``, reports and tests.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple

ORDERED, CLASSES, CONTINUOUS = "ordinal", "classification", "regression"
"""What a target can be: ordered classes, classes without an order, numbers."""

HU_2012 = "Hu, Pan, Song, Yu 2012"


class Method(NamedTuple):
    """A selector, and what one has to know to choose it.

    Attributes
    ----------
    estimator : str
        Name of the class in ``echelon``.
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
    defaults : tuple of (str, value)
        Parameters the command line sets where the class has a more cautious default.
    """

    estimator: str
    data: str
    targets: tuple[str, ...]
    cost: str
    paper: str
    numbers_only: bool = False
    takes_gaps: bool = True
    defaults: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """Name on the command line: the class in lower case."""
        return self.estimator.lower()

    def make(self, **params: Any) -> Any:
        """An unfitted selector with the defaults of the command line and these parameters."""
        estimator = getattr(import_module("echelon"), self.estimator)
        known = estimator().get_params()
        wanted = {**dict(self.defaults), **params}
        return estimator(**{name: wanted[name] for name in wanted if name in known})


# The papers' rule, score > 0, keeps nearly half of all noise.
_CHANCE = (("threshold", "shuffle"),)
_DIRECTED = (("monotonic_cst", "auto"), *_CHANCE)
_ALL = (CLASSES, ORDERED)

_TABLE = (
    Method(
        "OReliefF",
        "ordered classes, features that rise or fall with them",
        (ORDERED,),
        "n² p",
        HU_2012,
        defaults=(("contradictions", "penalize"), *_DIRECTED),
    ),
    Method(
        "OSimba",
        "ordered classes, features that depend on each other",
        (ORDERED,),
        "n² p",
        HU_2012,
        takes_gaps=False,
        defaults=_DIRECTED,
    ),
    Method(
        "ReliefF",
        "classes without an order",
        _ALL,
        "n² p",
        "Kononenko 1994",
        defaults=_CHANCE,
    ),
    Method(
        "Relief",
        "two classes, little noise",
        _ALL,
        "n² p",
        "Kira, Rendell 1992",
        defaults=_CHANCE,
    ),
    Method(
        "Simba",
        "few samples, features that depend on each other",
        _ALL,
        "n² p",
        "Gilad-Bachrach, Navot, Tishby 2004",
        takes_gaps=False,
        defaults=_CHANCE,
    ),
    Method(
        "RelevanceBounds",
        "features that may stand in for each other; any target",
        (ORDERED, CLASSES, CONTINUOUS),
        "p linear programs of n p²",
        "Pfannschmidt et al. 2019",
        numbers_only=True,
        takes_gaps=False,
    ),
    Method(
        "NeighborhoodSoftMargin",
        "some labels wrong, a small set of features wanted",
        _ALL,
        "n² p per feature kept",
        "Hu, Che, Zhang, Yu 2010",
    ),
    Method(
        "NeighborhoodRoughSet",
        "classes well apart, a known scale of near",
        _ALL,
        "n² p per feature kept",
        "Hu, Yu, Liu, Wu 2008",
    ),
    Method(
        "IntervalRelief",
        "intervals: daily minimum and maximum, ranges, tolerances",
        _ALL,
        "n p",
        "Hazarika, Mishra, Mahanta",
        numbers_only=True,
        defaults=_CHANCE,
    ),
    Method(
        "RankOrderSelector",
        "one kind of measurement whose level differs by row, as genes",
        _ALL,
        "n p²",
        "Slotta et al. 2005",
        numbers_only=True,
    ),
    Method(
        "CFS",
        "many features that say the same; a baseline",
        _ALL,
        "n p per feature kept",
        "Hall 2000",
    ),
    Method(
        "Consistency",
        "features with few values; a baseline",
        _ALL,
        "n p per feature kept",
        "Dash, Liu 2003",
    ),
)

METHODS = MappingProxyType({method.name: method for method in _TABLE})
"""Name on the command line -> method, those for ordered classes first."""
