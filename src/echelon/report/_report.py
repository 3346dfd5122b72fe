"""A report: a study as one dict, and its renderings as HTML, Markdown and JSON."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

from echelon._core.extras import require
from echelon._core.files import check_writable, write_whole
from echelon._core.words import all_visible, bin_label, listed, number, with_error
from echelon.large import Sample
from echelon.profile import Profile
from echelon.profile import profile as make_profile
from echelon.report._layout import (
    cells_of,
    change_chart,
    class_rows,
    columns_of,
    curve_chart,
    shortened,
    strip,
    values_of,
    with_reasons,
)
from echelon.study import (
    Rows,
    Settings,
    check_description,
    conduct,
    design,
    read_for,
    read_rows_as,
    summary_of,
)
from echelon.study.types import Summary

MOST_ROWS = 200
"""Rows of the table that stand in the page itself; the script adds others on demand."""


def summarize(
    X: Any,
    y: Any,
    selectors: Any,
    *,
    kind: str = "auto",
    class_order: Sequence | None = None,
    estimator: Any = None,
    n_features: Any = "auto",
    cv: Any = 5,
    groups: Any = None,
    time: Any = None,
    sample_weight: Any = None,
    weights_are: str | None = None,
    scoring: Any = None,
    tolerance: Any = None,
    keep: Sequence[str] = (),
    feature_groups: Any = None,
    monotonic_cst: Any = None,
    n_resamples: int = 20,
    random_state: Any = 0,
    profile: Profile | None = None,
    notes: Sequence[str] = (),
    source: str | None = None,
    command: str | None = None,
    evidence: bool = False,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Report:
    """Which features to select, how many, and how far to trust it, as a report.

    Every method ranks the features within the folds of one cross-validation; the curves of an
    estimator's score against the number of features say how many to select.  The ranking of all
    rows says which.

    Parameters
    ----------
    X : DataFrame or array of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,), or Target
        Target: ordered classes (integers, or an ordered categorical), classes, or numbers.
    selectors : selector, or dict of str to selector
        Methods to use, unfitted, by the name to show.
    kind : {"auto", "ordinal", "classification", "regression"}, default="auto"
        Type of the target: ordered classes, unordered classes, or continuous.  "auto" infers it
        (:func:`echelon.targets.read_target`); a few different numbers are ordered classes.
    class_order : sequence, default=None
        The classes from lowest to highest; the target is then ordinal.
    estimator : estimator, default=None
        Model to score the features by.  None: the better of a linear model (logistic regression,
        one question per threshold for ordered classes, or ridge regression) and a forest of
        extremely randomised trees; numbers imputed and standardised, labels one-hot.
    n_features : int or "auto", default="auto"
        How many to select.  "auto": the fewest that lose at most one standard error against the
        best size, and at most 2 % of its improvement over the baseline; where the ranking itself
        says how many are worth keeping, as that of :class:`echelon.AutoSelector` does, no more than
        those (unless up to twice as many are better by more than one standard error), and the
        fewest that lose at most 0.5 %.
    cv : int, splitter or iterable, default=5
        Folds.  A number: shuffled, and stratified for classes; whole groups if ``groups`` are
        given.
    groups : array-like of shape (n_samples,), default=None
        Samples of one group (a patient, a household) are never in both parts of a fold, and are
        drawn together where stability is measured.
    time : array-like of shape (n_samples,), default=None
        Numbers or dates: every fold learns from earlier samples and is evaluated by the next.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, which the selectors, the score and, if it takes any, the estimator are given,
        divided by their mean; weights that are all the same change nothing.
    weights_are : {"survey", "frequencies"}, default=None
        What ``sample_weight`` holds: what a row counts for beside the others, or how many equal
        rows were seen, each of which then is a row of its own.  None: "survey", with a warning
        where the weights are whole numbers, which may be either.
    scoring : str or callable, default=None
        As in scikit-learn.  None: MAE in classes for ordered classes, balanced accuracy for
        others, R² for numbers.
    tolerance : float or str, default=None
        What may be lost against the best size, in the units of ``scoring``, or
        "2%" of the improvement over the baseline.  None: see ``n_features``.
    keep : sequence of str, default=()
        Features that are always selected; the others are evaluated beside them.
    feature_groups : array-like or dict, default=None
        Features that are selected all together or not at all: a label per feature (None: not in a
        group), or a dict from labels to mask, indices or names.  ``n_features`` counts groups, each
        ranked by its best feature; the report counts features.
    monotonic_cst : array-like or dict, default=None
        Directions that are known: for every feature 1 (rises with the target), -1 (falls with it)
        or 0 (either), as an array, or a dict or Series by feature name (those not named: 0).
        Features are then evaluated by a linear model and a forest that respect them, and the
        report says whether the data agree and what it costs.
    n_resamples : int, default=20
        Samples of half of the rows on which the stability of the choice is measured; 0: not at
        all.
    random_state : int, RandomState instance or None, default=0
        Seed of all random choices, including those of selectors and models without a seed.
    profile : Profile, default=None
        What ``echelon.profile.profile`` found in the data.
    notes : sequence of str, default=()
        What was done to the data before, in sentences that are shown unchanged.
    source, command : str, default=None
        Where the data come from and how the report was made, shown as they are.
    evidence : bool, default=False
        Test every feature given all others, and show whether it is needed, replaceable or without
        evidence: see :class:`echelon.ConditionalEvidence`.  Rows must be independent.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
    verbose : int, default=0
        Show a progress bar.

    Returns
    -------
    report : Report
        With ``summary()``, ``to_html()``, ``to_markdown()`` and ``to_json()``.

    Notes
    -----
    The choice of a method and a size is a maximum over noisy means.  The score reported as "held
    out" takes for every fold the method and size chosen on the other folds.  If it is not better
    than the baseline, the best constant prediction, or may be by chance, no features are selected.
    Two tests ask: whether any feature is related to the target, by permutation of rank correlations
    (4.5 %); and, fold by fold, a one-sided t test (0.5 %, standard errors corrected for overlapping
    training sets).  With times alone the second at 5 %, and the first with what neither the row
    before nor a straight line tells of target and features, shifted round.  With groups, weights or
    folds of your own only the second, at 5 %.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from echelon import ReliefF
    >>> from echelon.report import summarize
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> report = summarize(X, y, ReliefF(), kind="classification", n_resamples=5)
    >>> report.summary()["words"]["answer"]
    'Selected 4 of 13 features; adding more gains little.'
    """
    named = _read_selectors(selectors)
    check_description(n_resamples, profile)
    sample = X if isinstance(X, Sample) else None
    if sample is not None:
        X, y, sample = sample.frame, sample.target, None if sample.is_whole else sample
    X, y, rows = read_rows_as(X, y, Rows(groups, time, sample_weight), weights_are)
    settings = Settings(
        estimator=estimator,
        n_features=n_features,
        cv=cv,
        scoring=scoring,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
        tolerance=tolerance,
        keep=keep,
        feature_groups=feature_groups,
        directions=monotonic_cst,
        rows=rows,
        sample=sample,
    )
    designed = design(X, read_for(y, named, kind, class_order), settings)
    found = profile or make_profile(designed.X, designed.target, monotone=False)
    study = conduct(named, designed, found.constant, n_resamples)
    return Report(
        summary_of(
            study,
            n_resamples=n_resamples,
            found=found,
            notes=notes,
            source=source,
            command=command,
            evidence=evidence,
        )
    )


def _read_selectors(selectors: Any) -> dict[str, Any]:
    """Selectors by name; one alone is named after its class."""
    named = selectors if isinstance(selectors, Mapping) else {type(selectors).__name__: selectors}
    if not named or not all(hasattr(selector, "fit") for selector in named.values()):
        raise TypeError(
            f"`selectors` must be a selector or a dict of them by name, got {selectors!r}. Pass "
            'for example {"ReliefF": ReliefF()}.'
        )
    return {str(name): selector for name, selector in named.items()}


class Document:
    """What was found, as plain values, and the pages that show it."""

    _summary: Any

    def to_html(self) -> str:
        """One HTML page that needs nothing else."""
        raise NotImplementedError

    def to_markdown(self) -> str:
        """A Markdown page."""
        raise NotImplementedError

    def summary(self) -> Any:
        """Everything that was found, as plain values that JSON can hold."""
        return copy.deepcopy(self._summary)

    def to_json(self) -> str:
        """The summary as JSON."""
        return json.dumps(self._summary, ensure_ascii=False, allow_nan=False)

    def write(self, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the report as the ending of the path says: ``.html``, ``.md`` or ``.json``.

        Parameters
        ----------
        path : str or path
            File to write, whole or not at all.
        overwrite : bool, default=False
            Whether an existing file may be replaced.

        Returns
        -------
        path : Path
            The file.
        """
        found = check_path(path, overwrite=overwrite)
        forms = {".html": self.to_html, ".md": self.to_markdown, ".json": self.to_json}
        return write_whole(found, forms[found.suffix.lower()](), overwrite=overwrite)

    def _repr_html_(self) -> str:
        # In a frame of its own: styles and script stay out of the notebook.
        return (
            '<iframe style="width: 100%; height: 640px; border: 1px solid #8888" '
            f'sandbox="allow-scripts" srcdoc="{escape(self.to_html())}"></iframe>'
        )


