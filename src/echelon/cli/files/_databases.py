"""Tables in databases, SQLite and DuckDB, which are opened to read only."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd

from echelon._core.extras import require
from echelon._core.files import expanded
from echelon._core.words import counted, listed
from echelon.cli._terminal import InputError, brief, nearest
from echelon.cli.files._bytes import Limit

AT_A_TIME = 10_000
"""Rows between two looks at how much memory they take."""
_LEAST = 64_000_000
"""Bytes that DuckDB itself needs."""


def read_database(
    path: str, kind: str, table: str | None, limit: Limit
) -> tuple[pd.DataFrame, list[str]]:
    """One table of a database, and what was left out of it.

    Parameters
    ----------
    path : str
        Of the file.
    kind : str
        "SQLite" or "DuckDB".
    table : str or None
        Name of a table or view; None: the only table.
    limit : Limit
        What the table may take.
    """
    if kind == "DuckDB":
        require("DuckDB files need", "io", "duckdb")
        require("DuckDB files need", "io", "pyarrow")
    reader = _DuckDB if kind == "DuckDB" else _SQLite
    name = limit.name
    try:
        with closing(reader(path, limit)) as database:
            tables, views = database.names()
            chosen = _chosen(tables, views, table, name)
            frame, left_out = database.read(chosen)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # of the database, or of texts: whatever the damage leads to
        raise InputError(f"{name} cannot be read as {kind}: {brief(error)}.") from error
    frame.attrs |= {"format": kind.lower(), "sheet": chosen}
    notes = [f"{listed(left_out)} left out: not numbers, texts or dates."] if left_out else []
    return frame, notes


def _chosen(tables: list[str], views: list[str], wanted: str | None, name: str) -> str:
    if wanted is not None:
        if wanted not in [*tables, *views]:
            raise InputError(f"{name} has no table {wanted!r}. {nearest(wanted, tables + views)}")
        return wanted
    if len(tables) != 1:
        known = tables or views
        there = f": {listed(known, 10)}. Name one of them, as {name}::{known[0]}" if known else ""
        raise InputError(f"{name} has {counted(len(tables), 'table')}{there}.")
    return tables[0]


def quoted(name: str) -> str:
    """A name in SQL, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


class _SQLite:
    """A file of SQLite."""

    def __init__(self, path: str, limit: Limit):
        self.limit = limit
        place = expanded(path).resolve()
        self.db = sqlite3.connect(f"{place.as_uri()}?mode=ro", uri=True)
        try:
            self._begin()
        except sqlite3.OperationalError:
            if Path(f"{place}-wal").exists():
                raise
            # A folder that cannot be written to, and a file that expects a log beside it.
            self.db.close()
            self.db = sqlite3.connect(f"{place.as_uri()}?immutable=1", uri=True)
            self._begin()

    def _begin(self) -> None:
        self.db.text_factory = lambda data: data.decode("utf-8", "replace")
        for setting in ("query_only = ON", "trusted_schema = OFF", "cell_size_check = ON"):
            self.db.execute(f"PRAGMA {setting}")
        self.db.execute("BEGIN")  # one state of the file, whoever else writes to it
        self.db.execute("SELECT count(*) FROM sqlite_master").fetchone()

    def names(self) -> tuple[list[str], list[str]]:
        """Tables and views."""
        query = "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        found = self.db.execute(query).fetchall()
        return [n for t, n in found if t == "table"], [n for t, n in found if t == "view"]

    def read(self, table: str) -> tuple[pd.DataFrame, list[str]]:
        """The rows, and names of columns that hold bytes."""
        self._check_pages(table)
        rows = self.db.execute(f"SELECT * FROM {quoted(table)}")
        names = [column[0] for column in rows.description]
        parts: list[pd.DataFrame] = []
        binary: set[Any] = set()
        n_bytes = 0.0
        while True:
            some = rows.fetchmany(AT_A_TIME)
            if not some and parts:
                break
            part = pd.DataFrame(some, columns=range(len(names)), dtype=object)
            binary |= {j for j in part if any(isinstance(cell, bytes) for cell in part[j])}
            parts.append(part.drop(columns=list(binary), errors="ignore").infer_objects())
            n_bytes += parts[-1].memory_usage(deep=True).sum()
            self.limit.check(n_bytes)
        frame = pd.concat(
            [part.drop(columns=list(binary), errors="ignore") for part in parts], ignore_index=True
        )
        frame = frame.set_axis([name for j, name in enumerate(names) if j not in binary], axis=1)
        return frame, [names[j] for j in sorted(binary)]

    def _check_pages(self, table: str) -> None:
        """Refuse a table of which a part is lost, whose rows SQLite takes for empty ones."""
        of = f"({quoted(table)})" if table in self.names()[0] else ""
        found = [said for (said,) in self.db.execute(f"PRAGMA quick_check{of}")]
        lost = next((said for said in found if " page " in said), None)  # not a broken constraint
        if lost is not None:
            raise sqlite3.DatabaseError(f"it is damaged: {lost.splitlines()[-1]}")

    def close(self) -> None:
        self.db.close()


