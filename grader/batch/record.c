// SPDX-License-Identifier: Apache-2.0
// A row as the record that is kept of it. Who reads one reads a file like any
// other: it may be cut, or somebody's own work; then it counts for nothing, and
// the submission is graded again.
#include "batch/engine.h"

#include <stdlib.h>

// ---- writing -------------------------------------------------------------

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

void batch_write_record(const BatchRow *row, Buf *out) {
    Json writer = {.out = out}, *json = &writer;
    json_open(json, '{');
    json_text(json, STR("schema"), STR("clclab/batch-record/v1"));
    json_text(json, STR("id"), row->id);
    json_text(json, STR("student"), row->student);
    json_text(json, STR("account"), row->account);
    json_truth(json, STR("late"), row->is_late);
    json_text(json, STR("file"), row->file);
    json_text(json, STR("status"), batch_status_name(row->status));
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

// ---- reading -------------------------------------------------------------

static bool number_of(Arena *arena, Str json, const char *path,
                      double *number) {
    Str value;
    char *end;
    if (!json_find(arena, json, path, &value) || value.len == 0)
        return false;
    char *text = str_cstring(arena, value);
    *number = strtod(text, &end);
    return end != text && !*end && *number >= 0 && *number < 1e9;
}

static bool is_true(Arena *arena, Str json, const char *path) {
    Str value;
    return json_find(arena, json, path, &value) &&
           str_equal(value, STR("true"));
}

static void read_parts(Arena *arena, Str json, BatchRow *row) {
    static const char *const paths[] = {
#define PART_PATH(id, member, words) [BATCH_PART_##id] = "parts." #member,
        BATCH_PARTS(PART_PATH)
#undef PART_PATH
    };
    for (size_t i = 0; i < BATCH_PART_COUNT; i++)
        row->parts[i] = json_find_text(arena, json, paths[i]);
}

static bool read_runs(Arena *arena, Str json, BatchRow *row) {
    uint64_t count = 0;
    json_find_number(arena, json, "runs.#", &count);
    if (count == 0 || count > BATCH_MOST_SEEDS)
        return false;
    for (size_t i = 0; i < count; i++) {
        Str seed = str_format(arena, "runs.%zu.seed", i);
        Str hash = str_format(arena, "runs.%zu.result_sha256", i);
        if (!json_find_number(arena, json, seed.ptr, &row->seeds[i]))
            return false;
        row->results[i] = json_find_text(arena, json, hash.ptr);
    }
    row->seed_count = count;
    return true;
}

// What a record has whether there are points or not.
static bool read_row(Arena *arena, Str text, Str *json, BatchRow *row) {
    size_t at;
    const char *error;
    if (!json_check(text, json, &at, &error) ||
        !str_equal(json_find_text(arena, *json, "schema"),
                   STR("clclab/batch-record/v1")) ||
        !read_runs(arena, *json, row))
        return false;
    row->id = json_find_text(arena, *json, "id");
    row->student = json_find_text(arena, *json, "student");
    row->account = json_find_text(arena, *json, "account");
    row->is_late = is_true(arena, *json, "late");
    row->file = json_find_text(arena, *json, "file");
    json_find_number(arena, *json, "batch", &row->batch);
    row->has_before = number_of(arena, *json, "before.score", &row->before);
    row->changed = json_find_text(arena, *json, "before.changed");
    read_parts(arena, *json, row);
    return true;
}

bool batch_record_read(Arena *arena, Str text, Str id, BatchRow *row) {
    Str json;
    *row = (BatchRow){.status = BATCH_GRADED};
    if (!read_row(arena, text, &json, row) || !str_equal(row->id, id) ||
        !str_equal(json_find_text(arena, json, "status"), STR("graded")) ||
        !number_of(arena, json, "score", &row->score) ||
        !number_of(arena, json, "max_score", &row->most))
        return false;
    row->id = id;
    row->check = json_find_text(arena, json, "check");
    row->code = json_find_text(arena, json, "code");
    row->report = json_find_text(arena, json, "report_sha256");
    number_of(arena, json, "seconds", &row->seconds);
    return true;
}

bool batch_plan_read(Arena *arena, Str text, BatchRow *row) {
    Str json;
    *row = (BatchRow){.status = BATCH_FAILED, .why = STR("It was not graded.")};
    return read_row(arena, text, &json, row) && batch_is_id(row->id) &&
           row->file.len > 0 && str_find(row->file, '/') == row->file.len;
}
