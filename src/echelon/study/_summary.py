"""From a study to the summary that holds everything a report shows: facts, no sentences."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from numbers import Integral
from typing import Any, cast

import numpy as np

import echelon
from echelon._core.by_class import classes_of, drawn_classes
from echelon._core.significance import beyond_error, clearly_positive, standard_error
from echelon._core.words import plain, spoken
from echelon.display import AgreementDisplay
from echelon.profile import Profile, profile
from echelon.study._choice import (
    LARGE_LOSS,
    SMALL_LOSS,
    Rule,
    gain_of,
    scores_at,
    share_to_offer,
    size_of,
)
from echelon.study._design import Design
from echelon.study._features import (
    feature_rows,
    method_part,
    same_message,
    scorecard,
    sort_by_rank,
    with_all_rows,
    with_evidence,
    with_p_values,
)
from echelon.study._models import GIVEN, MANY, many_labels
from echelon.study._questions import questions
from echelon.study._study import Baseline, Study
from echelon.study.types import (
    Answer,
    Data,
    MethodPart,
    Offer,
    Other,
    Reached,
    SampleFacts,
    Score,
    Summary,
    Words,
)


def summary_of(
    study: Study,
    *,
    n_resamples: int = 20,
    found: Profile | None = None,
    notes: Sequence[str] = (),
    source: str | None = None,
    command: str | None = None,
    evidence: bool = False,
) -> Summary:
    """Describe what a study found.

    Parameters
    ----------
    study : Study
        What was found.
    n_resamples : int, default=20
        Samples of half of the rows on which the stability of the choice is measured; 0: neither
        stability nor changes by single features.
    found : Profile, default=None
        What ``echelon.profile.profile`` found in the data.
    notes : sequence of str, default=()
        What was done to the data before, in sentences that are shown unchanged.
    source, command : str, default=None
        Where the data come from and how the study was started, shown as they are.
    evidence : bool, default=False
        Whether every feature is tested given all others; see ``ConditionalEvidence``.
    """
    design, judged = study.design, study.judged
    methods = [method_part(name, study, n_resamples) for name in study.selectors]
    if found is None:
        found = profile(design.X, design.target, monotone=False)
    if design.sample is not None:
        found = design.sample.described(found)
    chosen = next(method for method in methods if method["name"] == judged.choice.method)
    order = sort_by_rank(chosen["ranking"])
    names = design.X.columns[order].tolist()
    answer = _answer(study, names)
    suspect = [str(name) for name in found.giveaways]
    alike = same_message(design.X, order, answer["n_features"], suspect)
    shared = (methods, chosen, answer["keep"], alike.groups, alike.substitutes)
    features = feature_rows(design.X, design.target, *shared, study.losses)
    with_all_rows(features, design.sample)
    with_p_values(features, design.X.columns.tolist(), study.fitted[judged.choice.method][0])
    if evidence:
        with_evidence(features, study)
    facts = {
        "source": source,
        "data": _glance(design, found),
        "sample": _sample(design),
        "profile": found.facts(),
        "answer": answer,
        "methods": methods,
        "features": features,
        "groups": alike.groups,
        "alike": alike.pairs,
        "questions": questions(study, answer["keep"], names) if n_resamples else None,
        "agreement": agreement_of(methods, chosen["n_features"]),
        "scorecard": scorecard(design, names),
        "how": _how(study, methods, n_resamples, command),
    }
    summary = cast(Summary, plain(facts))
    summary["words"] = cast(Words, spoken(summary, notes))
    _add_old_keys(summary)
    return summary


def _add_old_keys(summary: Any) -> None:
    """Sentences where 0.2 had them; they go in 0.4."""
    words, answer, questions = summary["words"], summary["answer"], summary["questions"]
    summary |= {"title": words["title"], "caveats": words["caveats"]}
    lines = words["lines"]
    answer |= {"warnings": words["warnings"], "sentence": words["answer"]}
    answer["evidence"] = f"{lines['Score']}; baseline: {lines['Baseline']}"
    answer["comparison"] = lines.get("All features", "")
    if answer["offer"] is not None:
        answer["offer"]["sentence"] = lines["Smaller set"]
    if questions is not None:
        questions["sentences"] = words["questions"]


def check_description(n_resamples: Any, found: Any) -> None:
    """Refuse what ``summary_of`` does not take, before any work is done."""
    if not isinstance(n_resamples, Integral) or isinstance(n_resamples, bool) or n_resamples < 0:
        raise ValueError(
            f"`n_resamples` must be 0 or more whole samples, got {n_resamples!r}. Pass 20, or 0 "
            "for no stability."
        )
    if found is not None and not isinstance(found, Profile):
        raise TypeError(
            f"`profile` must be what echelon.profile.profile returned, or None, got {found!r}."
        )


# ------------------------------------------------------------------------------------ the answer


def _answer(study: Study, order: list[str]) -> Answer:
    """Which features to select, by which rule, and what they are worth."""
    judged, rule = study.judged, study.design.rule
    choice = judged.choice
    limit = judged.limits[choice.method] if rule.is_default else None

    def n_features(size: int) -> int:
        """How many features so many of the best groups have."""
        return len(study.best(choice.method, size))

    return Answer(
        directions=study.directions,
        keep=study.selected,
        always=list(rule.always),
        together=_together(study.design, order),
        n_features=len(study.selected),
        of=len(order),
        rule={
            "wanted": None if rule.wanted is None else n_features(rule.wanted),
            "tolerance": rule.tolerance,
            "share": rule.share,
            "most_lost": (LARGE_LOSS if limit is None else SMALL_LOSS)[1],
            "limit": None if limit is None else n_features(limit),
            "allow_none": rule.allow_none,
        },
        sizes=[n_features(each(judged.sizes_without)) for each in (min, max)],
        advised=n_features(judged.curves[choice.method].one_se_size),
        method=choice.method,
        model=judged.model,
        decided_by=judged.deciding,
        helps=judged.helps,
        tests={
            "gained": judged.gained,
            "clear": judged.clear,
            "related": judged.related,
            "is_related": judged.is_related,
        },
        score=_score(study),
        offer=_offer(study),
    )


def _together(design: Design, order: list[str]) -> list[list[str]]:
    """Groups of features that are selected as a whole, the best ranked first."""
    groups = dict(zip(design.X.columns, design.feature_groups.tolist(), strict=True))
    found: dict[int, list[str]] = {}
    for name in order:
        found.setdefault(groups[name], []).append(name)
    return [group for group in found.values() if len(group) > 1]


def _score(study: Study) -> Score:
    scoring, judged = study.design.scoring, study.judged

    def reached(scores: np.ndarray) -> Reached:
        error = float(standard_error(scores, judged.test_share))
        return Reached(mean=float(scoring.sign * scores.mean()), standard_error=error)

    def compared(other: Baseline, own: np.ndarray) -> Other:
        gains, share = own - other.scores, judged.test_share
        error = float(standard_error(gains, share))
        return Other(
            name=other.name,
            **reached(other.scores),
            gain=float(gains.mean()),
            gain_error=error,
            clear=clearly_positive(gains, share) or clearly_positive(-gains, share),
            ahead=beyond_error(-gains, share),
        )

    own = judged.by_model[judged.model]
    models = [Baseline(*each) for each in judged.by_model.items() if each[0] != judged.model]
    return Score(
        name=scoring.name,
        larger_is_better=scoring.sign > 0,
        at_this_size=reached(scores_at(judged.curves, judged.choice)),
        held_out=reached(judged.held_out),
        guess={"name": judged.guess.name, **reached(judged.guess.scores)},
        others=[compared(other, judged.held_out) for other in judged.others],
        models=[compared(other, own) for other in models],
    )


def _offer(study: Study) -> Offer | None:
    """The knee of the curve where the answer is nearly everything, by the rule that leads to it."""
    judged, rule = study.judged, study.design.rule
    choice, guess = judged.choice, float(judged.guess.scores.mean())
    if rule._replace(always=(), n_always=0, allow_none=True) != Rule() or not judged.helps:
        return None
    curve = judged.curves[choice.method]
    share = share_to_offer(curve, guess, choice.size)
    if share is None:
        return None
    size = size_of(curve, guess, rule._replace(share=share))
    smaller = scores_at(judged.curves, choice._replace(size=size))
    loss = float((scores_at(judged.curves, choice) - smaller).mean())
    lost = loss / gain_of(curve, guess)
    keep = study.best(choice.method, size)
    return Offer(n_features=len(keep), keep=keep, loss=loss, share=lost, tolerance=share)


# ------------------------------------------------------------------------------ the data, and how


def _glance(design: Design, found: Profile) -> Data:
    """What a page shows of the data."""
    target = design.target
    classes = classes_of(target)
    labels = [str(label) for label in classes.labels]
    counts = np.bincount(classes.codes, minlength=len(labels)).tolist()
    many = design.X.columns[many_labels(design.X)]
    if design.sample is not None and labels == [str(label) for label in found.classes]:
        counts = [*found.classes.values()]
    return Data(
        n_samples=found.n_samples,
        n_features=design.X.shape[1],
        target=target.name or "target",
        kind=target.kind,
        ordered=classes.ordered,
        classes=dict(zip(labels, counts, strict=True)),
        shown_classes=[labels[c] for c in drawn_classes(classes)],
        missing=sum(found.missing.values()),
        columns_with_missing=len(found.missing),
        nominal=len(found.nominal),
        intervals=bool(found.intervals) and found.interval_pattern is None,
        constant=found.constant,
        duplicated=found.duplicated[:20],
        many_labels={name: int(design.X[name].nunique()) for name in many},
        most_labels=MANY,
    )


def _sample(design: Design) -> SampleFacts | None:
    """What is of all rows and what of a sample; None where all rows were used."""
    if design.sample is None:
        return None
    encoded = bool(many_labels(design.X))
    return cast(SampleFacts, {**design.sample.facts(), "ranked_by_sample": encoded})


def _how(
    study: Study, methods: Sequence[MethodPart], n_resamples: int, command: str | None
) -> dict[str, Any]:
    """What it takes to get the same again."""
    design = study.design
    return {
        "method": study.judged.choice.method,
        "parameters": {method["name"]: method["params"] for method in methods},
        "estimator": _written(design.models[GIVEN]) if GIVEN in design.models else None,
        "scoring": design.scoring.name,
        "larger_is_better": design.scoring.sign > 0,
        "folds": len(design.splits.folds),
        "stratified": design.splits.independent and design.target.codes is not None,
        "groups": design.splits.groups,
        "time": design.splits.time,
        "weights": design.splits.weights,
        "n_resamples": n_resamples,
        "seed": design.seed,
        "versions": _versions(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command,
    }


def _written(estimator: Any) -> str:
    """A model as the user wrote it; no addresses in memory."""
    return re.sub(r" at 0x[0-9a-f]+", "", " ".join(repr(estimator).split()))


def _versions() -> dict[str, str]:
    packages = ("numpy", "scipy", "scikit-learn", "pandas")
    python = ".".join(map(str, sys.version_info[:3]))
    installed = {package: version(package) for package in packages}
    return {"echelon": echelon.__version__, "python": python} | installed


def agreement_of(methods: Sequence[MethodPart], n_best: int) -> dict[str, Any] | None:
    """Rank correlations and overlaps of all pairs of methods; None for one method."""
    if len(methods) < 2:
        return None
    rankings = {method["name"]: method["ranking"] for method in methods}
    display = AgreementDisplay.from_rankings(rankings, n_best=n_best)
    return {
        "methods": display.methods,
        "rank_correlation": display.correlation,
        "overlap": display.overlap,
        "n_best": display.n_best,
    }
