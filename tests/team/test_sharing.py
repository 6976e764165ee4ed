"""What leaves a laptop: only a person's word, on rules unless settings say more, field by field."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.config import parse_config
from dmm.domain import payload, proposal_payload  # noqa: F401 - they fill the list of payloads
from dmm.domain.event import PERSONS, Event, EventType, Trust
from dmm.domain.plain import to_plain
from dmm.domain.recorded import PAYLOADS
from dmm.errors import ConfigError
from dmm.team.sharing import SHARED, SHARING, Kind, is_shareable, share

if TYPE_CHECKING:
    from collections.abc import Mapping

CANARY = "canary-7f3a"
RULES = {"ConstraintAdded", "ConstraintAccepted", "ConstraintDeactivated"}
OTHERS = {
    "FactAdded": {"key": "region", "value": "eu-central-1"},
    "DecisionMade": {"text": "use PostgreSQL"},
    "DecisionBlocked": {"text": "use MySQL"},
    "ProposalMade": {"operation": "update", "paths": "global/deploy.md"},
    "ProposalReviewed": {"of": "id-1", "verdict": "approved", "paths": "global/deploy.md"},
    "ProposalApplied": {"of": "id-1"},
    "ConflictResolved": {
        "key": "mem-a:0123456789abcdef|mem-b:0123456789abcdef",
        "action": "intentional",
        "paths": "global/a.md\nglobal/b.md",
    },
    "ObservationMade": {"title": "Retries were missing", "text": "The client now retries."},
    "UsageReported": {"day": "2026-01-30", "counts": '[["mem-a","global/a.md",3,1,0,0]]'},
}
# What is told of several events together, never of one.
SUMMED = {"UsageReported"}


def names_of(kind: str) -> list[str]:
    """Name the fields of a payload."""
    known: Any = PAYLOADS.get(kind)
    return ["text"] if known is None else [one.name for one in fields(known)]


def test_every_type_of_event_has_a_verdict() -> None:
    assert set(SHARING) == set(EventType)
    for kind, verdict in SHARING.items():
        assert bool(verdict.fields) != bool(verdict.private), kind


def test_only_rules_and_what_settings_name_are_shared() -> None:
    assert set(SHARED) == RULES | set(OTHERS)
    assert not any(is_shareable(kind, {"text": "x"}) for kind in set(EventType) - set(SHARED))
    assert not is_shareable("SomethingOfALaterVersion", {"text": "x"})
    for kind, told in OTHERS.items():
        assert is_shareable(kind, told)
        event, known = make(7, kind, PAYLOAD[kind]), KNOWN.get
        named = {SHARING[EventType(kind)].kind, SHARING[EventType(kind)].also}
        assert share(event, known) is None
        assert share(event, known, set(Kind) - named) is None
        assert all(
            (share(event, known, {one}) is None) == (kind in SUMMED) for one in named - {Kind.RULES}
        )


def test_settings_name_every_kind_besides_rules() -> None:
    named = sorted(set(Kind) - {"rules"})
    told = json.dumps({"team": {"share": named}})
    assert parse_config(told, source="settings").team.share == tuple(named)
    with pytest.raises(ConfigError, match=f"a list of {', '.join(named)}"):
        parse_config('{"team": {"share": ["prompts"]}}', source="settings")


@pytest.mark.parametrize("kind", sorted(SHARED))
def test_a_field_that_is_not_listed_is_not_shareable(kind: str) -> None:
    allowed = SHARING[EventType(kind)].fields
    rule = {"text": "never push to main", "priority": "required", "of": "x"} | OTHERS.get(kind, {})
    assert is_shareable(kind, {name: rule[name] for name in allowed})
    told = set(names_of(kind)) - allowed
    assert told
    for name in told:
        assert not is_shareable(kind, {name: "x"})


def make(seq: int, kind: str, told: Mapping[str, Any], trust: Trust = Trust.USER) -> Event:
    at, session = "2026-01-31T12:00:00.000+00:00", f"{CANARY}-session"
    actor = (f"{CANARY}-actor", f"{CANARY}-source", trust.value, session)
    return Event(seq, f"id-{seq}", kind, 1, at, *actor, None, (), dict(told))


EDIT = {"path": "global/deploy.md", "before": CANARY, "after": CANARY}
MADE = {"operation": "update", "edits": [EDIT], "reason": CANARY, "trust": "user"}
PROPOSAL = MADE | {"evidence": [], "undoes": [], "origin": CANARY}
SIDES = [{"id": f"mem-{one}", "path": f"global/{one}.md", "summary": CANARY} for one in "ab"]
CLASH = {"id": "conflict_3", "type": "contradiction", "confidence": 0.9, "memories": SIDES}
CONFLICT = CLASH | {"description": CANARY, "suggestion": CANARY, "methods": [], "quotes": [CANARY]}
# What events refer to, by its number.
KNOWN = {
    2: make(2, "ProposalMade", PROPOSAL),
    3: make(3, "ConflictFound", CONFLICT | {"key": OTHERS["ConflictResolved"]["key"]}),
}
_DECISION = {"rationale": CANARY, "references": [], "status": CANARY, "verdict": {CANARY: CANARY}}
_REVIEW = {"proposal": 2, "judge": "person", "verdict": "approved", "reason": CANARY}
# Whole payloads, with canaries in whatever is not shared.
PAYLOAD: dict[str, dict[str, Any]] = {
    "FactAdded": {"key": "region", "value": "eu-central-1", "confidence": None},
    "DecisionMade": {"text": "use PostgreSQL", "confidence": None, "applied": [], **_DECISION},
    "DecisionBlocked": {"text": "use MySQL", "confidence": None, "applied": [], **_DECISION},
    "ProposalMade": PROPOSAL,
    "ProposalReviewed": _REVIEW | {"remarks": {CANARY: CANARY}, "edits": [EDIT]},
    "ProposalApplied": {"proposal": 2, "applying": 4, "trust": "user", "commit": CANARY},
    "ConflictResolved": {
        "id": "conflict_3",
        "action": "intentional",
        "reason": CANARY,
        "proposals": [],
        "target": CANARY,
    },
    "ObservationMade": {
        "of": "obs_4",
        "title": "Retries were missing",
        "narrative": "The client now retries.",
        "text": CANARY,
        "kind": CANARY,
        "model": "",
    },
    "UsageReported": {"memories": [SIDES[0]], "outcome": "helped", "context": CANARY},
}


def test_a_rule_of_a_person_is_shared_in_its_words_alone() -> None:
    told = {"text": "never push to main", "priority": "required", "rule": {"kind": "language"}}
    shared = share(make(7, "ConstraintAdded", told | {"triggered_by": 3}), lambda _: None)
    assert shared is not None
    assert shared.id == "id-7"
    assert shared.payload == '{"priority":"required","text":"never push to main"}'


@pytest.mark.parametrize(
    ("why", "told", "trust"),
    [
        ("an agent's", {}, Trust.AGENT),
        ("a tool's", {}, Trust.TOOL),
        ("in a tool's words", {"tainted": 3}, Trust.USER),
        ("in a file, which travels by Git", {"rule": {"kind": "file"}}, Trust.USER),
        ("too long", {"text": "x" * 20_000}, Trust.USER),
    ],
)
def test_a_rule_stays_on_the_laptop_if_it_is(why: str, told: Any, trust: Trust) -> None:
    rule = {"text": "never push to main", "priority": "required", "rule": None}
    assert share(make(7, "ConstraintAdded", rule | told, trust), lambda _: None) is None, why


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("a surrogate", {"text": "never use \ud800"}),
        ("a control character", {"text": "never use \x1b[2J"}),
        ("a character that can't be seen", {"text": "never use \u202eeval"}),
        ("too long a text", {"text": "x" * 4_001}),
        ("no text", {"text": " "}),
        ("an unknown priority", {"priority": "absolute"}),
    ],
)
def test_words_that_a_laptop_can_not_take_are_neither_sent_nor_taken(what: str, told: Any) -> None:
    rule = {"text": "never push to main", "priority": "required"}
    assert is_shareable("ConstraintAdded", rule)
    assert not is_shareable("ConstraintAdded", rule | told), what
    assert share(make(7, "ConstraintAdded", rule | {"rule": None} | told), lambda _: None) is None


def test_an_agents_rule_leaves_when_a_person_accepts_it_and_is_named_by_its_id() -> None:
    rule = {"text": "never use eval", "priority": "learned", "rule": None}
    added = make(3, "ConstraintAdded", rule, Trust.AGENT)
    found = {3: added}.get
    accepted = share(make(4, "ConstraintAccepted", {"seq": 3}), found)
    lifted = share(make(5, "ConstraintDeactivated", {"seq": 3, "reason": CANARY}), found)
    assert accepted is not None
    assert accepted.payload == '{"of":"id-3","priority":"learned","text":"never use eval"}'
    assert lifted is not None
    assert lifted.payload == '{"of":"id-3"}'
    assert share(make(6, "ConstraintAccepted", {"seq": 3}, Trust.AGENT), found) is None


texts = st.text(max_size=8).map(lambda text: f"{CANARY}{text}")


plain = st.one_of(texts, st.integers(0, 9), st.booleans(), st.none())
values = st.one_of(plain, st.lists(plain, max_size=2), st.dictionaries(texts, plain, max_size=2))


@st.composite
def events(draw: st.DrawFn) -> Event:
    """Make an event of any type, known or not, with canaries everywhere but in rules' words."""
    kind = draw(st.sampled_from([*EventType, "SomethingOfALaterVersion"]))
    names = names_of(kind)
    told = {name: draw(values) for name in [*names, "of", "task", "output", CANARY]}
    told |= PAYLOAD.get(kind, {}) if draw(st.booleans()) else {}
    if kind == EventType.CONSTRAINT_ADDED:
        told |= {"text": "never push to main", "priority": "required"}
    if kind in RULES - {"ConstraintAdded"}:
        told["seq"] = 1
    return make(draw(st.integers(3, 9)), kind, told, draw(st.sampled_from(Trust)))


@given(events(), st.sampled_from(Trust), st.sets(st.sampled_from(Kind)))
def test_no_prompt_output_or_task_is_in_what_is_sent(
    event: Event, by: Trust, kinds: set[Kind]
) -> None:
    rule = {"text": "never push to main", "priority": "required", "rule": None}
    first = make(1, "ConstraintAdded", rule | {"tainted": None, CANARY: CANARY}, by)
    known = {seq: make(seq, one.type, one.payload or {}, by) for seq, one in KNOWN.items()}
    shared = share(event, {1: first, **known}.get, kinds)
    assert CANARY not in str(to_plain(shared) if shared else "")
    if shared is not None:
        assert event.type in RULES or SHARING[EventType(event.type)].is_named(kinds)
        assert event.trust in PERSONS


@pytest.mark.parametrize("kind", sorted(set(OTHERS) - SUMMED))
def test_what_settings_name_is_shared_in_the_listed_fields(kind: str) -> None:
    shared = share(make(7, kind, PAYLOAD[kind]), KNOWN.get, list(Kind))
    assert shared is not None
    assert json.loads(shared.payload).keys() == OTHERS[kind].keys()
    assert CANARY not in shared.payload
    assert is_shareable(kind, json.loads(shared.payload))
