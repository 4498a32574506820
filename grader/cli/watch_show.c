// SPDX-License-Identifier: Apache-2.0
// What clclab watch shows: on a screen a head, the verdict or a page, and the
// keys at the foot; elsewhere what is new, line by line. Read watch_show.
#include "cli/watch.h"

#include <unistd.h>

void watch_set_note(Watcher *watch, Str text) {
    watch->note.len = 0;
    buf_str(&watch->note, str_trim(text));
}

static Str shown(const Watcher *watch) {
    return buf_view(watch->page.len ? &watch->page : &watch->verdict);
}

// What was ended has none to be told: a limit says nothing about the rest.
bool watch_has_points(const GradeEnd *end) {
    return end->summary.has_score && !end->is_exceeded;
}

// What is known of the last grade, before the file's name.
static void add_state(const Watcher *watch, Buf *out) {
    bool is_under_way = watch->grade.pid != 0;
    buf_printf(out, "Lab %u  ", watch->lab.number);
    if (is_under_way)
        buf_str(out, STR("is being graded"));
    else if (watch_has_points(watch->end))
        buf_printf(out, "%.6g/%.6g  %s  %.2f s", watch->end->summary.score,
                   watch->end->summary.most, watch->at,
                   watch->grade.took / 1e3);
    else
        buf_printf(out, "not graded  %s", watch->at);
}

// With the file's path, or as much of it as the terminal has columns for.
static Str head_of(const Watcher *watch, Arena *arena) {
    Buf state = {0}, path = {0}, name = {0};
    add_state(watch, &state);
    utf8_escape(str_from(watch->file.path), &path);
    utf8_escape(str_from(watch->file.name), &name);
    const Str texts[] = {
        str_format(arena, "%.*s  %.*s", STR_ARG(buf_view(&state)),
                   STR_ARG(buf_view(&path))),
        str_format(arena, "%.*s  %.*s", STR_ARG(buf_view(&state)),
                   STR_ARG(buf_view(&name))),
        str_copy(arena, buf_view(&state)),
    };
    buf_free(&state);
    buf_free(&path);
    buf_free(&name);
    return watch->terminal.is_screen
               ? screen_pick(texts, COUNT_OF(texts), watch->terminal.columns)
               : texts[0];
}

// For what is done again and again: its arena has to be freed.
Cli watch_scratch(const Watcher *watch) {
    Cli scratch = *watch->cli;
    scratch.arena = (Arena){0};
    return scratch;
}

Str watch_progress(const Watcher *watch, Arena *arena, bool has_best) {
    Cli scratch = watch_scratch(watch);
    Progress progress = progress_read(&scratch, &watch->course);
    const LabProgress *lab = progress_of(&progress, watch->lab.folder);
    size_t labs, full;
    full = progress_count(&scratch, &watch->course, &progress, &labs);
    Str text = str_format(arena, "%zu/%zu labs", full, labs);
    if (lab && has_best)
        text = str_format(arena, "best %.6g  %.*s", lab->best, STR_ARG(text));
    arena_free(&scratch.arena);
    return text;
}

// has_more: of what is shown, below the screen.
static Str foot_of(const Watcher *watch, Arena *arena, bool has_more) {
    static const char keys[] = "n next  h hint  l list  a all  r reset  "
                               "o report  q quit";
    const char *more = has_more ? "space more  " : "";
    Str best = watch_progress(watch, arena, true);
    Str labs = watch_progress(watch, arena, false);
    const Str texts[] = {
        str_format(arena, "%s%s  %.*s", more, keys, STR_ARG(best)),
        str_format(arena, "%s%s  %.*s", more, keys, STR_ARG(labs)),
        str_format(arena, "%s? keys  q quit  %.*s", more, STR_ARG(best)),
        str_format(arena, "%s? keys", more),
        STR("? keys  q quit"),
    };
    return screen_pick(texts, COUNT_OF(texts), watch->terminal.columns);
}

// Whole, unless the screen has too few rows for it.
static ScreenLines fit_note(const Watcher *watch, Arena *arena) {
    ScreenLines note =
        screen_fit(arena, buf_view(&watch->note), watch->terminal.columns);
    size_t most = watch->terminal.rows > 3 ? watch->terminal.rows - 3 : 1;
    note.count = note.count > most ? most : note.count;
    return note;
}

static void draw_screen(Watcher *watch, Arena *arena, Str head) {
    const Terminal *terminal = &watch->terminal;
    ScreenPage page = {.head = head,
                       .note = fit_note(watch, arena),
                       .body =
                           screen_fit(arena, shown(watch), terminal->columns),
                       .rows = terminal->rows,
                       .columns = terminal->columns};
    size_t room = screen_room(&page);
    size_t last = page.body.count > room ? page.body.count - room : 0;
    Buf out = {0};
    watch->top = watch->top > last ? last : watch->top;
    page.top = watch->top;
    page.foot = foot_of(watch, arena, watch->top < last);
    screen_draw(&page, &out);
    output_write(STDOUT_FILENO, buf_view(&out));
    buf_free(&out);
}

// What is new, where there is no screen: a note alone, or the verdict or a
// page, which may have one.
static void print_lines(const Watcher *watch, Arena *arena, Str head,
                        bool is_note) {
    Buf out = {0};
    Str foot = foot_of(watch, arena, false);
    if (!is_note && !watch->page.len && watch->verdict.len)
        buf_printf(&out, "\n%.*s\n\n", STR_ARG(head));
    if (!is_note)
        buf_str(&out, shown(watch));
    if (watch->note.len)
        buf_printf(&out, "%.*s\n", STR_ARG(buf_view(&watch->note)));
    if (watch->terminal.has_keys)
        buf_printf(&out, "%.*s\n", STR_ARG(foot));
    output_write(STDOUT_FILENO, buf_view(&out));
    buf_free(&out);
}

void watch_show(Watcher *watch, News news) {
    Arena arena = {0};
    Str head = head_of(watch, &arena);
    if (watch->terminal.is_screen)
        draw_screen(watch, &arena, head);
    else if (news != NEWS_NONE)
        print_lines(watch, &arena, head, news == NEWS_NOTE);
    if (!watch->terminal.is_screen)
        watch->note.len = 0;
    arena_free(&arena);
}

void watch_show_note(Watcher *watch, Str text) {
    watch_set_note(watch, text);
    watch_show(watch, NEWS_NOTE);
}

void watch_show_page(Watcher *watch, Str text) {
    watch->page.len = 0;
    watch->top = 0;
    buf_str(&watch->page, text);
    watch_show(watch, NEWS_TEXT);
}
