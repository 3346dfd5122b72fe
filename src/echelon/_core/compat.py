"""Other packages: private names of scikit-learn that are relied on, and optional ones."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
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
    "require",
    "safe_indexing",
    "scorer_sign",
]


Method = TypeVar("Method", bound=Callable[..., Any])


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Method], Method]:
    """The decorator of ``fit``, typed: else a fitted estimator would be of no type to users."""
    return _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)


class Interval(_Interval):
    """Numbers of a range; True and False are none, although Python counts with them."""

    def is_satisfied_by(self, val: Any) -> bool:
        """Whether the value is a number, and within."""
        return not isinstance(val, bool | np.bool_) and super().is_satisfied_by(val)


def scorer_sign(scorer: Any) -> int:
    """-1 for a scorer that turns a loss into a score, else 1."""
    return getattr(scorer, "_sign", 1)


class MissingExtraError(ImportError):
    """A package is needed that an extra of echelon installs."""


def require(who: str, extra: str, *packages: str) -> None:
    """Raise an error of one sentence unless these packages can be imported.

    Parameters
    ----------
    who : str
        What needs them, with the verb.
    extra : str
        The extra that installs them.
    *packages : str
        Names by which they are imported and installed.

    Examples
    --------
    >>> from echelon._core.compat import require
    >>> require("Arrays need", "all", "numpy")
    >>> require("Pictures need", "plot", "nosuch")
    Traceback (most recent call last):
    echelon._core.compat.MissingExtraError: Pictures need nosuch: pip install "echelon[plot]"
    """
    try:
        for package in packages:
            import_module(package)
    except ImportError as error:
        named = " and ".join(packages)
        raise MissingExtraError(f'{who} {named}: pip install "echelon[{extra}]"') from error
