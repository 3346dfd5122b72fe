"""The page: text, and the tables of the paper with ours below each printed row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from papers.pages import Page, spread, table
from papers.soft_margin import figures, printed
from papers.soft_margin.claims import claims
from papers.soft_margin.methods import CLASSIFIERS, RANKINGS, SUBSETS
from papers.soft_margin.results import BEFORE, INSIDE, PROTOCOLS, SIZE_AFTER, Results

TITLE = "Feature evaluation and selection based on neighborhood soft margin"
ROWS = {BEFORE: "before the folds", INSIDE: "inside the folds"}


def page(found: dict[str, Any]) -> Page:
    """The page of this paper."""
    results = Results(found)
    body = BODY.format(
        repetitions=results.repetitions(),
        table_1=table_1(found["table 1"]),
        n_table_1=len(found["table 1"][0]["KNN"]),
        penalties=penalties(results),
        matters=matters(results),
        data=data(results),
        table_3=table_3(results),
        table_4=subsets(results, "KNN"),
        table_5=subsets(results, "SVM"),
        table_6=rankings(results, "KNN"),
        table_7=rankings(results, "SVM"),
        table_8=noise(results),
        contradictions=contradictions(),
        optimism=optimism(results),
        favour=favour(results),
        genes=genes(results),
        gene_optimism=gene_optimism(results),
    )
    reference = "Q. Hu, X. Che, L. Zhang, D. Yu, Neurocomputing 73, 2010."
    return Page(TITLE, reference, claims(results), body, figures.pictures(results))


def table_1(found: list[dict[str, Any]]) -> str:
    """Margins, soft margins and accuracies of the twenty subsets."""
    head = ("subset", "features", "margin", "ours", "NSM", "without own vote", "with own vote",
            "KNN", "ours")  # fmt: skip
    rows = [
        (number, features.replace(" ", ","), f"0{margin}", f"{ours['margin']:.3f}", f"{nsm:.2f}",
         *(f"{value:.2f}" for value in ours["NSM"]), f"{knn:.2f} ± {deviation:.2f}",
         spread(ours["KNN"], 3))
        for number, ((features, _, margin, nsm, knn, deviation), ours)
        in enumerate(zip(printed.TABLE_1, found, strict=True), 1)
    ]  # fmt: skip
    return table(head, rows)


def penalties(results: Results) -> str:
    """Mean accuracy over all sizes, by penalty."""
    rows, head = [], None
    for name in results.penalised:
        for classifier in CLASSIFIERS:
            for place, text in (("outside", "before"), ("inside", "inside")):
                found = results.by_penalty(name, place, classifier)
                head = ("data", "classifier", "selection", *found)
                cells = [spread(run, 3) for run in found.values()]
                rows.append((f"{name} ({len(found[4])})", classifier, text, *cells))
    return table(tuple(map(str, head)) if head else ("data",), rows)


def matters(results: Results) -> str:
    """Largest difference between the positive penalties on one row of that table."""
    gaps = [
        np.ptp([run.mean() for penalty, run in found.items() if penalty])
        for name in results.penalised
        for classifier in CLASSIFIERS
        for place in ("outside", "inside")
        if (found := results.by_penalty(name, place, classifier))
    ]
    return f"{max(gaps):.3f}"


def data(results: Results) -> str:
    """Samples, features, classes and gaps."""
    head = ("data", "samples", "features", "classes", "missing values")
    names = [*results.names, *results.genes]
    return table(head, [(name, *results.found[f"{name}/sizes"]) for name in names])


Cell = Callable[[str, str, str], str]
"""What to write for a data set, a column and a protocol."""


def _below_printed(
    results: Results, columns: Iterable[str], paper: Callable[[str, str], str], ours: Cell
) -> str:
    """For every data set the printed row, then ours under both protocols."""
    columns, rows = list(columns), []
    for name in results.names:
        rows.append((name, "paper", *(paper(name, column) for column in columns)))
        for protocol, text in ROWS.items():
            rows.append(("", text, *(ours(name, column, protocol) for column in columns)))
    return table(("data", "selection", *columns), rows)


def table_3(results: Results) -> str:
    """Numbers of features."""

    def ours(name: str, column: str, protocol: str) -> str:
        method, _, classifier = column.partition("-")
        return spread(results.size(name, method, protocol, classifier or "KNN"), 1)

    columns = (*(f"NSM-{classifier}" for classifier in CLASSIFIERS), *SUBSETS)
    return _below_printed(
        results, columns, lambda name, column: f"{printed.TABLE_3[column][name]:.0f}", ours
    )


def subsets(results: Results, classifier: str) -> str:
    """Tables 4 and 5."""
    theirs = printed.SUBSETS[classifier]

    def ours(name: str, column: str, protocol: str) -> str:
        if column == "Raw":
            return spread(results.accuracy(name, "raw", protocol, classifier), 3)
        return spread(results.accuracy(name, column, protocol, classifier), 3)

    return _below_printed(results, theirs, lambda name, column: f"{theirs[column][name]:.2f}", ours)


def rankings(results: Results, classifier: str) -> str:
    """Tables 6 and 7: accuracy / number of features."""
    theirs = printed.RANKINGS[classifier]

    def paper(name: str, column: str) -> str:
        accuracy, size = theirs[column][name]
        return f"{accuracy:.2f} / {size}"

    return _below_printed(
        results, theirs, paper, lambda n, column, p: _with_size(results, n, column, p, classifier)
    )


def contradictions() -> str:
    """Cells in which the paper prints two accuracies for one experiment."""
    pairs = [
        (f"{name} ({classifier})", accuracy, printed.RANKINGS[classifier]["NSM"][name][0])
        for classifier, columns in printed.SUBSETS.items()
        for name, accuracy in columns["NSM"].items()
    ]
    return ", ".join(f"{cell} {a:.2f} and {b:.2f}" for cell, a, b in pairs if a != b)


def _with_size(results: Results, name: str, method: str, protocol: str, classifier: str) -> str:
    size = results.size(name, method, protocol, classifier).mean()
    return f"{spread(results.accuracy(name, method, protocol, classifier), 3)} / {size:.1f}"


def noise(results: Results) -> str:
    """Table 8, and all features under the same noise."""
    rows = []
    kinds = [*printed.TABLE_8]
    for name in results.names:
        pairs = [printed.TABLE_8[kind][part][name] for kind in kinds for part in ("clean", "noisy")]
        rows.append((name, "paper", *(f"{accuracy:.2f} / {size}" for accuracy, size in pairs)))
        for protocol, text in ROWS.items():
            cells = [
                _with_size(results, name, method, protocol, kind)
                for kind in kinds
                for method in ("NSM", "NSM, noise")
            ]
            rows.append(("", text, *cells))
        every = [
            spread(results.accuracy(name, method, INSIDE, kind), 3)
            for kind in kinds
            for method in ("raw", "raw, noise")
        ]
        rows.append(("", "all features", *every))
    head = [f"{kind}{part}" for kind in kinds for part in ("", ", wrong labels")]
    return table(("data", "selection", *head), rows)


def optimism(results: Results) -> str:
    """How much the paper's protocol promises too much, by method, mean over the data sets."""
    rows = []
    for method in (*RANKINGS, *SUBSETS):
        cells = []
        for classifier in CLASSIFIERS:
            steps = results.optimism(method, classifier)
            by_rank, by_size = steps.T
            of_size = "-" if method in SUBSETS else spread(by_size, 3)
            cells += [spread(by_rank, 3), of_size, spread(steps.sum(axis=1), 3)]
        rows.append((method, *cells))
    parts = ("selection", "size", "together")
    head = [f"{classifier}: {part}" for classifier in CLASSIFIERS for part in parts]
    return table(("method", *head), rows)


