"""Once a passkey is enrolled, a decision in the terminal waits until the page has confirmed it."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import re
import shlex
import signal
import sys
from contextlib import closing
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pexpect
import pytest
from tests.passkeys.authenticator import Authenticator, to_json
from tests.person_acts import LINES

from dmm.bootstrap import open_dmm
from dmm.passkeys.acts import Act, PersonAct, digest_text
from dmm.passkeys.service import MOST_OF_TERMINALS, Persons
from dmm.passkeys.webauthn import Place, decode, encode
from dmm.sessions.payload import parse_payload
from dmm.sessions.service import deliver

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from tests.conftest import Project
    from tests.daemon.conftest import Machine


pytestmark = pytest.mark.slow

# What an agent may say too: it waits for a person.
PROPOSED = (PersonAct.REMEMBER, PersonAct.FORGET, PersonAct.ADD_RULE, PersonAct.CONSTRAINT)
NOTE = "# How long a session lives\n\nA session of the shop lives for 14 days, then it ends.\n"


class Tab:
    """What a browser does with the address that the command prints."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        given = parse_qs(parts.fragment)
        self.origin = f"http://{parts.netloc}"
        self.id = given["id"][0]
        self._port = parts.port or 0
        self._own = {"Host": parts.netloc, "Origin": self.origin, "X-DMM-Page": "1"}
        assert self.ask("/v1/session", {"code": given["code"][0]})[0] == 200
        self.status, self.asked = self.ask(f"/v1/confirmations/{self.id}")

    def ask(self, path: str, body: object = None) -> tuple[int, dict[str, Any]]:
        link = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        head = {**self._own, "Content-Type": "application/json"} if body else self._own
        try:
            link.request("POST" if body else "GET", path, json.dumps(body) if body else None, head)
            reply = link.getresponse()
            cookie = reply.getheader("set-cookie")
            if cookie:
                self._own["Cookie"] = cookie.partition(";")[0]
            return reply.status, json.loads(reply.read())
        finally:
            link.close()

    def confirm(self, key: Authenticator) -> tuple[int, dict[str, Any]]:
        given = to_json(key.sign(decode(self.asked["challenge"])))
        return self.ask(f"/v1/confirmations/{self.id}", {"credential": given})


@pytest.fixture
def key(machine: Machine, lived_in: Project) -> Authenticator:
    """A passkey of the user, enrolled for the page of this machine."""
    machine.start()
    about = machine.ask("code")
    origin = f"http://{about['name']}:{about['port']}"
    persons = Persons(machine.state / "page", lambda: Place(about["name"], origin))
    persons.codes.take(persons.codes.make(), "browser")
    made = Authenticator(about["name"], origin)
    asked = persons.begin_enrolment("laptop", "browser", None)
    persons.finish_enrolment("laptop", "browser", *made.create(asked.challenge))
    return made


@pytest.fixture
def proposal(machine: Machine, lived_in: Project, tmp_path: Path) -> str:
    (tmp_path / "note.md").write_text(NOTE)
    line = ["write", "propose", "--path", "project/sessions.md", "--reason", "seen"]
    told = machine.dmm(*line, "--file", str(tmp_path / "note.md"), "--json", within=lived_in.folder)
    # A check may find fault; the proposal waits all the same.
    assert told.returncode in (0, 1), told.stderr
    return str(json.loads(told.stdout)["id"])


def begin(machine: Machine, project: Project, *line: str) -> subprocess.Popen[bytes]:
    return machine.begin([str(Path(sys.executable).with_name("dmm")), *line], within=project.folder)


def find_address(stream: IO[bytes] | None) -> str:
    assert stream is not None
    for line in stream:
        found = re.search(r"http://\S+", line.decode())
        if found is not None:
            return found[0]
    raise AssertionError("no address was printed")


def is_written(project: Project) -> bool:
    return (project.dmm / "memory" / "project" / "sessions.md").exists()


