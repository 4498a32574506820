# SPDX-License-Identifier: Apache-2.0
# What a learner and a class need is here, the rest in parts that this file reads
# (grader/make/); `make help` lists the targets. Everything that is made is in build/. The
# rooms of grader/, the labs, the unit tests and the Bats files are found: a new one needs
# no change in any part.
#
#   CC=clang   another compiler, in a folder of its own
#   SAN=1      address and undefined-behaviour sanitizers, in a folder of their own: with
#              clang if it is there and CC does not say otherwise, and with the counters
#              that libFuzzer reads, so that the unit tests and the fuzz targets share
#              what is compiled
#   COV=1      with counters of branches taken, in a folder of their own (make coverage)
#   ISAS=all   compile the handlers for every level of x86-64, for a program that is to
#              run on other machines; the default is the best level of this machine,
#              some is that and another
#   V=1        show the commands

# Not empty where make only tells: options -n, -q, -t.
TELL := $(foreach letter,n q t,$(findstring $(letter),$(firstword -$(MAKEFLAGS))))
MAKEFLAGS += --no-builtin-rules
ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.DEFAULT_GOAL := all
SHELL := /bin/sh

# The first of them is the default, and has no folder of its own.
COMPILERS := $(if $(and $(SAN),$(shell command -v clang)),clang )gcc
ifeq ($(filter default undefined,$(origin CC)),)
COMPILER := $(CC)
else
COMPILER := $(firstword $(COMPILERS))
endif
CLANG := $(findstring clang,$(COMPILER))
FAMILY := $(or $(CLANG),gcc)
BUILT := build$(if $(filter-out $(firstword $(COMPILERS)),$(FAMILY)),/$(FAMILY))$(if $(SAN),/san)$(if $(COV),/cov)
Q := $(if $(V),,@)
SAY = $(if $(V),@:,@echo)

# A handout has this file, which names the targets that it lacks.
NOT_HERE :=
-include grader/make/not-here.mk

# What the goals need is there before anything else is done, or make ends here. A rule could
# not promise that: others run beside it, and each rule that compiles would have to name it.
# The script gets what was given to make, which $(shell) does not pass on.
GOALS := $(filter-out $(NOT_HERE),$(or $(MAKECMDGOALS),all))
GIVEN := $(foreach name,PATH CUDA_HOME CUDA_PATH CLCLAB_TOOLKIT REVEAL_TARBALL,\
	$(if $(filter command,$(origin $(name))),$(name)='$($(name))'))
ifeq ($(strip $(TELL))$(if $(GOALS),,none),)
$(shell $(GIVEN) CC='$(COMPILER)' grader/tools/setup --quiet --goals $(GOALS:%='%'))
ifneq ($(.SHELLSTATUS),0)
$(error setup ended with $(.SHELLSTATUS): see above what is missing)
endif
endif

# Each may use the names of those before it.
PARTS := build $(if $(NOT_HERE),,tools test lint docs)
PART_FILES := $(PARTS:%=grader/make/%.mk)
include $(PART_FILES)

# ---- grading -------------------------------------------------------------

# Values reach the scripts through the environment, so that a file name with a blank
# or a quote in it stays one word. If a grade is below full marks, clclab exits with 1
# and make, as for any failing recipe, with 2.
GRADE_OPTIONS := LAB CASE FILE FROM DEVICE SEED SCHEDULES FORMAT MODEL SIZE \
	OUT_FILE CHART
BATCH_OPTIONS := DIR OUT JOBS SEED_FROM NAMES GRADEBOOK COLUMN POINTS SIMILARITY FEEDBACK ALLOW_WEAK \
	ENGINE SHARDS PARTITION SBATCH NO_WAIT
export $(GRADE_OPTIONS) $(BATCH_OPTIONS)

##@ Learning

.PHONY: grade
grade: $(CLCLAB) ## grade a lab, or the one that you are at: [LAB=4] [FILE=x.cu | FROM=solutions] [DEVICE= MODEL= SEED= SCHEDULES= FORMAT=]
	@grader/tools/grade $(CLCLAB)

.PHONY: watch
watch: $(CLCLAB) ## grade a lab at once and each time that its file is saved: [LAB=4] [DEVICE= MODEL= SEED= SCHEDULES=]
	@grader/tools/grade $(CLCLAB) watch

.PHONY: reset
reset: $(CLCLAB) ## make a lab's file the starter again, and keep yours beside it: LAB=4
	@grader/tools/grade $(CLCLAB) reset

.PHONY: trace
trace: $(CLCLAB) ## show what a run did in time, and the steps before the first mistake: [LAB=4] [FILE= FROM= MODEL= SEED=]
	@grader/tools/grade $(CLCLAB) trace

.PHONY: debug
debug: $(CLCLAB) ## go through the steps around the first mistake, forward and back: [LAB=4] [FILE= FROM= MODEL= SEED= SCHEDULES=]
	@grader/tools/grade $(CLCLAB) debug

.PHONY: report
report: $(CLCLAB) ## make a page of a grade with pictures of the run: build/report.html [LAB=4] [OUT_FILE= FILE= FROM= MODEL= SEED= SCHEDULES=]
	@FORMAT=html OUT_FILE=$${OUT_FILE:-build/report.html} grader/tools/grade $(CLCLAB) || [ $$? -eq 1 ]
	@echo "$${OUT_FILE:-build/report.html}"

.PHONY: quiz
quiz: $(CLCLAB) ## grade your answers to a lab's quiz: LAB=4 [FILE=answers.txt] [FORMAT=]
	@grader/tools/quiz $(CLCLAB)

.PHONY: clinic
clinic: $(CLCLAB) ## diagnose and mend kernels with a bug that is rarely seen: [CASE=3 [FILE=x.cu]] [SEED= SCHEDULES= FORMAT=]
	@grader/tools/clinic $(CLCLAB)

##@ Teaching a class

.PHONY: batch
batch: $(CLCLAB) ## grade a class, a folder or an archive: LAB=4 DIR=submissions OUT=grades [QUIZ=yes] [JOBS= SEED= SEED_FROM= NAMES= GRADEBOOK= COLUMN= POINTS= SIMILARITY= FEEDBACK=] [ENGINE=slurm PARTITION= SHARDS= SBATCH= NO_WAIT=1]
	@grader/tools/batch $(CLCLAB)

# ---- the rest ------------------------------------------------------------

##@ Building

.PHONY: setup
setup: ## install what is missing (or say which command does)
	@grader/tools/setup all

FIRST := grade watch report quiz reset test
.PHONY: help
help: ## list these targets
	@awk -v first='$(FIRST)' -f grader/make/help.awk Makefile $(PART_FILES)

.PHONY: clean
clean: ## remove build/
	rm -rf build
