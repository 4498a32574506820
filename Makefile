# SPDX-License-Identifier: Apache-2.0
# The only makefile; `make help` lists its targets. Everything that it makes is in
# build/. It finds the rooms of grader/, the labs, the unit tests and the Bats files by
# itself: a new one needs no change here.
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

# ---- sources and outputs -------------------------------------------------

SOURCES := $(filter-out grader/tests/% grader/tools/% grader/bench/%, \
	$(wildcard grader/*/*.c grader/*/*/*.c))
# All that results are judged with.
HASHED := $(sort $(filter-out grader/tests/% grader/tools/% grader/bench/%, \
	$(wildcard grader/*/*.[ch] grader/*/*/*.[ch])))
REFERENCES := $(wildcard labs/*/reference.c)
UNIT_SOURCES := $(wildcard grader/tests/unit/test_*.c)
BATS_FILES := $(wildcard grader/tests/bats/*.bats)
LAB_CONFS := $(sort $(wildcard labs/*/lab.conf))
RULE_PAGES := $(sort $(wildcard docs/rules/*.md))

# The interpreter's handlers are compiled once for each wanted level of the instruction
# set, which is most of a build: by default only for the best level of this machine
# (found by the same flags as in vm/program/isa.c). The best level comes first. With
# sanitizers one level is enough, as all levels have the same source.
HANDLERS := $(wildcard grader/vm/exec/*.c)
CPU_FLAGS := $(shell grep -m 1 '^flags' /proc/cpuinfo 2>/dev/null)
cpu_has = $(if $(filter-out $(CPU_FLAGS),$(1)),,yes)
CPU_V3 := $(call cpu_has,avx2 fma bmi1 bmi2)
CPU_V4 := $(and $(CPU_V3),$(call cpu_has,avx512f avx512bw avx512cd avx512dq avx512vl))
CPU_BEST := $(if $(CPU_V4),v4,$(if $(CPU_V3),v3,v2))
# Of the levels that are not the best, the one that PICK chooses.
CPU_OTHERS := $(filter-out $(CPU_BEST),v2 v3 v4)
CPU_OTHER = $(word $(shell echo $$(($(or $(PICK),0) % 2 + 1))),$(CPU_OTHERS))
WANTED := $(subst all,v2 v3 v4,$(subst some,$(CPU_BEST) $(CPU_OTHER),$(or $(ISAS),$(CPU_BEST))))
LEVELS := $(if $(filter x86_64,$(shell uname -m)),$(if $(SAN)$(COV),,\
	$(foreach level,v4 v3 v2,$(filter $(level),$(WANTED)))))
LEVELS := $(or $(strip $(LEVELS)),base)

object = $(patsubst %.c,$(BUILT)/obj/%.o,$(1))
MAIN := $(call object,grader/cli/main.c)
# How wildcard sorts depends on the locale, so a list that is remembered is sorted again:
# a make of another locale, such as a test's, would link what others are running.
OBJECTS := $(sort $(filter-out $(MAIN),\
	$(call object,$(filter-out $(HANDLERS),$(SOURCES)) $(REFERENCES))) \
	$(foreach isa,$(LEVELS),$(HANDLERS:%.c=$(BUILT)/obj/%.$(isa).o)) \
	$(BUILT)/obj/gen/labs.o $(BUILT)/obj/gen/rules.o $(BUILT)/obj/gen/sources.o \
	$(if $(FUZZ),,$(BUILT)/obj/gen/page.o))
UNIT_TESTS := $(patsubst grader/tests/unit/%.c,$(BUILT)/tests/%,$(UNIT_SOURCES))
# With ONLY=name the others need not be built.
UNIT_ASKED := $(if $(ONLY),$(foreach test,$(UNIT_TESTS),\
    $(if $(findstring $(ONLY),$(notdir $(test))),$(test))),$(UNIT_TESTS))
CLCLAB := $(BUILT)/clclab
LIBRARY := $(BUILT)/libclclab.a
JSON_GET := $(BUILT)/tools/json-get
COST := $(BUILT)/tools/cost
WITHOUT := $(BUILT)/tools/without
GEN_INSTRUCTIONS := $(BUILT)/tools/gen-instructions
GEN_MACHINE := $(BUILT)/tools/gen-machine
MUTANTS := $(BUILT)/mutants
MUTATE_GRADER := $(BUILT)/tools/mutate-grader
RUNTIMES := $(BUILT)/runtime/libcudart.so.13 $(BUILT)/runtime/libcudart.so.12
DRIVER := $(BUILT)/runtime/libcuda.so.1
NVRTC := $(BUILT)/runtime/libclclab-nvrtc.so
FAKECUDA := $(BUILT)/tests/libfakecuda.so
FAKENVRTC := $(BUILT)/tests/libfakenvrtc.so
FUZZERS := $(patsubst grader/tests/fuzz/%.c,build/fuzz/%, \
	$(wildcard grader/tests/fuzz/fuzz_*.c))

# ---- flags ---------------------------------------------------------------

comma := ,
WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes
# With -fPIC for the library of clclab exec, which exports no more than it says.
STANDARD := -std=c11 -D_GNU_SOURCE -fPIC -fvisibility=hidden
# In sanitized code gcc does not see that a quotient of uint16_t is not negative, so it
# would warn. To convert a float that does not fit is undefined in C, but not in PTX. For
# libFuzzer only edges are counted: to trace comparisons would take half of the time.
SANITIZE := -fsanitize=address,undefined$(if $(CLANG),$(comma)float-cast-overflow) \
	-fno-sanitize-recover=all -fno-omit-frame-pointer $(if $(CLANG),\
	-fsanitize-coverage=inline-8bit-counters$(comma)pc-table -D__SANITIZE_ADDRESS__,\
	-Wno-sign-conversion)
INCLUDES := -Igrader -Ilabs/common
# Backtraces and reports of sanitizers name functions and lines but no variables: for those
# -g1 is enough, and a sixth quicker to compile (CFLAGS=-g for a debugger). To optimize
# sanitized code takes longer than to run it as it is, but for the rooms in which tests
# spend their time.
ALL_CFLAGS = $(STANDARD) $(WARNINGS) -g1 $(INCLUDES) -MMD -MP \
	$(OPTIMIZE) $(if $(SAN),$(OPTIMIZE_SANITIZED) $(SANITIZE)) $(if $(COV),-O0 --coverage) $(DEFINES) $(CFLAGS)
OPTIMIZE = -O2
OPTIMIZE_SANITIZED = -O0
$(foreach room,base ptx vm,$(eval $(BUILT)/obj/grader/$(room)/%.o: OPTIMIZE_SANITIZED = -O1))
# The interpreter is compiled for speed, with floating point exactly as written. (clang
# may fail to vectorise a loop: that is no reason for a warning.)
$(BUILT)/obj/grader/vm/%.o: OPTIMIZE = -O3 -ffp-contract=off -fno-math-errno \
	-fno-strict-aliasing \
	$(if $(filter v%,$(LEVELS)),-march=x86-64-v2) \
	$(if $(findstring clang,$(COMPILER)),-Wno-pass-failed)
# Tells the file that chooses a level which levels there are.
ISA_OBJECT := $(filter %/isa.o,$(OBJECTS))
$(ISA_OBJECT): DEFINES = '-DVM_ISAS=${LEVELS:%=LEVEL(%)}'
# A program is there at every moment, old or new, as others may be running it.
LINK = $(COMPILER) $(if $(SAN),$(SANITIZE)) $(if $(COV),--coverage) $(LDFLAGS) -o $@.new $^ -ldl -lm -pthread && mv $@.new $@

# ---- building ------------------------------------------------------------

.PHONY: all
all: $(CLCLAB) $(if $(SAN)$(FUZZ)$(COV),,$(RUNTIMES) $(DRIVER) $(NVRTC)) build/compile_commands.json ## build the grader, build/clclab (the default)

build/compile_commands.json: grader/tools/editor labs/common/editor.h
	@grader/tools/editor --if-possible
.PHONY: editor
editor: ## tell editors with clangd how to read the labs (make does so once)
	@grader/tools/editor

$(CLCLAB): $(MAIN) $(LIBRARY)
	$(SAY) "  LINK  $@"
	$(Q)$(LINK)

# What stands in for NVIDIA's library in a program that clclab exec runs: of the grader
# what it needs, and a stub for each function that it lacks. Programs of CUDA 12 and 13
# ask for different versions. It stays when a plug-in that brought it is closed: what it
# counts is the process's.
RUNTIME_NAMES := $(wildcard grader/runtime/api/*.names grader/runtime/api/*.aliases)
$(RUNTIMES): $(BUILT)/runtime/%: $(filter-out %/nvrtc.o,$(filter $(BUILT)/obj/grader/runtime/%,$(OBJECTS))) \
    $(BUILT)/obj/gen/cudart_stubs.o $(LIBRARY) grader/tools/gen-runtime
	$(SAY) "  LINK  $@"
	$(Q)mkdir -p $(@D) && grader/tools/gen-runtime versions $* >$@.map && \
	grader/tools/gen-runtime aliases grader/runtime/api >$@.ld && \
	$(COMPILER) -shared -Wl,-soname,$* -Wl,--version-script,$@.map -Wl,--no-undefined -Wl,-z,nodelete \
	    $(LDFLAGS) -o $@.new $(filter %.o %.a,$^) $@.ld -ldl -lm -pthread && mv $@.new $@
	$(Q)ln -sf libcudart.so.13 $(@D)/libcudart.so
# The driver's library is that of the runtime, which it loads.
$(BUILT)/runtime/libcuda.so.1: $(BUILT)/runtime/libcudart.so.13
	$(SAY) "  LINK  $@"
	$(Q)$(COMPILER) -shared -Wl,-soname,libcuda.so.1 -Wl,--no-as-needed '-Wl,-rpath,$$ORIGIN' \
	    $(LDFLAGS) -o $@.new $< && mv $@.new $@
	$(Q)ln -sf libcuda.so.1 $(@D)/libcuda.so
# Names without versions stand for those of every version of NVRTC.
$(NVRTC): $(BUILT)/obj/grader/runtime/api/nvrtc.o
	$(SAY) "  LINK  $@"
	$(Q)mkdir -p $(@D) && $(COMPILER) -shared $(LDFLAGS) -o $@.new $< -ldl && mv $@.new $@
build/gen/cudart_stubs.c: grader/tools/gen-runtime $(RUNTIME_NAMES)
	$(SAY) "  GEN   $@"
	$(Q)mkdir -p $(@D) && grader/tools/gen-runtime stubs grader/runtime/api >$@

$(LIBRARY): $(OBJECTS) $(BUILT)/objects
	$(SAY) "  AR    $@"
	$(Q)rm -f $@.new && ar rcs $@.new $(OBJECTS) && mv $@.new $@
$(ISA_OBJECT): $(BUILT)/objects

$(BUILT)/obj/%.o: %.c $(BUILT)/flags | setup-quietly
	$(SAY) "  CC    $<"
	$(Q)mkdir -p $(@D) && $(COMPILER) $(ALL_CFLAGS) -c -o $@ $<

define handlers_for
$(BUILT)/obj/%.$(1).o: %.c $(BUILT)/flags | setup-quietly
	$$(SAY) "  CC    $$< ($(1))"
	$$(Q)mkdir -p $$(@D) && $$(COMPILER) $$(ALL_CFLAGS) -DVM_ISA=$(1) \
	    $$(if $$(filter v%,$(1)),-march=x86-64-$(1)) -c -o $$@ $$<
endef
$(foreach isa,$(LEVELS),$(eval $(call handlers_for,$(isa))))

$(BUILT)/obj/gen/%.o: build/gen/%.c $(BUILT)/flags
	$(SAY) "  CC    $<"
	$(Q)mkdir -p $(@D) && $(COMPILER) $(ALL_CFLAGS) -c -o $@ $<

build/gen/labs.c: grader/tools/gen-labs $(LAB_CONFS) $(REFERENCES) build/gen/labs
	$(SAY) "  GEN   $@"
	$(Q)mkdir -p $(@D) && grader/tools/gen-labs $(LAB_CONFS) >$@

build/gen/rules.c: grader/tools/gen-rules $(RULE_PAGES) build/gen/rules
	$(SAY) "  GEN   $@"
	$(Q)mkdir -p $(@D) && grader/tools/gen-rules $(RULE_PAGES) >$@

# The style and the script of a report as HTML.
build/gen/page.c: grader/tools/gen-page grader/report/page.css grader/report/page.js
	$(SAY) "  GEN   $@"
	$(Q)mkdir -p $(@D) && $< grader/report/page.css grader/report/page.js >$@

# What the grader is made of, for the results that name it.
build/gen/sources.c: $(HASHED) build/gen/sources
	$(SAY) "  GEN   $@"
	$(Q)mkdir -p $(@D) && sum=$$(cat $(HASHED) | sha256sum) && \
	printf '%s\n' '// Made by the Makefile.' '#include "cli/labs.h"' \
	    "const char grader_sha256[] = \"$${sum%% *}\";" >$@

$(BUILT)/tests/%: $(BUILT)/obj/grader/tests/unit/%.o $(LIBRARY)
	$(SAY) "  LINK  $@"
	$(Q)mkdir -p $(@D) && $(LINK)

# A driver without a GPU and an NVRTC that compiles nothing, which tests load at run time.
$(FAKECUDA): $(patsubst %.c,$(BUILT)/obj/%.o,$(wildcard grader/tests/fakecuda/*.c))
$(FAKENVRTC): $(patsubst %.c,$(BUILT)/obj/%.o,$(wildcard grader/tests/fakenvrtc/*.c))
$(FAKECUDA) $(FAKENVRTC):
	$(SAY) "  LINK  $@"
	$(Q)mkdir -p $(@D) && $(COMPILER) -shared $(if $(SAN),$(SANITIZE)) $(if $(COV),--coverage) -o $@.new $^ -lm && mv $@.new $@
$(BUILT)/obj/grader/tests/fake%.o: OPTIMIZE = -O1 -fvisibility=default
$(UNIT_TESTS): | $(FAKECUDA) $(FAKENVRTC)

$(BUILT)/tools/%: $(BUILT)/obj/grader/tools/%.o $(LIBRARY)
	$(SAY) "  LINK  $@"
	$(Q)mkdir -p $(@D) && $(LINK)

$(MUTANTS): $(patsubst %.c,$(BUILT)/obj/%.o,\
    $(wildcard grader/tests/mutants/*.c)) $(LIBRARY)
	$(SAY) "  LINK  $@"
	$(Q)$(LINK)

# This program changes the grader's own C. All its parts except main have unit tests.
MUTATE_PARTS := $(patsubst %.c,$(BUILT)/obj/%.o,$(filter-out %/mutate.c,\
    $(wildcard grader/tests/mutate-grader/*.c)))
$(MUTATE_GRADER): $(BUILT)/obj/grader/tests/mutate-grader/mutate.o \
    $(MUTATE_PARTS) $(LIBRARY)
	$(SAY) "  LINK  $@"
	$(Q)mkdir -p $(@D) && $(LINK)
$(BUILT)/tests/test_mutate_grader: $(BUILT)/obj/grader/tests/unit/test_mutate_grader.o \
    $(MUTATE_PARTS) $(LIBRARY)
	$(SAY) "  LINK  $@"
	$(Q)mkdir -p $(@D) && $(LINK)

# All but fuzz_text, whose inputs are not PTX, mutate as hooks.c says.
$(filter-out %/fuzz_text,$(FUZZERS)): $(BUILT)/obj/grader/tests/fuzz/hooks.o
$(FUZZERS): build/fuzz/%: $(BUILT)/obj/grader/tests/fuzz/%.o $(LIBRARY)
	$(SAY) "  LINK  $@"
	$(Q)mkdir -p $(@D) && clang $(SANITIZE) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ -ldl -lm -pthread

# Each of these files holds a list, and is written only when the list changes, so that
# what depends on the list is made again. This includes the case that a lab, a page or a
# source was deleted, after which no file is newer than before.
define changes_with
$(1): FORCE
	@mkdir -p $$(@D); list='$(subst ','\'',$(2))'; \
	[ "$$$$list" = "$$$$(cat $$@ 2>/dev/null)" ] || echo "$$$$list" >$$@
endef
$(eval $(call changes_with,$(BUILT)/flags,$(COMPILER) $(STANDARD) $(WARNINGS) $(CFLAGS)))
$(eval $(call changes_with,$(BUILT)/objects,$(OBJECTS)))
$(eval $(call changes_with,build/gen/labs,$(LAB_CONFS)))
$(eval $(call changes_with,build/gen/rules,$(RULE_PAGES)))
$(eval $(call changes_with,build/gen/sources,$(HASHED)))
.PHONY: FORCE
FORCE:

-include $(patsubst %.o,%.d,$(MAIN) $(OBJECTS)) \
	$(patsubst %.c,$(BUILT)/obj/%.d,$(UNIT_SOURCES) \
	$(wildcard grader/tools/*.c grader/tests/fuzz/*.c \
	grader/tests/mutants/*.c grader/tests/mutate-grader/*.c grader/tests/fake*/*.c))
