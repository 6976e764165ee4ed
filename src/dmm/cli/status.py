"""`dmm status`: a project's memory on one screen."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

from dmm import endpoint, losses
from dmm.cli.format.costs import summarise
from dmm.cli.format.rule_lines import not_checked
from dmm.cli.options import Json, Root, counted, open_project, print_json
from dmm.domain.plain import to_plain
from dmm.domain.text import neutralise
from dmm.errors import DmmError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dmm.bootstrap import Dmm
    from dmm.domain.report import Finding
    from dmm.lifecycle.results import SuggestionView
    from dmm.memories.overview import IndexState, RootState, Status
    from dmm.project.agenda import Pending, Queue
    from dmm.project.daemon_status import Health
    from dmm.rules.results import UncheckedRule
    from dmm.team.standing import Standing

SHOWN = 5
# From so many new files on, the index is still being built.
MANY = 1_000
ANSWER_WITHIN = 1.0


def status(as_json: Json = False, root: Root = None) -> None:
    """Show what the memory holds and what needs attention."""
    from dmm.project.daemon_status import ask_health

    dmm = open_project(root, quiet=True)
    survey = dmm.overview.survey()
    state = dmm.overview.describe(survey)
    agenda = dmm.agenda.read(survey)
    daemon = ask_health(ANSWER_WITHIN)
    if as_json:
        fault = _ledger_fault(dmm)
        said = None if fault is None else fault.what
        told = to_plain(state) | {"agenda": agenda, "trusted": dmm.trusted, "ledger_fault": said}
        held = [one.path for one in dmm.consents.changes()]
        told |= {"daemon": daemon, "held_back": held, "lost": losses.count()}
        told |= {"unchecked": _unchecked(dmm), "team_fault": _team_fault(dmm)}
        print_json(told | {"team": _team_standing(dmm)})
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in (
        *_rows(state),
        *agenda_rows(agenda),
        *_cost_rows(dmm),
        *_more_rows(daemon, dmm),
    ):
        table.add_row(name, value)
    console = Console(highlight=False)
    with console.capture() as captured:
        console.print("[bold]DMM status[/bold]")
        console.print(table)
    # The table fills its lines with blanks.
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


def _rows(state: Status) -> Iterator[tuple[str, str]]:
    for root in state.roots:
        yield from _root_rows(root)
    used, budget = state.baseline_tokens, state.baseline_budget
    colour = "red" if used > budget else "green"
    files = counted(state.baseline_files, "file")
    yield (
        "Baseline",
        f"{files}, [{colour}]{used} of {budget} tokens[/{colour}] {_bar(used, budget)}",
    )
    if used > budget:
        yield "", "over its budget; to see what to demote: dmm lifecycle"
    yield from _findings("Faults", state.faults, "red")
    yield from _findings("Stale", state.stale, "yellow")
    yield from _findings("Expired", state.expired, "yellow")
    if state.ignored:
        yield from _findings("Not in Git", state.ignored, "red")
    yield "SQLite", state.sqlite_version


def agenda_rows(agenda: Pending) -> Iterator[tuple[str, str]]:
    """Return what is pending; without a ledger, only what files show."""
    if agenda.pending is not None:
        yield "Review", _pending(agenda.pending)
    if agenda.pending_rules:
        number = counted(agenda.pending_rules, "rule")
        yield "Rules", f"[yellow]{number} pending[/yellow]; see: dmm ledger pending"
    if agenda.uncommitted:
        yield "Git", _uncommitted(agenda.uncommitted)
    if agenda.conflicts is not None:
        told = f"[yellow]{agenda.conflicts} not resolved[/yellow]; see: dmm conflicts list"
        yield "Conflicts", told if agenda.conflicts else "none"
    yield from _suggestions(agenda.suggestions)
    if agenda.model is not None and agenda.model.tokens_today:
        used, limit = agenda.model.tokens_today, agenda.model.tokens_per_day
        yield "Tokens", f"{used:,} of {limit:,} by models today"


def _cost_rows(dmm: Dmm) -> Iterator[tuple[str, str]]:
    """Show what the last session was given."""
    last = dmm.costs.last()
    if last is not None:
        yield "Cost", f"{_plain(summarise(last))}; see: dmm cost"


def _pending(queue: Queue) -> str:
    if not queue.count:
        return "nothing pending"
    age = "" if queue.age_seconds is None else f", the oldest for {_age(queue.age_seconds)}"
    return f"[yellow]{queue.count} pending[/yellow]{age}; see: dmm review list"


def _uncommitted(names: Sequence[str]) -> str:
    verb = "is" if len(names) == 1 else "are"
    told = f"{counted(len(names), 'change')} {verb} not committed"
    first = names[0] if len(names) == 1 else f"{names[0]} and others"
    return f"[yellow]{told}[/yellow] ({first}); the next write retries"


def _age(seconds: int) -> str:
    for size, noun in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return counted(seconds // size, noun)
    return "less than a minute"


def _suggestions(found: Iterable[SuggestionView]) -> Iterator[tuple[str, str]]:
    """Return a row for the suggestions that have no answer yet."""
    waiting = [one for one in found if one.state in ("new", "waits")]
    if not waiting:
        yield "Suggested", "nothing"
        return
    kinds = Counter(one.kind for one in waiting)
    told = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
    yield "Suggested", f"[yellow]{told}[/yellow]; see: dmm lifecycle"
    for one in waiting[:SHOWN]:
        to = f" to {one.new_scope}" if one.new_scope else ""
        yield "", _plain(f"{one.path}: {one.operation}{to}")
    if len(waiting) > SHOWN:
        yield "", f"and {len(waiting) - SHOWN} more"


def _ledger_fault(dmm: Dmm) -> DmmError | None:
    """Return why the ledger of a trusted project is not used."""
    if not dmm.trusted:
        return None
    try:
        dmm.project_ledger.state()
    except DmmError as error:
        return error
    return None


def _team_fault(dmm: Dmm) -> str | None:
    """Return why the team's rules can't be read, and what to do."""
    try:
        dmm.base.team_rules()
    except DmmError as error:
        return f"{error.what}; {error.hint}" if error.hint else error.what
    return None


def _team_standing(dmm: Dmm) -> Standing | None:
    """Return how far a laptop of a team is; None outside one, or where its copy can't be read."""
    if not dmm.trusted or not dmm.base.team_rules.expected:
        return None
    try:
        return dmm.team.status()
    except DmmError:
        return None


