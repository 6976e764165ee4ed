"""The real clients, each on a stage of its own: a clean home, no network, a scripted model."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

REPOSITORY = Path(__file__).resolve().parents[2]
PATIENCE = 120
NEW_NETWORK = 0x40000000
SET_FLAGS, UP_AND_RUNNING = 0x8914, 0x41
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


@dataclass(slots=True)
class Stage:
    """Starts programs in a network of their own, with a clean home."""

    home: Path
    run_folder: Path
    programs: list[Path]
    _thread: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(1, initializer=_leave_network)
    )
    _models: list[ScriptedModel] = field(default_factory=list)

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
            "DMM_RUN_DIR": str(self.run_folder),
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

    def close(self) -> None:
        """Stop the models and the daemon, if one was started."""
        for model in self._models:
            model.close()
        self.dmm("daemon", "stop", within=self.home)
        self._thread.shutdown()


@pytest.fixture
def stage(home: Path, clients_folder: Path) -> Iterator[Stage]:
    # A socket's path must be short; the folder of a test is not.
    run_folder = Path(tempfile.mkdtemp(prefix="dmm-run-"))
    programs = [(clients_folder / name).parent for name in (CLAUDE, CODEX)]
    stage = Stage(home, run_folder, programs)
    with contextlib.closing(stage):
        yield stage
    shutil.rmtree(run_folder)


@dataclass(frozen=True, slots=True)
class RealClaude:
    """Runs the real Claude Code."""

    stage: Stage
    program: Path

    def environment(self, model: ScriptedModel) -> dict[str, str]:
        """What leads the client to the scripted model and nowhere else."""
        return {
            "ANTHROPIC_BASE_URL": model.address,
            "ANTHROPIC_API_KEY": "not-a-key",
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
        }
        return [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]

    def start(self, project: Path, script: Sequence[Turn], prompt: str, *more: str) -> Live:
        """Start it with one prompt; its hooks count as trusted."""
        model = self.stage.serve(script)
        free = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        free += ["--dangerously-bypass-hook-trust"]
        line = [str(self.program), "exec", *self.options(model), *free, *more, prompt]
        env = {"SCRIPTED_KEY": "not-a-key"}
        return self.stage.start(line, within=project, env=env, model=model)

    def __call__(self, project: Path, script: Sequence[Turn], prompt: str, *more: str) -> Run:
        return self.start(project, script, prompt, *more).wait()


@pytest.fixture
def claude(stage: Stage, clients_folder: Path) -> RealClaude:
    return RealClaude(stage, clients_folder / CLAUDE)


@pytest.fixture
def codex(stage: Stage, clients_folder: Path) -> RealCodex:
    return RealCodex(stage, clients_folder / CODEX)
