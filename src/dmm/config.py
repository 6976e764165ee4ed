"""A project's configuration: read once, validated key by key, frozen.

Plain dataclasses with a check per key, whose messages say what is wanted.
"""

from __future__ import annotations

import dataclasses
import json
import re
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from dmm.domain.frozen import frozen
from dmm.domain.markers import WAY_OUT, WHAT, find_marker
from dmm.domain.memory import WANTED_TOKENS
from dmm.domain.pack import DEFAULT_BASELINE_BUDGET, DEFAULT_BUDGET
from dmm.errors import ConfigError
from dmm.reading import read_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

FILE_NAME = "daemon.config.json"
MAX_BYTES = 256 * 1024

# Settings of earlier versions that have no effect: files that name them are still read.
RETIRED = frozenset(
    (
        *("daemon", "indexer.embedding_model", "storage.stats_db", "reviewer_agent.model"),
        *("lifecycle.attach_to", "lifecycle.graceful_shutdown_timeout_ms"),
        "validation.min_tokens",
    )
)

# A cloned repository brings its own settings: no name in them may lead out of its index folder.
_INSIDE = re.compile(r"index/[A-Za-z0-9_-]+\.db")

T = TypeVar("T")
Section = TypeVar("Section")
Choice = TypeVar("Choice", bound=str)


def _setting(default: T, wanted: str, accepts: Callable[[Any], bool]) -> T:
    return field(default=default, metadata={"wanted": wanted, "accepts": accepts})


def _section(kind: type[Section]) -> Section:
    return field(default_factory=kind, metadata={"section": kind})


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _count(default: int) -> int:
    return _setting(default, "a whole number, 1 or more", lambda v: _is_whole(v) and v >= 1)


def _amount(default: int) -> int:
    return _setting(default, "a whole number, 0 or more", lambda v: _is_whole(v) and v >= 0)


def _limited(default: int, most: int) -> int:
    wanted = f"a whole number from 1 to {most}"
    return _setting(default, wanted, lambda v: _is_whole(v) and 1 <= v <= most)


def _fraction(default: float) -> float:
    def accepts(value: object) -> bool:
        return (isinstance(value, float) or _is_whole(value)) and 0.0 <= float(str(value)) <= 1.0

    return _setting(default, "a number from 0.0 to 1.0", accepts)


def _flag(default: bool) -> bool:
    return _setting(default, "true or false", lambda v: isinstance(v, bool))


def _text(default: str) -> str:
    return _setting(default, "text", lambda v: isinstance(v, str))


def _choice(default: Choice, *others: Choice) -> Choice:
    options = (default, *others)
    return _setting(default, f"one of {', '.join(options)}", lambda v: v in options)


def _inside(default: str) -> str:
    wanted = "a name like index/embeddings.db"
    return _setting(
        default, wanted, lambda v: isinstance(v, str) and _INSIDE.fullmatch(v) is not None
    )


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and one.strip() for one in value)


def _texts() -> tuple[str, ...]:
    about = {"wanted": "a list of texts", "accepts": _are_texts, "take": tuple}
    return field(default=(), metadata=about)


def _some(*options: str) -> tuple[str, ...]:
    def accepts(value: object) -> bool:
        return isinstance(value, list) and all(one in options for one in value)

    about = {"wanted": f"a list of {', '.join(options)}", "accepts": accepts, "take": tuple}
    return field(default=(), metadata=about)


def _each(kind: type[Section]) -> Mapping[str, Section]:
    return field(default_factory=dict, metadata={"each": kind})


@frozen
class IndexerConfig:
    """How files become vectors."""

    watch_interval_ms: int = _count(1000)
    debounce_ms: int = _count(100)
    batch_size: int = _count(50)
    query_wait_ms: int = _limited(2_500, 60_000)


@frozen
class RetrievalConfig:
    """How candidates are found and how much of them fits."""

    top_k_directories: int = _count(3)
    max_candidates: int = _count(50)
    diversity_threshold: float = _fraction(0.9)
    default_budget: int = _amount(DEFAULT_BUDGET)
    baseline_budget: int = _amount(DEFAULT_BASELINE_BUDGET)


@frozen
class StorageConfig:
    """The file name of the index, relative to the .dmm folder."""

    embeddings_db: str = _inside("index/embeddings.db")


@frozen
class ValidationConfig:
    """What `dmm validate` calls too long or incomplete."""

    max_tokens: int = _count(WANTED_TOKENS)
    warn_on_missing_optional: bool = _flag(True)
    isolation_terms: tuple[str, ...] = _texts()


@frozen
class ReviewerConfig:
    """The model that reviews proposed writes."""

    enabled: bool = _flag(False)
    auto_approve_threshold: float = _fraction(0.95)


@frozen
class ModelConfig:
    """The chat model of this user; only the user's own file may name one."""

    provider: str = _choice("", "anthropic", "openai", "claude")
    name: str = _text("")
    base_url: str = _text("")
    api_key_env: str = _text("")
    timeout_ms: int = _limited(60_000, 600_000)
    max_output_tokens: int = _limited(4_000, 32_000)
    max_tokens_per_day: int = _amount(200_000)


@frozen
class Grant:
    """Where one agent may propose, and where what it proposes may be applied at once.

    Places are folders of the memory tree such as project/api; * means everywhere.
    """

    propose: tuple[str, ...] = _texts()
    auto_apply: tuple[str, ...] = _texts()


@frozen
class GovernanceConfig:
    """Who may write where; `agents` maps names, or * for all others, to what they may do."""

    auto_apply: bool = _flag(False)
    git_commit: bool = _flag(False)
    agents: Mapping[str, Grant] = _each(Grant)


