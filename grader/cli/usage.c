// SPDX-License-Identifier: Apache-2.0
// Prints --help from the tables of the commands.
#include "cli/internal.h"

static void add_options(const CliCommand *command, Buf *out) {
    Arena arena = {0};
    for (size_t i = 0; i < command->option_count; i++) {
        const Option *option = &command->options[i];
        Str value = str_from(option->value ? option->value : "");
        if (option->take == args_take_format)
            value = report_format_names(&arena, command->report, "|");
        Str head = str_format(&arena, "%s%s%.*s", option->name,
                              value.len ? " " : "", STR_ARG(value));
        buf_printf(out, "  %-31.*s %s\n", STR_ARG(head), option->help);
    }
    arena_free(&arena);
}

void usage_all(const CliCommand *const *commands, size_t count, Buf *out) {
    buf_str(out, STR("usage: clclab COMMAND ...\n\ncommands:\n"));
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "  %-8s%-22s %s\n", commands[i]->name,
                   commands[i]->words, commands[i]->summary);
    buf_str(out, STR("\noptions of grade:\n"));
    add_options(&GRADE_COMMAND, out);
    buf_str(out,
            STR("\nExit status: 0 full marks, 1 below full marks, 2 usage, "
                "69 something needed is\nnot there, 70 the grader's own "
                "fault, 75 try again later.\nclclab COMMAND --help says "
                "more of a command.\n"));
}

void usage_command(const CliCommand *command, Buf *out) {
    buf_printf(out, "usage: clclab %s%s%s [options]\n\n%s.\n", command->name,
               command->words[0] ? " " : "", command->words, command->summary);
    if (command->more)
        buf_str(out, str_from(command->more));
    buf_str(out, STR("\noptions:\n"));
    add_options(command, out);
}
