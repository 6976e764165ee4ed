"""DMM in the files of clients: put in, updated, taken out, nobody else's touched."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import os
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dmm.clients import launch
from dmm.clients.codex import FOUND_BY
from dmm.clients.launch import Launch
from dmm.clients.place import Place
from dmm.clients.registry import NAMES, all_clients
from dmm.errors import UsageError
from dmm.install.service import Installation

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.install.service import InstallReport

SECONDS = itertools.count()
FIXED = Launch(
    ("/opt/py thon", "-I", "-S", "/lib/dmm/hook/__main__.py"),
    ("/opt/py thon", "-I", "-S", "/lib/dmm/mcp_stdio/__main__.py"),
)
FILES = list(NAMES)


def tick() -> dt.datetime:
    """Tell a time that goes on by a second each time it is asked for."""
    return dt.datetime(2026, 1, 31, tzinfo=dt.UTC) + dt.timedelta(seconds=next(SECONDS))


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "dmm-backup" not in path.name
    }


@pytest.fixture
def project_place(home: Path, tmp_path: Path) -> Place:
    project = tmp_path / "work"
    project.mkdir()
    return Place(home, {"PATH": ""}, project, "linux")


@pytest.fixture
def user(home: Path) -> Installation:
    return Installation(Place(home, {"PATH": ""}, platform="linux"), FIXED, tick)


@pytest.fixture
def project(project_place: Place) -> Installation:
    return Installation(project_place, launch.anywhere(), tick)


def results(report: InstallReport) -> dict[str, str]:
    return {f"{one.client} {one.what}": one.result for one in report.outcomes}


def test_every_file_of_a_project_is_written_and_removed_again(
    project: Installation, tmp_path: Path
) -> None:
    folder = tmp_path / "work"
    report = project.apply(["all"], "project")
    assert set(results(report).values()) == {"installed"}
    written = files_of(folder)
    assert sorted(written) == [
        ".claude/settings.json",
        ".codex/config.toml",
        ".codex/hooks.json",
        ".cursor/hooks.json",
        ".cursor/mcp.json",
        ".gemini/settings.json",
        ".github/hooks/dmm.json",
        ".github/mcp.json",
        ".mcp.json",
        ".opencode/plugin/dmm.js",
        ".vscode/mcp.json",
        ".windsurf/hooks.json",
        "opencode.json",
    ]
    assert not any(b"/opt/" in data or str(tmp_path).encode() in data for data in written.values())
    assert set(results(project.apply(["all"], "project")).values()) == {"unchanged"}
    assert files_of(folder) == written
    assert set(results(project.apply(["all"], "project", remove=True)).values()) == {"removed"}
    # Neither a copy nor an empty folder is left.
    assert list(folder.iterdir()) == []
    assert set(results(project.apply(["all"], "project", remove=True)).values()) == {"absent"}


def test_a_copy_of_what_is_ours_alone_is_not_kept(project: Installation, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    project.apply(["cursor"], "project")
    hooks = folder / ".cursor" / "hooks.json"
    hooks.write_text(hooks.read_text().replace("dmm-hook --client", "dmm-hook --old --client"))
    (folder / ".cursor" / "rules").mkdir()
    project.apply(["cursor"], "project")
    assert "--old" not in hooks.read_text()
    report = project.apply(["cursor"], "project", remove=True)
    assert [one.backup for one in report.outcomes] == [None, None]
    # A folder with something else in it stays.
    assert [path.name for path in (folder / ".cursor").iterdir()] == ["rules"]


def test_a_copy_is_kept_of_a_file_that_others_write_in_too(
    project: Installation, tmp_path: Path
) -> None:
    settings = tmp_path / "work" / ".vscode" / "mcp.json"
    settings.parent.mkdir()
    settings.write_bytes(b'{\r\n  "servers": {"mine": {"command": "x"}}\r\n}\r\n')
    before = settings.read_bytes()
    project.apply(["vscode"], "project")
    project.apply(["vscode"], "project", remove=True)
    assert settings.read_bytes() == before
    # What the file holds again needs no copy; that of the file with our entry in it is kept.
    (copy,) = [path for path in settings.parent.iterdir() if path != settings]
    assert b"dmm-mcp" in copy.read_bytes()


def test_a_copy_that_differs_from_the_file_outlives_an_uninstall(
    project: Installation, tmp_path: Path
) -> None:
    settings = tmp_path / "work" / ".vscode" / "mcp.json"
    settings.parent.mkdir()
    settings.write_text('{"servers": {"mine": {"command": "x"}}}\n')
    project.apply(["vscode"], "project")
    settings.write_text(settings.read_text().replace('"x"', '"y"'))
    project.apply(["vscode"], "project", remove=True)
    copies = [path.read_text() for path in settings.parent.iterdir() if path != settings]
    assert '{"servers": {"mine": {"command": "x"}}}\n' in copies


def test_a_toml_file_without_a_last_line_end_is_kept_to_the_byte(
    user: Installation, home: Path
) -> None:
    settings = home / ".codex" / "config.toml"
    settings.parent.mkdir()
    for text in (b'model = "x"', b'# mine\r\nmodel = "x"\r\n', b'model = "x"\r\n[a]\r\nb = 1'):
        settings.write_bytes(text)
        user.apply(["codex"], "user")
        assert settings.read_bytes() != text
        user.apply(["codex"], "user", remove=True)
        assert settings.read_bytes() == text


def test_claude_code_gets_its_hooks_and_a_server_that_is_always_loaded(
    project: Installation, tmp_path: Path
) -> None:
    project.apply(["claude-code"], "project")
    hooks = json.loads((tmp_path / "work/.claude/settings.json").read_text())["hooks"]
    line = "command -v dmm-hook >/dev/null || exit 0; dmm-hook --client claude-code"
    timeouts = {
        "SessionStart": 10,
        "UserPromptSubmit": 5,
        "PreToolUse": 60,
        "PostToolUse": 5,
        "PostToolUseFailure": 5,
        "PreCompact": 5,
        "PostCompact": 5,
        "Stop": 5,
        "SubagentStop": 5,
        "SessionEnd": 2,
    }
    assert hooks == {
        event: [{"hooks": [{"type": "command", "command": line, "timeout": timeout}]}]
        for event, timeout in timeouts.items()
    }
    assert json.loads((tmp_path / "work/.mcp.json").read_text()) == {
        "mcpServers": {
            "dmm": {
                "type": "stdio",
                "command": "dmm-mcp",
                "args": ["--client", "claude-code", "--tools", "core"],
                "alwaysLoad": True,
            }
        }
    }


def test_a_path_with_a_blank_is_quoted_for_the_shell(user: Installation, home: Path) -> None:
    user.apply(["codex"], "user")
    hooks = json.loads((home / ".codex/hooks.json").read_text())["hooks"]
    assert "PostToolUseFailure" not in hooks
    assert hooks["Stop"][0]["hooks"][0]["command"] == (
        "'/opt/py thon' -I -S /lib/dmm/hook/__main__.py --client codex"
    )
    server = tomllib.loads((home / ".codex/config.toml").read_text())["mcp_servers"]["dmm"]
    assert server == {
        "command": "/opt/py thon",
        "args": ["-I", "-S", "/lib/dmm/mcp_stdio/__main__.py", "--client", "codex"],
        "env_vars": list(FOUND_BY),
    }


OTHERS = {
    ".claude/settings.json": """\
{
  "model": "x", // mine
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]
  }
}
""",
    ".codex/config.toml": '# mine\n[mcp_servers.other]\ncommand = "x" # theirs\n',
    ".codex/hooks.json": '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"}]}]}}',
    ".cursor/mcp.json": '{\n\t"mcpServers": {\n\t\t"other": {"command": "x"}\n\t}\n}\n',
    ".gemini/settings.json": '{"mcpServers": {"other": {"command": "x"}}}\n',
    ".config/opencode/opencode.jsonc": '{\n  // mine\n  "mcp": {},\n}\n',
    ".config/Code/User/mcp.json": '{\r\n    "servers": {}\r\n}\r\n',
}


def test_what_others_wrote_stays_byte_for_byte(user: Installation, home: Path) -> None:
    for name, text in OTHERS.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(text.encode())
    before = files_of(home)
    named = [name for name in FILES if name != "claude-code"]
    user.apply(named, "user")
    after = files_of(home)
    assert set(before) <= set(after)
    assert "// mine" in after[".config/opencode/opencode.jsonc"].decode()
    user.apply(named, "user", remove=True)
    # An object that was empty went with our entry.
    before[".config/opencode/opencode.jsonc"] = b"{\n  // mine\n}\n"
    before[".config/Code/User/mcp.json"] = b"{}\r\n"
    assert files_of(home) == before


def test_a_copy_is_kept_of_what_is_changed_and_of_nothing_else(
    user: Installation, home: Path
) -> None:
    settings = home / ".cursor" / "mcp.json"
    settings.parent.mkdir()
    settings.write_text("{}\n")
    settings.chmod(0o600)
    report = user.apply(["cursor"], "user")
    none, told = [one.backup for one in report.outcomes]
    assert none is None
    assert told is not None
    assert re.fullmatch(r"mcp\.json\.dmm-backup-20260131T\d{6}\.000000Z", Path(told).name)
    copy = settings.with_name(Path(told).name)
    assert copy.read_text() == "{}\n"
    assert copy.stat().st_mode & 0o777 == settings.stat().st_mode & 0o777 == 0o600
    user.apply(["cursor"], "user")
    assert sorted(settings.parent.iterdir()) == [settings.with_name("hooks.json"), settings, copy]


def test_a_dry_run_shows_the_change_and_writes_nothing(user: Installation, home: Path) -> None:
    report = user.apply(["vscode"], "user", dry=True)
    (outcome,) = report.outcomes
    assert (outcome.result, report.dry) == ("installed", True)
    path = home / ".config/Code/User/mcp.json"
    assert outcome.preview.splitlines()[:5] == [
        "--- /dev/null",
        f"+++ {path}",
        "@@ -0,0 +1,15 @@",
        "+{",
        '+  "servers": {',
    ]
    assert list(home.iterdir()) == []


def test_an_older_entry_is_brought_up_to_date(user: Installation, home: Path) -> None:
    user.apply(["gemini"], "user")
    moved = Installation(user.place, Launch(("/new/dmm-hook",), ("/new/dmm-mcp",)), tick)
    assert results(moved.apply(["gemini"], "user")) == {"gemini hooks and tools": "updated"}
    settings = json.loads((home / ".gemini/settings.json").read_text())
    assert settings["mcpServers"]["dmm"]["command"] == "/new/dmm-mcp"
    assert settings["hooks"]["BeforeTool"] == [
        {
            "hooks": [
                {
                    "type": "command",
                    "command": "/new/dmm-hook --client gemini",
                    "timeout": 60000,
                }
            ]
        }
    ]
    moved.apply(["gemini"], "user", remove=True)
    assert not (home / ".gemini/settings.json").exists()


def test_a_hook_of_ours_in_somebody_elses_group_is_taken_out_of_it(
    user: Installation, home: Path
) -> None:
    path = home / ".codex" / "hooks.json"
    path.parent.mkdir()
    other = {"type": "command", "command": "theirs"}
    ours = {"type": "command", "command": "dmm-hook --client codex"}
    groups = {"hooks": {"Stop": [{"hooks": [ours, other, ours]}], "Gone": [{"hooks": [ours]}]}}
    path.write_text(json.dumps(groups, indent=2))
    user.apply(["codex"], "user", remove=True)
    assert json.loads(path.read_text()) == {"hooks": {"Stop": [{"hooks": [other]}]}}


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        (
            "mcp.json",
            '{"mcpServers": {"dmm": {"command": "x"}}}',
            "an MCP server named 'dmm' already exists",
        ),
        ("mcp.json", '{"mcpServers": []}', "mcpServers is not an object"),
        ("mcp.json", '{"mcpServers": ', "line 1: a value is missing or broken"),
        ("hooks.json", '{"hooks": {"stop": {}}}', "hooks.stop is not a list"),
    ],
)
def test_a_file_that_can_not_be_changed_safely_is_left_with_a_way_out(
    user: Installation, home: Path, name: str, text: str, problem: str
) -> None:
    path = home / ".cursor" / name
    path.parent.mkdir()
    path.write_text(text)
    report = user.apply(["cursor"], "user")
    (refused,) = [one for one in report.outcomes if one.result == "refused"]
    assert problem in (refused.problem or "")
    assert (refused.hint or "").startswith("put this in by hand, beside what is there:\n{")
    assert report.refused
    assert path.read_text() == text


def test_a_file_that_is_not_text_is_left(user: Installation, home: Path) -> None:
    (home / ".cursor").mkdir()
    (home / ".cursor/mcp.json").write_bytes(b"\xff")
    assert results(user.apply(["cursor"], "user"))["cursor tools"] == "refused"


def test_a_foreign_file_in_the_place_of_ours_is_left(user: Installation, home: Path) -> None:
    path = home / ".config/opencode/plugin/dmm.js"
    path.parent.mkdir(parents=True)
    path.write_text("export const Mine = 1\n")
    assert results(user.apply(["opencode"], "user"))["opencode hooks"] == "refused"
    user.apply(["opencode"], "user", remove=True)
    assert path.read_text() == "export const Mine = 1\n"


def test_settings_that_are_kept_elsewhere_are_changed_there(
    user: Installation, home: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "dotfiles" / "mcp.json"
    kept.parent.mkdir()
    kept.write_text("{}\n")
    (home / ".cursor").mkdir()
    (home / ".cursor/mcp.json").symlink_to(kept)
    user.apply(["cursor"], "user")
    assert (home / ".cursor/mcp.json").is_symlink()
    assert "dmm" in json.loads(kept.read_text())["mcpServers"]


def test_a_link_that_leads_out_of_a_project_is_refused(
    project: Installation, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text("{}\n")
    (tmp_path / "work/.mcp.json").symlink_to(outside)
    report = project.apply(["claude-code"], "project")
    assert results(report)["claude-code tools"] == "refused"
    assert outside.read_text() == "{}\n"


def test_clients_are_noticed_by_program_or_folder(home: Path, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "codex").write_text("#!/bin/sh\n")
    (programs / "codex").chmod(0o755)
    (home / ".gemini").mkdir()
    place = Place(home, {"PATH": str(programs)}, platform="linux")
    installation = Installation(place, FIXED, tick)
    found = {one.client: one.by for one in installation.notice() if one.by}
    assert found == {"codex": str(programs / "codex"), "gemini": str(home / ".gemini")}
    assert [client.name for client in installation.choose([])] == ["codex", "gemini"]
    assert [client.name for client in installation.choose(["all"])] == FILES
    with pytest.raises(UsageError, match="unknown client 'emacs'"):
        installation.choose(["emacs"])


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {}, ".config/Code/User/mcp.json"),
        ("darwin", {}, "Library/Application Support/Code/User/mcp.json"),
        ("win32", {}, "AppData/Roaming/Code/User/mcp.json"),
    ],
)
def test_vs_code_keeps_its_settings_where_the_system_wants_them(
    home: Path, platform: str, variables: dict[str, str], expected: str
) -> None:
    place = Place(home, {"PATH": ""} | variables, platform=platform)
    Installation(place, FIXED, tick).apply(["vscode"], "user")
    assert list(files_of(home)) == [expected]


def test_folders_that_the_user_has_moved_are_followed(home: Path, tmp_path: Path) -> None:
    variables = {"CODEX_HOME": str(tmp_path / "c"), "XDG_CONFIG_HOME": str(tmp_path / "x")}
    place = Place(home, {"PATH": ""} | variables, platform="linux")
    Installation(place, FIXED, tick).apply(["codex", "opencode"], "user")
    assert files_of(home) == {}
    assert sorted(files_of(tmp_path / "c")) == ["config.toml", "hooks.json"]
    assert sorted(files_of(tmp_path / "x")) == ["opencode/opencode.json", "opencode/plugin/dmm.js"]


def test_without_a_project_there_is_no_project_scope(user: Installation) -> None:
    with pytest.raises(UsageError, match="there is no project here"):
        user.apply(["codex"], "project")


STAND_IN = """#!/bin/sh
# Stands in for the client: notes its arguments and does what they say to its file.
printf '%s\\n' "$*" >> "$HOME/called"
case "$2" in
    add-json) printf '{"mcpServers": {"dmm": %s}}' "$6" > "$HOME/.claude.json" ;;
    remove) echo '{"mcpServers": {}}' > "$HOME/.claude.json" ;;
