"""``CHANGELOG.md``: its sections, and the fragments that wait in ``changes/`` for a release.

A fragment is a file ``changes/WHAT.KIND.md`` with one or more sentences.  Branches that write
fragments never collide, as they would in one list.
"""

import re
from collections.abc import Iterator
from pathlib import Path

KINDS = ("new", "changed", "fixed", "deprecated", "removed", "moved")
TITLES = {kind.capitalize(): kind for kind in KINDS}


def heading(version: str, when: str = "unreleased") -> str:
    """The line a section begins with."""
    return f"## {version} ({when})"


def read_fragments(folder: Path) -> dict[str, list[str]]:
    """The entries of every kind, in the order of the names of their files."""
    entries: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for path in sorted(folder.glob("*.md")):
        kind = path.name.split(".")[-2]
        if kind not in entries:
            raise ValueError(f"{path.name} must end in one of {', '.join(KINDS)}, then .md.")
        entries[kind].append(as_entry(path.read_text(encoding="utf-8")))
    return entries


def as_entry(text: str) -> str:
    """Sentences as an item of a list, whose further lines are indented; a list as it is."""
    text = text.strip()
    return text if text.startswith("- ") else "- " + text.replace("\n", "\n  ")


def blocks_of(section: str) -> dict[str, str]:
    """What stands under each title of a section; under "" what comes before the first."""
    blocks, title = {"": ""}, ""
    for line in section.splitlines(keepends=True):
        if line.strip() in TITLES:
            title = line.strip()
            blocks.setdefault(title, "")
        else:
            blocks[title] += line
    return blocks


def with_entries(section: str, entries: dict[str, list[str]]) -> str:
    """A section with entries added under their titles, which are made where they are missing."""
    blocks = blocks_of(section)
    for title, kind in TITLES.items():
        if entries[kind]:
            blocks[title] = "\n".join([blocks.get(title, "").rstrip("\n"), *entries[kind]]).lstrip()
    return "\n\n".join(_written(blocks)) + "\n"


def _written(blocks: dict[str, str]) -> Iterator[str]:
    if blocks[""].strip():
        yield blocks[""].strip("\n")
    for title in [title for title in blocks if title]:
        yield f"{title}\n{blocks[title].strip(chr(10))}"


def released(text: str, version: str, day: str, entries: dict[str, list[str]]) -> str:
    """The changelog whose unreleased section of this version has its entries and its day."""
    before, found, rest = text.partition(heading(version) + "\n")
    if not found:
        raise ValueError(f"CHANGELOG.md must have a section '{heading(version)}'.")
    end = re.search(r"^## ", rest, re.MULTILINE)
    section, after = (rest[: end.start()], rest[end.start() :]) if end else (rest, "")
    done = with_entries(section, entries)
    return f"{before}{heading(version, day)}\n\n{done}" + (f"\n{after}" if after else "")


def begun(text: str, version: str) -> str:
    """The changelog with an empty section, above the others, for a version to come."""
    first = re.search(r"^## ", text, re.MULTILINE)
    place = first.start() if first else len(text)
    return f"{text[:place]}{heading(version)}\n\n{text[place:]}"
