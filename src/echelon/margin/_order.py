"""Order: of the classes, and of features that should rise or fall with them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from echelon._core.compat import StrOptions
from echelon._core.directions import directions
from echelon._core.samples import arrange
from echelon.engines import Samples
from echelon.targets import read_ordered_classes
from echelon.validation import Columns


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
