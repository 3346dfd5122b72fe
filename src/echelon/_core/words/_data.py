"""What a profile says: the data in words, what to note about them, and the method that fits.

What is of all rows of a table larger than memory, and what of a sample of them, is said here, too.

``facts`` is anything with the attributes of ``echelon.profile.Profile``.
"""

from __future__ import annotations

import shlex
from math import ceil, floor, log10
from typing import Any

from echelon._core.words._text import counted, ended, listed, number, percent
from echelon.methods import CLASSES, CONTINUOUS, ORDERED

FEW_ROWS = 5
"""A class with fewer rows says little."""
LOPSIDED = 0.9
"""A class with a larger share of the rows is mentioned."""
UNDIRECTED = 0.4
"""If even the best feature breaks the order in more pairs than this, none has a direction."""
ENOUGH_PAIRS = 30
"""Fewer comparable pairs of rows say nothing about the order."""

MOST_NAMED = 20
"""More columns are not named in an option that is offered."""


def option(command: bool, flag: str, parameter: str) -> str:
    """How to ask for something: an option of the command, or a parameter in Python."""
    return flag if command else parameter


# ---------------------------------------------------------------------------- the method that fits


def why_method(facts: Any) -> str:
    """Why the method fits, in one sentence."""
    name = f"'{facts.target}'" if facts.target else "The target"
    n_classes = len(facts.classes)
    if facts.method == "intervalrelief":
        return (
            f"The features are {len(facts.intervals)} intervals and the classes have no order, "
            "so IntervalRelief fits."
        )
    if facts.kind == CONTINUOUS:
        return f"{name} is continuous; AutoSelector aggregates rankings for continuous targets."
    if facts.kind == ORDERED:
        return (
            f"{name} has {n_classes} ordered classes; AutoSelector aggregates rankings that use "
            "their order."
        )
    order = "" if n_classes == 2 else " without an order"
    return f"{name} has {n_classes} classes{order}; AutoSelector aggregates rankings for classes."


# ------------------------------------------------------------------------------- what to take care


def data_warnings(facts: Any, command: bool = False) -> list[str]:
    """What no answer must be read without."""
    return [*map(ended, [*_about_giveaways(facts), *_about_subjects(facts, command)])]


def _about_giveaways(facts: Any) -> list[str]:
    """Columns that may hold the answer itself."""
    if not facts.giveaways:
        return []
    alone, verb, it = "", "predicts", "is it"
    if len(facts.giveaways) > 1:
        alone, verb, it = ", each alone,", "predict", "are they"
    return [
        f"{listed(facts.giveaways)}{alone} {verb} the target almost perfectly: {it} known in "
        "advance? If not, leave out what is not known before the outcome is."
    ]


def _about_subjects(facts: Any, command: bool) -> list[str]:
    """Columns that look like subjects with several rows each."""
    return [
        f"{name} looks like a subject ID with repeated rows: rows of one {name} are in both the "
        "training and the test part of a fold, so the scores may be far too good. Keep them "
        f"together with {option(command, f'--groups {shlex.quote(str(name))}', 'groups=')}."
        for name in facts.repeated[:3]
    ]


def data_caveats(facts: Any, command: bool = False) -> list[str]:
    """What to take care of in the data, one sentence each."""
    said = [
        *about_missing_codes(facts, command),
        *_about_order(facts, command),
        *_about_classes(facts),
        *_about_columns(facts),
        *_about_size(facts),
    ]
    return [*map(ended, said)]


