// SPDX-License-Identifier: Apache-2.0
// clclab doctor: what this machine has for the course, what it lacks, and what
// to do about it. What can be tried is tried: it compiles a kernel, assembles
// PTX, and runs a child in the sandbox. doctor_gpu.c has the lines on GPUs.
#include "cli/doctor.h"
#include "cli/options.h"
#include "compile/compile.h"
#include "sandbox/files.h"
#include "sandbox/sandbox.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEEDED_BYTES ((uint64_t)400 << 20) // free, to precompile headers

// ---- the virtual machine -------------------------------------------------

static int look_for_course(Doctor *doctor) {
    Course course;
    int code;
    if (!course_find_any(doctor->cli, &course, &code))
        return code;
    doctor->has_course = course.labs.len > 0;
    Str found = STR("There is no folder with labs/common/lab.h above the "
                    "program.");
    if (doctor->has_course) {
        Str *folders;
        size_t count = course_list(doctor->cli, &course, &folders);
        found = str_format(doctor->arena, "%zu labs in %.*s", count,
                           STR_ARG(course.labs));
    }
    doctor_add(
        doctor, "course", doctor->has_course ? DOCTOR_FINE : DOCTOR_NEEDED,
        found, "grade, list, hint and quiz",
        STR("Call the clclab that is in the course's folder, or say where "
            "that is with --root or CLCLAB_ROOT."));
    return CLI_FULL_MARKS;
}

static void look_for_toolkit(Doctor *doctor) {
    static const char enables[] =
        "every lab: headers and a compiler that know compute_100a";
    Arena *arena = doctor->arena;
    Diags diags = diags_new(arena);
    ToolkitSearch search = toolkit_search_environment();
    Toolkit *toolkit = &doctor->toolkit;
    if (!toolkit_find(arena, &search, toolkit, &diags)) {
        doctor_add_failure(doctor, "toolkit", DOCTOR_NEEDED, enables, &diags);
        return;
    }
    Str version = toolkit_version_name(arena, toolkit->version);
    doctor_add(doctor, "toolkit", DOCTOR_FINE,
               str_format(arena, "CUDA %.*s in %.*s", STR_ARG(version),
                          STR_ARG(toolkit->root)),
               enables, (Str){0});
}

// Without a cache, so that it really compiles.
static void try_compiler(Doctor *doctor) {
    static const char enables[] = "every lab: a kernel becomes PTX";
    if (doctor->toolkit.version == 0) {
        doctor_add(doctor, "compiler", DOCTOR_NEEDED,
                   STR("It comes with the toolkit."), enables,
                   STR("See the line above."));
        return;
    }
    Diags diags = diags_new(doctor->arena);
    CompileRequest request = {
        .path = STR("doctor.cu"),
        .source = STR("extern \"C\" __global__ void k(int *p) { *p = 1; }\n"),
    };
    CompileResult result = {0};
    CompileStatus status =
        compile_to_ptx(doctor->arena, &request, &result, &diags);
    doctor->compiles = status == COMPILE_OK;
    if (!doctor->compiles) {
        doctor_add_failure(doctor, "compiler", DOCTOR_NEEDED, enables, &diags);
        return;
    }
    doctor_add(doctor, "compiler", DOCTOR_FINE,
               str_format(doctor->arena, "%.*s has compiled a kernel",
                          STR_ARG(result.compiler)),
               enables, (Str){0});
}

static void look_for_nvcc(Doctor *doctor) {
    Str nvcc = doctor->toolkit.nvcc;
    doctor_add(doctor, "nvcc", nvcc.len ? DOCTOR_FINE : DOCTOR_ABSENT,
               nvcc.len ? nvcc : STR("The toolkit has none."),
               "--compiler nvcc, and the labs' files outside of the grader",
               STR("Install the toolkit's cuda-nvcc. NVRTC does without it."));
}

// ---- guards --------------------------------------------------------------

static void look_for_bubblewrap(Doctor *doctor) {
    SandboxBubblewrap bubblewrap;
    Str found;
    bool works = sandbox_find_bubblewrap(doctor->arena, &bubblewrap, &found);
    if (works)
        found = str_format(doctor->arena, "%.*s, version %.*s",
                           STR_ARG(bubblewrap.program),
                           STR_ARG(bubblewrap.version));
    doctor_add(doctor, "bubblewrap", works ? DOCTOR_FINE : DOCTOR_ABSENT, found,
               "a compiler sees nothing but what it needs, of a stranger's "
               "file and where there is no Landlock",
               STR("Install the package bubblewrap. It needs user namespaces, "
                   "which a container or a distribution may forbid."));
}

static void look_at_guards(Doctor *doctor) {
    SandboxProbe probe;
    Diags unheard = diags_new(doctor->arena);
    sandbox_probe(doctor->arena, &probe, &unheard);
    SandboxGuards guards = probe.guards;
    doctor_add(doctor, "addresses",
               guards.fixed_addresses ? DOCTOR_FINE : DOCTOR_ABSENT,
               guards.fixed_addresses
                   ? STR("Programs can have them fixed")
                   : STR("This machine refuses to fix them: personality(2) "
                         "gives an error."),
               "precompiled headers, so that a file compiles in a fraction of "
               "the time",
               STR("In a container: allow that call in its seccomp profile. "
                   "All works without it, more slowly."));
    doctor_add(doctor, "landlock",
               guards.landlock ? DOCTOR_FINE : DOCTOR_ABSENT,
               guards.landlock ? str_format(doctor->arena, "ABI version %d",
                                            guards.landlock)
                               : STR("The kernel has none, or has it off."),
               "a compiler that a file leads astray can change no other file",
               STR("Linux 5.13 or newer, with landlock in its lsm= list. To "
                   "grade files of strangers, have it, or bubblewrap."));
    doctor_add(doctor, "seccomp", guards.seccomp ? DOCTOR_FINE : DOCTOR_ABSENT,
               guards.seccomp ? STR("Filters can be installed")
                              : STR("The kernel takes no filter."),
               "the same compiler reaches no network and no other process",
               STR("A kernel with CONFIG_SECCOMP_FILTER. To grade files of "
                   "strangers, have it."));
    look_for_bubblewrap(doctor);
}

