#!/usr/bin/env bash
# Makes of a build an MCP Bundle for desktop clients, and the entry for the MCP registry that names it: into
# build/bundle, or FOLDER. Installs what its packing needs.
#
#     scripts/mcpb.sh [--build BUILD] [--url URL-OF-THE-BUNDLE] [--image IMAGE] [FOLDER]
set -euo pipefail
. "$(dirname "$0")/help.sh"
umask 022  # what is made is for others to read
tree=$(realpath "$(dirname "$0")/..")

build=$tree/build/release url=https://github.com/mcp-plugin-host/mcp-plugin-host/releases/download/v@VERSION@/@FILE@
image=mcp-plugin-host:@VERSION@
while [[ "${1:-}" == --* ]]; do
  case "$1" in
    --build) build=$(realpath -m "$2") ;;
    --url) url=$2 ;;
    --image) image=$2 ;;
    *) echo "mcpb.sh: $1 is none of --build, --url, --image" >&2; exit 2 ;;
  esac
  shift 2
done
out=$(realpath -m "${1:-$tree/build/bundle}")
cd "$tree"
if [[ ! -f $build/share/man/man1/mcp-plugin-host.1 ]]; then
  echo "$build is no whole build: run cmake --preset release && cmake --build --preset release, or say --build BUILD" >&2
  exit 1
fi
mkdir -p "$out"
version=$(sed -n 's/^project(mcp-plugin-host VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
file=mcp-plugin-host-$version-$(uname -m).mcpb

command -v npm >/dev/null || scripts/install_dependencies.sh --bundle
sh tests/integration/npm_ci.sh tests/packages
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --strip --prefix "$work/installed" >/dev/null
mkdir -p "$work/bundle/server/lib/mcp-plugin-host" "$work/bundle/server/share/mcp-plugin-host"
cp -a "$work/installed/bin" "$work/installed/libexec" "$work/bundle/server"
cp -a "$work/installed/lib/mcp-plugin-host/components" "$work/bundle/server/lib/mcp-plugin-host"
cp -a "$work/installed/share/mcp-plugin-host/completions" "$work/bundle/server/share/mcp-plugin-host"
cp LICENSE "$work/bundle"
sed "s|@VERSION@|$version|g" share/mcpb/manifest.json >"$work/bundle/manifest.json"
tests/packages/node_modules/.bin/mcpb validate "$work/bundle/manifest.json"
tests/packages/node_modules/.bin/mcpb pack "$work/bundle" "$out/$file" >/dev/null

# As what sed puts in place of something.
escaped() { printf '%s' "$1" | sed 's/[&|\\]/\\&/g'; }
digest=$(sha256sum "$out/$file" | cut -d ' ' -f 1)
sed "s|@BUNDLE_URL@|$(escaped "$url")|; s|@BUNDLE_SHA256@|$digest|; s|@IMAGE@|$(escaped "$image")|
  s|@FILE@|$file|; s|@VERSION@|$version|g" \
  share/registry/server.json >"$out/server.json"
ls -l "$out/$file" "$out/server.json"
