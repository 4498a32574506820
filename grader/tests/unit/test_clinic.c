// SPDX-License-Identifier: Apache-2.0
// The bug clinic: the head of a case, the diagnosis in a copy, the judgement,
// and what the report keeps back. (grader/tools/check-clinic runs the cases.)
#include "check/clinic.h"
#include "report/report.h"
#include "tests/unit/json_scan.h"
#include "tests/unit/test.h"

static const char CASE[] = "// SPDX-License-Identifier: Apache-2.0\n"
                           "// Case 3: A title\n"
                           "//\n"
                           "// \"What it says:\n"
                           "// it hurts.\"\n"
                           "//\n"
                           "// clclab run: --grid 4 --block 32\n"
                           "// clclab run: --arg buf:16\n"
                           "// output: 00000000000000ff\n"
                           "// DIAGNOSIS: ?\n"
                           "#include \"lab.h\"\n"
                           "// clclab run: --grid 5\n";

typedef struct Parsed {
    Arena arena;
    ClinicCase about;
    Diags diags;
    bool ok;
} Parsed;

static Parsed parse(Str text) {
    Parsed p = {0};
    p.diags = diags_new(&p.arena);
    p.ok = clinic_parse(&p.arena, STR("03-x.cu"), text, &p.about, &p.diags);
    p.diags.arena = NULL; // p moves
    return p;
}

TEST(reads_the_head_of_a_case) {
    Parsed p = parse(str_from(CASE));
    CHECK(p.ok);
    CHECK_INT(p.about.number, 3);
    CHECK_STR(p.about.title, "A title");
    CHECK_STR(p.about.story, "\"What it says:\nit hurts.\"");
    CHECK_STR(p.about.launch, "--grid 4 --block 32 --arg buf:16");
    CHECK_U64(p.about.checksum, 255);
    CHECK_STR(p.about.diagnosis, "");
    CHECK_INT(p.about.diagnosis_at.line, 10);
    arena_free(&p.arena);
}

static void gives(const char *from, const char *to, uint32_t line,
                  const char *what) {
    Arena arena = {0};
    const char *hit = strstr(CASE, from);
    if (!CHECK(hit != NULL))
        return;
    Parsed p = parse(str_format(&arena, "%.*s%s%s", (int)(hit - CASE), CASE, to,
                                hit + strlen(from)));
    CHECK(!p.ok);
    if (CHECK(p.diags.count > 0)) {
        CHECK_HOLDS(p.diags.items[0].what, what);
        CHECK_INT(p.diags.items[0].at.line, line);
        CHECK(p.diags.items[0].help.len > 0);
    }
    arena_free(&p.arena);
    arena_free(&arena);
}

TEST(a_head_that_lacks_something_is_refused) {
    gives("Case 3", "Case x", 2, "no number");
    gives("// Case 3: A title", "//", 1, "no title");
    gives("Case 3: A title", "Case 3:", 2, "no number or no text");
    gives("Case 3: A title", "Case 4294967296: A title", 2, "no number");
    gives("00ff", "0zff", 9, "no checksum");
    gives("00ff", "ff", 9, "no checksum");
    gives("// DIAGNOSIS: ?", "//", 1, "no line for the diagnosis");
    gives("// clclab run: --grid 4 --block 32\n// clclab run: --arg buf:16\n",
          "", 1, "how it is launched");
}

TEST(the_diagnosis_is_the_first_word_in_capitals) {
    Arena arena = {0};
    SrcLoc at;
    Str path = STR("x.cu");
    CHECK_STR(clinic_diagnosis(&arena, path,
                               STR("a\n  // DIAGNOSIS:  clc006, I think\n"),
                               &at),
              "CLC006");
    CHECK_INT(at.line, 2);
    CHECK_INT(at.col, 18);
    CHECK_STR(clinic_diagnosis(
                  &arena, path,
                  STR("// DIAGNOSIS: abcdefghijklmnopqrstuvwxyz_09[`{"), &at),
              "ABCDEFGHIJKLMNOPQRSTUVWXYZ_09[`{");
    CHECK_STR(clinic_diagnosis(&arena, path, STR("// DIAGNOSIS: ?\n"), &at),
              "");
    CHECK_INT(at.line, 1);
    CHECK_STR(clinic_diagnosis(&arena, path, STR("//DIAGNOSIS:"), &at), "");
    CHECK_INT(at.line, 1);
    CHECK_STR(clinic_diagnosis(&arena, path, STR("DIAGNOSIS: CLC006"), &at),
              "");
    CHECK_INT(at.line, 0);
    arena_free(&arena);
}

// ---- judging -------------------------------------------------------------

// A launch with a finding of each code (NULL ends them), and `steals` blocks
// stolen.
static LaunchResult *launched(Arena *arena, const char *const *codes,
                              uint64_t steals) {
    LaunchResult *launch = arena_new(arena, LaunchResult, 1);
    launch->findings = arena_new(arena, LaunchFinding, 8);
    for (; codes && codes[launch->finding_count]; launch->errors++) {
        size_t i = launch->finding_count++;
        launch->findings[i].cause.code = str_from(codes[i]);
        launch->findings[i].cause.what =
            str_format(arena, "It breaks %s.", codes[i]);
        launch->findings[i].schedules = 1;
    }
    launch->schedules = arena_new(arena, LaunchSchedule, 2);
    launch->schedule_count = 2;
    launch->ledger.totals.granted = steals;
    return launch;
}

