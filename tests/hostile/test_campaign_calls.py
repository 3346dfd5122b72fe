"""Every public function and display with odd arguments, found by itself."""

import importlib
import pkgutil
from inspect import Parameter, isfunction, signature

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from sklearn.neighbors import KNeighborsClassifier

import echelon
from echelon import RelevanceBounds, ReliefF
from echelon.display.style import Picture
from echelon.study import Rows
from hostile_campaign import hostile
from hostile_cases import SAMPLES, TARGETS, VALUES, kept_contract

mpl.use("Agg")

# What is asked of whole programs and machines has tests of its own.
APART = {"echelon.cli", "echelon.kernels", "echelon.engines", "echelon._core", "echelon.__main__"}

# Shared between packages: they take what others have read, not what a user passes.
SHARED = {
    "associations", "caveats", "default_ranker", "fewer_folds", "filled", "find_facts",
    "groups_of", "holds_intervals", "make_summary", "margin_weights", "read_for",
    "read_intervals", "with_labels_split",
}  # fmt: skip


def rooms():
    """The public modules."""
    for found in pkgutil.iter_modules(echelon.__path__, "echelon."):
        if found.name not in APART:
            yield importlib.import_module(found.name)


def calls():
    """Functions, classes of displays, and the class methods that make them."""
    found = {}
    for room in rooms():
        for name in getattr(room, "__all__", [n for n in vars(room) if not n.startswith("_")]):
            each = getattr(room, name)
            home = getattr(each, "__module__", "")
            # Without a list of what is public, it is what the module itself defines.
            if not home.startswith("echelon" if hasattr(room, "__all__") else room.__name__):
                continue
            if isfunction(each) and name not in SHARED and "Examples" in (each.__doc__ or ""):
                found[f"{room.__name__}.{name}"] = each
            elif isinstance(each, type) and issubclass(each, Picture) and each is not Picture:
                found[f"{room.__name__}.{name}"] = each
                for maker in [m for m in vars(each) if m.startswith("from_")]:
                    found[f"{room.__name__}.{name}.{maker}"] = getattr(each, maker)
    return found


CALLS = calls()


@pytest.fixture(scope="module")
def fitted():
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 3
    return [
        ReliefF(),
        ReliefF().fit(X, y),
        RelevanceBounds(C=0.2, false_positive_rate=0.5).fit(X, y),
        KNeighborsClassifier(1).fit(X, y),
    ]


def argument(draw, name, rng, n, p, fitted):
    """Something for a parameter: what its name asks for, mostly, or an odd value."""
    if draw(st.integers(0, 3)) == 3:
        return VALUES[draw(st.sampled_from(list(VALUES)))]
    if name in ("X", "df"):
        return SAMPLES[draw(st.sampled_from(list(SAMPLES)))](rng, n, p)
    if name in ("selector", "selectors", "estimator"):
        return draw(st.sampled_from(fitted))
    if name == "rows":
        each = [TARGETS[draw(st.sampled_from(list(TARGETS)))](rng, n) for _ in range(2)]
        return Rows(*draw(st.sampled_from([(None, None), each])), rng.integers(0, 3, n))
    if name == "rankings":
        return {"a": rng.permutation(p) + 1, "b": rng.permutation(p) + 1}
    return TARGETS[draw(st.sampled_from(list(TARGETS)))](rng, n)


@hostile(4.0)
@given(
    name=st.sampled_from(sorted(CALLS)),
    data=st.data(),
    n=st.integers(1, 30),
    p=st.integers(1, 5),
    seed=st.integers(0, 2**16),
)
def test_odd_calls(fitted, name, data, n, p, seed):
    rng = np.random.default_rng(seed)
    needed, options = {}, []
    for parameter in signature(CALLS[name]).parameters.values():
        if parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
            continue
        if parameter.default is Parameter.empty:
            needed[parameter.name] = argument(data.draw, parameter.name, rng, n, p, fitted)
        elif parameter.name not in ("verbose", "n_jobs"):
            options.append(parameter.name)
    if options and data.draw(st.booleans()):
        option = data.draw(st.sampled_from(options))
        needed[option] = VALUES[data.draw(st.sampled_from(list(VALUES)))]
    result = kept_contract(CALLS[name], **needed)
    if isinstance(result, Picture):
        kept_contract(result.frame)
        kept_contract(result.plot)
    plt.close("all")


def test_the_campaign_finds_what_is_public():
    for name in ("profile.profile", "report.summarize", "filters.symmetric_uncertainty",
                 "display.ScoresDisplay", "display.BoundsDisplay.from_estimator",
                 "datasets.make_relevance", "evaluation.feature_curve"):  # fmt: skip
        assert f"echelon.{name}" in CALLS


def test_a_change_of_the_input_and_another_exception_are_found():
    def change(x):
        x[0] = 7

    with pytest.raises(AssertionError, match="the input was changed"):
        kept_contract(change, np.zeros(3))
    with pytest.raises(AssertionError, match="the input was changed"):
        kept_contract(lambda df: df.insert(0, "b", 1), pd.DataFrame({"a": [1]}))
    with pytest.raises(KeyError):
        kept_contract(lambda: {}["a"])
    with pytest.raises(AssertionError, match="without a word"):
        kept_contract(_refuse)


def _refuse():
    raise ValueError
