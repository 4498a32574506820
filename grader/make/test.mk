# SPDX-License-Identifier: Apache-2.0
# Tests of the grader and of the course, and what tests the tests.

UNIT_SOURCES := $(wildcard grader/tests/unit/test_*.c)
BATS_FILES := $(wildcard grader/tests/bats/*.bats)
UNIT_TESTS := $(patsubst grader/tests/unit/%.c,$(BUILT)/tests/%,$(UNIT_SOURCES))
# The fixtures of the virtual machine are one program, but a suite for each rule:
# test_vm_fixtures.c says what its argument means. A suite is a program, or a program and
# an argument with a "+" between.
FIXTURES := $(basename $(notdir $(wildcard grader/tests/vm/*.ptx)))
FIXTURE_GROUPS := $(sort $(foreach name,$(filter-out right-%,$(FIXTURES)),\
    $(if $(findstring -,$(name)),$(firstword $(subst -, ,$(name)))))) others
FIXTURE_TEST := $(BUILT)/tests/test_vm_fixtures
UNIT_SUITES := $(filter-out $(FIXTURE_TEST),$(UNIT_TESTS)) $(FIXTURE_GROUPS:%=$(FIXTURE_TEST)+%-)
programs_of = $(sort $(foreach suite,$(1),$(firstword $(subst +, ,$(suite)))))
as_words = $(foreach suite,$(1),'$(subst +, ,$(suite))')
# With ONLY=name, in capitals or not, the others need not be built.
ONLY_SMALL := $(if $(ONLY),$(shell printf '%s' '$(ONLY)' | tr '[:upper:]' '[:lower:]'))
UNIT_ASKED := $(if $(ONLY),$(foreach suite,$(UNIT_SUITES),\
    $(if $(findstring $(ONLY_SMALL),$(notdir $(suite))),$(suite))),$(UNIT_SUITES))
FAKECUDA := $(BUILT)/tests/libfakecuda.so
FAKENVRTC := $(BUILT)/tests/libfakenvrtc.so
MUTATE_GRADER := $(BUILT)/tools/mutate-grader
FUZZERS := $(patsubst grader/tests/fuzz/%.c,build/fuzz/%, \
	$(wildcard grader/tests/fuzz/fuzz_*.c))

# ---- programs --------------------------------------------------------------

# A test does little itself: to optimise it takes four times as long as to compile it as
# it is. Without CFLAGS no debugger asks for what the linker would copy.
$(BUILT)/obj/grader/tests/unit/%.o: OPTIMIZE = -O0
$(UNIT_TESTS): LDFLAGS += $(if $(SAN)$(COV)$(CFLAGS),,-Wl,--strip-debug)
$(BUILT)/tests/%: $(BUILT)/obj/grader/tests/unit/%.o $(LIBRARY)
	$(SAY) "  LINK  $@"
	$(Q)mkdir -p $(@D) && $(LINK)

# The kernels of the lists of instruction forms.
FORMS := $(wildcard grader/tests/golden/forms*.txt) grader/tests/golden/approx.txt
forms_kernel = build/golden/$(patsubst forms%,ops%,$(notdir $(1:.txt=.ptx)))
define forms_kernel_of
$(call forms_kernel,$(1)): grader/tests/golden/make-ops $(1)
	@mkdir -p $$(@D) && $$< <$(1) >$$@
endef
$(foreach list,$(FORMS),$(eval $(call forms_kernel_of,$(list))))
$(BUILT)/tests/test_vm_golden: | $(foreach list,$(FORMS),$(call forms_kernel,$(list)))

# A driver without a GPU and an NVRTC that compiles nothing, which tests load at run time.
$(FAKECUDA): $(patsubst %.c,$(BUILT)/obj/%.o,$(wildcard grader/tests/fakecuda/*.c))
$(FAKENVRTC): $(patsubst %.c,$(BUILT)/obj/%.o,$(wildcard grader/tests/fakenvrtc/*.c))
$(FAKECUDA) $(FAKENVRTC):
	$(SAY) "  LINK  $@"
	$(Q)mkdir -p $(@D) && $(COMPILER) -shared $(if $(SAN),$(SANITIZE)) $(if $(COV),--coverage) -o $@.new $^ -lm && mv $@.new $@
$(BUILT)/obj/grader/tests/fake%.o: OPTIMIZE = -O1 -fvisibility=default
$(UNIT_TESTS): | $(FAKECUDA) $(FAKENVRTC)

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

-include $(patsubst %.c,$(BUILT)/obj/%.d,$(UNIT_SOURCES) \
	$(wildcard grader/tests/fuzz/*.c grader/tests/mutants/*.c \
	grader/tests/mutate-grader/*.c grader/tests/fake*/*.c))

