// SPDX-License-Identifier: Apache-2.0
// Writes output and notices every error. Standard output goes through write(2),
// so that a full disk or a closed descriptor is seen before the exit code is
// chosen. A pipe whose reader has exited is not an error.
//
// A file is written under a temporary name in the same folder, fsynced and
// renamed. Signals are blocked meanwhile, so that none leaves the temporary
// file behind.
#include "cli/internal.h"

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

static bool write_all(int descriptor, Str text) {
    while (text.len > 0) {
        ssize_t count = write(descriptor, text.ptr, text.len);
        if (count < 0 && errno != EINTR)
            return false;
        if (count > 0)
            text = str_slice(text, (size_t)count, text.len);
    }
    return true;
}

bool output_write(int descriptor, Str text) {
    return write_all(descriptor, text) || errno == EPIPE;
}

int output_error(Cli *cli, int code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Str text = str_vformat(&cli->arena, format, args);
    va_end(args);
    cli->said = text;
    Buf out = {0};
    buf_str(&out, STR("clclab: "));
    report_escape(text, &out);
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

// "folder/.name.XXXXXX", in a buffer that mkstemp can write to.
static char *temporary_name(Arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    Str pattern =
        str_format(arena, "%.*s.%s.XXXXXX", (int)(name - path), path, name);
    return str_cstring(arena, pattern);
}

// The permissions that open(2) would have given.
static mode_t usual_mode(void) {
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static bool write_renamed(const char *path, char *temporary, Str text) {
    int descriptor = mkostemp(temporary, O_CLOEXEC);
    if (descriptor < 0)
        return false;
    bool right = write_all(descriptor, text) &&
                 fchmod(descriptor, usual_mode()) == 0 &&
                 fsync(descriptor) == 0;
    int error = errno;
    if (close(descriptor) != 0 && right) {
        right = false;
        error = errno;
    }
    if (right && rename(temporary, path) == 0)
        return true;
    error = right ? errno : error;
    unlink(temporary);
    errno = error;
    return false;
}

// Whether trying again later would not help.
static bool is_lasting(int error) {
    static const int lasting[] = {ENOENT, ENOTDIR, EACCES,       EPERM,
                                  EROFS,  EISDIR,  ENAMETOOLONG, ELOOP};
    for (size_t i = 0; i < COUNT_OF(lasting); i++)
        if (error == lasting[i])
            return true;
    return false;
}

int output_file(Cli *cli, const char *option, const char *path, Str text) {
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return output_error(cli, CLI_USAGE,
                            "%s: %s is there, and is not a regular file",
                            option, path);
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    bool right = write_renamed(path, temporary_name(&cli->arena, path), text);
    int error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (right)
        return CLI_FULL_MARKS;
    int code = is_lasting(error) ? CLI_USAGE : CLI_TRY_LATER;
    return output_error(cli, code, "%s: cannot write %s: %s", option, path,
                        strerror(error));
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
