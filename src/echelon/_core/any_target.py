"""Any target, for selectors that take ordered classes, classes without an order, and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from echelon._core.compat import StrOptions
from echelon.methods import CLASSES, CONTINUOUS, ORDERED
from echelon.targets import Target, read_target


class TargetReader:
    """Reads y as what it is, or as ``kind`` says."""

    _target_constraints: ClassVar[dict[str, list[Any]]] = {
        "kind": [StrOptions({"auto", ORDERED, CLASSES, CONTINUOUS})],
        "class_order": ["array-like", None],
    }

    kind: str
    class_order: Sequence | None

    def _read_target(self, y: Any) -> Target:
        """The target; its kind and classes are kept as attributes."""
        target = read_target(y, self.kind, self.class_order)
        self.kind_ = target.kind
        if target.labels is not None:
            self.classes_ = target.labels
        elif hasattr(self, "classes_"):
            del self.classes_  # of an earlier fit
        return target
