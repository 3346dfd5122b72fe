"""What a fitted ``AutoSelector`` shows and hands on: tables, pictures, JSON, code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn import get_config
from sklearn.utils.validation import check_is_fitted

from echelon.selection import Selection
from echelon.study._saved import selection_of
from echelon.study._script import as_notebook, as_script, blocks_of, plain_reader
from echelon.study._summary import summary_of
from echelon.study.types import Summary


class Presented:
    """Summary, plot, notebook, JSON and code of a selector that holds its study."""

    _study: Any
    _described: Summary | None

    def summary(self) -> pd.DataFrame:
        """One row per feature, best first.

        Returns
        -------
        summary : DataFrame
            ``rank``, ``feature``, ``loss`` (how much the held-out score worsens when the values of
            a selected feature are permuted), ``trend`` (rank correlation with the target),
            ``selected``, ``selection_frequency`` (share of subsamples of half of the rows that
            select the feature; once ``report`` has measured it), and the ``reason``.  Trends are
            known of the best 200 features, and of targets with an order or two classes.
        """
        check_is_fitted(self)
        facts = self._facts()
        if facts is None:
            return self._bare_summary()
        rows = facts["features"]
        found = pd.DataFrame(
            {
                "rank": [row["rank"] for row in rows],
                "feature": [row["name"] for row in rows],
                "loss": [row["loss"] for row in rows],
                "trend": pd.array([row.get("trend") for row in rows], dtype="Float64"),
                "selected": [row["kept"] for row in rows],
                "selection_frequency": pd.array([row["stability"] for row in rows], "Float64"),
                "reason": facts["words"]["reasons"],
            }
        ).astype({"loss": float, "trend": float, "selection_frequency": float})
        unknown = [name for name in ("trend", "selection_frequency") if found[name].isna().all()]
        return found.drop(columns=unknown)

    def _bare_summary(self) -> pd.DataFrame:
        """Columns of the summary as far as the attributes tell."""
        order: Any = self.order_  # type: ignore[attr-defined]
        names: Any = getattr(self, "feature_names_in_", None)
        names = np.arange(self.n_features_in_) if names is None else names  # type: ignore[attr-defined]
        everything = [*order, *np.setdiff1d(np.arange(len(names)), order)]
        return pd.DataFrame(
            {
                "rank": self.ranking_[everything],  # type: ignore[attr-defined]
                "feature": [str(names[place]) for place in everything],
                "loss": self.scores_[everything],  # type: ignore[attr-defined]
                "selected": self.support_[everything],  # type: ignore[attr-defined]
            }
        )

    def plot(self) -> Any:
        """Scores of the features, and the curve that says how many to select.

        Returns
        -------
        axes : list of matplotlib Axes
            Of the scores, and of the curve.  (A notebook would show a figure twice.)
        """
        from echelon.report import draw_answer

        return draw_answer(self._known_facts()).axes

    def methods_text(self) -> str:
        """A methods paragraph for a paper, made of the settings and results of this fit.

        Returns
        -------
        text : str
            The paragraph, and below it the references that it cites, one per line.  It mentions
            the stability of the selection once ``report`` has measured it.

        Examples
        --------
        >>> from echelon import AutoSelector
        >>> from echelon.datasets import load_grades
        >>> selector = AutoSelector(random_state=0).fit(*load_grades())
        >>> print(selector.methods_text())  # doctest: +ELLIPSIS
        Features that predict 'grade', 5 ordered classes (mild < low < medium < high < severe), ...
        """
        paragraph, *references = self._known_facts()["words"]["methods_text"]
        return "\n".join([paragraph, *([""] if references else []), *references])

    def to_json(self) -> str:
        """The decision as JSON: see :class:`echelon.Selection`, which reads and applies it.

        Returns
        -------
        text : str
            Target, columns, ranking, selected features, model, scores, versions and settings.
        """
        return self._selection().to_json()

    def to_code(self, data: str = "data.csv", *, notebook: bool = False) -> str:
        """A scikit-learn script that evaluates the selected features again.

        The script reads a CSV file, takes the selected columns, cross-validates the model that
        evaluated them over the same folds, and prints their score.

        Parameters
        ----------
        data : str, default="data.csv"
            Path of the file that the script reads: the table of ``fit`` with the target as a column
            (named "target" if y has no name), and groups, time and weights as columns of their
            names, where they were given.
        notebook : bool, default=False
            Return a notebook (``.ipynb``) instead.

        Returns
        -------
        code : str
            The script, or the notebook as JSON.
        """
        from echelon import __version__

        selection, study = self._selection(), self._study
        blocks = blocks_of(
            study.design,
            selection,
            cv=self._cv,  # type: ignore[attr-defined]
            scoring=self.scoring,  # type: ignore[attr-defined]
            data=data,
            reader=plain_reader(selection),
        )
        return (as_notebook if notebook else as_script)(blocks, __version__)

    def _selection(self) -> Selection:
        facts = self._known_facts()
        if self._study is None:
            raise ValueError(_NO_DATA)
        asked = ("n_features_to_select", "tolerance", "scoring", "allow_none")
        settings = {name: getattr(self, name) for name in asked}
        settings = {name: each for name, each in settings.items() if not callable(each)}
        return selection_of(self._study.design, facts, settings=settings)

    def _known_facts(self) -> Summary:
        check_is_fitted(self)
        facts = self._facts()
        if facts is None:
            raise ValueError(_NO_DATA)
        return facts

    def _facts(self) -> Summary | None:
        """What a report says, without stability unless a report was made; None: no data."""
        if getattr(self, "_described", None) is None and self._study is not None:
            self._described = summary_of(self._study, n_resamples=0)
        return getattr(self, "_described", None)

    def _html(self) -> str | None:
        """What a notebook shows once the selector is fitted."""
        from echelon.report import fragment

        study = getattr(self, "_study", None)
        known = study is not None or getattr(self, "_described", None) is not None
        return fragment(self._known_facts()) if known else None

    def _repr_html_inner(self) -> str:
        return self._html() or super()._repr_html_inner()  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        shown = self._html() if get_config()["display"] == "diagram" else None
        return bundle | ({} if shown is None else {"text/html": shown})


_NO_DATA = (
    "A pickled AutoSelector does not hold its data, which this needs. Call fit again, or do it "
    "before pickling."
)
