"""Project memories in any number: rules, values, reasons and details, drawn from a grammar.

Every memory is about one aspect of one component, in words of its own: a title, one to three rules
or facts, a reason, and sometimes details or an exception. Some pairs contradict one another, some
say the same, most have nothing to do with one another although they share words and tags.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from bench.corpora import Text

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 20260101


def _listed(names: str) -> tuple[str, ...]:
    return tuple(names.split(","))


COMPONENTS = _listed(
    "billing,checkout,search,catalog,inventory,shipping,notifications,accounts,auth gateway,"
    "reporting,analytics,image resizer,mobile app,admin console,partner API,webhook relay,"
    "job scheduler,audit trail,recommendation engine,pricing,tax calculator,fraud detector,"
    "support desk,data importer,export service,feature flags,config service,event bus,cache layer,"
    "session store,document store,invoice printer,mail sender,chat bot,loyalty program,"
    "warehouse robot,label printer,returns portal,subscription manager,ledger sync,video encoder,"
    "map tiles,geocoder,translation memory,spell checker,crawler,feed parser,backup agent,"
    "deploy pipeline,test runner,linter,package mirror,secret vault,metrics collector,log shipper,"
    "alert router,status page,onboarding flow,referral tracker,gift cards"
)
PARTS = _listed(
    "worker,importer,gateway,dashboard,scheduler,cleaner,client,server,poller,webhook,archive,"
    "editor,preview,cache,index,exporter,simulator,batch,stream,adapter,registry,monitor,proxy,"
    "queue,loader"
)
ASPECTS = {
    "timeout": ("seconds", (2, 5, 10, 15, 20, 30, 45, 60, 90)),
    "retry limit": ("attempts", (1, 2, 3, 4, 5, 6, 8)),
    "batch size": ("rows", (50, 100, 200, 250, 500, 1000, 2000)),
    "page size": ("items", (10, 20, 25, 50, 100)),
    "rate limit": ("requests per minute", (30, 60, 100, 120, 300, 600)),
    "retention": ("days", (7, 14, 30, 60, 90, 180, 365)),
    "pool size": ("connections", (5, 10, 16, 20, 32, 50)),
    "memory limit": ("MB", (128, 256, 512, 1024, 2048)),
    "queue depth": ("messages", (100, 500, 1000, 5000, 10000)),
    "coverage target": ("percent", (70, 75, 80, 85, 90, 95)),
    "lock timeout": ("milliseconds", (100, 250, 500, 1000, 3000)),
    "upload limit": ("MB", (5, 10, 20, 25, 50, 100)),
}
CHOICES = {
    "storage": ("PostgreSQL", "MySQL", "SQLite", "DynamoDB", "MongoDB", "Redis"),
    "serialization": ("JSON", "Protobuf", "MessagePack", "Avro", "CBOR"),
    "dependency manager": ("Poetry", "uv", "pip-tools", "pipenv", "conda"),
    "date format": ("ISO 8601 dates", "Unix timestamps", "RFC 2822 dates"),
    "identifiers": ("UUIDv7", "UUIDv4", "ULID", "auto-increment integers", "nano ids"),
    "authentication": ("OAuth tokens", "session cookies", "mutual TLS", "API keys", "signed URLs"),
    "error format": ("problem+json", "plain text errors", "error codes", "exceptions"),
    "test framework": ("pytest", "unittest", "nose2", "hypothesis"),
    "branching": ("trunk-based development", "release branches", "git flow", "feature branches"),
    "logging": ("structured JSON logs", "plain text logs", "syslog", "the event bus"),
    "deployment": ("blue-green deployment", "canary releases", "rolling updates", "recreate"),
    "caching": ("write-through caching", "cache-aside", "no cache at all", "read replicas"),
    "currency": ("integer cents", "decimal amounts", "float amounts"),
    "time zone": ("UTC", "the local time of the shop", "the customer's time zone"),
}
PLACES = _listed(
    "in production,in staging,in the nightly build,on developer machines,for internal users,"
    "for partner traffic,on the EU cluster,on the US cluster,in the mobile client,in the CLI,"
    "during migrations,under load tests"
)
RULES = (
    "The {a} of the {c} is {v} {u}{p}.",
    "Set the {a} to {v} {u} for the {c}{p}.",
    "{C} must keep its {a} at {v} {u}{p}.",
    "Never raise the {a} of the {c} above {v} {u}{p}.",
    "We agreed on a {a} of {v} {u} in the {c}{p}.",
    "Keep the {c} {a} below {v} {u}{p}, whatever the caller asks for.",
)
PICKS = (
    "The {c} uses {o} for {a}{p}.",
    "Use {o} for {a} in the {c}{p}.",
    "Do not use {o} for {a} in the {c}{p}.",
    "For {a}, the {c} relies on {o}{p}, not on {n}.",
    "{C} moved its {a} from {n} to {o}{p}.",
    "Always choose {o} when the {c} needs {a}{p}.",
    "Prefer {o} over {n} for {a} in the {c}{p}.",
)
REASONS = (
    "An outage in {m} showed that anything else leaves {x} waiting.",
    "The {y} team measured it with {x} and saw no gain from more.",
    "Customers complained about {x} before that.",
    "It keeps {x} simple and the {y} bill small.",
    "{x} broke twice in {m} because of the old way.",
    "The vendor of {y} recommends it for {x}.",
    "Otherwise {x} and {y} end up in different states.",
    "That is what the contract with {y} says about {x}.",
)
DETAILS = (
    "The setting lives in {y}.yaml next to {x}.",
    "See the runbook of {y} before you touch {x}.",
    "{x} reads the value at start and logs it once.",
    "A change needs a review by the {y} owners.",
    "Tests for {x} are in tests/{y}.",
    "Whoever is on call for {y} can change it during an incident about {x}.",
    "The dashboard {y} shows {x} by hour.",
    "Clients of {y} have to be told about {x} two weeks ahead.",
)
THINGS = _listed(
    "slow queries,stale prices,double bookings,retried payments,large uploads,empty carts,"
    "late parcels,bounced mails,broken thumbnails,expired tokens,orphaned rows,partial refunds,"
    "duplicate invoices,cold starts,long migrations,noisy alerts,flaky builds,bulk imports,"
    "missing translations,rounding errors,clock skew,full disks,dropped events,stuck workers,"
    "guest orders,currency changes,address checks,address books,password resets,audit exports"
)
TEAMS = _listed(
    "platform,payments,growth,logistics,identity,mobile,data,search,support,finance,security,"
    "storefront,content,partners,observability,release"
)
MONTHS = ("January", "March", "April", "June", "August", "September", "November")


def write_memories(count: int, seed: int = SEED) -> Iterator[Text]:
    """Write so many memories; the same number and seed give the same texts."""
    rng = random.Random(seed)
    for number in range(count):
        component = f"{rng.choice(COMPONENTS)} {rng.choice(PARTS)}"
        kind = rng.choice([*ASPECTS, *CHOICES])
        sentences = [_state(rng, component, kind)]
        if rng.random() < 0.3:
            sentences.append(_state(rng, component, rng.choice([*ASPECTS, *CHOICES])))
        sentences += [_tell(rng, REASONS) for _ in range(rng.randint(0, 2))]
        sentences += [_tell(rng, DETAILS) for _ in range(rng.randint(0, 3))]
        yield Text(
            id=f"mem_2026_01_01_{number + 1_000:06d}",
            directory=component.replace(" ", "_"),
            name=f"{kind.replace(' ', '_')}_{number:05d}",
            body=" ".join(sentences),
            title=f"{component.capitalize()}: {kind}",
            tags=(*component.split()[::2], kind.split()[0], rng.choice(TEAMS)),
        )


def _state(rng: random.Random, component: str, kind: str) -> str:
    """State a value or a choice, now and then only for a place."""
    place = f" {rng.choice(PLACES)}" if rng.random() < 0.35 else ""
    named = {"a": kind, "c": component, "C": f"The {component}", "p": place}
    if kind in ASPECTS:
        unit, values = ASPECTS[kind]
        return rng.choice(RULES).format(**named, v=rng.choice(values), u=unit)
    chosen, other = rng.sample(CHOICES[kind], 2)
    return rng.choice(PICKS).format(**named, o=chosen, n=other)


def _tell(rng: random.Random, frames: tuple[str, ...]) -> str:
    text = rng.choice(frames).format(
        x=rng.choice(THINGS), y=rng.choice(TEAMS), m=rng.choice(MONTHS)
    )
    return text[0].upper() + text[1:]
