"""A background process of its own for each test, with hooks and commands that reach it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import dmm.hook
from dmm import VERSION
from dmm.daemon.app import Daemon
from dmm.daemon.file_events import Notified, Polled
from dmm.daemon.instance import claim, read_about
from dmm.daemon.logs import Log
from dmm.eventlog.log import EventLog
from dmm.eventlog.place import find_ledger
from dmm.eventlog.verify import verify
from dmm.files.tree import MemoryTree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.conftest import Opener, Project

    from dmm.daemon.file_events import Watching
    from dmm.domain.event import Event

HOOK = Path(dmm.hook.__path__[0]) / "__main__.py"
WITHIN = 30.0
RULE = "Never run terraform destroy."

MakeWatcher = Callable[[MemoryTree], "Watching"]
WATCHERS: dict[str, MakeWatcher] = {
    "notified": lambda tree: Notified([tree], debounce_ms=20, tick_ms=100),
    "polled": lambda tree: Polled([tree], interval_ms=50),
}


def eventually(check: Callable[[], Any], what: str, within: float = WITHIN) -> Any:
    """Wait until something holds; the processes looked at are not ours to be told by."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        found = check()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"it did not happen: {what}")


def take_all(link: socket.socket) -> bytes:
    """Read until the other side closes, also when it does so with a bang."""
    parts = []
    try:
        while part := link.recv(1 << 16):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def read_ledger(project: Project) -> list[Event]:
    """Read all events of a project; the chain must hold."""
    path = find_ledger(project.dmm)
    if not path.exists():
        return []
    log = EventLog.open(path)
    try:
        assert verify(log.raw()).valid
        return list(log.events())
    finally:
        log.close()


