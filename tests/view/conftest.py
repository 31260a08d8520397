"""Chromium, and pages in it that fail when the browser's console tells of an error."""

import shutil

import pytest

# software rendering wherever the tests run; nothing but the page is fetched
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 30_000  # ms until a test gives up; machines that test are busy


@pytest.fixture(scope="module")
def browser():
    # one per module: while it runs, asyncio.run is not to be had in this thread
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("needs the browser chromium on the path (Debian: apt install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=OPTIONS)
        yield opened
        opened.close()


@pytest.fixture
def visit(browser):
    """Opens a page and waits for its first picture; see `errors_of` for what went wrong in it."""
    contexts, errors = [], []

    def open_(address, *, width=1000, height=640, forgive=False, **how):
        context = browser.new_context(viewport={"width": width, "height": height}, **how)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        if not forgive:
            page.on("console", lambda said: said.type == "error" and errors.append(said.text))
        page.goto(address)
        page.wait_for_selector("canvas[data-frames]")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert errors == []
