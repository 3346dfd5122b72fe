"""The table of methods: every selector is in it, and takes what it says."""

import json
import re
import runpy
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

import echelon
from cli_cases import call, grades
from echelon.base import BaseSelector
from echelon.cli._options import complete_methods
from echelon.methods import COMPARED, METHODS, PEERS, method_named

ROOT = Path(__file__).parents[2]


def test_every_selector_is_in_the_table_and_says_what_it_takes():
    selectors = {
        name for name in echelon.__all__
        if isinstance(each := getattr(echelon, name), type) and issubclass(each, BaseSelector)
    }  # fmt: skip
    # These hold other selectors; ConsensusSelector must be told which.
    holders = {"AutoSelector", "IterativeRelief"}
    assert {method.estimator for method in METHODS.values()} == selectors | holders
    for name, method in METHODS.items():
        assert name == method.estimator.lower()
        selector = method.make(random_state=3)
        assert selector.__sklearn_tags__().input_tags.allow_nan == method.takes_gaps
        assert selector.get_params().get("random_state", 3) == 3
        own = getattr(echelon, method.estimator)().get_params()
        assert method.make().get_params() == own  # the table changes no default


@pytest.mark.parametrize("name", METHODS)
def test_methods_take_the_kinds_of_columns_the_table_says(name):
    method = METHODS[name]
    frame = grades(60)
    y = frame["grade"]
    if method.numbers_only:
        with pytest.raises(TypeError):
            method.make().fit(frame[["income", "home"]], y)
        frame["home"] = (frame["home"] == "own").astype(float)
    quick = {
        "relevancebounds": {"C": 0.2, "false_positive_rate": 0.5},
        "knockoffselector": {"n_features_to_select": 1},  # an error rate takes more features
    }
    selector = method.make(random_state=0, **quick.get(name, {}))
    selector.fit(frame[["income", "noise", "home"]], y)
    # The starred methods are for pairs of features, and hold it against one that acts alone.
    blind = ("rankorderselector", "surfstar", "multisurfstar", "swrfstar", "multiswrfstar")
    assert name in blind or selector.order_[0] == 0


def test_methods_are_listed(capsys):
    done = call(capsys, "methods")
    assert done.code == 0
    for name, method in {**METHODS, **PEERS}.items():
        assert re.search(rf"^ +{name} .*{re.escape(method.paper)}", done.out, re.MULTILINE)
    assert set(json.loads(call(capsys, "methods", "--json").out)) == {*METHODS, *PEERS}


def test_names_of_methods_are_completed_after_commas():
    assert [name for name, _ in complete_methods("orel")] == ["orelieff"]
    assert ("cfs,relief", METHODS["relief"].data) in complete_methods("cfs,reli")


def test_methods_by_other_names():
    assert method_named("Kendall") is METHODS["rankcorrelation"]
    assert method_named("FTest") is PEERS["ftest"]
    assert method_named("nothing") is None
    for kind, names in COMPARED.items():
        assert all(kind in method_named(name).targets for name in names)


# ------------------------------------------------------------- what the matrix of the docs says


def target_of(values, kind, rng):
    """A number, three ordered classes or two classes that follow some values."""
    if kind == "regression":
        return values + 0.1 * rng.normal(size=len(values))
    return np.digitize(values, np.quantile(values, [1 / 3, 2 / 3] if kind == "ordinal" else [0.5]))


def only_in_combination(kind):
    """The product of the first two features decides; neither is related to the target alone."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 6))
    return X, target_of(X[:, 0] * X[:, 1], kind, rng)


def with_a_copy(kind):
    """The first feature decides, the second is nearly the same; the third adds to it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    X[:, 1] = X[:, 0] + 0.2 * rng.normal(size=300)
    return X, target_of(X[:, 0] + 0.7 * X[:, 2], kind, rng)


def best_two(method, data):
    X, y = data(method.targets[0])
    selector = method.make(random_state=0, n_features_to_select=2, monotonic_cst=[1] * 6
                           if method.name == "dominanceroughset" else None)  # fmt: skip
    return set(selector.fit(X, y).order_[:2].tolist())


@pytest.mark.parametrize("name", [name for name, each in METHODS.items() if each.interactions])
def test_methods_find_interactions_where_the_table_says_so(name):
    assert best_two(METHODS[name], only_in_combination) == {0, 1}


@pytest.mark.parametrize("name", [name for name, each in METHODS.items() if each.redundancy])
def test_a_copy_counts_for_little_where_the_table_says_so(name):
    assert best_two(METHODS[name], with_a_copy) in ({0, 2}, {1, 2})


def test_others_find_neither():
    method = METHODS["rankcorrelation"]
    assert best_two(method, only_in_combination) != {0, 1}
    assert best_two(method, with_a_copy) == {0, 1}


TABLES = runpy.run_path(str(ROOT / "examples" / "doc_tables.py"))


@pytest.mark.parametrize("page", TABLES["TABLES"])
def test_the_tables_of_the_docs_are_up_to_date(page):
    """If not: ``python examples/doc_tables.py``."""
    shown = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    assert TABLES["filled"](shown, TABLES["TABLES"][page]) == shown


@pytest.mark.parametrize("name", ["orelieff", "rankcorrelation", "mrmr", "simba"])
def test_p_values_and_weights_are_taken_where_the_matrix_says_so(name):
    X, y = with_a_copy("ordinal")
    method = METHODS[name]
    assert hasattr(method.make().fit(X, y), "p_values_") == TABLES["has_p_values"](method)
    refused = nullcontext() if TABLES["takes_weights"](method) else pytest.raises(TypeError)
    with refused:
        method.make().fit(X, y, sample_weight=np.ones(len(y)))
