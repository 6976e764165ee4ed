"""The error family of DMM; every surface maps `code` to its own status.

DmmError
├── UsageError            a request that can't be carried out as given
├── ConfigError           a configuration file or value that can't be used
├── RootNotFound          no .dmm folder from here upwards
├── NotTrusted            memory that came from elsewhere and that nobody here has accepted
├── PathRefused           a path that may not be read or written
├── FileExists            a create whose file is already there
├── ReviewRefused         a proposal that can't be decided or applied as asked
│   └── StaleBase         the file has changed since the proposal was made
├── ProofRequired         a decision that a person has to confirm first
├── ProofRefused          a confirmation that proves nothing
├── MemoryFileError       a memory file that can't be read as a memory
├── RuleFormError         a field of a rule that can't be read
├── ModelUnavailable      the embedding model is missing or broken
├── ModelFailed           the chat model gave no answer that can be used
├── DaemonError           the background process can't do as asked
├── TeamError             the team log can't be reached, or is not as it was
├── LedgerRefused         a ledger, or an event for it, that can't be taken
└── StorageError          the disk or the database refused
    ├── LedgerBroken      the ledger file is damaged
    ├── IndexBusy         another process is indexing
    └── IndexBroken       the index file is not a usable index
"""

from __future__ import annotations

from typing import ClassVar, Literal

FileFault = Literal["io", "yaml", "schema", "content", "merge_conflict"]
ModelFault = Literal["unreachable", "refused", "late", "malformed"]


class DmmError(Exception):
    """Something went wrong that the user can understand: what, where, and the way out."""

    code: ClassVar[str] = "error"

    def __init__(self, what: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what

    def describe(self) -> dict[str, str | None]:
        """Return the error as plain data, in the form that programs get."""
        return {"code": self.code, "what": self.what, "where": self.where, "hint": self.hint}


class UsageError(DmmError):
    """The request can't be carried out as given."""

    code = "usage"


class ConfigError(DmmError):
    """A configuration value can't be used; `where` names the file and the key."""

    code = "config"


class RootNotFound(DmmError):
    """There is no .dmm folder in the working directory or above it."""

    code = "no_root"


class NotTrusted(DmmError):
    """The memory came from elsewhere, and the user has not said that it may be used."""

    code = "not_trusted"


class PathRefused(DmmError):
    """The path leaves the memory tree or could be read as another one."""

    code = "path_refused"


class FileExists(DmmError):
    """The file to be created is already there."""

    code = "file_exists"


class ReviewRefused(DmmError):
    """The proposal can't be decided or applied as asked; no file was touched."""

    code = "review_refused"


class StaleBase(ReviewRefused):
    """The file is no longer the one that the proposal was made from; `view` shows all three."""

    code = "stale_base"

    def __init__(
        self, what: str, *, where: str | None = None, hint: str | None = None, view: str = ""
    ) -> None:
        super().__init__(what, where=where, hint=hint)
        self.view = view


class ProofRequired(DmmError):
    """A person has to confirm this first, with a passkey or the code of a terminal."""

    code = "proof_required"


class ProofRefused(DmmError):
    """The confirmation is wrong, used, expired, or for something else."""

    code = "proof_refused"


class MemoryFileError(DmmError):
    """One file can't be read as a memory; the others are unaffected."""

    code = "memory_file"

    def __init__(
        self,
        path: str,
        fault: FileFault,
        what: str,
        *,
        line: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(what, where=path if line is None else f"{path}:{line}", hint=hint)
        self.path = path
        self.fault = fault
        self.line = line


class RuleFormError(DmmError):
    """One field of a rule is wrong; other rules are unaffected."""

    code = "rule_form"

    def __init__(self, place: tuple[str | int, ...], what: str, *, hint: str | None = None) -> None:
        super().__init__(what, where=name_place(place) or None, hint=hint)
        self.place = place


def name_place(place: tuple[str | int, ...]) -> str:
    """Name a field as people do: `match[0].command.flags`."""
    named = ""
    for part in place:
        named += f"[{part}]" if isinstance(part, int) else f".{part}" if named else part
    return named


class ModelUnavailable(DmmError):
    """The embedding model is missing or broken, so only keyword retrieval is possible."""

    code = "model_unavailable"


class ModelFailed(DmmError):
    """The chat model gave no answer that can be used; `fault` says how far the call came."""

    code = "model_failed"

    def __init__(
        self, fault: ModelFault, what: str, *, where: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(what, where=where, hint=hint)
        self.fault = fault


class DaemonError(DmmError):
    """The background process can't be started, reached or stopped as asked."""

    code = "daemon"


class TeamError(DmmError):
    """The team server or its log can't be used; `fault` names how."""

    code = "team"

    def __init__(
        self, fault: str, what: str, *, where: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(what, where=where, hint=hint)
        self.fault = fault


class LedgerRefused(DmmError):
    """The ledger or the event can't be taken as it is; nothing was recorded."""

    code = "ledger_refused"


class StorageError(DmmError):
    """The disk or the database refused an operation."""

    code = "storage"


class LedgerBroken(StorageError):
    """The ledger file is damaged; it can't be built again, only restored."""

    code = "ledger_broken"


class IndexBusy(StorageError):
    """Another process holds the index for writing."""

    code = "index_busy"


class IndexBroken(StorageError):
    """The index file is damaged or not an index; it can be rebuilt from the files."""

    code = "index_broken"


def name_fault(fault: BaseException) -> str:
    """Return the type of a fault and the last place of ours that it went through; no values."""
    place, step = "", fault.__traceback__
    while step is not None:
        module = step.tb_frame.f_globals.get("__name__", "")
        if module.startswith(__package__):
            place = f" in {module} line {step.tb_lineno}"
        step = step.tb_next
    return f"{type(fault).__name__}{place}"
