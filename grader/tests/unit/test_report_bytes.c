// SPDX-License-Identifier: Apache-2.0
// report/: every format of every kind of result, byte by byte. What each sheet
// must be is in grader/tests/report/, under the sheet's name; to change what a
// report says on purpose, run this program with UPDATE_GOLDEN=1 (golden.h). Of
// a page only what stands between its style and its script.
#include "batch/batch.h"
#include "batch/engine.h"
#include "result/rule.h"
#include "tests/unit/golden.h"
#include "tests/unit/report_samples.h"

static const char FOLDER[] = "grader/tests/report";

// Whose bytes; the style of those that a person reads.
typedef struct Sheet {
    const char *name; // of the file: "grade.json"
    void (*make)(Arena *arena, Report *report);
    ReportStyle style;
} Sheet;

// ---- grades ----------------------------------------------------------------

static void grade(Arena *arena, Report *report) {
    GradeSample *s = arena_new(arena, GradeSample, 1);
    sample_grade(s);
    report->kind = REPORT_GRADE;
    report->grade = &s->result;
}

static void full_grade(Arena *arena, Report *report) {
    GradeSample *s = arena_new(arena, GradeSample, 1);
    sample_full_grade(s);
    report->kind = REPORT_GRADE;
    report->grade = &s->result;
}

// Of an error of ours, and by options that leave a trace in the provenance.
static void failed_grade(Arena *arena, Report *report) {
    GradeSample *s = arena_new(arena, GradeSample, 1);
    sample_grade(s);
    Result *r = &s->result;
    r->verdict = VERDICT_ERROR;
    r->check_count = 4;
    r->has_ledger = false;
    r->empty_regions = STR("");
    r->output = STR("");
    r->advisory_count = 0;
    r->message_count = 0;
    r->score = 0;
    memset(r->pct, 0, sizeof r->pct);
    r->provenance.is_seed_given = r->provenance.is_whole = false;
    r->provenance.sandbox.allow_weak = true;
    r->provenance.flag_count = 0;
    report->kind = REPORT_GRADE;
    report->grade = r;
}

static void traced_grade(Arena *arena, Report *report) {
    GradeSample *s = arena_new(arena, GradeSample, 1);
    TraceSample *t = arena_new(arena, TraceSample, 1);
    sample_grade(s);
    sample_trace(t);
    s->result.trace = &t->trace;
    s->result.ways[0] = (TraceWay){STR("grid stride"), &t->plain};
    s->result.way_count = 1;
    report->kind = REPORT_GRADE;
    report->grade = &s->result;
}

static void for_student(Arena *arena, Report *report) {
    GradeSample *s = arena_new(arena, GradeSample, 1);
    sample_grade(s);
    report_limit(arena, FEEDBACK_STUDENT, STR("/lib/"), &s->result);
    report->kind = REPORT_GRADE;
    report->grade = &s->result;
}

static void for_points(Arena *arena, Report *report) {
    GradeSample *s = arena_new(arena, GradeSample, 1);
    sample_grade(s);
    report_limit(arena, FEEDBACK_POINTS, STR(""), &s->result);
    report->kind = REPORT_GRADE;
    report->grade = &s->result;
}

// ---- runs and programs -----------------------------------------------------

static void run(Arena *arena, Report *report) {
    RunSample *s = arena_new(arena, RunSample, 1);
    sample_run(s);
    report->kind = REPORT_RUN;
    report->run = &s->result;
}

static void clean_run(Arena *arena, Report *report) {
    RunSample *s = arena_new(arena, RunSample, 1);
    sample_clean_run(s);
    report->kind = REPORT_RUN;
    report->run = &s->result;
}

static void traced_run(Arena *arena, Report *report) {
    RunSample *s = arena_new(arena, RunSample, 1);
    TraceSample *t = arena_new(arena, TraceSample, 1);
    sample_run(s);
    sample_trace(t);
    t->trace.is_timed = true;
    t->trace.clock_mhz = 16;
    t->trace.is_cut = true;
    t->trace.map.knows_times = false;
    t->trace.plain = NULL;
    s->result.trace = &t->trace;
    report->kind = REPORT_RUN;
    report->run = &s->result;
}