def about_missing_codes(facts: Any, command: bool = False) -> list[str]:
    """Numbers that may stand for missing values; columns with the same ones together."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, codes in getattr(facts, "missing_codes", {}).items():
        alike.setdefault(tuple(f"{code:g}" for code in codes), []).append(str(name))
    said = []
    for codes, names in alike.items():
        it, verb = ("it", "repeats") if len(codes) == 1 else ("they", "repeat")
        named = ",".join(f'"{name}"' if "," in name else name for name in names)
        given = shlex.quote(f"{named if len(names) <= MOST_NAMED else 'COLUMNS'}={','.join(codes)}")
        said.append(
            f"{listed(codes)} in {listed(names)} {verb} far from all other values, as codes for "
            f"missing values do; if {it} stand{'s' if it == 'it' else ''} for missing values, "
            f"{option(command, f'pass --missing {given}', 'replace by NaN beforehand')}"
            f"{option(command, f', if not, --not-missing {shlex.quote(named)}', '')}."
        )
    return said


def _about_order(facts: Any, command: bool) -> list[str]:
    said = []
    if facts.order_from == "assumed" and len(facts.classes) > 2:
        how = option(command, "--unordered", 'kind="classification"')
        said.append(
            f"The classes {listed(facts.classes)} were assumed to be in this order; if they have "
            f"no order, pass {how}."
        )
    if facts.kind == ORDERED and facts.violations and facts.violations["best"] > UNDIRECTED:
        said.append(
            "No feature has a clear monotone trend with the classes; relieff, which needs no "
            "direction, may find more."
        )
    return said


def _about_classes(facts: Any) -> list[str]:
    if not facts.classes:
        return []
    said = [
        f"Class {label!r} has only {counted(n, 'row')}, too few for reliable results."
        for label, n in facts.classes.items()
        if n < FEW_ROWS
    ][:3]
    label, most = max(facts.classes.items(), key=lambda item: item[1])
    if most > LOPSIDED * facts.n_samples:
        said.append(f"{percent(most / facts.n_samples)} of the rows belong to class {label!r}.")
    return said


def _about_columns(facts: Any) -> list[str]:
    said = []
    if facts.missing:
        total = sum(facts.missing.values())
        share = 100 * total / (facts.n_samples * facts.n_features)
        said.append(
            f"{counted(total, 'value')} ({number(share, 2)} %) in "
            f"{counted(len(facts.missing), 'column')} {'is' if total == 1 else 'are'} missing."
        )
    mostly_missing = [name for name, n in facts.missing.items() if n > facts.n_samples / 2]
    if mostly_missing:
        said.append(f"More than half of the values of {listed(mostly_missing)} are missing.")
    said += [
        f"{listed(group)} are the same: one is enough, and any can replace it."
        for group in facts.duplicated[:3]
    ]
    if facts.intervals and facts.kind != CLASSES:
        said.append(
            f"{listed(facts.intervals)} look like intervals, but IntervalRelief is for classes "
            "without an order, so their bounds count as features of their own."
        )
    return said


def _about_size(facts: Any) -> list[str]:
    if facts.n_features <= facts.n_samples:
        return []
    return [
        f"There are more features ({facts.n_features:,}) than rows ({facts.n_samples:,}): many "
        "look good by chance, and other rows may lead to other features."
    ]


# --------------------------------------------------------------------------------- facts in words


def data_facts(facts: Any) -> list[tuple[str, str]]:
    """One row per fact: what it is, and its value in words."""
    excluded = {*facts.constant, *facts.identifiers, *getattr(facts, "texts", [])}
    n_categorical = len(set(facts.nominal) - excluded)
    categorical = f", {n_categorical} of them categorical" if n_categorical else ""
    others = f"; {counted(len(excluded), 'column')} excluded" if excluded else ""
    rows = [
        ("rows", f"{facts.n_samples:,}"),
        ("features", f"{facts.n_features - len(excluded):,}{categorical}{others}"),
        ("target", f"{facts.target or 'y'}: {_kind(facts)}"),
    ]
    if facts.classes:
        sep = " < " if facts.kind == ORDERED else ", "
        rows.append(("classes", sep.join(f"{k} ({n:,})" for k, n in facts.classes.items())))
    if facts.violations is not None:
        rows.append(("monotone", _monotone(facts.violations)))
    rows.append(("missing", _missing(facts)))
    rows += [
        (fact, listed(names))
        for fact, names in (
            ("constant", facts.constant),
            ("look like IDs", facts.identifiers),
            ("free text", getattr(facts, "texts", [])),
            ("look like subject IDs", facts.repeated),
            ("intervals", facts.intervals),
            ("predict it alone", facts.giveaways),
        )
        if names
    ]
    rows += [("identical", " = ".join(map(str, group))) for group in facts.duplicated[:5]]
    if facts.common_scale:
        rows.append(("scale", "apparently the same in all columns"))
    return rows


def _kind(facts: Any) -> str:
    if facts.kind == CONTINUOUS:
        return "continuous"
    classes = f"{len(facts.classes)} classes"
    if len(facts.classes) == 2 and facts.kind == CLASSES:
        return classes
    sources = {"declared": " (declared)", "numbers": " (numbers)", "assumed": " (assumed)"}
    ordered = "with" if facts.kind == ORDERED else "without"
    return f"{classes} {ordered} an order{sources.get(facts.order_from, '')}"


def _missing(facts: Any) -> str:
    if not facts.missing:
        return "none"
    shares = sorted(facts.missing.items(), key=lambda item: -item[1])
    return listed(f"{name} ({percent(n / facts.n_samples)})" for name, n in shares)


def _monotone(broken: dict[str, float]) -> str:
    if broken["n_pairs"] >= ENOUGH_PAIRS:
        return (
            f"{percent(broken['together'])} of {broken['n_pairs']:,.0f} comparable pairs of "
            "rows violate monotonicity"
        )
    return (
        "almost no rows are comparable in all features; the best feature alone violates "
        f"monotonicity in {percent(broken['best'])} of the pairs"
    )


def bin_label(part: Any, place: int) -> str:
    """The values of a bin of a scorecard, of which there are several, lowest first.

    Examples
    --------
    >>> from echelon._core.words import bin_label
    >>> bin_label({"start": 18.0, "end": 44.0, "category": None}, 0)
    'below 44'
    >>> bin_label({"start": 44.0, "end": None, "category": None}, 1)
    '44 or more'
    """
    if part["category"] is not None:
        return str(part["category"])
    if part["start"] is None:
        return "missing"
    if part["end"] is None:
        return f"{number(part['start'])} or more" if place else "all values"
    below = f"below {number(part['end'])}"
    return f"{number(part['start'])} to {below}" if place else below


LOSS = (
    "how much the held-out score ({}) worsens when the values of a selected feature are permuted, "
    "± standard error; near 0, the model does not need it"
)
"""What the losses of features are, given what the scores are."""

# --------------------------------------------------------------------------- labels of relevance

MEANING = {
    "irrelevant": "no more relevant than noise",
    "explained": "no more relevant than noise that is as correlated with the selected features",
    "weak": "other features could replace it",
    "strong": "every good linear model needs it",
}

LABELS = tuple(MEANING)

IRRELEVANT, EXPLAINED, WEAK, STRONG = range(len(LABELS))
"""Places in the list: the larger, the more relevant.  Weak and strong features are selected."""


def strongest(labels: list[str]) -> str:
    """The most relevant of several labels.

    Examples
    --------
    >>> from echelon._core.words import strongest
    >>> strongest(["irrelevant", "weak", "explained"])
    'weak'
    """
    return max(labels, key=LABELS.index)


# ------------------------------------------------------------------------ tables larger than memory


def sample_line(sample: Any) -> str:
    """The sample in a few words.

    Examples
    --------
    >>> from echelon._core.words import sample_line
    >>> sample_line({"rows": 50_000_000, "sampled": 20_000, "classes": False})
    '20,000 of 50,000,000 rows, drawn at random; rank correlations are of all rows'
    """
    how = "stratified by class" if sample["classes"] else "drawn at random"
    drawn = f"{sample['sampled']:,} of {sample['rows']:,} rows, {how}"
    return f"{drawn}; rank correlations are of all rows"


def about_sample(sample: Any) -> list[str]:
    """What is of all rows and what of the sample, one sentence each."""
    if sample is None:
        return []
    rows, sampled = f"{sample['rows']:,}", f"{sample['sampled']:,}"
    said = [
        f"All {rows} rows were read for the missing values of the columns, the numbers of their "
        "values, the classes and the rank correlations with the target. Searches, models and "
        f"scores are those of a sample of {sampled} rows."
    ]
    if sample["binned"]:
        said.append(
            f"Rank correlations of {counted(sample['binned'], 'column')} with many different "
            f"values are computed in bins, which changes them by at most {_up(sample['error'])}."
        )
    if sample["from_sample"]:
        said.append(
            f"The rank correlation of {listed(sample['from_sample'])} is that of the sample: in "
            "all rows it holds too many categories, or was converted on reading."
        )
    if sample["ranked_by_sample"]:
        said.append(
            "The ranking uses rank correlations of the sample, since columns of many categories "
            "are encoded by the mean outcome of each category."
        )
    for label, (n_drawn, n_rows) in sample["raised"].items():
        said.append(
            f"Class {label!r} has {counted(n_rows, 'row')}, of which the sample holds "
            f"{n_drawn:,}, more than its share: scores count it more often than it occurs."
        )
    if sample["constant"]:
        said.append(
            f"{listed(sample['constant'])} {_is(sample['constant'])} constant in the sample, but "
            "not in all rows, so the models could not use "
            f"{'it' if len(sample['constant']) == 1 else 'them'}."
        )
    if sample["samples"] > 1:
        said.append(
            f"Selection frequency and stability are over {sample['samples']} disjoint samples of "
            f"about {sampled} rows each, every one ranked by itself."
        )
    return said


def _up(value: float) -> str:
    """A bound with two digits, which is none if it is rounded down."""
    if value <= 0:
        return "0"
    unit = 10.0 ** (floor(log10(value)) - 1)
    return number(ceil(value / unit - 1e-9) * unit, 2)


def _is(names: Any) -> str:
    return "is" if len(names) == 1 else "are"
