"""Questions answered from real files: what is found is cited, what is missing is said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import Opener, Project

from dmm.config import FILE_NAME
from dmm.domain.memory import Citation
from dmm.domain.pack import Freshness
from dmm.domain.plain import to_plain
from dmm.errors import ConfigError, UsageError
from dmm.files.citations import check
from dmm.files.markdown import parse
from dmm.sessions.payload import parse_payload
from dmm.sessions.service import deliver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conftest import MemoryText

    from dmm.bootstrap import Dmm
    from dmm.embed.model import Embedder

ROOT = Path(__file__).parents[2]
FIELDS = [
    "layer1_search",
    "layer3_observations",
    "repo_context",
    "answer",
    "suggested_prompt",
    "token_estimate",
    "mapping_decision",
    "coverage_gate",
    "prompt_plan",
    "prompt_metrics",
    "task_spec",
    "execution_plan",
    "coverage_9_section",
    "evidence_stats",
    "executor_mode",
    "execution_attempted",
    "execution_result",
    "execution_critic",
    "layers",
]
LAYERS = [
    "access_ux",
    "task_compiler_plan",
    "memory_ingestion_structuring",
    "storage_index",
    "retrieval_ranking",
    "execution_critic_delivery",
]
START = "Where do I start in this repository?"

COMMAND = {
    "README.md": "# Count\n\nCounts the words of a text, without a database or a model.\n",
    "pyproject.toml": '[project]\nname = "count"\n[project.scripts]\ncount = "count.cli:main"\n',
    "src/count/cli.py": (
        '"""Count words; nothing is kept in sqlite3."""\n\n'
        "import argparse\n\n\n"
        "def main():\n"
        "    # A database, or openai, would be too much here.\n"
        "    parser = argparse.ArgumentParser()\n"
        '    parser.add_argument("file")\n'
        "    print(count(open(parser.parse_args().file).read()))\n\n\n"
        "def count(text):\n"
        "    return len(text.split())\n"
    ),
    "tests/test_cli.py": (
        "import sqlite3\n\nimport openai\n\nfrom count.cli import count\n\n\n"
        'def test_words():\n    sqlite3.connect(":memory:")\n    assert count("a b") == 2\n'
    ),
}
WEB = {
    "README.md": "# Notes\n\nA web application that keeps notes.\n",
    "app.py": (
        "import sqlite3\n\n"
        "from flask import Flask, request\n\n"
        "app = Flask(__name__)\n\n\n"
        "def connect():\n"
        '    found = sqlite3.connect("notes.db")\n'
        '    found.execute("CREATE TABLE IF NOT EXISTS notes (id INTEGER, text TEXT)")\n'
        "    return found\n\n\n"
        '@app.get("/notes")\n'
        "def notes():\n"
        '    return [row[0] for row in connect().execute("SELECT text FROM notes")]\n'
    ),
    "Dockerfile": "FROM python:3.12\nCMD flask run\n",
}
LIBRARY = {
    "README.md": "# Slugs\n\nMakes names of files from titles.\n",
    "slugs/__init__.py": 'from slugs.make import slug\n\n__all__ = ["slug"]\n',
    "slugs/make.py": 'def slug(title):\n    return title.lower().replace(" ", "-")\n',
    "tests/test_make.py": "from slugs import slug\n\n\ndef test_a():\n    assert slug('A')\n",
}


def fill(project: Project, files: dict[str, str]) -> Project:
    for path, text in files.items():
        target = project.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    return project


@pytest.fixture
def ask(open_project: Opener, project: Project) -> Callable[..., dict[str, Any]]:
    def answer(files: dict[str, str], question: str = START, **more: Any) -> dict[str, Any]:
        dmm = open_project(fill(project, files))
        try:
            told: dict[str, Any] = to_plain(dmm.asking.ask(question, **more))
            return told
        finally:
            dmm.close()

    return answer


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory, model: Embedder) -> Iterator[Dmm]:
    """The web application, to be asked about only: its code is indexed once."""
    base = tmp_path_factory.mktemp("web")
    project = Project(base / "work")
    project.memory.mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DMM_ROOT", raising=False)
        dmm = Opener(base, model)(fill(project, WEB))
    yield dmm
    dmm.close()


def places(told: dict[str, Any], section: str) -> list[str]:
    (one,) = [one for one in told["coverage_9_section"] if one["section"] == section]
    return [place.partition("@")[0] for place in one["places"]]


def covered(told: dict[str, Any]) -> list[str]:
    return [one["section"] for one in told["coverage_9_section"] if one["covered"]]


def test_a_command_without_storage_is_told_to_have_none(
    ask: Callable[..., dict[str, Any]],
) -> None:
    told = ask(COMMAND)
    gate = told["coverage_gate"]
    assert told["mapping_decision"]["profile"] == "onboarding"
    assert (gate["pass"], gate["missing"]) == (False, ["persistence", "ai_generation"])
    assert gate["attempts"] == gate["retry_max"] == 2
    assert [(one["attempt"], one["section"]) for one in gate["probes"]] == [
        (1, "persistence"),
        (1, "configuration"),
        (1, "ai_generation"),
        (2, "persistence"),
        (2, "configuration"),
        (2, "ai_generation"),
    ]
    assert places(told, "entry_points") == ["src/count/cli.py:6"]
    assert places(told, "surfaces") == ["src/count/cli.py:8"]
    assert "- no evidence of persistence (where data outlives" in told["suggested_prompt"]
    assert covered(told) == [
        "purpose",
        "entry_points",
        "surfaces",
        "tests",
        "build_and_deployment",
    ]


def test_a_declared_command_is_a_surface_where_nothing_else_is(
    ask: Callable[..., dict[str, Any]],
) -> None:
    manifest = '{\n  "name": "wcp",\n  "bin": {\n    "wcp": "src/cli.js"\n  }\n}\n'
    told = ask({"package.json": manifest, "src/cli.js": "console.log(process.argv.length);\n"})
    assert places(told, "entry_points") == places(told, "surfaces") == ["src/cli.js:1"]


def test_a_web_application_with_a_database_is_seen_as_one(
    ask: Callable[..., dict[str, Any]],
) -> None:
    told = ask(WEB)
    assert told["coverage_gate"]["missing"] == ["ai_generation"]
    assert places(told, "persistence") == ["app.py:10"]
    assert places(told, "entry_points") == ["app.py:5"]
    assert places(told, "surfaces") == ["app.py:5"]
    assert "build_and_deployment" in covered(told)


def test_a_library_has_no_entry_point(ask: Callable[..., dict[str, Any]]) -> None:
    told = ask(LIBRARY)
    gate = told["coverage_gate"]
    assert gate["missing"] == ["entrypoint", "persistence", "ai_generation"]
    assert places(told, "surfaces") == ["slugs/__init__.py:3"]


def test_a_repository_with_all_of_it_passes(ask: Callable[..., dict[str, Any]]) -> None:
    more = {"helper.py": "import openai\n\n\ndef reply():\n    return openai.OpenAI()\n"}
    gate = ask(WEB | more)["coverage_gate"]
    assert (gate["pass"], gate["missing"], gate["cut"]) == (True, [], [])
    assert [one["category"] for one in gate["categories"]] == gate["required"]


def test_a_script_alone_is_told_and_proves_no_entry_point(
    ask: Callable[..., dict[str, Any]],
) -> None:
    told = ask({"package.json": '{"scripts": {"start": "echo no"}}\n', "a.js": "export {};\n"})
    assert places(told, "entry_points") == ["package.json:1"]
    assert "entrypoint" in told["coverage_gate"]["missing"]


def test_a_second_look_finds_what_names_do_not_tell(ask: Callable[..., dict[str, Any]]) -> None:
    hidden = {
        "src/count/tally.py": "import shelve\n\n\ndef total():\n    return shelve.open('t')\n"
    }
    told = ask(COMMAND | hidden)
    assert told["coverage_gate"]["missing"] == ["ai_generation"]
    assert places(told, "persistence") == ["src/count/tally.py:5"]
    probe = told["coverage_gate"]["probes"][0]
    assert probe["section"] == "persistence"
    assert probe["found"] == ["src/count/tally.py"]


def test_no_second_look_is_taken_where_none_is_allowed(
    project: Project, open_project: Opener
) -> None:
    hidden = {
        "src/count/tally.py": "import shelve\n\n\ndef total():\n    return shelve.open('t')\n"
    }
    (project.dmm / FILE_NAME).write_text('{"ask": {"coverage_retry_max": 0}}')
    dmm = open_project(fill(project, COMMAND | hidden))
    gate = to_plain(dmm.asking.ask(START))["coverage_gate"]
    dmm.close()
    assert gate["missing"] == ["persistence", "ai_generation"]
    assert gate["probes"] == []


def test_the_answer_has_exactly_the_fields_of_the_contract(
    ask: Callable[..., dict[str, Any]],
) -> None:
    told = ask(WEB)
    assert list(told) == FIELDS
    assert list(told["layers"]) == LAYERS
    assert len(told["coverage_9_section"]) == 9
    assert (told["executor_mode"], told["execution_attempted"]) == ("off", False)
    assert told["execution_result"] is None
    critic = told["execution_critic"]
    assert {"stuck_detected", "risk_level", "recommendation"} <= set(critic)
    assert set(ask(WEB, timed=True)) == {*FIELDS, "timing"}


def test_every_citation_of_code_is_true(
    ask: Callable[..., dict[str, Any]], project: Project
) -> None:
    told = ask(WEB, style="full")
    assert told["repo_context"]
    for one in told["repo_context"]:
        cite = Citation(one["path"], None, (one["start"], one["end"]), one["hash"])
        assert check(project.folder, cite).state is Freshness.FRESH
        assert one["start"] <= one["line"] <= one["end"]
        assert f"[{one['path']}:{one['line']}@{one['hash']}]" in told["suggested_prompt"]


@pytest.mark.parametrize("style", ["compact", "full"])
@pytest.mark.parametrize("budget", [0, 1, 20, 60, 120, 200, 300, 500, 900, 3000, 20_000])
def test_the_budget_is_never_exceeded_and_every_token_is_accounted_for(
    web: Dmm, count: Callable[[str], int], budget: int, style: str
) -> None:
    told: dict[str, Any] = to_plain(web.asking.ask(START, budget=budget, style=style))
    total = count(told["suggested_prompt"])
    metrics = told["prompt_metrics"]
    assert total == told["token_estimate"] == metrics["total"] <= budget
    assert total == sum(metrics["parts"].values()) + sum(metrics["evidence"].values())
    plan = told["prompt_plan"]
    kept = {one["id"] for one in plan["taken"]}
    gate = told["coverage_gate"]
    for category in gate["categories"]:
        assert category["in_prompt"] == bool(kept & set(category["evidence"]))
    assert gate["pass"] == (not gate["missing"] and not gate["cut"])


def test_the_same_files_and_ledger_give_the_same_bytes(
    new_project: Callable[[str], Project], open_project: Opener
) -> None:
    answers = set()
    for name in ("one", "two"):
        project = fill(new_project(name), WEB | {"helper.py": "import openai\n"})
        dmm = open_project(project)
        first = json.dumps(to_plain(dmm.asking.ask(START)))
        dmm.close()
        again = open_project(project)
        answers |= {first, json.dumps(to_plain(again.asking.ask(START)))}
        again.close()
    assert len(answers) == 1


def hook(dmm: Dmm, event: str, session: str = "s", **fields: Any) -> None:
    told = {"session_id": session, "cwd": str(dmm.root.project), "hook_event_name": event} | fields
    read = parse_payload("claude-code", json.dumps(told).encode())
    dmm.sessions.attend(deliver(read, f"d{dmm.project_ledger.reading.head().seq}"))


def run(dmm: Dmm, command: str, output: str, session: str = "s") -> None:
    hook(
        dmm,
        "PostToolUse",
        session,
        tool_name="Bash",
        tool_use_id=f"call{dmm.project_ledger.reading.head().seq}",
        tool_input={"command": command},
        tool_response=output,
    )


def test_memory_sessions_and_code_are_answered_from_at_once(
    project: Project, open_project: Opener, memory_text: MemoryText
) -> None:
    body = "Notes are kept in SQLite because one file is easy to back up."
    project.write("project/storage.md", memory_text("Notes live in SQLite", body, tags="[sqlite]"))
    dmm = open_project(fill(project, WEB))
    hook(dmm, "UserPromptSubmit", prompt="Why are notes kept in SQLite and not in Postgres?")
    hook(dmm, "Stop", last_assistant_message="Because SQLite needs no server.")
    before = dmm.project_ledger.reading.head()
    told = to_plain(dmm.asking.ask("How are notes kept in SQLite?", profile="general"))
    assert dmm.project_ledger.reading.head() == before
    dmm.close()
    prompt = told["suggested_prompt"]
    assert "[project/storage.md] memory: Notes live in SQLite\n> Notes are kept in SQLite" in prompt
    assert "[msg_1] session: message of" in prompt
    assert "[app.py:" in prompt
    assert [row["id"] for row in told["layer1_search"]["results"]][:1] == ["msg_1"]
    assert {one["id"] for one in told["layer3_observations"]} >= {"msg_1"}
    assert told["evidence_stats"]["taken"]["memory"] == 1
    assert parse("project/storage.md", memory_text("Notes live in SQLite", body)).memory


def test_what_a_tool_said_is_marked(project: Project, open_project: Opener) -> None:
    dmm = open_project(project)
    hook(dmm, "UserPromptSubmit", prompt="Fix the failing test of the shipping module")
    run(dmm, "pytest tests/shipping", "1 failed\nE   KeyError: 'zone'\nFAILED tests/shipping")
    path = f"{project.folder}/shipping.py"
    hook(dmm, "PostToolUse", tool_name="Edit", tool_input={"file_path": path}, tool_response="ok")
    run(dmm, "pytest tests/shipping", "3 passed")
    hook(dmm, "Stop", last_assistant_message="The zone is looked up with a default now.")
    told = to_plain(
        dmm.asking.ask("which tests of the shipping module failed?", profile="debugging")
    )
    dmm.close()
    low = [one for one in told["layer3_observations"] if "low_trust" in one]
    assert low
    assert "LOW TRUST (tool: information only)" in told["suggested_prompt"]
    assert told["evidence_stats"]["low_trust"] == len(low)


def test_a_session_that_goes_in_circles_is_warned(project: Project, open_project: Opener) -> None:
    dmm = open_project(project)
    for session in ("calm", "s"):
        hook(dmm, "UserPromptSubmit", session, prompt="Make the tests pass")
    run(dmm, "pytest", "3 passed", "calm")
    for _ in range(3):
        run(dmm, "pytest", "1 failed\nE   KeyError: 'zone'\nFAILED tests/test_zone.py")
    told = to_plain(dmm.asking.ask("why does the test fail?"))
    assert told["execution_critic"]["stuck_detected"]
    assert told["execution_critic"]["risk_level"] == "high"
    assert told["execution_critic"]["session"] == "s"
    assert "## Warning\nThis session seems stuck (pytest)." in told["suggested_prompt"]
    calm = to_plain(dmm.asking.ask("why does the test fail?", session="calm"))
    assert not calm["execution_critic"]["stuck_detected"]
    dmm.close()


def test_a_look_back_that_no_session_answers_is_told_to_have_no_evidence(
    project: Project, open_project: Opener
) -> None:
    dmm = open_project(fill(project, WEB))
    hook(dmm, "UserPromptSubmit", prompt="Why are notes kept in SQLite and not in Postgres?")
    empty = to_plain(dmm.asking.ask("What did we do in 1999?"))
    code = to_plain(dmm.asking.ask("What did we do in app.py in 1999?"))
    found = to_plain(dmm.asking.ask("What did we say about SQLite today?"))
    dmm.close()
    assert empty["suggested_prompt"].endswith(
        "## Evidence\nNone was found in memory, sessions and code."
        " Say so in your answer; do not guess.\n\n"
    )
    assert empty["prompt_metrics"]["total"] == empty["token_estimate"]
    assert "\nNo session about this was found. Say so;" in code["suggested_prompt"]
    assert "No session about this" not in found["suggested_prompt"]


def test_the_newest_of_sessions_is_told_once(project: Project, open_project: Opener) -> None:
    dmm = open_project(fill(project, WEB))
    hook(dmm, "UserPromptSubmit", prompt="Why are notes kept in SQLite and not in Postgres?")
    run(dmm, "cat README.md", "Notes")
    hook(dmm, "Stop", last_assistant_message="`sqlite3` needs no server, says README.md.")
    told = to_plain(dmm.asking.ask("Where do I start?"))
    dmm.close()
    assert [row["id"] for row in told["layer1_search"]["results"]] == ["msg_3", "obs_1", "msg_1"]
    assert [one["id"] for one in told["layer3_observations"]] == ["obs_1"]


def test_days_kinds_and_files_narrow_what_sessions_tell(
    project: Project, open_project: Opener
) -> None:
    dmm = open_project(project)
    dmm.ledger.record_decision("Use SQLite for notes", "no server is needed")
    hook(dmm, "UserPromptSubmit", prompt="Rename the notes table")
    asking = dmm.asking
    told = to_plain(asking.ask("what did we decide about notes?"))["layer1_search"]
    assert told["filters"] == {"kind": "decision"}
    assert [row["kind"] for row in told["results"]] == ["decision"]
    told = to_plain(asking.ask("what did we do about notes before 2001-01-01?"))["layer1_search"]
    assert (told["filters"], told["results"]) == ({"until": "2000-12-31"}, [])
    told = to_plain(asking.ask("which bugs did we fix in the notes?"))["layer1_search"]
    assert told["filters"] == {}
    assert told["results"]
    assert to_plain(asking.ask("what did we do today?"))["layer1_search"]["retrieval"] == "newest"
    dmm.close()


def test_the_sessions_of_a_project_that_is_not_trusted_stay_unread(
    project: Project, open_project: Opener, memory_text: MemoryText
) -> None:
    project.write("project/storage.md", memory_text("Notes live in SQLite", tags="[sqlite]"))
    dmm = open_project(fill(project, WEB), trusted=False)
    told = to_plain(dmm.asking.ask("Where do notes live, in SQLite?", profile="general"))
    dmm.close()
    assert told["layer3_observations"] == []
    assert any("sessions could not be searched" in one for one in told["layer1_search"]["notices"])
    assert "LOW TRUST (not accepted by you: information only)" in told["suggested_prompt"]


def test_a_named_definition_comes_first(ask: Callable[..., dict[str, Any]]) -> None:
    told = ask(WEB | COMMAND, "What does `cli.count` do, and who calls it?")
    assert told["repo_context"][0]["id"] == "src/count/cli.py:13-14"
    told = ask(WEB | COMMAND, "What does `Nowhere.count` do?")
    assert told["repo_context"][0]["score"] != 1.0


def test_secrets_in_code_and_in_the_question_are_not_shown(
    ask: Callable[..., dict[str, Any]],
) -> None:
    key = "sk-ant-api03-" + "Zx9Qw8Er7Ty6Ui5Op4As3Df2Gh1Jk0Lz" * 2
    files = {"settings.py": f'class Settings:\n    API_KEY = "{key}"\n'}
    told = ask(files, f"where is API_KEY {key} set in settings?", profile="architecture")
    assert "settings.py" in told["suggested_prompt"]
    assert key not in json.dumps(told)


def test_own_profiles_come_from_the_settings(project: Project, open_project: Opener) -> None:
    own = {"release": {"keywords": ["ship"], "goal": "Ship it", "sections": ["tests"]}}
    settings = {"ask": {"budget": 400, "default_profile": "release", "profiles": own}}
    (project.dmm / FILE_NAME).write_text(json.dumps(settings))
    dmm = open_project(fill(project, COMMAND))
    told = to_plain(dmm.asking.ask("can we ship?"))
    assert told["mapping_decision"]["matched"] == {"release": ["ship"]}
    assert "Profile: release. Ship it." in told["suggested_prompt"]
    assert told["token_estimate"] <= told["prompt_metrics"]["budget"] == 400
    assert (
        to_plain(dmm.asking.ask("how are words counted"))["mapping_decision"]["profile"]
        == "release"
    )
    dmm.close()
    own["release"]["sections"] = ["taste"]
    (project.dmm / FILE_NAME).write_text(json.dumps(settings))
    with pytest.raises(ConfigError, match=r"ask\.profiles\.release\.sections"):
        open_project(project).asking.ask("can we ship?")


@pytest.mark.parametrize(
    ("question", "more", "message"),
    [
        (" ", {}, "the question is empty"),
        ("x" * 20_001, {}, "more than 20,000 characters"),
        ("why", {"style": "loud"}, "no style 'loud'"),
        ("why", {"budget": -1}, "the budget is negative"),
        ("why", {"profile": "tour"}, "no profile 'tour'"),
    ],
)
def test_what_can_not_be_asked_is_refused(
    ask: Callable[..., dict[str, Any]], question: str, more: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        ask({}, question, **more)


def test_an_empty_folder_is_answered_too(ask: Callable[..., dict[str, Any]]) -> None:
    told = ask({}, "what is this?")
    assert told["repo_context"] == []
    assert told["coverage_gate"]["missing"] == ["entrypoint", "persistence", "ai_generation"]


@pytest.mark.slow
def test_this_repository_shows_its_entry_point_its_stores_and_its_surfaces(
    project: Project, open_project: Opener
) -> None:
    left_out = shutil.ignore_patterns("data", "__pycache__", "rules", "conflicts", "importer")
    shutil.copytree(ROOT / "src", project.folder / "src", ignore=left_out)
    for name in ("README.md", "ARCHITECTURE.md", "pyproject.toml", "Makefile"):
        shutil.copy(ROOT / name, project.folder / name)
    dmm = open_project(project)
    told = to_plain(dmm.asking.ask(START, profile="onboarding"))
    dmm.close()
    gate = told["coverage_gate"]
    assert (gate["pass"], gate["missing"], gate["cut"]) == (True, [], [])
    found = {
        section: {place.rpartition(":")[0] for place in places(told, section)}
        for section in ("entry_points", "persistence", "surfaces", "ai_generation")
    }
    assert "src/dmm/cli/main.py" in found["entry_points"]
    assert "src/dmm/index/store.py" in found["persistence"]
    assert {"src/dmm/eventlog/log.py", "src/dmm/storage/sqlite.py"} & found["persistence"]
    assert {path.split("/")[2] for path in found["surfaces"]} >= {"cli", "http", "mcp"}
    assert "src/dmm/embed/model.py" in found["ai_generation"]
    lines = (ROOT / "src/dmm/cli/main.py").read_text().splitlines()
    main = next(one for one in told["repo_context"] if one["path"] == "src/dmm/cli/main.py")
    assert lines[main["line"] - 1] == "def main() -> None:"
    assert f"[src/dmm/cli/main.py:{main['line']}@{main['hash']}]" in told["suggested_prompt"]
    covered_now = [
        one["covered"] for one in told["coverage_9_section"] if one["section"] != "tests"
    ]
    assert all(covered_now)
    for one in told["repo_context"]:
        cite = Citation(one["path"], None, (one["start"], one["end"]), one["hash"])
        assert check(ROOT, cite).state is Freshness.FRESH


def test_a_budget_without_room_for_the_task_gives_no_prompt(
    ask: Callable[..., dict[str, Any]],
) -> None:
    told = ask(WEB, budget=20)
    assert told["suggested_prompt"] == ""
    assert told["prompt_plan"]["parts_left"] == ["task", "coverage", "evidence", "plan"]
    assert not told["coverage_gate"]["pass"]
