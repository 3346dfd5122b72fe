"""The estimator shared by the selectors that add features by their neighborhoods."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from echelon._core.samples import arrange
from echelon.base import ForwardSelector
from echelon.engines import ENGINE_CONSTRAINTS, Engine, resolve_engine
from echelon.neighborhood._chosen import ChosenFeatures
from echelon.neighborhood._relation import in_double
from echelon.validation import Columns


class NeighborhoodSelector(ForwardSelector):
    """Arranges the data of the neighborhood family; a subclass writes ``_criterion``."""

    _allow_nan = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ForwardSelector._parameter_constraints,
        **ENGINE_CONSTRAINTS,
    }

    @abstractmethod
    def _criterion(self, chosen: ChosenFeatures, engine: Engine) -> Callable[[list[int]], Any]:
        """The function that finds the best of some candidates, and describes the step."""

    def _additions(self, features: Columns, codes: np.ndarray) -> Callable[[list[int]], Any]:
        chosen = ChosenFeatures(arrange(in_double(features), codes))
        best_of = self._criterion(chosen, resolve_engine(self.engine, self.n_jobs))

        def add_best(candidates: list[int]) -> Any:
            step = best_of(candidates)
            chosen.add(step.feature)
            return step

        return add_best
