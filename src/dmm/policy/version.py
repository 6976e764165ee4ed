"""The version of the engine that judges decisions and calls; every verdict records it."""

from __future__ import annotations

# The second number counts the tables of synonyms; they take long to load, so it stands here.
ENGINE_VERSION = "3.4"
