"""Slotta, Vergara, Ramakrishnan, Heath 2005: feature selection in rank-order spaces.

``python -m papers rank_order``: Figures 5 and 7 to 13, Tables 2 to 5.

``_real``       whole paths on gene expressions, accuracy along them, random subsets
``_synthetic``  the two generators: divergence and accuracy along the paths
``_claims``     what the paper says beside what was found
``_page``       tables, pictures and text
"""

from __future__ import annotations

from papers.cells import Task
from papers.data import Data
from papers.rank_order import _real, _synthetic
from papers.rank_order._page import page

__all__ = ["page", "tasks"]


def tasks(data: Data, *, quick: bool) -> dict[str, Task]:
    """Every cell of this paper."""
    return {**_synthetic.tasks(quick=quick), **_real.tasks(data, quick=quick)}
