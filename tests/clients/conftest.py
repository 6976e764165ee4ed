"""The real clients, each on a stage of its own: a clean home, no network, a scripted model."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.clients.scripted import Request, Script, ScriptedModel, Turn
from tests.clients.terminal import Terminal, open_terminal
from tests.clients.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

REPOSITORY = Path(__file__).resolve().parents[2]
PATIENCE = 120
NEW_NETWORK = 0x40000000
SET_FLAGS, UP_AND_RUNNING = 0x8914, 0x41
OUR_PROGRAMS = ("dmm.daemon", "dmm/hook/", "dmm/mcp_stdio/", "dmm-hook", "dmm-mcp")
KEY = "not-a-key"
CLAUDE_READY = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"
CLAUDE = "node_modules/@anthropic-ai/claude-code-linux-x64/claude"
CODEX = "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"


@pytest.fixture(scope="session")
def clients_folder() -> Path:
    """The folder of the real clients; without npm, or the network to fetch them, tests skip."""
    told = subprocess.run(
        ["sh", str(REPOSITORY / "tools" / "clients.sh")],
        capture_output=True,
        text=True,
        timeout=900,
        check=True,
    ).stdout.strip()
    state, _, rest = told.partition(" ")
    if state != "ready":
        pytest.skip(f"no real clients here: {rest}")
    return Path(rest)


def _leave_network() -> None:
    """Give this thread, and what it starts, a network of its own that has only loopback."""
    if sys.platform != "linux" or ctypes.CDLL(None).unshare(NEW_NETWORK):
        return
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        fcntl.ioctl(link, SET_FLAGS, struct.pack("16sh14x", b"lo", UP_AND_RUNNING))


@dataclass(frozen=True, slots=True)
class Run:
    """What a client said, and what it asked the model."""

    requests: list[Request]
    stdout: str
    stderr: str
    exit: int

    @property
    def main(self) -> list[Request]:
        """The requests of the conversation itself: those that offer tools."""
        return [request for request in self.requests if request.body.get("tools")]


@dataclass(slots=True)
class Live:
    """A client that runs, with the model it speaks to."""

    process: subprocess.Popen[str]
    script: Script

    def wait(self) -> Run:
        """Wait for its end."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return Run(self.script.requests, out, err, self.process.returncode)


@dataclass(frozen=True, slots=True)
class Hand:
    """A client that is used by hand, with the model it speaks to."""

    terminal: Terminal
    script: Script
    # What the client writes when a turn is over.
    rest: str

    @property
    def main(self) -> list[Request]:
        """The requests of the conversation itself: those that offer tools."""
        return [request for request in self.script.requests if request.body.get("tools")]

    def do(self, line: str) -> None:
        """Enter a line and wait for the end of the turn it begins."""
        rests = self.terminal.read().count(self.rest)
        self.terminal.enter(line)
        self.terminal.wait_for(self.rest, rests + 1)

    def ask(self, prompt: str) -> Request:
        """Send a prompt; give the first request it led to."""
        before = len(self.main)
        self.do(prompt)
        return self.main[before]