-include $(patsubst %,$(BUILT)/obj/grader/bench/vm/%.d,bench-vm scalar)

# ---- grading -------------------------------------------------------------

# Values reach the scripts through the environment, so that a file name with a blank
# or a quote in it stays one word. If a grade is below full marks, clclab exits with 1
# and make, as for any failing recipe, with 2.
GRADE_OPTIONS := LAB CASE FILE FROM DEVICE SEED SCHEDULES FORMAT MODEL SIZE \
	OUT_FILE CHART
BATCH_OPTIONS := DIR OUT JOBS SEED_FROM NAMES GRADEBOOK COLUMN POINTS SIMILARITY FEEDBACK ALLOW_WEAK \
	ENGINE SHARDS PARTITION SBATCH NO_WAIT
export $(GRADE_OPTIONS) $(BATCH_OPTIONS)
.PHONY: grade
grade: $(CLCLAB) | setup-quietly ## grade a lab, or the one that you are at: [LAB=4] [FILE=x.cu | FROM=solutions] [DEVICE= MODEL= SEED= SCHEDULES= FORMAT=]
	@grader/tools/grade $(CLCLAB)

.PHONY: batch
batch: $(CLCLAB) | setup-quietly ## grade a class, a folder or an archive: LAB=4 DIR=submissions OUT=grades [QUIZ=yes] [JOBS= SEED= SEED_FROM= NAMES= GRADEBOOK= COLUMN= POINTS= SIMILARITY= FEEDBACK=] [ENGINE=slurm PARTITION= SHARDS= SBATCH= NO_WAIT=1]
	@grader/tools/batch $(CLCLAB)

