#!/usr/bin/env bash
# Runs the image in build/packages, or FOLDER, as a container: changed root, own processes, a file system that cannot be
# written, the image's own user, environment and folder. See image.test.mjs. Needs root, umoci, and a build with the
# integration tests' plugins.
#
#     tests/packages/image.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/../.."

image=$(realpath "${1:-build/packages}/image")
build=$(realpath "${BUILD_DIR:-build/release}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umoci unpack --image "$image:$(umoci ls --layout "$image" | head -n 1)" "$work/bundle" >/dev/null

# container FOLDER [ARGUMENT...]: FOLDER is shown inside, to be read.
cat >"$work/container" <<'CONTAINER'
#!/bin/bash
set -euo pipefail
bundle=$(dirname "$0")/bundle
root=$bundle/rootfs
shown=$1
shift
field() { jq -r "$1" "$bundle/config.json"; }
mount --make-rprivate /
mount --bind "$root" "$root"
mkdir -p "$root/proc" "$root/dev" "$root/$shown"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777,noexec tmpfs "$root/tmp"
mount -t tmpfs -o "mode=0700,uid=$(field .process.user.uid)" tmpfs "$root/var/lib/mcp-plugin-host"
mkdir -p "$root/$shown"
mount --bind "$shown" "$root/$shown"
mount -o remount,bind,ro "$root"
mapfile -t environment < <(field '.process.env[]')
mapfile -t arguments < <(field '.process.args[]')
[[ $# -eq 0 ]] || arguments=("${arguments[0]}" "$@")
exec env -i "${environment[@]}" "$(command -v unshare)" --root="$root" --wd="$(field .process.cwd)" \
  --setuid "$(field .process.user.uid)" --setgid "$(field .process.user.gid)" -- "${arguments[@]}"
CONTAINER
chmod +x "$work/container"

sh tests/integration/npm_ci.sh tests/integration
export MCP_CONTAINER=$work/container MCP_IMAGE=$image MCP_HOST=$build/bin/mcp-plugin-host
export MCP_FIXTURES=$build/tests/integration/plugins MCP_ORPHANS="${MCP_ORPHANS:-1000}"
sh tests/integration/node.sh tests/integration --test tests/packages/image.test.mjs
