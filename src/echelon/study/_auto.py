"""The default answer: which features to keep, for any table and any kind of target."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from echelon._core.compat import HasMethods, Interval, StrOptions, fit_context
from echelon._core.progress import expect
from echelon._core.search import shared_ranks
from echelon._core.significance import standard_error
from echelon.base import note_features, number_to_keep
from echelon.consensus import ConsensusSelector, default_ranker
from echelon.data import as_table, feature_mask, read_columns
from echelon.profile import Profile
from echelon.rankings import ranks_of
from echelon.study._folds import Rows, fewer_folds
from echelon.study._models import FOREST
from echelon.study._rankers import Arranged, Prepared
from echelon.study._study import Settings, Study, conduct, design
from echelon.study._summary import check_description, summary_of
from echelon.targets import read_target

if TYPE_CHECKING:
    from echelon.report import Report

NAME = "AutoSelector"
"""What the study calls its one method."""
RANKING = "consensus"
"""What the fused ranking is called in ``method_`` and ``curves_``."""


class AutoSelector(SelectorMixin, BaseEstimator):
    """The features worth keeping, how many, and what they are worth: no choices to make.

    It reads what the target is, ranks the features by complementary methods fused into one
    ranking (:class:`echelon.ConsensusSelector`), and scores the best 1, 2, 3, ... of them with a
    linear model and a forest over cross-validation folds, in each of which the features are ranked
    anew.  It keeps the fewest that lose at most 0.5 % of the gain over guessing, and no more than
    the searches of the ranking select, unless up to twice as many are better by more than one
    standard error; and none at all if the better model with them is not better than the best
    constant guess, or if that may be chance.

    Parameters
    ----------
    kind : {"auto", "ordinal", "classification", "regression"}, default="auto"
        What y is: ordered classes, classes without an order, or numbers.  "auto": as
        :func:`echelon.targets.read_target` reads it; a few different numbers are ordered classes.
    class_order : sequence, default=None
        Classes from lowest to highest.  Given, y is ordinal.
    n_features_to_select : int or float, default=None
        Number, or share, of features to keep.  None: as many as the folds say.
    estimator : estimator, default=None
        Model to score the features by.  None: the better of a linear model (logistic regression,
        one question per threshold for ordered classes, or ridge regression) and a forest of
        extremely randomised trees; numbers imputed and standardised, labels one-hot.
    cv : int, splitter or iterable, default=5
        Folds.  A number: shuffled, and stratified for classes; whole groups if ``groups`` are
        given; fewer where classes are small.
    scoring : str or callable, default=None
        As in scikit-learn; None: mean error in classes for ordered classes, balanced accuracy for
        others, R² for numbers.
    tolerance : float or str, default=None
        What may be lost against the best size, in the units of ``scoring``, or "2%" of the gain
        over guessing.  None: 0.5 % of that gain, and no more features than the searches of the
        ranking select, unless up to twice as many are better by more than one standard error.
    allow_none : bool, default=True
        Keep no feature if none helps.  False: keep the best set all the same.  ``transform`` warns
        where none is kept, since few models take an empty table.
    must_keep : mask, indices or names, default=None
        Features that are kept in any case and ranked first; others are chosen beside them.  They
        count in ``n_features_to_select``.
    random_state : int, RandomState instance or None, default=None
        Seed of every random choice, also of selectors and models whose own was left open.
    n_jobs : int, default=None
        Cores to use; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib says otherwise.  Results do not depend on it.
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 = best.
    support_ : ndarray of shape (n_features,)
        Mask of the kept features.
    scores_ : ndarray of shape (n_features,)
        Scores, larger is better: those of the fused ranking.
    kind_ : str
        What y was read as.
    method_ : str
        What ranked the features: "consensus".
    ranker_ : ConsensusSelector
        The fused ranking, fitted to all samples: ``ranker_.agreement()`` shows how far its members
        agree.
    model_ : {"linear", "forest", "given"}
        The model by which the features were evaluated: the better of a linear model and a forest,
        or ``estimator``.
    estimator_ : estimator
        That model, not fitted; it takes the table as it is.
    curves_ : dict of str to FeatureCurve
        Score of that model against the number of features, fold by fold.
    model_curves_ : dict of str to FeatureCurve
        The same for every model that was tried.
    score_ : float
        Held-out score of the procedure: every fold with the model and the size chosen on the other
        folds; in the units of ``scoring_``.
    score_error_ : float
        Standard error of ``score_``, corrected for overlapping training sets.
    scoring_ : str
        What the scores are.
    baselines_ : dict of str to float
        The same score of the best constant guess, of the same model with all features, and of a
        forest.
    helps_ : bool
        Whether the kept features are better than the guess beyond chance (one-sided t test over
        the folds, 0.5 %, or permutation test of the rank correlations of all features, 4.5 %).
        With ``groups``, ``time``, weights or folds of your own only the first, 5 %.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    echelon.report.summarize : Several selectors compared, as a report.

    Notes
    -----
    The command ``echelon rank`` gives the same answer for the same data, folds and seed.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.datasets import load_diabetes
    >>> from echelon import AutoSelector
    >>> X, progression = load_diabetes(return_X_y=True, as_frame=True)
    >>> grade = pd.qcut(progression, 5, labels=["mild", "low", "medium", "high", "severe"])
    >>> selector = AutoSelector(random_state=0).fit(X, grade)
    >>> selector.kind_, selector.scoring_
    ('ordinal', 'mean error in classes')
    >>> X.columns[selector.order_][:3].tolist()
    ['bmi', 's5', 'bp']
    >>> selector.score_ < selector.baselines_["guess"]
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kind": [StrOptions({"auto", "ordinal", "classification", "regression"})],
        "class_order": ["array-like", None],
        "n_features_to_select": [
            None,
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
        ],
        "estimator": [HasMethods(["fit", "predict"]), None],
        "cv": ["cv_object"],
        "scoring": [str, callable, None],
        "tolerance": [Interval(Real, 0, None, closed="left"), str, None],
        "allow_none": ["boolean"],
        "must_keep": ["array-like", None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        kind: str = "auto",
        class_order: Sequence | None = None,
        *,
        n_features_to_select: int | float | None = None,
        estimator: Any = None,
        cv: Any = 5,
        scoring: Any = None,
        tolerance: float | str | None = None,
        allow_none: bool = True,
        must_keep: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.kind = kind
        self.class_order = class_order
        self.n_features_to_select = n_features_to_select
        self.estimator = estimator
        self.cv = cv
        self.scoring = scoring
        self.tolerance = tolerance
        self.allow_none = allow_none
        self.must_keep = must_keep
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def ranker(self, kind: str, n_samples: int, weighted: bool = False) -> ConsensusSelector:
        """The fused ranking for a kind of target, not fitted.

        Parameters
        ----------
        kind : {"ordinal", "classification", "regression"}
            What the target is.
        n_samples : int
            How many samples it is fitted to at least.
        weighted : bool, default=False
            Only rankings that take weights of samples: all but the search by neighbours.
        """
        return default_ranker(kind, n_samples, weighted)

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X: Any, y: Any, groups: Any = None, time: Any = None, sample_weight: Any = None
    ) -> AutoSelector:
        """Rank the features, and find out how many to keep.

        Parameters
        ----------
        X : DataFrame or array of shape (n_samples, n_features)
            Samples: numbers, labels, ordered categories, gaps.
        y : array-like of shape (n_samples,)
            Target.
        groups : array-like of shape (n_samples,), default=None
            Samples of one group (a patient, a household) are never in both parts of a fold.
        time : array-like of shape (n_samples,), default=None
            Numbers or dates: every fold learns from earlier samples and is judged by the next.
        sample_weight : array-like of shape (n_samples,), default=None
            What every sample counts for beside the others, in rankings, models and scores.  They
            are divided by their mean: only ratios matter, and weights that are all the same change
            nothing.  None: all count the same.

        Returns
        -------
        self : object
            The fitted selector.
        """
        X = as_table(X)
        note_features(self, X, y)
        if not hasattr(X, "columns"):
            X = read_columns(X).values  # an array holds numbers
        self._study = self._conducted(X, y, Rows(groups, time, sample_weight))
        self._study.design.kept.clear()  # a report encodes again: no fold is held for long
        design, judged = self._study.design, self._study.judged
        fitted, _ = self._study.fitted[NAME]
        ranked = fitted.selector_ if isinstance(fitted, Arranged) else fitted
        self.ranker_ = ranked.selector_ if isinstance(ranked, Prepared) else ranked
        self.scores_ = fitted.scores_
        self.order_ = np.argsort(ranks_of(fitted), kind="stable")
        self.ranking_ = shared_ranks(self.order_, len(self.order_))
        self.kind_, self.method_ = design.target.kind, RANKING
        self.curves_, self.helps_ = {RANKING: judged.curves[NAME]}, judged.helps
        self.model_, self.estimator_ = judged.model, design.models[judged.model]
        self.model_curves_ = {model: curves[NAME] for model, curves in judged.models.items()}
        self.support_ = self.ranking_ <= judged.n_kept(design.rule)
        sign = design.scoring.sign
        self.score_ = float(sign * judged.held_out.mean())
        self.score_error_ = float(standard_error(judged.held_out, judged.test_share))
        self.scoring_ = design.scoring.name
        everything, other = judged.others
        own = everything if judged.model == FOREST else other
        named = {"guess": judged.guess, "all features": everything, "forest": own}
        self.baselines_ = {
            name: float(sign * baseline.scores.mean()) for name, baseline in named.items()
        }
        return self

    def _conducted(self, X: Any, y: Any, rows: Rows) -> Study:
        target = read_target(y, self.kind, self.class_order)
        seed = self.random_state
        if not isinstance(seed, Integral):
            seed = check_random_state(seed).randint(np.iinfo(np.int32).max)
        n_features = self.n_features_in_
        wanted = number_to_keep(self.n_features_to_select, n_features)
        names = getattr(self, "feature_names_in_", None)
        asked = () if self.must_keep is None else self.must_keep
        first = feature_mask(asked, n_features, names, "must_keep")
        names = np.arange(n_features) if names is None else names
        settings = Settings(
            estimator=self.estimator,
            n_features="auto" if wanted is None else wanted,
            cv=fewer_folds(self.cv, target, rows.groups),
            scoring=self.scoring,
            random_state=int(seed),
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            tolerance=self.tolerance,
            keep=[str(name) for name in names[first]],
            allow_none=self.allow_none,
            rows=rows,
        )
        return conduct({NAME: clone(self)}, design(X, target, settings))

    def report(
        self,
        path: str | PathLike[str] | None = None,
        *,
        n_resamples: int = 20,
        profile: Profile | None = None,
        notes: Sequence[str] = (),
        source: str | None = None,
        command: str | None = None,
    ) -> Report:
        """The answer as a report: a page, Markdown, JSON, and everything behind them.

        Parameters
        ----------
        path : str or path, default=None
            Where to write it: ``.html``, ``.md`` or ``.json``.  None: nowhere.
        n_resamples : int, default=20
            Samples of half of the rows on which the stability of the selection is measured; 0:
            neither stability nor what single features contribute.
        profile : Profile, default=None
            What ``echelon.profile.profile`` found in the data.
        notes : sequence of str, default=()
            What was done to the data before, in sentences that are shown as they are.
        source, command : str, default=None
            Where the data come from and how the report was made, shown as they are.

        Returns
        -------
        report : Report
            With ``summary()``, ``to_html()``, ``to_markdown()`` and ``to_json()``.

        Notes
        -----
        The stability is measured here, on the data of ``fit``, which the selector refers to until
        it is pickled or copied.
        """
        from echelon.report import Report, check_path

        check_is_fitted(self)
        if getattr(self, "_study", None) is None:
            raise ValueError(
                "A pickled AutoSelector does not hold its data, which a report needs. Call fit "
                "again, then report."
            )
        check_description(n_resamples, profile)
        if path is not None:
            check_path(path)
        expect(n_resamples)
        facts = summary_of(
            self._study,
            n_resamples=n_resamples,
            found=profile,
            notes=notes,
            source=source,
            command=command,
        )
        report = Report(facts)
        if path is not None:
            report.write(path)
        return report

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | ({"_study": None} if hasattr(self, "_study") else {})

    def _transform(self, X: Any) -> Any:
        """The selected columns; a warning says what to do where there are none."""
        if self._get_support_mask().any():
            return super()._transform(X)
        warnings.warn(
            "No features were selected: none clearly beats guessing on held-out samples, and most "
            "models refuse the empty table that is left. Use `allow_none=False` to keep the best "
            "set all the same.",
            UserWarning,
            stacklevel=2,
        )
        return X.iloc[:, :0] if hasattr(X, "iloc") else X[:, :0]

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = True
        return tags
