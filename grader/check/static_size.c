// SPDX-License-Identifier: Apache-2.0
// builds, continued: variables that are larger than the memory that they are
// in. NVRTC lets them pass; ptxas, a GPU or the virtual machine would not.
//
//   shared    each variable: what a block may have, as ptxas says for sm_100a
//   constant  all of the file's: as ptxas says
//   global    all of the file's: 4 GiB, what the virtual machine has
//   local     all of a function's: what a thread may have
//
// Left out: shared variables that are too large together. How many blocks of
// the kernel fit on an SM tells of those (rules).
#include "check/judge.h"

static const uint64_t GLOBAL_BYTES = UINT64_C(4) << 30;

// Variables in one state space.
typedef struct SpaceUse {
    uint64_t bytes; // of all; saturates
    const PtxVar *largest;
} SpaceUse;

static SpaceUse use_of(PtxVar *const *vars, size_t count, PtxSpace space) {
    SpaceUse use = {0};
    for (size_t i = 0; i < count; i++) {
        if (vars[i]->space != space)
            continue;
        uint64_t sum = use.bytes + vars[i]->size;
        use.bytes = sum < use.bytes ? UINT64_MAX : sum;
        if (!use.largest || vars[i]->size > use.largest->size)
            use.largest = vars[i];
    }
    return use;
}

static bool fail(Grade *grade, FindingCase which, Str name, uint64_t bytes,
                 uint64_t limit) {
    SrcLoc at = place_find_name(grade->submission, name);
    at.file = grade->submission->file;
    Cause cause = cause_of_case(
        grade, NULL, at, which,
        FACTS(FACT_STR(NAME, name), FACT(SIZE, bytes), FACT(LIMIT, limit)));
    grade_set(grade, STR("builds"), CHECK_FAIL, &cause);
    return false;
}

static bool judge_sum(Grade *grade, PtxSpace space, FindingCase which,
                      uint64_t limit) {
    const PtxModule *module = grade->submission->module;
    SpaceUse use = use_of(module->vars, module->var_count, space);
    return use.bytes <= limit ||
           fail(grade, which, ptx_plain_name(use.largest->name), use.bytes,
                limit);
}

static bool judge_shared(Grade *grade, PtxVar *const *vars, size_t count) {
    const PtxVar *var = use_of(vars, count, PTX_SPACE_SHARED).largest;
    return !var || var->size <= DEVICE_MOST_SHARED ||
           fail(grade, CASE_BUILDS_SHARED_SIZE, ptx_plain_name(var->name),
                var->size, DEVICE_MOST_SHARED);
}

static bool judge_function(Grade *grade, const PtxFunc *func) {
    SpaceUse local = use_of(func->vars, func->var_count, PTX_SPACE_LOCAL);
    if (local.bytes > DEVICE_MOST_LOCAL)
        return fail(grade, CASE_BUILDS_LOCAL_SIZE, func->name, local.bytes,
                    DEVICE_MOST_LOCAL);
    return judge_shared(grade, func->vars, func->var_count);
}

bool static_size_judge(Grade *grade) {
    const PtxModule *module = grade->submission->module;
    for (size_t i = 0; i < module->func_count; i++)
        if (!judge_function(grade, module->funcs[i]))
            return false;
    return judge_shared(grade, module->vars, module->var_count) &&
           judge_sum(grade, PTX_SPACE_CONST, CASE_BUILDS_CONSTANT_SIZE,
                     DEVICE_MOST_CONSTANT) &&
           judge_sum(grade, PTX_SPACE_GLOBAL, CASE_BUILDS_GLOBAL_SIZE,
                     GLOBAL_BYTES);
}
