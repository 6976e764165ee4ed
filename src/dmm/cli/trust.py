"""`dmm trust`: review memory from elsewhere and decide."""

from __future__ import annotations

import contextlib
import sys
from difflib import unified_diff
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dmm.cli import failures
from dmm.cli.format.wrapping import wrapped
from dmm.cli.options import (
    Json,
    Root,
    agrees,
    counted,
    open_project,
    present,
    print_json,
    print_lines,
)
from dmm.cli.persons import known_passkeys, need_person
from dmm.domain.plain import to_plain
from dmm.errors import DmmError, StaleBase, UsageError
from dmm.passkeys.acts import PersonAct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.bootstrap import Dmm
    from dmm.files.trusted import TrustStore
    from dmm.project.trust import Inspection, Vetting

SHOWN = 20
STRANGE = {
    "other": (
        "  the ledger is not the one written here; a branch or an archive can bring one.",
        "  To restore a backup: dmm ledger restore",
    ),
    "damaged": (
        "  the ledger is damaged: none of its events can be read.",
        "  To restore a backup: dmm ledger restore. Without one, start a new ledger here.",
    ),
    "gone": (
        "  the ledger that was written here is missing.",
        "  To restore a backup: dmm ledger restore",
    ),
    "behind": (
        "  the ledger was changed outside DMM: events are missing or altered.",
        "  See how: dmm ledger verify. To restore a backup: dmm ledger restore",
    ),
}


