"""Add DMM to the configuration of agents, and remove it again."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from dmm.clients.registry import all_clients, find_client
from dmm.errors import DmmError
from dmm.install.steps import list_steps

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Sequence

    from dmm.clients.base import Client
    from dmm.clients.launch import Launch
    from dmm.clients.place import Place, Scope
    from dmm.install.steps import State, Step

Result = Literal["installed", "updated", "unchanged", "removed", "absent", "refused"]

_INSTALLED: dict[State, Result] = {"none": "installed", "older": "updated", "same": "unchanged"}


@dataclass(frozen=True, slots=True)
class Noticed:
    """A client, and by what it was noticed here; None where it was not."""

    client: str
    title: str
    by: str | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was, or would be, done in one file."""

    client: str
    title: str
    what: str
    where: str
    result: Result
    preview: str = ""
    backup: str | None = None
    problem: str | None = None
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class InstallReport:
    """All that was done, and what is left for the user."""

    noticed: tuple[Noticed, ...]
    outcomes: tuple[Outcome, ...]
    afterwards: tuple[str, ...]
    dry: bool

    @property
    def refused(self) -> bool:
        """Whether anything was left undone."""
        return any(outcome.result == "refused" for outcome in self.outcomes)

    def describe(self) -> object:
        """Return it as plain data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Installation:
    """Installs into the clients of one place."""

    place: Place
    launch: Launch
    now: Callable[[], dt.datetime]

    def notice(self) -> tuple[Noticed, ...]:
        """Return the detected clients."""
        return tuple(
            Noticed(client.name, client.title, client.notice(self.place))
            for client in all_clients()
        )

    def choose(self, names: Sequence[str]) -> list[Client]:
        """Choose clients by name; none named: those that are here."""
        if "all" in names:
            return list(all_clients())
        if names:
            return [find_client(name) for name in dict.fromkeys(names)]
        return [find_client(one.client) for one in self.notice() if one.by]

    def apply(
        self, names: Sequence[str], scope: Scope, *, remove: bool = False, dry: bool = False
    ) -> InstallReport:
        """Install into the chosen clients, or remove from them; dry: only tell."""
        chosen = self.choose(names)
        stamp = self.now().strftime("%Y%m%dT%H%M%S.%fZ")
        outcomes = [
            self._apply(client, step, remove=remove, dry=dry, stamp=stamp)
            for client in chosen
            for step in list_steps(client, self.place, scope, self.launch)
        ]
        done = {one.client for one in outcomes if one.result in ("installed", "updated")}
        told = () if remove else tuple(c.afterwards for c in chosen if c.name in done)
        return InstallReport(self.notice(), tuple(outcomes), told, dry)

    def _apply(self, client: Client, step: Step, *, remove: bool, dry: bool, stamp: str) -> Outcome:
        base = (client.name, client.title, step.what, step.where)
        try:
            result = _result(step.state(), remove=remove)
            preview = step.preview(remove=remove)
            if dry or not preview:
                return Outcome(*base, result, preview=preview)
            backup = step.carry_out(remove=remove, stamp=stamp)
        except DmmError as error:
            return Outcome(*base, "refused", problem=error.what, hint=error.hint)
        return Outcome(*base, result, preview=preview, backup=str(backup) if backup else None)


def _result(state: State, *, remove: bool) -> Result:
    if remove:
        return "absent" if state == "none" else "removed"
    return _INSTALLED[state]
