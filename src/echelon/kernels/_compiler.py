"""Numba as it is used here: machine code kept on disk, and a line on a terminal when it compiles.

Imported when the first loop is called, since importing Numba takes half a second.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import cache
from threading import Lock, Timer
from typing import Any

from numba import njit
from numba.core.event import Event, Listener, register

# Sums may be re-associated into SIMD lanes; NaN and infinity keep their meaning.  A loop contains
# the loops it calls: a call would run the copy that this process loaded first, whose sums may be
# arranged in another way, so that the last bits would depend on what was compiled before.
_OPTIONS = {
    "nogil": True,
    "fastmath": {"reassoc", "contract", "arcp", "nsz"},
    "error_model": "numpy",
    "forceinline": True,
}

NOWHERE = "neither the folder of echelon nor one in the home folder can be written to"

PATIENCE = 1.0
"""Seconds of compiling after which whoever waits is told why."""


def compiled(function: Callable[..., Any]) -> Any:
    """A loop that is compiled when called; where no folder is writable, in every process again."""
    try:
        made = njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:  # Numba found no folder for its files
        say_where_to_keep()
        return njit(**_OPTIONS)(function)
    made._cache = Keeper(made._cache)
    return made


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
    """Warn that every process will compile again, and say what to do; at the first call only."""
    warnings.warn(
        f"Compiled code cannot be kept ({why}): every process compiles it again, which takes a "
        "minute or two. Set NUMBA_CACHE_DIR to a folder that can be written to.",
        stacklevel=2,  # a file of ours: the command shows no warning of others
    )


class Notice(Listener):
    """Loops compile the loops they call: the outermost starts the clock and stops it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._depth = 0
        self._timer: Timer | None = None

    def on_start(self, event: Event) -> None:
        with self._lock:
            self._depth += 1
            if self._depth == 1 and sys.stderr is not None and sys.stderr.isatty():
                self._timer = Timer(PATIENCE, _say, [event.data["dispatcher"].py_func.__name__])
                self._timer.daemon = True
                self._timer.start()

    def on_end(self, event: Event) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0 and self._timer is not None:
                self._timer.cancel()
                self._timer = None


def _say(name: str) -> None:
    print(
        f"echelon: compiling {name} for this machine, once; later runs find it on disk "
        "('echelon warm-up' prepares all)",
        file=sys.stderr,
        flush=True,
    )


register("numba:compile", Notice())
