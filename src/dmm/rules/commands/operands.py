"""Operands: which argument of which program is a file that is read or changed, as one table."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple, cast

from dmm.rules.commands.procedures import PROGRAMS
from dmm.rules.commands.runs import SHELLS
from dmm.rules.commands.wrappers import CARRIERS

if TYPE_CHECKING:
    from dmm.rules.commands.facts import Access, CommandUse

# A line: programs (`git:add` is a subcommand), flags that are needed (`+-i|--in-place`) or must
# not be there (`~--check`), a colon, and what is done: an access, the arguments it is done to and,
# after a slash, what it reaches (see `PathUse`). The first line that fits decides.
#
# Arguments: `*` all operands, `1` the first, `2-` from the second on, `-1` the last, `..-1` all but
# the last; `into` what a copy makes of the last; `--` behind a double dash; `.` the folder that the
# command runs in, `!.` if no operand is given and `?.` if one is; `-o|--output` the value of a
# flag; `of=` an operand of that form; `found` what `find` finds; `url` the file that a URL is saved
# as; `colon` what follows a colon.
_TABLE = """
cat less more head tail cut uniq strings xxd od hexdump base64 base32 bat batcat nl tac diff : read *
vim vi nvim nano emacs code view open paste column fold fmt rev pr comm join expand cmp sdiff : read *
ed ex vimdiff colordiff delta look split iconv gpg age sops zcat tr : read *
sort : read *, write -o|--output
grep egrep fgrep zgrep rg +-q|-c|-l|-L|--quiet|--count :
sed gsed +-i|--in-place +-e|-f|--expression|--file : write *
sed gsed +-i|--in-place : write 2-
awk gawk +-i=inplace +-f|--file : write *
awk gawk +-i=inplace : write 2-
grep egrep fgrep zgrep rg sed gsed jq yq +-e|-f|--regexp|--file|--expression : read *
ag ack awk gawk mawk nawk +-e|-f|--regexp|--file|--expression : read *
grep egrep fgrep zgrep rg ag ack awk gawk mawk nawk sed gsed jq yq : read 2-
perl ruby +-i +-e|-E : write *
perl ruby +-i : write 2-
perl ruby +-e|-E : read *
install +-d|--directory : create *
cp scp install ditto : read ..-1, write into
ln : read ..-1, write into/link
rsync +-n|--dry-run :
rsync +--delete|--delete-before|--delete-during|--delete-after|--delete-excluded : read ..-1, write into, delete -1/all
rsync : read ..-1, write into
mv : read ..-1, rename ..-1, rename into, write into
rm trash trash-put +-r|-R|--recursive : delete */all
rm unlink shred trash trash-put : delete *
truncate tee sponge patch : write *
touch mkdir : create *
source . : load 1
dd : read if=, write of=
xargs : read -a|--arg-file
find +-delete : delete found/deep
find :
openssl:enc openssl:base64 openssl:dgst openssl:smime openssl:cms : read -in, write -out
openssl:aes-256-cbc openssl:aes-128-cbc openssl:aes-192-cbc openssl:des3 openssl:des : read -in, write -out
openssl :
wget +-O|--output-document : write -O|--output-document
wget +--spider|-i|--input-file :
wget : write url
curl +-O|--remote-name|--remote-name-all : write url, write -o|--output
curl : write -o|--output
unzip +-l|-t|-Z|-p|-v :
unzip +-d : write -d/some
unzip : write ./some
prettier +--write|-w : write */some
black isort rustfmt +--check|--diff|--check-only|-c :
black isort rustfmt : write */some
ruff:format +--check|--diff :
ruff:format : write */some, write !./some
ruff:check +--fix : write */some, write !./some
gofmt goimports gofumpt shfmt +-w : write */some
eslint stylelint oxlint standard +--fix : write */some, write !./some
biome:format biome:check biome:lint +--write|--fix|--apply : write */some, write !./some
clang-format autopep8 yapf +-i|--in-place : write */some
cargo:fmt go:fmt dprint:fmt deno:fmt terraform:fmt tofu:fmt zig:fmt mix:format +--check|-check :
cargo:fmt go:fmt dprint:fmt deno:fmt terraform:fmt tofu:fmt zig:fmt mix:format : write ./some
git:add git:stage git:commit git:diff git:difftool git:rm git:clean git:log git:show +--dry-run|--stat|--name-only|--name-status|--quiet|--numstat|--shortstat :
git:add git:stage git:clean +-n :
git:add git:stage +-u|--update : read */changed, read !./changed
git:add git:stage : read */changed+untracked, read !./changed+untracked
git:commit +-a|--all : read */changed, read ./changed+staged
git:commit : read */changed, read !./staged
git:diff git:blame git:annotate git:archive git:difftool git:hash-object : read *
git:log +-p|-u|--patch : read *
git:show git:cat-file : read colon, read --
git:grep : read 2-
git:mv : rename ..-1, rename into
git:rm +--cached :
git:rm : delete */all
git:clean +-x : delete */untracked+ignored, delete !./untracked+ignored
git:clean +-X : delete */ignored, delete !./ignored
git:clean : delete */untracked, delete !./untracked
git:restore +--staged|-S ~-W|--worktree :
git:restore : write */changed
git:checkout +-- : write --/changed
git:checkout +-b|-B|--orphan : write ?./any
git:checkout : write 1/changed+existing, write 2-/changed, write ./any
git:switch +-c|-C|--create|--orphan : write ?./any
git:reset +--hard|--merge|--keep : write ./changed, write ./any
git:stash:list git:stash:show git:stash:drop git:stash:clear git:stash:create :
git:stash git:pull git:merge git:rebase git:switch git:cherry-pick git:revert git:am : write ./any
gh:pr:checkout jj:new jj:edit hg:update hg:pull hg:merge svn:update : write ./any
git :
apply_patch ls stat test [ [[ file du df wc rmdir chmod chown chgrp chattr realpath readlink dirname :
basename pwd cd pushd popd tree which type whereis man echo printf true false exit export set unset :
alias local declare typeset readonly read sleep kill pkill killall ps date md5sum sha1sum sha256sum :
sha512sum shasum cksum sum b2sum lsof fuser getfacl setfacl xattr ssh-add ssh-keygen ssh-copy-id :
ssh-agent cmake ninja meson gcc cc clang g++ c++ ld rustc javac java kotlinc swiftc tsc esbuild vite :
webpack rollup swc babel prettier gofmt mysqld postgres nginx caddy ansible ansible-playbook mkcert :
certbot dmm direnv just task next nuxt storybook mktemp gunzip :
"""  # noqa: E501 - a row is a line


class Row(NamedTuple):
    """What an invocation does to its arguments, where its flags fit."""

    needed: tuple[str, ...]
    refused: tuple[str, ...]
    uses: tuple[tuple[Access, str, str], ...]

    def fits(self, use: CommandUse) -> bool:
        """Tell whether an invocation has the flags of this row."""
        return all(_has(use, one) for one in self.needed) and not any(
            _has(use, one) for one in self.refused
        )


def _has(use: CommandUse, flags: str) -> bool:
    return bool(use.options.separated) if flags == "--" else use.options.has_exactly(flags)


@cache
def _table() -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for line in _TABLE.strip().splitlines():
        head, _, tail = line.rpartition(" :")
        words = head.split()
        uses = (one.split() for one in tail.split(",") if one.strip())
        row = Row(
            tuple(one[1:] for one in words if one[0] == "+"),
            tuple(one[1:] for one in words if one[0] == "~"),
            tuple((cast("Access", name), *_parted(place)) for name, place in uses),
        )
        for one in words:
            if one[0] not in "+~":
                found.setdefault(one, []).append(row)
    for name in CARRIERS | SHELLS | PROGRAMS | {":"}:
        found.setdefault(name, []).append(Row((), (), ()))
    return found


def _parted(place: str) -> tuple[str, str]:
    selector, _, reach = place.partition("/")
    return selector, reach


@cache
def changing_unnamed() -> frozenset[str]:
    """Name the programs that may change files that their words do not name."""
    return frozenset({"tar", "bsdtar", "gtar"}).union(
        name.partition(":")[0]
        for name, rows in _table().items()
        for row in rows
        if any(access != "read" and place in (".", "!.", "?.") for access, place, _ in row.uses)
    )


def row_of(use: CommandUse) -> tuple[Row, int] | None:
    """Find the row of an invocation, and how many of its operands are subcommands."""
    program, operands = use.invocation.program, use.options.operands
    named = [program, *(word.text for word in operands[:2])]
    for depth in range(len(named), 0, -1):
        for row in _table().get(":".join(named[:depth]), ()):
            if row.fits(use):
                return row, depth - 1
    return None
