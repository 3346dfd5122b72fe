"""echelon: feature selection when order matters.

Every selector is a scikit-learn estimator: it drops into a ``Pipeline``, keeps column names and
returns the original values.

The map of the package:

``margin``       Relief, ReliefF, Simba and their versions for ordered classes
``neighborhood`` balls around samples: dependency, margins, soft margin
``bounds``       linear models of ordered classes, and how far their weights may move
``engines``      where the arithmetic of a method runs
``kernels``      the compiled loops behind the engines
``base``         the contract of a selector;  ``validation``  reading features and targets;
``differences``  putting features on one scale;  ``samples``  laying data out for an engine

Names are loaded when first used, so that ``import echelon`` stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from echelon.margin import OReliefF, OSimba, Relief, ReliefF, Simba

__version__ = "0.1.0"

_MODULES = ("echelon.margin",)

__all__ = ["OReliefF", "OSimba", "Relief", "ReliefF", "Simba"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        for module in map(import_module, _MODULES):
            if name in module.__all__:
                return getattr(module, name)
    raise AttributeError(f"module 'echelon' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
