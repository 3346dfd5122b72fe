"""Cutting a release changes the version, the citation and the changelog together."""

import re
import shutil

import pytest

import echelon
from release.changelog import KINDS, begun, read_fragments, released, with_entries
from release.check import ROOT
from release.cut import cut, set_citation, set_package_version

NOTHING = {kind: [] for kind in KINDS}


@pytest.fixture
def tree(tmp_path):
    """The files a release changes, as they are now."""
    (tmp_path / "src/echelon").mkdir(parents=True)
    (tmp_path / "changes").mkdir()
    for name in ("src/echelon/__init__.py", "CITATION.cff", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def cited(text):
    return re.search(r"(?m)^version: (.*)$", text)[1]


def test_the_citation_and_the_changelog_are_of_the_version_of_the_package():
    assert cited((ROOT / "CITATION.cff").read_text()) == echelon.__version__
    newest = re.search(r"(?m)^## (\S+) \((.*)\)$", (ROOT / "CHANGELOG.md").read_text())
    assert newest[1] == echelon.__version__.removesuffix(".dev0")
    assert (newest[2] == "unreleased") == echelon.__version__.endswith(".dev0")


def test_the_version_of_the_package_stands_in_one_place_only():
    quoted = re.compile(rf"""["']{re.escape(echelon.__version__)}["']""")
    files = [*(ROOT / "src").rglob("*.py"), ROOT / "pyproject.toml", ROOT / "Makefile"]
    assert [each.name for each in files if quoted.search(each.read_text(encoding="utf-8"))] == [
        "__init__.py"
    ]


def test_fragments_that_wait_can_be_read():
    read_fragments(ROOT / "changes")


def test_a_release_of_this_tree(tree):
    version = echelon.__version__.removesuffix(".dev0")
    if version == echelon.__version__:
        cut(tree, "9.0.0.dev0", "2030-01-02")
        version = "9.0.0"
    (tree / "changes" / "trees.new.md").write_text("Trees are\nfelled.\n")
    (tree / "changes" / "README.txt").write_text("stays")
    before = (tree / "CHANGELOG.md").read_text()
    cut(tree, version, "2030-01-02")
    after = (tree / "CHANGELOG.md").read_text()
    assert f"\n## {version} (2030-01-02)\n" in after
    assert "\n- Trees are\n  felled.\n" in after
    # Nothing is lost, and nothing else is new.
    added = {f"## {version} (2030-01-02)", "- Trees are", "  felled.", "New"}
    assert set(before.splitlines()) - set(after.splitlines()) == {f"## {version} (unreleased)"}
    assert set(after.splitlines()) - set(before.splitlines()) <= added
    assert cited((tree / "CITATION.cff").read_text()) == version
    assert "date-released: 2030-01-02\n" in (tree / "CITATION.cff").read_text()
    assert f'__version__ = "{version}"' in (tree / "src/echelon/__init__.py").read_text()
    assert [each.name for each in (tree / "changes").iterdir()] == ["README.txt"]


def test_the_next_version_begins_with_an_empty_section(tree):
    cut(tree, "9.0.0.dev0", "2030-01-02")
    assert (
        (tree / "CHANGELOG.md")
        .read_text()
        .startswith("# Changelog\n\n## 9.0.0 (unreleased)\n\n## ")
    )
    assert "date-released" not in (tree / "CITATION.cff").read_text()
    cut(tree, "9.0.0", "2030-01-02")
    assert "## 9.0.0 (2030-01-02)\n" in (tree / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("version", ["9.9.9", "1.0", "v0.2.0", "0.2.0rc1"])
def test_a_version_that_is_not_ready_changes_nothing(tree, version):
    before = {path: path.read_text() for path in tree.rglob("*") if path.is_file()}
    with pytest.raises(ValueError, match=r"section|look like"):
        cut(tree, version, "2030-01-02")
    assert {path: path.read_text() for path in tree.rglob("*") if path.is_file()} == before


def test_entries_go_under_their_titles_which_are_made_where_needed():
    section = "\nNew\n- A.\n\nMoved\n- M.\n\n"
    entries = NOTHING | {"new": ["- B."], "fixed": ["- F.\n  more"]}
    assert (
        with_entries(section, entries) == "New\n- A.\n- B.\n\nMoved\n- M.\n\nFixed\n- F.\n  more\n"
    )
    assert with_entries("", entries) == "New\n- B.\n\nFixed\n- F.\n  more\n"


def test_only_the_section_of_the_version_changes():
    text = "# C\n\n## 2.0.0 (unreleased)\n\n- a\n\n## 1.0.0 (unreleased)\n\n- b\n"
    assert released(text, "2.0.0", "D", NOTHING) == text.replace("2.0.0 (unreleased)", "2.0.0 (D)")
    assert released(text, "1.0.0", "D", NOTHING) == text.replace("1.0.0 (unreleased)", "1.0.0 (D)")
    assert begun("# C\n", "3.0.0") == "# C\n## 3.0.0 (unreleased)\n\n"


def test_a_fragment_of_no_kind_is_refused(tmp_path):
    (tmp_path / "trees.nwe.md").write_text("x")
    with pytest.raises(ValueError, match=r"trees.nwe.md must end in one of new, changed"):
        read_fragments(tmp_path)


def test_a_version_that_is_missing_or_there_twice_is_refused():
    with pytest.raises(ValueError, match="found 0 times"):
        set_package_version("x = 1\n", "1.0.0")
    with pytest.raises(ValueError, match="one version, found 2"):
        set_citation("version: 1\nversion: 2\n", "1.0.0", None)
