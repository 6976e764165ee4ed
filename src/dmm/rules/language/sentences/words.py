"""Words: verbs by what they do, programs, files, branches and places; small and curated."""

from __future__ import annotations

from dmm.rules.commands.options import SUBCOMMANDED
from dmm.rules.commands.procedures import PROGRAMS as _STEP_PROGRAMS
from dmm.rules.language.lemmas import base_forms
from dmm.rules.language.wordsets import ENGLISH, english, word_set

_GROUPS = {
    verb: group
    for group, verbs in (row.split(": ") for row in ENGLISH["verb_groups"])
    for verb in verbs.split()
}


def group_of(word: str) -> str:
    """Name what a verb does, whatever its inflection; nothing for other words."""
    lead, dash, last = word.rpartition("-")
    known = (f"{lead}{dash}{form}" for form in sorted(base_forms(last)))
    return next((_GROUPS[form] for form in known if form in _GROUPS), "")


NOUNS = {
    "push": "push", "pushes": "push", "commit": "commit", "commits": "commit", "edit": "edit",
    "edits": "edit", "change": "edit", "changes": "edit", "modification": "edit",
    "modifications": "edit", "force-push": "force-push", "force-pushes": "force-push",
    "merge": "merge", "merges": "merge",
}  # fmt: skip
IDLE = english("idle_adverbs")
PHRASES = tuple(tuple(phrase.split()) for phrase in " ".join(ENGLISH["idle_phrases"]).split(","))
WHOLE = english("whole")
AMBIGUOUS = english("ambiguous")
_PROGRAMS = SUBCOMMANDED | AMBIGUOUS | _STEP_PROGRAMS | english("programs")
PROGRAMS = _PROGRAMS - {"check", "nose", "unit"}
KEYWORDS = english("keywords")
GIT = english("git_subcommands")
# Used in every other command line, for many things: a mere choice is no ground to block them.
EVERYWHERE = word_set("grep find cat sed awk ls head tail python python3 node bash sh echo")
# Subcommands that `--dry-run` keeps from doing anything.
DRY_RUNS = {
    "git": word_set("push commit clean add rm mv fetch"),
    "npm": word_set("publish install ci uninstall update"),
    "pnpm": word_set("publish"),
    "cargo": word_set("publish"),
    "poetry": word_set("publish"),
    "pip": word_set("install"),
}
MANAGERS = {
    "javascript": ("npm", "yarn", "pnpm", "bun"),
    "python": ("pip", "poetry", "pipenv", "conda", "pdm", "uv"),
}
# What such a manager does apart from the packages and scripts of the project.
APART = [
    "create", "init", "publish", "pack", "view", "info", "show", "search", "login", "logout",
    "whoami", "owner", "config", "help",
]  # fmt: skip
BOTH_NAMES = {
    "pip": ["pip", "pip3"],
    "python": ["python", "python3"],
    "mongo": ["mongo", "mongosh"],
}
CHANGING = ["install", "i", "add", "remove", "uninstall", "update", "upgrade", "sync", "lock", "ci"]
BRANCHES = english("branches")
BRANCH_GROUPS = {
    "protected": ["main", "master", "develop", "production", "release/*"],
    "default": ["main", "master"],
    "release": ["release", "release/*", "release-*"],
}
REMOTES = word_set("upstream origin")
FILE_ENDINGS = english("file_endings")
FILE_NAMES = english("file_names")
FOLDERS = english("folders")
SECRET_FILES = (".env", ".pem", ".key", "id_rsa", "id_ed25519", ".netrc", ".npmrc", ".ssh", ".aws")
ENV_EXAMPLES = [".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults"]
# Kinds of files that are known by the same names in every project.
FILE_KINDS = {
    "snapshot": ["*.snap", "**/__snapshots__/**"],
    "lock": ["*.lock", "package-lock.json", "pnpm-lock.yaml", "go.sum", "uv.lock"],
    "lockfile": ["*.lock", "package-lock.json", "pnpm-lock.yaml", "go.sum", "uv.lock"],
    "workflow": [".github/workflows/**"],
    "env": [".env", ".env.*"],
    "markdown": ["*.md"],
    "readme": ["README*"],
    "dotenv": [".env", ".env.*"],
}
TESTS = [
    "**/test/**", "**/tests/**", "**/__tests__/**", "**/e2e/**", "**/spec/**",
    "test_*", "*_test.*", "*.test.*", "*.spec.*", "*_spec.*", "conftest.py",
]  # fmt: skip
ENVIRONMENTS = ("production|prod|prd|live", "staging|stage|stg")
STEPS = {
    "test": "tests", "tests": "tests", "testsuite": "tests", "linter": "lint", "lint": "lint",
    "linters": "lint", "linting": "lint", "typecheck": "typecheck", "typechecker": "typecheck",
    "type-check": "typecheck", "type-checker": "typecheck", "typechecks": "typecheck",
    "formatter": "format", "formatting": "format", "build": "build",
}  # fmt: skip
APPROVAL = english("approval")
