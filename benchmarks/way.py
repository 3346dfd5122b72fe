"""The way of a call: how many files of the package it passes, and how large the package is.

A call is made twice in a new process and watched the second time; the files of ours whose functions
it calls are counted.  Lines of code are those that hold a token, without comments and docstrings.

    python -m benchmarks.way --before ~/echelon-before/src --write
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path

from benchmarks.common import publish

SOURCE = Path(__file__).parent.parent / "src"

GOALS = {"ReliefF().fit": 15, "AutoSelector().fit": 40, "echelon rank": 60}
"""Calls, and at most how many files each should pass."""

WATCH = """
import contextlib, io, json, sys, tempfile
from pathlib import Path
import numpy as np
import pandas as pd
import echelon
from echelon.cli import main

rng = np.random.default_rng(0)
y = rng.integers(0, 3, 150)
X = rng.normal(size=(150, 6))
X[:, 0] += y
X[:, 1] -= y
folder = tempfile.TemporaryDirectory()
file = Path(folder.name, "grades.csv")
pd.DataFrame(X, columns=list("abcdef")).assign(grade=y).to_csv(file, index=False)

def rank():
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        main(["rank", str(file), "--target", "grade"])

calls = {
    "ReliefF().fit": lambda: echelon.ReliefF().fit(X, y),
    "AutoSelector().fit": lambda: echelon.AutoSelector().fit(X, y),
    "echelon rank": rank,
}
home, passed, called = Path(echelon.__file__).parent, {}, set()

def watch(frame, event, _):
    file = frame.f_code.co_filename
    if event == "call" and file.startswith(str(home)):
        passed.setdefault(str(Path(file).relative_to(home)))
        called.add(frame.f_code)

for _ in range(2):
    passed.clear()
    called.clear()
    sys.setprofile(watch)
    with contextlib.suppress(SystemExit):
        calls[sys.argv[1]]()
    sys.setprofile(None)
folder.cleanup()
print(json.dumps([list(passed), len(called)]))
"""


def way(source: Path, call: str) -> tuple[list[str], int]:
    """Files in the order in which they are first called, and the number of functions."""
    environ = {**os.environ, "PYTHONPATH": str(source)}
    code = [sys.executable, "-c", WATCH, call]
    done = subprocess.run(code, env=environ, capture_output=True, text=True, check=True)
    return tuple(json.loads(done.stdout))


def lines_of_code(text: str) -> int:
    """Lines with a token, but for comments and docstrings."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in (tokenize.COMMENT, tokenize.NL) and token.string.strip():
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            for each in node.body:  # also those of attributes
                if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant):
                    lines.difference_update(range(each.lineno, (each.end_lineno or 0) + 1))
    return len(lines)


def sizes(source: Path) -> dict[str, tuple[int, int]]:
    """Files and lines of code of every package."""
    files, lines = Counter(), Counter()
    for file in sorted((source / "echelon").rglob("*.py")):
        parts = file.relative_to(source / "echelon").parts
        room = parts[0] if len(parts) > 1 else "modules"
        files[room] += 1
        lines[room] += lines_of_code(file.read_text(encoding="utf-8"))
    return {room: (files[room], lines[room]) for room in files}


def page(source: Path, before: Path | None) -> str:
    """The page kept in docs."""
    versions = [each for each in (before, source) if each is not None]
    head = " | ".join(["before", "now"][-len(versions) :])
    ways = {call: [way(each, call) for each in versions] for call in GOALS}
    calls = "\n".join(
        f"| `{call}` | {' | '.join(f'{len(f)} files, {n} functions' for f, n in found)} "
        f"| {GOALS[call]} |"
        for call, found in ways.items()
    )
    rooms = [sizes(each) for each in versions]
    packages = "\n".join(
        f"| {room} | {' | '.join(_cell(size, room) for size in rooms)} |"
        for room in [*sorted({room for size in rooms for room in size}), "all"]
    )
    files = "\n".join(f"- `{call}`: {', '.join(found[-1][0])}" for call, found in ways.items())
    return f"""# The way of a call

How many files of the package a call passes, by `python -m benchmarks.way`: it is made twice on 150
rows and 6 features in a new process and watched the second time (`sys.setprofile`).

| call | {head} | at most, in files |
| --- | {"--- | " * len(versions)}--- |
{calls}

In the order in which they are first called:

{files}

## Size

Files, and lines of code without comments and docstrings.

| package | {head} |
| --- | {" | ".join(["---"] * len(versions))} |
{packages}
"""


def _cell(size: dict[str, tuple[int, int]], room: str) -> str:
    if room == "all":
        return f"{sum(n for n, _ in size.values())}, {sum(n for _, n in size.values()):,}"
    return "{}, {:,}".format(*size[room]) if room in size else ""


def main() -> None:
    """Measure, print and perhaps keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="the src folder of an older version")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    publish("way", lambda: page(SOURCE, arguments.before), arguments)


if __name__ == "__main__":
    main()
