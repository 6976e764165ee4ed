"""Check that clients are connected, by reading their configuration and running it."""

from __future__ import annotations

import contextlib
import re
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dmm.clients.launch import FULL, HOOK, SERVER
from dmm.clients.registry import all_clients, find_client
from dmm.errors import DmmError
from dmm.eventlog.open_ledger import TrustedLedger
from dmm.eventlog.place import find_ledger
from dmm.files.consents import find_consents
from dmm.files.roots import NAME
from dmm.files.trusted import FILE_NAME, TrustStore
from dmm.install.change import read_text
from dmm.install.steps import list_steps
from dmm.install.trial import Trial, decision_of
from dmm.ledger.service import Ledger
from dmm.project.doctor import Check
from dmm.project.init import set_up
from dmm.rulefile import RuleFiles
from dmm.rules.project_ledger import ProjectLedger
from dmm.rules.published import PublishedRules

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterator, Mapping

    from dmm.clients.base import Client
    from dmm.clients.place import Scope
    from dmm.install.service import Installation
    from dmm.install.steps import Step

_BY_NAME = {name: re.compile(rf"(?<![\w/\\.-]){name} --client\b") for name in (HOOK, SERVER)}
RULE = "Never run git push --force."
FORBIDDEN = "git push --force origin main"
TRIES = 3
HARMLESS = "git status"
MARK = "The doctor's mark: a memory that every session starts with."
_BASELINE = f"""---
id: mem_2026_01_01_001
tags: [doctor]
scope: baseline
priority: 1.0
confidence: stable
status: active
---

# The doctor's mark

{MARK}
"""


@dataclass(frozen=True, slots=True)
class Wired:
    """One of our commands as a client has it."""

    client: Client
    kind: str
    line: str
    configured: bool = True

    @property
    def title(self) -> str:
        """Name whose command it is: a client's, or our own that no client has yet."""
        return self.client.title if self.configured else "the hook"


@dataclass(frozen=True, slots=True)
class Wiring:
    """What is configured for DMM in the user's files and in those of the project."""

    scopes: Mapping[Scope, Installation]

    def check(self) -> Iterator[Check]:
        """Check the configuration of every client that is here or holds something of ours."""
        found = [check for client in all_clients() for check in self._check_client(client)]
        if not found:
            told = "none is connected: no session gets memory, and no call is checked"
            yield Check("clients", "agents", "warn", told, "dmm install")
        yield from found

    def wired(self) -> list[Wired]:
        """List the commands that are configured, each once."""
        found = {}
        for client in all_clients():
            for _, step in self._steps(client):
                with contextlib.suppress(DmmError):
                    for one in step.commands():
                        found[one.line] = Wired(client, one.kind, one.line)
        return list(found.values())

    def _steps(self, client: Client) -> Iterator[tuple[Scope, Step]]:
        for scope, installation in self.scopes.items():
            launches = (installation.launch, replace(installation.launch, tools=FULL))
            chosen = (list_steps(client, installation.place, scope, one) for one in launches)
            for step, full in zip(*chosen, strict=True):
                yield scope, full if _is_same(full) else step

    def _check_client(self, client: Client) -> Iterator[Check]:
        place = next(iter(self.scopes.values())).place
        noticed = client.notice(place)
        checks: list[Check] = []
        there: list[tuple[Scope, Step]] = []
        lacking: list[tuple[Scope, Step]] = []
        for scope, step in self._steps(client):
            check, state = self._check_step(client, scope, step)
            if check is not None:
                checks.append(check)
            (lacking if state == "none" else there).append((scope, step))
        if not there and not checks:
            if noticed:
                told = f"detected ({noticed}), but not connected to DMM"
                way = f"dmm install --client {client.name}"
                yield Check("clients", client.title, "warn", told, way)
            return
        yield from checks
        if all(check.level == "ok" for check in checks):
            yield from _check_halves(client, there, lacking)
        yield from _check_doubles(client, there)
        for _, step in there:
            yield from _check_switches(client, step)

    def _check_step(self, client: Client, scope: Scope, step: Step) -> tuple[Check | None, str]:
        name = f"{client.title} {step.what}"
        try:
            state = step.state()
        except DmmError as error:
            return Check("clients", name, "fail", str(error), error.hint), "broken"
        if state == "same":
            return Check("clients", name, "ok", f"installed for the {scope}: {step.where}"), state
        if state == "none":
            return None, state
        way = f"dmm install --client {client.name} --scope {scope}"
        told = f"differs from what this version writes: {step.where}"
        installation = self.scopes[scope]
        return Check(
            *("clients", name, "warn", told, way),
            fix=lambda: installation.apply([client.name], scope),
        ), state


def _is_same(step: Step) -> bool:
    try:
        return step.state() == "same"
    except DmmError:
        return False


def _check_halves(
    client: Client, there: list[tuple[Scope, Step]], lacking: list[tuple[Scope, Step]]
) -> Iterator[Check]:
    """Name hooks or tools that are missing while the others are installed."""
    scopes, known = {scope for scope, _ in there}, {step.what for _, step in there}
    for scope, step in lacking:
        if scope in scopes and step.what not in known:
            way = f"dmm install --client {client.name} --scope {scope}"
            told = f"not installed: {step.where}"
            yield Check("clients", f"{client.title} {step.what}", "warn", told, way)


def _check_doubles(client: Client, there: list[tuple[Scope, Step]]) -> Iterator[Check]:
    scopes = {scope for scope, step in there if step.what != "tools"}
    if len(scopes) > 1:
        told = "the hooks are in both your user files and the project's: each event arrives twice"
        way = f"keep one: dmm install --uninstall --client {client.name} --scope project"
        yield Check("clients", f"{client.title} hooks", "warn", told, way)