// It did not build.
static void unbuilt_run(Arena *arena, Report *report) {
    RunSample *s = arena_new(arena, RunSample, 1);
    sample_run(s);
    LaunchResult *r = &s->result;
    s->findings[0] = (LaunchFinding){.cause = sample_card_cause()};
    s->message.level = DIAG_ERROR;
    r->schedule_count = 0;
    r->finding_count = 1;
    r->errors = 1;
    r->advisories = 0;
    r->has_ledger = r->is_timed = false;
    r->search = SEARCH_NONE;
    report->kind = REPORT_RUN;
    report->run = r;
}

// Searches that ended in the other ways.
static void search_of(Arena *arena, Report *report, SearchEnd end,
                      uint64_t redundant) {
    RunSample *s = arena_new(arena, RunSample, 1);
    sample_clean_run(s);
    s->result.search = end;
    s->result.search_redundant = redundant;
    report->kind = REPORT_RUN;
    report->run = &s->result;
}

static void stopped_search(Arena *arena, Report *report) {
    search_of(arena, report, SEARCH_STOPPED, 0);
}

static void large_search(Arena *arena, Report *report) {
    search_of(arena, report, SEARCH_TOO_LARGE, 3);
}

static void exec(Arena *arena, Report *report) {
    ExecSample *s = arena_new(arena, ExecSample, 1);
    sample_exec(s);
    report->kind = REPORT_EXEC;
    report->exec = &s->result;
}

static void clean_exec(Arena *arena, Report *report) {
    ExecSample *s = arena_new(arena, ExecSample, 1);
    sample_clean_exec(s);
    report->kind = REPORT_EXEC;
    report->exec = &s->result;
}

// ---- quizzes and the clinic ------------------------------------------------

enum { QUESTIONS = 5 };

// One question of each kind and a second choice, with a mark of each.
static void fill_quiz(Arena *arena, QuizResult *result, bool has_key) {
    static Str choices[] = {{"first `a`", 9}, {"**second** & <c>", 16}},
               lines[] = {{"one;", 4}, {"two;", 4}, {"three;", 6}};
    static const QuizKind kinds[QUESTIONS] = {
        QUIZ_CHOICE, QUIZ_MULTIPLE, QUIZ_ORDER, QUIZ_FIND, QUIZ_CHOICE};
    static const QuizMark marks[QUESTIONS] = {
        QUIZ_RIGHT, QUIZ_WRONG, QUIZ_UNREADABLE, QUIZ_OPEN, QUIZ_WRONG};
    Quiz *quiz = arena_new(arena, Quiz, 1);
    QuizKey *key = arena_new(arena, QuizKey, 1);
    *quiz = (Quiz){.number = 4,
                   .title = STR("A `title`"),
                   .intro = STR("An *intro*, with <b> & more.\n"),
                   .count = QUESTIONS};
    *result = (QuizResult){.quiz = quiz,
                           .key = has_key ? key : NULL,
                           .file = STR("answers.txt"),
                           .points = 1};
    for (size_t i = 0; i < QUESTIONS; i++) {
        bool is_code = kinds[i] == QUIZ_ORDER || kinds[i] == QUIZ_FIND;
        quiz->questions[i] = (QuizQuestion){
            .title = str_format(arena, "Question %zu", i + 1),
            .kind = kinds[i],
            .body = is_code ? STR("```cuda\n1  one;\n2  two;\n3  three;\n```\n")
                            : STR("Which?\n\n- a) first `a`\n"
                                  "- b) **second** & <c>\n"),
            .options = is_code ? lines : choices,
            .option_count = is_code ? 3 : 2,
            .at = {STR("quiz.md"), (uint32_t)(10 * i + 5), 1}};
        key->entries[i] =
            (QuizEntry){.ways = {{{1, 2, 3}, is_code ? 3 : 1}, {{2, 1, 3}, 3}},
                        .way_count = kinds[i] == QUIZ_ORDER ? 2 : 1,
                        .why = str_format(arena, "Why %zu.", i + 1),
                        .remarks = {STR(""), STR("It is the second.")},
                        .sees = {STR("README.md#background")},
                        .see_count = 1};
        if (kinds[i] == QUIZ_FIND)
            key->entries[i].ways[0].count = 1;
        result->answers.items[i] =
            (QuizAnswer){.picks = {{2}, marks[i] != QUIZ_OPEN},
                         .unreadable = marks[i] == QUIZ_UNREADABLE,
                         .at = {STR("answers.txt"), (uint32_t)i + 2, 4}};
        result->items[i].mark =
            has_key || marks[i] != QUIZ_WRONG ? marks[i] : QUIZ_UNGRADED;
        if (has_key && marks[i] == QUIZ_WRONG)
            result->items[i] =
                (QuizItem){QUIZ_WRONG, STR("b is not right."), {2}, 1};
    }
}

