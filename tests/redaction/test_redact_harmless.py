"""What must survive: hashes, names, code and talk about secrets that hold none."""

from __future__ import annotations

import pytest

from dmm.redaction.redact import redact, redact_value

HARMLESS = [
    "commit 460482a7d1f0c3b2a1e5d4c6b7a8f9e0d1c2b3a4",
    "8aed0cd The ledger: facts, constraints and decisions",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "index 83db48f..bf12ab4 100644",
    "session 845538d0-67a0-4aee-973d-de6e95ded313 started",
    "/home/dev/.claude/projects/-home-dev-src-proj1/845538d0-67a0-4aee-973d-de6e95ded313.jsonl",
    "src/dmm/rules/commands/dependencies.py:154: error",
    "https://github.com/openai/codex/blob/0ea83813ef8631debc8ad777641fe532f0deffc2/codex-rs/a.rs",
    "environment:\n  - MYSQL_ROOT_PASSWORD=\n  - MYSQL_ALLOW_EMPTY_PASSWORD=true\n",
    "the password policy requires twelve characters",
    "a password is required",
    "Password must be at least 8 characters",
    "password reset link was sent",
    "the token is invalid",
    "the token expired, refresh the token first",
    "tokens: 4096, budget: 1200",
    "max_tokens=4096",
    "token_count: 128",
    "prompt_tokens: 123, completion_tokens: 456",
    "token: str",
    "password: Optional[str] = None",
    "password: string;",
    "def login(user: str, password: str) -> Token:",
    "password = get_password()",
    "password = user.password",
    "password = os.environ['DB_PASSWORD']",
    "token = process.env.GITHUB_TOKEN",
    "secret = self._secret",
    "api_key = config.api_key",
    "login(user, password=password)",
    "PASSWORD=$DB_PASSWORD",
    "export TOKEN=${GITHUB_TOKEN}",
    "password: ${{ secrets.DB_PASSWORD }}",
    "password: {{ vault_password }}",
    "Authorization: Bearer $TOKEN",
    'headers = {"Authorization": f"Bearer {token}"}',
    "Authorization: Bearer <token>",
    "Bearer authentication and Basic authentication are offered",
    "basic information about bearer certificates",
    "password=********",
    "API_KEY=xxxxxxxxxxxx",
    "postgres://user:password@localhost/db",
    "postgres://app:${DB_PASSWORD}@db/shop",
    'fmt.Sprintf("%s:%s@tcp(%s:%s)/%s", user, password, host, port, name)',
    "${DB_USER}:${DB_PASSWORD}@tcp(db:3306)/shop",
    "user:password@tcp(localhost:3306)/db",
    "ssh://git@github.com/o/r.git and git@github.com:o/r.git",
    "http://localhost:8080/path@2",
    "mail me at mailto:dev9@example.com",
    "PWD=/home/dev/src/proj1",
    "password_file: /run/secrets/db_password",
    "secretName: my-app-secret",
    "secretKeyRef:\n  name: db\n  key: password\n",
    "primary_key: id",
    "public_key = load('id.pub')",
    "cache_key = 'users-2026-11-15'",
    "echo $password | sha256sum",
    "password: {{ .Values.db.password | b64enc | quote }}",
    "token: ghp_****************************abcd",
    "set-cookie: session=<redacted>; Path=/; Max-Age=3600",
    "keyboard: us",
    "for key, value in items.items():",
    "if token == '(':",
    "token = tokens[0]",
    "tokenizer = AutoTokenizer.from_pretrained('bert')",
    "author: Jane Doe <jane@example.com>",
    "--- PASS: TestLogin_v2 (0.00s)",
    "5 passed, 2 failed in 1.20s",
    "mkdir -p build/output && docker run -p 8080:80 web",
    "ssh -p 2222 me@host",
    "cargo test -p crate2",
    "pytest -p no:cacheprovider",
    "git log -p v1.2.3",
    "use --password to set it, or the --token option",
    "curl -u $USER:$PASS https://x.example.com",
    "mysql -u root -p shop",
    "cookie: a small file",
    "set the cookie policy",
    "https://x.example.com/a?page=2&key=name&sort=asc",
    "2026-11-15T01:11:18.012Z INFO auth: login ok",
    "auth: true",
    "x = 'The quick brown fox jumps over the lazy dog'",
    "AbstractSingletonProxyFactoryBeanImplementationSupport",
    "numpy>=2.0 onnxruntime>=1.22",
    "-----BEGIN PUBLIC KEY----- is not private",
    "grep -r 'BEGIN RSA PRIVATE KEY' .",
    "call 0800 1234 5678 9012 or 1234-5678-9012-3456",
    "std::vector<private_t> and private: members",
    "the key is in the ignition",
    "secrets are kept in the vault",
    "never commit credentials or API keys",
    "The passphrase was changed yesterday.",
    'label: "Enter your password"',
    "assert status_code == 401  # no token",
    '{"type": "object", "properties": {"password": {"type": "string"}}}',
    '{"tool_use_id": "toolu_6bc4d5766ea745708fa9", "duration_ms": 42}',
    "pin: 13, pins: [1, 2]",
    "signature: f(x, y) -> z",
    "design: assign signal 42a",
    "a worktree is identified by the folder",
    "100% sure \\o/ C:\\new\\table %20 &amp; done",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_a_text_without_secrets_is_left_as_it_is(text: str) -> None:
    cleaned = redact(text)

    assert cleaned.text == text
    assert cleaned.counts == {}


def test_all_harmless_texts_together_are_left_as_they_are() -> None:
    text = "\n".join(HARMLESS)

    assert redact(text).text == text
    assert redact_value(HARMLESS) == (HARMLESS, {})
