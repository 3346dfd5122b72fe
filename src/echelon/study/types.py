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
    """What something else reaches, and what the selected features improve on it."""

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
    """Loss as a share of the improvement over the baseline."""
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
    """How many features the ranking itself finds worth selecting; None: unknown."""
    allow_none: bool
    """Whether nothing is selected where nothing helps."""


class Tests(TypedDict):
    """Whether the improvement over the baseline is significant."""

    gained: bool
    """Whether there is any."""
    clear: bool
    """By a one-sided t test over the folds."""
    related: float | None
    """p-value of the permutation test that no feature is related to the target; None: not asked."""
    is_related: bool


class DirectionCost(TypedDict):
    """What respecting directions costs with the same features, over the same folds."""

    respected: float
    free: float
    """The score with the directions, and without them, in the units of the metric."""
    lost: float
    """Positive where the model is better without them."""
    standard_error: float
    clear: bool
    """Whether the difference, either way, is significant (one-sided t test over the folds, 5 %)."""


class Direction(TypedDict):
    """One feature that was said to rise or fall with the target."""

    name: str
    direction: int
    selected: bool
    broken: float | None
    """Of the pairs of samples that differ in the feature and in the target: the share that breaks
    the direction."""
    n_pairs: int
    agrees: bool | None
    """Whether more pairs follow it than break it; None: as many."""
    p_value: float | None
    """Of Kendall's tau with the target, two-sided; None where rows may depend on each other."""
    cost: DirectionCost | None
    """Of respecting this direction beside the others; None for features not chosen."""


class Directions(TypedDict):
    """Directions that were stated for features."""

    features: list[Direction]
    chosen: list[str]
    """The features with which the costs were measured."""
    cost: DirectionCost | None
    """Of respecting all of them."""
    classes: list[str] | None
    """Lowest first: rising features go with the last one."""
    model: str


class Answer(TypedDict):
    """Which features to select, and what they are worth."""

    keep: list[str]
    always: list[str]
    """Those of them that were asked for."""
    together: list[list[str]]
    """Features that are selected as a whole or not at all, group by group."""
    n_features: int
    of: int
    rule: SizeRule
    sizes: list[int]
    """The fewest and the most features that would be selected with one of the folds left out."""
    advised: int
    """The number of features that one standard error alone would lead to."""
    method: str
    model: str
    """What the features were evaluated by: "linear", "forest", or "given" by the user."""
    decided_by: list[str]
    """The models whose mean score decided how many features are selected."""
    helps: bool
    tests: Tests
    score: Score
    offer: Offer | None
    """None where the answer is small enough itself."""
    directions: NotRequired[Directions | None]
    """None where no directions of features were stated."""


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


class SampleFacts(TypedDict):
    """A sample of a table that is larger than memory: what it is, and what all rows say."""

    rows: int
    """All rows that have a target; missing values, numbers of values and rank correlations are
    theirs."""
    sampled: int
    """Rows of the sample, on which searches, models and scores are."""
    samples: int
    """Disjoint samples of that size on which the selection was repeated, this one among them."""
    classes: bool
    """Whether the sample is stratified by classes."""
    raised: dict[str, list[int]]
    """Rare classes with more than their share in the sample: rows there, and of all."""
    binned: int
    """Columns with more than ``most_values`` values, which were binned for rank correlations."""
    most_values: int
    error: float
    """By so much at most a rank correlation of a binned column differs from that of all rows."""
    from_sample: list[str]
    """Columns whose rank correlation is that of the sample."""
    constant: list[str]
    """Columns that are constant in the sample, and not in all rows."""
    distinct: dict[str, int]
    """Different values of every column; more than ``most_values`` are estimated to 3 %."""
    ranked_by_sample: bool
    """Whether the ranking uses the sample's rank correlations, as categories are many."""


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
    aggregated: dict[str, Any] | None
    """``fusion`` and the methods of the ``rankings``, where several were aggregated into this."""


class Distribution(TypedDict):
    """One feature in every class that is shown."""

    kind: str
    present: list[int]
    quantiles: NotRequired[list[list[float | None]]]
    labels: NotRequired[list[str]]
    shares: NotRequired[list[list[float]]]


