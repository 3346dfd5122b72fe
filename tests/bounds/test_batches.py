"""Programs solved together: the digits of an answer depend on its question alone."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from bounds_cases import Highs, draw_case
from echelon import RelevanceBounds
from echelon.bounds import _batch, _interior_point, _relevance
from echelon.bounds._batch import Batch, in_batches
from echelon.bounds._newton import constraint_combination, constraint_values
from echelon.bounds._program import Objective, regression_program
from echelon.datasets import make_relevance


def objectives(seed):
    """A fit, fits with another C, table or limit, and bounds within either kind of budget."""
    rng = np.random.default_rng(seed)
    program = draw_case(seed, kind="random", C=1.0).program
    m, p = program.X.shape
    others = [replace(program, C=C) for C in (0.05, 3.0)]
    others += [program.replacing(f, rng.normal(size=m)) for f in range(p)]
    others += [program.fixing({0: (-0.2, 0.1)}), program.fixing({1: 0.0})]
    others += [replace(program, l1=0.5, l2=0.5), replace(program, l1=0.0, l2=1.0)]
    asked = [Objective(each) for each in (program, *others)]
    fit = _interior_point.solve(asked[:1])[0]
    for budget in ("joint", "separate"):
        within = program.within(fit, 0.05, budget)
        asked += [Objective(within, f, sign) for f in range(p) for sign in (1, -1)]
        asked += [Objective(within, f, 1, enough=0.5 * fit.l1_norm) for f in range(p)]
        asked += [Objective(within.replacing(0, rng.normal(size=m)), 0, 1)]
    return asked


def check_equal(ours, theirs):
    """The same answer, digit by digit."""
    assert ours.status == theirs.status
    assert ours.iterations == theirs.iterations
    assert (ours.objective, ours.dual_bound) == (theirs.objective, theirs.dual_bound)
    assert ours.weights.tobytes() == theirs.weights.tobytes()
    assert ours.thresholds.tobytes() == theirs.thresholds.tobytes()


@pytest.mark.parametrize("seed", range(9))
def test_answers_do_not_depend_on_the_other_questions(seed):
    asked = objectives(seed)
    alone = [_interior_point.solve([each])[0] for each in asked]
    together = _interior_point.solve(asked)
    backwards = _interior_point.solve(asked[::-1])[::-1]
    for single, *others in zip(alone, together, backwards, strict=True):
        for other in others:
            check_equal(single, other)


@pytest.mark.parametrize("seed", range(9))
def test_batches_end_where_highs_ends(seed):
    asked = [each for each in objectives(seed) if not each.program.squared]
    for ours, each in zip(_interior_point.solve(asked), asked, strict=True):
        theirs = Highs(each.program).solve(each)
        if ours.status == "enough":
            assert -each.enough <= theirs.objective <= 1e-9
            continue
        assert ours.status == theirs.status
        if ours.status == "optimal":
            assert_allclose(ours.objective, theirs.objective, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_constraints_and_their_transpose(seed):
    """(J v)'m = v'(J'm), and J v is what the constraints say."""
    rng = np.random.default_rng(seed)
    program = draw_case(seed, kind="random", C=1.0).program.fixing({0: (-0.2, 0.1)})
    if seed >= 3:
        fit = _interior_point.solve([Objective(program)])[0]
        program = program.within(fit, 0.1, "separate")
    p = program.X.shape[1]
    batch = Batch.of(
        [program, program.replacing(1, rng.normal(size=len(program.X)))], [np.zeros(p)] * 2
    )
    form = batch.form
    v = rng.normal(size=(2, form.n_variables))
    multipliers = rng.normal(size=(2, form.n_constraints))
    far = batch.distances(v[:, form.w], v[:, form.b])
    rows = program.rows
    values = (program.X @ v[0, form.w])[rows.sample] - v[0, form.b][rows.threshold]
    assert_allclose(far[0], rows.sign * values)
    forth = constraint_values(batch, v, far, np.empty_like(multipliers))
    back = constraint_combination(batch, multipliers, np.empty_like(v))
    assert_allclose((forth * multipliers).sum(axis=1), (v * back).sum(axis=1))


def test_parts_of_equal_size(monkeypatch):
    monkeypatch.setattr(_batch, "SAMPLES_AT_A_TIME", 100)
    assert in_batches(list(range(7)), 30) == [[0, 1], [2, 3], [4, 5, 6]]
    assert in_batches([1, 2], 1000) == [[1], [2]]
    assert in_batches([], 10) == []


def test_a_program_too_large_for_a_batch_is_solved_alone(monkeypatch):
    asked = objectives(0)[:6]
    expected = _interior_point.solve(asked)
    monkeypatch.setattr(_batch, "SAMPLES_AT_A_TIME", 1)
    for ours, theirs in zip(_interior_point.solve(asked), expected, strict=True):
        check_equal(ours, theirs)


def test_hopeless_programs_do_not_stop_the_others():
    rng = np.random.default_rng(0)
    program = regression_program(rng.normal(size=(30, 2)), rng.normal(size=30), 1.0)
    fit = _interior_point.solve([Objective(program)])[0]
    within = program.within(fit, 0.1)
    spent = within.fixing({0: 2 * within.budgets[0].limit})
    free = within.fixing({0: 0.5 * fit.weights[0]})
    asked = [Objective(each, 1, 1) for each in (spent, free, spent)]
    found = [each.status for each in _interior_point.solve(asked)]
    assert found == ["infeasible", "optimal", "infeasible"]


# ------------------------------------------------------------------- decided by size, not history


def test_threads_are_for_large_tables(monkeypatch):
    """Decided by the number of values; what is found is the same."""
    X, y = make_relevance(60, 2, 2, 2, noise=0.3, random_state=0)
    selector = RelevanceBounds(false_positive_rate=0.5, random_state=0)
    assert not selector._jobs(X).compiled
    alone = selector.fit(X, y).intervals_
    monkeypatch.setattr(_relevance, "NUMBERS_FOR_THREADS", X.size)
    monkeypatch.setattr("echelon._core.jobs._numba_threads", lambda: 3)
    assert selector._jobs(X).compiled
    assert not selector._jobs(X[1:]).compiled
    assert selector.fit(X, y).intervals_.tobytes() == alone.tobytes()


CODE = """
import numpy as np
from echelon import RelevanceBounds
from echelon.datasets import make_relevance
X, y = make_relevance(60, 2, 2, 2, noise=0.3, random_state=0)
y = {target}
found = RelevanceBounds({options}, false_positive_rate=0.2, random_state=0).fit(X, y)
print(found.intervals_.tobytes().hex(), found.tolerance_, found.probe_threshold_)
"""
TARGETS = {
    "ordinal": "y",
    "classification": "(y > np.median(y)).astype(int)",
    "regression": "y + X[:, 0] / 7",
}


@pytest.mark.parametrize("problem", list(TARGETS))
def test_a_fresh_process_finds_the_same_digits(problem, tmp_path, capsys):
    """With nothing compiled and nothing on disk, as after many other fits."""
    code = CODE.format(target=TARGETS[problem], options=f"problem={problem!r}")
    fresh = subprocess.run(
        [sys.executable, "-c", code],
        env={
            **os.environ,
            "NUMBA_CACHE_DIR": str(tmp_path),
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for seed in range(3):
        X, y = make_relevance(50 + 30 * seed, 2, 2, 2 + seed, noise=0.3, random_state=seed)
        for kind in ("ordinal", "regression"):
            RelevanceBounds(problem=kind, false_positive_rate=0.5, random_state=seed).fit(X, y)
    exec(code, {})
    assert capsys.readouterr().out == fresh
    assert not any(tmp_path.iterdir())  # nothing was compiled
