// SPDX-License-Identifier: Apache-2.0
// check/: names and elements of the source in place of offsets and parameters'
// numbers (names.c), and the condition round a line (guard.c). What is not
// declared in a way that is known for sure keeps its offset.
#include "check/guard.h"
#include "check/names.h"
#include "tests/unit/test.h"
#include "words/words.h"

#include <string.h>

static const char SOURCE[] =
    "enum { STAGES = 3, WARPS = 4 };\n"
    "#define DEPTH 2\n"
    "struct Ring {\n"
    "    uint4 answer[STAGES];\n"
    "    uint64_t full[STAGES]; // complete\n"
    "    uint64_t empty[STAGES];\n"
    "    unsigned char flag;\n"
    "    long long last;\n"
    "};\n"
    "struct Odd { alignas(16) int x; };\n"
    "extern \"C\" __global__ void k(const float *data, int n, uint4 *out,\n"
    "                              Odd *odd) {\n"
    "    __shared__ Ring ring;\n"
    "    __shared__ uint64_t bar[DEPTH], other;\n"
    "    __shared__ uint64_t full[DEPTH];\n"
    "    __shared__ int phase;\n"
    "    __shared__ float tile[2][STAGES];\n"
    "    __shared__ Odd strange[4];\n"
    "    extern __shared__ float more[];\n"
    "    { __shared__ int phase; __shared__ int two[2]; }\n"
    "    { __shared__ char two[2]; }\n"
    "}\n";

typedef struct Bed {
    Arena arena;
    Submission submission;
    PtxFunc entry;
    Grade grade;
} Bed;

static void bed_make(Bed *bed, const char *source) {
    *bed =
        (Bed){.submission = {.file = STR("k.cu"), .source = str_from(source)},
              .entry = {.name = STR("k"), .param_count = 4}};
    bed->grade = (Grade){.arena = &bed->arena,
                         .submission = &bed->submission,
                         .entry = &bed->entry};
}

static Str told(Bed *bed, Finding finding) {
    Words words = {&words_english, DIALECT_PTX};
    names_give(&bed->grade, &finding);
    return words_part(&words, &bed->arena, &finding, WORDS_WHAT);
}

// A load of a byte of a shared variable that nobody has written.
static Str shared(Bed *bed, const char *name, uint64_t offset, bool is_own) {
    Facts facts = FACTS(FACT(THREAD, 0), FACT(BYTES, 4),
                        is_own ? FACT_SAYS(MEMORY, OWN_VARIABLE)
                               : FACT_SAYS(MEMORY, OTHERS_VARIABLE),
                        FACT_STR(NAME, str_from(name)), FACT(OFFSET, offset),
                        FACT(OWNER, 3), FACT(NUMBER, 0));
    Finding finding = {.rule = RULE_MEM003,
                       .which = CASE_MEM003_SHARED,
                       .facts = facts_copy(&bed->arena, facts)};
    return told(bed, finding);
}

TEST(shared_variables_have_elements) {
    static const struct {
        const char *name, *text;
        uint64_t offset;
    } rows[] = {
        {"phase", "bytes of phase ", 0},
        {"full", "bytes of full[1] ", 8},
        {"tile", "bytes of tile[1][2] ", 20},
        {"more", "bytes of more[7] ", 28},
        {"ring", "bytes of ring.answer[2] ", 32},
        {"ring", "bytes of ring.full[0] ", 48},
        {"ring", "bytes of ring.empty[2] ", 88},
        {"ring", "bytes of ring.flag ", 96},
        {"ring", "bytes of ring.last ", 104},
    };
    Bed bed;
    bed_make(&bed, SOURCE);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_HOLDS(shared(&bed, rows[i].name, rows[i].offset, true),
                    rows[i].text);
    CHECK_HOLDS(shared(&bed, "full", 8, false),
                "bytes of block 3's own full[1] ");
    arena_free(&bed.arena);
}

