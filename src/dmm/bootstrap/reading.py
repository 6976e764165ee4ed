"""The parts that look things up and record events, for one actor."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Generic, Self, TypeVar, overload

from dmm.bootstrap.base import Base, now, today
from dmm.bootstrap.lazy import Lazy

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.ask.service import Asking
    from dmm.config import ModelConfig
    from dmm.eventlog.open_ledger import Actor
    from dmm.files.roots import Root
    from dmm.index.service import Indexes
    from dmm.ledger.audit import Audit
    from dmm.ledger.backups import Backups
    from dmm.ledger.histogram import Histograms
    from dmm.ledger.redactions import Redactions
    from dmm.ledger.service import Ledger
    from dmm.ledger.timelines import Timelines
    from dmm.models.metering import Meter
    from dmm.packs.active_constraints import ActiveConstraints
    from dmm.packs.service import Packs
    from dmm.project.cost import Costs
    from dmm.rules.english import Surroundings
    from dmm.rules.guard import Guard
    from dmm.rules.project_ledger import ProjectLedger
    from dmm.rules.service import Rules
    from dmm.rules.shelf import RuleShelf
    from dmm.sessions.briefing import Briefing
    from dmm.sessions.service import Sessions
    from dmm.team.service import Team


T = TypeVar("T")


class OfBase(Generic[T]):
    """A part that everyone who has a project open shares."""

    def __init__(self, read: Callable[[Base], T]) -> None:
        self._read = read

    @overload
    def __get__(self, opened: None, _: type[Opened]) -> Self: ...
    @overload
    def __get__(self, opened: Opened, _: type[Opened]) -> T: ...
    def __get__(self, opened: Opened | None, _: type[Opened]) -> Self | T:
        return self if opened is None else self._read(opened.base)


@dataclass(frozen=True)
class Opened:
    """An open project as one actor uses it.

    `base` holds what is the same for everyone; parts that record are made for the actor.
    """

    base: Base
    named: Actor | None = None
    by_agent: bool = False

    root = OfBase(lambda base: base.root)
    config = OfBase(lambda base: base.config)
    home = OfBase(lambda base: base.home)
    count = OfBase(lambda base: base.count)
    consents = OfBase(lambda base: base.consents)
    trust_store = OfBase(lambda base: base.trust_store)
    trusted = OfBase(lambda base: base.is_trusted())
    indexes = OfBase(lambda base: base.indexes)
    memories = OfBase(lambda base: base.memories)
    overview = OfBase(lambda base: base.overview)
    published = OfBase(lambda base: base.published)
    proposal_store = OfBase(lambda base: base.proposal_store)
    conflict_register = OfBase(lambda base: base.conflict_register)
    observations = OfBase(lambda base: base.observations)
    recall = OfBase(lambda base: base.recall)

    @property
    def project_ledger(self) -> ProjectLedger:
        """The ledger's log and state; what is recorded is in the name of the actor."""
        return self._ledger()

    @cached_property
    def _ledger(self) -> Lazy[ProjectLedger]:
        return Lazy(_take_ledger, self.base, self.named, self.by_agent)

    def release_model(self) -> None:
        """Release the model and the recall data; the next call loads them again."""
        self.base.release_model()

    def close(self) -> None:
        """Close the files that were opened, and let go of what was read."""
        self.base.close()


class Reading(Opened):
    """Packs, the ledger, rules and sessions."""

    @property
    def packs(self) -> Packs:
        """Answers queries."""
        return self._packs()

    @cached_property
    def _packs(self) -> Lazy[Packs]:
        return Lazy(_make_packs, self.base, self._find_constraints)

    @cached_property
    def _find_constraints(self) -> Callable[[], ActiveConstraints | None]:
        """Looks for the rules that packs show; nothing is loaded where there are none."""
        return partial(_if_any, self.base, Lazy(_make_constraints, self.base, self._ledger))

    @cached_property
    def ledger(self) -> Ledger:
        """Records facts, constraints and decisions."""
        from dmm.ledger.service import Ledger

        return Ledger(self.project_ledger, self.published, self.shelf)

    @cached_property
    def team(self) -> Team:
        """Shares rules with a team."""
        from dmm.team.service import Team

        rules, shares = self.base.team_rules, self.config.team.share
        return Team(self.project_ledger, rules.path, self.home, now, shares, rules.checked)

    @property
    def shelf(self) -> RuleShelf:
        """The rules in the project's files."""
        return self._shelf()

    @cached_property
    def _shelf(self) -> Lazy[RuleShelf]:
        return Lazy(_make_shelf, self.base, self._ledger)

    @property
    def rules(self) -> Rules:
        """Writes, shows and tries rules."""
        return self._rules()

    @cached_property
    def _rules(self) -> Lazy[Rules]:
        return Lazy(_make_rules, self.base, self._ledger, self._shelf, self._guard)

    @cached_property
    def _guard(self) -> Lazy[Guard]:
        return Lazy(_make_guard, self.base, self._ledger, self._shelf)

    @cached_property
    def sessions(self) -> Sessions:
        """Attends to the sessions of agents."""
        from dmm.observations.last_session import LastSession
        from dmm.sessions.file_notes import FileNotes
        from dmm.sessions.service import Sessions

        return Sessions(
            self.root.project,
            self.project_ledger,
            self._guard,
            Lazy(_make_briefing, self.base, self._find_constraints),
            self.base.session_memory,
            FileNotes(self.root.project, self._packs),
            LastSession(self.project_ledger, str(self.root.project), now).tell,
        )

    @cached_property
    def timelines(self) -> Timelines:
        """Looks at the ledger over time."""
        from dmm.ledger import timelines

        return timelines.Timelines(self.project_ledger)

    @cached_property
    def audit(self) -> Audit:
        """Makes, verifies, copies and reads out the ledger."""
        from dmm.eventlog.anchors import NAME
        from dmm.ledger import audit

        span = self.base.activity.span
        return audit.Audit(self.project_ledger, self.root.folder / NAME, span)

    @cached_property
    def histograms(self) -> Histograms:
        """Counts events over time."""
        from dmm.ledger import histogram

        return histogram.Histograms(self.project_ledger, self.base.stops)

    @cached_property
    def backups(self) -> Backups:
        """Backs the ledger up and restores it."""
        from dmm.ledger import backups

        return backups.Backups(self.project_ledger)

    @cached_property
    def redactions(self) -> Redactions:
        """Blanks what should never have been recorded."""
        from dmm.eventlog.place import NAME, find_earlier, find_folders
        from dmm.ledger import redactions, remains
        from dmm.losses import SPOOL

        folder, ledger = self.root.folder, self.base.ledger_path
        folders = dict.fromkeys((folder, *find_folders(ledger)))
        olds = (*find_earlier(folder), *(one / NAME for one in folders))
        places = tuple(dict.fromkeys((ledger, *olds)))
        spool = self.trust_store.path.parent / SPOOL
        around = remains.Remains(tuple(folders), places, spool)
        held = (self.project_ledger, self.backups, self.published, around)
        return redactions.Redactions(*held, self.team.withdraw)

    @cached_property
    def costs(self) -> Costs:
        """Reports what was put into sessions."""
        from dmm.project import cost

        return cost.Costs(self.project_ledger, Lazy(take_indexes, self.base), self.base.is_trusted)

    @cached_property
    def asking(self) -> Asking:
        """Answers questions from memory, sessions and code."""
        from dmm.ask import project_sources
        from dmm.ask.service import Asking

        base, settings = self.base, self.config.ask
        return Asking(
            settings,
            project_sources.ProjectSources(
                self.packs, self.recall, base.repository, base.is_trusted
            ),
            self.project_ledger,
            str(self.root.project),
            self.count,
            today,
            partial(_choose_profile, base, self._ledger) if settings.model_fallback else None,
        )


