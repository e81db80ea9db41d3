#!/bin/sh
# pip_install.sh PYTHON FOLDER REQUIREMENTS: makes the virtual environment FOLDER with the packages that REQUIREMENTS
# names, unless it has them already. Where that cannot be, it says "skipped: " and why.
set -eu

python=$1
folder=$2
requirements=$3
# What was installed: equal, nothing is to do.
installed=$folder/installed-requirements.txt
# The list, and those that it names.
wanted() {
  cat "$requirements"
  sed -n 's/^--requirement //p' "$requirements" | while read -r more; do cat "$(dirname "$requirements")/$more"; done
}

if wanted | cmp -s - "$installed" && "$folder/bin/python" --version >/dev/null; then
  exit 0
fi
rm -rf "$folder"
# What is imported is compiled then; most of it never is.
if ! "$python" -m venv "$folder"; then
  rm -rf "$folder"
  echo "skipped: $python makes no virtual environment; install it (Debian, Ubuntu: apt-get install python3-venv)"
elif ! "$folder/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check --retries 1 --timeout 30 \
  --requirement "$requirements"; then
  rm -rf "$folder"
  echo "skipped: pip did not install $requirements; it needs a package index, and Python 3.10 or newer"
else
  wanted >"$installed"
fi
