"""Where compiled code can be kept, said once, if it can be kept nowhere."""

import warnings
from functools import cache


@cache
def say_where_to_keep() -> None:
    """Warn that every process will compile anew, and say what to do; at the first call only."""
    warnings.warn(
        "Compiled code cannot be kept, since neither the folder of echelon nor one in the home "
        "folder can be written to: every process compiles it anew, which takes a minute or two. "
        "Set NUMBA_CACHE_DIR to a folder that can be written to.",
        stacklevel=3,
    )
