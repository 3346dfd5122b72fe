"""The private names of scikit-learn this project relies on, in one place."""

from sklearn.base import _fit_context as fit_context
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils._set_output import _get_output_config as output_config

__all__ = ["HasMethods", "Interval", "StrOptions", "fit_context", "output_config", "safe_indexing"]
