"""`dmm server`: set up, run and maintain a team server."""

from __future__ import annotations

import contextlib
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli.failures import FINDINGS
from dmm.cli.fast_typer import FastTyper
from dmm.cli.members import (
    NewRole,
    OfPerson,
    Role,
    Writer,
    carry_out_removal,
    present_accesses,
    present_members,
)
from dmm.cli.options import Json, counted, print_lines, refuse_agents
from dmm.errors import UsageError
from dmm.team.database import SCHEMA_VERSION

if TYPE_CHECKING:
    from dmm.server.setup import Setup

app = FastTyper(help="Run a team server.")

Folder = Annotated[
    Path | None,
    typer.Option(help="The server's folder.", show_default="server in your state folder"),
]
Place = Annotated[str, typer.Argument(metavar="TEAM/PROJECT", help="The team and its project.")]


@app.command()
def init(
    database: Annotated[
        str,
        typer.Option(
            metavar="URL", help="A PostgreSQL database.", show_default="a file in the folder"
        ),
    ] = "",
    folder: Folder = None,
) -> None:
    """Set up a server: its key, its settings and its tables."""
    refuse_agents("set up a team server")
    from dmm.server.setup import default_folder, set_up

    made = set_up(folder or default_folder(), database)
    told = [f"Server set up in {made.folder}", "  next: dmm server add TEAM/PROJECT"]
    print_lines(told)


@app.command()
def add(place: Place, folder: Folder = None) -> None:
    """Add a project to a team."""
    refuse_agents("add a project")
    team, project = _split(place)
    with _read(folder).registry() as registry:
        added = registry.add(team, project)
    print_lines([f"{place} {'added' if added else 'already exists'}"])


@app.command()
def invite(
    place: Place,
    role: Role = "reader",
    folder: Folder = None,
) -> None:
    """Create an invitation for one laptop, valid for seven days."""
    refuse_agents("invite to a team")
    team, project = _split(place)
    with _read(folder).registry() as registry:
        print_lines([registry.invite(team, project, role)])


@app.command(name="list")
def list_members(place: Place, folder: Folder = None, as_json: Json = False) -> None:
    """List the laptops of a project."""
    team, project = _split(place)
    with _read(folder).registry() as registry:
        found = registry.members(team, project)
    present_members(found, as_json=as_json)


@app.command()
def revoke(
    place: Place,
    writer: Writer = "",
    person: OfPerson = "",
    folder: Folder = None,
) -> None:
    """Remove a laptop, or all laptops of a person.

    What they shared before stays.
    """
    refuse_agents("remove a laptop")
    log = _split(place)
    with _read(folder).registry() as registry:
        acts = partial(registry.revoke, *log), partial(registry.revoke_person, *log)
        carry_out_removal(writer, person, *acts)


@app.command()
def role(
    place: Place,
    writer: Writer,
    role: NewRole,
    folder: Folder = None,
) -> None:
    """Change the role of a laptop."""
    refuse_agents("change a role")
    team, project = _split(place)
    with _read(folder).registry() as registry:
        changed = registry.change_role(team, project, writer, role)
    print_lines([f"{writer} {'is now' if changed else 'already is'}: {role}"])


@app.command()
def lift(
    place: Place,
    seq: Annotated[int, typer.Argument(min=1, help="The rule: 41 for team:41.")],
    folder: Folder = None,
) -> None:
    """Lift a shared rule for all laptops."""
    refuse_agents("lift a rule")
    team, project = _split(place)
    with _read(folder).registry() as registry:
        lifted = registry.lift(team, project, seq)
    print_lines([f"team:{seq} {'lifted' if lifted else 'was already lifted'}"])


@app.command()
def oidc(
    issuer: Annotated[str, typer.Argument(help="The issuer's address, or none.")],
    client_id: Annotated[str, typer.Option(help="The client that laptops sign in with.")] = "",
    audience: Annotated[
        str,
        typer.Option(help="The audience that tokens must have.", show_default="the client"),
    ] = "",
    claim: Annotated[
        str, typer.Option(help="The claim that grants are matched against.")
    ] = "groups",
    scope: Annotated[str, typer.Option(help="Scopes to request.")] = "openid profile email",
    grant: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VALUE=TEAM/PROJECT:ROLE",
            help="Who may join which project, in which role; * means anybody; repeatable.",
        ),
    ] = None,
    folder: Folder = None,
) -> None:
    """Let people sign in through your identity provider."""
    refuse_agents("choose who may sign in")
    from dmm.server.setup import trust_issuer

    setup = _read(folder)
    if issuer == "none":
        trust_issuer(setup, None)
        told = "Nobody can sign in once the server is restarted; invitations still work"
        print_lines([told, "  next: restart dmm server run"])
        return
    from dmm.team.identity import Grant, Trusted

    grants = tuple(map(Grant.read, grant or ()))
    if not client_id or not grants:
        hint = "dmm server oidc ISSUER --client-id ID --grant engineers=acme/shop:reviewer"
        raise UsageError("--client-id and at least one --grant are needed", hint=hint)
    trust_issuer(setup, Trusted(issuer, client_id, audience, claim, scope, grants))
    print_lines([f"People sign in at {issuer}", "  next: restart dmm server run"])


@app.command()
def audit(
    place: Place,
    last: Annotated[int, typer.Option(min=1, max=10_000, help="Number of entries to show.")] = 50,
    folder: Folder = None,
    as_json: Json = False,
) -> None:
    """Show who used a project, when and how often."""
    team, project = _split(place)
    with _read(folder).registry() as registry:
        found = registry.accesses(team, project, last)
        names = {one.writer: one.name for one in registry.members(team, project)}
    present_accesses(found, names, as_json=as_json)


