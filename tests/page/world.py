"""A user's machine with projects that were worked in: through hooks, commands and HTTP.

To build one takes a while, so it is done once; tests get copies, which the user trusts as they are.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import shutil
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import apsw
import pexpect
from tests.conftest import SAMPLE, Project, git
from tests.daemon.conftest import Machine, Session, eventually
from tests.page.agent import run_hooks
from tests.page.sample import CLASHING, FROM_A_FORUM, FRONT, NOTE, OTHER_LENGTH, PLAIN, RULES

from dmm.bootstrap import now, open_dmm
from dmm.eventlog.place import find_ledger
from dmm.files.roots import Root
from dmm.files.trusted import TrustStore
from dmm.project.trust import Vetting

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# On a busy machine a prompt may take its time; the page is not about that.
SETTINGS = '{"hooks": {"prompt_deadline_ms": 2000}}'
PROMPTS = (
    "add password reset to the login flow",
    "a customer can't log in after five failed logins; when does the session end",
    "why is a customer charged once only when the payment provider answers late",
)
BLOCKED = "terraform destroy -auto-approve"
PUSHED = "git push origin main"


@dataclass
class World:
    """A machine, a project that was worked in, and the ways to reach them."""

    machine: Machine
    project: Project
    ids: dict[str, str] = field(default_factory=dict)

    @property
    def root(self) -> str:
        return str(self.project.folder)

    def ask(
        self, method: str, path: str, body: object = None, *, root: str | None = None
    ) -> dict[str, Any]:
        """Ask the daemon as a program does, with its token; what it says counts as an agent's."""
        status, told = self.try_to(method, path, body, root=root)
        assert status == 200, (path, status, told)
        return told

    def try_to(
        self, method: str, path: str, body: object = None, *, root: str | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Ask as a program does, and return the status too."""
        about = self.machine.about
        link = http.client.HTTPConnection("127.0.0.1", about["port"], timeout=60)
        headers = {"Authorization": f"Bearer {about['token']}", "X-DMM-Root": root or self.root}
        sent = None if body is None else json.dumps(body)
        if sent is not None:
            headers["Content-Type"] = "application/json"
        try:
            link.request(method, path, sent, headers)
            reply = link.getresponse()
            return reply.status, dict(json.loads(reply.read() or b"{}"))
        finally:
            link.close()

    def dmm(self, *arguments: str, within: Path | None = None) -> str:
        """Run a command as the user does."""
        done = self.machine.dmm(*arguments, within=within or self.project.folder)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout

    def propose(self, path: str, body: str, reason: str, **fields: Any) -> str:
        """Have an agent propose a memory; return its id."""
        number = len(self.ids) + 101
        front = FRONT.format(id=f"mem_2026_02_03_{number}", tags="auth, payments")
        told = self.ask(
            "POST",
            "/v1/proposals",
            {"path": path, "content": front + body, "reason": reason, **fields},
        )
        self.ids[path] = str(told["id"])
        return str(told["id"])

    def propose_note(self, words: str, name: str) -> str:
        """Have an agent propose a small memory that no check has anything against."""
        body = NOTE.format(title=f"{words[0].upper()}{words[1:]}", words=words)
        return self.propose(f"project/notes/{name}.md", body, "seen while working")

    def pending(self) -> list[str]:
        """List what waits for a decision."""
        told = self.ask("GET", "/v1/proposals?status=pending")
        return [str(one["id"]) for one in told["proposals"]]

    def events(self, *types: str) -> list[dict[str, Any]]:
        """Read the newest events of some types."""
        told = self.ask("GET", "/v1/ledger/events?last=1000")
        found: list[dict[str, Any]] = told["events"]
        return [one for one in found if not types or one["type"] in types]

    def sign_in(self, to: str = "") -> str:
        """Return an address that signs a browser in once and leads to a place in the page."""
        told = self.machine.ask("code")
        places = {"in": self.root, "to": to}
        given = "".join(f"&{name}={quote(one, safe='')}" for name, one in places.items() if one)
        return f"{self.origin}/#code={told['code']}{given}"

    def leave(self) -> None:
        """Have the user trust the project no more, so that the daemon leaves it alone."""
        vet(self.machine, self.project).revoke()

    def confirmation_code(self) -> str:
        """Return the code that `dmm ui` shows to a person at a terminal."""
        line = [str(Path(sys.executable).with_name("dmm")), "ui", "--code"]
        own = self.machine.environment() | {"TERM": "xterm"}
        terminal: pexpect.spawn[str] = pexpect.spawn(
            line[0], line[1:], cwd=self.root, env=own, encoding="utf-8", timeout=60
        )
        terminal.expect(r"Confirmation code: (\d+ \d+)")
        assert isinstance(terminal.match, re.Match)
        code = terminal.match[1]
        terminal.expect(pexpect.EOF)
        terminal.close()
        return code

    @property
    def host(self) -> str:
        """The page's own name."""
        return str(self.machine.ask("code")["name"])

    @property
    def origin(self) -> str:
        """Where the page is served."""
        return f"http://{self.host}:{self.machine.about['port']}"


@dataclass(frozen=True, slots=True)
class Sample:
    """A project that was built once; tests get copies of it."""

    folder: Path
    ids: dict[str, str] = field(default_factory=dict)

    def keep(self) -> None:
        """Write down what is known of it, for another process."""
        self.folder.with_suffix(".json").write_text(json.dumps(self.ids))

    @classmethod
    def read(cls, folder: Path) -> Sample:
        return cls(folder, json.loads(folder.with_suffix(".json").read_text()))

    def copy(self, machine: Machine, into: Path) -> World:
        """Copy it to a user's machine; the user trusts it together with its ledger."""
        shutil.copytree(self.folder, into)
        project = Project(into)
        if project.index.exists():
            # A copied index is not believed; this one is told that it was made here.
            connection = apsw.Connection(str(project.index))
            inode = str(project.index.stat().st_ino)
            connection.execute("UPDATE meta SET value = ? WHERE key = 'file'", (inode,))
            connection.close()
        vet(machine, project).accept(with_ledger=True)
        return World(machine, project, dict(self.ids))


def vet(machine: Machine, project: Project) -> Vetting:
    """Return what lets the machine's user trust a project, or trust it no more."""
    store = TrustStore.of_user(machine.home)
    return Vetting(Root(project.dmm), store, find_ledger(project.dmm), now)


@contextlib.contextmanager
def running(folder: Path) -> Iterator[Machine]:
    """Run the daemon of a user who has nothing yet; it ends with the context."""
    home = folder / "home"
    home.mkdir(parents=True)
    machine = Machine(home, folder / "run", {"DMM_IDLE": "900"})
    try:
        machine.start()
        yield machine
    finally:
        machine.clean_up()


@contextlib.contextmanager
def living(folder: Path) -> Iterator[World]:
    """Build a project that was worked in, and run the daemon of its user."""
    _, worked = build(folder / "built")
    with running(folder) as machine:
        yield worked.copy(machine, folder / "lantern")


def build(folder: Path) -> tuple[Sample, Sample]:
    """Build a project twice: as its user has written it, and after agents have worked in it."""
    plain, worked = build_plain(folder), Sample(folder / "worked")
    with running(folder / "machine") as machine:
        world = plain.copy(machine, worked.folder)
        eventually(lambda: machine.status()["model_loaded"], "the model is loaded")
        _draft_rule(world)
        _work(world)
        _learn(world)
    worked = replace(worked, ids=world.ids)
    worked.keep()
    return plain, worked


def build_plain(folder: Path) -> Sample:
    """Build a project as its user has written it, with its index."""
    plain = Sample(folder / "plain")
    reindex(_write_sample(plain.folder), folder / "elsewhere")
    plain.keep()
    return plain


def reindex(project: Project, home: Path) -> None:
    """Index a project in this process."""
    home.mkdir(parents=True)
    project.trust(home)
    dmm = open_dmm(override=project.folder, home=home)
    try:
        dmm.memories.reindex()
    finally:
        dmm.close()


def _write_sample(folder: Path) -> Project:
    project = Project(folder)
    folder.parent.mkdir(parents=True)
    shutil.copytree(SAMPLE / "project", folder)
    shutil.copytree(SAMPLE / "memory", project.memory)
    shutil.copytree(SAMPLE / "brief", project.memory, dirs_exist_ok=True)
    short_lived = project.memory / "ephemeral" / "checkout_test_fails_at_midnight.md"
    short_lived.write_text(short_lived.read_text().replace("@IN_30_DAYS@", "2999-12-31"))
    project.write(
        "project/auth/sessions_end.md",
        FRONT.format(id="mem_2026_02_03_001", tags="auth, session, staff") + OTHER_LENGTH,
    )
    # The code of one memory has changed since it was written.
    auth = folder / "lantern" / "auth.py"
    auth.write_text(auth.read_text().replace("THROTTLE_ATTEMPTS = 5", "THROTTLE_ATTEMPTS = 6"))
    (project.dmm / "daemon.config.json").write_text(SETTINGS)
    (project.dmm / "rules").mkdir()
    for name, text in RULES.items():
        (project.dmm / "rules" / f"{name}.md").write_text(text)
    git(folder, "init", "--quiet")
    return project


def _draft_rule(world: World) -> None:
    """Have an agent draft a rule, which waits for a person."""
    world.ask(
        "POST",
        "/v1/rules",
        {
            "text": "releases are published by the pipeline",
            "match": [{"command": "npm publish"}],
            "examples": {"block": ["npm publish --tag next"], "allow": ["npm pack"]},
            "why": "a release from a laptop had no tests behind it",
        },
    )


def _work(world: World) -> None:
    """Two sessions through the real hook: prompts with packs, calls, and calls that are denied."""
    first = Session(world.project.folder, "5b1b6a3e-0000-4000-8000-000000000041")
    second = Session(world.project.folder, "0199a213-0000-7000-8000-000000000039")
    run(world, first, [*PROMPTS[:2]], ["ls lantern", "python -m pytest -q", BLOCKED])
    run(world, second, [PROMPTS[2]], ["git status", PUSHED], client="codex")


def run(
    world: World,
    session: Session,
    prompts: Sequence[str],
    commands: Sequence[str],
    client: str = "claude-code",
) -> None:
    """Have an agent work: start, prompts, calls; those that are allowed are made."""
    told = [session.start(), *(session.prompt(one, at) for at, one in enumerate(prompts, 1))]
    told += [session.bash(one, at) for at, one in enumerate(commands, 1)]
    answers = run_hooks(world.machine, told, client)[-len(commands) :]
    made = [
        session.bash(one, at, "PostToolUse")
        for at, (one, answer) in enumerate(zip(commands, answers, strict=True), 1)
        if "deny" not in json.dumps(answer)
    ]
    run_hooks(world.machine, made, client)


def _learn(world: World) -> None:
    """What agents recorded and proposed, and a contradiction that was found."""
    world.ask("POST", "/v1/ledger/facts", {"key": "budget", "value": "4000 EUR"})
    world.ask("POST", "/v1/ledger/facts", {"key": "region", "value": "eu-west-1"})
    decide = {"text": "Keep sessions in the database", "rationale": "a stolen laptop was logged in"}
    world.ask("POST", "/v1/ledger/decisions", decide | {"references": [1]})
    friday = {"text": "Deploy the API on Friday evening", "rationale": "it is ready"}
    world.ask("POST", "/v1/ledger/decisions", friday)
    world.propose("project/auth/session_length.md", CLASHING, "support asked for longer sessions")
    world.propose(
        "project/payments/retry_wait.md", FROM_A_FORUM, "seen in a forum", source="third_party"
    )
    world.propose("project/auth/password_reset.md", PLAIN, "decided while building the reset")
    job = world.ask("POST", "/v1/jobs", {"kind": "scan"})
    eventually(
        lambda: world.ask("GET", f"/v1/jobs/{job['id']}")["state"] == "done", "it was scanned"
    )
