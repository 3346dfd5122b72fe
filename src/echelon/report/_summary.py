"""``summarize``: data and selectors to a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from echelon.profile import Profile
from echelon.profile import profile as make_profile
from echelon.report._report import Report
from echelon.study import (
    Rows,
    Settings,
    check_description,
    conduct,
    design,
    read_for,
    summary_of,
)


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
    scoring: Any = None,
    tolerance: Any = None,
    keep: Sequence[str] = (),
    n_resamples: int = 20,
    random_state: Any = 0,
    profile: Profile | None = None,
    notes: Sequence[str] = (),
    source: str | None = None,
    command: str | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Report:
    """Which features to keep, how many, and how far to trust it, as a report.

    Every method ranks the features within the folds of one cross-validation; the curves of an
    estimator's score against the number of features say how many to keep.  The ranking of all rows
    says which.

    Parameters
    ----------
    X : DataFrame or array of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,), or Target
        Target: ordered classes (integers, or an ordered categorical), classes, or numbers.
    selectors : selector, or dict of str to selector
        Methods to use, unfitted, by the name to show.
    kind : {"auto", "ordinal", "classification", "regression"}, default="auto"
        What y is: ordered classes, classes without an order, or numbers.  "auto": as
        :func:`echelon.targets.read_target` reads it; a few different numbers are ordered classes.
    class_order : sequence, default=None
        Classes from lowest to highest.  Given, y is ordinal.
    estimator : estimator, default=None
        Model the features are judged by.  None: logistic regression, one question per threshold
        for ordered classes, or ridge regression; numbers imputed and standardised, labels one-hot.
    n_features : int or "auto", default="auto"
        How many to keep.  "auto": the fewest that lose at most one standard error
        against the best size, and at most 2 % of its gain over guessing.
    cv : int, splitter or iterable, default=5
        Folds.  A number: shuffled, and stratified for classes; whole groups if ``groups`` are
        given.
    groups : array-like of shape (n_samples,), default=None
        Samples of one group (a patient, a household) are never in both parts of a fold, and are
        drawn together where stability is measured.
    time : array-like of shape (n_samples,), default=None
        Numbers or dates: every fold learns from earlier samples and is judged by the next.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, which the selectors, the score and, if it takes any, the estimator are given.
    scoring : str or callable, default=None
        As in scikit-learn; None: mean error in classes for ordered classes, balanced accuracy for
        others, R² for numbers.
    tolerance : float or str, default=None
        What may be lost against the best size, in the units of ``scoring``, or "2%" of the gain
        over guessing.  None: one standard error of the loss, and at most 2 % of that gain.
    keep : sequence of str, default=()
        Features that are kept in any case; the others are judged beside them.
    n_resamples : int, default=20
        Samples of half of the rows on which the stability of the choice is measured; 0: not at
        all.
    random_state : int, RandomState instance or None, default=0
        Seed of every random choice, also of selectors and models whose own was left open.
    profile : Profile, default=None
        What ``echelon.profile.profile`` found in the data.
    notes : sequence of str, default=()
        What was done to the data before, in sentences that are shown as they are.
    source, command : str, default=None
        Where the data come from and how the report was made, shown as they are.
    n_jobs : int, default=None
        Cores to use; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib says otherwise.  Results do not depend on it.
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
    than the best constant guess, or may be by chance, the answer is to keep none.  Two tests
    ask: whether any feature is related to the target, by permutation of rank correlations (4.5 %);
    and, fold by fold, a one-sided t test (0.5 %, standard errors corrected for overlapping training
    sets).  With groups, times, weights or folds of your own only the second, at 5 %.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from echelon import ReliefF
    >>> from echelon.report import summarize
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> report = summarize(X, y, ReliefF(), kind="classification", n_resamples=5)
    >>> report.summary()["words"]["answer"]
    'Keep these 5 of 13; more gain little.'
    """
    named = _read_selectors(selectors)
    check_description(n_resamples, profile)
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
        rows=Rows(groups, time, sample_weight),
    )
    designed = design(X, read_for(y, named, kind, class_order), settings)
    found = profile or make_profile(designed.X, designed.target, monotone=False)
    study = conduct(named, designed, found.constant, n_resamples)
    shown = {"notes": notes, "source": source, "command": command}
    return Report(summary_of(study, n_resamples=n_resamples, found=found, **shown))


def _read_selectors(selectors: Any) -> dict[str, Any]:
    """Selectors by name; one alone is named after its class."""
    named = selectors if isinstance(selectors, Mapping) else {type(selectors).__name__: selectors}
    if not named or not all(hasattr(selector, "fit") for selector in named.values()):
        raise TypeError(
            f"`selectors` must be a selector or a dict of them by name, got {selectors!r}. Pass "
            'for example {"ReliefF": ReliefF()}.'
        )
    return {str(name): selector for name, selector in named.items()}
