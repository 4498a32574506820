// SPDX-License-Identifier: Apache-2.0
// A class as tables, text and HTML.
#include "batch/batch.h"
#include "report/report.h"
#include "tests/unit/test.h"

static BatchRow sample_row(void) {
    BatchRow row = {.id = STR("ana"),
                    .student = STR("=Ana \"A\" <b>"),
                    .account = STR("4711"),
                    .is_late = true,
                    .file = STR("block_clc.cu"),
                    .score = 42.5,
                    .most = 100,
                    .check = STR("rules"),
                    .code = STR("CLC006"),
                    .seconds = 1.25,
                    .seeds = {7, UINT64_MAX},
                    .seed_count = 2,
                    .results = {STR("r1"), STR("r2")},
                    .report = STR("t"),
                    .batch = 3,
                    .has_before = true,
                    .before = 30,
                    .changed = STR("lab.conf")};
    for (size_t i = 0; i < BATCH_PART_COUNT; i++)
        row.parts[i] = STR("part");
    row.parts[BATCH_PART_LAB] = STR("lab's");
    return row;
}

static void make_class(Arena *arena, BatchRow rows[3], BatchTally *tally) {
    rows[0] = sample_row();
    rows[1] = (BatchRow){.id = STR("ben"),
                         .student = STR("Ben"),
                         .account = STR("12\"x"),
                         .score = 100,
                         .most = 100};
    rows[2] = (BatchRow){.id = STR("carl"),
                         .student = STR("Carl\n\x1b[2J"),
                         .status = BATCH_UNGRADABLE,
                         .why = STR("No file <i>.")};
    batch_tally(arena, rows, 3, tally);
}

TEST(tables_of_points) {
    Arena arena = {0};
    Buf out = {0};
    BatchRow rows[3];
    BatchTally tally;
    make_class(&arena, rows, &tally);
    report_batch_csv(&tally, GRADEBOOK_OWN, STR("Lab 4"), &out);
    CHECK_STR(buf_view(&out),
              "id,student,account,late,file,status,score,max_score,check,code,"
              "why\n"
              "\"ana\",\"'=Ana \"\"A\"\" <b>\",\"4711\",late,"
              "\"block_clc.cu\",\"graded\",42.500,100,\"rules\",\"CLC006\","
              "\"\"\n"
              "\"ben\",\"Ben\",\"12\"\"x\",,\"\",\"graded\",100,100,\"\","
              "\"\",\"\"\n"
              "\"carl\",\"Carl  [2J\",\"\",,\"\",\"not gradable\",,,\"\",\"\","
              "\"No file <i>.\"\n");
    out.len = 0;
    report_batch_csv(&tally, GRADEBOOK_CANVAS, STR("Lab 4"), &out);
    CHECK_STR(buf_view(&out),
              "Student,ID,SIS User ID,SIS Login ID,Section,\"Lab 4\"\n"
              "\"    Points Possible\",,,,,100\n"
              "\"'=Ana \"\"A\"\" <b>\",\"4711\",,,,42.500\n"
              "\"Ben\",\"12\"\"x\",,,,100\n"
              "\"Carl  [2J\",\"\",,,,\n");
    out.len = 0;
    report_batch_csv(&tally, GRADEBOOK_MOODLE, STR("Lab 4"), &out);
    CHECK_HOLDS(buf_view(&out), "\"Participant 12\"\"x\",\"Ben\",100\n");
    CHECK_HOLDS(buf_view(&out), "\"Participant \",\"Carl  [2J\",\n");
    buf_free(&out);
    arena_free(&arena);
}

// Of eight points; the mean of two seeds may be 3.5.
TEST(bins_of_few_points) {
    Arena arena = {0};
    Buf out = {0};
    BatchTally tally;
    BatchRow rows[] = {{.id = STR("ana"), .score = 8, .most = 8},
                       {.id = STR("ben"), .score = 0, .most = 8},
                       {.id = STR("carl"), .score = 3.5, .most = 8}};
    batch_tally(&arena, rows, COUNT_OF(rows), &tally);
    report_batch_text(&tally, STR("Quiz"), (ReportStyle){0}, &out);
    CHECK_HOLDS(buf_view(&out),
                "Points\n"
                "        8 ######################################## 1\n"
                "        7 0\n"
                "        6 0\n"
                "        5 0\n"
                "        4 0\n"
                "  below 4 ######################################## 1\n"
                "        3 0\n"
                "        2 0\n"
                "        1 0\n"
                "        0 ######################################## 1\n");
    buf_free(&out);
    arena_free(&arena);
}

TEST(a_class_as_text_and_as_a_page) {
    Arena arena = {0};
    Buf out = {0};
    BatchRow rows[3];
    BatchTally tally;
    make_class(&arena, rows, &tally);
    report_batch_text(&tally, STR("Lab 4: X"), (ReportStyle){0}, &out);
    CHECK_HOLDS(buf_view(&out), "3 submissions: 2 graded, 1 not gradable.\n"
                                "1 with full marks; mean 71.3, median 71.3, "
                                "least 42.5, most 100.\n");
    CHECK_HOLDS(buf_view(&out), "      100 ####");
    CHECK_HOLDS(buf_view(&out), "     1  rules, CLC006: ana\n");
    CHECK_HOLDS(buf_view(&out), "  ana: 30 -> 42.5 (lab.conf)\n");
    CHECK_HOLDS(buf_view(&out), "  carl: No file <i>.\n");
    CHECK_HOLDS(buf_view(&out), "  ana: 1.3 s\n");
    out.len = 0;
    report_batch_html(&tally, STR("Lab <4>"), &out);
    CHECK_HOLDS(buf_view(&out), "<h1>Lab &lt;4&gt;</h1>");
    CHECK_HOLDS(buf_view(&out), "<a href=\"reports/ana.txt\">ana</a>");
    CHECK_HOLDS(buf_view(&out), "No file &lt;i&gt;.");
    CHECK_LACKS(buf_view(&out), "<b>");
    CHECK_LACKS(buf_view(&out), "\x1b");
    CHECK_LACKS(buf_view(&out), "<script");
    buf_free(&out);
    arena_free(&arena);
}

TEST_MAIN(TESTCASE(bins_of_few_points), TESTCASE(tables_of_points),
          TESTCASE(a_class_as_text_and_as_a_page))
