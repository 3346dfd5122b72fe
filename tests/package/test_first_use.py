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
from echelon.engines import NumbaEngine, NumpyEngine, _resolve, resolve_engine
from echelon.evaluation import monotonicity_violations
from echelon.kernels import compiling, kernel
from echelon.kernels._jit import UNCOMPILED_STEPS, WORTH_A_LOOK, Kernel
from echelon.kernels._notice import _Notice


@kernel
def _half(x):
    return x // 2


@kernel(steps=lambda values: 100)
def _halves(values):
    total = 0
    for i in range(values.shape[0]):
        total += _half(values[i])
    return total


@pytest.fixture
def halves():
    """The loops above, as if never called."""
    for loop in (_half, _halves):
        loop._called, loop._steps_taken = False, 0
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


def test_a_loop_is_compiled_once_it_had_many_steps(halves, monkeypatch):
    monkeypatch.setattr(Kernel, "at_hand", False)  # whatever runs before have left on disk
    values = np.array([2, 4, 7])
    n_calls = UNCOMPILED_STEPS // 100
    for _ in range(n_calls - 1):
        assert halves(values) == 6
    assert "dispatcher" not in vars(halves)
    assert "dispatcher" not in vars(_half)
    assert halves(values) == 6
    assert len(halves.dispatcher.signatures) == 1


def test_large_work_is_compiled_at_once(halves, monkeypatch):
    monkeypatch.setattr(Kernel, "at_hand", False)
    assert not halves.pays(UNCOMPILED_STEPS - 1)
    assert halves.pays(1)


def test_everything_is_compiled_when_told_so(halves):
    with compiling():
        assert halves.pays(0)
        assert halves.at_hand
        halves(np.array([1]))
    assert len(halves.dispatcher.signatures) == 1


def test_code_on_disk_is_at_hand(tmp_path):
    code = (
        "from echelon.kernels.order import kth_smallest as loop; import numpy as np;"
        "print(loop.at_hand); loop(np.ones(3), 1); print(loop.at_hand)"
    )
    assert run(code, tmp_path).split() == ["False", "True"]
    assert run(code, tmp_path).split() == ["True", "True"]


def test_only_much_small_work_looks_for_code_on_disk(halves, monkeypatch):
    looks = []
    monkeypatch.setattr(Kernel, "at_hand", property(lambda self: looks.append(self) or False))
    for _ in range(WORTH_A_LOOK // 100):
        assert halves(np.array([3])) == 1
    assert looks == []
    assert halves(np.array([3])) == 1
    assert looks == [halves]
    monkeypatch.setattr(Kernel, "at_hand", True)
    assert halves.pays(WORTH_A_LOOK + 1)


def test_who_asks_often_is_answered_from_memory(halves, monkeypatch):
    looks = []
    monkeypatch.setattr(Kernel, "_is_on_disk", lambda self: looks.append(self) or len(looks) > 1)
    monkeypatch.setattr("echelon.kernels._jit.SECONDS_BETWEEN_LOOKS", 1000.0)
    assert not any(halves.at_hand for _ in range(100))
    assert looks == [halves]
    monkeypatch.setattr("echelon.kernels._jit.SECONDS_BETWEEN_LOOKS", -1.0)
    assert halves.at_hand
    assert looks == [halves, halves]


def test_who_looks_for_code_on_disk_imports_no_compiler(tmp_path):
    code = (
        "import sys; from echelon.kernels.order import kth_smallest;"
        "print(kth_smallest.at_hand, 'numba' in sys.modules)"
    )
    assert run(code, tmp_path).split() == ["False", "False"]


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
    with compiling():
        compiled = outcome(X, y)
    monkeypatch.setattr(Kernel, "pays", lambda self, steps: False)
    for loop in _loops():
        if loop._steps is not None:
            monkeypatch.setattr(loop, "_called", False)
    assert_allclose(outcome(X, y), compiled, rtol=1e-10)


def _loops():
    modules = [module for name, module in sys.modules.items() if name.startswith("echelon.")]
    return {id(v): v for m in modules for v in vars(m).values() if isinstance(v, Kernel)}.values()


def test_somebody_at_a_terminal_is_told(monkeypatch, capsys):
    """When the outermost loop takes long, and once."""
    event = type("Event", (), {"data": {"dispatcher": _halves}})
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("echelon.kernels._notice.PATIENCE", 0.0)
    notice = _Notice()
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


def test_auto_goes_by_the_size_of_the_work(monkeypatch):
    for at_hand, medium in ((False, NumpyEngine), (True, NumbaEngine)):
        monkeypatch.setattr(NumbaEngine, "at_hand", staticmethod(lambda at_hand=at_hand: at_hand))
        works = (1, _resolve.SMALL, 2 * _resolve.SMALL, _resolve.LARGE, 2 * _resolve.LARGE)
        engines = [type(resolve_engine("auto", None, work)) for work in works]
        assert engines == [NumpyEngine, NumpyEngine, medium, medium, NumbaEngine]
    assert type(resolve_engine("numpy", None)) is NumpyEngine
    assert type(resolve_engine("numba", None, 1)) is NumbaEngine


def test_engines_agree_on_scores():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (120, 6)).astype(float), rng.integers(0, 3, 120)
    plain, compiled = (ReliefF(engine=engine).fit(X, y) for engine in ("numpy", "numba"))
    assert_allclose(plain.scores_, compiled.scores_, rtol=1e-10, atol=1e-12)
    assert_array_equal(plain.order_, compiled.order_)


def test_first_fits_compile_nothing(tmp_path):
    code = (
        "import sys, numpy as np, echelon\n"
        "rng = np.random.default_rng(0)\n"
        "X, y = rng.normal(size=(200, 5)), rng.integers(0, 3, 200)\n"
        "for name in ('ReliefF', 'OReliefF', 'CFS', 'OrderedSoftMargin', 'RankCorrelation'):\n"
        "    getattr(echelon, name)().fit(X, y)\n"
        "print('numba' in sys.modules)\n"
        "echelon.ForwardAdditive().fit(X, y)"  # may look for compiled code
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
    assert {"_label_loops.majorities", "_label_loops.mdl_codes"} <= names


def test_warm_up_of_what(capsys):
    assert main(["warm-up", "nosuch"]) == 2
    assert "no method 'nosuch'" in capsys.readouterr().err
    assert main(["warm-up", "forestimportance"]) == 0
    assert "forestimportance" in capsys.readouterr().err
