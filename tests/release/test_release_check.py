"""The check of what a release contains sees too much and too little."""

import tarfile
import tomllib
import zipfile

import pytest

from release.check import ROOT, SDIST, names_in, package_files, problems


def test_an_unknown_file_a_pattern_without_a_file_and_a_missing_one_are_named():
    names = ["pkg/a.py", "pkg/deep/b.py", "pkg/__pycache__/a.nbi"]
    assert problems(names, ("pkg/*.py", "LICENSE"), {"pkg/a.py", "pkg/c.py"}) == [
        "pkg/__pycache__/a.nbi should not be in it",
        "no LICENSE is in it",
        "pkg/c.py is missing",
    ]
    assert problems(names[:2], ("pkg/*.py",), {"pkg/a.py"}) == []


@pytest.mark.parametrize(
    "odd",
    ["tests/data.csv", "src/echelon/kernels/__pycache__/x.pyc", ".hypothesis/x.py", ".venv/x"],
)
def test_data_and_caches_match_no_pattern(odd):
    assert f"{odd} should not be in it" in problems([odd], SDIST, set())


def test_the_files_of_the_package_are_those_that_are_no_caches():
    files = package_files(ROOT)
    assert {"echelon/py.typed", "echelon/report/templates/report.css"} <= files
    assert not [name for name in files if name.endswith((".pyc", ".nbi", ".nbc"))]


def test_names_in_archives(tmp_path):
    (tmp_path / "a.txt").write_text("a")
    with tarfile.open(tmp_path / "x-1.tar.gz", "w:gz") as sdist:
        sdist.add(tmp_path / "a.txt", "x-1/b/a.txt")
    with zipfile.ZipFile(tmp_path / "x-1.whl", "w") as wheel:
        wheel.write(tmp_path / "a.txt", "b/a.txt")
    assert names_in(tmp_path / "x-1.tar.gz") == names_in(tmp_path / "x-1.whl") == ["b/a.txt"]


def test_every_top_folder_of_an_sdist_is_asked_for_in_pyproject():
    """A folder with a pattern that hatch was not asked to take would only show in a long check."""
    hatch = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    folders = {pattern.split("/")[0] for pattern in SDIST if "/" in pattern}
    assert folders <= {name.strip("/") for name in hatch["targets"]["sdist"]["include"]}
