"""Spellings: the short and long names of one flag, by program and subcommand."""

from __future__ import annotations

from functools import lru_cache

_COMMON = "-h=--help -v=--verbose -q=--quiet"
_FILES = "-r=-R=--recursive -f=--force -i=--interactive -v=--verbose"
_NODE = (
    "-g=--global -D=--save-dev=--dev -S=--save -E=--save-exact=--exact"
    " -O=--save-optional=--optional"
    " -P=--save-prod --save-peer --no-save --legacy-peer-deps --frozen-lockfile"
    " --no-frozen-lockfile"
    " --ignore-scripts --dry-run -f=--force -w=--workspace -y=--yes"
)
_GIT = {
    "": "-C -c -p=--paginate -P=--no-pager --git-dir --work-tree --bare --exec-path",
    "add": "-n=--dry-run -v=--verbose -f=--force -i=--interactive -p=--patch -e=--edit -u=--update"
    " -A=--all -N=--intent-to-add --refresh --ignore-errors --chmod",
    "branch": "-d=--delete -m=--move -c=--copy -f=--force -a=--all -r=--remotes -v=--verbose"
    " -q=--quiet -t=--track -u=--set-upstream-to --no-track --unset-upstream --list --merged"
    " --no-merged --contains --show-current -D -M -C",
    "checkout": "-f=--force -t=--track -l -d=--detach -p=--patch -m=--merge -q=--quiet -b -B"
    " --orphan --ours --theirs --conflict --no-track --recurse-submodules",
    "cherry-pick": "-e=--edit -n=--no-commit -m=--mainline -s=--signoff -S=--gpg-sign -x --ff"
    " --continue --abort --skip --quit",
    "clean": "-f=--force -n=--dry-run -q=--quiet -i=--interactive -e=--exclude -d -x -X",
    "clone": "-b=--branch -o=--origin -n=--no-checkout -l=--local -s=--shared -u=--upload-pack"
    " -j=--jobs --depth --recursive --recurse-submodules --mirror --bare --single-branch",
    "commit": "-n=--no-verify -a=--all -m=--message -F=--file -p=--patch -s=--signoff -S=--gpg-sign"
    " -v=--verbose -q=--quiet -e=--edit -C=--reuse-message -c=--reedit-message -i=--include"
    " -o=--only -u=--untracked-files -t=--template -z=--null --amend --fixup --squash --author"
    " --date --dry-run --no-edit --allow-empty --allow-empty-message --no-gpg-sign --trailer"
    " --reset-author --no-signoff --no-status",
    "fetch": "-p=--prune -P=--prune-tags -a=--append -f=--force -t=--tags -n=--no-tags -k=--keep"
    " -j=--jobs -u=--update-head-ok --all --depth --unshallow --dry-run --multiple",
    "merge": "-n=--no-stat -m=--message -F=--file -e=--edit -s=--strategy -X=--strategy-option"
    " -S=--gpg-sign -q=--quiet -v=--verbose --no-ff --ff --ff-only --squash --no-commit --abort"
    " --continue --quit --no-verify --allow-unrelated-histories",
    "mv": "-f=--force -n=--dry-run -v=--verbose -k",
    "pull": "-r=--rebase -s=--strategy -X=--strategy-option -n=--no-stat -f=--force -t=--tags"
    " -p=--prune --no-rebase --ff-only --no-ff --autostash --all"
    " --depth --allow-unrelated-histories",
    "push": "-f=--force -d=--delete -n=--dry-run -u=--set-upstream -o=--push-option -q=--quiet"
    " -v=--verbose --force-with-lease --force-if-includes --mirror --all=--branches --tags --prune"
    " --no-verify --follow-tags --atomic --porcelain --signed --repo --receive-pack",
    "rebase": "-i=--interactive -x=--exec -s=--strategy -X=--strategy-option -r=--rebase-merges"
    " -f=--force-rebase=--no-ff -S=--gpg-sign -n=--no-stat --onto --root --continue --abort --skip"
    " --autosquash --autostash --no-verify --update-refs",
    "reset": "-q=--quiet -p=--patch -N=--intent-to-add --hard --soft --mixed --merge --keep",
    "restore": "-s=--source -p=--patch -W=--worktree -S=--staged -m=--merge -q=--quiet --ours"
    " --theirs --pathspec-from-file",
    "rm": "-f=--force -n=--dry-run -q=--quiet -r --cached --ignore-unmatch",
    "stash": "-p=--patch -k=--keep-index -u=--include-untracked -a=--all -m=--message -q=--quiet"
    " -S=--staged --index",
    "switch": "-c=--create -C=--force-create -f=--force=--discard-changes -d=--detach -t=--track"
    " -m=--merge -q=--quiet --guess --no-guess --orphan --no-track",
    "tag": "-a=--annotate -s=--sign -d=--delete -f=--force -l=--list -m=--message -F=--file"
    " -u=--local-user -v=--verify -n --sort --contains --points-at",
    "worktree": "-f=--force -d=--detach -b -B --lock --checkout --no-checkout --orphan",
}
_DOCKER_RUN = (
    "-d=--detach -i=--interactive -t=--tty -e=--env -v=--volume -p=--publish -P=--publish-all"
    " -u=--user -w=--workdir -l=--label -h=--hostname -m=--memory --rm --name"
    " --network --privileged"
    " --entrypoint --mount --env-file --platform --pull"
)
_DOCKER = {
    "run": _DOCKER_RUN,
    "create": _DOCKER_RUN,
    "exec": "-d=--detach -i=--interactive -t=--tty -e=--env -u=--user -w=--workdir --privileged",
    "build": "-t=--tag -f=--file -q=--quiet --no-cache --pull --push"
    " --build-arg --target --platform",
    "rm": "-f=--force -v=--volumes -l=--link",
    "rmi": "-f=--force --no-prune",
    "ps": "-a=--all -q=--quiet -n=--last -l=--latest -s=--size -f=--filter --no-trunc",
    "compose": "-v=--volumes -d=--detach -f=--file -p=--project-name"
    " --build --rmi --remove-orphans",
    "system": "-a=--all -f=--force --volumes --filter",
    "image": "-a=--all -f=--force --filter",
    "volume": "-a=--all -f=--force --filter",
    "container": "-f=--force -a=--all -v=--volumes --filter",
}
_SPELLINGS = {
    **{f"git {name}".strip(): flags for name, flags in _GIT.items()},
    **{f"{tool} {name}": flags for tool in ("docker", "podman") for name, flags in _DOCKER.items()},
    "docker-compose": _DOCKER["compose"],
    "rm": f"{_FILES} -I -d=--dir --no-preserve-root --one-file-system",
    "cp": f"{_FILES} -a=--archive -n=--no-clobber -u=--update -t=--target-directory -p -L -P",
    "mv": "-f=--force -i=--interactive -n=--no-clobber -u=--update -t=--target-directory"
    " -v=--verbose -b=--backup",
    "ln": "-s=--symbolic -f=--force -n=--no-dereference -i=--interactive -t=--target-directory"
    " -r=--relative",
    "mkdir": "-p=--parents -m=--mode -v=--verbose",
    "chmod": "-R=--recursive -v=--verbose -c=--changes -f=--silent=--quiet --reference",
    "chown": "-R=--recursive -v=--verbose -h=--no-dereference --from --reference",
    "grep": "-r=--recursive -R=--dereference-recursive -i=--ignore-case -l=--files-with-matches"
    " -L=--files-without-match -c=--count -q=--quiet=--silent -e=--regexp -f=--file"
    " -n=--line-number"
    " -v=--invert-match -E=--extended-regexp -F=--fixed-strings -P=--perl-regexp -m=--max-count"
    " -o=--only-matching -w=--word-regexp -A=--after-context -B=--before-context -C=--context"
    " --include --exclude --exclude-dir",
    "sed": "-i=--in-place -e=--expression -f=--file -n=--quiet=--silent -E=-r=--regexp-extended"
    " -s=--separate -z=--null-data",
    "tee": "-a=--append -i=--ignore-interrupts",
    "curl": "-X=--request -d=--data -H=--header -o=--output -O=--remote-name -L=--location"
    " -k=--insecure -u=--user -F=--form -T=--upload-file -f=--fail -s=--silent -S=--show-error"
    " -I=--head -G=--get -A=--user-agent -b=--cookie -c=--cookie-jar -e=--referer -x=--proxy"
    " -m=--max-time -K=--config -w=--write-out -v=--verbose -i=--include -J=--remote-header-name"
    " -E=--cert -D=--dump-header --data-raw --data-binary --data-urlencode --json --url --retry"
    " --connect-timeout --cacert --key --resolve --output-dir --proto --max-redirs --compressed",
    "wget": "-O=--output-document -o=--output-file -q=--quiet -c=--continue -r=--recursive"
    " -P=--directory-prefix -i=--input-file -U=--user-agent --no-check-certificate --post-data"
    " --post-file --header --user --password -N=--timestamping -k=--convert-links",
    "npm": _NODE,
    "pnpm": _NODE,
    "yarn": _NODE,
    "bun": _NODE,
    "pip": "-U=--upgrade -r=--requirement -c=--constraint -e=--editable -t=--target -i=--index-url"
    " -q=--quiet -y=--yes --user --no-deps --pre --extra-index-url --break-system-packages"
    " --force-reinstall --no-cache-dir --dry-run",
    "uv": "-U=--upgrade -p=--python -r=--requirement -n=--no-cache --dev --group --frozen --locked",
    "cargo": "-p=--package -F=--features -j=--jobs -r=--release -q=--quiet --workspace=--all"
    " --all-features --no-default-features --all-targets --locked --offline --no-verify"
    " --allow-dirty --dry-run --no-fail-fast --lib --bin --bins --test --tests --doc",
    "kubectl": "-n=--namespace -f=--filename -l=--selector -A=--all-namespaces -o=--output"
    " -R=--recursive -k=--kustomize -w=--watch -c=--container -i=--stdin -t=--tty --all --force"
    " --dry-run --grace-period --context --cascade",
    "helm": "-n=--namespace -f=--values -i=--install --set --dry-run --atomic --version",
    "make": "-B=--always-make -C=--directory -f=--file=--makefile -j=--jobs -k=--keep-going"
    " -n=--just-print=--dry-run=--recon -s=--silent=--quiet -i=--ignore-errors -t=--touch"
    " -q=--question",
    "pytest": "-x=--exitfirst -v=--verbose -q=--quiet -c=--config-file -h=--help -s=--capture"
    " -n=--numprocesses -k -m -p -o --lf=--last-failed --ff=--failed-first --cov --pdb",
    "gh pr": "-t=--title -b=--body -F=--body-file -B=--base -H=--head -d=--draft -f=--fill"
    " -l=--label -a=--assignee -r=--reviewer -m=--milestone -w=--web -R=--repo --admin --auto"
    " --squash --rebase --merge --delete-branch",
    "gh release": "-t=--title -n=--notes -F=--notes-file -d=--draft -p=--prerelease -R=--repo"
    " --target --generate-notes --latest --verify-tag",
    "glab mr": "-t=--title -d=--description -b=--target-branch -s=--source-branch -f=--fill"
    " -l=--label -a=--assignee -m=--milestone -y=--yes -R=--repo --draft",
    "psql": "-h=--host -p=--port -U=--username -d=--dbname -c=--command -f=--file -W=--password"
    " -w=--no-password -v=--set=--variable -o=--output -t=--tuples-only -A=--no-align -q=--quiet",
    "mysql": "-h=--host -P=--port -u=--user -p=--password -D=--database -e=--execute -B=--batch",
    "rsync": "-a=--archive -r=--recursive -n=--dry-run -v=--verbose -z=--compress -e=--rsh"
    " -u=--update -f=--filter --delete --delete-after --delete-before --exclude --include"
    " --remove-source-files --exclude-from --include-from --files-from",
}
_SHORTEST_CUT = 5
_MORE = {"pip3": "pip", "oc": "kubectl", "gsed": "sed", "egrep": "grep", "fgrep": "grep"}


@lru_cache(maxsize=128)
def _table(name: str) -> dict[str, tuple[str, ...]]:
    text = _SPELLINGS.get(_MORE.get(name, name), "")
    groups = [tuple(group.split("=")) for group in text.split()]
    return {flag: group for group in groups for flag in group}


def has_own(name: str) -> bool:
    """Tell whether the flags of a subcommand are known apart from those of its program."""
    return name in _SPELLINGS


def spellings_of(flag: str, name: str) -> tuple[str, ...]:
    """Give all names of a flag of a program or subcommand; a long one may be cut short."""
    table = _table(name)
    if not table or flag in table:
        return table.get(flag, (flag,))
    if not flag.startswith("--") or len(flag) < _SHORTEST_CUT:
        return (flag,)
    longer = {table[one] for one in table if one.startswith(flag)}
    return (flag, *longer.pop()) if len(longer) == 1 else (flag,)
