"""Modules that need an optional package are looked at where it is installed; the site's never."""

from importlib.util import find_spec

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
    collect_ignore.append("src/echelon/engines/torch/_gpu.py")
collect_ignore += [f"docs/{made}" for made in ("conf.py", "_site", "_build", "api", "gallery")]
