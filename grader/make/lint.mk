# SPDX-License-Identifier: Apache-2.0
# `make lint`, and its warnings of gcc and clang: a file that had none is not looked at again
# before it, one of its headers or the flags change. build/lint/COMPILER/FILE.ok says that;
# gcc finds out which headers those are, for both.

##@ Testing

GENERATED := $(patsubst $(BUILT)/obj/%.o,build/%.c,$(filter $(BUILT)/obj/gen/%,$(OBJECTS))) \
	build/gen/answers.c
.PHONY: lint
lint: $(CLCLAB) $(GENERATED) ## check layering, format, warnings of gcc and clang, shell scripts, sizes [CHANGED=1: of the files that are not as in the main branch]
	@GENERATED='$(GENERATED)' grader/tools/lint $(if $(CHANGED),--changed) $(BUILT)/obj/grader

CHECK_FLAGS := $(STANDARD) $(WARNINGS) $(INCLUDES) -Werror -O2
$(eval $(call changes_with,build/lint/flags,$(CHECK_FLAGS)))

# lint calls these, one after the other, with the files in CHECKED.
.PHONY: warnings-of-gcc warnings-of-clang
CHECKED_BY := $(patsubst warnings-of-%,%,$(filter warnings-of-%,$(MAKECMDGOALS)))
ifneq ($(CHECKED_BY),)
CHECKED_OK := $(CHECKED:%.c=build/lint/$(CHECKED_BY)/%.ok)
$(shell mkdir -p $(sort $(dir $(CHECKED_OK))))
-include $(CHECKED:%.c=build/lint/gcc/%.d)
KNOWS_HEADERS := $(shell command -v gcc)
endif

warnings-of-gcc: $(CHECKED_OK)
build/lint/gcc/%.ok: %.c build/lint/flags
	@gcc $(CHECK_FLAGS) -fsyntax-only -MMD -MP -MT $@ -MT build/lint/clang/$*.ok \
	    -MF $(@:.ok=.d) $< && : >$@

# clang takes many files at a time, which are listed first. Without gcc nobody knows which
# headers they have, and all are listed.
TO_CHECK := build/lint/clang.list
$(if $(filter clang,$(CHECKED_BY)),$(file >$(TO_CHECK)))
warnings-of-clang: $(CHECKED_OK)
	@xargs -r -n 40 -P $$(nproc) grader/tools/clang-many '$(CHECK_FLAGS)' <$(TO_CHECK)
build/lint/clang/%.ok: %.c build/lint/flags $(if $(KNOWS_HEADERS),,FORCE)
	$(file >>$(TO_CHECK),$<)
