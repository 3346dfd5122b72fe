"""First use: what is compiled when, and that results do not depend on it."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from echelon import (
    CFS,
    Consistency,
    ForwardAdditive,
    MultiSURF,
    OrderedSoftMargin,
    OrdEval,
    OReliefF,
    RankCorrelation,
    ReliefF,
)
from echelon.cli import main
from echelon.engines import SMALL, NumbaEngine, NumpyEngine, resolve_engine
from echelon.evaluation import monotonicity_violations
from echelon.kernels import Kernel, kernel
from echelon.kernels._compiler import Notice


@kernel
def _half(x):
    return x // 2


@kernel
def _halves(values):
    total = 0
    for i in range(values.shape[0]):
        total += _half(values[i])
    return total


@pytest.fixture
def halves():
    """The loops above, as if never called."""
    for loop in (_half, _halves):
        loop.__dict__.pop("dispatcher", None)
    return _halves


def run(code, cache):
    """What a new process with that cache of compiled code prints."""
    environ = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def violations(X, y):
    """By feature, and all together."""
    found = monotonicity_violations(X, y)
    return np.append(found.per_feature, found.together)


# ------------------------------------------------------------------------------------ loops


def test_a_loop_is_compiled_at_its_first_call_whatever_its_size(halves):
    assert "dispatcher" not in vars(halves)
    for size in (1, 1000):
        assert halves(np.full(size, 3)) == size
    assert len(halves.dispatcher.signatures) == 1


def test_who_imports_a_loop_imports_no_compiler(tmp_path):
    code = "import sys; from echelon.kernels import pairs; print('numba' in sys.modules)"
    assert run(code, tmp_path).split() == ["False"]


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize(
    "outcome",
    [
        lambda X, y: CFS().fit(X, y).path_.value,
        lambda X, y: Consistency().fit(X, y).path_.value,
        lambda X, y: Consistency(discretize="quantile").fit(X, y).path_.value,
        lambda X, y: RankCorrelation().fit(X, y).scores_,
        lambda X, y: RankCorrelation(kind="regression").fit(X, y + X[:, 0] ** 2).scores_,
        lambda X, y: ForwardAdditive(random_state=0).fit(X, y).scores_,
        lambda X, y: OrderedSoftMargin(4, kind="ordinal").fit(X, y).path_.error,
        lambda X, y: OrderedSoftMargin(4, kind="classification").fit(X, y).path_.error,
        lambda X, y: violations(X, y),
    ],
)
def test_loops_say_the_same_by_python_and_compiled(outcome, missing, monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 90)
    X = rng.integers(0, 9, (90, 5)) + y[:, None] * [0.5, 0, -1, 0, 2]
    X[:, 1:][rng.random((90, 4)) < missing] = np.nan
    compiled = outcome(X, y)
    monkeypatch.setattr(Kernel, "__call__", lambda self, *args: self.py_func(*args))
    with np.errstate(all="ignore"):  # as machine code does: numbers that wrap are meant to
        assert_allclose(outcome(X, y), compiled, rtol=1e-10)


def test_somebody_at_a_terminal_is_told(monkeypatch, capsys):
    """When the outermost loop takes long, and once."""
    event = type("Event", (), {"data": {"dispatcher": _halves}})
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("echelon.kernels._compiler.PATIENCE", 0.0)
    notice = Notice()
    notice.on_start(event)
    notice._timer.join()
    notice.on_start(event)
    notice.on_end(event)
    notice.on_end(event)
    assert capsys.readouterr().err.count("compiling _halves") == 1
    monkeypatch.setattr("sys.stderr.isatty", lambda: False)
    notice.on_start(event)
    assert notice._timer is None
    notice.on_end(event)
    assert capsys.readouterr().err == ""


# ---------------------------------------------------------------------------------- engines


def test_auto_goes_by_the_size_of_the_work_alone():
    for _ in range(2):  # before the compiled engine was in use, and after
        engines = [type(resolve_engine("auto", None, work)) for work in (1, SMALL, SMALL + 1)]
        assert engines == [NumpyEngine, NumpyEngine, NumbaEngine]
        ReliefF(engine="numba").fit(np.eye(8), np.arange(8) % 2)
    assert type(resolve_engine("numpy", None)) is NumpyEngine
    assert type(resolve_engine("numba", None, 1)) is NumbaEngine


def test_engines_agree_on_scores():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (120, 6)).astype(float), rng.integers(0, 3, 120)
    plain, compiled = (ReliefF(engine=engine).fit(X, y) for engine in ("numpy", "numba"))
    assert_allclose(plain.scores_, compiled.scores_, rtol=1e-10, atol=1e-12)
    assert_array_equal(plain.order_, compiled.order_)


def test_small_searches_compile_nothing(tmp_path):
    code = (
        "import sys, numpy as np, echelon\n"
        "rng = np.random.default_rng(0)\n"
        "X, y = rng.normal(size=(500, 10)), rng.integers(0, 3, 500)\n"
        "for name in ('ReliefF', 'MultiSURF', 'NPDR', 'OrderedSoftMargin', 'ForwardLinear',\n"
        "             'ForwardAdditive'):\n"
        "    getattr(echelon, name)().fit(X, y)\n"
        "print('numba' in sys.modules)\n"
    )
    assert run(code, tmp_path).split() == ["False"]
    assert not list(tmp_path.rglob("*.nbi"))


@pytest.mark.parametrize("estimator", [OrdEval, OReliefF, ReliefF, MultiSURF])
def test_small_searches_go_to_arrays(estimator, rng, monkeypatch):
    """Every method that looks for neighbours says how much work it has."""
    engines = []
    prepare = NumpyEngine.prepare
    monkeypatch.setattr(
        NumpyEngine, "prepare", lambda self, *args: engines.append(self) or prepare(self, *args)
    )
    estimator().fit(rng.integers(0, 5, (60, 3)), np.arange(60) % 3)
    assert engines


# ------------------------------------------------------------------------------ command line


@pytest.mark.slow
def test_warm_up_fills_the_cache(tmp_path):
    code = "from echelon.cli import main; main(['warm-up', 'consistency', '--quiet'])"
    assert run(code, tmp_path) == ""
    names = {file.name.split("-")[0] for file in tmp_path.rglob("*.nbi")}
    assert {"_loops.majorities", "_loops.mdl_codes"} <= names


def test_warm_up_of_what(capsys):
    assert main(["warm-up", "nosuch"]) == 2
    assert "no method 'nosuch'" in capsys.readouterr().err
    assert main(["warm-up", "forestimportance"]) == 0
    assert "forestimportance" in capsys.readouterr().err
