"""A first look without a file: grades of diabetes, from data that come with scikit-learn."""

from __future__ import annotations

from pathlib import Path

from echelon._core.files import write_whole
from echelon.cli._commands import rank
from echelon.cli._options import Common

ORDER = ("mild", "low", "medium", "high", "severe")


def demo(folder: str, quiet: bool) -> None:
    """Write a CSV file, rank its columns, and write a report beside it.

    Parameters
    ----------
    folder : str
        Where to write; files of an earlier demo are replaced.
    quiet : bool
        No progress.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    data = place / "diabetes.csv"
    write_whole(data, _grades(), overwrite=True)
    report = str(place / "report.html")
    print(
        f"$ echelon rank {data} --target grade --class-order {','.join(ORDER)} --report {report}\n",
        flush=True,
    )
    common = Common(
        str(data), "grade", class_order=",".join(ORDER), report=report, force=True, quiet=quiet
    )
    rank(common, "auto", "auto", "linear", 5)


def _grades() -> str:
    """442 patients as CSV, their progression cut into five grades of equal size."""
    import pandas as pd
    from sklearn.datasets import load_diabetes

    X, progression = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    X.insert(0, "patient", range(1, len(X) + 1))
    return X.assign(grade=pd.qcut(progression, 5, labels=list(ORDER))).to_csv(index=False)
