"""The paper's claims, judged by what was found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from papers.pages import Claim, spread
from papers.soft_margin import printed
from papers.soft_margin.methods import CLASSIFIERS, RANKINGS, SUBSETS
from papers.soft_margin.results import BEFORE, GENE_NAMES, INSIDE, Results
from papers.soft_margin.wine import CLOSE, OVERLAPPING, SEPARATING

WHERE = {BEFORE: "selection before the folds", INSIDE: "selection inside the folds"}
NUMBERS = {"KNN": (4, 6), "SVM": (5, 7)}
MUCH = 0.8
SAME = 0.005
"""Mean accuracies closer than this are the same in the two digits of the paper."""


def claims(results: Results) -> list[Claim]:
    """All of them, in the order of the paper."""
    rows = [*table_1(results.found["table 1"]), *pictures(results.found["pictures"])]
    rows += [*penalties(results), *sizes(results), raw(results)]
    for classifier in CLASSIFIERS:
        for protocol in WHERE:
            rows += [*against_raw_and_subsets(results, classifier, protocol)]
    rows += [against_rankings(results, classifier) for classifier in CLASSIFIERS]
    rows += [noise(results, classifier) for classifier in CLASSIFIERS]
    return [*rows, genes(results), *untested()]


def table_1(found: list[dict[str, Any]]) -> Iterator[Claim]:
    """The columns of Table 1 and their correlations."""
    cells = [
        (value, text)
        for row, (_, dependencies, margin, *_) in zip(found, printed.TABLE_1, strict=True)
        for value, text in zip(
            [*row["dependency"], row["margin"]], [*dependencies.split(), margin], strict=True
        )
    ]
    exact = sum(printed.agrees(value, text) for value, text in cells)
    worst = max(abs(value - float(text)) for value, text in cells)
    yield Claim.judged(
        "Table 1: dependencies and margins of 20 subsets of wine",
        f"{len(cells)} numbers",
        f"{exact} to the printed digits, the others within {worst:.4f}",
        worst < 0.002,
    )
    ours, theirs = np.array([row["NSM"] for row in found]).T, _column(3)
    gaps = np.abs(ours - theirs)
    yield Claim.judged(
        "Table 1: soft margins of the 20 subsets (without the sample's own vote; with it)",
        f"{theirs.min():.1f} to {theirs.max():.1f}",
        "; ".join(
            f"r = {_r(values, theirs):.2f} with the printed, mean difference {gap.mean():.1f}"
            for values, gap in zip(ours, gaps, strict=True)
        ),
        bool(gaps.max(axis=1).min() < 0.01),
    )
    runs = np.array([row["KNN"] for row in found])
    gaps, allowed = np.abs(runs.mean(axis=1) - _column(4)), _column(5)
    yield Claim.judged(
        f"Table 1: KNN accuracy of the 20 subsets ({runs.shape[1]} repetitions)",
        f"{_column(4).min():.2f} to {_column(4).max():.2f}",
        f"{np.sum(gaps <= allowed)} of 20 within the printed spread,"
        f" mean difference {gaps.mean():.3f}",
        bool((gaps <= allowed).all()),
    )
    margins = np.array([row["margin"] for row in found])
    soft, plain = _r(ours[0], runs.mean(axis=1)), _r(margins, runs.mean(axis=1))
    yield Claim.judged(
        "Table 1: the soft margin goes with KNN accuracy more closely than the margin",
        f"r = -0.80 against 0.36 (its columns give {_r(theirs, _column(4)):.2f}"
        f" and {_r(margins, _column(4)):.2f})",
        f"r = {soft:.2f} against {plain:.2f}",
        abs(soft) > abs(plain),
    )


def _column(position: int) -> np.ndarray:
    return np.array([row[position] for row in printed.TABLE_1])


def _r(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(a, b)[0, 1])


def pictures(found: dict[str, Any]) -> Iterator[Claim]:
    """Figures 5 to 9."""
    close = {s: _between(found[f"subset {s}"], *CLOSE) for s in (13, 5)}
    pairs = {s: found[f"pairs {s}"] for s in close}
    yield Claim.judged(
        "Figs. 6, 7: subset 13 has much fewer samples at 0.2 to 0.3 from another class than 5",
        "much less",
        f"{close[13]} against {close[5]} with their nearest there, {pairs[13]} against {pairs[5]}"
        " pairs",
        max(close[13] / close[5], pairs[13] / pairs[5]) < MUCH,
        f"much is below {MUCH}",
    )
    good = {f: found[f"separation {f}"]["{} {}".format(*c)] for f, c in SEPARATING.items()}
    poor = {f: min(found[f"separation {f}"][c] for c in ("1 2", "2 3")) for f in OVERLAPPING}
    yield Claim.judged(
        "Figs. 8, 9: feature 10 separates classes 2, 3, feature 13 classes 1, 2; 4 and 8 do not",
        "plots",
        "area under ROC "
        + ", ".join(f"{v:.2f} (feature {f})" for f, v in {**good, **poor}.items()),
        min(good.values()) > max(poor.values()),
    )


def _between(values: list[float], low: float, high: float) -> int:
    return int(np.sum((np.array(values) >= low) & (np.array(values) <= high)))


def penalties(results: Results) -> Iterator[Claim]:
    """Figures 10 and 11, and the sentence about other data."""
    for figure, classifier in ((10, "KNN"), (11, "SVM")):
        found = results.by_penalty("wine", "outside", classifier)
        yield Claim.judged(
            f"Fig. {figure}: on wine a penalty of 4 gives the best features ({classifier})",
            "4",
            _best(found),
            _is_proper(found),
            f"mean accuracy over all sizes, within {SAME} of the best",
        )
    others = [name for name in results.penalised if name != "wine"]
    if others:
        runs = [results.by_penalty(n, "inside", c) for n in others for c in CLASSIFIERS]
        proper = sum(map(_is_proper, runs))
        text = f"4 is within {SAME} of the best in {proper} of {len(runs)} curves"
        claim = (
            f"a penalty of 4 is proper on other data too ({', '.join(others)}, inside the folds)"
        )
        yield Claim.judged(claim, "4", text, proper > len(runs) / 2)


def _best(found: dict[int, np.ndarray]) -> str:
    best = max(found, key=lambda penalty: found[penalty].mean())
    shown = sorted({best, 4}, key=lambda penalty: penalty != best)
    values = "; ".join(f"{penalty}: {spread(found[penalty], 3)}" for penalty in shown)
    return f"{values} ({len(found[4])} repetitions)"


def _is_proper(found: dict[int, np.ndarray]) -> bool:
    return bool(found[4].mean() >= max(run.mean() for run in found.values()) - SAME)


def sizes(results: Results) -> Iterator[Claim]:
    """Tables 2 and 3."""
    wrong = [
        name
        for name in results.names
        if results.found[f"{name}/sizes"][:3] != [*printed.SIZES[name]]
    ]
    yield Claim.judged(
        "Table 2: samples, features and classes of eight data sets",
        "8 sizes",
        f"{len(results.names) - len(wrong)} the same",
        not wrong,
    )
    theirs = {method: sum(column.values()) for method, column in printed.TABLE_3.items()}
    ours = {protocol: totals(results, protocol) for protocol in WHERE}
    yield Claim.judged(
        "Table 3: NSM keeps the fewest features with KNN, and fewer than CFS and NRS with SVM",
        _listed(theirs, 0),
        "; ".join(f"{WHERE[protocol]}: {_listed(each, 1)}" for protocol, each in ours.items()),
        all(
            each["NSM-KNN"] == min(each.values())
            and each["NSM-SVM"] < min(each["CFS"], each["NRS"])
            for each in ours.values()
        ),
        "features of all data together, judged under both",
    )


def totals(results: Results, protocol: str) -> dict[str, float]:
    """Features of all data sets together, as in the last row of Table 3."""
    columns = {f"NSM-{c}": ("NSM", c) for c in CLASSIFIERS} | {m: (m, "KNN") for m in SUBSETS}
    return {
        label: sum(results.size(n, method, protocol, c).mean() for n in results.names)
        for label, (method, c) in columns.items()
    }


def _listed(values: dict[str, float], digits: int) -> str:
    return ", ".join(f"{name} {value:.{digits}f}" for name, value in values.items())


def raw(results: Results) -> Claim:
    """Accuracy with all features, which tells whether data and classifiers are the paper's."""
    gaps = {
        f"{name} ({classifier})": round(results.mean(name, "raw", BEFORE, classifier) - theirs, 2)
        for classifier, columns in printed.SUBSETS.items()
        for name, theirs in columns["Raw"].items()
        if name in results.names
    }
    far = [f"{name} {gap:+.2f}" for name, gap in gaps.items() if abs(gap) > 0.02]
    return Claim.judged(
        "Tables 4, 5: accuracy with all features",
        "16 numbers",
        f"{len(gaps) - len(far)} of {len(gaps)} within 0.02"
        + (f"; others: {', '.join(far)}" if far else ""),
        not far,
    )


