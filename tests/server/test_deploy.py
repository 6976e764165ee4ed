"""What is shipped for running a server: the files are sound, and name commands that there are."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.server.conftest import DEPLOY

from dmm.cli.commands import make_app
from dmm.server.run import DRAIN

ALL: dict[str, Any] = dict(typer.main.get_group(make_app()).commands)
COMMANDS: dict[str, Any] = dict(ALL["server"].commands)


@pytest.fixture(scope="module")
def unit() -> configparser.ConfigParser:
    read = configparser.ConfigParser(strict=True, interpolation=None)
    # Keys keep their case; the documented way to say so is one that the type stubs don't know.
    read.optionxform = str  # type: ignore[assignment, method-assign]
    read.read(DEPLOY / "dmm-server.service")
    return read


def check_command(words: list[str]) -> str:
    """Check that a `dmm server` command has the options it is given; return its name."""
    assert words[1] == "server"
    known = {option for one in COMMANDS[words[2]].params for option in one.opts}
    assert {word for word in words if word.startswith("--")} <= known, words
    return words[2]


def spoken(command: list[str]) -> list[list[str]]:
    """List the dmm commands of a container, in a shell or not."""
    if command[:2] != ["sh", "-c"]:
        return [command]
    parts = re.split(r"\|\||&&", command[2])
    return [words for part in parts if (words := shlex.split(part))[0] == "dmm"]


def test_every_service_is_built_or_named_and_depends_on_one_that_there_is(
    compose: dict[str, Any],
) -> None:
    services, volumes = compose["services"], compose["volumes"]
    assert services.keys() == {"database", "prepare", "server", "proxy"}
    for one in services.values():
        assert ("image" in one) != ("build" in one)
        for other, how in one.get("depends_on", {}).items():
            ready = how["condition"]
            assert ready in ("service_healthy", "service_completed_successfully")
            assert ready != "service_healthy" or "healthcheck" in services[other]
        for volume in one.get("volumes", ()):
            source = volume.split(":")[0]
            assert source in volumes or (DEPLOY / source).exists()
        if "build" in one:
            assert (DEPLOY / one["build"]["context"] / one["build"]["dockerfile"]).exists()


def test_the_commands_of_the_services_exist(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert [check_command(one) for one in spoken(services["prepare"]["command"])] == [
        "init",
        "migrate",
    ]
    assert [check_command(one) for one in spoken(services["server"]["command"])] == ["run"]


def test_only_the_proxy_is_reached_from_outside_and_passwords_are_not_in_the_file(
    compose: dict[str, Any],
) -> None:
    services = compose["services"]
    assert [name for name, one in services.items() if "ports" in one] == ["proxy"]
    secrets = [
        value
        for one in services.values()
        for name, value in one.get("environment", {}).items()
        if "PASSWORD" in name
    ]
    assert len(secrets) == 3
    assert all(value.startswith("${DMM_DATABASE_PASSWORD:?") for value in secrets)
    proxied = (DEPLOY / "Caddyfile").read_text()
    assert "path /v1/team/* /health\n" in proxied
    assert "/metrics" not in proxied
    assert "reverse_proxy server:8321" in proxied
    assert COMMANDS["run"].params[1].default == 8_321


def test_a_stop_leaves_time_to_finish_requests(
    compose: dict[str, Any], unit: configparser.ConfigParser
) -> None:
    assert int(compose["services"]["server"]["stop_grace_period"].removesuffix("s")) > DRAIN
    service = unit["Service"]
    assert int(service["TimeoutStopSec"]) > DRAIN
    assert service["KillSignal"] == "SIGTERM"


def test_the_unit_runs_commands_that_there_are_and_not_as_root(
    unit: configparser.ConfigParser,
) -> None:
    service = unit["Service"]
    assert check_command(shlex.split(service["ExecStartPre"])) == "migrate"
    assert check_command(shlex.split(service["ExecStart"])) == "run"
    assert service["User"] not in ("", "root")
    assert f"/var/lib/{service['StateDirectory']}" in service["ExecStart"]


def test_systemd_finds_no_fault_with_the_unit(tmp_path: Path) -> None:
    """The program is not at its place in a checkout, so the one of this environment stands in."""
    found = shutil.which("systemd-analyze")
    if found is None:
        pytest.skip("systemd is not installed")
    program = str(Path(sys.executable).with_name("dmm"))
    text = (DEPLOY / "dmm-server.service").read_text().replace("/usr/local/bin/dmm", program)
    copy = tmp_path / "dmm-server.service"
    copy.write_text(text)
    told = subprocess.run([found, "verify", str(copy)], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")


def test_the_image_copies_only_what_there_is() -> None:
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    copied = [word for line in lines if line.startswith("COPY ") for word in line.split()[1:-1]]
    assert copied
    assert [one for one in copied if not (DEPLOY.parent / one).exists()] == []
