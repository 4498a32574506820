// SPDX-License-Identifier: Apache-2.0
// compile_to_ptx, at the end of this file, goes through these steps: accept
// the source, find a toolkit, look in the cache, compile, translate the
// messages, fill the cache.
#include "compile/internal.h"

#include <string.h>

// ---- the cache's key -----------------------------------------------------

static void put_headers(Buf *buf, const Header *headers, size_t count) {
    wire_put_number(buf, count);
    for (size_t i = 0; i < count; i++) {
        wire_put(buf, headers[i].name);
        wire_put(buf, headers[i].shown);
        wire_put(buf, headers[i].text);
    }
}

static void put_options(Arena *arena, Buf *buf, const Unit *unit, bool nvrtc) {
    Str *options = NULL;
    size_t count = nvrtc ? nvrtc_options(arena, unit, &options)
                         : nvcc_options(arena, unit, &options);
    wire_put_number(buf, count);
    for (size_t i = 0; i < count; i++)
        wire_put(buf, options[i]);
}

// Everything that the result depends on. Each list is preceded by its length,
// so that no two different requests have the same key.
// is_second: of nvcc, after NVRTC has rejected the source.
static Str make_key(Arena *arena, const Unit *unit, bool nvrtc,
                    bool is_second) {
    Buf buf = {0};
    if (is_second)
        wire_put(&buf, STR("second"));
    wire_put(&buf, nvrtc ? unit->toolkit.nvrtc : unit->toolkit.nvcc);
    wire_put_number(&buf, unit->toolkit.version);
    put_options(arena, &buf, unit, nvrtc);
    wire_put(&buf, unit->name);
    wire_put(&buf, unit_source(arena, unit, (Str){0}));
    put_headers(&buf, unit->headers, unit->header_count);
    put_headers(&buf, unit->stand_in_headers, unit->stand_in_count);
    Str key = str_copy(arena, buf_view(&buf));
    buf_free(&buf);
    return key;
}

// ---- one compiler --------------------------------------------------------

typedef struct Job {
    Arena *arena;
    const CompileRequest *request;
    Unit unit;
    CompileResult *result;
    Diags *diags;
    SandboxBubblewrap bubblewrap; // if the unit points to it
    Str refusal;                  // see CompileResult
} Job;

static Str cache_of(const Job *job) {
    return job->unit.cacheable ? job->request->cache_dir : (Str){0};
}

// Adds the folders whose files messages may name and quote, besides the files
// of the map. The compiler may name the toolkit's folder as a link
// (/usr/local/cuda) or as the folder that the link leads to: both are added.
static void add_roots(Job *job, NameMap *map) {
    const Unit *unit = &job->unit;
    Str *readable;
    size_t count = compile_readable(job->arena, unit, true, &readable);
    Str *roots = arena_new(job->arena, Str, 2 * count);
    for (size_t i = 0; i < count; i++) {
        roots[2 * i] = readable[i];
        roots[2 * i + 1] = files_absolute(job->arena, readable[i]);
    }
    map->stand_ins = unit->stand_ins;
    map->roots = roots;
    map->root_count = 2 * count;
    if (unit->toolkit.include_count)
        map->libcu = unit->toolkit.include[unit->toolkit.include_count - 1];
}

static bool use_cached(Job *job, Str cache, Str key) {
    CacheEntry entry;
    if (cache.len == 0 || !cache_find(job->arena, cache, key, &entry))
        return false;
    if (job->request->whole_sandbox && !sandbox_is_whole(&entry.guards))
        return false;
    // The stored log already has the names that the user knows.
    NameMap map = {0};
    const Unit *unit = &job->unit;
    names_add(job->arena, &map, unit->name, unit->name, unit->request->source);
    for (size_t i = 0; i < unit->header_count; i++)
        names_add(job->arena, &map, unit->headers[i].name,
                  unit->headers[i].shown, unit->headers[i].text);
    add_roots(job, &map);
    messages_parse(job->arena, &map, entry.log, job->diags);
    *job->result = (CompileResult){.status = COMPILE_OK,
                                   .ptx = entry.ptx,
                                   .compiler = entry.compiler,
                                   .refusal = entry.refusal,
                                   .from_cache = true,
                                   .has_run = true,
                                   .guards = entry.guards};
    return true;
}

static Str in_one_line(Arena *arena, Str text) {
    Buf out = {0};
    while (text.len) {
        Str line = str_trim(str_cut(&text, '\n'));
        if (line.len)
            buf_printf(&out, "%s%.*s", out.len ? "; " : "", STR_ARG(line));
    }
    Str line = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return line;
}

