"""Where a statement holds: kinds of places, readers and parts that keep two rules apart."""

from __future__ import annotations

from dmm.conflicts.vocabulary import concept_of, concepts, joined_lines
from dmm.rules.language.wordsets import word_set

# dimension: value=word=word value ... ; words of one value are interchangeable.
_FACETS_TEXT = """
environment: production staging development=local=laptop ci preview sandbox demo qa testenv
platform: windows macos=mac=osx=darwin linux=ubuntu=debian ios=iphone=ipad android web=browser
  desktop
browser-kind: chrome firefox safari edge
processor: arm64=arm=aarch64 x86=amd64=x86_64
part: frontend backend=api-server cli mobile worker infra=infrastructure docs-site sdk
audience: admin=administrator=superuser customer=user guest=anonymous partner
  internal=employee=staff=colleague external vendor
plan: freeplan=free enterprise premium=paid trial
test-level: unit integration e2e smoke load performance contract
token-kind: access refresh csrf
timeout-kind: connect=connection read write idle statement
direction: upload download
exchange: request response
channel: email sms pushnotification=push
verb: get post put patch delete
release-kind: major minor patch hotfix
severity: p0=sev1 p1=sev2 p2=sev3 p3
access: reading=reader writing=writer
tier: hot cold archive
language: python javascript typescript golang=go rust java kotlin swift ruby php scala elixir c++
  c# sql css html bash=shell terraform markdown
version-age: legacy=old new=modern
network: internalnet=intranet publicnet
device: phone tablet
markets: eu=europe us=usa=america uk asia apac germany france
"""
# Dimensions that count only where both statements name a value of theirs.
WEAK = word_set(
    """test-level token-kind timeout-kind direction exchange channel verb release-kind access
    version-age audience plan markets tier"""
)


# Everyday words that mean a place only where they are written as a name.
_CAPITAL = word_set("get post put patch delete push read write new go us uk eu edge old")


def _facets() -> dict[str, tuple[str, str]]:
    table: dict[str, tuple[str, str]] = {}
    for line in joined_lines(_FACETS_TEXT):
        dimension, _, rest = line.partition(":")
        for entry in rest.split():
            first, *same = entry.split("=")
            for word in (first, *same):
                table.setdefault(word, (dimension, first))
                if dimension != "verb" and word not in _CAPITAL:
                    table.setdefault(concept_of(word), (dimension, first))
    return table


_FACETS = _facets()
# Nouns that make their modifier the name of a part: "the billing service", "the admin page".
PARTS = concepts(
    """service module app client page worker plugin screen table queue dashboard endpoint gateway
    sdk site portal form bot daemon tool script job pipeline website controller package
    component repository library cluster bucket topic schema collection tenant view report
    project api server database cache team"""
)


def facet_of(text: str, concept: str, *, named: bool) -> tuple[str, str] | None:
    """The dimension and value that a word stands for, if it is one of place."""
    found = _FACETS.get(text) or _FACETS.get(concept)
    if found is None:
        return None
    if (text in _CAPITAL or concept in _CAPITAL) and not named:
        return None
    return found
