"""What happens around a run: signals, full disks, places that cannot be written to."""

import errno
import os
import signal
import subprocess
import sys
import warnings

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.ensemble import ExtraTreesRegressor

from cli_cases import interrupts
from echelon import ForestImportance
from echelon._core.files import write_whole
from echelon._core.jobs import Jobs
from echelon.filters import _forest

PYTHON = (sys.executable, "-m", "echelon")

# A process that may write files of a few kilobytes only, as if the disk were full beyond that.
FULL = """
import resource, signal, sys
from echelon._core.files import write_whole
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    write_whole(sys.argv[1], bytes(100_000), overwrite=True)
except OSError as error:
    print(type(error).__name__, error.errno)
"""


@pytest.mark.parametrize("before", [None, b"old"])
def test_a_full_disk_leaves_the_old_file_or_none(tmp_path, before):
    path = tmp_path / "out.csv"
    if before is not None:
        path.write_bytes(before)
    done = subprocess.run(
        [sys.executable, "-c", FULL, path], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("OSError")
    left = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    assert left == ({} if before is None else {"out.csv": before})


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_standard_output_on_a_full_disk():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*PYTHON, "methods", "--json"], stdout=full, stderr=subprocess.PIPE, text=True,
            check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (2, "echelon: No space left on device\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGTERM, 143, "terminated"), (signal.SIGINT, 130, "interrupted")],
)
def test_a_signal_while_the_data_are_awaited(tmp_path, number, code, said):
    fifo = tmp_path / "data.csv"
    os.mkfifo(fifo)
    with interrupts():
        job = subprocess.Popen(
            [*PYTHON, "profile", fifo, "-t", "g", "-o", tmp_path / "out.csv"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    with open(fifo, "wb"):  # opens when the command reads
        job.send_signal(number)
        out, err = job.communicate(timeout=120)
    assert (job.returncode, out, err) == (code, "", f"echelon: {said}\n")
    assert [each.name for each in tmp_path.iterdir()] == ["data.csv"]


def end_itself(number):
    """As a system that is out of memory ends a process."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_process_that_is_killed():
    arguments = [(number,) for number in range(6)]
    with parallel_config("loky"), pytest.raises(MemoryError, match=r"was ended.*fewer jobs"):
        Jobs(2)("numbers", end_itself, arguments)
    with parallel_config("loky"):
        assert Jobs(2)("numbers", end_itself, arguments[:3]) == [0, 1, 2]


class Unsendable:
    """What cannot be written to the folder through which processes share arrays."""

    def __reduce__(self):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_folder_for_the_data_of_processes():
    with parallel_config("loky"), pytest.raises(OSError, match=r"is full.*JOBLIB_TEMP_FOLDER"):
        Jobs(2)("numbers", end_itself, [(Unsendable(),), (Unsendable(),)])


class DisorderlyForest(ExtraTreesRegressor):
    """What threads of scikit-learn do to filters of warnings if they meet at the wrong time."""

    def fit(self, X, y, sample_weight=None):
        warnings.warn(
            "`sklearn.utils.parallel.delayed` should be used with ...", UserWarning, stacklevel=1
        )
        warnings.resetwarnings()
        warnings.simplefilter("ignore")
        return super().fit(X, y, sample_weight)


def test_threads_that_meet_at_filters_of_warnings(monkeypatch):
    monkeypatch.setattr(_forest, "ExtraTrees", DisorderlyForest)
    before = list(warnings.filters)
    ForestImportance(n_estimators=5, random_state=0).fit(np.eye(9), np.arange(9))
    assert warnings.filters == before != []


def test_a_folder_that_cannot_be_written_to(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(PermissionError, match="cannot be written to"):
        write_whole(tmp_path / "out.csv", "text")
    assert list(tmp_path.iterdir()) == []
