"""Order: of the classes, and of features that should rise or fall with them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from echelon._core.compat import StrOptions
from echelon._core.directions import directions
from echelon._core.sample_weights import weighted_mid_ranks
from echelon._core.samples import arrange
from echelon.engines import Samples
from echelon.targets import read_ordered_classes
from echelon.validation import Columns


def mid_ranks(columns: Columns) -> Columns:
    """Numeric columns as mid-ranks among the values present, in the order of the values."""
    ranks = columns.values.copy()
    for f in np.flatnonzero(~columns.nominal).tolist():
        ranks[:, f] = weighted_mid_ranks(ranks[:, f], columns.weights)
    return columns._replace(values=ranks)


class OrderedClassesMixin:
    """For selectors whose classes, and so their features, have an order."""

    _order_constraints: ClassVar[dict[str, list[Any]]] = {
        "dominance": [StrOptions({"prefer", "require", "ignore"})],
        "monotonic_cst": [StrOptions({"auto"}), "array-like", dict, None],
        "class_order": ["array-like", None],
    }

    class_order: Any
    monotonic_cst: Any

    def _read_classes(self, y: Any) -> tuple[np.ndarray, np.ndarray]:
        return read_ordered_classes(y, self.class_order)

    def _arrange(self, columns: Columns, codes: np.ndarray) -> Samples:
        self.monotonic_cst_ = directions(self.monotonic_cst, columns, codes)
        return arrange(columns, codes, self.monotonic_cst_)
