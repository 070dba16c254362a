# The front door. Everything here is a short way to say a CMake command.
#
#   make demo    on a fresh Debian 12 machine: set up, build, run a model
#   make test    set up, build and test, with sanitizers and optimised
#   make help    the rest

MAKEFLAGS += --no-print-directory
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
DEMO ?= pendulum
DEMO_OPTIONS ?= --every 0.01
# a build that is there keeps its generator; a new one takes Ninja, where that is installed
CONFIGURE = $(if $(shell command -v ninja),CMAKE_GENERATOR=Ninja )cmake --preset

.DEFAULT_GOAL := build
.PHONY: help setup setup-test setup-bench build build-dev build-release demo test docs check-long \
  bench bench-quick bench-check bench-baseline bench-digits bench-all install format format-check tidy \
  tidy-changed clean picture truth truth-full truth-growth mutants

help:
	@echo "make demo        set up, build and run a model of examples/models (DEMO=$(DEMO))"
	@echo "make test        set up, build and test: dev (sanitizers) and release; format and clang-tidy"
	@echo "make build       set up and build the optimised library and the command"
	@echo "make install     install them, examples, docs and editor files under PREFIX=$(PREFIX)"
	@echo "                 (DESTDIR is honoured)"
	@echo "make picture     take the picture of README.md again, in a browser"
	@echo "make docs        pages of the C interface in build/docs, by Doxygen"
	@echo "make truth       errors against independent references in short form; truth-full: all"
	@echo "make mutants     whether the tests notice deliberate mistakes: score, survivors"
	@echo "make check-long  all tests at full length, all sanitizers, clang-tidy on all sources, the benches"
	@echo "make bench       daedal beside RADAU5, IDA, DOP853, DVODE: tables, build/bench/index.html"
	@echo "                 (BENCH=\"--short stiff\": these problems, of daedal's methods only auto)"
	@echo "make bench-quick the same in less than three minutes"
	@echo "make bench-check that a few runs take no more instructions than bench/baseline.csv says;"
	@echo "                 make bench-baseline writes that file"
	@echo "make bench-all   the benches of single parts"
	@echo "make format      clang-format all sources"
	@echo "make tidy        clang-tidy all sources but the tests; make tidy-changed: the changed ones"
	@echo "make clean       remove build/"

setup:
	@sh scripts/setup.sh

setup-test:
	@sh scripts/setup.sh test

setup-bench:
	@sh scripts/setup.sh bench

# the targets that are installed: no tests, benches or examples
build: setup
	$(CONFIGURE) release
	cmake --build --preset release -j $(JOBS) --target daedal daedal_shared daedal_command

build-release: setup
	$(CONFIGURE) release
	cmake --build --preset release -j $(JOBS)

build-dev: setup
	$(CONFIGURE) dev
	cmake --build --preset dev -j $(JOBS)

demo: setup
	$(CONFIGURE) release
	cmake --build --preset release -j $(JOBS) --target daedal_command
	@mkdir -p build/demo
	cd build/demo && ../release/cli/daedal run ../../examples/models/$(DEMO).dae $(DEMO_OPTIONS) \
	  --report $(DEMO).html --json $(DEMO).json
	@echo "build/demo/$(DEMO).html shows it: open it in a browser"

# one test more than there are cores: test_page waits for its browser most of the time
test: setup-test format-check build-dev build-release tidy-changed
	ctest --preset dev -j $$(($(JOBS) + 1))
	ctest --preset release -j $$(($(JOBS) + 1))

picture: setup-test demo
	cmake -D source=$(CURDIR)/tests/page -D folder=$(CURDIR)/build/picture -P cmake/daedal-npm.cmake
	cp tests/page/*.mjs build/picture
	node build/picture/picture.mjs build/demo/pendulum.html docs/images/report.png

docs:
	sh scripts/docs.sh build/docs
	@echo "build/docs/index.html is the first page"

# errors of all methods in tolerances, on the models of tests/truth: limits in tests/truth/limits.json
TRUTH = python3 tests/truth/truth.py --daedal build/release/cli/daedal --jobs $(JOBS)

truth: setup
	$(CONFIGURE) release
	cmake --build --preset release -j $(JOBS) --target daedal_command
	$(TRUTH) --short --check short --worst 20 --csv build/release/truth-short.csv

truth-full: setup
	$(CONFIGURE) release
	cmake --build --preset release -j $(JOBS) --target daedal_command
	$(TRUTH) --check full --worst 40 --csv build/release/truth.csv

# errors over 10 to 10^4 swings of a pendulum and 10^5 turns on a circle by auto
truth-growth: setup
	$(CONFIGURE) release
	cmake --build --preset release -j $(JOBS) --target daedal_command
	$(TRUTH) --growth

# deliberate mistakes, one at a time, against fast tests (tests/mutants/mutants.py); MUTANTS: names, without any all
mutants: setup-test
	$(CONFIGURE) mutants
	cmake --build --preset mutants -j $(JOBS) --target $$(python3 tests/mutants/mutants.py --build build/mutants --targets)
	python3 tests/mutants/mutants.py --build build/mutants --jobs $(JOBS) $(MUTANTS)

check-long: build-release tidy
	ctest --preset long -j $(JOBS)
	$(CONFIGURE) strict
	cmake --build --preset strict -j $(JOBS)
	ctest --preset strict -j $(JOBS)
	$(MAKE) truth-full truth-growth
	python3 tests/truth/contact_scenes.py --daedal build/release/cli/daedal --scenes 500
	sh tests/fuzz/run_long.sh
	$(MAKE) mutants
	$(MAKE) bench bench-check bench-digits bench-all

BENCH_WORK = build/release/bench/bench_work
BENCH_COUNT = build/release/bench/bench_count

# BENCH: options, then names of problems or of kinds of them, without any name all of them
define bench_work
	$(CONFIGURE) release
	cmake --build --preset release -j $(JOBS) --target bench_work
	@mkdir -p build/bench
	$(BENCH_WORK) $(1) --csv build/bench/work.csv --page build/bench/index.html $(BENCH)
	@echo
	@echo "build/bench/index.html shows it, build/bench/work.csv has all runs"
endef

bench: setup-bench
	$(call bench_work,)

bench-quick: setup-bench
	$(call bench_work,--quick)

build/bench/counts.csv: setup-bench
	$(CONFIGURE) release
	cmake --build --preset release -j $(JOBS) --target bench_count
	@mkdir -p build/bench
	sh bench/check.sh measure $(BENCH_COUNT) > $@.new
	@mv $@.new $@

bench-check: build/bench/counts.csv
	sh bench/check.sh compare bench/baseline.csv $<

bench-baseline: build/bench/counts.csv
	cp $< bench/baseline.csv

# evaluations for 4, 6 and 8 digits by gauss, radau and explicit, beside bench/digits.csv
bench-digits: setup-bench
	$(CONFIGURE) release
	cmake --build --preset release -j $(JOBS) --target bench_digits
	build/release/bench/bench_digits --compare bench/digits.csv

bench-all: build-release
	cmake --build --preset release --target bench-all

install: build
	cmake --install build/release --prefix $(PREFIX)

format:
	@sh scripts/format.sh

format-check:
	@JOBS=$(JOBS) sh scripts/format.sh check

tidy: setup-test
	$(CONFIGURE) release
	@JOBS=$(JOBS) sh scripts/tidy.sh all

tidy-changed: build-release
	@JOBS=$(JOBS) sh scripts/tidy.sh

clean:
	rm -rf build
