"""Estimators, splitters and plain values as Python code, with the imports that it needs."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter, signature
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from echelon.study._models import ClassifierOnCodes, Encoded, TableEncoder

SHOWN = ("n_splits",)
"""Parameters that are written although they have their default: a reader looks for them."""

Imports = dict[str, set[str]]
"""Names by module."""


class Code:
    """Expressions, and the imports they need so far.

    Every text is written by ``repr``: none can end its string, or become code.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> code = Code()
    >>> code.of(Ridge(alpha=2.0)), code.imports
    ('Ridge(alpha=2.0)', {'sklearn.linear_model': {'Ridge'}})
    """

    def __init__(self) -> None:
        self.imports: Imports = {}

    def of(self, value: Any) -> str:
        """The expression that makes a value again."""
        value = value.item() if isinstance(value, np.generic) else value
        if value is None or isinstance(value, bool | int | float | str):
            return _plain(value)
        if isinstance(value, list | tuple):
            return self._sequence(value)
        if isinstance(value, np.ndarray):
            return self.of(value.tolist())
        if isinstance(value, Mapping):
            entries = (f"{self.of(key)}: {self.of(entry)}" for key, entry in value.items())
            return f"{{{', '.join(entries)}}}"
        if isinstance(value, Encoded):
            pipeline = self.named("sklearn.pipeline", "make_pipeline")
            return f"{pipeline}({self.of(value.encoder)}, {self.of(value.model)})"
        if isinstance(value, ClassifierOnCodes):
            return self.of(value.classifier)
        if isinstance(value, TableEncoder):
            self.named("echelon.report", "TableEncoder")
            return self._call("TableEncoder", value)
        if isinstance(value, Pipeline):
            return f"{self.named('sklearn.pipeline', 'Pipeline')}({self.of(list(value.steps))})"
        if isinstance(value, type) or not hasattr(type(value), "__init__"):
            raise _unwritable(value)
        return self._object(value)

    def named(self, module: str, name: str) -> str:
        """A name, imported."""
        self.imports.setdefault(module, set()).add(name)
        return name

    def _sequence(self, value: Any) -> str:
        entries = [self.of(entry) for entry in value]
        if isinstance(value, list):
            return f"[{', '.join(entries)}]"
        return f"({', '.join(entries)}{',' * (len(entries) == 1)})"

    def _object(self, value: Any) -> str:
        """An estimator or a splitter, whose parameters are its attributes."""
        kind = type(value)
        module, name = _home(kind)
        known = isinstance(value, BaseEstimator) or module.startswith("sklearn.")
        importable = "<" not in kind.__qualname__ and "." not in kind.__qualname__
        if not (known and importable and module and name.isidentifier()):
            raise _unwritable(value)
        self.named(module, name)
        return self._call(name, value)

    def _call(self, name: str, value: Any) -> str:
        given = []
        for key, parameter in signature(type(value)).parameters.items():
            if parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
                continue
            if not hasattr(value, key):
                raise _unwritable(value)
            held = getattr(value, key)
            if key in SHOWN or not _is_default(held, parameter.default):
                given.append(f"{key}={self.of(held)}")
        return f"{name}({', '.join(given)})"


def _plain(value: Any) -> str:
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return f"float({str(value)!r})"
    return repr(value)


def _is_default(held: Any, default: Any) -> bool:
    if held is default:
        return True
    return type(held) is type(default) and isinstance(held, str | int | float) and held == default


def _home(kind: type) -> tuple[str, str]:
    """The public module of a class: without what follows the first private part."""
    parts = kind.__module__.split(".")
    public = next((parts[:j] for j, part in enumerate(parts) if part.startswith("_")), parts)
    return ".".join(public), kind.__name__


def _unwritable(value: Any) -> ValueError:
    text = " ".join(repr(value).split())
    return ValueError(
        f"{text if len(text) <= 80 else text[:77] + '...'} cannot be written as code. Use a model, "
        "folds and a scoring of scikit-learn or echelon, with plain parameters."
    )
