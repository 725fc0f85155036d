# What the packaging tests share; source it. Sets `root` (the checkout), `bin` and `work`, which is gone at the end.
# shellcheck shell=bash
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$1
bin=$build/bin
unpacked=$root/build/unpacked
work=$(mktemp -d)
processes=() # end with 0 when they are told to stop
others=()    # however they end

failed=0
wrong() { # WHAT: says what is wrong and goes on
  printf '%s\n' "$*" >&2
  failed=1
}
fail() {
  printf '%s\n' "$*" >&2
  exit 1
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

# A program of a package that was unpacked beside the build; the installed one where there is none.
tool() { # NAME
  local name=$1
  if [[ -x $unpacked/usr/bin/$name ]]; then echo "$unpacked/usr/bin/$name"
  elif [[ -x $unpacked/usr/sbin/$name ]]; then echo "$unpacked/usr/sbin/$name"
  else command -v "$name" || fail "there is no $name: scripts/test fetches it"; fi
}

await() { # WHAT COMMAND…: until the command succeeds
  local what=$1 tries
  shift
  for ((tries = 0; tries < 300; tries++)); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  fail "waited 30 s in vain for $what"
}

free_port() {
  local port
  while port=$((20000 + RANDOM % 10000)) && (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo "$port"
}

# field NAME: the first text of that name in the JSON on stdin.
field() { grep -oE "\"$1\" ?: ?\"[^\"]*\"" | head -n 1 | sed -E 's/^"[^"]*" ?: ?"(.*)"$/\1/'; }

order='{"customer":{"name":"Ana Almeida","document":"52998224725","email":"ana@example.com","phone":"11987654321"},'
order+='"payment":{"amountCents":1290,"product":"Cafe"},"originDomain":"loja.example.com"}'
