"""Pages: their figures stand on the pages they cite, links have words, nothing is left out."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BUILT = {"_build", "_site", "_templates", "api", "gallery"}
PAGES = sorted(page for page in DOCS.rglob("*.md") if not BUILT & set(page.parts))

NUMBER = r"[-+]?\d[\d,]*(?:\.\d+)?%?"


def ten_numbers():
    """Rows of the entry page: figures, and the page that they are from."""
    table = (DOCS / "evidence.md").read_text(encoding="utf-8").partition("## Ten numbers")[2]
    for row in re.findall(r"^\| (.+) \| (.+) \| \[.+\]\((.+)\) \|$", table, re.MULTILINE):
        yield pytest.param(row[1], DOCS / row[2], id=row[0])


@pytest.mark.parametrize(("figures", "page"), list(ten_numbers()))
def test_figures_of_the_entry_page_are_those_of_the_page_they_cite(figures, page):
    known = set(re.findall(NUMBER, page.read_text(encoding="utf-8")))
    found = re.findall(NUMBER, figures)
    assert len(found) > 1
    assert [number for number in found if number not in known] == []


def test_there_are_ten():
    assert len(list(ten_numbers())) == 10


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(DOCS)) for page in PAGES])
def test_links_are_named_for_what_they_show(page):
    """Not for a file."""
    names = re.findall(r"\[([^]\n]+)\]\([^)]+\)", page.read_text(encoding="utf-8"))
    assert [name for name in names if re.search(r"\w\.(md|py|html)$", name)] == []


def test_the_chart_is_that_of_the_text():
    """If not: ``python examples/doc_chart.py``."""
    chart = runpy.run_path(str(ROOT / "examples" / "doc_chart.py"))
    asked = chart["questions"](chart["PAGE"].read_text(encoding="utf-8"))
    drawn = chart["CHART"].read_text(encoding="utf-8")
    assert len(asked) == 5
    assert drawn == chart["drawn"](asked)
    named = re.findall(r"`(\w+)`", str(asked))
    assert sorted(re.findall(r"echelon\.(\w+)\.html", drawn)) == sorted(named)
