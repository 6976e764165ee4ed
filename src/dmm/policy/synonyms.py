"""Small curated sets of words that mean the same here, as data with a version of its own."""

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

# Choices for one and the same job: taking one means not taking the others.
_CHOICES_TEXT = """
npm yarn pnpm bun
pytest unittest nose
jest vitest mocha jasmine
black yapf autopep8
postgresql mysql mariadb sqlite mongodb oracle
requests httpx aiohttp urllib3
tab space
utc localtime
react vue angular svelte
pip poetry uv conda
moment dayjs date-fns luxon
bcrypt argon2 scrypt md5 sha1
train plane flight fly bus car taxi ferry
aisle window middle
economy business first
monday tuesday wednesday thursday friday saturday sunday
january february march april may june july august september october november december
webpack vite rollup parcel
flask django fastapi
docker podman
rest graphql grpc
http https
debit credit cash
camelcase snakecase
main master develop
production staging development
"""

_OPPOSITES_TEXT = """
parameterized: unparameterized concatenation interpolation raw fstring
accessible: inaccessible
encrypted: unencrypted plaintext
refundable: nonrefundable
direct: connecting layover stopover indirect
nonstop: connecting layover stopover
signed: unsigned
vegetarian: beef pork chicken steak lamb bacon ham fish seafood shrimp
vegan: beef pork chicken steak lamb bacon ham fish milk cheese butter egg honey
https: http
smoking: nonsmoking
nonsmoking: smoking
private: public
public: private
typed: untyped
tested: untested
reviewed: unreviewed
"""

_PHRASES_TEXT = """
plain text = plaintext
clear text = plaintext
turn off = disable
switch off = disable
shut off = disable
turn on = enable
switch on = enable
get rid of = remove
phase out = remove
tear down = remove
take off = remove
take out of = remove
take away = remove
take down = remove
rip out = remove
shut down = shutdown
wind down = shutdown
roll out = deploy
roll back = revert
fail over = failover
hot dog = hotdog
installation guide = usermanual
setup guide = usermanual
user guide = usermanual
user manual = usermanual
reference manual = usermanual
instruction manual = usermanual
set up = configure
hard code = hardcode
check in = checkin
pull in = import
bring in = introduce
api key = apikey
secret key = privatekey
signing key = privatekey
encryption key = privatekey
ssh key = privatekey
access key = apikey
alter table = altertable
private key = privatekey
access token = token
pull request = pullrequest
merge request = pullrequest
local time = localtime
f string = fstring
sign off = signoff
decide against = reject
decide not = reject
opt against = reject
opt out of = reject
vote against = reject
rule out = reject
filter out = exclude
leave out = exclude
weed out = exclude
screen out = exclude
cut out = remove
hold off = postpone
put off = postpone
carry out = perform
make sure = ensure
go ahead = proceed
take place = happen
kick off = start
in place of = insteadof
in lieu of = insteadof
instead of = insteadof
rather than = insteadof
as opposed to = insteadof
other than = except
apart from = except
aside from = except
except for = except
with the exception of = except
no longer = never
any more = anymore
non stop = nonstop
non smoking = nonsmoking
non refundable = nonrefundable
camel case = camelcase
snake case = snakecase
third party = thirdparty
open source = opensource
on top of = via
by means of = via
with the help of = via
even though = although
even if = although
despite = although
in spite of = although
due to = because
as well as = and
along with = and
in order to = to
next to = near
close to = near
similar to = like
compatible with = like
comparable to = like
equivalent to = like
compared to = than
compared with = than
in contrast to = than
relative to = than
according to = about
related to = about
thanks to = because
prior to = before
so that = so
as soon as = once
by hand = manually
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


def _phrases() -> dict[str, tuple[tuple[tuple[str, ...], str], ...]]:
    table: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for line in _PHRASES_TEXT.strip().splitlines():
        left, word = line.split(" = ")
        first, *rest = left.split()
        if rest:
            table.setdefault(first, []).append((tuple(rest), word))
    return {
        first: tuple(sorted(options, key=lambda option: -len(option[0])))
        for first, options in table.items()
    }


_SAME = _same()
_KINDS = _kinds()
_CHOICES = tuple(frozenset(row) for row in _rows(_CHOICES_TEXT))
_OPPOSITES = _left_to_right(_OPPOSITES_TEXT)
PHRASES = _phrases()
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


@lru_cache(maxsize=4_096)
def rivals_of(forms: frozenset[str]) -> frozenset[str]:
    """Words that name another choice for the job that these forms name one choice for."""
    found = _NOTHING.union(*(choice for choice in _CHOICES if choice & forms))
    return found - forms


@lru_cache(maxsize=4_096)
def opposites_of(forms: frozenset[str]) -> frozenset[str]:
    """Words that say the contrary of these forms."""
    plain = {form.lstrip("=") for form in forms}
    listed = _NOTHING.union(*(_OPPOSITES.get(form, _NOTHING) for form in plain))
    words = {form for form in forms if form.isalpha() and len(form) > 4}
    return listed | {f"{prefix}{word}" for word in words for prefix in ("non", "un", "in")}