class Feature(TypedDict):
    """One feature; the last three for the best ones only, p-values where the method has some."""

    name: str
    rank: int
    score: float | None
    """That of the method; None where it has none, as a rank aggregation."""
    loss: float | None
    """How much worse the held-out score gets where its values are shuffled; None: not selected."""
    loss_error: float | None
    """Standard error of the loss."""
    relevance: str | None
    bounds: list[float] | None
    kept: bool
    stability: float | None
    group: int | None
    substitutes: list[str]
    ranks: dict[str, int]
    p_value: NotRequired[float]
    p_adjusted: NotRequired[float]
    """For the false discovery rate."""
    evidence: NotRequired[str]
    """Given all other features: "needed", "replaceable" or "none"."""
    evidence_p: NotRequired[float]
    """Conditional p-value, adjusted for the false discovery rate."""
    replaced_by: NotRequired[list[str]]
    """For a replaceable feature: those given which it tells nothing more."""
    missing: NotRequired[int]
    trend: NotRequired[float | None]
    distribution: NotRequired[Distribution]


class Alike(TypedDict):
    """Two features that are redundant, and how closely they go together."""

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
    """Change of the score, positive where the feature, or the choice, is of use."""
    clear: bool
    """Whether more than chance (one-sided t test over the folds, 5 %)."""


class Questions(TypedDict):
    """What one would ask next: single features left out and added, and another ranking."""

    dropped: list[Change]
    """Selected features, the one that is missed most first."""
    added: list[Change]
    """Features left out, the one that adds most first."""
    n_not_dropped: int
    n_not_added: int
    """Features that were not tried."""
    in_common: int | None
    """Selected features among as many that a forest ranks best."""


class Bin(TypedDict):
    """Values of a feature that a scorecard takes together."""

    start: float | None
    """The smallest value; None: missing values."""
    end: float | None
    """Where the next bin begins; None: nowhere."""
    category: str | None
    samples: int
    share: float
    """Of the second class."""
    weight: float
    """Weight of evidence of the second class."""


class Binned(TypedDict):
    """A feature in bins."""

    name: str
    information_value: float
    """Less what chance adds."""
    bins: list[Bin]


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
    stratified: bool
    """Whether folds are shuffled and stratified by class."""
    groups: str | None
    """Whose rows stay together in every split: the name of the column, or "groups"."""
    time: str | None
    """What orders the rows, if they are evaluated by later ones."""
    weights: str | None
    """What the rows weigh."""
    n_resamples: int
    seed: int | None
    versions: dict[str, str]
    date: str
    command: str | None
    configuration: NotRequired[dict[str, Any]]
    """The options of the command."""


class Words(TypedDict):
    """All sentences about a summary: made of the facts, by ``echelon._core.words`` alone."""

    title: str
    fits: str
    """Which method fits the data, and why."""
    answer: str
    warnings: list[str]
    """What the answer must not be read without; shown before it."""
    lines: dict[str, str]
    """What was reached, and what else could be, by label: "Score", "Baseline", "All features"."""
    rule: str
    model: str
    methods_text: list[str]
    """The methods paragraph of a paper, and the references it cites."""
    questions: dict[str, str]
    """Questions and their answers."""
    reasons: list[str]
    """Why every feature was selected, or was not, in the order of the features."""
    directions: NotRequired[list[str]]
    """What the data say of stated directions, and what respecting them costs."""
    caveats: list[str]


class Summary(TypedDict):
    """Everything a report shows."""

    source: str | None
    data: Data
    sample: SampleFacts | None
    """None where all rows were used."""
    profile: dict[str, Any]
    answer: Answer
    methods: list[MethodPart]
    features: list[Feature]
    groups: list[list[str]]
    """Selected features that are redundant."""
    alike: list[Alike]
    """All pairs of groups, and of selected features and what could replace them."""
    questions: Questions | None
    """None where no resamples were asked for."""
    agreement: Agreement | None
    scorecard: list[Binned] | None
    """Weights of evidence of the best features and of those with a stated direction; None unless
    there are two classes."""
    how: How
    words: Words
