"""Find what the Git commands of a call do to branches, and which branch each works on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.commands.facts import EVERY_BRANCH, BranchUse, CommandUse, relative_path
from dmm.rules.commands.globs import chosen, matches_name
from dmm.rules.commands.options import read_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.rules.commands.facts import ToolCall, Verb
    from dmm.rules.commands.options import Options
    from dmm.rules.commands.values import Invocation, Script

_MAKES_BRANCH = ("-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan")
_FILE_LIKE = r"\.\w{1,5}$|^\.|/$"
_EVERYTHING = "--all|--mirror|--branches"
_WILD = frozenset("*?")


def _pushes(use: CommandUse, branch: str | None) -> list[BranchUse]:
    options = use.options
    span = use.invocation.span
    forced = options.has_exactly("--force|-f|--force-with-lease|--mirror")
    deletes = options.has_exactly("--delete|-d")
    verb: Verb = "delete" if deletes else ("force-push" if forced else "push")
    if options.has_exactly(_EVERYTHING):
        return [BranchUse(EVERY_BRANCH, verb, span)]
    refspecs = [word.text for word in options.operands[2:]]
    if not refspecs:
        return [] if _pushes_tags(use) else [BranchUse(branch, verb, span)]
    found = []
    for refspec in refspecs:
        source, colon, target = refspec.lstrip("+").partition(":")
        name = (target if colon else source).removeprefix("refs/heads/")
        name = branch or name if name in ("HEAD", "@") else name
        if refspec.lstrip("+") == ":":
            # All branches that both sides have.
            name, source = EVERY_BRANCH, EVERY_BRANCH
        plus: Verb = "force-push" if refspec.startswith("+") else verb
        found.append(BranchUse(name, "delete" if colon and not source else plus, span))
    return found


def _pushes_tags(use: CommandUse) -> bool:
    """Whether a push names nothing but `--tags`: no branch is pushed."""
    words = [word.text for word in use.options.operands]
    pushes = use.invocation.program == "git" and words[:1] == ["push"]
    only = use.options.has_exactly("--tags") and not use.options.has_exactly(_EVERYTHING)
    return pushes and only and len(words) <= 2


def is_every(name: str) -> bool:
    """Whether a branch is named by a wildcard: the command may touch any that fits."""
    return not _WILD.isdisjoint(name)


def same_branch(name: str, wanted: str) -> bool:
    """Whether a command that names a branch so touches the one that a rule names."""
    return matches_name(name, wanted) or (is_every(name) and matches_name(wanted, name))


def branches_of(use: CommandUse) -> tuple[str, ...]:
    """Name the branches that an invocation of Git pushes to, or works on where that is known."""
    operands = use.options.operands
    if use.invocation.program == "git" and operands and operands[0].text == "push":
        return tuple(one.name for one in _pushes(use, use.branch) if one.name)
    return (use.branch,) if use.branch else ()


def chooses_branch(name: str, globs: Sequence[str]) -> bool:
    """Whether globs select a branch, or may where a command names it by a wildcard."""
    wanted = (glob for glob in globs if not glob.startswith("!"))
    return chosen(name, globs) or (is_every(name) and any(same_branch(name, one) for one in wanted))


def branches_touched(use: CommandUse) -> list[str]:
    """Name the branches that an invocation changes, or else the one that it is run on."""
    if _pushes_tags(use):
        return []
    changed = [one.name for one in branch_uses(use)]
    return [one for one in changed or [use.branch] if one]


def with_branches(script: Script, call: ToolCall) -> tuple[CommandUse, ...]:
    """Sort the arguments of all invocations, and follow the branch that the script works on."""
    branch = call.branch
    found: list[CommandUse] = []
    for one in script.invocations:
        options = read_options(one.words)
        here = None if _is_elsewhere(one, call.cwd) else branch
        found.append(CommandUse(one, options, script, call, here))
        branch = _switched(one, options) or branch
    return tuple(found)


def _is_elsewhere(invocation: Invocation, cwd: str | None) -> bool:
    """Whether an invocation may run in another repository than the call."""
    places = [invocation.context.directory]
    if invocation.program == "git" and "-C" in invocation.argv[:-1]:
        places.append(invocation.argv[invocation.argv.index("-C") + 1])
    outside = [relative_path(place, cwd) for place in places if place and place != cwd]
    return any(place.startswith(("/", "~", "$", "`", "..")) for place in outside)


def _switched(invocation: Invocation, options: Options) -> str | None:
    """Name the branch that a checkout or switch leads to."""
    operands = [word.text for word in options.operands]
    if invocation.program != "git" or operands[:1] not in (["checkout"], ["switch"]):
        return None
    after = invocation.argv[invocation.argv.index(operands[0]) :]
    made = [after[at + 1] for at, text in enumerate(after[:-1]) if text in _MAKES_BRANCH]
    if made:
        return made[0]
    named = len(operands) == 2 and not options.separated
    return operands[1] if named and not re.search(_FILE_LIKE, operands[1]) else None


def branch_uses(use: CommandUse) -> list[BranchUse]:
    """List what an invocation of Git does to branches."""
    operands = use.options.operands
    if (
        use.invocation.program != "git"
        or not operands
        or use.options.has_exactly("--dry-run|--help")
    ):
        return []
    branch = use.branch
    span = use.invocation.span
    subcommand = operands[0].text
    if subcommand == "push":
        return _pushes(use, branch)
    if subcommand == "branch" and use.options.has_exactly("-d|-D|--delete"):
        return [BranchUse(word.text, "delete", span) for word in operands[1:]]
    if subcommand == "commit":
        verb: Verb = "rewrite" if use.options.has("--amend") else "commit"
        return [BranchUse(branch, verb, span)]
    if subcommand in ("rebase", "filter-branch", "filter-repo"):
        named = operands[2].text if subcommand == "rebase" and len(operands) > 2 else branch
        return [BranchUse(named, "rewrite", span)]
    return []
