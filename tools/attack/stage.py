"""A user's machine in small for one attack: a home, a project with a rule, and real hooks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dmm.hook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HOOK = Path(dmm.hook.__path__[0]) / "__main__.py"
RULE = "never run terraform destroy"
# Rules in files: on a command, on paths, and on what is written.
RULE_FILES = {
    "namespaces": ("match:\n  command: kubectl delete namespace\n", "Never delete a namespace"),
    "generated": ('match:\n  path: "generated/**"\n', "Do not edit generated files"),
    "no-console-log": (
        'match:\n  content: {pattern: "console.log($$$)"}\n  path: "src/**"\n',
        "No console.log in src",
    ),
}
AT_ONCE = 4
WITHIN = 60.0


@dataclass(frozen=True, slots=True)
class Call:
    """A call of an agent's tool; paths count from the project."""

    tool: str
    input: dict[str, str]

    @classmethod
    def run(cls, command: str) -> Call:
        """Run a command."""
        return cls("Bash", {"command": command})

    @classmethod
    def write(cls, path: str, text: str) -> Call:
        """Write a whole file."""
        return cls("Write", {"file_path": path, "content": text})

    @classmethod
    def edit(cls, path: str, old: str, new: str) -> Call:
        """Replace a part of a file."""
        return cls("Edit", {"file_path": path, "old_string": old, "new_string": new})

    def within(self, folder: Path) -> dict[str, str]:
        """Return its input as a client gives it, with a whole path."""
        path = self.input.get("file_path")
        return self.input | ({} if path is None else {"file_path": str(folder / path)})


FORBIDDEN = Call.run("terraform destroy -auto-approve")
ALLOWED = Call.run("terraform plan -out plan.bin")
# What each rule forbids, and something near it that it allows.
FORBIDDEN_CALLS = (
    FORBIDDEN,
    Call.run("sudo kubectl delete namespace prod"),
    Call.write("generated/api.ts", "export {}\n"),
    Call.run("cat > generated/api.ts <<'EOF'\nexport {}\nEOF"),
    Call.edit("src/a.ts", "1", "console.log(1)"),
    Call.write("src/new.ts", "export function f() {\n  console.log(1)\n}\n"),
)
ALLOWED_CALLS = (
    ALLOWED,
    Call.run("kubectl get namespace prod"),
    Call.write("lib/api.ts", "export {}\n"),
    Call.run("cat generated/api.ts"),
    Call.edit("test/a.ts", "1", "console.log(1)"),
    Call.write("docs/logging.md", "Do not call console.log(1).\n"),
)


@dataclass(slots=True)
class Tally:
    """What became of the calls: forbidden ones by outcome, and allowed ones that were stopped."""

    forbidden: Counter[str] = field(default_factory=Counter)
    allowed: Counter[str] = field(default_factory=Counter)

    def __iadd__(self, other: Tally) -> Tally:
        self.forbidden += other.forbidden
        self.allowed += other.allowed
        return self

    @property
    def silent(self) -> int:
        """How many forbidden calls got through without a word."""
        return self.forbidden["allow"]

    @property
    def not_denied(self) -> int:
        """How many forbidden calls were not denied, asked about or not."""
        return sum(self.forbidden.values()) - self.forbidden["deny"]

    @property
    def wrong(self) -> int:
        """How many allowed calls were stopped."""
        return sum(self.allowed.values()) - self.allowed["allow"] - self.allowed["told"]


