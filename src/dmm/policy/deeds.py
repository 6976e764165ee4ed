"""Kinds of acts: to patch a file is to edit it, to upload is to write; never the reverse."""

from __future__ import annotations

from functools import lru_cache

from dmm.policy.wordsets import word_set

# A verb on the left is meant by each verb on its right, not the other way round.
_KINDS_TEXT = """
=modify: patch rewrite refactor rename tweak adjust reformat restructure rework fix overwrite
    truncate extend correct append prepend hotfix monkeypatch rebase amend replace swap switch
    reword rephrase restyle recolor retouch redo resize raise lower increase decrease reduce cut
    shorten lengthen halve double triple prolong
touch: delete remove drop move migrate
=delete: truncate discard trash unlink prune scrub shred clear
write: upload save store insert append update put dump export persist copy overwrite post issue
    embed emit
=deploy: launch promote
=store: commit write put dump record cache place hardcode checkin archive
share: give send hand copy reuse
grant: give assign allow
give: grant offer assign hand administer serve
restart: reboot bounce reload
reboot: restart bounce
expose: open
contact: email call message phone text write
=send: post deliver dispatch
=buy: acquire order
=create: add build provision spawn introduce
=disable: stop mute
=run: start launch apply trigger point aim direct
=expose: post
=copy: replicate clone mirror
=read: query fetch load open
access: read query open connect fetch
call: hit request
transfer: wire send pay move
=pay: wire transfer buy
increase: raise bump double triple
raise: increase bump double triple
reduce: lower cut decrease shrink halve
lower: reduce cut decrease
administer: give inject prescribe
prescribe: give administer
hire: recruit employ
release: publish
merge: land
kill: terminate stop halt abort end
stop: terminate halt kill shutdown pause suspend abort
shutdown: stop terminate halt
query: select
mutate: modify change update overwrite
share: reuse
rewrite: rebase amend squash
block: sleep wait
log: print write record dump
print: log
reveal: show display include print return
expose: show display return
disclose: tell show
access: reach
contact: talk speak
trade: sell
sell: resell auction
accept: take
put: insert place store save write commit include embed paste leave add
call: phone
=store: live reside sit
put: live reside sit
schedule: happen occur hold
hold: happen occur
serve: pour
"""
# Verbs that change what they act in: "add a column to X", "set the flag in X".
INSIDE = word_set(
    """add set insert append prepend remove delete drop rename change update put replace fix edit
    modify rewrite refactor patch comment inline bump tweak adjust swap reorder move extend
    register hardcode write correct reword rephrase amend alter overwrite strip erase restyle
    monkeypatch"""
)
# Whatever it is done to, each of these changes something.
ANY_CHANGE = INSIDE | word_set(
    "open close create enable disable resize scale attach detach grant revoke provision configure"
)
_INTO = word_set("to in into inside within from on")
# Things whose place says nothing of a change: "add a link to X".
_POINTERS = word_set(
    """link reference pointer mention import call dependency shortcut redirect access ticket
    subscription visit trip thanks reply connection path route permission price"""
)
# Verbs that put what follows "in", "on", "as", "over" or "to" to use.
PLACING = word_set(
    """store save keep put host run deploy live write index build implement place hold persist
    cache queue serialize serialise encode script base develop model render code author prototype
    load dump archive record manage sync mirror replicate backup stream serve schedule process
    save express define declare compile execute start launch operate provision set configure
    rewrite rebuild author type ship sew print cook fry bake paint draw
    post represent treat format track handle"""
)
_PLACES = word_set("in on as over onto into atop using")
_CARRYING = word_set(
    "expose send transmit offer publish call connect talk transfer deliver pass forward copy"
)
_NAMING = word_set("mark label flag name rename know regard see be have hire work serve act treat")
_TARGETS = word_set("to into onto")
# Verbs whose object is brought into something, and does not become it.
PUTTING = INSIDE | PLACING | word_set("use bring pull import copy paste pour push inject embed mix")
_MOVING = word_set(
    "store save write export load deploy dump persist sync replicate mirror backup stream copy"
)


def _table() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    general = ""
    for line in _KINDS_TEXT.strip().splitlines():
        left, colon, right = line.rpartition(":")
        general = left.strip() if colon else general
        found.setdefault(general, set()).update(right.split())
    return {left: frozenset(right) for left, right in found.items()}


_KINDS = _table()
_NOTHING: frozenset[str] = frozenset()


@lru_cache(maxsize=4_096)
def kinds_of_deed(forms: frozenset[str]) -> frozenset[str]:
    """The verbs that say a kind of the act that these forms name."""
    return _NOTHING.union(*(_KINDS.get(form, _NOTHING) for form in forms))


def changes(forms: frozenset[str]) -> bool:
    """Whether the verb of a rule is to change something."""
    return "=modify" in forms


def lies_inside(act: frozenset[str], preposition: str | None, thing: frozenset[str]) -> bool:
    """Whether an act changes what stands after the preposition, `thing` being what it acts on."""
    return preposition in _INTO and bool(act & INSIDE) and not thing & _POINTERS


def puts_to_use(act: frozenset[str], preposition: str) -> bool:
    """Whether an act puts to use what stands after the preposition."""
    if preposition == "over" and act & _CARRYING:
        return True
    if preposition == "as":
        return not act & _NAMING
    if preposition in _TARGETS and act & _MOVING:
        return True
    return preposition in _PLACES and bool(act & PLACING)