class _DuckDB:
    """A file of DuckDB: its views see no other file, and no network."""

    def __init__(self, path: str, limit: Limit):
        import duckdb

        self.limit = limit
        memory = f"{max(int(min(limit.n_bytes, 1e15)), _LEAST)}B"
        self.db = duckdb.connect(
            str(expanded(path)),
            read_only=True,
            config={
                "enable_external_access": "false",
                "autoload_known_extensions": "false",
                "autoinstall_known_extensions": "false",
                "temp_directory": "",
                "memory_limit": memory,
                "lock_configuration": "true",
            },
        )

    def names(self) -> tuple[list[str], list[str]]:
        """Tables and views; those of other schemas than the usual one as schema.table."""
        found = self.db.sql(
            "SELECT table_schema, table_name, table_type FROM information_schema.tables "
            "WHERE table_catalog = current_database() ORDER BY 1, 2"
        ).fetchall()
        self.places = {n if s == "main" else f"{s}.{n}": (s, n) for s, n, _ in found}
        kinds = dict(zip(self.places, [kind for _, _, kind in found], strict=True))
        views = [name for name, kind in kinds.items() if kind == "VIEW"]
        return [name for name in kinds if name not in views], views

    def read(self, table: str) -> tuple[pd.DataFrame, list[str]]:
        """The rows, and names of columns that are no plain values."""
        import pyarrow as pa

        source = ".".join(map(quoted, self.places[table]))
        columns = self.db.sql(f"DESCRIBE SELECT * FROM {source}").fetchall()
        n_rows = self.db.sql(f"SELECT count(*) FROM {source}").fetchall()[0][0]
        self.limit.check(8.0 * len(columns) * n_rows)
        plain = [name for name, kind, *_ in columns if _is_plain(kind)]
        left_out = [name for name, *_ in columns if name not in plain]
        if not plain:
            raise InputError(f"The table {table!r} of {self.limit.name} has no column of values.")
        wanted = ", ".join(map(quoted, plain))
        rows: Any = self.db.sql(f"SELECT {wanted} FROM {source}")
        # By the name since DuckDB 2.0, or the one before.
        read = getattr(rows, "to_arrow_reader", None) or rows.fetch_arrow_reader
        reader = read(AT_A_TIME)
        parts, n_bytes = [], 0
        for part in reader:
            parts.append(part)
            n_bytes += part.nbytes
            self.limit.check(n_bytes)
        return pa.Table.from_batches(parts, reader.schema).to_pandas(), left_out

    def close(self) -> None:
        self.db.close()


def _is_plain(kind: str) -> bool:
    """Whether a type of DuckDB is one of numbers, texts, dates or enumerated labels."""
    if kind.endswith("]") or kind.startswith(("BLOB", "BIT", "INTERVAL", "VARIANT", "GEOMETRY")):
        return False
    return "(" not in kind or kind.startswith(("DECIMAL", "ENUM"))
