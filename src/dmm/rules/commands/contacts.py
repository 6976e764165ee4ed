"""Contacts: the hosts that a command talks to, and the Git remotes that it names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.commands.wordlists import listed, names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.commands.facts import CommandUse

# Without the whole of the scheme: looked for at every letter, it would cost the square of a word.
_ADDRESS = re.compile(r"(?<=[a-z0-9+.-])://(?:[^\s/@'\"]*@)?(\[[0-9a-f:]+\]|[^\s/:?#'\",)]+)", re.I)
_FETCHERS = listed("downloaders")
_LOGINS = names("ssh scp sftp rsync mosh ssh-copy-id")
_NETWORK = names("ping ping6 nc ncat netcat telnet dig nslookup traceroute host whois nmap")
_HOST_FLAGS = "-h|--host|--hostname|--server|--endpoint-url|--endpoint"
_HOST_VARIABLES = frozenset({"PGHOST", "MYSQL_HOST", "REDIS_HOST", "DOCKER_HOST"})
_CLIENTS = listed("clients")
_REMOTE_USERS = names("push fetch pull ls-remote clone")
_HOST = r"(?:[\w.-]+@)?([\w.-]+|\[[0-9a-fA-F:]+\])"


def hosts_of(use: CommandUse) -> list[str]:
    """List the hosts that an invocation would contact, as far as its words tell."""
    return list(dict.fromkeys(host.lower().strip("[]") for host in _hosts(use)))


def _hosts(use: CommandUse) -> Iterator[str]:
    program, options = use.invocation.program, use.options
    texts = [word.text for word in use.invocation.words[1:]]
    texts += [value for _, value in use.invocation.env]
    for text in texts:
        yield from _ADDRESS.findall(text)
    operands = [word.text for word in options.operands if "://" not in word.text]
    if program in _FETCHERS:
        yield from _matched(rf"{_HOST}(?::\d+)?(?:[/?].*)?", operands)
    elif program in _LOGINS:
        found = operands[:1] if program in ("ssh", "mosh", "ssh-copy-id") else operands
        form = _HOST if found is not operands else rf"{_HOST}:.*"
        yield from _matched(form, found)
    elif program in _NETWORK:
        yield from _matched(_HOST, operands[:1])
    elif program in _CLIENTS:
        yield from (word.text for word in options.values_of(_HOST_FLAGS))
        yield from (value for name, value in use.invocation.env if name in _HOST_VARIABLES)
    elif program == "git":
        yield from _matched(r"(?:[\w.-]+@)([\w.-]+):.+", operands)


def _matched(form: str, texts: list[str]) -> Iterator[str]:
    for text in texts:
        found = re.fullmatch(form, text)
        if found:
            yield found[1]


def remotes_of(use: CommandUse) -> list[str]:
    """Name the Git remotes that an invocation talks to or changes, by name or address."""
    operands = [word.text for word in use.options.operands]
    if use.invocation.program != "git" or not operands:
        return []
    if operands[0] == "remote":
        return operands[2:3]
    if operands[0] not in _REMOTE_USERS:
        return []
    given = [word.text for word in use.options.values_of("--repo")]
    return operands[1:2] or given[:1]
