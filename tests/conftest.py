"""Shared by all tests."""

import numpy as np
import pytest
from hypothesis import settings

# The first example of a property may compile a kernel: no deadline per example.
settings.register_profile("echelon", deadline=None, max_examples=25, derandomize=True)
settings.load_profile("echelon")


@pytest.fixture
def rng():
    return np.random.default_rng(0)
