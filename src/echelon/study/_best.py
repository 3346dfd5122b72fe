"""What turns a ranking into a choice: the best so many."""

from __future__ import annotations

import numpy as np

from echelon.rankings import ranks_of


class KeepsBest:
    """Adds ``get_support`` to what ranks when fitted: the ``k`` best."""

    k: int

    def get_support(self) -> np.ndarray:
        """Mask of the features kept."""
        return ranks_of(self) <= self.k
