"""Notes about code are not secrets: a memory must be writable that speaks of passwords."""

from __future__ import annotations

import pytest

from dmm.capture.redact import redact


@pytest.mark.parametrize(
    "text",
    [
        "A wrong password: `LoginRefusedError` is raised and counted.",
        "The old password stays.\n- Cookie attributes: `HttpOnly`, `Secure`, `SameSite=Lax`.",
        "- Token lifetime: 15 minutes, refresh token: 30 days",
        "password hashing: argon2id with 64 MiB",
        "Secret: stored in Vault, never in the repository",
    ],
)
def test_a_note_about_credentials_stays_as_it_is(text: str) -> None:
    assert redact(text).text == text
