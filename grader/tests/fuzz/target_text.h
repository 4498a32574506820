// SPDX-License-Identifier: Apache-2.0
// What fuzzing requires of the readers of text for any bytes: lab.conf, a quiz,
// its key and answers to it, a case of the clinic, JSON, a result that verify
// reads, an --arg of `clclab run`, a fat binary, the file that one is in, the
// journal of `clclab exec`. They do not crash; what is refused has errors, each
// with a place in the text where it can have one; what is accepted is within
// the limits that the rest relies on. A violation aborts.
#ifndef CLCLAB_TESTS_FUZZ_TARGET_TEXT_H
#define CLCLAB_TESTS_FUZZ_TARGET_TEXT_H

#include "check/check.h"
#include "check/clinic.h"
#include "check/quiz.h"
#include "cli/kept.h"
#include "cli/run.h"
#include "fatbin/fatbin.h"
#include "runtime/core/journal.h"
#include "tests/fuzz/target_ptx.h"

#include <string.h>

// A quiz, for answers and keys.
#define FUZZ_QUESTION(number, kind) \
    "## " number ". Q (" kind ")\n\nWhich?\n\n- a) x\n- b) y\n- c) z\n\n"
static const char FUZZ_QUIZ[] = "# Quiz 3: Q\n\n" FUZZ_QUESTION("1", "choice")
    FUZZ_QUESTION("2", "multiple choice") FUZZ_QUESTION("3", "choice")
        FUZZ_QUESTION("4", "choice") FUZZ_QUESTION("5", "choice")
            FUZZ_QUESTION("6", "choice");

// Whether it was accepted. `from`: the errors before.
static inline bool fuzz_accepted(bool right, const Diags *diags, size_t from,
                                 Str text) {
    uint32_t lines = 2; // an error may be behind the last line
    for (size_t i = 0; i < text.len; i++)
        lines += text.ptr[i] == '\n';
    FUZZ_REQUIRE(right == (diags->errors == from),
                 "what is refused has errors");
    for (size_t i = 0; i < diags->count; i++)
        FUZZ_REQUIRE(
            diags->items[i].at.line > 0 && diags->items[i].at.col > 0 &&
                diags->items[i].at.line <= lines,
            "an error has a place: %.*s", STR_ARG(diags->items[i].what));
    return right;
}

static inline void fuzz_lab_conf(Arena *arena, Str text) {
    Diags diags = diags_new(arena);
    Lab lab;
    bool right = check_parse_lab(arena, STR("lab.conf"), text, &lab, &diags);
    double points = 0;
    if (!fuzz_accepted(right, &diags, 0, text))
        return;
    for (size_t i = 0; i < lab.check_count; i++)
        points += lab.checks[i].points;
    FUZZ_REQUIRE(points == 100, "the points are 100");
    FUZZ_REQUIRE(lab.threads >= 1 && lab.threads <= LAB_MAX_THREADS,
                 "a block has threads");
    FUZZ_REQUIRE(lab.cluster >= 1 && lab.cluster <= LAB_MAX_CLUSTER,
                 "a cluster has blocks");
    FUZZ_REQUIRE(lab.size_count >= 1 && lab.size_count <= LAB_MAX_SIZES,
                 "there are sizes");
    FUZZ_REQUIRE(lab.forbidden_count <= LAB_MAX_FORBIDDEN &&
                     lab.param_count <= LAB_MAX_PARAMS,
                 "lists have their limits");
}

static inline void fuzz_quiz(Arena *arena, Str text) {
    Diags diags = diags_new(arena);
    Quiz quiz;
    QuizKey key = {0};
    QuizAnswers answers = {0};
    QuizResult result = {0};
    fuzz_accepted(quiz_parse(arena, STR("quiz.md"), text, &quiz, &diags),
                  &diags, 0, text);
    diags = diags_new(arena);
    FUZZ_REQUIRE(
        quiz_parse(arena, STR("quiz.md"), STR(FUZZ_QUIZ), &quiz, &diags),
        "the quiz is one");
    bool has_key = fuzz_accepted(
        quiz_parse_key(arena, STR("k"), text, &quiz, &key, &diags), &diags, 0,
        text);
    diags = diags_new(arena);
    fuzz_accepted(
        quiz_parse_answers(arena, STR("a"), text, &quiz, &answers, &diags),
        &diags, 0, text);
    quiz_grade(arena, &quiz, has_key ? &key : NULL, &answers, &result);
}

static inline void fuzz_clinic(Arena *arena, Str text) {
    Diags diags = diags_new(arena);
    ClinicCase about;
    fuzz_accepted(clinic_parse(arena, STR("1-x.cu"), text, &about, &diags),
                  &diags, 0, text);
}

static inline void fuzz_json(Arena *arena, Str text) {
    static const char *const paths[] = {"schema", "checks.rules.status",
                                        "checks.#",
                                        "provenance.compile_flags.0"};
    Str value, found, inner;
    size_t at;
    const char *error;
    bool right = json_check(text, &value, &at, &error);
    FUZZ_REQUIRE(right == !error && at <= text.len, "an error has a byte");
    for (size_t i = 0; right && i < COUNT_OF(paths); i++)
        if (json_find(arena, value, paths[i], &found) &&
            json_string_value(arena, found, &inner))
            FUZZ_REQUIRE(inner.len + 2 <= found.len,
                         "without its escapes a string is no longer");
}

