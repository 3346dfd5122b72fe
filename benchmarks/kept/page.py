"""docs/benchmarks/kept.md: errors with what each rule selects, how many features, at what cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.common import environment
from benchmarks.kept.data import DEVIATION, GROUPS, LEAST_ROWS, ORIGINAL, VERSIONS
from benchmarks.kept.rules import ALL, AUTO, RULES, label
from benchmarks.kept.study import MODELS, MOST_SECONDS, N_FOLDS, read, read_sets
from benchmarks.ordered.data import LEAST_NOISE
from benchmarks.ordered.results import Interval, finished, ratios
from papers.pages import table

TITLES = {
    "tuning": "Ordered classes: sets the default was tuned on",
    "fresh": "Ordered classes: fresh sets",
    "numbers": "Continuous targets",
    "classes": "Nominal classes",
}
MEAN, BEST = "mean of models", "best model"
LEAST_SETS = 5
"""Differences on fewer sets are not read as a result."""

HEAD = (
    "rule",
    "sets",
    MEAN,
    "less AutoSelector's",
    BEST,
    "less AutoSelector's",
    "selected",
    "of them noise",
    "overlap of folds",
    "worst set",
    "seconds",
)


class Column(NamedTuple):
    """One measure in one version of a group: sets in rows, rules in columns."""

    group: str
    version: str
    measure: str
    values: pd.DataFrame

    def difference(self, rule: str) -> Interval:
        """A rule less AutoSelector, over the sets both finished; above 0 AutoSelector is better."""
        return Interval.over(_of(self.values, rule) - _of(self.values, AUTO))

    def compared(self) -> list[str]:
        """The rules that can be told from AutoSelector: enough sets that both finished."""
        ours = _of(self.values, AUTO)
        both = {rule: (_of(self.values, rule) - ours).count() for rule in self.values}
        return [rule for rule, n_sets in both.items() if rule != AUTO and n_sets >= LEAST_SETS]

    def __str__(self) -> str:
        return f"{TITLES[self.group]}, {self.version}, {self.measure}"


def _of(values: pd.DataFrame, rule: str) -> pd.Series:
    """The sets a rule finished; none if it has none."""
    return values[rule].dropna() if rule in values else pd.Series(dtype=float)


def floored(frame: pd.DataFrame, sets: pd.DataFrame) -> pd.DataFrame:
    """Errors of classes are at least 1 / rows of the set, so that 0 can be divided by."""
    rows = frame.merge(sets, "left", ["group", "data"])["rows"].to_numpy(float)
    numbers = frame.group.map(GROUPS) == GROUPS["numbers"]
    least = np.where(numbers | np.isnan(rows), 0.0, 1 / np.nan_to_num(rows, nan=1.0))
    errors = frame[list(MODELS)].astype(float).clip(lower=pd.Series(least, frame.index), axis=0)
    return frame.assign(**errors)


def mean_of_models(part: pd.DataFrame) -> pd.DataFrame:
    """Errors over those with all features, mean over the models: rules of every set."""
    return ratios(part, ALL, MODELS, ["data", "fold"])


def best_model(part: pd.DataFrame) -> pd.DataFrame:
    """The least error of the models over the least with all features."""
    means = part.groupby(["data", "method"])[list(MODELS)].mean().min(axis=1)
    least = means.rename("least").reset_index().pivot_table("least", "data", "method")
    return least.div(_of(least, ALL), axis=0)


def columns(frame: pd.DataFrame) -> list[Column]:
    """Both measures of every version of every group that was run."""
    measures = {MEAN: mean_of_models, BEST: best_model}
    return [
        Column(group, version, measure, make(part))
        for group, version, part in _parts(frame)
        for measure, make in measures.items()
    ]


def _parts(frame: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    done = finished(frame, ["method", "group", "data", "version"]) if len(frame) else frame
    for group in TITLES:
        for version in VERSIONS:
            part = done[(done.group == group) & (done.version == version)]
            if ALL in set(part.method):
                yield group, version, part


def overlap(sets: list[list[int]]) -> float:
    """Mean Jaccard index of pairs; two empty sets are equal."""
    pairs = list(combinations(map(set, sets), 2))
    return float(np.mean([len(a & b) / len(a | b) if a | b else 1.0 for a, b in pairs]))


def noise_share(cells: pd.DataFrame) -> float:
    """Share of noise among what was selected, mean over folds and then sets; none: no share."""
    share = 1 - cells.n_real.astype(float) / cells.n_kept.replace(0, np.nan).astype(float)
    return float(share.groupby(cells.data).mean().mean())


def rule_table(part: pd.DataFrame, mean: Column, best: Column) -> str:
    """One row for every rule, the least mean of models first."""
    order = mean.values.mean().sort_values().index
    return table(HEAD, [_row(part[part.method == rule], mean, best, rule) for rule in order])


def _row(cells: pd.DataFrame, mean: Column, best: Column, rule: str) -> tuple[object, ...]:
    values, noisy = _of(mean.values, rule), mean.version != ORIGINAL
    share = noise_share(cells)
    return (
        label(rule),
        len(values),
        Interval.over(values),
        _difference(mean, rule),
        Interval.over(_of(best.values, rule)),
        _difference(best, rule),
        f"{cells.groupby('data').n_kept.mean().mean():.1f}",
        f"{share:.0%}" if noisy and not np.isnan(share) else "-",
        f"{cells.groupby('data').kept.agg(lambda kept: overlap(list(kept))).mean():.2f}",
        f"{values.max():.2f} {values.idxmax()}" if len(values) else "-",
        f"{cells.seconds.mean():.2f}",
    )


def _difference(column: Column, rule: str) -> str:
    found = column.difference(rule)
    if rule == AUTO or np.isnan(found.mean):
        return "-"
    words = f"{found.mean:+.3f} ({found.low:+.3f} to {found.high:+.3f})"
    return f"{words}, level" if found.low <= 0 <= found.high else words


def reading(found: list[Column]) -> str:
    """What the tables say of AutoSelector, in words."""
    told = [column for column in found if column.compared()]
    if not told:
        return f"No rule has {LEAST_SETS} sets in common with AutoSelector yet."
    ahead = {str(column): _ahead(column) for column in told}
    behind = [f"- {column}: {words}" for column, words in ahead.items() if words]
    head = (
        f"AutoSelector is first or level with the first in {len(told) - len(behind)} of "
        f"{len(told)} columns (a measure in a version of a group).  "
    )
    if behind:
        head += "Another rule is clearly ahead, with an interval wholly below 0, in these:\n\n"
    else:
        head += "In none is another rule clearly ahead."
    return head + "\n".join(behind) + "\n\n" + counts(told)


def _ahead(column: Column) -> str:
    """The rules that are clearly ahead of AutoSelector, and by how much."""
    found = {rule: column.difference(rule) for rule in column.compared()}
    better = sorted((rule for rule in found if found[rule].high < 0), key=lambda r: found[r].mean)
    return ", ".join(f"{label(rule)} ({_difference(column, rule)})" for rule in better)


def counts(told: list[Column]) -> str:
    """In how many columns AutoSelector is clearly ahead of each rule, level with it, or behind."""
    rows = []
    for rule in (rule for rule in RULES if rule != AUTO):
        found = [column.difference(rule) for column in told if rule in column.compared()]
        ahead = sum(each.low > 0 for each in found)
        behind = sum(each.high < 0 for each in found)
        if found:
            rows.append((label(rule), len(found), ahead, len(found) - ahead - behind, behind))
    head = ("rule", "columns", "AutoSelector clearly ahead", "level", "AutoSelector clearly behind")
    return table(head, rows)


def noise_reading(frame: pd.DataFrame, versions: Sequence[str]) -> str:
    """The share of noise in what every rule selects, over the sets of all groups."""
    noisy = [version for version in versions if version != ORIGINAL]
    done = pd.concat([part for *_, part in _parts(frame)])
    done = done.assign(data=done.group + "-" + done.data)
    rows = []
    for rule in (rule for rule in RULES if rule in set(done.method)):
        own = done[done.method == rule]
        shares = [noise_share(own[own.version == each]) for each in noisy]
        words = ["-" if np.isnan(share) else f"{share:.0%}" for share in shares]
        rows.append((label(rule), *words, f"{(own.n_kept == 0).mean():.0%}"))
    return table(("rule", *noisy, "folds with nothing selected"), rows)


def skipped(frame: pd.DataFrame) -> str:
    """Which rule was skipped on which sets, and why."""
    part = frame[frame.skipped.notna()].drop_duplicates(["method", "group", "data", "version"])
    lines = [
        f"- {label(str(rule))}, {reason}: "
        + ", ".join(f"{row.data} ({row.group}, {row.version})" for row in cells.itertuples())
        for (rule, reason), cells in part.groupby(["method", "skipped"])
    ]
    return "\n".join(lines) or "Nothing."


def unfinished(frame: pd.DataFrame, sets: pd.DataFrame, versions: Sequence[str]) -> str:
    """A warning, if cells of the sets that were begun are missing, and what has none at all."""
    kinds = sets[sets["rows"] >= LEAST_ROWS].group.map(GROUPS)
    wanted = sum(int(kinds.isin(rule.kinds).sum()) for rule in RULES.values())
    missing = wanted * len(versions) * N_FOLDS - len(frame)
    if missing <= 0:
        return ""
    parts = list(_parts(frame))
    done, rules = {version for _, version, _ in parts}, {r for *_, p in parts for r in p.method}
    without = [
        *(version for version in versions if version not in done),
        *(label(rule) for rule in RULES if rule not in rules),
    ]
    return (
        f"**Unfinished: {missing} cells are missing** (a cell is a rule on one fold of one version "
        f"of a set).  Without results: {'; '.join(without) or 'nothing'}.\n\n"
    )


def set_words(sets: pd.DataFrame) -> str:
    """The sets of every group with their size, and those left out."""
    lines = []
    for group, title in TITLES.items():
        part = sets[sets.group == group]
        used = part[part["rows"] >= LEAST_ROWS].itertuples()
        words = [f"{row.data} ({row.rows} x {row.features})" for row in used]
        if words:
            lines.append(f"- {title}, {len(words)} sets: {', '.join(words)}")
    small = sets[sets["rows"] < LEAST_ROWS]
    gone = ", ".join(f"{row.data} ({row.rows} rows)" for row in small.itertuples())
    lines.append(f"- Left out, fewer than {LEAST_ROWS} rows: {gone or 'none'}")
    return "\n".join(lines)


def sections(frame: pd.DataFrame, found: list[Column]) -> str:
    """The tables of all groups and versions."""
    by_place = {(column.group, column.version, column.measure): column for column in found}
    lines, titled = [], set()
    for group, version, part in _parts(frame):
        if group not in titled:
            lines.append(f"## {TITLES[group]}")
            titled.add(group)
        both = (by_place[group, version, measure] for measure in (MEAN, BEST))
        lines.append(f"### {version.capitalize()}\n\n{rule_table(part, *both)}")
    return "\n\n".join(lines)


def page_of(versions: Sequence[str]) -> str:
    """The name of the page of some versions."""
    return "kept" if ORIGINAL in versions else "kept_noise"


def make_page(cells: Path, rows: int, versions: Sequence[str] = tuple(VERSIONS)) -> str:
    """The page of some versions, from all cells there are with so many rows."""
    folder = cells / f"{rows} rows"
    sets, frame = read_sets(folder), read(folder)
    frame = floored(frame[frame.version.isin(versions)], sets)
    found = columns(frame)
    if not found:
        raise SystemExit(f"{folder} holds no cells of {ALL}, which errors are relative to.")
    return PAGE.format(
        title=TITLE[page_of(versions)],
        unfinished=unfinished(frame, sets, versions),
        others=_others(versions),
        reading=reading(found),
        noise_reading=noise_reading(frame, versions),
        sections=sections(frame, found),
        sets=set_words(sets),
        skipped=skipped(frame),
        rows=rows,
        folds=N_FOLDS,
        noise=LEAST_NOISE,
        deviation=f"{DEVIATION:g}",
        correlation=f"{1 / np.sqrt(1 + DEVIATION**2):.2f}",
        seconds=f"{MOST_SECONDS:g}",
        least=LEAST_SETS,
        environment=environment("scikit-learn", "scipy"),
    )


def _others(versions: Sequence[str]) -> str:
    """Where the versions are that are not on this page."""
    if len(versions) == len(VERSIONS):
        return ""
    here, page = " and ".join(versions), "kept_noise" if ORIGINAL in versions else "kept"
    there = " and ".join(version for version in VERSIONS if version not in versions)
    return f"  This page has {here}; {there} are on [another page]({page}.md)."


TITLE = {
    "kept": "Selected sets of features",
    "kept_noise": "Selected sets of features, with corrupted copies and products",
}

PAGE = """# {title}

