#!/bin/sh
# Builds a small sample project in .demo/ and shows what dmm does with it.
set -eu

cd "$(dirname "$0")/.."
sample=$PWD/tools/demo
demo=$PWD/.demo

command -v dmm >/dev/null || {
    echo "demo: the command dmm is not on the PATH; run 'make demo'" >&2
    exit 1
}

heading() {
    printf '\n\n=== %s\n' "$1"
}

# Prints a command as one would type it, then runs it.
run() {
    printf '\n$ %s\n\n' "$1"
    eval "$1"
}

rm -rf "$demo"
mkdir -p "$demo/home"
cp -R "$sample/project" "$demo/lantern"
cp "$sample/monolith.md" "$demo/lantern/CLAUDE.md"
cd "$demo/lantern"

# A home of its own keeps the user's ~/.dmm memories out of the demo.
HOME=$demo/home
export HOME
unset DMM_ROOT

heading "Lantern, a small web shop. Its memory begins with one command."
run 'dmm init'

heading "The examples make room for what the shop's developers wrote down."
in_30_days=$(python3 -c 'import datetime as d; print(d.date.today() + d.timedelta(days=30))')
rm -rf .dmm/memory
cp -R "$sample/memory" .dmm/memory
short_lived=.dmm/memory/ephemeral/checkout_test_fails_at_midnight.md
sed "s/@IN_30_DAYS@/$in_30_days/" "$short_lived" >"$demo/edited"
mv "$demo/edited" "$short_lived"
run 'find .dmm/memory -name "*.md" | sort'

heading "Are the files sound?"
run 'dmm validate'

heading "The index is derived from the files and can be deleted at any time."
run 'dmm reindex'

heading "A task in, a pack out: the baseline, then what this task needs, within the budget."
run 'dmm query "add password reset to the login flow"'

heading "The receipt: why each memory is in the pack, or not."
run 'dmm query "add password reset to the login flow" --explain'

heading "Asked for something that memory does not know, the pack abstains."
run 'dmm query "what is the capital of France"'

heading "Somebody changes code that a memory cites. The pack now labels that memory."
run "sed 's/^THROTTLE_ATTEMPTS = 5\$/THROTTLE_ATTEMPTS = 10/' lantern/auth.py >edited && mv edited lantern/auth.py"
run 'dmm query "how many failed login attempts are allowed" --budget 600'

heading "A monolithic instruction file, split into memories. This is a preview; nothing is written."
run 'dmm import CLAUDE.md'

heading "The state of this memory."
run 'dmm status'

cat <<'EOF'


=== Your own project

  make install                                    puts dmm into ~/.local/bin
  cd your-project && dmm init                     then: dmm import CLAUDE.md --apply
  dmm query "the task you are about to start"     the pack for your agent
EOF
