"""Ctrl-C and SIGTERM end the command wherever they land.

Python turns them into a KeyboardInterrupt at the next step of the main thread.  That is lost where
the step belongs to a destructor or a callback of C, becomes another error where a reader of files
takes it for a failure of its own, and never comes where a lock goes on waiting after signals.  So
a thread of its own sees them arrive, sends them again until the command ends, and ends it at last.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from threading import Event, Thread, main_thread
from time import monotonic
from typing import Any

ENDING = (signal.SIGINT, signal.SIGTERM)

PATIENCE = 1.0
"""Seconds that an interrupt has to reach the top before it is sent again."""

GRACE = 10.0
"""Seconds for all of it, the end of threads and processes included."""


class Signals:
    """What asked this process to end, and that it does.

    Parameters
    ----------
    last_words : callable
        Says that the command was ended, and returns the exit code; called once, with the signal.
    """

    def __init__(self, last_words: Callable[[int], int]) -> None:
        self.received: int | None = None
        self._last_words = last_words
        self._code: int | None = None
        self._raised = -PATIENCE
        self._at_the_top = Event()

    def watch(self) -> None:
        """From now on, except for what whoever started the process wants ignored."""
        for number in ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._interrupt)
        sys.unraisablehook = self._unraisable
        if hasattr(signal, "pthread_kill"):  # not on Windows
            arrived, arrives = os.pipe()
            os.set_blocking(arrives, False)
            signal.set_wakeup_fd(arrives, warn_on_full_buffer=False)
            Thread(target=self._see_to_it, args=(arrived,), daemon=True).start()

    def over(self) -> None:
        """Nothing is left that an interrupt could end."""
        self._at_the_top.set()

    def end(self) -> int:
        """The interrupt is at the top: the exit code, once its words are said."""
        self.over()
        if self._code is None:
            self._code = self._last_words(self.received or signal.SIGINT)
        return self._code

    def _interrupt(self, number: int, _: object) -> None:
        """Raise, unless what an interrupt set going a moment ago is still cleaning up."""
        self.received = number
        if self._at_the_top.is_set() or monotonic() - self._raised < PATIENCE:
            return
        self._raised = monotonic()
        raise KeyboardInterrupt

    def _unraisable(self, lost: Any) -> None:
        """An interrupt that nobody can catch is sent again; nothing is said of it."""
        if not (self.received and issubclass(lost.exc_type, KeyboardInterrupt)):
            sys.__unraisablehook__(lost)

    def _see_to_it(self, arrived: int) -> None:
        while (number := os.read(arrived, 1)[0]) not in ENDING:
            pass
        deadline = monotonic() + GRACE
        while not self._at_the_top.wait(PATIENCE) and monotonic() < deadline:
            signal.siginterrupt(number, True)  # pyarrow leaves locks that go on waiting
            signal.pthread_kill(main_thread().ident or 0, number)
        while monotonic() < deadline:  # the end of Python waits for threads that compute
            Event().wait(deadline - monotonic())
        os._exit(self.end())
