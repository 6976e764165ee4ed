"""The configuration of one project: read once, checked key by key, frozen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dmm.domain.pack import DEFAULT_BASELINE_BUDGET, DEFAULT_BUDGET
from dmm.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

FILE_NAME = "daemon.config.json"

Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
Count = Annotated[int, Field(ge=1)]
# A cloned repository brings its own settings: no name in them may lead out of its .dmm folder.
InsideFile = Annotated[str, Field(pattern=r"^(index|run)/[A-Za-z0-9_-]+\.db$")]
# Derived stores are deleted and built anew at need: nothing else may stand under such a name.
IndexFile = Annotated[str, Field(pattern=r"^index/[A-Za-z0-9_-]+\.db$")]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class DaemonConfig(_Section):
    """Where and how the background process listens."""

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 7433
    auto_start: bool = True
    graceful_shutdown_timeout_ms: Count = 5000
    log_level: Literal["debug", "info", "warning", "error"] = "info"


class IndexerConfig(_Section):
    """How files become vectors."""

    watch_interval_ms: Count = 1000
    debounce_ms: Count = 100
    embedding_model: Literal["all-MiniLM-L6-v2"] = "all-MiniLM-L6-v2"
    batch_size: Count = 50


class RetrievalConfig(_Section):
    """How candidates are found and how much of them fits."""

    top_k_directories: Count = 3
    max_candidates: Count = 50
    diversity_threshold: Fraction = 0.9
    default_budget: Annotated[int, Field(ge=0)] = DEFAULT_BUDGET
    baseline_budget: Annotated[int, Field(ge=0)] = DEFAULT_BASELINE_BUDGET


class StorageConfig(_Section):
    """File names of the derived stores, relative to the .dmm folder."""

    embeddings_db: IndexFile = "index/embeddings.db"
    stats_db: IndexFile = "index/stats.db"


class ValidationConfig(_Section):
    """What `dmm validate` calls too short, too long or incomplete."""

    min_tokens: Count = 300
    max_tokens: Count = 800
    warn_on_missing_optional: bool = True


class ReviewerConfig(_Section):
    """The model that reviews proposed writes."""

    enabled: bool = False
    model: str = ""
    auto_approve_threshold: Fraction = 0.95


class LifecycleConfig(_Section):
    """Which client the background process belongs to."""

    attach_to: str = ""
    graceful_shutdown_timeout_ms: Count = 5000


class Config(_Section):
    """All settings of a project; every one has a default."""

    version: str = "1.0"
    daemon: DaemonConfig = DaemonConfig()
    indexer: IndexerConfig = IndexerConfig()
    retrieval: RetrievalConfig = RetrievalConfig()
    storage: StorageConfig = StorageConfig()
    validation: ValidationConfig = ValidationConfig()
    reviewer_agent: ReviewerConfig = ReviewerConfig()
    lifecycle: LifecycleConfig = LifecycleConfig()
    conflict_scan_interval: Literal["hourly", "daily", "weekly", "never"] = "daily"


def read_config(path: Path) -> Config:
    """Read the configuration file; without one the defaults hold."""
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        return Config()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"unreadable: {error}", where=str(path)) from error
    return parse_config(text, source=str(path))


def parse_config(text: str, *, source: str) -> Config:
    """Check a configuration text; the error names the first key that is wrong and what it wants."""
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"{source}:{error.lineno}"
        raise ConfigError(f"not valid JSON: {error.msg}", where=where) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"not a usable configuration: {error}", where=source) from error
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        raise _refuse(source, error) from error


def _refuse(source: str, error: ValidationError) -> ConfigError:
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"]) or "the file"
    if first["type"] == "extra_forbidden":
        return ConfigError(
            "unknown key", where=f"{source}: {key}", hint="remove it or correct its name"
        )
    got = f", not {first['input']!r}" if not isinstance(first["input"], dict) else ""
    return ConfigError(f"{first['msg']}{got}", where=f"{source}: {key}")
