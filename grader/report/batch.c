// SPDX-License-Identifier: Apache-2.0
// A class as a table of points.
#include "report/internal.h"

#include <math.h>

// ---- tables of points ----------------------------------------------------

static void add_field(Str text, Buf *out) {
    encode_csv(text, out);
    buf_byte(out, ',');
}

static void add_points(double points, bool are_there, Buf *out) {
    char text[DECIMAL_TEXT];
    if (are_there && points < 0)
        buf_byte(out, '-');
    if (are_there)
        buf_str(out, decimal_text(text, fabs(points)));
}

// A row, and what a person has added to it.
typedef struct Line {
    const BatchRow *row;
    BatchExtra extra;
} Line;

static void add_score(const Line *line, Buf *out) {
    add_points(line->row->score, line->row->status == BATCH_GRADED, out);
}

static void add_total(const Line *line, Buf *out) {
    double extra = line->extra.is_there ? line->extra.points : 0;
    add_points(line->row->score + extra, line->row->status == BATCH_GRADED,
               out);
}

static void own_line(const Line *line, Buf *out) {
    const BatchRow *row = line->row;
    bool graded = row->status == BATCH_GRADED;
    add_field(row->id, out);
    add_field(row->student, out);
    add_field(row->account, out);
    buf_str(out, row->is_late ? STR("late,") : STR(","));
    add_field(row->file, out);
    add_field(batch_status_name(row->status), out);
    add_score(line, out);
    buf_byte(out, ',');
    add_points(row->most, graded, out);
    buf_byte(out, ',');
    add_field(row->check, out);
    add_field(row->code, out);
    encode_csv(row->why, out);
}

static void canvas_line(const Line *line, Buf *out) {
    add_field(line->row->student, out);
    add_field(line->row->account, out);
    buf_str(out, STR(",,,"));
    add_total(line, out);
}

static void moodle_line(const Line *line, Buf *out) {
    const BatchRow *row = line->row;
    Buf who = {0};
    buf_printf(&who, "Participant %.*s", STR_ARG(row->account));
    add_field(buf_view(&who), out);
    buf_free(&who);
    add_field(row->student, out);
    add_total(line, out);
}

static void extra_fields(const Line *line, Buf *out) {
    buf_byte(out, ',');
    add_points(line->extra.points, line->extra.is_there, out);
    buf_byte(out, ',');
    add_total(line, out);
    buf_byte(out, ',');
    encode_csv(line->extra.note, out);
}

static void write_head(const BatchTally *tally, ReportGradebook gradebook,
                       Str column, Buf *out) {
    switch (gradebook) {
    case GRADEBOOK_OWN:
        buf_str(out, STR("id,student,account,late,file,status,score,max_score,"
                         "check,code,why"));
        buf_str(out, tally->extras ? STR(",extra,total,note\n") : STR("\n"));
        break;
    case GRADEBOOK_CANVAS:
        buf_str(out, STR("Student,ID,SIS User ID,SIS Login ID,Section,"));
        encode_csv(column, out);
        buf_str(out, STR("\n\"    Points Possible\",,,,,"));
        add_points(tally->most, tally->graded > 0, out);
        buf_byte(out, '\n');
        break;
    case GRADEBOOK_MOODLE:
        buf_str(out, STR("Identifier,Full name,"));
        encode_csv(column, out);
        buf_byte(out, '\n');
        break;
    }
}

void report_batch_csv(const BatchTally *tally, ReportGradebook gradebook,
                      Str column, Buf *out) {
    static void (*const lines[])(const Line *line, Buf *out) = {
        [GRADEBOOK_OWN] = own_line,
        [GRADEBOOK_CANVAS] = canvas_line,
        [GRADEBOOK_MOODLE] = moodle_line,
    };
    write_head(tally, gradebook, column, out);
    for (size_t i = 0; i < tally->count; i++) {
        Line line = {.row = &tally->rows[i]};
        if (tally->extras)
            line.extra = tally->extras[i];
        lines[gradebook](&line, out);
        if (tally->extras && gradebook == GRADEBOOK_OWN)
            extra_fields(&line, out);
        buf_byte(out, '\n');
    }
}
