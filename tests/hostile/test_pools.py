"""Within processes of others: searches over parameters, pools, and little room to share arrays."""

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from echelon import AutoSelector


def some_table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    return X, (X[:, 1] + 0.3 * rng.normal(size=60) > 0).astype(int)


def ranked(seed):
    """What a process of a pool is asked for."""
    found = AutoSelector("classification", cv=3, random_state=seed).fit(*some_table())
    return found.order_.tolist(), found.score_


@pytest.mark.slow
def test_a_search_over_parameters_in_processes():
    steps = [("select", AutoSelector("classification", cv=3, random_state=0)),
             ("model", LogisticRegression())]  # fmt: skip
    searches = [
        GridSearchCV(
            Pipeline(steps), {"select__n_features_to_select": [1, 2]}, cv=2, n_jobs=n_jobs
        ).fit(*some_table())
        for n_jobs in (1, 2)
    ]
    one, two = (each.cv_results_["mean_test_score"] for each in searches)
    assert one.tolist() == two.tolist()
    assert min(one) > 0.7
    assert searches[0].best_params_ == searches[1].best_params_


@pytest.mark.slow
@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes are not forked")
def test_a_pool_of_processes(start):
    here = ranked(0)  # threads have run before processes are forked
    with ProcessPoolExecutor(2, mp_context=get_context(start)) as pool:
        assert list(pool.map(ranked, [0, 0], timeout=300)) == [here, here]


# A folder with room for 64 kB, on a file system of its own.
SMALL = """
import os, sys
import numpy as np
from joblib import parallel_config
from echelon._core.files import write_whole
from echelon._core.jobs import Jobs
arrays = [(np.full(400_000, k, dtype=float),) for k in range(2)]
for work in (
    lambda: write_whole(os.path.join(sys.argv[1], "out.csv"), bytes(1_000_000)),
    lambda: Jobs(2)("sums", np.sum, arrays),
):
    try:
        with parallel_config("loky"):
            print(work())
    except OSError as error:
        print(type(error).__name__, error)
print([name for name in os.listdir(sys.argv[1]) if "out" in name])
"""


def mounted(folder, command):
    """The command in a name space of its own, where a small file system is in the folder."""
    mount = 'mount -t tmpfs -o size=64k none "$0" && exec "$@"'
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, str(folder), *command]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there are no name spaces")
def test_a_small_file_system_in_memory(tmp_path):
    try:
        subprocess.run(mounted(tmp_path, ["true"]), check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("file systems cannot be mounted here")
    done = subprocess.run(
        mounted(tmp_path, [sys.executable, "-c", SMALL, str(tmp_path)]),
        env={**os.environ, "JOBLIB_TEMP_FOLDER": str(tmp_path)},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    written, shared, left = done.stdout.splitlines()
    assert written.startswith("OSError")
    assert "No space left" in written
    assert shared.startswith("OSError The folder through which processes share arrays is full.")
    assert "JOBLIB_TEMP_FOLDER" in shared
    assert left == "[]"
