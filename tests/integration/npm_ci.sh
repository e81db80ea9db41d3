#!/bin/sh
# npm_ci.sh FOLDER: installs the packages that FOLDER/package-lock.json names, unless they are installed already.
set -eu

folder=$1
lock=$folder/package-lock.json
# A copy of the lock file that was installed: equal, nothing is to do.
installed=$folder/node_modules/.installed-package-lock.json

if cmp -s "$lock" "$installed"; then
  exit 0
fi
if ! command -v npm >/dev/null; then
  echo "npm is missing; install it (Debian, Ubuntu: apt-get install npm)" >&2
  exit 1
fi
echo "Installing the packages of $lock"
(cd "$folder" && npm ci --loglevel=error)
cp "$lock" "$installed"