// Within an element, behind a comma, of another layout, not declared at all.
TEST(what_is_not_known_for_sure_keeps_its_offset) {
    static const struct {
        const char *name;
        uint64_t offset;
    } rows[] = {{"full", 4},  {"bar", 8},    {"strange", 16},
                {"ring", 97}, {"nobody", 0}, {"two", 4}};
    Bed bed;
    bed_make(&bed, SOURCE);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_HOLDS(shared(&bed, rows[i].name, rows[i].offset, true),
                    "(shared, offset ");
    arena_free(&bed.arena);
}

static Str past(Bed *bed, uint64_t parameter, uint64_t size,
                uint64_t distance) {
    Facts facts = FACTS(
        FACT(THREAD, 0), FACT_SAYS(ACCESS, READS), FACT(BYTES, 4),
        FACT(DISTANCE, distance), FACT_SAYS(BUFFER, OF_PARAMETER),
        FACT_STR(NAME, (Str){0}), FACT(SIZE, size), FACT(NUMBER, parameter));
    Finding finding = {.rule = RULE_MEM001,
                       .which = CASE_MEM001_PAST_END,
                       .facts = facts_copy(&bed->arena, facts)};
    return told(bed, finding);
}

TEST(an_access_past_the_end_names_the_element) {
    Bed bed;
    bed_make(&bed, SOURCE);
    CHECK_STR(past(&bed, 0, 4, 0), "thread 0 of block 0 reads data[1], 1 "
                                   "element past the end of data (1 element)");
    CHECK_STR(past(&bed, 2, 64, 32),
              "thread 0 of block 0 reads out[6], 3 elements past the end of "
              "out (4 elements)");
    static const char old[] = "past the end of the buffer of parameter ";
    CHECK_HOLDS(past(&bed, 1, 4, 0), old); // no pointer
    CHECK_HOLDS(past(&bed, 3, 16, 0), old);
    CHECK_HOLDS(past(&bed, 2, 64, 8), old); // within an element
    bed.entry.param_count = 3;              // another kernel of that name
    CHECK_HOLDS(past(&bed, 0, 4, 0), old);
    arena_free(&bed.arena);
}

static Str in_buffer(const char *source, uint64_t number) {
    Bed bed;
    bed_make(&bed, source);
    bed.entry.param_count = 3;
    Facts facts = FACTS(FACT(THREAD, 0), FACT(BYTES, 4),
                        FACT_SAYS(MEMORY, GLOBAL), FACT_STR(NAME, (Str){0}),
                        FACT(OFFSET, 8), FACT(OWNER, 0), FACT(NUMBER, number));
    Finding finding = {.rule = RULE_MEM003,
                       .which = CASE_MEM003_SHARED,
                       .facts = facts_copy(&bed.arena, facts)};
    static char kept[256];
    Str text = told(&bed, finding);
    memcpy(kept, text.ptr, text.len);
    arena_free(&bed.arena);
    return (Str){kept, text.len};
}

// The buffers of a launch are those of its pointers, in their order.
TEST(a_buffer_is_called_by_its_parameter) {
    static const char own[] = "void k(const float *in, int n, double *out) {}";
    CHECK_HOLDS(in_buffer(own, 0), "bytes of in[2] ");
    CHECK_HOLDS(in_buffer(own, 1), "bytes of out[1] ");
    CHECK_HOLDS(in_buffer(own, 2), "global buffer 2 (offset 8)");
    CHECK_HOLDS(in_buffer("void k(long long h, float *in, int n) {}", 0),
                "global buffer 0 (offset 8)"); // h may be an address
}

// ---- guards --------------------------------------------------------------

static void check_guard(const char *source, uint32_t line, const char *text,
                        uint32_t at) {
    Guard guard = {0};
    bool found = guard_of(str_from(source), line, &guard);
    if (!text) {
        CHECK(!found);
    } else if (CHECK(found)) {
        CHECK_STR(guard.condition, text);
        CHECK_INT(guard.line, at);
    }
}

