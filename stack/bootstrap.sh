#!/bin/sh
# Usage: sh stack/bootstrap.sh COMMAND [ARGUMENT…]
#
# Makes a fresh clone able to run COMMAND, and becomes it: installs the npm packages where they are missing or older
# than package-lock.json, and puts a Node that is new enough on PATH: the machine's, else the one npm installed.
# What is up to date costs no more than a look. Two that start together install once.
set -u

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P) || exit 1
modules=$root/node_modules
stamp=$modules/.orbweaver-installed
lock=$root/.cache/install.lock

fail() {
  echo "orbweaver: $1" >&2
  exit 1
}

lock_sum() { cksum <"$root/package-lock.json"; }

# npm writes .package-lock.json last: it is missing after an interrupted install. A file that is newer than
# package-lock.json was made from it; the stamp tells the same after a checkout gave the lock file a new time.
installed() {
  [ -f "$modules/.package-lock.json" ] || return 1
  [ -f "$root/package-lock.json" ] || return 0
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(lock_sum)" ] && return 0
  [ -n "$(find "$modules/.package-lock.json" -newer "$root/package-lock.json")" ]
}

# A folder is made by one of several at once. Its holder may have been killed: then the next one moves it away.
take_lock() {
  mkdir -p "$root/.cache" || fail "$root cannot be written, and its npm packages are not installed."
  told=
  waits=0
  until mkdir "$lock" 2>/dev/null; do
    holder=$(cat "$lock/pid" 2>/dev/null)
    if [ -n "$holder" ] && kill -0 "$holder" 2>/dev/null; then
      [ -n "$told" ] || echo "orbweaver: waiting for process $holder, which is installing the npm packages" >&2
      told=1
    elif [ -n "$holder" ] || [ "$waits" -ge 10 ]; then
      aside=$lock.$$
      if mv "$lock" "$aside" 2>/dev/null; then
        # Another waiter may have been here first, and hold it by now.
        [ "$(cat "$aside/pid" 2>/dev/null)" = "$holder" ] || mv "$aside" "$lock" 2>/dev/null
        rm -rf "$aside"
      fi
      waits=0
    fi
    waits=$((waits + 1))
    sleep 1
  done
  echo $$ >"$lock/pid"
  trap 'rm -rf "$lock"' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

install() {
  command -v npm >/dev/null 2>&1 || fail "npm is needed to install its packages: install Node.js (https://nodejs.org) with npm."
  echo "orbweaver: installing npm packages (about a minute, once)" >&2
  log=$root/.cache/install.$$
  # Packages for development are part of it: Node itself comes as one.
  set -- --include=dev --no-audit --no-fund --loglevel=error
  if (cd "$root" && npm ci "$@") >"$log" 2>&1; then
    :
  elif grep -q 'from lock file' "$log" && (cd "$root" && npm install --no-save "$@") >"$log" 2>&1; then
    # A lock file written where a registry lacked packages of other systems does not name them, and `npm ci` wants
    # them named even though it would not install them.
    :
  else
    cat "$log" >&2
    rm -f "$log"
    fail "npm could not install the packages; its messages are above."
  fi
  rm -f "$log"
  lock_sum >"$stamp"
}

if ! installed; then
  take_lock
  installed || install
  rm -rf "$lock"
  trap - EXIT HUP INT TERM
fi

# Node 22 from 22.19 on, and all from 24 on, run TypeScript and our HTTP client.
new_enough() {
  found=$("$1" --version 2>/dev/null) || return 1
  found=${found#v}
  major=${found%%.*}
  minor=${found#*.}
  minor=${minor%%.*}
  [ "$major" -ge 24 ] || { [ "$major" -eq 22 ] && [ "$minor" -ge 19 ]; }
}

if new_enough node; then
  PATH=$PATH:$modules/.bin
elif new_enough "$modules/node/bin/node"; then
  PATH=$modules/node/bin:$modules/.bin:$PATH
else
  fail "Node.js 22.19 or newer is needed, and npm has none for this system: install it from https://nodejs.org."
fi
# What was compiled once is not compiled again: a process of ours starts in half the time. Node does without a folder
# that cannot be written.
: "${NODE_COMPILE_CACHE=$root/.cache/compiled}"
export PATH NODE_COMPILE_CACHE

[ $# -gt 0 ] || fail "usage: sh stack/bootstrap.sh COMMAND [ARGUMENT…]"
command=$1
shift
[ -x "$modules/.bin/$command" ] && [ "$command" != node ] && command=$modules/.bin/$command
exec "$command" "$@"