def test_a_proposal_is_approved_when_the_passkey_has_confirmed_it(
    machine: Machine, lived_in: Project, key: Authenticator, proposal: str
) -> None:
    line = ["review", "approve", proposal, "--bypass-reviewer"]
    running = begin(machine, lived_in, *line)
    tab = Tab(find_address(running.stderr))
    assert tab.asked["on"] == f"{lived_in.folder}$ dmm {' '.join(line)}"
    shown = machine.dmm("review", "show", proposal, "--json", within=lived_in.folder)
    assert tab.asked["digest"] == json.loads(shown.stdout)["digest"]
    assert (running.poll(), is_written(lived_in)) == (None, False)
    assert tab.confirm(Authenticator(key.name, key.origin))[0] == 403
    assert tab.confirm(key) == (200, {"confirmed": True})
    assert running.wait(60) == 0
    assert is_written(lived_in)
    record = (machine.state / "page" / "passkeys.jsonl").read_text()
    used = json.loads(record.splitlines()[-1])
    assert (used["type"], used["on"]) == ("used", tab.asked["on"])
    assert tab.confirm(key)[0] == 403


def test_ctrl_c_leaves_nothing_behind(
    machine: Machine,
    lived_in: Project,
    key: Authenticator,
    proposal: str,
    wait: Callable[..., Any],
) -> None:
    running = begin(machine, lived_in, "review", "approve", proposal, "--bypass-reviewer")
    tab = Tab(find_address(running.stderr))
    running.send_signal(signal.SIGINT)
    assert running.wait(60) == 130
    assert not is_written(lived_in)
    assert tab.confirm(key)[0] == 403
    assert machine.ask("confirmed", id=tab.id) == {"state": "ended"}


@pytest.fixture
def rule(machine: Machine, lived_in: Project) -> Path:
    """The file of a rule of the user's, added before there is a passkey."""
    line = ["rules", "add", "Never run terraform destroy.", "--json"]
    told = machine.dmm(*line, within=lived_in.folder)
    assert told.returncode == 0, told.stderr
    return lived_in.folder / str(json.loads(told.stdout)["path"])


@pytest.fixture
def pending(machine: Machine, lived_in: Project) -> str:
    """A rule that an agent proposed, by its number."""
    dmm = open_dmm(override=lived_in.folder, home=machine.home, by_agent=True)
    told = dmm.rules.add("Never deploy on Fridays.")
    dmm.close()
    return str(told.seq)


@pytest.fixture
def noted(machine: Machine, lived_in: Project) -> str:
    """A write of the user's that can be undone."""
    return remember(machine, lived_in, "The staging database is called harbour.")


@pytest.fixture
def constraint(machine: Machine, lived_in: Project) -> str:
    """A constraint of the user's in the ledger, by its number."""
    return str(read_json(machine, lived_in, "ledger", "constraint", "never run rm -rf")["seq"])


@pytest.fixture
def asked(machine: Machine, lived_in: Project) -> str:
    """A call that a rule asked about, by its event."""
    call = {"tool_name": "Bash", "tool_input": {"command": "dmm rules disable x"}}
    told = {"session_id": "s", "cwd": str(lived_in.folder), "hook_event_name": "PreToolUse"}
    delivery = deliver(parse_payload("codex", json.dumps(told | call).encode()))
    dmm = open_dmm(override=lived_in.folder, home=machine.home)
    dmm.sessions.attend(delivery, dmm.sessions.judge(delivery.event))
    seq = dmm.project_ledger.reading.head().seq
    dmm.close()
    return str(seq)


@pytest.fixture
def conflict(machine: Machine, lived_in: Project, noted: str) -> str:
    """Two memories that the user says do not go together."""
    other = remember(machine, lived_in, "Nightly exports go to the bucket called pelican.")
    paths = [read_json(machine, lived_in, "review", "show", one)["path"] for one in (noted, other)]
    line = ["conflicts", "flag", "--ids", ",".join(paths), "--description", "They clash."]
    return str(read_json(machine, lived_in, *line)["conflict_id"])


def remember(machine: Machine, project: Project, text: str) -> str:
    told = machine.dmm("remember", text, "--json", within=project.folder)
    assert told.returncode == 0, told.stderr + told.stdout
    return str(json.loads(told.stdout)["proposal"])


def read_json(machine: Machine, project: Project, *line: str) -> Any:
    return json.loads(machine.dmm(*line, "--json", within=project.folder).stdout)


