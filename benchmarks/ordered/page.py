"""docs/benchmarks/ordered.md: who ranks best, who loses, what was skipped, what is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from benchmarks.common import environment
from benchmarks.ordered import growth, kept
from benchmarks.ordered.data import FRESH, HELD_OUT, LEAST_NOISE, MOST_ROWS, NAMES, TUNING
from benchmarks.ordered.rankers import AUTO, AUTO_RANKING, REFERENCE, REFERENCES, label
from benchmarks.ordered.results import Interval, by_set, read, relative_errors
from benchmarks.ordered.study import MOST_SECONDS, SIZES
from papers.pages import table

VERSIONS = {False: "as it is", True: "with noise"}
LEADERS = 8
HEAD = (
    "ranking",
    "sets",
    "error, as it is",
    "worst set",
    "error, with noise",
    "worst set",
    "behind the first",
    "real against noise",
    "seconds, mean",
    "largest",
)


class Figures(NamedTuple):
    """What the tables are made of: methods in columns, sets in rows."""

    errors: dict[bool, pd.DataFrame]
    areas: pd.DataFrame
    seconds: pd.DataFrame

    @classmethod
    def of(cls, frame: pd.DataFrame, reference: str = REFERENCE) -> Figures:
        """All of it from the cells; errors are relative to those of one ranking."""
        errors = {n: relative_errors(frame, noise=n, reference=reference) for n in VERSIONS}
        times = [by_set(frame, "seconds", noise=noise) for noise in VERSIONS]
        return cls(errors, by_set(frame, "area", noise=True), pd.concat(times))

    def on(self, names: Sequence[str]) -> Figures:
        """The same, of some sets."""
        errors = {noise: part[part.index.isin(names)] for noise, part in self.errors.items()}
        return Figures(errors, *(part[part.index.isin(names)] for part in self[1:]))

    def methods(self) -> list[str]:
        """Rankings, the smallest error (mean of both versions) first, then the references."""
        both = pd.concat([part.mean() for part in self.errors.values()], axis=1).mean(axis=1)
        order = both.dropna().sort_values().index.difference([AUTO], sort=False)
        return [m for m in order if m not in REFERENCES] + [m for m in order if m in REFERENCES]

    def behind(self, method: str) -> Interval:
        """The mean of both errors less that of the first ranking, set by set."""
        both = sum(self.errors.values()) / len(self.errors)
        if method not in both:
            return Interval.over([])
        return Interval.over(both[method] - both[self.methods()[0]])


def _column(part: pd.DataFrame, method: str) -> pd.Series:
    """The sets of a method; none if it has none there."""
    return part[method].dropna() if method in part else pd.Series(dtype=float)


def _worst(values: pd.Series) -> str:
    return f"{values.max():.2f} {values.idxmax()}" if len(values) else "-"


def main_table(figures: Figures, labels: Callable[[str], str] = label) -> str:
    """Relative errors with intervals, the worst set, ROC area and time of every ranking."""
    rows = [(labels(method), *_row(figures, method)) for method in figures.methods()]
    return table(HEAD, rows) if rows else "None of these sets was run."


def _row(figures: Figures, method: str) -> tuple[object, ...]:
    plain, noisy = (_column(figures.errors[noise], method) for noise in VERSIONS)
    seconds = _column(figures.seconds, method)
    area, ranks = Interval.over(_column(figures.areas, method)), method not in REFERENCES
    return (
        f"{len(plain)}, {len(noisy)}",
        Interval.over(plain),
        _worst(plain),
        Interval.over(noisy),
        _worst(noisy),
        figures.behind(method) if method != figures.methods()[0] else "-",
        area if ranks else "-",
        f"{seconds.mean():.2f}" if ranks else "-",
        f"{seconds.max():.1f}" if ranks else "-",
    )


def ahead(figures: Figures) -> str:
    """Error of every other ranking less that of AutoSelector, set by set."""
    if any(AUTO_RANKING not in part for part in figures.errors.values()):
        return ""
    others = [m for m in figures.methods() if m != AUTO_RANKING]
    rows = [(label(m), *(_lead(figures.errors[noise], m) for noise in VERSIONS)) for m in others]
    head = ("ranking", *(f"error less AutoSelector's, {words}" for words in VERSIONS.values()))
    return table(head, rows)


def _lead(part: pd.DataFrame, method: str) -> str:
    if method not in part:
        return "-"
    found = Interval.over(part[method] - part[AUTO_RANKING])
    return f"{found.mean:+.3f} ({found.low:+.3f} to {found.high:+.3f})"


def set_table(figures: Figures, *, noise: bool) -> str:
    """Relative errors of the leading rankings on every set, with the part it had in the design."""
    return by_set_table(figures, noise=noise, labels=label, names=_half)


def by_set_table(
    figures: Figures,
    *,
    noise: bool,
    labels: Callable[[str], str],
    names: Callable[[str], str] = str,
) -> str:
    """Relative errors of the leading rankings on every set; the smallest in bold."""
    leaders = [method for method in figures.methods() if method not in REFERENCES][:LEADERS]
    part = figures.errors[noise].reindex(columns=leaders)
    rows = [(names(str(name)), *_bold(row)) for name, row in part.iterrows()]
    return table(("set", *(labels(m) for m in leaders)), rows)


def _half(name: str) -> str:
    return f"{name} ({'tuning' if name in TUNING else 'fresh'})" if name not in HELD_OUT else name


def _bold(row: pd.Series) -> list[str]:
    words = ["-" if pd.isna(value) else f"{value:.3f}" for value in row]
    least = f"{row.min():.3f}"
    return [f"**{word}**" if word == least else word for word in words]


def losers(figures: Figures) -> str:
    """Rankings whose interval lies above 1, or whose mean is no better than random's."""
    lines = [line for noise in VERSIONS for line in _losers(figures.errors[noise], noise)]
    return "\n".join(lines) or "None."


