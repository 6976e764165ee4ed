"""`dmm server` and `dmm team`: what they do is tried in processes of their own."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.conftest import Command, Project
from tests.team.issuer import CLIENT, issuing

from dmm.cli.team_search import tell_answer
from dmm.team.answers import Answer, Hit
from dmm.team.database import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cli.conftest import Typed


@pytest.fixture
def folder(command: Command, tmp_path: Path) -> Path:
    made = tmp_path / "server"
    done = command("server", "init", "--folder", str(made), within=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "dmm server add" in done.stdout
    done = command("server", "add", "acme/shop", "--folder", str(made), within=tmp_path)
    assert done.stdout == "acme/shop added\n"
    return made


@contextlib.contextmanager
def running(command: Command, folder: Path) -> Iterator[str]:
    line = command.line("server", "run", "--port", "0", "--folder", str(folder))
    env = command.environment()
    with subprocess.Popen(line, stdout=subprocess.PIPE, encoding="utf-8", env=env) as process:
        assert process.stdout is not None
        told = re.search(r"http://\S+", process.stdout.readline())
        assert told is not None
        try:
            yield told[0]
        finally:
            process.terminate()


@pytest.fixture
def url(command: Command, folder: Path) -> Iterator[str]:
    with running(command, folder) as told:
        yield told


def need_status(run: Command, folder: Path) -> None:
    """Expect a laptop that is up to date, with no rule of others in force."""
    standing = json.loads(run("status", "--json", within=folder).stdout)["team"]
    assert (standing["unsent"], standing["behind"], standing["rules"]) == (0, 0, [])
    assert "0 rules from others, updated " in run("status", within=folder).stdout


@pytest.mark.slow
def test_a_rule_goes_from_one_laptop_to_the_other(url: str, folder: Path, tmp_path: Path) -> None:
    at = ("--folder", str(folder))
    laptops = {}
    for name, role in (("ada", "reviewer"), ("ben", "reader")):
        home = tmp_path / name
        project = Project(home / "work")
        project.memory.mkdir(parents=True)
        project.trust(home)
        run = Command(home)
        asked = run("server", "invite", "acme/shop", "--role", role, *at, within=home)
        joined = run("team", "join", url, asked.stdout.strip(), within=project.folder)
        assert joined.stdout == f"Joined acme/shop as {role}\n", joined.stderr
        laptops[name] = (run, project.folder)
    ada, at_ada = laptops["ada"]
    ben, at_ben = laptops["ben"]
    assert ben("check", "terraform destroy", within=at_ben).returncode == 0
    ada("ledger", "constraint", "never run terraform destroy", within=at_ada)
    assert ada("team", "sync", within=at_ada).stdout == "1 event sent, 2 received\n"
    assert ben("team", "sync", within=at_ben).stdout == "0 events sent, 1 received\n"
    denied = ben("check", "terraform destroy", within=at_ben)
    assert denied.returncode == 3
    assert 'rule team:3 "never run terraform destroy"' in denied.stdout
    status = ben("team", "status", within=at_ben).stdout.splitlines()
    assert status[:2] == [f"acme/shop at {url}, as reader", "  unsent:  0 events"]
    said = f"({socket.gethostname()}, said by the laptop alone)"
    assert status[-1] == f"    team:3  never run terraform destroy  {said}"
    members = json.loads(ben("server", "list", "acme/shop", "--json", *at, within=at_ben).stdout)
    assert sorted((one["role"], one["events"]) for one in members) == [
        ("reader", 0),
        ("reviewer", 1),
    ]
    lifted = ben("server", "lift", "acme/shop", "3", *at, within=at_ben)
    assert lifted.stdout == "team:3 lifted\n"
    ben("team", "sync", within=at_ben)
    need_status(ben, at_ben)
    assert ben("check", "terraform destroy", within=at_ben).returncode == 0
    ada("ledger", "constraint", "never run terraform apply", within=at_ada)
    ada("team", "sync", within=at_ada)
    ben("team", "sync", within=at_ben)
    writer = next(one["writer"] for one in members if one["role"] == "reader")
    removed = ben("server", "revoke", "acme/shop", writer, *at, within=at_ben)
    assert removed.stdout == f"{writer} removed\n"
    refused = ben("team", "sync", within=at_ben)
    assert refused.returncode == 18
    audit = ben("server", "audit", "acme/shop", "--last", "3", *at, within=at_ben).stdout
    lines = [line.split()[2:4] for line in audit.splitlines()]
    assert lines[:2] == [["refused", writer], ["revoke", "-"]]
    assert "was removed from the team" in refused.stderr
    assert ben("check", "terraform apply", within=at_ben).returncode == 3


@pytest.mark.slow
def test_what_two_projects_share_is_searched_from_a_laptop(
    command: Command, folder: Path, tmp_path: Path
) -> None:
    at = ("--folder", str(folder))
    command("server", "add", "acme/api", *at, within=tmp_path)
    home = tmp_path / "ada"
    run = Command(home)
    projects = {}
    with running(command, folder) as url:
        for name in ("shop", "api"):
            project = projects[name] = Project(home / name)
            project.memory.mkdir(parents=True)
            project.trust(home)
            words = ("server", "invite", f"acme/{name}", "--role", "reviewer", *at)
            asked = run(*words, within=home).stdout.strip()
            run("team", "join", url, asked, within=project.folder)
            rule = f"never deploy the {name} on a Friday afternoon"
            run("ledger", "constraint", rule, within=project.folder)
            run("team", "sync", within=project.folder)
        shop = projects["shop"].folder
        found = run("team", "search", "deploy on Friday", within=shop)
        assert found.returncode == 0, found.stderr
        lines = found.stdout.splitlines()
        assert lines[0].startswith("1. acme/shop team:2  rule  20")
        assert lines[1] == "    never deploy the shop on a Friday afternoon"
        assert lines[2].startswith("    (words: deploy, friday; similarity 0.")
        assert max(map(len, lines)) <= 80
        both = run("team", "search", "deploy Friday", "--all-projects", "--json", within=shop)
        told = json.loads(both.stdout)
        assert told["projects"] == ["acme/api", "acme/shop"]
        assert {one["project"] for one in told["results"]} == {"api", "shop"}
        nothing = run("team", "search", "zebra violin umbrella", within=shop)
        assert nothing.stdout == "Nothing found in what 1 project shared.\n"
        made = run("server", "reindex", "acme/shop", *at, within=home)
        assert made.stdout == "acme/shop indexed: 1 passage from 2 events\n"
    offline = run("team", "search", "deploy", within=shop)
    assert offline.returncode == 18
    assert "can't be reached" in offline.stderr


def test_a_result_of_a_type_that_is_unknown_here_is_shown_by_its_name() -> None:
    said = ("TideTurned", "w1", "", "2026-01-31T12:00:00.000+00:00", "words")
    hit = Hit(1, "acme", "shop", 7, *said, (), (), 0.5, 0.0, 0.0, 0.5)
    lines = list(tell_answer(Answer((hit,), ("acme/shop",), 0)))
    assert lines[0] == "1. acme/shop team:7  TideTurned  2026-01-31  w1"


def test_the_server_is_checked_and_migrated(command: Command, folder: Path) -> None:
    at = ("--folder", str(folder))
    migrated = command("server", "migrate", *at, within=folder)
    assert migrated.stdout == f"Schema {SCHEMA_VERSION}: nothing to do\n"
    checked = command("server", "doctor", *at, within=folder)
    assert checked.stdout == "✓ SQLite database, schema and isolation\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("server", "run"), "no server is set up here"),
        (("server", "invite", "acme"), "'acme' is not a project"),
        (("team", "status"), "has not joined a team"),
        (("team", "search", "words"), "has not joined a team"),
        (("team", "join", "http://example.org", "x"), "must begin with https://"),
    ],
)
def test_what_can_not_be_done_is_told(
    typed: Typed, project: Project, home: Path, words: tuple[str, ...], said: str
) -> None:
    project.trust(home)
    done = typed(*words, within=project.folder)
    assert done.status != 0
    assert said in done.err


def test_status_and_doctor_tell_of_a_damaged_copy_of_the_log(
    typed: Typed, project: Project, home: Path
) -> None:
    project.trust(home)
    (project.dmm / "team.db").write_bytes(b"no database" * 1_000)
    way = "dmm team join URL INVITATION"
    status = typed("status", "--json", within=project.folder)
    assert way in json.loads(status.out)["team_fault"]
    shown = " ".join(typed("status", within=project.folder).out.split())
    told = "leave the team with dmm team leave, or join again with a new invitation"
    assert f"damaged; {told}: {way}" in shown
    checks = typed.look_at(project.folder)
    assert way in [str(one.way).rpartition(": ")[2] for one in checks]
    refused = typed("team", "status", within=project.folder)
    assert refused.status != 0
    assert way in refused.err
    assert typed("query", "a task", within=project.folder).status == 0


def test_an_agent_can_neither_join_nor_invite_nor_lift_nor_search_other_projects(
    typed: Typed, project: Project, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.trust(home)
    monkeypatch.setenv("CLAUDECODE", "1")
    for words in (
        ("team", "join", "http://127.0.0.1:1", "x"),
        ("server", "invite", "a/b"),
        ("server", "lift", "a/b", "3"),
        ("team", "search", "words", "--all-projects"),
    ):
        done = typed(*words, within=project.folder)
        assert done.status == 2
        assert "an agent can't" in done.err


def test_what_is_not_an_invitation_is_said_before_anybody_is_asked(
    typed: Typed, project: Project, home: Path
) -> None:
    project.trust(home)
    told = typed("team", "join", "http://127.0.0.1:1", "nonsense", within=project.folder)
    assert told.status == 2
    assert "not an invitation" in told.err


@pytest.mark.slow
def test_a_server_is_backed_up_and_restored(command: Command, folder: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "backup", tmp_path / "other"
    done = command("server", "backup", str(file), "--folder", str(folder), within=tmp_path)
    assert done.stdout.startswith(f"Backed up to {file}: 1 project, 0 events\n"), done.stderr
    done = command("server", "backup", str(file), "--folder", str(folder), within=tmp_path)
    assert (done.returncode, "already exists" in done.stderr) == (2, True)
    at = ("--folder", str(other))
    done = command("server", "restore", str(file), "--to", "acme/shop:x", *at, within=tmp_path)
    assert "write it like acme/shop:41" in done.stderr
    done = command("server", "restore", str(file), "--to", "acme/shop:0", *at, within=tmp_path)
    assert done.stdout.startswith(f"Restored in {other}: 1 project, 0 events\n"), done.stderr
    done = command("server", "resume", "acme/shop", *at, within=tmp_path)
    assert done.stdout == "acme/shop takes events again; 0 laptops had not returned\n"
    done = command("server", "resume", "acme/shop", "--laptop", "nobody", *at, within=tmp_path)
    assert "there is no writer nobody" in done.stderr
    assert command("server", "doctor", *at, within=tmp_path).returncode == 0


@pytest.mark.slow
def test_a_person_joins_with_an_account_of_the_issuer(
    command: Command, folder: Path, project: Project, home: Path
) -> None:
    project.trust(home)
    at = ("--folder", str(folder))
    with issuing() as issuer:
        issuer.claims = {"email": "ada@example.org", "email_verified": True}
        issuer.claims["groups"] = ["engineers"]
        grant = ("--client-id", CLIENT, "--grant", "engineers=acme/shop:owner")
        done = command("server", "oidc", issuer.url, *grant, *at, within=folder)
        assert done.stdout.startswith(f"People sign in at {issuer.url}\n"), done.stderr
        with running(command, folder) as url:
            joined = command("team", "join", url, within=project.folder)
            code = f"Open {issuer.url}/activate and enter the code WDJB-MJHT"
            who = f"{url} asks you to sign in at {issuer.url}"
            end = "Joined acme/shop as owner"
            assert joined.stdout.splitlines() == [who, code, "Waiting ...", end]
            members = command("team", "members", within=project.folder).stdout
            assert members.rstrip().endswith("0 events  ada@example.org")
    done = command("server", "oidc", issuer.url, *grant, *at, within=folder)
    assert (done.returncode, "can't be reached" in done.stderr) == (18, True)
    done = command("server", "oidc", "none", *at, within=folder)
    assert "next: restart dmm server run" in done.stdout
    told = command("server", "oidc", "https://login.example.org", *at, within=folder)
    assert "at least one --grant" in told.stderr
