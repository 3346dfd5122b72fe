"""Charts drawn within the page, and the live report of the start page.

An SVG within the page takes the colours of the theme, and its links and its text work.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

import echelon

DOCS = Path(__file__).parents[1]
INLINE = "images/which_method.svg"
REPORT = "demo-report.html"


class ChartsInPages(SphinxPostTransform):
    """The picture of a chart becomes the chart."""

    default_priority = 5

    def run(self, **_: Any) -> None:
        """Put the SVG where it was shown."""
        for image in list(self.document.findall(nodes.image)):
            if image["uri"] == INLINE:
                drawn = (DOCS / INLINE).read_text(encoding="utf-8")
                image.replace_self(nodes.raw("", drawn, format="html"))


def write_report(app: Any, error: Exception | None) -> None:
    """The report of ``echelon demo``, unless the one of an earlier build is newer than the code."""
    if error or app.builder.name != "html":
        return
    target = Path(app.outdir) / "_static" / REPORT
    ours = Path(echelon.__file__).parent.rglob("*.[phcj]*")  # modules, and templates of reports
    newest = max(file.stat().st_mtime for file in ours if file.suffix != ".pyc")
    if target.exists() and target.stat().st_mtime > newest:
        return
    with TemporaryDirectory() as folder:
        demo = [sys.executable, "-m", "echelon", "demo", "--quiet", "--folder", folder]
        subprocess.run(demo, check=True, stdout=subprocess.DEVNULL)
        target.write_bytes((Path(folder) / "report.html").read_bytes())


def setup(app: Any) -> dict[str, bool]:
    """Connect both."""
    app.add_post_transform(ChartsInPages)
    app.connect("build-finished", write_report)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
