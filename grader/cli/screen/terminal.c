// SPDX-License-Identifier: Apache-2.0
// The terminal of `clclab watch`: keys without Enter, a screen of its own, and
// back to what was before. Where standard input is no terminal there are no
// keys; where the output cannot place a cursor there are lines only.
#include "cli/core/core.h"
#include "cli/screen/screen.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void terminal_measure(Terminal *terminal) {
    struct winsize size = {0};
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    terminal->rows = size.ws_row ? size.ws_row : 24;
    terminal->columns = size.ws_col ? size.ws_col : 80;
}

void terminal_open(Terminal *terminal) {
    const char *term = getenv("TERM");
    bool is_dumb = !term || !term[0] || strcmp(term, "dumb") == 0;
    *terminal = (Terminal){0};
    terminal->has_keys = tcgetattr(STDIN_FILENO, &terminal->before) == 0;
    terminal->is_screen =
        terminal->has_keys && isatty(STDOUT_FILENO) && !is_dumb;
    terminal_measure(terminal);
}

void terminal_enter(Terminal *terminal) {
    struct termios keys = terminal->before;
    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    if (terminal->has_keys)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &keys);
    if (terminal->is_screen) // the other screen, without a cursor
        output_write(STDOUT_FILENO, STR("\x1b[?1049h\x1b[?25l"));
}

void terminal_leave(const Terminal *terminal) {
    if (terminal->is_screen)
        output_write(STDOUT_FILENO, STR("\x1b[0m\x1b[?25h\x1b[?1049l"));
    if (terminal->has_keys)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal->before);
}
