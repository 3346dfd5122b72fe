"""What the paper says beside what was found."""

from __future__ import annotations

from typing import Any

import numpy as np

from papers.pages import Claim, spread
from papers.rank_order import _figure_5 as figure_5
from papers.rank_order._real import EXACT, SETS
from papers.rank_order._synthetic import ADDED, CRITERIA, WITHIN

Found = dict[str, Any]

# Genes of Tables 2 to 5, by the data and the criterion that chose them, and their accuracy.
PRINTED = {
    ("drosophila", EXACT): (
        "CG10033 CG10602 CG12120 CG12321 CG12699 CG14722 CG2019 CG2985 CG3991 CG5940 CG6483 CG6933 "
        "CG7157",
        0.933,
    ),
    ("drosophila", "spoilers"): ("CG10096 CG1140 CG13841 CG3121 CG3333 CG7157", 0.933),
    ("leukemia, 2 classes", EXACT): (
        "D49824 D70830 HT2696 HT2798 L13977 M17733 M24899 M27288 M27891 S94421 U06155 U09953 "
        "U14969 U15422 U28727 U33447 U63717 U79267 U89717 U89922 X02160 X73460 X79234 X90846 "
        "Z48579",
        0.93,
    ),
    ("leukemia", EXACT): (
        "D13789 HT26388 L38941 M17886 M24194 M31606 M35093 M84526 M89957 U14969 U86358 U89922 "
        "X00437 X52056 X54741 X90846",
        0.97,
    ),
}
DUPLICATES = "printed with equal instances counted twice, against Definition 3"
TITLES = {
    "leukemia, 2 classes": "leukemia, 2 classes",
    "leukemia": "leukemia, 3 classes",
    "drosophila": "Drosophila",
}


def claims(found: Found) -> list[Claim]:
    """All claims, in the order of the paper."""
    return [
        *on_figure_5(),
        *on_added_features(found),
        *on_concordance(found),
        *on_real_data(found),
        *on_genes(found),
    ]


def on_figure_5() -> list[Claim]:
    """Section 5.3: the divergences of the subsets of the small example."""
    free = {n: figure_5.removable(n) for n in (1, 2, 3)}
    counted = (
        ("features that can go at divergence 0", 6, len(free[1])),
        ("sets of three that can go at divergence 0", 2, len(free[3])),
        ("ordered ways to remove two at divergence 0", 17, 2 * len(free[2])),
    )
    valued = (
        ("abce", "the most costly removal", "1.343"),
        ("abc", "removed by KS", "0.249"),
        ("bcf", "removed by CDV", "0.313"),
        ("bce", "removed by Spoilers", "0.616"),
    )
    rows = [
        Claim.judged(f"Figure 5: {text}", str(printed), str(here), printed == here)
        for text, printed, here in counted
    ]
    for removed, text, printed in valued:
        here = figure_5.divergence_without(removed)
        text = f"Figure 5: divergence without {{{','.join(removed)}}}, {text}"
        same = abs(here - float(printed)) < 0.001
        rows.append(Claim.judged(text, printed, f"{here:.3f}", same, "" if same else DUPLICATES))
    return rows


def mean_along(found: Found, cells: list[str], criterion: str, measure: str) -> np.ndarray:
    """Mean of a measure over a whole path, for every data set of some kinds."""
    return np.array(
        [
            np.mean(value[criterion][measure])
            for name, value in found.items()
            if any(name.startswith(f"synthetic/{cell}/") for cell in cells)
        ]
    )