def against_raw_and_subsets(results: Results, classifier: str, protocol: str) -> Iterator[Claim]:
    """Tables 4 and 5: NSM beside all features and beside CFS, consistency and rough sets."""
    number = NUMBERS[classifier][0]
    theirs = printed.SUBSETS[classifier]
    ours = {
        method: {n: results.mean(n, method, protocol, classifier) for n in results.names}
        for method in ("raw", "NSM", *SUBSETS)
    }
    better, worse = (_count(ours["NSM"], ours["raw"], sign) for sign in (1, -1))
    printed_better = _count(theirs["NSM"], theirs["Raw"], 1)
    printed_worse = _count(theirs["NSM"], theirs["Raw"], -1)
    yield Claim.judged(
        f"Table {number}: NSM does better than all features ({classifier}; {WHERE[protocol]})",
        f"{printed_better} of 8 better, {printed_worse} worse",
        f"{better} of {len(results.names)} better, {worse} worse",
        better > len(results.names) / 2,
    )
    best = {n: max(ours[method][n] for method in SUBSETS) for n in results.names}
    printed_best = {n: max(theirs[method][n] for method in SUBSETS) for n in theirs["NSM"]}
    ahead, level = (_count(ours["NSM"], best, sign) for sign in (1, 0))
    printed_ahead, printed_level = (_count(theirs["NSM"], printed_best, s) for s in (1, 0))
    yield Claim.judged(
        f"Table {number}: NSM is the best of NSM, CFS, C, NRS on most data"
        f" ({classifier}; {WHERE[protocol]})",
        f"best in {printed_ahead}, tied in {printed_level} of 8",
        f"best in {ahead}, tied in {level} of {len(results.names)}",
        ahead + level > len(results.names) / 2,
    )


