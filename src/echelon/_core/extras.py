"""Packages of an extra, such as ``pip install "echelon[plot]"``, asked for when needed."""

from __future__ import annotations

from importlib import import_module


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
    >>> from echelon._core.extras import require
    >>> require("Arrays need", "all", "numpy")
    >>> require("Pictures need", "plot", "nosuch")
    Traceback (most recent call last):
    echelon._core.extras.MissingExtraError: Pictures need nosuch: pip install "echelon[plot]"
    """
    try:
        for package in packages:
            import_module(package)
    except ImportError as error:
        named = " and ".join(packages)
        raise MissingExtraError(f'{who} {named}: pip install "echelon[{extra}]"') from error
