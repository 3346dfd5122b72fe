"""The commands themselves: check, compute, write, show."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd

from echelon._core.files import write_whole
from echelon._core.words import data_caveats
from echelon.cli import _outputs, _show, _work
from echelon.cli._options import Common, Judging
from echelon.cli._terminal import InputError, show_json
from echelon.display import BoundsDisplay
from echelon.engines import NumbaEngine
from echelon.methods import CONTINUOUS, METHODS, ORDERED, Method
from echelon.study.types import Summary


def study(common: Common, judging: Judging, methods: list[str]) -> None:
    """Rank by one method, or by several over the same folds."""
    _outputs.check_outputs(common)
    found = _work.study(common, judging, methods)
    summary = found.report.summary()
    several = len(summary["methods"]) > 1
    picture = _outputs.comparison_picture if several else _outputs.ranking_picture
    written = _outputs.write_outputs(
        common, _ranking_frame(summary), lambda: found.report, lambda: picture(summary)
    )
    if common.json:
        for feature in summary["features"]:
            feature.pop("distribution", None)  # which only pictures need
        show_json({**summary, "set_aside": found.task.set_aside})
    elif common.output != "-":
        show = _show.show_comparison if several else _show.show_ranking
        show(found, common.top, written)


def compare(common: Common, judging: Judging, methods: list[str]) -> None:
    """Rank by several methods, none of them twice."""
    methods = list(dict.fromkeys(name.lower() for name in methods))
    if len(methods) == 1:
        raise InputError(
            f"--methods must name two or more methods, got {','.join(methods)!r}. See 'echelon "
            "methods'."
        )
    study(common, judging, methods)


def _ranking_frame(summary: Summary) -> pd.DataFrame:
    """One row per feature, best first."""
    frame = pd.DataFrame(summary["features"]).rename(columns={"name": "feature", "kept": "keep"})
    always = ["rank", "feature", "keep"]
    known = ["score", "relevance", "trend", "stability", "group", "missing"]
    columns = always + [key for key in known if key in frame and frame[key].notna().any()]
    ranks = pd.DataFrame(list(frame["ranks"])).rename(columns=lambda name: f"rank_{name.lower()}")
    return frame[columns].join(ranks) if len(summary["methods"]) > 1 else frame[columns]


def bounds(common: Common) -> None:
    """Relevance bounds of all features."""
    for option in ("groups", "time", "weights"):
        if getattr(common, option):
            raise InputError(f"bounds takes no --{option}; rank and compare do.")
    _outputs.check_outputs(common)
    found = _work.bounds(common)
    # As the plot shows them: with several classes, the one furthest above its noise.
    display = BoundsDisplay.from_estimator(found.selector)
    frame = display.frame()
    written = _outputs.write_outputs(
        common,
        frame,
        lambda: _work.bounds_report(found, common),
        lambda: _outputs.bounds_picture(display),
    )
    if common.json:
        show_json(
            {
                "source": found.task.source,
                "features": frame.to_dict("records"),
                "groups": found.groups,
                "set_aside": found.task.set_aside,
                "caveats": [*found.notes, *data_caveats(found.task.profile, command=True)],
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
    task = _work.look(common)
    written = _outputs.write_outputs(common, task.profile.frame())
    if common.json:
        show_json(
            {"source": task.source, **task.profile.as_dict(command=True), "notes": task.notes}
        )
    elif common.output != "-":
        _show.show_profile(task, written)


def demo(folder: str, quiet: bool) -> None:
    """Write data that come along as a CSV file, rank its columns, and write a report beside it.

    Parameters
    ----------
    folder : str
        Where to write; files of an earlier demo are replaced.
    quiet : bool
        No progress.
    """
    from echelon.datasets import GRADES, load_grades

    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    data, report = place / "diabetes.csv", str(place / "report.html")
    X, grade = load_grades()
    X.insert(0, "patient", range(1, len(X) + 1))
    write_whole(data, X.assign(grade=grade).to_csv(index=False), overwrite=True)
    order = ",".join(GRADES)
    print(
        f"$ echelon rank {data} --target grade --class-order {order} --report {report}\n",
        flush=True,
    )
    common = Common(str(data), "grade", class_order=order, report=report, force=True, quiet=quiet)
    study(common, Judging(), ["auto"])


# ---------------------------------------------------------------------- compiling ahead


def warm_up(names: list[str], quiet: bool) -> None:
    """Compile what these methods need, all methods by default, and say how long it took."""
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise InputError(f"There is no method {unknown[0]!r}. See 'echelon methods'.")
    for name in names or METHODS:
        start = perf_counter()
        _fit_all_kinds(METHODS[name])
        if not quiet:
            print(f"{name:24} {perf_counter() - start:6.1f} s", file=sys.stderr, flush=True)


def _fit_all_kinds(method: Method) -> None:
    """Fit a method to every kind of data that has loops of its own, compiled at once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of data that say nothing
        for X, y in _tables(method):
            selector = method.make(engine="numba", random_state=0, n_jobs=1).fit(X, y)
            if {"engine", "n_neighbors"} <= set(selector.get_params()):
                selector.set_params(engine=NumbaEngine(1, search="leaves")).fit(X, y)


LARGE_TABLES = {"forwardadditive": (2100, 100), "orderedsoftmargin": (700, 10)}
"""Sizes from which methods take compiled loops, where they do not at once."""


def _tables(method: Method) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Classes, and numbers where they may be the target; complete, and with gaps if taken."""
    rng = np.random.default_rng(0)
    n_samples, n_features = LARGE_TABLES.get(method.name, (60, 4))
    grades = np.arange(n_samples) % 3
    X = rng.normal(size=(n_samples, n_features)) + grades[:, None]
    if method.name == "intervalrelief":
        X = np.sort(X.reshape(n_samples, 2, 2))
    targets: list[np.ndarray] = [grades] if ORDERED in method.targets else [grades % 2]
    if CONTINUOUS in method.targets:
        targets.append(rng.normal(size=n_samples))
    for y in targets:
        yield X, y
        if method.takes_gaps:
            gaps = X.copy()
            gaps[::7, 1] = np.nan
            yield gaps, y
