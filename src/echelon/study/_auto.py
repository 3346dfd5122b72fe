"""The default answer: which features to select, for any data set and any kind of target."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from echelon._core.choices import CHOICE_CONSTRAINTS, read_choice, shared_ranks
from echelon._core.compat import HasMethods, Interval, StrOptions, fit_context
from echelon._core.folds import FREQUENCIES, SURVEY, Rows, fewer_folds, read_rows_as
from echelon._core.jobs import expect
from echelon._core.significance import standard_error
from echelon._core.words import listed
from echelon.base import groups_to_keep, note_features, ranks_of
from echelon.consensus import ConsensusSelector, default_ranker
from echelon.data import as_table, is_dask, read_columns
from echelon.large import Sample
from echelon.profile import Profile, text_columns
from echelon.study._design import Settings, design
from echelon.study._directions import frame_of
from echelon.study._models import FOREST
from echelon.study._presented import Presented
from echelon.study._rankers import Arranged, Prepared
from echelon.study._sampled import sample_of
from echelon.study._study import Study, conduct
from echelon.study._summary import check_description, summary_of
from echelon.targets import read_target

if TYPE_CHECKING:
    from echelon.report import Report

NAME = "AutoSelector"
"""What the study calls its one method."""
RANKING = "consensus"
"""What the aggregated ranking is called in ``method_`` and ``curves_``."""


class AutoSelector(Presented, SelectorMixin, BaseEstimator):
    """Select features for any data set and any target, without settings.

    The type of the target is inferred.  The features are ranked by complementary methods, whose
    rankings are aggregated (:class:`echelon.ConsensusSelector`).  The best 1, 2, 3, ... of them are
    scored by cross-validation with a linear model and a forest; the features are ranked again in
    every fold.

    The smallest set that loses at most 0.5 % of the improvement over the baseline is selected, with
    no more features than the stepwise searches of the ranking select, unless up to twice as many
    are better by more than one standard error.  No features are selected if the better model is not
    significantly better than the baseline, the best constant prediction.

    Parameters
    ----------
    kind : {"auto", "ordinal", "classification", "regression"}, default="auto"
        Type of the target: ordered classes, unordered classes, or continuous.  "auto" infers it
        (:func:`echelon.targets.read_target`); a few different numbers are ordered classes.
    class_order : sequence, default=None
        The classes from lowest to highest; the target is then ordinal.
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: determined by cross-validation.
    estimator : estimator, default=None
        Model that evaluates the features.  None: the better of a linear model (logistic regression,
        one model per threshold for ordered classes, or ridge regression) and a forest of extremely
        randomised trees; features are imputed, standardised and one-hot encoded for them.  If there
        are categorical features, this is done for a given model as well, unless it is a pipeline.
    cv : int, splitter or iterable, default=5
        Folds.  A number of folds is shuffled, stratified for classes, and keeps ``groups`` whole;
        fewer folds are used if a class is small.
    scoring : str or callable, default=None
        As in scikit-learn.  None: MAE in classes for ordered classes, balanced accuracy for
        unordered ones, R² for a continuous target.
    tolerance : float or str, default=None
        Accepted loss against the best size, in the units of ``scoring``, or as a share of the
        improvement over the baseline such as "2%".  None: 0.5 % of that improvement, with no more
        features than the stepwise searches of the ranking select, unless up to twice as many are
        better by more than one standard error.
    allow_none : bool, default=True
        Select no features if none improve on the baseline.  False: select the best set regardless.
        ``transform`` warns if no features are selected, since few models accept empty input.
    must_keep : mask, indices or names, default=None
        Features that are always selected and ranked first; the others are evaluated beside them.
        They count towards ``n_features_to_select``.
    feature_groups : array-like or dict, default=None
        Features that are selected all together or not at all: a label per feature (None: not in a
        group), or a dict from labels to mask, indices or names.  ``n_features_to_select`` counts
        groups, and a group has the rank of its best feature.
    weights_are : {"survey", "frequencies"}, default=None
        Meaning of ``sample_weight``.  "survey": relative weights, of which only the ratios matter.
        "frequencies": how often each row was observed, as in a contingency table; the answer is
        that for the data with every row repeated so many times.  None: "survey", with a warning if
        the weights are whole numbers, which could be either.
    monotonic_cst : array-like or dict, default=None
        Known directions of effects: per feature 1 (increasing), -1 (decreasing) or 0 (unknown), as
        an array, or a dict or Series by feature name (0 if not named).  Features are then evaluated
        by a linear model and a forest that respect them.  With two unordered classes, increasing
        means towards the second of ``np.unique``.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices, including those of selectors and models without a seed.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best; the features of a group share a rank.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    scores_ : ndarray of shape (n_features,)
        Permutation importance of the selected features on held-out rows: how much worse the score
        of the model is if the values of the feature are permuted, in the units of ``scoring_``;
        larger is better.  0 for features that were not selected, and for all but the 50 best
        ranked.  The features are ordered by the aggregated ranking (``ranker_``), not by these
        scores.
    scores_error_ : ndarray of shape (n_features,)
        Standard errors of ``scores_``, corrected for overlapping training sets.
    kind_ : str
        Type of the target, as given or inferred.
    method_ : str
        The ranking that was used: "consensus".
    ranker_ : ConsensusSelector
        The aggregated ranking, fitted to all samples; ``ranker_.agreement()`` compares its members.
    model_ : {"linear", "forest", "given"}
        The model that evaluated the features: the better of a linear model and a forest, or
        ``estimator``.
    estimator_ : estimator
        That model, unfitted; it accepts the original data.
    curves_ : dict of str to FeatureCurve
        Score of that model against the number of features (or groups), for every fold.
    model_curves_ : dict of str to FeatureCurve
        Curves of all models that were evaluated.
    score_ : float
        Held-out score of the whole procedure, in the units of ``scoring_``: every fold uses the
        model and the number of features chosen on the other folds.
    score_error_ : float
        Standard error of ``score_``, corrected for overlapping training sets.
    scoring_ : str
        Name of the score.
    baselines_ : dict of str to float
        Score of the baseline (the best constant prediction), of the same model with all
        features, and of a forest.
    helps_ : bool
        Whether the selected features are significantly better than the baseline (one-sided t test
        over the folds, 0.5 %, or permutation test of the rank correlations of all features, 4.5 %).
        With ``time``, the t test has 5 % and the other test shifts the rows instead of permuting
        them.  With ``groups``, unequal weights or folds of your own, the t test alone, at 5 %.
    directions_ : DataFrame or None
        One row per direction of ``monotonic_cst``: the ``feature``, whether the data ``agree``,
        the share of pairs of samples that violate it (``broken``, of ``n_pairs``), and, for
        selected features, what respecting it costs (``cost``, positive if the model is better
        without it).  None without directions.
    sample_ : dict or None
        For a Dask DataFrame: the number of ``rows``, how many were ``sampled``, in how many
        disjoint ``samples``, and what was not computed from all rows.  None if all rows were used.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    echelon.report.summarize : Several selectors compared, as a report.
    echelon.Selection : The decision as data, which ``to_json`` returns.

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
    ('ordinal', 'MAE in classes')
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
        **CHOICE_CONSTRAINTS,
        "weights_are": [StrOptions({SURVEY, FREQUENCIES}), None],
        "monotonic_cst": ["array-like", dict, None],
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
        feature_groups: Any = None,
        weights_are: str | None = None,
        monotonic_cst: Any = None,
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
        self.feature_groups = feature_groups
        self.weights_are = weights_are
        self.monotonic_cst = monotonic_cst
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def ranker(self, kind: str, n_samples: int, weighted: bool = False) -> ConsensusSelector:
        """The aggregated ranking for a kind of target, not fitted.

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
        """Rank the features and determine how many to select.

        Parameters
        ----------
        X : DataFrame or array of shape (n_samples, n_features)
            Samples: continuous, categorical or ordered features, with or without missing values.
            A Dask DataFrame may be larger than memory: rank correlations are then computed from all
            rows, and everything else from samples of them.
        y : array-like of shape (n_samples,)
            Target.  With a Dask DataFrame also a Dask Series, or the name of a column of X.
        groups : array-like of shape (n_samples,), default=None
            The samples of a group (a patient, a household) are never split across folds.
        time : array-like of shape (n_samples,), default=None
            Numbers or dates: every fold is evaluated on samples later than its training samples.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of samples in rankings, models and scores.  They are divided by their mean, so
            only ratios matter, and equal weights change nothing.  With
            ``weights_are="frequencies"``, how often each sample was observed.  None: equal weights.

        Returns
        -------
        self : object
            The fitted selector.
        """
        rows = Rows(groups, time, sample_weight)
        sample = X if isinstance(X, Sample) else None
        if is_dask(X):
            sample, rows = sample_of(X, y, rows, self.kind, self.class_order, self._seed())
        if sample is not None:
            X, y = sample.frame, sample.target
            sample = None if sample.is_whole else sample
        X = as_table(X)
        note_features(self, X, y)
        if not hasattr(X, "columns"):
            X = read_columns(X).values  # an array holds numbers
        self._study = self._conducted(*read_rows_as(X, y, rows, self.weights_are), sample)
        self.sample_ = None if sample is None else sample.facts()
        self._described = None
        losses = self._study.losses
        self._study.design.kept.clear()  # a report encodes again: no fold is held for long
        design, judged = self._study.design, self._study.judged
        fitted, _ = self._study.fitted[NAME]
        ranked = fitted.selector_ if isinstance(fitted, Arranged) else fitted
        self.ranker_ = ranked.selector_ if isinstance(ranked, Prepared) else ranked
        names = design.X.columns
        self.scores_, self.scores_error_ = (
            np.array([each.get(name, 0.0) for name in names]) for each in losses
        )
        groups = design.feature_groups
        best_first = pd.unique(groups[np.argsort(ranks_of(fitted), kind="stable")])
        self.ranking_ = shared_ranks(best_first, design.n_groups)[groups]
        self.order_ = np.argsort(self.ranking_, kind="stable")
        self.kind_, self.method_ = design.target.kind, RANKING
        self.curves_, self.helps_ = {RANKING: judged.curves[NAME]}, judged.helps
        self.model_, self.estimator_ = judged.model, design.models[judged.model]
        self.model_curves_ = {model: curves[NAME] for model, curves in judged.models.items()}
        self.support_ = self.ranking_ <= judged.n_kept(design.rule)
        sign = design.scoring.sign
        _warn_of_texts(design.X.loc[:, self.support_])
        self.score_ = float(sign * judged.held_out.mean())
        self.score_error_ = float(standard_error(judged.held_out, judged.test_share))
        self.scoring_ = design.scoring.name
        everything, other = judged.others
        own = everything if judged.model == FOREST else other
        named = {"guess": judged.guess, "all features": everything, "forest": own}
        self.baselines_ = {
            name: float(sign * baseline.scores.mean()) for name, baseline in named.items()
        }
        found = self._study.directions
        self.directions_ = None if found is None else frame_of(found)
        return self

    def _seed(self) -> int:
        seed = self.random_state
        if not isinstance(seed, Integral):
            seed = check_random_state(seed).randint(np.iinfo(np.int32).max)
        return int(seed)

    def _conducted(self, X: Any, y: Any, rows: Rows, sample: Sample | None) -> Study:
        target = read_target(y, self.kind, self.class_order)
        n_features = self.n_features_in_
        names = getattr(self, "feature_names_in_", None)
        choice = read_choice(self.must_keep, self.feature_groups, n_features, names)
        wanted = groups_to_keep(self.n_features_to_select, choice)
        names = np.arange(n_features) if names is None else names
        self._cv = fewer_folds(self.cv, target, rows.groups)
        settings = Settings(
            estimator=self.estimator,
            n_features="auto" if wanted is None else wanted,
            cv=self._cv,
            scoring=self.scoring,
            random_state=self._seed(),
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            tolerance=self.tolerance,
            keep=[str(name) for name in names[choice.kept]],
            feature_groups=choice.groups,
            allow_none=self.allow_none,
            rows=rows,
            directions=self.monotonic_cst,
            sample=sample,
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
        evidence: bool = False,
        overwrite: bool = False,
    ) -> Report:
        """Describe the selection in a report: HTML, Markdown or JSON.

        Parameters
        ----------
        path : str or path, default=None
            File to write: ``.html``, ``.md`` or ``.json``.  None: none.
        n_resamples : int, default=20
            Number of subsamples, each of half of the rows, on which the stability of the selection
            is measured.  0: neither stability nor the contributions of single features.
        profile : Profile, default=None
            What ``echelon.profile.profile`` found in the data.
        notes : sequence of str, default=()
            What was done to the data before, in sentences that are shown unchanged.
        source, command : str, default=None
            Where the data come from and how the report was made, shown as they are.
        evidence : bool, default=False
            Test every feature given all others, and show whether it is needed, replaceable or
            without evidence: see :class:`echelon.ConditionalEvidence`.  Rows must be independent.
        overwrite : bool, default=False
            Whether an existing file may be replaced.

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
            check_path(path, overwrite=overwrite)
        expect(n_resamples)
        facts = summary_of(
            self._study,
            n_resamples=n_resamples,
            found=profile,
            notes=notes,
            source=source,
            command=command,
            evidence=evidence,
        )
        self._described = facts
        report = Report(facts)
        if path is not None:
            report.write(path, overwrite=overwrite)
        return report

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | ({"_study": None} if hasattr(self, "_study") else {})

    def _transform(self, X: Any) -> Any:
        """The selected columns; a warning says what to do where there are none."""
        if self._get_support_mask().any():
            return super()._transform(X)
        warnings.warn(
            "No features were selected: none is significantly better than the baseline on "
            "held-out samples, and most models refuse the empty table that is left. Use "
            "`allow_none=False` to select the best set all the same.",
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


def _warn_of_texts(selected: Any) -> None:
    """Say so where texts, most of which occur hardly more than once, were selected."""
    names = text_columns(selected) if selected.shape[1] else []
    if names:
        n_texts = max(selected[name].nunique() for name in names)
        warnings.warn(
            f"Selected {listed(map(repr, names))} with up to {n_texts:,} different texts in "
            f"{len(selected):,} rows: they describe single rows, not groups of them. Drop them, or "
            "make categories or numbers of them.",
            UserWarning,
            stacklevel=3,
        )
