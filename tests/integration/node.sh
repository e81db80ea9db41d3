#!/bin/sh
# node.sh FOLDER ARGUMENTS...: runs Node.js with the arguments: the machine's own if it is new enough for everything in
# FOLDER/package.json, else the one that npm_ci.sh has put there.
#
# It compiles on the thread that runs, because a process whose other threads compile may never end (nodejs/node issue
# 54918: the one that ends waits for them, and they wait for it to collect garbage).
set -eu

folder=$1
shift
set -- --no-concurrent-recompilation --no-concurrent-sparkplug "$@"
version=$(node --version 2>/dev/null) || version=v0.0.0
major=${version#v} minor=${version#v*.}
major=${major%%.*} minor=${minor%%.*}
if [ "$major" -gt 22 ] || { [ "$major" -eq 22 ] && [ "$minor" -ge 19 ]; }; then exec node "$@"; fi
# By its own path: older versions of npm do not link it.
for node in "$folder"/node_modules/node-linux-*/bin/node; do
  if "$node" --version >/dev/null 2>&1; then exec "$node" "$@"; fi
done
echo "Node.js 22.19 or newer is missing, and $folder has none for this machine; install it" >&2
exit 1
