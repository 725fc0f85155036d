# Programs that scripts/test has fetched; source it. Sets `root` (the checkout) and `unpacked`.
# shellcheck shell=bash
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
unpacked=$root/build/unpacked

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# A program of a package that was unpacked beside the build; otherwise the installed one.
tool() { # NAME
  local name=$1
  if [[ -x $unpacked/usr/bin/$name ]]; then echo "$unpacked/usr/bin/$name"
  elif [[ -x $unpacked/usr/sbin/$name ]]; then echo "$unpacked/usr/sbin/$name"
  else command -v "$name" || fail "there is no $name: scripts/test fetches it"; fi
}

free_port() {
  local port
  while port=$((20000 + RANDOM % 10000)) && (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo "$port"
}
