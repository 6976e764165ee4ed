#!/bin/sh
# Installs the real clients that the tests drive, pinned, into .clients (or the folder DMM_CLIENTS).
# The first line of the output is "ready FOLDER", or "absent: REASON" where that can't be done;
# the exit status is 0 in both cases, so that tests can skip what is not there.
# "clients.sh lock" resolves the packages of tools/clients/package.json anew.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=${DMM_CLIENTS:-$here/../.clients}

absent() {
    echo "absent: $1"
    exit 0
}

[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || absent "the clients are pinned for Linux on x86-64"
command -v npm >/dev/null || absent "npm is not on the PATH"

if [ "${1:-}" = lock ]; then
    cd "$here/clients"
    rm -f package-lock.json
    npm install --package-lock-only --ignore-scripts --omit-lockfile-registry-resolved=true \
        --no-audit --no-fund --loglevel=error
    exec node trim.mjs package-lock.json
fi

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
stamp=$folder/installed.json
# Several test processes may ask at once; the first installs, the others wait for it.
exec 9>"$folder/lock"
command -v flock >/dev/null && flock 9
if ! cmp -s "$here/clients/package-lock.json" "$stamp"; then
    rm -f "$stamp"
    # Git never looks into it.
    echo '*' >"$folder/.gitignore"
    cp "$here/clients/package.json" "$here/clients/package-lock.json" "$folder/"
    # No package runs code of its own while it is installed.
    npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error \
        >"$folder/npm.log" 2>&1 || absent "npm could not install them; see $folder/npm.log"
    cp "$here/clients/package-lock.json" "$stamp"
fi
echo "ready $folder"
