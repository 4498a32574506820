// SPDX-License-Identifier: Apache-2.0
// clclab debug, and run --debug: goes through the steps around the first
// mistake of a file that was judged (grade.c, run.c), forward and back, as
// commands say that come from standard input.
//
// The steps are recorded by the process that judges, which can write a text and
// nothing else; so they come as a book (report/book.c), and this process turns
// its pages. What no book tells, such as a file without a mistake, is told by
// the report.
#include "cli/debug/debug.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

// ---- lines of commands ---------------------------------------------------

enum { LINE_MOST = 4096 };

typedef struct Input {
    char bytes[LINE_MOST];
    size_t from, to; // what has been read and not used
    bool has_ended;
} Input;

static void refill(Input *input) {
    ssize_t count;
    memmove(input->bytes, input->bytes + input->from, input->to - input->from);
    input->to -= input->from;
    input->from = 0;
    do
        count =
            read(STDIN_FILENO, input->bytes + input->to, LINE_MOST - input->to);
    while (count < 0 && errno == EINTR);
    input->has_ended = count <= 0;
    input->to += count > 0 ? (size_t)count : 0;
}

// The next line, without its end; what is longer than LINE_MOST counts as
// several. False: there is none.
static bool next_line(Input *input, Str *line) {
    for (;;) {
        Str rest = {input->bytes + input->from, input->to - input->from};
        size_t length = str_find(rest, '\n');
        bool is_whole = length < rest.len;
        if (is_whole || rest.len == LINE_MOST ||
            (input->has_ended && rest.len)) {
            *line = str_slice(rest, 0, length);
            input->from += length + is_whole;
            return true;
        }
        if (input->has_ended)
            return false;
        refill(input);
    }
}

// ---- a session -----------------------------------------------------------

static int show(Cli *cli, Buf *out, bool prompts) {
    if (prompts)
        buf_str(out, STR("(clclab) "));
    int code = output_stdout(cli, buf_view(out));
    out->len = 0;
    return code;
}

static int go_through(Cli *cli, const Book *book) {
    Walk walk = {.book = book, .width = cli->width, .color = cli->color_out};
    Input *input = heap_alloc(sizeof *input, 1);
    bool prompts = isatty(STDIN_FILENO), goes_on = true;
    Buf out = {0};
    Str line;
    walk_begin(&walk, &out);
    int code = show(cli, &out, prompts);
    while (goes_on && code == CLI_FULL_MARKS && next_line(input, &line)) {
        goes_on = walk_do(&walk, line, &out);
        code = show(cli, &out, prompts && goes_on);
    }
    if (prompts && goes_on && code == CLI_FULL_MARKS)
        code = output_stdout(cli, STR("\n"));
    buf_free(&out);
    heap_free(input);
    return code;
}

int debug_session(Cli *cli, Str text, int code) {
    Book book;
    if (book_read(&cli->arena, text, &book))
        return go_through(cli, &book);
    int written = output_stdout(cli, text);
    if (written == CLI_FULL_MARKS && text.len)
        written = output_stdout(
            cli, STR("\nThere are no steps to go through: the report names no "
                     "broken rule that was\nrecorded. clclab trace shows the "
                     "whole run.\n"));
    return written == CLI_FULL_MARKS ? code : written;
}

int debug_check(Cli *cli) {
    const Args *args = &cli->args;
    if (!args->format && !args->out && !args->trace)
        return CLI_FULL_MARKS;
    return output_error(cli, CLI_USAGE,
                        "steps are gone through in a terminal: --format, "
                        "--out and --trace are for reports");
}
