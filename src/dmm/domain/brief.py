"""An event in one plain line, for lists that people read."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from dmm.domain import payload as told
from dmm.domain import proposal_payload as of
from dmm.domain.frozen import frozen
from dmm.domain.proposal import PREFIX, Outcome, Verdict
from dmm.domain.recorded import Payload
from dmm.domain.text import neutralise

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dmm.domain.event import Event

LONGEST = 200
# Enough of a text for a line, also where its hidden characters become longer.
_READ = 2 * LONGEST
_AGENTS = ("hook", "import")


class Tone(StrEnum):
    """How a line is meant: as usual, a success, something to look at, a question, a stop."""

    PLAIN = "plain"
    GOOD = "good"
    WARN = "warn"
    ASK = "ask"
    BLOCK = "block"


@frozen
class Ref:
    """What a line is about: a kind, such as `pack` or `rule`, and its id."""

    kind: str
    id: str


@frozen
class Brief:
    """One event in a list."""

    seq: int
    at: str
    type: str
    actor: str
    source: str
    session: str | None
    client: str | None
    branch: str | None
    line: str
    tone: Tone
    ref: Ref | None


class _Told(NamedTuple):
    """What an event is about, before it is cut to one line."""

    line: str
    tone: Tone = Tone.PLAIN
    ref: Ref | None = None


def brief(event: Event) -> Brief:
    """Return an event in one line; a payload that was blanked or can't be read says so."""
    read = Payload.read(event)
    found = _tell(event, read)
    return Brief(
        seq=event.seq,
        at=event.at,
        type=event.type,
        actor=event.actor,
        source=event.source,
        session=event.session,
        client=event.actor if event.source in _AGENTS else None,
        branch=event.branch,
        line=one_line(found.line),
        tone=found.tone,
        ref=found.ref,
    )


def describe(event: Event, longest: int = LONGEST) -> str:
    """Return only the line of an event, as long as there is room for."""
    return one_line(_tell(event, Payload.read(event)).line, longest)


def _tell(event: Event, read: Payload | None) -> _Told:
    return _other(event) if read is None else _TELLERS.get(type(read), _nothing)(event, read)


def one_line(text: str, longest: int = LONGEST) -> str:
    """Return the beginning of a text on one line, hidden characters shown by their code."""
    shown = neutralise(" ".join(text[: longest + _READ].split()))
    return shown if len(shown) <= longest else f"{shown[: longest - 1].rstrip()}…"


def _other(event: Event) -> _Told:
    if event.payload is None:
        return _Told("Redacted", Tone.WARN)
    text = event.payload.get("text")
    return _Told(text if isinstance(text, str) and text else event.type)


def _nothing(event: Event, _read: Any) -> _Told:
    return _Told(event.type)


def _cut(text: str | None) -> str:
    """Return as much of a long text as a line may need."""
    return (text or "")[: LONGEST + _READ]


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _session(event: Event) -> Ref | None:
    return None if event.session is None else Ref("session", event.session)


def _started(event: Event, read: told.SessionStarted) -> _Told:
    how = f" ({read.source})" if read.source else ""
    return _Told(f"{read.client or 'An agent'} started{how}", Tone.PLAIN, _session(event))


def _ended(event: Event, read: told.SessionEnded) -> _Told:
    why = f" ({read.reason})" if read.reason else ""
    return _Told(f"Session ended{why}", Tone.PLAIN, _session(event))


def _compacted(event: Event, read: told.ContextCompacted) -> _Told:
    how = f" ({read.trigger})" if read.trigger else ""
    verb = "Context was compacted" if read.stage == "after" else "Context is being compacted"
    return _Told(f"{verb}{how}", Tone.PLAIN, _session(event))


def _said(event: Event, read: told.UserMessageReceived) -> _Told:
    return _Told(f"Prompt: {_cut(read.text)}" if read.text else "A prompt", ref=_session(event))


def _answered(event: Event, read: told.TurnEnded) -> _Told:
    return _Told(f"Answer: {_cut(read.text)}" if read.text else "Turn ended", ref=_session(event))


def _helped(event: Event, read: told.SubagentEnded) -> _Told:
    told_of = f"Subagent: {_cut(read.text)}" if read.text else "Subagent ended"
    return _Told(told_of, ref=_session(event))


_CALL_FIELDS = ("command", "file_path", "path", "url", "pattern")


def describe_call(read: told.ToolCalled) -> str:
    """Name a call by the line that was recorded, else by its tool and what it touches."""
    line = read.text or read.summary
    if line:
        return _cut(line)
    given = read.input or {}
    named = (given[name] for name in _CALL_FIELDS if isinstance(given.get(name), str))
    return " ".join((read.tool or "a tool", _cut(next(named, "")))).strip()


_RULED = {
    "deny": ("Blocked", Tone.BLOCK),
    "ask": ("Asked about", Tone.ASK),
    "warn": ("Warned about", Tone.WARN),
}