class Report(Document):
    """Everything that was found, as one dict and as pages to show.

    Made by :func:`echelon.report.summarize`.  A notebook shows the HTML page.

    Parameters
    ----------
    summary : dict
        Plain values, with the keys listed in :meth:`summary`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from echelon import ReliefF
    >>> from echelon.report import summarize
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> report = summarize(X, y, ReliefF(), n_resamples=0)
    >>> report.summary()["answer"]["keep"]
    ['petal width (cm)']
    >>> page = report.to_html()
    >>> page.startswith("<!doctype html>")
    True
    """

    def __init__(self, summary: Summary):
        lacking = [key for key in Summary.__annotations__ if key not in summary]
        if lacking:
            raise ValueError(
                "`summary` must be what echelon.report.summarize found; it lacks "
                f"{listed(map(repr, lacking))}."
            )
        self._summary = summary

    def summary(self) -> Summary:
        """Everything the report holds, as plain values that JSON can hold.

        Returns
        -------
        summary : dict
            ``source``; ``data`` (sizes, classes, missing values); ``profile``; ``answer``
            (features to select, rule, tests, scores); ``methods`` (of each: scores, ranking, curve,
            sizes, stability); ``features`` (best first); ``groups`` of selected features that are
            redundant, ``alike`` all pairs that are; ``questions`` (single features left out and
            added); ``agreement`` between methods; ``how`` it was computed; and ``words``, all
            sentences about these facts.
        """
        return copy.deepcopy(self._summary)

    def to_html(self) -> str:
        """One HTML page that needs nothing else: no network, no other file."""
        summary = with_reasons(all_visible(self._summary))
        columns = columns_of(summary)
        data = summary["data"]
        values = values_of(summary, columns)
        script = _template_text("report.js")
        rows = [
            (feature, cells_of(feature, columns), strip(feature, data["shown_classes"]))
            for feature in summary["features"][:MOST_ROWS]
        ]
        page = template(True, "report.html")
        return page.render(
            report=summary,
            chart=curve_chart(summary),
            changes=change_chart(summary),
            classes=class_rows(data),
            columns=columns,
            rows=rows,
            n_left_out=len(summary["features"]) - len(values),
            table=_as_script({"columns": columns, "rows": values}),
            colours=_class_colours(len(data["shown_classes"]), data["ordered"]),
            script=script,
            script_hash=_hash(script),
        )

    def to_markdown(self) -> str:
        """The report as a Markdown page, with tables instead of pictures."""
        summary = with_reasons(all_visible(self._summary))
        columns = [column for column in columns_of(summary) if column["key"] != "name"]
        shown = [feature for feature in summary["features"] if feature["kept"]]
        rest = [feature for feature in summary["features"] if not feature["kept"]]
        features = [*shown[:50], *rest[: max(10, 20 - len(shown))]]
        rows = [(feature, cells_of(feature, columns)) for feature in features]
        page = template(False, "report.md")
        text = page.render(report=summary, columns=columns, rows=rows)
        return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def check_path(path: str | PathLike[str], *, overwrite: bool = False) -> Path:
    """The path of a report, or a sentence on why nothing could be written there."""
    if Path(path).suffix.lower() not in (".html", ".md", ".json"):
        raise ValueError(f"`path` must end in .html, .md or .json, got {str(path)!r}. Rename it.")
    return check_writable(Path(path), overwrite=overwrite)


