"""How each act of a person is done on each surface, for the tests that prove that it is asked for.

A new act, command or route is missing here until somebody says who may use it.
"""

from __future__ import annotations

from typing import Any

from dmm.passkeys.acts import PersonAct as Act

# Command lines; what stands in braces is made by the test. `review batch` and `rules edit` open an
# editor that changes something.
LINES: dict[Act, tuple[str, ...]] = {
    Act.APPROVE: ("review approve {proposal}",),
    Act.REJECT: ("review reject {proposal} --reason no",),
    Act.EDIT: ("review edit {proposal} --file {text}", "review edit {proposal}"),
    Act.BATCH: ("review batch", "review edit"),
    Act.UNDO: ("undo {noted} --yes",),
    Act.REMEMBER: ("remember 'Tea is at four.'", "remember 'Tea is at five.' --replace {memory}"),
    Act.FORGET: ("forget {memory}",),
    Act.IMPORT: ("import {guide} --apply",),
    Act.EXPORT_USAGE: ("export-usage",),
    Act.RESOLVE: ("conflicts resolve {conflict} --action intentional --reason both",),
    Act.ADD_RULE: ("rules add 'never use curl'", "rules add 'never use wget' --edit"),
    Act.EDIT_RULE: ("rules edit {rule}",),
    Act.ACCEPT_RULE: ("rules accept {pending} --yes", "ledger accept {pending}"),
    Act.DISABLE_RULE: ("rules disable {rule}",),
    Act.ENABLE_RULE: ("rules enable {rule}",),
    Act.ALLOW_CALL: ("rules allow {asked} --yes",),
    Act.ADOPT_RULES: ("rules adopt {constraint}", "rules adopt --all"),
    Act.CONSTRAINT: ("ledger constraint 'never use nc'", "ledger constraint --starter"),
    Act.LIFT_CONSTRAINT: ("ledger constraint --deactivate {constraint}",),
    Act.TRUST: ("trust --yes",),
    Act.REVOKE_TRUST: ("trust --revoke",),
    Act.FORGET_PASSKEYS: ("trust --forget-passkeys",),
    Act.REDACT: ("redact 1 --yes",),
    Act.RESTORE: ("ledger restore",),
    Act.TELL_TEAM: ("team tell {observation}",),
    Act.JOIN_TEAM: ("team join http://127.0.0.1:9 invitation",),
    Act.LEAVE_TEAM: ("team leave",),
    Act.INVITE_LAPTOP: ("team invite",),
    Act.CHANGE_ROLE: ("team role laptop reviewer",),
    Act.REMOVE_LAPTOP: ("team revoke laptop",),
}

# Commands that decide nothing a person has to: they read, record what was seen or said, or propose.
# `ui` is the way to the page in which a person confirms. `server` runs a team's server, not this
# user's memory, and refuses agents' shells.
FREE_COMMANDS = {
    *("init", "query", "ask", "search", "timeline", "get", "export", "import-sessions", "check"),
    *("validate", "diff", "merge", "merge-file", "ui", "status", "cost", "reindex", "feedback"),
    *("lifecycle", "digest", "distil", "install", "doctor", "completion", "serve", "demo"),
    *(f"rules {one}" for one in ("list", "show", "test", "draft", "rehearse", "explain")),
    *(f"review {one}" for one in ("list", "show", "process", "process-all")),
    *(f"conflicts {one}" for one in ("scan", "list", "show", "flag")),
    *(f"team {one}" for one in ("sync", "status", "log", "members", "search")),
}
FREE_GROUPS = ("write", "daemon", "server")
FREE_LEDGER = {
    *("init", "fact", "pending", "decide", "query", "context", "trace", "replay", "at", "diff"),
    *("drift", "simulate", "rehearse", "explain", "verify", "backup", "log", "pack", "session"),
}

