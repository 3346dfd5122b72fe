"""The site as ``make docs`` built it: links, names, search, and pages no wider than the screen."""

from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

import pytest

from browsers import addresses, are_local, chromium, needs_chromium, resize, wait_for
from echelon.methods import METHODS

import test_reference  # isort: skip

ROOT = Path(__file__).parents[2]
SITE, GALLERY = ROOT / "docs" / "_build" / "html", ROOT / "examples" / "gallery"

pytestmark = pytest.mark.skipif(not SITE.exists(), reason="needs the site: make docs")
PAGES = sorted(set(SITE.rglob("*.html")) - set((SITE / "_static").rglob("*.html")))


BACKGROUND = "getComputedStyle(document.body).backgroundColor"


class Page(HTMLParser):
    """The places of a page, and where it leads."""

    def __init__(self, file):
        super().__init__()
        self.places, self.links = set(), set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.places.add(found.get("id"))
        self.links |= {found[key] for key in ("href", "src") if found.get(key)}


@pytest.fixture(scope="module")
def read():
    return {file: Page(file) for file in PAGES}


@pytest.mark.slow
def test_links_within_the_site_lead_somewhere(read):
    broken = defaultdict(list)
    for file, page in read.items():
        for link in page.links:
            address, place = urldefrag(link)
            if urlparse(link).scheme or link in ("#", ""):
                continue
            target = (file.parent / unquote(urlparse(address).path)).resolve() if address else file
            known = read[target].places if target in read else {place}
            if not target.exists() or (place and unquote(place) not in known):
                broken[link].append(file.name)
    assert not broken


def test_the_pages_asked_for_are_there():
    for name in ("index", "install", "start", "methods", "howto", "guide", "cli", "gallery/index",
                 "api/index", "evidence", "scale", "development", "changelog", "faq",
                 "from/skrebate"):  # fmt: skip
        assert SITE / f"{name}.html" in PAGES, name
    examples = {file.stem for file in GALLERY.glob("plot_*.py")}
    assert {file.stem for file in (SITE / "gallery").glob("plot_*.html")} == examples


def shown(name):
    return (SITE / f"{name}.html").read_text(encoding="utf-8")


def test_the_page_of_methods_shows_the_chart_and_the_matrix():
    text = shown("methods")
    assert '<svg xmlns="http://www.w3.org/2000/svg"' in text
    for name in METHODS:
        assert text.count(f'href="api/of/echelon.{METHODS[name].estimator}.html"') >= 2, name


def test_the_start_page_holds_a_report():
    assert 'src="_static/demo-report.html"' in shown("index")
    report = (SITE / "_static" / "demo-report.html").read_text(encoding="utf-8")
    assert "Which features predict" in report


def test_classes_show_the_methods_they_inherit():
    text = shown("api/of/echelon.AutoSelector")
    for name in ("fit", "transform", "get_feature_names_out", "get_support", "set_output"):
        assert f'id="echelon.AutoSelector.{name}"' in text, name
    assert "get_metadata_routing" not in text


def test_every_section_has_something_in_its_column():
    for name in ("start", "howto", "guide", "evidence", "development", "cli", "scale"):
        column = shown(name).partition('class="bd-links__title"')[2].partition("</nav>")[0]
        assert column.count("<li") > 2, name


def test_every_public_name_has_a_page_with_an_example():
    pages = {file.stem.rpartition(".")[2]: file for file in (SITE / "api" / "of").glob("*.html")}
    for package, module in test_reference.packages():
        overview = (SITE / "api" / f"{package}.html").read_text(encoding="utf-8")
        for name in test_reference.for_users(package, module):
            if name not in pages:  # a constant, a module
                assert f">{name}<" in overview, f"{package}.{name}"
                continue
            text = pages[name].read_text(encoding="utf-8")
            assert "Examples" in text, name
            assert "&gt;&gt;&gt; " in text, name
            assert "Explained in" in text, name
    assert len(pages) > 100


@pytest.fixture(scope="module")
def browser():
    with chromium() as driver:
        yield driver


def open_page(browser, file):
    browser.get(file.as_uri())


def change_article(browser, file):
    """All of a page that differs from another one of its kind."""
    text = file.read_text(encoding="utf-8")
    article = text[text.index("<article") : text.index("</article>")] + "</article>"
    browser.execute_script("document.querySelector('article').outerHTML = arguments[0]", article)


def beyond(browser):
    """How far the page, or the article within it, can be moved sideways."""
    return browser.execute_script(
        "return Math.max(...[...document.querySelectorAll('html, .bd-article-container')]"
        ".map((part) => part.scrollWidth - part.clientWidth))"
    )


def too_wide(browser, file, show):
    """On a telephone, where the page is shown, and on a computer, to which it is widened."""
    resize(browser, 390)
    show(browser, file)
    found = {390: beyond(browser)}
    resize(browser, 1280)
    found[1280] = beyond(browser)
    return [(file.name, screen, much) for screen, much in found.items() if much > 0]


@needs_chromium
@pytest.mark.slow
def test_no_page_is_wider_than_the_screen(browser):
    names = sorted((SITE / "api" / "of").glob("*.html"))
    shown = [file for file in PAGES if file not in names[1:]]
    wide = [too_wide(browser, file, open_page) for file in shown]
    open_page(browser, names[0])
    wide += [too_wide(browser, file, change_article) for file in names[1:]]
    assert not [each for each in wide if each]
    assert are_local(addresses(browser)), "a page asks for something from elsewhere"


LINES = """
return [...document.querySelectorAll(arguments[0])]
  .filter((part) => part.getClientRects().length > 1).map((part) => part.textContent)
"""
"""Texts of elements that are broken into several lines."""


@needs_chromium
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(
    ("page", "parts"),
    [
        ("api/of/echelon.AutoSelector", "dl.field-list dt > strong"),
        ("benchmarks/error_rates", "td .interval"),
        ("benchmarks/kept", "td .interval"),
    ],
)
def test_names_and_intervals_stay_in_one_piece(browser, width, page, parts):
    resize(browser, width)
    open_page(browser, SITE / f"{page}.html")
    assert len(browser.find_elements("css selector", parts)) > 5
    assert browser.execute_script(LINES, parts) == []


@needs_chromium
@pytest.mark.parametrize(
    ("words", "page"),
    [("ordinal", "OrdinalDecomposition"), ("RReliefF", "RReliefF"), ("p value", "p-value")],
)
def test_search(browser, words, page):
    browser.get(f"{(SITE / 'search.html').as_uri()}?q={words.replace(' ', '+')}")
    wait_for(lambda: "finished" in browser.find_element("id", "search-results").text.lower())
    titles = [each.text for each in browser.find_elements("css selector", "#search-results li")]
    assert len(titles) > 2
    assert any(page in title for title in titles)


@needs_chromium
def test_light_and_dark(browser):
    resize(browser, 1280)
    browser.get((SITE / "index.html").as_uri())
    colours = set()
    for theme in ("light", "dark"):
        browser.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
        colours.add(browser.execute_script(f"return {BACKGROUND}"))
    assert len(colours) == 2


@needs_chromium
def test_formulas_are_drawn(browser):
    browser.get((SITE / "margin.html").as_uri())
    formulas = browser.find_elements("css selector", ".formula math")
    assert formulas
    assert min(formula.size["height"] for formula in formulas) > 20