// ---- the cache -----------------------------------------------------------

typedef struct FolderSize {
    uint64_t bytes, files;
} FolderSize;

static FolderSize measure_folder(Arena *arena, Str folder) {
    FolderSize size = {0};
    DIR *listing = opendir(str_cstring(arena, folder));
    if (!listing)
        return size;
    for (struct dirent *e = readdir(listing); e; e = readdir(listing)) {
        struct stat info;
        if (fstatat(dirfd(listing), e->d_name, &info, AT_SYMLINK_NOFOLLOW) ||
            !S_ISREG(info.st_mode))
            continue;
        size.bytes += (uint64_t)info.st_size;
        size.files++;
    }
    closedir(listing);
    return size;
}

// Why the cache cannot work; NULL if it can.
static const char *cache_trouble(Arena *arena, Str folder) {
    if (folder.len == 0)
        return "There is none: neither XDG_CACHE_HOME nor HOME names a folder.";
    Str probe = str_format(arena, "%.*s/doctor", STR_ARG(folder));
    if (!files_make_folder(arena, folder) ||
        !files_write_atomic(arena, probe, STR("?")))
        return "It cannot be written to.";
    unlink(str_cstring(arena, probe));
    if (!files_have_room(arena, folder, NEEDED_BYTES))
        return "Less than 400 MB are free there: headers are not precompiled.";
    return NULL;
}

static void look_at_cache(Doctor *doctor) {
    Arena *arena = doctor->arena;
    Str folder = submission_cache(arena);
    const char *trouble = cache_trouble(arena, folder);
    FolderSize size = measure_folder(arena, folder);
    Str found = str_format(arena, "%.*s: %llu files, %llu MiB", STR_ARG(folder),
                           (unsigned long long)size.files,
                           (unsigned long long)(size.bytes >> 20));
    if (trouble && folder.len)
        found = str_format(arena, "%.*s. %s", STR_ARG(found), trouble);
    else if (trouble)
        found = str_from(trouble);
    doctor_add(doctor, "cache", trouble ? DOCTOR_ODD : DOCTOR_FINE, found,
               "results and precompiled headers, kept from one grade to the "
               "next",
               STR("Set XDG_CACHE_HOME to a folder with 1 GB of room. It may "
                   "be removed at any time."));
}

// ---- other programs ------------------------------------------------------

static void look_for_programs(Doctor *doctor) {
    static const struct {
        const char *name, *enables;
    } programs[] = {
        {"make", "make grade LAB=1, and every other make"},
        {"bats", "make test"},
        {"pandoc", "make slides, make docs"},
    };
    doctor->group = DOCTOR_TOOLS;
    for (size_t i = 0; i < COUNT_OF(programs); i++) {
        Str path = files_find_program(doctor->arena, programs[i].name);
        doctor_add(
            doctor, programs[i].name, path.len ? DOCTOR_FINE : DOCTOR_ABSENT,
            path.len ? path : STR("It is not on PATH."), programs[i].enables,
            str_format(doctor->arena,
                       "Install the package %s; make setup says how.",
                       programs[i].name));
    }
}

// ---- the whole -----------------------------------------------------------

static int doctor_command(Cli *cli) {
    Doctor doctor = {.cli = cli, .arena = &cli->arena, .group = DOCTOR_VM};
    int code = look_for_course(&doctor);
    if (code != CLI_FULL_MARKS)
        return code;
    look_for_toolkit(&doctor);
    try_compiler(&doctor);
    look_for_nvcc(&doctor);
    look_at_cache(&doctor);
    look_at_guards(&doctor);
    doctor_look_at_gpu(&doctor);
    look_for_programs(&doctor);
    doctor.report.vm_ready = doctor.has_course && doctor.compiles;
    doctor.report.gpu_ready = doctor.gpu_fits && doctor.report.vm_ready;
    Report report = {.kind = REPORT_DOCTOR, .doctor = &doctor.report};
    code = shared_report(cli, &report);
    if (code != CLI_FULL_MARKS)
        return code;
    return doctor.report.vm_ready ? CLI_FULL_MARKS : CLI_MISSING;
}

static const Option OPTIONS[] = {
    OPTION_FORMAT("of the report (default: text)"),
    OPTION_OUT,
    OPTION_ROOT,
    OPTION_LABS,
    OPTIONS_OF_ALL,
};

const CliCommand DOCTOR_COMMAND = {
    .name = "doctor",
    .summary = "Say what this machine has and lacks",
    .example = "clclab doctor",
    .words = "",
    .more = "A kernel is compiled, another assembled, and the GPU's "
            "driver asked. Exit status:\n0 the labs can be graded on the "
            "virtual machine, 69 something needed for that is\n"
            "missing.\n",
    .options = OPTIONS,
    .option_count = COUNT_OF(OPTIONS),
    .report = REPORT_DOCTOR,
    .run = doctor_command,
};
