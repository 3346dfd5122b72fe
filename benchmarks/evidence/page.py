"""The page."""

from __future__ import annotations

import warnings
from time import process_time

import numpy as np

from benchmarks.common import environment, note, slopes
from benchmarks.error_rates.cells import Cells
from benchmarks.error_rates.rows import interval
from benchmarks.evidence import clusters, real, referees
from benchmarks.evidence.designs import DESIGNS, LEVELS, Design, draw
from benchmarks.evidence.measure import LEVEL, METHODS, OUTCOMES
from benchmarks.evidence.rates import rates
from echelon import ConditionalEvidence
from papers.pages import table

FEW = 10
"""With fewer data sets there is no interval."""

INTRODUCTION = f"""# Conditional evidence: its error rates and its power

`ConditionalEvidence` ([which features matter, given the others?](../conditional.md)) promises
that at most a share of {LEVEL} of the features that tell nothing beyond the others has a
conditional p-value of at most {LEVEL}, and error rates of the same size for "family" and "fdr".
With at least half as many features as rows the p-values are larger: by how much, the tests of all
features show. Here the answer is known: the target follows three columns of a table, and noise.
200 rows, 10 features, an AR correlation of 0.7
between neighbours and a target of {LEVELS} ordered classes unless a row says otherwise. In
brackets: 95 % intervals over data sets (of the mean, or Wilson's for shares of data sets), from
{FEW} data sets on; **bold** where it lies above {LEVEL}. Designs of one size are made of the same
random numbers, so what is due to chance is much the same in all of them."""

LEVEL_TEXT = """## Level: features that are not needed, p at most 0.05

*Both tests* is the p-value that is promised: twice the smaller of the other two.  Kendall's tau is
marginal: it is to find what is associated with the target, needed or not.  The partial correlation
of ranks is linear."""

ADJUSTED_TEXT = """## Family-wise error and false discovery rate

*Family*: the share of data sets in which anything not needed is labelled needed with
`threshold="family"`; *fdr*: the share of such features among those labelled needed with "fdr"."""

POWER_TEXT = """## Power: needed features found

By themselves (p at most 0.05), and by `ConditionalEvidence` with "family" and "fdr"."""

STAND_IN = "10 % missing, AR 0.7: stand-ins"
STAND_IN_TEXT = f"""In "{STAND_IN}" values of the needed columns are missing, and what is
correlated with them does tell more about the target in those rows: these features are not wrong
where they are found, and no promise is made for them."""

CLUSTERS_TEXT = f"""## Clusters of correlated features

With `clusters=True` and "family": the share of data sets in which any cluster that is labelled
needed as a whole holds no needed feature (nominal {LEVEL}); the needed features that are found, by
themselves or in a cluster, and by themselves alone; the mean number of features of a cluster."""

REFEREE_TEXT = """## Beside other methods

On the same tables, ordered classes as codes where a method knows no others: the share selected of
the features that are not needed, and of those that are, without any adjustment for their number;
seconds of processor time."""

REAL_TEXT = f"""## Real tables

Sets with ordered classes, at most {real.MOST_ROWS} rows, {real.RUNS} times each.  Every column is
added once more with its values permuted: the share of these copies with a conditional p-value of at
most {LEVEL}, and the shares labelled needed and replaceable ("fdr", {LEVEL}).  Beside it: how often
the two halves of the rows give a feature the same label, and the same answer to whether it is
needed, and how often chance would with as many needed in each."""

COST_TEXT = """## Cost

Seconds of processor time of a fit, ordered classes, AR 0.7, `n_jobs=1`."""

COLUMNS = dict(zip(OUTCOMES, range(len(OUTCOMES)), strict=True))


def make_page(cells: Cells) -> str:
    """All sections, measuring what is missing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = rates(cells)
        parts = [
            INTRODUCTION,
            summary(found),
            LEVEL_TEXT,
            table(("data", "data sets", *METHODS), level_rows(found)),
            STAND_IN_TEXT,
            ADJUSTED_TEXT,
            table(("data", "family", "fdr", "fdr of Kendall's tau"), adjusted_rows(found)),
            POWER_TEXT,
            table(("data", *METHODS, "family", "fdr"), power_rows(found)),
            CLUSTERS_TEXT,
            _clusters(cells),
            *_beside(cells),
            *_real(cells),
            COST_TEXT,
            table(("rows", "features", "seconds"), cost_rows()),
            f"{environment('scikit-learn')}.  `python -m benchmarks.evidence --write` measures "
            "again.\n",
        ]
    return "\n\n".join(parts)


# ----------------------------------------------------------------------------------------- rates


def shown(outcomes: np.ndarray, *, bold: bool = True) -> str:
    """A mean with its interval."""
    if len(outcomes) < FEW:
        return f"{outcomes.mean():.3f}"
    low, high = interval(outcomes)
    text = f"{outcomes.mean():.3f} ({max(low, 0):.3f} to {min(high, 1):.3f})"
    return f"**{text}**" if bold and low > LEVEL else text


def promised(found: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The designs for which there is a promise, if there are enough data sets."""
    return {
        name: each for name, each in found.items() if name != STAND_IN and len(each) >= FEW
    } or found


