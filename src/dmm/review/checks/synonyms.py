"""Small sets of words that mean the same in rules."""

from __future__ import annotations

from functools import lru_cache

# Each row is one meaning; a word may stand in several rows.
_SAME_TEXT = """
use utilize utilise employ leverage usage
book reserve booking reservation
buy purchase order
pay payment spend
delete remove erase destroy wipe drop deletion removal purge
deploy ship release rollout redeploy deployment
merge
push
commit checkin
store save persist keep
send transmit email mail forward
expose publish reveal leak disclose
disable deactivate
enable activate
install installation
add introduce install include
modify change edit update alter touch amend modification
rename
upgrade bump
call invoke
run execute
choose select pick selection
hardcode hardcoded
skip bypass omit
cancel cancellation
rent hire
fly flight
migrate migration
create make generate
copy duplicate
fetch download
schedule plan
read access
ignore swallow suppress
approve approval approved permission consent authorization signoff
accessible accessibility access
encrypt encryption encrypted
authenticate authentication auth login
review reviewed
refundable refund
validate validation
document documentation docs doc
refactor refactoring
production prod live
development dev
staging
plaintext cleartext unencrypted
database db
repository repo
directory folder
config configuration
environment env
javascript js
typescript ts
python py
postgresql postgres
kubernetes k8s
dependency library package
credential secret
picture image photo
hotel
cost price
budget
pullrequest pr mr
monday mon
friday fri
saturday sat
sunday sun
third-party thirdparty
concatenation concatenate concat
interpolation interpolate fstring
parameterized parameterised parametrized parameterize prepared
night overnight
retry retries
wheelchair
elevator lift
query sql
directly straight
manually directly
"""

# A word on the left is meant by each word on its right, not the other way round.
_KINDS_TEXT = """
weekend: saturday sunday
weekday: monday tuesday wednesday thursday friday
day: monday tuesday wednesday thursday friday saturday sunday
orm: sqlalchemy hibernate prisma sequelize typeorm activerecord peewee
secret: password token apikey credential privatekey
credential: password token apikey privatekey
meat: beef pork chicken steak lamb bacon ham veal turkey
seafood: shrimp prawn crab lobster oyster
nut: peanut almond cashew walnut hazelnut pistachio
dairy: milk cheese butter yogurt cream
alcohol: beer wine whisky whiskey vodka cocktail
accommodation: hotel hostel airbnb motel apartment
airline: ryanair lufthansa
nosql: mongodb cassandra dynamodb couchdb
linter: eslint ruff flake8 pylint
schema: column ddl altertable
pet: dog cat puppy kitten rabbit hamster parrot
animal: dog cat puppy kitten rabbit hamster parrot horse cow llama pig sheep goat donkey
animal: elephant giraffe tiger lion bear monkey camel alpaca foal mare stallion bull
vehicle: car truck van bus motorcycle lorry scooter minibus
fruit: apple banana orange mango strawberry blueberry pear grape lemon
vegetable: carrot onion potato spinach cabbage broccoli
fish: salmon tuna cod trout herring mackerel
shellfish: shrimp prawn crab lobster oyster mussel clam scallop
poultry: chicken turkey duck goose
antibiotic: amoxicillin penicillin doxycycline azithromycin
weapon: gun knife rifle pistol
footwear: shoe boot sandal sneaker
shoe: sandal sneaker boot heel
tree: oak pine birch maple elm
flower: rose tulip lily orchid
jewelry: ring necklace bracelet earring watch
furniture: chair table sofa desk bed
device: laptop phone tablet smartphone
cryptocurrency: bitcoin ethereum dogecoin
crypto: bitcoin ethereum dogecoin
change: altertable
pet: cat dog rabbit hamster parrot
documentation: usermanual readme handbook
"""


def _rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.strip().splitlines()]


def _same() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for row in _rows(_SAME_TEXT):
        for word in row:
            table.setdefault(word, set()).add(f"={row[0]}")
    return {word: frozenset(marks) for word, marks in table.items()}


def _left_to_right(text: str) -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for line in text.strip().splitlines():
        left, right = line.split(":")
        table.setdefault(left.strip(), set()).update(right.split())
    return {left: frozenset(right) for left, right in table.items()}


def _kinds() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for general, members in _left_to_right(_KINDS_TEXT).items():
        for member in members:
            table.setdefault(member, set()).add(general)
    return {member: frozenset(general) for member, general in table.items()}


_SAME = _same()
_KINDS = _kinds()
_NOTHING: frozenset[str] = frozenset()


@lru_cache(maxsize=4_096)
def synonyms_of(forms: frozenset[str]) -> frozenset[str]:
    """The marks of the meanings these forms share with other words."""
    return _NOTHING.union(*(_SAME.get(form, _NOTHING) for form in forms))


@lru_cache(maxsize=4_096)
def kinds_of(forms: frozenset[str]) -> frozenset[str]:
    """The more general words, with their meanings, that these forms are a kind of."""
    general = _NOTHING.union(*(_KINDS.get(form, _NOTHING) for form in forms))
    return general | synonyms_of(general) if general else _NOTHING
