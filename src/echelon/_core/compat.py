"""The private names of scikit-learn this project relies on, in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils._param_validation import Interval as _Interval
from sklearn.utils._set_output import _get_output_config as output_config
from sklearn.utils.validation import _check_feature_names_in as check_feature_names_in

__all__ = [
    "HasMethods",
    "Interval",
    "StrOptions",
    "check_feature_names_in",
    "fit_context",
    "output_config",
    "safe_indexing",
    "scorer_sign",
]


Method = TypeVar("Method", bound=Callable[..., Any])


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Method], Method]:
    """The decorator of ``fit``, typed: else a fitted estimator would be of no type to users."""
    return _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)


class Interval(_Interval):
    """An interval of numbers that rejects booleans."""

    def is_satisfied_by(self, val: Any) -> bool:
        """Whether the value is a number, and within."""
        return not isinstance(val, bool | np.bool_) and super().is_satisfied_by(val)


def scorer_sign(scorer: Any) -> int:
    """-1 for a scorer that turns a loss into a score, else 1."""
    return getattr(scorer, "_sign", 1)
