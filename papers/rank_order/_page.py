"""Tables, pictures and text."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from echelon.display.style import BLUE, GREY, ORANGE, VERMILION, plain
from papers.pages import Page, table
from papers.rank_order._claims import TITLES, Found, claims, optimism
from papers.rank_order._real import LAST, METHODS, N_RANDOM, PATHS, SETS, with_all_folds
from papers.rank_order._synthetic import ADDED, CRITERIA, N_SAMPLES

SHOWN = (2, 4, 6, 8, 10, 13, 16, 20, 25, 30, 40, 60, 80)
NAMES = {"bayes": "naive Bayes", "kernel": "SVM, Kendall kernel", "center": "nearest center"}
COLOURS = {"kl": BLUE, "ks": GREY, "cdv": ORANGE, "spoilers": VERMILION}
EXTREMES = [f"{e}, {r}" for e, r in product((0, ADDED[-1]), repeat=2) if e + r]


def page(found: Found) -> Page:
    """The page of this paper."""
    found = with_all_folds(found)
    body = BODY.format(
        last=LAST,
        n_random=N_RANDOM,
        n_samples=N_SAMPLES,
        times=time_table(found),
        accuracies="\n\n".join(f"{TITLES[n]}:\n\n{accuracy_table(found, n)}" for n in SETS),
        methods=method_table(found),
        optimism=table(("data", "selection", "percentage points"), optimism(found)),
        synthetic=synthetic_table(found),
    )
    return Page(
        "Feature selection in rank-order spaces",
        "D. J. Slotta, J. P. C. Vergara, N. Ramakrishnan, L. S. Heath, 2005.",
        claims(found),
        body,
        {
            "rank_order_synthetic": partial(synthetic_picture, found),
            "rank_order_genes": partial(gene_picture, found),
        },
    )


# --------------------------------------------------------------------------------------- tables


def time_table(found: Found) -> str:
    """Seconds of the whole path, and how much of it loses nothing."""
    rows = []
    for name, selection in product(SETS, PATHS):
        cell = found[f"{name}/{selection}/outside"]
        free, n = cell["removed at divergence 0"], cell["n_features"]
        rows.append((TITLES[name], selection, f"{cell['seconds']:.1f}", free, n, n - free))
    head = ("data", "criterion", "whole path, s", "removed at divergence 0", "of", "left")
    return table(head, rows)


def accuracy_table(found: Found, name: str) -> str:
    """Accuracy of naive Bayes by number of features."""
    sizes = [n for n in SHOWN if f"{name}/random/{n}" in found]
    rows: list[tuple[Any, ...]] = []
    for selection, where in product(PATHS, ("outside", "inside")):
        cell = found.get(f"{name}/{selection}/{where}")
        if cell is not None:
            curve = cell["accuracy"]["bayes"]
            values = [100 * curve.get(str(n), np.nan) for n in sizes]
            rows.append((selection, where, *(f"{value:.0f}" for value in values)))
    chance = [100 * np.array(found[f"{name}/random/{n}"]["bayes"]) for n in sizes]
    rows.append(("random", "", *(f"{each.mean():.0f} ± {each.std(ddof=1):.0f}" for each in chance)))
    return table(("selection", "folds", *map(str, sizes)), rows)


def method_table(found: Found) -> str:
    """The three classifiers: mean accuracy over 2 to 30 features, selected inside the folds."""
    rows = []
    for name, selection in product(SETS, PATHS):
        cell = found.get(f"{name}/{selection}/inside")
        if cell is not None:
            rows.append((TITLES[name], selection, *(few(cell["accuracy"][m]) for m in METHODS)))
    for name in SETS:
        sizes = [n for n in range(2, 31) if f"{name}/random/{n}" in found]
        means = [np.mean([found[f"{name}/random/{n}"][m] for n in sizes]) for m in METHODS]
        rows.append((TITLES[name], "random", *(f"{100 * mean:.1f}" for mean in means)))
    return table(("data", "selection", *(NAMES[m] for m in METHODS)), rows)


def few(curve: dict[str, float]) -> str:
    """Mean accuracy with at most 30 features."""
    return f"{100 * np.mean([value for n, value in curve.items() if int(n) <= 30]):.1f}"


def curves(found: Found, kind: str, criterion: str, measure: str) -> np.ndarray:
    """A measure along the paths, one row per data set of a kind."""
    cells = [value for key, value in found.items() if key.startswith(f"synthetic/{kind}/")]
    return np.array([cell[criterion][measure] for cell in cells])


def synthetic_table(found: Found) -> str:
    """Means along the path for the extremes and for the two kinds of concordance."""
    rows = []
    for kind in present(found, [*EXTREMES, "easy", "hard"]):
        for measure in ("divergence", "accuracy"):
            means = [curves(found, kind, c, measure).mean(axis=1) for c in CRITERIA]
            cells = [f"{each.mean():.3f} ± {each.std(ddof=1):.3f}" for each in means]
            rows.append((kind, measure, *cells))
    return table(("data", "mean along the path", *CRITERIA), rows)


def present(found: Found, kinds: list[str]) -> list[str]:
    """Kinds of data that were run."""
    return [kind for kind in kinds if f"synthetic/{kind}/0" in found]


# ------------------------------------------------------------------------------------- pictures


def synthetic_picture(found: Found) -> Figure:
    """Figures 7 to 10: a column per kind of data, divergence above accuracy."""
    kinds = present(found, [*EXTREMES, "easy", "hard"])
    figure = Figure(figsize=(2.6 * len(kinds), 4.6), layout="constrained")
    axes = figure.subplots(2, len(kinds), sharey="row")
    for kind, (above, below) in zip(kinds, axes.T, strict=True):
        for criterion in CRITERIA:
            for ax, measure, start in ((above, "divergence", 1), (below, "accuracy", 0)):
                mean = curves(found, kind, criterion, measure).mean(axis=0)
                removed = start + np.arange(len(mean))
                ax.plot(removed, mean, color=COLOURS[criterion], label=criterion)
                plain(ax)
        added = kind.partition(", ")
        above.set_title(f"{added[0]} extraneous,\n{added[2]} redundant" if added[1] else kind)
        below.set_xlabel("features removed")
        for ax in (above, below):
            ax.xaxis.get_major_locator().set_params(integer=True)
    axes[0, 0].set_ylabel("divergence")
    axes[1, 0].set_ylabel("accuracy")
    axes[0, -1].legend(frameon=False)
    return figure


def gene_picture(found: Found) -> Figure:
    """Figures 11 to 13: accuracy of the last subsets beside random ones."""
    figure = Figure(figsize=(11, 3.6), layout="constrained")
    axes = figure.subplots(1, 3, sharey=True)
    for name, ax in zip(SETS, axes, strict=True):
        sizes = [n for n in range(2, LAST + 1) if f"{name}/random/{n}" in found]
        chance = np.array([found[f"{name}/random/{n}"]["bayes"] for n in sizes])
        low, high = np.quantile(chance, [0.1, 0.9], axis=1)
        ax.fill_between(sizes, low, high, color="#DDDDDD", label="random, 10 to 90 %")
        ax.plot(sizes, chance.mean(axis=1), color=GREY, label="random, mean")
        for selection, colour in (("cdv", COLOURS["cdv"]), ("spoilers", COLOURS["spoilers"])):
            curve = found[f"{name}/{selection}/outside"]["accuracy"]["bayes"]
            ax.plot([int(n) for n in curve], list(curve.values()), color=colour, label=selection)
        ax.set_title(TITLES[name])
        ax.set_xlabel("features left")
        plain(ax)
    axes[0].set_ylabel("accuracy, selected on all samples")
    axes[-1].legend(frameon=False)
    return figure


BODY = """
## The whole path on real data

