#!/bin/sh
# The long fuzz run: run_long.sh [SECONDS [FOLDER]], by default 600 seconds, built in build/fuzz:
# damaged saved states for about a third of the time, then the model language.
# libFuzzer where clang has it, else the driver of this folder with as many mutants as it feeds in
# about that time. Ends with an error where an input crashes, leaks, hangs or takes too much memory;
# libFuzzer leaves it in the folder.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
seconds=${1:-600}
build=${2:-$root/build/fuzz}
jobs=$(nproc 2>/dev/null || echo 2)
mkdir -p "$build/corpus"

has_libfuzzer()
{
  command -v clang >/dev/null 2>&1 || return 1
  printf '%s\n' '#include <stddef.h>' '#include <stdint.h>' \
    'int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n) { return d && n ? 0 : 0; }' |
    clang -fsanitize=fuzzer,address,undefined -x c -o "$build/probe" - >/dev/null 2>&1
}

cd "$root"
echo "fuzz: saved states"
cmake --preset dev -B "$build/saved" >/dev/null
cmake --build "$build/saved" --target fuzz_saved -j "$jobs" >/dev/null
"$build/saved/tests/fuzz/fuzz_saved" "$((seconds * 2))" # about 6 mutants of each kind in a second

if has_libfuzzer; then
  echo "fuzz: libFuzzer for $seconds seconds"
  cmake -B "$build" -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_C_FLAGS=-fsanitize=fuzzer-no-link -DDAEDAL_SANITIZE=ON -DDAEDAL_FUZZ=ON >/dev/null
  cmake --build "$build" --target fuzz_model_libfuzzer -j "$jobs" >/dev/null
  exec "$build/tests/fuzz/fuzz_model_libfuzzer" -max_total_time="$seconds" -timeout=20 \
    -rss_limit_mb=3000 -max_len=8000 -dict="$here/model.dict" -artifact_prefix="$build/" \
    -print_final_stats=1 -verbosity=0 "$build/corpus" "$here/corpus"
fi
mutants=$((seconds * 8000))
echo "fuzz: no clang with libFuzzer (Debian: clang libclang-rt-14-dev); $mutants mutants of the corpus"
cmake --preset dev -B "$build" >/dev/null
cmake --build "$build" --target fuzz_model -j "$jobs" >/dev/null
exec "$build/tests/fuzz/fuzz_model" "$here/corpus" "$mutants"
