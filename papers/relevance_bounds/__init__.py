"""Pfannschmidt, Jakob, Biehl, Tino, Hammer 2019: feature relevance bounds for ordinal regression.

``python -m papers relevance_bounds``: Tables 1 and 2, and how tolerance and probes behave.
"""

from __future__ import annotations

from papers.cells import Task
from papers.data import Data
from papers.relevance_bounds import artificial, benchmark, rates


def tasks(data: Data, *, quick: bool) -> dict[str, Task]:
    """Every cell of the tables."""
    return (
        benchmark.tasks(data, quick=quick) | artificial.tasks(quick=quick) | rates.tasks(quick=quick)
    )
