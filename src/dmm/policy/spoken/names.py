"""Names that are known: programs, package managers, files, branches; small and curated."""

from __future__ import annotations

from dmm.policy.commands.options import SUBCOMMANDED
from dmm.policy.commands.procedures import LINT, TESTS, TYPES
from dmm.policy.wordsets import word_set

NAMES_VERSION = 2

# Words of everyday language as well: they need an argument, or to be written as code.
AMBIGUOUS = word_set(
    """make go find cat less more test kill cut sort at who time head tail node top date sleep watch
    open code echo touch install split join expand fold screen service mount rake mix bundle
    just task poetry gem hatch flit composer act read env cargo brew
    eval python java ruby perl rails crystal swift zip tar file link patch diff reboot shutdown
    halt"""
)
PROGRAMS = SUBCOMMANDED | AMBIGUOUS | word_set(
    """rm rmdir mv cp dd chmod chown chgrp ln sed awk grep rg curl wget ssh scp rsync sudo su doas
    bash sh zsh npx bunx pnpx pipx pip pip3 python3 pytest tox nox mypy ruff black isort flake8
    pylint eslint prettier jest vitest mocha tsc webpack vite gulp grunt lerna nx turbo psql mysql
    mysqldump mongosh mongo sqlite3 redis-cli dropdb createdb pg_dump pg_restore alembic flyway
    liquibase prisma knex sequelize dbmate goose atlas ansible ansible-playbook vagrant packer
    nomad consul vault kustomize skaffold minikube kind k9s eksctl sam serverless cdk cdktf
    wrangler netlify firebase supabase fly railway killall pkill crontab systemctl journalctl
    iptables ufw nmap nc telnet ftp sftp mkfs fdisk shred wipefs useradd userdel passwd visudo
    npm pnpm yarn bun uv pdm pipenv mvn gradle gradlew ant sbt bazel cmake ninja rustc rustup gcc
    clang javac php artisan django-admin flask uvicorn gunicorn celery black twine xargs tee nohup
    truncate gsutil gh glab svn hg jj aws az gcloud terraform terragrunt tofu pulumi docker podman
    docker-compose kubectl helm oc git deno make apt apt-get yum dnf pacman snap stripe doctl"""
)  # fmt: skip
# Used in every other command line, for many things.
EVERYWHERE = word_set("grep find cat sed awk ls head tail python python3 node bash sh echo")
MANAGERS = {
    "javascript": ("npm", "yarn", "pnpm", "bun"),
    "python": ("pip", "poetry", "pipenv", "conda", "pdm", "uv"),
}
# What changes packages; the rest of a manager's commands only look or run.
CHANGING = "install|i|add|remove|uninstall|update|upgrade|sync|lock|ci"
BOTH_NAMES = {
    "pip": ("pip", "pip3"),
    "python": ("python", "python3"),
    "mongo": ("mongo", "mongosh"),
}
SAME_OPERAND = {
    ("npm", "install"): "install|i|add|in|ins",
    ("npm", "uninstall"): "uninstall|remove|rm|un|r",
    ("npm", "ci"): "ci|clean-install",
    ("pnpm", "install"): "install|i",
    ("apt", "remove"): "remove|purge",
    ("apt-get", "remove"): "remove|purge",
}
EXECUTABLE_ENDINGS = (".sh", ".bash", ".zsh", ".ps1", ".bat", ".cmd")
FILE_ENDINGS = word_set(
    """py pyi js jsx ts tsx mjs cjs json lock toml yml yaml md sql env pem key cfg ini conf txt csv
    go rs rb java kt c h cpp hpp cs php sh bash ps1 bat tf tfvars tfstate proto graphql html css
    scss vue svelte xml gradle mod sum ipynb snap log db sqlite sqlite3 prisma crt p12 plist
    swift lua"""
)
FILE_NAMES = frozenset({
    "Dockerfile", "Makefile", "LICENSE", "Gemfile", "Rakefile", "Procfile", "Jenkinsfile",
    "Vagrantfile", "CODEOWNERS", "Pipfile", "Justfile", "Brewfile",
})  # fmt: skip
# Files and folders that are known by their name alone.
DOTFILES = word_set(
    """.env .gitignore .gitattributes .gitmodules .npmrc .yarnrc .pypirc .netrc .pgpass .github
    .gitlab .circleci .vscode .idea .git .ssh .aws .kube .docker .husky .dockerignore .editorconfig
    .eslintrc .prettierrc .babelrc .envrc .htaccess .htpasswd .claude .codex .cursor .dmm .venv
    .terraform .pre-commit-config.yaml .gitlab-ci.yml .travis.yml .bashrc .zshrc .profile"""
)
SECRET_FILES = (
    ".env", ".pem", ".key", "id_rsa", "id_ed25519", ".netrc", ".pgpass", ".npmrc", ".ssh", ".aws",
    ".p12", "credential", "secret", ".htpasswd", ".pypirc", ".envrc",
)  # fmt: skip
ENV_EXAMPLES = (".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults")
BRANCHES = word_set(
    """main master trunk develop development staging production prod release stable next gh-pages
    live dev"""
)
ENVIRONMENTS = {
    "production": ("production", "prod", "prd", "live"),
    "staging": ("staging", "stage", "stg"),
    "development": ("development", "dev", "local", "localhost"),
    "test": ("test", "testing", "qa", "sandbox"),
}
PROCEDURES = {
    "test": TESTS,
    "linter": LINT,
    "lint": LINT,
    "typecheck": TYPES,
    "typechecker": TYPES,
    "type-check": TYPES,
    "type-checker": TYPES,
}
