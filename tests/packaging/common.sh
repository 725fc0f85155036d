# What the packaging tests share; source it. Sets `root` (the checkout), `bin` and `work`, which is gone at the end.
# shellcheck shell=bash
set -euo pipefail
# shellcheck source=tests/packaging/tools.sh
source "$(dirname "${BASH_SOURCE[0]}")/tools.sh"
build=$1
bin=$build/bin
work=$(mktemp -d)
processes=() # end with 0 when they are told to stop
others=()    # however they end

failed=0
wrong() { # WHAT: says what is wrong and goes on
  printf '%s\n' "$*" >&2
  failed=1
}
stop_processes() { # each must end well
  local pid status
  ((${#processes[@]})) || return 0
  kill -TERM "${processes[@]}" 2>/dev/null || true
  for pid in "${processes[@]}"; do
    status=0
    wait "$pid" || status=$?
    ((status == 0)) || wrong "process $pid ended with $status"
  done
  processes=()
}
finish() {
  local status=$? pid
  trap - EXIT
  stop_processes
  for pid in "${others[@]}"; do
    kill -TERM "$pid" 2>/dev/null || true
    wait "$pid" || true
  done
  if ((status != 0 || failed != 0)); then
    tail -n 20 "$work"/*.log >&2 2>/dev/null || true
    status=1
  fi
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT

await() { # WHAT COMMAND…: until the command succeeds
  local what=$1 tries
  shift
  for ((tries = 0; tries < 300; tries++)); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  fail "waited 30 s in vain for $what"
}

# field NAME: the first text of that name in the JSON on stdin.
field() { grep -oE "\"$1\" ?: ?\"[^\"]*\"" | head -n 1 | sed -E 's/^"[^"]*" ?: ?"(.*)"$/\1/'; }

order='{"customer":{"name":"Ana Almeida","document":"52998224725","email":"ana@example.com","phone":"11987654321"},'
order+='"payment":{"amountCents":1290,"product":"Cafe"},"originDomain":"loja.example.com"}'