def _team_rows(dmm: Dmm) -> Iterator[tuple[str, str]]:
    fault = _team_fault(dmm)
    standing = _team_standing(dmm)
    if standing is not None:
        told = f"{counted(len(standing.rules), 'rule')} from others"
        seen = "never updated"
        if standing.behind is not None:
            seen = f"updated {standing.pulled}, {counted(standing.behind, 'event')} behind"
        yield "Team", _plain(f"{told}, {seen}; {counted(standing.unsent, 'event')} unsent")
        if standing.differences:
            number = len(standing.differences)
            differs = f"{counted(number, 'fact')} differ{'s' * (number == 1)} from the team's"
            yield "Team", f"[yellow]{differs}[/yellow]; see: dmm team status"
        fault = fault or standing.fault
    if fault:
        yield "Team", f"[red]{_plain(fault)}[/red]"


def _unchecked(dmm: Dmm) -> tuple[UncheckedRule, ...]:
    """Name the rules that could not be checked on real calls; agents' calls need trust."""
    from dmm.rules.unchecked import find_misses

    if not dmm.trusted or not find_misses(dmm.project_ledger):
        # The rules take long to load.
        return ()
    return dmm.rules.unchecked()


def _more_rows(daemon: Health | None, dmm: Dmm) -> Iterator[tuple[str, str]]:
    running = "not running" if daemon is None else f"running (PID: {daemon.pid})"
    yield "Daemon", running
    if daemon is not None:
        yield from _indexing_rows(dmm)
    fault = _ledger_fault(dmm)
    if fault is not None:
        way = fault.hint or "see: dmm doctor"
        yield "Ledger", f"[red]{_plain(fault.what)}[/red]; {_plain(way)}"
    yield from _team_rows(dmm)
    held = [one.path for one in dmm.consents.changes()]
    if held:
        names = _plain(", ".join(held))
        yield "Held back", f"[yellow]{names}[/yellow]; see the changes: dmm trust"
    for one in _unchecked(dmm):
        mark = _plain(not_checked(one))
        yield "Rule", f"{_plain(one.id)} [yellow]{mark}[/yellow]; see: dmm rules show {one.id}"
    lost = losses.count()
    if lost:
        yield "Lost", f"[red]{counted(lost, 'event')}[/red] could not be kept; see: dmm doctor"
    broken = dmm.trust_store.fault()
    if broken is not None:
        yield "Trust", f"[red]{_plain(broken)}[/red]; see: dmm doctor"
    elif not dmm.trusted:
        yield "Trust", "[yellow]agents don't get this memory yet[/yellow]; see: dmm trust"


