"""Changes of a call or a constraint that must not change what is denied."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.rules.callrules import meet
from dmm.rules.commands.calls import ToolCall, read_call
from dmm.rules.english import call_rules
from dmm.rules.stored import calls_from_dict, calls_to_dict

# A constraint, a command that breaks it, and one that keeps it.
PAIRS = [
    ("Never run rm -rf", "rm -rf build", "rm -r build"),
    ("Never run git push --force", "git push --force origin topic", "git push origin topic"),
    ("Do not run terraform destroy", "terraform destroy", "terraform plan"),
    ("never use npm, use pnpm", "npm install", "pnpm install"),
    ("Don't install requests, use httpx", "pip install requests", "pip install httpx"),
    ("Do not edit files in migrations/", "touch migrations/0001.py", "cat migrations/0001.py"),
    ("Never push to main", "git push origin main", "git push origin topic"),
    ("Do not execute scripts/deploy.sh", "./scripts/deploy.sh", "cat ./scripts/deploy.sh"),
    ("Never use --no-verify", "git commit --no-verify -m x", "git commit -m x"),
    ("kubectl delete is forbidden", "kubectl delete pod web", "kubectl get pod web"),
]
HARMLESS = ["ls", "cd .", "echo done", "true", "git status", "FOO=1 make test", "cat README.md"]
WRAPS = ["{}", "sudo {}", "env A=1 {}", "A=1 {}", "time {}", "bash -c '{}'", "( {} )", "nohup {} &"]
JOINS = [" && ", "; ", "\n", " || "]

pairs = st.sampled_from(PAIRS)
wraps = st.sampled_from(WRAPS)
harmless = st.sampled_from(HARMLESS)
joins = st.sampled_from(JOINS)


def denied(constraint: str, command: str) -> bool:
    facts = read_call(ToolCall("Bash", {"command": command}))
    return any(meet(rule, facts) is not None for rule in call_rules(constraint))


@given(pairs, wraps)
def test_how_a_command_is_wrapped_changes_nothing(pair: tuple[str, str, str], wrap: str) -> None:
    constraint, breaks, keeps = pair
    assert denied(constraint, wrap.format(breaks))
    assert not denied(constraint, wrap.format(keeps))


@given(pairs, harmless, joins, st.booleans())
def test_a_harmless_command_beside_it_changes_nothing(
    pair: tuple[str, str, str], other: str, join: str, first: bool
) -> None:
    constraint, breaks, keeps = pair
    for command, wanted in ((breaks, True), (keeps, False)):
        whole = f"{command}{join}{other}" if first else f"{other}{join}{command}"
        assert denied(constraint, whole) is wanted


@given(pairs)
def test_quotes_around_words_change_nothing(pair: tuple[str, str, str]) -> None:
    constraint, breaks, keeps = pair
    for command, wanted in ((breaks, True), (keeps, False)):
        quoted = " ".join(f'"{word}"' for word in command.split())
        assert denied(constraint, quoted) is wanted


@given(pairs, st.sampled_from(["echo '{}'", "grep -rn '{}' .", "git log --grep='{}'", "# {}"]))
def test_a_mention_is_no_call(pair: tuple[str, str, str], wrap: str) -> None:
    constraint, breaks, _ = pair
    assert not denied(constraint, wrap.format(breaks))


@given(
    pairs,
    st.sampled_from(["{}", "{}.", "Rule: {}", "- {}", "Please note: {}", "**{}**", "{}. Thanks."]),
)
def test_how_a_constraint_is_dressed_changes_nothing(
    pair: tuple[str, str, str], dress: str
) -> None:
    constraint, breaks, keeps = pair
    text = dress.format(constraint)
    assert denied(text, breaks)
    assert not denied(text, keeps)


@given(pairs, st.permutations(["-r", "-f", "build"]))
def test_the_order_of_flags_changes_nothing(pair: tuple[str, str, str], words: list[str]) -> None:
    assert denied("Never run rm -rf", f"rm {' '.join(words)}")


@pytest.mark.parametrize("constraint", [pair[0] for pair in PAIRS])
def test_a_stored_rule_reads_back_the_same(constraint: str) -> None:
    rules = call_rules(constraint)
    assert rules
    assert calls_from_dict(calls_to_dict(rules)) == rules


@given(st.text(max_size=200))
def test_no_text_is_too_odd_to_read(text: str) -> None:
    for rule in call_rules(text):
        assert meet(rule, read_call(rule.blocked)) is not None


WORDS = """
    never do not don't use run rm -rf git push --force main or and , unless `npm` .env edit in
    migrations/ to the without before ; . : on production only always is forbidden no
"""


@given(st.lists(st.sampled_from(WORDS.split()), max_size=14))
def test_no_order_of_words_is_too_odd_to_read(words: list[str]) -> None:
    for rule in call_rules(" ".join(words)):
        assert meet(rule, read_call(rule.blocked)) is not None
        assert meet(rule, read_call(rule.allowed)) is None
