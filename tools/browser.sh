#!/bin/sh
# Finds the browser that the tests of the page drive: a Chromium that is there already, or Debian's
# headless one, which is installed where this runs as root.
# The first line of the output is "ready PROGRAM", or "absent: REASON" where that can't be done;
# the exit status is 0 in both cases, so that tests can skip what is not there.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=$here/../.browser

absent() {
    echo "absent: $1"
    exit 0
}

find_browser() {
    for name in "${DMM_CHROMIUM:-}" chromium-headless-shell chromium google-chrome-stable; do
        [ -n "$name" ] && program=$(command -v "$name") && return 0
    done
    return 1
}

install_browser() {
    export DEBIAN_FRONTEND=noninteractive
    # A mirror may fail for a moment.
    for _ in 1 2 3; do
        apt-get update -qq &&
            apt-get install -y -qq --no-install-recommends chromium-headless-shell fonts-dejavu-core &&
            return 0
    done
    return 1
}

if ! find_browser; then
    command -v apt-get >/dev/null || absent "there is no Chromium on the PATH and no apt-get to install it"
    [ "$(id -u)" = 0 ] || absent "there is no Chromium on the PATH; as root: apt-get install chromium-headless-shell"
    mkdir -p "$folder"
    # Git never looks into it.
    echo '*' >"$folder/.gitignore"
    # Several test processes may ask at once; the first installs, the others wait for it.
    exec 9>"$folder/lock"
    command -v flock >/dev/null && flock 9
    find_browser || install_browser >"$folder/apt.log" 2>&1 ||
        absent "apt-get could not install Chromium; see $folder/apt.log"
    find_browser || absent "apt-get installed no Chromium; see $folder/apt.log"
fi
echo "ready $program"