def template(html: bool, name: str) -> Any:
    """A template in which every value is escaped, for HTML or for Markdown."""
    require("Reports as HTML or Markdown need", "report", "jinja2")
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("echelon.report", "templates"),
        undefined=StrictUndefined,
        autoescape=html,
        finalize=None if html else _as_markdown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": number,
        "listed": listed,
        "with_error": with_error,
        "shortened": shortened,
        "isolated": _isolated,
        "bin_label": bin_label,
        "code": lambda text: _Written(_as_code(text)),
    }
    return environment.get_template(name)


def _isolated(names: Any, most: int = 5) -> Any:
    """Names whose direction, as of Hebrew ones, leaves the sentence around them as it is."""
    from markupsafe import Markup

    names = [names] if isinstance(names, str) else names
    return Markup(listed((f"<bdi>{escape(shortened(name))}</bdi>" for name in names), most))


class _Written(str):
    """Markdown that is as it should be."""


def _as_markdown(value: Any) -> str:
    """Text that no Markdown reader takes for markup."""
    if isinstance(value, _Written):
        return value
    text = " ".join(str(value).split()).replace("&", "&amp;")
    text = re.sub(r"([\\`*_\[\]<>|~$])", r"\\\1", text)
    text = re.sub(r"^(\d+)([.)])(?=\s|$)", r"\1\\\2", re.sub(r"^([#+\-=>])", r"\\\1", text))
    # Bare addresses become links in some dialects.
    return re.sub(r"(?<=www)\.|:(?=//)|@", lambda found: f"&#{ord(found.group())};", text)


def _as_code(text: Any) -> str:
    text = " ".join(str(text).split())
    return _as_markdown(text) if not text or set(text) & set("`|") else f"`{text}`"


def _as_script(values: Any) -> str:
    """JSON that can stand within a page: no character of it can end the script element."""
    text = json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029]", lambda found: f"\\u{ord(found.group()):04x}", text)


def _template_text(name: str) -> str:
    from importlib.resources import files

    return files("echelon.report").joinpath("templates", name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """The only script the page may run, for its content security policy."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")


def _class_colours(n_classes: int, ordered: bool) -> dict[str, list[str]]:
    """Colours of the classes on a light and on a dark page."""
    from echelon.display.style import class_colours

    light = class_colours(n_classes, ordered=ordered, ends=(0.0, 0.85))
    dark = class_colours(n_classes, ordered=ordered, ends=(0.3, 1.0))
    return {"light": light, "dark": ["#c8c8c8" if c == "#000000" else c for c in dark]}
