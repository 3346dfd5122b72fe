"""Finished cells, read as one value per repetition."""

from __future__ import annotations

from typing import Any

import numpy as np

from papers.soft_margin.methods import CLASSIFIERS, PENALTIES, SUBSETS
from papers.soft_margin.printed import SIZES
from papers.soft_margin.protocols import GENE_CLASSIFIERS

BEFORE, SIZE_AFTER, INSIDE = "before", "size after", "inside"
PROTOCOLS = {
    BEFORE: "selection on all samples, best size of the curve (the paper's)",
    SIZE_AFTER: "ranking inside the folds, best size of the curve",
    INSIDE: "ranking and size inside the folds",
}
GENE_NAMES = ("lymphoma", "leukemia, 2 classes", "lung")


class Results:
    """What was found, by data set, method, protocol and classifier."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.found = found
        self.names = [name for name in SIZES if f"{name}/sizes" in found]
        self.genes = [name for name in GENE_NAMES if f"{name}/sizes" in found]
        self.penalised = [name for name in self.names if f"{name}/NSM 1/0" in found]

    def cells(self, name: str, method: str) -> list[Any]:
        """One for each repetition; NSM with penalty 4 is NSM."""
        keys, method = [], "NSM" if method == "NSM 4" else method
        while f"{name}/{method}/{len(keys)}" in self.found:
            keys.append(f"{name}/{method}/{len(keys)}")
        return [self.found[key] for key in keys]

    def curves(self, name: str, method: str, place: str, classifier: str) -> np.ndarray:
        """Accuracies (repetitions, sizes) of a ranking made ``outside`` or ``inside`` the folds."""
        return np.array([cell[place][classifier] for cell in self.cells(name, method)])

    def accuracy(self, name: str, method: str, protocol: str, classifier: str) -> np.ndarray:
        """Accuracies, one for each repetition."""
        return self._values(name, method, protocol, classifier)[0]

    def size(self, name: str, method: str, protocol: str, classifier: str) -> np.ndarray:
        """Numbers of features, one for each repetition."""
        return self._values(name, method, protocol, classifier)[1]

    def _values(self, name: str, method: str, protocol: str, classifier: str) -> np.ndarray:
        if method.startswith("raw"):
            kinds = GENE_CLASSIFIERS if name in self.genes else CLASSIFIERS
            column, width = list(kinds).index(classifier), self.found[f"{name}/sizes"][1]
            return np.array([(cell[column], width) for cell in self.cells(name, method)]).T
        if method in SUBSETS:
            place = "outside" if protocol == BEFORE else "inside"
            columns = [[*CLASSIFIERS].index(classifier), -1]
            return np.array([cell[place] for cell in self.cells(name, method)])[:, columns].T
        if protocol == INSIDE:
            return np.array([cell["chosen"][classifier] for cell in self.cells(name, method)]).T
        place = "outside" if protocol == BEFORE else "inside"
        curves = self.curves(name, method, place, classifier)
        return np.array([curves.max(axis=1), curves.argmax(axis=1) + 1])

    def mean(self, name: str, method: str, protocol: str, classifier: str) -> float:
        """Mean accuracy over repetitions, to the two digits in which the paper compares."""
        return round(float(self.accuracy(name, method, protocol, classifier).mean()), 2)

    def overall(self, method: str, protocol: str, classifier: str) -> np.ndarray:
        """Mean over the eight data sets, one value for each repetition that all of them have."""
        runs = [self.accuracy(name, method, protocol, classifier) for name in self.names]
        return np.mean([run[: min(map(len, runs))] for run in runs], axis=0)

    def optimism(self, method: str, classifier: str) -> np.ndarray:
        """Per data set: accuracy gained by ranking on all samples, and by reading the size off."""
        steps = [
            [self.accuracy(n, method, p, classifier).mean() for p in PROTOCOLS] for n in self.names
        ]
        return -np.diff(np.array(steps), axis=1)

    def by_penalty(self, name: str, place: str, classifier: str) -> dict[int, np.ndarray]:
        """Mean accuracy over all sizes, one for each repetition that all penalties have."""
        tried = [p for p in PENALTIES if self.cells(name, f"NSM {p}")]
        curves = {p: self.curves(name, f"NSM {p}", place, classifier) for p in tried}
        n = min(map(len, curves.values()))
        return {p: curve[:n].mean(axis=1) for p, curve in curves.items()}

    def repetitions(self) -> str:
        """How often the ten folds were drawn, in words."""
        counts = {name: len(self.cells(name, "raw")) for name in self.names}
        usual = max(counts.values())
        fewer = [f"{n} on {name}" for name, n in counts.items() if n != usual]
        return ", ".join([f"{usual} repetitions", *fewer])
