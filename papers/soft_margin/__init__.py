"""Hu, Che, Zhang, Yu 2010: feature evaluation and selection based on neighborhood soft margin.

``python -m papers soft_margin``: Tables 1 to 8 and Figures 5 to 13.

``printed``    what the paper prints
``methods``    its selectors and the others, and the tables they are given
``protocols``  cross-validation with selection before it and inside it
``wine``       Table 1 and Figures 5 to 9
``results``    finished cells read as means over repetitions
``claims``     the paper's claims, judged
``writing``    tables and text of the page
``figures``    its plots
"""

from __future__ import annotations

from functools import partial

from papers.cells import Task
from papers.data import Data
from papers.soft_margin.methods import PENALTIES, RANKINGS, SUBSETS
from papers.soft_margin.printed import SIZES
from papers.soft_margin.protocols import (
    NOISE,
    gene_cell,
    ranking_cell,
    raw_cell,
    sizes,
    subset_cell,
)
from papers.soft_margin.wine import pictures, subset_measures
from papers.soft_margin.writing import page

__all__ = ["page", "tasks"]

REPETITIONS = {name: 2 if name == "segmentation" else 3 for name in SIZES}
GENES = {"lymphoma": 2, "leukemia, 2 classes": 2, "lung": 2}
PENALISED = {"wine": 3, "heart": 2, "hepatitis": 2, "ionosphere": 2}


def tasks(data: Data, *, quick: bool) -> dict[str, Task]:
    """Every cell: one method on one data set, once over the ten folds."""
    names = {"wine": 1} if quick else REPETITIONS
    genes = {"leukemia, 2 classes": 1} if quick else GENES
    cells: dict[str, Task] = {
        "table 1": partial(subset_measures, 1 if quick else 10),
        "pictures": pictures,
    }
    for name in (*names, *genes):
        cells[f"{name}/sizes"] = partial(sizes, data, name)
    for name, n in names.items():
        for r in range(n):
            cells |= _cells_of(data, name, r)
    penalties = PENALTIES[: 3 if quick else None]
    for name in [name for name in PENALISED if name in names]:
        for method in [f"NSM {penalty}" for penalty in penalties if penalty != 4]:
            for r in range(min(PENALISED[name], names[name])):
                cells[f"{name}/{method}/{r}"] = partial(ranking_cell, data, name, method, r)
    for name, n in genes.items():
        for r in range(n):
            cells[f"{name}/raw/{r}"] = partial(raw_cell, data, name, r, genes=True)
            for method in ("NSM", "ReliefF"):
                cells[f"{name}/{method}/{r}"] = partial(gene_cell, data, name, method, r)
    return cells


def _cells_of(data: Data, name: str, r: int) -> dict[str, Task]:
    """All methods on one of the eight data sets, and NSM with wrong labels."""
    cells: dict[str, Task] = {f"{name}/raw/{r}": partial(raw_cell, data, name, r)}
    for method in RANKINGS:
        cells[f"{name}/{method}/{r}"] = partial(ranking_cell, data, name, method, r)
    for method in SUBSETS:
        cells[f"{name}/{method}/{r}"] = partial(subset_cell, data, name, method, r)
    cells[f"{name}/raw, noise/{r}"] = partial(raw_cell, data, name, r, NOISE)
    cells[f"{name}/NSM, noise/{r}"] = partial(ranking_cell, data, name, "NSM", r, NOISE)
    return cells
