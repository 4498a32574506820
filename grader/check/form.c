// SPDX-License-Identifier: Apache-2.0
// What a lab asks of the file itself, whatever the kernel does: that its
// requests, waits and decoding are asm statements of the submission (own-asm),
// that it does without some names (forbid), and that it is the lab's file
// outside the regions (strict-regions).
//
// The first is judged on the PTX: the place of an instruction is in the file
// that holds its asm statement. A name is looked for in the source and, since
// macros can put one together, among the functions that the PTX names. A file
// that is not the lab's outside its regions gets an advisory even where the lab
// does not insist, unless it has no regions at all: then it was written anew.
#include "check/judge.h"

#include <string.h>

// ---- own-asm -------------------------------------------------------------

static bool is_of_protocol(PtxOp op) {
    switch (op) {
    case PTX_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL:
    case PTX_OP_CLUSTERLAUNCHCONTROL_QUERY_CANCEL:
    case PTX_OP_MBARRIER_TEST_WAIT:
    case PTX_OP_MBARRIER_TRY_WAIT:
        return true;
    default:
        return false;
    }
}

static bool is_own(const Grade *grade, SrcLoc at) {
    return str_equal(place_as_given(grade->submission, at).file,
                     grade->submission->file);
}

// The learner's line that led to a place in another file.
static SrcLoc called_from(const Grade *grade, uint32_t loc) {
    const PtxModule *module = grade->submission->module;
    while (loc && !is_own(grade, ptx_src(module, loc)))
        loc = module->locs[loc].inlined_at;
    return loc ? place_as_given(grade->submission, ptx_src(module, loc))
               : grade->kernel_at;
}

static bool judge_asm_of(const Grade *grade, const PtxFunc *func,
                         Cause *cause) {
    const PtxModule *module = grade->submission->module;
    for (size_t i = 0; i < func->instr_count; i++) {
        const PtxInstr *in = &func->instrs[i];
        SrcLoc at = ptx_src(module, in->loc);
        if (!is_of_protocol(in->op) || at.line == 0 || is_own(grade, at))
            continue;
        *cause = cause_of_case(grade, NULL, called_from(grade, in->loc),
                               CASE_TECHNIQUE_NOT_OWN_ASM,
                               FACTS(FACT_STR(NAME, ptx_op_name(in->op))));
        region_here(grade, cause);
        return false;
    }
    return true;
}

// Other kernels of the file are not graded.
static bool judge_asm(const Grade *grade, Cause *cause) {
    const PtxModule *module = grade->submission->module;
    for (size_t i = 0; grade->lab->own_asm && i < module->func_count; i++) {
        const PtxFunc *func = module->funcs[i];
        bool is_graded = func == grade->entry || !func->is_entry;
        if (is_graded && !judge_asm_of(grade, func, cause))
            return false;
    }
    return true;
}

// ---- forbid --------------------------------------------------------------

// Whether a function's name is `name`, or has it as one of its parts: a mangled
// name has the length of each part in front of it.
static bool has_name(Arena *arena, Str function, Str name) {
    Str part = str_format(arena, "%zu%.*s", name.len, STR_ARG(name));
    return str_equal(function, name) ||
           (function.len >= part.len &&
            memmem(function.ptr, function.len, part.ptr, part.len));
}

// The learner's line of the first call of a function of this name; line 0:
// there is none.
static SrcLoc find_call(const Grade *grade, Str name) {
    const PtxModule *module = grade->submission->module;
    for (uint32_t i = 0; i < module->loc_count; i++)
        if (has_name(grade->arena, module->locs[i].function, name))
            return called_from(grade, module->locs[i].inlined_at);
    for (size_t i = 0; i < module->func_count; i++)
        if (has_name(grade->arena, module->funcs[i]->name, name))
            return called_from(grade, module->funcs[i]->loc);
    return (SrcLoc){0};
}

static bool judge_names(const Grade *grade, Cause *cause) {
    const Lab *lab = grade->lab;
    for (size_t i = 0; i < lab->forbidden_count; i++) {
        Str name = lab->forbidden[i];
        SrcLoc at = place_find_name(grade->submission, name);
        if (at.line == 0)
            at = find_call(grade, name);
        if (at.line == 0)
            continue;
        *cause = cause_of_case(grade, NULL, at, CASE_TECHNIQUE_FORBIDDEN,
                               FACTS(FACT_STR(NAME, name)));
        region_here(grade, cause);
        return false;
    }
    return true;
}

// ---- strict-regions ------------------------------------------------------

// Where the submission first differs from the lab's own file outside the
// regions, comments and blanks left out; line 0: nowhere.
static SrcLoc find_difference(const Grade *grade) {
    Arena *arena = grade->arena;
    Str own = region_outline(arena, grade->submission->source),
        labs = region_outline(arena, grade->lab->starter), token, other;
    SrcLoc next = {grade->submission->file, 1, 1}, labs_next = next, at, unused;
    do {
        token = place_token(&own, &next, &at);
        other = place_token(&labs, &labs_next, &unused);
    } while (token.len > 0 && str_equal(token, other));
    return str_equal(token, other) ? (SrcLoc){0} : at;
}

static bool judge_regions(const Grade *grade, Cause *cause) {
    bool is_known = grade->lab->starter.len > 0;
    SrcLoc at = is_known ? find_difference(grade) : (SrcLoc){0};
    if (at.line == 0)
        return true;
    *cause = cause_of_case(grade, NULL, at, CASE_TECHNIQUE_OUTSIDE_REGIONS,
                           FACTS(FACT_STR(NAME, grade->lab->file)));
    return false;
}

// ---- the whole -----------------------------------------------------------

void form_advise(Grade *grade) {
    Cause cause;
    if (!grade->lab->strict_regions &&
        region_has_any(grade->submission->source) &&
        !judge_regions(grade, &cause))
        grade_advise(grade, &cause);
}

bool judge_form(const Grade *grade, Cause *cause) {
    return judge_asm(grade, cause) && judge_names(grade, cause) &&
           (!grade->lab->strict_regions || judge_regions(grade, cause));
}
