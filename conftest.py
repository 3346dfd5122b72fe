"""Modules that need an optional package are looked at where it is installed."""

from importlib.util import find_spec

NEEDED_BY = {
    "distributed": ["engines/_cluster.py", "engines/_dask.py", "engines/_rowblocks.py"],
    "torch": [
        "engines/_encoding.py",
        "engines/_exact.py",
        "engines/_tiles.py",
        "engines/_torch.py",
        "kernels/sums.py",
    ],
    "triton": ["kernels/gpu.py"],
}

collect_ignore = [
    f"src/echelon/{module}"
    for package, modules in NEEDED_BY.items()
    if find_spec(package) is None
    for module in modules
]
