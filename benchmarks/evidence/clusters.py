"""Clusters of correlated features tested as a whole: whether any of them holds nothing needed."""

from __future__ import annotations

import warnings

import numpy as np

from benchmarks.error_rates.cells import Cells
from benchmarks.evidence.designs import DESIGNS, Design, draw
from echelon import ConditionalEvidence

LEVEL = 0.05
NAMES = (
    "AR 0.7",
    "blocks of five, 0.8",
    "100 features, n = 60, no effect",
    "100 features, n = 60, blocks of five, 0.8",
)
N_TABLES = 100


def judge(design: Design, seed: int) -> list[float]:
    """Of one table: whether a cluster holds nothing needed, what is found, and how finely.

    Found is a needed feature that is significant by itself or in a cluster; beside it the share of
    those significant by themselves, and the mean number of features of the clusters.
    """
    table = draw(design, seed)
    options = {"kind": table.kind, "threshold": "family", "error_rate": LEVEL, "n_jobs": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ConditionalEvidence(clusters=True, random_state=seed, **options)
        found.fit(table.X, table.y)
    members = [list(cluster.features) for cluster in found.clusters_]
    alone = found.support_[table.needed]
    either = found.support_.copy()
    either[[f for cluster in members for f in cluster]] = True
    return [
        float(any(not table.needed[cluster].any() for cluster in members)),
        float(either[table.needed].mean()) if table.needed.any() else 0.0,
        float(alone.mean()) if table.needed.any() else 0.0,
        float(np.mean([len(cluster) for cluster in members])) if members else 0.0,
    ]


def results(cells: Cells) -> dict[str, np.ndarray]:
    """Design -> outcomes."""
    return {
        design.name: cells.measure(
            f"clusters, {design.name}", lambda seed, d=design: judge(d, seed), N_TABLES
        )
        for design in DESIGNS
        if design.name in NAMES
    }