{unfinished}Rules that choose a set of features on their own, side by side: what is the error of
models with the selected features, how many are selected, how many of them are noise?

## Results

{reading}

A column is compared where both rules finished at least {least} sets.  The intervals are not
corrected for the number of comparisons: with this many, some differences are clear by chance.

The share of noise in what is selected, mean over all sets:

{noise_reading}

## What is measured

Every rule selects features from the training rows of {folds} outer folds (stratified for classes,
one seed).  Columns that are constant in the training rows are dropped first.  Four models that had
no part in the choice are then fitted to the training rows with the selected features and evaluated
on the held-out rows: a linear model (ridge; logistic regression for nominal classes), 9 nearest
neighbours, 100 extremely randomised trees, and gradient boosting.  Features are standardised on the
training rows.  If nothing is selected, the prediction is the baseline: the median, or the most
frequent class.

- **Error**: the mean absolute error, of ordered classes in classes (predictions are rounded); for
  nominal classes the share of wrong predictions.  It is the mean over folds.  An error of a fold
  below 1 / rows of the set counts as 1 / rows, so that errors of 0 can be divided by.
- **Mean of models**: the error of a model divided by its error with all features, mean over the
  four models, then over sets.  Below 1 is better than all features.
- **Best model**: the least error of the four models divided by the least with all features, mean
  over sets.
