"""Pfannschmidt, Jakob, Biehl, Tino, Hammer 2019: feature relevance bounds for ordinal regression.

``python -m papers relevance_bounds``: Tables 1 and 2, and how tolerance and probes behave.
It takes about 35 minutes of one core: 30 data sets per setting of Table 1, 30 hold-outs per data
set of Table 2 (10 of the largest), 10 data sets per setting of the tolerances.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from papers.cells import Task
from papers.data import Data
from papers.pages import Page
from papers.relevance_bounds import artificial, benchmark, rare, rates


def tasks(data: Data, *, quick: bool) -> dict[str, Task]:
    """Every cell of the tables."""
    return {
        **benchmark.tasks(data, quick=quick),
        **artificial.tasks(quick=quick),
        **rates.tasks(quick=quick),
        **rare.tasks(data, quick=quick),
    }


def page(found: dict[str, Any]) -> Page:
    """The page of this paper."""
    made, chance, shared, swept = (
        runs_of(found, part) for part in ("table 1", "no signal", "correlated", "sweep")
    )
    held_out = dict(list(runs_of(found, "table 2").groupby("name", sort=False)))
    return Page(
        "Feature relevance bounds for ordinal regression",
        "L. Pfannschmidt, J. Jakob, M. Biehl, P. Tino, B. Hammer, ESANN 2019.",
        [
            *artificial.claims(made),
            *benchmark.claims(held_out),
            rates.claim(chance, shared),
        ],
        artificial.body(made)
        + benchmark.body(held_out)
        + rare.body(runs_of(found, "rare"))
        + rates.body(swept, chance, shared),
    )


def runs_of(found: dict[str, Any], part: str) -> pd.DataFrame:
    """The cells of one part of the page, a row each."""
    return pd.DataFrame([cell for name, cell in found.items() if name.startswith(f"{part}/")])
