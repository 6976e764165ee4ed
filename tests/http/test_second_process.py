"""What another process writes is in the next answer: nothing held in memory hides it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import Command
from tests.http.conftest import serving

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.http.conftest import Server

    from dmm.projects import Projects

PATHS = (
    "/v1/status",
    "/v1/health",
    "/v1/memories",
    "/v1/memories?match=quagga",
    "/v1/memories?folder=project/zoo",
    "/v1/ledger/events?last=5&brief=true&session=elsewhere",
    "/v1/sessions",
    "/v1/rules",
    "/v1/search?query=where%20does%20the%20quagga%20live",
    "/v1/search",
    "/v1/timeline",
    "/v1/metrics?days=1",
)
# Another process that does all that changes one of these answers.
WRITES = """
import sys
from pathlib import Path

from dmm.bootstrap import open_dmm
from dmm.domain.event import Trust
from dmm.domain.payload import UserMessageReceived
from dmm.eventlog.open_ledger import Actor

number, folder, home = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
dmm = open_dmm(override=folder, home=home)
file = folder / ".dmm" / "memory" / "project" / "zoo" / f"quagga_{number}.md"
file.parent.mkdir(exist_ok=True)
fields = f"id: mem_2026_01_01_90{number}\\ntags: [zoo]\\nscope: project\\npriority: 0.5\\n"
head = f"---\\n{fields}confidence: active\\nstatus: active\\ncreated: 2026-01-01\\n---\\n\\n"
file.write_text(f"{head}# Quagga {number}\\n\\nIt eats grass.\\n")
dmm.memories.reindex()
dmm.rules.add(f"Never run zebra-{number} destroy.")
agent = dmm.project_ledger.as_actor(Actor("codex", "hook", Trust.USER, "elsewhere"))
agent.record(agent.draft(UserMessageReceived(text=f"Where does quagga number {number} live?")))
dmm.close()
"""


def read(server: Server) -> dict[str, Any]:
    return {path: server.ask("GET", path).json() for path in PATHS}


@pytest.fixture
def place(tmp_path: Path, new_memory: Callable[..., Path]) -> Path:
    return new_memory(tmp_path / "shared")


def test_every_answer_follows_what_another_process_writes(
    projects: Projects, state: Path, place: Path
) -> None:
    projects.find(place)
    with serving(projects, place) as server:
        for number in ("1", "2"):
            before = read(server)
            assert not [path for path in PATHS if "error" in before[path]]
            done = Command(state)(number, str(place), str(state), within=place, script=WRITES)
            assert done.returncode == 0, done.stderr
            after = read(server)
            same = [path for path in PATHS if after[path] == before[path]]
            assert same == []
            assert len(after["/v1/memories?match=quagga"]["memories"]) == int(number)
            told = after["/v1/ledger/events?last=5&brief=true&session=elsewhere"]["events"]
            assert f"number {number} live" in told[-1]["line"]
            assert any(f"zebra-{number}" in one["title"] for one in after["/v1/rules"]["rules"])
