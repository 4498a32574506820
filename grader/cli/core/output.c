// SPDX-License-Identifier: Apache-2.0
// Writes output and notices every error. Standard output goes through write(2),
// so that a full disk or a closed descriptor is seen before the exit code is
// chosen. A pipe whose reader has exited is not an error.
#include "cli/core/core.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- descriptors ---------------------------------------------------------

bool output_write(int descriptor, Str text) {
    return file_put(descriptor, text) || errno == EPIPE;
}

int output_error(Cli *cli, int code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Str text = str_vformat(&cli->arena, format, args);
    va_end(args);
    cli->said = text;
    Buf out = {0};
    buf_str(&out, STR("clclab: "));
    utf8_escape(text, &out);
    buf_byte(&out, '\n');
    output_write(STDERR_FILENO, buf_view(&out));
    buf_free(&out);
    return code;
}

void output_diags(Cli *cli, const Diags *diags, Str source) {
    ReportStyle style = {.color = cli->color_err, .width = cli->width};
    Buf out = {0};
    for (size_t i = 0; i < diags->count; i++)
        report_diag(&diags->items[i], source, style, &out);
    for (size_t i = 0; i < diags->count && cli->said.len == 0; i++)
        cli->said = diags->items[i].what;
    output_write(STDERR_FILENO, buf_view(&out));
    buf_free(&out);
}

int output_stdout(Cli *cli, Str text) {
    if (output_write(STDOUT_FILENO, text))
        return CLI_FULL_MARKS;
    return output_error(cli, CLI_TRY_LATER,
                        "cannot write to standard output: "
                        "%s",
                        strerror(errno));
}

// ---- files ---------------------------------------------------------------

int output_file(Cli *cli, const char *option, const char *path, Str text) {
    Str why;
    switch (file_write(&cli->arena, path, text, &why)) {
    case FILE_WRITTEN:
        return CLI_FULL_MARKS;
    case FILE_UNWRITABLE:
        return output_error(cli, CLI_USAGE, "%s: %.*s", option, STR_ARG(why));
    case FILE_NOT_NOW:
        break;
    }
    return output_error(cli, CLI_TRY_LATER, "%s: %.*s", option, STR_ARG(why));
}

// ---- the terminal --------------------------------------------------------

static bool is_set(const char *name) {
    const char *value = getenv(name);
    return value && value[0];
}

static bool wants_color(CliColor color, int descriptor) {
    const char *term = getenv("TERM"), *force = getenv("CLICOLOR_FORCE");
    if (color != COLOR_AUTO)
        return color == COLOR_ALWAYS;
    if (is_set("NO_COLOR"))
        return false;
    if (force && force[0] && strcmp(force, "0") != 0)
        return true;
    return isatty(descriptor) && term && term[0] && strcmp(term, "dumb") != 0;
}

// *is_known: there is a terminal that tells.
static uint32_t terminal_width(bool *is_known) {
    enum { USUAL = 80, LEAST = 60, MOST = 100 };
    struct winsize size;
    *is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    if (!*is_known)
        return USUAL;
    if (size.ws_col < LEAST)
        return LEAST;
    return size.ws_col > MOST ? MOST : size.ws_col;
}

// Opens 0, 1 and 2 if the caller closed them, so that no file that we open gets
// one of these numbers; writing to such a descriptor still fails.
static void keep_descriptors(void) {
    for (int descriptor = 0; descriptor <= STDERR_FILENO; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            open("/dev/null", O_RDONLY);
}

void output_init(Cli *cli) {
    keep_descriptors();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); // a write past `ulimit -f` gives EFBIG instead
    cli->color_out = wants_color(cli->args.color, STDOUT_FILENO);
    cli->color_err = wants_color(cli->args.color, STDERR_FILENO);
    cli->width = terminal_width(&cli->has_screen);
}
