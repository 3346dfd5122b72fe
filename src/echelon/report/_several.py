"""Reports on several targets of one table, as one: features by targets, and a section for each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import pandas as pd

from echelon._core.words import all_visible
from echelon.report._fragment import fragment
from echelon.report._report import Document, Report, template
from echelon.study.types import Reached, Summary


class TargetFacts(TypedDict):
    """The answer for one target, in short."""

    target: str
    kind: str
    selected: list[str]
    of: int
    helps: bool
    """Whether the features are better than the baseline."""
    metric: str
    larger_is_better: bool
    score: Reached
    """Cross-validated."""
    baseline: Reached


class FeatureFacts(TypedDict):
    """A feature by targets; those that it was not ranked for are absent."""

    feature: str
    n_selected: int
    ranks: dict[str, int]
    selected: list[str]
    """Targets for which it is selected."""


class SeveralSummary(TypedDict):
    """What was found for several targets."""

    source: str | None
    targets: list[TargetFacts]
    features: list[FeatureFacts]
    """Those selected for most targets first."""
    notes: list[str]
    reports: dict[str, Summary]


class Reports(Document):
    """Reports on several targets, as one.

    Parameters
    ----------
    reports : dict of str to Report
        A report by name of the target, as :func:`echelon.report.summarize` makes it.
    notes : sequence of str, default=()
        What is true of all of them, in sentences that are shown as they are.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from echelon import RankCorrelation
    >>> from echelon.report import Reports, summarize
    >>> table = load_iris(as_frame=True).data.set_axis(["sl", "sw", "pl", "pw"], axis=1)
    >>> X, targets = table[["sl", "sw"]], table[["pl", "pw"]]
    >>> reports = {name: summarize(X, y, RankCorrelation()) for name, y in targets.items()}
    >>> Reports(reports).frame()
        pl  pw  selected
    sl   1   1         2
    sw   2   2         2
    """

    def __init__(self, reports: Mapping[str, Report], notes: Sequence[str] = ()):
        if not reports:
            raise ValueError("`reports` must hold a report by name of the target, got none.")
        self._reports = {str(name): report for name, report in reports.items()}
        held = {name: report.summary() for name, report in self._reports.items()}
        self._summary: SeveralSummary = {
            "source": next(iter(held.values()))["source"],
            "targets": [_of_target(name, summary) for name, summary in held.items()],
            "features": _by_feature(held),
            "notes": list(notes),
            "reports": held,
        }

    def frame(self) -> pd.DataFrame:
        """The ranks of features by targets, and for how many each feature is selected.

        Returns
        -------
        frame : DataFrame of shape (n_features, n_targets + 1)
            Missing where a feature was not ranked for a target.
        """
        features = self._summary["features"]
        ranks = pd.DataFrame([each["ranks"] for each in features], columns=list(self._reports))
        frame = ranks.astype("Int64").assign(selected=[each["n_selected"] for each in features])
        return frame.set_axis([each["feature"] for each in features], axis=0)

    def to_html(self) -> str:
        """One HTML page that needs nothing else: no network, no script, no other file."""
        parts = [
            {"words": all_visible(report.summary()["words"]), "html": fragment(report.summary())}
            for report in self._reports.values()
        ]
        return template(True, "several.html").render(
            report=all_visible(self._summary), parts=parts, title=self._title
        )

    def to_markdown(self) -> str:
        """The reports as one Markdown page."""
        head = template(False, "several.md").render(
            report=all_visible(self._summary), title=self._title
        )
        pages = [report.to_markdown() for report in self._reports.values()]
        shifted = [re.sub(r"^#", "##", page, flags=re.MULTILINE) for page in pages]
        return "\n".join([re.sub(r"\n{3,}", "\n\n", head).strip() + "\n", *shifted])

    @property
    def _title(self) -> str:
        return f"Features by target: {len(self._reports)} targets"


def _of_target(name: str, summary: Summary) -> TargetFacts:
    answer = summary["answer"]
    score = answer["score"]
    return {
        "target": name,
        "kind": summary["data"]["kind"],
        "selected": answer["keep"],
        "of": answer["of"],
        "helps": answer["helps"],
        "metric": score["name"],
        "larger_is_better": score["larger_is_better"],
        "score": score["held_out"],
        "baseline": {key: score["guess"][key] for key in ("mean", "standard_error")},  # type: ignore
    }


def _by_feature(held: Mapping[str, Summary]) -> list[FeatureFacts]:
    """Every feature of any target: those selected for most first, then by their mean rank."""
    found: dict[str, FeatureFacts] = {}
    for target, summary in held.items():
        for feature in summary["features"]:
            name = feature["name"]
            facts = found.setdefault(
                name, {"feature": name, "n_selected": 0, "ranks": {}, "selected": []}
            )
            facts["ranks"][target] = feature["rank"]
            if feature["kept"]:
                facts["selected"].append(target)
                facts["n_selected"] += 1

    def place(facts: FeatureFacts) -> tuple[Any, ...]:
        ranks = facts["ranks"].values()
        return -facts["n_selected"], sum(ranks) / len(ranks), facts["feature"]

    return sorted(found.values(), key=place)
