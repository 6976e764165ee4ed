"""A wheel that was built from the sdist has the page: what Git ignores is left out of both."""

from __future__ import annotations

import http.client
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dmm.web.files import load_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.daemon.conftest import Machine

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).with_name("uv")


def build(kind: str, source: Path, into: Path) -> Path:
    line = [str(UV), "build", kind, "--no-build-isolation", "--python", sys.executable]
    told = subprocess.run(
        [*line, "--out-dir", str(into), str(source)], capture_output=True, encoding="utf-8"
    )
    assert told.returncode == 0, told.stderr
    return next(path for path in into.iterdir() if path.suffix in (".gz", ".whl"))


def test_the_daemon_of_a_wheel_built_from_the_sdist_serves_the_page(
    machine: Machine, tmp_path: Path, wait: Callable[..., Any]
) -> None:
    sdist = build("--sdist", ROOT, tmp_path / "sdist")
    wheel = build("--wheel", sdist, tmp_path / "wheel")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    machine.more["PYTHONPATH"] = str(installed)
    running = machine.begin([sys.executable, "-P", "-m", "dmm.daemon", "--port", "0"])
    port = wait(lambda: machine.about.get("port"), "it has a port")
    own = Path(f"/proc/{running.pid}/environ").read_bytes().split(b"\0")
    assert os.fsencode(f"PYTHONPATH={installed}") in own
    for path, file in load_files().items():
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        link.request("GET", path)
        reply = link.getresponse()
        assert (reply.status, reply.read()) == (200, file.body)
        link.close()
