"""Payments: charges with an idempotency key, and the provider's signed notices."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import sqlite3

SIGNATURE_TOLERANCE_SECONDS = 300


class Provider(Protocol):
    """What the shop needs of its payment provider."""

    def charge(self, cents: int, currency: str, source: str, key: str) -> str:
        """Charge once per key and return the provider's charge id."""


def charge_order(
    connection: sqlite3.Connection, provider: Provider, order_id: int, source: str
) -> str:
    """Charge an order at most once, however often this is called."""
    order = connection.execute("SELECT * FROM orders WHERE id = ?", (order_id,)).fetchone()
    if order["charge_id"] is not None:
        return str(order["charge_id"])
    key = f"order-{order_id}-{order['revision']}"
    charge_id = provider.charge(order["total_cents"], order["currency"], source, key)
    connection.execute(
        "UPDATE orders SET charge_id = ? WHERE id = ? AND charge_id IS NULL", (charge_id, order_id)
    )
    return charge_id


def signature_fits(body: bytes, timestamp: int, signature: str, secret: bytes, now: int) -> bool:
    """Check a provider notice: recent, and signed over its time and its exact bytes."""
    if abs(now - timestamp) > SIGNATURE_TOLERANCE_SECONDS:
        return False
    expected = hmac.new(secret, f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, signature)