static void quiz(Arena *arena, Report *report) {
    QuizResult *result = arena_new(arena, QuizResult, 1);
    Diag *message = arena_new(arena, Diag, 1);
    fill_quiz(arena, result, true);
    *message = (Diag){.level = DIAG_ERROR,
                      .at = {STR("answers.txt"), 4, 4},
                      .what = STR("there is no line 9"),
                      .help = STR("Name lines 1 to 3.")};
    result->messages = message;
    result->message_count = 1;
    report->kind = REPORT_QUIZ;
    report->quiz = result;
}

static void quiz_without_key(Arena *arena, Report *report) {
    QuizResult *result = arena_new(arena, QuizResult, 1);
    fill_quiz(arena, result, false);
    report->kind = REPORT_QUIZ;
    report->quiz = result;
}

static ClinicResult *fill_cases(Arena *arena) {
    RunSample *s = arena_new(arena, RunSample, 1);
    ClinicResult *cases = arena_new(arena, ClinicResult, 4);
    sample_run(s);
    cases[0] = (ClinicResult){.number = 3,
                              .title = STR("A title"),
                              .story = STR("\"It hurts,\nsometimes.\""),
                              .file = STR("mine/03.cu"),
                              .given = STR("CLC004 at line 12"),
                              .asks = STR("no exit with a request in flight"),
                              .at = {STR("mine/03.cu"), 12, 3},
                              .diagnosis = CLINIC_ILL,
                              .rules = CLINIC_ILL,
                              .output = CLINIC_WELL,
                              .checksum = 0xfedc,
                              .technique = CLINIC_ILL,
                              .technique_what = STR("It no longer steals."),
                              .launch = &s->result,
                              .code = STR("CLC006")};
    cases[1] = (ClinicResult){.number = 4,
                              .title = STR("New"),
                              .story = STR("Nobody looked."),
                              .file = STR("mine/04.cu"),
                              .is_new = true,
                              .code = STR("CLC001")};
    cases[2] = cases[0];
    cases[2].number = 5;
    cases[2].diagnosis = cases[2].rules = cases[2].technique = CLINIC_WELL;
    cases[2].healed = true;
    cases[3] = cases[0];
    cases[3].number = 6;
    cases[3].diagnosis = CLINIC_WELL;
    cases[3].technique = CLINIC_OPEN;
    return cases;
}

static void open_case(Arena *arena, Report *report) {
    report->kind = REPORT_CASE;
    report->cases.items = fill_cases(arena);
    report->cases.count = 1;
}

static void new_case(Arena *arena, Report *report) {
    open_case(arena, report);
    report->cases.items++;
}

static void healed_case(Arena *arena, Report *report) {
    open_case(arena, report);
    report->cases.items += 2;
}

static void diagnosed_case(Arena *arena, Report *report) {
    open_case(arena, report);
    report->cases.items += 3;
}

static void all_cases(Arena *arena, Report *report) {
    open_case(arena, report);
    report->kind = REPORT_CASES;
    report->cases.count = 4;
}

// ---- the rest --------------------------------------------------------------

static void comparison(Arena *arena, Report *report) {
    Comparison *c = arena_new(arena, Comparison, 1);
    *c = sample_comparison(COMPARE_MODELLED, false);
    report->kind = REPORT_COMPARE;
    report->compare = c;
}

