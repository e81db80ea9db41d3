#!/bin/sh
# node.sh FOLDER ARGUMENTS...: runs Node.js with the arguments: the machine's own if it is new enough for everything in
# FOLDER/package.json, else the one that npm_ci.sh has put there.
set -eu

folder=$1
shift
if command -v node >/dev/null && node -e '
  const [major, minor] = process.versions.node.split(".").map(Number);
  process.exit(major > 22 || (major === 22 && minor >= 19) ? 0 : 1);'; then
  exec node "$@"
fi
exec "$folder/node_modules/.bin/node" "$@"
