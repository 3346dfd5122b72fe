"""Every public name has an example, and the reference knows where it is explained."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

import echelon

DOCS = Path(__file__).parents[2] / "docs"


def packages():
    """The packages of the map in ``echelon.__doc__`` that say what is public, for users."""
    for name in re.findall(r"``(\w+)``", echelon.__doc__.partition("The map of the package:")[2]):
        if name not in ("__main__", "_core", "cli", "echelon", "kernels"):
            module = importlib.import_module(f"echelon.{name}")
            if hasattr(module, "__all__"):
                yield name, module


def for_users(package, module):
    """Names of a package; some serve other packages, but for those that echelon exports."""
    shared = package in ("large", "selection", "study")
    return [name for name in module.__all__ if not shared or name in echelon.__all__]


def public():
    """(package, name) of every public class and function that can be imported here."""
    for package, module in packages():
        for name in for_users(package, module):
            try:
                value = getattr(module, name)
            except ImportError:
                continue  # an engine whose package is not installed
            if inspect.isclass(value) or inspect.isfunction(value):
                yield package, name, value


PUBLIC = list(public())


def test_the_map_is_found():
    assert {"margin", "engines", "report"} <= {package for package, _, _ in PUBLIC}
    assert len(PUBLIC) > 100


@pytest.mark.parametrize(
    "value", [value for _, _, value in PUBLIC], ids=[f"{p}.{n}" for p, n, _ in PUBLIC]
)
def test_a_public_name_has_an_example(value):
    own = value.__doc__ or ""
    assert re.search(r"^ *Examples\n *-{8}\n(.*\n)*? *>>> ", own, re.MULTILINE), "no example"


def test_every_package_has_a_guide():
    source = (DOCS / "_site" / "reference.py").read_text()
    block = re.search(r"^GUIDES = \{(.*?)\}", source, re.MULTILINE | re.DOTALL)[1]
    guides = dict(re.findall(r'"(\w+)": "([\w/]+)"', block))
    assert set(guides) == {package for package, _ in packages()}
    for page in guides.values():
        assert (DOCS / f"{page}.md").exists(), page
