"""Tables that fit: an interval in brackets stays in one piece, below its value if it must."""

import re
from typing import Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

NUMBER = r"[-+]?\d[\d.,]*(?:e[-+]?\d+)?(?: ?%)?"
INTERVAL = re.compile(rf"(\({NUMBER} to {NUMBER}\)|{NUMBER} ± {NUMBER})")


class Intervals(SphinxPostTransform):
    """Intervals of cells become elements of their own, which the style sheet does not break."""

    default_priority = 600

    def run(self, **_: Any) -> None:
        """Wrap every interval of every cell."""
        for cell in self.document.findall(nodes.entry):
            for text in list(cell.findall(nodes.Text)):
                parts = INTERVAL.split(str(text))
                if len(parts) > 1:
                    new = [
                        nodes.inline("", part, classes=["interval"]) if i % 2 else nodes.Text(part)
                        for i, part in enumerate(parts)
                        if part
                    ]
                    text.parent.replace(text, new)


def setup(app: Any) -> dict[str, bool]:
    """Connect it."""
    app.add_post_transform(Intervals)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