@dataclass(slots=True)
class Stage:
    """Runs the command and the hook of one user in one place."""

    base: Path
    more: dict[str, str] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    _calls: int = 0
    _forbidden: Iterator[Call] = field(default_factory=lambda: cycle(FORBIDDEN_CALLS))
    _allowed: Iterator[Call] = field(default_factory=lambda: cycle(ALLOWED_CALLS))

    @property
    def home(self) -> Path:
        """The user's home."""
        return self.base / "home"

    @property
    def project(self) -> Path:
        """The project in which the agent works."""
        return self.base / "work"

    @property
    def state(self) -> Path:
        """The user's state folder."""
        return self.home / ".local" / "state" / "dmm"

    def environment(self) -> dict[str, str]:
        """Return the environment of all processes of this user."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("DMM_", "CLAUDE"))}
        own = {"HOME": str(self.home), "DMM_RUN_DIR": str(self.base / "run"), "DMM_IDLE": "600"}
        return kept | own | self.more

    def dmm(self, *words: str) -> str:
        """Run the dmm command in the project and return what it prints."""
        line = [str(Path(sys.executable).with_name("dmm")), *words]
        done = subprocess.run(
            line, cwd=self.project, env=self.environment(), capture_output=True, encoding="utf-8"
        )
        if done.returncode != 0:
            raise RuntimeError(f"dmm {' '.join(words)}: {done.stderr}")
        return done.stdout

    def prepare(self) -> None:
        """Make a Git repository with memory, rules of both kinds, and a session under way."""
        self.home.mkdir(parents=True)
        self.project.mkdir()
        self.git("init", "-q", "-b", "main")
        self.dmm("init")
        for name, (fields, title) in RULE_FILES.items():
            path = self.project / ".dmm" / "rules" / f"{name}.md"
            path.write_text(f"---\n{fields}---\n# {title}\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "all")
        self.dmm("trust", "--yes")
        self.dmm("ledger", "constraint", RULE)
        self.dmm("daemon", "start")
        self.ask(ALLOWED)

    def git(self, *words: str, within: Path | None = None) -> None:
        """Run git in the project."""
        own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        line = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words]
        subprocess.run(
            line, cwd=within or self.project, env=os.environ | own, check=True, capture_output=True
        )

    def ask(self, call: Call, *, session: str = "s-1", cwd: Path | None = None) -> str:
        """Ask the hook about a call as an agent would: deny, ask, told or allow."""
        self._calls += 1
        payload = {
            "hook_event_name": "PreToolUse",
            "session_id": session,
            "cwd": str(cwd or self.project),
            "tool_name": call.tool,
            "tool_input": call.within(cwd or self.project),
            "tool_use_id": f"toolu_{self._calls}_{time.monotonic_ns()}",
        }
        line = [*self.before, sys.executable, "-I", "-S", str(HOOK), "--client", "claude-code"]
        done = subprocess.run(
            line,
            input=json.dumps(payload),
            cwd=self.base,
            env=self.environment(),
            capture_output=True,
            encoding="utf-8",
            timeout=WITHIN,
            check=False,
        )
        return _outcome(done.stdout)

    def call(self, count: int, **where: Any) -> Tally:
        """Ask about so many forbidden calls and as many allowed ones, several at a time."""
        tally = Tally()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            forbidden = [
                pool.submit(self.ask, one, **where) for one in islice(self._forbidden, count)
            ]
            allowed = [pool.submit(self.ask, one, **where) for one in islice(self._allowed, count)]
            tally.forbidden.update(one.result() for one in forbidden)
            tally.allowed.update(one.result() for one in allowed)
        return tally

    def end(self) -> None:
        """Leave no process behind."""
        self.kill()
        wait_for(lambda: not self.pids(), "no process is left")

    def pids(self) -> list[int]:
        """Find the background processes of this user."""
        run = os.fsencode(f"DMM_RUN_DIR={self.base / 'run'}")
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    line = (entry / "cmdline").read_bytes().split(b"\0")
                    own = (entry / "environ").read_bytes().split(b"\0")
                except OSError:
                    continue
                if b"dmm.daemon" in line and run in own:
                    found.append(int(entry.name))
        return found

    def kill(self, number: int = signal.SIGKILL) -> int:
        """Send a signal to the background processes, and return how many there were."""
        found = self.pids()
        for pid in found:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue
        return len(found)

    def events(self) -> dict[str, Any]:
        """Return what the daemon counts."""
        return dict(json.loads(self.dmm("daemon", "status", "--json")))


def _outcome(printed: str) -> str:
    if not printed:
        return "allow"
    told = json.loads(printed)
    decision = told.get("hookSpecificOutput", {}).get("permissionDecision")
    return str(decision or ("told" if told.get("systemMessage") else "allow"))


def wait_for(check: Callable[[], bool], what: str, within: float = WITHIN) -> None:
    """Wait until something holds; the processes looked at can't be told to report."""
    deadline = time.monotonic() + within
    while not check():
        if time.monotonic() > deadline:
            raise RuntimeError(f"it did not happen: {what}")
        time.sleep(0.02)
