"""The commands of `dmm`, and the one place where errors become messages."""

from __future__ import annotations

import io
import os
import re
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer

from dmm.cli import failures
from dmm.cli.fast_typer import FastGroup, FastTyper
from dmm.cli.options import close_projects
from dmm.domain.text import neutralise
from dmm.errors import DmmError, StorageError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

# Arguments that hold words, so that too many of them are most likely one text without quotes.
TEXTS = {"task", "text", "question", "value"}
_NO_COMMAND = re.compile(r"No such command '([^']*)'")

# By heading, in the order of the help; each module is loaded when its command is asked for.
SECTIONS = {
    "Start": {
        "init": "init.init",
        "import": "importing.import_files",
        "install": "install.install",
        "doctor": "doctor.doctor",
        "demo": "demo.demo",
    },
    "Memory": {
        "remember": "remember.remember",
        "forget": "remember.forget",
        "query": "query.query",
        "ask": "ask.ask",
        "write": "write.app",
        "review": "review.app",
        "conflicts": "conflicts.app",
        "undo": "undo.undo",
        "validate": "validate.validate",
        "feedback": "feedback.feedback",
        "lifecycle": "feedback.lifecycle",
        "reindex": "reindex.reindex",
        "export": "importing.export",
        "export-usage": "feedback.export_usage",
    },
    "Rules": {
        "rules": "rules.app",
        "check": "check.check",
        "trust": "trust.trust",
    },
    "Sessions and history": {
        "status": "status.status",
        "ui": "ui.ui",
        "cost": "cost.cost",
        "search": "recall.search",
        "timeline": "recall.timeline",
        "get": "recall.get",
        "ledger": "ledger.app",
        "import-sessions": "import_sessions.import_sessions",
        "digest": "digest.digest",
        "distil": "digest.distil",
        "redact": "redact.redact",
    },
    "Git": {
        "diff": "diff.diff",
        "merge": "merge.merge",
        "merge-file": "merge.merge_file",
    },
    "Team": {
        "team": "team.app",
        "server": "server.app",
    },
    "Other": {
        "daemon": "daemon.app",
        "serve": "serve.serve",
        "completion": "completion.completion",
    },
}
COMMANDS = {name: where for section in SECTIONS.values() for name, where in section.items()}

# For the list of commands, where the first sentence of a command is longer than a line of it.
SUMMARIES = {
    "init": "Create .dmm here; existing files are kept.",
    "remember": "Save a one-line note as a memory.",
    "forget": "Forget a memory by path, id or words.",
    "ask": "Answer a question with cited evidence.",
    "search": "Search earlier sessions.",
    "timeline": "Show what came before and after a search result.",
    "get": "Show search results in full.",
    "import": "Turn instruction files into rules and memories.",
    "import-sessions": "Record earlier Claude Code and Codex sessions.",
    "check": "Check a call against the rules without running it.",
    "trust": "Review and accept memory and rules of a clone.",
    "digest": "Propose a day's sessions as memories.",
    "distil": "Rewrite session summaries with your chat model.",
    "doctor": "Check that everything works, end to end.",
    "ui": "Open the web UI in a browser, signed in.",
}

# Words of other tools, and the commands that do it here.
INSTEAD = {
    **dict.fromkeys(("remove", "delete", "rm"), ("forget MEMORY", "rules disable RULE", "undo N")),
    "uninstall": ("install --uninstall",),
    "list": ("status", "rules list", "review list", "conflicts list"),
    "show": ("query TASK", "rules show RULE", "review show ID"),
    **dict.fromkeys(("add", "save", "note", "new"), ("remember TEXT", "rules add TEXT")),
    **dict.fromkeys(("help", "commands"), ("--help",)),
    "version": ("--version",),
}
# Settings are a file, so no command corresponds to these.
SETTINGS = dict.fromkeys(
    ("config", "configure", "settings"), "edit .dmm/daemon.config.json, then accept it: dmm trust"
)

# Run by Git, not by people.
PLUMBING = ("merge-file",)


