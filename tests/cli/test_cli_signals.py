"""Ctrl-C and SIGTERM, sent to the command as a process wherever it is at that moment."""

import signal
import subprocess
import sys

import pytest

from cli_cases import listening

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


def ended(place, number, **options):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, place, str(int(number))],
        capture_output=True, text=True, check=False, timeout=120, **options,
    )  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_an_interrupt_ends_the_command_wherever_it_lands(place):
    done = ended(place, signal.SIGINT, preexec_fn=listening)
    assert (done.returncode, done.stderr) == (130, "echelon: interrupted\n")
    assert done.stdout == ("cleaned up\n" if place == "twice" else "")


@pytest.mark.parametrize("place", ["swallowed", "in_a_callback_of_c"])
def test_so_does_the_signal_to_terminate(place):
    done = ended(place, signal.SIGTERM)
    assert (done.returncode, done.stderr) == (143, "echelon: terminated\n")


def test_what_is_ignored_from_the_start_stays_ignored():
    """As for `nohup`, and for what a script starts in the background."""
    code = "import os, signal, sys; from echelon.cli import _main\n"
    code += "_main._run = lambda _: os.kill(os.getpid(), signal.SIGINT) or 0\n"
    code += "sys.exit(_main.main())"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_other_mishaps_in_destructors_are_shown():
    code = "import sys; from echelon.cli import _main\n"
    code += "class Dies:\n    def __del__(self): raise OSError('lost')\n"
    code += "_main._run = lambda _: Dies() and 0\n"
    code += "sys.exit(_main.main())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "OSError: lost" in done.stderr
