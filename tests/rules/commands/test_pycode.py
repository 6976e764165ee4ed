"""Python code is followed through its names and constants; what else it computes is unknown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.rules.commands.inline import inline_runs
from dmm.rules.commands.inlineruns import PLACEHOLDER, InlineRun


def texts(code: str) -> list[str]:
    return [one.text or " ".join(one.argv) for one in inline_runs("python", code)]


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.system('git push')",
        "import os as o; o.system('git push')",
        "from os import system as run; run('git push')",
        "from os import *; system('git push')",
        "import os; f = os.system; f('git push')",
        "import os; getattr(os, 'sys' + 'tem')('git push')",
        "import os; os.__dict__['system']('git push')",
        "import sys; sys.modules['os'].system('git push')",
        "__import__('os').system('git push')",
        "import importlib; importlib.import_module('o' + 's').popen('git push')",
        "import subprocess; subprocess.run(['git', 'push'])",
        "import subprocess as sp; sp.Popen('git push', shell=True)",
        "from subprocess import check_call as c; c(args=['git', 'push'])",
        "import subprocess; subprocess.run('git push'.split())",
        "import subprocess, shlex; subprocess.run(shlex.split('git push'))",
        "import subprocess; c = ['git']; c.append('push'); subprocess.run(c)",
        "import subprocess; c = ['git']; c += ['push']; subprocess.run([*c])",
        "import os; os.execvp('git', ['git', 'push'])",
        "import os; os.execlp('git', 'git', 'push')",
        "import os; os.spawnvp(os.P_WAIT, 'git', ['git', 'push'])",
        "import pty; pty.spawn(['git', 'push'])",
        "import asyncio; asyncio.create_subprocess_exec('git', 'push')",
        "import ctypes; ctypes.CDLL(None).system(b'git push')",
        "import sh; sh.git('push')",
        "import os; os.system('git' + ' ' + 'push')",
        "import os; os.system(' '.join(['git', 'push']))",
        "import os; os.system('%s %s' % ('git', 'push'))",
        "import os; os.system('{} {}'.format('git', 'push'))",
        "import os; g = 'git'; os.system(f'{g} push')",
        "import os; os.system('hsup tig'[::-1])",
        "import os; os.system(''.join(reversed('hsup tig')))",
        "import os; os.system(''.join(map(chr, [103, 105, 116, 32, 112, 117, 115, 104])))",
        "import os; os.system(''.join(chr(c) for c in b'git push'))",
        "import os; os.system(bytes([103, 105, 116, 32, 112, 117, 115, 104]).decode())",
        "import os; os.system(bytes.fromhex('6769742070757368').decode())",
        "import os, base64; os.system(base64.b64decode('Z2l0IHB1c2g=').decode())",
        "import os, binascii; os.system(binascii.unhexlify('6769742070757368'))",
        "import os, codecs; os.system(codecs.decode('tvg chfu', 'rot13'))",
        "import os; os.system('GIT PUSH'.lower())",
        "exec('import os; os.system(\"git push\")')",
        "eval(compile('__import__(\"os\").system(\"git push\")', '', 'eval'))",
        "exec(__import__('base64').b64decode('aW1wb3J0IG9zO29zLnN5c3RlbSgnZ2l0IHB1c2gnKQ=='))",
        "import os\ndef f(c): os.system(c)\nf('git push')",
        "import os\ndef f(c='git push'): os.system(c)\nf()",
        "import os\ndef g(): return 'git push'\nos.system(g())",
        "(lambda c: __import__('os').system(c))('git push')",
        "import os\nclass A:\n  def r(self, c): os.system(c)\nA().r('git push')",
        "import os\nfor c in ['git push']: os.system(c)",
        "import os; [os.system(c) for c in ('git push',)]",
        "import os; list(map(os.system, ['git push']))",
        "import os, threading; threading.Thread(target=os.system, args=('git push',)).start()",
        "import os, atexit; atexit.register(os.system, 'git push')",
        "import os\ntry:\n  os.system('git push')\nexcept OSError: pass",
        "import os\nwith open('x') as f:\n  os.system('git push')",
        "import os\nasync def f():\n  os.system('git push')",
        "import os; (c := 'git push') and os.system(c)",
    ],
)  # fmt: skip
def test_the_command_that_constants_make_is_found(code: str) -> None:
    assert "git push" in texts(code)


@pytest.mark.parametrize(
    "code",
    [
        "import os, sys; os.system(sys.argv[1])",
        "import os; os.system(input())",
        "import os; os.system(os.environ['X'])",
        "import subprocess, sys; subprocess.run(sys.argv[1:])",
        "import os; getattr(os, input())('git push')",
        "exec(input())",
        "import zlib; exec(zlib.decompress(b'x'))",
        "import os\ndef f(c): os.system(c)\nimport sys\nf(sys.argv[1])",
    ],
)
def test_a_command_that_is_computed_is_noted_as_unknown(code: str) -> None:
    found = inline_runs("python", code)
    assert any(
        run.made or run.text == PLACEHOLDER or run.argv[:1] == (PLACEHOLDER,) for run in found
    )


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import subprocess; subprocess.run(['ruff', *files])", [f"ruff {PLACEHOLDER}"]),
        ("import os; os.system(f'git log {x}')", [f"git log {PLACEHOLDER}"]),
        ("import subprocess, sys; subprocess.run([sys.executable, '-m', 'x'])", ["python -m x"]),
        ("import shutil; shutil.rmtree('/srv')", ["rm -rf /srv"]),
        ("print('os.system(1)')", []),
        ("import json, sys; print(json.load(sys.stdin)['system'])", []),
        ("import os\ndef f(c): os.system(c)\nprint(f)", []),
        ("import re; re.compile('x'); r = eval", []),
    ],
)
def test_known_parts_stay_readable_and_data_is_no_command(code: str, expected: list[str]) -> None:
    assert texts(code) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("open('.env').read()", [(".env", "<")]),
        ("open('.env', 'w').write('x')", [(".env", ">")]),
        ("open('.env', mode='a')", [(".env", ">")]),
        ("from pathlib import Path; Path('a', '.env').read_text()", [("a/.env", "<")]),
        ("import pathlib as p; (p.Path('a') / '.env').write_text('x')", [("a/.env", ">")]),
        ("import shutil; shutil.copy('.env', 'x')", [(".env", "<"), ("x", ">")]),
        ("for f in names: open(f)", []),
    ],
)
def test_the_files_that_code_opens_are_named(code: str, expected: list[tuple[str, str]]) -> None:
    found = inline_runs("python", code)
    assert [(run.path, run.operator) for run in found if run.path] == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import os; os.remove('.env')", ("rm", ".env")),
        ("import os; os.rename('a', 'b')", ("mv", "a", "b")),
        ("import os; os.makedirs('a/b')", ("mkdir", "a/b")),
        ("import shutil; shutil.move('a', 'b/')", ("mv", "a", "b/")),
        ("from pathlib import Path; Path('a').unlink()", ("rm", "a")),
        ("from pathlib import Path; Path('a').rename('b')", ("mv", "a", "b")),
    ],
)
def test_code_that_removes_or_moves_files_does_what_a_command_does(
    code: str, expected: tuple[str, ...]
) -> None:
    assert [run.argv for run in inline_runs("python", code)] == [expected]


def test_code_that_is_run_from_a_file_is_named() -> None:
    assert [run.script for run in inline_runs("python", "exec(open('x.py').read())")] == [
        "",
        "x.py",
    ]
    assert [run.script for run in inline_runs("python", "import runpy; runpy.run_path('x')")] == [
        "x"
    ]


def test_broken_code_is_read_by_its_literals() -> None:
    assert texts("print 'x'; os.system('git push')") == ["git push"]


def test_code_that_goes_on_and_on_is_given_up_and_noted() -> None:
    for code in (
        "import os\n" + "x = 'a'\n" * 9_000,
        "import os; os.system(" + "'a'+" * 3_000 + "'b')",
        "import os\ndef f(): f(); f()\nf()\nos.system('git push')",
        "import os; x = 'a' * 10**9; os.system(x * 10**9)",
        "import os; os.system(" + "(" * 5_000,
        "exec('exec(\"' * 500)",
    ):
        assert len(inline_runs("python", code)) <= 60


@given(st.text(max_size=200).map(lambda text: f"import os; {text}"))
def test_no_code_breaks_the_reading(code: str) -> None:
    assert all(isinstance(run, InlineRun) for run in inline_runs("python", code))
