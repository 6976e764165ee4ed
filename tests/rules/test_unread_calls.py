"""A fault of ours while a call is read never lets it pass where a rule could stop it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.reading import WorkTree
from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.commands.calls import ToolCall
from dmm.rules.form import compile_fields

if TYPE_CHECKING:
    from collections.abc import Callable

SECRET = "hunter2-of-the-script"


def book(level: str = "deny", match: object = None) -> CallBook:
    fields = {"level": level, "match": match or {"command": "git push --force"}}
    rule = compile_fields(fields, "Never force-push", "", "force").call
    assert rule is not None
    return CallBook([CallEntry(1, "Never force-push", rule, id="force")])


def bash(command: str) -> ToolCall:
    return ToolCall("Bash", {"command": command}, "/app")


def failing(kind: type[Exception]) -> Callable[[str], str | None]:
    def read(path: str) -> str | None:
        raise kind(f"{path}: {SECRET}")

    return read


class BrokenTree(WorkTree):
    """A tree on a file system that fails in a way of its own."""

    def below(self, folder: str) -> tuple[str, ...]:
        raise RuntimeError(folder)


class Endless(dict[str, object]):
    """Arguments that lead on without an end."""

    def get(self, key: str, default: object = None) -> object:
        return self.get(key, default)


@pytest.mark.parametrize("kind", [OSError, RecursionError, MemoryError, KeyError])
def test_a_call_whose_files_can_not_be_read_is_asked_about(kind: type[Exception]) -> None:
    ruling = book().rule(bash("bash deploy.sh"), files=failing(kind))
    assert (ruling.level, ruling.seq) == ("ask", None)
    assert f"could not read all of this call ({kind.__name__} in dmm.rules." in ruling.reason
    assert ruling.trace[0].startswith(f"not read: {kind.__name__} in dmm.rules.")
    assert SECRET not in str(ruling.describe())


def test_what_the_words_of_such_a_call_say_is_still_denied() -> None:
    ruling = book().rule(bash("bash deploy.sh && git push -f"), files=failing(OSError))
    assert (ruling.level, ruling.id) == ("deny", "force")
    assert ruling.trace[0].startswith("not read: OSError")


def test_a_changed_file_that_can_not_be_read_is_asked_about() -> None:
    held = book(match={"content": "SECRET"})
    call = ToolCall("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"})
    ruling = held.rule(call, texts=failing(OSError))
    assert ruling.level == "ask"
    assert SECRET not in str(ruling.describe())


def test_a_fault_in_the_tree_of_files_is_asked_about() -> None:
    held = book(match={"path": {"glob": "src/**", "access": "delete"}})
    ruling = held.rule(bash("rm -r lib"), tree=BrokenTree("/app"))
    assert (ruling.level, ruling.seq) == ("ask", None)
    assert "RuntimeError" in ruling.reason
    assert held.rule(bash("rm src/a.py"), tree=BrokenTree("/app")).denied


@pytest.mark.parametrize("level", ["deny", "ask"])
def test_a_call_of_which_nothing_can_be_read_is_asked_about(level: str) -> None:
    call = ToolCall("Bash", Endless(command="git status"))
    ruling = book(level).rule(call)
    assert ruling.level == "ask"
    assert "RecursionError" in ruling.reason


def test_where_no_rule_stops_anything_such_a_call_passes() -> None:
    call = bash("bash deploy.sh")
    assert book("warn").rule(call, files=failing(OSError)).level == "allow"
    assert CallBook([]).rule(call, files=failing(OSError)).level == "allow"