def on_added_features(found: Found) -> list[Claim]:
    """Figures 7 and 8."""
    everything = [f"{e}, {r}" for e in ADDED for r in ADDED]
    cost = {c: mean_along(found, everything, c, "divergence") for c in CRITERIA}
    right = {c: mean_along(found, everything, c, "accuracy") for c in CRITERIA}
    others = [c for c in CRITERIA if c != "ks"]
    shown = ", ".join(f"{c} {spread(cost[c])}" for c in CRITERIA)
    gap = max(cost[c].mean() for c in others) - min(cost[c].mean() for c in others)
    centers = (right["cdv"] + right["spoilers"]) / 2 - right["kl"]
    return [
        Claim.judged(
            f"Figure 7: KS loses most (mean along the path of {len(cost['ks'])} data sets)",
            "KS highest",
            shown,
            all(cost["ks"].mean() > cost[c].mean() for c in others),
        ),
        Claim.judged(
            "Figure 7: little between the other three",
            "no numbers",
            f"largest difference of means {gap:.3f}, KS away by "
            f"{cost['ks'].mean() - max(cost[c].mean() for c in others):.3f}",
            gap < cost["ks"].mean() - max(cost[c].mean() for c in others),
        ),
        Claim.judged(
            "Figure 8: CDV and Spoilers more accurate than Greedy KL (mean along the path)",
            "no numbers",
            f"difference {signed(centers)}",
            bool(centers.mean() > 2 * standard_error(centers)),
        ),
        more_with_redundancy(found),
        better_with_extraneous(found),
    ]


def difference_from_kl(found: Found, cells: list[str]) -> np.ndarray:
    """Accuracy of CDV and Spoilers less that of Greedy KL, for every data set."""
    right = {c: mean_along(found, cells, c, "accuracy") for c in CRITERIA}
    return (right["cdv"] + right["spoilers"]) / 2 - right["kl"]


def more_with_redundancy(found: Found) -> Claim:
    """Whether the lead over Greedy KL grows with redundant features."""
    many = difference_from_kl(found, [f"{e}, {ADDED[-1]}" for e in ADDED])
    none = difference_from_kl(found, [f"{e}, 0" for e in ADDED])
    text = "Figure 8: that lead grows with redundant features"
    here = f"{signed(many)} with {ADDED[-1]}, {signed(none)} with none"
    return Claim.judged(text, "no numbers", here, bool(many.mean() > none.mean()))


def better_with_extraneous(found: Found) -> Claim:
    """Whether Greedy KL leads when features are only extraneous."""
    lead = -difference_from_kl(found, [f"{e}, 0" for e in ADDED[1:]])
    text = "Figure 8: with extraneous features only, Greedy KL is slightly better"
    return Claim.judged(text, "no numbers", f"difference {signed(lead)}", bool(lead.mean() > 0))


def on_concordance(found: Found) -> list[Claim]:
    """Figures 9 and 10."""
    right = {
        kind: {c: mean_along(found, [kind], c, "accuracy") for c in CRITERIA} for kind in WITHIN
    }
    shown = {k: ", ".join(f"{c} {spread(v)}" for c, v in each.items()) for k, each in right.items()}
    hard = {c: values.mean() for c, values in right["hard"].items()}
    return [
        Claim.judged(
            "Figure 9: on easy data all four do well (mean accuracy along the path above 0.9)",
            "no numbers",
            shown["easy"],
            all(values.mean() > 0.9 for values in right["easy"].values()),
        ),
        Claim.judged(
            "Figure 10: on hard data Spoilers beat CDV, and CDV beats Greedy KL",
            "no numbers",
            shown["hard"],
            hard["spoilers"] > hard["cdv"] > hard["kl"],
        ),
    ]


def on_real_data(found: Found) -> list[Claim]:
    """Figures 11 to 13: divergence, accuracy, and random subsets."""
    rows = []
    for name in SETS:
        if name == "drosophila":
            rows += kept_at_zero(found)
        else:
            left = {s: kept(found, name, s) for s in (EXACT, "spoilers")}
            text = f"{TITLES[name]}: CDV keeps divergence 0 longer than Spoilers"
            here = f"down to {left[EXACT]} features against {left['spoilers']}"
            rows.append(Claim.judged(text, "no numbers", here, left[EXACT] < left["spoilers"]))
        rows += [against_random(found, name, s) for s in (EXACT, "spoilers")]
    return rows + [as_accurate(found, *each) for each in PRINTED]


def kept(found: Found, name: str, selection: str) -> int:
    """Features left when the next removal would cost something."""
    cell = found[f"{name}/{selection}/outside"]
    return cell["n_features"] - cell["removed at divergence 0"]


def kept_at_zero(found: Found) -> list[Claim]:
    """The Drosophila paths: how far they go at divergence 0."""
    rows = []
    for selection, printed in (("spoilers", 10), (EXACT, 9)):
        left = kept(found, "drosophila", selection)
        text = f"Drosophila: {selection} removes all but {printed} features at divergence 0"
        why = "" if left <= printed else "other data than the paper's"
        rows.append(Claim.judged(text, str(printed), str(left), left <= printed, why))
    return rows


