"""The address of the page: a port and a host name that stay the same for a user.

The name ends in `.localhost`, which browsers resolve to this machine. Cookies and passkeys belong
to a name, so that one of its own keeps them apart from other servers on this machine.
"""

from __future__ import annotations

import contextlib
import errno
import json
import random
import re
import secrets
import socket
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dmm.daemon.instance import STEADY
from dmm.errors import DmmError, StorageError
from dmm.files.durable import write_atomic
from dmm.passkeys.keyring import Keyring
from dmm.private import make_private_folder

if TYPE_CHECKING:
    from pathlib import Path

IPV4 = "127.0.0.1"
IPV6 = "::1"
FILE = "address.json"
BACKLOG = 64
# Below the ports that systems give to outgoing connections, which could take ours meanwhile.
PORTS = range(20_000, 32_000)
TRIES = 20
_NAME = re.compile(r"dmm-[0-9a-f]{8}\.localhost")
# The machine has no such address; another program that has the port is something else.
_ABSENT = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


@dataclass(frozen=True, slots=True)
class Address:
    """Where the page is; without a port until one was chosen."""

    name: str
    port: int | None = None


def read_address(folder: Path) -> Address | None:
    """Read the address that was kept; None where there is none that can be used."""
    try:
        about = json.loads((folder / FILE).read_bytes()[: 1 << 12])
        name, port = str(about["name"]), about["port"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    usable = isinstance(port, int) and 0 < port < 1 << 16
    return Address(name, port if usable else None) if _NAME.fullmatch(name) else None


def find_address(folder: Path) -> Address:
    """Return the address that was kept, or draw a name and keep it.

    Passkeys work under one name only, so theirs is taken up again if the address was lost.
    """
    known = read_address(folder)
    pages = _read_pages(folder)
    if known is not None and (not pages or known.name in pages):
        return known
    name = pages[-1] if pages else f"dmm-{secrets.token_hex(4)}.localhost"
    return keep_address(folder, Address(name, None if known is None else known.port))


def _read_pages(folder: Path) -> list[str]:
    """Read the names that the passkeys belong to; a record that is broken names none."""
    try:
        return [one.page for one in Keyring(folder).read() if _NAME.fullmatch(one.page)]
    except DmmError:
        return []


def keep_address(folder: Path, address: Address) -> Address:
    """Keep an address for later processes; where nothing can be kept, it lasts for this one."""
    about = {"name": address.name, "port": address.port}
    with contextlib.suppress(StorageError, OSError):
        make_private_folder(folder)
        write_atomic(folder / FILE, json.dumps(about).encode(), private=True)
    return address


@dataclass(frozen=True, slots=True)
class Doors:
    """The sockets of one port, the name of the page, and why the port is not the usual one."""

    sockets: tuple[socket.socket, ...]
    port: int
    name: str
    fault: str | None = None


def open_doors(folder: Path, wanted: int) -> Doors:
    """Bind a port: the one that is named, or the user's own and, if that is taken, a free one."""
    address = find_address(folder)
    if wanted != STEADY:
        return _open(wanted, address)
    if address.port is None:
        return _choose(folder, address)
    try:
        return _open(address.port, address)
    except OSError as error:
        found = _open(0, address)
        why = f"port {address.port} can't be used: {error.strerror}"
        return replace(found, fault=f"{why}; using {found.port} this time")


def _choose(folder: Path, address: Address) -> Doors:
    """Bind a port that is free and keep it."""
    for port in random.SystemRandom().sample(PORTS, TRIES):
        with contextlib.suppress(OSError):
            doors = _open(port, address)
            keep_address(folder, replace(address, port=doors.port))
            return doors
    return _open(0, address)


def _open(port: int, address: Address) -> Doors:
    sockets = listen(port)
    return Doors(sockets, int(sockets[0].getsockname()[1]), address.name)


def listen(port: int) -> tuple[socket.socket, ...]:
    """Bind a port on loopback, on both addresses of it where there are two; 0 takes a free one.

    A browser may try either address, so another program must not have the port on one of them.
    """
    first = _bind(socket.AF_INET, (IPV4, port))
    port = int(first.getsockname()[1])
    try:
        second = _bind(socket.AF_INET6, (IPV6, port))
    except OSError as error:
        if error.errno in _ABSENT:
            return (first,)
        first.close()
        raise
    return (first, second)


def _bind(family: socket.AddressFamily, place: tuple[str, int]) -> socket.socket:
    # Named in full: only then does the event loop send small answers without waiting.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            found.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        found.bind(place)
        found.listen(BACKLOG)
        found.setblocking(False)
    except OSError:
        found.close()
        raise
    return found
