// SPDX-License-Identifier: Apache-2.0
// Compiles with NVRTC, in a child that has its own limits, and with precompiled
// headers where they can be used. Whatever goes wrong with those, a second
// child compiles in full; whatever is rejected with the lean ones is tried
// again with the full ones, whose messages count. Generic lambdas are tried
// again as functions of the device. An NVRTC without 128-bit integers is asked
// again without them: then lab.h has what libcu++ lacks.
#include "compile/internal.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>

// Without it libcu++ implements for_each_canceled_block as fixed work.
#define INT128 "--device-int128"

size_t nvrtc_options(Arena *arena, const Unit *unit, Str **options) {
    static const char *const fixed[] = {
        "--gpu-architecture=compute_100a",
        "-lineinfo",
    };
    const Toolkit *toolkit = &unit->toolkit;
    size_t n = 0, most = COUNT_OF(fixed) + 7 + unit->flag_count +
                         unit->include_count + unit->system_count;
    Str *list = arena_new(arena, Str, most);
    for (size_t i = 0; i < COUNT_OF(fixed); i++)
        list[n++] = str_from(fixed[i]);
    list[n++] = unit->standard;
    if (!unit->no_int128)
        list[n++] = STR(INT128);
    if (unit->from_disk)
        options_add_folders(arena, unit, "-I", "-I", list, &n);
    if (unit->stand_ins.len)
        list[n++] = str_format(arena, "-I%.*s", STR_ARG(unit->stand_ins));
    for (size_t i = 0; i < toolkit->include_count; i++)
        list[n++] = str_format(arena, "-I%.*s", STR_ARG(toolkit->include[i]));
    if (unit->prefix == UNIT_LEAN)
        list[n++] = STR("--pre-include=" COMPILE_LEAN_PREFIX);
    if (unit->prefix == UNIT_FULL)
        list[n++] = STR("--pre-include=" COMPILE_FULL_PREFIX);
    if (unit->on_device)
        list[n++] = STR("--device-as-default-execution-space");
    for (size_t i = 0; i < unit->flag_count; i++)
        list[n++] = unit->flags[i];
    *options = list;
    return n;
}

// ---- the request ---------------------------------------------------------

// Everything that the precompiled headers depend on and that NVRTC might not
// check itself.
static Str pch_key(Arena *arena, const Unit *unit, const ChildRequest *r) {
    Buf buf = {0};
    struct stat info = {0};
    stat(str_cstring(arena, r->nvrtc_path), &info);
    wire_put(&buf, r->nvrtc_path);
    wire_put_number(&buf, (uint64_t)info.st_size);
    wire_put_number(&buf, (uint64_t)info.st_mtime);
    wire_put_number(&buf, unit->toolkit.version);
    for (size_t i = 0; i < r->option_count; i++)
        wire_put(&buf, r->options[i]);
    Str key = str_copy(arena, buf_view(&buf));
    buf_free(&buf);
    return key;
}

static void list_headers(Arena *arena, const Unit *unit, ChildRequest *r) {
    if (unit->from_disk)
        return;
    r->header_count = unit->header_count;
    r->header_names = arena_new(arena, Str, unit->header_count + 1);
    r->header_texts = arena_new(arena, Str, unit->header_count + 1);
    for (size_t i = 0; i < unit->header_count; i++) {
        r->header_names[i] = unit->headers[i].name;
        r->header_texts[i] = unit->headers[i].text;
    }
}

static Str folder_of(Str path) {
    while (path.len && path.ptr[path.len - 1] != '/')
        path.len--;
    return path.len > 1 ? str_slice(path, 0, path.len - 1) : path;
}

// Lists what the child may read once NVRTC is loaded. NVRTC loads a part of
// itself and the system's libraries later, so they are on the list.
static void list_readable(Arena *arena, const Unit *unit, const Pch *pch,
                          Str scratch, ChildRequest *r) {
    Str *usual;
    size_t usual_count = compile_readable(arena, unit, false, &usual);
    r->read = arena_new(arena, Str, usual_count + 4);
    for (size_t i = 0; i < usual_count; i++)
        r->read[r->read_count++] = usual[i];
    r->read[r->read_count++] = folder_of(r->nvrtc_path);
    r->read[r->read_count++] = pch->path;
    r->read[r->read_count++] = pch->scratch.path;
    r->read[r->read_count++] = scratch;
    r->write = arena_new(arena, Str, 2);
    r->write[r->write_count++] = scratch; // NVRTC keeps a temporary file
    if (pch->mode == PCH_CREATE)
        r->write[r->write_count++] = pch->scratch.path;
}

