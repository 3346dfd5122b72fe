"""The pictures of the docs: ``python examples/doc_pictures.py`` draws them again.

Each shows what its page computes: the examples above it are run, and their result is drawn.
"""

import contextlib
import doctest
import io
from pathlib import Path

import matplotlib as mpl

DOCS = Path(__file__).parent.parent / "docs"

PICTURES = {
    "bounds": ("bounds", "BoundsDisplay.from_estimator(selector)"),
    "elimination": ("rankorder", "display"),
    "feature_curve": ("evaluation", "curve"),
    "interval": ("interval", "display"),
    "stability": ("evaluation", "result"),
}
"""Picture: its page, and what is drawn."""


def names_above(picture: str, page: str) -> dict:
    """The names the examples of a page define before it shows a picture."""
    text, shown, _ = (DOCS / f"{page}.md").read_text().partition(f"](images/{picture}.png)")
    assert shown, f"{page}.md does not show {picture}.png"
    names: dict = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for example in doctest.DocTestParser().get_examples(text):
            exec(compile(example.source, page, "single"), names)
    return names


if __name__ == "__main__":
    mpl.use("Agg")
    for picture, (page, expression) in PICTURES.items():
        drawn = eval(expression, names_above(picture, page)).plot()
        drawn.figure_.savefig(DOCS / "images" / f"{picture}.png", dpi=120)
        print(f"{picture}.png")
