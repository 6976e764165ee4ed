"""The ledger over HTTP; a blocked decision is an answer, not an error.

FastAPI reads the annotations when the program runs, so they stand here as they are.
"""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from dmm.domain.event import Event, canonical
from dmm.http import models
from dmm.http.calls import BEHIND_TOKEN, Called, Reply, told
from dmm.ledger import results
from dmm.passkeys.acts import Act, PersonAct, digest_text
from dmm.rules.results import ConstraintRecorded, RuleView

router = APIRouter(prefix="/v1/ledger", tags=["ledger"], dependencies=BEHIND_TOKEN)

Seq = Annotated[int, Path(ge=0, le=models.LARGEST)]
At = Annotated[int, Query(ge=0, le=models.LARGEST)]
MOST_EVENTS = 1_000
BUCKETS, MOST_BUCKETS = 120, 1_000


@router.post("/facts", responses=told(results.FactRecorded))
def add_fact(call: Called, body: models.Fact) -> Reply:
    """Record a fact; a changed value is an alert."""
    with call.unproven.recording(body.root) as dmm:
        found = dmm.ledger.add_fact(body.key, body.value, body.confidence, caused_by=body.caused_by)
    return Reply(found)


@router.post("/constraints", responses=told(RuleView | ConstraintRecorded))
def add_constraint(call: Called, body: models.Constraint) -> Reply:
    """Record a constraint; one with a matcher is a rule that a person accepts."""
    said = body.text if body.match is None else canonical([body.text, body.match, body.examples])
    call.prove(Act(PersonAct.CONSTRAINT, body.priority, digest_text(said)), body.proof, body.root)
    with call.recording(body.root) as dmm:
        found = dmm.rules.add_constraint(
            body.text, body.priority, body.triggered_by, match=body.match, examples=body.examples
        )
    return Reply(found)


@router.post("/decisions", responses=told(results.Committed | results.Blocked))
def record_decision(call: Called, body: models.Decision) -> Reply:
    """Check a decision against all constraints and record it, committed or blocked."""
    with call.unproven.recording(body.root) as dmm:
        return Reply(dmm.ledger.record_decision(body.text, body.rationale, body.references))


@router.post("/queries", responses=told(results.Found))
def query_memory(call: Called, body: models.Question) -> Reply:
    """Search the ledger and record that it was asked."""
    with call.unproven.recording(body.root) as dmm:
        return Reply(dmm.ledger.query_memory(body.question, body.scope))


@router.get("/context", responses=told(results.Context))
def get_memory_context(call: Called) -> Reply:
    """Return everything known now, and what needs attention."""
    with call.reading() as dmm:
        return Reply(dmm.ledger.get_memory_context())


@router.get("/trace", responses=told(results.Chain))
def trace_fact(
    call: Called, fact_key: Annotated[str, Query(min_length=1, max_length=200)]
) -> Reply:
    """Trace a fact to its origin."""
    with call.reading() as dmm:
        return Reply(dmm.timelines.trace_provenance(fact_key=fact_key))


@router.get("/trace/{seq}", responses=told(results.Chain))
def trace_event(call: Called, seq: Seq) -> Reply:
    """Trace an event to its origin."""
    with call.reading() as dmm:
        return Reply(dmm.timelines.trace_provenance(seq=seq))


@router.get("/at/{seq}", responses=told(results.Flashback))
def time_travel(call: Called, seq: Seq) -> Reply:
    """Show what was known at an event, and how today differs."""
    with call.reading() as dmm:
        return Reply(dmm.timelines.time_travel(seq))


@router.get("/replay", responses=told(models.Told))
def replay(call: Called, to: Annotated[int | None, Query(ge=0, le=models.LARGEST)] = None) -> Reply:
    """Fold the log up to an event; equal logs give equal hashes."""
    with call.reading() as dmm:
        return Reply(dmm.timelines.replay(to))


@router.get("/diff", responses=told(models.Told))
def diff(call: Called, before: At, after: At) -> Reply:
    """Compare what was known at two events."""
    with call.reading() as dmm:
        return Reply(dmm.timelines.diff(before, after))


@router.get("/drift", responses=told(models.Told))
def drift(call: Called, before: At, after: At) -> Reply:
    """Measure how far two events are apart, from 0 to 1."""
    with call.reading() as dmm:
        return Reply(dmm.timelines.drift(before, after))


@router.get("/explain/{seq}", responses=told(models.Told))
def explain(call: Called, seq: Seq) -> Reply:
    """Replay the verdict on a decision."""
    with call.reading() as dmm:
        return Reply(dmm.timelines.explain(seq))


@router.get("/events", responses=told(results.Entries | results.Briefs))
def entries(
    call: Called,
    last: Annotated[int, Query(ge=1, le=MOST_EVENTS)] = 20,
    kind: Annotated[str | None, Query(alias="type", max_length=100)] = None,
    before: Annotated[int, Query(ge=0, le=models.LARGEST)] = models.LARGEST,
    after: At = 0,
    session: Annotated[str | None, Query(max_length=models.LONGEST_SESSION)] = None,
    brief: bool = False,
) -> Reply:
    """Read the newest events, the oldest of them first; in brief, each is one line."""
    with call.reading() as dmm:
        read = dmm.audit.briefs if brief else dmm.audit.entries
        return Reply(read(last, kind, session=session, after=after, before=before))


@router.get("/events/{seq}", responses=told(Event))
def entry(call: Called, seq: Seq) -> Reply:
    """Read one event with everything that is stored of it."""
    with call.reading() as dmm:
        return Reply(dmm.audit.entry(seq))


@router.get("/histogram", responses=told(models.HistogramTold))
def histogram(
    call: Called, buckets: Annotated[int, Query(ge=1, le=MOST_BUCKETS)] = BUCKETS
) -> Reply:
    """Count the events in stretches of equal time; each is a range of numbers."""
    with call.reading() as dmm:
        return Reply(dmm.histograms.count(buckets))


@router.get("/verify", responses=told(models.Told))
def verify(call: Called) -> Reply:
    """Check that no event was edited, removed, moved or cut off since it was anchored."""
    with call.reading() as dmm:
        return Reply(dmm.audit.verify())


@router.post("/simulations", responses=told(results.Simulation))
def simulate_timeline(call: Called, body: models.Simulation) -> Reply:
    """Try a decision as if a constraint had been there since an event; nothing is recorded."""
    with call.reading(body.root) as dmm:
        found = dmm.timelines.simulate_timelines(
            body.inject_constraint, body.at_seq, body.then_decide, body.priority
        )
    return Reply(found)


@router.post("/rehearsals", responses=told(models.Told))
def rehearse(call: Called, body: models.Rehearsal) -> Reply:
    """Test a rule against past calls and decisions; nothing is recorded."""
    with call.reading(body.root) as dmm:
        return Reply(dmm.timelines.rehearse(body.text, body.priority))
