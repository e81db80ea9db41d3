#!/usr/bin/env bash
# Installs what building (with --tests also testing, with --packages packaging; with --site only the documentation's
# site, with --bundle only packing a bundle) needs and is missing. Debian and Ubuntu; elsewhere it names the packages
# and stops. Safe to run again: does nothing when nothing is missing.
set -euo pipefail
. "$(dirname "$0")/help.sh"

build_packages=(build-essential cmake ninja-build ccache libboost1.81-dev nlohmann-json3-dev libcli11-dev
  libcairo2-dev libcurl4-openssl-dev libdw-dev libpcre2-dev libseccomp-dev libsqlite3-dev libssl-dev libtomlplusplus-dev
  pkg-config poppler-utils pybind11-dev python3-dev tzdata)
test_packages=(libgtest-dev libgmock-dev clang libclang-rt-dev clang-format npm curl openssl perl
  nginx-light libcjson-dev fish man-db zsh)
# Ubuntu's is a snap, which containers cannot run; without a browser the test of the page that shows charts is skipped.
if grep -qs '^ID=debian$' /etc/os-release; then test_packages+=(chromium); fi

# For the documentation's site, which a test builds.
site_packages=(doxygen npm python3-venv)

packages=("${build_packages[@]}")
case "${1:-}" in
  --tests) packages+=("${test_packages[@]}" "${site_packages[@]}") ;;
  --packages) packages+=(git debhelper dpkg-dev jq lintian mmdebstrap nodejs python3-venv umoci) ;;
  --site) packages=("${site_packages[@]}") ;;
  --bundle) packages=(npm) ;;
  '') ;;
  *) echo "$1 is none of --tests, --packages, --site and --bundle" >&2 && exit 2 ;;
esac

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "This is neither Debian nor Ubuntu. Install what these Debian packages hold, then" >&2
  case "${1:-}" in
    --site) echo "run sh site/build.sh build/site" >&2 ;;
    --bundle) echo "run scripts/mcpb.sh" >&2 ;;
    --tests) echo "build with cmake --preset release -DMCP_BUILD_TESTS=ON && cmake --build --preset release" >&2 ;;
    *) echo "build with cmake --preset release -DMCP_BUILD_TESTS=OFF && cmake --build --preset release" >&2 ;;
  esac
  printf '  %s\n' "${packages[@]}" >&2
  exit 1
fi

# libFuzzer and the sanitizers of clang, which clang's package only recommends.
links_fuzz_targets() {
  echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    clang++ -fsanitize=fuzzer,address,undefined -x c++ - -o /dev/null 2>/dev/null
}

is_installed() { [[ "$(dpkg-query -W -f='${Status}' "$1" 2>/dev/null)" == "install ok installed" ]]; }

missing=()
for package in "${packages[@]}"; do
  # A node of another origin brings its own npm.
  if [[ "$package" == npm ]] && command -v npm >/dev/null; then continue; fi
  # Newer systems have a newer Boost, by the plain name.
  if [[ "$package" == libboost1.81-dev ]] && is_installed libboost-dev &&
    dpkg --compare-versions "$(dpkg-query -W -f='${Version}' libboost-dev)" ge 1.81; then continue; fi
  # The package follows the version of the one named clang; they may be there by another name.
  if [[ "$package" == libclang-rt-dev ]] && links_fuzz_targets; then continue; fi
  is_installed "$package" || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

echo "Installing: ${missing[*]}"
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null || { echo "Run this as root, or install sudo: apt-get install needs it." >&2; exit 1; }
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
available=()
for package in "${missing[@]}"; do
  if [[ "$package" == libboost1.81-dev ]] && ! apt-cache show "$package" >/dev/null 2>&1; then package=libboost-dev; fi
  # Where there is no such package, clang itself brings what is in it.
  if [[ "$package" == libclang-rt-dev ]] && ! apt-cache show "$package" >/dev/null 2>&1; then continue; fi
  available+=("$package")
done
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${available[@]}" >/dev/null
