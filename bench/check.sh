#!/bin/sh
# check.sh measure PROGRAM           instruction counts of all runs of bench_count, as CSV
# check.sh compare BASELINE COUNTS   fails if a run takes more than 5 % more than in the baseline
#
# Counts are those of callgrind between creation and release of an integrator. They are the same
# from run to run, on a busy machine too, but not with another compiler, other flags or another
# mathematical library: the head of the file says with which they were made.
set -eu

measure() {
  command -v valgrind >/dev/null 2>&1 || { echo "check.sh: valgrind is needed" >&2; exit 1; }
  printf '# %s\n' "$("$1" --built)"
  printf '# %s, %s\n' "$(valgrind --version)" "$(getconf GNU_LIBC_VERSION 2>/dev/null || uname -s)"
  printf 'run,instructions\n'
  for run in $("$1"); do
    log=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null \
      --toggle-collect=bench_counted_run "$1" "$run" 2>&1) || {
      printf '%s\n' "$log" >&2
      exit 1
    }
    count=$(printf '%s\n' "$log" | sed -n 's/^==[0-9]*== Collected : *\([0-9]*\).*/\1/p')
    [ "${count:-0}" -gt 0 ] || { echo "check.sh: $run was not counted" >&2; exit 1; }
    printf '%s,%s\n' "$run" "$count"
  done
}

compare() {
  awk -F, '
    function say(text) { print text; fflush() }
    FNR == NR && /^#/ { base_head = base_head $0; next }
    /^#/ { head = head $0; next }
    /^run,/ { next }
    FNR == NR { base[$1] = $2; next }
    {
      seen[$1] = 1
      if (!($1 in base)) { printf "%-22s %12d   new: make bench-baseline takes it in\n", $1, $2; next }
      change = 100 * ($2 / base[$1] - 1)
      verdict = change > 5 ? "GREW by more than 5 %" : change < -5 ? "shrank: make bench-baseline keeps it" : ""
      printf "%-22s %12d %12d %+7.2f %% %s\n", $1, base[$1], $2, change, verdict
      if (change > 5) failed = 1
    }
    END {
      for (run in base)
        if (!(run in seen)) { printf "%-22s is in the baseline, and was not counted\n", run; failed = 1 }
      if (base_head != head) {
        say("the counts were made in another way than the baseline, and may differ for that reason:")
        say("  baseline: " base_head)
        say("  now:      " head)
      }
      exit failed
    }' "$1" "$2"
}

case "${1:-}" in
measure) measure "$2" ;;
compare) compare "$2" "$3" ;;
*) sed -n '2,3s/^# //p' "$0" >&2; exit 2 ;;
esac