def favour(results: Results) -> str:
    """NSM against the three subset methods, under each protocol, in words."""
    texts = []
    for classifier in CLASSIFIERS:
        gaps = []
        for protocol in (BEFORE, INSIDE):
            others = [results.overall(m, protocol, classifier).mean() for m in SUBSETS]
            gap = results.overall("NSM", protocol, classifier).mean() - np.mean(others)
            gaps.append(f"{gap:+.3f} {ROWS[protocol]}")
        texts.append(f"{classifier} {' and '.join(gaps)}")
    return "; ".join(texts)


def genes(results: Results) -> str:
    """Best of the curve before and inside the folds, size inside too, and all genes."""
    rows = []
    for name in results.genes:
        kinds = [*results.cells(name, "NSM")[0]["chosen"]]
        every = [spread(results.accuracy(name, "raw", INSIDE, kind), 3) for kind in kinds]
        rows.append((name, "all genes", "", *every, _mean(results, name, "raw", INSIDE, kinds)))
        for method in ("NSM", "ReliefF"):
            for protocol, text in zip(PROTOCOLS, GENE_ROWS, strict=True):
                cells = [
                    spread(results.accuracy(name, method, protocol, kind), 3) for kind in kinds
                ]
                mean = _mean(results, name, method, protocol, kinds)
                rows.append(("", method, text, *cells, mean))
    kinds = [*results.cells(results.genes[0], "NSM")[0]["chosen"]]
    return table(("data", "genes by", "selection", *kinds, "mean"), rows)


def gene_optimism(results: Results) -> str:
    """Accuracy before the folds minus inside, mean of the classifiers, in words."""
    texts = []
    for method in ("NSM", "ReliefF"):
        gaps = []
        for name in results.genes:
            kinds = [*results.cells(name, method)[0]["chosen"]]
            before, inside = (
                np.mean([results.accuracy(name, method, protocol, kind) for kind in kinds])
                for protocol in (BEFORE, INSIDE)
            )
            gaps.append(f"{before - inside:.3f} ({name})")
        texts.append(f"{method} {', '.join(gaps)}")
    return "; ".join(texts)


