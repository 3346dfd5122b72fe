"""Pages of the papers: claims with verdicts, tables, and the index of all claims."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

FOLDER = Path(__file__).parent.parent / "docs" / "papers"
IMAGES = FOLDER.parent / "images" / "papers"
HOLDS, FAILS, OPEN = "holds", "does not hold", "cannot be tested"
HEAD = ("claim", "paper", "here", "verdict")


class Claim(NamedTuple):
    """What a paper says, what it prints, what came out here, and the verdict with its reason."""

    text: str
    printed: str
    found: str
    verdict: str

    @classmethod
    def judged(cls, text: str, printed: str, found: str, holds: bool, why: str = "") -> Claim:
        """A claim that was tested."""
        return cls(text, printed, found, (HOLDS if holds else FAILS) + (f": {why}" if why else ""))

    @classmethod
    def untested(cls, text: str, printed: str, why: str) -> Claim:
        """A claim that cannot be tested, and why."""
        return cls(text, printed, "", f"{OPEN}: {why}")


class Page(NamedTuple):
    """What is written about a paper; ``pictures`` are drawn when the page is written."""

    title: str
    reference: str
    claims: list[Claim]
    body: str
    pictures: Mapping[str, Callable[[], Any]] = {}

    def draw(self, folder: Path) -> None:
        """Draw the pictures as PNG files."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, figure in self.pictures.items():
            _save(figure(), folder / f"{name}.png")

    def text(self, command: str, warning: str = "") -> str:
        """The page as Markdown."""
        made = f"Made by `{command}` with {made_with()}.{warning}"
        return (
            f"# {self.title}\n\n{self.reference}\n\n{made}\n\n"
            f"## Claims\n\n{table(HEAD, self.claims)}\n\n{self.body.strip()}\n"
        )


def _save(figure: Any, file: Path) -> None:
    """A small file: few colours are enough for lines."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    picture = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    picture.quantize(64).save(file, optimize=True)


def made_with() -> str:
    """Python and the versions of the libraries that results depend on."""
    names = ("echelon", "numpy", "numba", "scikit-learn")
    versions = ", ".join(f"{name} {version(name)}" for name in names)
    return f"Python {platform.python_version()}, {versions}"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; columns of numbers to the right."""
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    columns = list(zip(*cells, strict=True)) if cells else [()] * len(head)
    rule = ["---:" if column and all(map(_is_number, column)) else "---" for column in columns]
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *cells))


def _is_number(cell: str) -> bool:
    return cell in ("", "-") or cell.lstrip("*+-")[:1].isdigit()


def spread(values: Sequence[float] | np.ndarray, digits: int = 2) -> str:
    """Mean ± standard deviation."""
    values = np.asarray(values, float)
    deviation = values.std(ddof=1) if len(values) > 1 else 0.0
    return f"{values.mean():.{digits}f} ± {deviation:.{digits}f}"


def claims_of(text: str) -> list[list[str]]:
    """The rows of the table of claims of a page."""
    part = text.partition("## Claims\n\n")[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in part.splitlines()[2:]]
    return [[cell.replace("\\|", "|") for cell in row] for row in rows]


def index(folder: Path, names: Iterable[str]) -> str:
    """The page of all claims, from the pages of the papers."""
    pages = {name: (folder / f"{name}.md").read_text() for name in names}
    verdicts = [row[-1] for text in pages.values() for row in claims_of(text)]
    counts = {each: sum(v.startswith(each) for v in verdicts) for each in (HOLDS, FAILS, OPEN)}
    parts = [INTRODUCTION.format(total=len(verdicts), **_underscored(counts))]
    for name, text in pages.items():
        title = text.partition("\n")[0].removeprefix("# ")
        parts.append(f"## [{title}]({name}.md)\n\n{table(HEAD, claims_of(text))}")
    return "\n\n".join(parts) + "\n"


def _underscored(counts: dict[str, int]) -> dict[str, int]:
    return {name.replace(" ", "_"): count for name, count in counts.items()}


INTRODUCTION = """# What holds of the five papers

Every claim with a number in it that the available data allow to test: what the paper prints, what
comes out here, and the verdict.  Of {total} claims {holds} hold, {does_not_hold} do not, and
{cannot_be_tested} cannot be tested.  The pages behind the titles say how each figure was made, with
tables and spreads.  A verdict is about the claim on these data with this library; where the paper
leaves something open, its page says what was chosen.

Made by `make papers` (`python -m papers NAME --data FOLDER` for one)."""
