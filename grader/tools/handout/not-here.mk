# SPDX-License-Identifier: Apache-2.0
# The targets that a handout lacks. The Makefile reads this file where there is one.

NOT_HERE := TARGETS
.PHONY: $(NOT_HERE)
$(NOT_HERE):
	@echo "make $@: not part of a handout, which has no solutions and no tests" >&2; \
	exit 69
