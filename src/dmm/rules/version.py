"""The version of the engine that judges decisions and calls; every verdict records it."""

from __future__ import annotations

ENGINE_VERSION = "4.1"
