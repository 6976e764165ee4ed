"""The model of a configuration: which one, with which key, and what is said where one lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.config import ModelConfig
from dmm.errors import ConfigError
from dmm.models.anthropic import AnthropicModel
from dmm.models.choose import choose_model
from dmm.models.command import ClaudeCommand
from dmm.models.openai import OpenAIModel
from dmm.models.transport import Address

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.models.conftest import CommandRig

GATEWAY = "https://gateway.example.com/v1"
LOCAL = "http://127.0.0.1:11434/v1"


def refusal(config: ModelConfig, environ: Mapping[str, str]) -> tuple[str, str | None]:
    with pytest.raises(ConfigError) as caught:
        choose_model(config, environ)
    assert "sk-" not in f"{caught.value}{caught.value.hint}"
    return caught.value.what, caught.value.where


def test_without_a_provider_there_is_no_model() -> None:
    assert choose_model(ModelConfig(), {"ANTHROPIC_API_KEY": "sk-1"}) is None


def test_each_provider_has_its_usual_address_and_key() -> None:
    one = choose_model(ModelConfig(provider="anthropic", name="m"), {"ANTHROPIC_API_KEY": "sk-1"})
    assert one == AnthropicModel(Address(True, "api.anthropic.com", 443, ""), "m", "sk-1")
    assert one is not None
    assert one.identity == "anthropic/m"
    other = choose_model(ModelConfig(provider="openai", name="m"), {"OPENAI_API_KEY": "sk-2\n"})
    assert other == OpenAIModel(Address(True, "api.openai.com", 443, "/v1"), "m", "sk-2")


@pytest.mark.parametrize(
    ("provider", "named", "variable"),
    [
        ("anthropic", "", "ANTHROPIC_API_KEY"),
        ("openai", "", "OPENAI_API_KEY"),
        ("anthropic", "MY_KEY", "MY_KEY"),
        ("openai", "MY_KEY", "MY_KEY"),
    ],
)
@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_missing_key_is_named_by_its_variable(
    provider: str, named: str, variable: str, value: str | None
) -> None:
    config = ModelConfig(provider=provider, name="m", api_key_env=named)
    environ = {} if value is None else {variable: value}
    told = f"the environment variable {variable} is not set"
    assert refusal(config, environ) == (told, "model.api_key_env")


@pytest.mark.parametrize("value", ["sk-1\r\nX-Evil: 1", "sk 1", "sk-\u00e9"])
def test_what_can_be_no_key_is_not_sent_and_not_shown(value: str) -> None:
    config = ModelConfig(provider="anthropic", name="m")
    told = "the environment variable ANTHROPIC_API_KEY does not contain a key"
    assert refusal(config, {"ANTHROPIC_API_KEY": value})[0] == told


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_the_usual_key_goes_to_nobody_but_its_provider(provider: str) -> None:
    environ = {"ANTHROPIC_API_KEY": "sk-1", "OPENAI_API_KEY": "sk-2"}
    config = ModelConfig(provider=provider, name="m", base_url=GATEWAY)
    told = "no environment variable is configured with the key for gateway.example.com"
    assert refusal(config, environ) == (told, "model.api_key_env")
    local = choose_model(ModelConfig(provider=provider, name="m", base_url=LOCAL), environ)
    assert isinstance(local, AnthropicModel | OpenAIModel)
    assert local.key == ""


def test_a_gateway_gets_the_key_that_is_named_for_it() -> None:
    config = ModelConfig(provider="openai", name="m", base_url=GATEWAY, api_key_env="GATE")
    address = Address(True, "gateway.example.com", 443, "/v1")
    assert choose_model(config, {"GATE": "sk-3"}) == OpenAIModel(address, "m", "sk-3")


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_a_model_needs_a_name(provider: str) -> None:
    config = ModelConfig(provider=provider, name=" ", base_url=LOCAL)
    assert refusal(config, {}) == ("no model is configured", "model.name")


def test_only_openai_itself_is_told_the_limit_under_its_new_name(command: CommandRig) -> None:
    from dmm.models.openai import limit_name

    assert limit_name("api.openai.com") == "max_completion_tokens"
    assert limit_name("team.openai.azure.com") == "max_completion_tokens"
    assert limit_name("127.0.0.1") == "max_tokens"
    assert limit_name("notopenai.com") == "max_tokens"


def test_the_claude_command_is_looked_for_on_the_path(command: CommandRig) -> None:
    environ = {"PATH": f"relative:/nonexistent:{command.folder}"}
    found = choose_model(ModelConfig(provider="claude"), environ)
    assert found == ClaudeCommand(command.folder / "claude", "", environ)
    assert found is not None
    assert found.identity == "claude/default"


@pytest.mark.parametrize("path", ["", "/nonexistent", "bin:."])
def test_a_claude_command_that_is_not_there_is_said_to_be_missing(
    path: str, command: CommandRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(command.folder.parent)
    told = "the claude command is not on the PATH"
    assert refusal(ModelConfig(provider="claude"), {"PATH": path}) == (told, "model.provider")
    assert refusal(ModelConfig(provider="claude"), {}) == (told, "model.provider")


def test_the_address_for_the_claude_command_is_held_to_the_same_rule(
    command: CommandRig, tmp_path: Path
) -> None:
    config = ModelConfig(provider="claude", base_url="http://example.com")
    assert refusal(config, {"PATH": str(command.folder)})[1] == "model.base_url"


def test_another_address_does_not_get_the_keys_of_the_claude_command(command: CommandRig) -> None:
    environ = {"PATH": str(command.folder), "ANTHROPIC_API_KEY": "sk-1"}
    environ |= {"ANTHROPIC_AUTH_TOKEN": "sk-2", "CLAUDE_CODE_OAUTH_TOKEN": "sk-3", "GATE": "sk-4"}
    bare = choose_model(ModelConfig(provider="claude", base_url=GATEWAY), environ)
    assert isinstance(bare, ClaudeCommand)
    left = {"PATH": str(command.folder), "GATE": "sk-4", "ANTHROPIC_BASE_URL": GATEWAY}
    assert bare.environ == left
    named = ModelConfig(provider="claude", base_url=GATEWAY, api_key_env="GATE")
    keyed = choose_model(named, environ)
    assert isinstance(keyed, ClaudeCommand)
    assert keyed.environ == left | {"ANTHROPIC_API_KEY": "sk-4"}
