// SPDX-License-Identifier: Apache-2.0
// For the tests of batch/'s engine: a host that grades a file by what stands in
// it, and keeps what it is told. Each grade is noted in graded.txt, as it is
// made in another process.
//
//   points 42.5 rules CLC006   has these points, and this first failure
//   seed                       has a point and a half for each 1 of its seed,
//                              modulo 10
//   exit 2 it is none          says so, and ends with that code
//   once                       crashes, and has full marks when tried again
#ifndef CLCLAB_BATCH_FAKE_H
#define CLCLAB_BATCH_FAKE_H

#include "batch/cluster.h"
#include "tests/unit/cli_room.h"

#include <signal.h>

typedef struct Fake {
    Room room;
    BatchHost host;
    Arena arena;
    Buf said, shown;
    int prepared;      // what prepare returns
    BatchRequest here; // and what it finds
} Fake;

static inline void fake_note(const Fake *fake, const char *name, Str text) {
    const char *path =
        str_format((Arena *)&fake->arena, "%s/%s", fake->room.folder, name).ptr;
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
    CHECK(file >= 0 && file_put(file, text));
    close(file);
}

static inline bool fake_is_first(const Fake *fake) {
    const char *path =
        str_format((Arena *)&fake->arena, "%s/tried", fake->room.folder).ptr;
    bool first = !file_exists(path);
    fake_note(fake, "tried", STR("x"));
    return first;
}

static inline int fake_grade(void *context, Str file, uint64_t seed,
                             BatchGrade *grade) {
    Fake *fake = context;
    Arena *arena = &fake->arena;
    ResultSummary *summary = &grade->summary;
    Str rest = get(arena, str_cstring(arena, file));
    Str line = str_cut(&rest, '\n'), kind = str_cut(&line, ' ');
    fake_note(fake, "graded.txt",
              str_format(arena, "%.*s %llu\n", STR_ARG(file),
                         (unsigned long long)seed));
    if (str_equal(kind, STR("exit"))) {
        int code = atoi(str_cstring(arena, str_cut(&line, ' ')));
        dprintf(2, "clclab: %.*s\n", STR_ARG(line));
        return code;
    }
    if (str_equal(kind, STR("once")) && fake_is_first(fake))
        raise(SIGKILL);
    *summary = (ResultSummary){.has_score = true, .score = 100, .most = 100};
    if (str_equal(kind, STR("seed")))
        summary->score = 1.5 * (double)(seed % 10);
    if (str_equal(kind, STR("points"))) {
        summary->score = strtod(str_cstring(arena, str_cut(&line, ' ')), NULL);
        str_fill(summary->check, SUMMARY_NAME, str_cut(&line, ' '));
        str_fill(summary->code, SUMMARY_NAME, line);
    }
    grade->result = str_format(arena, "result of %.*s, %llu", STR_ARG(file),
                               (unsigned long long)seed);
    grade->report = str_format(arena, "report of %.*s", STR_ARG(file));
    return BATCH_BELOW;
}

// A line for each row: "ana graded 42.500 rules CLC006".
static inline void fake_tables(void *context, const BatchTally *tally,
                               BatchTables *tables) {
    (void)context;
    char points[DECIMAL_TEXT];
    for (size_t i = 0; i < tally->count; i++) {
        const BatchRow *row = &tally->rows[i];
        buf_printf(&tables->csv, "%.*s %.*s %.*s %.*s %.*s\n", STR_ARG(row->id),
                   STR_ARG(batch_status_name(row->status)),
                   STR_ARG(decimal_text(points, row->score)),
                   STR_ARG(row->check.len ? row->check : row->why),
                   STR_ARG(row->code));
    }
    buf_str(&tables->html, STR("page"));
    buf_str(&tables->text, STR("text"));
    buf_str(&tables->shown, STR("shown\n"));
}

static inline void fake_command(void *context, Str out, Str array, Arena *arena,
                                BatchWords *words) {
    (void)context;
    batch_add_word(arena, words, "/opt/a b/clclab");
    batch_add_word(arena, words, str_cstring(arena, out));
    batch_add_word(arena, words, str_cstring(arena, array));
}

static inline int fake_prepare(void *context, BatchRequest *request, Str *why) {
    const Fake *fake = context;
    request->exercise = fake->here.exercise;
    request->file = fake->here.file;
    request->options = fake->here.options;
    memcpy(request->parts, fake->here.parts, sizeof request->parts);
    *why = fake->prepared ? STR("no toolkit") : (Str){0};
    return fake->prepared;
}

static inline void fake_say(void *context, Str what) {
    Fake *fake = context;
    buf_str(&fake->said, what);
    buf_byte(&fake->said, '\n');
    dprintf(2, "clclab: %.*s\n", STR_ARG(what)); // where a child is heard
}

static inline void fake_explain(void *context, const Diags *diags, Str source) {
    (void)source;
    fake_say(context, diags->items[0].what);
}

static inline int fake_print(void *context, Str text) {
    Fake *fake = context;
    buf_str(&fake->shown, text);
    return BATCH_DONE;
}

static inline void fake_progress(void *context, const BatchProgress *progress,
                                 Str more, bool is_last) {
    (void)context, (void)more;
    CHECK(progress->done <= progress->count);
    CHECK(!is_last || progress->count > 0);
}

static inline void fake_open(Fake *fake) {
    *fake = (Fake){.host = {.context = fake,
                            .grade = fake_grade,
                            .tables = fake_tables,
                            .command = fake_command,
                            .prepare = fake_prepare,
                            .say = fake_say,
                            .explain = fake_explain,
                            .print = fake_print,
                            .progress = fake_progress}};
    room_open(&fake->room);
    mkdir("class", 0700);
}

static inline void fake_close(Fake *fake) {
    buf_free(&fake->said);
    buf_free(&fake->shown);
    arena_free(&fake->arena);
    room_close(&fake->room);
}

// What a batch is asked for that grades the folder class/ into out/.
static inline BatchRequest fake_request(void) {
    BatchRequest request = {.out = STR("out"),
                            .source = STR("class"),
                            .exercise = STR("03-block-clc"),
                            .file = STR("block_clc.cu"),
                            .options = STR("; schedules 64"),
                            .has_seed = true,
                            .seed = 5,
                            .jobs = 2,
                            .processors = 2};
    request.parts[BATCH_PART_LAB] = STR("lab.conf's");
    request.parts[BATCH_PART_TOOLKIT] = STR("13.0");
    return request;
}

#endif
