# SPDX-License-Identifier: Apache-2.0
# `make lint`, and its warnings of gcc and clang: a file that had none is not looked at again
# before it, one of its headers or the flags change. build/lint/COMPILER/FILE.ok says that.

##@ Testing

.PHONY: lint
lint: $(CLCLAB) build/gen/cudart_stubs.c ## check layering, format, warnings of gcc and clang, shell scripts, sizes [CHANGED=1: of the files that are not as in the main branch]
	+@MAKE='$(MAKE)' grader/tools/lint $(if $(CHANGED),--changed) $(BUILT)/obj/grader

CHECK_FLAGS := $(STANDARD) $(WARNINGS) $(INCLUDES) -Werror -O2

# lint calls these, with the files in CHECKED.
.PHONY: warnings-of-gcc warnings-of-clang
ifneq ($(filter warnings-of-%,$(MAKECMDGOALS)),)
CHECKED_OK := $(foreach compiler,$(patsubst warnings-of-%,%,$(MAKECMDGOALS)),\
	$(CHECKED:%.c=build/lint/$(compiler)/%.ok))
$(MAKECMDGOALS): $(CHECKED_OK)
$(shell mkdir -p $(sort $(dir $(CHECKED_OK))))
-include $(CHECKED_OK:.ok=.d)
endif

define warnings_of
build/lint/$(1)/%.ok: %.c build/lint/flags
	@$(1) $$(CHECK_FLAGS) -fsyntax-only -MMD -MP -MT $$@ -MF $$(@:.ok=.d) $$< && : >$$@
endef
$(foreach compiler,gcc clang,$(eval $(call warnings_of,$(compiler))))
$(eval $(call changes_with,build/lint/flags,$(CHECK_FLAGS)))
