"""The reference: every public name, found by way of the map in ``echelon.__doc__``.

A package of the map that says what is public (``__all__``) gets a page, and each of its classes and
functions one of its own, with its docstring, its guide and its examples in the gallery.  So a new
name needs no line here.
"""

import inspect
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from sphinx.ext.autodoc.mock import mock

import echelon

API = Path(__file__).parents[1] / "api"

ABSENT = ["torch", "triton"]
"""Packages too large to install for a signature."""

SHARED = {"large", "selection", "study"}
"""Packages whose names serve other packages; for users are those that ``echelon`` exports."""

NOT_FOR_USERS = {"__main__", "_core", "cli", "echelon", "kernels"}
"""Words of the map that lead to no page."""

GUIDES = {
    "margin": "margin",
    "neighborhood": "neighborhood",
    "bounds": "bounds",
    "rankorder": "rankorder",
    "intervals": "interval",
    "filters": "filters",
    "consensus": "auto",
    "study": "auto",
    "evaluation": "evaluation",
    "evidence": "conditional",
    "monotone": "monotone",
    "selection": "use",
    "profile": "cli",
    "report": "report",
    "datasets": "evaluation",
    "display": "report",
    "engines": "scale",
    "large": "scale",
    "targets": "faq",
    "methods": "methods",
}
"""Package: the page that explains it."""

GUIDES_OF_NAMES = {
    "OrdEval": "surveys",
    "OrdEvalDisplay": "surveys",
    "WeightsOfEvidenceDisplay": "filters",
    "clustering_accuracy": "interval",
    "NPDR": "margin_targets",
    "OReliefF": "margin_order",
    "OSimba": "margin_order",
    "RReliefF": "margin_targets",
    "SWRF": "margin_neighbors",
    "SWRFStar": "margin_neighbors",
    "MultiSWRF": "margin_neighbors",
    "MultiSWRFStar": "margin_neighbors",
}
"""Names that have a page apart from that of their package."""


class Name(NamedTuple):
    """A public class or function, and where it is documented."""

    name: str
    package: str
    value: Any

    @property
    def path(self) -> str:
        """How to import it: the shortest way."""
        home = "echelon" if self.name in echelon.__all__ else f"echelon.{self.package}"
        return f"{home}.{self.name}"

    @property
    def guide(self) -> str:
        """The page that explains it."""
        return GUIDES_OF_NAMES.get(self.name, GUIDES[self.package])


@cache
def packages() -> dict[str, ModuleType]:
    """The packages of the map that say what is public, in its order."""
    _, _, chart = (echelon.__doc__ or "").partition("The map of the package:")
    listed = [name for name in re.findall(r"``(\w+)``", chart) if name not in NOT_FOR_USERS]
    found = {name: import_module(f"echelon.{name}") for name in listed}
    return {name: module for name, module in found.items() if hasattr(module, "__all__")}


def for_users(package: str, module: ModuleType) -> list[str]:
    """Public names of a package that are meant for users."""
    shared = package in SHARED
    return [name for name in module.__all__ if not shared or name in echelon.__all__]


@cache
def names() -> list[Name]:
    """Every public class and function once, in the first package that has it."""
    found: dict[int, Name] = {}
    for package, module in packages().items():
        for name in for_users(package, module):
            with mock(ABSENT):
                value = getattr(module, name)
            if inspect.isclass(value) or inspect.isfunction(value):
                found.setdefault(id(value), Name(name, package, value))
    return list(found.values())


def constants(package: str) -> list[str]:
    """Public names of a package that are neither class nor function."""
    documented = {each.name for each in names()}
    return [name for name in for_users(package, packages()[package]) if name not in documented]


def guides() -> dict[str, str]:
    """How a name is imported: its guide."""
    return {each.path: each.guide for each in names()}


@cache
def pages() -> dict[str, str]:
    """Name, alone if it cannot be a word, and with its package: its page."""
    found = {}
    for each in names():
        page = f"api/of/{each.path}"
        found[f"{each.package}.{each.name}"] = page
        if each.name.lower() != each.name or "_" in each.name:
            found[each.name] = page
    return found


