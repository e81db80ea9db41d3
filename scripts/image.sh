#!/usr/bin/env bash
# Makes a container image of the packages in build/packages, or FOLDER, without a daemon: FOLDER/image, an OCI layout that
# `podman pull oci:build/packages/image:VERSION` or
# `skopeo copy oci:build/packages/image:VERSION docker-daemon:mcp-plugin-host:VERSION` takes. Needs root, and what
# packages.sh has installed.
#
#     scripts/image.sh [FOLDER]
set -euo pipefail
. "$(dirname "$0")/help.sh"
umask 022  # what is made is for others to read
tree=$(realpath "$(dirname "$0")/..")
packages=$(realpath "${1:-$tree/build/packages}")
cd "$tree"
server_name=$(jq -r .name share/registry/server.json)
version=$(dpkg-parsechangelog -l debian/changelog -S Version)
SOURCE_DATE_EPOCH=$(dpkg-parsechangelog -l debian/changelog -S Timestamp)
export SOURCE_DATE_EPOCH
time=$(date --utc --date="@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
user=65532
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root

# What the programs need of the system is what their packages say; the user and the units of systemd are not needed.
debs=()
for name in mcp-plugin-host mcp-plugin-host-plugins mcp-plugin-host-chart; do debs+=("$packages/${name}_${version}"_*.deb); done
needed=$(for deb in "${debs[@]}"; do dpkg-deb --field "$deb" Depends; done |
  tr ',' '\n' | sed 's/|.*//; s/(.*)//; s/ //g' | grep -v systemd | sort -u | paste -sd, -)
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mmdebstrap --quiet --variant=extract --include="$needed,ca-certificates,tzdata" "$suite" "$root"
for deb in "${debs[@]}"; do dpkg-deb --extract "$deb" "$root"; done

# Certificates, as the package would collect them, and of all else only libraries, data and licenses.
cat "$root"/usr/share/ca-certificates/mozilla/*.crt >"$work/certificates"
find "$root/usr/share/doc" -mindepth 2 ! -type d ! -name copyright -delete
find "$root/usr/share/doc" -type d -empty -delete
kept=(bin/mcp-plugin-host lib lib64 libexec/mcp-plugin-host share/doc share/fonts share/mcp-plugin-host share/zoneinfo share/fontconfig)
mkdir -p "$work/new/usr/bin" "$work/new/usr/libexec" "$work/new/usr/share" "$work/new/etc/ssl/certs"
for path in "${kept[@]}"; do [[ -e $root/usr/$path ]] && cp -a "$root/usr/$path" "$work/new/usr/$(dirname "$path")/"; done
# As in a system of which /lib is /usr/lib.
for path in lib lib64; do
  mkdir -p "$work/new/usr/$path"
  if [[ -d $root/$path && ! -L $root/$path ]]; then cp -a "$root/$path/." "$work/new/usr/$path/"; fi
  ln -s "usr/$path" "$work/new/$path"
done
cp -a "$root/etc/fonts" "$root/etc/mcp-plugin-host" "$work/new/etc/"
cp "$work/certificates" "$work/new/etc/ssl/certs/ca-certificates.crt"
new=$work/new
# Times with leap seconds, and fonts that no chart has.
rm -rf "$new"/usr/share/zoneinfo/{posix,right} "$new"/usr/share/fonts/truetype/dejavu/*{Mono,Serif}*
rm -rf "$new"/usr/lib/{apt,dpkg,systemd,sysusers.d,tmpfiles.d,udev,init,pam.d,security,mime,locale} "$new"/usr/lib/*/{perl,perl-base,gconv,audit,engines-3,krb5}
echo "mcp-plugin-host:x:$user:$user::/var/lib/mcp-plugin-host:/usr/sbin/nologin" >"$new/etc/passwd"
echo "mcp-plugin-host:x:$user:" >"$new/etc/group"
install -d -m 1777 "$new/tmp"
install -d -m 0700 -o "$user" -g "$user" "$new/var/lib/mcp-plugin-host"
find "$new" -newermt "@$SOURCE_DATE_EPOCH" -print0 | xargs -0r touch --no-dereference --date="@$SOURCE_DATE_EPOCH"

image=$packages/image
rm -rf "$image"
umoci init --layout "$image"
umoci new --image "$image:$version"
umoci insert --image "$image:$version" --history.created "$time" "$new" /
umoci config --image "$image:$version" --created "$time" --history.created "$time" \
  --config.user "$user:$user" --config.workingdir /var/lib/mcp-plugin-host --config.volume /var/lib/mcp-plugin-host \
  --config.env PATH=/usr/bin --config.env XDG_STATE_HOME=/var/lib --config.env MCP_CONFIG=/etc/mcp-plugin-host/host.toml \
  --config.entrypoint /usr/bin/mcp-plugin-host --config.cmd stdio \
  --config.label org.opencontainers.image.title=mcp-plugin-host --config.label org.opencontainers.image.version="$version" \
  --config.label org.opencontainers.image.licenses=Apache-2.0 \
  --config.label io.modelcontextprotocol.server.name="$server_name"
umoci gc --layout "$image"
# Whoever owns the packages pulls it and makes the next one, and umoci lets nobody else read.
chown -R --reference="$packages" "$image"
chmod -R a+rX "$image"
du -sb "$image" | awk '{ printf "image: %.1f MB\n", $1 / 1e6 }'
