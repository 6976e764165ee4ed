"""Decisions in ordinary words against short rules: what is blocked and what is let through."""

from __future__ import annotations

import pytest
from tests.rules.conftest import blocked

PAIRS = [
    # A use is a use whatever the verb, if the thing is what something is put in, on or over.
    ("Never use Heroku", "Host the status page on Heroku", "Take the status page off Heroku"),
    ("Do not use SOAP", "Expose the rates over SOAP", "Choose REST over SOAP"),
    ("Do not use CSV for exports", "Change the exports to CSV", "Change the exports from CSV"),
    ("Do not use Redis", "The new cache will be Redis", "The old cache was Redis"),
    # A kind of the act is the act.
    ("Do not edit a.toml", "Set the limit to 3 in a.toml", "Read the limit from a.toml"),
    ("Do not edit files in gen/", "Patch gen/api/a.ts", "Patch src/api/a.ts"),
    ("No changes to router.py", "Rename a helper in router.py", "Add a link to router.py"),
    ("Never skip code review", "Merge it without code review", "Merge it after code review"),
    ("Never hardcode keys", "Use a hardcoded key", "Replace the hardcoded key"),
    # Commands and settings say what they do.
    ("Never force push to main", "git push -f origin main", "git push -f origin topic"),
    ("Do not disable SSL verification", "Call it with verify=False", "Remove verify=False"),
    ("Do not depend on React", "Add react@18 as a dependency", "Add react-free widgets"),
    # Particles, pronouns, passives and words in between.
    ("Do not disable logging", "Turn the logging off today", "Turn the lights off for logging"),
    ("Don't disable the firewall", "The firewall is slow, so disable it", "Do not disable it"),
    ("Do not delete backups", "The backups from May will be deleted", "The backups will be kept"),
    ("No polling of the API", "The widget polls the API", "The widget subscribes to the API"),
    # "Or" joins places that are each enough, and acts that share one denial.
    (
        "Never deploy to staging or production",
        "Deploy the build to production",
        "Deploy the build to the sandbox",
    ),
    ("Never push to main", "Rebase it and push to main", "Do not commit or push to main"),
    ("Never use Redis", "Start using Redis", "We should avoid adding Kafka or using Redis"),
    # A limit on one thing is not broken by the number of another.
    (
        "Keep at least 3 replicas of the API",
        "Run the API with 2 replicas",
        "Run the API with 2 regions and 5 replicas",
    ),
    (
        "At most 4 reviewers per change",
        "Request 6 reviewers for the change",
        "Request 2 reviewers for the change with 12 files",
    ),
    # Scope in front, behind or as owner.
    ("No caching in billing", "In billing, cache the rates", "In search, cache the rates"),
    (
        "No new panels in the app",
        "Add a new panel to the app's menu",
        "Add a new panel to the site",
    ),
    (
        "Never test against production",
        "Test against production",
        "Test against a copy of production",
    ),
    # Acts named by nouns, leave given, things told in a clause of their own.
    ("Do not hire temps", "Recruitment is done: hire temps", "Hiring of temps is postponed"),
    ("No kids on the roof", "Allow the kids to play on the roof", "Allow the kids to play here"),
    # A name that holds another is another name; an everyday word is no product.
    ("Do not use C", "Write the driver in C", "Write the driver in C++"),
    ("Do not use C#", "Write the driver in C#", "Write the driver in C"),
    ("Never call get_user()", "Call get_user() here", "Call getUser() here"),
    # What a pronoun in the rule stands for is what the rule is about.
    ("Lease laptops instead of buying them", "Buy two laptops", "Buy two desks"),
    ("Log with loguru instead of print", "Log the start with print", "Print the badge"),
    # Two acts under one verb stay two acts.
    (
        "Never deploy to prod on Friday",
        "Deploy to prod on Friday",
        "Deploy to dev on Friday and to prod on Monday",
    ),
    (
        "Never store logs on S3",
        "Store the logs on S3",
        "Store the logs in Loki and the images on S3",
    ),
]


@pytest.mark.parametrize(("rule", "breach", "kept"), PAIRS)
def test_a_breach_is_blocked_and_its_neighbour_is_not(rule: str, breach: str, kept: str) -> None:
    assert blocked(rule, breach)
    assert not blocked(rule, kept)