# ------------------------------------------------------------------------------------------ pages


def heading(text: str, line: str = "=") -> str:
    """A heading of reStructuredText."""
    return f"{text}\n{line * len(text)}\n\n"


def first_line(module: ModuleType) -> str:
    """What a package is, in a line."""
    return inspect.cleandoc(module.__doc__ or "").splitlines()[0]


def package_page(package: str) -> str:
    """The page of a package: what it is, its guide, its names."""
    own = [each.path for each in names() if each.package == package]
    text = heading(f"echelon.{package}") + f"{first_line(packages()[package])}\n\n"
    text += f"Guide: :doc:`/{GUIDES[package]}`.\n\n"
    if own:
        text += ".. autosummary::\n   :toctree: of\n   :nosignatures:\n\n"
        text += "".join(f"   ~{path}\n" for path in own) + "\n"
    others = constants(package)
    if others:
        text += ".. rubric:: Constants and modules\n\n"
        text += "".join(f"- ``{name}``: {shown(package, name)}\n" for name in others)
    return text


def shown(package: str, name: str) -> str:
    """The value of a constant, or of a module what it is."""
    value = getattr(packages()[package], name)
    return first_line(value) if inspect.ismodule(value) else f"``{' '.join(repr(value).split())}``"


def index_page() -> str:
    """The page that lists the packages."""
    text = heading("API reference")
    text += f"{len(names())} public classes and functions, by package.  "
    text += "Estimators are imported from ``echelon``.\n\n"
    for package, module in packages().items():
        text += f":doc:`echelon.{package} <{package}>`\n   {first_line(module)}\n\n"
    listed = "".join(f"   {package}\n" for package in packages())
    return f"{text}\n.. toctree::\n   :hidden:\n\n{listed}"


def write_pages(*_: Any) -> None:
    """Write the pages that autosummary goes by; those that have not changed are left alone."""
    API.mkdir(exist_ok=True)
    texts = {"index": index_page(), **{package: package_page(package) for package in packages()}}
    known = {*texts, *(each.path for each in names())}
    for file in API.rglob("*.rst"):
        if file.stem not in known:
            file.unlink()
    for name, text in texts.items():
        file = API / f"{name}.rst"
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


INHERITED = {"fit_transform", "get_feature_names_out", "get_params", "get_support",
             "inverse_transform", "set_output", "set_params", "transform"}  # fmt: skip
"""Methods of scikit-learn that pages of classes describe; others are for its own use."""


def skip_what_is_not_ours(app: Any, what: str, name: str, member: Any, skip: bool, _: Any) -> bool:
    """Of the methods of scikit-learn only those are shown that users call."""
    if name in INHERITED:
        return skip
    function = inspect.unwrap(getattr(member, "fget", None) or getattr(member, "__func__", member))
    return skip or not (getattr(function, "__module__", None) or "").startswith("echelon")


def quote_trailing_underscores(*event: Any) -> None:
    """The shape ``(n_features_in_,)`` is no link."""
    lines: list[str] = event[-1]
    lines[:] = [re.sub(r"\((\w+_),\)$", r"(``\1``,)", line) for line in lines]


def without_links_of_scikit_learn(app: Any, what: str, name: str, *event: Any) -> None:
    """Inherited docstrings refer to pages of scikit-learn, which this site does not have."""
    lines: list[str] = event[-1]
    if name.rpartition(".")[2] in INHERITED:
        text = re.sub(r":\w+:`~?([^`<]+?)(?: *<[^`]*>)?`", r"\1", "\n".join(lines))
        lines[:] = re.sub(r"^ *\.\. version\w+::.*\n(?: +.*\n)?", "", text, flags=re.M).split("\n")


def setup(app: Any) -> dict[str, bool]:
    """Write the pages before Sphinx looks for them, and read docstrings before numpydoc does."""
    app.connect("config-inited", write_pages)
    app.connect("autodoc-process-docstring", quote_trailing_underscores, priority=400)
    app.connect("autodoc-process-docstring", without_links_of_scikit_learn, priority=300)
    app.connect("autodoc-skip-member", skip_what_is_not_ours)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
