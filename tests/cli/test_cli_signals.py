"""Ctrl-C and SIGTERM, sent to the command as a process wherever it is at that moment."""

import signal
import subprocess
import sys

import pytest

from cli_cases import interrupts

# What others do to an interrupt, in the place of a command's work.
PROGRAM = """
import ctypes, os, signal, sys, threading, time
from echelon.cli import _main

def press(number=int(sys.argv[2])):
    os.kill(os.getpid(), number)
    time.sleep(60)

def raised():
    press()

def swallowed():
    try:
        press()
    except BaseException:
        time.sleep(600)

def taken_for_an_error():
    try:
        press()
    except BaseException:
        raise ValueError("Calling read(nbytes) on source failed") from None

def taken_for_success():
    try:
        press()
    except BaseException:
        return 0

def in_a_callback_of_c():
    ctypes.CFUNCTYPE(None)(press)()
    time.sleep(600)

class Dies:
    def __del__(self):
        press()

def in_a_destructor():
    Dies()
    time.sleep(600)

def in_a_lock_that_goes_on_waiting():
    signal.siginterrupt(int(sys.argv[2]), False)
    threading.Timer(0.2, os.kill, (os.getpid(), int(sys.argv[2]))).start()
    threading.Event().wait()

def twice():
    try:
        press()
    finally:
        os.kill(os.getpid(), signal.SIGINT)
        print("cleaned up")

def while_a_thread_computes():
    threading.Thread(target=time.sleep, args=(600,)).start()
    press()

_main._run = lambda arguments: globals()[arguments[0]]() or 0
sys.exit(_main.main())
"""

PLACES = [
    "raised", "swallowed", "taken_for_an_error", "taken_for_success", "in_a_callback_of_c",
    "in_a_destructor", "in_a_lock_that_goes_on_waiting", "twice", "while_a_thread_computes",
]  # fmt: skip


def ended(program, *arguments, handler=signal.default_int_handler):
    """A process that has ended."""
    with interrupts(handler):
        job = subprocess.Popen(
            [sys.executable, "-c", program, *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    try:
        out, err = job.communicate(timeout=120)
    finally:
        job.kill()
    return job.returncode, out, err


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_an_interrupt_ends_the_command_wherever_it_lands(place):
    printed = "cleaned up\n" if place == "twice" else ""
    done = ended(PROGRAM, place, int(signal.SIGINT))
    assert done == (130, printed, "echelon: interrupted\n")


@pytest.mark.parametrize("place", ["swallowed", "in_a_callback_of_c"])
def test_so_does_the_signal_to_terminate(place):
    done = ended(PROGRAM, place, int(signal.SIGTERM))
    assert done == (143, "", "echelon: terminated\n")


def test_what_is_ignored_from_the_start_stays_ignored():
    """As for `nohup`, and for what a script starts in the background."""
    code = "import os, signal, sys; from echelon.cli import _main\n"
    code += "_main._run = lambda _: os.kill(os.getpid(), signal.SIGINT) or 0\n"
    code += "sys.exit(_main.main())"
    assert ended(code, handler=signal.SIG_IGN) == (0, "", "")


def test_other_mishaps_in_destructors_are_shown():
    code = "import sys; from echelon.cli import _main\n"
    code += "class Dies:\n    def __del__(self): raise OSError('lost')\n"
    code += "_main._run = lambda _: Dies() and 0\n"
    code += "sys.exit(_main.main())"
    done, _, err = ended(code)
    assert done == 0
    assert "OSError: lost" in err