def _losers(part: pd.DataFrame, noise: bool) -> list[str]:
    found = {m: Interval.over(part[m]) for m in part if m not in REFERENCES and m != REFERENCE}
    bad = [m for m in sorted(found, key=lambda m: -found[m].mean) if found[m].low > 1]
    chance = found["random"].mean if "random" in found else float("inf")
    return [
        f"- {VERSIONS[noise]}: {label(m)}, {found[m]}"
        + (", no better than random" if m != "random" and found[m].mean >= chance else "")
        for m in bad
    ]


def skipped(frame: pd.DataFrame, labels: Callable[[str], str] = label) -> str:
    """Which ranking was given up on which set, and why."""
    part = frame[frame.skipped.notna()]
    groups = part.groupby(["method", "data", "noise"]).skipped.first()
    lines = [
        f"- {labels(method)} on {data} {VERSIONS[noise]}: {reason}"
        for (method, data, noise), reason in groups.items()
    ]
    return "\n".join(lines) or "Nothing."


def kept_part(frame: pd.DataFrame) -> str:
    """The second part: what methods keep on their own."""
    if not kept.has_rules(frame):
        return "No method with a rule of its own was run."
    parts = [
        f"### {VERSIONS[n].capitalize()}\n\n{kept.kept_table(frame, noise=n)}" for n in VERSIONS
    ]
    if AUTO in set(frame.method):
        parts.append(f"### Set by set\n\n{kept.set_table(frame)}")
        parts.append(f"### Never none where there is a signal\n\n{kept.check(frame)}")
    return "\n\n".join([KEPT.strip(), *parts])


def growth_part(folder: Path) -> str:
    """The time of AutoSelector, if it was measured."""
    found = growth.growth_table(folder)
    return f"\n## Time of AutoSelector\n\n{GROWTH.strip()}\n\n{found}\n" if found else ""


def make_page(folder: Path) -> str:
    """The page, from all cells there are."""
    frame = read(folder)
    if frame[frame.method == REFERENCE].empty:
        raise SystemExit(f"{folder} holds no cells of {REFERENCE}, which errors are relative to.")
    figures = Figures.of(frame)
    return PAGE.format(
        introduction=_introduction(frame),
        fresh=main_table(figures.on(FRESH)),
        behind=ahead(figures.on(FRESH)),
        all=main_table(figures.on(NAMES)),
        tuning=main_table(figures.on(TUNING)),
        held_out=main_table(figures.on(HELD_OUT)),
        plain=set_table(figures, noise=False),
        noisy=set_table(figures, noise=True),
        losers=losers(figures),
        skipped=skipped(frame),
        kept=kept_part(frame),
        growth=growth_part(folder),
        environment=environment("scikit-learn", "scipy"),
    )


