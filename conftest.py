"""Modules that need an optional package are looked at where it is installed; the site's never."""

from importlib.util import find_spec

NEEDED_BY = {"distributed": "engines/dask", "torch": "engines/torch"}

collect_ignore = [
    f"src/echelon/{folder}" for package, folder in NEEDED_BY.items() if find_spec(package) is None
]
if find_spec("triton") is None:
    collect_ignore.append("src/echelon/engines/torch/_gpu.py")
collect_ignore += [f"docs/{made}" for made in ("conf.py", "_site", "_build", "api", "gallery")]
