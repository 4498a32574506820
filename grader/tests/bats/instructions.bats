#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# docs/instructions.md is what the tables of opcodes and of support say.

load common
setup() { common_setup; }

GEN_INSTRUCTIONS=${GEN_INSTRUCTIONS_BIN:-$ROOT/build/tools/gen-instructions}

@test "the page of instructions is what its tool prints" {
    "$GEN_INSTRUCTIONS" >"$W/page.md"
    run diff docs/instructions.md "$W/page.md"
    [ "$status" -eq 0 ] || fail "make instructions brings it up to date"
}

@test "the machine takes the forms that ptxas takes, but for those with a reason" {
    command -v ptxas >/dev/null || [ -x /usr/local/cuda/bin/ptxas ] || skip "no ptxas"
    run grader/tools/ask-ptxas "${ASM_FORMS_BIN:-$ROOT/build/tools/asm-forms}" \
        "${MACHINE_FORMS_BIN:-$ROOT/build/tools/machine-forms}"
    [ "$status" -eq 0 ] || fail "$output"
}

@test "the page counts every row that it has" {
    local counted rows
    counted=$(sed -n 's/^| \*\*all\*\* | \([0-9]*\) .*/\1/p' docs/instructions.md)
    rows=$(grep -c '^| `' docs/instructions.md)
    [ "$counted" -ge 190 ] || fail "counted: $counted"
    [ "$counted" = "$rows" ] || fail "counted $counted, rows $rows"
}
