"""The reference names every address, field and code, and its examples run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dmm.http import errors
from dmm.http.errors import STATUS, Refusal

if TYPE_CHECKING:
    from tests.http.conftest import Server

TEXT = (Path(__file__).parents[2] / "docs" / "http.md").read_text()


def test_every_address_is_documented_with_its_parameters_and_no_other(server: Server) -> None:
    rows = re.findall(r"^\| `(GET|POST|DELETE) (/v1\S+)` \|(.*?)\| .* \|$", TEXT, re.MULTILINE)
    told = {(method, path): set(re.findall(r"`(\w+)`", given)) for method, path, given in rows}
    document = server.ask("GET", "/v1/openapi.json").json()
    models = document["components"]["schemas"]
    found = {}
    for path, methods in document["paths"].items():
        for method, about in methods.items():
            named = {one["name"] for one in about.get("parameters", ()) if one["in"] == "query"}
            if "requestBody" in about:
                schema = about["requestBody"]["content"]["application/json"]["schema"]
                named |= set(models[schema["$ref"].rpartition("/")[2]]["properties"])
            found[method.upper(), path] = named - {"root"}
    assert told == found


def test_every_code_is_documented_with_its_status_and_no_other() -> None:
    rows = re.findall(r"^\| (\d{3}) \| (.*) \|$", TEXT, re.MULTILINE)
    told = {(int(status), code) for status, codes in rows for code in re.findall(r"`(\w+)`", codes)}
    own = [one for one in vars(errors).values() if isinstance(one, Refusal)]
    known = {(status, code) for code, status in STATUS.items()} | {
        (one.status, one.code) for one in own
    }
    assert told == known | {(400, "bad_json")}


def test_the_examples_run(server: Server, tmp_path: Path) -> None:
    curl, bash = shutil.which("curl"), shutil.which("bash")
    if curl is None or bash is None:
        pytest.skip("there is no curl here")
    about = {"port": server.port, "token": server.token}
    (tmp_path / "daemon.json").write_text(json.dumps(about))
    script = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)[0]
    script = re.sub(r"^(dmm_http /.*)$", r"\1; echo", script, flags=re.MULTILINE)
    told = subprocess.run(
        [bash, "-euo", "pipefail", "-c", script],
        cwd=server.root,
        env={"PATH": os.environ["PATH"], "DMM_RUN_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stderr == ""
    health, pack, fact, decision, context = map(json.loads, told.stdout.splitlines())
    assert health["status"] == "healthy"
    assert pack["pack"]["budget"] == 1200
    assert fact["value"] == "eu-west-1"
    assert decision["status"] == "COMMITTED"
    assert context["current_seq"] == decision["seq"]