- **Less AutoSelector's**: the difference to AutoSelector over the sets both finished; above 0
  AutoSelector is better.  "Level" means that the interval contains 0.
- **Selected** and **of them noise**: the number of features selected, and the share of noise among
  them (folds with nothing selected have no share).
- **Overlap of folds**: the Jaccard index of the features selected in two folds, mean over pairs; 1
  means that every fold selects the same features.
- **Worst set**: the largest mean of models on one set.
- **Seconds**: processor time of one selection on one core, without the evaluation.  A rule that
  needs more than {seconds} is skipped on the set.

In brackets are 95 % bootstrap intervals over data sets.

Every set has four versions, with shuffled columns.  **Original**: the features as they are.
**Permuted**: at least {noise} more columns, copies of the features with their values permuted.
**Corrupted**: as many more columns, standardised features plus Gaussian noise with standard
deviation {deviation}.  Their correlation with the feature is about {correlation}; they count as
noise because the feature itself is there.  **Products**: as many more columns, each the product of
two features drawn at random, standardised.  A product may be repeated, and may carry an
interaction; it counts as noise all the same.{others}

At most {rows} rows of a set are used, drawn at random.  Categories became one column each, missing
values the median.

{sets}

## Rules

- **all features**: no selection.
- **AutoSelector**: echelon's default, with the type of the target given.
- **Boruta**: 50 rounds, 100 trees of depth 5; the confirmed features.
- **LassoCV** and **lasso, one standard error**: the penalty with the least cross-validated error,
  and the largest within one standard error of it.  For nominal classes L1 logistic models of one
  class against the others, evaluated by accuracy.
- **RFECV, trees**: recursive elimination with 50 extremely randomised trees, a fifth of the
  features in each step.
- **abess**: best subset with its size by EBIC, of a linear model (multinomial for nominal classes);
  **abess, ordinal** with an ordinal model.
- **ipss**: integrated path stability selection with gradient boosting, at a target false discovery
  rate.  It is for binary and continuous targets, so it is not run on nominal classes.
- **conditional importance**: conditional permutation importance of a random forest (hidimstat's
  `CFICV`, five folds), p-values by Benjamini-Hochberg at 0.1.
- **mutual information, best k**: the k features with most of it, k by the linear model in five
  folds.
- **variance filter**: columns, scaled to the range 0 to 1, with a variance above the median.

Ordered classes are numbers (codes) to Boruta, the lasso, RFECV, abess, ipss and conditional
importance.

{sections}

## Skipped

{skipped}

{environment}.  `python -m benchmarks.kept --data FOLDER --fresh FOLDER --targets FOLDER --write`
measures again; finished cells are kept, `--page` makes the page without measuring.  The sets are
written by `python -m benchmarks.ordered.fresh --to FOLDER` and `python -m benchmarks.targets.data
--to FOLDER`.
"""
