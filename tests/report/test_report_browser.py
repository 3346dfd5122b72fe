"""The report in a real browser: Chromium, without a window and without a network."""

import base64

import pytest

from browsers import addresses, are_local, chromium, needs_chromium, resize, wait_for, width_of
from report_cases import HOSTILE, hostile_report, unstable_report, wide_report

selenium = pytest.importorskip("selenium", reason="needs selenium (the dev group of pyproject)")
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def browser():
    with chromium() as driver:
        yield driver


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Addresses of reports: full of hostile text, with many features, not stable."""
    folder = tmp_path_factory.mktemp("reports")
    made = {"hostile": hostile_report(), "wide": wide_report(2000), "unstable": unstable_report()}
    for name, report in made.items():
        (folder / f"{name}.html").write_text(report.to_html(), encoding="utf-8")
    return folder


@pytest.fixture
def page(browser, pages):
    """The hostile report, opened anew and in light."""
    resize(browser, 1280)
    browser.get((pages / "hostile.html").as_uri())
    browser.execute_script("localStorage.clear()")
    browser.refresh()
    browser.get_log("browser")
    browser.refresh()
    yield browser
    messages = browser.get_log("browser")
    assert messages == [], "nothing is written to the console"


def column(browser, place):
    """Texts of one column of the features table, top to bottom."""
    rows = "document.querySelector('#features tbody').rows"
    script = f"return Array.from({rows}, row => row.cells[arguments[0]].textContent)"
    return browser.execute_script(script, place)


def test_it_opens_and_asks_for_nothing_else(page):
    assert "grade" in page.title
    assert "of 8" in page.find_element(By.CSS_SELECTOR, ".sentence").text
    asked = addresses(page)
    assert asked
    assert are_local(asked)


def test_hostile_names_stay_text(page):
    assert HOSTILE in column(page, 2)
    assert page.execute_script("return document.images.length") == 0
    assert page.execute_script("return document.scripts.length") == 2
    assert (
        page.execute_script("return document.querySelectorAll('main b, main s, main u').length")
        == 0
    )


def test_sorting(page):
    names = column(page, 2)
    button = page.find_element(By.XPATH, "//table[@id='features']//button[text()='feature']")
    button.click()
    upwards = column(page, 2)
    assert sorted(upwards) == sorted(names)
    assert upwards != names
    assert button.find_element(By.XPATH, "..").get_attribute("aria-sort") == "ascending"
    button.click()
    assert column(page, 2) == upwards[::-1]
    page.find_element(By.XPATH, "//table[@id='features']//button[text()='score']").click()
    scores = [float(text) for text in column(page, 3)]
    assert scores == sorted(scores, reverse=True), "numbers begin with the largest"
    page.find_element(By.XPATH, "//table[@id='features']//button[text()='rank']").click()
    assert column(page, 2) == names
    assert len(page.find_elements(By.CSS_SELECTOR, "#features [aria-sort]")) == 1


def test_searching(page):
    search = page.find_element(By.ID, "search")
    search.send_keys("SCRIPT")
    assert column(page, 2) == ["</script><script>alert(2)</script>"]
    assert page.find_element(By.ID, "count").text == "1 of 8"
    search.clear()
    search.send_keys("no such thing")
    assert column(page, 2) == []
    search.clear()
    search.send_keys(" ")
    assert len(column(page, 2)) == 8
    page.find_element(By.ID, "kept-only").click()
    assert set(column(page, 0)) == {"✓"}


def test_light_and_dark(page):
    def background():
        return page.execute_script("return getComputedStyle(document.body).backgroundColor")

    light = background()
    page.find_element(By.ID, "theme").click()
    dark = background()
    assert light != dark
    page.refresh()
    assert background() == dark, "the choice is kept"
    page.find_element(By.ID, "theme").click()
    assert background() == light


def test_values_at_the_curve(page):
    tip = page.find_element(By.ID, "tip")
    assert not tip.is_displayed()
    dot = page.find_elements(By.CSS_SELECTOR, "#curve .dot")[2]
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", dot)
    ActionChains(page).move_to_element(dot).perform()
    text = wait_for(lambda: tip.text)
    assert "features: MAE in classes" in text
    assert "±" in text
    ActionChains(page).move_to_element(page.find_element(By.TAG_NAME, "h1")).perform()
    wait_for(lambda: not tip.is_displayed())
    page.execute_script("arguments[0].focus()", dot)
    assert tip.text == dot.get_attribute("aria-label"), "also from the keyboard"


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_sticks_out(page, width):
    resize(page, width)
    assert width_of(page) <= width


def test_printing(page):
    page.find_element(By.ID, "theme").click()
    printed = page.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert base64.b64decode(printed["data"]).startswith(b"%PDF")
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    colour = page.execute_script("return getComputedStyle(document.body).backgroundColor")
    shown = page.find_element(By.ID, "search").is_displayed()
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert colour == "rgb(255, 255, 255)", "dark pages are printed light"
    assert not shown


def test_many_features(browser, pages):
    resize(browser, 1280)
    browser.get((pages / "wide.html").as_uri())
    assert len(column(browser, 2)) == 200
    browser.find_element(By.ID, "more").click()
    assert len(column(browser, 2)) == 400
    assert column(browser, 1)[399] == "400"
    search = browser.find_element(By.ID, "search")
    search.send_keys("gene 0199")
    assert len(column(browser, 2)) == 10
    assert all("gene 0199" in name and "<text>" in name for name in column(browser, 2))
    assert browser.get_log("browser") == []


@pytest.fixture
def unstable(browser, pages):
    """The report of a choice that is not stable, with long names and a column of 0 and 1."""
    resize(browser, 1280)
    browser.get((pages / "unstable.html").as_uri())
    return browser


def _places(browser, *selectors):
    """Upper edges of the first element each selector finds."""
    script = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
    return [browser.execute_script(script, selector) for selector in selectors]


def test_the_first_screen_answers_what_is_asked_first(unstable):
    questions = [each.text for each in unstable.find_elements(By.CSS_SELECTOR, ".questions dt")]
    assert questions[:3] == ["What does selecting cost?", "Which feature is hardest to replace?",
                             "Would another model agree?"]  # fmt: skip
    replies = unstable.find_elements(By.CSS_SELECTOR, ".questions dd")
    assert all(reply.text for reply in replies)
    bottom = max(reply.rect["y"] + reply.rect["height"] for reply in replies)
    assert bottom <= 900, "without scrolling"


def test_the_warning_stands_between_the_answer_and_its_features(unstable):
    sentence, warning, chips = _places(unstable, ".sentence", ".warning", ".chips")
    assert sentence < warning < chips
    assert "not stable" in unstable.find_element(By.CSS_SELECTOR, ".warning").text


def test_single_features_are_drawn_on_one_axis(unstable):
    pictures = unstable.find_elements(By.CSS_SELECTOR, ".changes svg.change")
    assert len(pictures) >= 4
    zeros = unstable.execute_script(
        "return Array.from(document.querySelectorAll('.changes .zero'), e => e.getAttribute('x1'))"
    )
    assert len(set(zeros)) == 1
    assert "±" in pictures[0].get_attribute("aria-label")


def test_small_pictures_have_an_axis(unstable):
    """Numbers at both ends, other than those of the next feature; shares for two values."""
    ends = unstable.execute_script(
        "return Array.from(document.querySelectorAll('#features .strip'), s => "
        "[s.closest('tr').cells[2].textContent, "
        "...Array.from(s.querySelectorAll('.end'), e => e.textContent)])"
    )
    by_name = {name: texts for name, *texts in ends}
    assert by_name["member"] == ["0", "share of 1", "100 %"]
    number = by_name["noise 1"]
    assert len(number) == 2
    assert float(number[0]) < float(number[1])


@pytest.mark.parametrize("width", [390, 1280])
def test_what_goes_on_sideways_says_so(unstable, width):
    """A table that is cut off fades out, with a line above it; one that is not has neither."""
    resize(unstable, width)
    unstable.refresh()
    parts = unstable.execute_script(
        "return Array.from(document.querySelectorAll('.scroll'), p => [p.scrollWidth > "
        "p.clientWidth + 2, p.classList.contains('cut'), !p.previousElementSibling.hidden])"
    )
    assert all(over == cut == said for over, cut, said in parts)
    assert any(over for over, *_ in parts) == (width == 390)


def test_the_hint_goes_where_the_table_ends(unstable):
    resize(unstable, 390)
    unstable.refresh()
    table = unstable.find_element(By.XPATH, "//table[@id='features']/..")
    assert "cut" in table.get_attribute("class")
    unstable.execute_script("arguments[0].scrollLeft = 10000", table)
    wait_for(lambda: "cut" not in table.get_attribute("class"))


def test_names_wrap_on_a_phone(unstable):
    """Long names go over several lines, neither letter by letter nor out of the page."""
    resize(unstable, 390)
    unstable.refresh()
    script = (
        "return Array.from(document.querySelectorAll(arguments[0]), "
        "e => [e.getBoundingClientRect().width, e.scrollWidth <= e.clientWidth + 1])"
    )
    for selector in (".chips li", ".changes tbody th", "#features tbody td:nth-child(3)"):
        for width, fits in unstable.execute_script(script, selector):
            assert fits
            assert 20 < width < 390
    wide = unstable.execute_script(script, ".changes tbody th")
    assert min(width for width, _ in wide) > 90


def test_print_shows_the_new_parts(unstable):
    unstable.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = [unstable.find_element(By.CSS_SELECTOR, part).is_displayed()
             for part in (".questions", ".warning", ".changes")]  # fmt: skip
    hints = [hint.is_displayed() for hint in unstable.find_elements(By.CSS_SELECTOR, ".hint")]
    unstable.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert all(shown)
    assert not any(hints)
