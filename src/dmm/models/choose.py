"""The chat model that the user's configuration names."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from dmm.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.config import ModelConfig
    from dmm.models.port import ChatModel
    from dmm.models.transport import Address

PROGRAM = "claude"


def choose_model(config: ModelConfig, environ: Mapping[str, str]) -> ChatModel | None:
    """Make the model of a configuration; None where it names none, ConfigError where it lacks."""
    # Web and TLS take long to load, and most commands ask no model.
    match config.provider:
        case "anthropic":
            from dmm.models.anthropic import HOME, AnthropicModel

            address, key = _endpoint(config, environ, HOME, "ANTHROPIC_API_KEY")
            return AnthropicModel(address, _name(config), key)
        case "openai":
            from dmm.models.openai import HOME as OPENAI
            from dmm.models.openai import OpenAIModel

            address, key = _endpoint(config, environ, OPENAI, "OPENAI_API_KEY")
            return OpenAIModel(address, _name(config), key)
        case "claude":
            return _command(config, environ)
    return None


def _name(config: ModelConfig) -> str:
    if config.name.strip():
        return config.name.strip()
    hint = f"set the name of a {config.provider} model there"
    raise ConfigError("no model is configured", where="model.name", hint=hint)


def _endpoint(
    config: ModelConfig, environ: Mapping[str, str], home: str, variable: str
) -> tuple[Address, str]:
    """Find the address and the key; the usual key goes to the provider itself alone."""
    from dmm.models.transport import read_address

    address = read_address(config.base_url or home)
    named = config.api_key_env
    if not named and address.host == read_address(home).host:
        named = variable
    if named:
        return address, _key(named, environ)
    if address.is_local:
        return address, ""
    what = f"no environment variable is configured with the key for {address.host}"
    hint = "set its name there; the key itself belongs in the environment"
    raise ConfigError(what, where="model.api_key_env", hint=hint)


def _key(variable: str, environ: Mapping[str, str]) -> str:
    key = environ.get(variable, "").strip()
    if not key:
        what = f"the environment variable {variable} is not set"
        hint = f"export {variable}=... before dmm and its daemon are started"
        raise ConfigError(what, where="model.api_key_env", hint=hint)
    if not (key.isascii() and key.isprintable() and " " not in key):
        what = f"the environment variable {variable} does not contain a key"
        raise ConfigError(what, where="model.api_key_env", hint="set it to the bare key")
    return key


def _command(config: ModelConfig, environ: Mapping[str, str]) -> ChatModel:
    from dmm.models.command import KEYS, ClaudeCommand

    # A relative entry would mean another program in every project.
    folders = [one for one in environ.get("PATH", "").split(os.pathsep) if Path(one).is_absolute()]
    program = shutil.which(PROGRAM, path=os.pathsep.join(folders)) if folders else None
    if program is None:
        what = f"the {PROGRAM} command is not on the PATH"
        hint = "install it, or choose another provider"
        raise ConfigError(what, where="model.provider", hint=hint)
    own = dict(environ)
    if config.base_url:
        from dmm.models.transport import read_address

        read_address(config.base_url)
        # Here too the usual keys are for the provider itself.
        own = {name: value for name, value in own.items() if name not in KEYS}
        own["ANTHROPIC_BASE_URL"] = config.base_url
    if config.api_key_env:
        own["ANTHROPIC_API_KEY"] = _key(config.api_key_env, environ)
    return ClaudeCommand(Path(program), config.name.strip(), own)
