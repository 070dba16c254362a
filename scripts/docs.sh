#!/bin/sh
# scripts/docs.sh FOLDER [HEADERS]: pages of the public headers, made by Doxygen with docs/Doxyfile.
# Anything that is not explained fails. Exit status 77: Doxygen is not there.
set -eu

folder=$(mkdir -p "$1" && cd "$1" && pwd)
headers=${2:-include/daedal}
cd "$(dirname "$0")/.."
if ! command -v doxygen >/dev/null 2>&1; then
  echo "doxygen was not found: install the package doxygen" >&2
  exit 77
fi
{
  cat docs/Doxyfile
  echo "OUTPUT_DIRECTORY = \"$folder\""
  echo "INPUT = \"$headers\""
} | doxygen -
