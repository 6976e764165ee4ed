"""Rules over HTTP; only a person can activate one.

FastAPI reads the annotations when the program runs, so they stand here as they are.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Path

from dmm.errors import UsageError
from dmm.http import models, rulings
from dmm.http.calls import BEHIND_TOKEN, Called, Reply, told
from dmm.passkeys.acts import Act, PersonAct, digest_text
from dmm.rules.checks import Asked
from dmm.rules.results import CallChecked, RuleList, RuleShown, RuleView
from dmm.rules.views import CompiledRule

router = APIRouter(prefix="/v1", tags=["rules"], dependencies=BEHIND_TOKEN)

Name = Annotated[
    str,
    Path(alias="id", pattern=r"^[a-z0-9][a-z0-9._-]{0,79}$", description="An id or a number."),
]


@router.get("/rules", responses=told(RuleList))
def list_rules(call: Called) -> Reply:
    """List all rules, the most binding first, and the files that can't be used."""
    with call.reading() as dmm:
        return Reply(dmm.rules.list())


@router.post("/rules", responses=told(models.Told))
def add_rule(call: Called, body: rulings.NewRule) -> Reply:
    """Add a rule: a person's is in force at once, an agent's is a proposal."""
    call.prove(Act(PersonAct.ADD_RULE, "", body.seen or ""), body.proof, body.root)
    with call.recording(body.root) as dmm:
        return Reply(dmm.rules.add(body.text, body.level, **_given(body), seen=body.seen))


def _given(body: rulings.Sentence) -> Mapping[str, Any]:
    """Return what a rule says beside its sentence and level."""
    return body.model_dump(include={"match", "unless", "examples", "why"})


@router.get("/rules/draft", responses=told(models.Told))
def draft_rules(call: Called) -> Reply:
    """Show the sentences without a matcher to an agent, with the matcher reference."""
    with call.reading() as dmm:
        return Reply(dmm.rules.draft())


@router.get("/rules/pending", responses=told(models.Told))
def list_pending(call: Called) -> Reply:
    """List the rules that agents proposed and no person has accepted yet."""
    with call.reading() as dmm:
        return Reply(dmm.ledger.list_pending())


@router.get("/rules/test", responses=told(models.Told))
def run_examples(call: Called) -> Reply:
    """Run the examples of all rule files, as they stand on disk."""
    with call.reading() as dmm:
        return Reply(dmm.rules.test())


@router.post("/rules/rehearse", responses=told(models.Told))
def rehearse_rule(call: Called, body: rulings.Rehearsing) -> Reply:
    """Show what a rule would have stopped in past sessions; nothing is recorded."""
    with call.reading(body.root) as dmm:
        return Reply(dmm.rules.rehearse(body.rule))


@router.post("/rules/compile", responses=told(CompiledRule))
def compile_rule(call: Called, body: rulings.Sentence) -> Reply:
    """Compile a sentence into the rule that it would be; nothing is recorded."""
    with call.reading(body.root) as dmm:
        return Reply(dmm.rules.compile(body.text, body.level, **_given(body)))


@router.post("/rules/accept", responses=told(models.Told))
def accept_rules(call: Called, body: rulings.Accepting) -> Reply:
    """Activate pending rules, all or none; for a person who is signed in."""
    act = Act(PersonAct.ACCEPT_RULE, ",".join(body.names), body.seen or "")
    with call.govern(act, body) as dmm:
        return Reply({"accepted": list(dmm.rules.accept(body.names, seen=body.seen))})


@router.post("/rules/adopt", responses=told(models.Told))
def adopt_constraints(call: Called, body: rulings.Adopting) -> Reply:
    """Turn ledger constraints into rule files; for a person who is signed in."""
    seqs = ",".join(map(str, body.seqs or ()))
    with call.govern(Act(PersonAct.ADOPT_RULES, seqs, body.seen or ""), body) as dmm:
        return Reply(dmm.rules.adopt(body.seqs, seen=body.seen))


@router.get("/rules/{id}", responses=told(RuleShown))
def show_rule(call: Called, name: Name) -> Reply:
    """Show one rule: its state, what it matches in plain words, and its examples."""
    with call.reading() as dmm:
        return Reply(dmm.rules.show(name))


@router.get("/rules/{id}/explain", responses=told(models.Told))
def explain_rule(call: Called, name: Name) -> Reply:
    """Explain a rule by what it stopped last, or the verdict on one recorded event."""
    with call.reading() as dmm:
        return Reply(dmm.rules.explain(name))


@router.post("/rules/{id}/edit", responses=told(RuleView))
def edit_rule(call: Called, name: Name, body: rulings.RuleText) -> Reply:
    """Replace the text of a rule file; for a person who is signed in."""
    with call.govern(Act(PersonAct.EDIT_RULE, name, digest_text(body.source)), body) as dmm:
        return Reply(dmm.rules.edit(name, body.source))


@router.post("/rules/{id}/disable", responses=told(models.Told))
def disable_rule(call: Called, name: Name, body: rulings.RuleAct) -> Reply:
    """Disable a rule; for a person who is signed in."""
    with call.govern(Act(PersonAct.DISABLE_RULE, name, body.seen or ""), body) as dmm:
        return Reply(dmm.rules.disable(name, seen=body.seen))


@router.post("/rules/{id}/enable", responses=told(models.Told))
def enable_rule(call: Called, name: Name, body: rulings.RuleAct) -> Reply:
    """Enable a disabled rule; for a person who is signed in."""
    with call.govern(Act(PersonAct.ENABLE_RULE, name, body.seen or ""), body) as dmm:
        return Reply(dmm.rules.enable(name, seen=body.seen))


@router.post("/check", responses=told(CallChecked))
def check_call(call: Called, body: rulings.Checking) -> Reply:
    """Check a call or a decision against the rules without running or recording it."""
    if body.decision is not None:
        _refuse_call(body)
        with call.reading(body.root) as dmm:
            return Reply(dmm.ledger.check_decision(body.decision))
    asked = Asked(
        body.command,
        body.write,
        body.text,
        body.read,
        body.edit,
        body.old,
        body.new,
        body.tool,
        body.input,
        body.branch,
    )
    with call.reading(body.root) as dmm:
        return Reply(dmm.rules.check(asked))


def _refuse_call(body: rulings.Checking) -> None:
    """Refuse a decision beside a call: only one of them could be judged."""
    calls = (body.command, body.write, body.read, body.edit, body.tool)
    if any(one is not None for one in calls):
        raise UsageError("a call and a decision at once", hint="send either a call or a decision")
