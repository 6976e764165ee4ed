"""Secrets of known classes, and everything that was said, stay out of all files they have no
business in: ledger and its log, spool, packs, index, run folder and daemon log.
"""

from __future__ import annotations

import base64
import json
import random
import string
from typing import TYPE_CHECKING, Any

import pytest

from dmm.daemon import logs
from dmm.daemon.logs import Log

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Project
    from tests.daemon.conftest import Machine, Session

    from dmm.domain.event import Event

pytestmark = pytest.mark.slow

LETTERS = string.ascii_letters + string.digits


class Maker:
    """Makes secrets at random, the same each time: what must not be found, and a text around it."""

    def __init__(self) -> None:
        self._chance = random.Random(20260101)
        self.found: dict[str, tuple[str, str]] = {}

    def some(self, length: int, letters: str = LETTERS) -> str:
        return "".join(self._chance.choices(letters, k=length))

    def add(self, name: str, secret: str, text: str = "{}") -> None:
        self.found[name] = (secret, text.replace("{}", secret))


def add_keys_of_services(make: Maker) -> None:
    """Add what services hand out, known by its form."""
    add, some = make.add, make.some
    hexes, upper = "0123456789abcdef", string.ascii_uppercase + string.digits
    for kind in "pousr":
        add(f"github {kind}", f"gh{kind}_{some(36)}", "git clone https://x:{}@github.com/a/b")
    add("github fine", f"github_pat_{some(22)}_{some(59)}", "export GITHUB_TOKEN={}")
    add("gitlab", f"glpat-{some(20)}", "curl --header 'PRIVATE-TOKEN: {}' https://gitlab.com/api")
    add("aws id", f"AKIA{some(16, upper)}", "aws_access_key_id = {}")
    add("aws secret", some(40), "aws_secret_access_key = {}")
    add("aws session", some(120), "AWS_SESSION_TOKEN={}")
    add("openai", f"sk-proj-{some(48)}", "OPENAI_API_KEY={}")
    add("openai old", f"sk-{some(48)}", "openai.api_key = '{}'")
    add("anthropic", f"sk-ant-api03-{some(93)}AA", "ANTHROPIC_API_KEY={} claude")
    add("google", f"AIza{some(35)}", "https://maps.googleapis.com/js?key={}")
    add("google oauth", f"ya29.{some(60)}", "Authorization: Bearer {}")
    add("slack bot", f"xoxb-{some(12, string.digits)}-{some(24)}", "SLACK_BOT_TOKEN={}")
    add("slack app", f"xapp-1-A{some(10, upper)}-{some(13, string.digits)}-{some(64, hexes)}")
    hook = f"T{some(8, upper)}/B{some(8, upper)}/{some(24)}"
    add("slack hook", hook, "https://hooks.slack.com/services/{}")
    add("stripe", f"sk_live_{some(24)}", "stripe.api_key = '{}'")
    add("stripe restricted", f"rk_live_{some(24)}")
    add("stripe hook", f"whsec_{some(32)}", "STRIPE_WEBHOOK_SECRET={}")
    add("npm", f"npm_{some(36)}", "//npm.example.com/:_authToken={}")
    add("pypi", f"pypi-AgEIcHlwaS5vcmc{some(70)}", "twine upload -p {} dist/*")
    add("hugging face", f"hf_{some(34, string.ascii_letters)}")
    add("sendgrid", f"SG.{some(22)}.{some(43)}")
    add("twilio", f"SK{some(32, hexes)}", "TWILIO_API_KEY={}")
    add("digitalocean", f"dop_v1_{some(64, hexes)}")
    add("azure", some(86) + "==", "AccountName=shop;AccountKey={};EndpointSuffix=core.windows.net")
    add("telegram", f"{some(9, string.digits)}:AA{some(33)}", "TELEGRAM_BOT_TOKEN={}")
    add("discord", f"M{some(23)}.{some(6)}.{some(38)}", "DISCORD_TOKEN={}")


def add_what_carriers_tell(make: Maker) -> None:
    """Add what is secret by where it stands: headers, addresses, options, settings, blocks."""
    add, some = make.add, make.some
    jwt = ".".join(
        base64.urlsafe_b64encode(part.encode()).decode().rstrip("=")
        for part in ('{"alg":"HS256","typ":"JWT"}', f'{{"sub":"{some(12)}"}}', some(32))
    )
    add("jwt", jwt, "Authorization: Bearer {}")
    add("bearer", some(40), "curl -H 'Authorization: Bearer {}' https://api.example.com")
    add("token header", some(32), "X-API-Key: {}")
    basic = base64.b64encode(f"admin:{some(14)}".encode()).decode()
    add("basic", basic, "Authorization: Basic {}")
    add("curl user", some(14), "curl -u admin:{} https://example.com")
    add("postgres", some(16), "postgresql://shop:{}@db.internal:5432/shop")
    add("redis", some(18), "redis://:{}@cache.internal:6379/0")
    add("mongo", some(18), "mongodb+srv://root:{}@cluster0.mongodb.net/test")
    add("amqp", some(18), "amqps://guest:{}@mq.internal/vhost")
    add("cookie", some(40), "Cookie: sessionid={}; theme=dark")
    add("set-cookie", some(40), "Set-Cookie: auth={}; HttpOnly; Path=/")
    add("mysql", some(12), "mysql -u root -p{} shop")
    add("password flag", some(14), "psql --password {} -h db")
    add("sshpass", some(14), "sshpass -p {} ssh root@host")
    add("env password", some(16), "DB_PASSWORD={}")
    add("json password", some(16), '{"user": "shop", "password": "{}"}')
    add("yaml secret", some(24), "client_secret: {}")
    add("ini password", some(16), "[smtp]\npassword = {}\n")
    body = "\n".join(some(64) for _ in range(6))
    pem = "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----"
    add("pem", body.split("\n")[2], pem.replace("{}", body.replace(body.split("\n")[2], "{}")))
    add("private", some(12, string.ascii_lowercase), "<private>the word is {}</private> go on")


