"""The rankings compared: name -> function of features, class codes and a seed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from itertools import product
from typing import NamedTuple

import numpy as np

from benchmarks.ordered import library, linear, orders, relief, trees
from benchmarks.ordered.orders import Ranking

REFERENCE = "relieff"
"""Errors are divided by those of this ranking."""

ALL, GUESS = "all", "guess"
"""No rankings: all features at once, and the median class without any."""

AUTO, AUTO_RANKING = "auto_selector", "auto_ranking"
"""The whole procedure, for what it keeps; and its ranking alone, a sixth of the work."""


class Ranker(NamedTuple):
    """A ranking: its name on the page, and how it is made."""

    label: str
    rank: Callable[[np.ndarray, np.ndarray, int], Ranking]


def _orelieff() -> dict[str, Ranker]:
    """O-ReliefF with every rule for hits and for misses."""
    found = {}
    for dominance, contradictions in product(("prefer", "require", "ignore"), _MISSES):
        rank = partial(relief.orelieff, dominance=dominance, contradictions=contradictions)
        label = f"O-ReliefF, hits {dominance}, misses {contradictions}"
        found[f"orelieff_{dominance}_{contradictions}"] = Ranker(label, rank)
    return found


_MISSES = ("ignore", "penalize")


def _searches() -> dict[str, Ranker]:
    """Selectors of the library that stop on their own."""
    names = {"nsm": "NeighborhoodSoftMargin", "cfs": "CFS", "consistency": "Consistency"}
    made = {key: Ranker(name, _library(name)) for key, name in names.items()}
    return {**made, "bounds": Ranker("RelevanceBounds", library.bounds)}


def _library(name: str, **params: object) -> Callable[..., Ranking]:
    return partial(library.ordered_by, name=name, **params)


NEW = {
    "ordered_soft_margin": "OrderedSoftMargin",
    "forward_linear": "ForwardLinear",
    "forward_additive": "ForwardAdditive",
    "rank_correlation": "RankCorrelation",
    "rank_information": "RankMutualInformation",
}
"""Selectors that only some versions of the library have."""


def _new() -> dict[str, Ranker]:
    there = {key: name for key, name in NEW.items() if library.exists(name)}
    found = {key: Ranker(name, _library(name, kind="ordinal")) for key, name in there.items()}
    if library.exists("AutoSelector"):
        found[AUTO] = Ranker("AutoSelector", _library("AutoSelector"))
        found[AUTO_RANKING] = Ranker("**AutoSelector's ranking**", library.default_ranking)
    return found


def _mrmr() -> dict[str, Ranker]:
    """The mRMR path with every measure of association, by difference and by quotient."""
    if not library.exists("MRMR"):
        return {}
    return {
        f"mrmr_{measure}_{scheme}": Ranker(
            f"MRMR, {measure.replace('_', ' ')}, {scheme}",
            partial(library.mrmr, measure=measure, scheme=scheme),
        )
        for measure, scheme in product(_MEASURES, ("difference", "quotient"))
    }


_MEASURES = (
    "spearman",
    "kendall",
    "mutual_information",
    "symmetric_uncertainty",
    "rank_mutual_information",
)


def _peers() -> dict[str, Ranker]:
    """What needs a package that echelon does not."""
    return {"boruta": Ranker("Boruta", trees.boruta)} if find_spec("boruta") else {}


def _all(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    return Ranking([], list(range(X.shape[1])))


def _none(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    return Ranking([], [])


REFERENCES = {
    ALL: Ranker("all features, no ranking", _all),
    GUESS: Ranker("median class, no features", _none),
}

RANKERS: dict[str, Ranker] = {
    **REFERENCES,
    REFERENCE: Ranker("ReliefF", relief.relieff),
    "random": Ranker("random", orders.random),
    "kendall": Ranker("Kendall's tau", orders.kendall),
    "spearman": Ranker("Spearman's rho", orders.spearman),
    "f_test": Ranker("F test", orders.f_test),
    "mutual_information": Ranker("mutual information", orders.mutual_information),
    "rank_mrmr": Ranker("rank mutual information, mRMR", relief.rank_mrmr),
    "stepwise": Ranker("stepwise, linear on codes", linear.stepwise),
    "lasso": Ranker("lasso on codes, order of entry", linear.lasso),
    "ordinal_l1": Ranker("ordinal logistic L1, order of entry", linear.ordinal_l1),
    "rrelieff": Ranker("RReliefF on codes", relief.rrelieff),
    "forest": Ranker("forest of classes, impurity", trees.forest),
    "forest_on_codes": Ranker("forest of codes, impurity", trees.forest_on_codes),
    "forest_permutation": Ranker("forest of codes, permutation", trees.forest_permutation),
    "gradient_boosting": Ranker("gradient boosting of codes", trees.gradient_boosting),
    **_orelieff(),
    "osimba": Ranker("O-Simba", relief.osimba),
    **_searches(),
    **_peers(),
    **_new(),
    **_mrmr(),
}
"""All there is here, by name on the command line."""


def label(method: str) -> str:
    """The name on the page, also of a method that was measured but is not there any more."""
    return RANKERS[method].label if method in RANKERS else NEW.get(method, method)