def summary(found: dict[str, np.ndarray]) -> str:
    """What came out, in a few sentences."""
    designs = promised(found)
    sizes = [len(rows) for rows in designs.values()]
    lines = [f"{len(designs)} designs with {min(sizes)} to {max(sizes)} data sets each."]
    for outcome, words in (("level", "level"), ("family", "family-wise error rate"),
                           ("fdr", "false discovery rate")):  # fmt: skip
        each = {name: rows[:, 0, COLUMNS[outcome]] for name, rows in designs.items()}
        above = [name for name, values in each.items() if interval(values)[0] > LEVEL]
        worst = max(each, key=lambda name: each[name].mean())
        text = f"The {words} is {np.mean([v.mean() for v in each.values()]):.3f} on average over "
        text += f'designs, and largest for "{worst}": {shown(each[worst], bold=False)}.'
        if above:
            text += f"  Its interval lies above {LEVEL} for: {', '.join(above)}."
        lines.append(text)
    return "  \n".join(lines)


def level_rows(found: dict[str, np.ndarray]) -> list[tuple[str, ...]]:
    """The level of every method."""
    rows = []
    for name, values in found.items():
        ours = [shown(values[:, m, 0], bold=name != STAND_IN) for m in range(3)]
        others = [f"{values[:, m, 0].mean():.3f}" for m in range(3, len(METHODS))]
        rows.append((name, str(len(values)), *ours, *others))
    return rows


def adjusted_rows(found: dict[str, np.ndarray]) -> list[tuple[str, ...]]:
    """Rates after adjustment."""
    rows = []
    for name, values in found.items():
        bold = name != STAND_IN
        ours = [shown(values[:, 0, COLUMNS[o]], bold=bold) for o in ("family", "fdr")]
        rows.append((name, *ours, f"{values[:, 3, COLUMNS['fdr']].mean():.3f}"))
    return rows


def power_rows(found: dict[str, np.ndarray]) -> list[tuple[str, ...]]:
    """Power, where something is needed."""
    effects = {design.name for design in DESIGNS if design.effect != "none"}
    return [
        (
            name,
            *(f"{values[:, m, COLUMNS['power']].mean():.2f}" for m in range(len(METHODS))),
            *(f"{values[:, 0, COLUMNS[o]].mean():.2f}" for o in ("power_family", "power_fdr")),
        )
        for name, values in found.items()
        if name in effects
    ]


# ---------------------------------------------------------------------------------------- others


def _clusters(cells: Cells) -> str:
    head = ("data", "data sets", "nothing needed in a cluster", "found", "found alone", "features")
    rows = []
    for name, values in clusters.results(cells).items():
        wrong, found, alone = values[:, 0], values[:, 1].mean(), values[:, 2].mean()
        sizes = values[values[:, 3] > 0, 3]
        size = f"{sizes.mean():.1f}" if len(sizes) else ""
        power = (f"{found:.2f}", f"{alone:.2f}") if "no effect" not in name else ("", "")
        rows.append((name, str(len(values)), shown(wrong), *power, size))
    return table(head, rows)


def _beside(cells: Cells) -> list[str]:
    head = ("data", "method", "data sets", "not needed, selected", "needed, found", "seconds")
    rows = [
        (
            design,
            method,
            str(len(values)),
            shown(values[:, 0], bold=False),
            f"{values[:, 1].mean():.2f}",
            f"{values[:, 2].mean():.1f}",
        )
        for (design, method), values in referees.results(cells).items()
    ]
    return [REFEREE_TEXT, table(head, rows)]


def _real(cells: Cells) -> list[str]:
    found = real.results(cells)
    if not found:
        return []
    head = ("set", "copies, p at most 0.05", "copies needed", "copies replaceable",
            "columns needed", "halves: same label", "same answer", "by chance")  # fmt: skip
    columns = [0, 1, 2, 3, 5, 6, 7]
    rows = [
        (name, *(f"{value:.2f}" for value in values.mean(axis=0)[columns]))
        for name, values in found.items()
    ]
    means = np.mean([values.mean(axis=0) for values in found.values()], axis=0)
    rows.append(("**mean**", *(f"{value:.3f}" for value in means[columns])))
    any_copy = np.concatenate([values[:, 4] for values in found.values()])
    text = f"Some copy is labelled needed in {shown(any_copy, bold=False)} of the tables."
    return [REAL_TEXT, table(head, rows), text]


def cost_rows() -> list[tuple[str, ...]]:
    """Seconds of fits of growing tables."""
    rows, times = [], {}
    for n, p in ((250, 50), (500, 50), (1000, 50), (1000, 25)):
        note(f"cost of {n} x {p}")
        X, y, kind, _ = draw(Design("", n=n, p=p), 0)
        method = ConditionalEvidence(kind=kind, clusters=False, n_jobs=1, random_state=0)
        start = process_time()
        method.fit(X, y)
        times[n, p] = process_time() - start
        rows.append((f"{n:,}", str(p), f"{times[n, p]:.1f}"))
    by_rows = slopes((250, 500, 1000), [times[n, 50] for n in (250, 500, 1000)])
    rows.append(("exponent of growth", "", by_rows))
    return rows
