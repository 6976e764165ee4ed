"""Words: verbs by what they do, programs, files, branches and places; small and curated."""

from __future__ import annotations

import re

from dmm.rules.commands.options import SUBCOMMANDED
from dmm.rules.commands.procedures import PROGRAMS as _STEP_PROGRAMS
from dmm.rules.language.sentences.pieces import word_set

_GROUPS = {
    "run": "run execute invoke issue launch exec trigger rerun",
    "use": "use call employ leave pass supply apply",
    "import": "import",
    "edit": "edit modify change alter update rewrite write overwrite patch format reformat",
    "touch": "touch",
    "access": "access",
    "read": "read open view print show display dump expose search look grep cat source load",
    "delete": "delete remove erase",
    "rename": "rename move",
    "create": "create",
    "commit": "commit",
    "push": "push",
    "force-push": "force-push",
    "merge": "merge",
    "rebase": "rebase",
    "install": "install",
    "add": "add introduce depend bring include put append mention insert",
    "skip": "skip bypass circumvent disable suppress silence ignore",
    "amend": "amend",
    "hard-reset": "hard-reset",
    "bump": "bump",
    "hardcode": "hardcode hard-code embed",
}
_IRREGULAR = {"written": "edit", "overwritten": "edit", "rewritten": "edit", "shown": "read"}


def _inflected(verb: str) -> set[str]:
    stem = verb.removesuffix("e")
    doubled = verb + verb[-1]
    forms = {f"{one}{end}" for one in (verb, stem, doubled) for end in ("ing", "ed")}
    return forms | {verb, f"{verb}s", f"{verb}es"}


VERBS = _IRREGULAR | {
    form: group
    for group, verbs in _GROUPS.items()
    for verb in verbs.split()
    for form in _inflected(verb)
}
NOUNS = {
    "push": "push", "pushes": "push", "commit": "commit", "commits": "commit", "edit": "edit",
    "edits": "edit", "change": "edit", "changes": "edit", "modification": "edit",
    "modifications": "edit", "force-push": "force-push", "force-pushes": "force-push",
    "merge": "merge", "merges": "merge",
}  # fmt: skip
# Adverbs and phrases that narrow nothing: whoever acts through a tool acts this way.
IDLE = word_set(
    """directly straight ever again manually yourself yourselves automatically here anywhere please
    simply just blindly ourselves itself accidentally any more anymore everywhere instead
    absolutely strictly exclusively locally remotely altogether"""
)
_PHRASES = """under any circumstances, under no circumstances, for any reason, in any case,
    at any time, at any point, by hand, at all, no matter what, on your own, as a dependency,
    by yourself, from the shell, in the terminal, in any form, on any machine, or anything else,
    on either remote, on any remote, of any kind, in any environment, in every environment,
    in all environments, in new code, into the repo, in the code, in code, in our code,
    in committed code, to the repo, to the repository, to git, into git, to version control"""
PHRASES = tuple(tuple(phrase.split()) for phrase in re.split(",", _PHRASES))
# "in this repository", "for this project", "of our code base" narrow nothing either.
WHOLE = word_set(
    "repo repository project codebase monorepo workspace tree branch package app code-base here"
)
# Words of everyday language as well: they need an argument, or to be written as code.
AMBIGUOUS = word_set(
    """make go find cat less more test kill cut sort at who time head tail node top date sleep watch
    open code echo touch install split join expand fold screen service mount rake mix bundle just
    task poetry gem hatch flit composer act read env cargo brew eval python java ruby perl rails
    swift zip tar file link patch diff reboot shutdown halt flow standard tap robot trial prove
    pest ava unittest playwright black vault fly atlas goose kind sam flask celery ant"""
)
_PROGRAMS = SUBCOMMANDED | AMBIGUOUS | _STEP_PROGRAMS | word_set(
    """rm rmdir mv cp dd chmod chown ln sed awk grep rg curl wget ssh scp rsync sudo su doas bash sh
    zsh npx bunx pipx pip3 python3 isort prettier webpack vite gulp lerna nx turbo psql mysql
    mysqldump mongosh mongo sqlite3 dropdb createdb pg_dump pg_restore alembic flyway liquibase
    knex sequelize dbmate ansible ansible-playbook vagrant packer nomad consul kustomize skaffold
    minikube eksctl serverless cdk wrangler netlify firebase supabase killall pkill crontab
    journalctl iptables nmap nc telnet ftp sftp mkfs fdisk shred useradd userdel passwd pipenv mvn
    gradle gradlew sbt bazel cmake ninja rustc rustup gcc clang javac php artisan django-admin
    uvicorn gunicorn xargs tee nohup truncate deno yum dnf pacman snap stripe doctl httpie tsx"""
)  # fmt: skip
PROGRAMS = _PROGRAMS - {"check", "nose", "unit"}
# A command never begins with these; a program in a language does.
KEYWORDS = word_set(
    """export import from as any let const var type interface class def function fn pub async await
    return new if else for while try catch except raise throw public private static use enum struct
    impl match package with global del not in is and or null none true false void"""
)
# "Git actions" are no command: in prose its subcommand must be one.
GIT = word_set(
    """add am apply bisect blame branch checkout clean clone commit config diff fetch gc init log
    merge mv notes pull push rebase reflog remote reset restore revert rm show stash status
    submodule switch tag worktree"""
)
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
BOTH_NAMES = {
    "pip": ["pip", "pip3"],
    "python": ["python", "python3"],
    "mongo": ["mongo", "mongosh"],
}
CHANGING = ["install", "i", "add", "remove", "uninstall", "update", "upgrade", "sync", "lock", "ci"]
BRANCHES = word_set(
    """main master trunk develop development staging production prod release stable next gh-pages
    live dev"""
)
BRANCH_GROUPS = {
    "protected": ["main", "master", "develop", "production", "release/*"],
    "default": ["main", "master"],
    "release": ["release", "release/*", "release-*"],
}
REMOTES = word_set("upstream origin")
FILE_ENDINGS = word_set(
    """py pyi js jsx ts tsx mjs cjs json lock toml yml yaml md mdx sql env pem key cfg ini conf txt
    csv go rs rb java kt c h cpp hpp cs php sh bash ps1 bat tf tfvars tfstate proto graphql html css
    scss vue svelte xml gradle mod sum ipynb snap log db sqlite sqlite3 prisma crt p12 plist
    swift lua rst"""
)
FILE_NAMES = word_set(
    """Dockerfile Makefile LICENSE Gemfile Rakefile Procfile Jenkinsfile Vagrantfile CODEOWNERS
    Pipfile Justfile Brewfile"""
)
# Top folders that a path in plain prose may begin with.
FOLDERS = word_set(
    """src lib libs app apps packages tests test docs config scripts infra deploy db internal cmd
    pkg api server web frontend backend services modules crates vendor migrations tools public"""
)
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
APPROVAL = word_set(
    """approval permission asking consent confirmation confirming review authorization sign-off
    signoff approved consulting discussion discussing checking agreement okay ok request instruction
    being"""
)
