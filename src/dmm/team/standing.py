"""How far a laptop is in step with its team."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dmm.team.folding import TeamRule
    from dmm.team.journal import Difference, Waiting


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a laptop is: what waits to be sent, what it knows of the team's log, since when.

    `unproven` decisions stay here, as no passkey confirmed them. The team knows `passkeys` for the
    decisions of this laptop. Of all that it knows, `foreign` ones never were this user's, and
    `removed` ones were removed here.
    """

    url: str
    team: str
    project: str
    role: str
    writer: str
    unsent: int
    known: int
    behind: int | None
    pulled: str | None
    fault: str
    rules: tuple[TeamRule, ...]
    differences: tuple[Difference, ...]
    waiting: tuple[Waiting, ...] = ()
    unproven: int = 0
    passkeys: int = 0
    foreign: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class Exchanged:
    """What one exchange did: entries sent, events received.

    Of what a restored server had lost, `returned` went back; `lost` entries are to be sent again.
    """

    sent: int
    received: int
    returned: int = 0
    lost: int = 0
