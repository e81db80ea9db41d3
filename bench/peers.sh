#!/usr/bin/env bash
# Builds echo servers with the usual SDKs of other languages, each as its documentation recommends for production, and
# prints one table of what they serve beside this host and a bare loop, in one run. What it needs of packages it fetches
# with cargo, go, pip and npm; what it builds goes to build/peers. Arguments go to peers.mjs:
#   bench/peers.sh [--seconds N] [--rounds N] [--connections N] [--only NAME[,NAME]...]
set -euo pipefail
cd "$(dirname "$0")/.."
only=
for ((i = 1; i < $#; ++i)); do
  if [[ ${!i} == --only ]]; then
    value=$((i + 1))
    only=${!value}
  fi
done
# Whether a server, by its name in peers.mjs, is asked for.
is_wanted() {
  local part
  [[ -n $only ]] || return 0
  for part in ${only//,/ }; do
    [[ $1 == *$part* ]] && return 0
  done
  return 1
}
need() {
  command -v "$1" >/dev/null || { echo "This needs $1; on Debian and Ubuntu it is in a package ($2)" >&2; exit 2; }
}
need npm npm
peers=$PWD/build/peers
mkdir -p "$peers"
# As serve.sh does: without the tests, whose needs may not be installed.
[[ -f build/release/build.ninja ]] || cmake --preset release -DMCP_BUILD_TESTS=OFF >/dev/null
cmake --build --preset release --target mcp-plugin-host bench_http_load bench_baseline bench_echo >/dev/null
if is_wanted 'Rust, rmcp'; then
  need cargo cargo
  nice -n 19 cargo build --quiet --release --jobs 1 --manifest-path bench/peers/rust/Cargo.toml --target-dir "$peers/rust"
fi
if is_wanted 'Go, go-sdk'; then
  need go 'golang-go, where it is as new as bench/peers/go/go.mod says'
  (cd bench/peers/go && nice -n 19 go build -p 1 -o "$peers/go/echo-server" .)
fi
if is_wanted 'Python, FastMCP'; then
  need python3 python3-venv
  sh tests/pip_install.sh python3 "$peers/python" "$PWD/bench/peers/python/requirements.txt"
fi
for version in 1 2; do
  is_wanted "TypeScript, SDK v$version" || continue
  folder=$peers/typescript-v$version
  mkdir -p "$folder"
  cp "bench/peers/typescript-v$version"/* "$folder"
  sh tests/integration/npm_ci.sh "$folder"
done
sh tests/integration/npm_ci.sh tests/integration # for a Node.js that is new enough
exec sh tests/integration/node.sh tests/integration bench/peers.mjs build/release "$@"
