// SPDX-License-Identifier: Apache-2.0
// Runs another program, and looks into its file.
#include "cli/program.h"
#include "fatbin/fatbin.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_PROGRAM = 1 << 30 }; // bytes

// ---- running it ----------------------------------------------------------

static const int PASSED_ON[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
// The terminal gives these to the program itself.
static const int LEFT_TO_IT[] = {SIGINT, SIGQUIT};

// The child: with the signals as they are in a program that a shell starts.
static void become(char **argv, const sigset_t *mask) {
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(argv[0], argv);
}

// Waits for the child, and passes signals on to it.
static int wait_for(pid_t child, const sigset_t *watched) {
    int status = 0;
    for (;;) {
        int got = 0;
        pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR))
            return status;
        if (sigwait(watched, &got) == 0 && got != SIGCHLD)
            for (size_t i = 0; i < COUNT_OF(PASSED_ON); i++)
                if (got == PASSED_ON[i])
                    kill(child, got);
    }
}

int program_run(Cli *cli, char **argv, ProgramEnd *end) {
    sigset_t watched, before;
    sigemptyset(&watched);
    sigaddset(&watched, SIGCHLD);
    for (size_t i = 0; i < COUNT_OF(PASSED_ON); i++)
        sigaddset(&watched, PASSED_ON[i]);
    for (size_t i = 0; i < COUNT_OF(LEFT_TO_IT); i++)
        sigaddset(&watched, LEFT_TO_IT[i]);
    sigprocmask(SIG_BLOCK, &watched, &before);
    pid_t child = fork();
    if (child == 0) {
        become(argv, &before);
        output_error(cli, CLI_USAGE, "%s: %s", argv[0], strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
    }
    int status = child > 0 ? wait_for(child, &watched) : 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (child < 0)
        return output_error(cli, CLI_TRY_LATER, "no process: %s",
                            strerror(errno));
    *end = (ProgramEnd){.exit_code = WEXITSTATUS(status)};
    if (WIFSIGNALED(status))
        *end = (ProgramEnd){128 + WTERMSIG(status), (uint32_t)WTERMSIG(status)};
    return CLI_FULL_MARKS;
}

static bool can_run(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) &&
           access(path, X_OK) == 0;
}

Str program_find(Arena *arena, const char *name) {
    if (strchr(name, '/'))
        return can_run(name) ? str_from(name) : (Str){0};
    const char *path = getenv("PATH");
    Str rest = str_from(path ? path : "");
    while (rest.len) {
        Str folder = str_cut(&rest, ':');
        Str whole = str_format(arena, "%.*s/%s", STR_ARG(folder), name);
        if (can_run(whole.ptr))
            return whole;
    }
    return (Str){0};
}

// ---- its file ------------------------------------------------------------

// Folders in it come before those of LD_LIBRARY_PATH.
static bool has_rpath(Str text) {
    Str dynamic;
    Elf64_Dyn entry;
    if (!fatbin_find_section(text, STR(".dynamic"), &dynamic))
        return false;
    for (size_t at = 0; at + sizeof entry <= dynamic.len; at += sizeof entry) {
        memcpy(&entry, dynamic.ptr + at, sizeof entry);
        if (entry.d_tag == DT_RPATH)
            return true;
    }
    return false;
}

// Whether the loader must find a library whose name begins so.
static bool needs(Str text, const char *name) {
    Str dynamic, names;
    Elf64_Dyn entry;
    if (!fatbin_find_section(text, STR(".dynamic"), &dynamic) ||
        !fatbin_find_section(text, STR(".dynstr"), &names))
        return false;
    for (size_t at = 0; at + sizeof entry <= dynamic.len; at += sizeof entry) {
        memcpy(&entry, dynamic.ptr + at, sizeof entry);
        uint64_t from = entry.d_un.d_val;
        if (entry.d_tag == DT_NEEDED &&
            str_starts(str_slice(names, from, names.len), str_from(name)))
            return true;
    }
    return false;
}

static bool mentions(Str text, const char *what) {
    return memmem(text.ptr, text.len, what, strlen(what)) != NULL;
}

// One that uses the driver alone has kernels, but none of the runtime. Whatever
// names the shared library without needing it may open it later.
static ProgramKind kind_of(Str text) {
    Str kernels;
    if (needs(text, "libcudart.so."))
        return PROGRAM_SHARED;
    if (fatbin_find_section(text, STR(".nv_fatbin"), &kernels) &&
        mentions(text, "driver version is insufficient for CUDA"))
        return PROGRAM_STATIC;
    return mentions(text, "libcudart.so.") ? PROGRAM_SHARED : PROGRAM_OTHER;
}

ProgramAbout program_about(Arena *arena, Str path) {
    Str text, why;
    if (file_read(arena, str_cstring(arena, path), MOST_PROGRAM, &text, &why) !=
            FILE_READ ||
        !str_starts(text, STR("\177ELF")))
        return (ProgramAbout){.kind = PROGRAM_OTHER};
    return (ProgramAbout){.kind = kind_of(text),
                          .is_cuda12 = mentions(text, "libcudart.so.12"),
                          .uses_nvrtc = mentions(text, "libnvrtc.so"),
                          .has_rpath = has_rpath(text)};
}