def against_random(found: Found, name: str, selection: str) -> Claim:
    """Whether naive Bayes does better than with random features of the same number, 2 to 30."""
    lead = lead_over_random(found, name, selection, "outside")
    better = not (name.startswith("leukemia") and selection == "spoilers")
    text = f"{TITLES[name]}: {selection} {'better' if better else 'no better'} than random features"
    here = f"{signed(lead, 3)} over 2 to 30 features"
    if f"{name}/{selection}/inside" in found:
        again = lead_over_random(found, name, selection, "inside")
        here += f"; selected inside the folds {signed(again, 3)}"
    return Claim.judged(text, "no numbers", here, bool(lead.mean() > 0.02) == better)


def lead_over_random(found: Found, name: str, selection: str, folds: str) -> np.ndarray:
    """Accuracy less that of random features, by number of features."""
    curve = found[f"{name}/{selection}/{folds}"]["accuracy"]["bayes"]
    sizes = [n for n in range(2, 31) if f"{name}/random/{n}" in found and str(n) in curve]
    return np.array([curve[str(n)] - np.mean(found[f"{name}/random/{n}"]["bayes"]) for n in sizes])


def as_accurate(found: Found, name: str, selection: str) -> Claim:
    """The printed accuracy at the printed number of features, and the best that was seen."""
    genes, printed = PRINTED[name, selection]
    n = str(len(genes.split()))
    curve = found[f"{name}/{selection}/outside"]["accuracy"]["bayes"]
    value, best = curve.get(n, np.nan), max(curve, key=lambda size: curve[size])
    text = f"{TITLES[name]}: accuracy with {n} genes of {selection}, selected on all samples"
    here = f"{100 * value:.1f} % (best of all sizes: {100 * curve[best]:.1f} % with {best})"
    return Claim.judged(text, f"{100 * printed:.1f} %", here, bool(value >= printed - 0.01))


def optimism(found: Found) -> list[tuple[str, str, str]]:
    """Accuracy with selection outside the folds less that inside, mean over 2 to 30 features."""
    rows = []
    for name in SETS:
        for key in [k for k in found if k.startswith(f"{name}/") and k.endswith("/inside")]:
            outside = found[key.replace("/inside", "/outside")]["accuracy"]["bayes"]
            inside = found[key]["accuracy"]["bayes"]
            gaps = np.array([outside[n] - inside[n] for n in inside if int(n) <= 30])
            rows.append((TITLES[name], key.split("/")[1], f"{100 * gaps.mean():+.1f}"))
    return rows


def on_genes(found: Found) -> list[Claim]:
    """Tables 2 to 5: how many of the printed genes are among as many of ours."""
    rows = []
    for (name, selection), (printed, _) in PRINTED.items():
        genes = printed.split()
        cell = found[f"{name}/{selection}/outside"]
        ours = cell["last"][: len(genes)]
        common = sum(any(same_gene(gene, one) for one in ours) for gene in genes)
        chance = len(genes) ** 2 / cell["n_features"]
        text = f"{TITLES[name]}: the same {len(genes)} genes from {selection}"
        here = f"{common} in common (by chance {chance:.2f})"
        rows.append(Claim.judged(text, f"{len(genes)} genes", here, common == len(genes)))
    two, three = (set(PRINTED[name, EXACT][0].split()) for name in SETS[:2])
    shared = len(two & three)
    text = "genes that Tables 4 and 5 have in common"
    return [*rows, Claim.judged(text, "2", f"{shared}, counted in the tables", shared == 2)]


def same_gene(gene: str, probe: str) -> bool:
    """Whether a probe of the chip is the gene of that name: ``HT2696`` is ``HG2600-HT2696_at``."""
    return gene in probe.replace("-", "_").replace(".", "_").split("_")


def signed(values: np.ndarray, digits: int = 3) -> str:
    """Mean ± standard error of differences."""
    return f"{values.mean():+.{digits}f} ± {standard_error(values):.{digits}f}"


def standard_error(values: np.ndarray) -> float:
    """Standard error of the mean."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
