"""Formulas as MathML, which browsers draw themselves: no script, no font, no network."""

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def inline(writer: Any, node: nodes.math) -> None:
    """A formula in a sentence."""
    writer.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def display(writer: Any, node: nodes.math_block) -> None:
    """A formula on a line of its own."""
    formula = tex2mathml(node.astext(), as_block=True)
    writer.body.append(f'<div class="formula">{formula}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer, and take it."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
