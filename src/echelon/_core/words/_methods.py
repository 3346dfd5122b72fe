"""How the answer was found, and how far to trust it: the methods paragraph of a paper, caveats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from echelon._core.words._text import counted, ended, listed, number, to_error, with_error

UNSTABLE = 0.6
"""Below this stability a warning is due."""

SIZES_APART = 1.5
"""A largest number of features so many times the smallest is said to be uncertain."""

ENOUGH_RESAMPLES = 10
"""A feature at the edge of the selection is in every second resample: in none of so many, or in
all, once in a thousand data sets."""

MODELS = {
    (
        "linear",
        "ordinal",
    ): "cumulative logistic regression, one model per threshold between the classes",
    ("linear", "classification"): "logistic regression with balanced class weights",
    ("linear", "regression"): "ridge regression",
    ("forest", "ordinal"): "extremely randomised trees on the cumulative indicators of the classes",
    ("forest", "classification"): "extremely randomised trees with balanced class weights",
    ("forest", "regression"): "extremely randomised trees",
}
"""The models by which features are evaluated, in words."""

FUSIONS = {
    "reciprocal": "reciprocal rank fusion (Cormack et al., 2009)",
    "mean": "their mean rank",
    "median": "their median rank",
}

MOST_NAMED = 30
"""Selected features that are named; of more, only the first ones are."""

MOST_CLASSES = 10

ALL_FEATURES = {"linear": "the linear model", "forest": "the extremely randomised trees"}
"""The models of the paragraph, where they are named again."""

REFERENCES = {
    "Cormack et al., 2009": "G. V. Cormack, C. L. A. Clarke, S. Buettcher (2009). Reciprocal rank "
    "fusion outperforms Condorcet and individual rank learning methods. SIGIR, 758-759.",
    "Nadeau and Bengio, 2003": "C. Nadeau, Y. Bengio (2003). Inference for the generalization "
    "error. Machine Learning 52, 239-281.",
    "Nogueira et al., 2018": "S. Nogueira, K. Sechidis, G. Brown (2018). On the stability of "
    "feature selection algorithms. Journal of Machine Learning Research 18(174), 1-54.",
}


def chosen(summary: Any) -> Any:
    """The method that made the answer."""
    return next(m for m in summary["methods"] if m["name"] == summary["answer"]["method"])


def methods_text(summary: Any, rule: str, model: str) -> list[str]:
    """A paragraph that says what was done, and the references it cites.

    Parameters
    ----------
    summary : dict
        The facts, with the keys of ``echelon.study.types.Summary``.
    rule, model : str
        How the number of features was determined, and the model, in words.

    Returns
    -------
    paragraphs : list of str
        The paragraph first, then one reference each.
    """
    sentences = [
        _data(summary),
        *_rows(summary["how"]),
        _ranking(summary),
        _folds(summary, model),
        *_preparation(summary),
        _number_of_features(summary["answer"], rule),
        _selected(summary["answer"]),
        _scores(summary),
        *_stability(summary),
        _seed(summary["how"]),
    ]
    text = " ".join(ended(sentence) for sentence in sentences)
    return [text, *(reference for cited, reference in REFERENCES.items() if cited in text)]


def _data(summary: Any) -> str:
    data, versions = summary["data"], summary["how"]["versions"]
    target = f"'{data['target']}'"
    candidates = counted(data["n_features"], "candidate feature")
    rows = counted(data["n_samples"], "row")
    return (
        f"Features that predict {target}, {_outcome(data)}, were selected from {candidates} in "
        f"{rows} with echelon {versions['echelon']} (Python {versions['python']}, scikit-learn "
        f"{versions['scikit-learn']})."
    )


def _outcome(data: Any) -> str:
    if data["kind"] == "regression":
        return "a continuous outcome"
    order, sign = ("ordered", " < ") if data["ordered"] else ("unordered", ", ")
    found = f"{len(data['classes'])} {order} classes"
    few = len(data["classes"]) <= MOST_CLASSES
    return f"{found} ({sign.join(data['classes'])})" if few else found


def _rows(how: Any) -> list[str]:
    """What is known of the rows."""
    return [f"Rows were weighted by {how['weights']}."] if how["weights"] else []


def _ranking(summary: Any) -> str:
    methods, name = summary["methods"], summary["answer"]["method"]
    if len(methods) > 1:
        labels = [_label(method) for method in methods]
        return f"Rankings by {listed(labels, len(labels))} were compared, and {name} was chosen."
    aggregated = methods[0]["aggregated"]
    if aggregated is None:
        return f"Features were ranked by {methods[0]['label']}."
    counts = Counter(aggregated["rankings"])
    members = [f"{each} ({n} variants)" if n > 1 else each for each, n in counts.items()]
    return (
        f"Features were ranked by {counts.total()} methods, {listed(members, len(members))}, whose "
        f"rankings were aggregated by {FUSIONS[aggregated['fusion']]}."
    )


def _label(method: Any) -> str:
    same = method["name"] == method["label"]
    return method["label"] if same else f"{method['name']} ({method['label']})"


def _folds(summary: Any, model: str) -> str:
    how, kind = summary["how"], summary["data"]["kind"]
    given = how["estimator"] is not None
    models = f"the model {model}"
    if not given:
        models = f"two models ({MODELS['linear', kind]}; {MODELS['forest', kind]})"
    if summary["answer"].get("directions"):
        models += ", which respect the stated directions of features,"
    folds = f"{how['folds']}-fold cross-validation"
    if how["stratified"]:
        folds += " stratified by class"
    if how["time"] is not None:
        folds += f" in which test rows come after training rows by {how['time']}"
    if how["groups"] is not None:
        folds += f" in which rows of the same {how['groups']} are never split"
    return (
        f"In {folds}, the features were ranked again on the training rows of every fold, and "
        f"{models} {'was' if given else 'were'} fitted to the training rows with increasing "
        f"numbers of the best features and evaluated on the test rows ({how['scoring']})."
    )


def _preparation(summary: Any) -> list[str]:
    """What was done to the features for the default models."""
    if summary["how"]["estimator"] is not None:
        return []
    data, done = summary["data"], ["standardised"]
    if data["missing"]:
        values = f"{counted(data['missing'], 'missing value')} of the data set"
        done.append(f"missing values imputed by the mean ({values})")
    if data["nominal"]:
        done.append("categories one-hot encoded")
    return [f"For these models, features were {listed(done)}, on the training rows of the fold."]


def _number_of_features(answer: Any, rule: str) -> str:
    always = answer["always"]
    fixed = f" Selected in any case: {listed(always, MOST_NAMED)}." if always else ""
    for group in answer.get("together", []):
        fixed += f" Selected together or not at all: {listed(group, MOST_NAMED)}."
    if answer["rule"]["wanted"] is not None:
        return f"The number of features was set to {answer['rule']['wanted']:,} in advance.{fixed}"
    return f"The number of features is {rule}.{fixed}"


def _selected(answer: Any) -> str:
    names = answer["keep"]
    if not answer["helps"]:
        tested = "none of the sets evaluated predicts significantly better than the baseline"
        if not names:
            return f"No features were selected: {tested}."
        return f"The features {_named(names)} were selected as requested, but {tested}."
    was = "was" if len(names) == 1 else "were"
    return f"Of {counted(answer['of'], 'feature')}, {len(names):,} {was} selected: {_named(names)}."


def _named(names: Sequence[str]) -> str:
    return listed(names, MOST_NAMED)


def _scores(summary: Any) -> str:
    answer, given = summary["answer"], summary["how"]["estimator"] is not None
    score = answer["score"]
    several, wanted = len(summary["methods"]) > 1, answer["rule"]["wanted"] is not None
    choices = {"the method": several, "the model": not given, "the number of features": not wanted}
    chosen = [choice for choice, was_made in choices.items() if was_made]
    held_out = with_error(score["held_out"]["mean"], score["held_out"]["standard_error"])
    said = (
        f"The cross-validated {score['name']} of the procedure was {held_out} (standard error "
        "corrected for overlapping training sets; Nadeau and Bengio, 2003)"
        f"{f', with {listed(chosen)} chosen on the other folds' if chosen else ''}; that of the "
        f"baseline, which always predicts {score['guess']['name']}, was "
        f"{to_error(score['guess']['mean'], score['guess']['standard_error'])}"
    )
    everything = score["others"][0]
    if answer["n_features"] < answer["of"]:
        name = "the same model" if given else ALL_FEATURES[answer["model"]]
        mean = to_error(everything["mean"], everything["standard_error"])
        said += f", and that of {name} with all features {mean}"
    return f"{said}."


def _stability(summary: Any) -> list[str]:
    found = chosen(summary)["stability"]
    if found is None or found["index"] is None:
        return []
    low, high = number(found["low"], 2), number(found["high"], 2)
    return [
        f"The stability of the selection over {summary['how']['n_resamples']} subsamples of half "
        f"of the rows was {number(found['index'], 2)} (95 % confidence interval {low} to {high}; "
        "Nogueira et al., 2018)."
    ]


def _seed(how: Any) -> str:
    if how["seed"] is None:
        return "No random seed was fixed."
    return f"The random seed was {how['seed']}."


# ------------------------------------------------------------------------------ how far to trust it


def instability(summary: Any) -> list[str]:
    """Warnings that belong beside the answer, by what subsamples of the rows select."""
    stability = chosen(summary)["stability"]
    said = []
    if stability is not None and stability["index"] is not None and stability["index"] < UNSTABLE:
        said.append(
            f"The selection is not stable ({number(stability['index'], 2)}; 1: always the same, 0: "
            "chance). Resampling often selects different features."
        )
    never, always = decided_otherwise(summary["features"], summary["how"]["n_resamples"])
    why = "the method ranks differently on fewer rows, so treat this as undecided"
    if never:
        said.append(f"No subsample selects {listed(never)}, but all rows together do: {why}.")
    if always:
        said.append(
            f"Every subsample selects {listed(always)}, but all rows together do not: {why}."
        )
    return said


def decided_otherwise(
    features: Sequence[Mapping[str, Any]], n_resamples: int
) -> tuple[list[str], list[str]]:
    """What is selected and no subsample selects; what every subsample selects, and is not.

    The rule is the same, so the number of samples changes the ranking, as it does where a
    method looks at a fixed number of neighbours.
    """
    if n_resamples < ENOUGH_RESAMPLES:
        return [], []
    never, always = (
        [row["name"] for row in features if row["kept"] is kept and row["stability"] == share]
        for kept, share in ((True, 0.0), (False, 1.0))
    )
    return never, always


def about_scores(summary: Any, facts: Any) -> list[str]:
    """What constant columns, small classes, few samples and many labels do to the scores."""
    found, n_folds, sample = [], summary["how"]["folds"], summary["sample"]
    n_samples = summary["data"]["n_samples"] if sample is None else sample["sampled"]
    if facts.constant:
        found.append(f"Constant, hence uninformative: {listed(facts.constant)}.")
    rare = {c: k for c, k in facts.classes.items() if k < n_folds}
    if rare:
        named = listed(f"{c} ({k})" for c, k in rare.items())
        found.append(f"Classes with fewer samples than folds are missing from some folds: {named}.")
    if n_samples / n_folds < 10:
        found.append(
            f"A test fold has about {counted(n_samples // n_folds, 'sample')}: scores are "
            "imprecise."
        )
    many = summary["data"]["many_labels"]
    if many:
        named = listed(f"{name} ({n:,})" for name, n in many.items())
        found.append(
            f"More than {summary['data']['most_labels']} categories, encoded by the mean outcome "
            f"of each category in the training rows: {named}."
        )
    return found


def about_result(summary: Any) -> list[str]:
    """What in the result calls for care."""
    how, answer = summary["how"], summary["answer"]
    found = [
        f"The stability of {method['name']} could not be measured: {method['no_stability']}"
        for method in summary["methods"]
        if method["no_stability"]
    ]
    found += [
        f"{listed(group, 30)} are selected together or not at all."
        for group in answer.get("together", [])
    ]
    if how["groups"] or how["time"]:
        found.append(f"Evaluated over {_splits(how)}.")
    if answer["helps"]:
        found += _poor_start(chosen(summary), answer["score"])
        found += _range_of_sizes(answer)
    if answer["n_features"] < answer["of"]:  # else all are needed
        alike = [listed(group) for group in summary["groups"]]
        found += [f"{named} are highly correlated; one may be enough." for named in alike]
    if how["weights"]:
        found.append(f"Rows are weighted by {how['weights']} in rankings, models and scores.")
    if len(summary["methods"]) > 1:
        found.append(
            f"{answer['method']} was selected among {len(summary['methods'])} methods by their "
            "curves; the cross-validated score accounts for that, the curve does not."
        )
    return found


def _range_of_sizes(answer: Any) -> list[str]:
    """How far the number of features is a matter of chance, where that is far."""
    low, high = answer["sizes"]
    if answer["rule"]["wanted"] is not None or high < SIZES_APART * low:
        return []
    return [
        f"How many is uncertain: with one fold left out, {low:,} to {high:,} features would be "
        "selected, with scores that are hardly different. Other folds or another order of the rows "
        "can change the number as much."
    ]


def _splits(how: Any) -> str:
    """The folds in words."""
    words = counted(how["folds"], "fold")
    if how["time"] is not None:
        words += f", each tested on the rows that come next by {how['time']}"
    if how["groups"] is not None:
        words += f"; rows of the same {how['groups']} are never split"
    return words


def _poor_start(chosen: Any, score: Any) -> list[str]:
    """What a first feature that is worse than the baseline means."""
    alone, guess = chosen["curve"]["mean"][0], score["guess"]["mean"]
    if chosen["curve"]["n_features"][0] != 1 or alone is None:
        return []
    gain = alone - guess if score["larger_is_better"] else guess - alone
    if not gain < 0:
        return []
    return [
        f"{chosen['order'][0]} is ranked first, but alone it does not improve on the baseline "
        f"({number(alone)} against {number(guess)})."
    ]
