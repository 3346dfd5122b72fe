"""Stated directions of features: read, compared with the data, and what respecting them costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.stats import kendalltau
from sklearn.base import clone

from echelon._core.directions import directions, pairs_in_order
from echelon._core.significance import clearly_positive, standard_error
from echelon.data import Data
from echelon.methods import CLASSES
from echelon.study.types import Direction, DirectionCost, Directions
from echelon.targets import Target

if TYPE_CHECKING:
    from echelon.study._design import Design
    from echelon.study._study import Study

MOST_RELEASED = 20
"""Selected features that are freed of their direction one by one."""


def read_directions(given: Any, data: Data | None, target: Target, names: Any) -> dict[str, int]:
    """Directions by name of the column, those of 0 left out; refused where nothing has an order."""
    if isinstance(given, str):
        raise ValueError(
            f"`monotonic_cst` must say the direction of every feature, got {given!r}. Pass a dict "
            'such as {"income": 1, "debt": -1}.'
        )
    if data is None:
        raise ValueError("`monotonic_cst` is given, but intervals have no direction. Leave it out.")
    if target.kind == CLASSES and len(target.counts) > 2:
        raise ValueError(
            f"`monotonic_cst` needs ordered classes, two classes or a continuous target, got "
            f"{len(target.counts)} classes without an order. Give `class_order`, or leave it out."
        )
    signs = directions(given, data, ranks_of_target(target))
    return {str(name): int(sign) for name, sign in zip(names, signs, strict=True) if sign}


def ranks_of_target(target: Target) -> np.ndarray:
    """The target as codes in its order."""
    if target.codes is not None:
        return target.codes
    return np.unique(target.numbers, return_inverse=True)[1]


def directions_of(study: Study) -> Directions:
    """What the data say of the stated directions, and what respecting them costs."""
    design = study.design
    judged = study.judged
    chosen = study.best(*judged.choice)
    kept = study.selected
    stated = {name: sign for name, sign in design.directions.items() if name in chosen}
    costs = _costs(design, judged.model, judged.test_share, chosen, stated)
    labels = design.target.labels
    return Directions(
        features=[
            _fact(design, name, sign, name in kept, costs.get(name))
            for name, sign in design.directions.items()
        ],
        chosen=chosen,
        cost=costs.get(None),
        classes=None if labels is None else [str(label) for label in labels],
        model=judged.model,
    )


def _fact(
    design: Design, name: str, sign: int, selected: bool, cost: DirectionCost | None
) -> Direction:
    """One feature: how often the data break its direction, and what respecting it costs."""
    column = design.data.values[:, design.X.columns.get_loc(name)]  # type: ignore[union-attr]
    codes = ranks_of_target(design.target)
    agree, oppose = (int(n) for n in pairs_in_order(sign * column, codes))
    n_pairs = agree + oppose
    p_value = None
    if n_pairs and design.splits.independent:
        p_value = float(kendalltau(column, codes, nan_policy="omit").pvalue)
    return Direction(
        name=name,
        direction=sign,
        selected=selected,
        broken=oppose / n_pairs if n_pairs else None,
        n_pairs=n_pairs,
        agrees=None if agree == oppose else agree > oppose,
        p_value=p_value,
        cost=cost,
    )


def _costs(
    design: Design,
    model: str,
    share: float | None,
    chosen: Sequence[str],
    stated: dict[str, int],
) -> dict[str | None, DirectionCost]:
    """What respecting the directions of chosen features costs: of each, and, as None, of all."""
    if not stated:
        return {}
    with_all = design.scores(design.models[model], chosen)
    freed: list[tuple[str | None, dict[str, int]]] = [(None, {})]
    if len(stated) > 1:
        for name in list(stated)[:MOST_RELEASED]:
            others = {other: sign for other, sign in stated.items() if other != name}
            freed.append((name, others))
    found: dict[str | None, DirectionCost] = {}
    for released, left in freed:
        without = clone(design.models[model]).set_params(directions=left)
        scores = design.scores(without, chosen)
        found[released] = _cost(with_all, scores, share, design.scoring.sign)
    if len(stated) == 1:
        found[next(iter(stated))] = found[None]
    return found


def _cost(respected: np.ndarray, free: np.ndarray, share: float | None, sign: int) -> DirectionCost:
    lost = free - respected
    clear = clearly_positive(lost, share) or clearly_positive(-lost, share)
    return DirectionCost(
        respected=float(sign * respected.mean()),
        free=float(sign * free.mean()),
        lost=float(lost.mean()),
        standard_error=float(standard_error(lost, share)),
        clear=bool(clear),
    )


def frame_of(found: Directions) -> pd.DataFrame:
    """One row per stated direction."""
    columns = ["feature", "direction", "selected", "agrees", "broken", "n_pairs", "p_value",
               "cost", "cost_error"]  # fmt: skip
    rows = []
    for each in found["features"]:
        cost = each["cost"]
        told = (None, None) if cost is None else (cost["lost"], cost["standard_error"])
        facts = (each[key] for key in ("agrees", "broken", "n_pairs", "p_value"))
        rows.append((each["name"], each["direction"], each["selected"], *facts, *told))
    return pd.DataFrame(rows, columns=columns)
