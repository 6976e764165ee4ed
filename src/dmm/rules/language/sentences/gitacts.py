"""Acts of Git that people call by their verb: push, commit, merge, rebase, amend, skip hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.rules.language.sentences import words
from dmm.rules.language.sentences.pieces import (
    DETERMINERS,
    skip,
    word_at,
)
from dmm.rules.language.sentences.things import (
    Context,
    Found,
    Thing,
    command_item,
    commands,
    ends,
    read_branches,
    same_commands,
)
from dmm.rules.language.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.rules.language.sentences.pieces import Pieces

_CARRIED = word_set("code anything commits changes work commit your features things")
_INTO = word_set("to into on onto in")
_GIT = {
    "push": Thing(({"command": "git push"},), vague=True),
    "commit": Thing(({"command": "git commit"},), vague=True),
    "merge": Thing((command_item(["git", "merge"], without=["--abort"]),), vague=True),
    "rebase": Thing((command_item(["git", "rebase"], without=["--abort"]),), vague=True),
    "force-push": Thing(same_commands(["git", "push", "--force"])),
}
_FIXED = {
    "amend": ("git commit --amend", "commit commits last previous existing your own the a any"),
    "hard-reset": ("git reset --hard", "the branch repository"),
}


def _on_branch(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read what is done to a branch or a remote."""
    verb = context.verb
    start = skip(pieces, at, words.IDLE, _CARRIED, DETERMINERS)
    led = word_at(pieces, start) in _INTO
    start = skip(pieces, start + 1, DETERMINERS) if led else start
    if led and verb.endswith("push") and start < len(pieces):
        remote, end = pieces[start].text.lower(), skip(pieces, start + 1, word_set("remote repo"))
        if remote in words.REMOTES and ends(pieces, end):
            return commands(_GIT[verb], remote=[remote]), end
    bare = verb in ("delete", "rebase", "force-push")
    found = read_branches(pieces, start) if led or bare else None
    if found and (led or ends(pieces, found[1])):
        if verb == "delete":
            return Thing(tuple(one for name in found[0] for one in _deletions(name))), found[1]
        return commands(_GIT[verb], branch=found[0]), found[1]
    thing, end = _GIT.get(verb), skip(pieces, at, words.IDLE, _CARRIED)
    return (thing, end) if thing else None


def _deletions(branch: str) -> list[dict[str, object]]:
    return [
        command_item(["git", "branch"], flags=["-d|-D|--delete"], args=[branch]),
        command_item(["git", "push"], flags=["-d|--delete"], args=[branch]),
        command_item(["git", "push"], args=[f":{branch}"]),
    ]


def _fixed(pieces: Pieces, at: int, context: Context) -> Found | None:
    command, objects = _FIXED[context.verb]
    return Thing(({"command": command},)), skip(pieces, at, word_set(objects))


def _hooks(pieces: Pieces, at: int, context: Context) -> Found | None:
    """ "Skip hooks" is done by an option of Git."""
    del context
    end = skip(
        pieces, at, word_set("hook hooks pre-commit git commit checks pre-push"), DETERMINERS
    )
    if end == at or word_at(pieces, end - 1) not in ("hook", "hooks", "checks"):
        return None
    git = {"program": "git", "subcommand": ["commit", "push", "merge"], "flags": ["--no-verify"]}
    return Thing(({"command": git},)), end


GIT_READERS: dict[str, Callable[[Pieces, int, Context], Found | None]] = {
    **dict.fromkeys((*_GIT, "delete"), _on_branch),
    **dict.fromkeys(_FIXED, _fixed),
    "skip": _hooks,
}