static void gaps(Arena *arena, Report *report) {
    Comparison *c = arena_new(arena, Comparison, 1);
    *c = sample_comparison(COMPARE_MEASURED, true);
    report->kind = REPORT_COMPARE;
    report->compare = c;
}

static void doctor(Arena *arena, Report *report) {
    DoctorReport *d = arena_new(arena, DoctorReport, 1);
    *d = sample_doctor();
    report->kind = REPORT_DOCTOR;
    report->doctor = d;
}

static void rule(Arena *arena, Report *report) {
    report->kind = REPORT_RULE;
    report->rule.code = STR("CLC002");
    report->rule.markdown = test_file(arena, "docs/rules/CLC002.md");
}

static void rules(Arena *arena, Report *report) {
    static const RuleLine lines[] = {
        {{"CLC001", 6}, {"no request after a \"refusal\"", 28}},
        {{"RACE001", 7}, {"accesses are ordered", 20}}};
    (void)arena;
    report->kind = REPORT_RULES;
    report->rules.lines = lines;
    report->rules.count = 2;
}

// ---- sheets ----------------------------------------------------------------

#define NARROW \
    { .width = 56 }
#define COLOURED \
    { .width = 80, .color = true, .pictures = true }
#define WIDE \
    { .width = 100, .pictures = true }

static const Sheet SHEETS[] = {{"grade.text", grade, NARROW},
                               {"grade-coloured.text", traced_grade, COLOURED},
                               {"grade.json", grade, NARROW},
                               {"grade.junit", grade, NARROW},
                               {"grade.sarif", grade, NARROW},
                               {"grade.github", grade, NARROW},
                               {"grade.gradescope", grade, NARROW},
                               {"grade.classroom", grade, NARROW},
                               {"grade.autolab", grade, NARROW},
                               {"grade.html", traced_grade, WIDE},
                               {"grade.trace", traced_grade, WIDE},
                               {"grade.svg", traced_grade, WIDE},
                               {"full.text", full_grade, NARROW},
                               {"full.json", full_grade, NARROW},
                               {"full.junit", full_grade, NARROW},
                               {"full.gradescope", full_grade, NARROW},
                               {"full.html", full_grade, NARROW},
                               {"failed.text", failed_grade, WIDE},
                               {"failed.json", failed_grade, NARROW},
                               {"failed.junit", failed_grade, NARROW},
                               {"failed.gradescope", failed_grade, NARROW},
                               {"failed.autolab", failed_grade, NARROW},
                               {"student.text", for_student, NARROW},
                               {"student.json", for_student, NARROW},
                               {"student.gradescope", for_student, NARROW},
                               {"points.text", for_points, NARROW},
                               {"points.json", for_points, NARROW},
                               {"run.text", run, NARROW},
                               {"run-coloured.text", run, COLOURED},
                               {"run.json", run, NARROW},
                               {"run.junit", run, NARROW},
                               {"run.sarif", run, NARROW},
                               {"run.github", run, NARROW},
                               {"run.html", traced_run, NARROW},
                               {"run.trace", traced_run, NARROW},
                               {"run.svg", traced_run, NARROW},
                               {"clean.text", clean_run, NARROW},
                               {"clean.json", clean_run, NARROW},
                               {"clean.junit", clean_run, NARROW},
                               {"stopped.text", stopped_search, NARROW},
                               {"stopped.json", stopped_search, NARROW},
                               {"large.text", large_search, NARROW},
                               {"unbuilt.text", unbuilt_run, NARROW},
                               {"unbuilt.json", unbuilt_run, NARROW},
                               {"exec.text", exec, NARROW},
                               {"exec-coloured.text", exec, COLOURED},
                               {"exec.json", exec, NARROW},
                               {"exec.junit", exec, NARROW},
                               {"exec.sarif", exec, NARROW},
                               {"exec.github", exec, NARROW},
                               {"exec-clean.text", clean_exec, NARROW},
                               {"exec-clean.json", clean_exec, NARROW},
                               {"quiz.text", quiz, NARROW},
                               {"quiz-coloured.text", quiz, COLOURED},
                               {"quiz.json", quiz, NARROW},
                               {"quiz.qti", quiz, NARROW},
                               {"quiz-no-key.text", quiz_without_key, NARROW},
                               {"quiz-no-key.json", quiz_without_key, NARROW},
                               {"case-open.text", open_case, NARROW},
                               {"case-new.text", new_case, NARROW},
                               {"case-healed.text", healed_case, COLOURED},
                               {"case-diagnosed.text", diagnosed_case, NARROW},
                               {"cases.text", all_cases, NARROW},
                               {"cases.json", all_cases, NARROW},
                               {"compare.text", comparison, WIDE},
                               {"compare.csv", comparison, NARROW},
                               {"compare.svg", comparison, NARROW},
                               {"compare.json", comparison, NARROW},
                               {"compare-gaps.text", gaps, COLOURED},
                               {"compare-gaps.csv", gaps, NARROW},
                               {"compare-gaps.svg", gaps, NARROW},
                               {"compare-gaps.json", gaps, NARROW},
                               {"doctor.text", doctor, COLOURED},
                               {"doctor.json", doctor, NARROW},
                               {"rule.text", rule, COLOURED},
                               {"rule.json", rule, NARROW},
                               {"rules.text", rules, NARROW},
                               {"rules.json", rules, NARROW}};

