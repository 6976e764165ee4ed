"""axe-core on a page under its strict policy: the debugger may run what the page itself may not."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page

SOURCE = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
RUN = """
axe.run(document, {resultTypes: ["violations"]}).then(({violations}) => JSON.stringify(
  violations.map(({id, impact, help, nodes}) => ({id, impact, help,
    nodes: nodes.map(({target, failureSummary}) => `${target.join(" ")}: ${failureSummary}`)}))))
"""


def find_violations(page: Page) -> list[str]:
    """Return what axe has to say against a page as it is shown."""
    link = page.context.new_cdp_session(page)
    try:
        if not _evaluate(link, "typeof axe === 'object'"):
            _evaluate(link, SOURCE)
        found: list[dict[str, Any]] = json.loads(_evaluate(link, RUN))
    finally:
        link.detach()
    return [f"{one['id']} ({one['impact']}): {one['help']}: {one['nodes'][:3]}" for one in found]


def _evaluate(link: CDPSession, expression: str) -> Any:
    told = link.send(
        "Runtime.evaluate",
        {"expression": expression, "awaitPromise": True, "returnByValue": True},
    )
    assert "exceptionDetails" not in told, told["exceptionDetails"]
    return told["result"].get("value")
