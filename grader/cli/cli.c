// SPDX-License-Identifier: Apache-2.0
// cli_main: finds the command, parses its arguments, runs it. This program is
// also the child that compiles (compile/compile.h).
#include "cli/internal.h"
#include "compile/compile.h"

#include <string.h>
#include <unistd.h>

const CliCommand CLI_COMMANDS[COMMAND_COUNT] = {
    [COMMAND_GRADE] = {"grade", "Grade a file", "LAB [FILE]", 1, 2,
                       command_grade},
    [COMMAND_RUN] = {"run", "Run and check a kernel of your own",
                     "FILE.cu|FILE.ptx", 1, 1, command_run},
    [COMMAND_PTX] = {"ptx", "Print a file's PTX", "FILE.cu", 1, 1, command_ptx},
    [COMMAND_LIST] = {"list", "List the labs", "", 0, 0, command_list},
    [COMMAND_HINT] = {"hint", "Show a hint", "LAB [" CLI_REGION " [RUNG]]", 1,
                      3, command_hint},
    [COMMAND_EXPLAIN] = {"explain", "Explain a rule, or list them", "[CODE]", 0,
                         1, command_explain},
    [COMMAND_QUIZ] = {"quiz", "Grade a quiz, or print its questions",
                      "LAB [FILE]", 1, 2, command_quiz},
    [COMMAND_CLINIC] = {"clinic", "Look after kernels with a bug",
                        "[CASE [FILE]]", 0, 2, command_clinic},
    [COMMAND_DOCTOR] = {"doctor", "Say what this machine has and lacks", "", 0,
                        0, command_doctor},
    [COMMAND_COMPARE] = {"compare", "Compare four techniques, in figures", "",
                         0, 0, command_compare},
    [COMMAND_VERSION] = {"version", "Print the version", "", 0, 0,
                         command_version},
    [COMMAND_HELP] = {"help", "Print this, or of a command", "[COMMAND]", 0, 1,
                      command_help},
};

const CliCommand *cli_find_command(const char *name) {
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0)
        name = "version";
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(name, CLI_COMMANDS[i].name) == 0)
            return &CLI_COMMANDS[i];
    return NULL;
}

static int no_command(Cli *cli) {
    Buf text = {0};
    usage_all(&text);
    output_write(STDERR_FILENO, buf_view(&text));
    buf_free(&text);
    (void)cli;
    return CLI_USAGE;
}

static int unknown_command(Cli *cli, const char *name) {
    const char *names[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = CLI_COMMANDS[i].name;
    const char *meant = args_suggest(name, names, COMMAND_COUNT);
    if (meant)
        return output_error(cli, CLI_USAGE,
                            "there is no command \"%s\"; did you mean %s?",
                            name, meant);
    return output_error(cli, CLI_USAGE,
                        "there is no command \"%s\"; try clclab --help", name);
}

static int run_command(Cli *cli, const CliCommand *command, int argc,
                       char **argv) {
    CliCommandId id = (CliCommandId)(command - CLI_COMMANDS);
    Str message;
    bool right = args_parse(&cli->arena, id, argc, argv, &cli->args, &message);
    output_init(cli);
    if (!right)
        return output_error(cli, CLI_USAGE, "%s: %.*s", command->name,
                            STR_ARG(message));
    if (!cli->args.help)
        return command->run(cli);
    Buf text = {0};
    usage_command(id, &text);
    int code = output_stdout(cli, buf_view(&text));
    buf_free(&text);
    return code;
}

int cli_main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], COMPILE_CHILD_ARGUMENT) == 0)
        return compile_child_main(argc, argv);
    Cli cli = {0};
    output_init(&cli);
    int code;
    const CliCommand *command = argc > 1 ? cli_find_command(argv[1]) : NULL;
    if (argc < 2)
        code = no_command(&cli);
    else if (!command)
        code = unknown_command(&cli, argv[1]);
    else
        code = run_command(&cli, command, argc - 2, argv + 2);
    arena_free(&cli.arena);
    return code;
}
