#!/bin/sh
# format.sh [check]: clang-format all C sources in place; with `check` only look: a file that is not
# formatted is a failure. CLANG_FORMAT: the program (clang-format 14: others format differently).
set -eu
cd "$(dirname "$0")/.."

format=${CLANG_FORMAT:-}
if [ -z "$format" ]; then
  for format in clang-format-14 clang-format ''; do
    [ -n "$format" ] && "$format" --version 2>/dev/null | grep -q 'version 14\.' && break
  done
  if [ -z "$format" ]; then
    echo "format: SKIPPED: clang-format 14 was not found (Debian package clang-format)"
    exit 0
  fi
fi

how=-i
[ "${1:-}" = check ] && how="--dry-run -Werror"
if find include src cli reproduce tests examples bench -name '*.[ch]' -print0 |
  xargs -0 -P "${JOBS:-2}" -n 40 "$format" $how; then
  [ "${1:-}" != check ] || echo "format: all sources are formatted"
else
  echo "format: some sources are not formatted: make format" >&2
  exit 1
fi
