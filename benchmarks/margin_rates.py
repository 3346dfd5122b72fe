"""How often noise passes by its p-value: Relief-type selectors, realised rates beside the nominal.

``python -m benchmarks.margin_rates --write`` writes docs/benchmarks/margin_rates.md; it takes some
minutes on two cores.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import sem

from benchmarks.common import environment, note, publish
from benchmarks.designs import Design, draw
from benchmarks.npdr_rates import make_table
from echelon import SURF, MultiSURF, MultiSURFStar, OReliefF, ReliefF, RReliefF, SURFStar
from echelon._core.significance import false_discoveries, family_wise

RATE, DATA_SETS, POWER_SETS = 0.05, 60, 20
EFFECT = 0.5


def _of_classes(selector: type, nominal: np.ndarray) -> Any:
    """A selector of the SURF family for classes without an order."""
    return selector(kind="classification", categorical_features=nominal)


SELECTORS: dict[str, Callable[[np.ndarray], Any]] = {
    "ReliefF": lambda nominal: ReliefF(categorical_features=nominal),
    "ReliefF, any": lambda nominal: ReliefF(neighbors="any", categorical_features=nominal),
    "OReliefF": lambda nominal: OReliefF(categorical_features=nominal),
    "OReliefF, trend": lambda nominal: OReliefF(
        rule="trend", monotonic_cst=None, categorical_features=nominal
    ),
    "OReliefF, contrast": lambda nominal: OReliefF(rule="contrast", categorical_features=nominal),
    "RReliefF": lambda nominal: RReliefF(kind="ordinal", categorical_features=nominal),
    **{
        selector.__name__: partial(_of_classes, selector)
        for selector in (SURF, SURFStar, MultiSURF, MultiSURFStar)
    },
    "MultiSURF, ordered": lambda nominal: MultiSURF(kind="ordinal", categorical_features=nominal),
}


DESIGNS = [
    Design("n = 60", n=60),
    Design("n = 200"),
    Design("n = 500", n=500),
    Design("3 features", p=3),
    Design("100 features", p=100),
    Design("5 classes", n_classes=5),
    Design("classes 10:90, n = 60", n=60, minority=0.1),
    Design("classes 10:90", minority=0.1),
    Design("classes 10:90, n = 500", n=500, minority=0.1),
    Design("mixed types and spreads", kind="mixed", n_classes=3),
    Design("nominal", kind="nominal", n_classes=3),
    Design("a fifth missing", gaps=0.2, n_classes=3),
    Design("all pairs correlated 0.8", correlation=0.8, n_classes=3),
    Design("5 relevant beside it", relevant=5, n_classes=3),
    Design("5 relevant, n = 500", n=500, relevant=5, n_classes=3),
]


class Outcome(NamedTuple):
    """What happened to the noise of one data set."""

    mean: float
    deviation: float
    passed: float
    share: float
    any: float


def judge(name: str, design: Design, seed: int) -> Outcome:
    """z-scores of noise, the share with a small p-value, and what both controls let through."""
    X, y, nominal = draw(design, seed)
    fitted = SELECTORS[name](nominal).fit(X, y)
    z, p, noise = fitted.z_scores_, fitted.p_values_, np.arange(X.shape[1]) < design.p
    found = false_discoveries(p, RATE)
    return Outcome(
        z[noise].mean(),
        z[noise].std(),
        (p[noise] < RATE).mean(),
        (found & noise).sum() / max(found.sum(), 1),
        (family_wise(p, RATE) & noise).any(),
    )


def find(name: str, design: Design, seed: int) -> tuple[float, float]:
    """Shares of the relevant features that "fdr" and "family" find."""
    X, y, nominal = draw(design, seed)
    p = SELECTORS[name](nominal).fit(X, y).p_values_
    kept = false_discoveries(p, RATE), family_wise(p, RATE)
    return kept[0][design.p :].mean(), kept[1][design.p :].mean()


def power(name: str, design: Design) -> str:
    """The same over data sets, with five relevant features where the design has none."""
    if not design.relevant:
        design = design._replace(relevant=5, effect=EFFECT)
    shares = np.mean([find(name, design, seed) for seed in range(POWER_SETS)], axis=0)
    return " / ".join(f"{share:.2f}" for share in shares)


def make_row(name: str, design: Design) -> str:
    """One line of the table."""
    note(f"{name}, {design.name}")
    found = np.array([judge(name, design, seed) for seed in range(DATA_SETS)], float)
    mean, deviation = found[:, 0].mean(), np.sqrt((found[:, 1] ** 2).mean() + found[:, 0].var())
    rates = [f"{found[:, c].mean():.3f} ± {1.96 * sem(found[:, c]):.3f}" for c in (2, 3, 4)]
    cells = [design.name, name, f"{mean:+.2f}", f"{deviation:.2f}", *rates, power(name, design)]
    return f"| {' | '.join(cells)} |"


HEAD = f"""# How often noise passes by its p-value

{DATA_SETS} data sets each, of 200 samples and 30 columns of normal noise in two equal classes
unless the first column says otherwise; nominal rate {RATE}.  z: mean and standard deviation of the
z-scores of noise.  p < {RATE}: share of noise.  fdr: mean share of noise among selected features.
family: share of data sets that select any noise.  ± 95 % half-widths.  found: share of relevant
features that "fdr" and "family" keep, {POWER_SETS} data sets each with 5 of them beside the noise,
shifted by {EFFECT} deviations from class to class (0.7 in the last two designs).  OReliefF finds
directions by itself, and its z-score is the largest of three, which p-values allow for; in trend
and contrast alone, as in the others, larger is better.

How to read it.  z-scores of a trend come from permuted features and are too small where few
features, or correlated ones, choose the neighbours.  `ReliefF`, whose scores take neighbours of
every class, and all with neighbours of any class (`any`, contrast) are tested by permuted
classes, which allows for the feature's own part in choosing them: SD near 1 throughout.  Scores
are skewed to the right where a class is rare or neighbourhoods are wide; p-values know how much,
and hold far out in the tail, on which "fdr" and "family" rest.  By the normal distribution `SURF`
and `MultiSURF` would keep some of 30 columns of noise in 13 to 25 % of tables, and some of 100 in
27 to 45 %.  For classes they are tested by permuted features, too: p-values are too large with
correlated features and rare classes.  Beside relevant features noise falls below 0, since
neighbours of other classes differ in those already; among far ones it rises a little, which the
starred methods show.

| data | selector | mean z | SD of z | p < {RATE} | fdr | family | found: fdr / family |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
"""


def make_page() -> str:
    """The page in docs."""
    rows = [make_row(name, design) for design in DESIGNS for name in SELECTORS]
    made = f"{environment('scipy')}.  `python -m benchmarks.margin_rates --write` measures again."
    return HEAD + "\n".join([*rows, "", make_table(), made, ""])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the page in docs")
    publish("margin_rates", make_page, parser.parse_args())
