"""How many odd cases are tried: some with a fixed seed, or as many as ``make hostile`` says."""

import os

from hypothesis import HealthCheck, settings

QUICK = 60
"""Cases of weight 1, in `make test`."""

WEIGHTS = 12.39
"""Of all parts, among which the cases that were asked for are shared out."""


def hostile(weight):
    """Settings of a part of the campaign; a part of weight 2 gets twice the cases."""
    asked = os.environ.get("HOSTILE_CASES")
    return settings(
        max_examples=max(1, int(weight * (QUICK if asked is None else int(asked) / WEIGHTS))),
        derandomize=asked is None,
        database=None,
        deadline=None,
        print_blob=asked is not None,
        suppress_health_check=list(HealthCheck),
    )
