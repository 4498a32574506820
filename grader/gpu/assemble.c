// SPDX-License-Identifier: Apache-2.0
// gpu_assemble: read upwards. Both assemblers write the same messages, so one
// parser of messages (assemble_log.c) is enough.
#include "gpu/assemble.h"
#include "gpu/assemble_parts.h"
#include "sandbox/files.h"
#include "sandbox/sandbox.h"
#include "sandbox/toolkit.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_PTX = 64 << 20,   // bytes
    MAX_CUBIN = 64 << 20, // bytes
    MAX_LOG = 256 << 10,  // bytes of messages that are parsed
    CPU_S = 30,
    WALL_S = 300, // long: a student must not lose points to a busy machine
};

typedef struct Job {
    Arena *arena;
    Toolkit toolkit;
    Str ptx, target;
    GpuAssembler *used;
    Str *cubin;
    Diags *diags;
} Job;

static SandboxLimits limits(void) {
    return (SandboxLimits){.cpu_s = CPU_S,
                           .wall_s = WALL_S,
                           .memory = (uint64_t)2 << 30,
                           .output = MAX_CUBIN + 2 * MAX_LOG,
                           .file_size = MAX_CUBIN};
}

static Str name_of(Arena *arena, const char *program, uint32_t version) {
    if (version == 0)
        return str_from(program);
    Str number = toolkit_version_name(arena, version);
    return str_format(arena, "%s %.*s", program, STR_ARG(number));
}

// ---- what went wrong -----------------------------------------------------

static GpuAssembly blame(Job *job, GpuAssembly status, Str how,
                         const char *help) {
    diag_add(job->diags, DIAG_ERROR, (SrcLoc){0}, "The assembler (%.*s) %.*s.",
             STR_ARG(job->used->name), STR_ARG(how))
        ->help = str_from(help);
    return status;
}

// For a child that did not end by itself, or gave no answer.
static GpuAssembly judge_end(Job *job, const SandboxJob *child,
                             const SandboxResult *result) {
    static const char again[] = "This says nothing about the file: try again "
                                "when the machine is less busy.";
    Str how = sandbox_describe(job->arena, child, result);
    switch (result->status) {
    case SANDBOX_NOT_STARTED: // sandbox_run has added a Diag
        return ASSEMBLY_TRY_AGAIN;
    case SANDBOX_EXITED:
        return blame(job, ASSEMBLY_BROKEN, how,
                     "It said no more. Is the toolkit whole?");
    case SANDBOX_SIGNALLED:
        if (result->code == SIGKILL || result->code == SIGTERM)
            return blame(job, ASSEMBLY_TRY_AGAIN, how, again);
        return blame(job, ASSEMBLY_REJECTED, how,
                     "It crashed on this PTX: look at inline assembly, and try "
                     "to leave out a part of the kernel.");
    case SANDBOX_TIMED_OUT:
        if (!result->cpu_spent)
            return blame(job, ASSEMBLY_TRY_AGAIN, how, again);
        return blame(job, ASSEMBLY_REJECTED, how,
                     "The kernel is too large for it: look for loops that are "
                     "unrolled too far.");
    case SANDBOX_OUT_OF_MEMORY:
    case SANDBOX_OUTPUT_TOO_LARGE:
        return blame(job, ASSEMBLY_REJECTED, how,
                     "The kernel is too large for it: look for huge arrays and "
                     "for loops that are unrolled too far.");
    }
    return ASSEMBLY_BROKEN;
}

// For an assembler that reports failure: reports what its log says.
static GpuAssembly judge_log(Job *job, Str log) {
    AssembleLog parsed = assemble_read_log(job->arena, log, job->ptx);
    if (parsed.unknown_target) {
        Str how = str_format(job->arena, "does not know the target %.*s",
                             STR_ARG(job->target));
        return blame(job, ASSEMBLY_UNAVAILABLE, how,
                     "Install a newer toolkit, one that knows this GPU.");
    }
    if (parsed.old) {
        Str how = str_format(job->arena, "is too old for this PTX: %.*s",
                             STR_ARG(parsed.messages[0].what));
        return blame(job, ASSEMBLY_UNAVAILABLE, how,
                     "Compiler and assembler are to come from one toolkit: "
                     "CUDA_HOME names the folder.");
    }
    for (size_t i = 0; i < parsed.count; i++) {
        const AssembleMessage *m = &parsed.messages[i];
        Diag *diag = diag_add(job->diags, DIAG_ERROR, m->at,
                              "The assembler (%.*s) says: %.*s",
                              STR_ARG(job->used->name), STR_ARG(m->what));
        diag->code = STR("PTX");
        if (m->line)
            diag->help = str_format(job->arena, "Line %u of the PTX: %.*s",
                                    m->line, STR_ARG(m->quote));
    }
    return parsed.count
               ? ASSEMBLY_REJECTED
               : blame(job, ASSEMBLY_BROKEN, STR("failed and did not say why"),
                       "Is the toolkit whole?");
}

// For a child that ended by itself with an unexpected exit code.
static GpuAssembly judge_exit(Job *job, const SandboxJob *child,
                              const SandboxResult *result) {
    Str log = str_format(job->arena, "%.*s\n%.*s", STR_ARG(result->err),
                         STR_ARG(result->out));
    return str_trim(log).len ? judge_log(job, str_slice(log, 0, MAX_LOG))
                             : judge_end(job, child, result);
}

