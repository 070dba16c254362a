#!/bin/sh
# tidy.sh [all]: clang-tidy over the C sources of the library, the command, the reproductions, the
# examples and the benches, by .clang-tidy; a finding is a failure.
#
# Without `all`: the files that differ from the last commit that had no finding, at most MOST of
# them, evenly chosen from their sorted list. That commit is kept in build/tidy/clean; where it is
# not known (a fresh clone) it is taken to be the parent of the last commit. A changed header is
# checked by one file that includes it, of src/ if there is one.
#
# The compile database is that of build/release, which must be configured, without the flags for
# warnings and code generation: clang does not know all of gcc's. Paths of layers lead to src/.
#
# CLANG_TIDY: the program (clang-tidy 14: others have other checks); JOBS: how many at a time.
set -eu
cd "$(dirname "$0")/.."

FOLDERS="src cli reproduce examples bench"
MOST=20
work=build/tidy
root=$(pwd)
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}

skip() {
  echo "tidy: SKIPPED: $1"
  exit 0
}

tidy=${CLANG_TIDY:-}
if [ -z "$tidy" ]; then
  for tidy in clang-tidy-14 clang-tidy ''; do
    [ -n "$tidy" ] && "$tidy" --version 2>/dev/null | grep -q 'version 14\.' && break
  done
  [ -n "$tidy" ] || skip "clang-tidy 14 was not found (Debian package clang-tidy)"
fi
[ -f build/release/compile_commands.json ] || {
  echo "tidy: build/release is not configured: cmake --preset release" >&2
  exit 1
}

mkdir -p $work
sed -E '/"command":/{
  s/ -(f|m|W|O|g)[^ "]*//g
  s# -I[^ "]*/stage/[^ "]*# -I'"$root"'/src#g
}' build/release/compile_commands.json >$work/compile_commands.json
sed -n 's#^ *"file": "'"$root"'/\(.*\.c\)",*$#\1#p' $work/compile_commands.json |
  grep -E "^($(echo $FOLDERS | tr ' ' '|'))/" | sort -u >$work/sources

# changed_since COMMIT: tracked and new files, committed or not, of the folders
changed_since() {
  git diff --name-only --diff-filter=d "$1" -- $FOLDERS include
  git ls-files --others --exclude-standard -- $FOLDERS include
}

# a header stands for the last source that includes it: those of src/ come last
sources_of() {
  while read -r file; do
    case $file in
    *.c) echo "$file" ;;
    *.h)
      sort -r $work/sources | xargs grep -l "#include [<\"].*\b${file##*/}[>\"]" 2>/dev/null |
        head -n 1
      ;;
    esac
  done | sort -u | comm -12 - $work/sources
}

if [ "${1:-}" = all ]; then
  cp $work/sources $work/chosen
elif ! git rev-parse -q --verify HEAD >/dev/null 2>&1; then
  cp $work/sources $work/chosen
else
  base=$(cat $work/clean 2>/dev/null || echo none)
  git merge-base --is-ancestor "$base" HEAD 2>/dev/null || base=$(git rev-parse -q --verify HEAD~1) ||
    base=$(git hash-object -t tree /dev/null)
  changed_since "$base" | sources_of >$work/chosen
fi

count=$(wc -l <$work/chosen)
whole=yes
if [ "${1:-}" != all ] && [ "$count" -gt $MOST ]; then
  awk -v n="$count" -v m=$MOST 'int(NR * m / n) > int((NR - 1) * m / n)' $work/chosen >$work/some
  mv $work/some $work/chosen
  echo "tidy: $MOST of $count files are checked; make tidy checks all files"
  whole=no
fi

# one file, quiet unless there is a finding
if ! xargs -r -P "$jobs" -n 1 sh -c '
  said=$("$0" -p "$1" --quiet --warnings-as-errors="*" "$2" 2>&1) || {
    printf "%s\n" "$said"
    exit 1
  }' "$tidy" $work <$work/chosen; then
  echo "tidy: there are findings, see above" >&2
  exit 1
fi
echo "tidy: $(wc -l <$work/chosen) files, no findings"
if [ $whole = yes ]; then
  git rev-parse -q --verify HEAD >$work/clean 2>/dev/null || rm -f $work/clean
fi
