# SPDX-License-Identifier: Apache-2.0
# How the grader is compiled: its sources and outputs, flags, the program, the libraries of
# clclab exec, the files of build/gen/. The first part that the Makefile takes in; a handout
# has no other.

# ---- sources and outputs -------------------------------------------------

SOURCES := $(filter-out grader/tests/% grader/tools/% grader/bench/%, \
	$(wildcard grader/*/*.c grader/*/*/*.c))
# All that results are judged with.
HASHED := $(sort $(filter-out grader/tests/% grader/tools/% grader/bench/%, \
	$(wildcard grader/*/*.[ch] grader/*/*/*.[ch]) grader/compile/known_asm.txt))
REFERENCES := $(wildcard labs/*/reference.c)
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
	$(BUILT)/obj/gen/known_asm.o \
	$(if $(FUZZ),,$(BUILT)/obj/gen/page.o))
CLCLAB := $(BUILT)/clclab
LIBRARY := $(BUILT)/libclclab.a
RUNTIMES := $(BUILT)/runtime/libcudart.so.13 $(BUILT)/runtime/libcudart.so.12
DRIVER := $(BUILT)/runtime/libcuda.so.1
NVRTC := $(BUILT)/runtime/libclclab-nvrtc.so
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
# Handlers are aligned, since else a change anywhere moves them, and by where its loops lie
# a kernel takes up to a tenth longer.
$(BUILT)/obj/grader/vm/%.o: OPTIMIZE = -O3 -falign-functions=64 -falign-loops=32 \
	-ffp-contract=off -fno-math-errno -fno-strict-aliasing \
	$(if $(filter v%,$(LEVELS)),-march=x86-64-v2) \
	$(if $(findstring clang,$(COMPILER)),-Wno-pass-failed)
# Tells the file that chooses a level which levels there are.
ISA_OBJECT := $(filter %/isa.o,$(OBJECTS))
$(ISA_OBJECT): DEFINES = '-DVM_ISAS=${LEVELS:%=LEVEL(%)}'
# A program is there at every moment, old or new, as others may be running it.
LINK = $(COMPILER) $(if $(SAN),$(SANITIZE)) $(if $(COV),--coverage) $(LDFLAGS) -o $@.new $^ -ldl -lm -pthread && mv $@.new $@

# ---- building ------------------------------------------------------------

##@ Building

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
# what it needs, and what the rows of the functions say that no room has. Programs of CUDA
# 12 and 13 ask for different versions. It stays when a plug-in that brought it is closed: what it
# counts is the process's. The object that stands for NVRTC is no part of it.
RUNTIME_TABLES := $(wildcard grader/runtime/api/*.functions)
RUNTIME_OBJECTS := $(filter $(BUILT)/obj/grader/runtime/%,$(OBJECTS))
NVRTC_OBJECT := $(filter %/nvrtc.o,$(RUNTIME_OBJECTS))
$(RUNTIMES): $(BUILT)/runtime/%: $(filter-out $(NVRTC_OBJECT),$(RUNTIME_OBJECTS)) \
    $(BUILT)/obj/gen/answers.o $(LIBRARY) grader/tools/gen-runtime $(RUNTIME_TABLES)
	$(SAY) "  LINK  $@"
	$(Q)mkdir -p $(@D) && \
	grader/tools/gen-runtime check $(filter-out $(BUILT)/obj/gen/%,$(filter %.o,$^)) -- $(RUNTIME_TABLES) && \
	grader/tools/gen-runtime versions $* $(RUNTIME_TABLES) >$@.map && \
	grader/tools/gen-runtime names $(RUNTIME_TABLES) >$@.ld && \
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
$(NVRTC): $(NVRTC_OBJECT)
	$(SAY) "  LINK  $@"
	$(Q)mkdir -p $(@D) && $(COMPILER) -shared $(LDFLAGS) -o $@.new $< -ldl && mv $@.new $@
build/gen/answers.c: grader/tools/gen-runtime $(RUNTIME_TABLES)
	$(SAY) "  GEN   $@"
	$(Q)mkdir -p $(@D) && grader/tools/gen-runtime answers $(RUNTIME_TABLES) >$@

$(LIBRARY): $(OBJECTS) $(BUILT)/objects
	$(SAY) "  AR    $@"
	$(Q)rm -f $@.new && ar rcs $@.new $(OBJECTS) && mv $@.new $@
$(ISA_OBJECT): $(BUILT)/objects

$(BUILT)/obj/%.o: %.c $(BUILT)/flags
	$(SAY) "  CC    $<"
	$(Q)mkdir -p $(@D) && $(COMPILER) $(ALL_CFLAGS) -c -o $@ $<

define handlers_for
$(BUILT)/obj/%.$(1).o: %.c $(BUILT)/flags
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

# Forms of inline asm that need not be shown to ptxas.
build/gen/known_asm.c: grader/compile/known_asm.txt
	$(SAY) "  GEN   $@"
	$(Q)mkdir -p $(@D) && { echo '// Made of known_asm.txt.' && \
	echo '#include "compile/internal.h"' && \
	echo 'const char *const known_asm[] = {' && \
	sed -n '/^[^/]/s/.*/    "&",/p' $< && \
	echo '};' && echo 'const size_t known_asm_count = COUNT_OF(known_asm);'; } >$@

# What the grader is made of, for the results that name it.
build/gen/sources.c: $(HASHED) build/gen/sources
	$(SAY) "  GEN   $@"
	$(Q)mkdir -p $(@D) && sum=$$(cat $(HASHED) | sha256sum) && \
	printf '%s\n' '// Made by the Makefile.' '#include "cli/source/labs.h"' \
	    "const char grader_sha256[] = \"$${sum%% *}\";" >$@

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

-include $(patsubst %.o,%.d,$(MAIN) $(OBJECTS))