def test_the_terminal_signs_the_text_of_each_decision(
    machine: Machine,
    lived_in: Project,
    proposal: str,
    rule: Path,
    pending: str,
    noted: str,
    constraint: str,
    conflict: str,
    key: Authenticator,
    tmp_path: Path,
) -> None:
    text = NOTE.replace("14", "30")
    (tmp_path / "new.md").write_text(text)
    waiting = read_json(machine, lived_in, "ledger", "pending")["pending"]
    clash = read_json(machine, lived_in, "conflicts", "show", conflict)["digest"]
    held = read_json(machine, lived_in, "rules", "show", constraint)["digest"]
    decisions = {
        ("rules", "disable", rule.stem): digest_text(rule.read_text()),
        ("rules", "accept", pending, "--yes"): waiting[0]["digest"],
        ("conflicts", "resolve", conflict, "--action", "intentional", "--reason", "both"): clash,
        ("rules", "adopt", constraint): held,
        ("undo", noted, "--yes"): read_json(machine, lived_in, "review", "show", noted)["digest"],
        ("review", "edit", proposal, "--file", str(tmp_path / "new.md")): digest_text(text),
    }
    for line, digest in decisions.items():
        running = begin(machine, lived_in, *line)
        tab = Tab(find_address(running.stderr))
        assert (line, tab.asked["digest"]) == (line, digest)
        assert tab.confirm(key)[0] == 200
        assert (line, running.wait(60)) == (line, 0)
    assert read_json(machine, lived_in, "rules", "show", rule.stem)["disabled"]
    assert read_json(machine, lived_in, "ledger", "pending")["pending"] == []
    assert read_json(machine, lived_in, "review", "show", noted)["status"] == "undone"
    assert read_json(machine, lived_in, "conflicts", "show", conflict)["status"] == "resolved"


def test_more_than_was_shown_is_not_undone(
    machine: Machine, lived_in: Project, noted: str, key: Authenticator
) -> None:
    running = begin(machine, lived_in, "undo", "--source", "cli", "--yes")
    tab = Tab(find_address(running.stderr))
    with closing(open_dmm(override=lived_in.folder, home=machine.home)) as dmm:
        told_of = dmm.notes.remember("Nightly exports go to the bucket called pelican.")
    other = str(told_of.proposal)
    assert tab.confirm(key)[0] == 200
    said, told = running.communicate(timeout=60)
    assert (running.returncode, said) != (0, b"")
    assert b"something other than what was shown" in told
    for name in (noted, other):
        shown = read_json(machine, lived_in, "review", "show", name)
        assert shown["status"] == "applied"


def test_a_rule_that_changed_while_the_person_confirmed_is_left_as_it_is(
    machine: Machine, lived_in: Project, rule: Path, key: Authenticator
) -> None:
    running = begin(machine, lived_in, "rules", "disable", rule.stem)
    tab = Tab(find_address(running.stderr))
    changed = rule.read_text() + "\nIt was changed meanwhile.\n"
    rule.write_text(changed)
    accepting = begin(machine, lived_in, "trust", "--yes")
    assert Tab(find_address(accepting.stderr)).confirm(key)[0] == 200
    assert accepting.wait(60) == 0
    assert tab.confirm(key)[0] == 200
    assert b"has changed since it was shown" in running.communicate(timeout=60)[1]
    assert running.returncode != 0
    assert rule.read_text() == changed


@pytest.fixture
def names(
    machine: Machine,
    lived_in: Project,
    proposal: str,
    rule: Path,
    pending: str,
    noted: str,
    constraint: str,
    conflict: str,
    asked: str,
    tmp_path: Path,
) -> dict[str, str]:
    """What the command lines of all acts are about."""
    (tmp_path / "text.md").write_text(NOTE.replace("14", "30"))
    (tmp_path / "guide.md").write_text("# Guide\n\n- Name branches after their ticket.\n")
    memory = read_json(machine, lived_in, "review", "show", noted)["path"]
    own = {"rule": rule.stem, "pending": pending, "noted": noted, "memory": memory}
    files = {one: str(tmp_path / f"{one}.md") for one in ("text", "guide")}
    made = {"proposal": proposal, "constraint": constraint, "conflict": conflict, "asked": asked}
    return own | files | made | {"observation": f"obs_{constraint}"}


