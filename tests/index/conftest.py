"""Programs that wait for a line, as the tests of the ledger have them."""

from __future__ import annotations

from tests.eventlog.conftest import launch

__all__ = ["launch"]