esac
exit "${FAILS:-0}"
"""


@pytest.fixture
def with_claude(home: Path, tmp_path: Path) -> Callable[..., Installation]:
    def make(how: Launch = FIXED, **variables: str) -> Installation:
        programs = tmp_path / "bin"
        programs.mkdir(exist_ok=True)
        (programs / "claude").write_text(STAND_IN)
        (programs / "claude").chmod(0o755)
        path = f"{programs}{os.pathsep}/usr/bin{os.pathsep}/bin"
        place = Place(home, {"PATH": path} | variables, platform="linux")
        return Installation(place, how, tick)

    return make


def called(home: Path) -> list[str]:
    return [" ".join(line.split()[:5]) for line in (home / "called").read_text().splitlines()]


def test_the_servers_of_claude_code_are_changed_by_its_own_command(
    with_claude: Callable[..., Installation], home: Path
) -> None:
    installed = with_claude().apply(["claude-code"], "user")
    assert results(installed) == {
        "claude-code hooks": "installed",
        "claude-code tools": "installed",
    }
    assert results(with_claude().apply(["claude-code"], "user")) == {
        "claude-code hooks": "unchanged",
        "claude-code tools": "unchanged",
    }
    assert called(home) == ["mcp add-json --scope user dmm"]
    newer = Launch(("/new/dmm-hook",), ("/new/dmm-mcp",))
    assert set(results(with_claude(newer).apply(["claude-code"], "user")).values()) == {"updated"}
    with_claude(newer).apply(["claude-code"], "user", remove=True)
    added, removed = "mcp add-json --scope user dmm", "mcp remove --scope user dmm"
    assert called(home) == [added, removed, added, removed]


def test_a_dry_run_shows_the_command_that_would_run(
    with_claude: Callable[..., Installation], home: Path
) -> None:
    report = with_claude().apply(["claude-code"], "user", dry=True)
    assert "claude mcp add-json --scope user dmm" in report.outcomes[1].preview
    assert not (home / "called").exists()


def test_without_its_program_the_command_is_told(user: Installation, home: Path) -> None:
    report = user.apply(["claude-code"], "user")
    assert results(report) == {"claude-code hooks": "installed", "claude-code tools": "refused"}
    assert (report.outcomes[1].hint or "").startswith(
        "run it yourself: claude mcp add-json --scope"
    )


def test_a_command_that_fails_is_told(with_claude: Callable[..., Installation], home: Path) -> None:
    report = with_claude(FAILS="3").apply(["claude-code"], "user")
    assert "mcp add-json failed" in (report.outcomes[1].problem or "")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"mcpServers": {"dmm": {"command": "x"}}}', "an MCP server named 'dmm' already exists"),
        ("{", "can't read the settings file"),
        ("[]", "can't read the settings file"),
    ],
)
def test_a_foreign_or_broken_file_of_claude_code_is_left(
    with_claude: Callable[..., Installation], home: Path, content: str, problem: str
) -> None:
    (home / ".claude.json").write_text(content)
    outcome = with_claude().apply(["claude-code"], "user").outcomes[1]
    assert outcome.result == "refused"
    assert problem in (outcome.problem or "")
    assert (home / ".claude.json").read_text() == content


def test_the_program_of_this_installation_is_started_without_its_packages() -> None:
    found = launch.here()
    assert found.hook[1:3] == ("-I", "-S")
    assert found.hook[3].endswith("dmm/hook/__main__.py")
    assert found.server[3].endswith("dmm/mcp_stdio/__main__.py")
    assert launch.is_hook(found.hook_line("codex"))
    assert launch.is_hook(launch.anywhere().hook_line("codex"))
    assert not launch.is_hook("their-hook")
    words: list[Any] = found.server_words("codex")
    assert launch.is_server({"command": words[0], "args": words[1:]})
    assert launch.is_server({"command": ["dmm-mcp"]})
    assert launch.is_server({"command": "dmm", "args": ["serve"]})
    assert not launch.is_server({"command": "dmmx", "args": ["serve"]})
    assert not launch.is_server("dmm-mcp")


def test_every_client_tells_what_to_do_next() -> None:
    assert all(client.afterwards for client in all_clients())