@dataclass(slots=True)
class Stage:
    """Starts programs in a network of their own, with a clean home."""

    home: Path
    programs: list[Path]
    more: dict[str, str] = field(default_factory=dict)
    _thread: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(1, initializer=_leave_network)
    )
    _models: list[ScriptedModel] = field(default_factory=list)
    _terminals: list[Terminal] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        """A clean environment: what a client needs, and where this stage keeps things."""
        path = [*map(str, self.programs), str(Path(sys.executable).parent)]
        coverage = {key: value for key, value in os.environ.items() if key.startswith("COV")}
        return coverage | {
            "HOME": str(self.home),
            "PATH": os.pathsep.join([*path, "/usr/local/bin", "/usr/bin", "/bin"]),
            "LANG": "C.UTF-8",
            "TERM": "xterm",
            **self.more,
        }

    def serve(self, turns: Sequence[Turn]) -> ScriptedModel:
        """Start a scripted model on this stage."""
        model = self._thread.submit(ScriptedModel, Script(turns)).result()
        self._models.append(model)
        return model

    def start(
        self, line: Sequence[str], *, within: Path, env: Mapping[str, str], model: ScriptedModel
    ) -> Live:
        """Start a program here; it hears nothing on its standard input."""
        process = self._thread.submit(
            lambda: subprocess.Popen(
                line,
                cwd=within,
                env=self.environment | dict(env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        ).result()
        return Live(process, model.script)

    def open(
        self, line: Sequence[str], *, within: Path, env: Mapping[str, str], ready: str
    ) -> Terminal:
        """Start a program on a terminal and wait until it is ready to be used."""
        whole = self.environment | dict(env)
        terminal: Terminal = self.call(lambda: open_terminal(line, within=within, env=whole))
        self._terminals.append(terminal)
        terminal.wait_for(ready)
        return terminal

    def call(self, function: Callable[[], Any]) -> Any:
        """Do something in this stage's network."""
        return self._thread.submit(function).result()

    def dmm(self, *arguments: str, within: Path) -> subprocess.CompletedProcess[str]:
        """Run a dmm command of this user."""
        return self._thread.submit(
            lambda: subprocess.run(
                [str(Path(sys.executable).with_name("dmm")), *arguments],
                cwd=within,
                env=self.environment,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
        ).result()

    def status(self, within: Path) -> dict[str, Any]:
        """Ask the daemon how it is."""
        told: dict[str, Any] = json.loads(
            self.dmm("daemon", "status", "--json", within=within).stdout
        )
        return told

    def warm(self, within: Path) -> None:
        """Start the daemon and wait until it can answer a prompt."""
        assert self.dmm("daemon", "start", within=within).returncode == 0
        wait_for("the model", lambda: self.status(within)["model_loaded"])

    def stop_daemons(self) -> None:
        """End every daemon of this user, also one that listens where no other looks."""
        for pid, line in self._running().items():
            if "dmm.daemon" in line:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)
        self.wait_for_silence()

    def ledger(self, within: Path) -> list[dict[str, Any]]:
        """Read the events of a project."""
        line = ("ledger", "log", "--last", "1000", "--json")
        told = json.loads(self.dmm(*line, within=within).stdout)
        events: list[dict[str, Any]] = told["events"]
        return events

    def kinds(self, within: Path) -> list[str]:
        """Tell the kinds of the events of a project, in their order."""
        return [event["type"] for event in self.ledger(within)]

    def processes(self) -> list[str]:
        """List our programs that run for this user, wherever they listen."""
        return list(self._running().values())

    def _running(self) -> dict[int, str]:
        mark = f"HOME={self.home}\0".encode()
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                ours = any(name in line for name in OUR_PROGRAMS)
                if ours and mark in (folder / "environ").read_bytes():
                    found[int(folder.name)] = line
        return found

    def wait_for_silence(self) -> None:
        """Wait until nothing of ours runs any more."""
        seen = self.processes
        wait_for("the end of all processes", lambda: not seen(), lambda: "\n".join(seen()))

    def close(self) -> None:
        """Stop the models and the daemon, if one was started."""
        for terminal in self._terminals:
            terminal.close()
        for model in self._models:
            model.close()
        self.stop_daemons()
        self._thread.shutdown()


@contextlib.contextmanager
def short_home() -> Iterator[Path]:
    # Sockets lie in it, and their paths must be short; the folder of a test is not.
    folder = Path(tempfile.mkdtemp(prefix="dmm-home-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def home() -> Iterator[Path]:
    with short_home() as folder:
        yield folder


@contextlib.contextmanager
def open_stage(home: Path, clients_folder: Path) -> Iterator[Stage]:
    programs = [(clients_folder / name).parent for name in (CLAUDE, CODEX)]
    with contextlib.closing(Stage(home, programs)) as stage:
        yield stage


@pytest.fixture
def stage(home: Path, clients_folder: Path) -> Iterator[Stage]:
    with open_stage(home, clients_folder) as stage:
        yield stage


@pytest.fixture(scope="module")
def shared_stage(clients_folder: Path) -> Iterator[Stage]:
    """One stage for the tests of a file that change nothing on it for one another."""
    with short_home() as home, open_stage(home, clients_folder) as stage:
        yield stage


@dataclass(frozen=True, slots=True)
class RealClaude:
    """Runs the real Claude Code."""

    stage: Stage
    program: Path

    def environment(self, model: ScriptedModel) -> dict[str, str]:
        """What leads the client to the scripted model and nowhere else."""
        return {
            "ANTHROPIC_BASE_URL": model.address,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            # As root it refuses to work without asking, unless it is told that it is shut in.
            "IS_SANDBOX": "1",
        }

    def start(self, project: Path, script: Sequence[Turn], prompt: str, *more: str) -> Live:
        """Start it with one prompt."""
        model = self.stage.serve(script)
        line = [str(self.program), "-p", prompt, "--permission-mode", "bypassPermissions", *more]
        return self.stage.start(line, within=project, env=self.environment(model), model=model)

    def open(self, project: Path, script: Sequence[Turn], ready: str = CLAUDE_READY) -> Hand:
        """Start it on a terminal; what it asks every new user is answered already."""
        path = self.stage.home / ".claude.json"
        known = json.loads(path.read_text()) if path.exists() else {}
        known |= {"hasCompletedOnboarding": True, "theme": "dark"}
        known |= {"customApiKeyResponses": {"approved": [KEY], "rejected": []}}
        known |= {"projects": {str(project): {"hasTrustDialogAccepted": True}}}
        path.write_text(json.dumps(known))
        model = self.stage.serve(script)
        env = self.environment(model)
        terminal = self.stage.open([str(self.program)], within=project, env=env, ready=ready)
        return Hand(terminal, model.script, " · done ")

    def __call__(self, project: Path, script: Sequence[Turn], prompt: str, *more: str) -> Run:
        return self.start(project, script, prompt, *more).wait()


@dataclass(frozen=True, slots=True)
class RealCodex:
    """Runs the real Codex."""

    stage: Stage
    program: Path

    def options(self, model: ScriptedModel) -> list[str]:
        """What leads the client to the scripted model and nowhere else."""
        provider = f'{{name="scripted",base_url="{model.address}/v1",wire_api="responses",'
        provider += 'env_key="SCRIPTED_KEY",supports_websockets=false}'
        settings = {
            "model": '"scripted"',
            "model_provider": '"scripted"',
            "model_providers.scripted": provider,
            "check_for_update_on_startup": "false",
            "analytics.enabled": "false",
            # It looks for news of its plugins on the network, and waits 5 s for it at its end.
            "features.plugins": "false",
            # What is typed as fast as here would count as pasted, with line ends in it.
            "disable_paste_burst": "true",
        }
        words = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        free = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
        return [*words, *free]

    def start(self, project: Path, script: Sequence[Turn], prompt: str, *more: str) -> Live:
        """Start it with one prompt; its hooks count as trusted."""
        model = self.stage.serve(script)
        line = [str(self.program), "exec", "--skip-git-repo-check", *self.options(model)]
        env = {"SCRIPTED_KEY": KEY}
        return self.stage.start([*line, *more, prompt], within=project, env=env, model=model)

    def open(self, project: Path, script: Sequence[Turn], *more: str) -> Hand:
        """Start it on a terminal; the project and its hooks count as trusted."""
        model = self.stage.serve(script)
        line = [str(self.program), *self.options(model), *self.trust(project), *more]
        env = {"SCRIPTED_KEY": KEY}
        ready = "Ask Codex to do anything"
        terminal = self.stage.open(line, within=project, env=env, ready=ready)
        return Hand(terminal, model.script, "Worked for ")

    def trust(self, project: Path) -> list[str]:
        """Say what a user says when Codex asks whether a project can be trusted."""
        return ["-c", f'projects={{"{project}"={{trust_level="trusted"}}}}']

    def __call__(self, project: Path, script: Sequence[Turn], prompt: str, *more: str) -> Run:
        return self.start(project, script, prompt, *more).wait()


@pytest.fixture
def claude(stage: Stage, clients_folder: Path) -> RealClaude:
    return RealClaude(stage, clients_folder / CLAUDE)


@pytest.fixture
def codex(stage: Stage, clients_folder: Path) -> RealCodex:
    return RealCodex(stage, clients_folder / CODEX)


@pytest.fixture(scope="module")
def shared_claude(shared_stage: Stage, clients_folder: Path) -> RealClaude:
    return RealClaude(shared_stage, clients_folder / CLAUDE)


@pytest.fixture(scope="module")
def shared_codex(shared_stage: Stage, clients_folder: Path) -> RealCodex:
    return RealCodex(shared_stage, clients_folder / CODEX)
