"""Several files as one table: a folder, or all files that a pattern such as "part-*.parquet" names.

What fits into memory is read whole, and is the same table as one file with the same rows.  Parquet
that does not fit is read part by part, and samples of its rows become the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from glob import glob, has_magic
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from echelon._core.extras import require
from echelon._core.files import expanded
from echelon._core.words import listed
from echelon.cli._terminal import InputError, brief, nearest
from echelon.cli.files._bytes import WIDTHS, Limit, source_bytes, unpacked
from echelon.cli.files._numbers import numbers_of
from echelon.cli.files._text import Reading
from echelon.large import Drawn, Files, Frames, Source, draw

PARQUET = (".parquet", ".pq")
TEXT = (".csv", ".tsv", ".tab", ".txt")


class Drawing(NamedTuple):
    """What must be known to draw rows where a table does not fit into memory."""

    target: str
    roles: Mapping[str, str] = {}
    """Columns that must not be missing either, by option."""
    weights: str | None = None
    seed: int = 0
    on_cluster: bool = False
    """Whether the workers of the Dask client that is in use read the files."""


class Folder(NamedTuple):
    """Files that are one table, and the folder below which they are."""

    files: list[str]
    base: str | None
    name: str


def folder_of(source: str) -> Folder | None:
    """The files of a folder or of a pattern, in the order of their names; None for one file."""
    path = expanded(source)
    if source in ("", "-") or path.is_file() or not (path.is_dir() or has_magic(source)):
        return None
    base = path if path.is_dir() else None
    if base is not None:
        found = [each for each in base.rglob("*") if _is_shown(each.relative_to(base))]
    else:
        found = [Path(each) for each in glob(str(path), recursive=True)]
    found = sorted(each for each in found if each.is_file())
    parquet = [each for each in found if each.suffix.lower() in PARQUET]
    texts = [each for each in found if _ending(each) in TEXT]
    tables = [each for each in texts if _ending(each) != ".txt"]  # which may be a note beside them
    files = parquet or tables or texts or ([] if base is not None else found)
    if not files:
        raise InputError(
            f"{source!r} {'holds' if base is not None else 'names'} no Parquet or CSV file. Name a "
            'file, a folder of such files, or a pattern in quotes, as "data/*.parquet".'
        )
    return Folder([str(each) for each in files], None if base is None else str(base), path.name)


def _is_shown(path: Path) -> bool:
    """Whether no part of a path is hidden or is a note of a program, as _SUCCESS."""
    return not any(part.startswith((".", "_")) for part in path.parts)


def _ending(path: Path) -> str:
    """The ending of a name, apart from that of a packed file."""
    packed = path.suffix.lower() in (".gz", ".bz2", ".xz", ".zip")
    return Path(path.stem).suffix.lower() if packed else path.suffix.lower()


def text_of(folder: Folder, limit: Limit) -> bytes:
    """Texts one after the other, with the line of names of the first one only."""
    parts: list[bytes] = []
    names = b""
    for file in folder.files:
        data = unpacked(source_bytes(file, limit), file, limit)[0]
        first, _, rest = data.removeprefix(b"\xef\xbb\xbf").partition(b"\n")
        if not parts:
            names = first.strip()
        elif first.strip() != names:
            raise InputError(
                f"{Path(file).name} has another line of names than {Path(folder.files[0]).name}. "
                "Files that are read together must have the same columns in the same order."
            )
        parts.append(data if not parts else rest)
        if not parts[-1].endswith(b"\n"):
            parts.append(b"\n")
        limit.check(sum(map(len, parts)))
    return b"".join(parts)


# ------------------------------------------------------------------------------------- Parquet


def is_parquet(folder: Folder) -> bool:
    """Whether the files are Parquet."""
    return Path(folder.files[0]).suffix.lower() in PARQUET


def parquet_of(
    folder: Folder, limit: Limit, how: Reading, drawing: Drawing | None
) -> pd.DataFrame | Drawn:
    """The table, or samples of its rows where it does not fit and it is known what to draw."""
    require("Parquet files need", "io", "pyarrow")
    import pyarrow as pa
    from pyarrow import dataset

    try:
        needed = _checked(folder)
        data = dataset.dataset(
            folder.files, format="parquet", partitioning="hive", partition_base_dir=folder.base
        )
        if drawing is None or needed <= limit.n_bytes:
            limit.check(needed)
            table = data.to_table()
            table.select([n for n in table.schema.names if pa.types.is_string(table[n].type)]
                         ).validate(full=True)  # fmt: skip
            return table.to_pandas()
        return _drawn(folder, Files(data), how, drawing)
    except InputError:
        raise
    except (ValueError, TypeError) as error:
        if isinstance(error, pa.ArrowException):
            raise InputError(f"{folder.name} cannot be read as Parquet: {brief(error)}.") from error
        raise InputError(f"{folder.name}: {error}") from error
    except (pa.ArrowException, OSError, KeyError) as error:
        raise InputError(f"{folder.name} cannot be read as Parquet: {brief(error)}.") from error


def _checked(folder: Folder) -> float:
    """Bytes that the files take in memory; all must have the same columns."""
    from pyarrow import parquet

    needed, first = 0.0, None
    for file in folder.files:
        with parquet.ParquetFile(file) as each:
            facts, schema = each.metadata, each.schema_arrow
            kinds = [facts.schema.column(j).physical_type for j in range(facts.num_columns)]
            groups = [facts.row_group(j).total_byte_size for j in range(facts.num_row_groups)]
        least = facts.num_rows * sum(WIDTHS.get(kind, 8) for kind in kinds)
        needed += max(sum(groups), least)
        types = {name: schema.field(name).type for name in schema.names}
        if first is None:
            first = types
        if types != first:
            raise InputError(_how_they_differ(folder, file, first, types))
    return needed


def _how_they_differ(folder: Folder, file: str, first: dict, other: dict) -> str:
    name, standard = Path(file).name, Path(folder.files[0]).name
    lacking = [column for column in first if column not in other]
    more = [column for column in other if column not in first]
    if lacking or more:
        verb, columns = ("lacks", lacking) if lacking else ("also has", more)
        what = f"{name} {verb} {listed(map(repr, columns))}, unlike {standard}"
    else:
        column = next(each for each in first if first[each] != other[each])
        what = (
            f"Column {column!r} holds {other[column]} in {name} and {first[column]} in {standard}"
        )
    return f"{what}. Files that are read together must have the same columns."


def _drawn(folder: Folder, files: Source, how: Reading, drawing: Drawing) -> Drawn:
    if drawing.weights is not None:
        raise InputError(
            f"{folder.name} does not fit into memory, and its samples are drawn without weights. "
            "Leave out --weights, or raise --max-memory."
        )
    source = files
    if drawing.on_cluster:
        import dask.dataframe as dd

        source = Frames(dd.read_parquet(folder.files))
    for option, name in {"--target": drawing.target, **drawing.roles}.items():
        if name not in source.names:
            hint = nearest(name, source.names)
            raise InputError(f"{folder.name} has no column {name!r} ({option}). {hint}")
    special = {
        name: [
            number
            for text in (*how.missing, *how.missing_in.get(name, ()))
            for number in numbers_of(text)
        ]
        for name in source.names
    }
    return draw(source, drawing.target, [*drawing.roles.values()], special, drawing.seed)
