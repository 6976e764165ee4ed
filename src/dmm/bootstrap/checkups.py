"""A checkup of one open project: its files, ledger and rules, the daemon and the clients."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.bootstrap.base import now
from dmm.clients import launch
from dmm.clients.place import Place
from dmm.install.service import Installation
from dmm.ledger.known_passkeys import KnownPasskeys
from dmm.passkeys.keyring import Keyring, page_folder
from dmm.project import client_checks, doctor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dmm.bootstrap.writing import Writing

    Progress = Callable[[int, int], None]
    Probe = Callable[[], Iterable[doctor.Check]]


@dataclass(frozen=True, slots=True)
class Checkup:
    """What was found."""

    healthy: bool
    checks: tuple[doctor.Check, ...]


def open_memory(dmm: Writing, reindex: Callable[[], object]) -> doctor.Memory:
    """Return what a checkup looks at in a project."""
    return doctor.Memory(
        folder=dmm.root.folder,
        trusted=dmm.trusted,
        list_trusted=dmm.trust_store.list,
        overview=dmm.overview,
        audit=dmm.audit,
        reindex=reindex,
        consents=dmm.consents,
        published=dmm.published,
        backups=dmm.backups,
        unchecked=lambda: dmm.rules.unchecked(),
        passkeys=KnownPasskeys(dmm.project_ledger, Keyring(page_folder())),
    )


def check_up(dmm: Writing, progress: Progress) -> Checkup:
    """Check one project and what it stands on; nothing is fixed, and no client is run."""
    wiring = client_checks.Wiring(
        {
            "user": Installation(Place(dmm.home, os.environ), launch.here(), now),
            "project": Installation(
                Place(dmm.home, os.environ, dmm.root.project), launch.anywhere(), now
            ),
        }
    )
    probes: list[Probe] = [
        lambda: doctor.check_program(dmm.base.load_model),
        lambda: doctor.check_project(lambda: open_memory(dmm, lambda: None)),
        doctor.check_daemon,
        lambda: doctor.attempt("clients", "configuration", wiring.check),
    ]
    found: list[doctor.Check] = []
    for number, probe in enumerate(probes):
        progress(number, len(probes))
        for check in doctor.examine([probe], fix=False):
            found.append(check)
            progress(number, len(probes))
    return Checkup(all(one.level != "fail" for one in found), tuple(found))
