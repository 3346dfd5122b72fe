"""Compiled code on disks that are full or damaged: the answer comes all the same."""

import resource
import warnings
from contextlib import contextmanager

import numba
import numpy as np
import pytest

from echelon import kernels
from echelon.kernels import _compiler


def add_one(x):
    return x + 1


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where compiled code is kept."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    _compiler.say_where_to_keep.cache_clear()
    yield tmp_path
    _compiler.say_where_to_keep.cache_clear()


@contextmanager
def full_disk():
    """Files can be made, but nothing be written to them."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def called(kernel):
    """Whether its code was found on disk."""
    assert kernel(np.float64(1)) == 2
    return bool(kernel.dispatcher.stats.cache_hits)


def test_code_is_kept(folder):
    assert not called(kernels.kernel(add_one))
    assert called(kernels.kernel(add_one))


def test_a_full_disk_is_said_once(folder):
    with pytest.warns(UserWarning, match=r"File too large.*Set NUMBA") as said, full_disk():
        found = [called(kernels.kernel(add_one)) for _ in range(3)]
    assert found == [False] * 3
    assert len(said) == 1
    assert said[0].filename == _compiler.__file__  # the command shows warnings of ours only
    assert not [path for path in folder.rglob("*") if path.is_file()]
    assert not called(kernels.kernel(add_one))
    assert called(kernels.kernel(add_one))


@pytest.mark.parametrize("size", [0, 40])
@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_damaged_files_are_written_anew(folder, kind, size):
    called(kernels.kernel(add_one))
    for path in folder.rglob(f"*.{kind}"):
        path.write_bytes(path.read_bytes()[:size])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not called(kernels.kernel(add_one))
        assert called(kernels.kernel(add_one))


def test_a_damaged_index_on_a_full_disk(folder):
    called(kernels.kernel(add_one))
    for path in folder.rglob("*.nbi"):
        path.write_bytes(b"")
    with pytest.warns(UserWarning, match="Compiled code cannot be kept"), full_disk():
        assert not called(kernels.kernel(add_one))
