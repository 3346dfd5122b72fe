"""ExtraTrees: scikit-learn's forest, whose trees are made at once.

scikit-learn copies a tree for every tree of a forest and asks it for its parameters by inspection,
which takes longer than to grow a small one.  The trees are the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.tree import ExtraTreeRegressor


class ExtraTrees(ExtraTreesRegressor):
    """Extremely randomised trees for numbers: equal to scikit-learn's, made faster."""

    def _make_estimator(self, append: bool = True, random_state: Any = None) -> ExtraTreeRegressor:
        params = {name: getattr(self, name) for name in self.estimator_params}
        if random_state is not None:
            params["random_state"] = random_state.randint(np.iinfo(np.int32).max)
        tree = ExtraTreeRegressor(**params)
        if append:
            self.estimators_.append(tree)
        return tree