// ---- nvJitLink -----------------------------------------------------------

// False: it cannot be loaded, so ptxas may be tried.
static bool use_nvjitlink(Job *job) {
    Str library = job->toolkit.nvjitlink;
    job->used->path = library;
    job->used->name = name_of(job->arena, "nvJitLink", job->toolkit.version);
    JitRequest request = {.library = str_cstring(job->arena, library),
                          .ptx = str_cstring(job->arena, job->ptx),
                          .ptx_len = job->ptx.len,
                          .target = str_cstring(job->arena, job->target)};
    SandboxJob child = {
        .body = assemble_jit_child, .context = &request, .limits = limits()};
    SandboxResult result;
    sandbox_run(job->arena, &child, &result, job->diags);
    JitAnswer answer;
    bool ended = result.status == SANDBOX_EXITED;
    bool answered = ended && assemble_jit_answer(result.out, &answer);
    if (answered && !answer.head.loaded)
        return false;
    if (answered && answer.cubin.len) {
        *job->cubin = answer.cubin;
        job->used->status = ASSEMBLY_DONE;
    } else if (answered) {
        job->used->status = judge_log(job, str_slice(answer.log, 0, MAX_LOG));
    } else { // some errors make nvJitLink end its process
        job->used->status = ended ? judge_exit(job, &child, &result)
                                  : judge_end(job, &child, &result);
    }
    return true;
}

// ---- ptxas ---------------------------------------------------------------

static GpuAssembly fail_files(Job *job) {
    diag_add(job->diags, DIAG_ERROR, (SrcLoc){0},
             "Cannot write the assembler's temporary files.")
        ->help = STR("Is the disk full? TMPDIR names another folder.");
    return ASSEMBLY_TRY_AGAIN;
}

static GpuAssembly run_ptxas(Job *job, const Scratch *scratch) {
    Str folder = scratch->path;
    Arena *arena = job->arena;
    Str arch = str_format(arena, "-arch=%.*s", STR_ARG(job->target));
    const char *argv[] = {str_cstring(arena, job->used->path),
                          str_cstring(arena, arch),
                          "-o",
                          "kernel.cubin",
                          "kernel.ptx",
                          NULL};
    SandboxJob child = {.argv = argv,
                        .folder = str_cstring(arena, folder),
                        .paths = {.write = &folder, .write_count = 1},
                        .scratch = scratch,
                        .scratch_count = 1,
                        .limits = limits()};
    SandboxResult result;
    sandbox_run(arena, &child, &result, job->diags);
    if (result.status != SANDBOX_EXITED)
        return judge_end(job, &child, &result);
    if (result.code != 0)
        return judge_exit(job, &child, &result);
    Str path = str_format(arena, "%.*s/kernel.cubin", STR_ARG(folder));
    return files_read(arena, path, MAX_CUBIN, job->cubin) ? ASSEMBLY_DONE
                                                          : fail_files(job);
}

static void use_ptxas(Job *job) {
    Scratch scratch;
    job->used->path = job->toolkit.ptxas;
    job->used->name = name_of(job->arena, "ptxas", job->toolkit.version);
    job->used->status = ASSEMBLY_TRY_AGAIN;
    if (!files_make_scratch(job->arena, (Str){0}, &scratch, job->diags))
        return;
    Str path = str_format(job->arena, "%.*s/kernel.ptx", STR_ARG(scratch.path));
    job->used->status = files_write_atomic(job->arena, path, job->ptx)
                            ? run_ptxas(job, &scratch)
                            : fail_files(job);
    sandbox_remove_scratch(&scratch);
}

// ---- the whole -----------------------------------------------------------

static void lack_library(Job *job) {
    job->used->status = ASSEMBLY_UNAVAILABLE;
    diag_add(job->diags, DIAG_ERROR, (SrcLoc){0}, "Cannot load %.*s.",
             STR_ARG(job->used->path))
        ->help = STR("Reinstall the toolkit's libnvjitlink, or its cuda-nvcc, "
                     "which has ptxas.");
}

bool gpu_assemble(Arena *arena, Str ptx, Str target, GpuAssembler *used,
                  Str *cubin, Diags *diags) {
    Job job = {.arena = arena,
               .ptx = ptx,
               .target = target,
               .used = used,
               .cubin = cubin,
               .diags = diags};
    *used = (GpuAssembler){.status = ASSEMBLY_UNAVAILABLE};
    ToolkitSearch search = toolkit_search_environment();
    if (!toolkit_find_assembler(arena, &search, &job.toolkit, diags))
        return false;
    if (ptx.len > MAX_PTX) {
        used->status = ASSEMBLY_REJECTED;
        diag_add(diags, DIAG_ERROR, (SrcLoc){0},
                 "The PTX has %zu bytes; at most %d are assembled.", ptx.len,
                 MAX_PTX);
        return false;
    }
    bool done = job.toolkit.nvjitlink.len && use_nvjitlink(&job);
    if (!done && job.toolkit.ptxas.len)
        use_ptxas(&job);
    else if (!done)
        lack_library(&job);
    return used->status == ASSEMBLY_DONE;
}
