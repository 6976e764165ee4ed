"""Configuration: zero-config works, and a wrong key or value is named."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

import pytest

from dmm.config import Config, IndexerConfig, parse_config, read_config
from dmm.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    config = read_config(tmp_path / "daemon.config.json")
    assert config == Config()
    assert config.retrieval.default_budget == 2000
    assert config.retrieval.baseline_budget == 800
    assert config.storage.embeddings_db == "index/embeddings.db"


def test_a_file_changes_only_what_it_names(tmp_path: Path) -> None:
    path = tmp_path / "daemon.config.json"
    path.write_text('\ufeff{"retrieval": {"default_budget": 500}}', "utf-8")
    config = read_config(path)
    assert config.retrieval.default_budget == 500
    assert config.retrieval.max_candidates == Config().retrieval.max_candidates


def test_the_written_defaults_read_back_as_the_defaults() -> None:
    assert parse_config(json.dumps(dataclasses.asdict(Config())), source="x") == Config()


def test_the_configuration_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Config().version = "2"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"retreival": {}}', "c.json: retreival: unknown key"),
        ('{"indexer": {"batch": 1}}', "c.json: indexer.batch: unknown key"),
        (
            '{"retrieval": {"default_budget": "many"}}',
            "c.json: retrieval.default_budget: must be a whole number, 0 or more, not 'many'",
        ),
        (
            '{"retrieval": {"default_budget": -1}}',
            "c.json: retrieval.default_budget: must be a whole number, 0 or more, not -1",
        ),
        (
            '{"retrieval": {"max_candidates": true}}',
            "c.json: retrieval.max_candidates: must be a whole number, 1 or more, not True",
        ),
        (
            '{"retrieval": {"diversity_threshold": NaN}}',
            "c.json: retrieval.diversity_threshold: must be a number from 0.0 to 1.0, not nan",
        ),
        (
            '{"retrieval": {"diversity_threshold": false}}',
            "c.json: retrieval.diversity_threshold: must be a number from 0.0 to 1.0, not False",
        ),
        (
            '{"conflict_scan_interval": "often"}',
            "c.json: conflict_scan_interval: "
            "must be one of daily, hourly, weekly, never, not 'often'",
        ),
        (
            '{"governance": {"auto_apply": 1}}',
            "c.json: governance.auto_apply: must be true or false, not 1",
        ),
        (
            '{"hooks": {"prompt_deadline_ms": 70000}}',
            "c.json: hooks.prompt_deadline_ms: must be a whole number from 1 to 2000, not 70000",
        ),
        ('{"version": 1}', "c.json: version: must be text, not 1"),
        ('{"hooks": []}', "c.json: hooks: must be a map of settings, not []"),
        ("[]", "c.json: the file: must be a map of settings, not []"),
        ('{\n"version": }', "c.json:2: not valid JSON: Expecting value"),
    ],
)
def test_what_is_wrong_is_named_by_its_key(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse_config(text, source="c.json")
    assert str(raised.value) == message


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 10_000])
def test_endless_nesting_and_endless_digits_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"c\.json: not a usable configuration: "):
        parse_config(text, source="c.json")


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd",
        "../../.ssh/id_rsa",
        "memory/project/a.md",
        "index/../memory/a.db",
        "index/a/b.db",
        "index/embeddings.db\n",
        "C:\\x.db",
        "",
    ],
)
def test_a_store_can_only_stand_in_the_index_folder(name: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse_config(json.dumps({"storage": {"embeddings_db": name}}), source="c.json")
    assert raised.value.where == "c.json: storage.embeddings_db"


def test_a_file_that_names_settings_of_earlier_versions_is_still_read() -> None:
    old = {
        "daemon": {"host": "127.0.0.1", "port": 7433, "auto_start": True, "log_level": "info"},
        "indexer": {"embedding_model": "all-MiniLM-L6-v2", "batch_size": 7},
        "storage": {"stats_db": "index/stats.db"},
        "reviewer_agent": {"model": ""},
        "lifecycle": {"attach_to": "", "graceful_shutdown_timeout_ms": 5000},
    }
    assert parse_config(json.dumps(old), source="c.json") == Config(
        indexer=IndexerConfig(batch_size=7)
    )


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "daemon.config.json"
    path.write_bytes(b"\xff\xfe{}")
    with pytest.raises(ConfigError, match="unreadable: "):
        read_config(path)


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"unreadable: .*Is a directory"):
        read_config(tmp_path)
