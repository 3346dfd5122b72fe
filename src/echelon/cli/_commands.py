"""The commands themselves: check, compute, write, show."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from echelon import __version__
from echelon._core.files import write_whole
from echelon._core.words import data_caveats, visible
from echelon.cli import _columns, _options, _outputs, _show, _targets, _use, _work
from echelon.cli._options import Common, Judging, Using
from echelon.cli._prepare import reading_of
from echelon.cli._terminal import InputError, show_json, working
from echelon.cli.files import Table, read_table
from echelon.engines import NumbaEngine
from echelon.methods import CONTINUOUS, METHODS, ORDERED, Method
from echelon.report import Report
from echelon.study.types import Summary


def rank(
    common: Common, judging: Judging, method: str, using: Using, targets_as_features: bool
) -> None:
    """Rank for one target, or for several of a file that is read once."""
    if not _targets.may_be_several(common.target):
        study(common, judging, [method], using)
        return
    _outputs.check_outputs(common, using)
    with working(f"Reading {common.data}", common.quiet):
        table = read_table(common.data, reading_of(common))
    targets = _targets.targets_of(common, table)
    if len(targets) > 1:
        _study_targets(common, judging, method, using, table, targets, targets_as_features)
    else:
        study(replace(common, target=targets[0]), judging, [method], using, table)


def _study_targets(
    common: Common,
    judging: Judging,
    method: str,
    using: Using,
    table: Table,
    targets: list[str],
    as_features: bool,
) -> None:
    """One report on several targets."""
    _targets.check(common, using, targets)
    options = _options.options_used(common, judging, method=method, targets_as_features=as_features)
    reports, found = _targets.study_targets(common, judging, [method], table, targets, as_features)
    frames = {
        name: _ranking_frame(each.report.summary(), _use.reasons_aside(each.task))
        for name, each in found.items()
    }
    written = _outputs.write_outputs(common, _targets.as_table(frames), lambda: reports)
    written += _save_config(common, using, options)
    if common.json:
        show_json(reports.summary())
    elif common.output != "-":
        _show.show_targets(reports, found, common.top, written, with_reasons=using.reasons)


def study(
    common: Common,
    judging: Judging,
    methods: list[str],
    using: Using | None = None,
    table: Table | None = None,
) -> None:
    """Rank by one method, or by several over the same folds."""
    using = using or Using()
    _outputs.check_outputs(common, using)
    found = _work.study(common, judging, methods, table)
    options = _options.options_used(common, judging, **_named(methods))
    summary = found.report.summary()
    summary["how"]["configuration"] = options
    found, aside = found._replace(report=Report(summary)), _use.reasons_aside(found.task)
    if using.reasons:
        found = found._replace(notes=[*(f"{n}: {why}." for n, why in aside.items()), *found.notes])
    several, written, failed = len(summary["methods"]) > 1, [], None
    try:
        picture = _outputs.comparison_picture if several else _outputs.ranking_picture
        written += _outputs.write_outputs(
            common, _ranking_frame(summary, aside), lambda: found.report, lambda: picture(summary)
        )
        used, untold = _use.write_use(found, common, judging, using)
        found, written = found._replace(notes=[*found.notes, *untold]), [*written, *used]
        written += _save_config(common, using, options)
    except OSError as error:  # the disk is full, say; the answer is shown all the same
        failed = error
    if common.json:
        for feature in summary["features"]:
            feature.pop("distribution", None)  # which only pictures need
        show_json({**summary, "set_aside": found.task.set_aside})
    elif common.output != "-":
        show = _show.show_comparison if several else _show.show_ranking
        show(found, common.top, written, with_reasons=using.reasons)
    if failed is not None:
        raise failed


def _save_config(common: Common, using: Using, options: dict[str, Any]) -> list[str]:
    """Write the options that were used, where asked for."""
    if not using.save_config:
        return []
    content = _options.as_toml(options, __version__)
    write_whole(using.save_config, content, overwrite=common.force)
    return [using.save_config]


def _named(methods: list[str]) -> dict[str, str]:
    """The methods as an option: of rank if there is one, of compare if there are several."""
    return {"method" if len(methods) == 1 else "methods": ",".join(methods)}


def compare(common: Common, judging: Judging, methods: list[str], using: Using) -> None:
    """Rank by several methods, none of them twice."""
    methods = list(dict.fromkeys(name.lower() for name in methods))
    if len(methods) == 1:
        raise InputError(
            f"--methods must name two or more methods, got {','.join(methods)!r}. See 'echelon "
            "methods'."
        )
    study(common, judging, methods, using)


def select(selection: str, data: str, output: str, **asked: Any) -> None:
    """Write the selected columns of a file."""
    for line in _use.apply(_use.Applied(selection, data, output, **asked)):
        print(visible(line))


def _ranking_frame(summary: Summary, aside: Mapping[str, str]) -> pd.DataFrame:
    """One row per feature, best first; behind them the columns that were not ranked."""
    frame = pd.DataFrame(summary["features"]).rename(columns={"name": "feature", "kept": "keep"})
    always = ["rank", "feature", "keep"]
    known = ["score", "p_value", "p_adjusted", "loss", "loss_error", "relevance",
             "evidence", "evidence_p", "trend",
             "stability", "group", "missing"]  # fmt: skip
    columns = always + [key for key in known if key in frame and frame[key].notna().any()]
    ranks = pd.DataFrame(list(frame["ranks"])).rename(columns=lambda name: f"rank_{name.lower()}")
    found = frame[columns].join(ranks) if len(summary["methods"]) > 1 else frame[columns]
    found = found.assign(reason=summary["words"]["reasons"])
    rest = {"rank": pd.NA, "feature": list(aside), "keep": False, "reason": list(aside.values())}
    below = pd.DataFrame(rest) if aside else found.iloc[:0]
    return pd.concat([found, below], ignore_index=True).astype({"rank": "Int64"})


def bounds(common: Common) -> None:
    """Relevance bounds of all features."""
    for option in ("groups", "time", "weights"):
        if getattr(common, option):
            raise InputError(f"bounds takes no --{option}; rank and compare do.")
    _outputs.check_outputs(common)
    found = _work.bounds(common)
    frame = found.display.frame()  # with several classes, the one furthest above its noise
    written = _outputs.write_outputs(
        common,
        frame,
        lambda: _work.bounds_report(found, common),
        lambda: _outputs.bounds_picture(found.display),
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
    """What the data are; without a target, which columns there are."""
    for option in ("report", "plot"):
        if getattr(common, option):
            raise InputError(f"profile makes no {option}; 'echelon rank' does.")
    _outputs.check_outputs(common)
    if not common.target:
        columns(common)
        return
    task = _work.look(common)
    written = _outputs.write_outputs(common, task.profile.frame())
    if common.json:
        said = {"notes": task.notes, "doubts": task.doubts, "questions": task.questions,
                "set_aside": task.set_aside}  # fmt: skip
        show_json({"source": task.source, **task.profile.as_dict(command=True), **said})
    elif common.output != "-":
        _show.show_profile(task, written)


def columns(common: Common) -> None:
    """The columns of a file as they were read."""
    found = _work.columns(common)
    frame = _columns.as_frame(found)
    written = _outputs.write_outputs(common, frame)
    if common.json:
        show_json(found)
    elif common.output != "-":
        _show.show_columns(found, frame, common.top, written)


def demo(folder: str, quiet: bool) -> None:
    """Write bundled data as CSV files, rank the columns of one, and write a report beside it.

    Parameters
    ----------
    folder : str
        Where to write; files of an earlier demo are replaced.
    quiet : bool
        No progress.
    """
    from echelon.cli._bundled import BUNDLED

    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    for name in ("wine", "diabetes"):
        write_whole(place / f"{name}.csv", BUNDLED[name].make().to_csv(index=False), overwrite=True)
    data, target = place / "wine.csv", BUNDLED["wine"].target
    report = str(place / "report.html")
    print(f"$ echelon rank {data} --target {target} --report {report}\n", flush=True)
    common = Common(str(data), target, report=report, force=True, quiet=quiet)
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
    """A target of every kind; complete data, and data with missing values if accepted."""
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
