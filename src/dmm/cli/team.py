"""`dmm team`: share rules, facts and decisions with a team."""

from __future__ import annotations

import sys
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli.fast_typer import FastTyper
from dmm.cli.format.wrapping import wrapped
from dmm.cli.members import NewRole, OfPerson, Role, Writer, carry_out_removal, present_members
from dmm.cli.options import Json, Root, counted, open_project, present, print_lines, refuse_agents
from dmm.cli.persons import need_person, prove_person
from dmm.cli.team_search import tell_answer
from dmm.errors import UsageError
from dmm.passkeys.acts import PersonAct, digest_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dmm.bootstrap import Dmm
    from dmm.team.client import HttpMembers
    from dmm.team.departure import Left
    from dmm.team.journal import Shared
    from dmm.team.sign_in import Code
    from dmm.team.standing import Standing

app = FastTyper(help="Share rules, facts and decisions with a team.")
UNPROVEN = (
    "not shared, because no passkey confirmed them; to share a rule, disable it and add it again; "
    "a rule that you lifted stays active for others until: dmm server lift"
)


def _open_as_person(act: PersonAct, root: Path | None) -> Dmm:
    """Open the project for something that only a person does."""
    refuse_agents(act.words)
    dmm = open_project(root)
    need_person(act, dmm)
    return dmm


def _manage(act: PersonAct, root: Path | None, words: str) -> HttpMembers:
    """Reach the laptops of the team for an act of its owner, proved if a passkey is enrolled."""
    refuse_agents(act.words)
    dmm = open_project(root)
    proof = prove_person(act, dmm, dmm.team.tell_act(words, dmm.root.project))
    return dmm.team.members(proof)


@app.command()
def join(
    url: Annotated[str, typer.Argument(help="The address of the team's server.")],
    invitation: Annotated[
        str,
        typer.Argument(
            help="Printed by `dmm server invite` or `dmm team invite`; leave it out to sign in "
            "with a browser."
        ),
    ] = "",
    project: Annotated[
        str,
        typer.Option(
            metavar="TEAM/PROJECT", help="The project to sign in to, if you may join several."
        ),
    ] = "",
    root: Root = None,
) -> None:
    """Join a team with this project.

    As a reviewer or owner you share the rules that you add or accept from now on,
    and whatever `team.share` lists; as a contributor, only the latter. Besides that,
    only this laptop's host name and public key are sent, and your ID token if you
    sign in with a browser.
    """
    dmm = _open_as_person(PersonAct.JOIN_TEAM, root)
    dmm.base.require_trust()
    if invitation:
        held = dmm.team.join(url, invitation)
    else:
        held = dmm.team.sign_in(url, project, partial(_show_code, url))
    dmm.published.publish()
    print_lines([f"Joined {held.team}/{held.project} as {held.role}"])


@app.command()
def leave(
    drop_rules: Annotated[
        bool, typer.Option("--drop-rules", help="Drop the team's rules instead of keeping them.")
    ] = False,
    root: Root = None,
) -> None:
    """Leave the team; its rules become rules of this laptop."""
    dmm = _open_as_person(PersonAct.LEAVE_TEAM, root)
    left = dmm.team.leave(keep=not drop_rules)
    dmm.published.publish()
    print_lines(_tell_left(left))


@app.command()
def sync(root: Root = None) -> None:
    """Send and receive now; the daemon does this automatically."""
    dmm = open_project(root)
    try:
        done = dmm.team.sync()
    finally:
        # What could be received holds, even if something could not be sent.
        dmm.published.publish()
    told = f"{counted(done.sent, 'event')} sent, {done.received} received"
    lost = f"; {done.returned} given back, which the server had lost" if done.returned else ""
    print_lines([told + lost])


@app.command()
def tell(
    name: Annotated[str, typer.Argument(help="The observation's id, such as obs_12.")],
    root: Root = None,
) -> None:
    """Share one observation with the team."""
    refuse_agents(PersonAct.TELL_TEAM.words)
    dmm = open_project(root)
    found = dmm.recall.get_observations([name])
    if not found.observations:
        raise UsageError(f"there is no observation {name}", hint=found.hint)
    unit = found.observations[0]
    words = f"{unit.title}\n{unit.narrative}"
    need_person(PersonAct.TELL_TEAM, dmm, lambda: digest_text(words))
    dmm.team.tell(unit.id, unit.kind, unit.title, unit.narrative)
    print_lines([f"To be sent: {unit.title}"])


@app.command()
def status(as_json: Json = False, root: Root = None) -> None:
    """Show unsent events, and the team's rules with their age."""
    standing = open_project(root).team.status()
    present(asdict(standing), as_json=as_json, lines=lambda _: _lines(standing))


@app.command()
def members(as_json: Json = False, root: Root = None) -> None:
    """List the laptops of the project (owners only)."""
    present_members(open_project(root).team.members().list(), as_json=as_json)


@app.command()
def invite(role: Role = "reader", root: Root = None) -> None:
    """Invite one laptop (owners only)."""
    from dmm.team.roles import read_role

    members = _manage(PersonAct.INVITE_LAPTOP, root, f"invite --role {read_role(role)}")
    print_lines([members.invite(role)])


