"""The estimator shared by the baselines: unordered classes, features as labels."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from echelon._core.compat import Interval, StrOptions
from echelon.base import ForwardSelector
from echelon.filters._discretize import Labels, label_columns, some_missing
from echelon.validation import Columns


class BaselineSelector(ForwardSelector):
    """Discretises the data; a subclass writes the additions and its own rule."""

    _allow_nan = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ForwardSelector._parameter_constraints,
        "discretize": [StrOptions({"mdl", "quantile"})],
        "n_bins": [Interval(Integral, 2, None, closed="left")],
    }

    def _labels(self, columns: Columns, codes: np.ndarray) -> Labels:
        return label_columns(columns, codes, self.discretize, self.n_bins)

    def _varying(self, values: np.ndarray) -> np.ndarray:
        """Mask of the features with at least two values, where missing counts as one."""
        return super()._varying(values) | some_missing(values)
