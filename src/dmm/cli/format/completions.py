"""Completion scripts for bash, zsh and fish, written from the list of commands.

The scripts hold every name, so that a shell completes at once and starts no program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True, slots=True)
class Offer:
    """A word to complete, what it means, and the values it takes."""

    word: str
    help: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """The words typed so far that name a command, and what may follow them."""

    path: str
    commands: tuple[Offer, ...]
    options: tuple[Offer, ...]

    @property
    def offers(self) -> tuple[Offer, ...]:
        """Everything that may follow."""
        return (*self.commands, *self.options)


def write_bash(places: Sequence[Place]) -> str:
    """Write the script for bash; where no name fits, bash completes file names."""
    words = "\n".join(
        f"    {_quote(one.path)}) words={_quote(' '.join(o.word for o in one.offers))} ;;"
        for one in places
    )
    values = "\n".join(
        f"    {_quote(f'{one.path} {offer.word}')}) words={_quote(' '.join(offer.values))} ;;"
        for one in places
        for offer in one.options
        if offer.values
    )
    return f"""\
# bash completion for dmm. Load it in ~/.bashrc with: source <(dmm completion bash)
_dmm() {{
  local word path='' words='' cur="${{COMP_WORDS[COMP_CWORD]}}"
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "${{path:+$path }}$word" in
    {_alternatives(places, "|")}) path="${{path:+$path }}$word" ;;
    esac
  done
  case "$path" in
{words}
  esac
  case "$path ${{COMP_WORDS[COMP_CWORD-1]}}" in
{values}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -o default -F _dmm dmm
"""


def write_zsh(places: Sequence[Place]) -> str:
    """Write the script for zsh."""
    words = "\n".join(
        f"    {_quote(one.path)}) offers=({' '.join(_describe(o) for o in one.offers)}) ;;"
        for one in places
    )
    values = "\n".join(
        f"    {_quote(f'{one.path} {offer.word}')}) offers=({' '.join(offer.values)}) ;;"
        for one in places
        for offer in one.options
        if offer.values
    )
    return f"""\
#compdef dmm
# zsh completion for dmm. Load it in ~/.zshrc, after compinit, with: source <(dmm completion zsh)
_dmm() {{
  local word place=''
  local -a offers
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    case "${{place:+$place }}$word" in
    {_alternatives(places, "|")}) place="${{place:+$place }}$word" ;;
    esac
  done
  case "$place" in
{words}
  esac
  case "$place ${{words[CURRENT-1]}}" in
{values}
  esac
  _describe dmm offers
  _files
}}
if [ "$funcstack[1]" = _dmm ]; then _dmm "$@"; else compdef _dmm dmm; fi
"""


def write_fish(places: Sequence[Place]) -> str:
    """Write the script for fish."""
    lines = [
        f"complete -c dmm -n {_quote(f'test (__dmm_place) = {_double(one.path)}')} {_fish(offer)}"
        for one in places
        for offer in one.offers
    ]
    return f"""\
# fish completion for dmm. Load it with: dmm completion fish | source
function __dmm_place
  set -l place
  for word in (commandline -opc)[2..-1]
    switch (string join ' ' -- $place $word)
      case {_alternatives(places, " ")}
        set -a place $word
    end
  end
  echo (string join ' ' -- $place)
end
{chr(10).join(lines)}
"""


def _alternatives(places: Sequence[Place], between: str) -> str:
    return between.join(_quote(one.path) for one in places if one.path)


def _describe(offer: Offer) -> str:
    """Write a word with its meaning as zsh's _describe reads it."""
    meaning = offer.help.replace(":", "\\:")
    return _quote(f"{offer.word}:{meaning}")


def _fish(offer: Offer) -> str:
    """Write a word as the arguments of fish's complete."""
    name = offer.word.lstrip("-")
    kinds = {0: f"-f -a {name}", 1: f"-s {name}", 2: f"-l {name}"}
    values = f" -x -a {_quote(' '.join(offer.values))}" * bool(offer.values)
    return f"{kinds[len(offer.word) - len(name)]}{values} -d {_quote(offer.help)}"


def _quote(text: str) -> str:
    """Quote a text for all three shells; an apostrophe becomes a typographic one."""
    return "'" + text.replace("'", "\N{RIGHT SINGLE QUOTATION MARK}").replace("\\", "") + "'"


def _double(text: str) -> str:
    return f'"{text}"'


SHELLS: dict[str, Callable[[Sequence[Place]], str]] = {
    "bash": write_bash,
    "zsh": write_zsh,
    "fish": write_fish,
}