static inline void fuzz_kept(Arena *arena, Str text) {
    Kept kept;
    Str error = kept_read(arena, text, &kept);
    if (error.len)
        return;
    FUZZ_REQUIRE(kept.json.len > 0 && kept.gpu_model, "a result has a model");
    FUZZ_REQUIRE(kept.schedules <= CLI_MAX_SCHEDULES &&
                     kept.flags.count <= CLI_MAX_FLAGS,
                 "what is graded again has its limits");
}

static inline void fuzz_argument(Arena *arena, Str text) {
    RunArguments all = {0};
    NpyForm form;
    Str data, why;
    const char *spec = str_cstring(arena, text);
    if (npy_read(arena, text, &form, &data, &why))
        FUZZ_REQUIRE(data.len <= text.len, "data is a part of its file");
    if (run_parse_spec(arena, spec, NULL, &all))
        return;
    run_join_arguments(arena, &all);
    for (size_t i = 0; i < all.count; i++) {
        const RunArgument *argument = &all.items[i];
        const LaunchArgument *launch = &argument->launch;
        FUZZ_REQUIRE(launch->is_buffer == (argument->kind == SPEC_BUFFER),
                     "a buffer is one");
        FUZZ_REQUIRE(launch->size <= RUN_MOST_BUFFER_BYTES,
                     "a buffer has a size");
        FUZZ_REQUIRE(argument->kind != SPEC_BYTES ||
                         (launch->bytes && launch->size <= strlen(spec) / 2),
                     "bytes are as many as were written");
        FUZZ_REQUIRE(!argument->file || argument->file[0], "a file has a name");
        for (size_t k = 0; k < launch->part_count; k++)
            FUZZ_REQUIRE(launch->parts[k].at + 8 <= launch->size &&
                             launch->parts[k].argument < all.count + 1,
                         "an address is within, and of a buffer");
    }
}

// The file of a program: what is found in it lies in it, and takes no more than
// there is room for.
static inline void fuzz_code_file(Arena *arena, Str bytes) {
    enum { ROOM = 1 << 20 };
    FatbinFile file;
    uint64_t room = ROOM;
    Str ptx;
    if (fatbin_read_file(arena, bytes, &file) != FATBIN_FOUND)
        return;
    FUZZ_REQUIRE(fatbin_is_file(bytes), "what is read is a file of its kind");
    for (size_t i = 0; i < file.count; i++) {
        const FatbinEntry *best = fatbin_best(&file.images[i], 100);
        if (best && fatbin_unpack(arena, best, &room, &ptx) == FATBIN_FOUND)
            FUZZ_REQUIRE(room <= ROOM && str_find(ptx, '\0') == ptx.len,
                         "PTX is text without zeros, and has its room");
    }
}

// In memory of its own, so that a sanitizer sees each byte that is read behind
// it.
static inline void fuzz_fatbin(Arena *arena, Str text) {
    enum { LZ4_BYTES = 256 };
    char *bytes = heap_alloc(1, text.len + 1), *out = heap_alloc(1, LZ4_BYTES);
    Str ptx, image = {bytes, text.len};
    if (text.len)
        memcpy(bytes, text.ptr, text.len);
    if (fatbin_find_ptx(arena, image, 100, &ptx) == FATBIN_FOUND)
        FUZZ_REQUIRE(memchr(ptx.ptr, '\0', ptx.len) == NULL,
                     "PTX is text without zeros");
    fatbin_lz4(image, out, LZ4_BYTES);
    fuzz_code_file(arena, image);
    heap_free(out);
    heap_free(bytes);
}

static inline void fuzz_name(Arena *arena, Str text) {
    enum { MOST_NAME = 8192 + 16 };
    Str name, parameters;
    if (demangle(arena, text, &name, &parameters))
        FUZZ_REQUIRE(name.len > 0 && name.len <= MOST_NAME &&
                         parameters.len <= MOST_NAME,
                     "a name has its limits");
}

static inline void fuzz_journal(Arena *arena, Str text) {
    ExecResult result = {0};
    journal_read(arena, text, &result);
    FUZZ_REQUIRE(result.finding_count == result.errors + result.advisories,
                 "every finding is counted");
    for (size_t i = 0; i < result.finding_count; i++)
        FUZZ_REQUIRE(result.findings[i].cause.related_count <=
                             COUNT_OF(result.findings[i].cause.related) &&
                         result.findings[i].cause.caller_count <=
                             COUNT_OF(result.findings[i].cause.callers),
                     "lists have their limits");
}

static inline void fuzz_text(const uint8_t *data, size_t size) {
    Arena arena = {0};
    Str text = str_copy(&arena, (Str){(const char *)data, size});
    fuzz_lab_conf(&arena, text);
    fuzz_quiz(&arena, text);
    fuzz_clinic(&arena, text);
    fuzz_json(&arena, text);
    fuzz_kept(&arena, text);
    fuzz_argument(&arena, text);
    fuzz_fatbin(&arena, text);
    fuzz_name(&arena, text);
    fuzz_journal(&arena, text);
    arena_free(&arena);
}

#endif