def test_every_act_of_a_person_asks_first(
    machine: Machine, lived_in: Project, names: dict[str, str], key: Authenticator
) -> None:
    machine.more["EDITOR"] = "sed -i -e s/^pending/approve/ -e $s/$/./"
    before = snapshot(machine, lived_in)
    for act, lines in LINES.items():
        for line in lines:
            with in_terminal(machine, lived_in, *shlex.split(line.format(**names))) as terminal:
                terminal.expect(r"(http://\S+/confirm\.html#\S+)")
                tab = Tab(terminal.match.group(1))
                asked = tab.asked["how"], len(tab.asked["digest"])
                assert (line, *asked) == (line, "passkey", 64 if act.texted else 0)
                terminal.sendintr()
                terminal.expect(pexpect.EOF)
                terminal.close()
                assert (line, terminal.exitstatus) == (line, 130)
    assert snapshot(machine, lived_in) == before


def in_terminal(machine: Machine, project: Project, *line: str) -> Any:
    """Run a command in the foreground of a terminal of its own."""
    program = str(Path(sys.executable).with_name("dmm"))
    environment = {**machine.environment()}
    where = str(project.folder)
    return pexpect.spawn(
        program, [*line], cwd=where, env=environment, timeout=120, encoding="utf-8"
    )


def test_a_shell_of_an_agent_does_no_act_of_a_person(
    machine: Machine, lived_in: Project, names: dict[str, str]
) -> None:
    """What it may say waits for a person; everything else is refused, in words."""
    machine.more["EDITOR"] = "sed -i -e s/^pending/approve/ -e $s/$/./"
    files, before = snapshot(machine, lived_in)
    machine.more["CLAUDECODE"] = "1"
    for act, lines in LINES.items():
        for line in lines:
            told = machine.dmm(*shlex.split(line.format(**names)), within=lived_in.folder)
            said = told.stdout + told.stderr
            assert act in PROPOSED or "an agent can't" in said, (line, said)
    del machine.more["CLAUDECODE"]
    now, after = snapshot(machine, lived_in)
    assert now == files
    waiting = {name for name, status in after[0] if status == "pending"}
    assert [one for one in after[0] if one[0] not in waiting] == [
        one for one in before[0] if one[0] not in waiting
    ]
    active = [
        [one for one in told["rules"] if not one.get("pending")] for told in (before[1], after[1])
    ]
    assert active[0] == active[1]
    assert after[2:] == before[2:]


def test_a_passkey_that_a_program_writes_out_of_the_record_is_asked_for_all_the_same(
    machine: Machine, lived_in: Project, key: Authenticator, proposal: str
) -> None:
    """The chain of the record has no secret, so a line can be added that says it was removed."""
    file = machine.state / "page" / "passkeys.jsonl"
    lines = file.read_text().splitlines()
    last = hashlib.sha256(lines[-1].encode()).hexdigest()
    name = json.loads(lines[0])["id"]
    forged = json.dumps({"type": "removed", "id": name, "at": "now", "previous": last})
    file.write_text("\n".join([*lines, forged]) + "\n")
    for line in (
        ("review", "approve", proposal, "--bypass-reviewer"),
        ("rules", "add", "Never brew tea."),
        ("trust", "--revoke"),
    ):
        running = begin(machine, lived_in, *line)
        tab = Tab(find_address(running.stderr))
        assert tab.asked["credentials"] == [name]
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 130, line
    assert not is_written(lived_in)
    told = machine.dmm("doctor", within=lived_in.folder).stdout
    assert "without a valid signature, ignored: line 2" in " ".join(told.split())


def snapshot(machine: Machine, project: Project) -> Any:
    """Return all that a decision could change: files, proposals, rules, conflicts and trust."""
    files = {
        path: path.read_bytes()
        for part in ("memory", "rules")
        for path in (project.dmm / part).rglob("*.md")
    }
    told = [
        read_json(machine, project, "review", "list", "--all"),
        read_json(machine, project, "rules"),
        read_json(machine, project, "conflicts", "list"),
        read_json(machine, project, "trust", "--list"),
    ]
    told[0] = [(one["id"], one["status"]) for one in told[0]["proposals"]]
    return files, told


