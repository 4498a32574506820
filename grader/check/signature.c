// SPDX-License-Identifier: Apache-2.0
// The checks that need no run. builds: the compiler and the PTX parser report
// no errors. signature: the kernel's name, parameters, cluster size and limits
// on threads are right; all are read from the PTX (PTX ISA, performance-tuning
// directives and cluster dimension directives).
#include "check/judge.h"

#include <string.h>

enum { MAX_BUILD_CAUSES = 5 };

static bool contains(Str text, Str part) {
    for (size_t i = 0; i + part.len <= text.len; i++)
        if (str_equal(str_slice(text, i, i + part.len), part))
            return true;
    return false;
}

// ---- builds --------------------------------------------------------------

static void set_causes(CheckResult *check, Cause *causes, size_t count) {
    check->status = CHECK_FAIL;
    check->points = 0;
    check->causes = causes;
    check->cause_count = count;
}

// What a linker would report for a single file: a function that is declared and
// called but defined nowhere. (signature judges launch_plan.)
static const PtxFunc *find_undefined(const PtxModule *module) {
    static const char *const given[] = {"vprintf", "__assertfail", "malloc",
                                        "free"};
    for (size_t i = 0; i < module->func_count; i++) {
        const PtxFunc *func = module->funcs[i];
        bool known = func->has_body || contains(func->name, STR("launch_plan"));
        for (size_t k = 0; k < COUNT_OF(given); k++)
            known |= str_equal(func->name, str_from(given[k]));
        if (!known)
            return func;
    }
    return NULL;
}

static bool judge_linked(Grade *grade) {
    const PtxFunc *func = find_undefined(grade->submission->module);
    if (!func) {
        grade_set(grade, STR("builds"), CHECK_PASS, NULL);
        return true;
    }
    Cause cause =
        cause_of_case(grade, NULL, (SrcLoc){grade->submission->file, 0, 0},
                      CASE_BUILDS_UNDEFINED, FACTS(FACT_STR(NAME, func->name)));
    grade_set(grade, STR("builds"), CHECK_FAIL, &cause);
    return false;
}

