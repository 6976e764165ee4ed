"""Score all screens of the page with Lighthouse: `make lighthouse`.

Lighthouse is not part of this repository (`npm install --global lighthouse@12`). The sample project
of the tests is built and worked in; each screen and the sign-in must reach 100 three times.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.page.browser import NoBrowser, find_browser
from tests.page.visit import SCREENS
from tests.page.world import living

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.page.world import World

CATEGORIES = ("accessibility", "best-practices", "seo")
FULL = 100
PATIENCE_S = 300


def main() -> int:
    """Print a row of scores for each screen; fail if one is not full."""
    parser = argparse.ArgumentParser(prog="lighthouse", description=__doc__)
    parser.add_argument("screens", nargs="*", help="names of screens; all by default")
    parser.add_argument("--program", default="lighthouse", help="the program of Lighthouse")
    given = parser.parse_args()
    program = shutil.which(given.program)
    try:
        browser = find_browser()
    except NoBrowser as error:
        print(f"lighthouse: no browser here: {error}", file=sys.stderr)
        return 1
    if program is None:
        print("lighthouse: install it with: npm install --global lighthouse@12", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="dmm-lighthouse-") as folder:
        report = Path(folder) / "report.json"
        with living(Path(folder)) as world:
            full = [
                _score(world, one, (program, browser), report)
                for one in given.screens or ("sign-in", *SCREENS)
            ]
    return 0 if all(full) else 1


def _score(world: World, screen: str, programs: tuple[str, str], report: Path) -> bool:
    """Print the scores of one screen and what lowered them; return whether all are full."""
    headers = {} if screen == "sign-in" else {"Cookie": _sign_in(world)}
    options = (
        f"--extra-headers={json.dumps(headers)}",
        f"--only-categories={','.join(CATEGORIES)}",
        "--chrome-flags=--headless=new --no-sandbox",
        "--output=json",
        f"--output-path={report}",
        "--quiet",
    )
    place = "" if screen == "sign-in" else f"#/{screen}"
    _run((programs[0], f"{world.origin}/{place}", *options), browser=programs[1])
    told = json.loads(report.read_text())
    scores = [round(FULL * (told["categories"][one]["score"] or 0)) for one in CATEGORIES]
    print(f"{screen:10} " + " ".join(f"{one:4}" for one in scores), flush=True)
    for audit in told["audits"].values():
        if audit["score"] is not None and audit["score"] < 1:
            items = audit.get("details", {}).get("items", [])
            found = [one["node"]["snippet"] for one in items if "node" in one]
            print(f"           {audit['title']} {' '.join(found)}".rstrip(), flush=True)
    return scores == [FULL] * len(CATEGORIES)


def _run(line: Sequence[str], *, browser: str) -> None:
    kept = {key: value for key, value in os.environ.items() if "proxy" not in key.lower()}
    subprocess.run(line, env=kept | {"CHROME_PATH": browser}, timeout=PATIENCE_S, check=True)


def _sign_in(world: World) -> str:
    """Sign in as a browser does; return its cookie."""
    port = world.machine.about["port"]
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    own = {"Host": f"{world.host}:{port}", "Origin": world.origin, "X-DMM-Page": "1"}
    body = json.dumps({"code": world.machine.ask("code")["code"]})
    link.request("POST", "/v1/session", body, own | {"Content-Type": "application/json"})
    cookie = link.getresponse().getheader("set-cookie") or ""
    link.close()
    return cookie.partition(";")[0]


if __name__ == "__main__":
    sys.exit(main())
