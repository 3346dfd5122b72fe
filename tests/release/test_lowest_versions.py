"""The oldest versions that are tested are those pyproject promises."""

import tomllib

import pytest

from release.lowest import PYPROJECT, lowest

PROJECT = tomllib.loads(PYPROJECT.read_text())["project"]


def test_every_package_is_pinned_to_its_floor():
    project = {
        "name": "x",
        "dependencies": ["numpy>=2.0", "scikit-learn>=1.6.1"],
        "optional-dependencies": {"dask": ["dask[array,frame]>=2024.8"], "all": ["x[dask]"]},
    }
    pins = {"numpy": "2.0", "scikit-learn": "1.6.1", "dask": "2024.8"}
    assert lowest(project) == pins
    assert lowest(project, ["polars>=1.0"]) == {**pins, "polars": "1.0"}


@pytest.mark.parametrize("loose", ["numpy", "numpy>2", "numpy>=2,<3"])
def test_a_requirement_without_a_plain_floor_is_refused(loose):
    with pytest.raises(ValueError, match="oldest version"):
        lowest({"name": "x", "dependencies": [loose]})


def test_no_requirement_of_the_project_is_left_out():
    extras = PROJECT["optional-dependencies"]
    named = [*PROJECT["dependencies"], *(each for key in extras for each in extras[key])]
    assert len(lowest(PROJECT)) == len(set(named) - set(extras["all"]))
