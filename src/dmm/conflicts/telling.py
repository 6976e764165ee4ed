"""Which words of a clause tell what it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.conflicts.signs import SIGN_WORDS
from dmm.rules.language.wordsets import word_set

if TYPE_CHECKING:
    from dmm.conflicts.words import Word

_STOP = word_set(
    """a an the this that these those my our your their his her its any some each every all both
    another such either same which whose i we you he she it they them us me one ones and or but
    then nor plus so yet of in on at to into onto for from with by via through during within
    inside outside under over above below between against about off near around across along
    towards upon as per after before until till since like than beyond behind beside throughout
    past is are was were be been being am has have had do does did will would shall also too
    just only simply still again already instead really please therefore even further here there
    now who what how why where when if while not no never yes up down out etc very more most
    less least many much few own must should may can could might ought let lets there's there if
    than always usually normally typically generally currently today often sometimes ever"""
)


_SILENT = _STOP | {"nobody", "noone", "nothing"}


_UNTELLING = SIGN_WORDS | {"before", "after", "every"}


def tells(word: Word) -> bool:
    """Whether a word says something by itself."""
    if word.sort not in ("word", "name"):
        return False
    return word.text not in _SILENT and word.concept not in _UNTELLING