// Of a page, what is its own.
static Str own_part(Str text) {
    static const char START[] = "</style>", END[] = "\n<script>";
    const char *start = memmem(text.ptr, text.len, START, sizeof START - 1);
    if (!start)
        return text;
    Str rest = str_slice(text, (size_t)(start - text.ptr), text.len);
    const char *end = memmem(rest.ptr, rest.len, END, sizeof END - 1);
    return end ? str_slice(rest, 0, (size_t)(end - rest.ptr)) : rest;
}

static Buf write_sheet(Arena *arena, const Sheet *sheet) {
    Buf out = {0};
    Report report = {.style = sheet->style, .source = str_from(SAMPLE_SOURCE)};
    sheet->make(arena, &report);
    const ReportFormat *format =
        report_format(report.kind, strchr(sheet->name, '.') + 1);
    if (CHECK(format != NULL))
        format->write(&report, &out);
    return out;
}

static void check_bytes(Arena *arena, const char *name, Str text) {
    golden_check(arena, FOLDER, str_from(name), text);
}

static void check_sheet(const char *name) {
    Arena arena = {0};
    for (size_t i = 0; i < COUNT_OF(SHEETS); i++) {
        if (strcmp(SHEETS[i].name, name) != 0)
            continue;
        Buf out = write_sheet(&arena, &SHEETS[i]);
        check_bytes(&arena, name, own_part(buf_view(&out)));
        buf_free(&out);
    }
    arena_free(&arena);
}

// ---- what is no format -----------------------------------------------------

TEST(every_format_has_a_sheet) {
    for (ReportKind kind = 0; kind < REPORT_KIND_COUNT; kind++) {
        Arena arena = {0};
        Str names = report_format_names(&arena, kind, " ");
        CHECK(names.len > 0);
        while (names.len) {
            Str name = str_cut(&names, ' ');
            bool is_there = false;
            for (size_t i = 0; i < COUNT_OF(SHEETS) && !is_there; i++) {
                Report report = {0};
                SHEETS[i].make(&arena, &report);
                bool is_case =
                    kind == REPORT_CASE && report.kind == REPORT_CASES;
                is_there = (report.kind == kind || is_case) &&
                           str_ends(str_from(SHEETS[i].name), name);
            }
            if (!CHECK(is_there))
                printf("# kind %d, %.*s\n", (int)kind, STR_ARG(name));
        }
        arena_free(&arena);
    }
}

TEST(book) {
    Arena arena = {0};
    Buf out = {0};
    Report report = {.source = str_from(SAMPLE_SOURCE)};
    traced_grade(&arena, &report);
    CHECK(report_book(&report, &out));
    check_bytes(&arena, "grade.book", buf_view(&out));
    buf_free(&out);
    arena_free(&arena);
}

