"""Every public estimator with odd samples, targets and parameters."""

import pickle
from inspect import signature

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from estimator_cases import ESTIMATORS, made
from hostile_campaign import hostile
from hostile_cases import SAMPLES, TARGETS, VALUES, kept_contract

SIZES = {"n": st.integers(1, 40), "p": st.integers(1, 6), "seed": st.integers(0, 2**16)}

estimators = st.sampled_from(ESTIMATORS)
samples, targets = st.sampled_from(list(SAMPLES)), st.sampled_from(list(TARGETS))


def fitted(estimator, X, y):
    """The fitted estimator, None if it refused; what it says about itself is checked."""
    result = kept_contract(estimator.fit, X, y)
    if result is not None:
        assert result is estimator
        check_answer(estimator)
        kept_contract(estimator.transform if hasattr(estimator, "transform") else repr, X)
        if hasattr(estimator, "predict"):
            kept_contract(estimator.predict, X)
        pickle.loads(pickle.dumps(estimator))
    return result


def check_answer(estimator):
    """The choice and the ranks agree with each other, and with the number of features."""
    if not hasattr(estimator, "support_"):
        return
    p = estimator.n_features_in_
    assert estimator.support_.shape == (p,)
    assert estimator.support_.dtype == bool
    ranks = np.asarray(getattr(estimator, "ranking_", np.ones(p)))
    assert ranks.shape == (p,)
    assert ranks.min() == 1
    scores = getattr(estimator, "scores_", None)
    if scores is not None:
        assert np.shape(scores) == (p,)
        assert not np.isinf(scores).any()


@hostile(2.0)
@given(estimator=estimators, sample=samples, target=st.just("classes"), **SIZES)
def test_odd_samples(estimator, sample, target, n, p, seed):
    rng = np.random.default_rng(seed)
    fitted(made(estimator), SAMPLES[sample](rng, n, p), TARGETS[target](rng, n))


@hostile(1.0)
@given(estimator=estimators, target=targets, **SIZES)
def test_odd_targets(estimator, target, n, p, seed):
    rng = np.random.default_rng(seed)
    fitted(made(estimator), rng.normal(size=(n, p)), TARGETS[target](rng, n))


@hostile(1.0)
@given(estimator=estimators, sample=samples, target=targets, **SIZES)
def test_odd_samples_and_targets(estimator, sample, target, n, p, seed):
    rng = np.random.default_rng(seed)
    fitted(made(estimator), SAMPLES[sample](rng, n, p), TARGETS[target](rng, n))


@hostile(2.0)
@given(estimator=estimators, value=st.sampled_from(list(VALUES)), data=st.data(), **SIZES)
def test_odd_parameters(estimator, value, data, n, p, seed):
    name = data.draw(st.sampled_from(list(signature(estimator).parameters)))
    rng = np.random.default_rng(seed)
    params = {name: VALUES[value], "verbose": 0}
    params = {key: params[key] for key in params if key in signature(estimator).parameters}
    fitted(made(estimator, **params), rng.normal(size=(n, p)), np.arange(n) % 3)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_plain_input_is_answered(estimator, rng):
    """The campaign would prove nothing if everything were refused."""
    X, y = rng.normal(size=(30, 4)), np.arange(30) % 3
    assert fitted(clone(made(estimator)), X, y) is not None