.PHONY: watch
watch: $(CLCLAB) | setup-quietly ## grade a lab at once and each time that its file is saved: [LAB=4] [DEVICE= MODEL= SEED= SCHEDULES=]
	@grader/tools/grade $(CLCLAB) watch

.PHONY: reset
reset: $(CLCLAB) | setup-quietly ## make a lab's file the starter again, and keep yours beside it: LAB=4
	@grader/tools/grade $(CLCLAB) reset

.PHONY: trace
trace: $(CLCLAB) | setup-quietly ## show what a run did in time, and the steps before the first mistake: [LAB=4] [FILE= FROM= MODEL= SEED=]
	@grader/tools/grade $(CLCLAB) trace

.PHONY: debug
debug: $(CLCLAB) | setup-quietly ## go through the steps around the first mistake, forward and back: [LAB=4] [FILE= FROM= MODEL= SEED= SCHEDULES=]
	@grader/tools/grade $(CLCLAB) debug

.PHONY: report
report: $(CLCLAB) | setup-quietly ## make a page of a grade with pictures of the run: build/report.html [LAB=4] [OUT_FILE= FILE= FROM= MODEL= SEED= SCHEDULES=]
	@FORMAT=html OUT_FILE=$${OUT_FILE:-build/report.html} grader/tools/grade $(CLCLAB) || [ $$? -eq 1 ]
	@echo "$${OUT_FILE:-build/report.html}"

