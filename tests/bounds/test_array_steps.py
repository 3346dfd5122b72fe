"""Steps and certificates by array operations against the compiled ones."""

import multiprocessing
import os
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose

from echelon._core.jobs import Jobs
from echelon.bounds import _certificates, _interior_point, _tier
from echelon.bounds._interior_point import InteriorPoint
from echelon.bounds._program import ordinal_program, regression_program


def draw(seed):
    """A program of any kind."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(8, 60)), int(rng.integers(1, 7))
    X = rng.normal(size=(n, p))
    C = float(rng.choice([0.1, 1.0, 10.0]))
    if seed % 3 == 0:
        program = regression_program(X, X[:, 0] + rng.normal(size=n), C)
    else:
        codes = np.digitize(X[:, 0] + rng.normal(size=n), [-0.5, 0.5][: seed % 3])
        program = ordinal_program(X, np.unique(codes, return_inverse=True)[1], C)
    if seed % 4 == 1:
        program = replace(program, l2=0.5)
    if seed % 4 == 2:
        program = program.fixing({0: (-0.2, 0.1)})
    return program


def solve(program, budget):
    """The optimum, and the extremes of the first weight among models nearly as good."""
    fit = InteriorPoint(program).fit()
    within = replace(program.within(fit, 0.1, budget), l2=0.0)
    extremes = [InteriorPoint(within).extreme(0, sign) for sign in (1, -1)]
    return [fit, *extremes]


@pytest.mark.slow
@pytest.mark.parametrize("budget", ["joint", "separate"])
@pytest.mark.parametrize("seed", range(12))
def test_programs_end_alike(seed, budget, monkeypatch):
    program, found = draw(seed), []
    for compiled in (True, False):
        for module in (_interior_point, _certificates):
            monkeypatch.setattr(module, "compiled_pays", lambda compiled=compiled: compiled)
        found.append(solve(program, budget))
    for ours, theirs in zip(*found, strict=True):
        assert ours.status == theirs.status
        assert_allclose(ours.objective, theirs.objective, rtol=1e-5, atol=1e-6)
        assert_allclose(ours.dual_bound, theirs.dual_bound, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_single_steps_are_equal(seed):
    """From the same point to the same point, but for rounding."""
    program = draw(seed)
    if seed % 2:
        program = replace(program.within(InteriorPoint(program).fit(), 0.1), l2=0.0)
    constraints = InteriorPoint(program)._constraints
    run = _interior_point._Run(program, constraints, np.eye(program.X.shape[1])[0], np.inf)
    for exact in (False, True, True):
        before = run.v.copy(), run.s.copy(), run.multipliers.copy()
        length = constraints.arrays.advance(run.cost, run.quadratic, *before, exact)
        after = run.v, run.s, run.multipliers
        expected = _interior_point.advance(
            constraints.layout, run.cost, run.quadratic, *after, exact
        )
        assert_allclose(length, expected, rtol=1e-6)
        for ours, theirs in zip(before, after, strict=True):
            assert_allclose(ours, theirs, rtol=1e-6, atol=1e-8)


def test_compiled_once_it_pays(monkeypatch):
    """Many steps without compiled code are a reason to compile; code at hand is one at once."""
    monkeypatch.setattr(_tier, "_taken", [0])
    monkeypatch.setattr(_tier, "advance", type("Kernel", (), {"at_hand": False}))
    assert not _tier.compiled_pays()
    monkeypatch.setattr(_tier, "UNCOMPILED_STEPS", 3)
    for _ in range(4):
        _tier.count_step()
    assert _tier.compiled_pays()
    monkeypatch.setattr(_tier, "_taken", [0])
    monkeypatch.setattr(_tier, "advance", type("Kernel", (), {"at_hand": True}))
    assert _tier.compiled_pays()


@pytest.mark.parametrize("compiled", [False, True])
def test_array_operations_take_turns(compiled, monkeypatch):
    """Threads would fight for Python's lock; compiled steps run at the same time."""
    monkeypatch.setattr(_tier, "compiled_pays", lambda: compiled)
    inside = threading.Semaphore(1)

    def alone(_):
        free = inside.acquire(blocking=False)
        time.sleep(0.05)
        if free:
            inside.release()
        return free

    jobs = Jobs(None, compiled=True, within=_tier.in_turn)
    with parallel_config("threading", n_jobs=3):
        assert all(jobs("", alone, [(k,) for k in range(6)])) is not compiled


def take_turn():
    with _tier.in_turn():
        pass


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_process_does_not_wait_for_a_turn(monkeypatch):
    """A thread that had the turn does not exist in it."""
    monkeypatch.setattr(_tier, "compiled_pays", lambda: False)
    has_turn, forked = threading.Event(), threading.Event()

    def hold():
        with _tier.in_turn():
            has_turn.set()
            forked.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    has_turn.wait(60)
    process = multiprocessing.get_context("fork").Process(target=take_turn)
    process.start()
    process.join(60)
    process.kill()
    forked.set()
    holder.join()
    assert process.exitcode == 0
