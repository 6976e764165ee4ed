"""Options: the flags, their values and the operands of one invocation."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dmm.policy.commands.globs import matches_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.policy.commands.values import Invocation, Word

_GIT = "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source"
_KUBECTL = "-n --namespace --context --cluster --kubeconfig -l --selector -f --filename -o --output"
_CLOUD = "--profile --region --project --output --query --endpoint-url --account"
_VALUED = {
    "git": _GIT,
    "git commit": "-m --message -F --file -C -c --author --date -t --template --trailer --fixup",
    "git tag": "-m --message -F --file -u",
    "git stash": "-m --message",
    "git merge": "-m --message -s --strategy -X -F --file",
    "git push": "-o --push-option --repo --receive-pack --exec",
    "git clean": "-e --exclude",
    "git restore": "-s --source --pathspec-from-file",
    "git checkout": "-b -B --orphan --conflict --pathspec-from-file",
    "git switch": "-c -C --create --orphan",
    "git rebase": "-x --exec --onto -s -X --strategy",
    "git reset": "--pathspec-from-file",
    "git notes": "-m -F",
    "kubectl": _KUBECTL,
    "oc": _KUBECTL,
    "helm": "-n --namespace --kube-context --kubeconfig -f --values --set --version",
    "docker": "-H --host --context -c --config -l --log-level",
    "docker-compose": "-f --file -p --project-name",
    "aws": _CLOUD,
    "gcloud": _CLOUD,
    "az": "--subscription --resource-group -g -n --name",
    "npm": "--prefix -C --registry --workspace -w --tag --userconfig",
    "pnpm": "--dir -C --filter -F --registry",
    "yarn": "--cwd --registry",
    "pip": "-r --requirement -c --constraint -i --index-url --extra-index-url -t --target -e",
    "uv": "--directory --project -p --python -r --requirement --index-url --group --extra",
    "poetry": "-G --group -C --directory --extras -E",
    "cargo": "--manifest-path --target-dir -p --package --features -F --git --branch --path",
    "twine": "-r --repository --repository-url -u -p --config-file",
    "make": "-C -f -j",
    "chmod": "--reference",
    "terraform": "",
    "grep": "-e -f -m -A -B -C --include --exclude --exclude-dir --max-count --regexp --file",
    "rg": "-e -f -m -A -B -C -g --glob -t --type -T --regexp --file",
    "sed": "-e -f --expression --file",
    "head": "-n -c",
    "tail": "-n -c",
    "awk": "-F -v -f",
    "jq": "--arg --argjson --indent -f --from-file",
    "cut": "-d -f -c -b",
    "sort": "-k -t -o -S -T",
    "scp": "-i -P -o -F -S -c -J -l",
    "rsync": "-e --rsh --exclude --include --exclude-from --include-from --files-from -f --filter",
    "install": "-m -o -g -t",
    "dmm": "--root",
    "redis-cli": "-h -p -a -n -u -s --user --pass",
    "gh": "-R --repo -t --title -b --body",
}
VALUED = {name: frozenset(options.split()) for name, options in _VALUED.items()}
SUBCOMMANDED = frozenset({
    "git", "kubectl", "oc", "helm", "docker", "podman", "docker-compose", "aws", "gcloud", "az",
    "npm", "pnpm", "yarn", "bun", "pip", "pip3", "uv", "poetry", "pdm", "cargo", "go", "gem",
    "twine", "terraform", "tofu", "terragrunt", "pulumi", "gh", "glab", "apt", "apt-get", "brew",
    "systemctl", "rails", "rake", "prisma", "flyctl", "heroku", "vercel", "conda", "dotnet",
    "composer", "mix", "bundle", "jj", "hg", "svn", "gsutil", "s3cmd", "rclone", "redis-cli", "dmm",
})  # fmt: skip
LONG_WITH_ONE_DASH = frozenset({"find", "terraform", "tofu", "terragrunt", "java", "go", "openssl"})
_NO_OPTIONS: frozenset[str] = frozenset()
# They take no option in front of the subcommand that is not known here.
_REFUSING = frozenset({"git"})


class Options(NamedTuple):
    """The arguments of one invocation, sorted: `-rf` counts as `-r` and `-f`.

    `open` says that some of them are not known; a `*` stands in their place.
    """

    flags: frozenset[str]
    operands: tuple[Word, ...]
    separated: tuple[Word, ...]
    open: bool = False

    def has(self, alternatives: str) -> bool:
        """Tell whether one of the alternatives (`-r|-R|--recursive`) is given.

        A long option may be cut short as far as GNU and Git allow it to be.
        """
        for wanted in alternatives.split("|"):
            if wanted in self.flags:
                return True
            if wanted.startswith("--") and any(
                len(flag) >= _SHORTEST_CUT and wanted.startswith(flag) for flag in self.flags
            ):
                return True
        return False

    def may_have(self, alternatives: str) -> bool:
        """Tell whether one of the alternatives, which may be globs, is given or may be."""
        if self.has(alternatives):
            return True
        given = (*self.flags, *(word.text for word in self.operands if self.open))
        looked_at = self.open or "*" in alternatives
        return looked_at and any(self.either(one, alternatives) for one in given)

    def either(self, text: str, alternatives: str) -> bool:
        """Tell whether an argument is one of the alternatives, or may be."""
        return any(
            matches_name(text, wanted) or (self.open and matches_name(wanted, text))
            for wanted in alternatives.split("|")
        )

    def has_exactly(self, alternatives: str) -> bool:
        """Tell whether one of the alternatives is given in full."""
        return any(wanted in self.flags for wanted in alternatives.split("|"))


_SHORTEST_CUT = 5


def read_options(invocation: Invocation) -> Options:
    """Sort the arguments of an invocation into flags and operands."""
    program = invocation.program
    valued = VALUED.get(program, _NO_OPTIONS)
    whole = program in LONG_WITH_ONE_DASH
    flags: set[str] = set()
    operands: list[Word] = []
    words = invocation.words[1:]
    at = 0
    while at < len(words):
        text = words[at].text
        at += 1
        if text == "--":
            return Options(frozenset(flags), (*operands, *words[at:]), words[at:])
        if not text.startswith("-") or text == "-":
            if not operands and program in SUBCOMMANDED:
                valued = valued | VALUED.get(f"{program} {text}", _NO_OPTIONS)
            operands.append(words[at - 1])
            continue
        _add_flags(text, flags, whole=whole)
        at += text in valued
    return Options(frozenset(flags), tuple(operands), ())


def _add_flags(text: str, flags: set[str], *, whole: bool) -> None:
    name = text.partition("=")[0]
    flags.add(name)
    if not whole and not text.startswith("--"):
        flags.update(f"-{letter}" for letter in name[1:])


def subcommand_at(words: Sequence[Word]) -> int:
    """Give the place of the subcommand; that behind the last word where there is none."""
    valued = VALUED.get(words[0].text.rpartition("/")[2], _NO_OPTIONS)
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in valued else 1
    return at


def subcommand_readings(
    words: Sequence[Word], most: int = 8
) -> list[tuple[tuple[Word, ...], str, str]]:
    """Leave out what may be the value of an option in front of the subcommand.

    It is not known of every option whether it takes a value: in `npm --x y z` the subcommand may be
    `y` or `z`. Each reading comes with the option and the value that it leaves out. One more than
    `most` says that there are too many.
    """
    program = words[0].text.rpartition("/")[2] if words else ""
    if program not in SUBCOMMANDED or program in _REFUSING:
        return []
    valued = VALUED.get(program, _NO_OPTIONS)
    found: list[tuple[tuple[Word, ...], str, str]] = []
    kept = list(words)
    at = 1
    while at + 2 < len(kept) and kept[at].text.startswith("-") and len(found) <= most:
        option, following = kept[at].text, kept[at + 1].text
        if option in valued:
            at += 2
        elif following.startswith("-") or not _may_take_value(option):
            at += 1
        else:
            del kept[at + 1]
            found.append((tuple(kept), option, following))
            at += 1
    return found


def _may_take_value(option: str) -> bool:
    long = option.startswith("--") and option != "--"
    return long and "=" not in option and not option.startswith("--no-")
