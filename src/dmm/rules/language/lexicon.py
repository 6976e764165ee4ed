"""The grammar words, verb families and same-meaning rows that reading a rule needs."""

from __future__ import annotations

from functools import lru_cache

from dmm.rules.language.wordsets import word_set

DETERMINERS = word_set(
    """a an the this that these those my our your their his her its any some each every all both
    another such no either same which whose"""
)
PRONOUNS = word_set(
    """i we you he she it they them us me one everyone nobody someone anyone there anything
    something everything"""
)
AUXILIARIES = word_set(
    """will shall should must can may might could would do does did is are was were be been being
    am has have had ought let let's lets i'll we'll i'm we're you'll they'll i've we've i'd we'd
    it's that's gets get got getting"""
)
BE = word_set("is are was were be been being am gets get got getting it's that's")
MODALS = word_set("might could would may perhaps maybe possibly")
PREPOSITIONS = word_set(
    """in on at to into onto for from with without by via through during within inside outside
    under over above below between against about of off near around across along towards upon as
    per after before until till since except like than beyond behind beside insteadof throughout
    past using while"""
)
CONJUNCTIONS = word_set("and or but then nor plus & so yet")
CONDITIONS = word_set("before after until till once when whenever while if unless whether")
REASONS = word_set("because since although")
ADVERBS = word_set(
    """too also just then now only simply always still again already instead really please
    therefore however first finally next immediately later soon even further quickly here
    everywhere anywhere not never ever fully out up down away back"""
)
MANNERS = word_set(
    """directly manually automatically explicitly blindly silently unconditionally globally
    temporarily force hard inline locally remotely publicly"""
)
TIMES = word_set(
    """overnight monday tuesday wednesday thursday friday saturday sunday weekend weekday morning
    evening afternoon night noon midnight today tomorrow tonight week month year january february
    march april june july august september october november december"""
)
GRAMMAR = DETERMINERS | PRONOUNS | AUXILIARIES | PREPOSITIONS | CONJUNCTIONS | ADVERBS | CONDITIONS
# Verbs that put their object to use.
USE = word_set(
    """use adopt add introduce enable install import call invoke require employ utilize utilise
    leverage apply include pick choose select implement build create write insert put embed bring
    try set configure integrate run execute reuse restore keep make perform issue deploy pull take
    spawn instantiate declare define start launch mount render serve ship wear eat drink drive
    ride emit throw raise register pass load plug bind attach host subclass inherit fork post place
    buy order chain nest allow permit accept get let"""
)
# Verbs that speak of their object and do nothing to it.
MENTION = word_set(
    """document describe discuss mention explain note list compare evaluate assess investigate
    research analyze analyse audit review check verify confirm validate inspect detect find
    search scan grep flag report warn ask question read study learn consider propose suggest
    recommend count track monitor measure benchmark test assert expect ensure lint teach quote
    cite think explore look say tell remind announce argue claim see know"""
)
UNSURE = word_set("consider propose suggest think explore evaluate recommend discuss")
NEGATIVE = word_set(
    """avoid stop refuse decline prevent forbid prohibit disallow ban block reject refrain abandon
    cease quit exclude omit skip postpone delay defer cancel resist deny restrict protect guard
    oppose lack miss bypass forgo waive ignore"""
)
REMOVE = word_set(
    """remove delete drop eliminate erase uninstall purge strip retire deprecate ditch disable
    deactivate revert undo rollback discard kill replace swap substitute exchange trade clear
    decommission dismantle scrap sunset unplug abolish"""
)
REPLACE = word_set("replace swap substitute exchange trade")
TRANSITION = word_set(
    """switch move migrate convert change transition shift go return port upgrade downgrade rewrite
    translate refactor fall turn rename revert"""
)
# Done to a tool, these put nothing to use.
IDLE = (
    MENTION
    | NEGATIVE
    | REMOVE
    | TRANSITION
    | word_set(
        """fix clean reduce simplify isolate sandbox harden encapsulate patch resolve address
        rotate redact mask encrypt hide minimize minimise leave lower limit cover secure
        debug optimize optimise flatten collapse unify trim untangle shrink quarantine
        repair pay email contact tell inform notify exit close shut end terminate sell match mimic
        emulate stub simulate hate like love name be have meet visit join follow watch fund need
        want cost archive freeze revoke expire wipe answer help support mock mark label lock guard
        rent lend refund handle bump pin prefer"""
    )
)
_MORE_VERBS = word_set(
    """book reserve purchase spend release merge push commit store save persist send transmit
    expose publish reveal leak disclose log print hardcode modify edit update alter touch fly
    travel stay hire schedule plan share copy fetch download upload wait cache access open serve
    parse format generate do proceed finish complete begin continue approve assign charge arrive
    extend increase decrease trigger provision connect query overwrite append truncate grant trust
    decide intend aim agree give hold invite reply walk redirect route encode compress sort filter
    process sync rebuild compile wrap extract split combine duplicate rely depend exceed stick
    switch authenticate sanitize escape scale resize subscribe skip prescribe administer record
    sign train treat pay tag rebase squash prepend deliver display show settle opt base lean
    standardize migrate bundle expire lend borrow roll shut throw hold let lie shutdown"""
)
VERBS = USE | MENTION | NEGATIVE | REMOVE | TRANSITION | IDLE | _MORE_VERBS
# Listed verbs that are as often nouns.
NOUNLIKE = word_set(
    """test email call import commit push build store log query request release update change book
    plan check review lock cache mock access list name set order fix run report drop tag block
    route filter process return note flag question audit scan search measure quote base start stop
    charge load post fork wrap cover guard patch port cut share copy mark track count study record
    download upload schedule need claim support end track walk stay exit fund cost match deploy
    issue place pass trade exchange delay limit help answer label mask trust train show sort
    display look notice purchase match read use travel make research document expire drive
    mount ride host serve order chain nest stub wait hold treat sign roll throw lie address"""
)
# To act as these say is to begin or allow what follows.
LIGHT = word_set(
    """do make perform schedule run start trigger plan proceed execute approve arrange complete
    begin continue go launch have get let want need decide intend aim try agree keep allow permit
    accept carry handle include require set apply issue enable add use resume happen occur be
    give see"""
)
COMPARED = word_set("older newer larger bigger longer smaller shorter higher lower")
# Nouns that add nothing to the thing they carry: "eval call", "the moment library".
CARRIERS = word_set(
    """function call library package module method algorithm hash hashing dependency framework
    statement command tool api service client query table file type keyword operator feature
    version mode flag option pattern approach usage use code class object component instance
    host index constraint machine
    database db server cluster cache store hook plugin syntax script expression language format
    import digest checksum branch repo repository folder directory page block value variable based
    room ticket seat meal dish connection trip job step task system engine backend layer stack app
    application model schema collection construct region account environment column field
    setting parameter endpoint bucket queue key"""
)
# Nouns that speak of a matter: a test for X does not use X.
ABOUT = word_set(
    """test bug rule doc documentation check lint linter policy warning error issue guide comment
    story ticket report article note memo message faq question survey poll alert detector scanner
    reminder announcement history example incident postmortem complaint regression ban talk
    alternative migration replacement discussion decision link pointer reference"""
)
# Nouns that stand for the thing they are part of: "a copy of X", "the use of X".
PARTS = word_set(
    """use usage copy instance piece kind type version lot bunch couple pair set list rest part
    contents call handful row record batch hour minute day week month half most many some all"""
)
COPIES = word_set("copy replica clone mirror snapshot dump backup fork duplicate mock")
WEAK = word_set("new additional extra further more existing current other")
# Each row is one meaning; a word may stand in several rows.
_SAME = """
use utilize utilise employ leverage usage
book reserve reservation
buy purchase order
delete remove erase destroy wipe drop removal purge strip
deploy ship release rollout redeploy
commit checkin
store save persist keep retain retention
send transmit email mail forward
expose publish reveal leak disclose
disable deactivate
enable activate
add introduce install include
modify change edit update alter touch amend
call invoke
run execute
choose select pick
skip bypass omit
create make generate
copy duplicate
fetch download
ignore swallow suppress
approve approval permission consent authorization signoff
accessible accessibility
authenticate authentication auth login
document docs doc
production prod live
development dev
plaintext cleartext unencrypted
database db
repository repo
directory folder
config configuration
environment env
javascript js
typescript ts
postgresql postgres
kubernetes k8s
dependency library package
credential secret
picture image photo
cost price
give grant hand
restart reboot
stop shutdown halt terminate kill
pullrequest pr
directly straight manually
"""
# The word on the left is meant by each word on its right, not the other way round.
_KINDS = """
weekend: saturday sunday
weekday: monday tuesday wednesday thursday friday
secret: password token apikey credential privatekey
credential: password token apikey privatekey
modify: rename add patch rewrite delete remove refactor fix insert drop set append
modify: move bump replace extend increase lower raise overwrite adjust tweak convert reformat
modify: truncate reset disable enable clean simplify
write: insert append upload save
store: put commit
"""
_PHRASES = """
plain text = plaintext
clear text = plaintext
turn off = disable
switch off = disable
turn on = enable
switch on = enable
get rid of = remove
phase out = remove
take off = remove
take out of = remove
take down = remove
rip out = remove
shut down = shutdown
roll out = deploy
roll back = revert
set up = configure
hard code = hardcode
check in = checkin
pull in = import
bring in = introduce
api key = apikey
access key = apikey
private key = privatekey
secret key = privatekey
access token = token
pull request = pullrequest
sign off = signoff
decide against = reject
opt out of = reject
rule out = reject
leave out = exclude
put off = postpone
hold off = postpone
make sure = ensure
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
third party = thirdparty
on top of = via
by means of = via
even though = although
even if = although
in spite of = although
due to = because
thanks to = because
as well as = and
along with = and
in order to = to
similar to = like
next to = near
close to = near
free of = without
throw away = remove
compatible with = like
compared to = than
prior to = before
so that = so
as soon as = once
by hand = manually
"""


