#!/usr/bin/env bash
# Runs clang-tidy over the host, the plugin API and the plugins, as .clang-tidy says, with the compile commands of a build.
# usage: tidy.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Made by gcc's build: what clang does not know goes, and so do warnings, which are the build's business.
sed -E 's/ -fno-gnu-unique//g; s/ -W[a-z][a-z-]*//g' "$2/compile_commands.json" >"$work/compile_commands.json"
status=0
run-clang-tidy -quiet -p "$work" "^$PWD/(host|plugins|plugin-api/src)/" >"$work/log" 2>&1 || status=$?
grep -vE '^(clang-tidy|[0-9]+ warnings?|Suppressed|Use -header-filter|$)' "$work/log" || true
exit "$status"
