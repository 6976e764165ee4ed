"""Starter rules that protect DMM itself: what it enforces, records and remembers."""

from __future__ import annotations

from dmm.rules.commands.facts import ToolCall
from dmm.rules.patterns import Action, PathPattern, ToolRule
from dmm.rules.starterform import bash, command, rule

_STATE = (
    "**/.local/state/dmm", "$XDG_STATE_HOME/dmm", "${XDG_STATE_HOME}/dmm", "$DMM_STATE_DIR",
    "${DMM_STATE_DIR}",
)  # fmt: skip
_OWN_FILES = (
    "**/.dmm", "**/.dmm/ledger.db*", "**/.dmm/ledger.anchor", "**/.git/dmm", "**/.git/dmm/**",
    *_STATE, *(f"{folder}/**" for folder in _STATE),
)  # fmt: skip
_OWN_TEXTS = (
    "**/.dmm/BOOT.md", "**/.dmm/policy.md", "**/.dmm/daemon.config.json", "**/.dmm/memory/**",
    "**/.dmm/rules/**", "~/.dmm/**", "$HOME/.dmm/**", "${HOME}/.dmm/**", "/home/*/.dmm/**",
    "/Users/*/.dmm/**", "/root/.dmm/**",
)  # fmt: skip
MEMORY_RULES = (
    rule(
        "own-trust",
        (
            command("dmm trust", without="--list"),
            command("dmm ledger constraint --deactivate"),
            command("dmm ledger accept|restore"),
            command("dmm review approve|reject|edit|batch"),
            command("dmm undo"),
            command("dmm redact"),
            command("dmm daemon stop"),
            command("dmm install --uninstall"),
            command("pkill|killall|kill *dmm*"),
            command("systemctl stop|disable|mask dmm*"),
        ),
        (
            "Whether memory is trusted, written or taken back, and whether a rule and DMM itself"
            " stay in force, is for a person to say.",
            "Ask the user to run the command in a terminal of their own.",
        ),
        ("dmm ledger constraint --deactivate 3", "dmm ledger constraint 'never use npm'"),
    ),
    ToolRule(
        id="starter.own-files",
        patterns=(
            *(PathPattern(glob, ("write",)) for glob in _OWN_FILES),
            command("sqlite3 *.dmm/ledger.db*", without="-readonly"),
            command("sqlite3 *.git/dmm/*", without="-readonly"),
        ),
        reason="The ledger, its folder and what the user trusts are written by DMM alone.",
        suggestion="Use `dmm ledger fact|constraint|decide`; copy it with `dmm ledger backup`.",
        blocked=bash("rm .dmm/ledger.db"),
        allowed=ToolCall("Read", {"file_path": ".dmm/memory/project/retry.md"}),
    ),
    ToolRule(
        id="starter.own-memory",
        patterns=tuple(PathPattern(glob, ("write",)) for glob in _OWN_TEXTS),
        reason="Instructions, memories and settings of DMM change by proposals that a person sees.",
        suggestion="Propose it: `dmm write propose`, or the tool memory_propose.",
        blocked=ToolCall("Write", {"file_path": ".dmm/memory/project/retry.md", "content": ""}),
        allowed=bash("git add .dmm"),
        action=Action.ASK,
    ),
)
