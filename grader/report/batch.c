// SPDX-License-Identifier: Apache-2.0
// A submission of many as a record, and a class as a table of points.
#include "report/internal.h"

// ---- records -------------------------------------------------------------

static Str status_name(BatchStatus status) {
    switch (status) {
    case BATCH_GRADED:
        return STR("graded");
    case BATCH_UNGRADABLE:
        return STR("not gradable");
    case BATCH_FAILED:
        break;
    }
    return STR("failed");
}

static void write_points(Json *json, const BatchRow *row) {
    if (row->status == BATCH_GRADED) {
        json_decimal(json, STR("score"), row->score);
        json_decimal(json, STR("max_score"), row->most);
    } else {
        json_null(json, STR("score"));
        json_null(json, STR("max_score"));
    }
}

static void write_before(Json *json, const BatchRow *row) {
    if (!row->has_before) {
        json_null(json, STR("before"));
        return;
    }
    json_open_member(json, STR("before"), '{');
    json_decimal(json, STR("score"), row->before);
    json_text(json, STR("changed"), row->changed);
    json_close(json, '}');
}

static void write_parts(Json *json, const BatchRow *row) {
    static const Str names[] = {
#define PART_NAME(id, member, words) [BATCH_PART_##id] = STR(#member),
        BATCH_PARTS(PART_NAME)
#undef PART_NAME
    };
    json_open_member(json, STR("parts"), '{');
    for (size_t i = 0; i < BATCH_PART_COUNT; i++)
        json_text(json, names[i], row->parts[i]);
    json_close(json, '}');
}

static void write_seeds(Json *json, const BatchRow *row) {
    json_open_member(json, STR("runs"), '[');
    for (size_t i = 0; i < row->seed_count; i++) {
        json_item(json);
        json_open(json, '{');
        json_number(json, STR("seed"), row->seeds[i]);
        json_text(json, STR("result_sha256"), row->results[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void report_batch_record(const BatchRow *row, Buf *out) {
    Json writer = {.out = out}, *json = &writer;
    json_open(json, '{');
    json_text(json, STR("schema"), STR("clclab/batch-record/v1"));
    json_text(json, STR("id"), row->id);
    json_text(json, STR("student"), row->student);
    json_text(json, STR("account"), row->account);
    json_truth(json, STR("late"), row->is_late);
    json_text(json, STR("file"), row->file);
    json_text(json, STR("status"), status_name(row->status));
    json_text(json, STR("why"), row->why);
    write_points(json, row);
    json_text(json, STR("check"), row->check);
    json_text(json, STR("code"), row->code);
    json_decimal(json, STR("seconds"), row->seconds);
    json_number(json, STR("batch"), row->batch);
    write_before(json, row);
    write_parts(json, row);
    write_seeds(json, row);
    json_text(json, STR("report_sha256"), row->report);
    json_close(json, '}');
    buf_byte(out, '\n');
}

// ---- tables of points ----------------------------------------------------

static void add_field(Str text, Buf *out) {
    encode_csv(text, out);
    buf_byte(out, ',');
}

static void add_points(double points, bool are_there, Buf *out) {
    char text[ENCODED_POINTS];
    if (are_there)
        buf_str(out, encode_points(text, points));
}

static void own_line(const BatchRow *row, Buf *out) {
    bool graded = row->status == BATCH_GRADED;
    add_field(row->id, out);
    add_field(row->student, out);
    add_field(row->account, out);
    buf_str(out, row->is_late ? STR("late,") : STR(","));
    add_field(row->file, out);
    add_field(status_name(row->status), out);
    add_points(row->score, graded, out);
    buf_byte(out, ',');
    add_points(row->most, graded, out);
    buf_byte(out, ',');
    add_field(row->check, out);
    add_field(row->code, out);
    encode_csv(row->why, out);
}

static void canvas_line(const BatchRow *row, Buf *out) {
    add_field(row->student, out);
    add_field(row->account, out);
    buf_str(out, STR(",,,"));
    add_points(row->score, row->status == BATCH_GRADED, out);
}

static void moodle_line(const BatchRow *row, Buf *out) {
    Buf who = {0};
    buf_printf(&who, "Participant %.*s", STR_ARG(row->account));
    add_field(buf_view(&who), out);
    buf_free(&who);
    add_field(row->student, out);
    add_points(row->score, row->status == BATCH_GRADED, out);
}

static void write_head(const BatchTally *tally, ReportGradebook gradebook,
                       Str column, Buf *out) {
    switch (gradebook) {
    case GRADEBOOK_OWN:
        buf_str(out, STR("id,student,account,late,file,status,score,max_score,"
                         "check,code,why\n"));
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
    static void (*const lines[])(const BatchRow *row, Buf *out) = {
        [GRADEBOOK_OWN] = own_line,
        [GRADEBOOK_CANVAS] = canvas_line,
        [GRADEBOOK_MOODLE] = moodle_line,
    };
    write_head(tally, gradebook, column, out);
    for (size_t i = 0; i < tally->count; i++) {
        lines[gradebook](&tally->rows[i], out);
        buf_byte(out, '\n');
    }
}
