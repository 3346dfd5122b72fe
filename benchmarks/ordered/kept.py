"""The sets that methods keep on their own: how many features, at what error, and never none."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.ordered.rankers import ALL, AUTO, GUESS, REFERENCES, label
from benchmarks.ordered.results import KEPT, KEYS, Interval, corrected_gain, finished, ratios
from papers.pages import table

HEAD = (
    "method",
    "sets",
    "kept",
    "of them noise",
    "nothing kept",
    "error / all features",
    "AutoSelector on these sets",
    "worst set",
)

SIGNAL = 2.0
"""Corrected standard errors by which stepwise must beat the guess for a signal to be there."""


def kept_table(frame: pd.DataFrame, *, noise: bool) -> str:
    """One row for every method with a rule of its own, the smallest error first."""
    part = finished(frame[(frame.noise == noise) & frame.n_kept.notna()])
    relative = ratios(part, ALL, KEPT).drop(columns=[*REFERENCES], errors="ignore")
    chosen = relative.mean().sort_values().index
    rows = [_row(part[part.method == method], relative, method) for method in chosen]
    return table(HEAD, rows)


def _row(cells: pd.DataFrame, errors: pd.DataFrame, method: str) -> tuple[object, ...]:
    """A method, and beside it AutoSelector on the same sets: not every method was run on all."""
    relative = errors[method].dropna()
    ours = errors[AUTO].reindex(relative.index) if AUTO in errors else pd.Series(dtype=float)
    total = cells.n_kept.sum()
    share = 1 - cells.n_real.sum() / total if total else np.nan
    return (
        label(method),
        len(relative),
        f"{cells.groupby('data').n_kept.mean().mean():.1f}",
        f"{share:.0%}" if total else "-",
        f"{(cells.n_kept == 0).mean():.0%} of folds",
        Interval.over(relative),
        "-" if method == AUTO or ours.dropna().empty else f"{ours.mean():.3f}",
        f"{relative.max():.3f} {relative.idxmax()}",
    )


def set_table(frame: pd.DataFrame, method: str = AUTO) -> str:
    """What a method keeps of every set: how many, and the error beside all and no features."""
    rows = []
    part = frame[frame.method.isin([method, ALL, GUESS])]
    for (data, noise), cells in finished(part).groupby(["data", "noise"]):
        own = cells[cells.method == method]
        if own.empty or not {ALL, GUESS} <= set(cells.method):
            continue
        same = cells[cells.set_index(KEYS).index.isin(own.set_index(KEYS).index)]
        errors = same.groupby("method")[KEPT].mean().mean(axis=1)
        rows.append(
            (
                data + (" with noise" if noise else ""),
                f"{own.n_kept.mean():.1f} of {same[same.method == ALL].n_kept.mean():.0f}",
                *(f"{errors[each]:.3f}" for each in (method, ALL, GUESS)),
                f"{errors[method] / errors[ALL]:.2f}" if errors[ALL] > 0 else "-",
            )
        )
    head = ("set", "kept", "error of the kept", "of all", "of the guess", "kept / all")
    return table(head, rows)


def has_rules(frame: pd.DataFrame) -> bool:
    """Whether any method has kept a set of its own."""
    return not frame[frame.n_kept.notna() & ~frame.method.isin(REFERENCES)].empty


def signals(frame: pd.DataFrame) -> pd.DataFrame:
    """By how many standard errors stepwise with 3 features beats the guess, in ridge."""
    found = {}
    both = frame[frame.method.isin(["stepwise", GUESS])]
    wide = both.pivot_table("three", index=KEYS, columns="method")
    for key, part in wide.dropna().groupby(["data", "noise"]):
        folds = part.index.get_level_values("fold").nunique()
        gains = (part[GUESS] - part["stepwise"]).to_numpy()
        found[key] = corrected_gain(gains, folds) if folds > 1 else 0.0
    index = pd.MultiIndex.from_tuples(found, names=["data", "noise"])
    return pd.DataFrame({"gain": list(found.values())}, index=index)


def check(frame: pd.DataFrame, method: str = AUTO) -> str:
    """The sets with a signal on which a method kept none in some fold, as a sentence or a table."""
    gains = signals(frame)
    there = gains[gains.gain > SIGNAL]
    none = frame[frame.method == method].assign(none=lambda f: f.n_kept == 0)
    folds = none.groupby(["data", "noise"]).none.agg(["sum", "size"])
    wrong = there.join(folds[folds["sum"] > 0], how="inner")
    head = (
        f"On {len(there)} of {len(gains)} versions of the sets stepwise with 3 features beats the "
        f"median class by more than {SIGNAL:g} corrected standard errors (ridge, all folds).  Here "
        "the method sees the training samples of a fold only, four fifths of all."
    )
    if wrong.empty:
        return f"{head}  {label(method)} kept none in no fold of these: the check passes."
    rows = [
        (
            data,
            "with noise" if noise else "as it is",
            f"{row.gain:.1f}",
            f"{row['sum']:g}",
            row["size"],
        )
        for (data, noise), row in wrong.iterrows()
    ]
    return f"{head}  The check fails on:\n\n" + table(
        ("set", "version", "standard errors", "folds with none", "folds"), rows
    )
