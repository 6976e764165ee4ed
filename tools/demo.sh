#!/bin/sh
# Builds a small sample project in .demo/ and shows what DMM does with it.
set -eu

cd "$(dirname "$0")/.."
sample=$PWD/tools/demo
demo=$PWD/.demo

command -v dmm >/dev/null || {
    echo "demo: the dmm command is not on the PATH; run 'make demo'" >&2
    exit 1
}

heading() {
    printf '\n=== %s\n' "$1"
}

# Prints a command as one would type it, then runs it; a second word is a filter for its output.
run() {
    printf '\n$ %s%s\n' "$1" "${2:+  # excerpt}"
    told=$(eval "$1")
    printf '%s\n' "$told" | eval "${2:-cat}" | fold -s -w 80 | sed 's/ *$//'
}

# Sends an event to the hook exactly as Claude Code does.
event() {
    printf '{"hook_event_name":"%s","session_id":"demo","cwd":"%s",%s}' "$1" "$PWD" "$2" |
        dmm-hook --client claude-code
}

# Sends a shell call to the hook and prints its verdict.
call() {
    printf '\nClaude Code wants to run: %s\n' "$1"
    event PreToolUse '"tool_name":"Bash","tool_use_id":"1","tool_input":{"command":"'"$1"'"}' |
        python3 -c '
import json, sys, textwrap
answer = json.load(sys.stdin)["hookSpecificOutput"]
print("The hook answers:", answer["permissionDecision"].upper())
print(textwrap.fill(answer["permissionDecisionReason"], 78, initial_indent="  ",
                    subsequent_indent="  ", break_on_hyphens=False))'
}

# A home of its own keeps the user's memories, settings and daemon out of the demo.
unset DMM_ROOT DMM_STATE_DIR XDG_STATE_HOME XDG_CONFIG_HOME GIT_DIR GIT_WORK_TREE
rm -rf "$demo"
mkdir -p "$demo/home"
HOME=$demo/home
DMM_RUN_DIR=$(mktemp -d)
export HOME DMM_RUN_DIR
trap 'dmm daemon stop >/dev/null 2>&1 || true; rm -rf "$DMM_RUN_DIR"' EXIT

cp -R "$sample/project" "$demo/lantern"
cd "$demo/lantern"
git init --quiet .
dmm init >/dev/null
rm -rf .dmm/memory
cp -R "$sample/memory" .dmm/memory
rm .dmm/memory/baseline/identity.md
cp -R "$sample/brief/." .dmm/memory
in_30_days=$(python3 -c 'import datetime as d; print(d.date.today() + d.timedelta(days=30))')
short_lived=.dmm/memory/ephemeral/checkout_test_fails_at_midnight.md
sed "s/@IN_30_DAYS@/$in_30_days/" "$short_lived" >"$demo/edited"
mv "$demo/edited" "$short_lived"
dmm trust --yes >/dev/null
dmm reindex >/dev/null

heading "1. A rule stops a forbidden call."
run 'dmm rules add "never push to main"' \
    'grep -E "^(added|  (state|blocks|allows):)"'
event SessionStart '"source":"startup"' >/dev/null
call 'git push origin main'

heading "2. A task gets its memory: a pack, then the receipt that explains it."
run 'dmm query "how many failed logins are allowed" --budget 450' \
    'sed -e "/^- Count/,\$d" -e "/^$/d" -e "/^---/d" -e "/^Generated:/d" -e "/^### Project/d"'
run 'dmm query "how many failed logins are allowed" \
    --budget 450 --explain' \
    'grep -A 1 -E "^(in|out) " | sed "/^--/d" | head -n 4'

heading "3. A session ends. DMM has learned from it, without a language model."
event UserPromptSubmit '"prompt":"The checkout test fails at midnight. Fix it."' >/dev/null
tool() {
    event PostToolUse '"tool_use_id":"'"$1"'","tool_name":"'"$2"'","tool_input":{'"$3"'},"tool_response":{'"$4"'}'
}
pytest='"command":"pytest tests/test_checkout.py"'
tool 2 Bash "$pytest" '"stdout":"1 failed, 11 passed","stderr":"","interrupted":false'
tool 3 Edit '"file_path":"'"$PWD"'/lantern/orders.py","old_string":"today()","new_string":"today(UTC)"' \
    '"filePath":"'"$PWD"'/lantern/orders.py"'
tool 4 Bash "$pytest" '"stdout":"12 passed","stderr":"","interrupted":false'
event Stop '"last_assistant_message":"Order dates came from the local clock. They now use UTC."'
event SessionEnd '"reason":"exit"'
run 'dmm search "checkout fails at midnight" --kind bugfix'
learned=$(dmm search "checkout fails at midnight" | sed -n 's/^\(obs_[0-9]*\) .*/\1/p')
run "dmm get $learned"

printf '\nNext: make install, then in your project: dmm init, dmm import, dmm install\n'
