"""No command ever reaches for the network."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Command

pytestmark = pytest.mark.slow

# Runs all commands in one process in which any use of a socket is an error and is told.
GUARDED = """
import socket, sys

def refuse(*arguments, **options):
    sys.stderr.write(f"NETWORK {arguments}\\\\n")
    raise OSError("there is no network")

for name in ("connect", "connect_ex", "bind", "sendto"):
    setattr(socket.socket, name, refuse)
for name in ("create_connection", "getaddrinfo", "gethostbyname"):
    setattr(socket, name, refuse)

from dmm.cli.main import main

for line in sys.argv[1:]:
    sys.argv = ["dmm", *line.split("|")]
    try:
        main()
    except SystemExit as end:
        print(f"<{line.partition('|')[0]} {end.code or 0}>")
""".replace("\\\\n", "\\n")
LINES = [
    *("init", "import|CLAUDE.md|--apply", "reindex|--full", "query|how do we answer|--explain"),
    *("query|how do we answer|--json", "validate", "export", "status"),
]
RULES = "# Answers\n\n## Style\n\nAnswer in short sentences and name the file you speak of.\n"


def test_no_command_opens_a_connection(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "CLAUDE.md").write_text(RULES)
    told = command(*LINES, within=folder, script=GUARDED)
    assert told.returncode == 0
    assert told.stderr == ""
    for line in LINES:
        assert f"<{line.partition('|')[0]} 0>\n" in told.stdout


def test_the_guard_would_notice_a_connection(command: Command, tmp_path: Path) -> None:
    reaching = GUARDED.replace(
        "from dmm.cli.main import main\n",
        "import urllib.request\ndef main(): urllib.request.urlopen('http://127.0.0.1:9/')\n",
    )
    told = command("x", within=tmp_path, script=reaching)
    assert told.returncode != 0
    assert "NETWORK" in told.stderr


def test_everything_works_where_there_is_no_network_at_all(
    command: Command, tmp_path: Path
) -> None:
    before = ["unshare", "--map-root-user", "--net"]
    if shutil.which("unshare") is None or subprocess.run([*before, "true"], check=False).returncode:
        pytest.skip("this system gives no process a network of its own")
    assert command("init", within=tmp_path, before=before).returncode == 0
    noted = command("remember", "Invoices are sent on Fridays.", within=tmp_path, before=before)
    assert noted.returncode == 0
    told = command("query", "when are invoices sent", within=tmp_path, before=before)
    assert (told.returncode, told.stderr) == (0, "")
    assert "Invoices are sent on Fridays." in told.stdout
    assert "> Notice" not in told.stdout


def test_nothing_is_left_in_the_users_home_but_what_is_documented(
    command: Command, home: Path, tmp_path: Path
) -> None:
    """A library that we load would keep an identity of the machine and events in there."""
    project = tmp_path / "project"
    project.mkdir()
    assert command("init", within=project).returncode == 0
    assert command("query", "how are memories written?", within=project).returncode == 0
    files = {path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file()}
    own = {name.removeprefix(".local/state/dmm/") for name in files}
    (consents,) = {name for name in own if name.startswith("consents/") and name.endswith(".json")}
    assert own == {"trust.json", "trust.lock", "consents/lock", consents}


def test_no_library_below_python_opens_a_connection_either(
    command: Command, tmp_path: Path
) -> None:
    if shutil.which("strace") is None:
        pytest.skip("there is no strace on this system")
    assert command("init", within=tmp_path).returncode == 0
    calls = tmp_path / "calls"
    before = ["strace", "-f", "-q", "-e", "trace=socket,connect", "-o", str(calls)]
    assert (
        command("query", "how are memories written", within=tmp_path, before=before).returncode == 0
    )
    assert "exited with 0" in calls.read_text()
    assert "AF_INET" not in calls.read_text()