@dataclass
class Machine:
    """A user's machine in small: a home, a run folder, and the processes that live in it."""

    home: Path
    run: Path
    more: dict[str, str] = field(default_factory=dict)
    begun: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("DMM_", "CLAUDE"))}
        own = {"HOME": str(self.home), "DMM_RUN_DIR": str(self.run), "COLUMNS": "80"}
        return kept | own | self.more

    @property
    def state(self) -> Path:
        return self.home / ".local" / "state" / "dmm"

    def dmm(self, *arguments: str, within: Path | None = None) -> subprocess.CompletedProcess[str]:
        line = [str(Path(sys.executable).with_name("dmm")), *arguments]
        return subprocess.run(
            line,
            cwd=within or self.home,
            env=self.environment(),
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    def start(self) -> int:
        told = self.dmm("daemon", "start")
        assert told.returncode == 0, told.stderr
        return int(self.about["pid"])

    def hook(
        self, payload: Mapping[str, Any], *, client: str = "claude-code"
    ) -> dict[str, Any] | None:
        """Run the hook as an agent does; None where it prints nothing."""
        done = self.run_hook(json.dumps(payload), client=client, within=str(payload["cwd"]))
        assert done.returncode == 0
        assert done.stderr == ""
        return json.loads(done.stdout) if done.stdout else None

    def run_hook(
        self, text: str, *, client: str = "claude-code", within: str | Path
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-I", "-S", str(HOOK), "--client", client],
            input=text,
            cwd=within,
            env=self.environment(),
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    def begin(self, line: list[str], *, within: Path | None = None) -> subprocess.Popen[bytes]:
        """Begin a process with pipes to it; whatever becomes of it, it ends with the test."""
        running = subprocess.Popen(
            line,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=within or self.home,
            env=self.environment(),
        )
        self.begun.append(running)
        return running

    def begin_hook(self, payload: Mapping[str, Any]) -> subprocess.Popen[bytes]:
        """Begin a hook and hand it its payload; it is looked at later."""
        line = [sys.executable, "-I", "-S", str(HOOK), "--client", "claude-code"]
        running = self.begin(line, within=Path(payload["cwd"]))
        assert running.stdin is not None
        running.stdin.write(json.dumps(payload).encode())
        running.stdin.close()
        running.stdin = None
        return running

    def connect(self) -> socket.socket:
        """Open a bare connection to the background process."""
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        link.settimeout(30)
        try:
            link.connect(str(self.run / "dmm.sock"))
        except OSError:
            link.close()
            raise
        return link

    def listens(self) -> bool:
        """Tell whether a background process takes connections."""
        try:
            self.connect().close()
        except OSError:
            return False
        return True

    def tell(self, data: bytes) -> bytes:
        """Send bytes as they are, and take all that comes back."""
        with self.connect() as link:
            link.sendall(data)
            return take_all(link)

    def ask(self, verb: str, *, version: str = VERSION, **arguments: Any) -> dict[str, Any]:
        body = json.dumps({"verb": verb, "arguments": arguments}).encode()
        reply = self.tell(f"DMM1 {version} call {verb} {len(body)}\n".encode() + body)
        assert reply[:1] == b"+"
        return dict(json.loads(reply[1:]))

    @property
    def about(self) -> dict[str, Any]:
        return dict(read_about(self.run))

    def status(self) -> dict[str, Any]:
        return dict(json.loads(self.dmm("daemon", "status", "--json").stdout))

    def pids(self) -> list[int]:
        """Find the background processes of this machine."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    line = (entry / "cmdline").read_bytes().split(b"\0")
                    own = (entry / "environ").read_bytes().split(b"\0")
                except OSError:
                    continue
                if b"dmm.daemon" in line and os.fsencode(f"DMM_RUN_DIR={self.run}") in own:
                    found.append(int(entry.name))
        return found

    def clean_up(self) -> None:
        for running in self.begun:
            running.kill()
            running.wait()
            for pipe in (running.stdin, running.stdout, running.stderr):
                if pipe is not None:
                    pipe.close()
        for pid in self.pids():
            os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + 10
        while self.pids() and time.monotonic() < deadline:
            time.sleep(0.02)
        for pid in self.pids():
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def machine(home: Path, tmp_path: Path) -> Iterator[Machine]:
    found = Machine(home, tmp_path / "run", {"DMM_IDLE": "60"})
    yield found
    found.clean_up()


@pytest.fixture(scope="session")
def new_machine() -> Callable[[Path], Machine]:
    """Machines that several tests share; who makes one cleans it up."""

    def make(folder: Path) -> Machine:
        (folder / "home").mkdir()
        return Machine(folder / "home", folder / "run", {"DMM_IDLE": "600"})

    return make


@dataclass(frozen=True, slots=True)
class Session:
    """Writes the payloads of one session of an agent in a project."""

    folder: Path
    name: str = "5b1b6a3e-0000-4000-8000-000000000001"

    def payload(self, event: str, **fields: Any) -> dict[str, Any]:
        told = {"session_id": self.name, "cwd": str(self.folder), "hook_event_name": event}
        return told | {"transcript_path": "/nowhere.jsonl"} | fields

    def start(self, source: str = "startup") -> dict[str, Any]:
        return self.payload("SessionStart", source=source)

    def prompt(self, text: str, number: int = 1) -> dict[str, Any]:
        return self.payload("UserPromptSubmit", prompt=text, prompt_id=f"prompt-{number}")

    def bash(self, command: str, number: int = 1, event: str = "PreToolUse") -> dict[str, Any]:
        fields: dict[str, Any] = {
            "tool_name": "Bash",
            "tool_input": {"command": command, "description": "x"},
            "tool_use_id": f"toolu_{number:020d}",
        }
        if event == "PostToolUse":
            fields["tool_response"] = {"stdout": "fine", "stderr": "", "interrupted": False}
        return self.payload(event, **fields)


def move_in(project: Project, home: Path) -> Project:
    """Trust a project; prompts may take their time on a busy machine."""
    (project.dmm / "daemon.config.json").write_text('{"hooks": {"prompt_deadline_ms": 2000}}')
    project.trust(home)
    return project


@pytest.fixture
def lived_in(shop: Project, home: Path) -> Project:
    """The sample project, trusted."""
    return move_in(shop, home)


@pytest.fixture
def session(lived_in: Project) -> Session:
    return Session(lived_in.folder)


@pytest.fixture
def ruled(lived_in: Project, open_project: Opener) -> Project:
    """The sample project with a launch contract and one rule that forbids a command."""
    (lived_in.dmm / "BOOT.md").write_text("# DMM: read this first\n\nAsk for packs.\n")
    dmm = open_project(lived_in)
    dmm.ledger.add_constraint(RULE)
    dmm.close()
    return lived_in


def context(told: dict[str, Any] | None) -> str:
    assert told is not None
    return str(told["hookSpecificOutput"]["additionalContext"])


@pytest.fixture
def house(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, lived_in: Project
) -> Iterator[Daemon]:
    """The inside of a background process that serves the sample project, in this process."""
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("DMM_RUN_DIR", str(tmp_path / "run"))
    instance = claim(tmp_path / "run", patience=0.0)
    assert instance is not None
    log = Log(tmp_path / "logs" / "daemon.log")
    found = Daemon(instance, log, 0, lambda: None)
    found.projects.find(lived_in.folder)
    yield found
    found.leave()
    found.close()
    log.close()
    instance.release()


@pytest.fixture(scope="session")
def watchers() -> dict[str, MakeWatcher]:
    """The ways to notice changes, by name."""
    return WATCHERS


@pytest.fixture(params=list(WATCHERS))
def make_watcher(request: pytest.FixtureRequest) -> MakeWatcher:
    return WATCHERS[request.param]


@pytest.fixture(scope="session")
def wait() -> Callable[..., Any]:
    return eventually


@pytest.fixture(scope="session")
def ledger() -> Callable[[Project], list[Event]]:
    return read_ledger
