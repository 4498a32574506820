// SPDX-License-Identifier: Apache-2.0
// Takes out of a result what the reader of a report is not to see. What a
// report for a student keeps is what she needs to find her mistake and to see
// it again with a seed of her own; what it loses would let her, or the next
// one, fit a file to the grader's secrets, or shows where the grader keeps its
// files.
#include "report/report.h"

#include <string.h>

typedef struct Scrub {
    Arena *arena;
    Str path, name; // of the submission: the whole path becomes the name
    Str root;       // the course's folder, ending in "/": left out
    uint32_t lab;
} Scrub;

// The text with `from` replaced by `to` wherever it stands.
static Str replaced(Arena *arena, Str text, Str from, Str to) {
    Buf out = {0};
    if (from.len == 0 || str_equal(from, to))
        return text;
    while (text.len) {
        char *hit = memmem(text.ptr, text.len, from.ptr, from.len);
        size_t before = hit ? (size_t)(hit - text.ptr) : text.len;
        buf_str(&out, str_slice(text, 0, before));
        if (hit)
            buf_str(&out, to);
        text = str_slice(text, before + (hit ? from.len : 0), text.len);
    }
    Str done = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return done;
}

static void scrub(const Scrub *scrub, Str *text) {
    *text = replaced(scrub->arena, *text, scrub->path, scrub->name);
    *text = replaced(scrub->arena, *text, scrub->root, STR(""));
}

static void scrub_cause(const Scrub *with, Cause *cause) {
    Str *texts[] = {&cause->headline, &cause->what,    &cause->expected,
                    &cause->actual,   &cause->help,    &cause->who,
                    &cause->missing,  &cause->mend,    &cause->region,
                    &cause->explain,  &cause->at.file, &cause->via.file};
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        scrub(with, texts[i]);
    scrub(with, &cause->advice.what);
    for (uint32_t i = 0; i < cause->advice.edit_count; i++)
        scrub(with, &cause->advice.edits[i].at.file);
    for (uint32_t i = 0; i < cause->caller_count; i++)
        scrub(with, &cause->callers[i].file);
    for (uint32_t i = 0; i < cause->related_count; i++) {
        CausePlace *place = &cause->related[i];
        scrub(with, &place->at.file);
        scrub(with, &place->caller.file);
        scrub(with, &place->what);
    }
    if (cause->replay.len)
        cause->replay = str_format(with->arena, "clclab grade %u %.*s",
                                   with->lab, STR_ARG(with->name));
}

// The elements that `correct` shows are computed from the secret inputs. The
// other two judge the data as well, under schedules and on a card.
static bool shows_data(Str id) {
    return str_equal(id, STR("correct")) || str_equal(id, STR("schedules")) ||
           str_equal(id, STR("device"));
}

static void limit_check(const Scrub *with, CheckResult *check) {
    for (size_t i = 0; i < check->cause_count; i++) {
        scrub_cause(with, &check->causes[i]);
        if (shows_data(check->id))
            check->causes[i].expected = check->causes[i].actual = (Str){0};
    }
}

static void limit_to_student(const Scrub *with, Result *result) {
    for (size_t i = 0; i < result->check_count; i++)
        limit_check(with, &result->checks[i]);
    for (size_t i = 0; i < result->advisory_count; i++)
        scrub_cause(with, &result->advisories[i]);
    for (size_t i = 0; i < result->message_count; i++) {
        scrub(with, &result->messages[i].what);
        scrub(with, &result->messages[i].help);
        scrub(with, &result->messages[i].at.file);
    }
}

// What is not the student's fault is told all the same.
static void limit_to_points(const Scrub *with, Result *result) {
    for (size_t i = 0; i < result->check_count; i++) {
        CheckResult *check = &result->checks[i];
        check->figure = (Str){0};
        if (check->status != CHECK_ERROR)
            check->cause_count = 0;
        limit_check(with, check);
    }
    result->advisory_count = result->message_count = 0;
    result->has_ledger = false;
    result->trace = NULL;
    result->empty_regions = (Str){0};
    memset(result->pct, 0, sizeof result->pct);
}

void report_limit(Arena *arena, ReportFeedback feedback, Str root,
                  Result *result) {
    Scrub with = {arena, result->file, str_base_name(result->file), root,
                  result->lab};
    if (feedback == FEEDBACK_FULL)
        return;
    if (feedback == FEEDBACK_STUDENT)
        limit_to_student(&with, result);
    else
        limit_to_points(&with, result);
    result->file = with.name;
    result->is_seed_hidden = true;
    result->output = (Str){0}; // the kernel can print its inputs
    result->provenance.course = (Str){0};
}