// Shortens the names in a message to what people write: without cuda::ptx::,
// cuda::std:: and the inline namespace of a version (__4::).
static Str short_names(Arena *arena, Str text) {
    Buf out = {0};
    while (text.len > 0) {
        size_t skip = str_starts(text, STR("cuda::ptx::")) ||
                              str_starts(text, STR("cuda::std::"))
                          ? STR("cuda::ptx::").len
                          : 0;
        if (str_starts(text, STR("__"))) {
            size_t i = 2;
            while (i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9')
                i++;
            if (i > 2 && str_starts(str_slice(text, i, text.len), STR("::")))
                skip = i + 2;
        }
        if (skip == 0)
            buf_byte(&out, text.ptr[0]);
        text = str_slice(text, skip ? skip : 1, text.len);
    }
    Str names = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return names;
}

// What the compiler adds to a message: candidates for a call, and the calls
// that led there. Their places count if they are in the learner's file.
static void add_notes(const Grade *grade, size_t message, Cause *cause) {
    const Submission *submission = grade->submission;
    for (size_t i = message + 1; i < submission->message_count; i++) {
        const Diag *note = &submission->messages[i];
        if (note->level != DIAG_NOTE)
            return;
        SrcLoc at = place_as_given(submission, note->at);
        if (!str_equal(at.file, submission->file))
            at = (SrcLoc){0};
        cause_add_related(cause, at, short_names(grade->arena, note->what));
    }
}

bool signature_judge_builds(Grade *grade) {
    const Submission *submission = grade->submission;
    CheckResult *check = grade_check(grade, STR("builds"));
    bool rejected = submission->reject.what.len > 0;
    if (submission->module && !rejected)
        return judge_linked(grade) && static_size_judge(grade);
    Cause *causes = arena_new(grade->arena, Cause, MAX_BUILD_CAUSES);
    size_t count = 0;
    if (rejected)
        causes[count++] = cause_from_diag(grade, &submission->reject);
    for (size_t i = 0; i < submission->message_count; i++)
        if (submission->messages[i].level == DIAG_ERROR &&
            count < MAX_BUILD_CAUSES) {
            causes[count] = cause_from_message(grade, &submission->messages[i]);
            causes[count].what = short_names(grade->arena, causes[count].what);
            add_notes(grade, i, &causes[count++]);
        }
    cause_set_first(causes, count);
    if (count == 0)
        causes[count++] =
            cause_of_case(grade, NULL, (SrcLoc){submission->file, 0, 0},
                          CASE_BUILDS_SILENT, NO_FACTS);
    set_causes(check, causes, count);
    return false;
}

// ---- signature: what the lab asks for ------------------------------------

typedef struct ParamForm {
    const char *name, *type;
} ParamForm;

static const ParamForm PARAM_FORMS[] = {
#define PARAM_FORM(id, name, type) {name, type},
    LAB_PARAMS(PARAM_FORM)
#undef PARAM_FORM
};

static bool is_pointer(LabParam param) {
    return strchr(PARAM_FORMS[param].type, '*') != NULL;
}

static Str prototype(Arena *arena, const Lab *lab) {
    Str list = STR("(");
    for (size_t i = 0; i < lab->param_count; i++) {
        ParamForm form = PARAM_FORMS[lab->params[i]];
        list = str_format(arena, "%.*s%s%s%s", STR_ARG(list), i ? ", " : "",
                          form.type, form.name);
    }
    return str_format(arena, "%.*s)", STR_ARG(list));
}

static Str ptx_prototype(Arena *arena, const Lab *lab) {
    Str list = STR("");
    for (size_t i = 0; i < lab->param_count; i++)
        list = str_format(arena, "%.*s%s%s", STR_ARG(list), i ? ", " : "",
                          is_pointer(lab->params[i]) ? ".u64" : ".u32");
    return list;
}

// ---- signature: the name -------------------------------------------------

static bool is_ours(Str entry) {
    return str_starts(entry, STR("clclab_"));
}

// The learner's kernels, as "a, b".
static Str list_entries(const Grade *grade, size_t *count) {
    const PtxModule *module = grade->submission->module;
    Str list = STR("");
    *count = 0;
    for (size_t i = 0; i < module->func_count; i++) {
        Str name = module->funcs[i]->name;
        if (!module->funcs[i]->is_entry || is_ours(name))
            continue;
        list = str_format(grade->arena, "%.*s%s%.*s", STR_ARG(list),
                          *count ? ", " : "", STR_ARG(name));
        ++*count;
    }
    return list;
}

static Cause missing_entry(const Grade *grade) {
    Str kernel = grade->lab->kernel;
    size_t count;
    Str list = list_entries(grade, &count);
    SrcLoc at = place_find_name(grade->submission, kernel);
    if (at.line == 0)
        at = place_find_name(grade->submission, STR("__global__"));
    Fact name = FACT_STR(NAME, kernel);
    Fact form = FACT_STR(FORM, prototype(grade->arena, grade->lab));
    if (count == 0)
        return cause_of_case(grade, NULL, at, CASE_SIGNATURE_NO_KERNEL,
                             FACTS(name, form));
    return cause_of_case(grade, NULL, at,
                         contains(list, kernel) ? CASE_SIGNATURE_MANGLED
                         : count == 1           ? CASE_SIGNATURE_OTHER_NAME
                                                : CASE_SIGNATURE_OTHER_NAMES,
                         FACTS(name, form, FACT_STR(TEXT, list)));
}

// ---- signature: the parameters -------------------------------------------

static FactItem describe_param(Arena *arena, const PtxVar *param,
                               bool is_first) {
    if (param->is_array)
        return (FactItem){is_first ? WORD_PARAMS_STRUCT
                                   : WORD_PARAMS_NEXT_STRUCT,
                          facts_copy(arena, FACTS(FACT(SIZE, param->size)))};
    return (FactItem){
        is_first ? WORD_PARAMS_TYPE : WORD_PARAMS_NEXT_TYPE,
        facts_copy(arena, FACTS(FACT_STR(NAME, ptx_type_name(param->type))))};
}

static Fact describe_params(Arena *arena, const PtxFunc *entry) {
    size_t count = entry->param_count;
    FactItem *items = arena_new(arena, FactItem, count + 1);
    for (size_t i = 0; i < count; i++)
        items[i] = describe_param(arena, entry->params[i], i == 0);
    if (count == 0)
        items[count++] = (FactItem){WORD_PARAMS_NONE, NO_FACTS};
    return FACT_ITEMS(PARAMS, items, count);
}

// In PTX a __grid_constant__ is an array of bytes, whatever its type, as a
// struct is: then size and alignment are all that is known of it. A parameter
// of another integer type, const, or a __restrict__ pointer look alike there.
static bool is_integer(const PtxVar *param, uint32_t bytes) {
    bool fits = param->is_array
                    ? param->align == bytes
                    : param->vector <= 1 && !ptx_type_is_float(param->type);
    return fits && param->size == bytes;
}

static bool fits_params(const Lab *lab, const PtxFunc *entry) {
    bool fits = entry->param_count == lab->param_count;
    for (size_t i = 0; i < lab->param_count && fits; i++)
        fits = is_integer(entry->params[i], is_pointer(lab->params[i]) ? 8 : 4);
    return fits;
}

static bool judge_params(const Grade *grade, Cause *cause) {
    const PtxFunc *entry = grade->entry;
    if (fits_params(grade->lab, entry))
        return true;
    Arena *arena = grade->arena;
    *cause =
        cause_of_case(grade, NULL, grade->kernel_at, CASE_SIGNATURE_PARAMETERS,
                      FACTS(FACT_STR(NAME, entry->name),
                            FACT_STR(FORM, prototype(arena, grade->lab)),
                            FACT_STR(TEXT, ptx_prototype(arena, grade->lab)),
                            describe_params(arena, entry)));
    return false;
}

// ---- signature: cluster and threads --------------------------------------

static bool judge_cluster(const Grade *grade, Cause *cause) {
    PtxDim3 has = grade->entry->req_cluster;
    uint32_t wanted = grade->lab->cluster;
    bool none = has.x == 0;
    bool flat = (has.y == 1 || has.y == 0) && (has.z == 1 || has.z == 0);
    if ((none && wanted == 1) || (flat && has.x == wanted))
        return true;
    Fact name = FACT_STR(NAME, grade->entry->name), ctas = FACT(CTAS, wanted),
         x = FACT(DIM_X, has.x), y = FACT(DIM_Y, has.y), z = FACT(DIM_Z, has.z);
    SrcLoc at = grade->kernel_at;
    if (none)
        *cause = cause_of_case(grade, NULL, at, CASE_SIGNATURE_NO_CLUSTER,
                               FACTS(name, ctas));
    else if (wanted == 1)
        *cause = cause_of_case(grade, NULL, at, CASE_SIGNATURE_NEEDLESS_CLUSTER,
                               FACTS(name, x, y, z));
    else
        *cause = cause_of_case(grade, NULL, at, CASE_SIGNATURE_OTHER_CLUSTER,
                               FACTS(name, ctas, x, y, z));
    return false;
}

static bool judge_threads(const Grade *grade, Cause *cause) {
    PtxDim3 exact = grade->entry->req_threads;
    PtxDim3 most = grade->entry->max_threads;
    const uint32_t *block = grade->lab->block;
    uint32_t threads = grade->lab->threads;
    uint64_t y = exact.y ? exact.y : 1, z = exact.z ? exact.z : 1;
    uint64_t limit =
        (uint64_t)most.x * (most.y ? most.y : 1) * (most.z ? most.z : 1);
    bool exact_fits =
        exact.x == 0 || (exact.x == block[0] && y == block[1] && z == block[2]);
    bool limit_fits = most.x == 0 || limit >= threads;
    if (exact_fits && limit_fits)
        return true;
    Fact name = FACT_STR(NAME, grade->entry->name),
         count = FACT(THREADS, threads), along_x = FACT(DIM_X, block[0]),
         along_y = FACT(DIM_Y, block[1]), along_z = FACT(DIM_Z, block[2]);
    SrcLoc at = grade->kernel_at;
    if (exact_fits)
        *cause = cause_of_case(
            grade, NULL, at, CASE_SIGNATURE_FEWER_THREADS,
            FACTS(name, count, along_x, along_y, along_z, FACT(LIMIT, limit)));
    else
        *cause = cause_of_case(
            grade, NULL, at, CASE_SIGNATURE_OTHER_THREADS,
            FACTS(name, count, along_x, along_y, along_z,
                  FACT_STR(TEXT, str_format(grade->arena, "%u x %llu x %llu",
                                            exact.x, (unsigned long long)y,
                                            (unsigned long long)z))));
    return false;
}

// ---- signature: lab.h ----------------------------------------------------

static bool judge_lab_header(const Grade *grade, Cause *cause) {
    const PtxModule *module = grade->submission->module;
    const PtxFunc *ours = ptx_find_func(module, STR("clclab_prologue"));
    if (ours && ours->is_entry && ours->has_body &&
        ptx_find_var(module, STR("clclab_secret")))
        return true;
    SrcLoc at = place_find_name(grade->submission, STR("include"));
    if (at.line == 0)
        at = grade->kernel_at;
    *cause =
        cause_of_case(grade, NULL, at, CASE_SIGNATURE_OTHER_HEADER, NO_FACTS);
    return false;
}

// In PTX the function that lab.h declares appears under its C++ name, and
// without a body if the learner did not define it.
static bool judge_plan_defined(const Grade *grade, Cause *cause) {
    const PtxModule *module = grade->submission->module;
    const PtxFunc *wrapper = ptx_find_func(module, STR("clclab_launch_plan"));
    bool missing = !wrapper || !wrapper->has_body;
    for (size_t i = 0; i < module->func_count && !missing; i++) {
        const PtxFunc *func = module->funcs[i];
        missing = func != wrapper && !func->has_body &&
                  contains(func->name, STR("launch_plan"));
    }
    if (!missing)
        return true;
    *cause =
        cause_of_case(grade, NULL, grade->kernel_at, CASE_SIGNATURE_NO_PLAN,
                      FACTS(FACT_STR(NAME, STR("launch_plan"))));
    return false;
}

// A name made by a macro is not in the source text.
static SrcLoc find_kernel(const Grade *grade, const PtxFunc *entry) {
    const Submission *submission = grade->submission;
    SrcLoc at = place_find_name(submission, entry->name);
    if (at.line == 0)
        at = place_find_name(submission, STR("__global__"));
    if (at.line == 0)
        at = ptx_src(submission->module, entry->loc);
    return place_as_given(submission, at);
}

bool signature_judge(Grade *grade) {
    Str id = STR("signature"), kernel = grade->lab->kernel;
    Cause cause = {0};
    PtxFunc *entry = ptx_find_func(grade->submission->module, kernel);
    if (!entry || !entry->is_entry || !entry->has_body) {
        cause = missing_entry(grade);
        grade_set(grade, id, CHECK_FAIL, &cause);
        return false;
    }
    grade->entry = entry;
    grade->kernel_at = find_kernel(grade, entry);
    bool right = judge_params(grade, &cause) && judge_cluster(grade, &cause) &&
                 judge_threads(grade, &cause) &&
                 judge_lab_header(grade, &cause) &&
                 (!grade->lab->plan || judge_plan_defined(grade, &cause));
    grade_set(grade, id, right ? CHECK_PASS : CHECK_FAIL, &cause);
    return right;
}
