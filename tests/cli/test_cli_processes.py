"""The command as a process: signals, pipes, terminals, completion."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from cli_cases import COMMAND, ORDER, call, interrupts

SLOW = ("--method", "neighborhoodsoftmargin")


@pytest.mark.slow
def test_an_interrupt_ends_with_130_and_no_file(long_table, tmp_path):
    out = tmp_path / "out.csv"
    with interrupts():
        job = subprocess.Popen(
            [COMMAND, "rank", long_table, "-t", "y", "--unordered", *SLOW, "-o", out],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    time.sleep(6)
    job.send_signal(signal.SIGINT)
    _, err = job.communicate(timeout=120)
    assert (job.returncode, err) == (130, "echelon: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_help_is_light():
    heavy = "{'numba', 'numpy', 'pandas', 'scipy', 'sklearn', 'matplotlib'} & set(sys.modules)"
    calls = "main(['rank', '--help']); main(['methods'])"
    code = f"import sys; from echelon.cli import main; {calls}; print({heavy})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("set()")
    for text in ("--class-order", "--force", "Examples", "echelon rank credit.csv"):
        assert text in done.stdout


def test_every_command_has_the_same_options(capsys):
    shared = None
    for command in ("rank", "compare", "profile", "bounds"):
        options = set(re.findall(r"--[a-z-]+", call(capsys, command, "--help").out))
        own = {"--method", "--methods", "--n-features", "--tolerance", "--estimator", "--cv",
               "--rises", "--falls", "--together", "--evidence", "--save", "--code", "--reasons",
               "--config", "--save-config", "--targets-as-features"}  # fmt: skip
        shared = shared or options - own
        assert options - own == shared


def test_completion_and_the_module(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "echelon"], capture_output=True, text=True,
        env={**os.environ, "_ECHELON_COMPLETE": "complete_bash", "COMP_CWORD": "3",
             "COMP_WORDS": "echelon rank --method orel"}, check=False,
    )  # fmt: skip
    assert "orelieff" in done.stdout


def test_a_reader_that_stops_is_no_error():
    done = subprocess.run(f"'{COMMAND}' methods | head -1", shell=True, capture_output=True,
                          text=True, check=True)  # fmt: skip
    assert done.stderr == ""


def test_narrow_terminals_cut_nothing_that_matters(credit, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("NO_COLOR", "1")
    for command in (["methods"], ["rank", credit, "-t", "grade", *ORDER]):
        done = call(capsys, *command)
        plain = re.sub(r"\x1b\[[\d;]*m", "", done.out)
        assert max(map(len, plain.splitlines())) <= 60
        assert not re.search(r"\x1b\[[\d;]*3\d", done.out)  # bold may stay, colours not
    assert "income" in done.out