TEST(trace_for_other_programs) {
    Arena arena = {0};
    Buf out = {0};
    Report report = {0};
    traced_run(&arena, &report);
    report_trace_json(report.run->trace, STR("vm:mini"), &out);
    check_bytes(&arena, "run.trace-json", buf_view(&out));
    buf_free(&out);
    arena_free(&arena);
}

TEST(quiz_to_be_answered) {
    Arena arena = {0};
    Buf out = {0};
    Report report = {0};
    quiz_without_key(&arena, &report);
    report_quiz_questions(report.quiz->quiz, (ReportStyle){.width = 56}, &out);
    report_quiz_template(report.quiz->quiz, STR("labs/04/quiz.md"),
                         STR("make quiz LAB=4"), &out);
    check_bytes(&arena, "quiz.questions", buf_view(&out));
    buf_free(&out);
    arena_free(&arena);
}

// Who is late, has other points than before, was given points, has none.
static void fill_class(Arena *arena, BatchTally *tally) {
    static BatchExtra extras[4] = {{true, 2.5, {"for \"style\"", 11}}};
    BatchRow *rows = arena_new(arena, BatchRow, 4);
    rows[0] = (BatchRow){.id = STR("ana"),
                         .student = STR("=Ana \"A\" <b>"),
                         .account = STR("4711"),
                         .is_late = true,
                         .file = STR("k.cu"),
                         .score = 42.5,
                         .most = 100,
                         .check = STR("rules"),
                         .code = STR("CLC006"),
                         .seconds = 1.25,
                         .is_heavy = true,
                         .seeds = {7, 8},
                         .seed_count = 2,
                         .results = {STR("r1"), STR("r2")},
                         .report = STR("t"),
                         .batch = 3,
                         .has_before = true,
                         .before = 30,
                         .changed = STR("lab.conf")};
    rows[1] = (BatchRow){.id = STR("ben"),
                         .student = STR("Ben"),
                         .score = 100,
                         .most = 100,
                         .seconds = 0.5};
    rows[2] = (BatchRow){.id = STR("carl"),
                         .student = STR("Carl"),
                         .status = BATCH_UNGRADABLE,
                         .why = STR("No file <i>.")};
    rows[3] = (BatchRow){.id = STR("dora"),
                         .student = STR("Dora"),
                         .status = BATCH_FAILED,
                         .why = STR("No compiler.")};
    batch_tally(arena, rows, 4, tally);
    tally->extras = extras;
}

TEST(class_as_tables_and_pages) {
    Arena arena = {0};
    Buf out = {0};
    BatchTally tally;
    fill_class(&arena, &tally);
    batch_write_record(&tally.rows[0], &out);
    batch_write_record(&tally.rows[2], &out);
    for (ReportGradebook book = GRADEBOOK_OWN; book <= GRADEBOOK_MOODLE; book++)
        report_batch_csv(&tally, book, STR("Lab 4"), &out);
    report_batch_text(&tally, STR("Lab 4: Clusters"),
                      (ReportStyle){.width = 56}, &out);
    check_bytes(&arena, "class.text", buf_view(&out));
    out.len = 0;
    report_batch_html(&tally, STR("Lab 4: <Clusters>"), &out);
    check_bytes(&arena, "class.html", own_part(buf_view(&out)));
    buf_free(&out);
    arena_free(&arena);
}

int main(int argc, char **argv) {
    static const TestCase others[] = {
        TESTCASE(every_format_has_a_sheet), TESTCASE(book),
        TESTCASE(trace_for_other_programs), TESTCASE(quiz_to_be_answered),
        TESTCASE(class_as_tables_and_pages)};
    TestCase cases[COUNT_OF(SHEETS) + COUNT_OF(others)];
    for (size_t i = 0; i < COUNT_OF(SHEETS); i++)
        cases[i] = (TestCase){.name = SHEETS[i].name, .run_named = check_sheet};
    memcpy(cases + COUNT_OF(SHEETS), others, sizeof others);
    return test_run_all(cases, COUNT_OF(cases), argc > 1 ? argv[1] : NULL);
}
