"""Docstrings say what the signatures say, and say the same thing in the same words."""

import dataclasses
import importlib
import inspect
import re
from collections import defaultdict
from typing import NamedTuple

import pytest
from sklearn.base import BaseEstimator

import echelon

ROOMS = [
    "bounds", "consensus", "datasets", "display", "evaluation", "evidence", "filters", "intervals",
    "margin", "monotone", "neighborhood", "profile", "rankorder", "report",
]  # fmt: skip


def public():
    """Classes and functions of ours that users can import, by name."""
    modules = [echelon, *(importlib.import_module(f"echelon.{room}") for room in ROOMS)]
    named = {name: getattr(module, name) for module in modules for name in module.__all__}
    return {name: each for name, each in sorted(named.items())
            if inspect.isclass(each) or inspect.isfunction(each)}  # fmt: skip


PUBLIC = public()
ESTIMATORS = {
    name: each
    for name, each in PUBLIC.items()
    if inspect.isclass(each) and issubclass(each, BaseEstimator) and not inspect.isabstract(each)
}


# ---------------------------------------------------------------------------------- reading


class Entry(NamedTuple):
    """What a docstring says of a parameter or an attribute."""

    kind: str
    default: str | None
    text: str


def section(each, title):
    """The entries below a heading, by name, in order."""
    lines = inspect.cleandoc(each.__doc__ or "").splitlines()
    entries, inside = {}, False
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if re.fullmatch(r"-{3,}", below):
            inside, current = line == title, []
        elif inside and re.match(r"[\w*]", line):
            names, _, kind = line.partition(" : ")
            kind, _, default = kind.partition(", default=")
            current = names.split(", ")
            entries.update({name.strip(): Entry(kind, default or None, "") for name in current})
        elif inside and line.startswith(" "):
            for name in current:
                text = f"{entries[name].text} {line.strip()}".strip()
                entries[name] = entries[name]._replace(text=text)
    return entries


def wording(text):
    """A text without what may differ: line breaks and the numbers of references."""
    return re.sub(r"\[\d+\]_", "[]_", " ".join(text.split()))


def default_of(parameter):
    """The default as a docstring writes it; None: there is none."""
    value = parameter.default
    if value is inspect.Parameter.empty:
        return None
    if isinstance(value, str):
        return f'"{value}"'
    return getattr(value, "__name__", repr(value).replace("'", '"'))


def signature(function):
    parameters = inspect.signature(function).parameters
    return {name: each for name, each in parameters.items() if name not in ("self", "cls")}


def methods(each):
    """Public methods of a class that are ours and document parameters."""
    for name, method in inspect.getmembers(each, callable):
        ours = (getattr(method, "__module__", None) or "").startswith("echelon.")
        if not name.startswith("_") and ours and section(method, "Parameters"):
            yield method


def check_parameters(documented, actual):
    assert list(documented) == list(actual)
    for name, entry in documented.items():
        if entry.kind == "None":
            continue  # an argument for scikit-learn's sake, which is ignored
        assert (name, entry.default) == (name, default_of(actual[name]))
        assert entry.kind, name
        assert entry.text, name


@pytest.mark.parametrize("each", PUBLIC.values(), ids=PUBLIC)
def test_documented_parameters_are_those_of_the_signature(each):
    actual, documented = signature(each), section(each, "Parameters")
    if dataclasses.is_dataclass(each) and not documented:
        fields = [field.name for field in dataclasses.fields(each)]
        assert list(section(each, "Attributes")) == fields
    elif len(actual) > 1 or documented or inspect.isclass(each):
        check_parameters(documented, actual)
    for method in methods(each):
        check_parameters(section(method, "Parameters"), signature(method))


@pytest.mark.parametrize("name", [name for name, each in PUBLIC.items() if inspect.isclass(each)])
def test_constructors_have_type_hints(name):
    for parameter in signature(PUBLIC[name]).values():
        assert parameter.annotation is not parameter.empty, parameter


def test_the_parser_tells_what_is_wrong():
    def documented(first, second=2):
        """Words.

        Parameters
        ----------
        first, second : int, default=2
            One thing,
            after [1]_ another.

        Returns
        -------
        third : int
        """

    found = section(documented, "Parameters")
    assert found["first"] == found["second"] == Entry("int", "2", "One thing, after [1]_ another.")
    assert wording(found["first"].text) == "One thing, after []_ another."
    with pytest.raises(AssertionError):
        check_parameters(found, signature(documented))
    found["first"] = found["first"]._replace(default=None)
    check_parameters(found, signature(documented))


# ------------------------------------------------------------------------------- same words

