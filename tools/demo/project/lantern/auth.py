"""Login: password check, throttle and server-side sessions."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

SESSION_SECONDS = 14 * 24 * 3600
THROTTLE_ATTEMPTS = 5
THROTTLE_SECONDS = 15 * 60
NOBODY = "00:00"  # fits no password, and takes as long to check as a real hash


class LoginRefusedError(Exception):
    """Wrong address, wrong password or too many attempts; the caller is not told which."""


def hash_password(password: str) -> str:
    """Hash a password with scrypt and a fresh salt: salt and digest in hex."""
    salt = secrets.token_bytes(16)
    digest = hashlib.scrypt(password.encode(), salt=salt, n=2**14, r=8, p=1)
    return f"{salt.hex()}:{digest.hex()}"


def password_fits(password: str, stored: str) -> bool:
    """Compare a password with its stored hash in constant time."""
    salt, _, digest = stored.partition(":")
    found = hashlib.scrypt(password.encode(), salt=bytes.fromhex(salt), n=2**14, r=8, p=1)
    return hmac.compare_digest(found.hex(), digest)


def is_throttled(connection: sqlite3.Connection, email: str, now: int) -> bool:
    """Say whether this address failed too often within the window."""
    row = connection.execute(
        "SELECT count(*) AS failures FROM login_failures WHERE email = ? AND at > ?",
        (email, now - THROTTLE_SECONDS),
    ).fetchone()
    return bool(row["failures"] >= THROTTLE_ATTEMPTS)


def log_in(connection: sqlite3.Connection, email: str, password: str, now: int) -> str:
    """Check the credentials and open a session; return the token for the cookie."""
    user = connection.execute("SELECT * FROM users WHERE email = ?", (email,)).fetchone()
    fits = password_fits(password, NOBODY if user is None else user["password"])
    if user is None or not fits or is_throttled(connection, email, now):
        connection.execute("INSERT INTO login_failures (email, at) VALUES (?, ?)", (email, now))
        raise LoginRefusedError
    return open_session(connection, user["id"], now)


def open_session(connection: sqlite3.Connection, user_id: int, now: int) -> str:
    """Store the hash of a new random token and hand out the token itself once."""
    token = secrets.token_urlsafe(32)
    connection.execute(
        "INSERT INTO sessions (token_hash, user_id, expires_at) VALUES (?, ?, ?)",
        (hashlib.sha256(token.encode()).hexdigest(), user_id, now + SESSION_SECONDS),
    )
    return token


def end_all_sessions(connection: sqlite3.Connection, user_id: int) -> None:
    """Log a user out everywhere, as after a change of password."""
    connection.execute("DELETE FROM sessions WHERE user_id = ?", (user_id,))
