"""The page in a real browser: Chromium, without a window."""

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pandas as pd
import pytest

from app_cases import server, until
from browsers import addresses, chromium, needs_chromium, resize, width_of
from cli_cases import grades

selenium = pytest.importorskip("selenium", reason="needs selenium (the dev group of pyproject)")
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def browser():
    with chromium(offline=False) as driver:
        yield driver


@pytest.fixture(scope="module")
def place(browser):
    """Where the page is, once the browser came in."""
    with server() as address:
        browser.get(address)
        assert "token" not in browser.current_url
        yield browser.current_url
        browser.get("about:blank")


@pytest.fixture
def page(browser, place):
    """The page, opened anew, with no runs; nothing is written to the console."""
    resize(browser, 1280)
    browser.get(place)
    browser.get_log("browser")
    until(lambda: browser.find_elements(By.CSS_SELECTOR, "#bundled button"))
    yield browser
    assert browser.get_log("browser") == []
    for button in browser.find_elements(By.CSS_SELECTOR, ".run .head button"):
        text(browser, ".run")
        button.click()


def find(page, selector):
    return page.find_element(By.CSS_SELECTOR, selector)


def text(page, selector):
    """What is shown of the elements, found and read in one step: they may be replaced any time."""
    script = "return Array.from(document.querySelectorAll(arguments[0]), (e) => e.innerText)"
    return "\n".join(page.execute_script(script, selector))


def give(page, path):
    """Choose a file, and wait for its columns."""
    find(page, "#file").send_keys(str(path))
    until(
        lambda: (
            text(page, "#file-error")
            or (find(page, "#table").is_displayed() and path.name in text(page, "#shape"))
        )
    )
    assert text(page, "#file-error") == ""


def choose_target(page, name):
    Select(find(page, "#target")).select_by_value(name)
    until(lambda: f"'{name}'" in text(page, "#check") and "Looking" not in text(page, "#check"))


def unfold(page):
    page.execute_script("for (const each of document.querySelectorAll('details')) each.open = true")


def settle(page):
    """Settings with which a run takes no time."""
    unfold(page)
    Select(find(page, "#method")).select_by_value("rankcorrelation")
    Select(find(page, "#estimator")).select_by_value("tree")
    find(page, "#cv").send_keys("3")
    find(page, "#n_features").send_keys("2")


def run(page):
    """Run, and wait for the report."""
    n_runs = len(page.find_elements(By.CSS_SELECTOR, ".run"))
    find(page, "#run").click()
    until(lambda: len(page.find_elements(By.CSS_SELECTOR, ".run")) > n_runs)
    finished(page)


def finished(page):
    """Wait until the newest run has its report and all its files."""
    first = ".run:first-child"
    until(
        lambda: text(page, f"{first} .warning") or "reduced file" in text(page, f"{first} .links")
    )
    assert text(page, f"{first} .warning") == ""
    assert page.find_elements(By.CSS_SELECTOR, f"{first} iframe")


def in_report(page, script):
    """What a script finds in the report that is shown."""
    page.switch_to.frame(find(page, "iframe"))
    try:
        until(lambda: page.find_elements(By.CSS_SELECTOR, ".sentence"))
        return page.execute_script(script)
    finally:
        page.switch_to.default_content()


# ------------------------------------------------------------------------ from file to report


def test_a_csv_with_ordered_classes(page, credit):
    give(page, credit)
    assert "90 rows, 7 columns" in text(page, "#shape")
    choose_target(page, "grade")
    assert "Is low < medium < high the order of 'grade'?" in text(page, "#check .warning")
    assert "without an order;" not in text(page, "#check"), "nothing is said before the answer"
    assert "excluded: looks like an ID" in text(page, "#table")
    find(page, "[name=order][value=order]").click()
    until(lambda: "3 ordered classes" in text(page, "#check"))
    settle(page)
    run(page)
    answer = in_report(page, "return document.querySelector('.sentence').textContent")
    assert answer == text(page, ".run .answer")
    links = page.find_elements(By.CSS_SELECTOR, ".run .links a[download]")
    assert [link.text for link in links] == [
        "report",
        "ranking (CSV)",
        "saved selection (JSON)",
        "code (.py)",
        "reduced file",
    ]
    got = page.execute_async_script(
        "const done = arguments[1]; fetch(arguments[0]).then((r) => r.json()).then(done)",
        links[2].get_attribute("href"),
    )
    assert (got["format"], got["target"]["classes"]) == (
        "echelon selection",
        ["low", "medium", "high"],
    )


