#!/usr/bin/env bash
# Installs the packages in build/packages, or FOLDER, into a fresh system of Debian below a changed root, and uses them as
# an author and as an operator would: a project is made, built, tested and called; the service's user serves; root asks it.
# In the end they are purged, and nothing of them is left but their user. Needs root, and what scripts/packages.sh has installed.
#
#     tests/packages/debian.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/../.."

packages=$(realpath "${1:-build/packages}")
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
passed() { echo "passed: $*"; }

# Runs a script in the fresh system, which has /proc and /dev only meanwhile, and whose processes end with it.
inside() {
  unshare --mount --pid --fork --kill-child bash -c '
    mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount -t tmpfs tmpfs "$0/run" &&
    exec chroot "$0" /bin/bash -euo pipefail -c "$1"' "$root" "$1"
}
# What is there, but for what installing itself keeps.
everything() {
  (cd "$root" && find . \( -path ./proc -o -path ./dev -o -path ./run -o -path ./tmp -o -path ./var/cache -o -path ./var/log \
    -o -path ./home -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./root \) -prune -o -print | sort)
  grep -hv '^mcp-plugin-host:' "$root/etc/passwd" "$root/etc/group"  # its user stays
}

# Their dependencies first, so that only they come and go between the two looks.
mapfile -t debs < <(find "$packages" -maxdepth 1 -name "*_$(dpkg --print-architecture).deb" ! -name '*-dbgsym_*' | sort)
needed=$(for deb in "${debs[@]}"; do dpkg-deb --field "$deb" Depends; done | tr ',' '\n' |
  sed 's/|.*//; s/(.*)//; s/ //g; s/^systemd$/systemd-standalone-sysusers/' | grep -v '^\(lib\)\?mcp-plugin' | sort -u | paste -sd, -)
mmdebstrap --quiet --variant=minbase --include="$needed,g++,make,passwd" "$suite" "$root"
mkdir "$root/debs"
cp "${debs[@]}" "$root/debs"
cat >"$root/debs/author.sh" <<'AUTHOR'
set -euo pipefail
mcp-plugin-host new weather
cd weather
cmake --preset release
cmake --build --preset release
ctest --preset release
test "$(mcp-plugin-host call --components build/release/mcp_components hello '{"name": "Ada"}')" = 'Hello, Ada!'
chart='{"kind": "bar", "title": "Sales", "labels": ["January", "February"], "series": [{"values": [1, 2]}]}'
mcp-plugin-host call --components /usr/lib/mcp-plugin-host/components draw_chart "$chart"
AUTHOR
inside 'useradd --create-home ada'
everything >"$work/before"

inside 'dpkg --install /debs/*.deb >/dev/null'
passed "installed: ${#debs[@]} packages"

inside '
  for file in $(sed -n "s|^Documentation=file://||p" /lib/systemd/system/mcp-plugin-host.service) \
    /usr/share/doc/mcp-plugin-host/README.md /usr/share/doc/libmcp-plugin-dev/ABI.md; do
    test -f "$file" || { echo "$file is not there"; exit 1; }
  done'
passed 'the documents are there by the names by which others name them'

inside 'for shell in bash fish zsh; do mcp-plugin-host completion $shell >/tmp/words; test -s /tmp/words; done'
passed 'each shell is told how it completes commands'

inside '
  cd /home/ada
  runuser --user ada -- bash /debs/author.sh >/tmp/author 2>&1 || { cat /tmp/author; exit 1; }'
passed 'a project is made, built, tested and called by a user; a plugin that comes with the host is called'

inside '
  install -d -o mcp-plugin-host -g mcp-plugin-host -m 0700 /run/mcp-plugin-host /var/lib/mcp-plugin-host
  unit=/lib/systemd/system/mcp-plugin-host.service
  command=$(sed -n "s/^ExecStart=//p" $unit)
  export $(sed -n "s/^Environment=//p" $unit)
  setpriv --reuid mcp-plugin-host --regid mcp-plugin-host --clear-groups --no-new-privs --bounding-set=-all $command 2>/tmp/log &
  is_served() { mcp-plugin-host status >/tmp/status 2>&1 && grep -q "calculator .* serving" /tmp/status; }
  for i in $(seq 100); do is_served && break; sleep 0.1; done
  is_served || { cat /tmp/status /tmp/log; exit 1; }
  kill -TERM %1
  wait %1'
passed 'the user of the service serves by its unit and its configuration, and root finds it'

inside 'dpkg --purge $(dpkg-query --show --showformat="\${Package} " "mcp-plugin-host*" libmcp-plugin-dev | tr " " "\n" | sort -u) >/dev/null'
everything >"$work/after"
diff "$work/before" "$work/after"
passed 'purged: nothing is left but the user'