typedef struct Judged {
    Arena arena;
    ClinicResult result;
    bool ok;
} Judged;

static Judged judge(const char *given, const char *const *mine, uint64_t steals,
                    const char *bytes) {
    static const char *const original[] = {"OUTPUT", "CLC006", NULL};
    Judged j = {.result = {.number = 3,
                           .title = STR("A title"),
                           .file = STR("mine.cu"),
                           .given = str_from(given)}};
    Str *right = arena_new(&j.arena, Str, 1), *got;
    got = arena_new(&j.arena, Str, 1);
    right[0] = STR("right");
    got[0] = str_from(bytes);
    ClinicCase about = {.checksum = clinic_checksum(right, 1)};
    ClinicRun case_run = {launched(&j.arena, original, 4), right, 1,
                          STR("a clusterlaunchcontrol.try_cancel b")};
    ClinicRun my_run = {launched(&j.arena, mine, steals), got, 1,
                        STR("clusterlaunchcontrol.try_cancel")};
    j.ok = clinic_judge(&about, &case_run, &my_run, &j.result);
    return j;
}

TEST(a_copy_that_is_right_in_all_is_healed) {
    Judged j = judge("CLC006", NULL, 4, "right");
    CHECK(j.ok && j.result.healed);
    CHECK_STR(j.result.code, "CLC006");
    arena_free(&j.arena);
}

TEST(each_part_is_needed) {
    static const char *const broken[] = {"CLC006", NULL};
    Judged j = judge("CLC007", NULL, 4, "right");
    CHECK_INT(j.result.diagnosis, CLINIC_ILL);
    CHECK(!j.result.healed);
    arena_free(&j.arena);
    j = judge("", NULL, 4, "right");
    CHECK_INT(j.result.diagnosis, CLINIC_OPEN);
    CHECK(!j.result.healed);
    arena_free(&j.arena);
    j = judge("CLC006", broken, 4, "right");
    CHECK_INT(j.result.rules, CLINIC_ILL);
    CHECK(!j.result.healed);
    arena_free(&j.arena);
    j = judge("CLC006", NULL, 4, "wrong");
    CHECK_INT(j.result.output, CLINIC_ILL);
    CHECK(!j.result.healed);
    arena_free(&j.arena);
    j = judge("CLC006", NULL, 0, "right");
    CHECK_INT(j.result.technique, CLINIC_ILL);
    CHECK_HOLDS(j.result.technique_what, "steals no block");
    CHECK(!j.result.healed);
    arena_free(&j.arena);
}

TEST(a_case_without_a_mistake_is_none) {
    Arena arena = {0};
    ClinicCase about = {0};
    ClinicResult result = {0};
    ClinicRun run = {launched(&arena, NULL, 1), NULL, 0, STR("")};
    CHECK(!clinic_judge(&about, &run, &run, &result));
    arena_free(&arena);
}

// ---- reports -------------------------------------------------------------

static Str case_text(Judged *j) {
    Buf out = {0};
    report_clinic_case(&j->result, STR(""), (ReportStyle){.width = 80}, &out);
    Str text = str_copy(&j->arena, buf_view(&out));
    buf_free(&out);
    return text;
}

TEST(what_names_the_rule_is_kept_back) {
    static const char *const broken[] = {"CLC006", "MEM001", NULL};
    Judged j = judge("CLC007", broken, 4, "right");
    Str text = case_text(&j);
    CHECK_LACKS(text, "CLC006");
    CHECK_HOLDS(text, "It breaks MEM001.");
    CHECK_HOLDS(text, "1 finding is kept back");
    CHECK_HOLDS(text, "Not healed yet.");
    Buf out = {0};
    report_clinic_json(&j.result, 1, &out);
    CHECK(is_json(buf_view(&out)));
    CHECK_LACKS(buf_view(&out), "CLC006");
    buf_free(&out);
    arena_free(&j.arena);
    j = judge("CLC006", broken, 4, "right");
    text = case_text(&j);
    CHECK_HOLDS(text, "It breaks CLC006.");
    CHECK_LACKS(text, "kept back");
    arena_free(&j.arena);
}

TEST(the_table_counts_the_healed) {
    Judged j = judge("CLC006", NULL, 4, "right");
    ClinicResult results[2] = {j.result, {.number = 4, .is_new = true}};
    results[1].title = STR("Another");
    Buf out = {0};
    report_clinic(results, 2, (ReportStyle){.width = 80}, &out);
    CHECK_HOLDS(buf_view(&out), "  HEALED   3  A title: CLC006\n");
    CHECK_HOLDS(buf_view(&out), "  NEW      4  Another\n");
    CHECK_HOLDS(buf_view(&out), "1 of 2 healed.");
    buf_free(&out);
    arena_free(&j.arena);
}

TEST_MAIN(TESTCASE(reads_the_head_of_a_case),
          TESTCASE(a_head_that_lacks_something_is_refused),
          TESTCASE(the_diagnosis_is_the_first_word_in_capitals),
          TESTCASE(a_copy_that_is_right_in_all_is_healed),
          TESTCASE(each_part_is_needed),
          TESTCASE(a_case_without_a_mistake_is_none),
          TESTCASE(what_names_the_rule_is_kept_back),
          TESTCASE(the_table_counts_the_healed))
