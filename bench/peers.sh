#!/usr/bin/env bash
# Builds echo servers with the usual SDKs of other languages, each as its documentation recommends for production, and
# prints one table of what they serve beside this host and a bare loop, in one run. What it needs of packages it fetches
# with cargo, go, pip and npm; what it builds goes to build/peers. Arguments go to peers.mjs:
#   bench/peers.sh [--seconds N] [--rounds N] [--connections N] [--only NAME[,NAME]...]
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in cargo go python3 npm; do
  command -v "$tool" >/dev/null || { echo "This needs $tool; on Debian and Ubuntu it is in a package (cargo, golang-go, python3-venv, npm)" >&2; exit 2; }
done
peers=$PWD/build/peers
mkdir -p "$peers"
cmake --preset release >/dev/null
cmake --build --preset release --target mcp-plugin-host bench_http_load bench_baseline bench_echo >/dev/null
nice -n 19 cargo build --quiet --release --jobs 1 --manifest-path bench/peers/rust/Cargo.toml --target-dir "$peers/rust"
(cd bench/peers/go && nice -n 19 go build -p 1 -o "$peers/go/echo-server" .)
sh tests/fastmcp/pip_install.sh python3 "$peers/python" "$PWD/bench/peers/python/requirements.txt"
for version in 1 2; do
  folder=$peers/typescript-v$version
  mkdir -p "$folder"
  cp "bench/peers/typescript-v$version"/* "$folder"
  sh tests/integration/npm_ci.sh "$folder"
done
sh tests/integration/npm_ci.sh tests/integration # for a Node.js that is new enough
exec sh tests/integration/node.sh tests/integration bench/peers.mjs build/release "$@"