# Requests of a browser; what stands in braces is made by the test.
ROUTES: dict[Act, tuple[str, dict[str, Any]]] = {
    Act.APPROVE: ("POST /v1/proposals/{id}/approve", {"seen": "0" * 64}),
    Act.REJECT: ("POST /v1/proposals/{id}/reject", {"reason": "no"}),
    Act.EDIT: ("POST /v1/proposals/{id}/edit", {"content": "# Other\n\nText."}),
    Act.UNDO: ("POST /v1/undo", {"seq": 1}),
    Act.REMEMBER: ("POST /v1/remember", {"text": "Use pnpm, not npm."}),
    Act.FORGET: ("POST /v1/forget", {"name": "project/keeping_memory.md"}),
    Act.RESOLVE: ("POST /v1/conflicts/{id}/resolve", {"action": "intentional", "reason": "so"}),
    Act.ADD_RULE: ("POST /v1/rules", {"text": "never run terraform destroy"}),
    Act.EDIT_RULE: ("POST /v1/rules/{id}/edit", {"source": "x"}),
    Act.ACCEPT_RULE: ("POST /v1/rules/accept", {"names": ["1"]}),
    Act.DISABLE_RULE: ("POST /v1/rules/{id}/disable", {}),
    Act.ENABLE_RULE: ("POST /v1/rules/{id}/enable", {}),
    Act.ADOPT_RULES: ("POST /v1/rules/adopt", {}),
    Act.CONSTRAINT: ("POST /v1/ledger/constraints", {"text": "never deploy on Fridays"}),
    Act.ENROLL: ("POST /v1/passkeys/begin", {"name": "mine"}),
    Act.REMOVE_PASSKEY: ("DELETE /v1/passkeys/{id}", {}),
}

# Requests that change something and need no proof: they read, run work, propose, or record words
# that count as a browser's. A confirmation is made with a signature of its own.
FREE_ROUTES = {
    *("POST /v1/query", "POST /v1/reindex", "POST /v1/ask", "POST /v1/check", "POST /v1/feedback"),
    *("POST /v1/proposals", "POST /v1/proposals/preview", "POST /v1/proposals/{id}/process"),
    *("POST /v1/conflicts", "POST /v1/rules/rehearse", "POST /v1/rules/compile"),
    *(f"POST /v1/ledger/{one}" for one in ("facts", "decisions", "queries", "simulations")),
    *("POST /v1/ledger/rehearsals", "POST /v1/jobs", "DELETE /v1/jobs/{id}"),
    *("POST /v1/session", "DELETE /v1/session"),
    *("POST /v1/confirmations", "POST /v1/confirmations/{id}"),
}

# Where services compare who speaks with a person, and the acts that rest on it.
CHECKS: dict[str, tuple[Act, ...]] = {
    "review/decisions:Reviews._need_person": (Act.APPROVE, Act.REJECT, Act.EDIT, Act.BATCH),
    "review/service:Proposals.apply_as_person": (
        *(Act.UNDO, Act.FORGET, Act.IMPORT, Act.EXPORT_USAGE),
    ),
    "notes/service:Notes._by_person": (Act.REMEMBER, Act.FORGET),
    "conflicts/resolutions:Resolutions._accept_as_is": (Act.RESOLVE,),
    "rules/listing:RuleReading._is_person": (
        *(Act.ADD_RULE, Act.EDIT_RULE, Act.ACCEPT_RULE, Act.DISABLE_RULE, Act.ENABLE_RULE),
        *(Act.ADOPT_RULES, Act.ALLOW_CALL, Act.CONSTRAINT),
    ),
    "rules/constraints:Constraints.accept_constraints": (Act.ACCEPT_RULE,),
    "rules/constraints:Constraints.add_starter": (Act.CONSTRAINT,),
    "rules/constraints:Constraints.deactivate": (Act.LIFT_CONSTRAINT,),
    "ledger/backups:Backups.restore": (Act.RESTORE,),
    "ledger/redactions:Redactions.redact": (Act.REDACT,),
    # These change only what is shown, found alike, or counted.
    "review/intake:Intake._take": (),
    "rules/constraints:Constraints._find_same": (),
    "rules/discretion:discreet": (),
    "rules/shelf:RuleShelf._settle": (),
}
# What no service of a ledger carries out: the user's own state, a team, and passkeys.
ELSEWHERE = {
    *(Act.TRUST, Act.REVOKE_TRUST, Act.FORGET_PASSKEYS, Act.ENROLL, Act.REMOVE_PASSKEY),
    *(
        Act.TELL_TEAM,
        Act.JOIN_TEAM,
        Act.LEAVE_TEAM,
        Act.INVITE_LAPTOP,
        Act.CHANGE_ROLE,
        Act.REMOVE_LAPTOP,
    ),
}
