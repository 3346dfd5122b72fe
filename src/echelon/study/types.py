"""The summary of a study, part by part: plain values, as JSON holds them.

Facts only: every sentence about them is made in ``echelon._core.words`` and stands under ``words``.
Everything that renders a summary (pages, tables, the command) reads these keys.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class Reached(TypedDict):
    """A mean over the folds and its standard error, in the units of the metric."""

    mean: float
    standard_error: float


class Named(Reached):
    """What something else reaches."""

    name: str


class Other(Named):
    """What something else reaches, and what the selected features gain over it."""

    gain: float
    """Positive where the selected features are better."""
    gain_error: float
    """Standard error of the gain."""
    clear: bool
    """Whether the difference, either way, is significant (one-sided t test over the folds, 5 %)."""
    ahead: bool
    """Whether it is better by more than one standard error of the difference."""


class Score(TypedDict):
    """What the scores are, and what was reached."""

    name: str
    larger_is_better: bool
    at_this_size: Reached
    held_out: Reached
    """Every fold with the model, method and size chosen on the other folds."""
    guess: Named
    others: list[Other]
    """The chosen model with all features, and another model with all features."""
    models: list[Other]
    """Every other model with the number of features chosen for it; gains are those of the model."""


class Offer(TypedDict):
    """A smaller set for those who can bear its loss: the knee of the curve."""

    n_features: int
    keep: list[str]
    loss: float
    """What it loses against the answer at its size, in the units of the metric."""
    share: float
    """The same as a share of the improvement over the baseline."""
    tolerance: float
    """The tolerance, as such a share, that leads to this set."""


class SizeRule(TypedDict):
    """How the number of features was found; the first three None: the default rule."""

    wanted: int | None
    tolerance: float | None
    share: float | None
    most_lost: float
    """The share of the improvement over the baseline that the default rule lets go at most."""
    limit: int | None
    """The number of features that the ranking itself finds worth keeping; None: it does not say."""
    allow_none: bool
    """Whether nothing is kept where nothing helps."""


class Tests(TypedDict):
    """Whether the improvement over the baseline is significant."""

    gained: bool
    """Whether there is any."""
    clear: bool
    """By a one-sided t test over the folds."""
    related: float | None
    """p-value of the permutation test that no feature is related to the target; None: not asked."""
    is_related: bool


class Answer(TypedDict):
    """Which features to keep, and what they are worth."""

    keep: list[str]
    always: list[str]
    """Those of them that were asked for."""
    n_features: int
    of: int
    rule: SizeRule
    advised: int
    """The number of features that one standard error alone would lead to."""
    method: str
    model: str
    """What the features were evaluated by: "linear", "forest", or "given" by the user."""
    decided_by: list[str]
    """The models whose mean score decided how many features are kept."""
    helps: bool
    tests: Tests
    score: Score
    offer: Offer | None
    """None where the answer is small enough itself."""


class Data(TypedDict):
    """The data at a glance."""

    n_samples: int
    n_features: int
    target: str
    kind: str
    ordered: bool
    classes: dict[str, int]
    """Samples of every class, or of every quarter of a numeric target."""
    shown_classes: list[str]
    missing: int
    columns_with_missing: int
    nominal: int
    intervals: bool
    constant: list[str]
    duplicated: list[list[str]]
    many_labels: dict[str, int]
    """Number of categories of the columns that have more than ``most_labels``."""
    most_labels: int
    """The most categories that become columns of their own."""


class Curve(TypedDict):
    """Score against the number of features."""

    n_features: list[int]
    mean: list[float | None]
    std: list[float | None]
    standard_error: list[float | None]
    folds: list[list[float | None]]


class Stability(TypedDict):
    """How often the same features are chosen on other samples."""

    index: float
    low: float
    high: float
    size: int
    frequency: list[float]


class MethodPart(TypedDict):
    """What one method says."""

    name: str
    label: str
    params: dict[str, Any]
    scores: list[float] | None
    relevance: list[str] | None
    bounds: list[list[float]] | None
    """Bounds of the weights of all features, where the method has some."""
    order: list[str]
    ranking: list[int]
    curve: Curve
    keep: list[str]
    n_features: int
    one_se_size: int
    best_size: int
    stability: Stability | None
    no_stability: str | None
    """Why the stability could not be measured."""


class Distribution(TypedDict):
    """One feature in every class that is shown."""

    kind: str
    present: list[int]
    quantiles: NotRequired[list[list[float | None]]]
    labels: NotRequired[list[str]]
    shares: NotRequired[list[list[float]]]


class Feature(TypedDict):
    """One feature; the last three for the best ones only."""

    name: str
    rank: int
    score: float | None
    relevance: str | None
    bounds: list[float] | None
    kept: bool
    stability: float | None
    group: int | None
    substitutes: list[str]
    ranks: dict[str, int]
    missing: NotRequired[int]
    trend: NotRequired[float | None]
    distribution: NotRequired[Distribution]


class Alike(TypedDict):
    """Two features that say the same, and how closely they go together."""

    first: str
    second: str
    association: float


class Change(TypedDict):
    """What one feature more or less, or something else altogether, does to the score."""

    name: str
    change: float
    """In the units of the metric."""
    standard_error: float
    worth: float
    """The same, positive where the feature, or the choice, is of use."""
    clear: bool
    """Whether more than chance (one-sided t test over the folds, 5 %)."""


class Questions(TypedDict):
    """What one would ask next: single features left out and added, and another ranking."""

    dropped: list[Change]
    """Kept features, the one that is missed most first."""
    added: list[Change]
    """Features left out, the one that adds most first."""
    n_not_dropped: int
    n_not_added: int
    """Features that were not tried."""
    in_common: int | None
    """Kept features among as many that a forest ranks best."""


class Agreement(TypedDict):
    """Rank correlations and overlaps of all pairs of methods."""

    methods: list[str]
    rank_correlation: list[list[float]]
    overlap: list[list[float]]
    n_best: int


class How(TypedDict):
    """What it takes to get the same again."""

    method: str
    parameters: dict[str, dict[str, Any]]
    estimator: str | None
    """The model that was given; None: the default for this kind of target."""
    scoring: str
    larger_is_better: bool
    folds: int
    groups: str | None
    """Whose rows stay together in every split: the name of the column, or "groups"."""
    time: str | None
    """What orders the rows, if they are judged by later ones."""
    weights: str | None
    """What the rows weigh."""
    n_resamples: int
    seed: int | None
    versions: dict[str, str]
    date: str
    command: str | None


class Words(TypedDict):
    """All sentences about a summary: made of the facts, by ``echelon._core.words`` alone."""

    title: str
    fits: str
    """Which method fits the data, and why."""
    answer: str
    warnings: list[str]
    """What the answer must not be read without; shown before it."""
    evidence: str
    comparison: str
    offer: str | None
    rule: str
    model: str
    evaluated: str
    """Which model evaluated the features, and what it was compared with."""
    questions: dict[str, str]
    """Questions and their answers."""
    caveats: list[str]


class Summary(TypedDict):
    """Everything a report shows."""

    source: str | None
    data: Data
    profile: dict[str, Any]
    answer: Answer
    methods: list[MethodPart]
    features: list[Feature]
    groups: list[list[str]]
    """Kept features that say the same."""
    alike: list[Alike]
    """All pairs of groups, and of kept features and what could stand in for them."""
    questions: Questions | None
    """None where no resamples were asked for."""
    agreement: Agreement | None
    how: How
    words: Words
