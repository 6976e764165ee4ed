"""What stands behind a verb: each verb tells what its object can be."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dmm.policy.commands.rules import CommandPattern
from dmm.policy.spoken.needs import needs_after
from dmm.policy.spoken.places import read_branch_act, read_touched
from dmm.policy.spoken.programs import command_patterns, read_package, read_program
from dmm.policy.spoken.things import DETERMINERS, IDLE, Found, Thing, skip, word_at
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.policy.spoken.pieces import Pieces

_HOOKS = word_set("hook hooks pre-commit git commit checks pre-push")


def read_thing(pieces: Pieces, at: int, verb: str) -> Found | None:
    """Read what stands behind a verb, as far as that verb tells what it can be."""
    at = skip(pieces, at, IDLE)
    read = _READERS.get(verb)
    return read(pieces, at) if read else read_program(pieces, at, running=verb == "run")


def _bare(pieces: Pieces, at: int) -> Found | None:
    """Read what has no verb in the table: a program in its place, or a thing named alone."""
    return read_program(pieces, at, running=False)


def _commit(pieces: Pieces, at: int) -> Found | None:
    return (
        read_branch_act(pieces, at, "commit")
        or read_touched(pieces, at, "commit")
        or _with_option(pieces, at, "commit")
    )


def _with_option(pieces: Pieces, at: int, verb: str) -> Found | None:
    """ "Commit with --no-verify", "push without running the tests": Git is meant."""
    word = word_at(pieces, at)
    if word in ("with", "using"):
        certain = any(one.text.startswith("-") for one in pieces[at + 1 : at + 3])
    else:
        certain = word in ("without", "before", "until") and bool(needs_after(pieces, at + 1))
    return (Thing(command_patterns(["git", verb])), at) if certain else None


def _push(pieces: Pieces, at: int) -> Found | None:
    return read_branch_act(pieces, at, "push") or _with_option(pieces, at, "push")


def _delete(pieces: Pieces, at: int) -> Found | None:
    return read_touched(pieces, at, "delete") or read_branch_act(pieces, at, "delete")


def _add(pieces: Pieces, at: int) -> Found | None:
    at = skip(pieces, at, frozenset(("on",)))
    found = read_program(pieces, at, running=False)
    named = found is not None and not any(
        isinstance(one, CommandPattern) and one.programs != ("*",) for one in found[0].patterns
    )
    return found if named else None


def _skip(pieces: Pieces, at: int) -> Found | None:
    """ "Skip hooks" is done by an option of Git."""
    end = skip(pieces, at, _HOOKS, frozenset(("the", "any", "our")))
    if end == at or word_at(pieces, end - 1) not in ("hook", "hooks", "checks"):
        return None
    lifted = ("--help", "--dry-run")
    commit = CommandPattern(("git",), ("commit",), ("--no-verify|-n",), lifted)
    others = CommandPattern(("git",), ("push|merge",), ("--no-verify",), lifted)
    return Thing((commit, others)), end


def _amend(pieces: Pieces, at: int) -> Found | None:
    words = word_set("commit commits last previous existing published pushed")
    end = skip(pieces, at, words, DETERMINERS)
    return Thing((CommandPattern(("git",), ("commit",), ("--amend",)),)), end


def _hard_reset(pieces: Pieces, at: int) -> Found | None:
    at = skip(pieces, at, frozenset(("the", "branch", "repository")))
    return Thing((CommandPattern(("git",), ("reset",), ("--hard",)),)), at


_READERS: dict[str, Callable[[Pieces, int], Found | None]] = {
    "": _bare,
    "commit": _commit,
    "push": _push,
    "force-push": partial(read_branch_act, verb="force-push"),
    "merge": partial(read_branch_act, verb="merge"),
    "rebase": partial(read_branch_act, verb="rebase"),
    "delete": _delete,
    "install": read_package,
    "add": _add,
    "pass": _add,
    "skip": _skip,
    "amend": _amend,
    "hard-reset": _hard_reset,
    **{
        verb: partial(read_touched, verb=verb)
        for verb in ("edit", "touch", "access", "read", "create")
    },
}
