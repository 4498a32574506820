// SPDX-License-Identifier: Apache-2.0
// The checks that need no run. builds: the compiler and the PTX parser had no
// errors. signature: the kernel's name, parameters, cluster size and limits on
// threads, all read from the PTX (PTX ISA, performance-tuning directives and
// cluster dimension directives).
#include "check/internal.h"

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

// What a linker would say of a single file: a function that is declared and
// called, and defined nowhere. (launch_plan is the signature's to judge.)
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
    Cause cause = cause_at(
        (SrcLoc){grade->submission->file, 0, 0},
        str_format(grade->arena, "The function %.*s is called but not defined.",
                   STR_ARG(func->name)),
        STR("Define it in this file: it is compiled and run alone."));
    grade_set(grade, STR("builds"), CHECK_FAIL, &cause);
    return false;
}

// Names as one writes them: without cuda::ptx:: and the inline namespaces of a
// version (__4::).
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
// that led there. Their places count where they are in the learner's file.
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
        return judge_linked(grade);
    Cause *causes = arena_new(grade->arena, Cause, MAX_BUILD_CAUSES);
    size_t count = 0;
    if (rejected)
        causes[count++] = cause_from_diag(grade, &submission->reject);
    for (size_t i = 0; i < submission->message_count; i++)
        if (submission->messages[i].level == DIAG_ERROR &&
            count < MAX_BUILD_CAUSES) {
            causes[count] = cause_from_diag(grade, &submission->messages[i]);
            causes[count].what = short_names(grade->arena, causes[count].what);
            add_notes(grade, i, &causes[count++]);
        }
    if (count == 0)
        causes[count++] = cause_at((SrcLoc){submission->file, 0, 0},
                                   STR("The file does not compile."),
                                   STR("The compiler did not say why: try "
                                       "nvcc -arch=sm_100a -c on it."));
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

// The learner's kernels, as "a, b and c"; *only gets the name if there is one.
static Str list_entries(const Grade *grade, Str *only, size_t *count) {
    const PtxModule *module = grade->submission->module;
    Str list = STR("");
    *count = 0;
    for (size_t i = 0; i < module->func_count; i++) {
        Str name = module->funcs[i]->name;
        if (!module->funcs[i]->is_entry || is_ours(name))
            continue;
        list = str_format(grade->arena, "%.*s%s%.*s", STR_ARG(list),
                          *count ? ", " : "", STR_ARG(name));
        *only = name;
        ++*count;
    }
    return list;
}

static Cause missing_entry(const Grade *grade) {
    Arena *arena = grade->arena;
    Str kernel = grade->lab->kernel, only = STR("");
    size_t count;
    Str list = list_entries(grade, &only, &count);
    SrcLoc at = place_find_name(grade->submission, kernel);
    if (at.line == 0)
        at = place_find_name(grade->submission, STR("__global__"));
    Cause cause = cause_at(
        at,
        str_format(arena, "There is no kernel named %.*s.", STR_ARG(kernel)),
        (Str){0});
    cause.expected =
        str_format(arena, "extern \"C\" __global__ void %.*s%.*s",
                   STR_ARG(kernel), STR_ARG(prototype(arena, grade->lab)));
    cause.actual = count ? str_format(arena, "the file has %.*s", STR_ARG(list))
                         : STR("the file has no kernel");
    if (contains(list, kernel))
        cause.help = STR("Its name is mangled as C++: put extern \"C\" before "
                         "__global__.");
    else if (count == 1)
        cause.help = str_format(arena, "Rename %.*s.", STR_ARG(only));
    else
        cause.help = STR("Start again from the lab's own file: its kernel has "
                         "the right name.");
    return cause;
}

// ---- signature: the parameters -------------------------------------------