@pytest.mark.slow
def test_an_export_with_a_number_as_its_target(page, tmp_path):
    """Semicolons, decimal commas, Windows-1252, a column to leave out."""
    rng = np.random.default_rng(0)
    size = rng.normal(100, 20, 60).round(1)
    frame = pd.DataFrame(
        {
            "Größe": size,
            "Zimmer": np.maximum(1, size // 25).astype(int),
            "Alter": rng.integers(0, 90, 60),
            "Rauschen": rng.normal(size=60).round(2),
            "Preis": (3 * size + rng.normal(0, 5, 60)).round(2),
        }
    )
    path = tmp_path / "häuser.csv"
    frame.to_csv(path, index=False, sep=";", decimal=",", encoding="cp1252")
    give(page, path)
    choose_target(page, "Preis")
    assert not find(page, "#order").is_displayed()
    assert "was read as" in text(page, "#read-notes")
    assert "was read as" not in text(page, "#check"), "every note stands once"
    Select(find(page, "[aria-label='Use of Rauschen']")).select_by_value("drop")
    settle(page)
    run(page)
    assert "Größe" in in_report(page, "return document.body.textContent")
    assert "Rauschen" not in in_report(
        page, "return document.querySelector('#features').textContent"
    )


@pytest.mark.slow
def test_a_workbook_that_is_dropped(page, credit, tmp_path):
    """Dropped on the page; two classes need no order."""
    pytest.importorskip("openpyxl")
    path = tmp_path / "credit.xlsx"
    pd.read_csv(credit).to_excel(path, index=False)
    page.execute_script(
        """
        const bytes = new Uint8Array(arguments[0]);
        const data = new DataTransfer();
        data.items.add(new File([bytes], "credit.xlsx"));
        for (const kind of ["dragover", "drop"]) document.getElementById("drop").dispatchEvent(
          new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: data }));
    """,
        list(path.read_bytes()),
    )
    until(lambda: "credit.xlsx: 90 rows" in text(page, "#shape"))
    choose_target(page, "home")
    settle(page)
    run(page)
    assert "reduced file" in text(page, ".run .links")


# ----------------------------------------------------------------------- what goes wrong


def test_a_wrong_file(page, tmp_path):
    path = tmp_path / "notes.csv"
    path.write_text("only one column\nx\n")
    find(page, "#file").send_keys(str(path))
    until(lambda: "notes.csv has one column only" in text(page, "#file-error"))
    assert find(page, "#file-error").get_attribute("role") == "alert"
    assert text(page, "#shape") == "notes.csv could not be read."
    assert not find(page, "#target-part").is_displayed()
    find(page, "#file-error .option").click()  # --delimiter
    assert page.switch_to.active_element.get_attribute("id") == "delimiter"


def test_a_file_beyond_the_limit_is_not_sent(page, tmp_path):
    path = tmp_path / "big.csv"
    with path.open("wb") as file:
        file.truncate(100_000_001)
    addresses(page)
    find(page, "#file").send_keys(str(path))
    until(
        lambda: (
            "big.csv is larger than 100 MB, the limit of this page." in text(page, "#file-error")
        )
    )
    assert not any('"method":"PUT"' in each for each in addresses(page))
    page.get_log("browser")  # which notes that the answer was no


@pytest.mark.slow
def test_cancel(page, long_table):
    give(page, long_table)
    Select(find(page, "#target")).select_by_value("y")
    find(page, "[name=order][value=none]").click()
    unfold(page)
    Select(find(page, "#method")).select_by_value("neighborhoodsoftmargin")
    find(page, "#run").click()
    until(lambda: "Ranking" in text(page, ".run progress, .run p"))
    assert page.find_elements(By.CSS_SELECTOR, ".run progress[aria-label='Progress on long.csv']")
    until(
        lambda: (
            "Ranking" in page.execute_script("return document.getElementById('live').textContent")
        )
    )
    find(page, ".run .head button").click()
    until(lambda: "cancelled" in text(page, ".run .head"))
    assert not page.find_elements(By.CSS_SELECTOR, ".run progress")
    assert not page.find_elements(By.CSS_SELECTOR, ".run a")


@pytest.mark.slow
def test_the_server_stops_in_the_middle_of_a_run(browser, long_table):
    """The page says so, and asks for nothing more."""
    with server() as address:
        browser.get(address)
        until(lambda: browser.find_elements(By.CSS_SELECTOR, "#bundled button"))
        give(browser, long_table)
        Select(find(browser, "#target")).select_by_value("y")
        find(browser, "[name=order][value=none]").click()
        find(browser, "#run").click()
        until(lambda: "running" in text(browser, ".run .head"))
    until(lambda: "The server has stopped" in text(browser, "#gone"))
    assert find(browser, "#gone").get_attribute("role") == "alert"
    assert not find(browser, "#run").is_enabled()
    assert not browser.find_elements(By.CSS_SELECTOR, "progress[aria-label^=Progress]")
    browser.get_log("browser")


# ----------------------------------------------------------------------------- two tabs


@pytest.mark.slow
def test_two_tabs(page, place, credit, houses):
    """Each chooses its own file; both see the runs of the session."""
    first = page.current_window_handle
    give(page, credit)
    choose_target(page, "home")
    settle(page)
    page.switch_to.new_window("tab")
    try:
        page.get(place)
        until(lambda: page.find_elements(By.CSS_SELECTOR, "#bundled button"))
        give(page, houses)
        choose_target(page, "price")
        settle(page)
        second = page.current_window_handle
        for tab in (first, second):
            page.switch_to.window(tab)
            find(page, "#run").click()
        for tab, own in ((first, "home"), (second, "price")):
            page.switch_to.window(tab)
            until(lambda: text(page, ".run .head").count("done") == 2)
            assert {"credit.csv: home", "houses.csv: price"} == set(
                text(page, ".run h3").splitlines()
            )
            shown = [
                each.get_attribute("title") for each in page.find_elements(By.TAG_NAME, "iframe")
            ]
            assert shown == [f"Report on {'credit' if own == 'home' else 'houses'}.csv"]
            assert text(page, "#shape").startswith("credit" if own == "home" else "houses")
        page.close()
    finally:
        page.switch_to.window(first)


# ------------------------------------------------------------------------------ security


HOSTILE = [
    "<script>window.owned=1</script>",
    "<img src=x onerror=window.owned=1>",
    "=cmd()",
    "\"'`",
    "{{7*7}}",
    "javascript:window.owned=1",
]


@pytest.mark.slow
def test_hostile_names_stay_text(page, tmp_path):
    frame = grades().drop(columns="customer")
    frame[HOSTILE[:4]] = frame[["noise"]].to_numpy() + np.arange(4)
    frame[HOSTILE[4]] = ["<b>never</b>", "<b>often</b>", "<b>x</b>"] * 30
    frame[HOSTILE[5]] = frame["grade"].map({0: "<i>low", 1: "<u onclick=owned=1>mid", 2: "high'\""})
    path = tmp_path / "<img src=x onerror=owned=1>.csv"
    frame.drop(columns="grade").to_csv(path, index=False)
    give(page, path)
    names = [each.text for each in page.find_elements(By.CSS_SELECTOR, "#table tbody th")]
    assert set(HOSTILE) <= set(names)
    choose_target(page, HOSTILE[5])
    find(page, "[name=order][value=order]").click()
    Select(find(page, "#table tr:nth-child(5) select")).select_by_index(0)
    kind = next(
        each
        for each in page.find_elements(By.CSS_SELECTOR, "#table select")
        if each.get_attribute("aria-label") == f"Kind of {HOSTILE[4]}"
    )
    Select(kind).select_by_value("ordered")
    labels = [each.text for each in page.find_elements(By.CSS_SELECTOR, ".order .label")]
    assert {"<b>never</b>", "<i>low"} <= set(labels)
    until(lambda: "ordered classes" in text(page, "#check"))
    settle(page)
    run(page)
    counts = "return document.querySelectorAll('img, i:not(.bar), u, b, script:not([src])').length"
    assert page.execute_script(counts) == 0
    assert page.execute_script("return window.owned") is None
    assert in_report(page, "return window.owned") is None
    assert in_report(page, "return document.images.length") == 0


@pytest.mark.slow
def test_the_report_cannot_reach_the_page(page):
    """It has no origin: no cookie, no storage, no parent, and it may ask for nothing."""
    page.find_element(By.XPATH, "//button[text()='cultivars']").click()
    until(lambda: "'cultivar'" in text(page, "#check"))
    settle(page)
    run(page)
    for what in ("document.cookie", "parent.document.title", "localStorage.x = 1"):
        script = f"try {{ return {what} }} catch (error) {{ return error.name }}"
        assert in_report(page, script) == "SecurityError", what
    assert in_report(page, "return self.origin") == "null"
    page.switch_to.frame(find(page, "iframe"))
    asked = page.execute_async_script(
        "const [done] = arguments;"
        "fetch('../../state').then((answer) => done(answer.status), (error) => done(error.name))"
    )
    page.switch_to.default_content()
    assert asked == "TypeError"
    page.get_log("browser")


@contextmanager
def another_origin(html):
    """A page of somebody else, on another port of this machine; gives its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())
            seen.append(dict(self.headers))

        def log_message(self, *_):
            pass

    seen = []
    other = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=other.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{other.server_port}/", seen
    finally:
        other.shutdown()
        other.server_close()


def known_files(page):
    """The files that the server knows."""
    ask = "const [done] = arguments; fetch('state').then((told) => told.json())"
    return page.execute_async_script(f"{ask}.then((state) => done(state.files))")


def test_a_page_of_another_origin_gets_nothing(page, place):
    """In the same browser, on this machine, which counts as the same site."""
    files = known_files(page)
    html = Path(__file__).with_name("evil.html").read_text()
    html = html.replace("STOP", json.dumps(f"{place}stop")).replace("PLACE", json.dumps(place))
    with another_origin(html) as (address, seen):
        page.get(address)
        told = until(lambda: page.execute_script("return window.told"))
        page.execute_script("document.getElementById('form').submit()")
        title = "try { return frames[0].document.title } catch (error) { return error.name }"
        framed = page.execute_script(title)
    assert told["read"] == told["json"] == "TypeError"
    assert told["script"] == "error"
    assert framed == "SecurityError"
    assert all("Cookie" not in headers for headers in seen), (
        "cookies of the page go to no other port"
    )
    page.get_log("browser")  # full of what was refused
    page.get(place)
    until(lambda: page.find_elements(By.CSS_SELECTOR, "#bundled button"))
    assert known_files(page) == files


def test_everything_comes_from_this_server(page, place):
    addresses(page)
    page.get(place)
    until(lambda: page.find_elements(By.CSS_SELECTOR, "#bundled button"))
    asked = [json.loads(each)["message"]["params"]["request"]["url"] for each in addresses(page)]
    assert asked
    assert [each for each in asked if not each.startswith((place, "data:"))] == []


# --------------------------------------------------------------------------- for everybody


def order(page):
    return [each.text for each in page.find_elements(By.CSS_SELECTOR, "#classes .label")]


def test_classes_are_put_in_order(page):
    """By drag and drop, by buttons, and by arrow keys; said aloud."""
    page.find_element(By.XPATH, "//button[text()='diabetes']").click()
    until(lambda: find(page, "#order").is_displayed())
    find(page, "[name=order][value=order]").click()
    assert order(page) == ["mild", "low", "medium", "high", "severe"]
    rows = page.find_elements(By.CSS_SELECTOR, "#classes li")
    hand = ActionChains(page).click_and_hold(rows[4]).move_to_element(rows[2])
    hand.move_by_offset(0, -25).release().perform()
    assert order(page) == ["mild", "low", "severe", "medium", "high"]
    find(page, "[aria-label='Move low up']").click()
    assert order(page) == ["low", "mild", "severe", "medium", "high"]
    assert page.switch_to.active_element.get_attribute("aria-label") == "Move low up"
    page.switch_to.active_element.send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert order(page) == ["mild", "severe", "low", "medium", "high"]
    assert find(page, "#live").get_attribute("textContent") == "low is number 3 of 5"
    until(lambda: "5 ordered classes" in text(page, "#check"))


def tab_to(page, selector):
    """Press Tab until a control has the focus."""
    for _ in range(120):
        if page.execute_script("return document.activeElement.matches(arguments[0])", selector):
            return page.switch_to.active_element
        ActionChains(page).send_keys(Keys.TAB).perform()
    raise AssertionError(f"Tab does not reach {selector}")


@pytest.mark.slow
def test_by_keyboard_alone(page):
    tab_to(page, "#bundled button[title*='cultivars']").send_keys(Keys.ENTER)
    until(lambda: "'cultivar'" in text(page, "#check"))
    use = tab_to(page, "[aria-label='Use of hue']")
    use.send_keys("exclude")
    assert page.switch_to.active_element == use
    assert use.get_attribute("value") == "drop"
    tab_to(page, "[name=order]:checked").send_keys(Keys.ARROW_DOWN)
    tab_to(page, "#classes [aria-label='Move Barolo down']").send_keys(Keys.ENTER)
    assert order(page) == ["Barbera", "Grignolino", "Barolo"]
    tab_to(page, "#run-part summary").send_keys(Keys.ENTER)
    tab_to(page, "#method").send_keys("rankcorrelation")
    tab_to(page, "#run").send_keys(Keys.ENTER)
    until(lambda: page.find_elements(By.CSS_SELECTOR, ".run"))
    finished(page)
    assert "hue" not in in_report(page, "return document.querySelector('#features').textContent")
    tab_to(page, ".run [aria-expanded=true]").send_keys(Keys.ENTER)
    assert not page.find_elements(By.CSS_SELECTOR, ".run iframe")


def test_the_focus_stays_where_it_is_when_a_run_goes_on(page):
    """A link or a button is not replaced under the fingers of whoever is about to press it."""
    kept = page.execute_async_script("""
        const done = arguments[0];
        import(new URL("static/runs.js", location)).then(({ showRuns }) => {
          const run = { id: "x", kind: "run", name: "a.csv", target: "y", seconds: 1, done: 1,
            expected: 1, doing: "", answer: "Selected.", error: "", said: ["Try --seed."] };
          const at = (files, state) => showRuns([{ ...run, files, state }]);
          const kept = {};
          const places = ["[aria-expanded]", ".links a[download]", ".option", ".head button"];
          for (const place of places) {
            at(["report", "selection"], "running");
            const control = document.querySelector(`.run ${place}`);
            control.focus();
            at(["report", "selection", "reduced"], "done");
            kept[place] = document.activeElement === control
              && document.querySelectorAll(".run .links a[download]").length === 3;
            showRuns([]);
          }
          return kept;
        }).then(done, (error) => done({ error: String(error) }));
    """)
    assert len(kept) == 4
    assert all(kept.values()), kept


def test_the_focus_stays_on_a_file_that_is_opened(page):
    for name in ("diabetes", "cultivars"):
        page.find_element(By.XPATH, f"//button[text()='{name}']").click()
        until(lambda name=name: text(page, "#shape").startswith(f"{name}.csv:"))
    opened = "#files [aria-pressed=true]"
    until(lambda: text(page, opened).endswith("cultivars.csv"))
    other = page.find_element(By.XPATH, "//button[text()='diabetes.csv']")
    other.send_keys(Keys.ENTER)
    until(lambda: text(page, opened) == "diabetes.csv")
    assert page.switch_to.active_element == other


def test_every_control_has_a_name(page):
    page.find_element(By.XPATH, "//button[text()='diabetes']").click()
    until(lambda: find(page, "#order").is_displayed())
    find(page, "[name=order][value=order]").click()
    nameless = page.execute_script("""
        const named = (c) => c.getAttribute("aria-label") || c.textContent.trim()
          && c.tagName === "BUTTON" || Array.from(c.labels || []).some((l) => l.textContent.trim());
        return Array.from(document.querySelectorAll("button, input, select, textarea"))
          .filter((c) => !named(c)).map((c) => c.outerHTML);
    """)
    assert nameless == []


@pytest.mark.slow
def test_it_fits_the_screen(page, tmp_path):
    frame = grades()
    frame["a long name without any space " * 3] = frame["noise"]
    frame["x" * 120] = frame["debt"]
    path = tmp_path / f"{'long' * 20}.csv"
    frame.to_csv(path, index=False)
    resize(page, 390)
    give(page, path)
    choose_target(page, "grade")
    find(page, "[name=order][value=order]").click()
    settle(page)
    run(page)
    for width in (390, 1280):
        resize(page, width)
        until(lambda wide=width: width_of(page) == wide)


def test_light_and_dark(page):
    def shade(scheme):
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        return page.execute_script("return getComputedStyle(document.body).backgroundColor")

    try:
        assert (shade("light"), shade("dark")) == ("rgb(246, 247, 248)", "rgb(20, 23, 26)")
    finally:
        shade("light")
