// SPDX-License-Identifier: Apache-2.0
// check_grade, on the fake Device: what is an error of the grader or of the
// device, never the learner's failure, and what it says.
#include "tests/unit/check_fake.h"

static void is_error(Bench *bench, const char *code) {
    const Result *result = bench_grade(bench);
    CHECK_INT(result->verdict, VERDICT_ERROR);
    CHECK_LIST(bench, CHECK_ERROR, "rules");
    CHECK_LIST(bench, CHECK_FAIL, "");
    const CheckResult *check = bench_check(bench, "rules");
    if (!CHECK(check->cause_count == 1))
        return;
    CHECK_STR(check->causes[0].code, code);
    CHECK(check->causes[0].what.len > 0);
    CHECK(check->causes[0].help.len > 0);
}

TEST(unsupported_instruction_is_an_error_of_ours) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.status = RUN_UNSUPPORTED;
    bench.fake.spoil.rule = RULE_UNSUPPORTED;
    is_error(&bench, "UNSUPPORTED");
    const Cause *cause = bench_check(&bench, "rules")->causes;
    CHECK_INT(cause->at.line, 7);
    CHECK_STR(cause->help, "This is the grader's limit, not a mistake in the "
                           "file: report it, or write it another way.");
    bench_close(&bench);
}

TEST(refused_launch_is_ours_unless_it_has_a_code) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.status = RUN_REFUSED;
    is_error(&bench, "");
    bench.fake.spoil.refuse_code = true;
    bench_grade(&bench);
    CHECK_LIST(&bench, CHECK_FAIL, "rules");
    bench_close(&bench);
}

TEST(device_that_cannot_load_is_an_error_of_ours) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.cannot_load = true;
    is_error(&bench, "");
    const Cause *cause = bench_check(&bench, "rules")->causes;
    CHECK_STR(cause->what, "no memory for the module");
    CHECK_STR(cause->help, "This is not the submission's fault: try again, and "
                           "report it if it stays.");
    bench.fake.spoil.is_silent = true;
    is_error(&bench, "");
    cause = bench_check(&bench, "rules")->causes;
    CHECK_STR(cause->what, "The device refused without a reason.");
    CHECK_STR(cause->help,
              "This is not the submission's fault: report it with the file.");
    bench_close(&bench);
}

TEST(module_without_the_secret_is_an_error_that_names_lab_h) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.has_no_secret = true;
    is_error(&bench, "");
    const Cause *cause = bench_check(&bench, "rules")->causes;
    CHECK_STR(cause->what, "clclab_secret cannot be set.");
    CHECK_STR(cause->help, "Include lab.h of this version of the labs.");
    CHECK(cause->at.line > 0);
    bench_close(&bench);
}

// lab.h's prologue does neither, so the file has replaced it.
TEST(prologue_of_another_value_fails_rules) {
    static const char help[] =
        "compute_scalar is lab.h's: neither define nor change it.";
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.wrong_scalar = true;
    CHECK_INT(bench_grade(&bench)->verdict, VERDICT_FAIL);
    CHECK_LIST(&bench, CHECK_FAIL, "rules");
    const Cause *cause = bench_check(&bench, "rules")->causes;
    CHECK_STR(cause->what, "compute_scalar() gave another value than lab.h's.");
    CHECK_STR(cause->help, help);
    bench.fake.spoil.scalar_traps = true;
    CHECK_INT(bench_grade(&bench)->verdict, VERDICT_FAIL);
    cause = bench_check(&bench, "rules")->causes;
    CHECK_STR(cause->code, "TRAP");
    CHECK_STR(cause->what, "Thread 0 of block 3 executes a trap.");
    CHECK_STR(cause->help, help);
    CHECK_INT(bench.fake.launches, 0); // the lab's kernel is not run
    bench_close(&bench);
}

TEST(prologue_that_cannot_be_launched_is_an_error_of_ours) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.scalar_fails = true;
    is_error(&bench, "LOST");
    CHECK_STR(bench_check(&bench, "rules")->causes[0].what, "it did not run");
    CHECK_INT(bench.fake.launches, 0); // the lab's kernel is not run without it
    bench_close(&bench);
}

TEST_MAIN(TESTCASE(unsupported_instruction_is_an_error_of_ours),
          TESTCASE(refused_launch_is_ours_unless_it_has_a_code),
          TESTCASE(device_that_cannot_load_is_an_error_of_ours),
          TESTCASE(module_without_the_secret_is_an_error_that_names_lab_h),
          TESTCASE(prologue_of_another_value_fails_rules),
          TESTCASE(prologue_that_cannot_be_launched_is_an_error_of_ours))
