"""Running the command: exit codes, one line for everything that is wrong, and how it is ended.

Python turns Ctrl-C and SIGTERM into a KeyboardInterrupt at the next step of the main thread.  That
is lost where the step belongs to a destructor or a callback of C, becomes another error where a
reader of files takes it for a failure of its own, and never comes where a lock goes on waiting
after signals.  So a thread of its own sees them arrive, sends them again until the command ends,
and ends it at last.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Sequence
from threading import Event, Thread, main_thread
from time import monotonic
from typing import Any

from echelon._core.extras import MissingExtraError, require
from echelon._core.words import visible

DONE, BROKEN, WRONG_INPUT, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143

ENDING = (signal.SIGINT, signal.SIGTERM)

PATIENCE = 1.0
"""Seconds that an interrupt has to reach the top before it is sent again."""

GRACE = 10.0
"""Seconds for all of it, the end of threads and processes included."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``echelon`` with these arguments; returns the exit code.

    0: done.  2: wrong input, said in one line on standard error.  130: interrupted.
    143: terminated.  1: internal error; ``--debug`` shows where, as for wrong input.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if sys.stderr is None:  # closed: what is wrong must not go to standard output, or to a file
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        return _say("Standard output is closed. Send it somewhere, as > /dev/null.", WRONG_INPUT)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # terminals that cannot show a character get a "?"
            stream.reconfigure(errors="replace")
    signals = Signals()
    try:
        if argv is None:  # a process of its own
            signals.watch()
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            code = _run(arguments)
        return code if signals.received is None else signals.end()
    except KeyboardInterrupt:
        return signals.end()
    except BrokenPipeError:  # the reader, say `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception as error:
        if signals.received is not None:  # a reader took the interrupt for an error of its own
            return signals.end()
        if "--debug" in arguments:
            raise
        return _explain(error)
    finally:
        signals.over()


def _run(arguments: list[str]) -> int:
    try:
        import typer

        from echelon.cli._app import app
    except ModuleNotFoundError:
        require("The command needs", "cli", "typer", "rich")
        raise
    from echelon.cli._options import ARGUMENTS

    ARGUMENTS[:] = arguments
    try:
        code = app(arguments, prog_name="echelon", standalone_mode=False)
    except typer.Abort:  # how some versions of typer pass an interrupt on
        raise KeyboardInterrupt from None
    except SystemExit as end:  # and how some meet a reader that has seen enough
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        raise
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    sys.stdout.flush()
    return code if isinstance(code, int) else DONE


def _explain(error: Exception) -> int:
    if hasattr(error, "format_message"):  # wrong usage, found by typer
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "echelon"
        return _say(f"{error.format_message()} See '{command} --help'.", WRONG_INPUT)
    if isinstance(error, MemoryError):
        ours = str(error) if type(error) is MemoryError else ""
        said = ours or "There is not enough memory for this. Use fewer rows or columns."
        return _say(said, WRONG_INPUT)
    if isinstance(error, OSError) and error.strerror:
        where = f": {error.filename!r}" if error.filename else ""
        return _say(f"{error.strerror}{where}", WRONG_INPUT)
    if isinstance(error, ValueError | TypeError | OSError | MissingExtraError):
        return _say(str(error) or type(error).__name__, WRONG_INPUT)
    return _say(f"{type(error).__name__}: {error} (internal error; --debug shows it)", BROKEN)


def _show_warning(
    message: Warning | str, category: type[Warning], filename: str, *_: object, **__: object
) -> None:
    """A warning of ours in one line; those of others not at all."""
    if category is UserWarning and "echelon" in filename:
        _say(str(message), DONE)


def _say(message: str, code: int) -> int:
    print("echelon:", visible(" ".join(message.split())), file=sys.stderr)
    return code


class Signals:
    """What asked this process to end, and that it does."""

    def __init__(self) -> None:
        self.received: int | None = None
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
            terminated = self.received == signal.SIGTERM
            self._code = TERMINATED if terminated else INTERRUPTED
            _say("terminated" if terminated else "interrupted", self._code)
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