def _check_switches(client: Client, step: Step) -> Iterator[Check]:
    """Look for settings that keep a client from running what is configured."""
    if step.what == "tools":
        return
    for one in client.remarks(Path(step.where), lambda path: read_text(path) or ""):
        yield Check("clients", one.name, one.level, one.told, one.way)


@contextlib.contextmanager
def open_trial(environment: Mapping[str, str], now: Callable[[], dt.datetime]) -> Iterator[Trial]:
    """Make a trusted project with one memory and one rule, for as long as the proofs take."""
    with tempfile.TemporaryDirectory(prefix="dmm-doctor-") as base:
        project, state = Path(base).resolve() / "project", Path(base) / "state"
        project.mkdir()
        store = TrustStore(state / FILE_NAME)
        set_up(project, day=now().date(), store=store)
        (project / NAME / "memory" / "baseline" / "doctor.md").write_text(_BASELINE)
        find_consents(store, project / NAME).accept()
        record = TrustedLedger(store, project / NAME)
        project_ledger = ProjectLedger(find_ledger(project / NAME), now, record_of=record)
        with contextlib.closing(project_ledger):
            published = PublishedRules(
                RuleFiles(str(state)), project / NAME, project_ledger, "allow"
            )
            Ledger(project_ledger, published).add_constraint(RULE)
        kept = {key: value for key, value in environment.items() if not key.startswith("DMM_")}
        own = {"DMM_STATE_DIR": str(state), "DMM_RUN_DIR": str(Path(base) / "run")}
        trial = Trial(project, kept | own)
        with trial.background():
            yield trial


def prove(trial: Trial, wired: list[Wired]) -> Iterator[Check]:
    """Run every configured command as its client would, and see that it does its work."""
    for number, one in enumerate(wired):
        lacking = _lacking(trial, one)
        if lacking is not None:
            yield lacking
            continue
        try:
            if one.kind == "hook":
                yield from _prove_hook(trial, one, number)
            else:
                yield _prove_server(trial, one)
        except DmmError as error:
            way = f"dmm install --client {one.client.name}; then: dmm doctor"
            told = f"{error.what}: {one.line}"
            yield Check("proof", f"{one.title} {one.kind}", "fail", told, error.hint or way)


def prove_alone(trial: Trial, own: Wired) -> Iterator[Check]:
    """See that the hook denies also where no background process can be reached or started."""
    nowhere = {"DMM_RUN_DIR": str(trial.project / ".dmm" / "BOOT.md" / "run")}
    alone = replace(trial, environment={**trial.environment, **nowhere})
    name = own.client.name
    forbidden = decision_of(alone.request(own.line, name, FORBIDDEN, 10_000))
    harmless = decision_of(alone.request(own.line, name, HARMLESS, 10_001))
    if forbidden == "deny" and harmless != "deny":
        told = "a forbidden command is denied even when the daemon is not running"
        yield Check("proof", "without the daemon", "ok", told)
    else:
        told = f"a forbidden command got: {forbidden or 'nothing'}, a harmless one: {harmless}"
        yield Check("proof", "without the daemon", "fail", told, "report this as a bug")


def prove_http(trial: Trial) -> Iterator[Check]:
    """See that the background process of the trial answers over HTTP."""
    trial.ask_http()
    yield Check("proof", "HTTP", "ok", "the daemon answers over HTTP")


def _lacking(trial: Trial, one: Wired) -> Check | None:
    """Return a problem if a command is configured by name and not on the PATH."""
    named = next((name for name in (HOOK, SERVER) if _BY_NAME[name].search(one.line)), None)
    if named is None or trial.finds(named):
        return None
    there = Path(sys.executable).with_name(named)
    told = f"{named} is not on your PATH, so DMM does not run there"
    way = f'run make install in the DMM folder, or: ln -s "{there}" ~/.local/bin/'
    return Check("proof", f"{one.title} {one.kind}", "fail", told, way)


def _prove_hook(trial: Trial, one: Wired, number: int) -> Iterator[Check]:
    title, name = one.title, one.client.name
    way = "see: dmm daemon logs"
    if "session_start" not in one.client.takes_context:
        told = "this client gets memory only through its tools, not from hooks"
        yield Check("proof", f"{title} at session start", "ok", told)
    elif MARK in trial.begin(one.line, name):
        yield Check("proof", f"{title} at session start", "ok", "a session starts with its memory")
    else:
        told = f"the hook runs but returns no memory: {one.line}"
        yield Check("proof", f"{title} at session start", "fail", told, way)
    forbidden = decision_of(trial.request(one.line, name, FORBIDDEN, 2 * number))
    harmless = decision_of(trial.request(one.line, name, HARMLESS, 2 * number + 1))
    if forbidden == "deny" and harmless != "deny":
        told = "a forbidden command is denied, a harmless one is allowed"
        yield Check("proof", f"{title} denies", "ok", told)
    elif forbidden != "deny":
        told = f"a forbidden command was not denied (it said: {forbidden or 'nothing'})"
        yield Check("proof", f"{title} denies", "fail", told, way)
    else:
        yield Check("proof", f"{title} denies", "fail", "a harmless command was denied", way)


def _prove_server(trial: Trial, one: Wired) -> Check:
    told = trial.greet(one.line)
    return Check("proof", f"{one.title} tools", "ok", f"the server answers: {told}")


def own_hook(installation: Installation) -> Wired:
    """Return the hook of this installation, to be proved where no client has it yet."""
    line = installation.launch.hook_line("claude-code")
    return Wired(find_client("claude-code"), "hook", line, configured=False)
