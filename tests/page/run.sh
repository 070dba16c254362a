#!/bin/sh
# Pages in a browser: run.sh FOLDER MAKE_PAGE [DAEDAL MODELS]. Works in FOLDER, where playwright-core is installed by
# npm, as package-lock.json pins it, unless it is there. Where the machine lacks what that needs it
# says so and ends with 77; `make test` gets it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=$1
make_page=$2

skip()
{
  echo "skipped: $*"
  exit 77
}

command -v node >/dev/null 2>&1 || skip "node was not found"
node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 18 ? 0 : 1)' ||
  skip "node is older than 18"
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] || skip "chromium was not found"

mkdir -p "$folder/pages"
cmake -D source="$here" -D folder="$folder" -P "$here/../../cmake/daedal-npm.cmake" ||
  skip "playwright-core could not be had"
cp "$here"/*.mjs "$folder"
"$make_page" "$folder/pages"
node "$folder/test_ticks.mjs" "$here/../../src/output/page"
node "$folder/test_page.mjs" "$folder/pages"
node "$folder/test_space.mjs" "$folder/pages"
[ $# -gt 2 ] || exit 0

# reports of the command
daedal=$3
models=$4
mkdir -p "$folder/reports"
cd "$folder/reports"
"$daedal" run "$models/pendulum.dae" --every 0.001 --quiet --report
"$daedal" run "$models/slider_crank.dae" --quiet --report
"$daedal" run "$models/two_circuits.dae" --method gauss-seidel --quiet --report
"$daedal" compare "$models/pendulum.dae" --to 1 --rtol 1e-4..1e-6 --quiet --report compare.html
"$daedal" reproduce l13 --quick --quiet --report papers.html
exec node "$folder/test_reports.mjs" "$folder/reports"