def trust(
    show_list: Annotated[bool, typer.Option("--list", help="List the trusted projects.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Stop trusting this project.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Skip the confirmation.")] = False,
    with_ledger: Annotated[
        bool, typer.Option("--with-ledger", help="Keep the existing ledger active.")
    ] = False,
    forget_passkeys: Annotated[
        bool, typer.Option("--forget-passkeys", help="Give up lost passkeys.")
    ] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Review memory that came with a clone, then accept it or not.

    Memory that you created is already trusted.
    """
    from dmm.files.trusted import TrustStore

    if show_list:
        _show_list(TrustStore.of_user(), as_json=as_json)
    elif revoke:
        # What is not trusted is not enforced either.
        gone = root is not None and not root.exists()
        need_person(PersonAct.REVOKE_TRUST, None if gone else open_project(root, quiet=True))
        _revoke(root, as_json=as_json)
    else:
        dmm = open_project(root, quiet=True)
        if forget_passkeys:
            _forget_passkeys(dmm)
        _decide(dmm, yes=yes, with_ledger=with_ledger, as_json=as_json)


def _forget_passkeys(dmm: Dmm) -> None:
    """Give up the passkeys that the ledger knows and the user has lost; a person says so."""
    need_person(PersonAct.FORGET_PASSKEYS, dmm, forgiving=True)
    known = known_passkeys(dmm)
    missing = known.missing()
    if not missing:
        raise UsageError("none of this project's passkeys is missing")
    if not sys.stdin.isatty():
        what = "no terminal to confirm that you give up the passkeys"
        raise UsageError(what, hint="run it in a terminal")
    print_lines([f"The ledger knows {counted(len(missing), 'passkey')} that you do not have here."])
    if not agrees("Give them up? This is recorded, and dmm doctor shows it."):
        raise typer.Exit(failures.FINDINGS)
    known.give_up(missing)


def _show_list(store: TrustStore, *, as_json: bool) -> None:
    known = [(one.folder.path, store.is_there(one)) for one in store.list()]
    if as_json:
        print_json({"projects": [{"folder": path, "there": there} for path, there in known]})
        return
    lines = [
        path if there else f"{path}  (missing, or a different folder now)" for path, there in known
    ]
    print_lines(lines or ["No project is trusted yet."])


def _revoke(root: Path | None, *, as_json: bool) -> None:
    """Withdraw trust from a folder, also from one that is gone."""
    from dmm.files.roots import NAME
    from dmm.files.trusted import TrustStore
    from dmm.rulefile import RuleFiles

    if root is not None and not root.exists():
        gone = root.resolve()
        folder = gone if gone.name == NAME else gone / NAME
        store = TrustStore.of_user()
        was = store.revoke(folder)
        if was:
            # A removed worktree is not in the record: its rules belong to its repository.
            RuleFiles(str(store.path.parent)).remove(str(folder))
    else:
        vetting = _vetting(open_project(root, quiet=True))
        folder, was = vetting.root.folder, vetting.revoke()
    present(
        {"folder": str(folder), "revoked": was},
        as_json=as_json,
        lines=lambda _: [f"{folder} {'is no longer trusted' if was else 'was not trusted'}"],
    )


def _vetting(dmm: Dmm) -> Vetting:
    from dmm.bootstrap import check_config, now
    from dmm.eventlog.place import find_earlier, find_ledger
    from dmm.project.trust import Vetting

    folder, check = dmm.root.folder, partial(check_config, dmm.root, dmm.home)
    return Vetting(dmm.root, dmm.trust_store, find_ledger(folder), now, find_earlier(folder), check)


def _decide(dmm: Dmm, *, yes: bool, with_ledger: bool, as_json: bool) -> None:
    vetting = _vetting(dmm)
    seal = vetting.seal()
    if yes:
        need_person(PersonAct.TRUST, dmm, lambda: seal)
    found = vetting.inspect()
    if not as_json:
        print_lines(list(_lines(found)))
    if found.is_open and not yes and not as_json:
        need_person(PersonAct.TRUST, dmm, lambda: seal)
        _need_terminal()
        yes, with_ledger = _ask(found, with_ledger=with_ledger)
    if yes and vetting.seal() != seal:
        hint = "review it again: dmm trust"
        raise StaleBase("it changed while you were reviewing it", where=found.folder, hint=hint)
    aside = vetting.accept(found, with_ledger=with_ledger) if yes and found.is_open else None
    if yes:
        _enact(vetting)
    if as_json:
        told = {"trusted": found.trusted or yes, "ledger_aside": aside and str(aside)}
        print_json(to_plain(found) | told)
    else:
        print_lines(list(_outcome(found, decided=yes, aside=aside)))


def _enact(vetting: Vetting) -> None:
    """Record the rules that came into force, and have hooks know them."""
    dmm = open_project(vetting.root.folder, quiet=True)
    dmm.shelf.record()
    with contextlib.suppress(DmmError):
        # The daemon does it with the next call, and says what is wrong.
        dmm.published.publish()


def _ask(found: Inspection, *, with_ledger: bool) -> tuple[bool, bool]:
    """Ask whether to go on, and whether the ledger that is there should be in force."""
    if found.trusted and found.changes and not agrees("Approve these changes?"):
        return False, False
    if found.trusted and not found.strange:
        return True, False
    if found.strange == "gone":
        return agrees("Start a new ledger?"), False
    if found.strange:
        # Nothing can be kept of one that can't be read.
        kept = found.strange != "damaged" and (with_ledger or agrees("Use the existing ledger?"))
        return kept or agrees("Set it aside and start a new one?"), kept
    yes = agrees("Trust this project?")
    if yes and found.ledger and not found.written_in and not with_ledger:
        with_ledger = agrees("Keep its ledger active too?")
    return yes, with_ledger


def _need_terminal() -> None:
    if not sys.stdin.isatty():
        hint = "run it in a terminal, or add --yes"
        raise UsageError("no terminal to confirm trusting this", hint=hint)


def _lines(found: Inspection) -> Iterator[str]:
    total = counted(sum(found.memories.values()), "memory", "memories")
    parts = ", ".join(f"{number} {top}" for top, number in found.memories.items())
    yield f"{found.folder}"
    yield f"  {total}" + (f" ({parts})" if parts else "")
    if found.faulty:
        yield f"  {counted(found.faulty, 'file')} can't be read: dmm validate"
    if found.hidden:
        yield f"  {counted(found.hidden, 'hidden character')}: dmm validate names the files"
    if not found.trusted:
        yield from _baseline_lines(found)
    yield from _rule_lines(found)
    yield from _ledger_lines(found)
    yield from _change_lines(found)
    for name in found.changed:
        yield f"  {name} differs from the one DMM writes: read it"
    if found.brought:
        yield f"  it comes with agent settings; read them too: {', '.join(found.brought)}"


def _baseline_lines(found: Inspection) -> Iterator[str]:
    if found.baseline:
        yield "  every session would start with:"
    for one in found.baseline[:SHOWN]:
        yield from wrapped(f"{one.title}  ({one.path})", "    ")
        yield from wrapped(one.begins, "      ")
    if len(found.baseline) > SHOWN:
        yield f"    and {len(found.baseline) - SHOWN} more"


def _rule_lines(found: Inspection) -> Iterator[str]:
    """Show the rules that would come into force, in plain words."""
    if found.rules:
        yield "  these rules would be active:"
    for one in found.rules:
        if one.fault:
            yield from wrapped(one.fault, "    broken, can't be active: ")
            continue
        yield from wrapped(f"{one.title}  ({one.path})", f"    {one.state}: ")
        for line in one.matches:
            yield from wrapped(line, "      ")
        for line in filter(str.strip, one.why.splitlines()):
            yield from wrapped(line, "      why: ")
        for line in one.blocks:
            yield from wrapped(line, "      matches, for example: ")
        for line in one.allows:
            yield from wrapped(line, "      does not match: ")


def _change_lines(found: Inspection) -> Iterator[str]:
    """Show what changed of that which instructs or configures, as a diff."""
    told = {one.path for one in found.rules if not one.fault}
    if found.changes:
        yield "  changed since you approved it, and held back until you approve:"
    for change in found.changes:
        if change.before is None and change.path in told:
            yield f"  {change.path} ({change.kind}), as above"
            continue
        yield f"  {change.path} ({change.kind})"
        agreed, now = _text_lines(change.before), _text_lines(change.after)
        for line in unified_diff(agreed, now, "agreed", "now", lineterm="", n=2):
            yield f"    {line}"


def _text_lines(data: bytes | None) -> list[str]:
    return [] if data is None else data.decode("utf-8", "replace").splitlines()


def _ledger_lines(found: Inspection) -> Iterator[str]:
    if found.strange:
        yield from STRANGE[found.strange]
    if found.ledger is None or (found.trusted and not found.strange):
        return
    yield from wrapped(found.ledger, "  it comes with a ledger: ")
    if found.written_in:
        yield from wrapped(f"yours, from {found.written_in}; it stays active", "    ")
    if found.ledger_note:
        yield from wrapped(found.ledger_note, "    ")
    for one in found.constraints[:SHOWN]:
        yield from wrapped(one.text, f"    {one.priority}: ")
    if len(found.constraints) > SHOWN:
        yield f"    and {len(found.constraints) - SHOWN} more constraints"


def _outcome(found: Inspection, *, decided: bool, aside: Any) -> Iterator[str]:
    yield ""
    if found.strange and not decided:
        yield "Nothing changed. The ledger is neither read nor written until you decide."
    elif found.strange and aside is not None:
        yield "A new ledger was started, without the constraints of the previous one."
    elif found.strange:
        yield "The ledger is trusted. Agents can use this memory from now on."
    elif found.changes:
        yield from _changes_outcome(found, decided=decided)
    elif found.trusted:
        yield "This project is already trusted. To stop trusting it: dmm trust --revoke"
    elif not decided:
        yield "Not trusted. Agents get nothing from it; you can still use dmm query."
    else:
        yield "Trusted. Agents can use this memory from now on."
    for one in found.rules if decided else ():
        if one.fault:
            yield from wrapped(one.fault, f"{one.path} is broken and inactive: ")
    if aside is not None:
        yield from wrapped(f"The previous ledger is not used; it is now {aside}")


def _changes_outcome(found: Inspection, *, decided: bool) -> Iterator[str]:
    """Return what became of the changes; a broken rule file is none that could hold."""
    broken = sum(bool(one.fault) for one in found.rules)
    if not decided:
        yield "The changes are held back."
    elif not broken:
        yield "The changes are active from now on."
    elif broken < len(found.changes):
        yield "The other changes are active from now on."