def _requested(event: Event, read: told.ToolRequested) -> _Told:
    verb, tone = _RULED.get(str(read.verdict.get("status")), ("Checked", Tone.PLAIN))
    rule = rule_of(read.verdict) if tone is not Tone.PLAIN else None
    by = "" if rule is None else f" (rule {rule})"
    late = " late" if read.late else ""
    ref = _session(event) if rule is None else Ref("rule", rule)
    if read.allowed is not None:
        verb, tone = "Allowed once:", Tone.PLAIN
    return _Told(f"{verb}{late} {describe_call(read)}{by}", tone, ref)


def rule_of(verdict: Mapping[str, Any]) -> str | None:
    """Return the id or the number of the rule that a verdict rests on."""
    found = verdict.get("id") or verdict.get("seq")
    return None if found is None else str(found)


def _used(event: Event, read: told.ToolUsed) -> _Told:
    return _Told(f"Ran {describe_call(read)}", ref=_session(event))


def _failed(event: Event, read: told.ToolFailed) -> _Told:
    error = read.error.strip().partition("\n")[0]
    why = f": {error}" if error else ""
    return _Told(f"Failed {describe_call(read)}{why}", Tone.WARN, _session(event))


def _fact(_event: Event, read: told.FactAdded) -> _Told:
    return _Told(f"Fact: {read.key} = {_cut(read.value)}")


def _constraint(event: Event, read: told.ConstraintAdded) -> _Told:
    return _Told(f'Rule added: "{_cut(read.text)}"', ref=Ref("rule", str(event.seq)))


def _accepted(_event: Event, read: told.ConstraintAccepted) -> _Told:
    return _Told(f"Rule {read.seq} accepted", Tone.GOOD, Ref("rule", str(read.seq)))


def _lifted(_event: Event, read: told.ConstraintDeactivated) -> _Told:
    name = read.id or str(read.seq)
    why = f": {read.reason}" if read.reason else ""
    return _Told(f"Rule {name} switched off{why}", Tone.WARN, Ref("rule", name))


def _decided(event: Event, read: told.DecisionMade) -> _Told:
    ref = Ref("decision", str(event.seq))
    return _Told(f"Decision committed: {_cut(read.text)}", Tone.GOOD, ref)


def _stopped(event: Event, read: told.DecisionBlocked) -> _Told:
    ref = Ref("decision", str(event.seq))
    return _Told(f"Decision blocked: {_cut(read.text)}", Tone.BLOCK, ref)


def _looked_up(_event: Event, read: told.MemoryQueryIssued) -> _Told:
    return _Told(f"Looked up: {_cut(read.question or read.text)}")


def _served(event: Event, read: told.PackServed) -> _Told:
    ref = Ref("pack", str(event.seq))
    size = f", {read.tokens} tokens" if read.tokens is not None else ""
    if read.briefing is not None:
        return _Told(f"Briefing at the start of the session{size}", ref=ref)
    number = _count(len(read.retrieved), "memory", "memories")
    task = f" for: {_cut(read.task)}" if read.task else ""
    return _Told(f"Served {number}{size}{task}", ref=ref)


def _reported(_event: Event, read: told.UsageReported) -> _Told:
    tone = Tone.GOOD if read.outcome == "helped" else Tone.WARN
    paths = [one.path for one in read.memories]
    ref = Ref("memory", paths[0]) if paths else None
    return _Told(f"Feedback {read.outcome}: {_join(paths)}", tone, ref)


def _join(paths: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(paths))


def _asked_model(_event: Event, read: told.ModelCalled) -> _Told:
    ref = None if read.proposal is None else Ref("proposal", str(read.proposal))
    return _Told(f"Model {read.model} asked for {read.purpose}: {read.outcome}", ref=ref)


def _clash(event: Event, read: told.ConflictFound) -> _Told:
    kind = str(read.type).replace("_", " ")
    between = " and ".join(one.path for one in read.memories)
    ref = Ref("conflict", read.id or str(event.seq))
    return _Told(f"Conflict ({kind}): {between}", Tone.WARN, ref)


def _settled(_event: Event, read: told.ConflictResolved) -> _Told:
    why = f": {_cut(read.reason)}" if read.reason else ""
    line = f"Conflict {read.id} resolved ({read.action}){why}"
    return _Told(line, Tone.GOOD, Ref("conflict", read.id))


def _observed(event: Event, read: told.ObservationMade) -> _Told:
    return _Told(f"Observed: {_cut(read.title or read.text)}", ref=_session(event))


def _expired(_event: Event, read: told.MemoryExpired) -> _Told:
    line = f"Memory expired on {read.expires}: {read.path}"
    return _Told(line, Tone.WARN, Ref("memory", read.path))


