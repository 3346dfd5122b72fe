"""Running the command: exit codes, and one line on standard error for everything that is wrong."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Sequence
from typing import TextIO

from echelon._core.unseen import visible
from echelon.cli._signals import Signals

DONE, BROKEN, WRONG_INPUT, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``echelon`` with these arguments; returns the exit code.

    0: done.  2: wrong input, said in one line on standard error.  130: interrupted.
    143: terminated.  1: a mistake of ours; ``--debug`` shows where, as for wrong input.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if sys.stderr is None:  # closed: what is wrong must not go to standard output, or to a file
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        return _say("Standard output is closed. Send it somewhere, as > /dev/null.", WRONG_INPUT)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # terminals that cannot show a character get a "?"
            stream.reconfigure(errors="replace")
    signals = Signals(_last_words)
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


def _last_words(number: int) -> int:
    terminated = number == signal.SIGTERM
    return _say(*(("terminated", TERMINATED) if terminated else ("interrupted", INTERRUPTED)))


def _run(arguments: list[str]) -> int:
    import typer

    from echelon.cli._app import app
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
        return _say(ours or "There is not enough memory for this. Use fewer rows or columns.",
                    WRONG_INPUT)  # fmt: skip
    if isinstance(error, ValueError | TypeError | OSError):
        return _say(_in_words(error), WRONG_INPUT)
    return _say(f"{type(error).__name__}: {error} (a mistake of echelon; --debug shows it)", BROKEN)


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename!r}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning of ours in one line; those of others not at all."""
    if category is UserWarning and "echelon" in filename:
        _say(str(message), DONE)


def _say(message: str, code: int) -> int:
    print("echelon:", visible(" ".join(message.split())), file=sys.stderr)
    return code
