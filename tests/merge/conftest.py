"""The dmm command run in this process."""

from tests.cli.conftest import typed

__all__ = ["typed"]