def unfinished(frame: pd.DataFrame) -> str:
    """A warning, if sets or cells of the first seed are missing, of rankings run everywhere."""
    first = frame[frame.seed == 0]
    missing = sorted({*NAMES, *FRESH} - set(first.data))
    counts = first[first.data.isin(NAMES)].groupby("method").size()
    short = [label(method) for method in counts.index[counts < counts.max()]]
    said = [f"not run: {', '.join(missing)}"] if missing else []
    said += [f"cells missing on the 24 sets: {', '.join(short)}"] if short else []
    return f"**Unfinished; {'; '.join(said)}.**\n\n" if said else ""


def _introduction(frame: pd.DataFrame) -> str:
    return unfinished(frame) + INTRODUCTION.strip().format(
        n_sets=frame.data.isin(NAMES).groupby(frame.data).first().sum(),
        n_fresh=frame.data.isin(FRESH).groupby(frame.data).first().sum(),
        seeds=_seeds(frame),
        rows=MOST_ROWS,
        noise=LEAST_NOISE,
        sizes=", ".join(map(str, SIZES)),
        seconds=f"{MOST_SECONDS:g}",
        tuning=", ".join(sorted(TUNING)),
    )


def _seeds(frame: pd.DataFrame) -> str:
    """How many seeds, and which rankings have more than one."""
    counts = frame.groupby("method").seed.nunique()
    if counts.max() == 1:
        return "one seed"
    several = [label(m).strip("*") for m in counts.index[counts > 1] if m not in REFERENCES]
    return f"one seed (on some sets {counts.max()}, of {', '.join(several)})"


INTRODUCTION = """
{n_sets} data sets the default was designed with, and {n_fresh} that had no part in it
([how it was chosen](ordered_default.md)); {seeds}, five folds (three where a class has one or two
samples).  At most {rows} rows of a set, 500 of the fresh ones; labels became
one column each, missing values the median.  Every ranking sees the same numbers of the training
fold only.  "With noise" adds at least {noise} columns, every real column with its values permuted;
the columns are shuffled, so that ties favour nobody.

The error is the mean absolute error in classes, of ridge regression, 9 nearest neighbours and 30
extremely randomised trees on the codes, rounded; with the best {sizes}
features, averaged along this curve, over folds and seeds, divided by that of ReliefF's ranking,
averaged over the models.
Below 1 is better than ReliefF.  In brackets 95 % intervals of the mean, from resampled data sets:
what another choice of sets could have given, not what another choice of rows could.  "Behind the
first" is the mean of both errors less that of the ranking on top: where the interval holds 0, the
two cannot be told apart (and the one on top is the best of many, so this flatters it).  "Real
against noise" is the area under ROC of real against noise columns; real columns need not matter,
so 1 is out of reach.  Seconds are processor time of one ranking on one core; more than {seconds}
of them, and the ranking is skipped on the set ("sets" counts those left, as it is and with noise).

Searches that stop on their own are completed by Kendall's tau.  Methods may be tuned on one half of
the sets, drawn once, and are to be evaluated on the other.  The tuning half: {tuning}.
Australian and japan_credit_crx are two versions of the same data; both are in the tuning half.
"""

KEPT = """
Methods with a rule of their own, fitted in the training folds.  The error with what is kept is
divided by that with all features, with the same three models; with nothing kept, the median class
is the answer.  Not every method was run on all sets: beside its error stands that of AutoSelector
on the same ones.  What AutoSelector keeps is level with the best as it is, and behind boruta and
some filters where columns of noise were added: a fifth of what it then keeps is noise ([set by set
below](#set-by-set), [beside boruta](../from/boruta.md#prediction-versus-relevance)).
"""

GROWTH = """
Processor seconds of one fit on one core; normal features, five of them relevant, five classes.
"""

PAGE = """# Rankings for ordered classes

{introduction}

## Sets that had no part in the design

{fresh}

{behind}

## The sets it was designed with

{all}

## The half methods may be tuned on

{tuning}

## The half held out

{held_out}

## By set

The leading rankings; the smallest error in bold.

As it is:

{plain}

With noise:

{noisy}

## Who loses

Worse than ReliefF, the interval wholly above 1:

{losers}

## Skipped

{skipped}

## The sets methods keep

{kept}
{growth}
{environment}.  `python -m benchmarks.ordered --data FOLDER --fresh FOLDER --write` measures
again (`--seeds 3 --methods ...` for more seeds); finished cells are kept, `--page` writes the page
without measuring.
"""
