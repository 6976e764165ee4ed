"""What an agent is told of a call that rules stop."""

from __future__ import annotations

from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.commands.calls import ToolCall
from dmm.rules.form import compile_fields
from dmm.rules.rulebook import UNACCEPTED
from dmm.sessions.rulings import write_ruling


def entry(name: str, command: str, level: str = "deny", note: str = "") -> CallEntry:
    rule = compile_fields({"match": {"command": command}, "level": level}, f"No {name}", stem=name)
    assert rule.call is not None
    return CallEntry(0, rule.title, rule.call, typed=True, note=note, id=name)


def tell(*entries: CallEntry, command: str) -> str:
    ruling = CallBook(entries).rule(ToolCall("Bash", {"command": command}))
    return write_ruling(ruling, None).reason or ""


def test_the_other_rules_that_stop_a_call_are_named_briefly() -> None:
    rules = (entry("force", "git push --force"), entry("tag", "git tag", "ask"), entry("rm", "rm"))
    told = tell(*rules, command="git push -f; git tag v1; rm x")
    assert told.startswith('DMM rule force: "No force".')
    assert told.endswith("Also: rule rm, rule tag.")


def test_rules_that_only_warn_and_a_single_rule_add_nothing() -> None:
    rules = (entry("force", "git push --force"), entry("ls", "ls", "warn"))
    assert "Also" not in tell(*rules, command="git push -f; ls")


def test_a_rule_that_nobody_accepted_says_so() -> None:
    pending = entry("force", "git push --force", "ask", UNACCEPTED)
    told = tell(pending, command="git push -f")
    assert told.endswith("An agent added this rule; nobody has accepted it yet.")
    assert "accepted" not in tell(entry("force", "git push --force"), command="git push -f")


def test_many_are_counted() -> None:
    rules = [entry(f"t{number}", f"tool{number}") for number in range(9)]
    command = "; ".join(f"tool{number}" for number in range(9))
    assert tell(*rules, command=command).endswith(
        "Also: rule t1, rule t2, rule t3, rule t4, rule t5 and 3 more."
    )
