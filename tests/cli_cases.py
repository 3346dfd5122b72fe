"""Calling the command from tests, and the tables it is tried on."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from echelon.cli import main

ORDER = ("--class-order", "low,medium,high")
"""Of the grades in ``credit``."""

COMMAND = Path(sys.executable).with_name("echelon")


class Done(NamedTuple):
    code: int
    out: str
    err: str

    def check_refused(self, *fragments):
        """Exit code 2, and one line on standard error that says what is wrong."""
        assert self.code == 2, self
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("echelon: ")
        assert self.out == ""
        for fragment in fragments:
            assert fragment in lines[0]


def call(capsys, *arguments):
    """Run the command in this process."""
    capsys.readouterr()
    code = main([str(each) for each in arguments])
    out, err = capsys.readouterr()
    return Done(code, out, err)


def run(*arguments, stdin=None, cwd=None, **env):
    """Run the installed command as a user does."""
    done = subprocess.run(
        [COMMAND, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, **env},
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


@contextmanager
def interrupts(handler=signal.default_int_handler):
    """What Ctrl-C does in processes started within; tests in the background may ignore it."""
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def grades(n=90, seed=0):
    """Three ordered grades that one column decides, another one follows, and two ignore."""
    rng = np.random.default_rng(seed)
    income = rng.normal(size=n)
    grade = np.digitize(income, [-0.5, 0.5])
    return pd.DataFrame(
        {
            "customer": [f"C{k:04d}" for k in rng.permutation(n)],
            "income": income.round(3) + 0.0,
            "debt": (-income + rng.normal(size=n)).round(3),
            "noise": rng.normal(size=n).round(3),
            "home": rng.choice(["own", "rent"], n),
            "country": "DE",
            "grade": grade,
        }
    )
