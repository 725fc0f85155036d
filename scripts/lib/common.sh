# Shared by the scripts; source it. Sets `root` to the checkout.
# shellcheck shell=bash
set -euo pipefail
export CI=true # no prompts
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=scripts/lib/packages.sh
source "$root/scripts/lib/packages.sh"

say() { printf '%s\n' "$*" >&2; }
die() { say "${0##*/}: $*"; exit 1; }
usage() { # PROBLEM: prints it with the calling script's own usage lines, which are its first comment
  say "${0##*/}: $1"
  awk 'NR == 1 { next } !/^#/ || /^# shellcheck/ { exit } { sub(/^# ?/, ""); print }' "$0" >&2
  exit 2
}

# quietly WHAT COMMAND…: says WHAT; shows the command's output only if it fails.
quietly() {
  local what=$1 log status=0
  shift
  say "$what"
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status != 0)); then
    cat "$log" >&2
    say "failed ($status): $*"
  fi
  rm -f "$log"
  return "$status"
}

as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    say "this needs root: run it as root, or install sudo"
    return 1
  fi
}

apt_get() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@"; }

apt_install() { # PACKAGE…
  apt_get update && apt_get install -y --no-install-recommends "$@"
}

# install_packages PACKAGE…: installs only missing ones, so it needs no network if all are there.
install_packages() {
  local package missing=()
  command -v dpkg-query >/dev/null ||
    die "this installs Debian packages; on another system install the equivalents of: $*"
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      missing+=("$package")
  done
  ((${#missing[@]} == 0)) || quietly "installing ${missing[*]}" apt_install "${missing[@]}"
}

unpacked=$root/build/unpacked

# unpack_packages PACKAGE…: their files into build/unpacked, each once. Nothing is installed, so no service starts.
unpack_packages() {
  local package missing=()
  for package in "$@"; do [[ -e $unpacked/$package.done ]] || missing+=("$package"); done
  ((${#missing[@]} == 0)) || quietly "fetching ${missing[*]}" fetch_and_unpack "${missing[@]}"
}
fetch_and_unpack() { # PACKAGE…
  local work package
  work=$(mktemp -d)
  (cd "$work" && { apt-get download "$@" || { apt_get update && apt-get download "$@"; }; })
  mkdir -p "$unpacked"
  for package in "$@"; do
    dpkg -x "$work/$package"_*.deb "$unpacked"
    touch "$unpacked/$package.done"
  done
  rm -rf "$work"
}

# How many compilers may run: one a processor, but 1.2 GiB of free memory each.
compiler_jobs() {
  local processors memory_kb cgroup=/sys/fs/cgroup/memory.max limit
  processors=$(nproc)
  memory_kb=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
  if [[ -r $cgroup ]]; then
    limit=$(<"$cgroup")
    [[ $limit == max ]] || ((limit / 1024 >= memory_kb)) || memory_kb=$((limit / 1024))
  fi
  local by_memory=$((memory_kb / 1258291))
  ((by_memory >= 1)) || by_memory=1
  echo $((by_memory < processors ? by_memory : processors))
}

configure() { quietly "configuring $1" cmake --preset "$1" -S "$root"; } # PRESET

# compile PRESET [TARGET…]: without a target everything. A terminal sees the progress.
compile() {
  local preset=$1 target command
  command=(cmake --build "$root/build/$preset" --parallel "$(compiler_jobs)")
  shift
  for target in "$@"; do command+=(--target "$target"); done
  if [[ -t 1 ]]; then
    say "building $preset"
    NINJA_STATUS='[%f/%t] ' "${command[@]}" </dev/null
  else
    quietly "building $preset" "${command[@]}"
  fi
}

# The product's executables, as build targets.
executables() { # PRESET; the preset must be configured
  ninja -C "$root/build/$1" -t targets all | grep -oE '^pixledger(-[a-z]+)?:' | tr -d : | sort -u
}

node_folder=$root/build/node

node_is_good() { # NODE
  [[ -n $1 ]] && "$1" -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2>/dev/null
}

# need_node: puts a Node ≥ 20.19 and its npm first in PATH; fetches missing ones.
need_node() {
  export npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false
  if node_is_good "$(command -v node)" && command -v npm >/dev/null; then return; fi
  if ! node_is_good "$node_folder/node_modules/.bin/node"; then
    install_packages "${packages_node[@]}" ca-certificates
    mkdir -p "$node_folder"
    # npm comes along because Debian's is bound to Debian's Node.
    quietly "fetching Node 20" npm install --prefix "$node_folder" --no-save node@20 npm@10
    node_is_good "$node_folder/node_modules/.bin/node" || die "the npm package node did not bring a Node ≥ 20.19"
  fi
  export PATH=$node_folder/node_modules/.bin:$PATH
}

# npm_ci FOLDER: installs its lock file's packages, once; again only after the lock file changed.
npm_ci() {
  local folder=$1 stamp
  stamp=$folder/node_modules/.pixledger-lock
  cmp -s "$folder/package-lock.json" "$stamp" && return
  quietly "installing the npm packages of ${folder#"$root"/}" \
    npm ci --prefix "$folder" --ignore-scripts
  mkdir -p "$folder/node_modules"
  cp "$folder/package-lock.json" "$stamp"
}
