"""What in a result calls for care, one sentence each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from echelon._core.words import listed, number

UNSTABLE = 0.6
"""Below this stability a caveat is due."""


def result_caveats(
    summary: dict[str, Any], methods: Sequence[dict[str, Any]], *, default_model: bool
) -> list[str]:
    """What in the result calls for care."""
    found = []
    chosen = next(m for m in methods if m["name"] == summary["answer"]["method"])
    stability = chosen["stability"]
    if stability and stability["index"] < UNSTABLE:
        found.append(
            f"The choice is not stable ({number(stability['index'], 2)}, where 1 is always the "
            "same and 0 is chance): half of the samples would often lead to other features."
        )
    found += [f"{listed(group)} say nearly the same; one may do." for group in summary["groups"]]
    if len(methods) > 1:
        found.append(
            f"{chosen['name']} was chosen among {len(methods)} methods by their curves; the "
            "held-out score allows for that, the curve does not."
        )
    if default_model:
        found.append(
            "Features were judged by a linear model; to another one, features that act only "
            "together or along a curve may be worth more."
        )
    return found
