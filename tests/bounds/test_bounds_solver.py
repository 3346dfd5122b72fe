"""Fits and bounds of weights against the programs written out for scipy's linprog."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.svm import SVC

import reference_bounds as reference
from bounds_cases import KINDS, PROBLEMS, Highs, InteriorPoint, Safeguarded, draw_case
from echelon.bounds import _interior_point, _solvers
from echelon.bounds._certificates import BOUND_GAP
from echelon.bounds._program import Objective, ordinal_program, standardised
from echelon.bounds._solvers import solve

SOLVERS = [Safeguarded, Highs]
TOLERANCES = (0.0, 1e-4, 1e-3, 0.01, 0.1)


def check_bounds(case, solver, features, tolerance, budget, limits=None):
    """Fit and bounds of some features equal the reference."""
    program = case.program.fixing(limits or {})
    pairs = {j: v if isinstance(v, tuple) else (v, v) for j, v in (limits or {}).items()}
    p = case.X.shape[1]
    fit = solver(program).fit()
    optimum = reference.fit(case.rows, p, case.C, pairs)[0]
    assert fit.status == "optimal"
    assert fit.objective == pytest.approx(optimum, rel=1e-7)
    within = program.within(fit, tolerance, budget)
    bounds = solver(within)
    for feature in features:
        for sign in (1, -1):
            found = bounds.extreme(feature, sign)
            expected = reference.extreme(
                case.rows, p, case.C, within.budgets, feature, -sign, pairs
            )
            assert found.status == "optimal"
            assert_allclose(-found.objective, expected, rtol=0, atol=1e-6 * within.scale)
            assert_allclose(found.weights[feature] * sign, found.objective, rtol=1e-12)


# ----------------------------------------------------------------- against linprog


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("kind", KINDS)
def test_bounds_equal_the_reference(kind, problem, solver):
    for seed in range(2):
        case = draw_case(seed, problem=problem, kind=kind)
        # Without tolerance, nearly equal columns are told apart by the rounding of a solver.
        tolerances = TOLERANCES[1:] if kind == "duplicated" else TOLERANCES
        budget = ("joint", "separate")[seed]
        tolerance = tolerances[(seed + len(kind) + len(problem)) % len(tolerances)]
        check_bounds(case, solver, (0, case.X.shape[1] - 1), tolerance, budget)


@pytest.mark.parametrize("C", [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_any_cost_of_slack(problem, C):
    case = draw_case(7, problem=problem, kind="random", C=C)
    for budget in ("joint", "separate"):
        check_bounds(case, Safeguarded, (0, 1), 0.01, budget)


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("limits", [{0: 0.0}, {0: 0.1, 1: -0.05}, {1: (-0.1, 0.2)}, {0: (0.02, 9)}])
def test_limits_of_single_weights(problem, limits):
    case = draw_case(11, problem=problem, kind="random", C=1.0)
    check_bounds(case, Safeguarded, (0, 1), 0.01, "joint", limits)
    check_bounds(case, Highs, (0, 1), 0.01, "joint", limits)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 540, 54))
def test_many_bounds_equal_the_reference(first):
    for seed in range(first, first + 54):
        case = draw_case(seed)
        limits = {0: (-0.2, 0.3), 1: 0.1} if seed % 4 == 3 else {}
        tolerance = TOLERANCES[1 + seed % 4]
        features = np.random.default_rng(seed).choice(case.X.shape[1], 2, replace=False)
        for budget in ("joint", "separate"):
            check_bounds(case, Safeguarded, features, tolerance, budget, limits)


def test_few_programs_stall():
    """HiGHS is a safeguard, not the solver."""
    n_programs = n_stalled = 0
    for seed in range(27):
        case = draw_case(seed)
        fit = InteriorPoint(case.program).fit()
        bounds = InteriorPoint(case.program.within(fit, 0.01))
        found = [fit] + [bounds.extreme(j, sign) for j in (0, 1) for sign in (1, -1)]
        n_programs += len(found)
        n_stalled += sum(solution.status == "stalled" for solution in found)
    assert n_stalled <= 0.02 * n_programs


# -------------------------------------------------------------------- certificates


@pytest.mark.parametrize("solver", [InteriorPoint, Highs])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_objective_and_bound_enclose_the_optimum(problem, solver):
    case = draw_case(3, problem=problem, kind="random", C=1.0)
    fit = solver(case.program).fit()
    optimum = reference.fit(case.rows, case.X.shape[1], 1.0)[0]
    assert fit.dual_bound <= optimum * (1 + 1e-9)
    assert fit.objective >= optimum * (1 - 1e-9)
    assert fit.objective - fit.dual_bound <= 1e-8 * optimum
    assert fit.l1_norm + fit.loss == pytest.approx(fit.objective)


@pytest.mark.parametrize("solver", [InteriorPoint, Highs])
@pytest.mark.parametrize("budget", ["joint", "separate"])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_budget_nobody_can_keep_is_infeasible(problem, budget, solver):
    case = draw_case(5, problem=problem, kind="random", C=1.0)
    within = case.program.within(solver(case.program).fit(), 0.001, budget)
    needed = int(np.argmax(np.abs(solver(case.program).fit().weights)))
    shuffled = np.random.default_rng(0).permutation(case.X[:, needed])
    for changed in (within.fixing({needed: 0.0}), within.replacing(needed, shuffled)):
        assert solver(changed).extreme(needed, 1).status == "infeasible"
        assert solver(changed).extreme(1 - needed if needed < 2 else 0, -1).status == "infeasible"
    spent = within.fixing({needed: 2 * within.budgets[0].limit})
    assert solver(spent).extreme(needed, 1).status == "infeasible"


# ------------------------------------------------------------------- special optima


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("budget", ["joint", "separate"])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_no_weights_at_the_optimum(problem, budget, solver):
    case = draw_case(4, problem=problem, kind="random", C=1e-3)
    case.y = case.y / 100 if problem == "regression" else case.y
    fit = solver(case.program).fit()
    assert_allclose(fit.weights, 0.0, atol=0)
    for tolerance in (0.0, 0.1):
        check_bounds(case, solver, (0,), tolerance, budget)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_no_loss_at_the_optimum(problem, solver):
    case = draw_case(2, problem=problem, kind="separable", C=1e3)
    assert solver(case.program).fit().loss == pytest.approx(0.0, abs=1e-6)
    for budget in ("joint", "separate"):
        check_bounds(case, solver, (0, 1), 0.01, budget)


def test_a_target_within_epsilon_needs_nothing():
    case = draw_case(2, problem="regression", kind="random", C=1.0)
    case.y = np.full(len(case.y), 3.0)
    fit = InteriorPoint(case.program).fit()
    assert (fit.status, fit.loss) == ("optimal", pytest.approx(0.0, abs=1e-9))
    assert_allclose(fit.weights, 0.0, atol=1e-9)


def test_unused_weights_are_exactly_zero():
    case = draw_case(1, problem="ordinal", kind="random", C=0.05)
    _, weights, _ = reference.fit(case.rows, case.X.shape[1], 0.05)
    fit = InteriorPoint(case.program).fit()
    assert (weights == 0).any()
    assert_allclose(fit.weights == 0, weights == 0)


def test_a_duplicate_can_take_the_place_of_its_original():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    codes = np.digitize(X[:, 0], [-0.5, 0.5])
    program = ordinal_program(standardised(np.column_stack([X, X[:, 0]]))[0], codes, 1.0)
    fit = InteriorPoint(program).fit()
    bounds = InteriorPoint(program.within(fit, 0.01))
    for feature in (0, 3):
        smallest, largest = bounds.extreme(feature, 1), bounds.extreme(feature, -1)
        assert smallest.objective <= 1e-9
        assert -largest.objective >= 0.9 * fit.l1_norm


# ---------------------------------------------------------------------- other parts


@pytest.mark.parametrize("penalty", [(0.5, 0.5), (0.0, 1.0), (0.1, 0.9)])
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_squared_penalties_equal_the_reference(C, problem, penalty):
    case = draw_case(6, problem=problem, kind="random", C=C)
    case.X, case.y = case.X[::2, :3], case.y[::2]
    fit = InteriorPoint(replace(case.program, l1=penalty[0], l2=penalty[1])).fit()
    expected = reference.squared_fit(case.rows, 3, C, *penalty)
    assert fit.status == "optimal"
    assert fit.objective == pytest.approx(expected, rel=1e-6)
    assert fit.dual_bound <= expected * (1 + 1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_squared_penalties_are_certified(problem, kind):
    program = draw_case(9, problem=problem, kind=kind).program
    for l1, l2 in ((0.5, 0.5), (0.0, 1.0)):
        assert InteriorPoint(replace(program, l1=l1, l2=l2)).fit().status == "optimal"
    with pytest.raises(ValueError, match="`l2` must be 0 for HiGHS"):
        Highs(replace(program, l2=1.0))


def test_two_classes_with_a_square_are_the_usual_support_vector_machine():
    case = draw_case(8, problem="binary", kind="random", C=0.5)
    expected = SVC(kernel="linear", C=0.5, tol=1e-10).fit(case.X, case.y)
    ours = InteriorPoint(replace(case.program, l1=0.0, l2=1.0)).fit()
    assert_allclose(ours.weights, expected.coef_[0], atol=1e-5)
    assert_allclose(ours.thresholds, -expected.intercept_, atol=1e-5)


def test_highs_takes_over_where_the_interior_point_stalls(monkeypatch):
    case = draw_case(0, problem="ordinal", kind="random", C=1.0)
    expected = InteriorPoint(case.program).fit()
    monkeypatch.setattr("echelon.bounds._interior_point.MAX_ITERATIONS", 3)
    assert InteriorPoint(case.program).fit().status == "stalled"
    found = Safeguarded(case.program).fit()
    assert (found.status, found.fallback) == ("optimal", True)
    assert found.objective == pytest.approx(expected.objective)
    found = Safeguarded(case.program.within(expected, 0.01)).extreme(0, 1)
    assert (found.status, found.fallback) == ("optimal", True)
    stalled = expected._replace(status="stalled")
    monkeypatch.setattr(_solvers.Highs, "solve", lambda self, asked: stalled)
    assert Safeguarded(case.program).fit().status == "stalled"


def test_a_model_is_judged_by_the_bounds_of_both_solvers(monkeypatch):
    """HiGHS in the right vertex, with multipliers that prove less than the interior point's."""
    case = draw_case(0, problem="ordinal", kind="random", C=1.0)
    right = InteriorPoint(case.program).fit()
    value = right.objective
    short = right._replace(status="stalled", objective=value + 2e-5, dual_bound=value - 1e-5)
    worse = right._replace(objective=value + 9e-5)
    for proves, model in ((4e-5, right), (4e-5, worse), (0, right)):
        highs = model._replace(status="optimal", dual_bound=value - proves)
        monkeypatch.setattr(_interior_point, "solve", lambda asked: [short])
        monkeypatch.setattr(_solvers.Highs, "solve", lambda self, asked, answer=highs: answer)
        found = Safeguarded(case.program).fit()
        assert (found.status, found.fallback) == ("optimal", True)
        assert found.objective == min(short.objective, model.objective)
        assert found.dual_bound == max(short.dual_bound, highs.dual_bound)


