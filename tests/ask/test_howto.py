"""Questions how something is done are answered with what people are told to do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from dmm.ask import howto
from dmm.ask.guides import Instruction, read_instructions

if TYPE_CHECKING:
    from collections.abc import Callable

HARBOUR = {
    "README.md": "# Harbour\n\nHarbour plans the berths of ships.\n\n## Deployment\n\n"
    "Copy the binary to the server and restart it:\n\n```\nscp harbour pilot:\n```\n",
    "CONTRIBUTING.md": "# Contributing\n\n## Tests\n\nRun all tests before a pull request:\n\n"
    "```\n$ make check\n```\n",
    "CHANGELOG.md": "# Changes\n\n- Run the tests with `make old`.\n",
    "Makefile": "check: ## run the tests\n\tpytest\n",
    "tests/test_berths.py": "def test_run_the_tests():\n    assert run_tests()\n",
    "berths/deploy.py": "def deploy(berth):\n    # Give a ship its place.\n    return berth.ship\n",
    "berths/tide.py": "def find_tide(ship):\n    # Look the tide up in the table.\n    return 3\n",
}


@pytest.fixture
def answer(answer_about: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    return lambda question, files=HARBOUR: answer_about(files, question)


def test_the_commands_of_documents_and_tasks_answer_how_something_is_done(
    answer: Callable[..., dict[str, Any]],
) -> None:
    points = answer("how do I run the tests?")["points"]
    assert {one["cite"] for one in points[:2]} == {"CONTRIBUTING.md:5", "Makefile:1"}
    said = " ".join(one["text"] for one in points)
    assert "Tests: Run all tests before a pull request: `make check`" in said
    assert "`make check`: run the tests" in said
    assert "make old" not in said


def test_the_nearest_code_comes_beside_what_people_are_told(
    answer: Callable[..., dict[str, Any]],
) -> None:
    first, *others = answer("how do I deploy the binary to the server?")["points"]
    assert first == {
        "text": "Deployment: Copy the binary to the server and restart it: `scp harbour pilot:`",
        "cite": "README.md:7",
    }
    assert "berths/deploy.py:3" in [one["cite"] for one in others]


def test_other_questions_are_answered_by_code(answer: Callable[..., dict[str, Any]]) -> None:
    assert answer("where is the tide looked up?")["points"][0]["cite"] == "berths/tide.py:3"


def test_the_citation_of_a_path_with_an_at_sign_is_whole(
    answer: Callable[..., dict[str, Any]],
) -> None:
    files = {"docs/@harbour/release.md": "# Release\n\nTag a release of harbour: `make tag`\n"}
    told = answer("how do I tag a release?", files)
    assert told["points"][0]["cite"] == "docs/@harbour/release.md:3"


def test_secrets_in_what_people_are_told_are_not_shown(
    answer: Callable[..., dict[str, Any]],
) -> None:
    user = "averyveryverylongusername" * 3
    text = (
        "# Setup\n\nStart the server with your key:\n\n```\n"
        f"export API_KEY=sk-ant-api03-{'a1B2' * 20}\n```\n\n"
        f"To start the server again, {'wait and ' * 14}use ghp_{'iK2Z' * 9}.\n"
    )
    sample = f"DATABASE_URL=postgres://{user}:kept-to-itself-{user}@host/server\n"
    told = answer("how do I start the server?", {"README.md": text, ".env.example": sample})
    assert len(told["points"]) + len(told["see_also"]) > 1
    for secret in ("a1B2a1B2", "iK2Z", "kept-to-itself"):
        assert secret not in str(told)


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("how do I run the tests?", True),
        ("how to build it", True),
        ("What's the exact command to lint?", True),
        ("where's the guide for plugins?", True),
        ("what should we install first?", True),
        ("can I run it without docker?", True),
        ("what has to be installed?", True),
        ("where do I start?", False),
        ("how do retries work?", False),
        ("which commands does it offer?", False),
        ("what happens when a payment fails?", False),
    ],
)
def test_a_question_that_asks_what_to_do_is_known_by_its_form(question: str, asks: bool) -> None:
    assert howto.asks_to_do(question) is asks


def test_words_without_a_command_are_told_with_what_follows_them() -> None:
    told = [
        Instruction("README.md", 3, 3, ("Reset",), "A lost password can be reset"),
        Instruction("README.md", 5, 7, ("Reset",), "On the server:", ("harbour reset",)),
        Instruction("README.md", 9, 9, ("Needed",), "You need these tools to build:"),
        Instruction("README.md", 10, 10, ("Needed",), "Go 1.24"),
        Instruction("README.md", 11, 11, ("Needed",), "Node 22"),
    ]
    (reset, *_) = howto.order("how do I reset a lost password", told, lambda _, __: [])
    assert howto.tell(reset.told) == "Reset: A lost password can be reset: `harbour reset`"
    (tools, *_) = howto.order("which tools do I need to build", told, lambda _, __: [])
    assert howto.tell(tools.told) == "Needed: You need these tools to build: Go 1.24; Node 22"
    assert (tools.told.line, tools.told.end) == (9, 11)


def test_numbered_steps_are_told_in_their_order() -> None:
    text = (
        "## Release\n\n1. Raise the version.\n2. Tag the release:\n   ```\n   make tag\n   ```\n"
        "3. Tell the crew.\n\nFor a fix:\n\n1. Ask a pilot.\n"
    )
    told = read_instructions("RELEASE.md", text.split("\n"))
    (first, *_) = howto.order("how do I tag a release", told, lambda _, __: [])
    assert howto.tell(first.told) == (
        "Release: 1. Raise the version. 2. Tag the release: `make tag` 3. Tell the crew."
    )
    assert (first.told.line, first.told.end) == (3, 8)
    long = [replace(one, said=one.said * 12) for one in told]
    (first, *_) = howto.order("how do I tag a release", long, lambda _, __: [])
    assert howto.tell(first.told).startswith("Release: 2. Tag the release:")


def test_without_a_model_the_words_decide() -> None:
    told = [
        Instruction("a.md", 1, 1, (), "Paint the boat.", ("make paint",)),
        Instruction("Makefile", 1, 1, ("web",), "", ("make moor",), is_declared=True),
    ]
    found = howto.order("moor the boat", told, lambda _, __: [])
    assert {one.alike for one in found} == {0.0}
    assert {howto.tell(one.told) for one in found} == {
        "`make moor` in web",
        "Paint the boat. `make paint`",
    }
    assert found[0].covers > 0
