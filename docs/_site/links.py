"""Links that lead somewhere on GitHub and on the site, and names that lead to the reference.

GitHub shows the files of the repository as they are.  The site has pages of its own for some that
are not in ``docs`` (``MIRRORED``) and for every example of the gallery: a link to the file becomes
a link to the page.
"""

import os
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from _site.reference import pages

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
GALLERY = ROOT / "examples" / "gallery"

MIRRORED = {
    "changelog": "CHANGELOG.md",
    "conduct": "CODE_OF_CONDUCT.md",
    "contributing": "CONTRIBUTING.md",
    "security": "SECURITY.md",
}
"""Page of the site: the file it shows."""

LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)\s]*)?\)")
END = re.compile(r"^(```\w[^\n]*\n.*?)\n\n```$", re.DOTALL | re.MULTILINE)
NAME = re.compile(r"(?:echelon\.)?((?:\w+\.)?\w+)(?:\(.*\))?", re.DOTALL)


def page_of(file: Path) -> Path:
    """Where the site shows a file: its page, or the file itself."""
    for page, mirrored in MIRRORED.items():
        if file == ROOT / mirrored:
            return DOCS / f"{page}.md"
    if file == ROOT / "README.md":
        return DOCS / "index.md"
    if file == GALLERY:
        return DOCS / "gallery" / "index.rst"
    return DOCS / "gallery" / f"{file.stem}.rst" if file.parent == GALLERY else file


def with_links_of_the_site(text: str, folder: Path, page: str) -> str:
    """Markdown of a folder as a page of the site, its links seen from there."""

    def replaced(link: re.Match[str]) -> str:
        file = Path(os.path.normpath(folder / link[1]))
        if not file.exists():
            return link[0]  # brackets and parentheses of code
        target = os.path.relpath(page_of(file), (DOCS / page).parent)
        return f"]({target}{link[2] or ''})"

    return LINK.sub(replaced, text)


def on_source_read(app: Any, page: str, source: list[str]) -> None:
    """Mirrored pages are filled, and links of all Markdown pages made those of the site."""
    file = Path(app.env.doc2path(page))
    if file.suffix != ".md":
        return
    if page in MIRRORED:
        file = ROOT / MIRRORED[page]
        app.env.note_dependency(str(file))
        source[0] = file.read_text(encoding="utf-8")
    text = END.sub(r"\1\n```", source[0])  # the empty line that ends an example for doctest
    source[0] = with_links_of_the_site(text, file.parent, page)


def is_of_another_package(page: str, literal: nodes.literal) -> bool:
    """Whether a name stands in the first column, "there", of a page for newcomers."""
    cell = literal
    while cell is not None and not isinstance(cell, nodes.entry):
        cell = cell.parent
    return page.startswith("from/") and cell is not None and cell.parent.index(cell) == 0


class NamesToReference(SphinxPostTransform):
    """`ReliefF` in a page leads to the page of ReliefF."""

    default_priority = 400

    def run(self, **_: Any) -> None:
        """Wrap every literal that is a public name."""
        here, known = self.env.docname, pages()
        for literal in list(self.document.findall(nodes.literal)):
            name = NAME.fullmatch(literal.astext())
            target = known.get(name[1]) if name else None
            inside = isinstance(literal.parent, nodes.reference | nodes.title)
            if (
                target
                and target != here
                and not inside
                and not is_of_another_package(here, literal)
            ):
                uri = self.app.builder.get_relative_uri(here, target)
                literal.replace_self(nodes.reference("", "", literal.deepcopy(), refuri=uri))


def setup(app: Any) -> dict[str, bool]:
    """Connect both."""
    app.connect("source-read", on_source_read)
    app.add_post_transform(NamesToReference)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
