"""``make release-cut VERSION=0.2.0``: everything in the tree that a release changes, in one step.

The version is set where it stands (the package, ``CITATION.cff``), the changelog's section gets
its day and the fragments that waited.  ``VERSION=0.3.0.dev0`` begins the next version.  Nothing is
committed, tagged or sent anywhere.
"""

import re
import sys
from datetime import UTC, datetime
from pathlib import Path

from release.changelog import begun, read_fragments, released

ROOT = Path(__file__).resolve().parents[1]
VERSION = re.compile(r"\d+\.\d+\.\d+(?P<dev>\.dev0)?")


def set_package_version(text: str, version: str) -> str:
    """``__init__.py`` with another version, the only place the package has it."""
    changed, count = re.subn(r'(?m)^__version__ = ".*"$', f'__version__ = "{version}"', text)
    if count != 1:
        raise ValueError(f"`__version__` must be set once, found {count} times.")
    return changed


def set_citation(text: str, version: str, day: str | None) -> str:
    """``CITATION.cff`` with another version, and the day of its release if it has one."""
    text = re.sub(r"(?m)^date-released: .*\n", "", text)
    dated = f"version: {version}\n" + (f"date-released: {day}\n" if day else "")
    changed, count = re.subn(r"(?m)^version: .*\n", dated, text)
    if count != 1:
        raise ValueError(f"CITATION.cff must have one version, found {count}.")
    return changed


def cut(root: Path, version: str, day: str) -> None:
    """Write what a release, or the begin of a next version, changes; all of it or nothing."""
    known = VERSION.fullmatch(version)
    if known is None:
        raise ValueError(f"The version must look like 0.2.0 or 0.3.0.dev0, got {version!r}.")
    package, citation = root / "src/echelon/__init__.py", root / "CITATION.cff"
    changelog, fragments = root / "CHANGELOG.md", root / "changes"
    dev = known["dev"] is not None
    old = {path: path.read_text(encoding="utf-8") for path in (package, citation, changelog)}
    new = {
        package: set_package_version(old[package], version),
        citation: set_citation(old[citation], version, None if dev else day),
        changelog: (
            begun(old[changelog], version.removesuffix(".dev0"))
            if dev
            else released(old[changelog], version, day, read_fragments(fragments))
        ),
    }
    for path, text in new.items():
        path.write_text(text, encoding="utf-8")
    if not dev:
        for path in fragments.glob("*.md"):
            path.unlink()


if __name__ == "__main__":
    try:
        cut(ROOT, sys.argv[1], datetime.now(UTC).date().isoformat())
    except (IndexError, ValueError) as error:
        sys.exit(f"{error}" if isinstance(error, ValueError) else "usage: release.cut VERSION")