def _redacted(_event: Event, read: told.PayloadRedacted) -> _Told:
    why = f": {_cut(read.reason)}" if read.reason else ""
    return _Told(f"Event {read.seq} redacted{why}", Tone.WARN)


def _restored(_event: Event, read: told.LedgerRestored) -> _Told:
    lost = _count(read.missing or 0, "event is", "events are")
    return _Told(f"Ledger restored from event {read.seq}; {lost} lost", Tone.WARN)


def _passkeys(_event: Event, read: told.PasskeysNoted) -> _Told:
    if read.given_up:
        many = _count(len(read.given_up), "passkey", "passkeys")
        return _Told(f"{many} given up without confirmation", Tone.WARN)
    many = _count(len(read.passkeys), "passkey confirms", "passkeys confirm")
    return _Told(f"{many} decisions here")


def _allowed(_event: Event, read: told.CallAllowed) -> _Told:
    return _Told(f"The call of event {read.of} may be made once", Tone.GOOD)


def _merged(_event: Event, read: told.FilesMerged) -> _Told:
    named = (("merged", read.merged), ("both versions kept", read.kept), ("left", read.left))
    line = "; ".join(f"{how}: {_join(paths)}" for how, paths in named if paths)
    return _Told(line, Tone.WARN if read.kept or read.left else Tone.GOOD)


def _proposed(event: Event, read: of.ProposalMade) -> _Told:
    paths = _join([one.path for one in read.edits])
    why = f": {_cut(read.reason)}" if read.reason else ""
    ref = Ref("proposal", str(event.seq))
    return _Told(f"{PREFIX}{event.seq}: {read.operation} {paths}{why}", Tone.PLAIN, ref)


def _about(read: of.OfProposal, line: str, tone: Tone = Tone.PLAIN) -> _Told:
    return _Told(f"{PREFIX}{read.proposal} {line}", tone, Ref("proposal", str(read.proposal)))


def _checked(_event: Event, read: of.ProposalChecked) -> _Told:
    failed = [str(one.name) for one in read.checks if one.failed]
    passed = sum(one.outcome is Outcome.PASS for one in read.checks)
    if failed:
        return _about(read, f"failed {', '.join(failed)}", Tone.WARN)
    return _about(read, f"passed {_count(passed, 'check', 'checks')}")


_REVIEWED = {Verdict.APPROVED: Tone.GOOD, Verdict.REJECTED: Tone.WARN, Verdict.UNDECIDED: Tone.ASK}


def _reviewed(_event: Event, read: of.ProposalReviewed) -> _Told:
    why = f": {_cut(read.reason)}" if read.reason else ""
    tone = _REVIEWED.get(read.verdict, Tone.PLAIN)
    return _about(read, f"{read.verdict} by {read.judge}{why}", tone)


def _applying(_event: Event, read: of.ProposalApplying) -> _Told:
    return _about(read, f"is being applied: {_join([one.path for one in read.edits])}")


def _applied(_event: Event, read: of.ProposalApplied) -> _Told:
    return _about(read, "applied", Tone.GOOD)


def _committed(_event: Event, read: of.ProposalCommitted) -> _Told:
    return _about(read, f"committed to Git as {read.commit}" if read.commit else "not in Git")


def _broken_off(_event: Event, read: of.ProposalFailed) -> _Told:
    return _about(read, f"could not be applied: {_cut(read.reason)}", Tone.WARN)


_TELLERS: dict[type[Payload], Callable[[Event, Any], _Told]] = {
    told.SessionStarted: _started,
    told.SessionEnded: _ended,
    told.ContextCompacted: _compacted,
    told.UserMessageReceived: _said,
    told.TurnEnded: _answered,
    told.SubagentEnded: _helped,
    told.ToolRequested: _requested,
    told.ToolUsed: _used,
    told.ToolFailed: _failed,
    told.FactAdded: _fact,
    told.ConstraintAdded: _constraint,
    told.ConstraintAccepted: _accepted,
    told.ConstraintDeactivated: _lifted,
    told.DecisionMade: _decided,
    told.DecisionBlocked: _stopped,
    told.MemoryQueryIssued: _looked_up,
    told.PackServed: _served,
    told.UsageReported: _reported,
    told.ModelCalled: _asked_model,
    told.ConflictFound: _clash,
    told.ConflictResolved: _settled,
    told.ObservationMade: _observed,
    told.MemoryExpired: _expired,
    told.PayloadRedacted: _redacted,
    told.LedgerRestored: _restored,
    told.PasskeysNoted: _passkeys,
    told.FilesMerged: _merged,
    told.CallAllowed: _allowed,
    of.ProposalMade: _proposed,
    of.ProposalChecked: _checked,
    of.ProposalReviewed: _reviewed,
    of.ProposalApplying: _applying,
    of.ProposalApplied: _applied,
    of.ProposalCommitted: _committed,
    of.ProposalFailed: _broken_off,
}
