"""Random programs of every awkward kind, for comparisons with the reference."""

from dataclasses import dataclass

import numpy as np

import reference_bounds as reference
from echelon.bounds import _interior_point, _solvers
from echelon.bounds._program import (
    Objective,
    Program,
    ordinal_program,
    regression_program,
    standardised,
)

PROBLEMS = ("ordinal", "binary", "regression")
KINDS = (
    "random",
    "noise",
    "duplicated",
    "constant",
    "separable",
    "likert",
    "scaled",
    "rare",
    "wide",
)
EPSILON = 0.1


@dataclass
class Case:
    problem: str
    kind: str
    X: np.ndarray
    y: np.ndarray
    C: float

    @property
    def program(self) -> Program:
        if self.problem == "regression":
            return regression_program(self.X, self.y, self.C, EPSILON)
        return ordinal_program(self.X, self.y, self.C)

    @property
    def rows(self):
        """The same constraints as the reference writes them."""
        if self.problem == "regression":
            return reference.regression_rows(self.X, self.y, EPSILON)
        write = (
            reference.classification_rows if self.problem == "binary" else reference.ordinal_rows
        )
        return write(self.X, self.y)


class Safeguarded:
    """One program after the other: the interior point, and HiGHS where it stalls."""

    def __init__(self, program):
        self.program = program

    def fit(self):
        return self.solve(Objective(self.program))

    def extreme(self, feature, sign, enough=np.inf):
        return self.solve(Objective(self.program, feature, sign, enough))

    def solve(self, asked):
        return _solvers.solve([asked])[0]


class InteriorPoint(Safeguarded):
    """The interior point alone."""

    def solve(self, asked):
        return _interior_point.solve([asked])[0]


class Highs(Safeguarded):
    """HiGHS, one model for all objectives."""

    def __init__(self, program):
        super().__init__(program)
        self.solve = _solvers.Highs(program).solve


def draw_case(seed, *, problem=None, kind=None, C=None):
    """A small program; what it is follows from the seed."""
    rng = np.random.default_rng(seed)
    problem = problem or PROBLEMS[seed % len(PROBLEMS)]
    kind = kind or KINDS[seed // len(PROBLEMS) % len(KINDS)]
    m, p = int(rng.integers(25, 70)), int(rng.integers(2, 9))
    if kind == "wide":
        m, p = 20, 25
    X = rng.integers(1, 6, (m, p)).astype(float) if kind == "likert" else rng.normal(size=(m, p))
    noise = {"separable": 0.0, "noise": 1e3}.get(kind, 0.5)
    target = X @ (rng.normal(size=p) * (rng.random(p) < 0.6)) + noise * rng.normal(size=m)
    if kind == "duplicated":
        X = np.column_stack([X, X[:, 0], -X[:, 0], X[:, :1] @ [1.0] + 1e-9 * rng.normal(size=m)])
    if kind == "constant":
        X[:, rng.integers(p)] = 7.0
    # Standardised for the user, as they come for a harder program.
    X = X * 10.0 ** rng.uniform(-3, 3, X.shape[1]) if kind == "scaled" else standardised(X)[0]
    y = target if problem == "regression" else _classes(target, problem, kind, rng)
    return Case(problem, kind, X, y, float(C or 10 ** rng.uniform(-3, 3)))


def _classes(target, problem, kind, rng):
    n_classes = 2 if problem == "binary" else int(rng.integers(2, 8))
    ranks = np.argsort(np.argsort(target))
    edges = np.linspace(0, len(target), n_classes + 1)[1:-1].astype(int)
    if kind == "rare":
        edges = np.concatenate([[2], edges[1:]])
    return np.digitize(ranks, edges)
