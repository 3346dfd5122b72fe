"""The package as a whole: imports, compiled code on disk, what the tree promises."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import echelon
from echelon import kernels
from echelon.kernels import _compiler

ROOT = Path(__file__).parents[2]


def run_python(code, cwd=None, **env):
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **env},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_importing_the_package_is_light():
    heavy = "{'numba', 'numpy', 'pandas', 'scipy', 'sklearn', 'matplotlib'} & set(sys.modules)"
    assert run_python(f"import sys, echelon; print({heavy} or 'light')") == "light"


def test_a_name_loads_its_own_family_only():
    code = "import sys, echelon; echelon.ReliefF; print('highspy' in sys.modules)"
    assert run_python(code) == "False"


def test_public_names_resolve():
    assert sorted(echelon.__all__) == sorted(sum(echelon._HOMES.values(), ()))
    for name in echelon.__all__:
        assert getattr(echelon, name).__name__ == name
        assert name in dir(echelon)
    with pytest.raises(AttributeError, match="no attribute 'Relieff'"):
        echelon.Relieff  # noqa: B018


FIT = """
import numpy as np, numba.core.event as event
with event.install_recorder("numba:compile") as recorder:
    from echelon import IntervalRelief, OReliefF, Simba
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 3)), np.arange(40) % 3
    OReliefF(random_state=0).fit(X, y)
    Simba(random_state=0).fit(X, y)
    IntervalRelief().fit(X, y)
print(len(recorder.buffer))
"""


@pytest.mark.slow
def test_a_second_process_compiles_nothing(tmp_path):
    assert int(run_python(FIT, NUMBA_CACHE_DIR=str(tmp_path))) > 0
    assert int(run_python(FIT, NUMBA_CACHE_DIR=str(tmp_path))) == 0


INTERRUPTED = """
import os, signal, threading, time
import numpy as np
from echelon import {estimator}
signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it may be ignored
X, y = np.random.default_rng(0).random((30000, 200)), np.arange(30000) % 2
{estimator}(random_state=0, n_jobs={n_jobs}).fit(X[:99], y[:99])
threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    {estimator}(random_state=0, n_jobs={n_jobs}).fit(X, y)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("estimator", ["ReliefF", "Simba"])
def test_a_long_fit_can_be_interrupted(estimator, n_jobs):
    code = INTERRUPTED.format(estimator=estimator, n_jobs=n_jobs)
    assert run_python(code) == "interrupted"


@pytest.mark.filterwarnings("ignore:Compiled code cannot be kept:UserWarning")
def test_kernels_compile_where_nothing_can_be_cached(monkeypatch):
    compiler = _compiler.njit

    def njit(cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return compiler(**options)

    monkeypatch.setattr(_compiler, "njit", njit)
    assert kernels.kernel(lambda x: x + 1)(1) == 2


def test_the_table_of_methods_lists_every_selector():
    table = (ROOT / "docs" / "methods.md").read_text()
    assert set(echelon.__all__) <= set(re.findall(r"`(\w+)`", table))


def test_links_between_pages_lead_somewhere():
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
