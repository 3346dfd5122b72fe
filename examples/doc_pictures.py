"""The pictures of the docs: ``python examples/doc_pictures.py`` draws them again.

Each shows what its page computes: the examples above it are run, and their result is drawn.
``report.png`` is the report of ``echelon demo`` in Chromium.  Names of pictures draw only these.
"""

import contextlib
import doctest
import io
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

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


def report(picture: Path) -> None:
    """The first screens of the report of the demo; few colours make a small file."""
    from PIL import Image

    with TemporaryDirectory() as folder:
        demo = [sys.executable, "-m", "echelon", "demo", "--quiet", "--folder", folder]
        subprocess.run(demo, check=True, stdout=subprocess.DEVNULL)
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                   "--disable-background-networking", f"--user-data-dir={folder}/profile",
                   "--window-size=1160,1760", f"--screenshot={picture}"]  # fmt: skip
        page = Path(folder, "report.html").as_uri()
        subprocess.run(["chromium", *options, page], check=True, stderr=subprocess.DEVNULL)
    Image.open(picture).convert("RGB").quantize(256, Image.Quantize.FASTOCTREE).save(
        picture, optimize=True
    )


if __name__ == "__main__":
    mpl.use("Agg")
    wanted = sys.argv[1:] or [*PICTURES, "report"]
    for picture in wanted:
        file = DOCS / "images" / f"{picture}.png"
        if picture == "report":
            report(file)
        else:
            page, expression = PICTURES[picture]
            drawn = eval(expression, names_above(picture, page)).plot()
            drawn.figure_.savefig(file, dpi=120)
        print(file.name)
