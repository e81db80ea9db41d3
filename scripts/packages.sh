#!/usr/bin/env bash
# Installs what is missing, builds the Debian packages of this tree into build/packages, or FOLDER, and has lintian look at
# them; and says what is linked, as SPDX. Safe to run again: what has been compiled comes from ccache then. FOLDER must be
# empty, or have been made by an earlier run, of which nothing is kept.
#
#     scripts/packages.sh [FOLDER]
set -euo pipefail
. "$(dirname "$0")/help.sh"
umask 022  # what is made is for others to read
root=$(realpath "$(dirname "$0")/..")
out=$(realpath -m "${1:-$root/build/packages}")
mark=.packages-of-mcp-plugin-host
if [[ -e $out && ! -e $out/$mark ]] && { [[ ! -d $out ]] || [[ -n $(ls -A "$out") ]]; }; then
  echo "$out is not what an earlier run has made: name a folder that is empty, or is not there yet" >&2
  exit 1
fi
cd "$root"

scripts/install_dependencies.sh --packages
rm -rf "$out"
mkdir -p "$out/source"
touch "$out/$mark"
# Copied, so that nothing is built among the sources.
git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --create | tar --extract -C "$out/source"

# debhelper gives what it starts an empty home.
export CCACHE_DIR="${CCACHE_DIR:-$HOME/.cache/ccache}"
export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-nocheck parallel=$(nproc)}"
cd "$out/source"
dpkg-buildpackage --build=binary --unsigned-changes --no-pre-clean
cd "$out"
rm -rf source
node "$root/scripts/sbom.mjs" "$out"
# The profile of Ubuntu knows no "unstable".
lintian --profile debian --fail-on error,warning ./*.changes
ls -l "$out"/*.deb
