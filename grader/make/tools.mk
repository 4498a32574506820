# SPDX-License-Identifier: Apache-2.0
# Programs of grader/tools in C; measuring, comparing; labs of one's own.

JSON_GET := $(BUILT)/tools/json-get
COST := $(BUILT)/tools/cost
WITHOUT := $(BUILT)/tools/without
GEN_INSTRUCTIONS := $(BUILT)/tools/gen-instructions
ASM_FORMS := $(BUILT)/tools/asm-forms
MACHINE_FORMS := $(BUILT)/tools/machine-forms
GEN_MACHINE := $(BUILT)/tools/gen-machine
MUTANTS := $(BUILT)/mutants

export CLCLAB_BIN := $(abspath $(CLCLAB))
export JSON_GET_BIN := $(abspath $(JSON_GET))
export COST_BIN := $(abspath $(COST))
export WITHOUT_BIN := $(abspath $(WITHOUT))
export GEN_MACHINE_BIN := $(abspath $(GEN_MACHINE))
export GEN_INSTRUCTIONS_BIN := $(abspath $(GEN_INSTRUCTIONS))
export ASM_FORMS_BIN := $(abspath $(ASM_FORMS))
export MACHINE_FORMS_BIN := $(abspath $(MACHINE_FORMS))
export MUTANTS_BIN := $(abspath $(MUTANTS))

$(BUILT)/tools/%: $(BUILT)/obj/grader/tools/%.o $(LIBRARY)
	$(SAY) "  LINK  $@"
	$(Q)mkdir -p $(@D) && $(LINK)

-include $(patsubst %.c,$(BUILT)/obj/%.d,$(wildcard grader/tools/*.c)) \
	$(patsubst %,$(BUILT)/obj/grader/bench/vm/%.d,bench-vm scalar)

##@ Comparing techniques, and the machine with a GPU

.PHONY: compare
compare: $(CLCLAB) ## compare four techniques at the same work, in figures: [DEVICE= MODEL= SIZE=] [FORMAT=text|csv|svg|json OUT_FILE= CHART=x.svg]
	@grader/tools/compare $(CLCLAB)

.PHONY: hw-report
hw-report: $(CLCLAB) $(JSON_GET) ## report where the virtual machine and your GPU differ, in one file: [OUT_FILE=x.md] [ALL=1] [LAB=3] [FRESH=1]
	@grader/tools/hw-report

##@ Writing labs

.PHONY: new-lab
new-lab: ## make the folders of a lab of your own, which is graded at once: NAME=11-my-lab [TITLE='My lab']
	@grader/tools/new-lab '$(NAME)' '$(TITLE)'

.PHONY: points
points: ## write the points of each lab.conf into the grading table of its README
	@grader/tools/readme-points

##@ Measuring

.PHONY: bench
bench: $(CLCLAB) ## time `grade LAB=4`, cold and warm, against `nvcc -ptx` of the same file
	@grader/bench/bench-grade $(CLCLAB)

.PHONY: bench-batch
bench-batch: $(CLCLAB) $(COST) ## measure what a class costs: a batch, the same again, the summary of very many [CLASS=300 RESULTS=100000], or what Slurm adds [ENGINE=slurm] (minutes)
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