def _take_ledger(base: Base, named: Actor | None, by_agent: bool) -> ProjectLedger:
    from dmm.domain.event import Trust
    from dmm.eventlog.open_ledger import Actor

    if named is None:
        named = Actor(name="agent", trust=Trust.AGENT) if by_agent else Actor()
    return base.ledger.as_actor(named)


def _make_constraints(base: Base, ledger: Lazy[ProjectLedger]) -> ActiveConstraints:
    from dmm.packs import active_constraints

    return active_constraints.ActiveConstraints(base.root, ledger(), base.count, base.is_trusted)


def _if_any(base: Base, constraints: Lazy[ActiveConstraints]) -> ActiveConstraints | None:
    return constraints() if base.has_constraints else None


def _make_shelf(base: Base, ledger: Lazy[ProjectLedger]) -> RuleShelf:
    from dmm.rules import shelf

    return shelf.RuleShelf(base.root, ledger(), base.rule_folder, base.published.publish)


def _make_guard(base: Base, ledger: Lazy[ProjectLedger], shelf: Lazy[RuleShelf]) -> Guard:
    from dmm.rules import guard

    return guard.Guard(ledger(), base.published, shelf())


def _make_rules(
    base: Base, ledger: Lazy[ProjectLedger], shelf: Lazy[RuleShelf], guard: Lazy[Guard]
) -> Rules:
    from dmm.ledger.service import Ledger
    from dmm.ledger.timelines import Timelines
    from dmm.rules.service import Rules

    constraints = Ledger(ledger(), base.published, shelf())
    surroundings = partial(_read_surroundings, base.root)
    return Rules(shelf(), constraints, Timelines(ledger()), guard(), base.is_trusted, surroundings)


def _read_surroundings(root: Root) -> Surroundings:
    from dmm.repo.sources import WorkingTree
    from dmm.rules.surroundings import find_surroundings

    tree = WorkingTree(root.project)
    return find_surroundings(tree.paths(), tree.read)


def _make_packs(base: Base, find_constraints: Callable[[], ActiveConstraints | None]) -> Packs:
    indexes = base.indexes
    from dmm.packs.service import Packs

    return Packs(
        base.root,
        base.config.retrieval,
        indexes,
        base.baselines,
        base.count,
        today,
        find_constraints,
        base.conflict_marks,
        base.scoped_memories,
    )


def _make_briefing(
    base: Base, find_constraints: Callable[[], ActiveConstraints | None]
) -> Briefing:
    from dmm.sessions import briefing

    return briefing.Briefing(base.root, base.baselines, base.consents, base.count, find_constraints)


def make_meter(base: Base, ledger: ProjectLedger, settings: ModelConfig) -> Meter:
    """Make what asks a model and records what that cost."""
    from dmm.models import metering
    from dmm.models.choose import choose_model

    chat = partial(choose_model, settings, os.environ)
    return metering.Meter(chat, ledger, settings, base.clock)


def _choose_profile(
    base: Base, ledger: Lazy[ProjectLedger], question: str, names: tuple[str, ...]
) -> str | None:
    """Let the user's model choose a profile, if one is configured."""
    from dmm.ask import model_routing

    meter = make_meter(base, ledger(), base.own_config.model)
    return model_routing.Routing(meter, base.require_trust).choose(question, names)


def take_indexes(base: Base) -> Indexes:
    """Return the indexes of an opening."""
    return base.indexes
