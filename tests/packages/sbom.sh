#!/usr/bin/env bash
# Has the tools of SPDX judge the bill of materials in build/packages, or FOLDER. They are installed beside it.
#
#     tests/packages/sbom.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/../.."

packages=$(realpath "${1:-build/packages}")
environment=$packages/.spdx-tools
if [[ ! -x $environment/bin/pyspdxtools ]]; then
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet spdx-tools==0.8.5
fi
for file in "$packages"/*.spdx.json; do
  "$environment/bin/pyspdxtools" --infile "$file"
  echo "valid: $file"
done
