"""Mails to customers: a template, its values, and a job that sends it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .jobs import enqueue

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

TEMPLATES = {
    "order_paid": "Thank you for order {order}. It leaves our workshop within two days.",
    "order_refunded": "We refunded {amount} for order {order}.",
    "new_login": "Your account was used on a new device. Was it you?",
}


def queue_mail(
    connection: sqlite3.Connection, template: str, to: str, values: Mapping[str, str], now: int
) -> None:
    """Render now, so that a missing value fails the request, and send later as a job."""
    text = TEMPLATES[template].format_map(values)
    enqueue(connection, "mail", {"to": to, "text": text, "template": template}, now)