// For NVRTC a name without a folder is in the folder that the child works in.
static void map_names(Arena *arena, const Unit *unit, Str scratch,
                      Outcome *outcome) {
    NameMap *map = &outcome->names;
    Str source = unit->request->source;
    const Str builtin = STR("__nv_nvrtc_builtin_header.h"); // its own
    names_add_in(arena, map, scratch, builtin, builtin, (Str){0});
    names_add_in(arena, map, scratch, unit->name, unit->name, source);
    names_add_in(arena, map, scratch, STR(COMPILE_SOURCE_NAME), unit->name,
                 source);
    for (size_t i = 0; i < unit->header_count; i++) {
        const Header *h = &unit->headers[i];
        if (unit->from_disk)
            names_add_path(arena, map, h->shown, h->text);
        else
            names_add_in(arena, map, scratch, h->name, h->shown, h->text);
    }
}

// ---- one child -----------------------------------------------------------

typedef struct Attempt {
    SandboxJob job;
    SandboxResult result;
    ChildAnswer answer;
    bool has_run;
    bool answered; // the answer is complete and comes from the compiler
} Attempt;

static bool compiler_answered(const ChildAnswer *answer) {
    switch (answer->result) {
    case NVRTC_FINE:
    case NVRTC_BAD_OPTION:
    case NVRTC_REJECTED:
        return true;
    }
    return !answer->loaded;
}

static bool holds(Str text, const char *part) {
    return text.len && memmem(text.ptr, text.len, part, strlen(part));
}

// What its first phase says at its limit. (Under a lesser limit of the caller's
// it has other words, which are shown.)
static bool ran_out_of_memory(Str log) {
    return holds(log, "catastrophic error: unable to obtain mapped memory");
}

static void ask_child(Arena *arena, const Unit *unit, const ChildRequest *base,
                      const Pch *pch, const Scratch *scratch, Attempt *attempt,
                      Diags *diags) {
    static const char *const argv[] = {"clclab", COMPILE_CHILD_ARGUMENT, NULL};
    ChildRequest request = *base;
    Str head = unit->prefix ? STR("#pragma nv_hdrstop\n") : (Str){0};
    request.source = unit_source(arena, unit, head);
    request.pch_mode = pch->mode;
    request.pch_path = pch->mode == PCH_CREATE ? pch->made : pch->path;
    list_readable(arena, unit, pch, scratch->path, &request);
    Buf buf = {0};
    wire_put_request(&buf, &request);
    // NVRTC loads libnvrtc-builtins, which is in its own folder, by its name
    // alone.
    Str temporary = str_format(arena, "TMPDIR=%.*s", STR_ARG(scratch->path));
    Str libraries = str_format(arena, "LD_LIBRARY_PATH=%.*s",
                               STR_ARG(folder_of(base->nvrtc_path)));
    const char *env[] = {temporary.ptr, libraries.ptr};
    const Scratch both[] = {*scratch, pch->scratch};
    *attempt = (Attempt){0};
    attempt->job = (SandboxJob){.argv = argv,
                                .program = "/proc/self/exe",
                                .input = buf_view(&buf),
                                .folder = str_cstring(arena, scratch->path),
                                .env = env,
                                .env_count = COUNT_OF(env),
                                .scratch = both,
                                .scratch_count = COUNT_OF(both),
                                .bubblewrap = unit->bubblewrap,
                                .fixed_addresses = true};
    attempt->job.paths = (SandboxPaths){.write = request.write,
                                        .write_count = request.write_count,
                                        .read = request.read,
                                        .read_count = request.read_count};
    attempt->has_run =
        compile_run(arena, unit, &attempt->job, &attempt->result, diags);
    buf_free(&buf);
    // The input is freed and env goes out of scope; only messages read the job
    // after this.
    attempt->job.input = (Str){0};
    attempt->job.env_count = attempt->job.scratch_count = 0;
    bool valid = attempt->result.status == SANDBOX_EXITED &&
                 wire_get_answer(attempt->result.out, &attempt->answer);
    if (valid && ran_out_of_memory(attempt->answer.log))
        attempt->answer.result = NVRTC_NO_MEMORY;
    attempt->answered = valid && compiler_answered(&attempt->answer);
}

// "Catastrophic error: invalid precompiled header file". That a header file is
// used or made is in the log of any compilation, and no error. A source that
// prints such a line itself with #error only costs a second compilation.
static bool blames_pch(const ChildAnswer *answer) {
    Str log = answer->log;
    while (answer->result != NVRTC_FINE && log.len) {
        Str line = str_cut(&log, '\n');
        if (holds(line, "error: ") && holds(line, "precompiled header"))
            return true;
    }
    return false;
}

// A damaged header file may crash the compiler, or the compiler may report it.
// It is not the cause of a limit that was reached or of a kill.
static bool may_be_pch(const Attempt *attempt) {
    const SandboxResult *result = &attempt->result;
    if (attempt->answered)
        return blames_pch(&attempt->answer);
    bool ended =
        result->status == SANDBOX_EXITED || result->status == SANDBOX_SIGNALLED;
    return ended && result->code != SIGKILL;
}

