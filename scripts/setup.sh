#!/bin/sh
# setup.sh [test | bench]: finds the Debian packages that the build needs, with `test` also what some
# tests need, with `bench` the codes that the bench compares with, and installs those that are missing.
# Does nothing, quickly, when all are there; says what to install when it may not. Tests without what
# they need are skipped, the bench goes without a code that is not there.
set -eu

packages="gcc libc6-dev make cmake pkg-config libopenblas-serial-dev libsuitesparse-dev libexpat1-dev libcmocka-dev"

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "setup: not a Debian system; the build needs a C17 compiler, cmake 3.21, pkg-config," \
       "OpenBLAS or LAPACK, SuiteSparse (KLU), expat and cmocka" >&2
  exit 0
fi

installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $packages 2>/dev/null || true)
missing=""
for package in $packages; do
  if ! printf '%s\n' "$installed" | grep -qx "$package installed"; then
    missing="$missing $package"
  fi
done
# pkgconf also comes under a package name of its own
if command -v pkg-config >/dev/null 2>&1; then
  missing=$(printf '%s' "$missing" | sed 's/ pkg-config//')
fi
# commands of the tests, and their packages: they may have come from elsewhere. Without ninja, make builds.
wanted=""
if [ "${1:-}" = test ]; then
  for pair in chromium:chromium node:nodejs npm:npm python3:python3 doxygen:doxygen \
    ninja:ninja-build clang-format:clang-format clang-tidy:clang-tidy; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || wanted="$wanted ${pair#*:}"
  done
  # HDF5 files, and independent readers of result files
  there=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' libhdf5-dev python3-numpy python3-scipy python3-h5py 2>/dev/null || true)
  for package in libhdf5-dev python3-numpy python3-scipy python3-h5py; do
    printf '%s\n' "$there" | grep -qx "$package installed" || wanted="$wanted $package"
  done
fi
if [ "${1:-}" = bench ]; then
  # libpython of Debian's own python3, whose modules python3-scipy has
  python=$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || echo 3.11)
  codes="libsundials-dev r-cran-desolve python3-scipy libpython$python"
  there=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $codes 2>/dev/null || true)
  for package in $codes; do
    printf '%s\n' "$there" | grep -qx "$package installed" || wanted="$wanted $package"
  done
  command -v valgrind >/dev/null 2>&1 || wanted="$wanted valgrind"
fi
[ -z "$missing$wanted" ] && exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root="env"
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  as_root="sudo -n env"
elif command -v sudo >/dev/null 2>&1 && [ -t 0 ]; then
  as_root="sudo env"
else
  echo "setup: packages are missing and neither root nor sudo is available; please run" >&2
  echo "  apt-get update && apt-get install$missing$wanted" >&2
  [ -n "$missing" ] && exit 1
  exit 0 # tests will be skipped, the bench goes without
fi

echo "setup: installing$missing$wanted"
export_apt="DEBIAN_FRONTEND=noninteractive"
$as_root $export_apt apt-get update -q || [ -z "$missing" ]
if [ -n "$missing" ]; then
  $as_root $export_apt apt-get install -q -y --no-install-recommends $missing
fi
if [ -n "$wanted" ]; then
  # together where that works, else one by one: a package that is not to be had keeps no other away
  $as_root $export_apt apt-get install -q -y --no-install-recommends $wanted ||
    for package in $wanted; do
      $as_root $export_apt apt-get install -q -y --no-install-recommends "$package" ||
        echo "setup: could not install $package; what needs it will be left out" >&2
    done
fi
