"""Chromium for tests of pages: without a window and without a network."""

import os
import shutil
import time
from contextlib import contextmanager

import pytest

pytest.importorskip("selenium", reason="needs selenium (the dev group of pyproject)")
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
DRIVER = shutil.which("chromedriver")
OPTIONS = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
           "--disable-background-networking", "--window-size=1280,900"]  # fmt: skip

needs_chromium = pytest.mark.skipif(
    CHROMIUM is None or DRIVER is None,
    reason="needs Chromium and its driver (Debian: chromium, chromium-driver)",
)


@contextmanager
def chromium(offline=True):
    """A browser that remembers what it was asked for; offline it reaches not even this machine."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for option in OPTIONS + (["--no-sandbox"] if os.geteuid() == 0 else []):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd("Network.emulateNetworkConditions",
                           {"offline": offline, "latency": 0, "downloadThroughput": -1,
                            "uploadThroughput": -1})  # fmt: skip
    try:
        yield driver
    finally:
        driver.quit()


def resize(browser, width):
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def width_of(browser):
    """How wide the page is."""
    return browser.execute_script("return document.documentElement.scrollWidth")


def addresses(browser):
    """What the browser asked for since it was last asked."""
    return [entry["message"] for entry in browser.get_log("performance")
            if '"Network.requestWillBeSent"' in entry["message"]]  # fmt: skip


def are_local(messages):
    """Whether these were files, or data within them, and nothing else."""
    return all('"url":"file:///' in each or '"url":"data:' in each for each in messages)


def wait_for(condition):
    """What a condition gives, as soon as it is true."""
    for _ in range(200):
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen")
