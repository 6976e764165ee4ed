"""Words that leave open what a command is: each reading counts, and a doubtful one asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.rules.commands.test_disguises import STARTER, USUAL, rule_on

if TYPE_CHECKING:
    from pathlib import Path

MODE = "command: chmod 777"
PUBLISH = "never run npm publish"


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        (PUBLISH, "npm --loglevel silent publish"),
        (PUBLISH, "npm --prefix web --one two --three four publish"),
        ("never force push", "npm --loglevel silent exec -- git push --force"),
        ("dependency: left-pad", "npm --fund false install left-pad"),
        ("never run docker system prune", "docker --tlscacert ca.pem system prune -f"),
    ],
)
def test_an_option_that_nothing_is_known_of_hides_no_subcommand(
    rule: str, command: str, tmp_path: Path
) -> None:
    assert rule_on(command, tmp_path, rule).level in ("ask", "deny")


def test_a_doubtful_reading_is_asked_about_and_says_why(tmp_path: Path) -> None:
    ruling = rule_on("npm --loglevel silent publish", tmp_path, PUBLISH)
    assert ruling.level == "ask"
    assert "`silent` may be the value of `--loglevel`" in ruling.reason
    assert rule_on("npm --silent publish", tmp_path, PUBLISH).denied


def test_many_open_commands_do_not_hide_one_another(tmp_path: Path) -> None:
    many = "npm --a b run x; " * 40
    assert rule_on(f"{many}npm --c d publish", tmp_path, PUBLISH).level == "ask"
    assert rule_on(f"npm {'--a b ' * 40}publish", tmp_path, PUBLISH).level == "ask"
    assert rule_on(f"{many}npm publish", tmp_path, PUBLISH).denied
    assert rule_on(many, tmp_path, PUBLISH).level == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "npm --prefix web run build",
        "npm --loglevel silent --prefix web test",
        "npm --silent run lint",
        "git --no-pager log --grep push",
        "kubectl --request-timeout 5s get pods",
        "cargo --color always build --release",
    ],
)
def test_options_before_an_ordinary_subcommand_are_no_matter(command: str, tmp_path: Path) -> None:
    rules = [one for one in USUAL if one != "never use npm"]
    assert rule_on(command, tmp_path, STARTER, PUBLISH, *rules).level == "allow"


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("never force push", "git push $(echo ecrof-- | rev)"),
        ("never force push", 'X=$(base64 -d <<< LS1mb3JjZQ==); git push "$X"'),
        ("never force push", "echo LS1mb3JjZQ== | base64 -d | xargs git push"),
        ("never push to main", 'git push origin "HEAD:$(echo bWFpbg== | base64 --decode)"'),
        ("never force push", "git push $(echo 2d2d666f726365 | xxd -r -p)"),
        ("never force push", "git push $(tr a-z n-za-m <<< --sbepr)"),
        ("never force push", "git push $(<flags.txt)"),
        ("never force push", "git push `cat flags.txt`"),
        (MODE, "chmod $(printf %o 511) x"),
        (MODE, "chmod $((700 + 0x4d)) x"),
        (MODE, "chmod $(expr 700 + 77) x"),
        (MODE, "X=$((2**9 - 1)); chmod $(printf %o $X) y"),
        (MODE, "for X in 700 100; do chmod $((X + 677)) y; done"),
    ],
)
def test_an_argument_is_read_where_the_text_decides_it(
    rule: str, command: str, tmp_path: Path
) -> None:
    (tmp_path / "flags.txt").write_text("--force\n", encoding="utf-8")
    assert rule_on(command, tmp_path, rule).denied


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("never force push", "git push $(openssl base64 -d -in x)"),
        ("never force push", "git push --fo$(gunzip -c x)"),
        ("never force push", "gunzip -c x | xargs git push"),
        ("never push to main", "git push origin HEAD:$(base64 -d < x)"),
        ("dependency: left-pad", "npm install $(base64 -d < x)"),
        ("do not run terraform destroy", "terraform $(base64 -d < x)"),
        (
            "never force push",
            'python3 -c \'import subprocess as s, sys; s.run(["git", "push", sys.argv[1]])\' x',
        ),
        (STARTER, "rm $(base64 -d < x)"),
    ],
)
def test_an_argument_that_a_decoder_makes_is_asked_about_where_it_could_break_a_rule(
    rule: str, command: str, tmp_path: Path
) -> None:
    assert rule_on(command, tmp_path, rule).level == "ask"


@pytest.mark.parametrize(
    "command",
    [
        'git push origin "$(git branch --show-current)"',
        "git commit -m \"$(cat <<'E'\nDecode base64.\nE\n)\"",
        'git commit -m "seed $(openssl rand -hex 4)"',
        "git checkout -b try-$(openssl rand -hex 4)",
        'git tag "v$(cat VERSION)"',
        "kill $(pgrep -f server)",
        "git add $(git ls-files -m | grep py)",
        "docker run -e TOKEN=$(openssl rand -hex 16) app",
        "kubectl create secret generic x --from-literal=a=$(base64 -d < y)",
        'P=$(base64 -d < x); psql "postgres://app:$P@localhost/app" -c "select 1"',
        "echo $(base64 -d < x)",
        "sleep $((RANDOM % 5)) && make test",
        "i=0; while [ $i -lt 3 ]; do curl localhost:$((8000 + i)); i=$((i + 1)); done",
    ],
)
def test_what_ordinary_programs_give_as_arguments_is_trusted(command: str, tmp_path: Path) -> None:
    (tmp_path / "VERSION").write_text("1.2.3\n", encoding="utf-8")
    assert rule_on(command, tmp_path, STARTER, *USUAL).level == "allow"
