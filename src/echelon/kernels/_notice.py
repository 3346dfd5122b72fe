"""Numba, and a line on a terminal when it compiles for more than a second."""

from __future__ import annotations

import sys
from threading import Lock, Timer

from numba import njit
from numba.core.event import Event, Listener, register

__all__ = ["njit"]

PATIENCE = 1.0
"""Seconds of compiling after which whoever waits is told why."""


class _Notice(Listener):
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


register("numba:compile", _Notice())
