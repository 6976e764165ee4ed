"""The machine, its project and its sessions, as the tests of the background process have them."""

from __future__ import annotations

from tests.daemon.conftest import ledger, lived_in, machine, new_machine, wait

__all__ = ["ledger", "lived_in", "machine", "new_machine", "wait"]