def test_an_answer_to_another_command_is_none(
    machine: Machine, lived_in: Project, key: Authenticator, proposal: str
) -> None:
    """A confirmation in the page is about that page; the terminal has a nonce of its own."""
    running = begin(machine, lived_in, "review", "approve", proposal, "--bypass-reviewer")
    tab = Tab(find_address(running.stderr))
    other = Act("terminal", tab.asked["on"], tab.asked["digest"]).challenge(b"old" * 8)
    given = to_json(key.sign(other))
    assert tab.ask(f"/v1/confirmations/{tab.id}", {"credential": given})[0] == 403
    running.send_signal(signal.SIGINT)
    assert running.wait(60) == 130
    assert not is_written(lived_in)


def approve_with(machine: Machine, project: Project, key: Authenticator, *line: str) -> int:
    running = begin(machine, project, *line)
    tab = Tab(find_address(running.stderr))
    assert tab.confirm(key) == (200, {"confirmed": True})
    return running.wait(60)


def test_another_state_folder_does_without_no_passkey(
    machine: Machine, lived_in: Project, key: Authenticator, proposal: str, tmp_path: Path
) -> None:
    """The ledger knows that there are passkeys, also for a command that is given no record."""
    assert approve_with(machine, lived_in, key, "review", "reject", proposal, "--reason", "no") == 0
    machine.more |= {"DMM_STATE_DIR": str(tmp_path / "x"), "DMM_RUN_DIR": str(tmp_path / "r")}
    for line in (
        ("trust", "--yes", "--with-ledger"),
        ("trust", "--yes"),
        ("review", "approve", proposal, "--bypass-reviewer"),
        ("rules", "adopt", "--all"),
    ):
        told = machine.dmm(*line, within=lived_in.folder)
        assert told.returncode != 0
        assert "confirmed by a passkey that this user does not have" in told.stderr, line
    without = machine.dmm("trust", "--forget-passkeys", within=lived_in.folder)
    assert "no terminal to confirm" in without.stderr
    assert not (tmp_path / "x" / "trust.json").exists()


def test_a_person_who_lost_the_passkeys_does_without_and_doctor_tells(
    machine: Machine, lived_in: Project, rule: Path, key: Authenticator, proposal: str
) -> None:
    assert approve_with(machine, lived_in, key, "rules", "disable", rule.stem) == 0
    file = machine.state / "page" / "passkeys.jsonl"
    running = begin(machine, lived_in, "trust", "--forget-passkeys")
    machine.ask("withdraw", id=Tab(find_address(running.stderr)).id)
    told = " ".join(running.communicate(timeout=60)[1].decode().split())
    assert f"first move {file} away" in told
    file.rename(machine.state / "passkeys.jsonl")
    line = ["review", "reject", proposal, "--reason", "no"]
    refused = machine.dmm(*line, within=lived_in.folder)
    assert "dmm trust --forget-passkeys" in refused.stderr
    program = str(Path(sys.executable).with_name("dmm"))
    with pexpect.spawn(
        program,
        ["trust", "--forget-passkeys"],
        cwd=str(lived_in.folder),
        env={**machine.environment()},
        timeout=120,
    ) as terminal:
        terminal.expect("The ledger knows 1 passkey that you do not have here")
        terminal.expect("Give them up")
        terminal.sendline("y")
        terminal.expect(pexpect.EOF)
    assert machine.dmm(*line, within=lived_in.folder).returncode == 0
    found = machine.dmm("doctor", within=lived_in.folder).stdout
    assert "lost passkeys were given up" in found


