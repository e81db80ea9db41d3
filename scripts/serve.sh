#!/usr/bin/env bash
# Installs what is missing, builds the release preset, and serves mcp_components at http://127.0.0.1:8080/mcp.
# Arguments go to `mcp-plugin-host serve`: ./scripts/serve.sh --listen 127.0.0.1:9000
# Its options: build/release/bin/mcp-plugin-host serve --help, once it is built
set -euo pipefail
. "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

echo "Installing what is missing, building, and serving mcp_components; the first time takes 8 to 15 minutes"
scripts/install_dependencies.sh
if [[ ! -f build/release/build.ninja ]]; then
  echo "Configuring build/release: CMake looks for compilers and libraries, which may take minutes on a busy machine"
  # Without the tests, whose needs have not been installed; test.sh turns them on.
  cmake --preset release -DMCP_BUILD_TESTS=OFF >/dev/null
fi
echo "Building (quick when nothing changed)"
cmake --build --preset release --target mcp-plugin-host shipped_plugins
cat <<EOF

The log of the host follows. When it says "serving", try in a second terminal, in $PWD:

    export PATH="\$PWD/build/release/bin:\$PATH"
    mcp-plugin-host status
    mcp-plugin-host call calculate '{"expression": "6 * 7"}'

Stop the host with Ctrl-C.

EOF
exec build/release/bin/mcp-plugin-host serve "$@"
