"""Reports as pages: no text becomes markup, no network is needed, no size is too large."""

import re
from html.parser import HTMLParser

import pytest

from echelon.report import Report
from echelon.report._report import _as_markdown
from report_cases import HOSTILE, wide_report


class Tags(HTMLParser):
    """Elements and attributes of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.texts = set(), set(), []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {(name, value) for name, value in attrs}

    def handle_data(self, data):
        self.texts.append(data)


def test_no_text_becomes_markup_in_html(hostile):
    page = Tags(hostile.to_html())
    assert not page.tags & {"img", "b", "s", "u", "iframe", "object", "link"}
    assert not any(name.startswith("on") for name, _ in page.attributes)
    assert not any(name in ("src", "href") for name, _ in page.attributes)
    assert HOSTILE in page.texts
    assert hostile.to_html().count("<script") == 2
    assert "\u2028" not in re.search(r'id="data">(.*?)</script>', hostile.to_html(), re.S)[1]


def test_the_page_needs_no_network(hostile):
    page = hostile.to_html()
    assert "http://" not in page
    assert "https://" not in page
    assert "default-src 'none'" in page


def test_no_text_becomes_markup_in_markdown(hostile):
    text = hostile.to_markdown()
    outside = re.sub(r"`[^`\n]*`", "", re.sub(r"\\.", "", text))
    assert "<" not in outside
    assert not re.search(r"\*d\*|_e_", outside)
    for line in text.splitlines():
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) == len(
                re.findall(r"(?<!\\)\|", _header_of(text, line))
            )


def _header_of(text, line):
    """The first line of the table that a line belongs to."""
    lines = text.splitlines()
    place = lines.index(line)
    while lines[place - 1].startswith("|"):
        place -= 1
    return lines[place]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a|b", r"a\|b"),
        ("# title", r"\# title"),
        ("1. item", r"1\. item"),
        ("0.25", "0.25"),
        ("[x](y)", r"\[x\](y)"),
        ("a\nb", "a b"),
        ("<b>&", r"\<b\>&amp;"),
        ("see http://x.org", "see http&#58;//x.org"),
        ("$a$ www.x.org a@b", r"\$a\$ www&#46;x.org a&#64;b"),
    ],
)
def test_markdown_is_escaped(text, expected):
    assert _as_markdown(text) == expected


def test_a_notebook_shows_the_page_in_a_frame(hostile):
    fragment = Tags(hostile._repr_html_())
    assert fragment.tags == {"iframe"}
    assert ("srcdoc", hostile.to_html()) in fragment.attributes


@pytest.mark.slow
def test_twenty_thousand_features():
    report = wide_report()
    page = report.to_html()
    assert len(page.encode()) < 3_000_000
    assert page.count('<svg class="strip"') == 200
    assert len(report.summary()["features"]) == 20_000
    assert any(
        "more features (20,000) than rows" in c for c in report.summary()["words"]["caveats"]
    )


def test_names_without_end_do_not_blow_up_the_page(simple):
    summary = simple.summary()
    template = summary["features"][0]
    summary["features"] = [
        template | {"name": f"{k} {'x' * 5000}", "rank": k + 1} for k in range(20_000)
    ]
    page = Report(summary).to_html()
    assert len(page.encode()) < 3_000_000
    assert "features ranked last are left out of this page" in page
