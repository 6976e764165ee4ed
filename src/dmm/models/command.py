"""The claude command as a model: one question, no tools, nothing kept."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.errors import ModelFailed
from dmm.models.port import Completion, make_completion, malformed, quote_remark, read_count

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LARGEST_OUTPUT = 2 * 1024 * 1024
LONGEST_COMPLAINT = 4 * 1024
PIECE = 64 * 1024
WHERE = "the claude command"
BY_HAND = "run it by hand to see whether it works and is logged in: claude -p hello"
KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
# What it needs to find its login, its way through the network and its temporary files. All else
# stays behind, above all what an agent sets for the programs it starts.
KEPT = (
    *KEYS, "HOME", "PATH", "LANG", "LC_ALL", "TMPDIR", "USER", "CLAUDE_CONFIG_DIR",
    "ANTHROPIC_BASE_URL",
    "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy",
    "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR",
)  # fmt: skip
# No files for what looks like @path, no settings, hooks or memories of the user, no news.
FIXED = {
    "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1",
    "CLAUDE_CODE_DISABLE_FILE_MENTIONS": "1",
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_MAX_RETRIES": "2",
    "DISABLE_AUTOUPDATER": "1",
}
OPTIONS = (
    "--print",
    "--output-format=json",
    "--tools=",
    "--strict-mcp-config",
    "--setting-sources=",
    "--no-session-persistence",
    "--disable-slash-commands",
)
_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
# The command reads @path in a prompt as a wish to see that file. The wide form is no such wish.
_AT, _WIDE_AT = "@", "\N{FULLWIDTH COMMERCIAL AT}"


@dataclass(frozen=True, slots=True)
class ClaudeCommand:
    """The claude command of this user; an empty name leaves the choice of the model to it."""

    program: Path
    name: str = ""
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def identity(self) -> str:
        """The provider and the name of the model."""
        return f"claude/{self.name or 'default'}"

    def complete(self, system: str, user: str, *, max_tokens: int, deadline: float) -> Completion:
        """Ask once, in a process of its own that is gone with all its children afterwards."""
        line = [str(self.program), *OPTIONS, f"--system-prompt={system}"]
        line += [f"--model={self.name}"] if self.name else []
        kept = {name: self.environ[name] for name in KEPT if name in self.environ}
        env = kept | FIXED | {"CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(max_tokens)}
        asked = user.replace(_AT, _WIDE_AT)
        output = _run(line, env, asked.encode("utf-8", "replace"), deadline)
        return self._read(self._parse(output), system + user)

    def _parse(self, output: _Output) -> object:
        try:
            return json.loads(output.said)
        except (ValueError, RecursionError) as error:
            what = (
                "its output is not JSON" if output.said.strip() else "it exited without an answer"
            )
            remark = self._quote(output.complaint.decode("utf-8", "replace"))
            raise malformed(f"{what}: {remark}" if remark else what, WHERE, BY_HAND) from error

    def _quote(self, text: object) -> str:
        return quote_remark(text, *(self.environ.get(name, "") for name in KEYS))

    def _read(self, result: object, asked: str) -> Completion:
        match result:
            case {"type": "result", "is_error": False, "result": str(text), **rest}:
                usage, cut = rest.get("usage"), rest.get("stop_reason") == "max_tokens"
            case {"type": "result", "is_error": False}:
                raise malformed("its output contains no answer", WHERE, BY_HAND)
            case {"type": "result", **rest}:
                remark = self._quote(rest.get("result"))
                down = rest.get("api_error") == "connection_failed"
                what = f"it gave no answer: {remark or 'no reason given'}"
                raise ModelFailed(
                    "unreachable" if down else "refused", what, where=WHERE, hint=BY_HAND
                )
            case _:
                raise malformed("its output is not a result", WHERE, BY_HAND)
        tokens = read_count(usage, *_INPUT), read_count(usage, "output_tokens")
        return make_completion(text.replace(_WIDE_AT, _AT), tokens, asked, cut=cut)


def _run(line: list[str], env: dict[str, str], asked: bytes, deadline: float) -> _Output:
    """Run a program within a folder of its own; give what it writes until it ends."""
    end = time.monotonic() + deadline
    with (
        tempfile.TemporaryDirectory(prefix="dmm-model-", ignore_cleanup_errors=True) as folder,
        tempfile.TemporaryFile() as question,
    ):
        question.write(asked)
        question.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 - a fixed line, no shell, the user's own program
                line,
                cwd=folder,
                env=env,
                stdin=question,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            what = f"it can't be started: {error.strerror}"
            raise ModelFailed("unreachable", what, where=str(line[0])) from error
        with process:
            output = _Output(process)
            try:
                output.read(end, deadline)
            finally:
                # Before it is waited for, its number can belong to nobody else.
                with contextlib.suppress(ProcessLookupError):
                    _kill_group(process)
    return output


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a program with all that it started; on Windows, the program alone."""
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)


class _Output:
    """What a program writes: its output up to a limit, and the beginning of its complaints."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.said = bytearray()
        self.complaint = bytearray()
        self._open = {pipe.fileno() for pipe in (process.stdout, process.stderr) if pipe}
        self._out = process.stdout.fileno() if process.stdout else -1

    def read(self, end: float, deadline: float) -> None:
        """Read until the output ends; ModelFailed where it does not in time."""
        while self._out in self._open:
            left = end - time.monotonic()
            if left <= 0 or not self._take(left):
                what = f"no answer within {deadline:g} s"
                hint = "try again, or raise model.timeout_ms"
                raise ModelFailed("late", what, where=WHERE, hint=hint)
        self._take(0.0)

    def _take(self, wait: float) -> bool:
        if sys.platform == "win32":
            raise ModelFailed("unreachable", "a model command needs poll()", where=WHERE)
        # Not select(): a daemon may hold more files than that can count.
        poll = select.poll()
        for pipe in self._open:
            poll.register(pipe, select.POLLIN)
        ready = [pipe for pipe, _ in poll.poll(wait * 1000)]
        for pipe in ready:
            piece = os.read(pipe, PIECE)
            if not piece:
                self._open.discard(pipe)
            elif pipe == self._out:
                self.said += piece
            else:
                self.complaint += piece[: LONGEST_COMPLAINT - len(self.complaint)]
        if len(self.said) > LARGEST_OUTPUT:
            raise malformed(f"its output is larger than {LARGEST_OUTPUT} bytes", WHERE, BY_HAND)
        return bool(ready)
