"""What a shell command writes is searched, as far as its text can be known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.rules.content.pattern import ContentPattern
from dmm.rules.patterns import AllOf, PathPattern

if TYPE_CHECKING:
    from tests.rules.content.conftest import Judge

LOG = AllOf((ContentPattern(regex=r"console\.log"), PathPattern("src/**", ("write", "create"))))
FILES = {
    "tmpl.ts": "start();\nconsole.log(1);\n",
    "plain.ts": "start();\n",
    "src/a.ts": "foo();\nconsole.log(0);\n",
    "src/old.ts": "console.log(0);\n",
}


@pytest.mark.parametrize(
    "command",
    [
        "{ echo 'console.log(1)'; } > src/b.ts",
        "(echo a; echo 'console.log(1)') > src/b.ts",
        "{ echo a; { echo 'console.log(1)'; }; date; } >> src/b.ts",
        "for i in 1 2; do echo 'console.log(1)'; done > src/b.ts",
        "if true; then printf 'console.log(1)'; fi > src/b.ts",
        "{ cat <<'E'\nconsole.log(1)\nE\n} > src/b.ts",
        "{ echo a; echo 'console.log(1)'; } | tee src/b.ts",
        "cat tmpl.ts > src/b.ts",
        "cat plain.ts tmpl.ts > src/b.ts",
        "cat < tmpl.ts > src/b.ts",
        "cat tmpl.ts | tee src/b.ts",
        "echo 'console.log(1)' | sudo tee src/b.ts",
        "cp -t src tmpl.ts",
        "{ echo a; echo 'console.log(1)'; } | sudo tee -a src/b.ts",
        "cp tmpl.ts src/b.ts",
        "mv tmpl.ts src/b.ts",
        "cp -f tmpl.ts plain.ts src/",
        "cd src && cp ../tmpl.ts b.ts",
        "echo 'console.log(1)' > /tmp/x.ts && cp /tmp/x.ts src/b.ts",
        "install -m 644 tmpl.ts src/b.ts",
        "dd if=tmpl.ts of=src/b.ts",
        "echo 'console.log(1)' | dd of=src/b.ts",
        "echo 'console.log(1)' | sponge src/b.ts",
        "sed -i 's/foo/console.log/' src/a.ts",
        "sed -i '1i console.log(1)' src/a.ts",
        "sed -i '/foo/a\\\nconsole.log(1)' src/a.ts",
        "perl -pi -e 's/foo/console.log/' src/a.ts",
        "perl -i -pe 's/foo/console.log/' src/*.ts",
    ],
)
def test_text_that_a_command_is_known_to_write_is_denied(command: str, judge: Judge) -> None:
    assert judge("Bash", {"command": command}, LOG, files=FILES).level == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "python - <<'E'\nopen('src/b.ts','w').write('console.log(1)')\nE",
        "python3 -c \"from pathlib import Path; Path('src/a.ts').write_text('console.log(1)')\"",
        "node -e \"fs.writeFileSync('src/a.ts', 'console.log(1)')\"",
    ],
)
def test_text_that_a_command_may_write_is_asked_about(command: str, judge: Judge) -> None:
    ruling = judge("Bash", {"command": command}, LOG, files=FILES)

    assert ruling.level == "ask"
    assert "src/" in ruling.reason


@pytest.mark.parametrize(
    "command",
    [
        "npm run build",
        "prettier --write src",
        "git checkout -- src/a.ts",
        "git restore src/a.ts",
        "npx eslint --fix src > src/report.txt",
        "cp plain.ts src/b.ts",
        "cp -r lib src/lib",
        "mv src/old.ts src/new.ts",
        "cp missing.ts src/b.ts",
        "sed -i '/console.log/d' src/a.ts",
        "sed -i 's/console.log/logger.info/' src/a.ts",
        "perl -pi -e 's/console.log/logger.info/' src/a.ts",
        "grep -v console.log src/a.ts > src/b.ts",
        "{ echo start; date; } > src/b.ts",
        "echo console.log; { echo start; } > src/b.ts",
        "python - <<'E'\np = 'src/a.ts'\ns = open('src/a.ts').read()\n"
        "s = s.replace('console.log(0)', 'info(0)')\n"
        "open('src/a.ts', 'w').write(s)\nprint('console.log is gone')\nE",
        "python - <<'E'\nold = '''foo();\nconsole.log(0);\n'''\n"
        "new = '''bar();\nconsole.log(0);\n'''\n"
        "s = open('src/a.ts').read()\nopen('src/a.ts', 'w').write(s.replace(old, new))\nE",
        "node -e \"console.log(1); fs.writeFileSync('src/a.ts', 'start()')\"",
    ],
)
def test_ordinary_commands_are_allowed(command: str, judge: Judge) -> None:
    assert judge("Bash", {"command": command}, LOG, files=FILES).level == "allow"


def test_code_that_opens_a_file_does_not_count_as_emptying_it(judge: Judge) -> None:
    gone = ContentPattern(regex="foo", removed=True)
    command = "python -c \"open('src/a.ts', 'w').write(text)\""

    assert judge("Bash", {"command": command}, gone, files=FILES).level == "allow"
    assert judge("Bash", {"command": "> src/a.ts"}, gone, files=FILES).level == "deny"
