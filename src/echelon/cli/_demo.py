"""A first look without a file: grades of diabetes, from data that come along."""

from __future__ import annotations

from pathlib import Path

from echelon._core.files import write_whole
from echelon.cli._commands import rank
from echelon.cli._options import Common, Judging


def demo(folder: str, quiet: bool) -> None:
    """Write a CSV file, rank its columns, and write a report beside it.

    Parameters
    ----------
    folder : str
        Where to write; files of an earlier demo are replaced.
    quiet : bool
        No progress.
    """
    from echelon.datasets import GRADES

    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    data, report = place / "diabetes.csv", str(place / "report.html")
    write_whole(data, _patients(), overwrite=True)
    order = ",".join(GRADES)
    print(
        f"$ echelon rank {data} --target grade --class-order {order} --report {report}\n",
        flush=True,
    )
    common = Common(str(data), "grade", class_order=order, report=report, force=True, quiet=quiet)
    rank(common, "auto", Judging())


def _patients() -> str:
    """The grades as CSV, with a number for every patient."""
    from echelon.datasets import load_grades

    X, grade = load_grades()
    X.insert(0, "patient", range(1, len(X) + 1))
    return X.assign(grade=grade).to_csv(index=False)
