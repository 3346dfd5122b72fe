"""Any target, for rules that compare outcomes: numbers and ordered classes as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from echelon._core.any_target import TargetReader
from echelon._core.differences import unit_scale
from echelon._core.samples import arrange
from echelon.engines import Samples
from echelon.methods import CLASSES
from echelon.validation import is_dask


class OutcomeMixin(TargetReader):
    """Reads classes without an order as codes, and all else as numbers from 0 to 1."""

    def _read(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        columns = self._read_columns(X)  # type: ignore[attr-defined]
        target = self._read_target(y.compute() if is_dask(y) else y)
        if target.kind == CLASSES:
            return columns, target.codes  # type: ignore[return-value]
        return columns, unit_scale(target.numbers[:, None], np.array([True]))[:, 0]

    def _arrange(self, columns: Any, codes: np.ndarray) -> Samples:
        if codes.dtype.kind == "i":
            return arrange(columns, codes)
        return arrange(columns, np.zeros(len(codes), np.int64), outcome=codes)
