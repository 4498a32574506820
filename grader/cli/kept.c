// SPDX-License-Identifier: Apache-2.0
// Reads a kept result. Nothing that it says is believed, except how to grade
// again: read kept_read, and above it what each part must be.
#include "cli/kept.h"

// Whether the member is there, as these characters of JSON.
static bool is_written(Arena *arena, Str json, const char *member,
                       const char *as) {
    Str value;
    return json_find(arena, json, member, &value) &&
           str_equal(value, str_from(as));
}

// What tells it from other files; NULL if it is one.
static const char *refuse_kind(Arena *arena, Str json) {
    if (!str_equal(json_find_text(arena, json, "schema"),
                   STR("clclab/result/v1")))
        return "it is no result of clclab grade --format json";
    if (is_written(arena, json, "checks.0.id", "\"grader\""))
        return "nothing was judged: it says what the grader could not do";
    if (json_find_text(arena, json, "provenance.submission_sha256").len == 0)
        return "it does not say what it was made of: an older clclab wrote it";
    if (!is_written(arena, json, "provenance.whole", "true"))
        return "it is of one schedule alone, and so no grade";
    if (is_written(arena, json, "seed", "null"))
        return "its seed was left out, with --feedback: verify takes full "
               "results";
    return NULL;
}

static const char *refuse_flags(Arena *arena, Kept *kept) {
    uint64_t count = 0;
    Str value, flag;
    json_find_number(arena, kept->json, "provenance.compile_flags.#", &count);
    if (count > CLI_MAX_FLAGS)
        return "it has too many compile_flags";
    for (uint64_t i = 0; i < count; i++) {
        Str path = str_format(arena, "provenance.compile_flags.%llu",
                              (unsigned long long)i);
        if (!json_find(arena, kept->json, path.ptr, &value) ||
            !json_string_value(arena, value, &flag))
            return "its compile_flags are no texts";
        kept->flags.items[kept->flags.count++] = str_cstring(arena, flag);
    }
    return NULL;
}

static const char *refuse_numbers(Arena *arena, Kept *kept) {
    bool right =
        json_find_number(arena, kept->json, "lab", &kept->lab) &&
        json_find_number(arena, kept->json, "seed", &kept->seed) &&
        json_find_number(arena, kept->json, "schedules", &kept->schedules);
    return right && kept->schedules <= CLI_MAX_SCHEDULES
               ? NULL
               : "its lab, seed or schedules are no such numbers";
}

Str kept_read(Arena *arena, Str text, Kept *kept) {
    size_t at;
    const char *error;
    *kept = (Kept){0};
    if (!json_check(text, &kept->json, &at, &error))
        return str_format(arena, "byte %zu: not JSON: %s", at, error);
    const char *refused = refuse_kind(arena, kept->json);
    if (!refused)
        refused = refuse_numbers(arena, kept);
    if (!refused)
        refused = refuse_flags(arena, kept);
    kept->gpu_model =
        str_cstring(arena, json_find_text(arena, kept->json, "gpu_model"));
    kept->untrusted =
        is_written(arena, kept->json, "provenance.sandbox.untrusted", "true");
    return refused ? str_from(refused) : (Str){0};
}