// ---- what came out -------------------------------------------------------

static CompilePch settle_pch(Arena *arena, Pch *pch, const Unit *unit,
                             const ChildAnswer *answer) {
    switch ((ChildPch)answer->pch) {
    case CHILD_PCH_NONE:
        break;
    case CHILD_PCH_CREATED:
        pch_publish(arena, pch, unit->request->cache_dir);
        return COMPILE_PCH_CREATED;
    case CHILD_PCH_USED:
        return COMPILE_PCH_USED;
    case CHILD_PCH_REFUSED:
        pch_discard(arena, pch);
        pch->note = STR("the precompiled headers did not fit; they will be "
                        "made anew");
        break;
    case CHILD_PCH_MOVING:
        pch->note = STR("precompiled headers need fixed addresses, which this "
                        "machine refuses");
        break;
    case CHILD_PCH_FAILED:
        pch->note = STR("the headers could not be precompiled");
        break;
    }
    return COMPILE_PCH_NONE;
}

// Catastrophic error: cannot open temporary file "/tmp/..."
static bool lacks_disk(Str log) {
    return str_starts(log, STR("Catastrophic error")) &&
           holds(log, "temporary file \"/");
}

static CompileStatus judge_answer(const Unit *unit, const ChildAnswer *answer,
                                  Diags *diags) {
    if (!answer->loaded) {
        diag_add(diags, DIAG_ERROR, (SrcLoc){0}, "Cannot load NVRTC: %.*s.",
                 STR_ARG(str_trim(answer->log)))
            ->help = STR("Reinstall the toolkit, or use --compiler nvcc.");
        return COMPILE_UNAVAILABLE;
    }
    if (answer->result == NVRTC_FINE)
        return COMPILE_OK;
    if (answer->result == NVRTC_BAD_OPTION) {
        bool ours = unit->flag_count == 0;
        Str log = str_trim(answer->log);
        diag_add(diags, DIAG_ERROR, (SrcLoc){0},
                 "NVRTC does not accept %s: %.*s.",
                 ours ? "the grader's options" : "a compile flag", STR_ARG(log))
            ->help = STR("nvrtc's options are in the toolkit's documentation; "
                         "--compiler nvcc takes those of nvcc.");
        return ours ? COMPILE_BROKEN : COMPILE_BAD_FLAG;
    }
    return COMPILE_REJECTED;
}

// For a child that ended by itself without a valid answer.
static CompileStatus judge_silence(Arena *arena, const Unit *unit,
                                   const Attempt *attempt, Diags *diags) {
    const SandboxResult *result = &attempt->result;
    if (result->status != SANDBOX_EXITED)
        return compile_judge_end(arena, unit->request, &attempt->job, result,
                                 diags);
    SandboxResult known = *result;
    if (attempt->answer.result == NVRTC_NO_BUILTINS) {
        diag_add(diags, DIAG_ERROR, (SrcLoc){0},
                 "NVRTC cannot load its library libnvrtc-builtins.")
            ->help = STR("It belongs beside libnvrtc: reinstall the toolkit, "
                         "or use --compiler nvcc.");
        return COMPILE_UNAVAILABLE;
    }
    if (attempt->answer.result == NVRTC_NO_MEMORY) {
        known.status = SANDBOX_OUT_OF_MEMORY;
        return compile_judge_end(arena, unit->request, &attempt->job, &known,
                                 diags);
    }
    Str said = str_slice(str_trim(result->err), 0, 400);
    diag_add(diags, DIAG_ERROR, (SrcLoc){0},
             "The compiling child failed (exit code %d, NVRTC result %llu)"
             "%s%.*s",
             result->code, (unsigned long long)attempt->answer.result,
             said.len ? ": " : ".", STR_ARG(said))
        ->help = STR("Try --compiler nvcc; if that works, NVRTC is broken.");
    return COMPILE_BROKEN;
}

// The child restricts what it reads after it was started. What it says of that
// is believed only if it is less than what was granted then.
static void note_guards(const Attempt *attempt, Outcome *outcome) {
    outcome->has_run = attempt->has_run;
    outcome->guards = attempt->result.guards;
    if (attempt->answered && attempt->answer.landlock == 0)
        outcome->guards.landlock = 0;
}

static bool lacks_int128(const Unit *unit, const ChildAnswer *answer) {
    return answer->result == NVRTC_BAD_OPTION && !unit->no_int128 &&
           holds(answer->log, INT128);
}

