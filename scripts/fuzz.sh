#!/usr/bin/env bash
# Installs what is missing, builds every fuzz target and lets each search for SECONDS (60 unless told). Fails on the first
# finding, whose input is left in build/fuzz/findings. What a search learns is kept in build/fuzz/corpus, for the next one.
#
#     scripts/fuzz.sh [SECONDS [TARGET...]]
set -euo pipefail
. "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

seconds="${1:-60}"
shift || true

scripts/install_dependencies.sh --tests
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz

targets=("$@")
[[ ${#targets[@]} -gt 0 ]] || for file in build/fuzz/fuzz/fuzz_*; do targets+=("${file##*/fuzz_}"); done

mkdir -p build/fuzz/findings
for target in "${targets[@]}"; do
  learnt="build/fuzz/corpus/$target"
  mkdir -p "$learnt"
  options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=1
           -artifact_prefix="build/fuzz/findings/$target-")
  [[ -f "tests/fuzz/$target.dict" ]] && options+=("-dict=tests/fuzz/$target.dict")
  echo "== $target, $seconds s"
  log="build/fuzz/$target.log"
  if ! "build/fuzz/fuzz/fuzz_$target" "${options[@]}" "$learnt" "tests/fuzz/corpus/$target" >"$log" 2>&1; then
    tail -n 60 "$log"
    echo "A finding of $target: its input is in build/fuzz/findings" >&2
    exit 1
  fi
  grep -E 'number_of_executed_units|peak_rss_mb' "$log"
done