GENE_ROWS = ("before the folds", "inside, best size", "inside, size too")


def _mean(results: Results, name: str, method: str, protocol: str, kinds: list[str]) -> str:
    runs = [results.accuracy(name, method, protocol, kind) for kind in kinds]
    return f"{np.mean(runs):.3f}"


BODY = f"""
## How it was done

**Accuracy** is that of shuffled, stratified ten-fold cross-validation, repeated with other folds
({{repetitions}}; the same folds for all methods); mean ± standard deviation over
repetitions.  KNN has k = 3, as in Table 4 (k = 5 in Table 1 and on the gene data), RBF-SVM is
scikit-learn's `SVC()`; the paper gives none of its parameters.

**Three protocols.**  The paper ranks the features on all samples, computes the cross-validated
accuracy of the first m for every m, and reports the best.  The test samples have then been used
twice, to rank and to choose m.  So every table has two rows of ours:

- *before the folds*: {PROTOCOLS[BEFORE]};
- *inside the folds*: {PROTOCOLS[INSIDE]}: ranked anew on the nine training folds, with the m that
  is best in the nine other test folds.

Between them lies: {PROTOCOLS[SIZE_AFTER]}.  CFS, C and NRS have a rule for their number of
features; there is no best size for them to profit from.

**Methods.**  NSM: `NeighborhoodSoftMargin`, penalty 4.  CFS, C: `CFS`, `Consistency`.  NRS:
`NeighborhoodRoughSet`, radius 0.15.  ReliefF, Simba: defaults.  SVM: the feature with the smallest
squared weight in a linear SVM is eliminated, again and again (Guyon et al. 2002).

**Data.**  Numbers are scaled to [0, 1] by the training samples.  Nominal values differ by 0 or 1 in
the selectors and, one-hot encoded, in the classifiers.  Missing values: the selectors take them as
they are, except Simba, SVM and NRS, which like the classifiers get medians and most frequent values
of the training samples.  Segmentation is without its constant column.  Lymphoma is without the
classes RBB, GCB and NIL, which gives the paper's 88 samples.  Lung has 3312 genes, not 12600.

{{data}}

## Table 1 and Figures 5 to 9: wine

Dependencies at radius 0.15 and margins come out; the column of soft margins does not follow from
the printed definition, with or without the sample's own vote ([more](../neighborhood.md)).  KNN:
{{n_table_1}} repetitions.

{{table_1}}

![Distances to the nearest other class](../images/papers/soft_margin_distances.png)

Figures 5, 6 and 7: distance of every sample to the nearest one of another class, in three subsets
of Table 1; shaded is the range the paper looks at.

![Four features of wine](../images/papers/soft_margin_features.png)

Figures 8 and 9: features 4 and 8, which the paper finds poor, above; 10 and 13 below.

## Figures 10 and 11: the penalty

![Accuracy by penalty](../images/papers/soft_margin_penalty.png)

Accuracy on wine with the first m features, ranked on all samples.  With penalty 0 the largest ball
is always best and all features tie; they are then taken in the order of the columns.  Mean accuracy
over all sizes (repetitions behind the names):

{{penalties}}

From one positive penalty to another the mean changes by {{matters}} at most.

## Figure 12 and Table 3: how many features

![Accuracy by number of features](../images/papers/soft_margin_curves.png)

Table 3, the printed column of NRS adding up to 72, not to 74 as printed:

{{table_3}}

## Table 4: KNN beside CFS, consistency and rough sets

{{table_4}}

## Table 5: RBF-SVM

{{table_5}}

## Table 6: KNN beside large-margin rankings, accuracy / number of features

The columns of NSM should be those of Tables 4 and 5, but the paper prints {{contradictions}}.

{{table_6}}

## Table 7: RBF-SVM

{{table_7}}

## Table 8: 10 % of the labels changed

Before the folds, only the ranking sees the wrong labels: with wrong labels in the test folds too,
the printed accuracies could not be reached.  Inside the folds the classifier learns from them as
well and is tested on the true ones; *all features* under the same conditions tells what the noise
does to the classifier alone.

{{table_8}}

## What selection before the folds promises too much

Accuracy before the folds minus inside, mean ± standard deviation over the data sets: by selecting
on all samples, by choosing the size on the test folds, and both together.

{{optimism}}

NSM may choose its size on the test folds and CFS, C and NRS may not, so Tables 4 and 5 favour it.
Mean accuracy of NSM minus that of the three: {{favour}}.

## Figure 13: gene data

![Accuracy by number of genes](../images/papers/soft_margin_genes.png)

The first 30 genes at most.  ReliefF is not in the paper; it is there to compare with.

{{genes}}

Mean of the four before the folds minus inside, size and all: {{gene_optimism}}.
"""
