"""Tables in which some features are needed and no other tells anything beyond them.

The target is a function of three columns as they are in the table, and noise.  So every other
feature is independent of the target given these three, whatever it is correlated with.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

LEVELS = 5


class Design(NamedTuple):
    """How columns are made, and how the target follows three of them."""

    name: str
    n: int = 200
    p: int = 10
    correlation: str = "ar"
    """ "none", "ar" (0.7 to the power of the distance), "all" (0.7) or "blocks" (of five, 0.8)."""
    columns: str = "normal"
    """ "normal", "mixed", "ordered", "nominal" or "curved": the last is a parabola of the first."""
    effect: str = "linear"
    """ "none", "linear", "monotone", "curved" or "interaction"."""
    size: float = 0.5
    target: str = "ordinal"
    """ "ordinal", "rare" (two classes, 10:90), "nominal", "numeric" or "heavy" (noise of t 2)."""
    missing: float = 0.0


DESIGNS = (
    Design("independent, no effect", correlation="none", effect="none"),
    Design("independent", correlation="none"),
    Design("AR 0.7, no effect", effect="none"),
    Design("AR 0.7"),
    Design("all pairs 0.7, no effect", correlation="all", effect="none"),
    Design("all pairs 0.7", correlation="all"),
    Design("blocks of five, 0.8", p=15, correlation="blocks"),
    Design("n = 60", n=60, size=0.9),
    Design("n = 1000", n=1000, size=0.25),
    Design("50 features", p=50),
    Design("200 features, n = 100", n=100, p=200, size=0.9),
    Design("100 features, n = 60, no effect", n=60, p=100, effect="none"),
    Design("100 features, n = 60, all pairs 0.7", n=60, p=100, correlation="all", size=1.5),
    Design(
        "100 features, n = 60, blocks of five, 0.8", n=60, p=100, correlation="blocks", size=1.5
    ),
    Design("mixed types and spreads", columns="mixed"),
    Design("ordered columns, four levels", columns="ordered"),
    Design("nominal columns, three labels", columns="nominal", size=0.9),
    Design("monotone effects", effect="monotone"),
    Design("curved effects", effect="curved", size=0.7),
    Design("interaction", effect="interaction", size=0.9),
    Design("one feature is a parabola of another", columns="curved", effect="curved", size=0.7),
    Design("two classes, 10:90", target="rare", size=0.8),
    Design("three classes without an order", target="nominal", size=1.0),
    Design("numbers", target="numeric"),
    Design("numbers, heavy tails", target="heavy"),
    Design("10 % missing, independent", correlation="none", missing=0.1),
    Design("10 % missing, AR 0.7, no effect", effect="none", missing=0.1),
    Design("10 % missing, AR 0.7: stand-ins", missing=0.1),
)


class Table(NamedTuple):
    """A table, its target, how it is to be read, and which features are needed."""

    X: pd.DataFrame
    y: Any
    kind: str
    needed: np.ndarray


def draw(design: Design, seed: int) -> Table:
    """One table of a design."""
    rng = np.random.default_rng([seed, design.n, design.p])
    latent = _latent(design, rng)
    values, columns = _columns(design, latent)
    needed = np.zeros(design.p, bool)
    places = np.array([0, design.p // 2, design.p - 3])
    needed[places] = design.effect != "none"
    signals = _standardised(values[:, places])
    y, kind = _target(design, signals, rng)
    X = pd.DataFrame(columns).mask(rng.random(latent.shape) < design.missing)
    return Table(X, y, kind, needed)


def _latent(design: Design, rng: np.random.Generator) -> np.ndarray:
    own = rng.standard_normal((design.n, design.p))
    if design.correlation == "ar":
        for j in range(1, design.p):
            own[:, j] = 0.7 * own[:, j - 1] + np.sqrt(1 - 0.7**2) * own[:, j]
    if design.correlation == "all":
        own = np.sqrt(0.7) * rng.standard_normal((design.n, 1)) + np.sqrt(0.3) * own
    if design.correlation == "blocks":
        shared = np.repeat(rng.standard_normal((design.n, design.p // 5)), 5, axis=1)
        own = np.sqrt(0.8) * shared + np.sqrt(0.2) * own
    return own


def _columns(design: Design, latent: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
    """Numbers the target follows, and the columns as the table has them."""
    values = latent.copy()
    if design.columns == "mixed":
        for j in range(design.p):
            x = latent[:, j]
            values[:, j] = (x, np.exp(x), 100 * x, x > 0, x > 1, np.digitize(x, [-1, 0, 1]))[j % 6]
    if design.columns == "ordered":
        values = np.digitize(latent, [-1, 0, 1]).astype(float)
    if design.columns == "curved":
        values[:, 1] = latent[:, 0] ** 2 + latent[:, 1]
    if design.columns != "nominal":
        return values, {f"x{j}": values[:, j] for j in range(design.p)}
    codes = np.digitize(latent, [-0.5, 0.5])
    labels = {f"x{j}": np.array(["red", "blue", "green"])[codes[:, j]] for j in range(design.p)}
    return np.array([0.0, 1.0, -1.0])[codes], labels  # not in the order of the latent number


def _standardised(values: np.ndarray) -> np.ndarray:
    spread = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def _target(design: Design, x: np.ndarray, rng: np.random.Generator) -> tuple[Any, str]:
    a, b, c = x.T
    if design.target == "nominal":
        utility = design.size * np.column_stack([a, b, -c]) + rng.gumbel(size=x.shape)
        return np.array(["x", "y", "z"])[utility.argmax(axis=1)], "classification"
    signal = {
        "none": 0.0 * a,
        "linear": a - b + c,
        "monotone": np.exp(a) - np.tanh(3 * b) + np.maximum(c, 0) * 1.5,
        "curved": a**2 - np.abs(b) * 1.5 + np.cos(2 * c) * 1.5,
        "interaction": a * b + c,
    }[design.effect]
    noise = rng.standard_t(2, len(a)) if design.target == "heavy" else rng.standard_normal(len(a))
    score = design.size * signal + noise
    if design.target in ("numeric", "heavy"):
        return score, "regression"
    shares = [0.9] if design.target == "rare" else np.arange(1, LEVELS) / LEVELS
    return np.searchsorted(np.quantile(score, shares), score), "ordinal"
