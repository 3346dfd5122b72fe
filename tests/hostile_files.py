"""Odd files, by name: whole ones, damaged ones, and what only looks like a table."""

import bz2
import gzip
import io
import lzma
import sqlite3
import tempfile
import zipfile
from contextlib import closing
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyreadstat

from hostile_cases import SAMPLES, TARGETS

PLAIN = ("numbers", "whole", "gaps", "constant", "huge", "tiny", "labels", "categories", "mixed",
         "times", "names that act", "nullable", "booleans", "infinity", "texts")  # fmt: skip
"""Samples that a file can hold."""


def table(rng, n, p):
    """A frame with odd columns and an odd target named g."""
    name = PLAIN[rng.integers(len(PLAIN))]
    frame = pd.DataFrame(SAMPLES[name](rng, n, p)).rename(columns=str)
    kinds = ("classes", "two", "numbers", "halves", "words", "missing", "one class", "a class each")
    frame["g"] = pd.Series(TARGETS[kinds[rng.integers(len(kinds))]](rng, n))
    return frame


def csv(rng, n, p, **how):
    return table(rng, n, p).to_csv(index=False, **how).encode()


def _packed(write):
    def make(rng, n, p):
        stream = io.BytesIO()
        write(table(rng, n, p), stream)
        return stream.getvalue()

    return make


def _to_excel(frame, to):
    """Without the characters that a sheet cannot hold."""
    names = [name.encode("ascii", "ignore").decode().replace("\x00\x1b", "") for name in frame]
    frame.set_axis(names, axis=1).astype(str).to_excel(to, index=False)


def _zip(rng, n, p):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for k in range(rng.integers(0, 3)):
            archive.writestr(f"{k}.csv", csv(rng, n, p))
    return stream.getvalue()


def _arff(rng, n, p):
    frame = pd.DataFrame(SAMPLES["numbers"](rng, n, p))
    lines = ["@relation r", *(f"@attribute a{j} numeric" for j in range(p)), "@attribute g {b,a}"]
    rows = [",".join([*map(str, row), "ab"[k % 2]]) for k, row in enumerate(frame.to_numpy())]
    return "\n".join([*lines, "@data", *rows]).encode()


def _json(rng, n, p):
    return table(rng, n, p).to_json(date_format="iso").encode()


def _json_lines(rng, n, p):
    return table(rng, n, p).to_json(orient="records", lines=True, date_format="iso").encode()


def _written(write):
    """What a library writes to a path, as bytes."""

    def make(rng, n, p):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x"
            frame = pd.DataFrame(SAMPLES["numbers"](rng, n, p)).add_prefix("a")
            write(frame.assign(g=np.arange(n) % 2 + 1.0), path)
            return path.read_bytes()

    return make


def _to_spss(frame, path):
    labels = {"g": {1: "low", 2: "high"}, "a0": {0: "none"}}
    pyreadstat.write_sav(frame, path, variable_value_labels=labels, missing_ranges={"a0": [0]})


def _to_sqlite(frame, path):
    with closing(sqlite3.connect(path)) as base:
        frame.to_sql("t", base, index=False)


def _to_duckdb(frame, path):
    with duckdb.connect(str(path)) as base:
        base.register("given", frame)
        base.sql("CREATE TABLE t AS SELECT * FROM given")


FILES = {
    "csv": (".csv", csv),
    "semicolons": (".csv", lambda rng, n, p: csv(rng, n, p, sep=";", decimal=",")),
    "tabs": (".tsv", lambda rng, n, p: csv(rng, n, p, sep="\t")),
    "pipes": (".txt", lambda rng, n, p: csv(rng, n, p, sep="|")),
    "quoted": (".csv", lambda rng, n, p: csv(rng, n, p, quoting=1)),
    "carriage returns": (".csv", lambda rng, n, p: csv(rng, n, p, lineterminator="\r")),
    "utf-16": (".csv", lambda rng, n, p: csv(rng, n, p).decode().encode("utf-16")),
    "latin": (".csv", lambda rng, n, p: csv(rng, n, p).decode().encode("cp1252", "replace")),
    "no names": (".csv", lambda rng, n, p: csv(rng, n, p, header=False)),
    "gzip": (".csv.gz", lambda rng, n, p: gzip.compress(csv(rng, n, p))),
    "xz": (".csv.xz", lambda rng, n, p: lzma.compress(csv(rng, n, p))),
    "bzip2": (".csv.bz2", lambda rng, n, p: bz2.compress(csv(rng, n, p))),
    "zip": (".zip", _zip),
    "parquet": (".parquet", _packed(lambda frame, to: frame.astype(str).to_parquet(to))),
    "feather": (".feather", _packed(lambda frame, to: frame.astype(str).to_feather(to))),
    "excel": (".xlsx", _packed(_to_excel)),
    "arff": (".arff", _arff),
    "json": (".csv", _json),
    "json lines": (".jsonl", _json_lines),
    "spss": (".sav", _written(_to_spss)),
    "stata": (".dta", _written(lambda frame, to: pyreadstat.write_dta(frame, to))),
    "sqlite": (".sqlite", _written(_to_sqlite)),
    "duckdb": (".duckdb", _written(_to_duckdb)),
    "bytes": (".csv", lambda rng, n, p: rng.bytes(n * p)),
    "empty": (".csv", lambda rng, n, p: b""),
    "a mark": (".csv", lambda rng, n, p: b"\xef\xbb\xbf"),
    "names only": (".csv", lambda rng, n, p: b"a,b,g\n"),
}
ENDINGS = (None, ".csv", ".parquet", ".feather", ".xlsx", ".xls", ".arff", ".gz", ".zip", "")


def damaged(content, how, rng):
    """Content as it was, cut, with bytes changed, with NUL, or twice."""
    if not content or how == "whole":
        return content
    at = int(rng.integers(len(content)))
    if how == "cut":
        return content[:at]
    if how == "changed":
        broken = np.frombuffer(content, np.uint8).copy()
        broken[rng.integers(0, len(broken), 3)] = rng.integers(0, 256, 3)
        return broken.tobytes()
    return content[:at] + b"\x00" + content[at:] if how == "nul" else content + content


DAMAGE = ("whole", "cut", "changed", "nul", "twice")
