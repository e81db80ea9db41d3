#!/bin/sh
# build.sh FOLDER: builds the site as FOLDER/pages, with what it needs in FOLDER and beside this, and with the pictures of the
# folder SITE_PICTURES, as far as they have been made (tests/integration). Everything that the build
# warns of is an error: a link, a heading or a page that is not there, a comment that Doxygen does not understand. Where
# something cannot be had, it says "skipped: " and why.
set -eu

mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

if ! command -v doxygen >/dev/null; then
  echo "skipped: doxygen is missing; install it (Debian, Ubuntu: apt-get install doxygen)"
  exit 0
fi
if ! sh tests/integration/npm_ci.sh site; then
  echo "skipped: npm did not install site/package-lock.json; it needs a package registry"
  exit 0
fi
sh tests/pip_install.sh python3 "$folder/packages" site/requirements.txt
if ! [ -x "$folder/packages/bin/mkdocs" ]; then exit 0; fi # which has been said

export SITE_API="$folder/api" SITE_ASSETS="$folder/assets" SITE_FOLDER="$folder/pages"
export SITE_PICTURES="${SITE_PICTURES:-$folder/pictures}"
rm -rf "$SITE_API" "$SITE_ASSETS"
mkdir -p "$SITE_ASSETS"
cp site/node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js "$SITE_ASSETS"
{
  cat site/Doxyfile
  echo "OUTPUT_DIRECTORY = \"$folder\""
  echo "HTML_EXTRA_STYLESHEET = \"$(find "$folder/packages" -name doxygen-awesome.css)\""
  # Its colours follow the system by themselves where it knows more than one style.
  if doxygen -s -g - | grep -q '^HTML_COLORSTYLE '; then echo "HTML_COLORSTYLE = LIGHT"; fi
} | doxygen -
NO_MKDOCS_2_WARNING=1 "$folder/packages/bin/mkdocs" build --strict --config-file site/mkdocs.yml
echo "The site is built: $SITE_FOLDER/index.html"