All features down to one, on one thread.  "step 0.02" removes 2 % of all features at a time, so that
the last {last} leave in one or two rounds; "then 1" goes on from a tenth of the features one by
one, centers compared with those of that tenth.  Leukemia is the paper's data (72 x 7129); the
Drosophila data are another selection of the same experiment (67 x 4028, four stages) than the
paper's (74 x 3107, five).

{times}

## Accuracy of the last {last} subsets

![Accuracy against features left](../images/papers/rank_order_genes.png)

Per cent of samples recognised by naive Bayes on the boolean orders, in 5-fold cross-validation (one
split, stratified), by number of features.  *outside*: features were selected once, on all samples,
test folds included, as the paper does.  *inside*: selected again in every fold, on its training
part only, which is what a new sample would see.  *random*: mean ± standard deviation of {n_random}
random subsets of each size.  With 72 or 67 samples one sample is 1.4 or 1.5 %.  CDV with step 1
on leukemia with two classes was not repeated inside the folds (five more paths of its length), so
its figures there are as optimistic as the paper's.  Where accuracy stays at the share of the
largest class, the features kept have the same order in all classes: spoilers look at inversions
within a class only, and nothing inverts less than genes whose order never changes.

{accuracies}

## What selecting on all samples adds

Accuracy of naive Bayes outside less inside, mean over 2 to 30 features.

{optimism}

## Other classifiers

Per cent recognised, mean over 2 to 30 features, selected inside the folds.

{methods}

## Synthetic data

![Divergence and accuracy against features removed](../images/papers/rank_order_synthetic.png)

Section 5.2: {n_samples} data sets of each kind, selection on all samples, naive Bayes with 5 folds.
Seven classes of 20 samples, four features that suffice and up to 8 extraneous and 8 redundant ones;
or five classes of 100 samples of 25 features, concordant within the class by at least 0.9 ("easy")
or 0.1 ("hard").  The paper's captions give the two thresholds the other way round.  Means along
the whole path, then mean ± standard deviation over the data sets:

{synthetic}

## Figure 5

The printed divergences come out when equal instances are counted as often as they occur; the
paper's Definition 3 sums over different instances, which is what `subset_divergence` does.
"""
