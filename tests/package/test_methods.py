"""The table of methods: every selector is in it, and takes what it says."""

import json
import re

import pytest

import echelon
from cli_cases import call, grades
from echelon.base import BaseSelector
from echelon.cli._options import complete_methods
from echelon.methods import COMPARED, METHODS, PEERS, method_named


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
    quick = {"C": 0.2, "false_positive_rate": 0.5}
    selector = method.make(random_state=0, **(quick if name == "relevancebounds" else {}))
    selector.fit(frame[["income", "noise", "home"]], y)
    # SURF* and MultiSURF* are for pairs of features, and hold it against one that acts alone.
    blind = ("rankorderselector", "surfstar", "multisurfstar")
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