TEST(the_nearest_condition_is_quoted) {
    check_guard("void f() {\n if (i <= n)\n  data[i] = 1;\n}\n", 3, "i <= n",
                2);
    check_guard("void f() {\n if (i <= n) data[i] = 1;\n}\n", 2, "i <= n", 2);
    check_guard("void f() {\n for (int i = 0; i <= n; i++) {\n  if (ok)\n"
                "   x();\n  data[i] = 1;\n }\n}\n",
                5, "i <= n", 2);
    check_guard("void f() {\n while (i < (n + 1))\n  for (;;)\n   if (i <= m)\n"
                "    data[i++] = 1;\n}\n",
                5, "i <= m", 4);
    check_guard("void f() {\n while (i < (n + 1)) {\n  data[i++] = 1; }\n}\n",
                3, "i < (n + 1)", 2);
}

TEST(a_condition_in_front_that_did_not_lead_away_is_quoted) {
    check_guard("void f() {\n while (true) {\n  if (n < 0)\n   break;\n"
                "  x = a[--n];\n }\n}\n",
                5, "n < 0", 3);
    check_guard("void f() {\n if (i > n) { x(); return; }\n data[i] = 1;\n}\n",
                3, "i > n", 2);
    // The one round the line is nearer; in a branch of its own; not the last
    // statement that counts.
    check_guard("void f() {\n if (i > n) return;\n if (i < 9)\n"
                "  data[i] = 1;\n}\n",
                4, "i < 9", 3);
    check_guard("void f() {\n if (ok) {\n  if (i > n) return;\n }\n"
                " data[i] = 1;\n}\n",
                5, NULL, 0);
    check_guard("void f() {\n if (i > n) x();\n data[i] = 1;\n}\n", 3, NULL, 0);
}

TEST(no_condition_is_quoted_that_may_be_another) {
    // Behind it; in its else; in a switch; of other names; no comparison.
    check_guard("void f() {\n if (i <= n) { x(); }\n data[i] = 1;\n}\n", 3,
                NULL, 0);
    check_guard("void f() {\n if (i <= n)\n  x();\n data[i] = 1;\n}\n", 4, NULL,
                0);
    check_guard("void f() {\n if (i > n)\n  x();\n else\n  data[i] = 1;\n}\n",
                5, NULL, 0);
    check_guard("void f() {\n if (i < 9)\n switch (i) {\n case 1:\n"
                "  data[i] = 1; }\n}\n",
                5, NULL, 0);
    check_guard("void f() {\n if (k <= n)\n  data[i] = 1;\n}\n", 3, NULL, 0);
    check_guard("void f() {\n if (i)\n  data[i] = 1;\n}\n", 3, NULL, 0);
    check_guard("void f() {\n do {\n  data[i] = 1;\n } while (i < n);\n}\n", 3,
                NULL, 0);
    check_guard("} if (i < n) {\n  data[i] = 1;\n}\n", 2, NULL, 0);
}

TEST(an_access_out_of_bounds_quotes_its_condition) {
    Bed bed;
    bed_make(&bed, "void k(float *data, int n) {\n if (i <= n)\n"
                   "  data[i] *= 2;\n}\n");
    Finding finding = {.rule = RULE_MEM001,
                       .which = CASE_MEM001_SHARED,
                       .at = {STR("k.cu"), 3, 1},
                       .related = {{.place = PLACE_ADDRESS_FROM}},
                       .related_count = 1};
    names_give(&bed.grade, &finding);
    CHECK_INT(finding.related_count, 2);
    CHECK_INT(finding.related[0].place, PLACE_LET_THROUGH);
    CHECK_INT(finding.related[0].at.line, 2);
    CHECK_INT(finding.related[1].place, PLACE_ADDRESS_FROM);
    arena_free(&bed.arena);
}

TEST_MAIN(TESTCASE(shared_variables_have_elements),
          TESTCASE(what_is_not_known_for_sure_keeps_its_offset),
          TESTCASE(an_access_past_the_end_names_the_element),
          TESTCASE(a_buffer_is_called_by_its_parameter),
          TESTCASE(the_nearest_condition_is_quoted),
          TESTCASE(a_condition_in_front_that_did_not_lead_away_is_quoted),
          TESTCASE(no_condition_is_quoted_that_may_be_another),
          TESTCASE(an_access_out_of_bounds_quotes_its_condition))
