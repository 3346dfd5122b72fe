"""A report: the summary, and its renderings as HTML, Markdown and JSON."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import re
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

from echelon._core.extras import require
from echelon._core.files import check_writable, write_whole
from echelon._core.unseen import all_visible
from echelon._core.words import listed, number, with_error
from echelon.report._changes import change_chart
from echelon.report._layout import class_rows, curve_chart, strip
from echelon.report._table import cells_of, columns_of, shortened, values_of
from echelon.study.types import Summary

MOST_ROWS = 200
"""Rows of the table that stand in the page itself; the script adds others on demand."""


class Report:
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
            (features to keep, rule, tests, scores); ``methods`` (of each: scores, ranking, curve,
            sizes, stability); ``features`` (best first); ``groups`` of kept features that are
            redundant, ``alike`` all pairs that are; ``questions`` (single features left out and
            added); ``agreement`` between methods; ``how`` it was computed; and ``words``, all
            sentences about these facts.
        """
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
        forms = {".html": self.to_html, ".md": self.to_markdown, ".json": self.to_json}
        form = forms.get(Path(path).suffix.lower())
        if form is None:
            raise ValueError(
                f"`path` must end in .html, .md or .json, got {str(path)!r}. Rename it."
            )
        return write_whole(check_writable(path, overwrite=overwrite), form(), overwrite=overwrite)

    def to_html(self) -> str:
        """One HTML page that needs nothing else: no network, no other file."""
        summary = all_visible(self._summary)
        columns = columns_of(summary)
        data = summary["data"]
        values = values_of(summary, columns)
        script = _template_text("report.js")
        rows = [
            (feature, cells_of(feature, columns), strip(feature, data["shown_classes"]))
            for feature in summary["features"][:MOST_ROWS]
        ]
        page = _environment(True).get_template("report.html")
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
        summary = all_visible(self._summary)
        columns = [column for column in columns_of(summary) if column["key"] != "name"]
        shown = [feature for feature in summary["features"] if feature["kept"]]
        rest = [feature for feature in summary["features"] if not feature["kept"]]
        features = [*shown[:50], *rest[: max(10, 20 - len(shown))]]
        rows = [(feature, cells_of(feature, columns)) for feature in features]
        page = _environment(False).get_template("report.md")
        text = page.render(report=summary, columns=columns, rows=rows)
        return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"

    def _repr_html_(self) -> str:
        # In a frame of its own: styles and script stay out of the notebook.
        return (
            '<iframe style="width: 100%; height: 640px; border: 1px solid #8888" '
            f'sandbox="allow-scripts" srcdoc="{escape(self.to_html())}"></iframe>'
        )


def _environment(html: bool) -> Any:
    """Templates in which every value is escaped, for HTML or for Markdown."""
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
        "code": lambda text: _Written(_as_code(text)),
    }
    return environment


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