static Str describe_params(Arena *arena, const PtxFunc *entry) {
    Str list = STR("");
    for (size_t i = 0; i < entry->param_count; i++) {
        const PtxVar *param = entry->params[i];
        Str type = ptx_type_name(param->type);
        const char *comma = i ? ", " : "";
        list = param->is_array
                   ? str_format(arena, "%.*s%sa struct of %llu bytes",
                                STR_ARG(list), comma,
                                (unsigned long long)param->size)
                   : str_format(arena, "%.*s%s.%.*s", STR_ARG(list), comma,
                                STR_ARG(type));
    }
    return list.len ? list : STR("no parameters");
}

static bool is_integer(const PtxVar *param, uint32_t bytes) {
    return !param->is_array && param->vector <= 1 && param->size == bytes &&
           !ptx_type_is_float(param->type);
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
    Str params = describe_params(grade->arena, entry);
    *cause = cause_at(
        grade->kernel_at,
        str_format(grade->arena, "The parameters of %.*s are not the lab's.",
                   STR_ARG(entry->name)),
        str_format(grade->arena,
                   "Keep the signature of the lab's own file: %.*s.",
                   STR_ARG(prototype(grade->arena, grade->lab))));
    cause->expected =
        str_format(grade->arena, "in PTX %.*s",
                   STR_ARG(ptx_prototype(grade->arena, grade->lab)));
    cause->actual = params;
    return false;
}

// ---- signature: cluster and threads --------------------------------------

static Str describe_cluster(Arena *arena, PtxDim3 dim) {
    if (dim.x == 0)
        return STR("no cluster size");
    return str_format(arena, "__cluster_dims__(%u, %u, %u)", dim.x, dim.y,
                      dim.z);
}

static bool judge_cluster(const Grade *grade, Cause *cause) {
    PtxDim3 has = grade->entry->req_cluster;
    uint32_t wanted = grade->lab->cluster;
    bool none = has.x == 0;
    bool flat = (has.y == 1 || has.y == 0) && (has.z == 1 || has.z == 0);
    if ((none && wanted == 1) || (flat && has.x == wanted))
        return true;
    Arena *arena = grade->arena;
    Str kernel = grade->entry->name;
    Str actual = describe_cluster(arena, has);
    Str what =
        none ? str_format(arena, "%.*s declares no cluster size.",
                          STR_ARG(kernel))
             : str_format(arena,
                          "%.*s declares a cluster of %u x %u x %u blocks.",
                          STR_ARG(kernel), has.x, has.y, has.z);
    Str help = wanted == 1
                   ? STR("Remove __cluster_dims__: this lab has no clusters.")
                   : str_format(arena,
                                "Write __cluster_dims__(%u, 1, 1) between "
                                "__global__ and the kernel's name.",
                                wanted);
    *cause = cause_at(grade->kernel_at, what, help);
    cause->expected = describe_cluster(arena, (PtxDim3){wanted, 1, 1});
    if (wanted == 1)
        cause->expected = STR("no cluster size, or 1");
    cause->actual = actual;
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
    Arena *arena = grade->arena;
    *cause = cause_at(
        grade->kernel_at,
        str_format(arena, "%.*s cannot be launched with %u threads a block.",
                   STR_ARG(grade->entry->name), threads),
        STR("Remove or correct __launch_bounds__ or __block_size__."));
    cause->expected = str_format(arena, "blocks of %u x %u x %u threads",
                                 block[0], block[1], block[2]);
    cause->actual =
        exact_fits
            ? str_format(arena, "at most %llu threads a block",
                         (unsigned long long)limit)
            : str_format(arena, "exactly %u x %llu x %llu threads", exact.x,
                         (unsigned long long)y, (unsigned long long)z);
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
    *cause = cause_at(at, STR("The file does not include lab.h as it is."),
                      STR("Put #include \"lab.h\" at the top, and keep its "
                          "names (compute_scalar, clclab_...) as they are."));
    return false;
}

// In PTX the function that lab.h declares is there by its C++ name, and
// without a body when the learner did not define it.
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
    *cause = cause_at(
        grade->kernel_at, STR("launch_plan is declared but not defined."),
        STR("Define it: it chooses the number of blocks of the launch."));
    cause->expected = STR("__device__ LaunchPlan launch_plan(LaunchQuery q)");
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
