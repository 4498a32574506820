// SPDX-License-Identifier: Apache-2.0
// Prints --help from the tables of the commands.
#include "cli/internal.h"

#include <stdio.h>

enum { HEAD_COLUMNS = 31, MOST_COLUMNS = 80 };

// "--format FORMAT", and the names below what it is for.
static void add_many_names(const Option *option, Str names, Buf *out) {
    const size_t indent = HEAD_COLUMNS + 3;
    size_t column = MOST_COLUMNS; // the first name begins a line
    char head[HEAD_COLUMNS + 1];
    snprintf(head, sizeof head, "%s %s", option->name, option->value);
    buf_printf(out, "  %-*s %s", HEAD_COLUMNS, head, option->help);
    while (names.len) {
        Str name = str_cut(&names, '|');
        bool fits = column + name.len + 2 <= MOST_COLUMNS;
        buf_printf(out, "%s%*s", fits ? " " : "\n", fits ? 0 : (int)indent, "");
        buf_printf(out, "%.*s%s", STR_ARG(name), names.len ? "," : "");
        column = (fits ? column + 1 : indent) + name.len + 1;
    }
    buf_byte(out, '\n');
}

static void add_options(const CliCommand *command, Buf *out) {
    Arena arena = {0};
    for (size_t i = 0; i < command->option_count; i++) {
        const Option *option = &command->options[i];
        Str value = str_from(option->value ? option->value : "");
        if (option->take == args_take_format)
            value = report_format_names(&arena, command->report, "|");
        Str head = str_format(&arena, "%s%s%.*s", option->name,
                              value.len ? " " : "", STR_ARG(value));
        if (head.len > HEAD_COLUMNS && option->take == args_take_format)
            add_many_names(option, value, out);
        else
            buf_printf(out, "  %-*.*s %s\n", HEAD_COLUMNS, STR_ARG(head),
                       option->help);
    }
    arena_free(&arena);
}

void usage_all(const CliCommand *const *commands, size_t count, Buf *out) {
    buf_str(out, STR("usage: clclab COMMAND ...\n\ncommands:\n"));
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "  %-11s%-19s %s\n", commands[i]->name,
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