static void settle(Arena *arena, const Unit *unit, Pch *pch,
                   const Attempt *attempt, Outcome *outcome, Diags *diags) {
    const ChildAnswer *answer = &attempt->answer;
    outcome->tight = attempt->result.tight;
    note_guards(attempt, outcome);
    if (!attempt->answered) {
        outcome->status = judge_silence(arena, unit, attempt, diags);
        outcome->no_library = outcome->status == COMPILE_UNAVAILABLE;
        return;
    }
    outcome->pch = settle_pch(arena, pch, unit, answer);
    outcome->note = unit->prefix ? pch->note : (Str){0};
    outcome->no_library = !answer->loaded;
    outcome->log = answer->result == NVRTC_BAD_OPTION ? (Str){0} : answer->log;
    outcome->ptx = answer->ptx;
    outcome->lacks_int128 = lacks_int128(unit, answer);
    if (outcome->lacks_int128)
        return;
    Str version = toolkit_version_name(arena, (uint32_t)answer->version);
    outcome->compiler = str_format(arena, "NVRTC %.*s", STR_ARG(version));
    outcome->status = judge_answer(unit, answer, diags);
    if (outcome->status == COMPILE_REJECTED && lacks_disk(answer->log)) {
        outcome->log = (Str){0};
        outcome->status = COMPILE_TRY_AGAIN;
        diag_add(diags, DIAG_ERROR, (SrcLoc){0},
                 "NVRTC cannot write its temporary file.")
            ->help = STR("Is the disk full? TMPDIR names another folder.");
    }
}

static void try_children(Arena *arena, const Unit *unit, const Scratch *scratch,
                         Outcome *outcome, Diags *diags) {
    ChildRequest request = {.nvrtc_path =
                                files_absolute(arena, unit->toolkit.nvrtc),
                            .name = STR(COMPILE_SOURCE_NAME)};
    request.option_count = nvrtc_options(arena, unit, &request.options);
    list_headers(arena, unit, &request);
    Pch pch = {.lock = -1};
    bool waits = unit->prefix != UNIT_FULL || !unit->request->never_waits;
    if (unit->prefix && !unit->on_device)
        pch = pch_open(arena, unit->request->cache_dir,
                       pch_key(arena, unit, &request), waits);
    Attempt attempt;
    ask_child(arena, unit, &request, &pch, scratch, &attempt, diags);
    if (pch.mode != PCH_NONE && may_be_pch(&attempt)) {
        pch_discard(arena, &pch);
        pch.mode = PCH_NONE;
        pch.note = STR("the compiler failed with precompiled headers; they "
                       "were not used");
        ask_child(arena, unit, &request, &pch, scratch, &attempt, diags);
    }
    settle(arena, unit, &pch, &attempt, outcome, diags);
    pch_close(&pch);
}

// Changes the unit so that what was rejected with this log may be accepted. An
// empty log says that it was stopped at a limit.
static bool can_try_again(Unit *unit, Str log) {
    if (!unit->on_device && messages_blame_lambdas(log)) {
        unit->on_device = true;
        return true;
    }
    bool is_lean = unit->prefix == UNIT_LEAN && log.len > 0;
    if (is_lean)
        unit->prefix = UNIT_FULL;
    return is_lean;
}

static void refuse_for_each(Outcome *outcome, Diags *diags) {
    outcome->status = COMPILE_UNAVAILABLE;
    outcome->no_library = true;
    diag_add(diags, DIAG_ERROR, (SrcLoc){0},
             "NVRTC does not know " INT128 ", without which "
             "for_each_canceled_block steals nothing.")
        ->help = STR("Use --compiler nvcc, or a newer toolkit.");
}

// Changes the unit so that it is compiled without 128-bit integers. False: it
// would be, but as another program.
static bool can_do_without_int128(Unit *unit) {
    unit->no_int128 = true;
    return !holds(unit->request->source, "for_each_canceled");
}

void nvrtc_compile(Arena *arena, const Unit *unit, Outcome *outcome,
                   Diags *diags) {
    Scratch scratch;
    outcome->status = COMPILE_TRY_AGAIN;
    if (!files_make_scratch(arena, unit->request->cache_dir, &scratch, diags))
        return;
    map_names(arena, unit, scratch.path, outcome);
    try_children(arena, unit, &scratch, outcome, diags);
    Unit other = *unit;
    if (outcome->lacks_int128) {
        *outcome = (Outcome){.names = outcome->names};
        if (can_do_without_int128(&other))
            try_children(arena, &other, &scratch, outcome, diags);
        else
            refuse_for_each(outcome, diags);
    }
    while (outcome->status == COMPILE_REJECTED &&
           can_try_again(&other, outcome->log)) {
        *outcome = (Outcome){.names = outcome->names};
        try_children(arena, &other, &scratch, outcome, diags);
    }
    sandbox_remove_scratch(&scratch);
}
