"""The starter rules keep DMM itself in force: what it enforces, records and remembers."""

from __future__ import annotations

import pytest
from tests.rules.conftest import check_call

from dmm.rules.callrules import Action
from dmm.rules.commands.calls import ToolCall
from dmm.rules.starter import starter_rules

RULES = starter_rules()

DENIED = [
    "dmm trust",
    "dmm trust --yes --root ../clone",
    "dmm trust --revoke",
    "env -u CLAUDECODE dmm trust --yes",
    "printf 'y\\n' | .venv/bin/dmm trust",
    "dmm ledger constraint --deactivate 3",
    "dmm ledger constraint --deactivate=3 --root .",
    "dmm review approve 17",
    "dmm review approve --id proposal_17 --bypass-reviewer",
    "dmm review reject proposal_17 --reason no",
    "dmm review edit 17 --file mine.md",
    "EDITOR='sed -i s/pending/approve/' dmm review batch",
    "env -u CLAUDECODE dmm review approve 17 && dmm query x",
    "dmm undo 17 --yes",
    "dmm undo --session abc --yes",
    "dmm daemon stop",
    "dmm install --uninstall",
    "dmm redact 17",
    "dmm --root . ledger restore ../copy.db",
    "python -m dmm trust --yes",
    "pkill -f dmm",
    "killall dmm-daemon",
    "kill $(pgrep -f 'dmm daemon')",
    "mv .dmm .dmm-old",
    "rm -r .dmm",
    "rm -rf ./.dmm/",
    "rm .dmm/*",
    "git rm -r .dmm",
    "find .dmm -delete",
    "rm -rf .git/dmm",
    "cp /dev/null .git/dmm/ledger.db",
    "rm -rf $DMM_STATE_DIR",
    "rm .dmm/ledger.db",
    "mv services/api/.dmm/ledger.db /tmp/x",
    "cp other.db .dmm/ledger.db",
    "echo x > /home/user/shop/.dmm/ledger.db-wal",
    "sqlite3 .dmm/ledger.db 'UPDATE events SET payload = NULL'",
    "sqlite3 ./.dmm/ledger.db < change.sql",
    "sed -i d .dmm/ledger.anchor",
    "echo '{}' > ~/.local/state/dmm/trust.json",
    "tee $HOME/.local/state/dmm/trust.json < mine.json",
]  # fmt: skip

ASKED = [
    "echo 'Always push.' >> .dmm/BOOT.md",
    "rm .dmm/memory/ephemeral/old.md",
    "sed -i s/a/b/ .dmm/policy.md",
    "tee ~/.dmm/memory/global/rule.md < x.md",
    "python3 -c \"open('.dmm/daemon.config.json', 'w').write('{}')\"",
]

ALLOWED = [
    "dmm trust --list",
    "dmm trust --help",
    "dmm ledger constraint 'never push to main'",
    "dmm write propose --path project/a.md --reason 'dmm undo is useful' --file a.md",
    "dmm review list",
    "dmm review show 17",
    "dmm review process 17",
    "dmm review approve --help",
    "dmm conflicts list",
    "dmm ledger log",
    "dmm ledger backup ../copy.db",
    "sqlite3 -readonly .dmm/ledger.db 'SELECT count(*) FROM events'",
    "cat .dmm/ledger.anchor",
    "grep -rn 'dmm trust' docs",
    "git add .dmm/memory",
    "git add .dmm",
    "git rm --cached .dmm/memory/ephemeral/old.md",
    "cat .dmm/memory/project/retry.md",
    "dmm query 'how do we trust a clone'",
    "dmm search daemon stop",
    "dmm daemon status",
    "tail ~/.local/state/dmm/logs/daemon.log",
]


def verdict(tool: str, values: dict[str, object]) -> str:
    matches = check_call(RULES, ToolCall(tool, values))
    actions = [match.action for match in matches if match.action is not Action.WARN]
    return actions[0].value if actions else "allow"


@pytest.mark.parametrize("command", DENIED)
def test_a_command_against_dmm_is_denied(command: str) -> None:
    assert verdict("Bash", {"command": command}) == "deny"


@pytest.mark.parametrize("command", ASKED)
def test_a_write_to_memory_or_settings_is_asked_about(command: str) -> None:
    assert verdict("Bash", {"command": command}) == "ask"


@pytest.mark.parametrize("command", ALLOWED)
def test_looking_at_memory_and_proposing_is_let_through(command: str) -> None:
    assert verdict("Bash", {"command": command}) == "allow"


@pytest.mark.parametrize(
    ("tool", "values", "expected"),
    [
        ("Write", {"file_path": "/home/dev/app/.dmm/BOOT.md", "content": "x"}, "ask"),
        ("Edit", {"file_path": ".dmm/memory/baseline/rules.md"}, "ask"),
        ("Write", {"file_path": "/home/dev/.dmm/memory/global/x.md"}, "ask"),
        ("Write", {"file_path": ".dmm/ledger.db", "content": "x"}, "deny"),
        ("Write", {"file_path": "app/.git/dmm/ledger.db", "content": "x"}, "deny"),
        ("Write", {"file_path": "docs/BOOT.md", "content": "x"}, "allow"),
        ("Read", {"file_path": ".dmm/BOOT.md"}, "allow"),
        ("apply_patch", {"command": "*** Update File: .dmm/policy.md\n+x\n"}, "ask"),
        ("mcp__filesystem__edit_file", {"path": ".dmm/daemon.config.json", "edits": []}, "ask"),
        ("mcp__filesystem__move_file", {"source": ".dmm", "destination": "old"}, "deny"),
        ("mcp__shell__run", {"command": "dmm daemon stop"}, "deny"),
    ],
)
def test_every_tool_is_held_to_it(tool: str, values: dict[str, object], expected: str) -> None:
    assert verdict(tool, values) == expected


def test_the_way_out_names_the_proposal() -> None:
    call = ToolCall("Write", {"file_path": ".dmm/memory/project/x.md"})
    (match,) = check_call(RULES, call)
    assert "dmm write propose" in match.suggestion
    assert "memory_propose" in match.suggestion
