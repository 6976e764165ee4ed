#!/bin/sh
# Runs Claude Code with DMM beside it: the daemon is there before the first prompt, and is stopped
# at the end unless it ran before. Usage: claude-with-dmm.sh [arguments of claude]
#
# You rarely need this: after `dmm install` the first hook starts the daemon, and it leaves by
# itself when nobody needs it. It is for machines where hooks may not start programs.
set -u

pid_file=$(mktemp -u "${TMPDIR:-/tmp}/dmm-XXXXXX")

stop() {
    trap - EXIT
    [ ! -e "$pid_file" ] || dmm daemon stop --pid-file "$pid_file" >/dev/null 2>&1
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Without memory the agent still works; a failure here must not keep it from starting.
dmm daemon health >/dev/null 2>&1 ||
    dmm daemon start --pid-file "$pid_file" >/dev/null ||
    echo "claude-with-dmm: going on without memory; see: dmm daemon logs" >&2

"${DMM_CLAUDE:-claude}" "$@"
