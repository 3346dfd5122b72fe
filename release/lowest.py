"""The oldest versions ``pyproject.toml`` allows, as constraints for pip: ``make test-lowest``.

They are read, never written down again, so that what is tested is what is promised.
"""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"

FLOOR = re.compile(r"(?P<name>[\w.-]+)(?:\[[\w,]+\])?>=(?P<version>[\d.]+)")


def lowest(project: dict, others: Sequence[str] = ()) -> dict[str, str]:
    """The oldest version of every package that is needed, or that an extra needs; and of others."""
    extras = project.get("optional-dependencies", {})
    pins = {}
    for requirement in sum(extras.values(), [*project["dependencies"], *others]):
        if requirement.startswith(f"{project['name']}["):  # an extra made of others
            continue
        floor = FLOOR.fullmatch(requirement)
        if floor is None:
            raise ValueError(f"{requirement!r} must name its oldest version, as in 'numpy>=2.0'.")
        pins[floor["name"]] = floor["version"]
    return pins


if __name__ == "__main__":
    read = tomllib.loads(PYPROJECT.read_text())
    for name, version in lowest(read["project"], read["dependency-groups"]["tables"]).items():
        print(f"{name}=={version}")
