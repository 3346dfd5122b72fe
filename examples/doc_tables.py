"""The tables of the docs: ``python examples/doc_tables.py`` writes them again.

They come from the table of methods and from the methods themselves: what the signature of ``fit``
takes, which parameters there are, and which attributes a docstring names.
"""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from echelon.methods import CLASSES, CONTINUOUS, METHODS, ORDERED, Method

DOCS = Path(__file__).parent.parent / "docs"

SHARED = ["n_features_to_select", "threshold", "error_rate", "must_keep", "feature_groups",
          "categorical_features", "kind", "class_order", "monotonic_cst", "sample_size",
          "random_state", "n_jobs", "engine", "verbose"]  # fmt: skip
"""Options that have a row in the page of options."""

FEW = 8
"""So many methods are named; of more, those that do not have the option."""


def takes_weights(method: Method) -> bool:
    """Whether ``fit`` takes weights of samples."""
    return "sample_weight" in inspect.signature(type(method.make()).fit).parameters


def has_p_values(method: Method) -> bool:
    """Whether a fitted selector has p-values."""
    return "p_values_ : " in (type(method.make()).__doc__ or "")


COLUMNS: dict[str, Callable[[Method], bool]] = {
    "ordered classes": lambda method: ORDERED in method.targets,
    "classes": lambda method: CLASSES in method.targets,
    "conti&shy;nuous": lambda method: CONTINUOUS in method.targets,
    "cate&shy;gorical columns": lambda method: not method.numbers_only,
    "missing values": lambda method: method.takes_gaps,
    "weights": takes_weights,
    "p-values": has_p_values,
    "inter&shy;actions": lambda method: method.interactions,
    "redun&shy;dancy": lambda method: method.redundancy,
}
"""What the matrix says of every method."""


def rows(*lines: list[str]) -> str:
    """A Markdown table; the first line is its heading."""
    heading, *others = ("| " + " | ".join(line) + " |" for line in lines)
    return "\n".join([heading, "|" + " --- |" * len(lines[0]), *others])


def purposes() -> str:
    """Every method, what it is for, and where it comes from."""
    listed = [[f"`{method.estimator}`", method.data, method.paper] for method in METHODS.values()]
    return rows(["method", "for", "source"], *listed)


def matrix() -> str:
    """Every method, and what it accepts and finds."""
    listed = [
        [f"`{method.estimator}`", *("✓" if has(method) else "" for has in COLUMNS.values()),
         method.cost]
        for method in METHODS.values()
    ]  # fmt: skip
    return rows(["method", *COLUMNS, "time grows with"], *listed)


def who_has(option: str) -> str:
    """The methods that have a parameter, or those that do not, whichever is shorter."""
    params: dict[str, Any] = {
        m.estimator: m.make().get_params(deep=False) for m in METHODS.values()
    }
    have = [name for name, known in params.items() if option in known]
    lack = [name for name in params if name not in have]
    if not lack:
        return "all"
    if len(have) <= max(FEW, len(lack)):
        return ", ".join(f"`{name}`" for name in have)
    return "all but " + ", ".join(f"`{name}`" for name in lack)


def options() -> str:
    """Every shared option, and who has it."""
    return rows(["option", "methods"], *([f"`{name}`", who_has(name)] for name in SHARED))


TABLES = {"methods": {"purposes": purposes, "matrix": matrix}, "options": {"options": options}}
"""Page: its tables."""


def filled(text: str, tables: dict[str, Callable[[], str]]) -> str:
    """A page with its tables as they are now."""
    for name, table in tables.items():
        before, begin, rest = text.partition(f"<!-- {name} -->\n\n")
        _, end, after = rest.partition(f"\n<!-- end of {name} -->")
        assert end, f"<!-- {name} --> is not in the page"
        text = f"{before}{begin}{table()}\n{end}{after}"
    return text


def main() -> None:
    """Write the tables of all pages."""
    for page, tables in TABLES.items():
        file = DOCS / f"{page}.md"
        file.write_text(filled(file.read_text(encoding="utf-8"), tables), encoding="utf-8")


if __name__ == "__main__":
    main()
