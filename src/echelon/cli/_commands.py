"""The commands themselves: check, compute, write, show."""

from __future__ import annotations

from typing import Any

import pandas as pd

from echelon.cli import _outputs, _show, _work
from echelon.cli._console import show_json
from echelon.cli._errors import InputError
from echelon.cli._options import Common, Judging
from echelon.cli._prepare import prepare
from echelon.cli._progress import working
from echelon.display import BoundsDisplay
from echelon.study.types import Summary


def rank(common: Common, method: str, judging: Judging) -> None:
    """Rank by one method."""
    _outputs.check_outputs(common)
    found = _work.study(common, [method], judging)
    _finish(found, common, _show.show_ranking)


def compare(common: Common, methods: list[str], judging: Judging) -> None:
    """Rank by several methods over the same folds."""
    methods = list(dict.fromkeys(name.lower() for name in methods))
    if len(methods) == 1:
        raise InputError(
            f"--methods must name two or more methods, got {','.join(methods)!r}. See 'echelon "
            "methods'."
        )
    _outputs.check_outputs(common)
    found = _work.study(common, methods, judging)
    _finish(found, common, _show.show_comparison)


def _finish(found: _work.Studied, common: Common, show: Any) -> None:
    summary = found.report.summary()
    several = len(summary["methods"]) > 1
    written = _outputs.write_table(_ranking_frame(summary), common)
    written += _outputs.write_report(found.report, common)
    if common.plot:
        from echelon.cli._pictures import comparison_picture, ranking_picture

        draw = comparison_picture if several else ranking_picture
        written += _outputs.write_plot(draw(summary), common)
    if common.json:
        show_json(_as_json(summary, found))
    elif common.output != "-":
        show(found, common.top, written)


def _ranking_frame(summary: Summary) -> pd.DataFrame:
    """One row per feature, best first."""
    features = summary["features"]
    frame = pd.DataFrame(
        {
            "rank": [feature["rank"] for feature in features],
            "feature": [feature["name"] for feature in features],
            "keep": [feature["kept"] for feature in features],
        }
    )
    for key in ("score", "relevance", "trend", "stability", "group", "missing"):
        values: list[Any] = [feature.get(key) for feature in features]
        if any(value is not None for value in values):
            frame[key] = values
    if len(summary["methods"]) > 1:
        for method in summary["methods"]:
            name = method["name"]
            frame[f"rank_{name.lower()}"] = [feature["ranks"][name] for feature in features]
    return frame


def _as_json(summary: Summary, found: _work.Studied) -> dict[str, Any]:
    """The summary without what only pictures need."""
    for feature in summary["features"]:
        feature.pop("distribution", None)
    return {**summary, "set_aside": found.task.set_aside}


def bounds(common: Common) -> None:
    """Relevance bounds of all features."""
    for option in ("groups", "time", "weights"):
        if getattr(common, option):
            raise InputError(f"bounds takes no --{option}; rank and compare do.")
    _outputs.check_outputs(common)
    found = _work.bounds(common)
    # As the plot shows them: with several classes, the one furthest above its noise.
    frame = BoundsDisplay.from_estimator(found.selector).frame()
    written = _outputs.write_table(frame, common)
    if common.report:
        written += _outputs.write_report(_work.bounds_report(found, common), common)
    if common.plot:
        from echelon.cli._pictures import bounds_picture

        written += _outputs.write_plot(bounds_picture(found.selector), common)
    if common.json:
        show_json(
            {
                "source": found.task.source,
                "features": frame.to_dict("records"),
                "groups": found.groups,
                "set_aside": found.task.set_aside,
                "caveats": [*found.notes, *found.task.profile.caveats],
            }
        )
    elif common.output != "-":
        _show.show_bounds(found, frame, common.top, written)


def profile(common: Common) -> None:
    """What the data are."""
    for option in ("report", "plot"):
        if getattr(common, option):
            raise InputError(f"profile makes no {option}; 'echelon rank' does.")
    _outputs.check_outputs(common)
    with working(f"Looking at {common.data}", common):
        task = prepare(common, ["auto"], only_look=True)
        task = task._replace(notes=[*task.notes, *_work.rank_order_notes(task)])
    written = _outputs.write_table(task.profile.frame(), common)
    if common.json:
        show_json({"source": task.source, **task.profile.as_dict(), "notes": task.notes})
    elif common.output != "-":
        _show.show_profile(task, written)
