"""Table 2: ten data sets with ordered classes, how many features are kept and what they predict."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from echelon import LinearOrdinalClassifier, RelevanceBounds
from papers.cells import Task
from papers.data import Data
from papers.pages import Claim, spread, table
from papers.relevance_bounds.rivals import (
    RIVALS,
    alone,
    eliminated,
    exceeds,
    macro_absolute_error,
)


class Row(NamedTuple):
    """A row as printed: error and its standard deviation, then mean numbers of features."""

    name: str
    error: float
    deviation: float
    strong: float
    weak: float
    elasticnet: float
    lasso: float


PRINTED = {
    "automobile": Row("Automobile", 0.661, 0.129, 4.5, 12.6, 4.0, 4.8),
    "bondrate": Row("Bondrate", 1.36, 0.122, 0.0, 5.4, 2.0, 2.0),
    "contact-lenses": Row("Contact-lenses", 0.914, 0.206, 0.9, 1.1, 2.0, 2.0),
    "eucalyptus": Row("Eucalyptus", 0.406, 0.027, 2.1, 33.2, 15.6, 15.7),
    "newthyroid": Row("Newthyroid", 0.667, 0.0, 0.0, 4.7, 2.0, 2.0),
    "pasture25": Row("Pasture", 0.367, 0.121, 0.0, 15.5, 6.0, 5.1),
    "squash-stored": Row("Squash-stored", 0.39, 0.164, 2.4, 7.9, 11.1, 6.6),
    "squash-unstored": Row("Squash-unstored", 0.317, 0.168, 1.8, 3.3, 8.0, 7.3),
    "tae": Row("TAE", 0.621, 0.153, 1.9, 5.4, 16.8, 13.7),
    "winequality-red": Row("Winequality-red", 1.081, 0.037, 0.0, 7.6, 5.4, 5.3),
}
REPETITIONS = 30
FEWER = {"eucalyptus": 10}
"""552 training samples with 91 features take as long as all the others together."""
FEW, MANY = ("squash-stored", "squash-unstored", "tae"), ("automobile", "eucalyptus", "pasture25")
"""Where FRI is said to find fewer and more features than its rivals."""
NONE_STRONG = ("bondrate", "newthyroid", "pasture25", "winequality-red")
METHODS = {"bounds": "the relevant features", "elasticnet": "EN", "lasso": "Lasso"}
QUICK = ("automobile", "squash-stored", "tae")


def tasks(data: Data, *, quick: bool) -> dict[str, Task]:
    """One cell per hold-out."""
    cells: dict[str, Task] = {}
    for name in QUICK if quick else PRINTED:
        n_known = data.holdouts(name).shape[1]
        for part in range(2 if quick else FEWER.get(name, REPETITIONS)):
            kind = "published" if part < n_known else "random"
            cells[f"table 2/{name}/{kind} {part}"] = partial(alone, run, data, name, part)
    return cells


def test_part(data: Data, name: str, part: int) -> np.ndarray:
    """Rows of a published hold-out, or of a stratified quarter where there is none."""
    known, y = data.holdouts(name), data.load(name)[1].to_numpy()
    if part < known.shape[1]:
        return known[:, part] == 1
    # A class of one sample cannot be divided: it is drawn together with the class below.
    strata = np.where(np.bincount(y)[y] < 2, y - 1, y)
    rows = np.arange(len(y))
    chosen = train_test_split(rows, test_size=0.25, stratify=strata, random_state=part)[1]
    return np.isin(rows, chosen)


def run(data: Data, name: str, part: int) -> dict[str, Any]:
    """One hold-out: features chosen in the training part, errors in the test part."""
    X, y = (frame.to_numpy() for frame in data.load(name))
    test = test_part(data, name, part)
    known, labels = X[~test], y[~test]
    bounds = RelevanceBounds(random_state=part).fit(known, labels)
    kinds = bounds.relevance_
    model = LinearOrdinalClassifier(C=bounds.C_).fit(known * bounds.support_, labels)
    found = {
        "name": name,
        "published": bool(part < data.holdouts(name).shape[1]),
        "shape": [*X.shape, len(np.unique(y))],
        "strong": int((kinds == "strong").sum()),
        "weak": int((kinds == "weak").sum()),
        "tolerance": bounds.tolerance_,
        "error of all": macro_absolute_error(y[test], bounds.model_.predict(X[test])),
        "error of bounds": macro_absolute_error(y[test], model.predict(X[test])),
    }
    for rival, penalty in RIVALS.items():
        elimination = eliminated(known, labels, penalty, part)
        found[rival] = int(elimination.n_features_)
        found[f"error of {rival}"] = macro_absolute_error(y[test], elimination.predict(X[test]))
    return found


# -------------------------------------------------------------------------------------- writing

Runs = dict[str, pd.DataFrame]
"""The hold-outs of every data set."""


def claims(every: Runs) -> list[Claim]:
    """The printed errors, and what is said of the numbers of features."""
    errors = [error_claim(PRINTED[name], runs) for name, runs in every.items()]
    return [
        *errors,
        comparable(every),
        size_claim(every, FEW, "fewer"),
        size_claim(every, MANY, "more"),
        weak_claim(every),
        strong_claim(every),
    ]


def error_claim(printed: Row, runs: pd.DataFrame) -> Claim:
    """One printed error: ours is not above it by more than one standard error."""
    values = runs["error of all"]
    found = f"{spread(values, 3)} ({parts_of(runs)})"
    holds = bool(values.mean() - values.sem() <= printed.error)
    text = f"Table 2, {printed.name}: MMAE of the model"
    return Claim.judged(text, f"{printed.error} ± {printed.deviation}", found, holds)


def comparable(every: Runs) -> Claim:
    """The errors on the features that the three methods choose are about the same."""
    apart = [PRINTED[name].name for name, runs in every.items() if not are_close(runs)]
    found = f"so on {len(every) - len(apart)} of {len(every)} sets"
    text = "Table 2: MMAE of FRI, EN and Lasso comparable (means within one standard deviation)"
    return Claim.judged(text, "one column for all three", found, not apart, but_on(apart))


def are_close(runs: pd.DataFrame) -> bool:
    """Whether the mean errors of all methods lie within the smallest standard deviation."""
    errors = runs[[f"error of {method}" for method in METHODS]]
    return bool(np.ptp(errors.mean()) <= errors.std().min())


def size_claim(every: Runs, names: tuple[str, ...], word: str) -> Claim:
    """FRI finds fewer, or more, relevant features than both rivals."""
    sign = 1 if word == "more" else -1
    names = tuple(name for name in names if name in every)
    broken, printed, found = [], [], []
    for name in names:
        row, means = PRINTED[name], every[name][["strong", "weak", *RIVALS]].mean()
        ours = means["strong"] + means["weak"]
        if not all(sign * (ours - means[rival]) > 0 for rival in RIVALS):
            broken.append(row.name)
        printed.append(f"{row.strong + row.weak:.1f} to {row.elasticnet} and {row.lasso}")
        found.append(f"{ours:.1f} to {means['elasticnet']:.1f} and {means['lasso']:.1f}")
    where = ", ".join(PRINTED[name].name for name in names)
    text = f"Table 2, {where}: FRI finds {word} features than EN and Lasso"
    values = ("; ".join(printed), f"{'; '.join(found)} ({repetitions(every, names)})")
    return Claim.judged(text, *values, not broken, but_on(broken))


def weak_claim(every: Runs) -> Claim:
    """Weakly relevant features are found in all data sets."""
    sizes = [runs["weak"].mean() for runs in every.values()]
    printed = [PRINTED[name].weak for name in every]
    ends = [f"{min(each):.1f} to {max(each):.1f}" for each in (printed, sizes)]
    missing = [PRINTED[n].name for n, size in zip(every, sizes, strict=True) if size < 0.05]
    text = "Table 2: FRI finds weakly relevant features on every data set, on average"
    return Claim.judged(text, *ends, not missing, but_on(missing))


def strong_claim(every: Runs) -> Claim:
    """No strongly relevant feature in four data sets."""
    names = tuple(name for name in NONE_STRONG if name in every) or tuple(every)
    sizes = [every[name]["strong"].mean() for name in names]
    broken = [PRINTED[n].name for n, size in zip(names, sizes, strict=True) if size >= 0.05]
    where = ", ".join(PRINTED[name].name for name in names)
    values = (", ".join(f"{each:.1f}" for each in each_list) for each_list in
              ([PRINTED[name].strong for name in names], sizes))  # fmt: skip
    text = f"Table 2, {where}: no strongly relevant feature"
    return Claim.judged(text, *values, not broken, but_on(broken))


def but_on(names: list[str]) -> str:
    """The exceptions of a claim."""
    return f"not on {', '.join(names)}" if names else ""


def parts_of(runs: pd.DataFrame) -> str:
    """How many hold-outs, and how many of them are the published ones."""
    return f"{len(runs)} hold-outs, {runs['published'].sum()} published"


def repetitions(every: Runs, names: tuple[str, ...]) -> str:
    """The numbers of hold-outs of some data sets."""
    numbers = sorted({len(every[name]) for name in names})
    return f"{' or '.join(map(str, numbers))} hold-outs"