@app.command()
def run(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="The port; 0 picks a free one.")
    ] = 8_321,
    trial: Annotated[
        bool, typer.Option("--trial", help="Run its own PostgreSQL, in the folder.")
    ] = False,
    folder: Folder = None,
) -> None:
    """Run the server until it is stopped."""
    from dmm.server.run import serve
    from dmm.server.setup import default_folder, on_trial

    def announce(url: str) -> None:
        print_lines([f"Listening on {url}"])
        sys.stdout.flush()

    if trial:
        refuse_agents("set up a team server")
    place = folder or default_folder()
    with on_trial(place) if trial else contextlib.nullcontext(_read(folder)) as setup:
        serve(setup, host, port, announce)


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="The new file.")], folder: Folder = None
) -> None:
    """Write the server's key and database to one file."""
    refuse_agents("back up a team server")
    from dmm.server.backups import make_backup

    kept = make_backup(_read(folder), file)
    told = f"{counted(kept.projects, 'project')}, {counted(kept.events, 'event')}"
    print_lines([f"Backed up to {file}: {told}", "  It holds the server's key: keep it private."])


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="What `dmm server backup` wrote.")],
    to: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEAM/PROJECT:SEQ",
            help="End a log at this event; repeatable.",
            show_default="the last event of the log",
        ),
    ] = None,
    database: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="An empty PostgreSQL database.",
            show_default="a file in the folder",
        ),
    ] = "",
    folder: Folder = None,
) -> None:
    """Create a server from a backup; nothing is overwritten."""
    refuse_agents("restore a team server")
    from dmm.server.backups import restore_backup
    from dmm.server.setup import default_folder

    cuts = dict(map(_read_cut, to or ()))
    made, kept = restore_backup(file, folder or default_folder(), database, cuts)
    told = f"{counted(kept.projects, 'project')}, {counted(kept.events, 'event')}"
    next_ = "  next: dmm server run; laptops give back what the backup lacks, then send again"
    print_lines([f"Restored in {made.folder}: {told}", next_])


@app.command()
def resume(
    place: Place,
    laptop: Annotated[
        str,
        typer.Option(
            metavar="WRITER", help="Stop waiting for this laptop only.", show_default="all"
        ),
    ] = "",
    folder: Folder = None,
) -> None:
    """Stop waiting for laptops after a restore."""
    refuse_agents("resume a log")
    team, project = _split(place)
    with _read(folder).registry() as registry:
        missed = registry.resume(team, project, laptop)
    if laptop:
        waited = "no longer waits" if missed else "was not waiting"
        print_lines([f"{place} {waited} for {laptop}"])
        return
    print_lines([f"{place} takes events again; {counted(missed, 'laptop')} had not returned"])


@app.command()
def reindex(place: Place, folder: Folder = None) -> None:
    """Rebuild the search index of a project."""
    refuse_agents("rebuild an index")
    from dmm.embed.shared import SharedModel
    from dmm.team.indexed import TeamIndex

    log = _split(place)
    with _read(folder).registry() as registry:
        registry.need(*log)
        index = TeamIndex(registry.database, SharedModel())
        index.delete(log)
        made = index.fill(log)
    told = f"{counted(made.passages, 'passage')} from {counted(made.seq, 'event')}"
    print_lines([f"{place} indexed: {told}"])


@app.command()
def migrate(
    to: Annotated[
        int,
        typer.Option(
            metavar="VERSION", help="The version to migrate to; an earlier one migrates back."
        ),
    ] = SCHEMA_VERSION,
    retry_pgvector: Annotated[
        bool,
        typer.Option(
            "--retry-pgvector",
            help="Try pgvector again after it failed; it may crash PostgreSQL.",
        ),
    ] = False,
    folder: Folder = None,
) -> None:
    """Migrate the database schema."""
    refuse_agents("migrate the database")
    with contextlib.closing(_read(folder).open_database()) as database:
        if retry_pgvector:
            database.forget_failures()
        before, after = database.migrate(to), database.version()
    same = before == after
    print_lines([f"Schema {after}: " + ("nothing to do" if same else f"migrated from {before}")])


@app.command()
def doctor(folder: Folder = None) -> None:
    """Check the server's database."""
    setup = _read(folder)
    with contextlib.closing(setup.open_database()) as database:
        database.need_ready()
        faults, advice = database.faults(), database.advice()
    kind = "PostgreSQL" if setup.database else "SQLite"
    print_lines([f"✗ {one}" for one in faults] or [f"✓ {kind} database, schema and isolation"])
    print_lines(f"! {one}" for one in advice)
    if faults:
        raise typer.Exit(FINDINGS)


def _read(folder: Path | None) -> Setup:
    from dmm.server.setup import default_folder, read_setup

    return read_setup(folder or default_folder())


def _read_cut(text: str) -> tuple[tuple[str, str], int]:
    place, _, seq = text.rpartition(":")
    if not seq.isdecimal():
        raise UsageError(f"'{text}' is not an event", hint="write it like acme/shop:41")
    return _split(place), int(seq)


def _split(place: str) -> tuple[str, str]:
    team, _, project = place.partition("/")
    if not team or not project:
        raise UsageError(f"'{place}' is not a project", hint="write it like acme/shop")
    return team, project
