#!/bin/sh
# usage: unless_missing.sh FILE COMMAND...
# Runs the command, unless there is the file, which says what is missing.
if [ -e "$1" ]; then
  cat "$1"
  exit 77
fi
shift
exec "$@"
