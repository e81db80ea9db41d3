#!/bin/sh
# pip_install.sh PYTHON FOLDER REQUIREMENTS...: makes the virtual environment FOLDER with the packages that these files
# name, unless it has them already. Where that cannot be, it says "skipped: " and why.
set -eu

python=$1
folder=$2
shift 2
# The lists, and those that they name.
wanted=$(for list in "$@"; do
  cat "$list"
  sed -n 's/^--requirement //p' "$list" | while read -r more; do cat "$(dirname "$list")/$more"; done
done)
# What was installed: equal, nothing is to do.
installed=$folder/installed-requirements.txt
if printf '%s\n' "$wanted" | cmp -s - "$installed" && "$folder/bin/python" --version >/dev/null; then
  exit 0
fi
rm -rf "$folder"
if ! "$python" -m venv "$folder"; then
  rm -rf "$folder"
  echo "skipped: $python makes no virtual environment; install it (Debian, Ubuntu: apt-get install python3-venv)"
  exit 0
fi

pip() {
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 30 "$@"
}
uv() {
  pip uv && "$folder/bin/uv" pip install --quiet --python "$folder/bin/python" "$@"
}
for list in "$@"; do
  set -- "$@" --requirement "$list"
  shift
done
# uv takes a fifth of pip's time, but does not heed pip's settings. A module is compiled when it is imported; most never are.
if uv "$@" || pip --no-compile "$@"; then
  printf '%s\n' "$wanted" >"$installed"
else
  rm -rf "$folder"
  echo "skipped: pip could not install what is asked for with $*; it needs a package index, and Python 3.10 or newer"
fi
