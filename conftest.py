"""For all tests, those of pages and docstrings, too: threads, and what is looked at.

Modules that need an optional package are looked at where it is installed; the site's never.
"""

import os
from importlib.util import find_spec

# Before numpy is imported.  A process of pytest-xdist has a core to itself; threads on the others
# only cost: a quarter of the time of `AutoSelector`.  Tests of threads ask for them.
if "PYTEST_XDIST_WORKER" in os.environ:
    for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")

import pytest

# What these assert holds under -O, too, and says what was compared.
pytest.register_assert_rewrite(
    "cli_cases", "hostile_cases", "reference_bounds", "reference_moments"
)

NEEDED_BY = {"distributed": "engines/dask", "torch": "engines/torch"}

collect_ignore = [
    f"src/echelon/{folder}" for package, folder in NEEDED_BY.items() if find_spec(package) is None
]
if find_spec("triton") is None:
    collect_ignore += ["src/echelon/engines/torch/_gpu.py"]
collect_ignore += [f"docs/{made}" for made in ("conf.py", "_site", "_build", "api", "gallery")]


def pytest_collection_modifyitems(items):
    """Pages cannot be marked; of these, one compiles for half a minute, one fits for long."""
    for item in items:
        if item.path.name in ("scale.md", "evaluation.md"):
            item.add_marker(pytest.mark.slow)
