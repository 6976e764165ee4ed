"""The version of the engine that judges decisions and calls; every verdict records it."""

from __future__ import annotations

from dmm.policy.synonyms import SYNONYMS_VERSION

ENGINE_VERSION = f"3.{SYNONYMS_VERSION}"
