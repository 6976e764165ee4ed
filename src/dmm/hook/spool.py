"""Spool redacted events that the daemon did not take."""

from __future__ import annotations

import os
import time

from dmm import endpoint, losses

MOST = 10_000
LARGEST = 1 << 20
MOST_ITEMS = 100
LONGEST_NAME = 512


def keep(client: str, body: bytes, ruled: str = "") -> None:
    """Keep one event, and how it was ruled on; one that can't be kept is counted as lost."""
    try:
        kept = _keep(losses.spool_folder(), client, body, ruled)
    except Exception:  # noqa: BLE001 - whatever went wrong, the event is lost and that is counted
        kept = False
    if not kept and not losses.add(1):
        # The background process can still count what no file takes.
        endpoint.ask("lost", "hook", b"", timeout=1.0)


def _keep(folder: str, client: str, body: bytes, ruled: str) -> bool:
    losses.prepare()
    safe = _redact(client, body)
    waiting = sum(name.endswith(".event") for name in os.listdir(folder))
    if len(safe) > LARGEST or waiting >= MOST:
        return False
    path = os.path.join(folder, f"{time.time_ns():020d}-{os.getpid()}")
    line = f"{endpoint.MAGIC} {client} {time.time_ns()} {ruled}".rstrip() + "\n"
    try:
        endpoint.write_private(path + ".part", line.encode() + safe)
        os.rename(path + ".part", path + ".event")
    except OSError:
        _remove(path + ".part")
        raise
    try:
        _sync(folder)
    except OSError:
        # It stands under its name, and will be fetched unless the power fails first.
        return True
    return True


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def _redact(client: str, body: bytes) -> bytes:
    """Remove secrets before anything reaches the disk."""
    import json

    from dmm.clients.registry import peek_client
    from dmm.redaction.identity import keep_identity
    from dmm.redaction.redact import narrow, narrow_value, redact, redact_value

    name, root, payload = body.split(b"\n", 2)
    try:
        values = json.loads(payload)
        safe, _ = redact_value(narrow_value(values, MOST_ITEMS))
        if isinstance(values, dict) and isinstance(safe, dict):
            # The same as where the event is taken at once: they tell what belongs together.
            names = peek_client(client).keys.identities
            safe |= {one: keep_identity(values[one]) for one in names if _is_name(values.get(one))}
        clean = json.dumps(safe)
    except (ValueError, RecursionError):
        clean = redact(narrow(payload.decode("utf-8", "replace"))).text
    return name + b"\n" + root + b"\n" + clean.encode("utf-8", "replace")


def _is_name(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_NAME


def _sync(folder: str) -> None:
    """Sync the folder itself: otherwise a file may be lost in a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
