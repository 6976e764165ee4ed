"""The pages of these tests notice what must not happen: otherwise their silence proves nothing."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest
from tests.page.browser import watching

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

POLICY = "default-src 'none'; script-src 'self'; require-trusted-types-for 'script'"
PAGES = {
    "/quiet": "<title>x</title><p>Nothing happens here.</p>",
    "/inline": "<title>x</title><script>window.ran = 1</script>",
    "/handler": "<title>x</title><img src='data:image/png;base64,x' onerror='window.ran = 1'>",
    "/elsewhere": "<title>x</title><img src='http://elsewhere.invalid/a.png'>",
    "/throws": "<title>x</title><script src='/throws.js'></script>",
    "/throws.js": "throw new Error('on purpose')",
    "/logs": "<title>x</title><script src='/logs.js'></script>",
    "/logs.js": "console.error('on purpose')",
    "/asks": "<title>x</title><script src='/asks.js'></script>",
    "/asks.js": "setTimeout(() => alert('on purpose'), 0)",
    "/markup": "<title>x</title><p>x</p><script src='/markup.js'></script>",
    "/markup.js": "document.body.innerHTML = '<b>x</b>'",
}


class Pages(BaseHTTPRequestHandler):
    """Serves the pages above under a policy like that of the product."""

    def do_GET(self) -> None:
        body = PAGES.get(self.path, "").encode()
        kind = "text/javascript" if self.path.endswith(".js") else "text/html"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("path", "noted"),
    [
        ("/inline", "policy violated: script-src-elem"),
        ("/handler", "policy violated: "),
        ("/elsewhere", "request to another host: http://elsewhere.invalid/a.png"),
        ("/throws", "error: on purpose"),
        ("/logs", "console: on purpose"),
        ("/asks", "dialog: on purpose"),
        ("/markup", "policy violated: require-trusted-types-for"),
    ],
)
def test_a_fault_is_noted(browser: Browser, address: str, path: str, noted: str) -> None:
    with watching(browser, "127.0.0.1") as watched:
        page = watched.new_page()
        page.goto(address + path)
        watched.wait_for(noted)
        assert watched.unexpected
        watched.allow(".")
        assert watched.unexpected == []


def test_a_quiet_page_has_no_faults(browser: Browser, address: str) -> None:
    with watching(browser, "127.0.0.1") as watched:
        watched.new_page().goto(f"{address}/quiet")
        assert watched.faults == []
        assert watched.requests == [f"{address}/quiet"]
