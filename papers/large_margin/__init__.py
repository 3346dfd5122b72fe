"""Hu, Pan, Song, Yu 2012: feature selection for monotonic classification.

``python -m papers large_margin``: section 4.1, Tables 2 to 8 and Figures 4 to 11.
"""

from __future__ import annotations

from typing import Any

from papers.cells import Task
from papers.data import Data
from papers.large_margin import _cost, _noise, _plots, _real, _synthetic, _tables
from papers.pages import Page

__all__ = ["page", "tasks"]


def tasks(data: Data, *, quick: bool) -> dict[str, Task]:
    """Every cell of the tables and figures."""
    return {
        **_synthetic.tasks(quick=quick),
        **_cost.tasks(quick=quick),
        **_noise.tasks(data, quick=quick),
        **_real.tasks(data, quick=quick),
    }


def page(found: dict[str, Any]) -> Page:
    """The page of this paper."""
    parts = (_synthetic, _tables, _noise, _cost)
    return Page(
        "Large-margin feature selection for monotonic classification",
        "Q. Hu, W. Pan, Y. Song, D. Yu, Knowledge-Based Systems 31, 2012.",
        [claim for part in parts for claim in part.claims(found)],
        "\n\n".join(part.section(found).strip() for part in parts),
        _plots.pictures(found),
    )