N_FEATURES = "Number or share of features to select. None: "
THRESHOLD = (
    'Selected features have larger scores than this. "shuffle": larger scores than the best '
    "feature of one fit to permuted y. None: "
)
BY_P_VALUE = (
    'Selected features have larger scores than this. "fdr", "family": p-values that pass the '
    'procedure of Benjamini and Hochberg, or of Holm, at ``error_rate``. "shuffle": larger scores '
    "than the best feature of one fit to permuted y. None: "
)

# One wording for all estimators that have the name, but for these, whose wordings begin as said.
SEVERAL = {
    "labels_": ("of samples, and of features", {
        "Cluster of every sample.", '"needed", "replaceable" or "none".',
    }),
    "rule": ("of a curve, and of a score", {
        "The smallest size with the best mean score",
        "What ``scores_`` are.",
    }),
    "error_rate": ("p-values of some are approximate", {
        'With "fdr": the expected share of noise among the selected features. With "family": the '
        "probability of selecting any noise.",
        'Of "fdr": the largest acceptable q-value.',
        "The expected share of features not needed among the features selected.",
    }),
    "allow_none": ("one of them is a single test among others", {
        "Select no features if none improve on the baseline.",
        "Select no features if the model with them is not better than the baseline, the best "
        "constant prediction",
    }),
    "helps_": ("one of them needs to be asked", {
        "Whether the selected features are significantly better than the baseline (one-sided t "
        "test over the folds",
    }),
    "z_scores_": ("what is permuted is up to the rule", {
        "Scores minus their mean, in units of their standard deviation",
        "Mean difference to nearest samples of other classes minus that to those of the same",
    }),
    "n_features_to_select": ("what None does is up to the method", {
        N_FEATURES + "those that pass ``threshold``.",
        N_FEATURES + "determined by the search, as described in the Notes.",
        N_FEATURES + "the strongly and weakly relevant ones.",
        N_FEATURES + "determined by cross-validation.",
        N_FEATURES + "those that pass at ``error_rate``.",
        N_FEATURES + "as many as more than half of the voters select, at least one.",
        N_FEATURES + "those whose score exceeds 0 by more than its standard error;",
        N_FEATURES + "those selected in more than half of the bootstrap samples;",
        N_FEATURES + "those that the selector selects by its rule, in the last round or",
    }),
    "threshold": ("some have p-values; None is up to the method; one paper says `at least`", {
        THRESHOLD, BY_P_VALUE, "Selected features have at least this score.",
        "What ``error_rate`` bounds:",
    }),
    "threshold_": ("as `threshold`", {
        "The score that selected features exceed;", "The score that selected features reach;",
    }),
    "random_state": ("only some estimators hold others", {
        "Seed of all random choices.",
        "Seed of all random choices, including those of selectors and models without a seed.",
    }),
    "class_order": ("some also take classes without an order, and numbers", {
        "The classes from lowest to highest. Required for classes that are neither integers nor an "
        "ordered categorical.",
        "The classes from lowest to highest; the target is then ordinal.",
    }),
    "max_samples": ("for rankings, or for trees", {
        "Rows drawn at random for all selectors but those named in ``completed_by``,",
        "Where there are more samples, every tree is grown on so many, drawn with replacement.",
    }),
    "model_": ("a name or a fitted program", {
        "The model that evaluated the features:",
        "The model at the optimum.",
    }),
    "classes_": ("some also take numbers", {
        "Class labels; ordered ones lowest first.",
    }),
    "ranking_": ("a search may end before it has told all features apart", {
        "Rank of every feature, 1 is best",
    }),
    "path_": ("every search has a criterion of its own", {
        "Steps of the search: the ``feature``",
    }),
    "selector": ("one ranks, one is asked for scores", {
        "Ranks the features; how many it would select does not matter.",
        "What scores the features:",
        "What scores features and knockoffs together:",
    }),
    "selector_": ("fitted once, or again and again", {
        "The selector, fitted to all rows.", "The selector as fitted last.",
    }),
    "scores_": ("every method has a scale of its own", {
        "Scores, larger is better",
        "Permutation importance of the selected features on held-out rows:",
    }),
    "solver": ("HiGHS does not do every penalty", {
        'Both find the same optimum. "interior-point" is faster, and turns to HiGHS where',
    }),
    "dominance": ("one looks for several neighbours, one for the nearest", {
        "Must an upward hit be at least as good on all features (and a downward hit at most)?",
    }),
    "n_neighbors": ("of one class, of the classes above and below, and of any", {
        "Neighbours per class;", "Misses above and below,", "Neighbours that answer,",
        "Neighbours of any class.",
        "Neighbours of every sample,",
    }),
    "answer": ("what a model answers, and what neighbours answer", {
        "What :meth:`predict` answers:", "What they answer:",
    }),
    "sample_size": ("samples that look for neighbours, and all that take part", {
        "Number or share of samples, drawn at random without replacement, whose neighbours",
        "Samples drawn at random, without replacement, to be asked and to answer.",
    }),
    "monotonic_cst": ("of samples in order, and of curves and models, which may do without", {
        "For every feature 1 (larger is better)", "1, -1 or 0 for features whose curve must rise",
        "Known directions of effects:",
    }),
    "p_values_": ("one approximation per statistic", {
        "Probability of a larger z-score if the feature were unrelated to y",
        "Probability of so strong an association by chance",
        "Conditional p-values",
    }),
    "scoring": ("what None does is up to the model", {"As in scikit-learn. None: "}),
    "tolerance": ("of a loss of score, and of an optimum", {
        "Accepted loss against the best size", "By what share a good model may exceed",
    }),
    "discretize": ("for two classes there is a third way", {
        "How numeric features are cut: where it shortens the description of the classes",
    }),
    "n_bins": ("one of several ways to make intervals, and the only one", {
        'Intervals of "quantile", at most', "Bins of equal frequency of a numeric feature, at most",
    }),
    "max_features": ("of a split, as in scikit-learn, and of a search", {
        "Share of the columns that every split chooses among.", "Most features that",
        "Number or share of the columns that every split chooses among",
    }),
    "scale": ("of bounds, of neighbours, and of a linear model", {
        "Scale every feature by its smallest lower", '"rank": values count by their mid-ranks',
        "Numeric features as they are, or as mid-ranks",
    }),
    "criterion": ("what ends a search forwards, and what a search backwards removes", {
        "A step pays if it lowers the sum of squares", "What goes first:", "What a split gains.",
    }),
    "cv": ("folds that score a model, and folds that choose C", {
        "Folds. A number: shuffled", "Folds. A number of folds is shuffled",
        "Folds of the cross-validation; fewer",
    }),
    "C": ("costs of three different losses", {
        "What a unit of loss costs", "Cost of a training sample on the wrong side",
    }),
    "penalty": ("of weights, and of errors", {"``||w||_1``", "Cost of a sample decided wrongly"}),
    "step": ("of radii, and of features", {"The radii tried", "Features removed at a time"}),
    "estimator": ("a model to score, and one to ask about thresholds", {
        "Model to score", "Model that evaluates the features.", "For two classes.",
    }),
    "measure": ("two of them, and any", {
        "Tau-b, or the correlation of mid-ranks.", "Association of two variables:",
    }),
    "n_iter_": ("of two solvers, and of rounds", {
        "Steps taken from the best start.", "Steps of the solver.",
        "Rounds until the weights settled.",
    }),
    "max_iter": ("of clusters, and of weights that settle", {
        "Largest number of steps from one start.", "Rounds at most.",
    }),
}  # fmt: skip