@app.command()
def role(writer: Writer, role: NewRole, root: Root = None) -> None:
    """Give a laptop another role (owners only)."""
    from dmm.team.roles import read_role

    members = _manage(PersonAct.CHANGE_ROLE, root, f"role {writer} {read_role(role)}")
    changed = members.change_role(writer, role)
    print_lines([f"{writer} {'is now' if changed else 'already is'}: {role}"])


@app.command()
def revoke(writer: Writer = "", person: OfPerson = "", root: Root = None) -> None:
    """Remove a laptop, or all laptops of a person (owners only)."""
    whom = f"--person {person}" if person else writer
    members = _manage(PersonAct.REMOVE_LAPTOP, root, f"revoke {whom}")
    carry_out_removal(writer, person, members.revoke, members.revoke_person)


@app.command()
def log(
    last: Annotated[int, typer.Option(min=1, help="Number of events to show.")] = 20,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Show what the team has shared, in the order of the server."""
    found = open_project(root).team.log()[-last:]
    present(
        [asdict(one) for one in found], as_json=as_json, lines=lambda _: map(_tell_shared, found)
    )


@app.command()
def search(
    words: Annotated[str, typer.Argument(help="What to look for.")],
    all_projects: Annotated[
        bool,
        typer.Option(
            "--all-projects", help="Search all projects that this laptop joined on the server."
        ),
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=50, help="Maximum number of results.")] = 10,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Search what the team has shared, by words and by meaning.

    The words are sent to the team's server, without secrets that DMM recognises;
    the server does not keep them.
    """
    if all_projects:
        refuse_agents("search other projects")
    answer = open_project(root).team.search(words, limit, everywhere=all_projects)
    present(asdict(answer), as_json=as_json, lines=lambda _: tell_answer(answer))


def _tell_shared(one: Shared) -> str:
    words = "; ".join(" ".join(value.split()) for _, value in sorted(one.told.items()))
    proved = "  (proved by passkey)" if one.proved else ""
    return f"team:{one.seq}  {one.at[:16]}  {one.name or one.writer}  {one.type}  {words}{proved}"


def _show_code(server: str, code: Code) -> None:
    who = f"{server} asks you to sign in at {code.issuer}"
    print_lines([who, f"Open {code.address} and enter the code {code.code}", "Waiting ..."])
    sys.stdout.flush()


def _tell_left(left: Left) -> Iterator[str]:
    place, done = f"{left.team}/{left.project}" if left.team else "", left.parted
    yield f"Left {place or 'the team'}"
    if done.kept:
        yield f"  {counted(done.kept, 'rule')} of the team recorded as rules of this laptop"
    if not done.read:
        yield "  ! the copy of the team log can't be read or verified, so none of its rules is kept"
    if done.unsent:
        yield f"  {counted(done.unsent, 'event')} not sent; the ledger keeps what was recorded"
    if not left.told:
        way = f"dmm server revoke {place or 'TEAM/PROJECT'} {left.writer or 'WRITER'}"
        yield f"  the server was not notified and may still list this laptop; run there: {way}"
    if not done.erased:
        yield "  ! another process reads team.db, which may still hold words of the team's rules"


def _lines(told: Standing) -> Iterator[str]:
    yield f"{told.team}/{told.project} at {told.url}, as {told.role}"
    if told.fault:
        yield f"  ! {told.fault}"
    yield f"  unsent:  {counted(told.unsent, 'event')}"
    behind = told.behind
    lag = "never" if behind is None else f"{told.pulled} ({counted(behind, 'event')} behind)"
    yield f"  updated: {lag}"
    yield from wrapped(_tell_passkeys(told), "  passkey: ")
    if told.unproven:
        yield from wrapped(f"{counted(told.unproven, 'decision')} {UNPROVEN}", "  ! ")
    for fact in told.differences:
        yield f"  differs: {fact.key}: here {fact.here}; team:{fact.seq} says {fact.team}"
    for one in told.waiting:
        yield f"  pending: {one.operation} {', '.join(one.paths)} ({one.name}, team:{one.seq})"
    yield f"  rules:   {len(told.rules)} from others{_tell_most(len(told.rules))}"
    for rule in told.rules:
        yield f"    team:{rule.seq}  {rule.text}  ({rule.by})"


def _tell_passkeys(told: Standing) -> str:
    """Say what proves this laptop's decisions to the team, or what to do about it."""
    way = "leave (dmm team leave --drop-rules), and join with a new invitation"
    if told.foreign:
        return f"! the team knows one that is not yours: somebody used this laptop's key; {way}"
    if told.removed:
        return f"! one that you removed still counts for the team; to end that, {way}"
    if told.passkeys:
        return f"{counted(told.passkeys, 'passkey')} registered; others check your decisions"
    return "none registered; the laptop's key alone decides for you; to enrol one: dmm ui"


def _tell_most(rules: int) -> str:
    """Say that later rules may be left out."""
    from dmm.team.folding import MOST_RULES

    return f"; only the first {MOST_RULES:,} count" * (rules >= MOST_RULES)
