#!/usr/bin/env bash
# Builds the packages, the image and the bill of materials once more, in another folder, with another time, time zone,
# language, mask and number of jobs, and without what ccache knows, and compares them with those in build/packages, or
# FOLDER, byte for byte. Takes as long as the first build did. Needs root for the image.
#
#     tests/packages/reproducible.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/../.."

first=$(realpath "${1:-build/packages}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
second=$work/another/place/packages

umask 027
env CCACHE_DISABLE=1 LC_ALL=C.UTF-8 LANGUAGE=de TZ=Pacific/Auckland DEB_BUILD_OPTIONS="nocheck parallel=3" \
  scripts/packages.sh "$second" >"$work/log" 2>&1 || { tail -n 50 "$work/log"; exit 1; }
if [[ -d $first/image ]]; then
  scripts/image.sh "$second" >"$work/log" 2>&1 || { tail -n 50 "$work/log"; exit 1; }
fi

differing=0 count=0
while IFS= read -r file; do
  count=$((count + 1))
  cmp "$first/$file" "$second/$file" || differing=$((differing + 1))
done < <(cd "$first" && find . -type f \( -name '*.deb' -o -name '*.spdx.json' -o -path './image/*' \) | sort)
echo "files built twice: $count, that differ: $differing"
[[ $count -gt 0 && $differing -eq 0 ]]