// A compiler that fails without an error that we can parse is quoted instead.
static void keep_unparsed(Job *job, const Outcome *outcome) {
    enum { SHOWN = 600 };
    Str words =
        in_one_line(job->arena, str_slice(str_trim(outcome->log), 0, SHOWN));
    SrcLoc at = {.file = job->unit.name, .line = 1};
    diag_add(job->diags, DIAG_ERROR, at, "The compiler rejected the file%s%.*s",
             words.len ? ": " : ".", STR_ARG(words))
        ->help = STR("This is all that it said. Look for very deep nesting, or "
                     "try the other compiler with --compiler.");
}

static void run_compiler(Arena *arena, Unit *unit, bool nvrtc, Outcome *outcome,
                         Diags *diags) {
    if (nvrtc)
        nvrtc_compile(arena, unit, outcome, diags);
    else
        nvcc_compile(arena, unit, outcome, diags);
}

// Whether the compiler fails on a source that holds nothing, too. *why: what it
// says then.
static bool fails_anyway(Job *job, bool nvrtc, Outcome *outcome, Str *why) {
    Arena *arena = job->arena;
    CompileRequest request = *job->request;
    request.source = STR("//\n");
    request.define_count = request.flag_count = 0;
    request.kernel = (Str){0};
    request.time_limit_s = COMPILE_EMPTY_S;
    Unit unit;
    Diags diags = diags_new(arena);
    if (!unit_build(arena, &request, &job->unit.toolkit, &unit, &diags))
        return false;
    unit.bubblewrap = job->unit.bubblewrap;
    run_compiler(arena, &unit, nvrtc, outcome, &diags);
    *why = diags.count ? diags.items[0].what
                       : in_one_line(arena, str_slice(outcome->log, 0, 300));
    return outcome->status != COMPILE_OK;
}

static CompileStatus excuse(Job *job, CompileStatus status, Str what,
                            const char *help) {
    job->diags->count = job->diags->errors = 0;
    diag_add(job->diags, DIAG_ERROR, (SrcLoc){0}, "%.*s", STR_ARG(what))->help =
        str_from(help);
    return status;
}

static CompileStatus excuse_limit(Job *job, const char *limit) {
    Str what = str_format(job->arena,
                          "The compiler failed, and this process has a smaller "
                          "limit on %s than the grader sets.",
                          limit);
    return excuse(job, COMPILE_UNAVAILABLE, what,
                  "This says nothing about the file: raise that limit, in the "
                  "shell or where this process is started, and grade again.");
}

static CompileStatus excuse_compiler(Job *job, const Outcome *control,
                                     Str why) {
    Str what = str_format(job->arena,
                          "The compiler fails here even on a file that holds "
                          "nothing: %.*s",
                          STR_ARG(why));
    bool later = control->status == COMPILE_TRY_AGAIN;
    return excuse(job, later ? COMPILE_TRY_AGAIN : COMPILE_UNAVAILABLE, what,
                  "This says nothing about the file. `clclab doctor` looks at "
                  "the compilers; --compiler chooses another one.");
}

// Where a compiler's errors are, from least to most telling of the source.
typedef enum ErrorPlace { NOWHERE, ELSEWHERE, IN_SOURCE } ErrorPlace;

static ErrorPlace place_of(const Job *job, const Diag *diag) {
    if (diag->level != DIAG_ERROR || diag->at.line == 0)
        return NOWHERE;
    if (str_equal(diag->at.file, job->unit.name))
        return IN_SOURCE;
    return ELSEWHERE;
}

static ErrorPlace best_place(const Job *job, size_t from) {
    ErrorPlace best = NOWHERE;
    for (size_t i = from; i < job->diags->count; i++) {
        ErrorPlace place = place_of(job, &job->diags->items[i]);
        best = place > best ? place : best;
    }
    return best;
}

// A compiler that rejects a source without an error that has a place in it may
// have failed because of the machine. `place`: of its errors.
static CompileStatus doubt(Job *job, bool nvrtc, const Outcome *outcome,
                           ErrorPlace place) {
    if (outcome->status != COMPILE_REJECTED || place == IN_SOURCE)
        return outcome->status;
    if (outcome->tight && place == NOWHERE)
        return excuse_limit(job, outcome->tight);
    Outcome control = {0};
    Str why;
    if (!fails_anyway(job, nvrtc, &control, &why))
        return COMPILE_REJECTED;
    return outcome->tight ? excuse_limit(job, outcome->tight)
                          : excuse_compiler(job, &control, why);
}