def test_highs_proves_every_answer_not_only_the_first():
    """Almost equal columns, dear slack: a factorisation long updated would prove little."""
    case = draw_case(438)
    assert (case.problem, case.kind) == ("ordinal", "duplicated")
    bounds = Highs(case.program.within(Highs(case.program).fit(), 0.01))
    for feature in (9, 10):
        for sign in (1, -1):
            found = bounds.extreme(feature, sign)
            assert found.objective - found.dual_bound <= BOUND_GAP * bounds.program.scale


def test_solvers_have_names():
    """Each is used when it is asked for: a simplex method takes other steps."""
    program = draw_case(0).program
    for name, expected in (("interior-point", Safeguarded), ("highs", Highs)):
        found = solve([Objective(program)], name)[0]
        assert (found.iterations, found.objective) == (
            expected(program).fit().iterations,
            expected(program).fit().objective,
        )


def test_programs_do_not_change():
    case = draw_case(0, problem="ordinal", kind="random")
    program = case.program
    program.fixing({0: 1.0})
    program.replacing(0, np.zeros(len(case.X)))
    assert np.isinf(program.low).all()
    assert program.X[:, 0].any()
    with pytest.raises(AttributeError):
        program.C = 2.0


def test_bad_options_are_named():
    program = draw_case(0).program
    fit = InteriorPoint(program).fit()
    with pytest.raises(ValueError, match="`tolerance` must be at least 0, got -1"):
        program.within(fit, -1)
    with pytest.raises(ValueError, match='`budget` must be "joint" or "separate", got \'both\''):
        program.within(fit, 0.1, "both")
    with pytest.raises(ValueError, match="`fixed` must map a feature to a value or a pair"):
        program.fixing({0: (2, 1)})


def test_constant_columns_are_zero_whatever_their_rounding():
    X = np.full((7, 2), 0.1) + np.array([0.0, 1e9])
    scaled, mean, scale = standardised(np.column_stack([X, np.arange(7)]))
    assert_allclose(scaled[:, :2], 0.0, atol=0)
    assert_allclose(scale[:2], 1.0)
    assert_allclose([scaled[:, 2].mean(), scaled[:, 2].std()], [0, 1], atol=1e-12)
    assert mean[2] == 3
