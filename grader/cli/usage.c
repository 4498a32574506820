// SPDX-License-Identifier: Apache-2.0
// Prints --help from the tables of the commands, 80 columns wide.
#include "cli/internal.h"

#include <stdio.h>
#include <string.h>

enum { HEAD_COLUMNS = 31, MOST_COLUMNS = 80 };

// Words with blanks between them; lines after the first begin at `indent`.
// Returns the column behind the last one.
static size_t add_words(Str text, size_t column, size_t indent, Buf *out) {
    while (text.len) {
        Str word = str_cut(&text, ' ');
        bool fits = column + 1 + word.len <= MOST_COLUMNS;
        if (column > indent) {
            if (fits)
                buf_byte(out, ' ');
            else
                buf_printf(out, "\n%*s", (int)indent, "");
            column = fits ? column + 1 : indent;
        }
        buf_str(out, word);
        column += word.len;
    }
    return column;
}

static void add_paragraphs(const char *text, Buf *out) {
    size_t column = 0;
    for (Str rest = str_from(text); rest.len;) {
        Str line = str_cut(&rest, '\n');
        bool is_row = memmem(line.ptr, line.len, "  ", 2) != NULL;
        if (column && (is_row || line.len == 0))
            buf_byte(out, '\n');
        if (is_row || line.len == 0) {
            buf_printf(out, "%.*s\n", STR_ARG(line));
            column = 0;
        } else {
            column = add_words(line, column, 0, out);
        }
    }
    if (column)
        buf_byte(out, '\n');
}

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

// A head that is too long for its column has a line of its own.
static void add_option(Str head, const char *help, Buf *out) {
    const size_t indent = HEAD_COLUMNS + 3;
    buf_printf(out, "  %-*.*s ", HEAD_COLUMNS, STR_ARG(head));
    if (head.len > HEAD_COLUMNS)
        buf_printf(out, "\n%*s", (int)indent, "");
    add_words(str_from(help), indent, indent, out);
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
            add_option(head, option->help, out);
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
        add_paragraphs(command->more, out);
    buf_printf(out, "\nexample: %s\n\noptions:\n", command->example);
    add_options(command, out);
}