// The caller has looked at the machine before; this is what the compiler had.
static bool lacks_guards(Job *job, const Outcome *outcome) {
    return job->request->whole_sandbox && outcome->has_run &&
           !sandbox_is_whole(&outcome->guards);
}

static void settle(Job *job, bool nvrtc, Outcome *outcome, Str cache, Str key) {
    CompileResult *result = job->result;
    add_roots(job, &outcome->names);
    size_t before = job->diags->count;
    size_t errors =
        messages_parse(job->arena, &outcome->names, outcome->log, job->diags);
    ErrorPlace place = best_place(job, before);
    if (outcome->status == COMPILE_REJECTED && errors == 0 &&
        job->diags->errors == 0)
        keep_unparsed(job, outcome);
    outcome->status =
        lacks_guards(job, outcome)
            ? excuse(job, COMPILE_UNAVAILABLE,
                     STR("The compiler did not get all guards of the sandbox."),
                     "clclab doctor says which of them this machine has.")
            : doubt(job, nvrtc, outcome, place);
    *result = (CompileResult){.status = outcome->status,
                              .compiler = outcome->compiler,
                              .refusal = job->refusal,
                              .pch = outcome->pch,
                              .has_run = outcome->has_run,
                              .guards = outcome->guards,
                              .note = outcome->note};
    if (outcome->status != COMPILE_OK)
        return;
    result->ptx = names_rewrite_ptx(job->arena, &outcome->names, outcome->ptx);
    result->asm_errors = diags_new(job->arena);
    assemble_check(job->arena, &job->unit, result->ptx, &result->asm_errors);
    if (result->asm_errors.errors)
        return; // and it is not kept: a kept one has no such errors
    CacheEntry entry = {.compiler = outcome->compiler,
                        .log = outcome->log,
                        .ptx = result->ptx,
                        .refusal = job->refusal,
                        .guards = outcome->guards};
    if (cache.len && unit_is_fresh(job->arena, &job->unit) &&
        !cache_store(job->arena, cache, key, &entry) && result->note.len == 0)
        result->note = STR("the result could not be kept in the cache folder");
}

// Trying and using it takes 15 ms, so that a person's own file goes without it
// where there is Landlock.
static void choose_bubblewrap(Job *job) {
    Str why;
    if (job->unit.bubblewrap ||
        (sandbox_landlock() && !job->request->whole_sandbox))
        return;
    if (sandbox_find_bubblewrap(job->arena, &job->bubblewrap, &why))
        job->unit.bubblewrap = &job->bubblewrap;
}

// ---- what NVRTC does not take --------------------------------------------

static bool may_be_nvccs(const Job *job) {
    return job->request->reads_folders &&
           job->request->compiler == COMPILE_WITH_ANY;
}

// Whether NVRTC has rejected what nvcc may take: job->refusal says why then.
// *is_host: it is about host code.
static bool is_refused(Job *job, const Outcome *outcome, const Diags *own,
                       bool *is_host) {
    *is_host = false;
    job->refusal = (Str){0};
    if (!may_be_nvccs(job))
        return false;
    if (outcome->status == COMPILE_REJECTED)
        job->refusal = messages_blame_host(
            job->arena, &outcome->names, outcome->log, job->unit.name, is_host);
    else if (outcome->status == COMPILE_BAD_FLAG && own->count)
        job->refusal = in_one_line(job->arena, own->items[0].what);
    return job->refusal.len > 0;
}

static CompileStatus lack_nvcc(Job *job) {
    Str what =
        str_format(job->arena,
                   "The file has code for the host, which NVRTC does "
                   "not take, and there is no nvcc in %.*s (%.*s).",
                   STR_ARG(job->unit.toolkit.root), STR_ARG(job->refusal));
    job->refusal = (Str){0};
    return excuse(job, COMPILE_UNAVAILABLE, what,
                  "Install the whole toolkit, with g++, or move the kernel "
                  "to a file of its own.");
}

// False: another compiler may be tried.
static bool compile_with(Job *job, bool nvrtc, bool last) {
    bool is_second = job->refusal.len > 0, is_host;
    Str cache = cache_of(job);
    Str key = cache.len ? make_key(job->arena, &job->unit, nvrtc, is_second)
                        : (Str){0};
    if (use_cached(job, cache, key))
        return true;
    choose_bubblewrap(job);
    Outcome outcome = {0};
    // Errors about NVRTC are dropped where another compiler is tried instead.
    Diags own = diags_new(job->arena);
    Diags *diags = last ? job->diags : &own;
    run_compiler(job->arena, &job->unit, nvrtc, &outcome, diags);
    if (outcome.no_library && !last)
        return false;
    if (nvrtc && is_refused(job, &outcome, &own, &is_host)) {
        if (!last)
            return false;
        if (is_host) {
            job->result->status = lack_nvcc(job);
            return true;
        }
        job->refusal = (Str){0};
    }
    for (size_t i = 0; i < own.count; i++) {
        const Diag *d = &own.items[i];
        Diag *copy =
            diag_add(job->diags, d->level, d->at, "%.*s", STR_ARG(d->what));
        copy->help = d->help;
    }
    settle(job, nvrtc, &outcome, cache, key);
    return true;
}

