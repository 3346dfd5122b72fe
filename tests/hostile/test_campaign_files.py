"""Every command on data with odd files: exit code 0, or 2 and one line; files whole or absent."""

import contextlib
import io
import json
import tempfile
import warnings
from inspect import Parameter, signature
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from echelon.cli import main
from echelon.cli._app import app
from hostile_campaign import hostile
from hostile_files import DAMAGE, ENDINGS, FILES, damaged

# What an option of a command alone needs; its work is made small.
OWN = {"methods": ["-m", "relieff,cfs"], "method": ["-m", "relieff"], "cv": ["--cv", "2"]}


def commands():
    """Names of the commands on data, each with options that it needs."""
    found = {}
    for command in app.registered_commands:
        parameters = signature(command.callback).parameters
        if {"data", "target"} <= parameters.keys():  # not what applies a saved selection
            own = [part for name in parameters for part in OWN.get(name, [])]
            needed = [p for p in parameters.values() if p.default is Parameter.empty]
            assert {p.name for p in needed} <= {"data", "target", *OWN}
            found[command.name or command.callback.__name__] = own
    return found


COMMANDS = commands()


@hostile(1.5)
@given(
    command=st.sampled_from(sorted(COMMANDS)),
    kind=st.sampled_from(list(FILES)),
    damage=st.sampled_from(DAMAGE),
    ending=st.sampled_from(ENDINGS),
    order=st.sampled_from(["", "--unordered"]),
    output=st.sampled_from(["", "-o", "--json"]),
    n=st.integers(1, 30),
    p=st.integers(1, 4),
    seed=st.integers(0, 2**16),
)
def test_odd_files(command, kind, damage, ending, order, output, n, p, seed):
    rng = np.random.default_rng(seed)
    usual, make = FILES[kind]
    content = damaged(make(rng, n, p), damage, rng)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / f"data{usual if ending is None else ending}"
        path.write_bytes(content)
        out = Path(place) / "out.csv"
        options = {"-o": ["-o", str(out)], "": [], "--json": ["--json"]}[output]
        extra = [*COMMANDS[command], *([order] if order else []), *options]
        done = run([command, str(path), "-t", "g", "-q", *extra])
        check(*done, output, out)
        assert path.read_bytes() == content
        left = {each.name for each in Path(place).iterdir()} - {path.name, out.name}
        assert not left, f"left behind: {left}"


def run(arguments):
    """The exit code, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    streams = contextlib.redirect_stdout(out), contextlib.redirect_stderr(err)
    with streams[0], streams[1], warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = main(arguments)
    return code, out.getvalue(), err.getvalue()


def check(code, out, err, output, path):
    """Code 0 with a whole answer, or code 2 with one line and nothing written."""
    assert code in (0, 2), (code, err)
    if code == 2:
        assert err.startswith("echelon: ")
        assert err.count("\n") == 1
        assert out == ""
        assert not path.exists()
    elif output == "--json":
        json.loads(out)
    elif output == "-o":
        assert len(pd.read_csv(path)) > 0
    else:
        assert out


def test_plain_files_are_answered(tmp_path):
    """The campaign would prove nothing if everything were refused."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(24, 3)), columns=list("abc")).assign(g=[1, 2, 3] * 8)
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    for command, own in COMMANDS.items():
        code, out, err = run([command, str(path), "-t", "g", "-q", "--unordered", *own])
        assert (code, err) == (0, "")
        assert out
