// SPDX-License-Identifier: Apache-2.0
// clclab nvcc: NVIDIA's compiler with what clclab exec needs: the shared
// runtime library, PTX, and the lines of the source. All else is as nvcc has
// it.
#include "cli/options.h"
#include "cli/program.h"
#include "sandbox/toolkit.h"

#include <string.h>

static bool is_given(char **argv, const char *option) {
    size_t length = strlen(option);
    for (; *argv; argv++)
        if (strncmp(*argv, option, length) == 0)
            return true;
    return false;
}

// Which architecture: what the caller asks for, with PTX besides machine code.
// (-arch=sm_100a makes PTX for compute_100 as well, of 13.0 at least, which has
// no setmaxnreg and no multicast requests: files with these do not compile.)
static void add_target(char **given, const char **argv, size_t *count) {
    if (is_given(given, "-gencode") || is_given(given, "--generate-code")) {
        argv[(*count)++] = "-gencode";
        argv[(*count)++] = "arch=compute_100a,code=compute_100a";
    } else if (!is_given(given, "-arch") && !is_given(given, "--gpu-arch")) {
        argv[(*count)++] = "-gencode";
        argv[(*count)++] = "arch=compute_100a,code=[sm_100a,compute_100a]";
    }
}

static int find_nvcc(Cli *cli, Toolkit *toolkit) {
    Diags diags = diags_new(&cli->arena);
    ToolkitSearch search = toolkit_search_environment();
    if (toolkit_find(&cli->arena, &search, toolkit, &diags) &&
        toolkit->nvcc.len)
        return CLI_FULL_MARKS;
    output_diags(cli, &diags, (Str){0});
    return output_error(cli, CLI_MISSING,
                        "nvcc: there is no nvcc of CUDA 12.8 or newer");
}

static int nvcc_command(Cli *cli) {
    enum { MORE = 8 };
    Toolkit toolkit;
    ProgramEnd end;
    int code = find_nvcc(cli, &toolkit);
    if (code)
        return code;
    char **given = cli->args.rest;
    size_t count = 0, all = 0;
    while (given[all])
        all++;
    const char **argv = arena_new(&cli->arena, const char *, all + MORE);
    argv[count++] = str_cstring(&cli->arena, toolkit.nvcc);
    if (!is_given(given, "-cudart") && !is_given(given, "--cudart"))
        argv[count++] = "-cudart=shared";
    if (!is_given(given, "-lineinfo") && !is_given(given, "-G") &&
        !is_given(given, "--generate-line-info"))
        argv[count++] = "-lineinfo";
    add_target(given, argv, &count);
    memcpy(argv + count, given, all * sizeof *argv);
    code = program_run(cli, (char **)argv, &end);
    return code ? code : end.exit_code;
}

static const Option OPTIONS[] = {OPTIONS_OF_ALL};

const CliCommand NVCC_COMMAND = {
    .name = "nvcc",
    .summary = "Build a CUDA program for clclab exec",
    .example = "clclab nvcc -o saxpy saxpy.cu",
    .words = "ARGS...",
    .takes_rest = true,
    .more = "This is NVIDIA's nvcc with all its options; -cudart shared, "
            "-lineinfo and, without another architecture, -gencode "
            "arch=compute_100a,code=[sm_100a,compute_100a] are added.\n",
    .options = OPTIONS,
    .option_count = COUNT_OF(OPTIONS),
    .run = nvcc_command,
};