// ---- the whole -----------------------------------------------------------

static CompileStatus lack(Job *job, const char *what) {
    diag_add(job->diags, DIAG_ERROR, (SrcLoc){0},
             "The CUDA toolkit in %.*s has no %s.",
             STR_ARG(job->unit.toolkit.root), what)
        ->help = STR("Install the whole toolkit, or choose the other compiler "
                     "with --compiler.");
    return COMPILE_UNAVAILABLE;
}

// Whether nvcc has compiled the source before, after NVRTC had rejected it.
static bool find_second(Job *job, bool nvcc) {
    Unit before = job->unit;
    Str cache = cache_of(job);
    if (!nvcc || !cache.len || !may_be_nvccs(job))
        return false;
    job->unit.from_disk = true;
    Str key = make_key(job->arena, &job->unit, false, true);
    bool found = use_cached(job, cache, key);
    if (!found)
        job->unit = before;
    return found;
}

static CompileStatus choose_and_compile(Job *job) {
    const Toolkit *toolkit = &job->unit.toolkit;
    bool nvrtc =
        toolkit->nvrtc.len && job->request->compiler != COMPILE_WITH_NVCC;
    bool nvcc =
        toolkit->nvcc.len && job->request->compiler != COMPILE_WITH_NVRTC;
    if (!nvrtc && !nvcc)
        return lack(job, job->request->compiler == COMPILE_WITH_NVCC ? "nvcc"
                                                                     : "NVRTC");
    if (nvrtc && (find_second(job, nvcc) || compile_with(job, true, !nvcc)))
        return job->result->status;
    job->unit.from_disk = job->request->reads_folders;
    compile_with(job, false, true);
    return job->result->status;
}

// The line with the variable that says how the kernel is called becomes an
// empty one, so that the lines after it keep their numbers.
static void take_kernel(Arena *arena, CompileResult *result) {
    static const char mark[] = " " COMPILE_KERNEL_VARIABLE " = ";
    Str ptx = result->ptx;
    const char *hit = memmem(ptx.ptr, ptx.len, mark, sizeof mark - 1);
    if (!hit)
        return;
    size_t at = (size_t)(hit - ptx.ptr), from = at;
    while (from > 0 && ptx.ptr[from - 1] != '\n')
        from--;
    Str rest = str_slice(ptx, at + sizeof mark - 1, ptx.len);
    result->kernel = str_copy(arena, str_trim(str_cut(&rest, ';')));
    rest = str_slice(rest, str_find(rest, '\n'), rest.len);
    result->ptx =
        str_format(arena, "%.*s%.*s", (int)from, ptx.ptr, STR_ARG(rest));
}

CompileStatus compile_to_ptx(Arena *arena, const CompileRequest *request,
                             CompileResult *result, Diags *diags) {
    *result = (CompileResult){.status = COMPILE_REJECTED};
    Job job = {
        .arena = arena, .request = request, .result = result, .diags = diags};
    ToolkitSearch environment = toolkit_search_environment();
    const ToolkitSearch *search =
        request->search ? request->search : &environment;
    Toolkit toolkit;
    if (!toolkit_find(arena, search, &toolkit, diags))
        return result->status = COMPILE_UNAVAILABLE;
    if (!unit_build(arena, request, &toolkit, &job.unit, diags))
        return result->status =
                   job.unit.bad_flag ? COMPILE_BAD_FLAG : COMPILE_REJECTED;
    if (request->cache_dir.len)
        files_make_folder(arena, request->cache_dir);
    files_sweep_scratch(arena, request->cache_dir);
    Str cache = files_absolute(arena, request->cache_dir);
    CompileRequest uncached = *request;
    uncached.cache_dir = (Str){0};
    // Who else can write there could choose what is graded.
    if (files_exist(arena, cache) && !files_are_ours(arena, cache))
        job.request = job.unit.request = &uncached;
    result->status = choose_and_compile(&job);
    if (result->status == COMPILE_OK && request->kernel.len)
        take_kernel(arena, result);
    return result->status;
}