def _indexing_rows(dmm: Dmm) -> Iterator[tuple[str, str]]:
    """Return how far the daemon is with indexing this project."""
    from dmm.project.daemon_status import ask_status

    told = ask_status(ANSWER_WITHIN)
    held = () if told is None else told.projects
    own = (one.indexing for one in held if one.root == str(dmm.root.folder))
    for done, of in filter(None, own):
        yield "", f"indexing this project in the background, {100 * done // max(1, of)} % done"


def _bar(used: int, budget: int, width: int = 16) -> str:
    filled = min(width, round(width * used / budget)) if budget else width
    return "█" * filled + "░" * (width - filled)


def _root_rows(root: RootState) -> Iterator[tuple[str, str]]:
    faulty = root.files - sum(root.scopes.values()) - root.deprecated - root.examples
    parts = root.scopes | {"deprecated": root.deprecated, "with faults": faulty}
    parts |= {"examples from dmm init (not served)": root.examples}
    counts = ", ".join(f"{count} {part}" for part, count in parts.items() if count)
    yield "Memory" if root.origin == "project" else "Your own", _plain(root.folder)
    yield "", f"{counted(root.files, 'file')}: {counts or 'no memories yet'}"
    yield "Index", _index(root.index)
    if root.index.model:
        yield "Model", _plain(root.index.model.partition("/")[0])


def _plain(text: str) -> str:
    """Keep rich from reading brackets, and a terminal from reading controls, as their own marks."""
    from rich.markup import escape

    return escape(neutralise(text))


def _index(index: IndexState) -> str:
    from dmm.memories.index_content import IN_USE

    if index.note == IN_USE and endpoint.is_running():
        return "open in the daemon, which keeps it up to date"
    if index.state != "ready":
        way = "the next query builds it, or: dmm reindex" if index.state == "not built" else ""
        note = index.note or way
        return f"[yellow]{index.state}[/yellow]" + (f"; {_plain(note)}" if note else "")
    size = f"{counted(index.indexed, 'memory', 'memories')}, {index.size_bytes / 1e6:.1f} MB"
    if index.added > MANY:
        told = f"{index.indexed:,} of {index.indexed + index.added:,} files indexed"
        return f"[yellow]{told}[/yellow]; index the rest with: dmm reindex"
    pending = [
        f"{count} {word}"
        for count, word in (
            (index.added, "new"),
            (index.changed, "changed"),
            (index.removed, "removed"),
            (index.without_vectors, "without vectors"),
        )
        if count
    ]
    note = f" ({_plain(index.note)})" if index.note else ""
    if not pending:
        return f"[green]fresh[/green], {size}{note}"
    return f"{size}; since then [yellow]{', '.join(pending)}[/yellow]{note}"


def _findings(name: str, findings: Sequence[Finding], colour: str) -> Iterator[tuple[str, str]]:
    if not findings:
        yield name, "none"
        return
    yield name, f"[{colour}]{len(findings)}[/{colour}]"
    for finding in findings[:SHOWN]:
        yield "", _plain(f"{finding.where}: {finding.message}")
    if len(findings) > SHOWN:
        yield "", f"and {len(findings) - SHOWN} more: dmm validate"
