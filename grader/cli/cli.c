// SPDX-License-Identifier: Apache-2.0
// cli_main: finds the command, parses its arguments, and runs it. The table of
// all commands is here, and so is help, which prints it. This program is also
// the compiling child (compile/compile.h).
#include "cli/options.h"
#include "compile/compile.h"

#include <string.h>
#include <unistd.h>

static int help(Cli *cli);

static const Option HELP_OPTIONS[] = {OPTIONS_OF_ALL};

static const CliCommand HELP_COMMAND = {
    .name = "help",
    .summary = "Print this, or of a command",
    .example = "clclab help grade",
    .words = "[COMMAND]",
    .most_words = 1,
    .options = HELP_OPTIONS,
    .option_count = COUNT_OF(HELP_OPTIONS),
    .run = help,
};

static const CliCommand *const COMMANDS[] = {
    &GRADE_COMMAND,   &BATCH_COMMAND,   &WATCH_COMMAND,   &RESET_COMMAND,
    &TRACE_COMMAND,   &DEBUG_COMMAND,   &NEXT_COMMAND,    &RUN_COMMAND,
    &EXEC_COMMAND,    &NVCC_COMMAND,    &PTX_COMMAND,     &LIST_COMMAND,
    &HINT_COMMAND,    &EXPLAIN_COMMAND, &QUIZ_COMMAND,    &CLINIC_COMMAND,
    &VERIFY_COMMAND,  &DOCTOR_COMMAND,  &COMPARE_COMMAND, &COMPLETION_COMMAND,
    &VERSION_COMMAND, &HELP_COMMAND,
};

static const CliCommand *find_command(const char *name) {
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0)
        name = "version";
    for (size_t i = 0; i < COUNT_OF(COMMANDS); i++)
        if (strcmp(name, COMMANDS[i]->name) == 0)
            return COMMANDS[i];
    return NULL;
}

static int print(Cli *cli, Buf *text) {
    int code = output_stdout(cli, buf_view(text));
    buf_free(text);
    return code;
}

static int help(Cli *cli) {
    Buf text = {0};
    const char *name = cli->args.word_count ? cli->args.words[0] : NULL;
    const CliCommand *command = name ? find_command(name) : NULL;
    if (name && !command)
        return output_error(cli, CLI_USAGE, "there is no command \"%s\"", name);
    if (command)
        usage_command(command, &text);
    else
        usage_all(COMMANDS, COUNT_OF(COMMANDS), &text);
    return print(cli, &text);
}

// Where the learner is; outside of a course how to use it, as a mistake.
static int no_command(Cli *cli) {
    Buf text = {0};
    bool found;
    int code = next_alone(cli, &found);
    if (found)
        return code;
    usage_all(COMMANDS, COUNT_OF(COMMANDS), &text);
    output_write(STDERR_FILENO, buf_view(&text));
    buf_free(&text);
    return CLI_USAGE;
}

static int unknown_command(Cli *cli, const char *name) {
    const char *names[COUNT_OF(COMMANDS)];
    for (size_t i = 0; i < COUNT_OF(COMMANDS); i++)
        names[i] = COMMANDS[i]->name;
    const char *meant = args_suggest(name, names, COUNT_OF(names));
    if (meant)
        return output_error(cli, CLI_USAGE,
                            "there is no command \"%s\"; did you mean %s?",
                            name, meant);
    return output_error(cli, CLI_USAGE,
                        "there is no command \"%s\"; try clclab --help", name);
}

static int run_command(Cli *cli, const CliCommand *command, int argc,
                       char **argv) {
    Str message;
    bool right =
        args_parse(&cli->arena, command, argc, argv, &cli->args, &message);
    output_init(cli);
    if (!right)
        return output_error(cli, CLI_USAGE, "%s: %.*s", command->name,
                            STR_ARG(message));
    if (!cli->args.help)
        return command->run(cli);
    Buf text = {0};
    usage_command(command, &text);
    return print(cli, &text);
}

int cli_main(const char *program, int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], COMPILE_CHILD_ARGUMENT) == 0)
        return compile_child_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], SANDBOX_ENTER_ARGUMENT) == 0)
        return sandbox_enter_main(argc, argv);
    Cli cli = {.program = program,
               .called = argc > 0 ? argv[0] : "",
               .commands = COMMANDS,
               .command_count = COUNT_OF(COMMANDS)};
    output_init(&cli);
    int code;
    const CliCommand *command = argc > 1 ? find_command(argv[1]) : NULL;
    if (argc < 2)
        code = no_command(&cli);
    else if (!command)
        code = unknown_command(&cli, argv[1]);
    else
        code = run_command(&cli, command, argc - 2, argv + 2);
    arena_free(&cli.arena);
    return code;
}