def shared(title):
    """Wordings of every name at least two estimators have, with who uses them."""
    found = defaultdict(lambda: defaultdict(list))
    for estimator, each in ESTIMATORS.items():
        for name, entry in section(each, title).items():
            found[name][wording(entry.text)].append(estimator)
    return {name: used for name, used in found.items() if sum(map(len, used.values())) > 1}


def kinds(title):
    found = defaultdict(set)
    for each in ESTIMATORS.values():
        for name, entry in section(each, title).items():
            found[name].add(entry.kind)
    return found


@pytest.mark.parametrize("title", ["Parameters", "Attributes"])
def test_estimators_say_the_same_in_the_same_words(title):
    for name, used in shared(title).items():
        if name not in SEVERAL:
            assert len(used) == 1, f"{name}: {dict(used)}"
            continue
        allowed = {wording(beginning) for beginning in SEVERAL[name][1]}
        for text, estimators in used.items():
            assert text.startswith(tuple(allowed)), f"{name} of {estimators}: {text}"


def test_only_what_differs_is_excused():
    found = {**shared("Parameters"), **shared("Attributes")}
    for name, (reason, beginnings) in SEVERAL.items():
        assert reason
        assert len(found[name]) > 1, f"`{name}` has one wording by now"
        for beginning in map(wording, beginnings):
            assert any(text.startswith(beginning) for text in found[name]), (name, beginning)


@pytest.mark.parametrize("name", ["n_jobs", "verbose", "engine", "categorical_features", "ties"])
def test_functions_use_the_words_of_estimators(name):
    (text,) = shared("Parameters")[name]
    for each in PUBLIC.values():
        documented = section(each, "Parameters")
        if name in documented:
            assert wording(documented[name].text) == text, each.__name__


def test_shared_parameters_take_the_same_things():
    various = {  # as above
        "C", "answer", "criterion", "cv", "discretize", "estimator", "max_features", "measure",
            "monotonic_cst", "n_neighbors",
        "penalty", "rule", "sample_size", "scale", "step", "threshold", "tolerance",
    }  # fmt: skip
    for name in set(shared("Parameters")) - various:
        assert len(kinds("Parameters")[name]) == 1, (name, kinds("Parameters")[name])
