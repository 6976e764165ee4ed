"""The team's rules: a fold of the log that takes only what a maintainer may say."""

from __future__ import annotations

from tests.team.test_chain import ADA, BEN, place, say, server_says

from dmm.team.chain import JOINED, MAINTAINER, READER, WriterHead, tell_joined
from dmm.team.rules import fold_rules


def test_a_rule_counts_by_the_role_its_writer_had_when_it_was_shared() -> None:
    ada = server_says((), JOINED, tell_joined("ada", WriterHead(ADA.public, MAINTAINER)))
    eve = server_says((ada,), JOINED, tell_joined("eve", WriterHead(BEN.public, READER)))
    before = say(BEN, "eve", (), "never use eval")
    later = server_says((ada, eve), JOINED, tell_joined("eve", WriterHead(BEN.public, MAINTAINER)))
    rule = say(ADA, "ada", (), "never use exec")
    found = fold_rules(place([ada, eve, before, rule, later]))
    assert [(one.seq, one.text, one.writer) for one in found] == [(4, "never use exec", "ada")]
