#!/usr/bin/env bash
# Fails if a source file is not formatted as .clang-format says. usage: format.sh CLANG_FORMAT SOURCE_DIR
set -euo pipefail
cd "$2"
find host worker symbolizer rules plugin-api plugins examples bench tests -name node_modules -prune -o \
  \( -name '*.cpp' -o -name '*.hpp' -o -name '*.h' -o -name '*.c' \) -print0 |
  xargs -0 "$1" --dry-run --Werror