def _same() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for row in _SAME.strip().splitlines():
        words = row.split()
        for word in words:
            table.setdefault(word, set()).add(f"={words[0]}")
    return {word: frozenset(marks) for word, marks in table.items()}


def _kinds() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for line in _KINDS.strip().splitlines():
        general, members = line.split(": ")
        for member in members.split():
            table.setdefault(member, set()).update({general} | _MARKS.get(general, frozenset()))
    return {word: frozenset(general) for word, general in table.items()}


def _phrases() -> dict[str, tuple[tuple[tuple[str, ...], str], ...]]:
    table: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for line in _PHRASES.strip().splitlines():
        left, word = line.split(" = ")
        first, *rest = left.split()
        table.setdefault(first, []).append((tuple(rest), word))
    return {
        first: tuple(sorted(rows, key=lambda row: -len(row[0]))) for first, rows in table.items()
    }


_MARKS = _same()
_GENERAL = _kinds()
PHRASES = _phrases()
_NOTHING: frozenset[str] = frozenset()


@lru_cache(maxsize=4_096)
def meanings_of(forms: frozenset[str]) -> frozenset[str]:
    """The marks of the meanings these forms share with other words."""
    return _NOTHING.union(*(_MARKS.get(form, _NOTHING) for form in forms))


@lru_cache(maxsize=4_096)
def kinds_of(forms: frozenset[str]) -> frozenset[str]:
    """The more general words that these forms are a kind of."""
    return _NOTHING.union(*(_GENERAL.get(form, _NOTHING) for form in forms))


_ENDINGS = (
    ("ication", 4), ("ation", 4), ("ition", 4), ("tion", 3), ("sion", 3), ("ment", 5),
    ("ance", 5), ("ibility", 4), ("ability", 4), ("ible", 4), ("able", 4), ("ity", 4),
    ("icate", 4), ("ify", 4), ("ate", 4), ("ise", 4), ("ize", 4), ("e", 4), ("y", 4),
)  # fmt: skip


@lru_cache(maxsize=4_096)
def stem_of(word: str) -> str:
    """What a verb and the noun made of it share: encrypt and encryption, delete and deletion."""
    if word.endswith(("val", "sal")):
        word = word.removesuffix("al")
    for ending, least in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= least and not (ending == "y" and stem[-1] in "aeou"):
            # The t of "deletion" belongs to the verb.
            return stem + "t" if ending == "tion" else stem
    return word


def _verb_stems() -> dict[str, str]:
    return {stem_of(verb): verb for verb in sorted(VERBS)}


VERB_BY_STEM = _verb_stems()