# ---- tests -----------------------------------------------------------------

# The kernels in which `make mutants` makes mistakes. (Kernels that contain a time-out of
# libcu++ are left out: it makes no difference when a time-out is wrong.)
MUTATED := $(wildcard solutions/[0-9]*/*.cu) \
	$(patsubst %,grader/tests/kernels/right/%.cu,lab3-for-each-canceled \
	lab3-inline-ptx lab3-warp-specialised lab4-leader-distributes)
export MUTATED
# These have flags, counters and rings of words: statements of theirs come behind releases.
MOVED := $(filter-out $(MUTATED),$(wildcard grader/tests/kernels/right/lab*-*.cu))

# The long ones come first, so that all jobs end at nearly the same time.
QUICK := $(if $(FULL),, --quick)
SLOW_SUITES = 'grader/tools/check-labs$(QUICK)' \
	'grader/tools/check-clinic$(QUICK)' grader/tools/check-rules \
	'grader/tools/right-kernels$(QUICK)' 'grader/tools/check-targets$(QUICK)' 'grader/tools/same-bytes$(QUICK)' \
	'grader/tools/check-replays$(QUICK)' $(BATS_FILES) grader/tools/check-quizzes grader/tools/check-docs \
	grader/tools/readme-transcripts

##@ Testing

.PHONY: suite-programs
suite-programs: $(CLCLAB) $(if $(SAN)$(COV),,$(RUNTIMES) $(DRIVER) $(NVRTC)) $(FAKECUDA) $(JSON_GET) $(COST) $(WITHOUT) $(GEN_INSTRUCTIONS) $(ASM_FORMS) $(MACHINE_FORMS) $(GEN_MACHINE) $(MUTANTS) # programs that the suites run

.PHONY: test
test: suite-programs $(call programs_of,$(UNIT_ASKED)) ## run every test; the last line counts them [ONLY=name] [FULL=1: all cases of each] [PICK=n: other cases]
	@grader/tools/run-tests --out $(BUILT)/test $(if $(ONLY),--only '$(ONLY)') \
	    $(SLOW_SUITES) $(call as_words,$(UNIT_ASKED))

# some OF,WORDS: with SOME=1 every OF-th of them, beginning with one that PICK chooses.
some = $(if $(SOME),$(shell . grader/tools/draw.bash; \
	printf '%s\n' $(2) | PICK='$(PICK)' part $(1)),$(2))

.PHONY: unit
UNIT_DRAWN := $(call some,8,$(UNIT_ASKED))
unit: $(call programs_of,$(UNIT_DRAWN)) ## run the unit tests alone [ONLY=name, ONLY=CLC006: a rule's fixtures] [SOME=1: an eighth] (with SAN=1: sanitized)
	@grader/tools/run-tests --out $(BUILT)/test $(call as_words,$(UNIT_DRAWN))

.PHONY: hostile
hostile: $(CLCLAB) $(WITHOUT) ## grade the hostile files in a mode of the sandbox [MODE=nvrtc] [SOME=1: some of them] (with SAN=1: sanitized)
	@grader/tools/hostile $(if $(SOME),--quick) $(or $(MODE),nvrtc)

.PHONY: check-gpu
check-gpu: $(CLCLAB) $(JSON_GET) ## check on a real GPU: faults in a row, a hang, the labs' outputs bit for bit [CASES=200]
	@grader/tools/check-gpu $(CASES)

.PHONY: check-labs
check-labs: $(CLCLAB) $(JSON_GET) ## check that starters fail, solutions pass (20 seeds), wrong files fail as they say [LAB=4]
	@grader/tools/run-tests --out $(BUILT)/test 'grader/tools/check-labs$(if $(LAB), $(shell printf '%02.0f-' $(LAB)))'

##@ Testing for longer

.PHONY: mutants
mutants: $(MUTANTS) ## make small mistakes in right kernels; a table of how many are caught (minutes)
	@$(MUTANTS) --survivors grader/tests/mutants/survivors.txt \
	    --out $(BUILT)/mutants.txt $(MUTATED)
	@$(MUTANTS) --survivors grader/tests/mutants/survivors.txt --only behind-release \
	    --out $(BUILT)/mutants-behind.txt $(MOVED)

.PHONY: chaos
chaos: $(CLCLAB) ## kill batches of a class at random moments: is a result lost, torn or different? [KILLS=200 CLASS=300 SEED=1 ENGINE=slurm] (minutes)
	@grader/tools/chaos $(CLCLAB)

.PHONY: bars
bars: $(CLCLAB) ## how far right kernels and hoarders are from the bars of labs 8 and 10: [N=30] seeds each (minutes)
	@CLCLAB_BIN=$(CLCLAB) grader/tools/bars $(N) $(N)

# Percentages: what is reached today, and what is aimed at.
ADVICE_LEAST := 55
ADVICE_WORSE := 1
.PHONY: advice
advice: $(CLCLAB) $(MUTANTS) $(JSON_GET) ## obey the first edit that reports of wrong programs tell: what comes of it? [N=60 SEED=1 SHARE=1 JOBS= WRITE=file]
	@grader/tools/advice $(if $(N),--draw '$(N)') $(if $(SEED),--seed '$(SEED)') $(if $(SHARE),--share '$(SHARE)') \
	    $(if $(WRITE),--write '$(WRITE)') --least $(ADVICE_LEAST) --worse $(ADVICE_WORSE)

# LIMIT counts from here on: a call that is to end by then builds first.
MUTATION_BEGAN := $(if $(filter mutate-grader,$(MAKECMDGOALS)),$(shell date +%s))
.PHONY: mutate-grader
mutate-grader: suite-programs $(UNIT_TESTS) $(MUTATE_GRADER) ## try the tests with small mistakes in the grader's C: [N=300 SEED=1 ROOM=vm JOBS= UNIT_ONLY=1 LIMIT=seconds] (hours)
	@grader/tools/mutate-grader $(if $(N),--count '$(N)') $(if $(SEED),--seed '$(SEED)') \
	    $(if $(ROOM),--room '$(ROOM)') $(if $(JOBS),--jobs '$(JOBS)') \
	    $(if $(LIMIT),--limit '$(LIMIT)' --since '$(MUTATION_BEGAN)') $(if $(UNIT_ONLY),--unit-only) \
	    $(if $(AFTER_CHANGE),--after-change '$(AFTER_CHANGE)') \
	    --tool $(MUTATE_GRADER) --units '$(filter-out %/test_mutate_grader,$(UNIT_SUITES))' \
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
right-kernels: $(CLCLAB) ## run right kernels in many styles under [SCHEDULES=1000]: no finding, no advisory
	@SCHEDULES=$(or $(SCHEDULES),1000) grader/tools/right-kernels

.PHONY: same-bytes
same-bytes: $(CLCLAB) ## run every kernel three times in different surroundings: the same report (minutes)
	@grader/tools/same-bytes

.PHONY: check-targets
check-targets: $(CLCLAB) ## assemble solutions and right kernels for every target (needs ptxas)
	@grader/tools/check-targets

.PHONY: ask-ptxas
ask-ptxas: $(ASM_FORMS) $(MACHINE_FORMS) ## compare which forms of instructions the machine takes with what ptxas takes: no difference without a reason
	@grader/tools/ask-ptxas $(ASM_FORMS) $(MACHINE_FORMS)

.PHONY: known-asm
known-asm: $(ASM_FORMS) ## ask ptxas which inline asm it takes, and keep the list that a grade looks into (needs ptxas)
	@grader/tools/known-asm $(ASM_FORMS)

.PHONY: fuzz fuzz-smoke fuzz-million
fuzz: ## build the fuzz targets into build/fuzz/ (clang with libFuzzer)
	@grader/tools/fuzz build
fuzz-smoke: ## fuzz the readers of PTX and other texts, the rewriting for GPUs and the virtual machine at the same time, for [FOR=40] s
	@grader/tools/fuzz smoke $(FOR)
fuzz-million: ## fuzz the same with a million inputs [JOBS=16] (about 20 minutes of CPU time)
	@grader/tools/fuzz million

.PHONY: fuzz-targets
fuzz-targets: $(FUZZERS) # grader/tools/fuzz calls make SAN=1 CC=clang fuzz-targets
