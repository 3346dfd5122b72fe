"""The summary of a study, part by part: plain values, as JSON holds them.

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


class Score(TypedDict):
    """What the scores are, and what was reached."""

    name: str
    larger_is_better: bool
    at_this_size: Reached
    held_out: Reached
    """Every fold with the method and size chosen on the other folds."""
    guess: Named
    others: list[Named]
    """All features, and a forest."""


class Offer(TypedDict):
    """A smaller set for those who can bear its loss: the knee of the curve."""

    n_features: int
    keep: list[str]
    loss: float
    """What it loses against the answer at its size, in the units of the metric."""
    share: float
    """The same as a share of what the answer gains over guessing."""
    sentence: str


class Answer(TypedDict):
    """Which features to keep, and what they are worth."""

    sentence: str
    warnings: list[str]
    """What the answer must not be read without; shown before it."""
    evidence: str
    comparison: str
    offer: Offer | None
    """None where the answer is small enough itself."""
    keep: list[str]
    always: list[str]
    """Those of them that were asked for."""
    n_features: int
    of: int
    rule: str
    method: str
    helps: bool
    score: Score


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
    """What one would ask next: single features left out and added, and other models."""

    dropped: list[Change]
    """Kept features, the one that is missed most first."""
    added: list[Change]
    """Features left out, the one that adds most first."""
    n_not_dropped: int
    n_not_added: int
    """Features that were not tried."""
    all_features: Change
    forest: Change
    in_common: int | None
    """Kept features among as many that a forest ranks best."""
    sentences: dict[str, str]
    """Questions and their answers."""


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
    estimator: str
    scoring: str
    larger_is_better: bool
    folds: int
    splits: str
    """The folds in words."""
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


class Summary(TypedDict):
    """Everything a report shows."""

    title: str
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
    caveats: list[str]
    how: How
