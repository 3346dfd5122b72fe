"""The two generators of section 5.1: divergence and accuracy along the paths."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np

from echelon import RankOrderSelector
from echelon.datasets import make_concordant_ranks, make_rank_order
from papers.cells import Task
from papers.rank_order._real import accuracy, splits

CRITERIA = ("kl", "ks", "cdv", "spoilers")
ADDED = (0, 2, 4, 6, 8)
"""Numbers of extraneous and of redundant features."""
WITHIN = {"easy": 0.9, "hard": 0.1}
"""Least concordance of a class; between the first samples of the classes it is at most 0.1."""
N_SAMPLES = 5


def tasks(*, quick: bool) -> dict[str, Task]:
    """All combinations of extraneous and redundant features, and the two of concordance."""
    seeds = range(2 if quick else N_SAMPLES)
    added = product((0, ADDED[-1]), repeat=2) if quick else product(ADDED, ADDED)
    cells = {
        f"synthetic/{e}, {r}/{seed}": partial(extraneous_and_redundant, e, r, seed)
        for (e, r), seed in product(added, seeds)
    }
    for kind, seed in product(WITHIN, seeds):
        cells[f"synthetic/{kind}/{seed}"] = partial(concordant, kind, 20 if quick else 100, seed)
    return cells


def extraneous_and_redundant(e: int, r: int, seed: int) -> dict[str, Any]:
    """Seven classes of 20 samples: four features tell them apart, the others are added."""
    return along(*make_rank_order(7, 20, e, r, random_state=seed))


def concordant(kind: str, n_per_class: int, seed: int) -> dict[str, Any]:
    """Five classes of samples that resemble each other more or less."""
    return along(
        *make_concordant_ranks(
            25, 5, n_per_class, max_between=0.1, min_within=WITHIN[kind], random_state=seed
        )
    )


def along(X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Divergence after every removal, and accuracy of naive Bayes before every one, by criterion.

    Features are selected on all samples, as in the paper.
    """
    folds, found = splits(X, y), {}
    for criterion in CRITERIA:
        selector = RankOrderSelector(1, criterion=criterion).fit(X, y)
        sizes = range(X.shape[1], 1, -1)
        found[criterion] = {
            "divergence": selector.path_.divergence.tolist(),
            "accuracy": [
                accuracy(X, y, [(fold, selector.order_[:n]) for fold in folds], "bayes")
                for n in sizes
            ],
        }
    return found
