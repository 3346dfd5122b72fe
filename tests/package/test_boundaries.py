"""Who may import what, and whether every map lists what there is."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "echelon"
PACKAGES = sorted(file.parent for file in SOURCE.rglob("__init__.py"))

# Files outside the library that cannot do without a private module, and why.
INSIDERS = {
    "benchmarks/false_discoveries.py": "both bounds of one fit",
    "benchmarks/gpu.py": "times the bare kernels",
    "benchmarks/interval.py": "times the two parts of a fit",
    "benchmarks/limit.py": "times a bare inner loop",
    "benchmarks/search.py": "times the search alone",
    "benchmarks/margin_rates.py": "applies both rules to p-values of one fit",
}


def imported(text):
    """Names of ours that Python code imports, in full."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def private(name):
    """Whether a name of ours lies in a private module, or is one."""
    room, *parts = name.split(".")
    return room == "echelon" and any(re.match(r"_(?!_)", part) for part in parts)


def examples(page):
    """The code of a page's doctests."""
    return "\n".join(re.findall(r"^>>> ((?:from|import) .*)$", page.read_text(), re.MULTILINE))


def room_of(file):
    """The package or module directly below ``echelon`` a file belongs to."""
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("file", sorted(SOURCE.rglob("*.py")), ids=lambda file: str(
    file.relative_to(SOURCE)))  # fmt: skip
def test_no_package_imports_a_private_module_of_another(file):
    own = {"_core", room_of(file)}
    strangers = [
        name for name in imported(file.read_text())
        if private(name) and name.split(".")[1] not in own
    ]  # fmt: skip
    assert not strangers


def test_nobody_else_imports_private_modules():
    files = [file for folder in ("benchmarks", "papers", "examples", "release")
             for file in (ROOT / folder).rglob("*.py")]  # fmt: skip
    code = {str(file.relative_to(ROOT)): file.read_text() for file in files}
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    code |= {str(page.relative_to(ROOT)): examples(page) for page in pages}
    users = {name for name, text in code.items() if any(map(private, imported(text)))}
    assert users == set(INSIDERS)


def test_imports_are_recognised():
    text = "import echelon._core.files\nfrom echelon.engines import _base, Search\nimport numpy._x"
    found = list(imported(text))
    assert [private(name) for name in found] == [True, True, False, False]
    assert not private("echelon.__version__")


def test_the_layer_contract_names_every_module():
    """In a layer of its own or of its package; ``_core`` is none, its modules lie in many."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    named = {name for layer in layers for name in re.split(r" [:|] ", layer)}
    for file in SOURCE.rglob("*.py"):
        parts = ["echelon", *file.relative_to(SOURCE).with_suffix("").parts]
        if file.stem not in ("__init__", "__main__"):
            assert {".".join(parts[: n + 1]) for n in range(1, len(parts))} & named, file
    assert "echelon._core" not in named


# ------------------------------------------------------------------------------------- maps


def rooms(package):
    """Modules and packages directly below a package."""
    for path in package.iterdir():
        if path.suffix == ".py" and path.stem != "__init__":
            yield path.stem
        elif (path / "__init__.py").exists():
            yield path.name


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: str(
    package.relative_to(SOURCE.parent)))  # fmt: skip
def test_every_package_is_a_map_of_its_modules(package):
    text = (package / "__init__.py").read_text()
    listed = set(re.findall(r"``(\w+)``", ast.get_docstring(ast.parse(text))))
    assert set(rooms(package)) <= listed


def test_maps_list_nothing_that_is_gone():
    for package in PACKAGES:
        text = (package / "__init__.py").read_text()
        listed = re.findall(r"^``(_?\w+)``", ast.get_docstring(ast.parse(text)), re.MULTILINE)
        known = {*rooms(package), *re.findall(r"\w+", text.split('"""')[2])}
        assert set(listed) <= known, package


def test_contributing_shows_the_way_to_every_room():
    section = (ROOT / "CONTRIBUTING.md").read_text().split("## Where things are")[1]
    listed = set(re.findall(r"(\w+)(?:/|\.py) ", section.split("## ")[0]))
    assert {room for room in rooms(SOURCE) if room != "__main__"} <= listed


def test_extending_uses_public_names_and_four_places():
    page = (ROOT / "docs" / "extending.md").read_text()
    assert "_core" not in page
    steps = re.findall(r"^\d\. (.*)$", page, re.MULTILINE)
    assert 1 <= len(steps) <= 4
    for place in re.findall(r"`((?:src|tests)/[\w./]+)`", page):
        assert (ROOT / place).exists(), place