def _count(first: dict[str, float], second: dict[str, float], sign: int) -> int:
    """Data sets in which the first is above (1), equal to (0) or below (-1) the second."""
    return sum(int(np.sign(round(first[name] - second[name], 2)) == sign) for name in first)


def against_rankings(results: Results, classifier: str) -> Claim:
    """Tables 6 and 7: mean over the data sets beside ReliefF, SVM and Simba."""
    theirs = {
        method: float(np.mean([accuracy for accuracy, _ in column.values()]))
        for method, column in printed.RANKINGS[classifier].items()
    }
    texts, good = [], []
    for protocol, where in WHERE.items():
        runs = {method: results.overall(method, protocol, classifier) for method in RANKINGS}
        others = np.mean([run.mean() for method, run in runs.items() if method != "NSM"])
        good.append(bool(runs["NSM"].mean() >= others - SAME))
        values = ", ".join(f"{method} {spread(run, 3)}" for method, run in runs.items())
        texts.append(f"{where}: {values}")
    return Claim.judged(
        f"Table {NUMBERS[classifier][1]}: NSM is as good as ReliefF, SVM and Simba ({classifier},"
        " mean of the data)",
        _listed({method: theirs[method] for method in RANKINGS}, 3),
        "; ".join(texts),
        all(good),
        "against the average of the three, judged under both",
    )


def noise(results: Results, classifier: str) -> Claim:
    """Table 8: what 10 % wrong labels cost."""
    theirs = printed.TABLE_8[classifier]
    drop = np.mean([theirs["clean"][n][0] - theirs["noisy"][n][0] for n in theirs["clean"]])
    parts = (("NSM", BEFORE), ("NSM", INSIDE), ("raw", INSIDE))
    selection, training, every = (
        results.overall(method, protocol, classifier)
        - results.overall(f"{method}, noise", protocol, classifier)
        for method, protocol in parts
    )
    return Claim.judged(
        f"Table 8: 10 % wrong labels do not lower the accuracy of NSM much ({classifier})",
        f"loses {drop:.3f} on average",
        f"wrong for the selection only: loses {spread(selection, 3)}; for training too:"
        f" {spread(training, 3)} (all features: {spread(every, 3)})",
        bool(max(selection.mean(), training.mean()) <= 0.01 + SAME),
        f"at most {0.01 + SAME} in both",
    )


def genes(results: Results) -> Claim:
    """Figure 13: the selected genes beside all of them."""
    texts, good = [], 0
    for name in results.genes:
        kinds = [*results.cells(name, "NSM")[0]["chosen"]]
        few = np.mean([results.accuracy(name, "NSM", INSIDE, kind) for kind in kinds])
        every = np.mean([results.accuracy(name, "raw", INSIDE, kind) for kind in kinds])
        texts.append(f"{name} {few:.2f} against {every:.2f}")
        good += bool(few >= every - SAME)
    return Claim.judged(
        "Fig. 13: on cancer data few genes chosen by NSM do (mean of four classifiers, selection"
        " inside the folds, against all genes)",
        "curves without numbers",
        "; ".join(texts),
        good > len(results.genes) / 2,
    )


def untested() -> list[Claim]:
    """What the data do not allow."""
    return [
        Claim.untested(
            f"Fig. 13: {GENE_NAMES[-1]} with 12600 genes",
            "curves without numbers",
            "only the version with 3312 genes was found; the curves here are on that one",
        )
    ]