class _Commands(FastGroup):
    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands under their headings."""
        width = max(map(len, COMMANDS))
        for heading, names in SECTIONS.items():
            found = {name: self.get_command(ctx, name) for name in names}
            rows = [
                (name.ljust(width), one.get_short_help_str(formatter.width - width - 6))
                for name, one in found.items()
                if one is not None and not one.hidden
            ]
            with formatter.section(heading):
                formatter.write_dl(rows)


def make_app(words: Sequence[str] = ()) -> FastTyper:
    """Make the command line of all commands, or of the one that a line's first words name."""
    app = FastTyper(
        name="dmm",
        cls=_Commands,
        help="Memory and enforced rules for coding agents.",
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(dmm)
    asked, inner = (*words[:2], "", "")[:2]
    for name in [asked] if asked in COMMANDS else COMMANDS:
        module, attribute = COMMANDS[name].split(".")
        found = getattr(import_module(f"dmm.cli.{module}"), attribute)
        if isinstance(found, FastTyper):
            app.add_typer(found.narrowed(inner), name=name)
        else:
            app.command(name, short_help=SUMMARIES.get(name), hidden=name in PLUMBING)(found)
    return app


def dmm(
    version: bool = typer.Option(False, "--version", "-V", help="Show the version and exit."),
) -> None:
    """Memory and enforced rules for coding agents."""
    if version:
        from importlib.metadata import version as installed

        sys.stdout.write(f"dmm {installed('dynamic-markdown-memory')}\n")
        raise typer.Exit


def run() -> int:
    """Run a command; every expected failure ends in one message and its exit status."""
    as_json = "--json" in sys.argv
    try:
        try:
            ended = make_app(sys.argv[1:])(prog_name="dmm", standalone_mode=False)
        finally:
            close_projects()
            sys.stdout.flush()
    except typer.TyperException as error:
        return _refuse(error, as_json=as_json)
    except DmmError as error:
        return failures.report(error, as_json=as_json)
    except MemoryError:
        hint = "free some memory, or raise this process's limit"
        return failures.report(StorageError("out of memory", hint=hint), as_json=as_json)
    except OSError as error:
        return report_system_error(error, as_json=as_json)
    return ended if isinstance(ended, int) else 0


def report_system_error(error: OSError, *, as_json: bool = False) -> int:
    """Report what the system refused; a reader that went away is no fault."""
    if isinstance(error, BrokenPipeError):
        # Keep Python from complaining while it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return failures.FINDINGS
    unforeseen = StorageError(f"operating system error: {error.strerror}", where=error.filename)
    return failures.report(unforeseen, as_json=as_json)


def _refuse(error: Any, *, as_json: bool) -> int:
    """Explain a command line that can't be read: typer knows how, we know the way out."""
    hint = _missing_quotes(error)
    missing = _NO_COMMAND.match(error.format_message())
    if missing and missing[1] in SETTINGS:
        hint = SETTINGS[missing[1]]
        error = UsageError(f"no such command: {missing[1]}", hint=hint)
        return failures.report(error, as_json=as_json)
    if missing and missing[1] in INSTEAD:
        # The nearest name may do the opposite; a command of the same group is meant first.
        group = error.ctx.command_path
        known = [
            f"dmm {way}".replace("dmm --help", f"{group} --help") for way in INSTEAD[missing[1]]
        ]
        ways = [way for way in known if way.startswith(f"{group} ")] or known
        error = UsageError(f"no such command: {missing[1]}", hint=", ".join(ways))
        return failures.report(error, as_json=as_json)
    if as_json:
        way = hint or (f"see {error.ctx.command_path} --help" if error.ctx else None)
        return failures.report(UsageError(error.format_message(), hint=way), as_json=True)
    told = io.StringIO()
    error.show(told)
    if hint:
        told.write(f"  hint: {hint}\n")
    sys.stderr.write(neutralise(told.getvalue()))
    return int(error.exit_code)


def _missing_quotes(error: Any) -> str | None:
    if error.ctx is None or "unexpected extra argument" not in error.format_message():
        return None
    if not TEXTS & {given.name for given in error.ctx.command.params}:
        return None
    return f'quote text with several words: {error.ctx.command_path} "several words"'