.PHONY: quiz
quiz: $(CLCLAB) | setup-quietly ## grade your answers to a lab's quiz: LAB=4 [FILE=answers.txt] [FORMAT=]
	@grader/tools/quiz $(CLCLAB)

.PHONY: clinic
clinic: $(CLCLAB) | setup-quietly ## diagnose and mend kernels with a bug that is rarely seen: [CASE=3 [FILE=x.cu]] [SEED= SCHEDULES= FORMAT=]
	@grader/tools/clinic $(CLCLAB)

# ---- checking ------------------------------------------------------------

# The kernels in which `make mutants` makes mistakes. (Kernels that contain a time-out of
# libcu++ are left out: it makes no difference when a time-out is wrong.)
MUTATED := $(wildcard solutions/[0-9]*/*.cu) \
	$(patsubst %,grader/tests/kernels/right/%.cu,lab3-for-each-canceled \
	lab3-inline-ptx lab3-warp-specialised lab4-leader-distributes)

export CLCLAB_BIN := $(abspath $(CLCLAB))
export JSON_GET_BIN := $(abspath $(JSON_GET))
export COST_BIN := $(abspath $(COST))
export WITHOUT_BIN := $(abspath $(WITHOUT))
export GEN_MACHINE_BIN := $(abspath $(GEN_MACHINE))
export GEN_INSTRUCTIONS_BIN := $(abspath $(GEN_INSTRUCTIONS))
export MUTANTS_BIN := $(abspath $(MUTANTS))
export MUTATED

# The long ones come first, so that all jobs end at nearly the same time.
QUICK := $(if $(FULL),, --quick)
SLOW_SUITES = 'grader/tools/check-labs$(QUICK)' \
	'grader/tools/check-clinic$(QUICK)' grader/tools/check-rules \
	'grader/tools/right-kernels$(QUICK)' 'grader/tools/check-targets$(QUICK)' 'grader/tools/same-bytes$(QUICK)' \
	$(BATS_FILES) grader/tools/check-quizzes grader/tools/check-docs \
	grader/tools/readme-transcripts

.PHONY: suite-programs
suite-programs: $(CLCLAB) $(if $(SAN)$(COV),,$(RUNTIMES) $(DRIVER)) $(FAKECUDA) $(JSON_GET) $(COST) $(WITHOUT) $(GEN_INSTRUCTIONS) $(GEN_MACHINE) $(MUTANTS) # programs that the suites run

.PHONY: test
test: suite-programs $(UNIT_ASKED) | setup-quietly ## run every test; the last line counts them [ONLY=name] [FULL=1: all cases of each] [PICK=n: other cases]
	@grader/tools/run-tests --out $(BUILT)/test $(if $(ONLY),--only '$(ONLY)') \
	    $(SLOW_SUITES) $(UNIT_ASKED)

# some OF,WORDS: with SOME=1 every OF-th of them, beginning with one that PICK chooses.
some = $(if $(SOME),$(shell . grader/tools/draw.bash; \
	printf '%s\n' $(2) | PICK='$(PICK)' part $(1)),$(2))

.PHONY: unit
UNIT_DRAWN := $(call some,3,$(UNIT_TESTS))
unit: $(UNIT_DRAWN) ## run the unit tests alone [SOME=1: a third of the programs] (with SAN=1: sanitized)
	@grader/tools/run-tests --out $(BUILT)/test $(UNIT_DRAWN)

.PHONY: hostile
hostile: $(CLCLAB) $(WITHOUT) | setup-quietly ## grade the hostile files in a mode of the sandbox [MODE=nvrtc] [SOME=1: some of them] (with SAN=1: sanitized)
	@grader/tools/hostile $(if $(SOME),--quick) $(or $(MODE),nvrtc)

.PHONY: check-gpu
check-gpu: $(CLCLAB) $(JSON_GET) ## check on a real GPU: faults in a row, a hang, the labs' outputs bit for bit [CASES=200]
	@grader/tools/check-gpu $(CASES)

.PHONY: check-labs
check-labs: $(CLCLAB) $(JSON_GET) | setup-quietly ## check that starters fail, solutions pass (20 seeds), wrong files fail as they say [LAB=4]
	@grader/tools/run-tests --out $(BUILT)/test 'grader/tools/check-labs$(if $(LAB), $(shell printf '%02.0f-' $(LAB)))'

.PHONY: new-lab
new-lab: ## make the folders of a lab of your own, which is graded at once: NAME=11-my-lab [TITLE='My lab']
	@grader/tools/new-lab '$(NAME)' '$(TITLE)'

.PHONY: points
points: ## write the points of each lab.conf into the grading table of its README
	@grader/tools/readme-points

.PHONY: mutants
mutants: $(MUTANTS) | setup-quietly ## make small mistakes in right kernels; a table of how many are caught (minutes)
	@$(MUTANTS) --survivors grader/tests/mutants/survivors.txt \
	    --out $(BUILT)/mutants.txt $(MUTATED)

.PHONY: chaos
chaos: $(CLCLAB) | setup-quietly ## kill batches of a class at random moments: is a result lost, torn or different? [KILLS=200 CLASS=300 SEED=1 ENGINE=slurm] (minutes)
	@grader/tools/chaos $(CLCLAB)

.PHONY: bars
bars: $(CLCLAB) | setup-quietly ## how far right kernels and hoarders are from the bars of labs 8 and 10: [N=30] seeds each (minutes)
	@CLCLAB_BIN=$(CLCLAB) grader/tools/bars $(N) $(N)

.PHONY: causes
causes: $(CLCLAB) $(MUTANTS) $(JSON_GET) | setup-quietly ## how often a report's first cause names the place of the mistake: [N=200 SEED=1] (a minute or two)
	@grader/tools/causes $(if $(N),--draw '$(N)') $(if $(SEED),--seed '$(SEED)')

.PHONY: mutate-grader
mutate-grader: suite-programs $(UNIT_TESTS) $(MUTATE_GRADER) | setup-quietly ## try the tests with small mistakes in the grader's C: [N=300 SEED=1 ROOM=vm JOBS= UNIT_ONLY=1 LIMIT=seconds] (hours)
	@grader/tools/mutate-grader $(if $(N),--count '$(N)') $(if $(SEED),--seed '$(SEED)') \
	    $(if $(ROOM),--room '$(ROOM)') $(if $(JOBS),--jobs '$(JOBS)') \
	    $(if $(LIMIT),--limit '$(LIMIT)') $(if $(UNIT_ONLY),--unit-only) \
	    $(if $(AFTER_CHANGE),--after-change '$(AFTER_CHANGE)') \
	    --tool $(MUTATE_GRADER) --units '$(filter-out %/test_mutate_grader,$(UNIT_TESTS))' \
	    $(SLOW_SUITES)

# With COV=1 everything is built with the counters of gcc, in a folder of its own.
.PHONY: coverage
ifdef COV
coverage: suite-programs $(UNIT_TESTS)
	@grader/tools/coverage $(BUILT)
else
coverage: ## which branches of check/, batch/, sandbox/ and compile/ the tests take (minutes) [BAR=85]
	@$(MAKE) --no-print-directory COV=1 coverage
endif

.PHONY: right-kernels
right-kernels: $(CLCLAB) | setup-quietly ## run right kernels in many styles under [SCHEDULES=1000]: no finding, no advisory
	@SCHEDULES=$(or $(SCHEDULES),1000) grader/tools/right-kernels

.PHONY: same-bytes
same-bytes: $(CLCLAB) | setup-quietly ## run every kernel three times in different surroundings: the same report (minutes)
	@grader/tools/same-bytes

.PHONY: check-targets
check-targets: $(CLCLAB) | setup-quietly ## assemble solutions and right kernels for every target (needs ptxas)
	@grader/tools/check-targets

.PHONY: fuzz fuzz-smoke fuzz-million
fuzz: ## build the fuzz targets into build/fuzz/ (clang with libFuzzer)
	@grader/tools/fuzz build
fuzz-smoke: ## fuzz the readers of PTX and other texts, the rewriting for GPUs and the virtual machine at the same time, for [FOR=40] s
	@grader/tools/fuzz smoke $(FOR)
fuzz-million: ## fuzz the same with a million inputs [JOBS=16] (about 20 minutes of CPU time)
	@grader/tools/fuzz million

.PHONY: fuzz-targets
fuzz-targets: $(FUZZERS) # grader/tools/fuzz calls make SAN=1 CC=clang fuzz-targets

.PHONY: lint
lint: $(CLCLAB) ## check layering, format, warnings of gcc and clang, shell scripts, sizes
	@CHECK_FLAGS='$(STANDARD) $(WARNINGS) $(INCLUDES)' grader/tools/lint $(BUILT)/obj/grader

.PHONY: bench
bench: $(CLCLAB) | setup-quietly ## time `grade LAB=4`, cold and warm, against `nvcc -ptx` of the same file
	@grader/bench/bench-grade $(CLCLAB)

.PHONY: bench-batch
bench-batch: $(CLCLAB) $(COST) | setup-quietly ## measure what a class costs: a batch, the same again, the summary of very many [CLASS=300 RESULTS=100000], or what Slurm adds [ENGINE=slurm] (minutes)
	@grader/bench/bench-batch $(CLCLAB) $(COST)

.PHONY: bench-vm
bench-vm: $(BUILT)/bench/bench-vm $(BUILT)/bench/kernels.ptx ## time the interpreter, checks off, against the same kernels in scalar C
	@$^

.PHONY: bench-check
bench-check: $(CLCLAB) $(BUILT)/bench/kernels.ptx ## measure what checking costs: ratios, schedules per second, a grade
	@CLCLAB_BIN=$(CLCLAB) grader/bench/bench-check $(BUILT)/bench/kernels.ptx

.PHONY: bench-exec
bench-exec: all ## measure what launches cost under clclab exec, as ratios to nvcc -ptx
	@grader/bench/bench-exec $(CLCLAB)

$(BUILT)/bench/bench-vm: $(patsubst %,$(BUILT)/obj/grader/bench/vm/%.o,\
    bench-vm scalar) $(LIBRARY)
	$(SAY) "  LINK  $@"
	$(Q)mkdir -p $(@D) && $(LINK)

# What the interpreter is compared with: scalar code with this CPU's instructions. (A loop
# that becomes a call of memcpy would be vector code.)
$(BUILT)/obj/grader/bench/vm/scalar.o: OPTIMIZE = -O3 -ffp-contract=off \
	$(if $(filter v%,$(LEVELS)),-march=native) -fno-tree-vectorize \
	-fno-tree-slp-vectorize -fno-tree-loop-distribute-patterns

$(BUILT)/bench/kernels.ptx: grader/bench/vm/kernels.cu $(CLCLAB)
	$(SAY) "  PTX   $<"
	$(Q)mkdir -p $(@D) && $(CLCLAB) ptx $< >$@

# ---- comparing -----------------------------------------------------------

.PHONY: compare
compare: $(CLCLAB) | setup-quietly ## compare four techniques at the same work, in figures: [DEVICE= MODEL= SIZE=] [FORMAT=text|csv|svg|json OUT_FILE= CHART=x.svg]
	@grader/tools/compare $(CLCLAB)

.PHONY: hw-report
hw-report: $(CLCLAB) $(JSON_GET) | setup-quietly ## report where the virtual machine and your GPU differ, in one file: [OUT_FILE=x.md] [ALL=1] [LAB=3] [FRESH=1]
	@grader/tools/hw-report

# ---- slides --------------------------------------------------------------

# Nothing on a slide is pasted: code comes from labs/ and solutions/ (include.lua),
# figures and reports from runs of the virtual machine.
SLIDES := build/slides
DECKS := $(sort $(wildcard slides/[0-9]*.md))
DECK_PAGES := $(DECKS:%.md=build/%.html)
FIGURES := $(patsubst %.fig,build/%.svg,$(wildcard slides/figures/*.fig)) \
	$(addprefix $(SLIDES)/,$(sort $(if $(DECKS),$(shell grep -oh 'explained/[a-z-]*\.svg' $(DECKS)))))
REPORTS := $(sort $(if $(DECKS),$(shell \
	grep -oh '$(SLIDES)/reports/[^"]*\.txt' $(DECKS))))
REVEAL := $(SLIDES)/reveal.js
MACHINE_PAGE := $(SLIDES)/machine.html
# Figures of the slides that pages of docs/ show.
DOCS_FIGURES := $(addprefix build/,$(sort $(shell grep -oh 'slides/figures/[a-z0-9-]*\.svg' docs/*.md)))

.PHONY: slides
slides: $(DECK_PAGES) $(MACHINE_PAGE) $(DECK_PAGES:%.html=%.pdf) $(SLIDES)/index.html ## make the decks, build/slides/index.html, and a handout of each

.PHONY: check-slides
check-slides: $(DECK_PAGES) $(CLCLAB) $(MACHINE_PAGE) ## check in Chromium that each slide fits, and that reports as HTML and the page of the mbarrier work [SHOTS=folder for pictures] [SOME=1: half of the decks]
	@grader/tools/page-check $(if $(SHOTS),--shots $(SHOTS)) $(CLCLAB) $(MACHINE_PAGE)
	@grader/tools/slides-check $(if $(SHOTS),--shots $(SHOTS)) $(call some,2,$(DECK_PAGES))

PANDOC_SLIDES = pandoc --from markdown --standalone -M lang=en \
	-M author="CLC Labs" -M pictures=$(SLIDES) \
	-M include-deps=$(@:.html=.d) -M include-target=$@ \
	-L grader/tools/pandoc/include.lua -L grader/tools/pandoc/slides.lua
DECK_SOURCES := $(wildcard slides/*.css grader/tools/pandoc/*.lua) $(FIGURES)

# Colours mean the same as in a report: its first rule, which names them, comes first.
$(SLIDES)/%.css: slides/%.css grader/report/page.css
	$(Q)mkdir -p $(@D) && { sed '/^}/q' grader/report/page.css && cat $<; } >$@

$(SLIDES)/%.html: slides/%.md $(DECK_SOURCES) $(SLIDES)/theme.css | $(REPORTS) $(REVEAL) setup-quietly
	$(SAY) "  DECK  $@"
	$(Q)$(PANDOC_SLIDES) --to revealjs --slide-level=2 --css theme.css \
	    -V revealjs-url=reveal.js -V theme=white -V width=1280 -V height=720 \
	    -V margin=0.05 -V center=false -V controls=false -V slideNumber=true -V hash=true \
	    -V transition=none --output $@ $<

# The same for paper: one page without scripts, which is then printed.
$(SLIDES)/handout-%.html: slides/%.md $(DECK_SOURCES) $(SLIDES)/handout.css | $(REPORTS) setup-quietly
	$(Q)$(PANDOC_SLIDES) --to html --section-divs --css handout.css \
	    --output $@ $<

-include $(DECKS:slides/%.md=$(SLIDES)/%.d) \
	$(DECKS:slides/%.md=$(SLIDES)/handout-%.d)

$(SLIDES)/%.pdf: $(SLIDES)/handout-%.html grader/tools/slides-pdf
	$(SAY) "  PRINT $@"
	$(Q)grader/tools/slides-pdf $< $@

$(SLIDES)/index.html: grader/tools/slides-index $(DECKS) \
    $(DECK_PAGES:%.html=%.pdf)
	$(SAY) "  GEN   $@"
	$(Q)grader/tools/slides-index $(DECKS) >$@

# Those of docs/clc-explained.md, which decks show as well.
$(SLIDES)/explained/%.svg: docs/figures/%.svg
	$(Q)mkdir -p $(@D) && cp $< $@

$(SLIDES)/figures/%.svg: slides/figures/%.fig grader/tools/figure \
    $(wildcard grader/tools/figures/*.awk) grader/report/page.css $(CLCLAB) | setup-quietly
	$(SAY) "  DRAW  $@"
	$(Q)mkdir -p $(@D) && grader/tools/figure $(CLCLAB) $< >$@

# What the grader prints for a submission in solutions/, whether it gets full marks or
# not.
$(SLIDES)/reports/%.txt: solutions/%.cu $(CLCLAB) | setup-quietly
	$(SAY) "  GRADE $<"
	$(Q)mkdir -p $(@D) && $(CLCLAB) grade $(firstword $(subst -, ,$*)) $< \
	    --color never >$@ || [ $$? -eq 1 ]

# The page "one mbarrier, one slot", for decks and the site.
$(MACHINE_PAGE): $(GEN_MACHINE) $(wildcard grader/tools/machine/*) grader/report/page.css
	$(SAY) "  PAGE  $@"
	$(Q)mkdir -p $(@D) && grader/tools/machine/make-page $(GEN_MACHINE) >$@

$(REVEAL): grader/tools/fetch-package | setup-quietly
	$(SAY) "  FETCH $@"
	$(Q)grader/tools/fetch-package reveal.js $@

# ---- the handbook, and handing out ----------------------------------------

.PHONY: instructions
instructions: $(GEN_INSTRUCTIONS) ## regenerate docs/instructions.md from the tables of instructions
	$(SAY) "  GEN   docs/instructions.md"
	$(Q)$(GEN_INSTRUCTIONS) >$(BUILT)/instructions.md
	$(Q)mv $(BUILT)/instructions.md docs/instructions.md

.PHONY: docs
docs: build/docs/clclab.1 $(MACHINE_PAGE) $(DOCS_FIGURES) | setup-quietly build/docs/minisearch ## make the handbook: build/docs/site/ (with the slides, if they are made), build/docs/handbook.pdf, the man page build/docs/clclab.1
	$(SAY) "  PDF   build/docs/handbook.pdf"
	$(Q)grader/tools/make-docs pdf build/docs/handbook.pdf
	$(SAY) "  SITE  build/docs/site/"
	$(Q)grader/tools/make-docs site build/docs/site

# Without it the site has no search; the next make tries again.
build/docs/minisearch: grader/tools/fetch-package | setup-quietly
	$(SAY) "  FETCH $@"
	$(Q)grader/tools/fetch-package minisearch $@ || echo "skipped: the search of the site"

build/docs/clclab.1: docs/clclab.1.md | setup-quietly
	$(SAY) "  MAN   $@"
	$(Q)grader/tools/make-docs man $@

.PHONY: handout
handout: ## make build/clclab-handout.tar.gz: the course without solutions, answers and tests [HANDOUT=file.tar.gz LABS=1-5 HINTS=no CLINIC=yes]
	$(SAY) "  TAR   $(or $(HANDOUT),build/clclab-handout.tar.gz)"
	$(Q)grader/tools/make-handout $(or $(HANDOUT),build/clclab-handout.tar.gz)

.PHONY: qti
qti: $(CLCLAB) | setup-quietly ## make build/quizzes-qti.zip, quizzes with their answers for Canvas: [LAB=4] [OUT_FILE=x.zip]
	@grader/tools/make-qti $(CLCLAB) '$(or $(OUT_FILE),build/quizzes-qti.zip)'

.PHONY: gradescope
gradescope: ## make build/gradescope-lab04.zip, which grades on Gradescope: LAB=4 [SEED= | SEED_FROM=name] [FEEDBACK= WEAK=yes TOOLKIT=no OUT_FILE=x.zip]
	@grader/tools/make-place gradescope '$(or $(OUT_FILE),build/gradescope-lab$(shell printf %02d '$(LAB)').zip)'

.PHONY: autolab
autolab: ## make build/autolab-lab04/, an assessment to import into Autolab: LAB=4 [SEED=] [FEEDBACK= WEAK=yes TOOLKIT=no OUT=folder]
	@grader/tools/make-place autolab '$(or $(OUT),build/autolab-lab$(shell printf %02d '$(LAB)'))'

# ---- the rest ------------------------------------------------------------

.PHONY: setup
setup: ## install what is missing (or say which command does)
	@grader/tools/setup all

# Installs only what the goals need; prints nothing if all of it is there.
.PHONY: setup-quietly
setup-quietly:
	@grader/tools/setup --quiet $(or $(filter $(patsubst report,grade,$(MAKECMDGOALS:trace=grade)),test grade clinic compare \
	    check-labs bench slides docs),build)

.PHONY: help
help: ## list these targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1	\2/p' Makefile | \
	    awk -F'\t' '{ printf "%-22s%s\n", $$1, $$2 }'

.PHONY: clean
clean: ## remove build/
	rm -rf build
