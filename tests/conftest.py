"""Shared by all tests."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

# The first example of a property may compile a kernel: no deadline per example.
settings.register_profile("echelon", deadline=None, max_examples=25, derandomize=True)
settings.load_profile("echelon")


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def paper_data():
    """The folder of the papers' data, which the project reads but does not contain."""
    folder = os.environ.get("ECHELON_DATA")
    if folder is None:
        pytest.skip("needs the papers' data: set ECHELON_DATA to their folder")
    return Path(folder)
