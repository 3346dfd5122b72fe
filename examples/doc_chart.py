"""The chart of methods: ``python examples/doc_chart.py`` draws it again from its text.

``docs/methods.md`` holds the questions as a list; ``docs/images/which_method.svg`` is that list as
a chart.  Within the site it takes the colours of the theme, elsewhere those written here.
"""

import re
import textwrap
from html import escape
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
PAGE, CHART = DOCS / "methods.md", DOCS / "images" / "which_method.svg"

HEADING = "## Questions, and the methods that answer them"

WIDTH, ROW, GAP = 800, 22, 18
"""Of the chart, between lines, and between questions."""
ANSWERS, METHODS = 252, 490
"""Where the conditions and the methods begin."""

STYLE = """
.ink { fill: var(--pst-color-text-base, #1c2733); }
.quiet { fill: var(--pst-color-text-muted, #55606b); }
.box { fill: var(--pst-color-surface, #eef4f4); stroke: var(--pst-color-primary, #00707a); }
.line { stroke: var(--pst-color-primary, #00707a); fill: none; stroke-width: 1.5; }
.tip { fill: var(--pst-color-primary, #00707a); }
text { font: 14px system-ui, sans-serif; }
.ask { font-weight: 600; }
.name { font: 600 14px ui-monospace, monospace; fill: var(--pst-color-link, #00626b); }
"""


def questions(page: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Questions, each with its answers: the condition, and the methods as they are written."""
    found: list[tuple[str, list[tuple[str, str]]]] = []
    section = page.partition(HEADING)[2].partition("\n## ")[0]
    for line in section.splitlines():
        if asked := re.fullmatch(r"\d+\. \*\*(.+)\*\*", line):
            found.append((asked[1], []))
        elif answer := re.fullmatch(r" +- (.+?): (`.+)", line):
            found[-1][1].append((answer[1], answer[2]))
    return found


def text(x: float, y: float, words: str, kind: str, anchor: str = "start") -> str:
    """One line."""
    return f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def arrow(*points: tuple[float, float]) -> str:
    """A line to the right or down, with a tip at its end."""
    (x, y), (before, _) = points[-1], points[-2]
    right = [(x, y), (x - 7, y - 4), (x - 7, y + 4)]
    tip = right if before < x else [(x, y), (x - 4, y - 7), (x + 4, y - 7)]
    drawn = [" ".join(f"{a},{b}" for a, b in each) for each in (points, tip)]
    return f'<polyline points="{drawn[0]}" class="line"/><polygon points="{drawn[1]}" class="tip"/>'


def methods_in_lines(methods: str) -> list[list[tuple[str, str]]]:
    """Names, each with the words behind it, one per line if there are words."""
    parts = re.findall(r"`(\w+)`([^`]*?)(?:, |$)", methods)
    if any(words for _, words in parts):
        return [[(name, words.strip())] for name, words in parts]
    return [parts[:2], parts[2:]] if len(parts) > 2 else [parts]


def drawn(questions: list[tuple[str, list[tuple[str, str]]]]) -> str:
    """The chart as SVG."""
    shapes, y = [], 8.0
    for number, (question, answers) in enumerate(questions):
        asked, top, rows = textwrap.wrap(question, 21), y, []
        for condition, methods in answers:
            said, named = textwrap.wrap(condition, 28), methods_in_lines(methods)
            rows.append((said, named, max(len(said), len(named)) * ROW + 12))
        height = max(sum(row[2] for row in rows), len(asked) * ROW + 20)
        middle = top + height / 2
        shapes.append(f'<rect x="1" y="{top}" width="212" height="{height}" rx="8" class="box"/>')
        first = middle - (len(asked) - 1) * ROW / 2 + 5
        shapes += [text(107, first + i * ROW, line, "ink ask", "middle")
                   for i, line in enumerate(asked)]  # fmt: skip
        for said, named, tall in rows:
            center = y + tall / 2
            shapes.append(arrow((213, middle), (229, middle), (229, center), (244, center)))
            begin = center - (len(said) - 1) * ROW / 2 + 5
            shapes += [text(ANSWERS, begin + i * ROW, line, "quiet")
                       for i, line in enumerate(said)]  # fmt: skip
            begin = center - (len(named) - 1) * ROW / 2 + 5
            for i, names in enumerate(named):
                x = float(METHODS)
                for name, words in names:
                    line = begin + i * ROW
                    shapes.append(f'<a href="api/of/echelon.{name}.html">'
                                  f"{text(x, line, name, 'name')}</a>")  # fmt: skip
                    x += 8.6 * len(name) + 8
                    if words:
                        shapes.append(text(x, line, words, "quiet"))
            y += tall
        y = top + height
        if number + 1 < len(questions):
            shapes.append(arrow((107, y), (107, y + GAP)))
            y += GAP
    title = "Which method: questions, and the methods that answer them"
    body = "\n".join(shapes)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 8:.0f}" \
role="group" aria-labelledby="which-title which-desc" class="chart">
<title id="which-title">{title}</title>
<desc id="which-desc">The same as a list is below the chart.</desc>
<style>{STYLE}</style>
{body}
</svg>
"""


def main() -> None:
    """Draw the chart."""
    CHART.write_text(drawn(questions(PAGE.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
