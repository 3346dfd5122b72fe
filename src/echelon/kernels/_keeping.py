"""Compiled code on disk: kept where it can be, done without where it cannot, and that said once."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

NOWHERE = "neither the folder of echelon nor one in the home folder can be written to"


class Keeper:
    """Numba's store of one loop, without which everything goes on, only slower.

    A full disk must not end a fit, nor must files that a crash left damaged.

    Parameters
    ----------
    store : numba.core.caching.Cache
        The store as Numba makes it.
    """

    def __init__(self, store: Any) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def load_overload(self, *args: Any) -> Any:
        """Machine code, None if there is none that can be read."""
        try:
            return self._store.load_overload(*args)
        except Exception:  # whatever unpickling a part of a file leads to
            self._forget()
            return None

    def _forget(self) -> None:
        """Begin with an empty index: a damaged one would be in the way of saving, too."""
        try:
            self._store.flush()
        except OSError as error:
            self._store.disable()
            _say_why(error)

    def save_overload(self, *args: Any) -> None:
        """Keep machine code if there is room."""
        try:
            self._store.save_overload(*args)
        except OSError as error:
            _say_why(error)


def _say_why(error: OSError) -> None:
    say_where_to_keep(error.strerror or type(error).__name__)


@cache
def say_where_to_keep(why: str = NOWHERE) -> None:
    """Warn that every process will compile anew, and say what to do; at the first call only."""
    warnings.warn(
        f"Compiled code cannot be kept ({why}): every process compiles it anew, which takes a "
        "minute or two. Set NUMBA_CACHE_DIR to a folder that can be written to.",
        stacklevel=2,  # a file of ours: the command shows no warning of others
    )