def make_secrets() -> dict[str, tuple[str, str]]:
    """Make 50 secrets: what must not be found, and the text in which an agent would meet it."""
    make = Maker()
    add_keys_of_services(make)
    add_what_carriers_tell(make)
    return make.found


SECRETS = make_secrets()


def test_there_are_fifty_of_them() -> None:
    assert len(SECRETS) == 50


def tell_all(machine: Machine, session: Session) -> None:
    """Put each secret into a prompt, a tool's input and a tool's output, a few in each payload."""
    texts = [text for _, text in SECRETS.values()]
    for number, at in enumerate(range(0, len(texts), 5)):
        told = "\n".join(f"see: {text}" for text in texts[at : at + 5])
        machine.hook(session.prompt(f"How do we store passwords?\n{told}", number))
        machine.hook(session.bash(told, 2 * number))
        payload = session.bash("env", 2 * number + 1, "PostToolUse")
        machine.hook(payload | {"tool_response": {"stdout": told, "stderr": told}})
        written = session.bash("x", 1000 + number) | {
            "tool_name": "Write",
            "tool_input": {"file_path": "/a.txt", "content": told},
        }
        machine.hook(written)
        machine.hook(session.payload("Stop", last_assistant_message=told))


def find(needle: bytes, *folders: Path) -> list[str]:
    """Name the files under some folders that hold these bytes."""
    files = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return [str(path) for path in files if needle in path.read_bytes()]


def leaks(machine: Machine, project: Project) -> dict[str, list[str]]:
    folders = (project.dmm, machine.state, machine.run)
    held = {name: find(secret.encode(), *folders) for name, (secret, _) in SECRETS.items()}
    return {name: files for name, files in held.items() if files}


def test_none_reaches_the_disk_while_it_runs(
    machine: Machine, lived_in: Project, session: Session, ledger: Callable[..., list[Event]]
) -> None:
    machine.hook(session.start())
    tell_all(machine, session)
    assert machine.ask("status")["events"]["prompt"] == 10
    assert find(b"How do we store passwords?", lived_in.dmm)
    assert leaks(machine, lived_in) == {}
    machine.dmm("daemon", "stop")
    assert len(ledger(lived_in)) > 50
    assert leaks(machine, lived_in) == {}


def test_none_reaches_the_disk_while_it_is_down_or_later(
    machine: Machine, lived_in: Project, session: Session, wait: Callable[..., Any]
) -> None:
    (machine.run / "dmm.sock").mkdir(parents=True)
    machine.run.chmod(0o700)
    # Attempts that were all used up, so that no hook waits for a process to come.
    (machine.run / "attempts").write_bytes(b"...")
    tell_all(machine, session)
    assert len(list((machine.state / "spool").glob("*.event"))) == 50
    assert leaks(machine, lived_in) == {}
    (machine.run / "dmm.sock").rmdir()
    machine.start()
    wait(lambda: machine.ask("status")["spooled"] == 0, "all are fetched")
    assert leaks(machine, lived_in) == {}


def test_what_is_said_is_in_the_ledger_and_nowhere_else(
    machine: Machine, lived_in: Project, session: Session
) -> None:
    marker = "zebra-crossing-4711"
    machine.hook(session.start())
    machine.hook(session.prompt(f"how are passwords stored, {marker}?"))
    machine.hook(session.bash(f"echo {marker}"))
    broken = json.dumps(session.bash(f"echo {marker}"))[:-2]
    machine.run_hook(broken, within=lived_in.folder)
    machine.tell(f"DMM1 1.0.0 call {marker} 3\nxxxx".encode())
    machine.dmm("daemon", "stop")
    assert find(marker.encode(), machine.state, machine.run) == []
    assert {path.rpartition("/")[2] for path in find(marker.encode(), lived_in.dmm)} == {
        "ledger.db"
    }


def test_the_log_turns_over_by_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "LARGEST", 1000)
    path = tmp_path / "state" / "logs" / "daemon.log"
    log = Log(path)
    for number in range(200):
        log.write(f"line {number}")
    log.close()
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == [
        "daemon.log", "daemon.log.1", "daemon.log.2", "daemon.log.3",
    ]  # fmt: skip
    assert all(file.stat().st_size <= 1000 for file in files)
    assert path.read_text().splitlines()[-1].endswith("Z line 199")


def test_a_fault_is_logged_by_its_places_and_not_by_its_values(tmp_path: Path) -> None:
    path = tmp_path / "state" / "logs" / "daemon.log"
    log = Log(path)
    try:
        int("zebra-crossing-4711")
    except ValueError as error:
        log.write_fault("a request failed", error)
    log.close()
    text = path.read_text()
    assert "a request failed: ValueError at " in text
    assert "zebra" not in text


def test_a_log_that_can_not_be_written_keeps_nobody_from_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    log = Log(tmp_path / "file" / "logs" / "daemon.log")
    log.write("unheard")
    log.close()