def test_a_text_that_changes_while_the_passkey_is_awaited_is_not_taken(
    machine: Machine, lived_in: Project, key: Authenticator
) -> None:
    boot = lived_in.dmm / "BOOT.md"
    boot.write_text("# Boot\n\nRead the plan first.\n")
    running = begin(machine, lived_in, "trust", "--yes")
    tab = Tab(find_address(running.stderr))
    assert len(tab.asked["digest"]) == 64
    boot.write_text("# Boot\n\nNever read the plan.\n")
    assert tab.confirm(key) == (200, {"confirmed": True})
    _, told = running.communicate(timeout=60)
    assert running.returncode != 0
    assert b"it changed while you were reviewing it" in told
    held = machine.dmm("trust", "--json", within=lived_in.folder)
    assert "BOOT.md" in [one["path"] for one in json.loads(held.stdout)["changes"]]


def test_a_rule_file_that_changes_while_the_passkey_is_awaited_is_not_switched(
    machine: Machine, lived_in: Project, rule: Path, key: Authenticator
) -> None:
    """What was changed outside DMM is neither put in force by the way nor written over."""
    running = begin(machine, lived_in, "rules", "disable", rule.stem)
    tab = Tab(find_address(running.stderr))
    assert len(tab.asked["digest"]) == 64
    rule.write_text(rule.read_text() + "\nSaid by somebody else.\n")
    assert tab.confirm(key) == (200, {"confirmed": True})
    _, told = running.communicate(timeout=60)
    assert running.returncode != 0
    assert b"a change that is not approved yet" in told
    assert "somebody else" in rule.read_text()
    assert machine.dmm("check", "terraform destroy", within=lived_in.folder).returncode == 3
    shown = machine.dmm("rules", "show", rule.stem, within=lived_in.folder).stdout
    assert "somebody else" not in shown


def test_what_is_signed_names_the_project_wherever_the_command_runs(
    machine: Machine, lived_in: Project, key: Authenticator, proposal: str
) -> None:
    machine.more["DMM_ROOT"] = str(lived_in.folder)
    line = [str(Path(sys.executable).with_name("dmm")), "review", "approve", proposal]
    running = machine.begin(line, within=machine.home)
    tab = Tab(find_address(running.stderr))
    assert tab.asked["on"].startswith(f"{lived_in.folder}$ dmm review approve")
    running.send_signal(signal.SIGINT)
    assert running.wait(60) == 130


def test_a_note_from_outside_a_terminal_is_an_agents_once_a_passkey_is_enrolled(
    machine: Machine, lived_in: Project, key: Authenticator
) -> None:
    note: dict[str, Any] = {"text": "Invoices are sent on Mondays.", "replaces": None}
    note |= {"start": str(lived_in.folder), "anyway": True, "by_agent": False}
    told = machine.ask("remember", **note)
    assert told["status"] != "applied", told


def test_signing_out_fails_if_the_daemon_runs_but_does_not_answer(machine: Machine) -> None:
    pid = machine.start()
    os.kill(pid, signal.SIGSTOP)
    try:
        told = machine.dmm("ui", "--sign-out")
    finally:
        os.kill(pid, signal.SIGCONT)
    assert told.returncode != 0
    assert "nobody was signed out" in told.stderr
    assert machine.dmm("ui", "--sign-out").returncode == 0


def test_commands_that_a_script_leaves_waiting_keep_nobody_from_deciding(
    machine: Machine, lived_in: Project, key: Authenticator, proposal: str
) -> None:
    asked = {"line": "x", "digest": "0" * 64, "nonce": encode(b"n" * 32)}
    waiting = [machine.ask("confirm", **asked)["id"] for _ in range(MOST_OF_TERMINALS)]
    running = begin(machine, lived_in, "review", "approve", proposal, "--bypass-reviewer")
    assert Tab(find_address(running.stderr)).confirm(key)[0] == 200
    assert running.wait(60) == 0
    assert machine.ask("confirmed", id=waiting[0]) == {"state": "ended"}
    assert machine.ask("confirmed", id=waiting[1]) == {"state": "waiting"}
    assert machine.dmm("ui", "--sign-out").returncode == 0
    assert machine.ask("confirmed", id=waiting[1]) == {"state": "ended"}
    for bad in ({"nonce": encode(b"n")}, {"digest": "0" * 63}, {"line": "x" * 10_001}):
        assert machine.ask("confirm", **asked | bad)["error"]["code"] == "usage"