@frozen
class AskRatios:
    """How the room for evidence is shared; what one source does not use goes to the others.

    All three at 0 means as built in.
    """

    memory: float = _fraction(0.0)
    sessions: float = _fraction(0.0)
    code: float = _fraction(0.0)


@frozen
class AskProfile:
    """A profile of `dmm ask`, new or changed; what is not given stays as it is built in."""

    goal: str = _text("")
    keywords: tuple[str, ...] = _texts()
    ratios: AskRatios = _section(AskRatios)
    sections: tuple[str, ...] = _texts()
    needs: tuple[str, ...] = _texts()


@frozen
class AskConfig:
    """How questions are answered; `profiles` adds to the built-in ones or changes them."""

    default_profile: str = _text("")
    budget: int = _amount(3000)
    coverage_retry_max: int = _amount(2)
    model_fallback: bool = _flag(False)
    profiles: Mapping[str, AskProfile] = _each(AskProfile)


@frozen
class HooksConfig:
    """How long an agent may be kept waiting."""

    prompt_deadline_ms: int = _limited(100, 2_000)


@frozen
class EnforcementConfig:
    """What becomes of a tool call that can't be checked: the daemon and the rule file failed."""

    on_failure: Literal["allow", "ask", "deny"] = _choice("allow", "ask", "deny")


@frozen
class LifecycleConfig:
    """When memories age or rise."""

    stale_days: int = _count(90)
    promote_after: int = _count(5)
    expired_days: int = _amount(7)


@frozen
class ObservationsConfig:
    """What becomes of that which sessions did: proposals of each day, a model's better words."""

    daily_digest: bool = _flag(True)
    distil_with_model: bool = _flag(False)


@frozen
class TeamConfig:
    """What a project shares with its team besides rules."""

    share: tuple[str, ...] = _some(
        *("conflicts", "decisions", "facts", "observations", "proposals", "reviews", "usage")
    )


@frozen
class Config:
    """All settings of a project; every one has a default."""

    version: str = _text("1.0")
    indexer: IndexerConfig = _section(IndexerConfig)
    retrieval: RetrievalConfig = _section(RetrievalConfig)
    storage: StorageConfig = _section(StorageConfig)
    validation: ValidationConfig = _section(ValidationConfig)
    reviewer_agent: ReviewerConfig = _section(ReviewerConfig)
    governance: GovernanceConfig = _section(GovernanceConfig)
    model: ModelConfig = _section(ModelConfig)
    ask: AskConfig = _section(AskConfig)
    hooks: HooksConfig = _section(HooksConfig)
    enforcement: EnforcementConfig = _section(EnforcementConfig)
    lifecycle: LifecycleConfig = _section(LifecycleConfig)
    observations: ObservationsConfig = _section(ObservationsConfig)
    team: TeamConfig = _section(TeamConfig)
    conflict_scan_interval: str = _choice("daily", "hourly", "weekly", "never")


def read_config(path: Path) -> Config:
    """Read the configuration file; without one the defaults hold."""
    try:
        text = read_regular(path, MAX_BYTES)[0].decode("utf-8-sig")
    except FileNotFoundError:
        return Config()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"unreadable: {error}", where=str(path)) from error
    return parse_config(text, source=str(path))


def parse_config(text: str, *, source: str) -> Config:
    """Check a configuration text; the error names the first key that is wrong and what it wants."""
    line = find_marker(text)
    if line is not None:
        raise ConfigError(WHAT, where=f"{source}:{line}", hint=WAY_OUT)
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"{source}:{error.lineno}"
        raise ConfigError(f"not valid JSON: {error.msg}", where=where) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"not a usable configuration: {error}", where=source) from error
    return _build(Config, values, source, "")


def _build(kind: type[Section], values: object, source: str, trail: str) -> Section:
    if not isinstance(values, dict):
        where = f"{source}: {trail.rstrip('.') or 'the file'}"
        raise ConfigError(f"must be a map of settings, not {values!r}", where=where)
    # Every section is a dataclass; that can't be said of a type variable.
    fields = {one.name: one for one in dataclasses.fields(kind)}  # type: ignore[arg-type]
    checked: dict[str, Any] = {}
    for name, value in values.items():
        where = f"{source}: {trail}{name}"
        if f"{trail}{name}" in RETIRED:
            continue
        if name not in fields:
            raise ConfigError("unknown key", where=where, hint="remove it or correct its name")
        about = fields[name].metadata
        if "section" in about:
            checked[name] = _build(about["section"], value, source, f"{trail}{name}.")
        elif "each" in about:
            checked[name] = _build_each(about["each"], value, source, f"{trail}{name}.")
        elif not about["accepts"](value):
            raise ConfigError(f"must be {about['wanted']}, not {value!r}", where=where)
        else:
            checked[name] = about.get("take", _as_is)(value)
    return kind(**checked)


def _as_is(value: object) -> object:
    return value


def _build_each(kind: type[Section], values: object, source: str, trail: str) -> dict[str, Section]:
    if not isinstance(values, dict):
        where = f"{source}: {trail.rstrip('.')}"
        raise ConfigError(f"must be a map of names, not {values!r}", where=where)
    return {name: _build(kind, value, source, f"{trail}{name}.") for name, value in values.items()}


def stamp_settings(folder: Path) -> tuple[int, ...]:
    """Return a fingerprint of a project's folder and settings."""
    own = folder.stat()
    try:
        found = (folder / FILE_NAME).stat()
    except OSError:
        return (own.st_dev, own.st_ino)
    return (own.st_dev, own.st_ino, found.st_mtime_ns, found.st_size)
