#!/usr/bin/env bash
# Installs what is missing and builds the documentation as a site in build/site/pages, which any web server can serve.
# It has the pictures that scripts/test.sh has made. With --serve it is then at http://127.0.0.1:8000/, until Ctrl-C.
set -euo pipefail
. "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

scripts/install_dependencies.sh --site
rm -rf build/site/pages
SITE_PICTURES="$PWD/build/release/pictures" sh site/build.sh build/site
[[ -f build/site/pages/index.html ]] || exit 1  # why, has been said
if [[ "${1:-}" == --serve ]]; then exec python3 -m http.server --bind 127.0.0.1 --directory build/site/pages 8000; fi
